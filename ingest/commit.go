package ingest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/arena"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/warc"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// sink receives the facts of one input in record order.
type sink interface {
	Fetch(*facts.Fetch) error
	Capture(c *facts.Capture, body []byte) error
	Issue(facts.Issue) error
	Event(*facts.LogEvent) error
}

// committer turns the records of one input, which it receives in file order,
// into facts. Everything that depends on order happens here: the request that
// belongs to a response, the warcinfo that is in force, the redirect targets of
// robots.txt seen so far. So the facts depend on the input alone.
type committer struct {
	input              int32
	entry              string // of the input, where it is a WACZ
	out                sink
	index              int   // of the record in hand
	at                 Place // of the record in hand
	warcinfos          map[string]warcinfo
	latest             warcinfo
	gap                facts.Issue // the range skipped last, to be reported; the zero value where there is none
	beforeGap          int64       // resynced records before it
	unfound            int         // warcinfos beyond maxWarcinfos
	firstUnfound       facts.Issue // of the first of them, without its detail
	pairing            pairing
	targets            targetSet
	host, hostReversed string // of the fetch before
	requests           arena.Slab[request]
	exchanges          arena.Slab[exchange]
	metadata           arena.Slab[metadata]
	segments           segments
	pages              *pageList // of the WACZ; nil where there is none
	stats              facts.InputStats
	draft              draft  // of the record in hand
	head               []byte // reused buffer
	policy             []byte // likewise
	metas              []byte // likewise
	tags               tag.Scanner
	tagTexts           arena.Strings // what it has found lately
	page               []byte        // likewise
	payload            unread        // of the record in hand, behind its HTTP head
	scanned            unread        // the same once a page was scanned
	forgotten          bool          // fetches were emitted before their request could be found
	verify             bool          // compare the digests of all records, not of policy captures alone

	paired func(*facts.Fetch, *Companions) error // is told of every fetch; may be nil
}

// draft is what is taken from a record before its end is verified.
type draft struct {
	exchange *exchange
	request  *request
	metadata *metadata
	info     *facts.Crawl
	infoID   string
	target   string // key of the URL that a policy capture redirects to
	issues   []facts.Issue
	assembly *assembly // of a first segment
	more     []byte    // what a continuation adds

	digests     *digestCheck
	digestStats facts.DigestStats
}

func newCommitter(input int32, entry string, out sink) *committer {
	c := &committer{
		input:     input,
		entry:     entry,
		out:       out,
		warcinfos: make(map[string]warcinfo),
		pairing:   newPairing(),
		stats:     facts.InputStats{Records: make(map[string]int64)},
		head:      make([]byte, 0, 4<<10),
	}
	c.tags.Text = c.tagTexts.Shared
	return c
}

// extract takes from a record what the facts need. It reads no further than that.
// The record does not count yet.
func (c *committer) extract(r *warc.Record, d *draft) (err error) {
	if c.verify {
		d.check(r)
	}
	if len(r.ID) == warc.MaxRecordID {
		d.note(r, facts.IssueValueCut, "the rest dropped", "WARC-Record-ID of %d bytes or more", warc.MaxRecordID)
	}
	switch {
	case r.Joint == warc.JointCertain:
		d.note(r, facts.IssueBadRecordHeader, "record skipped", "its header has parts of two records: %.200q", r.Repeated)
		return d.endCheck(r)
	case r.Joint == warc.JointPossible:
		d.note(r, facts.IssueBadRecordHeader, "the first counts", "its header may have parts of two records: %.200q", r.Repeated)
	case len(r.Repeated) > 0:
		d.note(r, facts.IssueRepeatedField, "the first counts", "%.200q", r.Repeated)
	}
	if len(r.ConcurrentTo) > warc.MaxConcurrent {
		r.ConcurrentTo = r.ConcurrentTo[:warc.MaxConcurrent]
		d.note(r, facts.IssueValueCut, "the rest dropped", "more than %d WARC-Concurrent-To", warc.MaxConcurrent)
	}
	switch r.Type {
	case "warcinfo", warc.TypeARCInfo:
		err = c.extractWarcinfo(r, d)
	case "request":
		err = c.extractRequest(r, d)
	case "metadata":
		err = c.extractMetadata(r, d)
	case "response", "revisit", "resource", warc.TypeARC:
		err = c.extractFetch(r, d)
	case "continuation":
		err = c.extractContinuation(r, d)
	case "": // mandatory (WARC 1.1 §5.5)
		d.note(r, facts.IssueBadRecordHeader, "record skipped", "no WARC-Type")
	case "conversion":
	default:
		err = d.leaveUnknown(r)
	}
	if r.SegmentNumber == 1 && r.Type != "continuation" && d.assembly == nil {
		d.assembly = new(assembly)
	}
	if err == nil {
		err = d.endCheck(r)
	}
	return err
}

