package stages

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/report"
)

// Mirror makes a local folder that stands for the output of an audit in a store, and for its facts.
// Tables and facts are copied block by block, once they are read.
func Mirror(ctx context.Context, uri string) (dir string, remove func(), err error) {
	s, err := OpenStore(uri)
	if err != nil {
		return "", nil, err
	}
	if dir, remove, err = workspace(); err != nil {
		return "", nil, err
	}
	if err = mirror(ctx, s, dir); err != nil {
		remove()
	}
	return dir, remove, err
}

func mirror(ctx context.Context, s Store, dir string) error {
	if _, err := s.Read(ctx, report.AuditFile); isMissing(err) {
		return fmt.Errorf("%s has no %s, so it holds no whole results; name the output of an audit", s, report.AuditFile)
	} else if err != nil {
		return err
	}
	if _, err := s.Fetch(ctx, "", dir, isResult); err != nil {
		return err
	}
	plan, err := facts.ReadPlan(dir)
	if err != nil || plan == nil || !object.IsRemote(plan.Folder) {
		return err
	}
	// The facts are in a store, too.
	from, err := OpenStore(plan.Folder)
	if err != nil {
		return err
	}
	plan.Folder = filepath.Join(dir, facts.PrivateFolder, "elsewhere")
	for _, task := range plan.Tasks {
		if _, err := from.Fetch(ctx, task+"/", filepath.Join(plan.Folder, task), all); err != nil {
			return err
		}
	}
	return durable.WriteJSON(filepath.Join(dir, facts.PrivateFolder, facts.PlanFile), plan)
}

// isResult reports whether a file of an output is a table, or belongs to the facts.
func isResult(name string) bool {
	switch path.Ext(name) {
	case ".json", ".parquet", ".run", ".pack":
		return !strings.HasPrefix(name, partsPrefix)
	}
	return false
}

func all(string) bool { return true }
