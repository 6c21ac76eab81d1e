package httpmsg

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// Faults are the defects met while undoing the codings of a body.
type Faults uint8

const (
	FaultCut            Faults = 1 << iota // a part: the coding ends before the body does, or MaxBody came
	FaultFalseChunked                      // declared chunked, and is not
	FaultFalseEncoding                     // a declared coding could not be undone
	FaultUndeclaredGzip                    // it is gzip, and no field states it
)

// Decode undoes a message's transfer and content codings (RFC 9112 §7, RFC 9110 §8.4).
// A declared coding that cannot be undone is left as it is: the body is then the raw
// bytes that the server sent. At most MaxBody bytes are kept. With mayBeCut, raw may be
// only the start of the sent body.
func Decode(raw []byte, h *Head, mayBeCut bool) (body []byte, met Faults) {
	body = raw
	next := func(coding string, fault Faults) (ok bool) {
		plain, cutShort, ok := undo(coding, body, mayBeCut || met&FaultCut != 0)
		switch {
		case !ok:
			met |= fault
			return false
		case cutShort:
			met |= FaultCut
		}
		body = plain
		return true
	}
	if h.Chunked() && len(body) > 0 {
		next(chunked, FaultFalseChunked)
	}
	codings := h.Codings()
	if len(codings) > maxCodings {
		return body, met | FaultFalseEncoding
	}
	for i := len(codings) - 1; i >= 0 && len(body) > 0; i-- {
		if !next(codings[i], FaultFalseEncoding) {
			return body, met
		}
	}
	if len(codings) == 0 && bytes.HasPrefix(body, []byte{0x1f, 0x8b, 8}) {
		met |= FaultUndeclaredGzip
	}
	return body, met
}

// undo undoes one coding. ok is false where b is not in it; cutShort is true if b ends, or the
// coding breaks, before the end of the body, or if MaxBody came first.
func undo(coding string, b []byte, mayBeCut bool) (plain []byte, cutShort, ok bool) {
	r, err := decoder(coding, bytes.NewReader(b))
	if err != nil {
		return nil, false, false
	}
	defer r.Close()
	var limited io.Reader = r
	if coding != chunked { // a chunked body is no longer than b
		limited = io.LimitReader(r, MaxBody+1)
	}
	plain, err = io.ReadAll(limited)
	if coding != chunked && len(plain) > MaxBody {
		return plain[:MaxBody], true, true
	}
	return plain, err != nil, err == nil || isCoded(coding, r, err, int64(len(plain)), mayBeCut)
}

// chunked is the chunked coding, by a name that no field can give: their names are in lower case here.
const chunked = "Chunked"

func decoder(coding string, r io.Reader) (io.ReadCloser, error) {
	if coding == chunked {
		return NewChunkedReader(r), nil
	}
	return NewDecoder(coding, r)
}

// isCoded reports whether bytes are in a coding although its decoder met an error after n bytes: it read a
// whole chunk, or the input ends in the first one; or the coding has a magic number, or the input is known
// to be cut. Many crawlers store a body decoded, and leave the field in.
func isCoded(coding string, r io.Reader, err error, n int64, mayBeCut bool) bool {
	isCut := err == io.ErrUnexpectedEOF
	if chunks, ok := r.(*chunkedReader); ok && (chunks.whole > 0 || chunks.framed && isCut) {
		return true
	}
	return n > 0 && (coding == "gzip" || coding == "x-gzip" || coding == "zstd" || mayBeCut && isCut)
}

// chunkedReader undoes the chunked coding (RFC 9112 §7.1) and leaves what follows the
// last chunk. That of net/http does not report how far it came.
type chunkedReader struct {
	in     *bufio.Reader
	left   int64 // bytes of the chunk in hand
	begun  bool  // a chunk is in hand
	framed bool  // the line of its size ends in CRLF, as no line of most text files does
	whole  int   // chunks read to their end
	err    error
}

var errNotChunked = errors.New("not chunked")

func NewChunkedReader(r io.Reader) *chunkedReader { return &chunkedReader{in: bufio.NewReader(r)} }

func (r *chunkedReader) Close() error { return nil }

