package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/digest"
)

// plainSearch looks for the ends and beginnings of records in a plain file.
//
// After damage, reading goes on at a record that proves that it is one. From the
// strongest proof to the weakest:
//
//  1. It names one of the file's own warcinfo records: a number that no page knows.
//  2. Its block matches its own WARC-Block-Digest, and another record or the end of the
//     file follows; or it begins a chain of records that runs unbroken to the end of the
//     file.
//
// A page can hold records with digests, and a chain of them that goes on with the record
// after the page. So what 2 finds is forgeable, and 2 is tried only in files where no
// record names the file's own warcinfo: where some do, the others are a page's. A digest
// and a chain are equally weak: the record that comes first is taken.
type plainSearch struct {
	framing framing
	at      io.ReaderAt
	budget  int64 // bytes that may still be read in search
	window  input.Window
	ahead   input.Window // of headerEnd
	headers span         // that lies between a header's beginning and its end
	fields  []byte       // of a header

	noneOwned bool  // no record in the rest of the file names its warcinfo
	surveyed  bool  // the next three are known
	chain     int64 // where the chain to the end of the file begins, -1: there is none
	size      int64 // of the file
	hashes    int64 // bytes of blocks that may still be hashed
}

const _ = uint(input.Overlap - beginBytes) // what is sought in a window is no longer

// Proof is the proof that a record begins where reading goes on after damage.
type Proof uint8

const (
	provenByNothing Proof = iota
	provenByWarcinfo
	provenByDigest
	provenByChain
)

func (p Proof) String() string {
	return [...]string{
		"", "the record behind it names the archive's own warcinfo",
		"the record behind it matches its own digest, and a page could hold it",
		"from there records follow each other to the end of the file, and a page could hold them",
	}[p]
}

// forgeable reports whether a page can hold what the proof requires.
func (p Proof) forgeable() bool { return p == provenByDigest || p == provenByChain }

// errProofSpent ends a search for the boundaries of records that has used its budget.
var errProofSpent = errors.New("the search for records has used its budget")

// behind returns where reading goes on, at or after from. named: records of the file name
// its own warcinfo.
func (s *plainSearch) behind(from int64, own ownIDs, named bool) (int64, Proof, error) {
	if !s.noneOwned {
		start, err := s.owned(from, own)
		if start >= 0 || err != nil {
			return start, provenByWarcinfo, err
		}
		s.noneOwned = true
	}
	if named {
		return -1, provenByNothing, nil
	}
	if err := s.survey(from); err != nil {
		return -1, provenByNothing, err
	}
	to := s.chain
	if to < from {
		to = s.size
	}
	start, err := s.digested(from, to)
	switch {
	case start >= 0:
		return start, provenByDigest, nil
	case to < s.size && (err == nil || err == errProofSpent):
		return to, provenByChain, nil
	}
	return -1, provenByNothing, err
}

// span is a part of a file, without its end.
type span struct{ start, end int64 }

// begin returns the first place in [from, to) where a line begins as a record does, -1 if
// there is none. from is not the first byte of the file.
func (s *plainSearch) begin(from, to int64) (int64, error) {
	end, err := s.window.Find(s.at, from-1, to-1, func(b []byte) int { // of the line before
		for at := 0; ; {
			n := bytes.IndexByte(b[at:], '\n')
			if n < 0 {
				return -1
			}
			at += n + 1
			if s.framing.begins(b[at:min(len(b), at+beginBytes)]) {
				return at - 1
			}
		}
	})
	if end < 0 || end+1 >= to {
		return -1, err
	}
	return end + 1, err
}

// end looks for the end of the block at body that its digest proves, -1 if there
// is none. Ends are tried before each record that follows, and at the end of the
// file.
func (s *plainSearch) end(body int64, d digest.Digest) (int64, error) {
	if s.budget <= 0 {
		return -1, nil
	}
	limit := body + min(s.budget, maxProofOne)
	in := bufio.NewReaderSize(input.MarkFailures(io.NewSectionReader(s.at, body, math.MaxInt64-body)), 64<<10)
	h, fed := d.NewHash(), body
	for fed < limit {
		next, err := s.begin(fed+1, limit)
		if err != nil {
			return -1, err
		}
		last := next < 0
		if last {
			if next = s.window.End(); next > limit {
				break
			}
		}
		before := max(fed, next-recordEnd)
		s.budget -= before - fed
		if _, err := io.CopyN(h, in, before-fed); err != nil {
			return -1, noEnd(err)
		}
		for fed = before; ; fed++ {
			b, err := in.Peek(int(next - fed))
			if err != nil {
				return -1, noEnd(err)
			}
			if len(bytes.Trim(b, "\r\n")) == 0 && d.Matches(h) {
				return fed, nil
			}
			if fed == next {
				break
			}
			h.Write(b[:1])
			in.Discard(1)
		}
		if last {
			break
		}
	}
	return -1, nil
}

