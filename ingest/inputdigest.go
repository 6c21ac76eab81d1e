package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"

	"github.com/alitto/pond/v2"

	"github.com/robotsaudit/robotsaudit/internal/facts"
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
		if in.SHA256, err = digestInput(ctx, in.Input); err != nil {
			return err
		}
		added = true
	}
	if !added {
		return nil
	}
	return m.Replace(dir)
}

// digestInput returns the SHA-256 of a file that is still the one that was read.
func digestInput(ctx context.Context, in facts.Input) (string, error) {
	f, err := in.Open(ctx)
	if err != nil {
		return "", &inputError{in, err}
	}
	defer f.Close()
	sum := sha256.New()
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if _, err := io.CopyN(sum, f, 16<<20); err == io.EOF {
			break
		} else if err != nil {
			return "", &inputError{in, err}
		}
	}
	f.Close()
	if err := unchanged(ctx, in); err != nil {
		return "", &inputError{in, err}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
