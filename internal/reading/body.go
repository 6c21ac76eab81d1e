package reading

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/challenge"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/tag/markup"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// extractPayload reads the HTTP head and, of policy, the body.
func (e *extractor) extractPayload(d *draft, url weburl.URL) error {
	x := d.exchange
	x.Kind = facts.KindOf(url)
	x.isTarget = e.targets.has(url, math.MaxInt)
	if x.Kind == facts.CaptureNone && x.isTarget {
		x.Kind = facts.CaptureTarget
	}
	if x.Kind != facts.CaptureNone {
		d.check()
	}
	if err := e.readPayload(d); err != nil {
		return err
	}
	if x.Status/100 == 3 && x.Location != "" && x.Kind != facts.CaptureNone {
		d.target = weburl.KeyOf(url.Key(), x.Location)
	}
	return nil
}

func (e *extractor) readPayload(d *draft) error {
	r := d.record
	if r.Type == "resource" {
		d.exchange.MIMEType, d.payload = httpmsg.MediaType(r.ContentType), r.ContentLength+1
		body, err := e.findLicence(d, &httpmsg.Head{}, nil, nil)
		if err != nil {
			return err
		}
		return e.keepBody(d, nil, e.payload.of(body, r.Block))
	}
	e.block = io.LimitedReader{R: r.Block, N: r.ContentLength}
	head, body, complete, err := httpmsg.ReadHead(&e.block, e.head, MaxHTTPHead)
	if err != nil {
		return err
	}
	e.head = head[:0]
	other := d.hasOtherHead(head)
	if !httpmsg.IsResponse(head) && !other {
		// No status line: an HTTP/0.9 body. Of a revisit: no HTTP head at all.
		d.payload = r.ContentLength + 1
		return e.keepBody(d, nil, e.payload.of(append(head, body...), r.Block))
	}
	h := httpmsg.ParseResponse(head, tag.Keep, e.policy[:0])
	if d.exchange.Kind != facts.CaptureNone {
		d.exchange.ETag, d.exchange.LastModified = h.Validators(head)
	}
	e.applyHead(d, &h)
	if !complete && (r.Type != "revisit" || r.Short > 0 || len(head) >= MaxHTTPHead) {
		// What follows, if anything, is more of the head, not a body. A revisit's head
		// is all that its block holds, and often ends without the empty line.
		d.note(words.IssueBadHTTPHead, "body taken as empty", "no end of head in %d bytes", len(head))
		if d.exchange.Kind != facts.CaptureNone {
			d.exchange.Flags |= facts.FlagBodyCut
		}
		if r.Short > 0 || len(head) >= MaxHTTPHead {
			d.exchange.Flags |= facts.FlagPolicyHeadersCut
		}
		if d.digests != nil { // where the payload begins is not known
			d.digests.compared = true
		}
		return e.keepBody(d, &h, bytes.NewReader(nil))
	}
	if complete {
		d.payload = e.block.N + int64(len(body)) + 1
	}
	if body, err = e.findLicence(d, &h, head, body); err != nil {
		return err
	}
	return e.keepBody(d, &h, e.payload.of(body, r.Block))
}

// findLicence finds out whether a payload is a licence document: by its media type, or an XML type and
// the root element. read is the part of the block read so far, body its part after the head, which is
// returned with more.
func (e *extractor) findLicence(d *draft, h *httpmsg.Head, read, body []byte) ([]byte, error) {
	x := d.exchange
	if x.Kind != facts.CaptureNone || x.Status >= 0 && x.Status/100 != 2 && x.Type != facts.TypeRevisit {
		return body, nil
	}
	switch x.MIMEType {
	case tag.RSLType:
	case "application/xml", "text/xml":
		if n := len(body); n < firstLicence {
			body = slices.Grow(slices.Clip(body), firstLicence-n)
			got, err := io.ReadFull(d.record.Block, body[n:firstLicence])
			body = body[:n+got]
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return nil, err
			}
		}
		if begin, _ := httpmsg.Decode(body[:min(len(body), firstLicence)], h, true); !tag.IsRSL(begin) {
			return body, nil
		}
	default:
		return body, nil
	}
	x.Kind = facts.CaptureRSL
	d.checkBehind(read, body)
	return body, nil
}

