// Package httpmsg reads HTTP messages as archives hold them: from bytes to the fields of a
// head, and from a stored body to what its codings stand for. Archives hold messages that
// were cut, decoded by the crawler, or never well-formed; no message is an error.
package httpmsg

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/challenge"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// Head is the head of an HTTP message as archives hold it.
type Head struct {
	Status           int16  // -1: not readable
	Method           string // of a request
	UserAgent        string // of a request; two that differ on a line each
	Host             string // of a request: the one that it names, with its port where it has one
	Authorized       bool   // a request with credentials for the site
	IfNoneMatch      string // of a request
	IfModifiedSince  string // of a request
	Location         string
	ContentType      string
	contentEncoding  []string // in the order applied
	transferEncoding []string // in the order applied
	ContentRange     string
	Date             string
	Age              bool   // it has an Age field: a cache may have sent it
	contentLength    int64  // 0: none
	originalLength   int64  // the Content-Length that the crawler replaced; 0: none
	decoded          bool   // the crawler undid a Content-Encoding and reports it
	dechunked        bool   // the crawler undid a Transfer-Encoding and reports it
	Policy           []byte // policy header lines, joined by \n
	PolicyCut        bool
	Challenge        bool     // a field marks the answer as one
	Repeated         []string // fields that contradict an earlier one of their name
	Cut              string   // a field whose value is longer than its cap
}

// ReadHead reads an HTTP head from a block: up to and with the empty line, at most
// limit bytes. What was read beyond the head is returned as body. complete is false
// where the block ended, or limit came, before the empty line; then all that was read
// is head. Heads of interim responses, which precede the answer's (RFC 9110 §15.2), are
// skipped.
func ReadHead(block io.Reader, buf []byte, limit int) (head, body []byte, complete bool, err error) {
	buf = buf[:0]
	start, searched := 0, 0 // where the head in hand begins, and how far its end was looked for
	for {
		if len(buf) == cap(buf) {
			if start > cap(buf)/2 {
				buf = buf[:copy(buf, buf[start:])]
				start, searched = 0, searched-start
			} else {
				buf = append(buf, make([]byte, max(4096, len(buf)))...)[:len(buf)]
			}
		}
		n, err := block.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		var ended bool
		var end int
		found := interimHead
		for found == interimHead {
			ended = err == io.EOF || err == nil && len(buf)-start >= limit
			if end, found = findHead(buf[start:], searched-start, ended); found == interimHead {
				start += end
				searched = start
			}
		}
		switch {
		case found == finalHead:
			return buf[start : start+end], buf[start+end:], true, nil
		case ended:
			return buf[start:], nil, false, nil
		case err != nil:
			return nil, nil, false, err
		case found == noHead:
			searched = max(start, len(buf)-3)
		}
	}
}

// headKind is what is known of the head that some bytes begin with.
type headKind uint8

const (
	noHead      headKind = iota // it does not end in them
	maybeFinal                  // it may end an interim response: the bytes after it decide
	finalHead                   // the answer's
	interimHead                 // of an interim response: its status is 1xx, and another head follows
)

// findHead finds the end of the head at the beginning of b. It looks from byte from on. ended:
// nothing follows b.
func findHead(b []byte, from int, ended bool) (end int, found headKind) {
	end = headEnd(b, max(from, len(b)-len(skipEmptyLines(b))))
	if end < 0 {
		return -1, noHead
	}
	if line, _ := warc.CutLine(skipEmptyLines(b[:end])); !IsResponse(b[:end]) || parseStatus(line)/100 != 1 {
		return end, finalHead
	}
	const begin = "HTTP/"
	rest := skipEmptyLines(b[end:])
	switch n := min(len(rest), len(begin)); {
	case !strings.EqualFold(string(rest[:n]), begin[:n]), n < len(begin) && ended:
		return end, finalHead
	case n < len(begin):
		return end, maybeFinal
	}
	return end, interimHead
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

// IsResponse reports whether a block begins as an HTTP response does. What does not
// is the bare body of HTTP/0.9. Archiving proxies have written "HTTP 502 Bad
// Gateway" into ARCs: taken as a body, it would be a robots.txt that allows all.
func IsResponse(b []byte) bool {
	b = skipEmptyLines(b)
	if len(b) < 5 || !strings.EqualFold(string(b[:4]), "HTTP") {
		return false
	}
	line, _ := warc.CutLine(b)
	return b[4] == '/' || b[4] == ' ' && parseStatus(line) >= 100
}

// OtherProtocol returns the first word of a block that begins with a line like the status line of
// another protocol, or like a misspelt one: a word, perhaps with a version, and a number of three
// digits ("SPDY/3 503 Service Unavailable", "ICY 503", "HTTQ/1.1 302"), the status as a field, as in
// HTTP/2 and CGI (":status: 503", "Status: 503"), white space or a byte order mark before "HTTP/", or
// white space within it. What follows such a line is no body of HTTP/0.9.
func OtherProtocol(b []byte) (name string, is bool) {
	if IsResponse(b) {
		return "", false
	}
	b = skipEmptyLines(b)
	if trimmed := bytes.TrimLeft(b, " \t\ufeff"); len(trimmed) < len(b) {
		return "", IsResponse(trimmed)
	}
	line, _ := warc.CutLine(b)
	words := bytes.Fields(line[:min(len(line), maxStatusLine)])
	if len(words) > 2 && strings.EqualFold(string(words[0]), "HTTP") && words[1][0] == '/' {
		return "HTTP", true
	}
	if len(words) == 3 && bytes.HasPrefix(words[2], []byte("HTTP/")) { // a request
		return string(words[0]), true
	}
	if len(words) < 2 || len(words[1]) != 3 || parseStatus(slices.Concat(words[0], []byte{' '}, words[1])) < 100 {
		return "", false
	}
	if strings.EqualFold(string(bytes.TrimPrefix(words[0], []byte{':'})), "status:") {
		return string(words[0]), true
	}
	word, _, _ := bytes.Cut(words[0], []byte{'/'})
	for i, c := range words[0] {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && strings.IndexByte("./-_", c) < 0) {
			return "", false
		}
	}
	return string(word), true
}

