package facts

import (
	"cmp"
	"context"
	"os"

	"github.com/robotsaudit/robotsaudit/internal/facts/pack"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// DropDamaged reads the files of all tasks, and drops each task that cannot be read to
// its end: the next Ingest reads its inputs again. It returns them.
func (s *Set) DropDamaged(ctx context.Context) (inputs []Input, err error) {
	if s.Elsewhere {
		return nil, nil
	}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.verify(ctx) == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return inputs, err
		}
		if err := os.RemoveAll(t.Dir); err != nil {
			return inputs, err
		}
		for _, i := range t.Global {
			inputs = append(inputs, s.Input(i))
		}
	}
	return inputs, nil
}

func (t *Task) verify(ctx context.Context) error {
	bodies, err := pack.Open(t.PackPath())
	if err != nil {
		return err
	}
	defer bodies.Close()
	return cmp.Or(
		verifyRuns(ctx, t, t.Inputs, inputRuns, nil),
		verifyRuns(ctx, t, t.Fetches, FetchRuns, nil),
		verifyRuns(ctx, t, t.Revisits, RevisitRuns, nil),
		verifyRuns(ctx, t, t.Captures, CaptureRuns, func(c *Capture) error {
			_, err := bodies.Get(c.bodyRef())
			return err
		}),
		verifyRuns(ctx, t, t.Issues, IssueRuns, nil),
		verifyRuns(ctx, t, t.Events, eventRuns, nil),
	)
}

// verifyRuns reads run files one after the other; f, which may be nil, is given each row.
func verifyRuns[T any](ctx context.Context, t *Task, names []string, spec run.Spec[T], f func(*T) error) error {
	for _, name := range names {
		for row, err := range run.Merge(ctx, []string{t.Path(name)}, spec, run.MergeOptions[T]{}) {
			if err == nil && f != nil {
				err = f(row)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
