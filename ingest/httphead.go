package ingest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// httpHead is the head of an HTTP message as archives hold it.
type httpHead struct {
	status           int16  // -1: not readable
	method           string // of a request
	userAgent        string // of a request
	location         string
	contentType      string
	contentEncoding  []string // in the order applied
	transferEncoding []string // in the order applied
	contentRange     string
	date             string
	contentLength    int64  // 0: none
	decoded          bool   // the crawler undid a Content-Encoding and says so
	policy           []byte // policy header lines, joined by \n
	policyCut        bool
	repeated         []string // fields that contradict an earlier one of their name
	cut              string   // a field whose value is longer than its cap

	texts *texts // where its strings lie; nil: each by itself
}

// readHead reads an HTTP head from a block: up to and with the empty line, at
// most max octets. What was read beyond the head is returned as body. complete
// is false where the block ended, or max came, before the empty line; then all
// that was read is head.
func readHead(block io.Reader, buf []byte, limit int) (head, body []byte, complete bool, err error) {
	buf = buf[:0]
	searched := 0
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, make([]byte, max(4096, len(buf)))...)[:len(buf)]
		}
		n, err := block.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if end := headEnd(buf, max(searched, len(buf)-len(skipEmptyLines(buf)))); end >= 0 {
			return buf[:end], buf[end:], true, nil
		}
		searched = max(0, len(buf)-3)
		if err == io.EOF || err == nil && len(buf) >= limit {
			return buf, nil, false, nil
		}
		if err != nil {
			return nil, nil, false, err
		}
	}
}

// skipEmptyLines skips those before a start line (RFC 9112 §2.2).
func skipEmptyLines(b []byte) []byte { return bytes.TrimLeft(b, "\r\n") }

// headEnd finds the end of a head: an empty line, in CRLF, LF or a mixture. It
// looks from octet from on, and returns -1 where there is none yet.
func headEnd(b []byte, from int) int {
	for i := from; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1
		}
		i += n + 1
		switch rest := b[i:]; {
		case len(rest) > 0 && rest[0] == '\n':
			return i + 1
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			return i + 2
		}
	}
}

// isHTTP reports whether a block begins as an HTTP response does. What does not
// is the bare body of HTTP/0.9. Archiving proxies have written "HTTP 502 Bad
// Gateway" into ARCs: taken as a body, it would be a robots.txt that allows all.
func isHTTP(b []byte) bool {
	b = skipEmptyLines(b)
	if len(b) < 5 || !strings.EqualFold(string(b[:4]), "HTTP") {
		return false
	}
	line, _ := cutLine(b)
	return b[4] == '/' || b[4] == ' ' && parseStatus(line) >= 100
}

// parseResponseHead reads a status line and the fields that matter. Its policy
// header lines are appended to policy, which may be nil.
func parseResponseHead(head, policy []byte, t *texts) httpHead {
	h := httpHead{status: -1, policy: policy, texts: t}
	line, rest := cutLine(skipEmptyLines(head))
	h.status = parseStatus(line)
	f := fields{rest: rest}
	for f.next() {
		h.setResponse(f.name, f.value, f.line)
	}
	return h
}

// parseRequestHead reads a request line and the User-Agent.
func parseRequestHead(head []byte, t *texts) httpHead {
	h := httpHead{status: -1, texts: t}
	line, rest := cutLine(head)
	method, _, _ := bytes.Cut(line, []byte{' '})
	switch {
	case string(method) == http.MethodGet:
		h.method = http.MethodGet
	case len(method) <= 32:
		h.method = strings.ToUpper(string(method))
	}
	f := fields{rest: rest}
	for f.next() {
		if isField(f.name, "user-agent") && h.userAgent == "" {
			h.userAgent = t.shared(h.capped("User-Agent", f.value, maxUserAgent))
		}
	}
	return h
}

// parseStatus reads the status of a line like "HTTP/1.1 200 OK", where the
// reason, and in the wild the minor version, may be missing. It is -1 where there
// is no number of at most three digits.
func parseStatus(line []byte) int16 {
	_, rest, _ := bytes.Cut(line, []byte{' '})
	rest = bytes.TrimLeft(rest, " \t")
	code, _, _ := bytes.Cut(rest, []byte{' '})
	if len(code) == 0 || len(code) > 3 {
		return -1
	}
	var v int16
	for _, c := range code {
		if c < '0' || c > '9' {
			return -1
		}
		v = v*10 + int16(c-'0')
	}
	return v
}

// fields reads field lines one after the other, without an allocation.
type fields struct {
	rest  []byte
	name  []byte // as it stands
	value []byte // with folded lines joined (RFC 9112 §5.2)
	line  []byte // joined but otherwise as it stands
}

// maxFieldName is how many octets the name of a field has that is read.
const maxFieldName = 64

