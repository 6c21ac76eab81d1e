package run

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"unsafe"
)

var errClosed = errors.New("run writer is closed")

// A Writer sorts rows into run files of at most maxRows rows, or about Spec.Held
// bytes of packed rows. The same rows added in the same order give the same files, byte
// for byte.
type Writer[T any] struct {
	dir    string
	spec   Spec[T]
	layout *layout[T]
	format string // of the file names

	packed  *packedRows[T]
	rows    []rankedRow
	grouped []int   // the fields of Spec.Group
	groups  []group // of rows that follow one another, each with its texts
	bucket  int     // of the last group
	tied    []packedRow
	fronts  []front[T] // while a run is written
	row     T          // of Add
	touched byte       // see touch
	names   []string
	err     error
}

// A group is the texts of Spec.Group, in packed, and the bucket of their rows.
type group struct {
	bucket int
	texts  [maxGroup]string
}

// compare orders by bucket first, as rows are: texts are long, and begin alike.
func (g *group) compare(other *group) int {
	if c := cmp.Compare(g.bucket, other.bucket); c != 0 {
		return c
	}
	return slices.Compare(g.texts[:], other.texts[:])
}

// A rankedRow is a row and its Spec.Rank.
type rankedRow struct {
	at   packedRow
	rank int64
}

// tiesWith reports whether Spec.Compare has to decide which of two rows comes first.
func (r rankedRow) tiesWith(other rankedRow) bool {
	return r.at>>placeBits == other.at>>placeBits && r.rank == other.rank
}

// NewWriter returns a Writer of files named after spec in dir. Existing files
// of these names are replaced.
func NewWriter[T any](dir string, spec Spec[T]) *Writer[T] {
	return newWriter(dir, spec, "%s-%05d.run")
}

func newWriter[T any](dir string, spec Spec[T], format string) *Writer[T] {
	l, err := layoutOf[T]()
	if err != nil {
		return &Writer[T]{err: err}
	}
	w := &Writer[T]{dir: dir, spec: spec, layout: l, format: format, packed: newPackedRows(l)}
	if w.grouped, w.err = l.texts(spec.Group, maxGroup); w.err != nil {
		return &Writer[T]{err: w.err}
	}
	return w
}

// Add adds a row, and keeps no reference to it. After an error the Writer is of no
// further use.
func (w *Writer[T]) Add(row T) error {
	w.row = row
	err := w.Put(&w.row)
	w.row = *new(T)
	return err
}

// Put is Add without a copy.
func (w *Writer[T]) Put(row *T) error {
	if w.err != nil {
		return w.err
	}
	known := w.isOfLastGroup(row)
	if !known {
		if w.bucket = w.spec.Bucket(row); w.bucket < 0 || w.bucket >= Buckets {
			return w.fail(fmt.Errorf("row of bucket %d: there are %d", w.bucket, Buckets))
		}
	}
	at := w.packed.add(row, w.bucket)
	if len(w.grouped) > 0 {
		if !known {
			w.addGroup()
		}
		at = at.withGroup(len(w.groups) - 1)
	}
	ranked := rankedRow{at: at}
	if w.spec.Rank != nil {
		ranked.rank = w.spec.Rank(row)
	}
	w.rows = append(w.rows, ranked)
	if w.packed.held.reached(w.held()) {
		return w.writeRun()
	}
	return nil
}

// isOfLastGroup reports whether a row has the texts of the one before.
func (w *Writer[T]) isOfLastGroup(row *T) bool {
	if len(w.groups) == 0 {
		return false
	}
	last := &w.groups[len(w.groups)-1]
	for i, n := range w.grouped {
		f := &w.packed.fields[n]
		if last.texts[i] != textAt(f.kind, unsafe.Add(unsafe.Pointer(row), f.offset)) {
			return false
		}
	}
	return true
}

// addGroup begins a group with the row that was packed last.
func (w *Writer[T]) addGroup() {
	g := group{bucket: w.bucket}
	for i, n := range w.grouped {
		g.texts[i] = w.packed.fields[n].text.current(w.packed.before)
	}
	w.groups = append(w.groups, g)
}

// orderGroups numbers the groups of the rows anew, in their order. Equal ones become one.
func (w *Writer[T]) orderGroups() {
	if len(w.groups) < 2 {
		return
	}
	order := make([]int32, len(w.groups))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return w.groups[a].compare(&w.groups[b]) })
	numbers := make([]int32, len(order))
	for i, n := range order[1:] {
		numbers[n] = numbers[order[i]]
		if w.groups[n] != w.groups[order[i]] {
			numbers[n]++
		}
	}
	for i, r := range w.rows {
		w.rows[i].at = r.at.withGroup(int(numbers[r.at.group()]))
	}
}

// held is how many bytes of packed rows are held.
func (w *Writer[T]) held() int { return cmp.Or(w.spec.Held, maxBytes) }

// Hold replaces Spec.Held from now on.
func (w *Writer[T]) Hold(bytes int) { w.spec.Held = bytes }

// Close writes the rows that are left, and returns the names of the run files
// in dir, in the order of the rows that were added. After an error, here or
// from Add, it returns the error, and no file is left.
func (w *Writer[T]) Close() ([]string, error) {
	if w.err == nil && len(w.rows) > 0 {
		w.writeRun()
	}
	if w.err != nil {
		return nil, w.err
	}
	w.err = errClosed
	w.packed, w.rows, w.groups, w.tied = nil, nil, nil, nil
	return w.names, nil
}

