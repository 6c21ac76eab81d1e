package ingest

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/alitto/pond/v2"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// digestInputs computes the SHA-256 of the named inputs of tasks and keeps it with their
// results, so that no input is read for it twice.
func digestInputs(ctx context.Context, root string, tasks []string, named []Input, workers int) error {
	asked := func(path string) bool { return path != facts.Stdin && facts.IndexOf(named, path) >= 0 }
	pool := pond.NewPool(workers, pond.WithQueueSize(2*workers))
	defer pool.StopAndWait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running []pond.Task
	for _, name := range tasks {
		running = append(running, pool.SubmitErr(func() error {
			err := digestTask(ctx, filepath.Join(root, name), asked)
			if err != nil {
				cancel()
			}
			return err
		}))
	}
	var first error
	for _, task := range running {
		// That others were cancelled is no reason.
		if err := task.Wait(); err != nil && (first == nil || first == context.Canceled) {
			first = err
		}
	}
	return first
}

// digestTask adds to the results of a task the digests that are asked for and not there.
func digestTask(ctx context.Context, dir string, asked func(path string) bool) error {
	m, err := facts.ReadManifest(dir)
	if err != nil {
		return err
	}
	return m.Update(ctx, dir, func(in *InputResult) (changed bool, err error) {
		if in.SHA256 != "" || !asked(in.Path) {
			return false, nil
		}
		if in.SHA256, err = in.Digest(ctx); err != nil {
			err = cmp.Or(ctx.Err(), error(&reading.Error{Input: in.Input, Err: err}))
		}
		return true, err
	})
}
