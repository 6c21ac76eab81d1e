package reading

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/challenge"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/tag/markup"
)

// pagePrefixes are the bytes that are read of a page, as stored: nearly every
// head ends in the first, and where one does not, more is read, once and again.
var pagePrefixes = [...]int{firstPage, morePage, markup.MaxScan}

// mayBePage reports whether a payload may be HTML: by its type or, without one,
// by its first bytes (WHATWG MIME Sniffing §7). A revisit has none
// of its own.
func (x *exchange) mayBePage() bool {
	return x.Type != facts.TypeRevisit && (x.MIMEType == "text/html" || x.MIMEType == typeXHTML || x.isUntyped())
}

const typeXHTML = "application/xhtml+xml"

// isUntyped reports whether the media type of a payload is not known: none is stated, or what is none, such as
// "text/html charset=utf-8", or that it is not known (WHATWG MIME Sniffing §5.2).
func (x *exchange) isUntyped() bool {
	switch x.MIMEType {
	case "", "*/*", "unknown/unknown", "application/unknown":
		return true
	}
	top, sub, _ := strings.Cut(x.MIMEType, "/")
	return top == "" || sub == "" || strings.ContainsAny(x.MIMEType, " \t,\"=") || strings.IndexByte(sub, '/') >= 0
}

// scanPage keeps the statements about use in a page's beginning. Codings are undone
// as far as that goes. It returns the payload anew, with what was read of it.
func (e *extractor) scanPage(d *draft, h *httpmsg.Head, stored io.Reader) (io.Reader, error) {
	r, x := d.record, d.exchange
	raw := e.page[:0]
	defer func() { e.page = raw[:0] }()
	for _, limit := range pagePrefixes {
		n := len(raw)
		raw = slices.Grow(raw, limit-n)
		got, err := io.ReadFull(stored, raw[n:limit])
		raw = raw[:n+got]
		ended := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !ended {
			return nil, err
		}
		x.pageCut = ended && x.lacks(h, len(raw))
		more := !ended || x.pageCut || r.SegmentNumber == 1 || r.Short > 0 || x.Truncated != ""
		body, met := httpmsg.Decode(raw, h, more)
		if !more {
			d.keepSize(body, met)
		}
		if limit == firstPage && challenge.InPage(body) {
			x.Flags |= facts.FlagChallenge
		}
		found := x.findMetas(&e.tags, body, h, met, more || met&httpmsg.FaultCut != 0)
		e.metas = found.Append(e.metas[:0])
		x.Metas = string(e.metas)
		if ended || !found.Open || len(body) >= markup.MaxScan {
			break
		}
	}
	return e.scanned.of(raw, stored), nil
}

// lacks reports whether n bytes are not all of the page: the crawler has cut it, or left
// it out. Of what is no page, nothing is missing: a redirect that was followed, or an answer
// that has no content (RFC 9110 §6.4.1).
func (x *exchange) lacks(h *httpmsg.Head, n int) bool {
	switch {
	case x.Status/100 == 1, x.Status == http.StatusNoContent, x.Status == http.StatusNotModified, x.Status/100 == 3 &&
		x.Location != "":
		return false
	}
	return h.Missing(n) > 0
}

// unknownMetas are the metas of a page that nobody can read.
var unknownMetas = tag.Found{Cut: true, Open: true}

// findMetas scans the beginning of a decoded body. Metas after the head bind
// nobody (draft-illyes-repext-03 §4), so a body that goes on after a head
// without tags has no tags. Of a coding that was not undone, whatever the
// headers state of it, nothing is known.
func (x *exchange) findMetas(in *markup.Scanner, body []byte, h *httpmsg.Head, met httpmsg.Faults,
	more bool,
) tag.Found {
	sniffed := http.DetectContentType(body)
	coded := !strings.HasPrefix(sniffed, "text/") && x.isStillCoded(body, sniffed, h, met)
	switch {
	case x.isUntyped() && !strings.HasPrefix(sniffed, "text/html") &&
		!(coded && met&httpmsg.FaultFalseEncoding != 0):
		return tag.Found{}
	case coded:
		return unknownMetas
	}
	found := in.Scan(body, charset(h.ContentType), x.MIMEType == typeXHTML, more)
	if len(found.Items) == 0 && !found.Open && !found.More {
		found.Cut = false
	}
	return found
}

// isStillCoded reports whether a body that begins like no text may be a page in a coding
// that was not undone: what is an image or the like in truth is no page.
func (x *exchange) isStillCoded(body []byte, sniffed string, h *httpmsg.Head, met httpmsg.Faults) bool {
	switch {
	case met&(httpmsg.FaultFalseEncoding|httpmsg.FaultUndeclaredGzip) != 0:
		return true
	case sniffed != "application/octet-stream" && sniffed != "application/x-gzip":
		return false
	case strings.HasPrefix(strings.ToLower(charset(h.ContentType)), "utf-16"):
		return false
	}
	return httpmsg.IsBinary(body)
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
