package run

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"

	"github.com/klauspost/compress/s2"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// ErrDamaged is the cause of errors about files whose content has changed since it was
// written.
var ErrDamaged = errors.New("damaged")

// A file of rows has frames, a footer and a trailer. A frame is packed rows, compressed unless
// Spec.Raw is set; they refer to no rows of other frames. The footer has the names and types of the
// fields, after their length, and for each frame: its length, the CRC-32C of it (four bytes, little
// endian), the bucket of its first row as its distance from the last row before, and the bucket of
// its last row as its distance from the first; all other numbers are unsigned varints. The trailer
// has the length of the footer and the CRC-32C of it, and fileMagic.
const (
	frameBytes   = 16 << 10 // packed
	writeBytes   = 64 << 10 // of frames that are written at a time
	trailerBytes = 8 + len(fileMagic)
	fileMagic    = "run\x00\x00\x001\n"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame is the place of a frame in a file, and its content.
type frame struct {
	length, sum uint32
	first, last uint16 // buckets
}

// fileWriter writes one file from rows that are already in order.
type fileWriter[T any] struct {
	path   string
	layout *layout[T]
	raw    bool // Spec.Raw
	file   *os.File
	packed *packedRows[T] // of the frame
	plain  []byte
	coded  []byte // of the frames that are not yet written
	frames []frame
	first  int // bucket of the frame's first row
	last   int // bucket of the row added last
}

func createFile[T any](path string, l *layout[T], raw bool) (*fileWriter[T], error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &fileWriter[T]{path: path, layout: l, raw: raw, file: file, packed: newPackedRows(l)}, nil
}

// add writes a row.
func (w *fileWriter[T]) add(row *T, bucket int) error {
	w.packed.add(row, bucket)
	return w.added(bucket)
}

// copy writes a row that others hold.
func (w *fileWriter[T]) copy(from *packedRows[T], at packedRow) error {
	w.packed.copy(from, at)
	return w.added(at.bucket())
}

// added writes the frame once it is full.
func (w *fileWriter[T]) added(bucket int) error {
	if w.packed.held.rows == 1 {
		w.first = bucket
	}
	w.last = bucket
	if w.packed.held.reached(frameBytes) {
		return w.writeFrame()
	}
	return nil
}

func (w *fileWriter[T]) writeFrame() error {
	w.plain = w.plain[:0]
	for _, chunk := range w.packed.chunks {
		w.plain = append(w.plain, chunk...)
	}
	w.packed.reset()
	most := s2.MaxEncodedLen(len(w.plain))
	if most < 0 || most > math.MaxUint32 {
		return fmt.Errorf("write %s: a row of %d bytes", w.path, len(w.plain))
	}
	w.coded = slices.Grow(w.coded, most)
	coded := w.coded[len(w.coded):cap(w.coded)]
	if w.raw {
		coded = append(coded[:0], w.plain...)
	} else {
		coded = s2.Encode(coded, w.plain)
	}
	w.coded = w.coded[:len(w.coded)+len(coded)]
	w.frames = append(w.frames,
		frame{uint32(len(coded)), crc32.Checksum(coded, castagnoli), uint16(w.first), uint16(w.last)})
	if len(w.coded) < writeBytes {
		return nil
	}
	return w.flush()
}

// flush writes the frames that are not yet written.
func (w *fileWriter[T]) flush() error {
	_, err := w.file.Write(w.coded)
	if w.coded = w.coded[:0]; cap(w.coded) > 2*writeBytes {
		w.coded = nil
	}
	return err
}

// close finishes the file, which whoever keeps it syncs. After an error no file is left.
func (w *fileWriter[T]) close() error {
	if err := w.finish(); err != nil {
		w.abort()
		return err
	}
	if err := w.file.Close(); err != nil {
		return errors.Join(err, os.Remove(w.path))
	}
	return nil
}

func (w *fileWriter[T]) finish() error {
	if w.packed.held.rows > 0 {
		if err := w.writeFrame(); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	footer := binary.AppendUvarint(nil, uint64(len(w.layout.signature)))
	footer = append(footer, w.layout.signature...)
	last := uint16(0)
	for _, f := range w.frames {
		footer = binary.AppendUvarint(footer, uint64(f.length))
		footer = binary.LittleEndian.AppendUint32(footer, f.sum)
		footer = binary.AppendUvarint(footer, uint64(f.first-last))
		footer = binary.AppendUvarint(footer, uint64(f.last-f.first))
		last = f.last
	}
	sum := crc32.Checksum(footer, castagnoli)
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	footer = binary.LittleEndian.AppendUint32(footer, sum)
	_, err := w.file.Write(append(footer, fileMagic...))
	return err
}

// abort drops the file.
func (w *fileWriter[T]) abort() {
	w.packed.reset()
	w.file.Close()
	os.Remove(w.path)
}

// fileReader reads the rows of one file that are in a range of buckets, in order.
type fileReader[T any] struct {
	source[T]
	spec     Spec[T]
	layout   *layout[T]
	from, to int
	file     object.LocalFile
	frames   []frame // not yet read
	at       int64   // where the first of them begins
	packed   *packedRows[T]
	row      T      // the one returned last
	rows     []byte // of the frame in hand, not yet read
	coded    []byte
	before   func(*T) bool // of rows of the first bucket: left out; nil: none is
	behind   func(*T) bool // of rows of the last one: the same
	most     int           // bucket of the last row of the frame in hand
	inLast   bool          // whether a row of the frame was of that one: then those left are, too
	bucket   int           // of the row returned last, or of the first
}

// openFile opens a file on the rows of the buckets from ≤ bucket < to.
func openFile[T any](src source[T], spec Spec[T], l *layout[T], from, to int) (*fileReader[T], error) {
	file, err := object.OpenCopy(src.path)
	if err != nil {
		return nil, err
	}
	r := &fileReader[T]{source: src, spec: spec, layout: l, from: from, to: to, file: file}
	if err := r.readFooter(); err != nil {
		file.Close()
		return nil, r.error(err)
	}
	r.skipTo(from)
	return r, nil
}

func (r *fileReader[T]) error(err error) error { return fmt.Errorf("%s: %w", r.path, err) }

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

func (r *fileReader[T]) readFooter() error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	end := info.Size() - int64(trailerBytes)
	var trailer [trailerBytes]byte
	if end < 0 {
		return damaged("%d bytes are too few", info.Size())
	}
	if _, err := r.file.ReadAt(trailer[:], end); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(trailer[:]))
	if string(trailer[8:]) != fileMagic || length > end {
		return damaged("it does not end as a file of rows")
	}
	footer := make([]byte, length)
	if _, err := r.file.ReadAt(footer, end-length); err != nil {
		return err
	}
	if crc32.Checksum(footer, castagnoli) != binary.LittleEndian.Uint32(trailer[4:]) {
		return damaged("a footer with another checksum")
	}
	return r.parseFooter(footer, end-length)
}

