package records

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// Archive is an archive as a file, or as an entry of a WACZ, that is read at random until its context
// is done.
type Archive struct {
	io.ReaderAt
	file  *reading.Source
	whole *reading.Spooled // copy of the file, where its server gives no parts of it
	copy  *reading.Spooled // of a deflated entry
}

// Open opens an archive that was read before. A deflated entry is copied to a temporary file in tmp.
func Open(ctx context.Context, in facts.Input, entry, tmp string) (a *Archive, err error) {
	a = new(Archive)
	if a.file, err = reading.Open(ctx, in, nil); err != nil {
		return nil, err
	}
	a.ReaderAt = a.file
	if object.IsRemote(in.Path) {
		err = a.copyWhole(ctx, tmp)
	}
	if err == nil && entry != "" {
		err = a.openEntry(ctx, in.Size, entry, tmp)
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// copyWhole copies an archive to the disk if its server gives no parts of it.
func (a *Archive) copyWhole(ctx context.Context, tmp string) (err error) {
	var first [1]byte
	if _, err := a.file.ReadAt(first[:], 0); err != nil && err != io.EOF {
		return err
	}
	if !a.file.Random() {
		a.whole, err = reading.Spool(ctx, a.file, tmp)
		a.ReaderAt = a.whole
	}
	return err
}

func (a *Archive) openEntry(ctx context.Context, size int64, entry, tmp string) error {
	e, err := wacz.Find(a.ReaderAt, size, entry)
	switch {
	case err != nil:
		return err
	case e == nil:
		return &noRecordError{fmt.Sprintf("it has no entry %q", entry)}
	case e.Method == zip.Store:
		a.ReaderAt = e.At()
		return nil
	}
	a.copy, err = reading.Spool(ctx, e.Open(), tmp)
	a.ReaderAt = a.copy
	return err
}

// Err returns an error once the reading is to stop.
func (a *Archive) Err() error { return a.file.Err() }

// Close closes the archive.
func (a *Archive) Close() error {
	for _, c := range [...]*reading.Spooled{a.copy, a.whole} {
		if c != nil {
			c.Discard()
		}
	}
	return a.file.Close()
}
