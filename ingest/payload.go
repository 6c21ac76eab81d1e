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
// maxPolicyBody octets are kept; cut says that there was more.
func decodePayload(raw []byte, h *httpHead, rawCut bool) (body []byte, flags Flags) {
	if rawCut {
		flags |= FlagBodyCut
	}
	body = raw
	if lastCoding(h.transferEncoding) == "chunked" {
		if plain, ok := dechunk(body, rawCut); ok {
			body = plain
		} else {
			flags |= FlagFalseChunked
		}
	}
	for i := len(h.contentEncoding) - 1; i >= 0 && len(body) > 0; i-- {
		plain, cutShort, err := undo(h.contentEncoding[i], body, rawCut)
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
// chunk: many crawlers store the body dechunked and leave the header in. A body
// that ends inside a chunk yields what there is, if it is known to be cut.
func dechunk(b []byte, mayBeCut bool) (plain []byte, ok bool) {
	for {
		line, rest, found := bytes.Cut(b, []byte{'\n'})
		if !found {
			return plain, mayBeCut && len(plain) > 0
		}
		size, valid := chunkSize(line)
		if !valid {
			return nil, false
		}
		if size == 0 {
			return plain, true
		}
		if size > int64(len(rest)) {
			return append(plain, rest...), mayBeCut
		}
		plain = append(plain, rest[:size]...)
		b = rest[size:]
		b = bytes.TrimPrefix(b, []byte{'\r'})
		if !bytes.HasPrefix(b, []byte{'\n'}) {
			return plain, len(b) == 0 && mayBeCut
		}
		b = b[1:]
	}
}

// chunkSize reads the hexadecimal size at the start of a chunk's line.
func chunkSize(line []byte) (int64, bool) {
	digits, _, _ := bytes.Cut(line, []byte{';'})
	n, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 62)
	return int64(n), err == nil
}

var errUnknownCoding = errors.New("unknown content coding")

// undo undoes one content coding. cutShort says that maxPolicyBody came first, or
// that the input ended inside the coding although it is known to be cut.
func undo(coding string, b []byte, mayBeCut bool) (plain []byte, cutShort bool, err error) {
	r, err := decoder(coding, b)
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	plain, err = io.ReadAll(io.LimitReader(r, maxPolicyBody+1))
	if len(plain) > maxPolicyBody {
		return plain[:maxPolicyBody], true, nil
	}
	if err != nil && mayBeCut && len(plain) > 0 {
		return plain, true, nil
	}
	return plain, false, err
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
		return flate.NewReader(bytes.NewReader(b)), nil
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
