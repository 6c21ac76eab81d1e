package run

import (
	"context"
	"errors"
	"iter"
	"os"
)

// SortedRows are the rows of a Sorter in order, to be read any number of times, by ranges
// of buckets. They lie in the Sorter's folder, which they need as long as they are read.
type SortedRows[T any] struct {
	merger  func(from, to int) *merger[T]
	sources []source[T]
	made    []string // files and folders of theirs
}

// Finish ends the adding of rows. The Sorter is of no further use.
func (s *Sorter[T]) Finish(ctx context.Context) (*SortedRows[T], error) {
	return Together(ctx, []*Sorter[T]{s})
}

// Together ends the adding of rows to Sorters of one Spec, and returns the rows of all. Rows that
// compare equal are in the order of the Sorters. None of them is of further use.
func Together[T any](ctx context.Context, sorters []*Sorter[T]) (*SortedRows[T], error) {
	var sources []source[T]
	var made []string
	for _, s := range sorters {
		if s.w.err != nil {
			return nil, s.w.err
		}
		sources = append(sources, s.sources()...)
	}
	for _, s := range sources {
		if s.path != "" {
			made = append(made, s.path)
		}
	}
	first := sorters[0]
	if m := first.merger(0, Buckets); len(sources) > maxFanIn { // once, not for each range
		dir, err := os.MkdirTemp(first.w.dir, "merge-*")
		made = append(made, dir)
		if err == nil {
			sources, err = m.compact(ctx, sources, dir)
		}
		if err != nil {
			os.RemoveAll(dir)
			for _, s := range sorters {
				s.w.fail(err)
			}
			return nil, err
		}
	}
	for _, s := range sorters {
		s.w.err = errClosed
	}
	return &SortedRows[T]{first.merger, sources, made}, nil
}

// Remove removes the files of the rows, which are gone then.
func (r *SortedRows[T]) Remove() error {
	var errs []error
	for _, path := range r.made {
		errs = append(errs, os.RemoveAll(path))
	}
	r.sources, r.made = nil, nil
	return errors.Join(errs...)
}

// Range yields the rows of the buckets from ≤ bucket < to: by bucket, then Spec.Compare, then
// as they were added. A row is valid until the next step, and so are its []byte fields; its
// strings may be kept, but a few keep much memory in use. Ranges may be read at the same time.
func (r *SortedRows[T]) Range(ctx context.Context, from, to int) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		err := r.merger(from, to).each(ctx, r.sources,
			func(row *T, _ int) (bool, error) { return yield(row, nil), nil })
		if err != nil {
			yield(nil, err)
		}
	}
}
