package records

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"io"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// ListOptions are the options of List.
type ListOptions struct {
	Stdin   io.Reader
	Digests bool                     // compute the digest of a payload whose record has none
	Issue   func(*facts.Issue) error // receives what could not be read
}

// Listed is a record as List reports it.
type Listed struct {
	Entry         string // of a WACZ
	Offset        int64  // where it begins, as in the tables
	Length        int64  // of its place: see docs/SCHEMA.md, "Places"
	Size          int64  // of its header and block
	Streamed      bool   // the offset is one in a decompressed stream
	Stored        bool   // it stands in the file as it is, not compressed
	Resynced      bool   // it stands after damage
	Type          string // WARC-Type; "arc" and "arcinfo" for ARC
	ID            string
	Date          string    // as recorded
	Time          time.Time // of Date, in UTC; the zero value where that cannot be read
	URL           string    // as recorded
	ContentType   string    // of the record
	PayloadDigest string
	HTTP          bool   // there is an HTTP head, of a response
	Status        int16  // -1: not readable
	MediaType     string // Content-Type of the HTTP head, as it stands
}

// List reads an archive and calls f for each record that counts, in file order. When ctx is
// done, ctx's error is returned.
func List(ctx context.Context, in facts.Input, opt ListOptions, f func(*Listed) error) (facts.InputResult, error) {
	l := lister{f: f, digests: opt.Digests}
	result, err := reading.Read(ctx, in, 0, issueSink{issue: opt.Issue}, opt.Stdin,
		reading.Options{Record: l.readRecord})
	var failed *reading.Error
	if errors.As(err, &failed) {
		err = object.Cause(failed.Err)
	}
	return result, err
}

// lister reports records instead of making facts of them.
type lister struct {
	f       func(*Listed) error
	digests bool
	head    []byte // reused
}

// readRecord reports a record once its end is verified.
func (l *lister) readRecord(r warc.Reader, rec *warc.Record, in reading.Holder) error {
	listed := Listed{
		Entry: in.Entry, Offset: rec.Offset, Size: int64(len(rec.Raw)) + rec.ContentLength, Streamed: rec.Streamed,
		Type: rec.Type,
		ID:   rec.ID.String(), Date: rec.Date, URL: rec.Target, ContentType: rec.ContentType,
		PayloadDigest: rec.PayloadDigest, Status: -1,
	}
	if t, _, ok := reading.RecordTime(rec); ok {
		listed.Time = t.UTC()
	}
	if err := l.readBlock(rec, &listed); input.IsReadError(err) {
		return err
	}
	length, err := r.Finish()
	if err != nil {
		return rec.Named(err)
	}
	listed.Length, listed.Resynced, listed.Stored = length, rec.Resynced, in.Plain && !rec.Streamed
	return l.f(&listed)
}

// readBlock reads the HTTP head and, where it is asked for, the payload.
func (l *lister) readBlock(rec *warc.Record, listed *Listed) error {
	payload := rec.Block
	switch rec.Type {
	case "response", "revisit", warc.TypeARC:
		head, body, _, err := httpmsg.ReadHead(rec.Block, l.head, reading.MaxHTTPHead)
		if err != nil {
			return err
		}
		l.head = head[:0]
		payload = io.MultiReader(bytes.NewReader(body), rec.Block)
		if !httpmsg.IsResponse(head) {
			payload = io.MultiReader(bytes.NewReader(head), payload)
			break
		}
		h := httpmsg.ParseResponse(head, nil)
		listed.HTTP, listed.Status, listed.MediaType = true, h.Status, h.ContentType
	case "resource", "metadata":
	default:
		return nil
	}
	if !l.digests || rec.PayloadDigest != "" || rec.Type == "revisit" {
		return nil
	}
	sum := sha1.New()
	if _, err := io.Copy(sum, payload); err != nil {
		return err
	}
	listed.PayloadDigest = "sha1:" + base32.StdEncoding.EncodeToString(sum.Sum(nil))
	return nil
}