// parseFooter reads a footer, before which there are so many bytes of frames.
func (r *fileReader[T]) parseFooter(footer []byte, bytes int64) error {
	number := func() uint64 {
		n, width := binary.Uvarint(footer)
		footer = footer[max(width, 0):]
		return n
	}
	n := number()
	if n > uint64(len(footer)) || string(footer[:n]) != r.layout.signature {
		return fmt.Errorf("its fields are not those of %T", *new(T))
	}
	footer = footer[n:]
	last := uint16(0)
	for len(footer) > 0 {
		f := frame{length: uint32(number())}
		if len(footer) < 4 {
			return damaged("a footer that ends early")
		}
		f.sum, footer = binary.LittleEndian.Uint32(footer), footer[4:]
		f.first = last + uint16(number())
		f.last = f.first + uint16(number())
		last = f.last
		bytes -= int64(f.length)
		r.frames = append(r.frames, f)
	}
	if bytes != 0 {
		return damaged("frames of another length than the footer says")
	}
	return nil
}

// skipTo passes over the frames that end before a bucket.
func (r *fileReader[T]) skipTo(bucket int) {
	for len(r.frames) > 0 && int(r.frames[0].last) < bucket {
		r.pass(1)
	}
	r.bucket = bucket
	if len(r.frames) > 0 {
		r.bucket = max(bucket, int(r.frames[0].first))
	}
}

// pass passes over n frames.
func (r *fileReader[T]) pass(n int) {
	for _, f := range r.frames[:n] {
		r.at += int64(f.length)
	}
	r.frames = r.frames[n:]
}

func (r *fileReader[T]) start() int { return r.bucket }

// next returns the next row of the range.
func (r *fileReader[T]) next() (*T, int, error) {
	for {
		if len(r.rows) == 0 {
			if len(r.frames) == 0 || int(r.frames[0].first) >= r.to {
				r.frames, r.packed, r.coded = nil, nil, nil
				return nil, 0, nil
			}
			if err := r.readFrame(); err != nil {
				return nil, 0, r.error(err)
			}
		}
		row := &r.row
		r.rows = r.packed.unpackNext(row, r.rows)
		if r.prepare != nil {
			r.prepare(row)
		}
		bucket := r.most
		if !r.inLast {
			bucket = r.spec.Bucket(row)
			r.inLast = bucket == r.most
		}
		if bucket < r.bucket || bucket > r.most {
			if bucket < r.from && bucket <= r.most {
				continue
			}
			return nil, 0, r.error(damaged("a row of bucket %d between those of %d and %d", bucket, r.bucket, r.most))
		}
		if bucket >= r.to || r.behind != nil && bucket == r.to-1 && r.behind(row) {
			r.rows, r.frames = nil, nil
			continue
		}
		if r.before != nil && bucket == r.from && r.before(row) {
			continue
		}
		r.bucket = bucket
		return row, bucket, nil
	}
}

// readFrame reads the next frame into memory of its own: strings of its rows may be kept.
func (r *fileReader[T]) readFrame() error {
	f := r.frames[0]
	if r.spec.Raw { // the rows themselves, which may be kept
		r.coded = nil
	}
	if cap(r.coded) < int(f.length) {
		r.coded = make([]byte, f.length)
	}
	r.coded = r.coded[:f.length]
	if _, err := r.file.ReadAt(r.coded, r.at); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if crc32.Checksum(r.coded, castagnoli) != f.sum {
		return damaged("a frame with another checksum")
	}
	rows := r.coded
	if !r.spec.Raw {
		var err error
		if rows, err = s2.Decode(nil, r.coded); err != nil {
			return damaged("%v", err)
		}
	}
	if r.packed == nil {
		r.packed = newPackedRows(r.layout)
	}
	r.packed.reset()
	r.rows, r.most, r.inLast = rows, int(f.last), false
	r.at += int64(f.length)
	r.frames = r.frames[1:]
	return nil
}

func (r *fileReader[T]) close() { r.file.Close() }