// isField reports whether a field's name is this one, given in lower case.
func isField(name []byte, lower string) bool {
	return len(name) == len(lower) && isInAnyCase(name, lower)
}

func isInAnyCase(name []byte, lower string) bool {
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// next reads the next field. It returns false behind the last one.
func (f *fields) next() bool {
	for len(f.rest) > 0 {
		line, rest := cutLine(f.rest)
		if len(line) == 0 {
			return false
		}
		f.line, f.rest = unfold(line, rest)
		colon := bytes.IndexByte(f.line, ':')
		if colon < 0 {
			continue
		}
		if f.name = bytes.TrimSpace(f.line[:colon]); len(f.name) <= maxFieldName {
			f.value = bytes.TrimSpace(f.line[colon+1:])
			return true
		}
	}
	return false
}

// eachField calls f for every field, its name in lower case.
func eachField(b []byte, f func(name, value, line []byte)) {
	in := fields{rest: b}
	for in.next() {
		f(lowerASCII(nil, in.name), in.value, in.line)
	}
}

// setResponse keeps a response field. Of Location and Content-Type the first
// counts, as clients take it; codings add up.
func (h *httpHead) setResponse(name, value, raw []byte) {
	switch {
	case isField(name, "location"):
		h.first("location", &h.location, h.texts.of(h.capped("Location", value, maxURL)))
	case isField(name, "content-type"):
		h.first("content-type", &h.contentType, h.texts.shared(h.capped("Content-Type", value, maxFieldValue)))
	case isField(name, "content-encoding"):
		h.contentEncoding = h.addCodings(h.contentEncoding, h.capped("Content-Encoding", value, maxFieldValue))
	case isField(name, "transfer-encoding"):
		h.transferEncoding = h.addCodings(h.transferEncoding, h.capped("Transfer-Encoding", value, maxFieldValue))
	case isField(name, "content-range"):
		first(&h.contentRange, h.texts.of(h.capped("Content-Range", value, maxFieldValue)))
	case isField(name, "content-length"):
		if h.contentLength == 0 {
			h.contentLength = max(parseLength(value), 0)
		}
	case isField(name, "x-crawler-content-encoding"), isField(name, "x-orig-content-encoding"): // Common Crawl, Browsertrix
		h.decoded = true
	case isField(name, "date"):
		first(&h.date, h.texts.of(h.capped("Date", value, maxFieldValue)))
	case tag.Keep(name, value[:min(len(value), tag.MaxLine)]):
		h.addPolicy(raw)
	}
}

// capped is a value, cut where it is longer than its cap.
func (h *httpHead) capped(name string, value []byte, limit int) []byte {
	if len(value) > limit {
		h.cut = name
	}
	return cutOctets(value, limit)
}

// first stores the first value of a field.
func (h *httpHead) first(name string, dst *string, value string) {
	if first(dst, value) && len(h.repeated) < maxRepeated {
		h.repeated = append(h.repeated, name)
	}
}

func (h *httpHead) addPolicy(line []byte) {
	if len(line) > tag.MaxLine+64 {
		line, h.policyCut = line[:tag.MaxLine+64], true
	}
	if len(h.policy)+len(line)+1 > maxPolicyHeaders {
		h.policyCut = true
		return
	}
	if len(h.policy) > 0 {
		h.policy = append(h.policy, '\n')
	}
	h.policy = append(h.policy, line...)
}

// addCodings adds those of a Content-Encoding or Transfer-Encoding value: several
// fields are one list (RFC 9110 §5.3). One more than the cap tells that it was met.
func (h *httpHead) addCodings(list []string, value []byte) []string {
	for part := range strings.SplitSeq(strings.ToLower(h.texts.shared(value)), ",") {
		if part = strings.TrimSpace(part); part != "" && part != "identity" && len(list) <= maxCodings {
			list = h.texts.add(list, part)
		}
	}
	return list
}

// chunked reports whether the body is declared to be chunked. Servers that say so
// twice chunk once.
func (h *httpHead) chunked() bool { return slices.Contains(h.transferEncoding, "chunked") }

// codings lists the codings of the body besides chunked, in the order applied:
// transfer codings come after content codings (RFC 9112 §7).
func (h *httpHead) codings() []string {
	list := h.contentEncoding
	for _, t := range h.transferEncoding {
		if t != "chunked" {
			list = append(list[:len(list):len(list)], t)
		}
	}
	return list
}

// missing is how many octets a body of n lacks by its Content-Length; 0 where that
// may count something else: what went over the line before codings were undone.
func (h *httpHead) missing(n int) int64 {
	if h.decoded || len(h.contentEncoding)+len(h.transferEncoding) > 0 {
		return 0
	}
	return max(h.contentLength-int64(n), 0)
}

// cut returns at most n octets of s, and does not keep the rest in memory.
func cut(s string, n int) string {
	if len(s) > n {
		return strings.Clone(s[:n])
	}
	return s
}
