package run

import (
	"context"
	"iter"
	"os"
)

// SortedRows are the rows of a Sorter in order, to be read any number of times, by ranges
// of buckets. They lie in the Sorter's folder, which they need as long as they are read.
type SortedRows[T any] struct {
	merger  func(from, to int) *merger[T]
	sources []source[T]
}

// Finish ends the adding of rows. The Sorter is of no further use.
func (s *Sorter[T]) Finish(ctx context.Context) (*SortedRows[T], error) {
	if s.w.err != nil {
		return nil, s.w.err
	}
	sources, m := s.sources(), s.merger(0, Buckets)
	if len(sources) > m.fanIn { // once, not for each range
		dir, err := os.MkdirTemp(s.w.dir, "merge-*")
		if err == nil {
			sources, err = m.compact(ctx, sources, dir)
		}
		if err != nil {
			os.RemoveAll(dir)
			return nil, s.w.fail(err)
		}
	}
	s.w.err = errClosed
	return &SortedRows[T]{s.merger, sources}, nil
}

// Range yields the rows of the buckets from ≤ bucket < to: by bucket, then Spec.Compare, then
// as they were added. A row is valid until the next step, and so are its []byte fields; its
// strings may be kept, but a few keep much memory in use. Ranges may be read at the same time.
func (r *SortedRows[T]) Range(ctx context.Context, from, to int) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		err := r.merger(from, to).each(ctx, r.sources, func(row *T, _ int) (bool, error) { return yield(row, nil), nil })
		if err != nil {
			yield(nil, err)
		}
	}
}
