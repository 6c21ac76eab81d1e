package records

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// Archive is an archive as a file, or as an entry of a WACZ, that is read at random until its context
// is done. Find comes to a record, and Next goes on from it.
type Archive struct {
	io.ReaderAt
	reading.Until
	Form        warc.Form // zero until it is sniffed
	warc.Reader           // nil: none is open
	offset, nth int64     // of the record that it read last

	file   *reading.Source // nil: see In
	copies []*reading.Spooled
}

// In is an archive of a known form that somebody else opens and closes.
func In(at io.ReaderAt, until reading.Until, form warc.Form) *Archive {
	return &Archive{ReaderAt: at, Until: until, Form: form}
}

// Open opens an archive that was read before. What cannot be read at random is copied to a temporary file in
// tmp: a deflated entry, and an object whose server sends it as a whole only.
func Open(ctx context.Context, in facts.Input, entry, tmp string) (*Archive, error) {
	a, err := OpenFile(ctx, in)
	if err != nil {
		return nil, err
	}
	if object.IsRemote(in.Path) {
		err = a.copyWhole(ctx, tmp)
	}
	if err == nil && entry != "" {
		var e *wacz.Entry
		if e, err = a.enter(in, entry); err == nil && e.Method != zip.Store {
			err = a.copy(ctx, e.Open(), tmp)
		}
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// OpenFile opens an archive, of which nothing is copied.
func OpenFile(ctx context.Context, in facts.Input) (*Archive, error) {
	file, err := reading.Open(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	return &Archive{ReaderAt: file, Until: ctx.Err, offset: -1, file: file}, nil
}

// copyWhole copies an archive to the disk if its server gives no parts of it.
func (a *Archive) copyWhole(ctx context.Context, tmp string) error {
	var first [1]byte
	if _, err := a.ReadAt(first[:], 0); err != nil && err != io.EOF {
		return err
	}
	if a.file.Random() {
		return nil
	}
	return a.copy(ctx, a.file, tmp)
}

func (a *Archive) copy(ctx context.Context, src io.Reader, tmp string) error {
	spooled, err := reading.Spool(ctx, src, tmp)
	if err == nil {
		a.ReaderAt, a.copies = spooled, append(a.copies, spooled)
	}
	return err
}

// enter goes on to an entry. The tables percent-encode bytes of names that are no UTF-8.
func (a *Archive) enter(in facts.Input, entry string) (*wacz.Entry, error) {
	e, err := wacz.Find(a.ReaderAt, in.Size, entry)
	if raw, unescapeErr := url.PathUnescape(entry); err == nil && e == nil && unescapeErr == nil && raw != entry {
		e, err = wacz.Find(a.ReaderAt, in.Size, raw)
	}
	if err == nil && e == nil {
		err = &noRecordError{fmt.Sprintf("it has no entry %q", entry)}
	}
	if err == nil {
		a.ReaderAt = e.At()
	}
	return e, err
}

// ReadRange reads a part, of an object with one request.
func (a *Archive) ReadRange(p []byte, offset int64) (int, error) {
	if a.ReaderAt == io.ReaderAt(a.file) {
		return object.ReadRange(a.file.Object, p, offset)
	}
	return a.ReadAt(p, offset)
}

// Close closes the archive.
func (a *Archive) Close() error {
	a.end()
	for _, c := range a.copies {
		c.Discard()
	}
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}
