package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
)

var errClosed = errors.New("run writer is closed")

// A Sorter sorts any number of rows. It holds up to Spec.Held bytes of them, and writes more to files: each
// is a sorted run. The same rows added in the same order give the same files, byte for byte.
type Sorter[T any] struct {
	dir    string
	spec   Spec[T]
	layout *layout

	slabs [][]T // slabRows each
	rows  []held
	bytes int // of rows and their texts
	chunk strings.Builder
	row   T         // that is added
	texts []*string // of it
	last  []string  // of the row before
	names []string
	err   error
}

// held is the bucket of a row, and how many were added before it.
type held struct{ bucket, number int32 }

// slabRows is how many rows lie together: more would be moved again and again as their number grows.
const slabRows = 16

// chunkBytes is how many bytes of texts are held together.
const chunkBytes = 16 << 10

// NewSorter returns a Sorter whose files are named after spec in dir. Existing files of these names are
// replaced.
func NewSorter[T any](dir string, spec Spec[T]) *Sorter[T] {
	l, err := layoutOf[T]()
	s := &Sorter[T]{dir: dir, spec: spec, layout: l, err: err}
	if err == nil {
		s.texts, s.last = l.textsOf(&s.row), make([]string, len(l.texts))
	}
	return s
}

// Add adds a row. After an error the Sorter is of no further use.
func (s *Sorter[T]) Add(row T) error { return s.Put(&row) }

// Put adds a row, and keeps no reference to it. After an error the Sorter is of no further use.
func (s *Sorter[T]) Put(row *T) error {
	if s.err != nil {
		return s.err
	}
	bucket := s.spec.Bucket(row)
	if bucket < 0 || bucket >= Buckets {
		return s.fail(fmt.Errorf("row of bucket %d: there are %d", bucket, Buckets))
	}
	s.row = *row
	for i, text := range s.texts {
		if *text != s.last[i] {
			s.last[i] = s.keep(*text)
		}
		*text = s.last[i]
	}
	h := held{int32(bucket), int32(len(s.rows))}
	if len(s.rows) == len(s.slabs)*slabRows {
		s.slabs = append(s.slabs, make([]T, slabRows))
	}
	s.rows = append(s.rows, h)
	*at(s.slabs, h) = s.row
	s.bytes += int(reflect.TypeFor[T]().Size())
	if s.bytes >= cmp.Or(s.spec.Held, maxBytes) {
		return s.writeRun()
	}
	return nil
}

// at is a row in slabs.
func at[T any](slabs [][]T, h held) *T { return &slabs[h.number/slabRows][h.number%slabRows] }

// keep copies a text, which may be a small part of a long one.
func (s *Sorter[T]) keep(text string) string {
	if len(text) > s.chunk.Cap()-s.chunk.Len() {
		s.chunk.Reset()
		s.chunk.Grow(max(len(text), min(chunkBytes, 1<<10+s.bytes)))
	}
	s.bytes += len(text)
	start := s.chunk.Len()
	s.chunk.WriteString(text)
	return s.chunk.String()[start:]
}

// Hold replaces Spec.Held from now on.
func (s *Sorter[T]) Hold(bytes int) { s.spec.Held = bytes }

// Close writes the rows that are left, and returns the names of the files in dir, in the order of the rows that
// were added. After an error, here or from Add, it returns the error, and no file is left.
func (s *Sorter[T]) Close() ([]string, error) {
	if s.err == nil && len(s.rows) > 0 {
		s.writeRun()
	}
	if s.err != nil {
		return nil, s.err
	}
	names := s.names
	s.forget(errClosed)
	return names, nil
}

// writeRun writes the rows that are held.
func (s *Sorter[T]) writeRun() error {
	name := fmt.Sprintf("%s-%05d.run", s.spec.Name, len(s.names))
	out, err := createFile[T](filepath.Join(s.dir, name), s.layout)
	if err != nil {
		return s.fail(err)
	}
	s.sort()
	for _, h := range s.rows {
		if err = out.add(at(s.slabs, h), int(h.bucket)); err != nil {
			break
		}
	}
	if err = out.close(err); err != nil {
		return s.fail(err)
	}
	s.names = append(s.names, name)
	for _, slab := range s.slabs {
		clear(slab)
	}
	clear(s.last)
	s.rows, s.bytes = s.rows[:0], 0
	return nil
}

