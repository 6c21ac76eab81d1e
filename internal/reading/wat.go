package reading

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/wat"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// extractWAT takes from a record of a WAT what the record that it describes would have given, as
// far as that goes. It goes the same ways: the JSON becomes a record again, of a header and
// an HTTP head, without a body. JSON of another kind is left alone.
func (e *extractor) extractWAT(d *draft) error {
	outer := d.record
	told, err := e.wat.Read(outer.Block)
	var fault *wat.Fault
	switch {
	case err == wat.ErrOther:
		return nil
	case errors.As(err, &fault):
		d.note(words.IssueBadIndexRow, "record skipped", "the JSON of a WAT record: %v", fault)
		return nil
	case err != nil:
		return err
	}
	r := &warc.Record{
		Header: warc.ParseHeader(told.Header), Offset: outer.Offset, Streamed: outer.Streamed,
		Block: bytes.NewReader(told.Head),
	}
	if told.ARC {
		r.Type = warc.TypeARC
	}
	d.record, d.described, d.header = r, told, r.Header
	before := len(d.issues)
	for _, remark := range told.Remarks {
		d.note(words.IssueBadIndexRow, "what can be read was taken", "%s", remark)
	}
	err = e.fillDescribed(d)
	for i := range d.issues[before:] {
		d.issues[before+i].RecordID = outer.ID
	}
	d.record = outer
	return err
}

// fillDescribed takes what matters of a described record.
func (e *extractor) fillDescribed(d *draft) error {
	r, told := d.record, d.described
	if !d.checkHeader() {
		return nil
	}
	switch {
	case told.ARC && told.Payload == wat.PayloadFields: // the version block
		return e.extractWarcinfo(d)
	case r.Type == "response", r.Type == "revisit", r.Type == "resource", told.ARC:
		return e.extractFetch(d)
	case r.Type == "request" && told.Payload == wat.PayloadRequest:
		return e.extractRequest(d)
	case r.Type == "warcinfo" && told.Payload == wat.PayloadFields:
		return e.extractWarcinfo(d)
	case r.Type == "metadata" && told.Payload == wat.PayloadFields:
		r.ContentType = "application/warc-fields"
		return e.extractMetadata(d)
	case r.Type == "":
		d.note(words.IssueBadIndexRow, "record skipped",
			"a WAT record without the WARC-Type of the one that it describes")
	case r.Type == "request":
		d.note(words.IssueBadIndexRow, "record skipped", "a WAT record of a request without HTTP-Request-Metadata")
	}
	return nil
}

// readDescribed takes the HTTP head and the metas of a described fetch. One of policy is
// no capture: its body is not there.
func (e *extractor) readDescribed(d *draft) error {
	x, r, told := d.exchange, d.record, d.described
	x.bodiless, x.Kind = x.Kind, facts.CaptureNone
	if told.HeaderCut {
		x.Flags |= facts.FlagURLCut
		d.note(words.IssueBadURL, "taken for a part",
			"the record's header holds more than what the WAT tells of it: makers cut values at the first byte "+
				"outside ASCII, or replace bytes that are no UTF-8")
	}
	x.Metas = unknownMetas.Encode()
	switch {
	case r.Type == "resource":
		if x.MIMEType = httpmsg.MediaType(r.ContentType); !x.mayBePage() {
			x.Metas = ""
		}
		return nil
	case told.Payload != wat.PayloadResponse || !httpmsg.IsResponse(told.Head):
		d.note(words.IssueBadIndexRow, "status unknown", "a WAT record of a response without an HTTP head")
		return nil
	}
	h := httpmsg.ParseResponse(told.Head, e.policy[:0])
	e.applyHead(d, &h)
	x.doubtPolicy(told.Untold)
	if told.Incomplete {
		x.Flags |= facts.FlagPolicyHeadersCut
		x.Location = ""
		d.note(words.IssueBadHTTPHead, "Location dropped, the rest taken",
			"the maker of the WAT could not read all of the HTTP head: values may be cut")
	}
	switch {
	case r.Type == "revisit", x.Status == http.StatusNotModified: // another record has them
	case !x.mayBePage(), told.EntityLength == 0 && !told.Incomplete:
		x.Metas = ""
	default:
		found := told.Found
		if !told.HTML || told.Incomplete || h.Chunked() || len(h.Codings()) > 0 || x.Truncated != "" ||
			x.lacks(&h, int(max(told.EntityLength, 0))) {
			found.Cut, found.Open = true, true
		}
		x.Metas = found.Encode()
	}
	return nil
}

// doubtPolicy looks for policy fields that the WAT leaves out of a head, which has untold more bytes in
// its archive: old makers keep the last of repeated fields alone. Content-Usage fields are one Dictionary,
// and the last member counts. They are dropped if one may be missing, and if their name is spelt in
// several ways: a WAT has the order of each spelling alone.
func (x *exchange) doubtPolicy(untold int) {
	usage := "" // its name
	var rest []string
	doubt, dropped := false, false
	for line := range strings.SplitSeq(x.PolicyHeaders, "\n") {
		name, _, _ := strings.Cut(line, ":")
		missing := name != "" && untold >= len(name)+len(": \r\n")
		doubt = doubt || missing
		if !strings.EqualFold(name, "Content-Usage") {
			rest = append(rest, line)
			continue
		}
		dropped = dropped || missing || usage != "" && name != usage
		usage = name
	}
	if dropped {
		x.PolicyHeaders = strings.Join(rest, "\n")
	}
	if doubt || dropped {
		x.Flags |= facts.FlagPolicyHeadersCut
	}
}

// settleDescribed makes of a described fetch a row like a row of an index, with the place of
// the record that it is about.
func (x *exchange) settleDescribed(d *draft) {
	told := d.described
	x.Type, x.Trust = facts.TypeIndexed, facts.TrustIndexed
	x.Flags |= facts.FlagOfWAT
	x.RefersToURL, x.RefersToID, x.RefersToMicros, x.RefersToPrec = "", "", 0, 0
	if told.Archive != "" && told.Offset >= 0 {
		x.Archive, x.Offset, x.Length = told.Archive, told.Offset, told.Length
		x.Flags &^= facts.FlagStreamed
	}
}

// ownWarcinfo is a warcinfo that may be about a WAT, and not about a crawl.
type ownWarcinfo struct {
	index  int      // of the record in its input
	before Warcinfo // the latest before it
	crawls int      // that were found before it
}

// leaveOwnWarcinfo forgets the warcinfo right before a record of a WAT: it is about the WAT. The
// warcinfo of the archive is among the described records.
func (c *Committer) leaveOwnWarcinfo(d *draft) {
	switch {
	case d.described != nil && c.own.index > 0 && c.own.index == c.index-1:
		c.latest, c.Stats.Crawls = c.own.before, c.Stats.Crawls[:c.own.crawls]
	case d.described == nil && d.info != nil:
		c.own = ownWarcinfo{c.index, c.latest, len(c.Stats.Crawls)}
	}
}
