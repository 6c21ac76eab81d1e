package reading

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Reread reads the body of a fetch again from its archive, by file and offset: see
// facts.Set. The record found there must be the one meant. It decompresses
// c.RereadCost bytes.
func Reread(in facts.Input, c *facts.Capture) ([]byte, error) {
	if c.IsIndexed() {
		return nil, fmt.Errorf("an index alone tells of the record at %d of %s", c.Offset, c.Archive)
	}
	if in.Path == facts.Stdin {
		return nil, errors.New("the body was not kept, and standard input cannot be read again")
	}
	ctx := context.Background() // who is interrupted does not wait: reading a record takes little
	if !object.IsRemote(in.Path) {
		if err := in.Unchanged(ctx); err != nil {
			return nil, err
		}
	}
	f, err := in.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var at io.ReaderAt = f
	if c.Entry != "" {
		if at, err = rereadEntry(f, in.Size, c); err != nil {
			return nil, err
		}
	}
	r, err := rereader(at, c)
	if err != nil {
		return nil, err
	}
	return rereadRecord(r, c)
}

// rereader makes a reader that comes by the record of c: at its offset, or in a
// stream from the start.
func rereader(at io.ReaderAt, c *facts.Capture) (warc.Reader, error) {
	from := input.At(at, 0)
	form := SniffArchive(from)
	if c.Flags&facts.FlagStreamed != 0 {
		if !form.HasRecords() {
			return nil, errors.New("no stream of records")
		}
		return form.Stream(from)
	}
	r, err := form.RecordsAt(at, c.Offset)
	if r == nil && err == nil {
		err = fmt.Errorf("no record at %d", c.Offset)
	}
	return r, err
}

func rereadEntry(f io.ReaderAt, size int64, c *facts.Capture) (io.ReaderAt, error) {
	e, err := wacz.Find(f, size, c.Entry)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return nil, fmt.Errorf("no entry %s", c.Entry)
	case e.Method != zip.Store && c.Offset > maxReinflate:
		return nil, fmt.Errorf("the record lies at %d of a deflated entry", c.Offset)
	}
	return e.At(), nil
}

// rereadRecord finds the record of c and takes its body. Records of one member have
// the same offset.
func rereadRecord(r warc.Reader, c *facts.Capture) ([]byte, error) {
	for {
		rec, err := r.Next()
		switch {
		case err != nil && err != io.EOF:
			return nil, err
		case err == io.EOF, rec.Offset > c.Offset:
			return nil, fmt.Errorf("another record stands at %d", c.Offset)
		case rec.Offset == c.Offset && isRecordOf(rec, c):
			return rereadBody(r, rec, c)
		}
		if _, err := r.Finish(); err != nil {
			return nil, err
		}
	}
}

func isRecordOf(r *warc.Record, c *facts.Capture) bool {
	t, _, _ := RecordTime(r)
	return r.ID == c.RecordID && facts.AtMost(r.Target, warc.MaxURL) == c.URL && t == c.Time() &&
		recordTypes[r.Type] == c.Type
}

func rereadBody(r warc.Reader, rec *warc.Record, c *facts.Capture) ([]byte, error) {
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
