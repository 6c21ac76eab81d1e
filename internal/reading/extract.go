package reading

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/tag/markup"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// extractor takes from the records of one input what the facts need, one record at a time.
// It looks at two things that the records before have left: which URLs are redirect targets
// of robots.txt, and which segments are due.
type extractor struct {
	input    int32
	entry    string    // of the input, where it is a WACZ
	verify   bool      // compare the digests of all records, not of policy captures alone
	pages    *pageList // of the WACZ; nil where there is none
	targets  *targetSet
	segments *segments

	draft              draft            // of the record in hand
	host, hostReversed string           // of the fetch before
	clock              string           // the Date field read last
	clockSeconds       int64            // of its Date field; 0: nobody can read it
	block              io.LimitedReader // of the record in hand: counts what is read of its HTTP head
	head               []byte           // reused buffers
	policy             []byte
	metas              []byte
	page               []byte
	tags               markup.Scanner
	payload            unread // of the record in hand, after its HTTP head
	scanned            unread // what is left of payload once a page was scanned
}

// draft is what is taken from a record before its end is verified: what becomes a row, what
// its digests were found to be, and what there is to note.
type draft struct {
	record   *warc.Record
	exchange *exchange
	request  *request
	metadata *metadata
	info     *Warcinfo
	infoID   recordid.ID
	target   string // key of the URL that a policy capture redirects to
	issues   []facts.Issue
	payload  int64        // bytes after the HTTP head, plus 1; 0: none is known
	coded    bool         // they have a transfer or content coding
	decoded  int64        // bytes that the codings leave, plus 1; 0: not known
	other    *facts.Fetch // that it is none; nil: no index may take it for one
	assembly *assembly    // of a first segment
	more     []byte       // what a continuation adds

	digests     *digestCheck
	digestStats facts.DigestStats
}

func (e *extractor) begin(r *warc.Record) *draft {
	e.draft = draft{record: r}
	return &e.draft
}

// extract takes from a record what the facts need. It reads no further than that.
// The record does not count yet. The draft is valid until the next call.
func (e *extractor) extract(r *warc.Record) (d *draft, err error) {
	d = e.begin(r)
	if e.verify {
		d.check()
	}
	if !d.checkHeader() {
		return d, d.endCheck()
	}
	switch r.Type {
	case "warcinfo", warc.TypeARCInfo:
		err = e.extractWarcinfo(d)
	case "request":
		err = e.extractRequest(d)
	case "metadata":
		err = e.extractMetadata(d)
	case "response", "revisit", "resource", warc.TypeARC:
		err = e.extractFetch(d)
	case "continuation":
		err = e.extractContinuation(d)
	case "": // mandatory (WARC 1.1 §5.5)
		d.note(words.IssueBadRecordHeader, "record skipped", "no WARC-Type")
	case "conversion":
		e.extractConversion(d)
	default:
		err = d.leaveUnknown()
	}
	if r.SegmentNumber == 1 && r.Type != "continuation" && d.assembly == nil {
		d.assembly = new(assembly)
	}
	if err == nil {
		err = d.endCheck()
	}
	return d, err
}

// checkHeader notes what is wrong with the record's header, and returns false where it is none.
func (d *draft) checkHeader() bool {
	r := d.record
	if len(r.ID) == warc.MaxRecordID {
		d.note(words.IssueValueCut, "the rest dropped", "WARC-Record-ID of %d bytes or more", warc.MaxRecordID)
	}
	switch {
	case r.Joint == warc.JointCertain:
		d.note(words.IssueBadRecordHeader, "record skipped", "its header has parts of two records: %s",
			strings.Join(r.Repeated, ", "))
		return false
	case r.Joint == warc.JointPossible && len(r.Repeated) > 0:
		d.note(words.IssueBadRecordHeader, "the first counts", "its header may have parts of two records: %s",
			strings.Join(r.Repeated, ", "))
	case r.Joint == warc.JointPossible:
		d.note(words.IssueBadRecordHeader, "line skipped",
			"its header may have parts of two records: a line of it is no field")
	case len(r.Repeated) > 0:
		d.note(words.IssueRepeatedField, "the first counts", "%s", strings.Join(r.Repeated, ", "))
	}
	if len(r.ConcurrentTo) > warc.MaxConcurrent {
		r.ConcurrentTo = r.ConcurrentTo[:warc.MaxConcurrent]
		d.note(words.IssueValueCut, "the rest dropped", "more than %d WARC-Concurrent-To", warc.MaxConcurrent)
	}
	return true
}

