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
	from           PageSource
}

func saidBy(f *ingest.Fetch) said { return said{f.PolicyHeaders, f.Metas, f.MIMEType, PageOwn} }

// nothing reports whether nothing is said, for sure.
func (s *said) nothing() bool { return s.headers == "" && s.metas == "" && s.from == PageOwn }

// Bounds of what is remembered of one origin for its revisits. Beyond them all is
// forgotten, and a later revisit's tags are unknown.
const (
	maxOriginals    = 1 << 16
	maxOriginalText = 16 << 20 // octets
)

// originals remembers the records of the origin in hand that revisits may refer to.
// Fetches come in order of time, and an original comes before its revisit. One of
// another origin is not looked for: the revisit's tags are unknown.
type originals struct {
	byURL map[string][]original // the latest last
	count int
	size  int
}

type original struct {
	said
	time   ingest.Time
	status int16
	digest string
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
	unmodified := f.Status == http.StatusNotModified || f.Type == ingest.Revisit && f.Profile == ingest.RevisitNotModified
	if !unmodified && f.Type != ingest.Revisit {
		o.add(f, own)
		return own
	}
	found := o.find(f, unmodified)
	if found == nil {
		own.from = PageUnknown
		return own
	}
	return said{tag.Inherit(found.headers, f.PolicyHeaders), found.metas, cmp.Or(f.MIMEType, found.mimeType), PageOriginal}
}

func (o *originals) add(f *ingest.Fetch, s said) {
	size := len(f.URL) + len(f.PayloadDigest) + len(s.headers) + len(s.metas) + len(s.mimeType)
	if f.Method != http.MethodGet || !f.Time().Known() || size > maxOriginalText {
		return
	}
	if o.count >= maxOriginals || o.size+size > maxOriginalText {
		o.forget()
	}
	o.count++
	o.size += size
	o.byURL[f.URL] = append(o.byURL[f.URL], original{s, f.Time(), f.Status, f.PayloadDigest})
}

// find looks for the original: by the URL and date that the revisit names, else by
// its own URL and payload digest; of what was not modified, the latest success.
func (o *originals) find(f *ingest.Fetch, unmodified bool) *original {
	url, date := f.RefersToURL, f.RefersToDate()
	if url == "" {
		url = f.URL
	}
	if date.Known() {
		list := o.byURL[url]
		for i := len(list) - 1; i >= 0; i-- {
			if c := &list[i]; c.time.MicrosSince(date) == 0 && (unmodified || f.Status < 0 || c.status == f.Status) {
				return c
			}
		}
	}
	list := o.byURL[f.URL]
	named := ingest.DigestKey(f.PayloadDigest) != ""
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
