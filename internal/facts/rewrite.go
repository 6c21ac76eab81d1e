package facts

import (
	"context"
	"iter"
	"slices"
)

// Rewrite writes the facts of the wanted inputs in tasks to an existing empty folder, as one
// task. No archive is read. Of an input that several tasks hold, the first counts.
func Rewrite(ctx context.Context, dir, fingerprint string, tasks []Task, wanted []Input) error {
	w, err := NewWriter(dir)
	if err != nil {
		return err
	}
	return w.take(ctx, fingerprint, tasks, func(in Input) bool {
		i := IndexOf(wanted, in.Path)
		return i >= 0 && wanted[i].Same(in)
	})
}

// Join does the same, of all inputs of the tasks, with one file of each kind of row.
func Join(ctx context.Context, dir, fingerprint string, tasks []Task) error {
	w, err := newWriter(dir, true)
	if err != nil {
		return err
	}
	return w.take(ctx, fingerprint, tasks, func(Input) bool { return true })
}

// take writes the facts of the wanted inputs in tasks, and closes w.
func (w *Writer) take(ctx context.Context, fingerprint string, tasks []Task, wanted func(Input) bool) error {
	tasks = slices.Clone(tasks)
	numbers, err := w.choose(ctx, tasks, wanted)
	if err == nil {
		err = rewrite(ctx, w, &Set{Tasks: tasks}, w.dir, numbers)
	}
	if err != nil {
		w.Abandon()
		return err
	}
	return w.Close(&Manifest{Fingerprint: fingerprint})
}

// choose adds the inputs of tasks that are wanted. It numbers all of them in the order of
// their paths (Task.Global), so that the merge of runs is in order; numbers has the number
// of each in the new task, -1 where it is left out.
func (w *Writer) choose(ctx context.Context, tasks []Task, wanted func(Input) bool) (numbers []int32, err error) {
	for i := range tasks {
		tasks[i].Global = make([]int32, tasks[i].Totals.Count)
	}
	taken := "" // the path of the last one
	for r, err := range results(mergeInputs(ctx, tasks, w.dir)) {
		if err != nil {
			return nil, err
		}
		tasks[r.task].Global[r.number] = int32(len(numbers))
		number := int32(-1)
		if r.Path != taken && wanted(r.Input) {
			number, taken = w.totals.Count, r.Path
			if err := w.Input(&r.InputResult); err != nil {
				return nil, err
			}
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// rewrite copies the rows of a set to w, with the numbers that their inputs have there.
func rewrite(ctx context.Context, w *Writer, set *Set, tmp string, numbers []int32) error {
	r, err := NewReader(set, tmp)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := copyRows(r.Fetches(ctx, Buckets{}), numbers, func(f *Fetch) *int32 { return &f.Input },
		w.Fetch); err != nil {
		return err
	}
	err = copyRows(r.allCaptures(ctx, Buckets{}), numbers, func(c *Capture) *int32 { return &c.Input },
		func(c *Capture) error {
			body, err := r.Body(c)
			if err != nil {
				return err
			}
			c.Pack = 0
			return w.Capture(c, body)
		})
	if err != nil {
		return err
	}
	err = copyRows(r.Issues(ctx, nil), numbers, func(i *Issue) *int32 { return &i.Input },
		func(i *Issue) error { return w.Issue(*i) })
	if err != nil {
		return err
	}
	return copyRows(r.Events(ctx, Buckets{}), numbers, func(e *LogEvent) *int32 { return &e.Input }, w.Event)
}

// copyRows writes those rows whose input has a number in the new task, with that number.
func copyRows[T any](rows iter.Seq2[*T, error], numbers []int32, input func(*T) *int32, write func(*T) error) error {
	for row, err := range rows {
		if err != nil {
			return err
		}
		copied := *row
		at := input(&copied)
		if *at = numbers[*at]; *at < 0 {
			continue
		}
		if err := write(&copied); err != nil {
			return err
		}
	}
	return nil
}
