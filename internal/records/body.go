package records

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// maxReinflate bounds the bytes of a deflated entry that are inflated to read one record again.
const maxReinflate = 1 << 30

// Body reads the body of a fetch again from its archive, by file and offset: see facts.Set. The record found
// there must be the one meant. It decompresses c.RereadCost bytes.
func Body(in facts.Input, c *facts.Capture) ([]byte, error) {
	if c.IsIndexed() {
		return nil, fmt.Errorf("only an index reports the record at %d of %s", c.Offset, c.Archive)
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
	a, err := OpenFile(ctx, in)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if c.Entry != "" {
		e, err := a.enter(in, c.Entry)
		if err != nil {
			return nil, err
		}
		if e.Method != zip.Store && c.Offset > maxReinflate {
			return nil, fmt.Errorf("the record lies at %d of a deflated entry", c.Offset)
		}
	}
	if err := a.Sniff(); err != nil {
		return nil, err
	}
	rec, err := a.Find(reading.Place{Offset: c.Offset, Streamed: c.Flags&facts.FlagStreamed != 0})
	for err == nil && rec.Offset == c.Offset { // records of one member have one offset
		if reading.IsRecordOf(rec, &c.Fetch) {
			return reading.Body(a, rec, c)
		}
		if _, err = a.Finish(); err == nil {
			rec, err = a.Next()
		}
	}
	if err == nil || err == io.EOF {
		err = &noRecordError{fmt.Sprintf("another record stands at %d", c.Offset)}
	}
	return nil, err
}
