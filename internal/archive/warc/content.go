package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
)

var errHeaderTooLong = errors.New("no end of the record header")

// readHeader reads a record's header to where its block begins: io.EOF where nothing is
// left, errHeaderTooLong past MaxRecordHeader. It is valid until anything else is read;
// the part of it that comes with an error is a copy.
func readHeader(f framing, in input.Content) ([]byte, error) {
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
func skipNewlines(in input.Content) (n int64) {
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
func skipEnd(in input.Content) (n int64) {
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
func beginning(in input.Content) []byte {
	b, _ := in.Peek(beginBytes)
	return b[:min(len(b), beginBytes)]
}
