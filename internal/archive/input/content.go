package input

import (
	"bufio"
	"io"
	"sync"
)

// Content is a run of bytes that can be looked at where it lies, and skipped,
// without a copy: a member, or whatever else records are read from.
type Content interface {
	io.Reader
	// Peek returns what comes next: at least n bytes, fewer only together with an
	// error, bufio.ErrBufferFull where n are too many. They are valid until the next
	// call of another method than Discard.
	Peek(n int) ([]byte, error)
	// Discard skips n bytes. It returns how many there were, n unless there is an
	// error.
	Discard(n int64) (int64, error)
}

// Buffered is the content that a bufio.Reader has.
type Buffered struct{ *bufio.Reader }

// buffers are of contents that were released: of small archives, making them would take a quarter of the time.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, BufferSize) }}

// NewBuffered returns the content of a reader.
func NewBuffered(r io.Reader) Buffered {
	b := buffers.Get().(*bufio.Reader)
	b.Reset(r)
	return Buffered{b}
}

// Release gives up content that nobody uses any more. It need not be called.
func (b Buffered) Release() {
	b.Reset(nil)
	buffers.Put(b.Reader)
}

func (b Buffered) Peek(n int) ([]byte, error) {
	if p, err := b.Reader.Peek(n); err != nil {
		return p, err
	}
	return b.Reader.Peek(b.Buffered())
}

func (b Buffered) Discard(n int64) (int64, error) {
	for left := n; ; {
		k, err := b.Reader.Discard(int(min(left, 1<<30)))
		left -= int64(k)
		if left == 0 || err != nil {
			return n - left, err
		}
	}
}

// Memory is content that is there already.
type Memory []byte

func (o *Memory) Read(p []byte) (int, error) {
	if len(*o) == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, *o)
	*o = (*o)[n:]
	return n, nil
}

func (o *Memory) Peek(n int) ([]byte, error) {
	if len(*o) < n {
		return *o, io.EOF
	}
	return *o, nil
}

func (o *Memory) Discard(n int64) (int64, error) {
	if n > int64(len(*o)) {
		n = int64(len(*o))
		*o = nil
		return n, io.EOF
	}
	*o = (*o)[n:]
	return n, nil
}
