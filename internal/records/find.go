package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// noRecordError is that of a place at which no record begins, or not the one that is meant.
type noRecordError struct{ Reason string }

func (e *noRecordError) Error() string { return e.Reason }

// DamagedError is that of a record that is damaged.
type DamagedError struct{ Reason string }

func (e *DamagedError) Error() string { return e.Reason }

// IsMissing reports whether there is no whole record where one is looked for.
func IsMissing(err error) bool {
	var none *noRecordError
	var damaged *DamagedError
	return errors.As(err, &none) || errors.As(err, &damaged)
}

func noRecordAt(offset int64) error {
	return &noRecordError{fmt.Sprintf("no record begins at %d", offset)}
}

// Sniff finds the form of the archive.
func (a *Archive) Sniff() error {
	from := input.At(a, 0)
	a.Form = reading.SniffArchive(from)
	return from.Failed()
}

// Log is the text of a log, or of a list of pages, decompressed.
func (a *Archive) Log() (io.Reader, error) {
	from := input.At(a, 0)
	return warc.Decompressed(warc.Sniff(from, func([]byte) bool { return true }), from)
}

// Find reads the record at a place, up to its block. It reads on from the record that it read before, if that is
// cheaper.
func (a *Archive) Find(at reading.Place) (*warc.Record, error) {
	if a.isAhead(at) {
		if rec, err := a.readTo(at); at.Streamed || !IsMissing(err) {
			return rec, err
		}
	}
	if err := a.open(at); err != nil {
		return nil, err
	}
	return a.readTo(at)
}

// First reads the first record of an archive whose records have places, up to its block.
func (a *Archive) First() (*warc.Record, error) {
	if err := a.open(reading.Place{}); err != nil {
		return nil, err
	}
	return a.Next()
}

// nearby is how far, in bytes of a file, it is cheaper to read on than to open it anew.
const nearby = 1 << 20

// isAhead reports whether the reader comes to a place if it reads on, and soon.
func (a *Archive) isAhead(at reading.Place) bool {
	switch {
	case a.Reader == nil:
		return false
	case a.offset == at.Offset:
		return a.nth < at.Nth
	}
	return a.offset < at.Offset && (at.Streamed || at.Offset-a.offset < nearby)
}

// open has a reader stand at a place, or at the beginning of its stream or member.
func (a *Archive) open(at reading.Place) (err error) {
	a.end()
	if !at.Streamed {
		a.Reader, err = a.Form.RecordsAt(a, at.Offset)
	} else if a.Form.HasRecords() {
		a.Reader, err = a.Form.Stream(input.At(a, 0))
	}
	if a.Reader == nil && err == nil {
		err = noRecordAt(at.Offset)
	}
	return err
}

// end closes the reader.
func (a *Archive) end() {
	if ahead, ok := a.Reader.(warc.AheadReader); ok {
		ahead.Close()
	}
	a.Reader, a.offset, a.nth = nil, -1, 0
}

// readTo reads on to a place, past what is damaged before it.
func (a *Archive) readTo(at reading.Place) (*warc.Record, error) {
	for {
		rec, err := a.Next()
		if err == nil {
			if rec.Offset == a.offset {
				a.nth++
			} else {
				a.offset, a.nth = rec.Offset, 0
			}
			switch {
			case a.offset == at.Offset && a.nth == at.Nth:
				return rec, nil
			case a.offset > at.Offset:
				return nil, noRecordAt(at.Offset)
			}
			if _, err = a.Finish(); err == nil {
				continue
			}
			err = rec.Named(err)
		}
		var damage *warc.Damage
		switch {
		case err == io.EOF:
			return nil, noRecordAt(at.Offset)
		case !errors.As(err, &damage):
			return nil, err
		case damage.More && (damage.Offset < at.Offset || damage.Offset == at.Offset && at.Nth > 0):
			continue
		case damage.Offset == at.Offset && damage.Kind != words.IssueSkippedRange &&
			(damage.Kind != words.IssueBadRecordHeader || damage.RecordID != ""):
			return nil, &DamagedError{damage.Error()}
		}
		return nil, noRecordAt(at.Offset)
	}
}

// Content is a record as it stands, decompressed: its header and its block.
func Content(rec *warc.Record) io.Reader {
	return io.MultiReader(bytes.NewReader(bytes.Clone(rec.Raw)), rec.Block)
}
