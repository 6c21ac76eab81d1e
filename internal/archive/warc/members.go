package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// memberReader reads archives of compressed members (WARC 1.1 annex D). Usually each is
// a record; any other layout is read as well: several records in a member, a record
// over several members, members that hold nothing. A record counts once every member
// that holds a part of it has been decompressed to its end and its checksum has
// matched. Its place is that of the members.
type memberReader struct {
	input.Chain
	framing
	codec    codec
	at       io.ReaderAt // nil: the input can be read but once
	src      *input.Source
	in       memberStream
	out      input.Content // of the member in hand: in, or what was read ahead of it and the rest
	open     bool          // a member is in hand
	whole    bool          // all of it is known to be whole, and to end at end
	end      int64
	ahead    []byte // reused: content read ahead
	member   []byte // reused: the bytes of a member for the fingerprint
	waiting  error  // what next returns first
	rec      Record
	block    memberBlock
	search   memberSearch
	own      ownIDs
	resynced bool
}

// newMemberReader reads the archive that src reads in order, and at at random. Without
// at, nothing is looked for after damage, and the records of a member that holds
// several in more than maxAhead bytes count before its checksum.
func newMemberReader(c codec, f framing, src *input.Source, at io.ReaderAt) *memberReader {
	return &memberReader{
		framing: f, codec: c, at: at, src: src, in: c.members(src),
		search: memberSearch{framing: f, codec: c, at: at, budget: maxSearch},
	}
}

// ReadAhead has idle cores inflate ahead in a file of size bytes.
func (r *memberReader) ReadAhead(size int64, opt AheadOptions) {
	if in, ok := r.in.(*gzipMembers); ok && r.at != nil && opt.Cores != nil {
		r.in = newReadAhead(in, r.src, r.at, size, opt)
	}
}

// Close ends the reading.
func (r *memberReader) Close() {
	if ahead, ok := r.in.(*readAhead); ok {
		ahead.stop()
		return
	}
	release(r.in)
}

func (r *memberReader) Next() (*Record, error) {
	err := r.waiting
	r.waiting = nil
	if err == nil {
		err = r.header()
	}
	if err != nil {
		return nil, r.resume(err)
	}
	return &r.rec, nil
}

// Finish reads the record to its end. Its length is the length of the members that hold
// it.
func (r *memberReader) Finish() (int64, error) {
	if err := r.finishRecord(); err != nil {
		return 0, r.resume(err)
	}
	if !r.resynced {
		r.own.add(&r.rec)
	}
	return r.end - r.rec.Offset, nil
}

// header reads up to the next record's block.
func (r *memberReader) header() error {
	if err := r.nextContent(); err != nil {
		return err
	}
	start := r.in.start()
	for parts := 1; ; parts++ {
		block, err := readHeader(r.framing, r.out)
		switch {
		case err == nil:
			return r.begin(start, block)
		case errors.Is(err, errHeaderTooLong):
			return r.leave(start, words.IssueHeaderTooLong,
				fmt.Sprintf("the record header is longer than %d bytes", MaxRecordHeader))
		case !errors.Is(err, io.ErrUnexpectedEOF):
			return r.broken(err, "in the record header")
		case parts == maxHeaderMembers:
			return r.leave(start, words.IssueBadRecordHeader, "the member ends in the record header")
		}
		if err := r.continued(0); err == errNotContinued {
			return &Damage{
				Kind: words.IssueBadRecordHeader, Offset: start, Detail: "the member ends in the record header",
				More: true,
			}
		} else if err != nil {
			return err
		}
		r.out = input.NewBuffered(io.MultiReader(bytes.NewReader(block), r.in))
	}
}

// nextContent stands where a record should begin, past members that hold
// nothing, or nothing more.
func (r *memberReader) nextContent() error {
	for {
		if !r.open {
			if err := r.openMember(); err != nil {
				return err
			}
		}
		skipNewlines(r.out)
		if b, _ := r.out.Peek(1); len(b) > 0 {
			return nil
		}
		if err := r.closeMember(); err != nil {
			return err
		}
	}
}