// hasOtherHead reports whether the block begins with a head that is not HTTP. A record of
// robots.txt that lacks its colon ("Disallow 404") is no status line, and what was not got by HTTP
// may begin in any way.
func (d *draft) hasOtherHead(head []byte) bool {
	if d.record.Type == "revisit" || !strings.HasPrefix(d.exchange.Origin, "http") {
		return false
	}
	protocol, is := httpmsg.OtherProtocol(head)
	if !is || robots.IsKey(protocol) {
		return false
	}
	line, _ := warc.CutLine(bytes.TrimLeft(head, "\r\n"))
	d.note(words.IssueBadHTTPHead, "status unknown", "the first line is no status line of HTTP: %.60q", line)
	return true
}

func (e *extractor) applyHead(d *draft, h *httpmsg.Head) {
	f := &d.exchange.Fetch
	f.Flags |= facts.FlagHTTPHead
	if h.Challenge {
		f.Flags |= facts.FlagChallenge
	}
	f.Status, f.Location, f.MIMEType = h.Status, h.Location, httpmsg.MediaType(h.ContentType)
	d.coded = h.Chunked() || len(h.Codings()) > 0
	f.PolicyHeaders = string(h.Policy)
	e.policy, h.Policy = h.Policy, nil
	d.exchange.ContentRange = h.ContentRange
	if h.Status < 0 && !d.noted(words.IssueBadHTTPHead) {
		d.note(words.IssueBadHTTPHead, "status unknown", "no status in the status line")
	}
	d.noteHead(h)
	if h.PolicyCut {
		f.Flags |= facts.FlagPolicyHeadersCut
		d.note(words.IssuePolicyHeadersCut, "the rest dropped", "policy header lines over %d bytes",
			httpmsg.MaxPolicyHeaders)
	}
	e.readClock(d, h)
}

// readClock keeps the moment of the answer by the server's clock. It notes one that contradicts
// the WARC-Date of a robots.txt capture. The crawler's clock dates the fetch all the same.
func (e *extractor) readClock(d *draft, h *httpmsg.Head) {
	x := d.exchange
	if h.Date == "" || x.Precision < facts.PrecisionMinute || x.Type != facts.TypeResponse &&
		x.Type != facts.TypeRevisit && x.Type != facts.TypeARC {
		return
	}
	if h.Date != e.clock { // many answers share one second
		e.clock, e.clockSeconds = h.Date, 0
		if t, err := http.ParseTime(h.Date); err == nil {
			e.clockSeconds = t.Unix()
		}
	}
	server := e.clockSeconds
	if server == 0 {
		return
	}
	if !h.Age {
		x.ServerSeconds = server
	}
	skew := time.Duration(server-x.Micros/1e6) * time.Second
	if x.Kind == facts.CaptureRobots && x.Type == facts.TypeResponse && (skew > maxClockSkew || skew < -maxClockSkew) {
		d.note(words.IssueClockSkew, "WARC-Date kept", "the server's Date is %s", h.Date)
	}
}

func (e *extractor) keepBody(d *draft, h *httpmsg.Head, stored io.Reader) error {
	r, x := d.record, d.exchange
	if h == nil {
		h = &httpmsg.Head{}
	}
	if x.Kind == facts.CaptureNone || x.Flags&facts.FlagUnsupportedScheme != 0 {
		if x.mayBePage() {
			var err error
			if stored, err = e.scanPage(d, h, stored); err != nil {
				return err
			}
		}
		return d.checkPayload(h, stored)
	}
	raw, err := io.ReadAll(io.LimitReader(stored, httpmsg.MaxBody+1))
	if err != nil {
		return err
	}
	if err := d.checkPayload(h, io.MultiReader(bytes.NewReader(raw), stored)); err != nil {
		return err
	}
	if r.Short > 0 {
		x.Flags |= facts.FlagBodyCut
	}
	if r.SegmentNumber == 1 && x.Flags&facts.FlagBodyCut == 0 {
		d.assembly = &assembly{exchange: x, head: *h, raw: raw}
		x.assembly, x.hasBody = d.assembly, true
		return nil
	}
	met := x.decode(d, h, raw)
	d.keepSize(x.body, met)
	return nil
}

