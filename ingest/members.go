package ingest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

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
	rec   record
	block io.LimitedReader
}

func newMemberReader(file *countingReader, in *bufio.Reader) *memberReader {
	return &memberReader{file: file, in: in, out: bufio.NewReaderSize(nil, 64<<10)}
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
		if err != nil {
			return nil, r.broken(err, "in the record header")
		}
		return r.begin(block)
	}
}

// begin makes a record of a header.
func (r *memberReader) begin(block []byte) (*record, error) {
	h := parseRecordHeader(block)
	if !bytes.HasPrefix(block, []byte(warcMagic)) {
		return nil, r.leave(IssueBadRecordHeader, fmt.Sprintf("the record begins with %.20q", block))
	}
	if h.contentLength < 0 {
		return nil, r.leave(IssueBadContentLength, "Content-Length is missing or no number")
	}
	r.block = io.LimitedReader{R: r.out, N: h.contentLength}
	r.rec = record{recordHeader: h, offset: r.start, block: &r.block}
	return &r.rec, nil
}

// finish reads the member to its end, unless another record follows in it.
func (r *memberReader) finish() (int64, error) {
	if _, err := io.Copy(io.Discard, &r.block); err != nil {
		return 0, r.broken(err, "in the record block")
	}
	if r.block.N > 0 {
		detail := fmt.Sprintf("the member ends %d octets before its record does", r.block.N)
		if err := r.closeMember(); err != nil {
			return 0, err
		}
		return 0, &damage{IssueTruncatedRecord, r.start, detail, true}
	}
	skipNewlines(r.out)
	if _, err := r.out.Peek(1); err == nil {
		// Another record, or octets that are none: next will tell. The member is
		// not verified yet; this record is, as far as its own length goes.
		return r.position() - r.start, nil
	}
	if err := r.closeMember(); err != nil {
		return 0, err
	}
	return r.position() - r.start, nil
}

// openMember starts the member at the reader's position, past trailing zeros.
func (r *memberReader) openMember() error {
	for {
		b, err := r.in.Peek(1)
		if err != nil {
			return r.readErr(err)
		}
		if b[0] != 0 {
			break
		}
		r.in.Discard(1)
	}
	r.start = r.position()
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
	case errors.Is(err, errHeaderTooLong):
		return r.leave(IssueHeaderTooLong, fmt.Sprintf("the record header is longer than %d octets", maxRecordHeader))
	case isReadError(err):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
		if b, _ := r.in.Peek(1); len(b) == 0 {
			return &damage{IssueTruncatedRecord, r.start, "the file ends " + where, false}
		}
		return r.leave(IssueBadRecordHeader, "the member ends "+where)
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