// begin makes a record of a header.
func (r *memberReader) begin(start int64, header []byte) error {
	if !r.begins(header) {
		return r.leave(start, words.IssueBadRecordHeader, fmt.Sprintf("the record begins with %.20q", header))
	}
	h := r.parse(header, &r.rec.Header)
	if h.ContentLength < 0 {
		broken := Record{Header: h, Offset: start}
		return broken.Named(r.leave(start, words.IssueBadContentLength, "Content-Length is missing or no number"))
	}
	r.block = memberBlock{r: r, left: h.ContentLength}
	r.rec = Record{Header: h, Offset: start, Resynced: r.resynced, Raw: header, Block: &r.block}
	return nil
}

// finishRecord moves past the record and its line ends, and sets end to the end of its
// last member, which is whole.
func (r *memberReader) finishRecord() error {
	if err := r.block.discard(); err != nil {
		return err
	}
	if r.rec.Short > 0 { // the members are whole: it is the length that is wrong
		return nil
	}
	skipEnd(r.out)
	if b, _ := r.out.Peek(1); len(b) == 0 {
		return r.closeMember()
	}
	// Another record, or bytes that are none: next finds out. But a length that led
	// into another member and to no boundary is wrong.
	r.rec.Overrun = !r.begins(beginning(r.out))
	if r.rec.Overrun && r.in.start() != r.rec.Offset {
		return r.leave(r.rec.Offset, words.IssueBadRecordEnd, "the record goes on in another member, and does not end there")
	}
	return r.verify()
}

// memberBlock reads a record's block, over as many members as hold it.
type memberBlock struct {
	r    *memberReader
	left int64
	err  error
}

func (b *memberBlock) Read(p []byte) (int, error) {
	for b.err == nil && b.left > 0 {
		n, err := b.r.out.Read(p[:min(int64(len(p)), b.left)])
		b.left -= int64(n)
		if n > 0 || len(p) == 0 {
			return n, nil
		}
		b.proceed(err)
	}
	if b.err != nil && b.err != errNotContinued {
		return 0, b.err
	}
	return 0, io.EOF
}

// discard reads what is left of the block. It stays left where the members end.
func (b *memberBlock) discard() error {
	for b.err == nil && b.left > 0 {
		n, err := b.r.out.Discard(b.left)
		b.left -= n
		if err != nil {
			b.proceed(err)
		}
	}
	if b.err == errNotContinued {
		return nil
	}
	return b.err
}

// proceed goes on to the next member where err is the end of one.
func (b *memberBlock) proceed(err error) {
	if err != io.EOF {
		b.err = b.r.broken(err, "in the record block")
		return
	}
	if b.err = b.r.continued(b.left); b.err == errNotContinued {
		b.r.rec.Short = b.left
	}
}

// errNotContinued reports that a member ends inside a record, and the next one does not
// go on with it.
var errNotContinued = errors.New("the record does not go on")

// continued goes on to the next member if it continues the record in hand, of
// whose block left bytes are missing; 0: the header is in hand.
func (r *memberReader) continued(left int64) error {
	if err := r.closeMember(); err != nil {
		return err
	}
	for {
		err := r.openMember()
		if err != nil {
			if err != io.EOF {
				r.waiting = err
			}
			return errNotContinued
		}
		if b := beginning(r.out); len(b) > 0 {
			if r.begins(b) && !r.search.goesOn(r.in.start(), left) {
				return errNotContinued
			}
			return nil
		}
		if err := r.closeMember(); err != nil {
			r.waiting = err
			return errNotContinued
		}
	}
}

// verify makes sure that the member in hand is whole before what has been read of
// it counts: it is decompressed ahead, in memory if that is enough, else twice.
func (r *memberReader) verify() error {
	if r.whole {
		return nil
	}
	if r.ahead == nil {
		r.ahead = make([]byte, maxAhead)
	}
	n, err := 0, error(nil)
	for n < len(r.ahead) && err == nil {
		var m int
		m, err = r.out.Read(r.ahead[n:])
		n += m
	}
	switch {
	case err == io.EOF:
		rest := input.Memory(r.ahead[:n])
		r.out = &rest
		r.end = r.in.offset()
	case err != nil:
		return r.broken(err, "in the member")
	default:
		r.out = input.NewBuffered(io.MultiReader(bytes.NewReader(r.ahead[:n]), r.out))
		r.end = r.in.offset()
		if r.at == nil {
			break
		}
		if r.end, _, err = verifyMember(r.codec, r.at, r.in.start()); err != nil {
			return r.broken(err, "in the member")
		}
	}
	r.whole = true
	return nil
}

