package ingest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/arena"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/warc"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// httpHead is the head of an HTTP message as archives hold it.
type httpHead struct {
	status           int16  // -1: not readable
	method           string // of a request
	userAgent        string // of a request
	host             string // of a request: the one that it names, with its port where it has one
	ifNoneMatch      string // of a request
	ifModifiedSince  string // of a request
	location         string
	contentType      string
	contentEncoding  []string // in the order applied
	transferEncoding []string // in the order applied
	contentRange     string
	date             string
	contentLength    int64  // 0: none
	originalLength   int64  // the Content-Length that the crawler replaced; 0: none
	decoded          bool   // the crawler undid a Content-Encoding and says so
	dechunked        bool   // the crawler undid a Transfer-Encoding and says so
	policy           []byte // policy header lines, joined by \n
	policyCut        bool
	repeated         []string // fields that contradict an earlier one of their name
	cut              string   // a field whose value is longer than its cap

	texts *arena.Strings // where its strings lie; nil: each by itself
}

// readHead reads an HTTP head from a block: up to and with the empty line, at
// most max bytes. What was read beyond the head is returned as body. complete
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

// headEnd finds the end of a head: an empty line, in CRLF, LF, CR CR LF or a mixture. It
// looks from byte from on, and returns -1 where there is none yet.
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
		case len(rest) > 2 && rest[0] == '\r' && rest[1] == '\r' && rest[2] == '\n':
			return i + 3
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
	line, _ := warc.CutLine(b)
	return b[4] == '/' || b[4] == ' ' && parseStatus(line) >= 100
}

// parseResponseHead reads a status line and the fields that matter. Its policy
// header lines are appended to policy, which may be nil.
func parseResponseHead(head, policy []byte, t *arena.Strings) httpHead {
	h := httpHead{status: -1, policy: policy, texts: t}
	line, rest := warc.CutLine(skipEmptyLines(head))
	h.status = parseStatus(line)
	f := warc.Fields{Rest: rest}
	for f.Next() {
		h.setResponse(f.Name, f.Value, f.Line)
	}
	return h
}

// parseRequestHead reads a request line and the fields that matter.
func parseRequestHead(head []byte, t *arena.Strings) httpHead {
	h := httpHead{status: -1, texts: t}
	line, rest := warc.CutLine(head)
	method, target, _ := bytes.Cut(line, []byte{' '})
	if h.method = http.MethodGet; string(method) != h.method {
		h.method = strings.ToUpper(string(firstBytes(method, maxMethod)))
	}
	h.host = targetHost(target)
	f := warc.Fields{Rest: rest}
	for f.Next() {
		h.setRequest(f.Name, f.Value)
	}
	return h
}

// targetHost is the host in a request target in absolute-form, as requests to a proxy have
// it: it replaces the Host field (RFC 9112 §3.2.2). It is "" in any other target.
func targetHost(target []byte) string {
	if len(target) == 0 || target[0] == '/' {
		return ""
	}
	url, _, _ := bytes.Cut(target, []byte{' '})
	u, _ := weburl.Parse(string(firstBytes(url, warc.MaxURL)))
	_, host, _ := strings.Cut(u.Origin(), "://")
	return cut(host, maxHost)
}

// setRequest keeps a request field. The first counts.
func (h *httpHead) setRequest(name, value []byte) {
	switch {
	case warc.IsField(name, "user-agent"):
		if h.userAgent == "" {
			h.userAgent = h.texts.Shared(h.capped("User-Agent", value, maxUserAgent))
		}
	case warc.IsField(name, "host"):
		if h.host == "" {
			h.host = h.texts.Shared(h.capped("Host", value, maxHost))
		}
	case warc.IsField(name, "if-none-match"):
		setOnce(&h.ifNoneMatch, h.texts.Of(h.capped("If-None-Match", value, maxValidator)))
	case warc.IsField(name, "if-modified-since"):
		setOnce(&h.ifModifiedSince, h.texts.Of(h.capped("If-Modified-Since", value, maxValidator)))
	}
}

