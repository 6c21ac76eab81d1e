package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Located is what an index tells of a record: where it lies, by itself, and what it is.
type Located struct {
	Offset, Length int64
	URL            uint64 // a hash
	Micros         int64  // since 1970
	Precision      uint8  // of Micros; 0: the time is not told
}

func (l *Located) end() int64 { return l.Offset + l.Length }

// Bounds are what an index tells of the records of an archive.
type Bounds interface {
	// Next returns what it tells of the next record, by offset; io.EOF behind the last.
	Next() (Located, error)
	// Differs says in what the header of the record at a place is not what the index tells; "":
	// in nothing.
	Differs(Located, *Header) string
}

// BoundedReader is a reader that can leave out the rest of a record whose end an index proves.
type BoundedReader interface {
	// Trust has the reader leave out the rest of records with Enough. It must be called
	// before anything is read.
	Trust(Bounds)
}

// Trust does nothing where members are not gzip, or the input can be read but once.
func (r *memberReader) Trust(b Bounds) {
	if in, ok := r.in.(*gzipMembers); ok && r.at != nil {
		r.trusted, r.gzip = &trusted{Bounds: b}, in
	}
}

// trailerSize is that of a gzip member: CRC-32 and length of its content (RFC 1952 §2.3.1).
const trailerSize = 8

// longestEnd is how many bytes end a record at most: CR LF CR LF in WARC, one or two in ARC.
const longestEnd = 4

// trusted is an index that a reader goes by, as long as it is right.
//
// Nothing is left out on the word of the index alone. The chain of members must arrive at the
// record's offset, its header must be what the index tells, the member's trailer, right before the
// end, must give the length that follows from the header, and behind it another member must begin,
// or the file end. A row that does not fit ends the trust: the record in hand is then read to
// its end, and so is all behind it.
type trusted struct {
	Bounds
	next     Located // not reached yet
	more     bool    // there is one
	begun    bool
	ended    bool // no row counts any more
	here     Located
	located  bool    // here is that of the record in hand, the first of its member
	lead     int64   // bytes of the member before the record's header
	unproven int     // records whose trailer does not tell that they end there
	found    *Damage // that the index does not fit, not yet told
}

// doubt ends the trust.
func (t *trusted) doubt(offset int64, format string, args ...any) {
	if !t.ended {
		t.found = &Damage{Kind: DamageWrongIndex, Offset: offset, Detail: fmt.Sprintf(format, args...), More: true}
	}
	t.stop()
}

// stop has no row count any more.
func (t *trusted) stop() { t.ended, t.located, t.more = true, false, false }

// tell returns, once, what is wrong with the index.
func (t *trusted) tell() error {
	if t == nil || t.found == nil {
		return nil
	}
	d := t.found
	t.found = nil
	return d
}

// step reads the next row.
func (t *trusted) step() error {
	next, err := t.Bounds.Next()
	if err == io.EOF {
		t.more = false
		return nil
	}
	t.next, t.more = next, err == nil
	return err
}

// reach looks for the row of the member at start, and sees that none before was passed.
func (t *trusted) reach(start int64) error {
	t.located = false
	if t.ended {
		return nil
	}
	if !t.begun {
		t.begun = true
		if err := t.step(); err != nil {
			return err
		}
	}
	switch {
	case !t.more || t.next.Offset > start:
		return nil
	case t.next.Offset < start:
		t.doubt(t.next.Offset, "the index has a record here, where none begins")
		return nil
	}
	t.here, t.located = t.next, true
	err := t.step()
	if err == nil && t.more && t.next.Offset < t.here.end() {
		t.doubt(start, "by the index, the record here ends at %d, and another one begins at %d", t.here.end(), t.next.Offset)
	}
	return err
}

// finish sees that no row is left at the end of the file.
func (t *trusted) finish() error {
	if t == nil || t.ended {
		return nil
	}
	err := t.reach(1<<63 - 1)
	t.stop()
	return err
}

