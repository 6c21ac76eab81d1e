package document

import (
	"context"
	"fmt"
	"slices"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
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

// captureReader goes through the table robots: it completes the findings, and counts changes.
type captureReader struct {
	wanted   map[int64][]*found // by robots_id
	lengths  map[place]int64    // of the records asked for
	timeline *timelineTally
	causes   *unknownTally

	origin string // in hand
	here   []capture
	cited  []*found
	last   string // what the capture before says
}

// place is where a record lies.
type place struct {
	file   string
	offset int64
}

// capture is one of the origin in hand that says something.
type capture struct {
	id, time int64
	agent    string
}

// readCaptures reads the table robots.
func (r *captureReader) read(ctx context.Context, res *results.Results) error {
	err := results.Each(ctx, res, report.RobotsTable, r.add)
	r.endOrigin()
	return err
}

func (r *captureReader) add(row *report.RobotsRow) {
	if row.Origin != r.origin {
		r.endOrigin()
		r.origin = row.Origin
	}
	at := place{row.WARCFilename, row.WARCRecordOffset}
	if _, asked := r.lengths[at]; asked {
		r.lengths[at] = row.WARCRecordLength
	}
	for _, f := range r.wanted[row.RobotsID] {
		f.cited = citedCapture{RecordType: row.RecordType, FinalStatus: row.FinalStatus}
		for _, hop := range row.HopURLs[:min(len(row.HopURLs), maxHops)] {
			f.cited.HopURLs = append(f.cited.HopURLs, Clip(hop, maxName))
		}
		r.cited = append(r.cited, f)
	}
	r.causes.addCapture(row)
	if row.FetchTime == nil || row.Outcome != "rules" && row.Outcome != "unavailable" {
		return
	}
	if says := row.Outcome + row.BodyDigest; r.last != says {
		if r.last != "" {
			r.timeline.addChange(*row.FetchTime, row.Origin)
		}
		r.last = says
	}
	if len(r.here) < maxCaptures {
		r.here = append(r.here, capture{row.RobotsID, *row.FetchTime, row.Agent})
	}
}

// endOrigin gives the findings of the origin in hand their copies.
func (r *captureReader) endOrigin() {
	for _, f := range r.cited {
		f.cited.addOthers(r.here, f)
	}
	r.here, r.cited, r.last = r.here[:0], r.cited[:0], ""
}

// addOthers finds the captures that the crawler may have used for a fetch.
func (c *citedCapture) addOthers(captures []capture, f *found) {
	if f.FetchTime == nil {
		return
	}
	for _, k := range slices.Backward(captures) { // the latest first
		if k.time > *f.FetchTime || k.time < *f.FetchTime-permittedMicros || k.id == f.RobotsID {
			continue
		}
		if c.Others++; len(c.Latest) < maxCopies {
			c.Latest = append(c.Latest, fmt.Sprintf("%s by %s", moment(&k.time), orUnknown(k.agent)))
		}
	}
}

// orUnknown names a crawler.
func orUnknown(agent string) string {
	if agent == "" {
		return "a crawler that is not known by name"
	}
	return Clip(agent, maxName)
}
