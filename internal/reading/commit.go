package reading

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Committer turns the records of one input, which it receives in file order, into facts.
// What is taken from one record is the extractor's work. Everything that depends on order
// happens here: the request that belongs to a response, the warcinfo that is in force, the
// redirect targets of robots.txt seen so far. So the facts depend on the input alone.
type Committer struct {
	*facts.Account
	extractor    extractor
	index        int   // of the record in hand
	at           Place // of the record in hand
	warcinfos    map[recordid.ID]Warcinfo
	latest       Warcinfo
	runs         crawlRuns
	crowded      bool        // there is an issue of runs
	gap          facts.Issue // the range skipped last, to be reported; the zero value where there is none
	beforeGap    int64       // resynced records before it
	unfound      int         // warcinfos beyond maxWarcinfos
	firstUnfound facts.Issue // of the first of them, without its detail
	pairing      pairing
	firstAlone   *request // the first request without a response
	targets      targetSet
	segments     segments
	forgotten    bool // fetches were emitted before their request could be found

	opt Options
}

// NewCommitter makes a committer of the records of an archive.
func NewCommitter(a *facts.Account, opt Options) *Committer {
	c := &Committer{
		Account: a, opt: opt,
		warcinfos: make(map[recordid.ID]Warcinfo), pairing: newPairing(),
	}
	c.extractor = extractor{
		input: a.Input, entry: a.Entry, verify: opt.Verify,
		targets: &c.targets, segments: &c.segments,
		head: make([]byte, 0, 4<<10),
	}
	return c
}

// readAll reads all records of an input into out. An error is one of reading
// the file or of writing the facts, never damage: that is an issue.
//
// size is the size of the input, -1 where offsets are not offsets in the file.
func (c *Committer) readAll(r warc.Reader, size int64) error {
	for {
		rec, err := r.Next()
		if err == nil && c.begins() && isOfWAT(rec) {
			return errWAT
		}
		if err == nil {
			err = c.Take(r, rec)
		}
		switch err {
		case nil:
			continue
		case io.EOF:
			return c.Finish()
		}
		var d *warc.Damage
		if !errors.As(err, &d) {
			return err
		}
		if err := c.reportDamage(d, size); err != nil {
			return err
		}
		if !d.More {
			return c.Finish()
		}
	}
}

// errWAT is the error of a WAT. It is a WARC file, so that only its first record after warcinfo shows what it is.
var errWAT = errors.New("it is a WAT, which describes records and holds none; for page tags give the WARC that it was " +
	"made of, and for fetches alone an index (CDX, CDXJ, Common Crawl's)")

// begins reports whether all records so far are warcinfo.
func (c *Committer) begins() bool { return int64(c.index) == c.Stats.Records["warcinfo"] }

// isOfWAT reports whether a record is one of a WAT. Other JSON is read no further than that, either.
func isOfWAT(rec *warc.Record) bool {
	if rec.Type != "metadata" || httpmsg.MediaType(rec.ContentType) != "application/json" {
		return false
	}
	var begin [len(`{"Container"`)]byte
	n, _ := io.ReadFull(rec.Block, begin[:])
	return bytes.HasPrefix(begin[:n], []byte(`{"Container"`)) || bytes.HasPrefix(begin[:n], []byte(`{"Envelope"`))
}

// Take takes one record in. Its facts count only once its end is verified.
func (c *Committer) Take(r warc.Reader, rec *warc.Record) error {
	d, err := c.extractor.extract(rec)
	if input.IsReadError(err) {
		return err
	}
	if err != nil {
		// The block could not be read. The container knows why, and returns it from
		// finish, which meets the same place again.
		_, finishErr := r.Finish()
		if finishErr != nil {
			return rec.Named(finishErr)
		}
		return err
	}
	length, err := r.Finish()
	if err != nil {
		return rec.Named(err)
	}
	return c.accept(d, length)
}

func (c *Committer) accept(d *draft, length int64) error {
	c.index++
	c.at = c.at.next(c.index, d.record)
	c.count(d)
	d.noteEnd()
	for _, i := range d.issues {
		i.Length = length
		if err := c.Report(i); err != nil {
			return err
		}
	}
	var err error
	switch {
	case d.assembly != nil:
		err = c.assemble(d, length)
	case d.record.Type == "continuation":
		err = c.join(d, length)
	}
	if err != nil {
		return err
	}
	if d.other != nil {
		if err := c.acceptOther(d.other); err != nil {
			return err
		}
	}
	done := c.pair(d, length)
	if err := c.emit(done...); err != nil {
		return err
	}
	if c.pairing.waiting > maxPending && !c.forgotten {
		c.forgotten = true
		if err := c.Report(d.limitReached(length, "the oldest no longer wait",
			fmt.Sprintf("fetches and requests that wait for each other hold more than %d bytes",
				maxPending))); err != nil {
			return err
		}
	}
	if len(c.runs.list) > maxRuns && !c.crowded {
		c.crowded = true
		if err := c.Report(d.limitReached(length, "taken for one",
			fmt.Sprintf("more than %d runs of a crawler: all from here on", maxRuns))); err != nil {
			return err
		}
	}
	if err := c.emit(c.pairing.settle(c.index - metadataWindow)...); err != nil {
		return err
	}
	return c.expire(c.index - pairingWindow)
}

