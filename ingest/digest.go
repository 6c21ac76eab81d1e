package ingest

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// digestAlgorithm is a digest function that archives are written with.
type digestAlgorithm struct {
	label string // as most writers spell it
	new   func() hash.Hash
	size  int // octets of a sum
}

// digestAlgorithms are known without the hyphen that some writers put in: sha-256.
var digestAlgorithms = map[string]*digestAlgorithm{
	"md5":    {"md5", md5.New, md5.Size},
	"sha1":   {"sha1", sha1.New, sha1.Size},
	"sha256": {"sha256", sha256.New, sha256.Size},
	"sha512": {"sha512", sha512.New, sha512.Size},
}

// digest is a labelled digest (WARC 1.1 §5.8). The zero value is that there is
// none.
type digest struct {
	algorithm *digestAlgorithm
	sum       string // raw octets
}

var (
	errDigestAlgorithm = errors.New("its algorithm is not known")
	errDigestValue     = errors.New("its value is no digest of its algorithm")
)

// parseDigest reads the value of WARC-Block-Digest or WARC-Payload-Digest. The
// format leaves the encoding open; the length of the value tells it, with or
// without padding, in any case: base32 (most writers, for SHA-1), hexadecimal
// (most, for the others), base64. An absent digest is the zero value.
func parseDigest(field string) (digest, error) {
	label, value, labelled := strings.Cut(field, ":")
	if field == "" {
		return digest{}, nil
	}
	a := digestAlgorithms[strings.ReplaceAll(strings.ToLower(strings.TrimSpace(label)), "-", "")]
	if a == nil || !labelled {
		return digest{}, errDigestAlgorithm
	}
	sum, err := decodeSum(strings.TrimRight(strings.TrimSpace(value), "="), a.size)
	if err != nil {
		return digest{}, errDigestValue
	}
	return digest{a, string(sum)}, nil
}

// decodeSum decodes a digest of size octets.
func decodeSum(value string, size int) ([]byte, error) {
	switch len(value) {
	case hex.EncodedLen(size):
		return hex.DecodeString(value)
	case base32Sums.EncodedLen(size):
		return base32Sums.DecodeString(strings.ToUpper(value))
	case base64.RawStdEncoding.EncodedLen(size):
		return base64.RawStdEncoding.DecodeString(base64url.Replace(value))
	}
	return nil, errDigestValue
}

// base64url turns the alphabet for URLs (RFC 4648 §5) into the usual one.
var base64url = strings.NewReplacer("-", "+", "_", "/")

var base32Sums = base32.StdEncoding.WithPadding(base32.NoPadding)

// DigestKey is a payload digest in a form in which the same octets by the same
// algorithm are one key, however they are written; "" for no digest, and for that of
// no octets, which every empty payload shares, so that it names none.
func DigestKey(field string) string {
	d, err := parseDigest(field)
	switch {
	case err != nil && isUnlabelledNothing(field):
		return ""
	case err != nil: // of another algorithm, perhaps: compared as written
		return strings.ToLower(field)
	case !d.known() || d.ofNothing():
		return ""
	}
	return d.algorithm.label + ":" + d.sum
}

// isUnlabelledNothing reports whether a digest without its algorithm's name is that
// of no octets by any of them.
func isUnlabelledNothing(value string) bool {
	for label := range digestAlgorithms {
		if d, err := parseDigest(label + ":" + value); err == nil && d.ofNothing() {
			return true
		}
	}
	return false
}

// known reports whether there is a digest to compare with.
func (d digest) known() bool { return d.algorithm != nil }

// newHash returns a hash of the digest's algorithm.
func (d digest) newHash() hash.Hash { return d.algorithm.new() }

// matches reports whether h has hashed what the digest was made of.
func (d digest) matches(h hash.Hash) bool { return string(h.Sum(nil)) == d.sum }

// blockDigestOf returns the digest that a record's block has to match; none where it
// is missing, not readable, or, of a revisit, that of nothing.
func blockDigestOf(h *recordHeader) digest {
	d, _ := parseDigest(h.blockDigest)
	if h.kind == "revisit" && d.known() && d.ofNothing() {
		return digest{}
	}
	return d
}