// noEnd drops io.EOF: where the file ends before a block begins, no end is proven.
func noEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// owned returns the first place from from on where a record begins that names one of
// the file's own warcinfo records, -1 if there is none. After a header without its
// empty line, candidates share the end of the next: bytes between two of them are read
// once, and the first id there belongs to all candidates before it.
func (s *plainSearch) owned(from int64, own ownIDs) (int64, error) {
	if len(own) == 0 {
		return -1, nil
	}
	first := int64(-1) // of the candidates that share an end, and so far have no id
	for {
		start, err := s.begin(from, math.MaxInt64)
		if start < 0 || err != nil {
			return -1, err
		}
		end, err := s.headerEnd(start)
		if end < 0 || err != nil {
			return -1, err
		}
		next, err := s.begin(start+1, end)
		if err != nil {
			return -1, err
		}
		if next < 0 {
			next = end
		}
		from = next
		if end-start > MaxRecordHeader {
			continue
		}
		h, err := s.header(start, next)
		if err != nil {
			return -1, err
		}
		if first < 0 {
			first = start
		}
		if own[h.WarcinfoID] {
			return first, nil
		}
		if h.WarcinfoID != "" || next == end {
			first = -1
		}
	}
}

// headerEnd returns where the header that begins at start ends, -1 if it does not. It
// remembers the last one.
func (s *plainSearch) headerEnd(start int64) (int64, error) {
	if start < s.headers.start || start >= s.headers.end {
		end, err := s.findHeaderEnd(start)
		if err != nil {
			return -1, err
		}
		s.headers = span{start, end}
	}
	if s.headers.end == math.MaxInt64 {
		return -1, nil
	}
	return s.headers.end, nil
}

// findHeaderEnd looks for that end, math.MaxInt64 if there is none. The line at start
// is not empty.
func (s *plainSearch) findHeaderEnd(start int64) (int64, error) {
	length := 0 // of the header's bytes after the place that is found
	at, err := s.ahead.Find(s.at, start, math.MaxInt64, func(b []byte) int {
		line := bytes.IndexByte(b, '\n') + 1
		if line == 0 {
			return -1
		}
		if length, _ = s.framing.headerEnd(b, line); length < 0 {
			return -1
		}
		return 0
	})
	if at < 0 {
		return math.MaxInt64, err
	}
	return at + int64(length), err
}

// header parses the header, or a part of one, in [start, end).
func (s *plainSearch) header(start, end int64) (Header, error) {
	if s.budget -= end - start; s.budget < 0 {
		return Header{}, errProofSpent
	}
	s.fields = slices.Grow(s.fields[:0], int(end-start))[:end-start]
	if _, err := s.at.ReadAt(s.fields, start); err != nil && err != io.EOF {
		return Header{}, &input.ReadError{Err: err}
	}
	return s.framing.parse(s.fields, nil), nil
}

// candidate could be a record: a header in which no other begins, with the type of the
// record and the length of its block.
type candidate struct {
	start, body, end int64 // of the header, of the block; the end that it states for the block
	digest           digest.Digest
}

// candidate returns the first one from from on, false if there is none.
func (s *plainSearch) candidate(from int64) (c candidate, found bool, err error) {
	for {
		start, err := s.begin(from, math.MaxInt64)
		if start < 0 || err != nil {
			return candidate{}, false, err
		}
		body, err := s.headerEnd(start)
		if body < 0 || err != nil {
			return candidate{}, false, err
		}
		if from, err = s.begin(start+1, body); err != nil {
			return candidate{}, false, err
		}
		if from >= 0 {
			continue
		}
		from = body
		if body-start > MaxRecordHeader {
			continue
		}
		h, err := s.header(start, body)
		if err != nil {
			return candidate{}, false, err
		}
		if h.Type != "" && h.ContentLength >= 0 && h.ContentLength <= math.MaxInt64-body {
			return candidate{start, body, body + h.ContentLength, blockDigestOf(&h)}, true, nil
		}
	}
}

