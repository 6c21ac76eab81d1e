package stages

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/report"
)

// Mirror makes a local folder that stands for the output of an audit, and for its facts, where one of
// them is in a store. What is read of a store is copied, block by block.
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
		return fmt.Errorf("%s has no %s, so it holds no whole results; name the output of an audit", s,
			report.AuditFile)
	} else if err != nil {
		return err
	}
	if err := fetchOutput(ctx, s, dir); err != nil {
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
	for _, name := range append(plan.Tasks, plan.Inputs) {
		if _, err := from.Fetch(ctx, name+"/", filepath.Join(plan.Folder, name), all); err != nil {
			return fmt.Errorf("facts in %s: %w", from, err)
		}
	}
	return durable.WriteJSON(filepath.Join(dir, facts.PrivateFolder, facts.PlanFile), plan)
}

// fetchOutput gives a folder the tables of an output, and the plan of its facts.
func fetchOutput(ctx context.Context, s Store, dir string) error {
	out, local := s.(folder)
	if !local {
		_, err := s.Fetch(ctx, "", dir, isResult)
		return err
	}
	entries, err := os.ReadDir(out.path(""))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != facts.PrivateFolder {
			err = errors.Join(err, os.Symlink(absolute(out.path(e.Name())), filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	plan, err := out.Read(ctx, facts.PrivateFolder+"/"+facts.PlanFile) // the mirror has another one
	if err != nil {
		return err
	}
	private := filepath.Join(dir, facts.PrivateFolder)
	return errors.Join(os.Mkdir(private, 0o777), os.WriteFile(filepath.Join(private, facts.PlanFile), plan, 0o666))
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
