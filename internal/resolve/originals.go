package resolve

import (
	"cmp"
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Source states where the statements of a fetch are from.
type Source uint8

// The sources. The zero value is its own record.
const (
	SourceOwn      Source = iota
	SourceOriginal        // the original of a revisit or 304 (draft-illyes-repext-03 §3.1.4)
	SourceUnknown         // some may be missing: there is no original
)

// Sources is indexed by Source.
var Sources = []words.Word{
	SourceOriginal: {
		Name:    "original",
		Meaning: "The original of a revisit or a 304, which may be in another archive or origin.",
	},
	SourceUnknown: {
		Name: "unknown",
		Meaning: "Some tags may be missing: no record was read, the page or its head was cut or too long, a coding " +
			"could not be undone, the original of a revisit is missing, in doubt or one of several, or captures of " +
			"robots.txt of one moment differ.",
	},
}

func (s Source) String() string { return words.Name(Sources, s) }

// Statements are the raw statements of a record about its use.
type Statements struct {
	Headers, Metas string
	MimeType       string
	Flags          facts.Flags // of them stated
	From           Source
}

// stated are the flags of a record's statements.
const stated = facts.FlagPolicyHeadersCut | facts.FlagChallenge

// StatementsOf returns a record's own statements.
func StatementsOf(f *facts.Fetch) Statements {
	from := SourceOwn
	if f.IsIndexed() {
		from = SourceUnknown
	}
	return Statements{f.PolicyHeaders, f.Metas, f.MIMEType, f.Flags & stated, from}
}

// IsEmpty reports whether nothing is said, for sure.
func (s *Statements) IsEmpty() bool {
	return s.Headers == "" && s.Metas == "" && !s.IsCut() && s.From == SourceOwn
}

// IsCut reports whether header fields may be missing.
func (s *Statements) IsCut() bool { return s.Flags&facts.FlagPolicyHeadersCut != 0 }

// IsChallenge reports whether the record is no page, but demands a proof that the client is no crawler.
func (s *Statements) IsChallenge() bool { return s.Flags&facts.FlagChallenge != 0 }

// Bounds of what is remembered of one origin for its revisits. Beyond them the oldest
// are forgotten, and the tags of their revisits are unknown.
const (
	maxOriginals    = 1 << 16
	maxOriginalText = 16 << 20 // bytes

	maxLatest = 1024 // of a URL, the latest, among which an original is looked for without its date
)

// Originals remembers the records of the origin in hand that revisits may refer to.
// Fetches come in order of time, and an original comes before its revisit. Those
// elsewhere have been found before (FindOriginals).
type Originals struct {
	byURL     map[string][]original      // by time
	order     []string                   // the URL of each, the oldest first
	forgotten int                        // of order, at its front
	size      int                        // bytes of their texts
	coarsest  facts.Precision            // of their dates
	Full      bool                       // the oldest were forgotten
	Elsewhere *facts.Cursor[facts.Fetch] // rows of FindOriginals
}

type original struct {
	Statements
	at     facts.Spot
	rival  facts.Spot // of unclear: another that fits
	time   facts.Time
	status int16
	digest string
}

func originalOf(f *facts.Fetch) original {
	return original{
		Statements: StatementsOf(f), at: facts.SpotOf(f), time: f.Time(), status: statusOf(f), digest: f.PayloadDigest,
	}
}

// unclear stands for the original of a revisit that several fit which differ, such as these two. Some of
// their statements may be missing, as with fields that are cut.
func unclear(one, other *original) *original {
	return &original{Statements: Statements{Flags: facts.FlagPolicyHeadersCut}, at: one.at, rival: other.at}
}

// size is how many bytes of text the original of a URL holds.
func (o *original) size(url string) int {
	return len(url) + len(o.digest) + len(o.Headers) + len(o.Metas) + len(o.MimeType)
}

// NewOriginals remembers nothing yet.
func NewOriginals() *Originals {
	o := new(Originals)
	o.Forget()
	return o
}

// Forget makes room for another origin.
func (o *Originals) Forget() {
	*o = Originals{
		byURL: make(map[string][]original), coarsest: facts.PrecisionMicrosecond, Elsewhere: o.Elsewhere,
	}
}

// StatementsFor returns the statements of a fetch about its use, and where its original is, or two that may be
// it and differ; the zero Spot stands for none. A revisit or 304 has its original's statements, but for the
// header fields that it has itself (draft-illyes-repext-03 §3.1.4). Fetches are to be passed in the order
// of the facts.
func (o *Originals) StatementsFor(f *facts.Fetch) (Statements, [2]facts.Spot) {
	own := StatementsOf(f)
	if o.Remember(f) {
		return own, [2]facts.Spot{}
	}
	found := o.find(f)
	if found == nil {
		own.From = SourceUnknown
		return own, [2]facts.Spot{}
	}
	borrowed := found.Flags
	if isUnmodified(f) { // what that has is a page
		borrowed &^= facts.FlagChallenge
	}
	return Statements{
		tag.Inherit(found.Headers, f.PolicyHeaders), found.Metas, cmp.Or(f.MIMEType, found.MimeType),
		own.Flags | borrowed, SourceOriginal,
	}, [2]facts.Spot{found.at, found.rival}
}

// Remember remembers a fetch, unless it is a revisit or 304, and reports whether it is not.
func (o *Originals) Remember(f *facts.Fetch) bool {
	isRecord := f.IsIndexed() || f.Type != facts.TypeRevisit && !isUnmodified(f)
	if isRecord {
		o.add(f)
	}
	return isRecord
}

// isUnmodified reports whether f states that what was got before has not changed.
func isUnmodified(f *facts.Fetch) bool {
	return f.Status == http.StatusNotModified || f.Type == facts.TypeRevisit && f.Profile == facts.RevisitNotModified
}

func (o *Originals) add(f *facts.Fetch) {
	one := originalOf(f)
	size := one.size(f.URL)
	if !hasOwnBody(f) || !f.Time().Known() || f.Flags&facts.FlagURLCut != 0 || size > maxOriginalText {
		return
	}
	for len(o.order)-o.forgotten >= maxOriginals || o.size+size > maxOriginalText {
		o.dropOldest()
	}
	o.size += size
	o.coarsest = min(o.coarsest, f.Precision)
	o.order = append(o.order, f.URL)
	o.byURL[f.URL] = append(o.byURL[f.URL], one)
}

func (o *Originals) dropOldest() {
	o.Full = true
	url := o.order[o.forgotten]
	list := o.byURL[url]
	o.size -= list[0].size(url)
	list[0] = original{} // whose texts the list would keep
	if o.byURL[url] = list[1:]; len(list) == 1 {
		delete(o.byURL, url)
	}
	o.order[o.forgotten] = ""
	if o.forgotten++; 2*o.forgotten > len(o.order) {
		o.order, o.forgotten = slices.Delete(o.order, 0, o.forgotten), 0
	}
}

// dated returns the records of a URL whose time may equal a date, at their precisions. There
// may be a few more.
func (o *Originals) dated(url string, date facts.Time) []original {
	list := o.byURL[url]
	from := sort.Search(len(list), func(i int) bool { return list[i].time.Micros >= date.Micros-o.coarsest.Unit() })
	to := sort.Search(len(list), func(i int) bool { return list[i].time.Micros > date.Micros+date.Precision.Unit() })
	return list[from:max(from, to)]
}

// find looks for the original: by the URL and date or by the record id that the revisit
// names, else by its own URL and payload digest; of what was not modified, the latest
// success. Where several fit that differ, nobody knows which it is.
func (o *Originals) find(f *facts.Fetch) *original {
	if found := o.foundElsewhere(f); found != nil {
		return found
	}
	url, date := cmp.Or(f.RefersToURL, f.URL), f.RefersToDate()
	if date.Known() {
		chosen := choice{revisit: f}
		list := o.dated(url, date)
		for i := range list {
			chosen.consider(&list[i])
		}
		if found := chosen.original(); found != nil {
			return found
		}
	}
	list := o.byURL[f.URL]
	named, unmodified := digest.Key(f.PayloadDigest) != "", isUnmodified(f)
	var latest *original
	list = list[max(0, len(list)-maxLatest):]
	for i := len(list) - 1; i >= 0; i-- {
		c := &list[i]
		if latest != nil && c.time.MicrosSince(latest.time) != 0 {
			break
		}
		switch {
		case unmodified && c.status/100 == 2 && !date.Known():
			if c.contradicts(f) {
				return nil
			}
		case !unmodified && named && strings.EqualFold(c.digest, f.PayloadDigest) &&
			(f.Status < 0 || c.status == f.Status):
		default:
			continue
		}
		if latest != nil && c.Statements != latest.Statements {
			return unclear(latest, c)
		}
		latest = c
	}
	return latest
}

// foundElsewhere returns the original of f that FindOriginals found.
func (o *Originals) foundElsewhere(f *facts.Fetch) *original {
	if f.Type != facts.TypeRevisit {
		return nil
	}
	c := o.Elsewhere
	for c.Row != nil && facts.CompareFetches(c.Row, f) < 0 {
		c.Advance()
	}
	if c.Row == nil || facts.CompareFetches(c.Row, f) != 0 {
		return nil
	}
	found := originalOf(c.Row)
	spots := [2]facts.Spot{}
	for i, step := range stepsOf(c.Row.Location) {
		spots[i] = step.Spot
	}
	found.at, found.rival = spots[0], spots[1]
	return &found
}

// choice picks, from the records that bear the name that a revisit gives its original,
// that original.
type choice struct {
	revisit *facts.Fetch
	found   *original
	rival   *original // fits as well, and differs; nil: none does
}

// consider prefers the one with the revisit's payload digest.
func (c *choice) consider(o *original) {
	digest := c.revisit.PayloadDigest
	switch {
	case !o.fits(c.revisit):
	case c.found == nil:
		c.found = o
	case sameDigest(o.digest, digest) && !sameDigest(c.found.digest, digest):
		c.found, c.rival = o, nil
	case sameDigest(o.digest, digest) == sameDigest(c.found.digest, digest) && o.Statements != c.found.Statements:
		c.rival = cmp.Or(c.rival, o)
	}
}

// original is nil where none fits.
func (c *choice) original() *original {
	if c.rival != nil {
		return unclear(c.found, c.rival)
	}
	return c.found
}

// fits reports whether o, which has the name that a revisit gives, can be its original:
// of the same date, where it names one, with its payload, and, unless it only was not
// modified, with its status.
func (o *original) fits(f *facts.Fetch) bool {
	if date := f.RefersToDate(); date.Known() && (!o.time.Known() || o.time.MicrosSince(date) != 0) {
		return false
	}
	return !o.contradicts(f) && (isUnmodified(f) || f.Status < 0 || o.status == f.Status)
}

// contradicts reports whether a revisit states another payload than o, whatever
// it refers to. A digest of what came with a 304 does not describe the original, and neither does that of nothing.
func (o *original) contradicts(f *facts.Fetch) bool {
	return f.Type == facts.TypeRevisit && digest.Key(f.PayloadDigest) != "" &&
		contradictDigests(o.digest, f.PayloadDigest)
}
