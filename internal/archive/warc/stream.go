package warc

import (
	"bytes"
	"cmp"
	"compress/bzip2"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/words"
	slyrz "github.com/slyrz/warc"
)

// streamReader reads archives whose records cannot be addressed in the file:
// bzip2, one gzip stream around all records, and pipes. github.com/slyrz/warc
// frames the records; the boundedReader below it bounds what it reads as a header, counts
// bytes, and keeps the header as it stands, since slyrz/warc has no bound, no
// offsets, and loses repeated fields.
//
// Offsets and lengths refer to the decompressed stream. Its checksum, where it has one,
// comes after the records: see proof.
type streamReader struct {
	input.Chain
	bounded  *boundedReader
	slyrz    *slyrz.Reader
	rec      Record
	block    io.LimitedReader
	hash     hash.Hash // of the block, nil where nothing is to be compared
	proof    proof
	resynced bool
	waiting  error // what next returns first
	ended    bool
}

// proof is the proof that a stream's records need of their ends.
type proof uint8

const (
	// A checksum has been compared already: nothing.
	proofChecksum proof = iota
	// No checksum exists: the length of a block that does not match its digest
	// may be wrong, and the records after it count as resynchronised.
	proofFraming
)

// newStreamReader wraps the compressed or plain bytes of src.
func newStreamReader(a Form, src *input.Source) (*streamReader, error) {
	plain, err := Decompressed(a, src)
	if err != nil {
		return nil, err
	}
	r := &streamReader{bounded: &boundedReader{framing: a.framing, in: input.NewBuffered(plain)}}
	if plain == io.Reader(src) {
		r.proof = proofFraming
	}
	return r, nil
}

// PackedPeek is how many of the first bytes IsPacked needs.
const PackedPeek = 6

// IsPacked reports whether a text begins as zstd, bzip2 or xz does.
func IsPacked(b []byte) bool {
	return bytes.HasPrefix(b, magicZstd) || bytes.HasPrefix(b, magicBzip2) || bytes.HasPrefix(b, magicXZ)
}

// Decompressed undoes the compression that the first bytes announce; it is src
// itself where there is none.
func Decompressed(a Form, src *input.Source) (io.Reader, error) {
	if z, ok := a.codec.(*zstdCodec); ok {
		r, err := z.stream(src.Reader)
		return &sticky{r: r, src: src}, err
	}
	b, _ := src.Peek(len(magicXZ))
	switch {
	case bytes.HasPrefix(b, magicXZ):
		return &sticky{r: &xzReader{in: src.Reader}, src: src}, nil
	case bytes.HasPrefix(b, magicBzip2):
		return &sticky{r: bzip2.NewReader(src.Reader), src: src}, nil
	case bytes.HasPrefix(b, magicGzip):
		return &sticky{r: &joined{in: gzipCodec{}.members(src), err: io.EOF}, src: src}, nil
	}
	return src, nil
}

// joined reads the content of members as one.
type joined struct {
	in  memberStream
	err error // of the member in hand
}

func (j *joined) Read(p []byte) (n int, err error) {
	for n == 0 && len(p) > 0 {
		if j.err == io.EOF {
			if err := j.in.next(); err != nil {
				return 0, err
			}
		}
		n, j.err = j.in.Read(p)
		if j.err != nil && j.err != io.EOF {
			return n, j.err
		}
	}
	return n, nil
}

// sticky ends with the first error: compress/bzip2 goes on after one. It also ends once
// the reading of src must stop, even if it holds enough input for a long time.
type sticky struct {
	r   io.Reader
	src *input.Source
	err error
}

// errBehindBzip2 is the error for bytes after the end of a bzip2 stream.
var errBehindBzip2 = error(bzip2.StructuralError("bad magic value in continuation file"))

func (s *sticky) Read(p []byte) (n int, err error) {
	if s.err == nil {
		s.err = s.src.Stopped()
	}
	if s.err == nil {
		n, s.err = s.r.Read(p)
	}
	if s.err == errBehindBzip2 {
		s.err = errNoMember
	}
	return n, s.err
}

func (r *streamReader) Next() (*Record, error) {
	if r.ended {
		return nil, io.EOF
	}
	if r.waiting != nil {
		return nil, r.stop(r.waiting)
	}
	if err := r.bounded.start(); err != nil {
		return nil, r.stop(err)
	}
	var err error
	if r.slyrz == nil {
		r.slyrz, err = slyrz.NewReaderMode(r.bounded, slyrz.SequentialMode)
	}
	var rec *slyrz.Record
	if err == nil {
		rec, err = r.slyrz.ReadRecord()
	}
	if err != nil {
		return nil, r.stop(err)
	}
	r.Add(r.bounded.header)
	r.block = io.LimitedReader{R: rec.Content, N: r.bounded.parsed.ContentLength}
	r.rec = Record{
		Header: r.bounded.parsed, Offset: r.bounded.offset, Streamed: true, Resynced: r.resynced,
		Raw: r.bounded.header, Block: &r.block,
	}
	if r.proof != proofChecksum {
		r.rec.Joint = jointOf(r.bounded.header, &r.bounded.parsed)
	}
	r.hash = nil
	if d := blockDigestOf(&r.rec.Header); r.proof != proofChecksum && d.Known() {
		r.hash = d.NewHash()
		r.block.R = io.TeeReader(rec.Content, r.hash)
	}
	return &r.rec, nil
}

