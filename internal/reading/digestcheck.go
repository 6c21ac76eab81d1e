package reading

import (
	"bytes"
	"fmt"
	"hash"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// digestCheck compares the digests of one record with its bytes as they are
// read. A nil one checks nothing.
type digestCheck struct {
	block, payload digest.Digest
	blockHash      hash.Hash
	payloadHash    hash.Hash // where the payload is the block
	compared       bool      // the payload's digest is settled
}

// check has the digests of a record compared. It must come before anything is
// read of the block.
func (d *draft) check() {
	r := d.record
	if d.digests != nil || r.BlockDigest == "" && r.PayloadDigest == "" {
		return
	}
	c := new(digestCheck)
	d.digests = c
	c.block = d.parseDigest("WARC-Block-Digest", r.BlockDigest)
	if c.block.Known() && !(r.Type == "revisit" && c.block.IsEmpty()) {
		c.blockHash = c.block.NewHash()
		r.Block = io.TeeReader(r.Block, c.blockHash)
	}
	switch {
	case r.Type == "revisit": // the digest is that of the original's payload (WARC 1.1 §6.7)
		return
	case r.SegmentNumber > 0: // the payload is that of all segments
		return
	case r.Type == "response", r.Type == "request": // the payload begins after the HTTP head
		c.payload = d.parseDigest("WARC-Payload-Digest", r.PayloadDigest)
		return
	}
	c.payload = d.parseDigest("WARC-Payload-Digest", r.PayloadDigest)
	if c.payload.Known() {
		c.payloadHash = c.payload.NewHash()
		r.Block = io.TeeReader(r.Block, c.payloadHash)
	}
}

// checkBehind is check for a response that was partly read: head and body.
func (d *draft) checkBehind(head, body []byte) {
	if d.digests != nil {
		return
	}
	if d.check(); d.digests == nil {
		return
	}
	for _, sum := range [...]hash.Hash{d.digests.blockHash, d.digests.payloadHash} {
		if sum != nil {
			sum.Write(head)
			sum.Write(body)
		}
	}
}

func (d *draft) parseDigest(field, value string) digest.Digest {
	parsed, err := digest.Parse(value)
	if err != nil {
		d.digestStats.Unknown++
		d.note(words.IssueUnknownDigest, "not verified", "%s %.150q: %v", field, value, err)
	}
	return parsed
}

func (d *draft) endCheck() error {
	c := d.digests
	if c == nil {
		return nil
	}
	if c.payload.Known() && c.payloadHash == nil && !c.compared { // of a response that is no fetch
		if err := d.checkUnread(); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, d.record.Block); err != nil {
		return err
	}
	if c.payloadHash != nil {
		d.comparePayload(c.payloadHash, nil, nil)
	}
	switch {
	case c.blockHash == nil:
	case c.block.Matches(c.blockHash):
		d.digestStats.Block++
	default:
		d.digestStats.Mismatched++
		d.noteBlockMismatch(fmt.Sprintf("WARC-Block-Digest is %s, the block has %s", d.record.BlockDigest,
			c.block.Text(c.blockHash)))
	}
	return nil
}

// checkUnread compares the payload of a record that was not read at all.
func (d *draft) checkUnread() error {
	r := d.record
	head, body, complete, err := httpmsg.ReadHead(r.Block, nil, MaxHTTPHead)
	switch {
	case err != nil:
		return err
	case !httpmsg.IsResponse(head):
		return d.checkPayload(&httpmsg.Head{}, io.MultiReader(bytes.NewReader(head), bytes.NewReader(body), r.Block))
	case !complete:
		return nil
	}
	h := httpmsg.ParseResponse(head, nil, nil)
	return d.checkPayload(&h, io.MultiReader(bytes.NewReader(body), r.Block))
}

// checkPayload compares WARC-Payload-Digest with a payload, which is read to its
// end. By WARC 1.1 §5.9 the digest is that of the entity-body of RFC 2616, so
// without transfer coding; most writers hash the bytes as they store them, chunk
// sizes and all, and a few hash what is left when every coding is undone. The length of that is
// kept, too.
func (d *draft) checkPayload(h *httpmsg.Head, payload io.Reader) error {
	c := d.digests
	if c == nil || !c.payload.Known() || c.payloadHash != nil || c.compared {
		return nil
	}
	hashed := func(r io.Reader) (io.Reader, hash.Hash) {
		sum := c.payload.NewHash()
		return io.TeeReader(r, sum), sum
	}
	payload, stored := hashed(payload)
	var dechunked, decoded hash.Hash
	plain := payload
	if h.Chunked() {
		plain, dechunked = hashed(httpmsg.NewChunkedReader(payload))
	}
	if codings := h.Codings(); len(codings) > 0 && len(codings) <= maxDigestCodings {
		whole, closeAll, err := undone(codings, plain)
		if err == nil {
			if whole, decoded = hashed(whole); !d.measure(whole) {
				decoded = nil
			}
		}
		closeAll()
	}
	// A coding that breaks off is no error here: what was read of it is hashed, and
	// matches nothing.
	_, _ = io.Copy(io.Discard, plain)
	if _, err := io.Copy(io.Discard, payload); err != nil {
		return err
	}
	d.comparePayload(stored, dechunked, decoded)
	return nil
}

// undone is what codings leave of in. closeAll is to be called in any case.
func undone(codings []string, in io.Reader) (out io.Reader, closeAll func(), err error) {
	var all []io.Closer
	closeAll = func() {
		for _, c := range all {
			c.Close()
		}
	}
	for i := len(codings) - 1; i >= 0; i-- {
		r, err := httpmsg.NewDecoder(codings[i], in)
		if err != nil {
			return nil, closeAll, err
		}
		all, in = append(all, r), r
	}
	return in, closeAll, nil
}

// measure reads a payload whose codings are undone to its end, and keeps its length. It returns false where they could
// not be undone, or leave too much.
func (d *draft) measure(whole io.Reader) bool {
	n, err := io.Copy(io.Discard, io.LimitReader(whole, maxDigestDecoded))
	if err != nil || n == maxDigestDecoded {
		return false
	}
	d.decoded = n + 1
	return true
}

// comparePayload settles WARC-Payload-Digest by the hashes of the payload as it is
// stored, dechunked, and decoded; the latter may be nil.
func (d *draft) comparePayload(stored, dechunked, decoded hash.Hash) {
	want := d.digests.payload
	d.digests.compared = true
	switch {
	case want.Matches(stored):
		d.digestStats.Stored++
		return
	case dechunked != nil && want.Matches(dechunked):
		d.digestStats.Dechunked++
		return
	case decoded != nil && want.Matches(decoded):
		d.digestStats.Decoded++
		return
	}
	detail := fmt.Sprintf("WARC-Payload-Digest is %s, the payload as stored has %s", d.record.PayloadDigest,
		want.Text(stored))
	if dechunked != nil {
		detail += ", dechunked " + want.Text(dechunked)
	}
	if decoded != nil {
		detail += ", decoded " + want.Text(decoded)
	}
	d.digestStats.Mismatched++
	d.noteMismatch("kept", detail)
}

// noteBlockMismatch notes a block that does not match its digest. An altered request does not
// identify its crawler. (The payload of a request does not name the crawler.)
func (d *draft) noteBlockMismatch(detail string) {
	action := "kept"
	if d.request != nil {
		d.request.userAgent, action = "", "kept, but for its User-Agent"
	}
	d.noteMismatch(action, detail)
}

// noteMismatch notes a digest that matches nothing.
func (d *draft) noteMismatch(action, detail string) {
	if d.exchange != nil {
		d.exchange.Flags |= facts.FlagDigestMismatch
		if d.exchange.Kind != facts.CaptureNone {
			action = "kept; supports no violation"
		}
	}
	d.note(words.IssueDigestMismatch, action, "%s", detail)
}
