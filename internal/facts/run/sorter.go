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

	heldRows[T]
	bytes int // of rows and their texts
	texts strings.Builder
	last  []string // of the base before
	coder *codec[T]
	coded []byte // the difference that is added
	full  int    // of the chunks: another one is filled
	spare []held
	names []string
	err   error
}

type heldRows[T any] struct {
	rows   []held
	bases  []base
	slabs  [][]T    // of the bases, slabRows each
	chunks [][]byte // of differences
}

// held is a row: its difference from a base.
type held struct {
	moment       int64 // Spec.Moment
	chunk        int32
	start, end   int32 // of the difference in its chunk; the same: the row is the base
	base, number int32 // number: how many rows were added before it
}

// base is the bucket of a row from which others differ, and its number.
type base struct{ bucket, number int32 }

// slabRows is how many rows lie together: more would be moved again and again as their number grows.
const slabRows = 16

// chunkBytes is how many bytes of texts, or of differences, are held together.
const chunkBytes = 16 << 10

// NewSorter returns a Sorter whose files are named after spec in dir. Existing files of these names are
// replaced.
func NewSorter[T any](dir string, spec Spec[T]) *Sorter[T] {
	l, err := layoutOf[T]()
	s := &Sorter[T]{dir: dir, spec: spec, layout: l, err: err}
	if err == nil {
		s.coder = newCodec[T](l)
		s.last = make([]string, s.coder.texts.len())
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
	h := held{base: int32(len(s.bases) - 1), number: int32(len(s.rows))}
	if s.spec.Place != nil && h.base >= 0 && s.spec.Place(s.baseOf(h), row) == 0 {
		s.addDifference(&h, row)
	} else if err := s.addBase(row); err != nil {
		return s.fail(err)
	} else {
		h.base++
	}
	if s.spec.Moment != nil {
		h.moment = s.spec.Moment(row)
	}
	s.rows = append(s.rows, h)
	s.bytes += int(reflect.TypeFor[held]().Size())
	if s.bytes >= cmp.Or(s.spec.Held, maxBytes) {
		return s.writeRun()
	}
	return nil
}

// addBase holds a row as it is.
func (s *Sorter[T]) addBase(row *T) error {
	bucket := s.spec.Bucket(row)
	if bucket < 0 || bucket >= Buckets {
		return fmt.Errorf("row of bucket %d: there are %d", bucket, Buckets)
	}
	s.coder.row = *row
	for i, text := range s.coder.texts.at {
		if *text != s.last[i] {
			s.last[i] = s.keep(*text)
		}
		*text = s.last[i]
	}
	if len(s.bases) == len(s.slabs)*slabRows {
		s.slabs = append(s.slabs, make([]T, slabRows))
	}
	s.bases = append(s.bases, base{int32(bucket), int32(len(s.rows))})
	*s.at(len(s.bases) - 1) = s.coder.row
	s.bytes += int(reflect.TypeFor[T]().Size())
	return nil
}

// addDifference holds what a row has in other ways than its base.
func (s *Sorter[T]) addDifference(h *held, row *T) {
	if h.number == s.bases[h.base].number+1 {
		s.coder.row = *s.baseOf(*h)
		s.coder.rebase()
	}
	s.coded = s.coder.append(s.coded[:0], row, 0)
	n := len(s.coded)
	if s.full < len(s.chunks) && cap(s.chunks[s.full])-len(s.chunks[s.full]) < n {
		s.full++
	}
	if s.full == len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	chunk := &s.chunks[s.full]
	if cap(*chunk) < n {
		*chunk = make([]byte, 0, max(n, min(chunkBytes, 1<<10+s.bytes)))
	}
	h.chunk, h.start = int32(s.full), int32(len(*chunk))
	*chunk = append(*chunk, s.coded...)
	h.end = int32(len(*chunk))
	s.bytes += n
}

func (h *heldRows[T]) differenceOf(row held) []byte {
	if row.start == row.end {
		return nil
	}
	return h.chunks[row.chunk][row.start:row.end]
}

func (h *heldRows[T]) at(base int) *T { return &h.slabs[base/slabRows][base%slabRows] }

func (h *heldRows[T]) baseOf(row held) *T { return h.at(int(row.base)) }

func (h *heldRows[T]) bucketOf(row held) int { return int(h.bases[row.base].bucket) }

// decoded returns a row, which is valid until the codec reads another.
func (h *heldRows[T]) decoded(row held, c *codec[T]) *T {
	if row.start == row.end {
		return h.baseOf(row)
	}
	c.base, c.isBase = *h.baseOf(row), false
	c.next(string(h.differenceOf(row)))
	return &c.row
}

// keep copies a text, which may be a small part of a long one.
func (s *Sorter[T]) keep(text string) string {
	if len(text) > s.texts.Cap()-s.texts.Len() {
		s.texts.Reset()
		s.texts.Grow(max(len(text), min(chunkBytes, 1<<10+s.bytes)))
	}
	s.bytes += len(text)
	start := s.texts.Len()
	s.texts.WriteString(text)
	return s.texts.String()[start:]
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

func (s *Sorter[T]) writeRun() error {
	name := fmt.Sprintf("%s-%05d.run", s.spec.Name, len(s.names))
	out, err := createFile[T](filepath.Join(s.dir, name), s.layout)
	if err != nil {
		return s.fail(err)
	}
	s.sort()
	for _, h := range s.rows {
		if err = out.put(s.baseOf(h), s.differenceOf(h), s.bucketOf(h)); err != nil {
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
	for i := range s.chunks {
		s.chunks[i] = s.chunks[i][:0]
	}
	s.rows, s.bases, s.full, s.bytes = s.rows[:0], s.bases[:0], 0, 0
	return nil
}

// sort puts the rows that are held in order, place by place.
func (s *Sorter[T]) sort() {
	order := make([]int, len(s.bases))
	for i := range order {
		order[i] = i
	}
	byPlace := func(a, b int) int {
		if c := cmp.Compare(s.bases[a].bucket, s.bases[b].bucket); c != 0 || s.spec.Place == nil {
			return c
		}
		return s.spec.Place(s.at(a), s.at(b))
	}
	slices.SortFunc(order, byPlace)
	one, other := newCodec[T](s.layout), newCodec[T](s.layout)
	byRest := func(a, b held) int {
		if a.moment != b.moment {
			return cmp.Compare(a.moment, b.moment)
		}
		if c := s.spec.Compare(s.decoded(a, one), s.decoded(b, other)); c != 0 {
			return c
		}
		return cmp.Compare(a.number, b.number)
	}
	sorted, begin := s.spare[:0], 0 // of the place in hand
	for i, b := range order {
		if i > 0 && byPlace(order[i-1], b) != 0 {
			slices.SortFunc(sorted[begin:], byRest)
			begin = len(sorted)
		}
		sorted = append(sorted, s.differences(b)...)
	}
	slices.SortFunc(sorted[begin:], byRest)
	s.rows, s.spare = sorted, s.rows
}

// differences are the rows of a base, while rows are in the order in which they were added.
func (s *Sorter[T]) differences(base int) []held {
	end := len(s.rows)
	if base+1 < len(s.bases) {
		end = int(s.bases[base+1].number)
	}
	return s.rows[s.bases[base].number:end]
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

func (s *Sorter[T]) sources() (sources []source[T]) {
	for _, name := range s.names {
		sources = append(sources, source[T]{path: filepath.Join(s.dir, name)})
	}
	if len(s.rows) > 0 {
		s.sort()
		rows := s.heldRows
		sources = append(sources, source[T]{held: &rows})
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

// in reads the rows of the buckets from ≤ bucket < to.
func (h heldRows[T]) in(l *layout, from, to int) *heldReader[T] {
	first := func(bucket int) int {
		return sort.Search(len(h.rows), func(i int) bool { return h.bucketOf(h.rows[i]) >= bucket })
	}
	h.rows = h.rows[first(from):first(to)]
	return &heldReader[T]{h, newCodec[T](l)}
}

type heldReader[T any] struct {
	heldRows[T] // rows: not yet read
	codec       *codec[T]
}

func (h *heldReader[T]) start() int { return 0 }

func (h *heldReader[T]) next() (*T, int, error) {
	if len(h.rows) == 0 {
		return nil, 0, nil
	}
	next := h.rows[0]
	h.rows, h.codec.row = h.rows[1:], *h.decoded(next, h.codec)
	return &h.codec.row, h.bucketOf(next), nil
}

func (h *heldReader[T]) close() {}
