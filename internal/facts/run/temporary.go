package run

import (
	"context"
	"iter"
	"path/filepath"
	"sort"
)

// A Sorter sorts any number of rows, to be read once with Sorted, or again and again after
// Finish. It holds up to Spec.Held bytes of
// packed rows, and writes more to temporary files.
type Sorter[T any] struct{ w *Writer[T] }

// NewSorter returns a Sorter whose files are named after spec in dir.
func NewSorter[T any](dir string, spec Spec[T]) *Sorter[T] {
	return &Sorter[T]{newWriter(dir, spec, "%s-%05d.rows")}
}

// Add adds a row, and keeps no reference to it. After an error the Sorter is of no
// further use.
func (s *Sorter[T]) Add(row T) error { return s.w.Add(row) }

// Put is Add without a copy.
func (s *Sorter[T]) Put(row *T) error { return s.w.Put(row) }

// Sorted yields the rows in order: by bucket, then Spec.Compare, then as they were added.
// The row is valid until the next step, and so are its []byte fields; its strings may be
// kept, but a few keep much memory in use. The Sorter is empty afterwards, of no
// further use, and has no files left.
func (s *Sorter[T]) Sorted(ctx context.Context) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		err := s.merge(ctx, func(row *T, _ int) (bool, error) { return yield(row, nil), nil })
		if err != nil {
			yield(nil, err)
		}
	}
}

func (s *Sorter[T]) merge(ctx context.Context, f func(*T, int) (bool, error)) error {
	w := s.w
	if w.err != nil {
		return w.err
	}
	defer w.fail(errClosed)
	return s.merger(0, Buckets).mergeAll(ctx, s.sources(), w.dir, f)
}

func (s *Sorter[T]) merger(from, to int) *merger[T] {
	return &merger[T]{spec: s.w.spec, layout: s.w.layout, from: from, to: to}
}

// sources are the files, and the rows that are in none.
func (s *Sorter[T]) sources() []source[T] {
	w := s.w
	sources := make([]source[T], len(w.names), len(w.names)+1)
	for i, name := range w.names {
		sources[i] = source[T]{path: filepath.Join(w.dir, name)}
	}
	if len(w.rows) > 0 {
		sources = append(sources, source[T]{held: w.hold()})
	}
	return sources
}

// hold returns the rows that are not in a file. The chunks of packed, which strings of
// rows may refer to, are not used again.
func (w *Writer[T]) hold() *heldRows[T] {
	h := &heldRows[T]{packed: w.packed, rows: make([]packedRow, 0, len(w.rows))}
	w.each(func(at packedRow) error { h.rows = append(h.rows, at); return nil })
	w.rows, w.groups, w.tied, w.fronts = nil, nil, nil, nil
	return h
}

// heldRows reads packed rows.
type heldRows[T any] struct {
	packed *packedRows[T]
	rows   []packedRow // in order
	row    T           // of next
}

// in reads the rows of the buckets from ≤ bucket < to.
func (h *heldRows[T]) in(from, to int, l *layout[T]) *heldRows[T] {
	first := func(bucket int) int {
		return sort.Search(len(h.rows), func(i int) bool { return h.rows[i].bucket() >= bucket })
	}
	return &heldRows[T]{packed: h.packed.reader(l), rows: h.rows[first(from):first(to)]}
}

func (h *heldRows[T]) start() int { return 0 }

func (h *heldRows[T]) next() (*T, int, error) {
	if len(h.rows) == 0 {
		return nil, 0, nil
	}
	at := h.rows[0]
	h.rows = h.rows[1:]
	h.packed.unpack(&h.row, at)
	return &h.row, at.bucket(), nil
}

func (h *heldRows[T]) close() {}
