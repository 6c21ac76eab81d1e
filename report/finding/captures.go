package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// citedCapture is what the table robots adds to a finding: of the capture that it rests on, and of the others that
// the crawler may have used, which are the usable captures of the 24 hours before the fetch (RFC 9309 §2.4).
type citedCapture struct {
	RecordType  string
	HopURLs     []string // shortened
	FinalStatus *int16
	Others      int64
	Latest      []string // of the others, in words
}

// permittedMicros is how long a copy may be used.
const permittedMicros = 24 * 3600 * 1e6

const (
	maxCopies   = 4       // named of a finding
	maxCaptures = 1 << 16 // of one origin, among which copies are looked for
	maxHops     = 6       // shown of a redirect
)

// Captures counts changes of robots.txt, and has the captures of the origin in hand for its findings. Captures
// come origin by origin, before the findings.
type Captures struct {
	origin string    // in hand
	here   []capture // as many as the origin has: deciding holds more of each
	usable int       // captures of here that say something, up to maxCaptures
	last   string    // what the capture before says
}

// capture is one of the origin in hand.
type capture struct {
	id, time    int64
	isUsable    bool
	agent       string
	recordType  string
	hops        []string
	finalStatus *int16
}

// Add adds a capture. It reports whether what it says differs from the one before.
func (t *Captures) Add(row *report.RobotsRow) (changed bool) {
	if row.Origin != t.origin {
		*t = Captures{origin: strings.Clone(row.Origin), here: t.here[:0]}
	}
	c := capture{
		id: row.RobotsID, time: prose.Value(row.FetchTime), agent: row.Agent, recordType: row.RecordType,
		hops: row.HopURLs, finalStatus: row.FinalStatus,
	}
	if row.FetchTime != nil && (row.Outcome == "rules" || row.Outcome == "unavailable") {
		says := row.Outcome + row.BodyDigest
		changed = t.last != "" && t.last != says
		t.last = says
		if c.isUsable = t.usable < maxCaptures; c.isUsable {
			t.usable++
		}
	}
	t.here = append(t.here, c)
	return changed
}

// Cite completes a finding of the origin in hand.
func (t *Captures) Cite(f *Case) {
	i, there := slices.BinarySearchFunc(t.here, f.RobotsID,
		func(c capture, id int64) int { return cmp.Compare(c.id, id) })
	if !there {
		return
	}
	c := &t.here[i]
	f.Cited = citedCapture{RecordType: c.recordType, FinalStatus: c.finalStatus}
	for _, hop := range c.hops[:min(len(c.hops), maxHops)] {
		f.Cited.HopURLs = append(f.Cited.HopURLs, strings.Clone(prose.Clip(hop, prose.MaxName)))
	}
	f.Cited.addOthers(t.here, f)
}

// addOthers finds the captures that the crawler may have used for a fetch.
func (c *citedCapture) addOthers(captures []capture, f *Case) {
	if f.FetchTime == nil {
		return
	}
	for _, k := range slices.Backward(captures) { // the latest first
		if !k.isUsable || k.time > *f.FetchTime || k.time < *f.FetchTime-permittedMicros || k.id == f.RobotsID {
			continue
		}
		if c.Others++; len(c.Latest) < maxCopies {
			c.Latest = append(c.Latest, fmt.Sprintf("%s by %s", prose.Moment(&k.time), prose.OrUnknown(k.agent)))
		}
	}
}
