package evaluate

import (
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// group is what one origin holds that chases may look for: its policy captures
// and, where asked for, other fetches.
type group struct {
	place
	captures []ingest.Capture
	byURL    map[string]*shelf
	scanned  map[string]bool // URLs whose fetches are all here
}

// shelf is the captures of one URL, so ordered that nobody has to look at all of
// them: a host may have been asked for its robots.txt every minute for years.
type shelf struct {
	all       []*ingest.Capture            // in the order of the facts, by time
	successes []*ingest.Capture            // those of a GET with a 2xx
	originals map[string][]*ingest.Capture // those that may lend their body, by payload digest; made when first asked for
	named     map[string][]*ingest.Capture // the same by record id; likewise
	coarsest  ingest.Precision             // of the dates
}

func newGroup() *group {
	return &group{byURL: make(map[string]*shelf), scanned: make(map[string]bool)}
}

// keptRows is how many rows memory is kept for from one origin to the next.
const keptRows = 256

// begin forgets an origin for the next, in the same memory unless that is much.
func (g *group) begin(p place) {
	if len(g.byURL) > keptRows {
		*g = *newGroup()
	}
	g.place, g.captures = p, emptied(g.captures)
	clear(g.byURL)
	clear(g.scanned)
}

// emptied returns the memory of list for another, unless that is much.
func emptied[T any](list []T) []T {
	if cap(list) > keptRows {
		return nil
	}
	clear(list)
	return list[:0]
}

func (g *group) add(c *ingest.Capture) error {
	g.captures = append(g.captures, *c)
	kept := &g.captures[len(g.captures)-1]
	kept.PolicyHeaders, kept.Metas, kept.Via = "", "", "" // may be long, and are not needed
	return nil
}

// shelf returns the captures of a URL, none where there are none.
func (g *group) shelf(key string) *shelf {
	s := g.byURL[key]
	if s == nil {
		s = new(shelf)
		g.byURL[key] = s
	}
	return s
}

// index makes the captures findable by URL, once they are all here.
func (g *group) index() {
	for i := range g.captures {
		c := &g.captures[i]
		u, _ := weburl.Parse(c.URL)
		s := g.shelf(urlKey(u))
		s.all = append(s.all, c)
	}
	for _, s := range g.byURL {
		s.arrange()
	}
}

// arrange fills in what follows from all.
func (s *shelf) arrange() {
	slices.SortFunc(s.all, func(a, b *ingest.Capture) int { return ingest.CompareFetches(&a.Fetch, &b.Fetch) })
	*s = shelf{all: s.all, coarsest: ingest.PrecisionMicrosecond}
	for _, c := range s.all {
		if c.Time().Known() {
			s.coarsest = min(s.coarsest, c.Precision)
		}
		if c.Method == http.MethodGet && c.Status/100 == 2 {
			s.successes = append(s.successes, c)
		}
	}
}

// upTo returns how many of list, which is in order of time, are dated micros or
// earlier.
func upTo(list []*ingest.Capture, micros int64) int {
	return sort.Search(len(list), func(i int) bool { return list[i].Micros > micros })
}

// between returns the captures of which, at their precision and t's, some moment
// lies from before t by back to after t by ahead. There may be a few more.
func (s *shelf) between(t ingest.Time, back, ahead int64) []*ingest.Capture {
	from := upTo(s.all, t.Micros-back-unit(s.coarsest)-1)
	return s.all[from:max(from, upTo(s.all, t.Micros+ahead+unit(t.Precision)))]
}

// complete reports whether all captures of the URL are in the group.
func (g *group) complete(key string) bool { return g.scanned[key] }

// addFetches adds the fetches of the URLs that chases look for and that are no
// policy by their path.
func (g *group) addFetches(fetches *cursor[ingest.Fetch], chases []chase) error {
	for i := range chases {
		if !chases[i].wantsPolicy() {
			g.scanned[chases[i].WantKey] = true
		}
	}
	if len(g.scanned) == 0 {
		return nil
	}
	held := make(map[mark]bool) // a fetch does not tell whether its body is in the pack; its capture does
	for key := range g.scanned {
		for _, c := range g.shelf(key).all {
			held[markOf(&c.Fetch)] = true
		}
	}
	err := fetches.each(g.place, func(f *ingest.Fetch) error {
		u, _ := weburl.Parse(f.URL)
		key := urlKey(u)
		if !g.scanned[key] || held[markOf(f)] {
			return nil
		}
		held[markOf(f)] = true
		c := &ingest.Capture{Fetch: *f, Kind: ingest.CaptureTarget}
		c.PolicyHeaders, c.Metas, c.Via = "", "", ""
		s := g.shelf(key)
		s.all = append(s.all, c)
		return nil
	})
	for key := range g.scanned {
		g.shelf(key).arrange()
	}
	return err
}

// nearest finds the capture that a redirect led to: the nearest within an hour
// after, else the latest within a day before. Crawlers follow within the second at
// which dates are given, so one at the same moment counts as after, unless the
// chase comes from there: a server may well redirect a URL to itself once.
func (g *group) nearest(ch *chase) *ingest.Capture {
	var before, after *ingest.Capture
	for _, c := range g.shelf(ch.WantKey).between(ch.wantTime(), day, hour) {
		if c.Method != http.MethodGet || !c.Time().Known() {
			continue
		}
		gap := c.Time().MicrosSince(ch.wantTime())
		switch {
		case gap >= 0 && gap <= hour && !ch.visited(c):
			if after == nil {
				after = c
			}
		case gap <= 0 && gap >= -day:
			before = c
		}
	}
	if after != nil {
		return after
	}
	return before
}

// original finds the record that a revisit names by URL and date, or without a date
// by its id. It has the revisit's own status, where that has one.
func (g *group) original(ch *chase) *ingest.Capture {
	if !ch.wantTime().Known() {
		return g.shelf(ch.WantKey).byID(ch)
	}
	var found *ingest.Capture
	for _, c := range g.shelf(ch.WantKey).between(ch.wantTime(), 0, 0) {
		if !c.Time().Known() || c.Time().MicrosSince(ch.wantTime()) != 0 || !ch.isOriginal(c) {
			continue
		}
		if found == nil || sameDigest(c.PayloadDigest, ch.CurDigest) {
			found = c
		}
	}
	return found
}

// byID finds the original that a revisit names by record id: the only one of that id
// and status, whose digest does not say otherwise. There are writers that use an id
// twice.
func (s *shelf) byID(ch *chase) *ingest.Capture {
	if s.named == nil {
		s.named = make(map[string][]*ingest.Capture)
		for _, c := range s.all {
			if c.RecordID != "" && canLend(&c.Fetch) {
				s.named[c.RecordID] = append(s.named[c.RecordID], c)
			}
		}
	}
	var found *ingest.Capture
	for _, c := range s.named[ch.CurRefersTo] {
		switch {
		case !ch.isOriginal(c):
		case found != nil:
			return nil
		default:
			found = c
		}
	}
	if found == nil || !ch.CurUnmodified && contradictDigests(found.PayloadDigest, ch.CurDigest) {
		return nil
	}
	return found
}

// contradictDigests reports whether two payload digests name different octets.
func contradictDigests(a, b string) bool {
	if a == b {
		return false
	}
	x, y := ingest.DigestKey(a), ingest.DigestKey(b)
	label, _, _ := strings.Cut(x, ":")
	other, _, _ := strings.Cut(y, ":")
	return x != "" && y != "" && label == other && x != y
}

// canLend reports whether f has a body of its own that revisits may refer to.
func canLend(f *ingest.Fetch) bool {
	return f.Type != ingest.Revisit && f.Method == http.MethodGet && f.Status != http.StatusNotModified
}

// isOriginal reports whether c can be the original of the record in hand: of
// records with the same payload, one with the same status.
func (ch *chase) isOriginal(c *ingest.Capture) bool {
	return canLend(&c.Fetch) && (ch.CurUnmodified || ch.CurStatus < 0 || ch.CurStatus == c.Status)
}

// byDigest finds an original of the same URL with the same payload digest: the
// latest before the revisit, else the earliest after.
func (g *group) byDigest(ch *chase) *ingest.Capture {
	list := g.shelf(ch.WantKey).lenders(ch.CurDigest)
	n := upTo(list, ch.CurMicros)
	for _, c := range slices.Backward(list[:n]) {
		if ch.isOriginal(c) {
			return c
		}
	}
	for _, c := range list[n:] {
		if ch.isOriginal(c) {
			return c
		}
	}
	return nil
}

// lenders returns the captures of a payload digest that may lend their body.
func (s *shelf) lenders(digest string) []*ingest.Capture {
	if s.originals == nil {
		s.originals = make(map[string][]*ingest.Capture)
		for _, c := range s.all {
			if canLend(&c.Fetch) {
				key := ingest.DigestKey(c.PayloadDigest)
				s.originals[key] = append(s.originals[key], c)
			}
		}
	}
	return s.originals[ingest.DigestKey(digest)]
}

// sameDigest reports whether two payload digests name the same octets.
func sameDigest(a, b string) bool {
	key := ingest.DigestKey(a)
	return key != "" && key == ingest.DigestKey(b)
}

// latest finds the latest 2xx of the URL at or before the time of the 304.
func (g *group) latest(ch *chase) *ingest.Capture {
	t, list := ch.curTime(), g.shelf(ch.WantKey).successes
	for _, c := range slices.Backward(list[:upTo(list, t.Micros+unit(t.Precision))]) {
		if c.Time().Known() && c.Time().MicrosSince(t) <= 0 && !ch.visited(c) {
			return c
		}
	}
	return nil
}
