package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// content is a run of bytes that can be looked at where it lies, and skipped,
// without a copy: a member, or whatever else records are read from.
type content interface {
	io.Reader
	// Peek returns what comes next: at least n bytes, fewer only together with an
	// error, bufio.ErrBufferFull where n are too many. They are valid until the next
	// call of another method than Discard.
	Peek(n int) ([]byte, error)
	// Discard skips n bytes. It returns how many there were, n unless there is an
	// error.
	Discard(n int64) (int64, error)
}

// buffered is the content that a bufio.Reader has.
type buffered struct{ *bufio.Reader }

// buffers are of contents that were released: of small archives, making them would take a quarter of the time.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, fileBuffer) }}

func newBuffered(r io.Reader) buffered {
	b := buffers.Get().(*bufio.Reader)
	b.Reset(r)
	return buffered{b}
}

// release gives up content that nobody uses any more. It need not be called.
func (b buffered) release() {
	b.Reset(nil)
	buffers.Put(b.Reader)
}

func (b buffered) Peek(n int) ([]byte, error) {
	if p, err := b.Reader.Peek(n); err != nil {
		return p, err
	}
	return b.Reader.Peek(b.Buffered())
}

func (b buffered) Discard(n int64) (int64, error) {
	for left := n; ; {
		k, err := b.Reader.Discard(int(min(left, 1<<30)))
		left -= int64(k)
		if left == 0 || err != nil {
			return n - left, err
		}
	}
}

// memory is content that is there already.
type memory []byte

func (o *memory) Read(p []byte) (int, error) {
	if len(*o) == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, *o)
	*o = (*o)[n:]
	return n, nil
}

func (o *memory) Peek(n int) ([]byte, error) {
	if len(*o) < n {
		return *o, io.EOF
	}
	return *o, nil
}

func (o *memory) Discard(n int64) (int64, error) {
	if n > int64(len(*o)) {
		n = int64(len(*o))
		*o = nil
		return n, io.EOF
	}
	*o = (*o)[n:]
	return n, nil
}

var errHeaderTooLong = errors.New("no end of the record header")

// readHeader reads a record's header to where its block begins: io.EOF where nothing is
// left, errHeaderTooLong past MaxRecordHeader. It is valid until anything else is read;
// the part of it that comes with an error is a copy.
func readHeader(f framing, in content) ([]byte, error) {
	var long []byte // a header larger than the buffer
	for n, line := 1, 0; ; {
		b, err := in.Peek(n)
		header := b
		if long != nil {
			header = append(long, b...)
		}
		var end int
		end, line = f.headerEnd(header, line)
		switch {
		case end > MaxRecordHeader, end < 0 && len(header) > MaxRecordHeader:
			return nil, errHeaderTooLong
		case end >= 0:
			in.Discard(int64(end - len(long)))
			return header[:end], nil
		case err == bufio.ErrBufferFull:
			long = append(long, b...)
			in.Discard(int64(len(b)))
			n = 1
			continue
		case err == io.EOF && len(header) > 0:
			err = io.ErrUnexpectedEOF
			fallthrough
		case err != nil:
			return bytes.Clone(header), err
		}
		n = len(b) + 1
	}
}

// skipNewlines skips the ends of lines that separate records and returns how many
// bytes they were.
func skipNewlines(in content) (n int64) {
	for {
		b, _ := in.Peek(1)
		rest := len(bytes.TrimLeft(b, "\r\n"))
		ends := int64(len(b) - rest)
		in.Discard(ends)
		n += ends
		if rest > 0 || len(b) == 0 {
			return n
		}
	}
}

// skipEnd skips the end of a record and returns its length in bytes: line ends, and a NUL byte
// after them where nothing follows, or another record. StormCrawler wrote one after each record
// until 2018.
func skipEnd(in content) (n int64) {
	if n = skipNewlines(in); n == 0 {
		return 0
	}
	b, _ := in.Peek(1 + len(warcMagic))
	if len(b) > 0 && b[0] == 0 && (len(b) == 1 || isWARC(b[1:])) {
		in.Discard(1)
		n++
	}
	return n
}

// beginning is the part of the next bytes that a framing sees.
func beginning(in content) []byte {
	b, _ := in.Peek(beginBytes)
	return b[:min(len(b), beginBytes)]
}
