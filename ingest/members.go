package ingest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/gzip"
)

// memberReader reads archives whose records are gzip members (WARC 1.1 annex D):
// every record has an offset and a length in the file. Each member is inflated to
// its end, its CRC and length verified.
type memberReader struct {
	chain
	file  *countingReader
	in    *bufio.Reader
	gz    *gzip.Reader
	out   *bufio.Reader // the member, inflated
	crc   uint32        // of what was inflated
	start int64         // of the member
	open  bool          // a member is open
	ahead lookahead
	rec   record
	block io.LimitedReader
}

// newMemberReader reads the archive that file and in read, and at reads at random.
func newMemberReader(file *countingReader, in *bufio.Reader, at io.ReaderAt) *memberReader {
	return &memberReader{file: file, in: in, out: bufio.NewReaderSize(nil, 64<<10), ahead: lookahead{at: at, start: -1}}
}

func (r *memberReader) position() int64 { return r.file.n - int64(r.in.Buffered()) }

func (r *memberReader) fingerprint() uint64 { return r.sum }

func (r *memberReader) next() (*record, error) {
	for {
		if !r.open {
			if err := r.openMember(); err != nil {
				return nil, err
			}
		}
		skipNewlines(r.out)
		block, err := readHeaderBlock(r.out)
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
	h := parseRecordHeader(block)
	if !isWARC(block) {
		return nil, r.leave(IssueBadRecordHeader, fmt.Sprintf("the record begins with %.20q", block))
	}
	if h.contentLength < 0 {
		return nil, r.leave(IssueBadContentLength, "Content-Length is missing or no number")
	}
	r.block = io.LimitedReader{R: r.out, N: h.contentLength}
	r.rec = record{recordHeader: h, offset: r.start, block: &r.block}
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
		length, err := r.ahead.verify(r.start)
		if err == nil || isReadError(err) {
			return length, err
		}
		if err := r.closeMember(); err != nil {
			return 0, err
		}
		return 0, &damage{IssueDamagedMember, r.start, err.Error(), false}
	}
	if err := r.closeMember(); err != nil {
		return 0, err
	}
	return r.position() - r.start, nil
}

// openMember starts the member at the reader's position, past trailing zeros.
func (r *memberReader) openMember() error {
	skip(r.in, "\x00")
	r.start = r.position()
	if _, err := r.in.Peek(1); err != nil {
		return r.readErr(err)
	}
	var err error
	if r.gz == nil {
		r.gz, err = gzip.NewReader(r.in)
	} else {
		err = r.gz.Reset(r.in)
	}
	if err != nil {
		return r.broken(err, "in the gzip header")
	}
	r.gz.Multistream(false)
	r.crc = 0
	r.out.Reset(inflated{r})
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
	binary.LittleEndian.PutUint32(b[:], r.crc)
	binary.LittleEndian.PutUint64(b[4:], uint64(r.position()-r.start))
	r.add(b[:])
	return nil
}

// inflated reads the member's content and keeps its CRC for the fingerprint: the
// gzip reader compares it with the trailer's but does not tell it.
type inflated struct{ r *memberReader }

func (i inflated) Read(p []byte) (int, error) {
	n, err := i.r.gz.Read(p)
	i.r.crc = crc32.Update(i.r.crc, crc32.IEEETable, p[:n])
	return n, err
}

// lookahead verifies members that hold more than one record before their first
// one counts.
type lookahead struct {
	at     io.ReaderAt
	start  int64 // of the member verified last
	length int64
	in     *bufio.Reader
	gz     *gzip.Reader
}

// verify inflates the member at start to its end, compares CRC and length, and
// returns how many octets of the file it is.
func (l *lookahead) verify(start int64) (length int64, err error) {
	if l.start == start {
		return l.length, nil
	}
	file := &countingReader{r: io.NewSectionReader(l.at, start, math.MaxInt64-start)}
	if l.gz == nil {
		l.in, l.gz = bufio.NewReaderSize(nil, 64<<10), new(gzip.Reader)
	}
	l.in.Reset(file)
	if err := l.gz.Reset(l.in); err != nil {
		return 0, err
	}
	l.gz.Multistream(false)
	if _, err := io.Copy(io.Discard, l.gz); err != nil {
		return 0, err
	}
	l.start, l.length = start, file.n-int64(l.in.Buffered())
	return l.length, nil
}

// leave gives up the member's record and stands behind the member, if it ends
// well.
func (r *memberReader) leave(kind IssueKind, detail string) error {
	if err := r.closeMember(); err != nil {
		return err
	}
	return &damage{kind, r.start, detail, true}
}

// broken turns an error of the inflater into damage: the member cannot be
// verified, and where the next one begins is unknown.
func (r *memberReader) broken(err error, where string) error {
	r.open = false
	switch {
	case isReadError(err):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
		return &damage{IssueTruncatedRecord, r.start, "the file ends " + where, false}
	}
	return &damage{IssueDamagedMember, r.start, fmt.Sprintf("%v %s", err, where), false}
}

func (r *memberReader) readErr(err error) error {
	if err == io.EOF || isReadError(err) {
		return err
	}
	return &damage{IssueDamagedMember, r.position(), err.Error(), false}
}

func isReadError(err error) bool {
	var re *readError
	return errors.As(err, &re)
}