func (w *Writer[T]) writeRun() error {
	name := fmt.Sprintf(w.format, w.spec.Name, len(w.names))
	if err := w.writeFile(filepath.Join(w.dir, name)); err != nil {
		return w.fail(err)
	}
	w.names = append(w.names, name)
	clear(w.groups)
	w.rows, w.groups, w.fronts = w.rows[:0], w.groups[:0], nil
	w.packed.reset()
	return nil
}

func (w *Writer[T]) writeFile(path string) error {
	out, err := createFile(path, w.layout, w.spec.Raw)
	if err != nil {
		return err
	}
	err = w.each(func(at packedRow) error { return out.copy(w.packed, at) })
	if err != nil {
		out.abort()
		return err
	}
	return out.close()
}

// touchedRows is how many rows are touched at a time.
const touchedRows = 16

// touch reads a byte of each of some rows that are needed soon. They lie all over memory: the
// processor fetches them at the same time, where it would else wait for one after the other.
func (w *Writer[T]) touch(rows []rankedRow) {
	for _, r := range rows {
		w.touched += w.packed.at(r.at)[0]
	}
}

// each calls f with the rows in order.
func (w *Writer[T]) each(f func(packedRow) error) error {
	w.orderGroups()
	slices.SortFunc(w.rows, func(a, b rankedRow) int {
		if x, y := a.at>>placeBits, b.at>>placeBits; x != y {
			return cmp.Compare(x, y)
		}
		if a.rank != b.rank {
			return cmp.Compare(a.rank, b.rank)
		}
		return cmp.Compare(a.at, b.at)
	})
	touched := 0 // of left
	for left := w.rows; len(left) > 0; {
		if touched <= 0 {
			touched = min(touchedRows, len(left))
			w.touch(left[:touched])
		}
		n := 1
		for n < len(left) && left[n].tiesWith(left[0]) {
			n++
		}
		if err := w.eachOfTied(left[:n], f); err != nil {
			return err
		}
		left = left[n:]
		touched -= n
	}
	return nil
}

// A front is the first row of a sorted part, unpacked, and the rows of the part that come after it.
type front[T any] struct {
	row  *T
	at   packedRow
	rest []packedRow
}

// frontRows is how many rows may always be unpacked at once, of a run of so many bytes: they take a
// small part of what the run takes.
func frontRows(held int) int { return held >> 12 }

// eachOfTied calls f with rows that tie with each other, in order. Of many rows, about the square root
// of their number are unpacked at once: parts of that size are sorted one by one, and then merged.
func (w *Writer[T]) eachOfTied(tied []rankedRow, f func(packedRow) error) error {
	if len(tied) == 1 {
		return f(tied[0].at)
	}
	rows := w.tied[:0]
	for _, r := range tied {
		rows = append(rows, r.at)
	}
	w.tied = rows
	size := max(frontRows(w.held()), int(math.Ceil(math.Sqrt(float64(len(rows))))))
	if len(rows) <= size {
		return w.merge(w.sort(rows, 1), f)
	}
	for part := range slices.Chunk(rows, size) {
		for i, f := range w.sort(part, 1) {
			part[i] = f.at
		}
	}
	return w.merge(w.sort(rows, size), f)
}

// sort returns the fronts of parts of the given size, in order.
func (w *Writer[T]) sort(rows []packedRow, size int) []front[T] {
	n := 0
	for part := range slices.Chunk(rows, size) {
		if n == len(w.fronts) {
			w.fronts = append(w.fronts, front[T]{row: new(T)})
		}
		w.unpack(&w.fronts[n], part)
		n++
	}
	slices.SortFunc(w.fronts[:n], w.compare)
	return w.fronts[:n]
}

// merge calls add with the rows of fronts, which are in order.
func (w *Writer[T]) merge(fronts []front[T], add func(packedRow) error) error {
	for len(fronts) > 0 {
		f := fronts[0]
		if err := add(f.at); err != nil {
			return err
		}
		others := fronts[1:]
		if len(f.rest) == 0 {
			fronts = others
			continue
		}
		w.unpack(&f, f.rest)
		n, _ := slices.BinarySearchFunc(others, f, w.compare)
		copy(fronts, others[:n])
		fronts[n] = f
	}
	return nil
}

// unpack moves f to the first of rows.
func (w *Writer[T]) unpack(f *front[T], rows []packedRow) {
	f.at, f.rest = rows[0], rows[1:]
	w.packed.unpack(f.row, f.at)
}

func (w *Writer[T]) compare(a, b front[T]) int {
	if c := w.spec.Compare(a.row, b.row); c != 0 {
		return c
	}
	return cmp.Compare(a.at, b.at)
}

// fail drops what was written and makes err the answer to every further call.
func (w *Writer[T]) fail(err error) error {
	for _, name := range w.names {
		os.Remove(filepath.Join(w.dir, name))
	}
	w.packed, w.rows, w.groups, w.tied, w.fronts, w.names = nil, nil, nil, nil, nil, nil
	w.err = err
	return err
}
