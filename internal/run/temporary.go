package run

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/klauspost/compress/s2"
	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
)

// A Sorter sorts any number of rows, to be read once with Sorted, or again and again after
// Finish. It holds up to Spec.Held bytes of
// packed rows, and writes more to temporary files.
type Sorter[T any] struct{ w *Writer[T] }

// NewSorter returns a Sorter whose files are named after spec in dir.
func NewSorter[T any](dir string, spec Spec[T]) *Sorter[T] {
	return &Sorter[T]{newWriter(dir, spec, "%s-%05d.rows", createTemporary[T])}
}

// Add adds a row, of which the Sorter keeps nothing. After an error the Sorter is of no
// further use.
func (s *Sorter[T]) Add(row T) error { return s.w.Add(row) }

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
	return &merger[T]{spec: s.w.spec, layout: s.w.layout, from: from, to: to, fanIn: maxSortedFanIn}
}

// sources are the files, and the rows that are in none.
func (s *Sorter[T]) sources() []source[T] {
	w := s.w
	sources := make([]source[T], len(w.names), len(w.names)+1)
	for i, name := range w.names {
		sources[i] = source[T]{path: filepath.Join(w.dir, name), temporary: true}
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
	w.each(func(f *front[T]) error { h.rows = append(h.rows, f.at); return nil })
	w.fronts = nil
	return h
}

// heldRows reads packed rows.
type heldRows[T any] struct {
	packed *packedRows[T]
	rows   []packedRow // in order
}

// in reads those of the buckets from ≤ bucket < to.
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
	return h.packed.unpack(at), at.bucket(), nil
}

func (h *heldRows[T]) close() {}

// A temporary file has packed rows in frames: a header and the rows, compressed. The header
// has four 32-bit little endian numbers: the length and the CRC-32C of what follows, the
// bucket of the last row, and the CRC-32C of these three. Rows of a frame refer to none of
// other frames.
const (
	frameBytes  = 16 << 10 // packed
	frameHeader = 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// temporaryWriter writes one temporary file from rows that are already in order.
type temporaryWriter[T any] struct {
	path   string
	file   *os.File
	packed *packedRows[T] // of the frame
	frame  []byte
	coded  []byte
	bucket int // of the row added last
}

func createTemporary[T any](path string, l *layout[T]) (output[T], error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &temporaryWriter[T]{path: path, file: file, packed: newPackedRows(l)}, nil
}

func (w *temporaryWriter[T]) add(row *T, bucket, _ int) error {
	*w.packed.row = *row
	w.packed.add(bucket)
	w.bucket = bucket
	if w.packed.held.reached(frameBytes) {
		return w.writeFrame()
	}
	return nil
}

func (w *temporaryWriter[T]) writeFrame() error {
	w.frame = w.frame[:0]
	for _, chunk := range w.packed.chunks {
		w.frame = append(w.frame, chunk...)
	}
	w.packed.reset()
	if n := s2.MaxEncodedLen(len(w.frame)); n < 0 || n > math.MaxUint32 {
		return fmt.Errorf("write %s: a row of %d bytes", w.path, len(w.frame))
	} else if len(w.coded) < frameHeader+n {
		w.coded = make([]byte, frameHeader+n)
	}
	n := len(s2.Encode(w.coded[frameHeader:], w.frame))
	coded := w.coded[:frameHeader+n]
	for i, v := range [...]uint32{uint32(n), crc32.Checksum(coded[frameHeader:], castagnoli), uint32(w.bucket)} {
		binary.LittleEndian.PutUint32(coded[4*i:], v)
	}
	binary.LittleEndian.PutUint32(coded[12:], crc32.Checksum(coded[:12], castagnoli))
	_, err := w.file.Write(coded)
	return err
}

// close finishes the file, which nobody needs after a crash. After an error no file is left.
func (w *temporaryWriter[T]) close() error {
	if w.packed.held.rows > 0 {
		if err := w.writeFrame(); err != nil {
			w.abort()
			return err
		}
	}
	if err := w.file.Close(); err != nil {
		return errors.Join(err, os.Remove(w.path))
	}
	return nil
}

// abort drops the file.
func (w *temporaryWriter[T]) abort() {
	w.packed.reset()
	w.file.Close()
	os.Remove(w.path)
}

// temporaryReader reads the rows of one temporary file that are in a range of buckets.
type temporaryReader[T any] struct {
	spec     Spec[T]
	from, to int
	file     *os.File
	left     int64          // bytes of frames not yet read
	packed   *packedRows[T] // unpacks them
	frame    []byte         // rows not yet read
	coded    []byte
}

func openTemporary[T any](path string, spec Spec[T], l *layout[T], from, to int) (*temporaryReader[T], error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &temporaryReader[T]{spec: spec, from: from, to: to, file: file, left: info.Size(), packed: newPackedRows(l)}, nil
}

func (r *temporaryReader[T]) start() int { return 0 }

func (r *temporaryReader[T]) next() (*T, int, error) {
	for {
		if len(r.frame) == 0 {
			if r.left == 0 {
				return nil, 0, nil
			}
			if err := r.readFrame(); err != nil {
				return nil, 0, fmt.Errorf("%s: %w", r.file.Name(), err)
			}
			continue // the frame may have been skipped
		}
		r.frame = r.packed.unpackNext(r.frame)
		switch bucket := r.spec.Bucket(r.packed.row); {
		case bucket >= r.to:
			r.frame, r.left = nil, 0
		case bucket >= r.from:
			return r.packed.row, bucket, nil
		}
	}
}

// readFrame reads the next frame into memory of its own: strings of its rows may be kept. It
// skips one that ends before the range.
func (r *temporaryReader[T]) readFrame() error {
	var header [frameHeader]byte
	if _, err := io.ReadFull(r.file, header[:]); err != nil {
		return err
	}
	if crc32.Checksum(header[:12], castagnoli) != binary.LittleEndian.Uint32(header[12:]) {
		return fmt.Errorf("%w: a header with another checksum", parquetfile.ErrDamaged)
	}
	n := int64(binary.LittleEndian.Uint32(header[:]))
	if r.left -= frameHeader + n; r.left < 0 {
		return fmt.Errorf("%w: a frame longer than the file", parquetfile.ErrDamaged)
	}
	if int(binary.LittleEndian.Uint32(header[8:])) < r.from {
		_, err := r.file.Seek(n, io.SeekCurrent)
		return err
	}
	r.coded = slices.Grow(r.coded[:0], int(n))[:n]
	if _, err := io.ReadFull(r.file, r.coded); err != nil {
		return err
	}
	if crc32.Checksum(r.coded, castagnoli) != binary.LittleEndian.Uint32(header[4:]) {
		return fmt.Errorf("%w: a frame with another checksum", parquetfile.ErrDamaged)
	}
	frame, err := s2.Decode(nil, r.coded)
	if err != nil {
		return fmt.Errorf("%w: %w", parquetfile.ErrDamaged, err)
	}
	r.packed.reset()
	r.frame = frame
	return nil
}

func (r *temporaryReader[T]) close() { r.file.Close() }
