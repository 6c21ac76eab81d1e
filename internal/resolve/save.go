package resolve

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// Save writes what captures came to into a folder, for OpenSaved: all but Robots.
func (r *Resolved) Save(ctx context.Context, dir string) error {
	if err := cmp.Or(r.States.Save(ctx, dir), r.Licences.Save(ctx, dir), r.Marks.Save(ctx, dir), r.Leads.Save(ctx, dir), r.Copies.Save(ctx, dir)); err != nil {
		return err
	}
	from, err := os.Open(r.Bodies)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(filepath.Join(dir, bodiesFile))
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// OpenSaved reads what Save has written.
func OpenSaved(dir string) (r *Resolved, err error) {
	r = &Resolved{Bodies: filepath.Join(dir, bodiesFile)}
	if r.States, err = run.OpenSorted(dir, stateRuns); err != nil {
		return nil, err
	}
	if r.Licences, err = run.OpenSorted(dir, licenceRuns); err != nil {
		return nil, err
	}
	if r.Marks, err = run.OpenSorted(dir, markRuns); err != nil {
		return nil, err
	}
	if r.Leads, err = run.OpenSorted(dir, leadRuns); err != nil {
		return nil, err
	}
	r.Copies, err = run.OpenSorted(dir, copiedRuns)
	return r, err
}

// OpenOriginals reads rows of FindOriginals, which were saved.
func OpenOriginals(dir string) (*run.SortedRows[facts.Fetch], error) {
	return run.OpenSorted(dir, originalRuns)
}