func (r *streamReader) Finish() (int64, error) {
	if _, err := io.Copy(io.Discard, &r.block); err != nil {
		return 0, r.stop(err)
	}
	if r.block.N > 0 {
		r.ended = true
		return 0, &Damage{
			Kind: words.IssueTruncatedRecord, Offset: r.bounded.offset,
			Detail: fmt.Sprintf("the stream ends %d bytes before the record does", r.block.N),
		}
	}
	digest := blockDigestOf(&r.rec.Header)
	proven := r.hash != nil && digest.Matches(r.hash)
	if r.hash != nil && !proven {
		r.resynced, r.rec.Mismatch = true, true
	}
	before := r.bounded.ends
	if err := r.bounded.end(); err == errNoMember || err != nil && proven {
		r.waiting = err
	} else if err != nil {
		return 0, r.stop(err)
	}
	if r.bounded.last && r.bounded.ends < before && r.proof == proofFraming && r.bounded.framing == (warcFraming{}) {
		r.waiting = r.bounded.fail(words.IssueTruncatedRecord,
			fmt.Sprintf("the stream ends in the line ends behind the record: here they are %d bytes, behind the "+
				"record before %d", r.bounded.ends, before))
		r.bounded.damage.Action, r.bounded.damage.RecordID = "record kept", r.rec.ID
	}
	return r.bounded.n - r.bounded.offset, nil
}

// stop ends the reading. The boundedReader's own error is better than the one of
// slyrz/warc.
func (r *streamReader) stop(err error) error {
	r.ended = true
	if d := r.bounded.damage; d != nil {
		return d
	}
	switch {
	case r.bounded.err != nil:
		err = r.bounded.err
	case err == io.EOF:
		return io.EOF
	}
	if input.IsReadError(err) {
		return err
	}
	kind := words.IssueDamagedStream
	if errors.Is(err, errNoMember) {
		return &Damage{Kind: words.IssueSkippedRange, Offset: r.bounded.n, Detail: "what follows is no part of the stream"}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		kind = words.IssueTruncatedRecord
	}
	return &Damage{Kind: kind, Offset: r.bounded.offset, Detail: err.Error()}
}

// boundedReader hands a stream of records to slyrz/warc piece by piece: a read never goes
// past the end of a header, a block, or the end of a record, so that it holds the header
// of the record in hand.
type boundedReader struct {
	framing
	in     input.Buffered
	n      int64 // bytes handed on
	offset int64 // where the record in hand begins
	header []byte
	parsed Header
	queue  []byte // header bytes and record ends to hand on first
	left   int64  // bytes of the block
	ends   int64  // bytes of the line ends after the last record, recordEnd at most
	last   bool   // nothing comes after it
	damage *Damage
	err    error
}

// start reads the next header ahead, within bounds. slyrz/warc expects exactly two line
// ends after a block, and gets them whatever the archive has.
func (t *boundedReader) start() error {
	t.n += skipNewlines(t.in)
	t.offset = t.n
	block, err := readHeader(t.framing, t.in)
	switch {
	case errors.Is(err, errHeaderTooLong):
		return t.fail(words.IssueHeaderTooLong, fmt.Sprintf("the record header is longer than %d bytes", MaxRecordHeader))
	case err != nil:
		if err != io.EOF {
			t.err = err
		}
		return err
	case !t.begins(block):
		return t.fail(words.IssueBadRecordHeader, fmt.Sprintf("the record begins with %.20q", block))
	}
	t.n += int64(len(block))
	t.header, t.parsed = append(t.header[:0], block...), t.parse(block, &t.parsed)
	if t.parsed.ContentLength < 0 {
		t.fail(words.IssueBadContentLength, "Content-Length is missing or no number")
		t.damage.RecordID = t.parsed.ID
		return t.damage
	}
	t.queue = fmt.Appendf(t.queue, "%s\r\ncontent-length: %d\r\n\r\n", cmp.Or(t.parsed.Version, "WARC/1.0"),
		t.parsed.ContentLength) // all that slyrz/warc needs to frame the record, also of ARC
	t.left = t.parsed.ContentLength
	return nil
}

// end checks the record's end and queues the two line ends for slyrz/warc.
func (t *boundedReader) end() error {
	ends := skipEnd(t.in)
	t.n += ends
	next, err := t.in.Reader.Peek(beginBytes)
	followed := t.begins(next)
	t.ends, t.last = min(ends, recordEnd), len(next) == 0 && err == io.EOF
	if err != nil && err != io.EOF && !followed { // else it comes again, after the next header
		t.err = err
		return err
	}
	if len(next) > 0 && !followed {
		return t.fail(words.IssueBadRecordEnd,
			fmt.Sprintf("after the %d bytes that Content-Length says comes %.8q, not the next record",
				t.parsed.ContentLength, next))
	}
	t.queue = append(t.queue[:0], "\r\n\r\n"...)
	return nil
}

func (t *boundedReader) fail(kind words.IssueKind, detail string) error {
	t.damage = &Damage{Kind: kind, Offset: t.offset, Detail: detail}
	return t.damage
}

func (t *boundedReader) Read(p []byte) (int, error) {
	if len(t.queue) > 0 {
		n := copy(p, t.queue)
		t.queue = t.queue[n:]
		return n, nil
	}
	if t.left == 0 {
		return 0, io.EOF
	}
	n, err := t.in.Read(p[:min(int64(len(p)), t.left)])
	t.n += int64(n)
	t.left -= int64(n)
	if n > 0 { // an error comes again
		return n, nil
	}
	if err != io.EOF {
		t.err = err
	}
	return 0, err
}