// verifyMember decompresses the member at start and returns where it ends, and the size
// of its content.
func verifyMember(c codec, at io.ReaderAt, start int64) (end, size int64, err error) {
	in := c.members(input.At(at, start))
	defer release(in)
	if err := in.next(); err != nil {
		return in.offset(), 0, err
	}
	size, err = io.Copy(io.Discard, in)
	return in.offset(), size, err
}

// openMember starts the next member.
func (r *memberReader) openMember() error {
	r.whole = false
	switch err := r.in.next(); {
	case err == io.EOF:
		return err
	case err == errNoMember:
		return &Damage{Kind: words.IssueSkippedRange, Offset: r.in.start(), Detail: "no member begins here"}
	case err != nil:
		return r.broken(err, "in the member's header")
	}
	r.out, r.open = r.in, true
	return nil
}

// closeMember decompresses the rest of the member, so that its checksum is compared,
// and moves past it.
func (r *memberReader) closeMember() error {
	if _, err := r.out.Discard(math.MaxInt64); err != io.EOF {
		return r.broken(err, "in the member")
	}
	r.open, r.end = false, r.in.offset()
	r.member = binary.LittleEndian.AppendUint32(r.member[:0], r.in.sum())
	r.member = binary.LittleEndian.AppendUint64(r.member, uint64(r.end-r.in.start()))
	r.Add(r.member)
	return nil
}

// leave gives up the record at start and moves past the member, if it ends well.
func (r *memberReader) leave(start int64, kind words.IssueKind, detail string) error {
	if err := r.closeMember(); err != nil {
		return err
	}
	return &Damage{Kind: kind, Offset: start, Detail: detail, More: true}
}

// broken turns an error of the decompressor into damage: the member cannot be
// verified, and where the next one begins is unknown.
func (r *memberReader) broken(err error, where string) error {
	r.open = false
	var unread *memberError
	switch {
	case input.IsReadError(err), errors.Is(err, errSearchSpent):
		return err
	case errors.As(err, &unread):
		return &Damage{Kind: unread.kind, Offset: r.in.start(), Detail: unread.detail}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Damage{Kind: words.IssueTruncatedRecord, Offset: r.in.start(), Detail: "the file ends " + where}
	}
	return &Damage{Kind: words.IssueDamagedMember, Offset: r.in.start(), Detail: damageReason(err) + " " + where}
}

// resume goes on after damage where the search finds a chain of members there.
func (r *memberReader) resume(err error) error {
	var d *Damage
	if !errors.As(err, &d) || d.More || r.at == nil {
		return err
	}
	start, err := r.search.behind(d, r.own)
	if err != nil {
		return err
	}
	if start < 0 {
		if r.search.budget < 0 {
			d.Detail += "; the search for members behind it has been given up"
		}
		return d
	}
	if d.Kind == words.IssueTruncatedRecord { // it only seemed so
		d.Kind = words.IssueDamagedMember
	}
	d.More, d.Resumed = true, start
	r.resynced, r.open = true, false
	if ahead, ok := r.in.(*readAhead); ok {
		ahead.seek(start)
		return d
	}
	r.src = input.At(r.at, start)
	r.in = r.codec.members(r.src)
	return d
}

// ownIDs are the ids (recordid.Key) of an archive's own warcinfo records: numbers that no page in
// it could know. A record that names one of them is the archive's own.
type ownIDs map[recordid.ID]bool

func (ids *ownIDs) add(r *Record) {
	if r.Type != "warcinfo" || r.ID == "" || len(*ids) >= MaxWarcinfos {
		return
	}
	if *ids == nil {
		*ids = make(ownIDs)
	}
	(*ids)[r.ID.Key()] = true
}
