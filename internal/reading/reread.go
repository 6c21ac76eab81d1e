package reading

import (
	"errors"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// IsRecordOf reports whether a record is the one that a fetch is of.
func IsRecordOf(r *warc.Record, c *facts.Fetch) bool {
	t, _, _ := RecordTime(r)
	return r.ID == c.RecordID && facts.AtMost(r.Target, warc.MaxURL) == c.URL && t == c.Time() &&
		recordTypes[r.Type] == c.Type
}

// Body takes the body of c from its record, and what is known of the body with it.
func Body(r warc.Reader, rec *warc.Record, c *facts.Capture) ([]byte, error) {
	e := &NewCommitter(facts.NewAccount(c.Input, c.Entry, facts.Discard{}), Options{}).extractor
	d := e.begin(rec)
	d.exchange = new(exchange)
	d.exchange.Capture = facts.Capture{Fetch: c.Fetch, Kind: facts.CaptureTarget}
	d.check()
	if err := e.readPayload(d); err != nil {
		return nil, err
	}
	if err := d.endCheck(); err != nil {
		return nil, err
	}
	if _, err := r.Finish(); err != nil {
		return nil, err
	}
	if d.assembly != nil {
		return nil, errors.New("the body was not kept, and lies in several records")
	}
	if rec.Overrun {
		d.noteOverrun()
	}
	c.Flags, c.ContentRange = d.exchange.Flags, d.exchange.ContentRange
	c.ETag, c.LastModified = d.exchange.ETag, d.exchange.LastModified
	return d.exchange.body, nil
}
