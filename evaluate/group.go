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
	all       []*ingest.Capture            // by time, of one moment in the order of their archive
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
	slices.SortFunc(s.all, func(a, b *ingest.Capture) int { return compareInTime(&a.Fetch, &b.Fetch) })
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
		if !g.scanned[key] || held[markOf(f)] || f.Flags&ingest.FlagHostMismatch != 0 {
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

// A target is the capture of what a redirect leads to; nil where the archive holds none.
type target struct {
	capture *ingest.Capture
	follows bool // it was got at or after the redirect
}

// nearest finds the capture that a redirect led to: the nearest within an hour after,
// else the latest within a day before, the crawler's own in either window before any
// other's. Crawlers follow within the second at which dates are given, so one of the
// same moment counts as after, unless its place in the archive shows that it came
// before. A server may well redirect a URL to itself once: only where nothing else is
// near does the redirect lead back to a record already visited, which is a loop.
func (g *group) nearest(ch *chase, own func(*ingest.Capture) bool) target {
	var list [2]struct{ after, before *ingest.Capture } // the crawler's own, and others'
	var visited *ingest.Capture
	for _, c := range g.shelf(ch.WantKey).between(ch.wantTime(), day, hour) {
		if c.Method != http.MethodGet || !c.Time().Known() {
			continue
		}
		gap := c.Time().MicrosSince(ch.wantTime())
		if gap > hour || gap < -day {
			continue
		}
		whose := &list[1]
		if own(c) {
			whose = &list[0]
		}
		isVisited := ch.visited(c)
		switch {
		case !isVisited && !ch.isBefore(c):
			if whose.after == nil || ch.isNearer(c, whose.after) {
				whose.after = c
			}
		case isVisited && gap > 0:
			visited = c
		default:
			whose.before = c
		}
	}
	for _, whose := range list {
		switch {
		case whose.after != nil:
			return target{whose.after, true}
		case whose.before != nil:
			return target{whose.before, false}
		}
	}
	return target{visited, false}
}

// isNearer reports whether of two targets of one moment a stands in the archive of the
// redirect, and b in another.
func (ch *chase) isNearer(a, b *ingest.Capture) bool {
	here := ch.curSpot()
	return a.Time().MicrosSince(b.Time()) == 0 && spotOf(&a.Fetch).sameArchive(here) && !spotOf(&b.Fetch).sameArchive(here)
}

// original finds the record that a revisit names by URL and date, or without a date by
// its id. It has the revisit's own status, where that has one. contradicted says that
// there is only one whose payload digest names other bytes than the revisit's.
func (g *group) original(ch *chase) (found *ingest.Capture, contradicted bool) {
	if !ch.wantTime().Known() {
		return g.shelf(ch.WantKey).byID(ch)
	}
	for _, c := range g.shelf(ch.WantKey).between(ch.wantTime(), 0, 0) {
		switch {
		case !c.Time().Known() || c.Time().MicrosSince(ch.wantTime()) != 0 || !ch.isOriginal(c):
		case ch.contradicts(c):
			contradicted = true
		case found == nil || sameDigest(c.PayloadDigest, ch.CurDigest):
			found = c
		}
	}
	return found, contradicted && found == nil
}

// byID finds the original that a revisit names by record id: the only one of that id
// and status. There are writers that use an id twice.
func (s *shelf) byID(ch *chase) (found *ingest.Capture, contradicted bool) {
	if s.named == nil {
		s.named = make(map[string][]*ingest.Capture)
		for _, c := range s.all {
			if c.RecordID != "" && canLend(&c.Fetch) {
				s.named[c.RecordID] = append(s.named[c.RecordID], c)
			}
		}
	}
	for _, c := range s.named[ch.CurRefersTo] {
		switch {
		case !ch.isOriginal(c):
		case found != nil:
			return nil, false
		default:
			found = c
		}
	}
	if found != nil && ch.contradicts(found) {
		return nil, true
	}
	return found, false
}

// contradicts reports whether c has another payload than the revisit in hand, by digests
// of one algorithm.
func (ch *chase) contradicts(c *ingest.Capture) bool {
	return !ch.CurUnmodified && contradictDigests(c.PayloadDigest, ch.CurDigest)
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

// renewed finds the copy that a 304 says is still good: the 2xx of the URL at or before
// it which has the entity tag, or else the date of modification, that the 304 or its
// request names; where they name none, the latest. The crawler's own copies go before
// others'. It is nil where the latest copy contradicts what is named, or no copy has it.
func (g *group) renewed(ch *chase, own func(*ingest.Capture) bool) *ingest.Capture {
	t, list := ch.curTime(), g.shelf(ch.WantKey).successes
	list = list[:upTo(list, t.Micros+unit(t.Precision))]
	var latest *ingest.Capture
	for _, isOwn := range [...]bool{true, false} {
		for _, c := range slices.Backward(list) {
			if !c.Time().Known() || !ch.isNotAfter(c) || ch.visited(c) || own(c) != isOwn {
				continue
			}
			switch ch.names(c) {
			case same:
				return c
			case different:
				if latest == nil {
					return nil
				}
			case unsaid:
				if !ch.namesValidator() {
					return c
				}
			}
			if latest == nil {
				latest = c
			}
		}
	}
	return nil
}
