package ingest

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

// decodePayload undoes a message's transfer and content codings (RFC 9112 §7,
// RFC 9110 §8.4). A declared coding that cannot be undone is left as it is, and
// flagged: the body is then the raw octets that the server sent. At most
// maxPolicyBody octets are kept. mayBeCut says that raw is known to be only the
// start of what the server sent.
func decodePayload(raw []byte, h *httpHead, mayBeCut bool) (body []byte, flags Flags) {
	body = raw
	if lastCoding(h.transferEncoding) == "chunked" && len(body) > 0 {
		plain, cutShort, ok := dechunk(body, mayBeCut)
		switch {
		case !ok:
			flags |= FlagFalseChunked
		case cutShort:
			flags |= FlagBodyCut
			fallthrough
		default:
			body = plain
		}
	}
	if len(h.contentEncoding) > maxCodings {
		return body, flags | FlagFalseEncoding
	}
	for i := len(h.contentEncoding) - 1; i >= 0 && len(body) > 0; i-- {
		plain, cutShort, err := undo(h.contentEncoding[i], body, mayBeCut || flags&FlagBodyCut != 0)
		if err != nil {
			return body, flags | FlagFalseEncoding
		}
		if cutShort {
			flags |= FlagBodyCut
		}
		body = plain
	}
	if len(h.contentEncoding) == 0 && bytes.HasPrefix(body, []byte{0x1f, 0x8b, 8}) {
		flags |= FlagUndeclaredGzip
	}
	return body, flags
}

func lastCoding(transferEncoding string) string {
	if list := codings([]byte(transferEncoding)); len(list) > 0 {
		return list[len(list)-1]
	}
	return ""
}

// dechunk undoes the chunked coding. ok is false where b does not begin with a
// chunk: many crawlers store the body dechunked and leave the header in. cutShort
// says that b ends before the last chunk does. That is believed of a body that is
// known to be cut, or that holds a whole chunk.
func dechunk(b []byte, mayBeCut bool) (plain []byte, cutShort, ok bool) {
	for {
		line, rest, found := bytes.Cut(b, []byte{'\n'})
		if !found {
			return plain, true, mayBeCut && len(plain) > 0
		}
		size, valid := chunkSize(line)
		if !valid {
			return nil, false, false
		}
		if size == 0 {
			return plain, false, true
		}
		if size > int64(len(rest)) {
			return append(plain, rest...), true, mayBeCut
		}
		plain = append(plain, rest[:size]...)
		b = bytes.TrimPrefix(rest[size:], []byte{'\r'})
		if len(b) == 0 {
			return plain, true, mayBeCut
		}
		if b[0] != '\n' {
			return nil, false, false
		}
		b, mayBeCut = b[1:], true
	}
}

// chunkSize reads the hexadecimal size at the start of a chunk's line.
func chunkSize(line []byte) (int64, bool) {
	digits, _, _ := bytes.Cut(line, []byte{';'})
	n, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 62)
	return int64(n), err == nil
}

var (
	errUnknownCoding = errors.New("unknown content coding")
	errNotDeflate    = errors.New("octets behind the end of deflate data")
)

// undo undoes one content coding. cutShort says that maxPolicyBody came first, or
// that b ends inside the coding: what there is of it is taken where b is known to
// be cut, or its magic number tells that this is the coding.
func undo(coding string, b []byte, mayBeCut bool) (plain []byte, cutShort bool, err error) {
	r, err := decoder(coding, b)
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	plain, err = io.ReadAll(io.LimitReader(r, maxPolicyBody+1))
	switch {
	case len(plain) > maxPolicyBody:
		return plain[:maxPolicyBody], true, nil
	case err == gzip.ErrHeader: // garbage behind the last member, which clients ignore
		return plain, false, nil
	case err == io.ErrUnexpectedEOF && len(plain) > 0 && (mayBeCut || hasMagic(coding)):
		return plain, true, nil
	}
	return plain, false, err
}

func hasMagic(coding string) bool {
	return coding == "gzip" || coding == "x-gzip" || coding == "zstd"
}

func decoder(coding string, b []byte) (io.ReadCloser, error) {
	src := bytes.NewReader(b)
	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewReader(src)
	case "deflate":
		// RFC 9110 §8.4.1.2: the zlib format; some servers send it bare.
		if r, err := zlib.NewReader(src); err == nil {
			return r, nil
		}
		src.Reset(b)
		return bareDeflate{flate.NewReader(src), src}, nil
	case "br":
		return io.NopCloser(brotli.NewReader(src)), nil
	case "zstd":
		r, err := zstd.NewReader(bufio.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
		if err != nil {
			return nil, err
		}
		return r.IOReadCloser(), nil
	}
	return nil, errUnknownCoding
}

// bareDeflate reads the deflate format without the zlib header. It has neither
// magic number nor checksum: only that it ends with src tells it from plain text.
type bareDeflate struct {
	io.ReadCloser
	src *bytes.Reader
}

func (r bareDeflate) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err == io.EOF && r.src.Len() > 0 {
		err = errNotDeflate
	}
	return n, err
}
