package input

import "io"

// Window looks for bytes in a file, which it reads piece by piece.
type Window struct {
	buf   []byte
	start int64 // of buf in the file
}

const (
	// BufferSize is how many bytes of a file are read at once.
	BufferSize = 64 << 10
	// Overlap is how many bytes of a piece are looked at again with the next.
	Overlap = 512
)

// Find returns the first place from from on that match finds, -1 if there is none
// before to. match is given a piece and returns an index into it, or -1.
func (w *Window) Find(at io.ReaderAt, from, to int64, match func([]byte) int) (int64, error) {
	for from < to {
		if from < w.start || from >= w.start+int64(len(w.buf)) {
			if err := w.fill(at, from); err != nil || len(w.buf) == 0 {
				return -1, err
			}
		}
		if n := match(w.buf[from-w.start:]); n >= 0 {
			return from + int64(n), nil
		}
		last := len(w.buf) < BufferSize
		from = max(from+1, w.start+int64(len(w.buf))-Overlap)
		if last {
			return -1, nil
		}
		if err := w.fill(at, from); err != nil {
			return -1, err
		}
	}
	return -1, nil
}

// Reset forgets the file, and keeps the memory.
func (w *Window) Reset() { w.buf, w.start = w.buf[:0], 0 }

// Start is where the last piece begins.
func (w *Window) Start() int64 { return w.start }

// End is where the bytes end that have been looked at.
func (w *Window) End() int64 { return w.start + int64(len(w.buf)) }

func (w *Window) fill(at io.ReaderAt, from int64) error {
	if w.buf == nil {
		w.buf = make([]byte, BufferSize)
	}
	n, err := at.ReadAt(w.buf[:BufferSize], from)
	w.start, w.buf = from, w.buf[:n]
	if err != nil && err != io.EOF {
		return &ReadError{err}
	}
	return nil
}
