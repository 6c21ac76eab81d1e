package finding

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// citedCapture is what the table robots adds to a finding: of the capture that it rests on, and of those that its
// grounds are about.
type citedCapture struct {
	RecordType string
	HopURLs    []string // shortened
	// of the record that has the body, where that is another, if a table has it, and of the copy that allows
	BodyType, ContestedType string
	FinalStatus             *int16
	Others                  []string // of each ground, in words; "": it is about the governing capture, or the fetch
}

const maxHops = 6 // shown of a redirect

// Captures counts changes of robots.txt, and has the captures of the origin in hand for its findings. Captures
// come origin by origin, before the findings.
type Captures struct {
	origin string             // in hand
	here   []capture          // as many as the origin has
	made   []maker            // of these
	known  map[makerKey]int32 // indexes in made
	last   string             // what the capture before says
	tables map[string]bool    // of robots.txt, that have captures of the origin
}

// capture is one of the origin in hand, of which there may be very many.
type capture struct {
	id, time int64 // time: noTime where none is known
	by       int32 // index in Captures.made
}

const noTime = math.MinInt64

// maker is who made captures, and what else they have in common.
type maker struct {
	agent       string
	recordType  string
	hops        []string
	finalStatus *int16
}

// makerKey is a maker that can be compared.
type makerKey struct {
	agent, recordType, hops string
	finalStatus             int16
	isKnown                 bool // finalStatus
}

// Add adds a capture. It reports whether what it says differs from the one before.
func (t *Captures) Add(row *report.RobotsRow) (changed bool) {
	if row.Origin != t.origin || t.known == nil {
		*t = Captures{origin: strings.Clone(row.Origin), here: t.here[:0], known: make(map[makerKey]int32)}
	}
	if row.RecordType == facts.TypeRow.String() && !t.tables[row.WARCFilename] {
		if t.tables == nil {
			t.tables = make(map[string]bool)
		}
		t.tables[strings.Clone(row.WARCFilename)] = true
	}
	if row.FetchTime != nil && (row.Outcome == "rules" || row.Outcome == "unavailable") {
		says := row.Outcome + row.BodyDigest
		changed = t.last != "" && t.last != says
		t.last = says
	}
	c := capture{id: row.RobotsID, time: noTime, by: t.maker(row)}
	if row.FetchTime != nil {
		c.time = *row.FetchTime
	}
	t.here = append(t.here, c)
	return changed
}

// maker returns the index of that of a capture.
func (t *Captures) maker(row *report.RobotsRow) int32 {
	m := maker{row.Agent, row.RecordType, row.HopURLs, row.FinalStatus}
	key := makerKey{agent: m.agent, recordType: m.recordType, hops: strings.Join(m.hops, "\n")}
	if m.finalStatus != nil {
		key.finalStatus, key.isKnown = *m.finalStatus, true
	}
	i, known := t.known[key]
	if !known {
		i = int32(len(t.made))
		t.known[key], t.made = i, append(t.made, m)
	}
	return i
}

// Cite completes a finding of the origin in hand.
func (t *Captures) Cite(f *Case) {
	if c, by := t.find(f.RobotsID); c != nil {
		f.Cited = citedCapture{RecordType: by.recordType, FinalStatus: by.finalStatus}
		if f.hasOtherBody() && t.tables[f.RobotsBodyFile] {
			f.Cited.BodyType = facts.TypeRow.String()
		}
		for _, hop := range by.hops[:min(len(by.hops), maxHops)] {
			f.Cited.HopURLs = append(f.Cited.HopURLs, strings.Clone(prose.Clip(hop, prose.MaxName)))
		}
	}
	if c, by := t.find(f.ContestedRobotsID); c != nil {
		f.Cited.ContestedType = by.recordType
	}
	f.Cited.Others = make([]string, len(f.Grounds))
	for i, g := range f.Grounds {
		if c, by := t.find(g.RobotsID); c != nil && g.RobotsID != f.RobotsID {
			f.Cited.Others[i] = prose.Moment(c.moment()) + f.madeBy(by.recordType, by.agent)
		}
	}
}

// moment is when it was made; nil: nobody knows.
func (c *capture) moment() *int64 {
	if c.time == noTime {
		return nil
	}
	return &c.time
}

// find returns a capture of the origin in hand, and who made it; nil: there is none.
func (t *Captures) find(id int64) (*capture, *maker) {
	i, there := slices.BinarySearchFunc(t.here, id, func(c capture, id int64) int { return cmp.Compare(c.id, id) })
	if !there {
		return nil, nil
	}
	return &t.here[i], &t.made[t.here[i].by]
}
