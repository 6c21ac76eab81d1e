package warc

import (
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// plainReader reads uncompressed archives: records one after the other, each with its
// own length. No checksum proves that a length is right, and a page can hold whole
// records. The proofs:
//
//   - WARC-Block-Digest. A record whose block matches it ends where it states,
//     whatever follows. If it does not match, the ends that other records suggest
//     are tried: one that matches is the true end.
//   - A record's end, with another record or the end of the file right after it.
//     That is all that records without a digest have. It also stands where a digest
//     matches nowhere: a block was changed, or its writer computes digests wrongly.
//   - After damage, the proof that plainSearch finds. If it is WARC-Warcinfo-ID,
//     records have to name the file's own warcinfo until a digest proves an end: no
//     page knows its number. If it is only a digest or a chain, which a page can hold,
//     all that follows is forgeable.
type plainReader struct {
	input.Chain
	framing
	at       io.ReaderAt
	src      *input.Source
	start    int64 // of the record in hand
	body     int64 // where its block begins
	rec      Record
	block    io.LimitedReader
	digest   digest.Digest
	hash     hash.Hash
	repaired int64 // length of the block of the record at start, proven by its digest; -1
	unproven bool  // the next record stands after damage, and has to name the file's own warcinfo
	resynced bool
	proof    Proof // of the boundary after the last damage
	own      ownIDs
	named    bool  // some record names one of own
	ends     int64 // bytes of the line ends after the record before, recordEnd at most
	search   plainSearch
	waiting  error // what next returns first
	ended    bool
}

// newPlainReader reads the archive that src reads in order, and at at random.
func newPlainReader(f framing, src *input.Source, at io.ReaderAt) *plainReader {
	return &plainReader{
		framing: f, at: at, src: src,
		repaired: -1, search: plainSearch{framing: f, at: at, budget: maxProof},
	}
}

func (r *plainReader) Next() (*Record, error) {
	if err := r.waiting; err != nil {
		r.waiting = nil
		return nil, err
	}
	if r.ended {
		return nil, io.EOF
	}
	skipNewlines(r.src.Content())
	r.start = r.src.Position()
	header, err := readHeader(r.framing, r.src.Content())
	if err != nil {
		return nil, r.stop(err, "in the record header")
	}
	r.body = r.src.Position()
	h := r.parse(header, &r.rec.Header)
	if !r.begins(header) {
		return nil, r.misbegun(header, &h)
	}
	if r.unproven && !r.own[h.WarcinfoID] {
		return nil, r.lost(words.IssueSkippedRange, "no record that is surely the archive's own")
	}
	return r.begin(header, h)
}

// begin makes a record of a header.
func (r *plainReader) begin(header []byte, h Header) (*Record, error) {
	r.digest = blockDigestOf(&h)
	resynced := r.resynced
	if r.repaired >= 0 {
		h.ContentLength, resynced = r.repaired, true
	}
	if h.ContentLength < 0 {
		r.rec = Record{Header: h, Offset: r.start}
		if err := r.repair("Content-Length is missing or no number"); err != nil {
			return nil, r.rec.Named(err)
		}
		return nil, r.rec.Named(r.lost(words.IssueBadContentLength, "Content-Length is missing or no number"))
	}
	r.Add(header)
	r.block = io.LimitedReader{R: r.src, N: h.ContentLength}
	r.hash = nil
	if r.digest.Known() {
		r.hash = r.digest.NewHash()
		r.block.R = io.TeeReader(r.src, r.hash)
	}
	r.rec = Record{
		Header: h, Offset: r.start, Resynced: resynced, Forgeable: r.proof.forgeable(),
		Joint: jointOf(header, &h), Raw: header, Block: &r.block,
	}
	return &r.rec, nil
}

// misbegun handles a header that does not begin as one. If one of its first bytes is
// wrong, its fields still show where the next record begins.
func (r *plainReader) misbegun(header []byte, h *Header) error {
	detail := fmt.Sprintf("the record begins with %.20q", header)
	if h.ContentLength < 0 || !nearlyWARC(header) || r.unproven {
		return r.lost(words.IssueBadRecordHeader, detail)
	}
	if _, err := r.begin(header, *h); err != nil {
		return err
	}
	if _, err := r.Finish(); err != nil {
		return err
	}
	return &Damage{Kind: words.IssueBadRecordHeader, Offset: r.start, Detail: detail, More: true}
}

// nearlyWARC reports whether b begins as a WARC record but for one byte.
func nearlyWARC(b []byte) bool {
	const version = warcMagic + "1."
	if len(b) < len(version) {
		return false
	}
	wrong := 0
	for i := range version {
		if b[i]|0x20 != version[i]|0x20 {
			wrong++
		}
	}
	return wrong <= 1
}

func (r *plainReader) Finish() (int64, error) {
	_, err := io.Copy(io.Discard, &r.block)
	if err != nil {
		return 0, r.stop(err, "in the record block")
	}
	matches := r.hash != nil && r.block.N == 0 && r.digest.Matches(r.hash)
	end, followed, err := r.boundary()
	if err != nil {
		return 0, r.stop(err, "behind the record")
	}
	if !matches && r.hash != nil {
		if err := r.repair(fmt.Sprintf("the block of %d bytes does not match its digest",
			r.rec.ContentLength)); err != nil {
			return 0, err
		}
		r.rec.Mismatch = true
	}
	switch {
	case r.block.N > 0:
		return 0, r.lost(words.IssueTruncatedRecord, fmt.Sprintf("the file ends %d bytes before the record does", r.block.N))
	case !followed && !matches:
		return 0, r.lost(words.IssueBadRecordEnd,
			fmt.Sprintf("after the %d bytes that Content-Length says comes no other record", r.rec.ContentLength))
	}
	r.repaired = -1
	if matches {
		r.unproven = false
	}
	if !r.resynced {
		r.own.add(&r.rec)
	}
	r.named = r.named || r.own[r.rec.WarcinfoID]
	if !followed {
		start := r.start
		r.start = end
		r.waiting = r.lost(words.IssueBadRecordEnd, "behind the record comes no other one")
		r.start = start
	}
	return end - r.start, nil
}

// recordEnd is how many bytes end a record: two line ends (WARC 1.1 §4).
const recordEnd = 4

// boundary moves past the block and the end of the record, and reports whether another
// record or the end of the file follows. With one wrong byte, the record's end is still
// an end. Without an end the next record has to begin with what is surely its first
// byte: not "ttp://", after an "h" that a wrong length has eaten.
func (r *plainReader) boundary() (end int64, followed bool, err error) {
	if b, _ := r.src.Peek(recordEnd + beginBytes); len(b) > recordEnd && isWARC(b[recordEnd:]) && !isWARC(b) {
		r.src.Discard(recordEnd)
		r.ends = recordEnd
		return r.src.Position(), true, nil
	}
	before := r.ends
	ends := skipEnd(r.src.Content())
	r.ends = min(ends, recordEnd)
	b, err := r.src.Peek(beginBytes)
	if err == io.EOF {
		err = nil
	}
	if len(b) == 0 && err == nil && r.block.N == 0 && ends < before && r.framing == (warcFraming{}) {
		r.waiting = &Damage{
			Kind: words.IssueTruncatedRecord, Offset: r.start, RecordID: r.rec.ID, More: true, Action: "record kept",
			Detail: fmt.Sprintf("the file ends in the line ends behind the record: here they are %d bytes, behind "+
				"the record before %d", ends, before),
		}
	}
	if ends == 0 && len(b) > 0 && !isWARC(b) && !beginsARC(b) {
		return r.src.Position(), false, err
	}
	cut := len(b) < beginBytes && r.beginsCut(b)
	return r.src.Position(), cut || r.begins(b) || ends > 0 && nearlyWARC(b), err
}

// repair looks for the end of the record in hand that its block digest proves, and
// lets next read the record again up to there. nil: there is none.
func (r *plainReader) repair(detail string) error {
	if !r.digest.Known() || r.repaired >= 0 {
		return nil
	}
	end, err := r.search.end(r.body, r.digest)
	if end < 0 || err != nil {
		return err
	}
	r.repaired = end - r.body
	r.seek(r.start)
	return &Damage{
		Kind: words.IssueBadContentLength, Offset: r.start, More: true,
		Detail: fmt.Sprintf("%s; one of %d bytes does", detail, r.repaired),
		Action: "read to the end that its digest proves",
	}
}

// seek goes on reading at another place.
func (r *plainReader) seek(to int64) {
	progress := r.src.SetProgress(nil)
	r.src = input.At(r.at, to)
	r.src.SetProgress(progress)
}

// stop ends the reading for an error of the file or the header's form.
func (r *plainReader) stop(err error, where string) error {
	switch {
	case err == io.EOF, input.IsReadError(err):
		r.ended = true
		return err
	case errors.Is(err, errHeaderTooLong):
		return r.lost(words.IssueHeaderTooLong, fmt.Sprintf("the record header is longer than %d bytes", MaxRecordHeader))
	}
	return r.lost(words.IssueTruncatedRecord, "the file ends "+where)
}

// lost gives up the record in hand, and goes on at the next one that shows that it is
// one, if there is any.
func (r *plainReader) lost(kind words.IssueKind, detail string) error {
	r.repaired = -1
	d := &Damage{Kind: kind, Offset: r.start, Detail: detail}
	next, proof, err := r.search.behind(r.start+1, r.own, r.named)
	if err == errProofSpent {
		d.Detail += "; the search for records behind it has been given up"
	} else if err != nil {
		r.ended = true
		return err
	}
	if next < 0 {
		r.ended = true
		return d
	}
	if d.Kind == words.IssueTruncatedRecord { // it only seemed so
		d.Kind = words.IssueBadRecordEnd
	}
	d.More, d.Resumed, d.Proof = true, next, proof
	r.resynced, r.proof = true, proof
	r.unproven = !proof.forgeable()
	r.named = r.named || r.unproven
	r.seek(next)
	return d
}