// survey reads the rest of the file once, and finds the first chain of records that runs
// unbroken to its end.
func (s *plainSearch) survey(from int64) error {
	if s.surveyed {
		return nil
	}
	chains := chains{at: s.at, begun: make(map[int64]int64)}
	for next := from; ; {
		c, found, err := s.candidate(next)
		if err != nil {
			return err
		}
		if !found {
			break
		}
		next = c.body
		if err := chains.add(c); err != nil {
			return err
		}
	}
	if _, err := s.window.Find(s.at, max(from, s.window.Start()), math.MaxInt64,
		func([]byte) int { return -1 }); err != nil {
		return err
	}
	s.size = s.window.End()
	s.hashes = maxBlockReads * (s.size - from)
	var err error
	s.chain, err = chains.reaching(s.size)
	s.surveyed = err == nil
	return err
}

// chains are runs of records. Each record begins where the one before it ends.
type chains struct {
	at    io.ReaderAt
	begun map[int64]int64 // where the block of a chain's last record ends: where the chain begins
}

// add takes a candidate in. Candidates come in the order of the file.
func (c *chains) add(r candidate) error {
	first, err := c.reaching(r.start)
	if err != nil {
		return err
	}
	if first < 0 {
		first = r.start
	}
	if len(c.begun) >= maxChains {
		for end := range c.begun { // chains that have ended before
			if end < r.start-maxLineEnds {
				delete(c.begun, end)
			}
		}
		if len(c.begun) > maxChains/2 { // so that dropping takes no more time than adding
			return errProofSpent
		}
	}
	if known, ok := c.begun[r.end]; !ok || first < known {
		c.begun[r.end] = first
	}
	return nil
}

// reaching returns where the first of the chains begins whose last record ends at a
// place, or in line ends before it; -1 if there is none.
func (c *chains) reaching(place int64) (first int64, err error) {
	ends := make([]byte, min(maxLineEnds, place))
	if _, err := c.at.ReadAt(ends, place-int64(len(ends))); err != nil && err != io.EOF {
		return -1, &input.ReadError{Err: err}
	}
	first = -1
	for n := len(ends); ; n-- {
		if known, ok := c.begun[place-int64(len(ends)-n)]; ok && (first < 0 || known < first) {
			first = known
		}
		if n == 0 || ends[n-1] != '\n' && ends[n-1] != '\r' {
			return first, nil
		}
	}
}

// digested returns the first place in [from, to) where a record begins whose block
// matches its digest, and that is followed by another; -1 if there is none.
func (s *plainSearch) digested(from, to int64) (int64, error) {
	for {
		c, found, err := s.candidate(from)
		if !found || err != nil || c.start >= to {
			return -1, err
		}
		from = c.body
		if !c.digest.Known() || c.end > s.size {
			continue
		}
		proven, err := s.isFollowed(c.end)
		if err == nil && proven {
			proven, err = s.matches(&c)
		}
		if err != nil {
			return -1, err
		}
		if proven {
			return c.start, nil
		}
	}
}

// isFollowed reports whether another record, or the end of the file, stands after the
// line ends at a place.
func (s *plainSearch) isFollowed(end int64) (bool, error) {
	var buf [maxLineEnds + beginBytes]byte
	n, err := s.at.ReadAt(buf[:], end)
	if err != nil && err != io.EOF {
		return false, &input.ReadError{Err: err}
	}
	next := bytes.TrimLeft(buf[:n], "\r\n")
	return len(next) == 0 && err == io.EOF || s.framing.begins(next), nil
}

// matches reports whether the block of a candidate matches its digest.
func (s *plainSearch) matches(c *candidate) (bool, error) {
	length := c.end - c.body
	s.hashes -= length
	s.budget -= length
	if s.hashes < 0 || s.budget < 0 {
		return false, errProofSpent
	}
	h := c.digest.NewHash()
	if _, err := io.Copy(h, io.NewSectionReader(s.at, c.body, length)); err != nil {
		return false, &input.ReadError{Err: err}
	}
	return c.digest.Matches(h), nil
}
