package ingest

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// pagePrefixes are the octets that are read of a page, as stored: nearly every
// head ends in the first, and where one does not, more is read, once and again.
var pagePrefixes = [...]int{32 << 10, 256 << 10, tag.MaxScan}

// mayBePage reports whether a payload may be HTML: its type says so, or there is
// none and its first octets must tell (WHATWG MIME Sniffing §7). A revisit has none
// of its own.
func (x *exchange) mayBePage() bool {
	switch x.MIMEType {
	case "text/html", "application/xhtml+xml", "":
		return x.Type != Revisit
	}
	return false
}

// scanPage keeps what a page says of its use in its beginning. Codings are undone
// as far as that goes. It returns the payload anew, with what was read of it.
func (c *committer) scanPage(r *record, x *exchange, h *httpHead, stored io.Reader) (io.Reader, error) {
	raw := c.page[:0]
	defer func() { c.page = raw[:0] }()
	for _, limit := range pagePrefixes {
		n := len(raw)
		raw = slices.Grow(raw, limit-n)
		got, err := io.ReadFull(stored, raw[n:limit])
		raw = raw[:n+got]
		ended := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !ended {
			return nil, err
		}
		more := !ended || r.segmentNumber == 1 || r.short > 0 || x.Truncated != ""
		body, flags := decodePayload(raw, h, more)
		found := x.findMetas(&c.tags, body, charset(h.contentType), flags, more || flags&FlagBodyCut != 0)
		c.metas = found.Append(c.metas[:0])
		x.Metas = r.texts.shared(c.metas)
		if ended || !found.Open || len(body) >= tag.MaxScan {
			break
		}
	}
	return c.scanned.of(raw, stored), nil
}

// findMetas scans the beginning of a decoded body. What lies behind the head binds
// nobody (draft-illyes-repext-03 §4), so that a body that goes on behind a head
// without tags is one without tags. Of a coding that could not be undone nothing
// is known.
func (x *exchange) findMetas(in *tag.Scanner, body []byte, charset string, flags Flags, more bool) tag.Found {
	sniffed := http.DetectContentType(body)
	text := strings.HasPrefix(sniffed, "text/")
	switch {
	case x.MIMEType == "" && !strings.HasPrefix(sniffed, "text/html"):
		return tag.Found{}
	case flags&(FlagFalseEncoding|FlagUndeclaredGzip) != 0 && !text:
		return tag.Found{Cut: true, Open: true}
	}
	found := in.Scan(body, charset, more)
	if len(found.Items) == 0 && !found.Open && !found.More {
		found.Cut = false
	}
	return found
}

// charset is that of a Content-Type (RFC 9110 §8.3.2), in any case.
func charset(contentType string) string {
	for i := strings.IndexByte(contentType, ';'); i >= 0; i = strings.IndexByte(contentType, ';') {
		contentType = contentType[i+1:]
		param, _, _ := strings.Cut(contentType, ";")
		if key, value, _ := strings.Cut(param, "="); strings.EqualFold(strings.TrimSpace(key), "charset") {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}
