package report

import (
	"encoding/hex"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// cited is a robots.txt capture with its citation. Neighbouring rows mostly cite the
// same one.
type cited struct {
	state    *evaluate.State
	citation RobotsCitation
}

// cite tells which robots.txt capture a row rests on, and whence its body comes.
func (w *Writer) cite(s *evaluate.State) RobotsCitation {
	if w.cited.state == s {
		return w.cited.citation
	}
	c := RobotsCitation{
		RobotsID:       s.ID,
		RobotsURL:      locator(s.URL),
		RobotsOutcome:  s.Outcome.String(),
		RobotsTime:     micros(s.Time()),
		RobotsStatus:   status(s.Status),
		RobotsHops:     new(s.Hops),
		RobotsAgent:    text(s.Agent()),
		RobotsFilename: w.filename(s.Input, s.Entry),
		RobotsOffset:   new(s.Offset),
		RobotsLength:   s.Length,
		RobotsRecordID: text(ingest.RecordIDText(s.RecordID)),
	}
	if b := w.body(s); b != nil {
		c.RobotsBodyTime, c.RobotsBodyAgent, c.RobotsBodyDigest = b.time, b.agent, b.digest
		c.RobotsBodyFile, c.RobotsBodyOffset, c.RobotsBodyRecordID = b.filename, b.offset, b.recordID
	}
	w.cited = cited{s, c}
	return c
}

// contest tells which copy of robots.txt allows what the governing capture disallows.
func (w *Writer) contest(s *evaluate.State) ContestedCitation {
	c := ContestedCitation{
		ContestedRobotsID: s.ID,
		ContestedOutcome:  s.Outcome.String(),
		ContestedTime:     micros(s.Time()),
		ContestedAgent:    text(s.Agent()),
		ContestedFilename: w.filename(s.Input, s.Entry),
		ContestedOffset:   new(s.Offset),
		ContestedRecordID: text(ingest.RecordIDText(s.RecordID)),
	}
	if b := w.body(s); b != nil {
		c.ContestedBodyFile, c.ContestedBodyOffset, c.ContestedBodyDigest = b.filename, b.offset, b.digest
	}
	return c
}

// bodyPlace is the record that holds a body.
type bodyPlace struct {
	time                              *int64
	offset                            *int64
	agent, filename, recordID, digest string
}

// body tells whence the body comes that a capture applies; nil where it applies none.
func (w *Writer) body(s *evaluate.State) *bodyPlace {
	if !s.HasBody {
		return nil
	}
	return &bodyPlace{
		time:     micros(s.BodyTime()),
		offset:   new(s.BodyRecordOffset),
		agent:    text(s.BodyAgent()),
		filename: w.filename(s.BodyInput, s.BodyEntry),
		recordID: text(ingest.RecordIDText(s.BodyRecordID)),
		digest:   "sha256:" + hex.EncodeToString([]byte(s.BodyDigest)),
	}
}

// restrictionRow cites robots.txt and tdmrep.json where they are among what restricts.
func (w *Writer) restrictionRow(r *evaluate.Result, restriction *evaluate.Restriction) RestrictionRow {
	f := r.Fetch
	site := w.siteOf(f.Origin, f.URL)
	row := RestrictionRow{
		Kind:             restriction.Kind.String(),
		Certainty:        restriction.Certainty.String(),
		Purpose:          restriction.Purpose.String(),
		TagsFrom:         r.Page.From.String(),
		URL:              locator(f.URL),
		HostName:         site.host,
		RegisteredDomain: site.registered,
		Origin:           locator(f.Origin),
		FetchTime:        micros(f.Time()),
		FetchStatus:      status(f.Status),
		WARCFilename:     w.filename(f.Input, f.Entry),
		WARCRecordOffset: f.Offset,
		WARCRecordLength: f.Length,
		WARCRecordID:     text(ingest.RecordIDText(f.RecordID)),
		Agent:            text(r.Agent),
		AgentSource:      r.AgentSource.String(),
	}
	for _, statement := range restriction.Statements {
		row.Statements = append(row.Statements, text(statement.String()))
		switch statement.Source {
		case tag.SourceRobotsTxt:
			row.RobotsCitation = w.cite(r.Governing)
		case tag.SourceTDMFile:
			row.FileFilename, row.FileOffset = w.signalFile(r.Page)
		}
	}
	return row
}

// signalFile is the capture of tdmrep.json that holds for a page.
func (w *Writer) signalFile(p *evaluate.Page) (name string, offset *int64) {
	for i := range p.Signals {
		if f := p.Signals[i].File; f != nil {
			return w.filename(f.Input, f.Entry), new(f.Offset)
		}
	}
	return "", nil
}

func (w *Writer) crawlDelayRow(r *evaluate.Result) CrawlDelayRow {
	f, soon := r.Fetch, r.TooSoon
	site := w.siteOf(f.Origin, f.URL)
	return CrawlDelayRow{
		URL:              locator(f.URL),
		HostName:         site.host,
		RegisteredDomain: site.registered,
		Origin:           locator(f.Origin),
		FetchTime:        micros(f.Time()),
		WARCFilename:     w.filename(f.Input, f.Entry),
		WARCRecordOffset: f.Offset,
		WARCRecordLength: f.Length,
		WARCRecordID:     text(ingest.RecordIDText(f.RecordID)),
		Agent:            text(r.Agent),
		AgentSource:      r.AgentSource.String(),
		Gap:              soon.Gap / 1000,
		Delay:            soon.Delay / 1000,
		Line:             int32(soon.Line),
		PreviousFilename: w.filename(soon.Previous.Input, soon.Previous.Entry),
		PreviousOffset:   soon.Previous.Offset,
		RobotsAge:        new(r.Age),
		RobotsCitation:   w.cite(r.Governing),
	}
}
