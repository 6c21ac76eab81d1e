package ingest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// memberReader reads archives whose records are compressed members (WARC 1.1
// annex D): every record has an offset and a length in the file. Each member is
// decompressed to its end, its checksum verified.
type memberReader struct {
	chain
	framing
	in    memberStream
	out   *bufio.Reader // the member, decompressed
	open  bool          // a member is open
	ahead lookahead
	rec   record
	block io.LimitedReader
}

// newMemberReader reads the archive that src reads in order, and at at random.
func newMemberReader(c codec, f framing, src *source, at io.ReaderAt) *memberReader {
	return &memberReader{framing: f, in: c.members(src), out: bufio.NewReaderSize(nil, 64<<10),
		ahead: lookahead{codec: c, at: at, start: -1}}
}

func (r *memberReader) fingerprint() uint64 { return r.sum }

func (r *memberReader) next() (*record, error) {
	for {
		if !r.open {
			if err := r.openMember(); err != nil {
				return nil, err
			}
		}
		skipNewlines(r.out)
		block, err := r.readHeader(r.out)
		if err == io.EOF { // the member holds nothing, or nothing more
			if err := r.closeMember(); err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case err == nil:
			return r.begin(block)
		case errors.Is(err, errHeaderTooLong):
			return nil, r.leave(IssueHeaderTooLong, fmt.Sprintf("the record header is longer than %d octets", maxRecordHeader))
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, r.leave(IssueBadRecordHeader, "the member ends in the record header")
		}
		return nil, r.broken(err, "in the record header")
	}
}

// begin makes a record of a header.
func (r *memberReader) begin(block []byte) (*record, error) {
	if !r.begins(block) {
		return nil, r.leave(IssueBadRecordHeader, fmt.Sprintf("the record begins with %.20q", block))
	}
	h := r.parse(block)
	if h.contentLength < 0 {
		return nil, r.leave(IssueBadContentLength, "Content-Length is missing or no number")
	}
	r.block = io.LimitedReader{R: r.out, N: h.contentLength}
	r.rec = record{recordHeader: h, offset: r.in.start(), block: &r.block}
	return &r.rec, nil
}

// finish reads the member to its end. Where more follows in it, the member is
// verified ahead: its records count only if all of it is whole. Their length is
// the member's.
func (r *memberReader) finish() (int64, error) {
	if _, err := io.Copy(io.Discard, &r.block); err != nil {
		return 0, r.broken(err, "in the record block")
	}
	if r.block.N > 0 {
		return 0, r.leave(IssueTruncatedRecord, fmt.Sprintf("the member ends %d octets before its record does", r.block.N))
	}
	skipNewlines(r.out)
	if _, err := r.out.Peek(1); err == nil {
		// Another record, or octets that are none: next will tell.
		length, err := r.ahead.verify(r.in.start())
		if err == nil || isReadError(err) {
			return length, err
		}
		if err := r.closeMember(); err != nil {
			return 0, err
		}
		return 0, &damage{IssueDamagedMember, r.in.start(), err.Error(), false}
	}
	if err := r.closeMember(); err != nil {
		return 0, err
	}
	return r.in.offset() - r.in.start(), nil
}

// openMember starts the next member.
func (r *memberReader) openMember() error {
	if err := r.in.next(); err == io.EOF {
		return err
	} else if err != nil {
		return r.broken(err, "in the member's header")
	}
	r.out.Reset(r.in)
	r.open = true
	return nil
}

// closeMember inflates what is left of the member, so that its checksum is
// compared, and stands behind it.
func (r *memberReader) closeMember() error {
	if _, err := io.Copy(io.Discard, r.out); err != nil {
		return r.broken(err, "in the member")
	}
	r.open = false
	var b [12]byte
	binary.LittleEndian.PutUint32(b[:], r.in.sum())
	binary.LittleEndian.PutUint64(b[4:], uint64(r.in.offset()-r.in.start()))
	r.add(b[:])
	return nil
}

// lookahead verifies members that hold more than one record before their first
// one counts.
type lookahead struct {
	codec  codec
	at     io.ReaderAt
	start  int64 // of the member verified last
	length int64
}

// verify decompresses the member at start to its end, compares its checksum, and
// returns how many octets of the file it is.
func (l *lookahead) verify(start int64) (length int64, err error) {
	if l.start == start {
		return l.length, nil
	}
	in := l.codec.members(sourceAt(l.at, start))
	if err := in.next(); err != nil {
		return 0, err
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return 0, err
	}
	l.start, l.length = start, in.offset()-start
	return l.length, nil
}

// leave gives up the member's record and stands behind the member, if it ends
// well.
func (r *memberReader) leave(kind IssueKind, detail string) error {
	if err := r.closeMember(); err != nil {
		return err
	}
	return &damage{kind, r.in.start(), detail, true}
}

// broken turns an error of the inflater into damage: the member cannot be
// verified, and where the next one begins is unknown.
func (r *memberReader) broken(err error, where string) error {
	r.open = false
	switch {
	case isReadError(err):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
		return &damage{IssueTruncatedRecord, r.in.start(), "the file ends " + where, false}
	}
	return &damage{IssueDamagedMember, r.in.start(), fmt.Sprintf("%v %s", err, where), false}
}

func isReadError(err error) bool {
	var re *readError
	return errors.As(err, &re)
}