// ParseResponse reads a status line and the fields that matter. The status of a line that is
// not HTTP is not readable. Lines of fields that isPolicy reports are appended to policy; nil: none is kept.
func ParseResponse(head []byte, isPolicy func(name, value []byte) bool, policy []byte) Head {
	h := Head{Status: -1, Policy: policy}
	line, rest := warc.CutLine(skipEmptyLines(head))
	if IsResponse(head) {
		h.Status = parseStatus(line)
	}
	f := warc.Fields{Rest: rest}
	for f.Next() {
		h.setResponse(f.Name, f.Value, f.Line, isPolicy)
	}
	return h
}

// ParseRequest reads a request line and the fields that matter.
func ParseRequest(head []byte) Head {
	h := Head{Status: -1}
	line, rest := warc.CutLine(head)
	method, target, _ := bytes.Cut(line, []byte{' '})
	if h.Method = http.MethodGet; string(method) != h.Method {
		h.Method = strings.ToUpper(string(method[:min(len(method), maxMethod)]))
	}
	f := warc.Fields{Rest: rest}
	for f.Next() {
		h.setRequest(f.Name, f.Value)
	}
	if host := targetHost(target); host != "" {
		h.Host = host
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
	u, _ := weburl.Parse(string(url[:min(len(url), warc.MaxURL)]))
	_, host, _ := strings.Cut(u.Origin(), "://")
	return strings.Clone(host[:min(len(host), maxHost)])
}

// setRequest keeps a request field.
func (h *Head) setRequest(name, value []byte) {
	switch {
	case warc.IsField(name, "user-agent"):
		h.add("User-Agent", &h.UserAgent, value, MaxUserAgent, "\n")
	case warc.IsField(name, "host"):
		h.add("Host", &h.Host, value, maxHost, " ")
	case warc.IsField(name, "content-type"):
		warc.First(&h.ContentType, string(value[:min(len(value), warc.MaxFieldValue)]))
	case warc.IsField(name, "authorization"):
		h.Authorized = len(value) > 0
	case warc.IsField(name, "if-none-match"):
		warc.First(&h.IfNoneMatch, string(h.capped("If-None-Match", value, maxValidator)))
	case warc.IsField(name, "if-modified-since"):
		warc.First(&h.IfModifiedSince, string(h.capped("If-Modified-Since", value, maxValidator)))
	}
}

// Validators reads the ETag and the Last-Modified of a response head.
func (h *Head) Validators(head []byte) (etag, lastModified string) {
	_, rest := warc.CutLine(skipEmptyLines(head))
	f := warc.Fields{Rest: rest}
	for f.Next() {
		switch {
		case warc.IsField(f.Name, "etag"):
			warc.First(&etag, string(h.capped("ETag", f.Value, maxValidator)))
		case warc.IsField(f.Name, "last-modified"):
			warc.First(&lastModified, string(h.capped("Last-Modified", f.Value, maxValidator)))
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
	status, err := strconv.ParseUint(string(code), 10, 16)
	if err != nil || len(code) > 3 {
		return -1
	}
	return int16(status)
}

// setResponse keeps a response field. Of Content-Type the first counts, as clients take it; codings
// add up.
func (h *Head) setResponse(name, value, raw []byte, isPolicy func(name, value []byte) bool) {
	switch {
	case warc.IsField(name, "location"):
		h.add("Location", &h.Location, value, warc.MaxURL, " ")
	case warc.IsField(name, "content-type"):
		value = h.capped("Content-Type", value, warc.MaxFieldValue)
		h.repeats("content-type", warc.First(&h.ContentType, string(value)))
	case warc.IsField(name, "content-encoding"):
		h.contentEncoding = h.addCodings(h.contentEncoding, h.capped("Content-Encoding", value, warc.MaxFieldValue))
	case warc.IsField(name, "transfer-encoding"):
		h.transferEncoding = h.addCodings(h.transferEncoding, h.capped("Transfer-Encoding", value, warc.MaxFieldValue))
	case warc.IsField(name, "content-range"):
		warc.First(&h.ContentRange, string(h.capped("Content-Range", value, warc.MaxFieldValue)))
	case warc.IsField(name, "content-length"):
		for one := range bytes.SplitSeq(value, []byte(",")) { // RFC 9110 §8.6
			h.contentLength = max(h.contentLength, warc.ParseLength(bytes.TrimSpace(one)))
		}
	case warc.IsField(name, "x-crawler-content-encoding"), warc.IsField(name, "x-orig-content-encoding"):
		// Common Crawl, Browsertrix
		h.decoded = true
	case warc.IsField(name, "x-crawler-content-length"): // Common Crawl, Nutch
		h.originalLength = max(warc.ParseLength(value), 0)
	case warc.IsField(name, "x-crawler-transfer-encoding"):
		h.dechunked = true
	case warc.IsField(name, "date"):
		warc.First(&h.Date, string(h.capped("Date", value, warc.MaxFieldValue)))
	case warc.IsField(name, "age"):
		h.Age = true
	case isPolicy != nil && isPolicy(name, value):
		h.addPolicy(raw)
	case challenge.InField(name, value):
		h.Challenge = true
	}
}

// capped is a value, cut where it is longer than its cap.
func (h *Head) capped(name string, value []byte, limit int) []byte {
	if len(value) > limit {
		h.Cut = name
	}
	return value[:min(len(value), limit)]
}

// add stores a value of a field that a message may have once. The first two that differ are joined:
// nothing shows which of them counted.
func (h *Head) add(name string, dst *string, value []byte, limit int, separator string) {
	value = h.capped(name, value, limit)
	if h.repeats(strings.ToLower(name), warc.First(dst, string(value))) {
		*dst = string(h.capped(name, []byte(*dst+separator+string(value)), limit))
	}
}

// repeats keeps the name of a field that contradicts itself, and reports whether it is new.
func (h *Head) repeats(name string, contradicts bool) (isNew bool) {
	if isNew = contradicts && !slices.Contains(h.Repeated, name); isNew {
		h.Repeated = append(h.Repeated, name)
	}
	return isNew
}

func (h *Head) addPolicy(line []byte) {
	line = bytes.TrimRight(line, "\r") // of an end with several
	if len(line) > maxPolicyLine {
		line, h.PolicyCut = line[:maxPolicyLine], true
	}
	if len(h.Policy)+len(line)+1 > MaxPolicyHeaders {
		h.PolicyCut = true
		return
	}
	if len(h.Policy) > 0 {
		h.Policy = append(h.Policy, '\n')
	}
	h.Policy = append(h.Policy, line...)
}

// addCodings adds the codings in a Content-Encoding or Transfer-Encoding value: several
// fields are one list (RFC 9110 §5.3). One more than the cap shows that it was met.
func (h *Head) addCodings(list []string, value []byte) []string {
	for part := range strings.SplitSeq(strings.ToLower(string(value)), ",") {
		if part = strings.TrimSpace(part); part != "" && part != "identity" && len(list) <= maxCodings {
			list = append(list, part)
		}
	}
	return list
}

// Chunked reports whether the body is declared to be chunked. Servers that state it
// twice chunk once.
func (h *Head) Chunked() bool { return slices.Contains(h.transferEncoding, "chunked") }

// Codings lists the codings of the body besides chunked, in the order applied:
// transfer codings come after content codings (RFC 9112 §7).
func (h *Head) Codings() []string {
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

// Missing is how many bytes a body of n lacks by its Content-Length, or by the one that
// the crawler replaced; 0 where that may count other bytes: the transferred ones,
// before codings were undone.
func (h *Head) Missing(n int) int64 {
	declared, coded := h.contentLength, h.decoded || len(h.contentEncoding) > 0
	if !h.dechunked {
		declared = max(declared, h.originalLength)
	}
	if len(h.transferEncoding) > 0 || coded && (n > 0 || declared <= emptyCoded) {
		return 0
	}
	return max(declared-int64(n), 0)
}