// leaveUnknown leaves a record of an unknown type alone (WARC 1.1 §5.5). One whose
// type is a known one but for a letter or two, or that holds an HTTP message, may be
// a fetch whose header is damaged.
func (d *draft) leaveUnknown(r *warc.Record) error {
	var begin [len("HTTP/")]byte
	n, err := io.ReadFull(r.Block, begin[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	known, near := nearest(r.Type, 2, warc.Types()...)
	switch {
	case near:
		d.note(r, facts.IssueBadRecordHeader, "record skipped", "WARC-Type %.64q, which may have been %s", r.Type, known)
	case isHTTP(begin[:n]), strings.HasPrefix(r.ContentType, "application/http"):
		d.note(r, facts.IssueBadRecordHeader, "record skipped", "WARC-Type %.64q of a record with an HTTP message", r.Type)
	}
	return nil
}

// accept counts a record whose end has been verified.
func (c *committer) accept(r *warc.Record, d *draft, length int64) error {
	c.index++
	c.at = c.at.next(c.index, r)
	c.count(r.Type)
	if r.Resynced {
		c.stats.Resynced++
	}
	c.stats.Digests.Add(d.digestStats)
	if r.Mismatch && !d.noted(facts.IssueDigestMismatch) {
		d.note(r, facts.IssueDigestMismatch, "record kept", "the block does not match its WARC-Block-Digest")
	}
	if r.Overrun {
		d.noteOverrun(r)
	}
	if r.Short > 0 {
		d.note(r, facts.IssueTruncatedRecord, "read as far as it goes", "the member ends %d bytes before its record does", r.Short)
	}
	for _, i := range d.issues {
		i.Length = length
		if err := c.report(i); err != nil {
			return err
		}
	}
	switch {
	case d.assembly != nil:
		if err := c.assemble(r, d.assembly, length); err != nil {
			return err
		}
	case r.Type == "continuation":
		if err := c.join(r, d, length); err != nil {
			return err
		}
	}
	switch {
	case d.info != nil:
		if !c.addWarcinfo(d.infoID, warcinfo{*d.info, c.at}) {
			if c.unfound++; c.unfound == 1 {
				c.firstUnfound = facts.Issue{Offset: r.Offset, Length: length, RecordID: r.ID, Kind: facts.IssueLimitReached, Action: "not found by their ids"}
			}
		}
	case d.request != nil:
		d.request.index, d.request.at = c.index, c.at
		if err := c.emit(c.pairing.addRequest(d.request)...); err != nil {
			return err
		}
	case d.metadata != nil:
		d.metadata.index, d.metadata.at = c.index, c.at
		if err := c.emit(c.pairing.addMetadata(d.metadata)...); err != nil {
			return err
		}
	case d.exchange != nil:
		d.exchange.index, d.exchange.Length, d.exchange.Trust = c.index, length, trustOf(r)
		d.exchange.Index, d.exchange.companions.Own = int64(c.index), c.at
		if r.Mismatch {
			d.exchange.Flags |= facts.FlagDigestMismatch
		}
		if r.Forgeable {
			d.exchange.Flags |= facts.FlagForgeable
		}
		c.targets.add(d.target)
		if err := c.emit(c.pairing.addExchange(d.exchange)...); err != nil {
			return err
		}
	}
	if c.pairing.waiting > maxPending && !c.forgotten {
		c.forgotten = true
		if err := c.report(facts.Issue{Offset: r.Offset, Length: length, RecordID: r.ID, Kind: facts.IssueLimitReached, Action: "the oldest no longer wait",
			Detail: fmt.Sprintf("fetches and requests that wait for each other hold more than %d bytes", maxPending)}); err != nil {
			return err
		}
	}
	if err := c.emit(c.pairing.settle(c.index - metadataWindow)...); err != nil {
		return err
	}
	return c.emit(c.pairing.expire(c.index - pairingWindow)...)
}

func (c *committer) count(kind string) {
	if _, known := c.stats.Records[kind]; !known && len(c.stats.Records) > maxKinds {
		kind = "other"
	}
	c.stats.Records[cut(kind, maxWord)]++
}

// finish flushes what waits at the end of the input.
func (c *committer) finish() error {
	if err := c.endGap(); err != nil {
		return err
	}
	if c.unfound > 0 {
		c.firstUnfound.Detail = fmt.Sprintf("from here on %d warcinfo records beyond the first %d", c.unfound, warc.MaxWarcinfos)
		if err := c.report(c.firstUnfound); err != nil {
			return err
		}
	}
	if err := c.boundSegments(0, 0); err != nil {
		return err
	}
	return c.emit(c.pairing.expire(c.index + 1)...)
}

// report passes an issue on.
func (c *committer) report(i facts.Issue) error {
	i.Input, i.Entry = c.input, c.entry
	c.stats.Issues++
	if i.Kind.Lossy() {
		c.stats.Lossy++
	}
	return c.out.Issue(i)
}

func (d *draft) noted(kind facts.IssueKind) bool {
	return slices.ContainsFunc(d.issues, func(i facts.Issue) bool { return i.Kind == kind })
}

func (d *draft) note(r *warc.Record, kind facts.IssueKind, action, format string, args ...any) {
	d.issues = append(d.issues, facts.Issue{
		Offset: r.Offset, RecordID: r.ID, Kind: kind, Action: action, Detail: fmt.Sprintf(format, args...),
	})
}

// noteOverrun takes the body of a policy capture for a part where bytes that begin
// no record stand behind it: they may be the rest of it, and hold more rules. A page
// was fetched all the same.
func (d *draft) noteOverrun(r *warc.Record) {
	x := d.exchange
	if x == nil || x.Kind == facts.CaptureNone || x.Flags&facts.FlagBodyCut != 0 {
		return
	}
	x.Flags |= facts.FlagBodyCut
	d.note(r, facts.IssueBodyCut, "taken for a part", "behind the %d bytes that Content-Length says stand others, which may belong to the body", r.ContentLength)
}

// noteCut notes a value of an HTTP head that was cut.
func (d *draft) noteCut(r *warc.Record, h *httpHead) {
	if h.cut != "" {
		d.note(r, facts.IssueValueCut, "the rest dropped", "a %s that is too long", h.cut)
	}
}

func (c *committer) extractRequest(r *warc.Record, d *draft) error {
	head, body, complete, err := readHead(r.Block, c.head, maxRequestHead)
	if err != nil {
		return err
	}
	c.head = head[:0]
	h := parseRequestHead(head, r.Strings)
	d.request = c.requests.New()
	*d.request = request{
		id: r.ID, target: cut(r.Target, warc.MaxURL), concurrentTo: r.ConcurrentTo, method: h.method, userAgent: h.userAgent, host: h.host,
		ifNoneMatch: h.ifNoneMatch, ifModifiedSince: h.ifModifiedSince,
	}
	d.noteCut(r, &h)
	if !complete {
		if len(head) >= maxRequestHead {
			d.note(r, facts.IssueValueCut, "the rest dropped", "no end of the request's head in %d bytes", len(head))
		}
		return nil
	}
	return d.checkPayload(r, &h, c.payload.of(body, r.Block))
}

// extractFetch makes an exchange of a response, revisit or resource, if it is a
// fetch at all: one of a URL with an authority. dns: and whois: records are none.
func (c *committer) extractFetch(r *warc.Record, d *draft) error {
	if r.Target == "" {
		d.note(r, facts.IssueNoTargetURI, "record skipped", "a %s record without WARC-Target-URI", r.Type)
		return nil
	}
	target := r.Target[:min(len(r.Target), warc.MaxURL)]
	url, problem := weburl.Parse(target)
	supported := weburl.IsFetchScheme(url.Scheme)
	switch {
	case url.Host == "" && supported:
		d.note(r, facts.IssueNoTargetURI, "record skipped", "no host in %.200q", target)
		return nil
	case url.Scheme == "":
		d.note(r, facts.IssueNoTargetURI, "record skipped", "%s in %.200q", problem, target)
		return nil
	case url.Host == "", !supported && r.Type != "response" && (r.Type != warc.TypeARC || url.Scheme == warc.SchemeARCMetadata):
		if scheme, near := nearest(url.Scheme, 1, "http", "https"); near {
			d.note(r, facts.IssueNoTargetURI, "record skipped", "the scheme of %.200q, which may have been %s", target, scheme)
		}
		return nil
	}
	if problem != 0 {
		d.note(r, facts.IssueBadURL, "kept as recorded", "%s in %.200q", problem, target)
	}
	x := c.exchanges.New()
	x.concurrentTo, d.exchange = r.ConcurrentTo, x
	c.identify(r, url, d)
	if !supported {
		x.Flags |= facts.FlagUnsupportedScheme
	}
	return c.extractPayload(r, url, d)
}

// identify fills in what the record's header and the warcinfo say.
func (c *committer) identify(r *warc.Record, url weburl.URL, d *draft) {
	x := d.exchange
	info := c.warcinfoOf(r)
	x.infoAgent, x.companions.Warcinfo = info.UserAgent, info.at
	f := &x.Fetch
	*f = facts.Fetch{
		HostReversed: c.reversed(url, r.Strings), Origin: url.Origin(), URL: r.Target[:min(len(r.Target), warc.MaxURL)], RecordID: r.ID, Input: c.input,
		Entry: c.entry, Offset: r.Offset, Type: recordTypes[r.Type], Status: -1, PayloadDigest: cut(r.PayloadDigest, warc.MaxFieldValue),
		Truncated: cut(r.Truncated, maxWord), Claim: info.Robots, Millis: -1,
	}
	f.Flags = c.pages.flags(url)
	if isSerial(&info.Crawl) {
		f.Flags |= facts.FlagSerial
	}
	if r.Streamed {
		f.Flags |= facts.FlagStreamed
	}
	if len(r.Target) > warc.MaxURL {
		f.Flags |= facts.FlagURLCut
		d.note(r, facts.IssueURLTooLong, "URL cut", "more than %d bytes", warc.MaxURL)
	}
	if len(r.PayloadDigest) > warc.MaxFieldValue || len(r.Truncated) > maxWord || len(r.RefersToURI) > warc.MaxURL {
		d.note(r, facts.IssueValueCut, "the rest dropped", "a WARC-Payload-Digest, WARC-Truncated or WARC-Refers-To-Target-URI that is too long")
	}
	t, zoned, ok := recordTime(r)
	f.Micros, f.Precision = t.Micros, t.Precision
	switch {
	case !ok:
		d.note(r, facts.IssueBadDate, "time unknown", "date %.40q", r.Date)
	case !zoned && r.Type == warc.TypeARC:
		d.note(r, facts.IssueBadDate, "the digits that are certain were taken", "date %.40q", r.Date)
	case !zoned:
		d.note(r, facts.IssueDateWithoutZone, "taken as UTC", "WARC-Date %.40q", r.Date)
	}
	if f.Type == facts.TypeRevisit {
		f.Profile = revisitProfile(r.Profile)
		f.RefersToURL, f.RefersToID = cut(r.RefersToURI, warc.MaxURL), r.RefersTo
		refers, _, _ := facts.ParseDate(r.RefersToDate)
		f.RefersToMicros, f.RefersToPrec = refers.Micros, refers.Precision
	}
}

// reversed is the host of a URL, reversed. Most fetches share it with the one before.
func (c *committer) reversed(url weburl.URL, t *arena.Strings) string {
	if url.Host != c.host {
		var buf [64]byte
		c.host, c.hostReversed = url.Host, t.Shared(url.AppendHostReversed(buf[:0]))
	}
	return c.hostReversed
}

// recordTime reads the record's date. zoned is false where it is not wholly certain.
func recordTime(r *warc.Record) (t facts.Time, zoned, ok bool) {
	if r.Type == warc.TypeARC {
		return facts.ParseARCDate(r.Date)
	}
	return facts.ParseDate(r.Date)
}

var recordTypes = map[string]facts.RecordType{"response": facts.TypeResponse, "revisit": facts.TypeRevisit, "resource": facts.TypeResource, warc.TypeARC: facts.TypeARC}

func revisitProfile(uri string) facts.RevisitProfile {
	switch {
	case strings.HasSuffix(uri, "identical-payload-digest"):
		return facts.RevisitIdenticalPayload
	case strings.HasSuffix(uri, "server-not-modified"):
		return facts.RevisitNotModified
	}
	return facts.RevisitOther
}

// extractPayload reads the HTTP head and, of policy, the body.
func (c *committer) extractPayload(r *warc.Record, url weburl.URL, d *draft) error {
	x := d.exchange
	x.Kind = captureKind(url)
	if x.Kind == facts.CaptureNone && !c.targets.empty() && c.targets.has(urlKey(url)) {
		x.Kind = facts.CaptureTarget
	}
	if x.Kind != facts.CaptureNone {
		d.check(r)
	}
	if err := c.readPayload(r, d); err != nil {
		return err
	}
	if x.Status/100 == 3 && x.Location != "" && x.Kind != facts.CaptureNone {
		d.target = targetKey(url, x.Location)
	}
	return nil
}

func (c *committer) readPayload(r *warc.Record, d *draft) error {
	if r.Type == "resource" {
		d.exchange.MIMEType = mimeType(r.ContentType)
		return c.keepBody(r, d, nil, r.Block)
	}
	head, body, complete, err := readHead(r.Block, c.head, maxHTTPHead)
	if err != nil {
		return err
	}
	c.head = head[:0]
	if !isHTTP(head) {
		// No status line: an HTTP/0.9 body. Of a revisit: no HTTP head at all.
		return c.keepBody(r, d, nil, c.payload.of(append(head, body...), r.Block))
	}
	h := parseResponseHead(head, c.policy[:0], r.Strings)
	if d.exchange.Kind != facts.CaptureNone {
		d.exchange.ETag, d.exchange.LastModified = h.validators(head)
	}
	c.applyHead(r, d, &h)
	if !complete && (r.Type != "revisit" || r.ContentLength > int64(len(head))) {
		// What follows, if anything, is more of the head, not a body. A revisit's head
		// is all that its block holds, and often ends without the empty line.
		d.note(r, facts.IssueBadHTTPHead, "body taken as empty", "no end of head in %d bytes", len(head))
		if d.exchange.Kind != facts.CaptureNone {
			d.exchange.Flags |= facts.FlagBodyCut
		}
		if r.Short > 0 || len(head) >= maxHTTPHead {
			d.exchange.Flags |= facts.FlagPolicyHeadersCut
		}
		d.leavePayload()
		return c.keepBody(r, d, &h, bytes.NewReader(nil))
	}
	return c.keepBody(r, d, &h, c.payload.of(body, r.Block))
}

func (c *committer) applyHead(r *warc.Record, d *draft, h *httpHead) {
	f := &d.exchange.Fetch
	f.Flags |= facts.FlagHTTPHead
	f.Status, f.Location, f.MIMEType = h.status, h.location, mimeType(h.contentType)
	f.PolicyHeaders = h.texts.Shared(h.policy)
	c.policy, h.policy = h.policy, nil
	d.exchange.ContentRange = h.contentRange
	if h.status < 0 {
		d.note(r, facts.IssueBadHTTPHead, "status unknown", "no status in the status line")
	}
	if len(h.repeated) > 0 {
		d.note(r, facts.IssueRepeatedField, "the first counts", "%.200q", h.repeated)
	}
	d.noteCut(r, h)
	if h.policyCut {
		f.Flags |= facts.FlagPolicyHeadersCut
		d.note(r, facts.IssuePolicyHeadersCut, "the rest dropped", "policy header lines over %d bytes", maxPolicyHeaders)
	}
	c.checkClock(r, d, h.date)
}

// checkClock notes a Date field that contradicts the WARC-Date of a robots.txt
// capture. It changes nothing: the crawler's clock dates the fetch.
func (c *committer) checkClock(r *warc.Record, d *draft, date string) {
	x := d.exchange
	if date == "" || x.Kind != facts.CaptureRobots || x.Precision < facts.PrecisionMinute || r.Type != "response" {
		return
	}
	server, err := http.ParseTime(date)
	if err != nil {
		return
	}
	if skew := server.Sub(x.Time().UTC()); skew > maxClockSkew || skew < -maxClockSkew {
		d.note(r, facts.IssueClockSkew, "WARC-Date kept", "the server's Date is %s", date)
	}
}

func mimeType(contentType string) string {
	m, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(m))
}

// keepBody keeps the decoded body of a policy capture.
func (c *committer) keepBody(r *warc.Record, d *draft, h *httpHead, stored io.Reader) error {
	x := d.exchange
	if h == nil {
		h = &httpHead{}
	}
	if x.Kind == facts.CaptureNone || x.Flags&facts.FlagUnsupportedScheme != 0 {
		if x.mayBePage() {
			var err error
			if stored, err = c.scanPage(r, x, h, stored); err != nil {
				return err
			}
		}
		return d.checkPayload(r, h, stored)
	}
	raw, err := io.ReadAll(io.LimitReader(stored, maxPolicyBody+1))
	if err != nil {
		return err
	}
	if err := d.checkPayload(r, h, io.MultiReader(bytes.NewReader(raw), stored)); err != nil {
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
	x.decode(r, d, h, raw)
	return nil
}

// decode makes the body of a policy capture of what is stored of it. One shorter
// than its Content-Length is a part, though no WARC-Truncated says so: the connection
// broke, and a rule may be missing (RFC 9112 §8).
func (x *exchange) decode(r *warc.Record, d *draft, h *httpHead, raw []byte) {
	switch {
	case len(raw) > maxPolicyBody:
		raw = raw[:maxPolicyBody]
		x.Flags |= facts.FlagBodyCut
	case x.Status/100 == 2 && x.Type != facts.TypeRevisit && x.Flags&facts.FlagBodyCut == 0:
		if x.missing = h.missing(len(raw)); x.missing > 0 {
			x.Flags |= facts.FlagBodyCut
		}
	}
	body, flags := decodePayload(raw, h, x.Flags&facts.FlagBodyCut != 0 || x.Truncated != "")
	if isBinary(body) || flags&facts.FlagFalseEncoding != 0 && !isReadable(body) {
		flags |= facts.FlagUndecodable
	}
	x.Flags |= flags | facts.FlagBodyKept
	x.body, x.hasBody = body, true
	if x.Kind == facts.CaptureTarget && x.mayBePage() {
		found := x.findMetas(new(tag.Scanner), body, h, flags, x.Flags&facts.FlagBodyCut != 0 || x.Truncated != "")
		x.Metas = found.Encode()
	}
	x.noteBody(r, d)
}

func (x *exchange) noteBody(r *warc.Record, d *draft) {
	if x.Flags&facts.FlagBodyCut != 0 && x.missing == 0 {
		d.note(r, facts.IssueBodyCut, "the rest dropped", "the body is over %d bytes, or ends before its coding or record does", maxPolicyBody)
	}
	if x.Flags&facts.FlagFalseChunked != 0 {
		d.note(r, facts.IssueFalseChunked, "taken as it stands", "declared chunked, and is not")
	}
	action := "taken as it stands"
	if x.Flags&facts.FlagUndecodable != 0 {
		action = "taken for unreadable"
	}
	switch {
	case x.Flags&facts.FlagFalseEncoding != 0:
		d.note(r, facts.IssueFalseEncoding, action, "the declared Content-Encoding could not be undone")
	case x.Flags&facts.FlagUndeclaredGzip != 0:
		d.note(r, facts.IssueUndeclaredGzip, action, "the body is gzip, and no header says so")
	case x.Flags&facts.FlagUndecodable != 0:
		d.note(r, facts.IssueUndeclaredBinary, action, "the body is compressed, UTF-16 without a byte order mark, or in another binary format")
	}
}

// captureKind tells policy by its path. The comparison is exact: /ROBOTS.TXT and
// //robots.txt are ordinary fetches.
func captureKind(u weburl.URL) facts.CaptureKind {
	if u.HasQuery || !weburl.IsFetchScheme(u.Scheme) {
		return facts.CaptureNone
	}
	switch u.Path {
	case "/robots.txt":
		return facts.CaptureRobots
	case "/.well-known/tdmrep.json":
		return facts.CaptureTDMRep
	case "/ai.txt", "/.well-known/ai.txt":
		return facts.CaptureAITxt
	case "/trust.txt", "/.well-known/trust.txt":
		return facts.CaptureTrustTxt
	}
	return facts.CaptureNone
}

// urlKey identifies a URL for joins: origin and path, without what URLs add that
// no server sees.
func urlKey(u weburl.URL) string { return u.Origin() + u.PathQuery() }

func targetKey(base weburl.URL, location string) string {
	u, _ := weburl.Parse(weburl.Resolve(urlKey(base), location))
	return urlKey(u)
}

// emit writes fetches whose request has been found, or will not be.
func (c *committer) emit(exchanges ...*exchange) error {
	for _, x := range exchanges {
		if err := c.emitOne(x); err != nil {
			return err
		}
	}
	return nil
}

func (c *committer) emitOne(x *exchange) error {
	if x.assembly != nil && !x.assembly.closed {
		x.assembly.held = true
		return nil
	}
	if x.Method == "" {
		x.Method = http.MethodGet
	}
	if x.UserAgent == "" && x.infoAgent != "" {
		x.UserAgent, x.UserAgentSource = x.infoAgent, facts.SourceWarcinfo
	}
	if x.Kind == facts.CaptureRobots && x.Method != http.MethodGet {
		x.Kind = facts.CaptureNone
		x.Flags &^= facts.FlagBodyKept
	}
	if x.isMisdirected() {
		if err := c.leaveMisdirected(x); err != nil {
			return err
		}
	}
	if x.pageCut && x.Method == http.MethodHead { // nothing was left out of the page: it was not asked for
		x.Metas = ""
	}
	if x.missing > 0 {
		if err := c.settleMissing(x); err != nil {
			return err
		}
	}
	body := x.body
	x.body, x.assembly = nil, nil // which others of its slab must not keep
	c.stats.Fetches++
	if c.paired != nil {
		if err := c.paired(&x.Fetch, &x.companions); err != nil {
			return err
		}
	}
	if x.RecordID == "" {
		c.stats.Unnamed++
	}
	if x.Type == facts.TypeRevisit || x.Status == http.StatusNotModified {
		c.stats.Lent++
	}
	if err := c.out.Fetch(&x.Fetch); err != nil {
		return err
	}
	if x.Kind == facts.CaptureNone || !x.hasBody {
		return nil
	}
	if x.Kind == facts.CaptureRobots {
		c.stats.Robots++
	}
	return c.out.Capture(&x.Capture, body)
}

// leaveMisdirected notes that the request of a fetch names another host than its URL
// does. What came back is no policy of the URL's origin: a crawler that sends the Host of
// a redirect's source to its target gets the redirect again.
func (c *committer) leaveMisdirected(x *exchange) error {
	action := "kept as recorded"
	if x.Kind != facts.CaptureNone {
		action = "no capture of that host's policy"
	}
	x.Kind = facts.CaptureNone
	x.Flags = x.Flags&^facts.FlagBodyKept | facts.FlagHostMismatch
	return c.report(facts.Issue{Offset: x.Offset, Length: x.Length, RecordID: x.RecordID, Kind: facts.IssueHostMismatch, Action: action,
		Detail: fmt.Sprintf("the request names the host %.200q, WARC-Target-URI %.200q", x.host, x.Origin)})
}

// settleMissing tells a body that ends before its Content-Length from one that was
// not asked for: an answer to HEAD has the Content-Length of what it leaves out
// (RFC 9110 §9.3.2).
func (c *committer) settleMissing(x *exchange) error {
	if x.Method == http.MethodHead {
		x.Flags &^= facts.FlagBodyCut
		return nil
	}
	return c.report(facts.Issue{Offset: x.Offset, Length: x.Length, RecordID: x.RecordID, Kind: facts.IssueBodyCut, Action: "taken for a part",
		Detail: fmt.Sprintf("the body ends %d bytes before its Content-Length does", x.missing)})
}

// targetSet is a bounded set of the redirect targets of robots.txt files, the
// oldest forgotten first.
type targetSet struct {
	keys  map[string]bool
	order []string
}

func (s *targetSet) add(key string) {
	if key == "" || s.keys[key] || len(key) > maxTarget {
		return
	}
	if s.keys == nil {
		s.keys = make(map[string]bool)
	}
	if len(s.order) == maxTargets {
		delete(s.keys, s.order[0])
		s.order = s.order[1:]
	}
	s.keys[key] = true
	s.order = append(s.order, key)
}

func (s *targetSet) empty() bool { return len(s.keys) == 0 }

func (s *targetSet) has(key string) bool { return s.keys[key] }

// readInput reads all records of an input into out. An error is one of reading
// the file or of writing the facts, never damage: that is an issue.
//
// size is that of the input, -1 where offsets are not those of the file.
func (c *committer) readInput(r warc.Reader, size int64) error {
	for {
		rec, err := r.Next()
		if err == nil {
			err = c.readRecord(r, rec)
		}
		switch err {
		case nil:
			continue
		case io.EOF:
			return c.finish()
		}
		var d *warc.Damage
		if !errors.As(err, &d) {
			return err
		}
		if err := c.reportDamage(d, size); err != nil {
			return err
		}
		if !d.More {
			return c.finish()
		}
	}
}

// readRecord takes one record in. Its facts count only once its end is verified.
func (c *committer) readRecord(r warc.Reader, rec *warc.Record) error {
	c.draft = draft{}
	d := &c.draft
	err := c.extract(rec, d)
	if warc.IsReadError(err) {
		return err
	}
	if err != nil {
		// The block could not be read. The container knows why, and says it from
		// finish, which meets the same place again.
		_, finishErr := r.Finish()
		if finishErr != nil {
			return rec.Named(finishErr)
		}
		return err
	}
	length, err := r.Finish()
	if err != nil {
		return rec.Named(err)
	}
	return c.accept(rec, d, length)
}

// reportDamage notes damage and what it cost.
func (c *committer) reportDamage(d *warc.Damage, size int64) error {
	if err := c.endGap(); err != nil {
		return err
	}
	c.index++ // what stands on both sides of damage is not adjacent
	i := facts.Issue{Offset: d.Offset, Length: -1, RecordID: d.RecordID, Kind: issueKinds[d.Kind], Detail: d.Detail, Action: cmp.Or(d.Action, "record dropped")}
	if d.More && d.Resumed == 0 {
		return c.report(i)
	}
	skipped, detail := int64(-1), "to the end of the stream"
	switch {
	case d.More:
		skipped = d.Resumed - d.Offset
		detail = fmt.Sprintf("%d bytes; %s", skipped, cmp.Or(d.Proof.String(), "what follows proves itself"))
	case size >= d.Offset:
		skipped = size - d.Offset
		detail = fmt.Sprintf("%d bytes to the end of the input", skipped)
	}
	switch d.Kind {
	case warc.DamageTruncatedRecord: // the record is what is skipped
		i.Length = skipped
		return c.report(i)
	case warc.DamageSkippedRange: // and nothing else to say
		detail = d.Detail + ": " + detail
	default:
		if err := c.report(i); err != nil || skipped == 0 {
			return err
		}
	}
	gap := facts.Issue{Offset: d.Offset, Length: skipped, Kind: facts.IssueSkippedRange, Detail: detail, Action: "not read"}
	if !d.More {
		return c.report(gap)
	}
	c.gap, c.beforeGap = gap, c.stats.Resynced
	return nil
}

// endGap reports the range skipped last, with the number of records read behind it.
func (c *committer) endGap() error {
	if c.gap.Kind == facts.IssueUnknown {
		return nil
	}
	gap := c.gap
	gap.Detail += fmt.Sprintf("; records read behind it: %d", c.stats.Resynced-c.beforeGap)
	c.gap = facts.Issue{}
	return c.report(gap)
}

// trustOf says how sure it is that a record is where it was found.
func trustOf(r *warc.Record) facts.Trust {
	if r.Resynced {
		return facts.TrustResynced
	}
	return facts.TrustChained
}