// expire emits what has waited up to a record, and counts the requests that got no response.
func (c *Committer) expire(upTo int) error {
	err := c.emit(c.pairing.expire(upTo)...)
	for _, q := range c.pairing.alone {
		c.Stats.Unanswered++
		c.firstAlone = cmp.Or(c.firstAlone, q)
		url, _ := weburl.Parse(q.target)
		isRobots := facts.KindOf(url) == facts.CaptureRobots && q.method == http.MethodGet
		c.runs.hear(q.run, q.userAgent, isRobots, c.targets.has(url, q.index))
	}
	c.pairing.alone = c.pairing.alone[:0]
	return err
}

// reportAlone reports the requests without a response.
func (c *Committer) reportAlone() error {
	if c.firstAlone == nil {
		return nil
	}
	return c.Report(facts.Issue{
		Offset: c.firstAlone.at.Offset, Length: -1, RecordID: c.firstAlone.id, Kind: words.IssueRequestAlone,
		Action: "counted", Detail: fmt.Sprintf("requests without a response: %d, the first one here", c.Stats.Unanswered),
	})
}

// acceptOther counts a record that a row of an index may take for a fetch.
func (c *Committer) acceptOther(f *facts.Fetch) error {
	c.Stats.Others++
	f.Index = int64(c.index)
	if url, _ := weburl.Parse(f.URL); facts.KindOf(url) == facts.CaptureRobots {
		if err := c.Out.Event(f.NoCapture()); err != nil {
			return err
		}
	}
	return c.Out.Other(f)
}

// pair adds a record to the earlier ones, and returns the fetches that have waited for it alone.
func (c *Committer) pair(d *draft, length int64) (done []*exchange) {
	switch {
	case d.info != nil:
		d.info.at = c.at
		if !c.addWarcinfo(d.infoID, *d.info) {
			if c.unfound++; c.unfound == 1 {
				c.firstUnfound = d.limitReached(length, "not found by their ids", "")
			}
		}
	case d.request != nil:
		info := c.warcinfoOf(d.record)
		d.request.index, d.request.at, d.request.run = c.index, c.at, c.runs.of(&info, d.record.WarcinfoID)
		return c.pairing.addRequest(d.request)
	case d.metadata != nil:
		d.metadata.index, d.metadata.at = c.index, c.at
		c.pairing.addMetadata(d.metadata)
	case d.exchange != nil:
		c.place(d, length)
		c.targets.add(d.target, c.index)
		c.pairing.addExchange(d.exchange)
	}
	return nil
}

// place fills in what of a fetch is known once its record counts.
func (c *Committer) place(d *draft, length int64) {
	x, r := d.exchange, d.record
	x.index, x.Index, x.Length, x.Trust = c.index, int64(c.index), length, trustOf(r)
	if r.Forgeable || contradictsItself(r) {
		x.Flags |= facts.FlagForgeable
	}
	if r.Short == 0 && !r.Overrun && r.SegmentNumber == 0 && x.Truncated == "" && x.Type != facts.TypeRevisit {
		x.PayloadSize, x.DecodedSize = d.payload, d.decoded
		if d.payload <= 1 || !d.coded { // there is nothing to undo
			x.DecodedSize = d.payload
		}
	}
	x.companions.Own = c.at
	c.credit(x, r)
}

func (c *Committer) count(d *draft) {
	kind := d.record.Type
	if _, known := c.Stats.Records[kind]; !known && len(c.Stats.Records) > maxKinds {
		kind = "other"
	}
	c.Stats.Records[facts.AtMost(kind, maxWord)]++
	if d.record.Resynced {
		c.Stats.Resynced++
	}
	if d.digestStats != (facts.DigestStats{}) {
		facts.Sum(&c.Stats.Digests, &d.digestStats)
	}
}

// Finish flushes what waits at the end of the input.
func (c *Committer) Finish() error {
	if err := c.endGap(); err != nil {
		return err
	}
	if c.unfound > 0 {
		c.firstUnfound.Detail = fmt.Sprintf("from here on %d warcinfo records beyond the first %d", c.unfound,
			warc.MaxWarcinfos)
		if err := c.Report(c.firstUnfound); err != nil {
			return err
		}
	}
	if err := c.boundSegments(0, 0); err != nil {
		return err
	}
	if err := c.expire(c.index + 1); err != nil {
		return err
	}
	if err := c.reportAlone(); err != nil {
		return err
	}
	c.Stats.Runs = c.runs.end(c.Entry)
	return nil
}