// sort puts the rows that are held in order.
func (s *Sorter[T]) sort() {
	slices.SortFunc(s.rows, func(a, b held) int {
		if a.bucket != b.bucket {
			return cmp.Compare(a.bucket, b.bucket)
		}
		if c := s.spec.Compare(at(s.slabs, a), at(s.slabs, b)); c != 0 {
			return c
		}
		return cmp.Compare(a.number, b.number)
	})
}

// fail drops what was written and makes err the answer to every further call.
func (s *Sorter[T]) fail(err error) error {
	for _, name := range s.names {
		os.Remove(filepath.Join(s.dir, name))
	}
	s.forget(err)
	return err
}

func (s *Sorter[T]) forget(err error) {
	*s = Sorter[T]{dir: s.dir, spec: s.spec, layout: s.layout, err: err}
}

// sources are the files, and the rows that are in none.
func (s *Sorter[T]) sources() (sources []source[T]) {
	for _, name := range s.names {
		sources = append(sources, source[T]{path: filepath.Join(s.dir, name)})
	}
	if len(s.rows) > 0 {
		s.sort()
		sources = append(sources, source[T]{held: &heldRows[T]{slabs: s.slabs, rows: s.rows}})
	}
	return sources
}

// Sorted yields the rows in order: by bucket, then Spec.Compare, then as they were added. A row is valid until
// the next step; its texts may be kept, but a few keep much memory in use. The Sorter is empty afterwards, of no
// further use, and has no files left.
func (s *Sorter[T]) Sorted(ctx context.Context) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		rows, err := s.Finish(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Remove()
		rows.Range(ctx, 0, Buckets)(yield)
	}
}

// Finish ends the adding of rows. The Sorter is of no further use.
func (s *Sorter[T]) Finish(ctx context.Context) (*SortedRows[T], error) {
	return Together(ctx, []*Sorter[T]{s})
}

// Together ends the adding of rows to Sorters of one Spec, and returns the rows of all. Rows that compare equal
// are in the order of the Sorters. None of them is of further use.
func Together[T any](ctx context.Context, sorters []*Sorter[T]) (*SortedRows[T], error) {
	first := sorters[0]
	r := &SortedRows[T]{spec: first.spec, layout: first.layout}
	for _, s := range sorters {
		if s.err != nil {
			return nil, s.err
		}
		r.sources = append(r.sources, s.sources()...)
	}
	for _, s := range r.sources {
		if s.path != "" {
			r.made = append(r.made, s.path)
		}
	}
	for _, s := range sorters {
		s.forget(errClosed)
	}
	if len(r.sources) <= maxFanIn {
		return r, nil
	}
	dir, err := os.MkdirTemp(first.dir, "merge-*") // once, not for each range
	if err == nil {
		r.made = append(r.made, dir)
		r.sources, err = r.merger(0, Buckets).compact(ctx, r.sources, dir)
	}
	if err != nil {
		return nil, errors.Join(err, r.Remove())
	}
	return r, nil
}

// SortedRows are the rows of Sorters in order, to be read any number of times, by ranges of buckets. They lie in
// the folders of the Sorters, which they need as long as they are read.
type SortedRows[T any] struct {
	spec    Spec[T]
	layout  *layout
	sources []source[T]
	made    []string // files and folders of theirs
}

func (r *SortedRows[T]) merger(from, to int) *merger[T] {
	return &merger[T]{spec: r.spec, layout: r.layout, from: from, to: to}
}

// Range yields the rows of the buckets from ≤ bucket < to, as Sorted does. Ranges may be read at the same time.
func (r *SortedRows[T]) Range(ctx context.Context, from, to int) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		err := r.merger(from, to).each(ctx, r.sources,
			func(row *T, _ int) (bool, error) { return yield(row, nil), nil })
		if err != nil {
			yield(nil, err)
		}
	}
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

// heldRows reads rows that are in no file.
type heldRows[T any] struct {
	slabs [][]T
	rows  []held // not yet read
	row   T      // of next
}

// in reads the rows of the buckets from ≤ bucket < to.
func (h *heldRows[T]) in(from, to int) *heldRows[T] {
	first := func(bucket int) int {
		return sort.Search(len(h.rows), func(i int) bool { return int(h.rows[i].bucket) >= bucket })
	}
	return &heldRows[T]{slabs: h.slabs, rows: h.rows[first(from):first(to)]}
}

func (h *heldRows[T]) start() int { return 0 }

func (h *heldRows[T]) next() (*T, int, error) {
	if len(h.rows) == 0 {
		return nil, 0, nil
	}
	next := h.rows[0]
	h.rows, h.row = h.rows[1:], *at(h.slabs, next)
	return &h.row, int(next.bucket), nil
}

func (h *heldRows[T]) close() {}
