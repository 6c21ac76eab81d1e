// Package pack keeps distinct bodies as zstd frames, one after the other, in
// one file.
package pack

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// A Ref is the place of a body in a pack, with its properties for verification.
type Ref struct {
	Digest [sha256.Size]byte // SHA-256 of the body
	Offset int64             // of the frame in the pack
	Size   int64             // bytes of the body
}

var (
	errDamaged = errors.New("damaged body pack")
	errClosed  = errors.New("body pack is closed")
)

// A Writer stores each distinct body once, as long as there are at most maxKnown of them. The same
// bodies in the same order give the same file, byte for byte.
type Writer struct {
	file    *os.File
	encoder *zstd.Encoder
	frame   []byte
	offset  int64
	refs    map[[sha256.Size]byte]Ref
	err     error
}

// maxKnown is how many distinct bodies are remembered; then all are forgotten, and one that comes again is
// stored again. A table of robots.txt may have millions.
const maxKnown = 1 << 17

// Create returns a Writer of a new pack at path, in the place of a file that
// is there.
func Create(path string) (*Writer, error) {
	// EncodeAll runs in the caller, and a fixed level and one thread make
	// frames depend on nothing but the body. SHA-256 stands in for a
	// frame's own checksum.
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true),
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, err
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &Writer{file: file, encoder: encoder, refs: make(map[[sha256.Size]byte]Ref)}, nil
}

// Put stores body unless the pack has it already. After an error the Writer
// is of no further use.
func (w *Writer) Put(body []byte) (Ref, error) {
	if w.err != nil {
		return Ref{}, w.err
	}
	digest := sha256.Sum256(body)
	if ref, ok := w.refs[digest]; ok {
		return ref, nil
	}
	w.frame = w.encoder.EncodeAll(body, w.frame[:0])
	if _, err := w.file.Write(w.frame); err != nil {
		w.err = err
		return Ref{}, err
	}
	ref := Ref{Digest: digest, Offset: w.offset, Size: int64(len(body))}
	w.offset += int64(len(w.frame))
	if len(w.refs) == maxKnown {
		clear(w.refs)
	}
	w.refs[digest] = ref
	return ref, nil
}

// Close ends the pack, which whoever keeps it syncs. It returns the error of a Put that failed, and
// then, as after an error of its own, leaves no file.
func (w *Writer) Close() error {
	if w.err == errClosed {
		return w.err
	}
	err := w.err
	w.err = errClosed
	err = errors.Join(err, w.file.Close(), w.encoder.Close())
	if err != nil {
		os.Remove(w.file.Name())
	}
	return err
}

// A Reader gets bodies from a pack. It is safe for concurrent use.
type Reader struct {
	file object.LocalFile
	size int64
}

// Open opens the pack at path.
func Open(path string) (*Reader, error) {
	file, err := object.OpenCopy(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Reader{file: file, size: info.Size()}, nil
}

// Close closes the pack. No call of Get may be running.
func (r *Reader) Close() error { return r.file.Close() }

// Get returns the body that ref describes, or an error if the pack holds
// anything else there. Besides the body it needs no more memory than a decoder
// with maxWindow, whatever the pack holds.
func (r *Reader) Get(ref Ref) ([]byte, error) {
	if ref.Offset < 0 || ref.Offset >= r.size || ref.Size < 0 {
		return nil, fmt.Errorf("%s: %w: no body of %d bytes at %d", r.file.Name(), errDamaged, ref.Size, ref.Offset)
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	body, err := d.decode(io.NewSectionReader(r.file, ref.Offset, r.size-ref.Offset), ref.Size)
	if err == nil && sha256.Sum256(body) != ref.Digest {
		err = errors.New("SHA-256 differs")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: body at %d: %w", r.file.Name(), errDamaged, ref.Offset, err)
	}
	return body, nil
}

// window is how far the encoder looks back: the first body larger than a block makes
// it hold that much from then on, in every task. Nearly all bodies are smaller.
const window = 512 << 10

// maxWindow is the largest window that a frame may require: the encoder's before window
// bounded it.
const maxWindow = 8 << 20

// large is the size from which a body's buffer grows.
const large = 1 << 20

type decoder struct {
	*zstd.Decoder
	input *bufio.Reader
}

// decoders are those that rest. With one thread they have no goroutines to stop.
var decoders = sync.Pool{New: func() any {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic(err) // the options are right
	}
	return &decoder{z, bufio.NewReader(nil)}
}}

// decode returns the first bytes, so many, of the frames.
func (d *decoder) decode(frames io.Reader, size int64) ([]byte, error) {
	d.input.Reset(frames)
	defer d.input.Reset(nil)
	if err := d.Reset(d.input); err != nil {
		return nil, err
	}
	defer d.Reset(nil)
	// The buffer grows with what is decoded: size is only a claim. It has room for the
	// read that meets the end, for which a full one would double.
	var body bytes.Buffer
	body.Grow(int(min(size, large)) + bytes.MinRead)
	_, err := io.CopyN(&body, d, size)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return body.Bytes(), err
}
