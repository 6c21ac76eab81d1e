package evaluate

import (
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// group is what one origin holds that chases may look for: its policy captures
// and, where asked for, other fetches.
type group struct {
	place
	captures []ingest.Capture
	byURL    map[string][]*ingest.Capture // in order of time
	scanned  map[string]bool              // URLs whose fetches are all here
}

func newGroup(p place) *group {
	return &group{place: p, byURL: make(map[string][]*ingest.Capture), scanned: make(map[string]bool)}
}

func (g *group) add(c *ingest.Capture) error {
	g.captures = append(g.captures, *c)
	return nil
}

// index makes the captures findable by URL, once they are all here.
func (g *group) index() {
	for i := range g.captures {
		c := &g.captures[i]
		u, _ := weburl.Parse(c.URL)
		key := urlKey(u)
		g.byURL[key] = append(g.byURL[key], c)
	}
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
	var found []*ingest.Capture
	err := fetches.each(g.place, func(f *ingest.Fetch) error {
		u, _ := weburl.Parse(f.URL)
		if key := urlKey(u); g.scanned[key] && !g.holds(key, f) {
			found = append(found, &ingest.Capture{Fetch: *f, Kind: ingest.CaptureTarget})
		}
		return nil
	})
	for _, c := range found {
		u, _ := weburl.Parse(c.URL)
		key := urlKey(u)
		g.byURL[key] = append(g.byURL[key], c)
	}
	for key := range g.scanned {
		slices.SortFunc(g.byURL[key], func(a, b *ingest.Capture) int { return ingest.CompareFetches(&a.Fetch, &b.Fetch) })
	}
	return err
}

// holds reports whether the group has the body of f already. The fetch itself
// knows whether its body was kept.
func (g *group) holds(key string, f *ingest.Fetch) bool {
	return slices.ContainsFunc(g.byURL[key], func(c *ingest.Capture) bool {
		return c.Input == f.Input && c.Offset == f.Offset && c.RecordID == f.RecordID || sameRecord(&c.Fetch, f)
	})
}

// nearest finds the capture that a redirect at time t led to: the nearest within
// an hour after, else the latest within a day before.
func (g *group) nearest(key string, t ingest.Time) *ingest.Capture {
	var before, after *ingest.Capture
	for _, c := range g.byURL[key] {
		if c.Method != "GET" || !c.Time().Known() {
			continue
		}
		switch gap := c.Time().MicrosSince(t); {
		case gap >= 0 && gap <= hour && after == nil:
			after = c
		case gap < 0 && gap >= -day:
			before = c
		}
	}
	if after != nil {
		return after
	}
	return before
}

// original finds the record that a revisit names by URL and date. It has the
// revisit's own status, where that has one.
func (g *group) original(ch *chase) *ingest.Capture {
	var found *ingest.Capture
	for _, c := range g.byURL[ch.WantKey] {
		if c.Type == ingest.Revisit || !c.Time().Known() || c.Time().MicrosSince(ch.wantTime()) != 0 || !ch.statusFits(c) {
			continue
		}
		if found == nil || sameDigest(c.PayloadDigest, ch.CurDigest) {
			found = c
		}
	}
	return found
}

// statusFits reports whether c can be the original of the record in hand.
func (ch *chase) statusFits(c *ingest.Capture) bool {
	return ch.CurUnmodified || ch.CurStatus < 0 || ch.CurStatus == c.Status
}

// byDigest finds an original of the same URL with the same payload digest: the
// latest before the revisit, else the earliest after.
func (g *group) byDigest(ch *chase) *ingest.Capture {
	var before, after *ingest.Capture
	for _, c := range g.byURL[ch.WantKey] {
		if c.Type == ingest.Revisit || !sameDigest(c.PayloadDigest, ch.CurDigest) || !ch.statusFits(c) {
			continue
		}
		if c.Micros <= ch.CurMicros {
			before = c
		} else if after == nil {
			after = c
		}
	}
	if before != nil {
		return before
	}
	return after
}

// sameDigest compares two payload digests. Hexadecimal ones come in both cases.
func sameDigest(a, b string) bool { return a != "" && strings.EqualFold(a, b) }

// latest finds the latest 2xx of the URL at or before the time of the 304.
func (g *group) latest(ch *chase) *ingest.Capture {
	var found *ingest.Capture
	for _, c := range g.byURL[ch.WantKey] {
		if c.Status/100 == 2 && c.Time().Known() && c.Time().MicrosSince(ch.curTime()) <= 0 && !ch.visited(c) {
			found = c
		}
	}
	return found
}
