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

// errDamaged is the cause of errors about files whose content has changed since it was
// written.
var errDamaged = errors.New("damaged")

// A file of rows has frames, the description of each frame, and a trailer. A frame is rows as a codec writes
// them, compressed (S2). All numbers are little endian.
const (
	frameBytes = 16 << 10 // before compression
	writeBytes = 64 << 10 // of frames that are written at a time
)

type frame struct {
	Offset      int64
	Length, Sum uint32 // bytes, and the CRC-32C of them
	First, Last uint16 // buckets
}

// trailer ends a file.
type trailer struct {
	Frames uint32
	Sum    uint32 // CRC-32C of their descriptions
	Fields uint32 // CRC-32C of layout.signature
	Magic  [8]byte
}

var (
	frameSize, trailerSize = binary.Size(frame{}), binary.Size(trailer{})

	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	fileMagic  = [8]byte([]byte("run\x00\x00\x003\n"))
)

func checksum[S []byte | string](b S) uint32 { return crc32.Checksum([]byte(b), castagnoli) }

// fileWriter writes one file from rows that are already in order.
type fileWriter[T any] struct {
	layout *layout
	file   *os.File
	codec  *codec[T]
	base   *T     // of the codec, where put made it that
	rows   []byte // of the frame
	coded  []byte // frames that are not yet written
	offset int64  // of the next frame
	frames []frame
	first  int // bucket of the frame's first row
	last   int // bucket of the row added last
}

func createFile[T any](path string, l *layout) (*fileWriter[T], error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &fileWriter[T]{layout: l, file: file, codec: newCodec[T](l)}, nil
}

// add writes a row, as its difference from the one before.
func (w *fileWriter[T]) add(row *T, bucket int) error {
	w.begin(bucket)
	w.base, w.rows = nil, w.codec.append(w.rows, row, isBase)
	return w.end()
}

// put writes a row that is known by its difference from a base; nil: it is that. Rows of one base follow one another.
func (w *fileWriter[T]) put(base *T, difference []byte, bucket int) error {
	w.begin(bucket)
	switch {
	case w.base == base && difference == nil:
		w.rows = append(w.rows, w.codec.same...)
	case w.base == base:
		w.rows = append(w.rows, difference...)
	case difference == nil:
		w.rows = w.codec.append(w.rows, base, isBase)
	default:
		w.rows = append(w.codec.append(w.rows, base, isBase|isHidden), difference...)
	}
	w.base = base
	return w.end()
}

func (w *fileWriter[T]) begin(bucket int) {
	if w.last = bucket; len(w.rows) == 0 {
		w.codec.reset()
		w.base, w.first = nil, bucket
	}
}

func (w *fileWriter[T]) end() error {
	if len(w.rows) < frameBytes {
		return nil
	}
	return w.writeFrame()
}

func (w *fileWriter[T]) writeFrame() error {
	most := s2.MaxEncodedLen(len(w.rows))
	if most < 0 || most > math.MaxUint32 {
		return fmt.Errorf("write %s: a row of %d bytes", w.file.Name(), len(w.rows))
	}
	start := len(w.coded)
	w.coded = slices.Grow(w.coded, most)
	coded := s2.Encode(w.coded[start:cap(w.coded)], w.rows)
	w.coded = w.coded[:start+len(coded)]
	w.frames = append(w.frames,
		frame{w.offset, uint32(len(coded)), checksum(coded), uint16(w.first), uint16(w.last)})
	w.offset += int64(len(coded))
	w.rows = emptied(w.rows)
	if len(w.coded) < writeBytes {
		return nil
	}
	return w.flush()
}

// flush writes the frames that are not yet written.
func (w *fileWriter[T]) flush() error {
	_, err := w.file.Write(w.coded)
	w.coded = emptied(w.coded)
	return err
}

// emptied returns a slice to fill again, unless an unusually long row made it large.
func emptied(b []byte) []byte {
	if cap(b) > 2*writeBytes {
		return nil
	}
	return b[:0]
}

// close finishes the file, which whoever keeps it syncs. After an error, which err may be, no file is left.
func (w *fileWriter[T]) close(err error) error {
	if err == nil {
		err = w.finish()
	}
	if err = errors.Join(err, w.file.Close()); err != nil {
		os.Remove(w.file.Name())
	}
	return err
}

