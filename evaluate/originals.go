package evaluate

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// said is what a record tells of its use, raw.
type said struct {
	headers, metas string
	mimeType       string
	flags          ingest.Flags // of them FlagPolicyHeadersCut
	from           PageSource
}

func saidBy(f *ingest.Fetch) said {
	return said{f.PolicyHeaders, f.Metas, f.MIMEType, f.Flags & ingest.FlagPolicyHeadersCut, PageOwn}
}

// nothing reports whether nothing is said, for sure.
func (s *said) nothing() bool {
	return s.headers == "" && s.metas == "" && s.flags == 0 && s.from == PageOwn
}

// Bounds of what is remembered of one origin for its revisits. Beyond them all is
// forgotten, and a later revisit's tags are unknown.
const (
	maxOriginals    = 1 << 16
	maxOriginalText = 16 << 20 // octets
)

// originals remembers the records of the origin in hand that revisits may refer to.
// Fetches come in order of time, and an original comes before its revisit. Those
// elsewhere have been found before (findOriginals).
type originals struct {
	byURL     map[string][]original // the latest last
	count     int
	size      int
	elsewhere *cursor[ingest.Fetch] // of originalRuns
}

type original struct {
	said
	time   ingest.Time
	status int16
	digest string
}

func originalOf(f *ingest.Fetch) original {
	return original{saidBy(f), f.Time(), f.Status, f.PayloadDigest}
}

func newOriginals() *originals { return &originals{byURL: make(map[string][]original)} }

func (o *originals) forget() {
	clear(o.byURL)
	o.count, o.size = 0, 0
}

// said returns what a fetch tells of its use. That of a revisit or 304 is its
// original's, but for the header fields that it has itself (draft-illyes-repext-03
// §3.1.4). Fetches are to be asked for in the order of the facts.
func (o *originals) said(f *ingest.Fetch) said {
	own := saidBy(f)
	if f.Type != ingest.Revisit && !isUnmodified(f) {
		o.add(f)
		return own
	}
	found := o.find(f)
	if found == nil {
		own.from = PageUnknown
		return own
	}
	return said{
		tag.Inherit(found.headers, f.PolicyHeaders), found.metas, cmp.Or(f.MIMEType, found.mimeType),
		own.flags | found.flags, PageOriginal,
	}
}

// isUnmodified reports whether f tells that what was got before has not changed.
func isUnmodified(f *ingest.Fetch) bool {
	return f.Status == http.StatusNotModified || f.Type == ingest.Revisit && f.Profile == ingest.RevisitNotModified
}

func (o *originals) add(f *ingest.Fetch) {
	size := len(f.URL) + len(f.PayloadDigest) + len(f.PolicyHeaders) + len(f.Metas) + len(f.MIMEType)
	if !canLend(f) || !f.Time().Known() || f.Flags&ingest.FlagURLCut != 0 || size > maxOriginalText {
		return
	}
	if o.count >= maxOriginals || o.size+size > maxOriginalText {
		o.forget()
	}
	o.count++
	o.size += size
	o.byURL[f.URL] = append(o.byURL[f.URL], originalOf(f))
}

// find looks for the original: by the URL and date or by the record id that the revisit
// names, else by its own URL and payload digest; of what was not modified, the latest
// success.
func (o *originals) find(f *ingest.Fetch) *original {
	if found := o.foundElsewhere(f); found != nil {
		return found
	}
	url, date := cmp.Or(f.RefersToURL, f.URL), f.RefersToDate()
	if date.Known() {
		chosen := choice{revisit: f}
		list := o.byURL[url]
		for i := range list {
			chosen.consider(&list[i])
		}
		if found := chosen.original(); found != nil {
			return found
		}
	}
	list := o.byURL[f.URL]
	named, unmodified := ingest.DigestKey(f.PayloadDigest) != "", isUnmodified(f)
	for i := len(list) - 1; i >= 0; i-- {
		c := &list[i]
		switch {
		case unmodified && c.status/100 == 2 && !date.Known():
			return c
		case !unmodified && named && strings.EqualFold(c.digest, f.PayloadDigest) && (f.Status < 0 || c.status == f.Status):
			return c
		}
	}
	return nil
}

// foundElsewhere returns the original of f that findOriginals found.
func (o *originals) foundElsewhere(f *ingest.Fetch) *original {
	if f.Type != ingest.Revisit {
		return nil
	}
	c := o.elsewhere
	for c.row != nil && ingest.CompareFetches(c.row, f) < 0 {
		c.advance()
	}
	if c.row == nil || ingest.CompareFetches(c.row, f) != 0 {
		return nil
	}
	found := originalOf(c.row)
	return &found
}

// choice picks, from the records that bear the name that a revisit gives its original,
// that original.
type choice struct {
	revisit  *ingest.Fetch
	found    *original
	disputed bool // another fits as well, and says something else
}

// consider prefers the one with the revisit's payload digest.
func (c *choice) consider(o *original) {
	digest := c.revisit.PayloadDigest
	switch {
	case !o.fits(c.revisit):
	case c.found == nil:
		c.found = o
	case sameDigest(o.digest, digest) && !sameDigest(c.found.digest, digest):
		c.found, c.disputed = o, false
	case sameDigest(o.digest, digest) == sameDigest(c.found.digest, digest):
		c.disputed = c.disputed || o.said != c.found.said
	}
}

// original is nil where none fits, or where nobody knows which it is.
func (c *choice) original() *original {
	if c.disputed {
		return nil
	}
	return c.found
}

// fits reports whether o, which has the name that a revisit gives, can be its original:
// of the same date, where it names one, and, unless it only was not modified, with its
// status and its payload.
func (o *original) fits(f *ingest.Fetch) bool {
	if date := f.RefersToDate(); date.Known() && (!o.time.Known() || o.time.MicrosSince(date) != 0) {
		return false
	}
	return isUnmodified(f) || (f.Status < 0 || o.status == f.Status) && !contradictDigests(o.digest, f.PayloadDigest)
}