// leaveUnknown leaves a record of an unknown type alone (WARC 1.1 §5.5). One whose
// type is a known one but for a letter or two, or that holds an HTTP message, may be
// a fetch whose header is damaged.
func (d *draft) leaveUnknown() error {
	r := d.record
	var begin [len("HTTP/")]byte
	n, err := io.ReadFull(r.Block, begin[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	known, near := nearest(r.Type, 2, warc.Types()...)
	switch {
	case near:
		d.note(words.IssueBadRecordHeader, "record skipped", "WARC-Type %.64q, which may have been %s", r.Type, known)
	case httpmsg.IsResponse(begin[:n]), strings.HasPrefix(r.ContentType, "application/http"):
		d.note(words.IssueBadRecordHeader, "record skipped", "WARC-Type %.64q of a record with an HTTP message", r.Type)
	}
	return nil
}

func (d *draft) noted(kind words.IssueKind) bool {
	return slices.ContainsFunc(d.issues, func(i facts.Issue) bool { return i.Kind == kind })
}

func (d *draft) note(kind words.IssueKind, action, format string, args ...any) {
	d.issues = append(d.issues, facts.Issue{
		Offset: d.record.Offset, RecordID: d.record.ID, Kind: kind, Action: action,
		Detail: fmt.Sprintf(format, args...),
	})
}

func (d *draft) noteEnd() {
	r := d.record
	if r.Mismatch && !d.noted(words.IssueDigestMismatch) {
		d.noteBlockMismatch("the block does not match its WARC-Block-Digest")
	}
	if r.Overrun {
		d.noteOverrun()
	}
	if r.Short > 0 {
		d.note(words.IssueTruncatedRecord, "read as far as it goes", "the member ends %d bytes before its record does",
			r.Short)
	}
}

// limitReached is the issue of a limit that the record is the first to meet.
func (d *draft) limitReached(length int64, action, detail string) facts.Issue {
	return facts.Issue{
		Offset: d.record.Offset, Length: length, RecordID: d.record.ID, Kind: words.IssueLimitReached,
		Action: action, Detail: detail,
	}
}

// noteOverrun takes the body of a policy capture for a part where bytes that begin
// no record follow it: they may be the rest of it, and hold more rules. A page
// was fetched all the same.
func (d *draft) noteOverrun() {
	x := d.exchange
	if x == nil || x.Kind == facts.CaptureNone || x.Flags&facts.FlagBodyCut != 0 {
		return
	}
	x.Flags |= facts.FlagBodyCut
	d.note(words.IssueBodyCut, "taken for a part",
		"behind the %d bytes that Content-Length says stand others, which may belong to the body",
		d.record.ContentLength)
}

// noteHead notes fields of an HTTP head that contradict themselves, and a value that was cut.
func (d *draft) noteHead(h *httpmsg.Head) {
	if len(h.Repeated) > 0 {
		d.note(words.IssueRepeatedField, "values joined; of Content-Type the first counts", "%s",
			strings.Join(h.Repeated, ", "))
	}
	if h.Cut != "" {
		d.note(words.IssueValueCut, "the rest dropped", "a %s that is too long", h.Cut)
	}
}

func (e *extractor) extractRequest(d *draft) error {
	r := d.record
	head, body, complete, err := httpmsg.ReadHead(r.Block, e.head, maxRequestHead)
	if err != nil {
		return err
	}
	e.head = head[:0]
	h := httpmsg.ParseRequest(head)
	d.request = new(request)
	asked, _, _ := RecordTime(r)
	*d.request = request{
		id: r.ID.Key(), target: facts.AtMost(r.Target, warc.MaxURL), concurrentTo: r.ConcurrentTo, method: h.Method,
		userAgent: h.UserAgent, host: h.Host, time: asked, authorized: h.Authorized,
		ifNoneMatch: h.IfNoneMatch, ifModifiedSince: h.IfModifiedSince,
	}
	d.noteHead(&h)
	if h.ContentType != "" {
		e.extractOther(d)
	}
	if !complete {
		if len(head) >= maxRequestHead {
			d.note(words.IssueValueCut, "the rest dropped", "no end of the request's head in %d bytes", len(head))
		}
		return nil
	}
	return d.checkPayload(&h, e.payload.of(body, r.Block))
}

// unread is what has been read ahead of a reader, and the rest of it.
type unread struct {
	ahead []byte
	rest  io.Reader
}

// of fills u, which is used again, with the bytes ahead and the rest.
func (u *unread) of(ahead []byte, rest io.Reader) io.Reader {
	*u = unread{ahead, rest}
	return u
}

func (u *unread) Read(p []byte) (int, error) {
	if len(u.ahead) > 0 {
		n := copy(p, u.ahead)
		u.ahead = u.ahead[n:]
		return n, nil
	}
	return u.rest.Read(p)
}

// targetSet is a bounded set of the redirect targets of robots.txt files, the
// oldest forgotten first.
type targetSet struct {
	keys  map[string]int // the record that first redirected there
	order []string
}

// has reports whether a record before another one redirects to a URL.
func (s *targetSet) has(url weburl.URL, before int) bool {
	if len(s.keys) == 0 {
		return false
	}
	at, known := s.keys[url.Key()]
	return known && at < before
}

func (s *targetSet) add(key string, at int) {
	if _, known := s.keys[key]; key == "" || known || len(key) > maxTarget {
		return
	}
	if s.keys == nil {
		s.keys = make(map[string]int)
	}
	if len(s.order) == maxTargets {
		delete(s.keys, s.order[0])
		s.order = s.order[1:]
	}
	s.keys[key] = at
	s.order = append(s.order, key)
}

// nearest returns the known word that an unknown one differs from by so many letters at
// most, changed, left out or put in.
func nearest(unknown string, letters int, known ...string) (word string, ok bool) {
	for _, word := range known {
		if withinEdits(unknown, word, letters) {
			return word, true
		}
	}
	return "", false
}

// withinEdits reports whether n changed, missing or additional bytes make b of a.
func withinEdits(a, b string, n int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	switch {
	case len(a) == 0, len(b) == 0:
		return len(a)+len(b) <= n
	case n == 0:
		return false
	}
	return withinEdits(a[1:], b[1:], n-1) || withinEdits(a[1:], b, n-1) || withinEdits(a, b[1:], n-1)
}
