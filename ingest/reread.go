package ingest

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
)

// Reread reads the body of a fetch again from its archive, by file and offset. It
// serves captures whose body ingest could not know to be policy, and updates
// c.Flags and c.ContentRange. The record found there must be the one meant.
func Reread(in Input, c *Capture) ([]byte, error) {
	if c.Flags&FlagStreamed != 0 || in.Path == Stdin {
		return nil, errors.New("the body was not kept, and the input cannot be read from the middle")
	}
	if err := unchanged(in); err != nil {
		return nil, err
	}
	f, err := os.Open(in.Path)
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
	form := sniff(sourceAt(at, 0))
	if form.container == containerGzip { // of many members, or the fetch would be streamed
		form.container = containerMembers
	}
	if !form.addressable() {
		return nil, fmt.Errorf("no record at %d", c.Offset)
	}
	r, err := form.reader(sourceAt(at, c.Offset), at)
	if err != nil {
		return nil, err
	}
	return rereadBody(r, c)
}

// rereadEntry finds the entry of a WACZ that holds a record.
func rereadEntry(f io.ReaderAt, size int64, c *Capture) (io.ReaderAt, error) {
	entries, err := openZip(f, size)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		if e.Name != c.Entry || e.problem != "" {
			continue
		}
		if e.Method != zip.Store && c.Offset > maxReinflate {
			return nil, fmt.Errorf("the record lies at %d of a deflated entry", c.Offset)
		}
		return e.at(), nil
	}
	return nil, fmt.Errorf("no entry %s", c.Entry)
}

// rereadBody takes the body of the first record of r.
func rereadBody(r recordReader, c *Capture) ([]byte, error) {
	rec, err := r.next()
	if err != nil {
		return nil, err
	}
	if rec.id != c.RecordID || cut(rec.target, maxURL) != c.URL {
		return nil, fmt.Errorf("another record stands at %d", c.Offset)
	}
	var keep keeper
	com := newCommitter(c.Input, c.Entry, &keep)
	d := draft{exchange: &exchange{}}
	d.exchange.Capture = Capture{Fetch: c.Fetch, Kind: CaptureTarget}
	d.check(rec)
	if err := com.readPayload(rec, &d); err != nil {
		return nil, err
	}
	if err := d.endCheck(rec); err != nil {
		return nil, err
	}
	if _, err := r.finish(); err != nil {
		return nil, err
	}
	if d.assembly != nil {
		return nil, errors.New("the body was not kept, and lies in several records")
	}
	if rec.overrun {
		d.noteOverrun(rec)
	}
	c.Flags, c.ContentRange = d.exchange.Flags, d.exchange.ContentRange
	return d.exchange.body, nil
}

// keeper is a sink that nothing is expected of.
type keeper struct{}

func (*keeper) fetch(*Fetch) error             { return nil }
func (*keeper) capture(*Capture, []byte) error { return nil }
func (*keeper) issue(Issue) error              { return nil }
func (*keeper) event(*LogEvent) error          { return nil }