func (w *fileWriter[T]) finish() error {
	if len(w.rows) > 0 {
		if err := w.writeFrame(); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	footer, err := binary.Append(nil, binary.LittleEndian, w.frames)
	if err != nil {
		return err
	}
	end := trailer{uint32(len(w.frames)), checksum(footer), checksum(w.layout.signature), fileMagic}
	if footer, err = binary.Append(footer, binary.LittleEndian, end); err != nil {
		return err
	}
	_, err = w.file.Write(footer)
	return err
}

// fileReader reads the rows of one file that are in a range of buckets, in order.
type fileReader[T any] struct {
	source[T]
	spec     Spec[T]
	layout   *layout
	from, to int
	before   func(*T) bool // of rows of the first bucket: left out; nil: none is
	behind   func(*T) bool // of rows of the last bucket: left out; nil: none is
	file     object.LocalFile
	frames   []frame   // not yet read
	codec    *codec[T] // nil before the first frame, and after the last
	rows     string    // of the frame in hand, not yet read
	most     int       // bucket of the frame's last row
	bucket   int       // of the row returned last, or of the first
	coded    []byte
	plain    []byte
}

// openFile opens a file on the rows of the buckets from ≤ bucket < to.
func openFile[T any](src source[T], spec Spec[T], l *layout, from, to int) (*fileReader[T], error) {
	file, err := object.OpenCopy(src.path)
	if err != nil {
		return nil, err
	}
	r := &fileReader[T]{source: src, spec: spec, layout: l, from: from, to: to, file: file, bucket: from}
	if err := r.readFooter(); err != nil {
		file.Close()
		return nil, r.error(err)
	}
	for len(r.frames) > 0 && int(r.frames[0].Last) < from {
		r.frames = r.frames[1:]
	}
	if len(r.frames) > 0 {
		r.bucket = max(from, int(r.frames[0].First))
	}
	return r, nil
}

func (r *fileReader[T]) error(err error) error { return fmt.Errorf("%s: %w", r.path, err) }

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

func (r *fileReader[T]) readFooter() error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	end := info.Size() - int64(trailerSize)
	if end < 0 {
		return damaged("%d bytes are too few", info.Size())
	}
	b := make([]byte, trailerSize)
	if _, err := r.file.ReadAt(b, end); err != nil {
		return err
	}
	var t trailer
	if _, err := binary.Decode(b, binary.LittleEndian, &t); err != nil {
		return err
	}
	length := int64(t.Frames) * int64(frameSize)
	if end -= length; t.Magic != fileMagic || end < 0 {
		return damaged("it does not end as a file of rows")
	}
	footer := make([]byte, length)
	if _, err := r.file.ReadAt(footer, end); err != nil {
		return err
	}
	switch {
	case checksum(footer) != t.Sum:
		return damaged("a footer with another checksum")
	case checksum(r.layout.signature) != t.Fields:
		return fmt.Errorf("its fields are not those of %T", *new(T))
	}
	r.frames = make([]frame, t.Frames)
	if _, err := binary.Decode(footer, binary.LittleEndian, r.frames); err != nil {
		return err
	}
	for _, f := range slices.Backward(r.frames) {
		if end -= int64(f.Length); end != f.Offset {
			return damaged("frames of another length than the footer describes")
		}
	}
	return nil
}

func (r *fileReader[T]) start() int { return r.bucket }

// next returns the next row of the range.
func (r *fileReader[T]) next() (*T, int, error) {
	for {
		if len(r.rows) == 0 {
			if len(r.frames) == 0 || int(r.frames[0].First) >= r.to {
				r.frames, r.codec, r.coded, r.plain = nil, nil, nil, nil
				return nil, 0, nil
			}
			if err := r.readFrame(0); err != nil {
				return nil, 0, r.error(err)
			}
			r.frames = r.frames[1:]
		}
		r.rows = r.codec.next(r.rows)
		row := r.codec.changeable()
		if r.prepare != nil {
			r.prepare(row)
		}
		bucket := r.spec.Bucket(row)
		switch {
		case bucket < r.from && bucket <= r.most:
			continue
		case bucket < r.bucket || bucket > r.most:
			return nil, 0, r.error(damaged("a row of bucket %d between those of %d and %d", bucket, r.bucket, r.most))
		case bucket >= r.to || r.behind != nil && bucket == r.to-1 && r.behind(row):
			r.rows, r.frames = "", nil
			continue
		case r.before != nil && bucket == r.from && r.before(row):
			continue
		}
		r.bucket = bucket
		return row, bucket, nil
	}
}

// readFrame reads the i-th of the frames that are left. Texts of its rows may be kept.
func (r *fileReader[T]) readFrame(i int) (err error) {
	f := r.frames[i]
	r.coded = slices.Grow(r.coded[:0], int(f.Length))[:f.Length]
	if _, err := r.file.ReadAt(r.coded, f.Offset); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if checksum(r.coded) != f.Sum {
		return damaged("a frame with another checksum")
	}
	if r.plain, err = s2.Decode(r.plain[:cap(r.plain)], r.coded); err != nil {
		return damaged("%v", err)
	}
	if r.codec == nil {
		r.codec = newCodec[T](r.layout)
	}
	r.codec.reset()
	r.rows, r.most = string(r.plain), int(f.Last)
	return nil
}

func (r *fileReader[T]) close() { r.file.Close() }