// ofNothing reports whether the digest is that of no octets. GNU Wget gives it to
// the blocks of its revisit records, whatever they hold.
func (d digest) ofNothing() bool { return d.matches(d.newHash()) }

// text writes the sum of h in the digest's own algorithm as most writers would.
func (d digest) text(h hash.Hash) string {
	sum := h.Sum(nil)
	if d.algorithm.size == sha1.Size {
		return d.algorithm.label + ":" + base32Sums.EncodeToString(sum)
	}
	return d.algorithm.label + ":" + hex.EncodeToString(sum)
}

// DigestStats counts digests that were compared with the octets of their record.
type DigestStats struct {
	Block      int64 `json:"block"`      // WARC-Block-Digest that matched
	Stored     int64 `json:"stored"`     // WARC-Payload-Digest of the payload as stored
	Dechunked  int64 `json:"dechunked"`  // of the payload without its transfer coding
	Decoded    int64 `json:"decoded"`    // of the payload without its content coding, too
	Mismatched int64 `json:"mismatched"` // digests that matched nothing
	Unknown    int64 `json:"unknown"`    // digests that could not be read
}

func (s *DigestStats) add(other DigestStats) {
	s.Block += other.Block
	s.Stored += other.Stored
	s.Dechunked += other.Dechunked
	s.Decoded += other.Decoded
	s.Mismatched += other.Mismatched
	s.Unknown += other.Unknown
}

// digestCheck compares the digests of one record with its octets as they are
// read. A nil one checks nothing.
type digestCheck struct {
	block, payload digest
	blockHash      hash.Hash
	payloadHash    hash.Hash // where the payload is the block
	compared       bool      // the payload's digest is settled
}

// check has the digests of a record compared. It must come before anything is
// read of the block.
func (d *draft) check(r *record) {
	if d.digests != nil || r.blockDigest == "" && r.payloadDigest == "" {
		return
	}
	c := new(digestCheck)
	d.digests = c
	c.block = d.parseDigest(r, "WARC-Block-Digest", r.blockDigest)
	if c.block.known() && !(r.kind == "revisit" && c.block.ofNothing()) {
		c.blockHash = c.block.newHash()
		r.block = io.TeeReader(r.block, c.blockHash)
	}
	switch {
	case r.kind == "revisit": // the digest is that of the original's payload (WARC 1.1 §6.7)
		return
	case r.segmentNumber > 0: // the payload is that of all segments
		return
	case r.kind == "response", r.kind == "request": // the payload begins behind the HTTP head
		c.payload = d.parseDigest(r, "WARC-Payload-Digest", r.payloadDigest)
		return
	}
	c.payload = d.parseDigest(r, "WARC-Payload-Digest", r.payloadDigest)
	if c.payload.known() {
		c.payloadHash = c.payload.newHash()
		r.block = io.TeeReader(r.block, c.payloadHash)
	}
}

func (d *draft) parseDigest(r *record, field, value string) digest {
	parsed, err := parseDigest(value)
	if err != nil {
		d.digestStats.Unknown++
		d.note(r, IssueUnknownDigest, "not verified", "%s %.150q: %v", field, value, err)
	}
	return parsed
}

// endCheck reads what is left of the block and compares.
func (d *draft) endCheck(r *record) error {
	c := d.digests
	if c == nil {
		return nil
	}
	if c.payload.known() && c.payloadHash == nil && !c.compared { // of a response that is no fetch
		if err := d.checkUnread(r); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, r.block); err != nil {
		return err
	}
	if c.payloadHash != nil {
		d.comparePayload(r, c.payloadHash, nil, nil)
	}
	switch {
	case c.blockHash == nil:
	case c.block.matches(c.blockHash):
		d.digestStats.Block++
	default:
		d.mismatch(r, fmt.Sprintf("WARC-Block-Digest is %s, the block has %s", r.blockDigest, c.block.text(c.blockHash)))
	}
	return nil
}

