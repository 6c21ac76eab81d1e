package finding

import (
	"cmp"
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
	origin string          // in hand
	here   []capture       // as many as the origin has: deciding holds more of each
	last   string          // what the capture before says
	tables map[string]bool // of robots.txt, that have captures of the origin
}

// capture is one of the origin in hand.
type capture struct {
	id          int64
	time        *int64
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
	if row.RecordType == facts.TypeRow.String() && !t.tables[row.WARCFilename] {
		if t.tables == nil {
			t.tables = make(map[string]bool)
		}
		t.tables[strings.Clone(row.WARCFilename)] = true
	}
	c := capture{
		id: row.RobotsID, time: row.FetchTime, agent: row.Agent, recordType: row.RecordType,
		hops: row.HopURLs, finalStatus: row.FinalStatus,
	}
	if row.FetchTime != nil && (row.Outcome == "rules" || row.Outcome == "unavailable") {
		says := row.Outcome + row.BodyDigest
		changed = t.last != "" && t.last != says
		t.last = says
	}
	t.here = append(t.here, c)
	return changed
}

// Cite completes a finding of the origin in hand.
func (t *Captures) Cite(f *Case) {
	if c := t.find(f.RobotsID); c != nil {
		f.Cited = citedCapture{RecordType: c.recordType, FinalStatus: c.finalStatus}
		if f.hasOtherBody() && t.tables[f.RobotsBodyFile] {
			f.Cited.BodyType = facts.TypeRow.String()
		}
		for _, hop := range c.hops[:min(len(c.hops), maxHops)] {
			f.Cited.HopURLs = append(f.Cited.HopURLs, strings.Clone(prose.Clip(hop, prose.MaxName)))
		}
	}
	if c := t.find(f.ContestedRobotsID); c != nil {
		f.Cited.ContestedType = c.recordType
	}
	f.Cited.Others = make([]string, len(f.Grounds))
	for i, g := range f.Grounds {
		if c := t.find(g.RobotsID); c != nil && g.RobotsID != f.RobotsID {
			f.Cited.Others[i] = prose.Moment(c.time) + f.madeBy(c.recordType, c.agent)
		}
	}
}

// find returns a capture of the origin in hand; nil: there is none.
func (t *Captures) find(id int64) *capture {
	i, there := slices.BinarySearchFunc(t.here, id, func(c capture, id int64) int { return cmp.Compare(c.id, id) })
	if !there {
		return nil
	}
	return &t.here[i]
}
