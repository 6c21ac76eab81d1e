package ingest

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/alitto/pond/v2"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// digestInputs computes the SHA-256 of the named inputs of tasks and keeps it in their
// manifests, so that no input is read for it twice.
func digestInputs(ctx context.Context, root string, tasks []string, named []Input, workers int) error {
	asked := make(map[string]bool)
	for _, in := range named {
		asked[in.Path] = in.Path != facts.Stdin
	}
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

// digestTask adds to a task's manifest the digests that are asked for and not there.
func digestTask(ctx context.Context, dir string, asked map[string]bool) error {
	m, err := facts.ReadManifest(dir)
	if err != nil {
		return err
	}
	added := false
	for i := range m.Inputs {
		in := &m.Inputs[i]
		if in.SHA256 != "" || !asked[in.Path] {
			continue
		}
		if in.SHA256, err = in.Digest(ctx); err != nil {
			return cmp.Or(ctx.Err(), error(&reading.Error{Input: in.Input, Err: err}))
		}
		added = true
	}
	if !added {
		return nil
	}
	return m.Replace(dir)
}
