package resolve

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// Save writes what captures came to into a folder, for OpenSaved: all but Robots.
func (r *Resolved) Save(ctx context.Context, dir string) error {
	if err := cmp.Or(r.States.Save(ctx, dir), r.Licences.Save(ctx, dir), r.Marks.Save(ctx, dir),
		r.Leads.Save(ctx, dir), r.Originals.Save(ctx, dir)); err != nil {
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
func OpenSaved(dir string) (*Resolved, error) {
	r := &Resolved{Bodies: filepath.Join(dir, bodiesFile)}
	return r, cmp.Or(open(dir, stateRuns, &r.States), open(dir, licenceRuns, &r.Licences),
		open(dir, markRuns, &r.Marks), open(dir, leadRuns, &r.Leads), open(dir, originalRuns, &r.Originals))
}

func open[T any](dir string, spec run.Spec[T], to **run.SortedRows[T]) (err error) {
	*to, err = run.OpenSorted(dir, spec)
	return err
}