// validators reads the ETag and the Last-Modified of a response head.
func (h *httpHead) validators(head []byte) (etag, lastModified string) {
	_, rest := warc.CutLine(skipEmptyLines(head))
	f := warc.Fields{Rest: rest}
	for f.Next() {
		switch {
		case warc.IsField(f.Name, "etag"):
			warc.First(&etag, h.texts.Of(h.capped("ETag", f.Value, maxValidator)))
		case warc.IsField(f.Name, "last-modified"):
			warc.First(&lastModified, h.texts.Of(h.capped("Last-Modified", f.Value, maxValidator)))
		}
	}
	return etag, lastModified
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

// eachField calls f for every field, its name in lower case.
func eachField(b []byte, f func(name, value, line []byte)) {
	in := warc.Fields{Rest: b}
	for in.Next() {
		f(lowerASCII(nil, in.Name), in.Value, in.Line)
	}
}

// setResponse keeps a response field. Of Location and Content-Type the first
// counts, as clients take it; codings add up.
func (h *httpHead) setResponse(name, value, raw []byte) {
	switch {
	case warc.IsField(name, "location"):
		h.first("location", &h.location, h.texts.Of(h.capped("Location", value, warc.MaxURL)))
	case warc.IsField(name, "content-type"):
		h.first("content-type", &h.contentType, h.texts.Shared(h.capped("Content-Type", value, warc.MaxFieldValue)))
	case warc.IsField(name, "content-encoding"):
		h.contentEncoding = h.addCodings(h.contentEncoding, h.capped("Content-Encoding", value, warc.MaxFieldValue))
	case warc.IsField(name, "transfer-encoding"):
		h.transferEncoding = h.addCodings(h.transferEncoding, h.capped("Transfer-Encoding", value, warc.MaxFieldValue))
	case warc.IsField(name, "content-range"):
		setOnce(&h.contentRange, h.texts.Of(h.capped("Content-Range", value, warc.MaxFieldValue)))
	case warc.IsField(name, "content-length"):
		if h.contentLength == 0 {
			h.contentLength = max(warc.ParseLength(value), 0)
		}
	case warc.IsField(name, "x-crawler-content-encoding"), warc.IsField(name, "x-orig-content-encoding"): // Common Crawl, Browsertrix
		h.decoded = true
	case warc.IsField(name, "x-crawler-content-length"): // Common Crawl, Nutch
		h.originalLength = max(warc.ParseLength(value), 0)
	case warc.IsField(name, "x-crawler-transfer-encoding"):
		h.dechunked = true
	case warc.IsField(name, "date"):
		setOnce(&h.date, h.texts.Of(h.capped("Date", value, warc.MaxFieldValue)))
	case tag.Keep(name, value[:min(len(value), tag.MaxLine)]):
		h.addPolicy(raw)
	}
}

// capped is a value, cut where it is longer than its cap.
func (h *httpHead) capped(name string, value []byte, limit int) []byte {
	if len(value) > limit {
		h.cut = name
	}
	return firstBytes(value, limit)
}

// first stores the first value of a field.
func (h *httpHead) first(name string, dst *string, value string) {
	if warc.First(dst, value) && len(h.repeated) < warc.MaxRepeated {
		h.repeated = append(h.repeated, name)
	}
}

func (h *httpHead) addPolicy(line []byte) {
	if len(line) > maxPolicyLine {
		line, h.policyCut = line[:maxPolicyLine], true
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
	for part := range strings.SplitSeq(strings.ToLower(h.texts.Shared(value)), ",") {
		if part = strings.TrimSpace(part); part != "" && part != "identity" && len(list) <= maxCodings {
			list = h.texts.Append(list, part)
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

// emptyCoded is more bytes than a content coding makes of nothing (gzip: 20).
const emptyCoded = 32

// missing is how many bytes a body of n lacks by its Content-Length, or by the one that
// the crawler replaced; 0 where that may count something else: what went over the line
// before codings were undone.
func (h *httpHead) missing(n int) int64 {
	declared, coded := h.contentLength, h.decoded || len(h.contentEncoding) > 0
	if !h.dechunked {
		declared = max(declared, h.originalLength)
	}
	if len(h.transferEncoding) > 0 || coded && (n > 0 || declared <= emptyCoded) {
		return 0
	}
	return max(declared-int64(n), 0)
}

// cut returns at most n bytes of s, and does not keep the rest in memory.
func cut(s string, n int) string {
	if len(s) > n {
		return strings.Clone(s[:n])
	}
	return s
}

func lowerASCII(dst, src []byte) []byte {
	dst = append(dst, src...)
	for i, c := range dst[len(dst)-len(src):] {
		if 'A' <= c && c <= 'Z' {
			dst[len(dst)-len(src)+i] = c + 'a' - 'A'
		}
	}
	return dst
}

// unread is what has been read ahead of a reader, and the rest of it.
type unread struct {
	ahead []byte
	rest  io.Reader
}

// of makes u, which is used again, the bytes ahead and those of rest.
func (u *unread) of(ahead []byte, rest io.Reader) io.Reader {
	*u = unread{ahead, rest}
	return u
}

func (u *unread) Read(p []byte) (int, error) {
	if len(u.ahead) > 0 {
		n := copy(p, u.ahead)
		u.ahead = u.ahead[n:]
		return n, nil
	}
	return u.rest.Read(p)
}

// readUpTo reads behind what is in buf until it has limit bytes; it grows as it must.
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

func firstBytes(b []byte, n int) []byte { return b[:min(len(b), n)] }

// setOnce stores a value where none is stored yet, and reports whether it contradicts
// the one that is.
func setOnce(dst *string, value string) (contradicts bool) {
	if *dst == "" {
		*dst = value
	}
	return value != "" && value != *dst
}

// nearest returns the known word that an unknown one differs from by so many letters at
// most, changed, left out or put in.
func nearest(unknown string, letters int, known ...string) (word string, ok bool) {
	for _, word := range known {
		if withinEdits(unknown, word, letters) {
			return word, true
		}
	}
	return "", false
}

// withinEdits reports whether n changed, missing or additional bytes make b of a.
func withinEdits(a, b string, n int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	switch {
	case len(a) == 0, len(b) == 0:
		return len(a)+len(b) <= n
	case n == 0:
		return false
	}
	return withinEdits(a[1:], b[1:], n-1) || withinEdits(a[1:], b, n-1) || withinEdits(a, b[1:], n-1)
}