// decode makes the body of a policy capture from the stored bytes. One shorter
// than its Content-Length is a part, even without WARC-Truncated: the connection
// broke, and a rule may be missing (RFC 9112 §8).
func (x *exchange) decode(d *draft, h *httpmsg.Head, raw []byte) httpmsg.Faults {
	switch {
	case len(raw) > httpmsg.MaxBody:
		raw = raw[:httpmsg.MaxBody]
		x.Flags |= facts.FlagBodyCut
	case x.Status/100 == 2 && x.Type != facts.TypeRevisit && x.Flags&facts.FlagBodyCut == 0:
		if x.missing = h.Missing(len(raw)); x.missing > 0 {
			x.Flags |= facts.FlagBodyCut
		}
	}
	body, met := httpmsg.Decode(raw, h, x.Flags&facts.FlagBodyCut != 0 || x.Truncated != "")
	x.Flags |= payloadFlags(met) | facts.FlagBodyKept
	if httpmsg.IsUndecodable(body, met) {
		x.Flags |= facts.FlagUndecodable
	}
	if challenge.InPage(body) || x.Kind == facts.CaptureRobots && challenge.InRobots(body, x.Status) {
		x.Flags |= facts.FlagChallenge
	}
	x.body, x.hasBody = body, true
	if x.Kind == facts.CaptureTarget && x.mayBePage() {
		found := x.findMetas(new(markup.Scanner), body, h, met, x.Flags&facts.FlagBodyCut != 0 || x.Truncated != "")
		x.Metas = found.Encode()
	}
	x.noteBody(d)
	return met
}

// keepSize keeps the length of a body of which all codings were undone, to its end.
func (d *draft) keepSize(body []byte, met httpmsg.Faults) {
	if met == 0 {
		d.decoded = int64(len(body)) + 1
	}
}

// payloadFlags are what undoing the codings of a body met, as rows have it.
func payloadFlags(met httpmsg.Faults) (flags facts.Flags) {
	for fault, flag := range map[httpmsg.Faults]facts.Flags{
		httpmsg.FaultCut: facts.FlagBodyCut, httpmsg.FaultFalseChunked: facts.FlagFalseChunked,
		httpmsg.FaultFalseEncoding: facts.FlagFalseEncoding, httpmsg.FaultUndeclaredGzip: facts.FlagUndeclaredGzip,
	} {
		if met&fault != 0 {
			flags |= flag
		}
	}
	return flags
}

func (x *exchange) noteBody(d *draft) {
	if x.Flags&facts.FlagBodyCut != 0 && x.missing == 0 {
		d.note(words.IssueBodyCut, "the rest dropped",
			"the body is over %d bytes, or ends before its coding or record does", httpmsg.MaxBody)
	}
	if x.Flags&facts.FlagFalseChunked != 0 {
		d.note(words.IssueFalseChunked, "taken as it stands", "declared chunked, and is not")
	}
	action := "taken as it stands"
	if x.Flags&facts.FlagUndecodable != 0 {
		action = "taken for unreadable"
	}
	switch {
	case x.Flags&facts.FlagFalseEncoding != 0:
		d.note(words.IssueFalseEncoding, action, "the declared Content-Encoding could not be undone")
	case x.Flags&facts.FlagUndeclaredGzip != 0:
		d.note(words.IssueUndeclaredGzip, action, "the body is gzip, and no header says so")
	case x.Flags&facts.FlagUndecodable != 0:
		d.note(words.IssueUndeclaredBinary, action,
			"the body is compressed, UTF-16 without a byte order mark, or in another binary format")
	}
}
