package ingest

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Place is where a record stands in its archive. The zero value is no record.
type Place struct {
	Index     int64 // number of the record, from 1, as in facts.Fetch
	Offset    int64 // as in facts.Fetch
	Nth       int64 // records before it at the same offset: in the same compressed member
	Streamed  bool  // the offset is one in a decompressed stream
	Resynced  bool  // it stands after damage
	Forgeable bool  // and a page could hold it
}

// next is the place of the record that follows the one at p.
func (p Place) next(index int, r *warc.Record) Place {
	at := Place{
		Index: int64(index), Offset: r.Offset, Streamed: r.Streamed, Resynced: r.Resynced,
		Forgeable: r.Forgeable,
	}
	if p.Index > 0 && p.Offset == r.Offset {
		at.Nth = p.Nth + 1
	}
	return at
}

// Companions are the places of a fetch's record and of the records that belong to it. Segments
// are listed for policy captures only.
type Companions struct {
	Own, Request, Metadata, Warcinfo Place
	Segments                         []Place // in order, without the first
}

func (c *Companions) addSegment(at Place) {
	if len(c.Segments) < toldSegments {
		c.Segments = append(c.Segments, at)
	}
}

// Pair reads an archive once more and yields its fetches with the records that belong to
// them, by the rules by which the facts were made. The fingerprint of the result shows
// whether the archive is still the same. What f is given is valid until it returns.
func Pair(ctx context.Context, in facts.Input, f func(*facts.Fetch, *Companions) error) (facts.InputResult, error) {
	src, err := openInput(ctx, in, nil)
	if err != nil {
		return facts.InputResult{}, err
	}
	defer src.Close()
	defer warc.ReleaseMemory()
	return readSource(ctx, in, src, 0, new(keeper), &readOptions{paired: f})
}

// Archive is an archive as a file, or as an entry of a WACZ, that is read at random.
type Archive struct {
	io.ReaderAt
	file  object.Object
	whole *spooled // copy of the file, where its server gives no parts of it
	copy  *spooled // of a deflated entry
}

// OpenArchive opens an archive that was read before. A deflated entry is copied to a
// temporary file in tmp.
func OpenArchive(ctx context.Context, in facts.Input, entry, tmp string) (a *Archive, err error) {
	a = new(Archive)
	if a.file, err = in.Open(ctx); err != nil {
		return nil, err
	}
	a.ReaderAt = a.file
	if object.IsRemote(in.Path) {
		err = a.copyWhole(tmp)
	}
	if err == nil && entry != "" {
		err = a.openEntry(in.Size, entry, tmp)
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// copyWhole copies an archive to the disk if its server gives no parts of it.
func (a *Archive) copyWhole(tmp string) (err error) {
	var first [1]byte
	if _, err := a.file.ReadAt(first[:], 0); err != nil && err != io.EOF {
		return err
	}
	if !a.file.Random() {
		a.whole, err = spool(a.file, tmp)
		a.ReaderAt = a.whole
	}
	return err
}

func (a *Archive) openEntry(size int64, entry, tmp string) error {
	e, err := wacz.Find(a.ReaderAt, size, entry)
	switch {
	case err != nil:
		return err
	case e == nil:
		return &NoRecordError{fmt.Sprintf("it has no entry %q", entry)}
	case e.Method == zip.Store:
		a.ReaderAt = e.At()
		return nil
	}
	a.copy, err = spool(e.Open(), tmp)
	a.ReaderAt = a.copy
	return err
}

// Close closes the archive.
func (a *Archive) Close() error {
	for _, c := range [...]*spooled{a.copy, a.whole} {
		if c != nil {
			c.discard()
		}
	}
	if a.file == nil { // of standard input
		return nil
	}
	return a.file.Close()
}