// check compares a record that was read to its end with its row.
func (t *trusted) check(r *Record, end int64) {
	if t == nil || !t.located || t.here.Offset != r.Offset {
		return
	}
	if difference := t.Differs(t.here, &r.Header); difference != "" {
		t.doubt(r.Offset, "the index has %s", difference)
	} else if end != t.here.end() {
		t.doubt(r.Offset, "by the index, the record here ends at %d; it ends at %d", t.here.end(), end)
	}
	t.located = false
}

// leaveOut goes on behind the record in hand without reading its rest, if the index and the
// archive prove where that is.
func (r *memberReader) leaveOut() (done bool, err error) {
	t, in := r.trusted, r.gzip
	if t == nil || !t.located || !r.rec.Enough || r.block.left < leastLeft || r.block.err != nil || in.start() != r.rec.Offset ||
		t.Differs(t.here, &r.rec.Header) != "" {
		return false, nil
	}
	trailer := t.here.end() - trailerSize
	if trailer <= in.offset() {
		return false, nil
	}
	if err := r.jump(trailer); err != nil {
		return false, err
	}
	b, err := in.Ahead(trailerSize + len(gzipStart))
	if err != nil && err != io.EOF {
		return false, err
	}
	size := int64(len(r.rec.Raw)) + r.rec.ContentLength
	if isTrailer(b, size+t.lead) {
		crc := binary.LittleEndian.Uint32(b)
		if err := r.jump(t.here.end()); err != nil {
			return false, err
		}
		r.addMember(crc, t.here.end())
		r.rec.Unread, t.located = true, false
		return true, nil
	}
	if t.unproven++; t.unproven > maxUnproven {
		t.stop()
	}
	return false, r.back(t.lead + size - r.block.left)
}

// isTrailer reports whether b begins with the trailer of a member that holds a record of size bytes
// and its end, and another member or nothing follows.
func isTrailer(b []byte, size int64) bool {
	if len(b) < trailerSize || len(b) > trailerSize && !bytes.HasPrefix(b[trailerSize:], gzipStart) {
		return false
	}
	return binary.LittleEndian.Uint32(b[4:])-uint32(size) <= longestEnd
}

// jump goes on at an offset of the file.
func (r *memberReader) jump(to int64) error {
	if r.gzip.Leave(to - r.gzip.from) {
		return nil
	}
	if err := r.src.seek(to); err != nil {
		return err
	}
	r.gzip.Reset(r.src)
	r.gzip.from = to
	return nil
}

// back goes back to where the member in hand was read up to: n bytes of its content.
func (r *memberReader) back(n int64) error {
	if err := r.jump(r.rec.Offset); err != nil {
		return err
	}
	if err := r.gzip.next(); err != nil {
		return r.broken(unexpectedEOF(err), "in the member's header")
	}
	if _, err := r.gzip.Discard(n); err != nil {
		return r.broken(unexpectedEOF(err), "in the record block")
	}
	return nil
}

// errNoSeek is the error of a source that can be read in order alone.
var errNoSeek = errors.New("the input cannot be read at random")

// seek goes on at an offset of the input.
func (s *Source) seek(offset int64) error {
	if ahead := offset - s.Position(); ahead >= 0 && ahead <= int64(s.Buffered()) {
		_, err := s.Discard(int(ahead))
		return err
	}
	if err := s.file.seek(offset); err != nil {
		return err
	}
	s.Reader.Reset(s.file)
	return nil
}

// seek goes on at an offset. What is left out counts as read.
func (c *countingReader) seek(offset int64) error {
	if c.failed != nil {
		return c.failed
	}
	seeker, ok := c.r.(io.Seeker)
	if !ok {
		return &ReadError{errNoSeek}
	}
	if _, err := seeker.Seek(offset-c.n, io.SeekCurrent); err != nil {
		c.failed = &ReadError{err}
		return c.failed
	}
	if c.progress != nil {
		c.progress(int(offset - c.n))
	}
	c.n = offset
	return nil
}