func (r *chunkedReader) Read(p []byte) (n int, err error) {
	if r.err == nil && r.left == 0 {
		r.err = r.next()
	}
	if r.err != nil {
		return 0, r.err
	}
	n, r.err = r.in.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	if r.err == io.EOF {
		r.err = io.ErrUnexpectedEOF
	}
	return n, r.err
}

// next ends the chunk in hand and begins the next one.
func (r *chunkedReader) next() error {
	if r.begun {
		if err := r.endChunk(); err != nil {
			return err
		}
	}
	line, err := r.in.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		return errNotChunked
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	size, valid := chunkSize(line)
	switch {
	case !valid:
		return errNotChunked
	case size == 0:
		return io.EOF
	}
	r.left, r.begun, r.framed = size, true, bytes.HasSuffix(line, []byte("\r\n"))
	return nil
}

// endChunk reads the line end after a chunk.
func (r *chunkedReader) endChunk() error {
	c, err := r.in.ReadByte()
	if c == '\r' && err == nil {
		c, err = r.in.ReadByte()
	}
	switch {
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case c != '\n':
		return errNotChunked
	}
	r.whole++
	return nil
}

// chunkSize reads the hexadecimal size at the start of a chunk's line.
func chunkSize(line []byte) (int64, bool) {
	digits, _, _ := bytes.Cut(line, []byte{';'})
	n, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 62)
	return int64(n), err == nil
}

var (
	errUnknownCoding = errors.New("unknown content coding")
	errNotDeflate    = errors.New("bytes behind the end of deflate data")
)

// NewDecoder undoes one content coding of a stream.
func NewDecoder(coding string, r io.Reader) (io.ReadCloser, error) {
	src := bufio.NewReader(r)
	switch coding {
	case "gzip", "x-gzip":
		member, err := gzip.NewReader(src)
		if err != nil {
			return nil, err
		}
		member.Multistream(false)
		return gzipCoding{member, src}, nil
	case "deflate":
		// RFC 9110 §8.4.1.2: the zlib format; some servers send it bare.
		if head, _ := src.Peek(2); isZlib(head) {
			return zlib.NewReader(src)
		}
		return bareDeflate{flate.NewReader(src), src}, nil
	case "br":
		return io.NopCloser(brotli.NewReader(src)), nil
	case "zstd":
		r, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDecoderMemory))
		if err != nil {
			return nil, err
		}
		return r.IOReadCloser(), nil
	}
	return nil, errUnknownCoding
}

// gzipCoding reads gzip members one after the other. Like clients, it ignores trailing
// bytes, often a line end.
type gzipCoding struct {
	member *gzip.Reader
	src    *bufio.Reader
}

func (r gzipCoding) Read(p []byte) (int, error) {
	for {
		n, err := r.member.Read(p)
		if n > 0 && err == io.EOF {
			return n, nil // which comes again
		}
		if err != io.EOF {
			return n, err
		}
		if next, _ := r.src.Peek(len(gzipMagic)); !bytes.Equal(next, gzipMagic) {
			return 0, io.EOF
		}
		switch err := r.member.Reset(r.src); err {
		case nil:
			r.member.Multistream(false)
		case gzip.ErrHeader:
			return 0, io.EOF
		default:
			return 0, err
		}
	}
}

func (r gzipCoding) Close() error { return r.member.Close() }

// isZlib reports whether b begins with a zlib header without a preset dictionary
// (RFC 1950 §2.2).
func isZlib(b []byte) bool {
	return len(b) == 2 && b[0]&0x0f == 8 && (int(b[0])<<8|int(b[1]))%31 == 0 && b[1]&0x20 == 0
}

// bareDeflate reads the deflate format without the zlib header. It has neither magic
// number nor checksum: the one difference from plain text is that it ends with src.
type bareDeflate struct {
	io.ReadCloser
	src *bufio.Reader
}

func (r bareDeflate) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err == io.EOF {
		if _, more := r.src.Peek(1); more == nil {
			err = errNotDeflate
		}
	}
	return n, err
}

// gzipMagic begins every gzip member (RFC 1952 §2.3.1).
var gzipMagic = []byte{0x1f, 0x8b}