// checkUnread compares the payload of a record of which nothing was read.
func (d *draft) checkUnread(r *record) error {
	head, body, complete, err := readHead(r.block, nil, maxHTTPHead)
	switch {
	case err != nil:
		return err
	case !isHTTP(head):
		return d.checkPayload(r, &httpHead{}, io.MultiReader(bytes.NewReader(head), bytes.NewReader(body), r.block))
	case !complete:
		return nil
	}
	h := parseResponseHead(head, nil, r.texts)
	return d.checkPayload(r, &h, io.MultiReader(bytes.NewReader(body), r.block))
}

// checkPayload compares WARC-Payload-Digest with a payload, which is read to its
// end. By WARC 1.1 §5.9 the digest is that of the entity-body of RFC 2616, so
// without transfer coding; most writers hash the octets as they store them, chunk
// sizes and all, and a few hash what is left when every coding is undone.
func (d *draft) checkPayload(r *record, h *httpHead, payload io.Reader) error {
	c := d.digests
	if c == nil || !c.payload.known() || c.payloadHash != nil || c.compared {
		return nil
	}
	stored := c.payload.newHash()
	payload = io.TeeReader(payload, stored)
	var dechunked, decoded hash.Hash
	plain := payload
	if h.chunked() {
		dechunked = c.payload.newHash()
		plain = io.TeeReader(newChunkedReader(payload), dechunked)
	}
	if codings := h.codings(); len(codings) > 0 && len(codings) <= maxDigestCodings {
		decoded = hashDecoded(codings, plain, c.payload.newHash())
	}
	// A coding that breaks off is no error here: what was read of it is hashed, and
	// matches nothing.
	_, _ = io.Copy(io.Discard, plain)
	if _, err := io.Copy(io.Discard, payload); err != nil {
		return err
	}
	d.comparePayload(r, stored, dechunked, decoded)
	return nil
}

// leavePayload gives up comparing the payload: where it begins is not known.
func (d *draft) leavePayload() {
	if d.digests != nil {
		d.digests.compared = true
	}
}

// hashDecoded hashes what codings leave of in. It returns nil where they cannot be
// undone.
func hashDecoded(codings []string, in io.Reader, sum hash.Hash) hash.Hash {
	for i := len(codings) - 1; i >= 0; i-- {
		r, err := decoder(codings[i], in)
		if err != nil {
			return nil
		}
		defer r.Close()
		in = r
	}
	if n, err := io.Copy(sum, io.LimitReader(in, maxDigestDecoded)); err != nil || n == maxDigestDecoded {
		return nil
	}
	return sum
}

// comparePayload settles WARC-Payload-Digest by the hashes of the payload as it is
// stored, dechunked, and decoded; the latter may be nil.
func (d *draft) comparePayload(r *record, stored, dechunked, decoded hash.Hash) {
	want := d.digests.payload
	d.digests.compared = true
	switch {
	case want.matches(stored):
		d.digestStats.Stored++
		return
	case dechunked != nil && want.matches(dechunked):
		d.digestStats.Dechunked++
		return
	case decoded != nil && want.matches(decoded):
		d.digestStats.Decoded++
		return
	}
	detail := fmt.Sprintf("WARC-Payload-Digest is %s, the payload as stored has %s", r.payloadDigest, want.text(stored))
	if dechunked != nil {
		detail += ", dechunked " + want.text(dechunked)
	}
	if decoded != nil {
		detail += ", decoded " + want.text(decoded)
	}
	d.mismatch(r, detail)
}

// mismatch notes a digest that matches nothing.
func (d *draft) mismatch(r *record, detail string) {
	d.digestStats.Mismatched++
	action := "kept"
	if d.exchange != nil {
		d.exchange.Flags |= FlagDigestMismatch
		if d.exchange.Kind != captureUnknown {
			action = "kept; supports no certain violation"
		}
	}
	d.note(r, IssueDigestMismatch, action, "%s", detail)
}
