package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

// content is a run of octets that can be looked at where it lies, and skipped,
// without a copy: a member, or whatever else records are read from.
type content interface {
	io.Reader
	// Peek returns what comes next: at least n octets, fewer only together with an
	// error, bufio.ErrBufferFull where n are too many. They are valid until the next
	// call of another method than Discard.
	Peek(n int) ([]byte, error)
	// Discard skips n octets. It returns how many there were, n unless there is an
	// error.
	Discard(n int64) (int64, error)
}

// buffered is the content that a bufio.Reader has.
type buffered struct{ *bufio.Reader }

func newBuffered(r io.Reader) buffered { return buffered{bufio.NewReaderSize(r, 64<<10)} }

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

// unread is what has been read ahead of a reader, and the rest of it.
type unread struct {
	ahead octets
	rest  io.Reader
}

// of makes u, which is used again, the octets ahead and those of rest.
func (u *unread) of(ahead []byte, rest io.Reader) io.Reader {
	*u = unread{ahead, rest}
	return u
}

func (u *unread) Read(p []byte) (int, error) {
	if len(u.ahead) > 0 {
		return u.ahead.Read(p)
	}
	return u.rest.Read(p)
}

// readUpTo reads behind what is in buf until it has limit octets; it grows as it must.
func readUpTo(in io.Reader, buf []byte, limit int) ([]byte, error) {
	for len(buf) < limit {
		buf = slices.Grow(buf, 512)
		n, err := in.Read(buf[len(buf):min(cap(buf), limit)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// octets are content in memory.
type octets []byte

func (o *octets) Read(p []byte) (int, error) {
	if len(*o) == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, *o)
	*o = (*o)[n:]
	return n, nil
}

func (o *octets) Peek(n int) ([]byte, error) {
	if len(*o) < n {
		return *o, io.EOF
	}
	return *o, nil
}

func (o *octets) Discard(n int64) (int64, error) {
	if n > int64(len(*o)) {
		n = int64(len(*o))
		*o = nil
		return n, io.EOF
	}
	*o = (*o)[n:]
	return n, nil
}

var errHeaderTooLong = errors.New("no end of the record header")

// readHeader reads a record's header to where its block begins: io.EOF where
// nothing is left, errHeaderTooLong past maxRecordHeader. It is valid until
// anything else is read; what there is of it beside an error is a copy.
func readHeader(f framing, in content) ([]byte, error) {
	var long []byte // what the buffer was too small for
	for n, line := 1, 0; ; {
		b, err := in.Peek(n)
		header := b
		if long != nil {
			header = append(long, b...)
		}
		var end int
		end, line = f.headerEnd(header, line)
		switch {
		case end > maxRecordHeader, end < 0 && len(header) > maxRecordHeader:
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
// octets they were.
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

// beginning is what a framing sees of what comes next.
func beginning(in content) []byte {
	b, _ := in.Peek(beginOctets)
	return b[:min(len(b), beginOctets)]
}
