package reading

import (
	"fmt"
	"net/http"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// emit writes fetches whose request has been found, or will not be.
func (c *Committer) emit(exchanges ...*exchange) error {
	for _, x := range exchanges {
		if err := c.emitOne(x); err != nil {
			return err
		}
	}
	return nil
}

func (c *Committer) emitOne(x *exchange) error {
	if x.assembly != nil && !x.assembly.closed {
		x.assembly.held = true
		return nil
	}
	if x.Method == "" {
		x.Method = http.MethodGet
	}
	if x.Method == http.MethodConnect { // it has no path (RFC 9110 §9.3.6), and so is no fetch
		x.Type, x.Kind = facts.TypeOther, facts.CaptureNone
		c.Stats.Others++
		return c.Out.Other(&x.Fetch)
	}
	if !x.requested && x.infoAgent != "" {
		x.UserAgent, x.UserAgentSource = x.infoAgent, facts.SourceWarcinfo
	}
	wasRobots := x.Kind == facts.CaptureRobots
	if wasRobots && x.Method != http.MethodGet {
		x.Kind = facts.CaptureNone
		x.Flags &^= facts.FlagBodyKept
	}
	if x.isMisdirected() {
		if err := c.noteMisdirected(x); err != nil {
			return err
		}
	}
	if wasRobots && x.Kind != facts.CaptureRobots { // a row of an index that points here is no capture
		if err := c.Out.Event(x.NoCapture()); err != nil {
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
	c.runs.hearOf(x)
	body := x.body
	x.body, x.assembly = nil, nil // which a segmented record must not keep
	c.Stats.Fetches++
	if c.opt.Paired != nil {
		if err := c.opt.Paired(&x.Fetch, &x.companions); err != nil {
			return err
		}
	}
	if x.RecordID == "" {
		c.Stats.Unnamed++
	}
	if x.Precision < facts.PrecisionSecond {
		c.Stats.Coarse++
	}
	if x.Type == facts.TypeRevisit || x.Status == http.StatusNotModified {
		c.Stats.Borrowed++
	}
	if err := c.Out.Fetch(&x.Fetch); err != nil {
		return err
	}
	if x.Kind == facts.CaptureNone || !x.hasBody {
		return nil
	}
	if x.Kind == facts.CaptureRobots {
		c.Stats.Robots++
		c.Stats.AddRobotsAgent(x.UserAgent)
	}
	return c.Out.Capture(&x.Capture, body)
}

// noteMisdirected notes that the request of a fetch names another host than its URL
// does. What came back is no policy of the URL's origin: a crawler that sends the Host of
// a redirect's source to its target may get the redirect again. That it was at the target remains
// known: a capture of policy becomes one of a redirect's target, without a body.
func (c *Committer) noteMisdirected(x *exchange) error {
	action := "kept as recorded"
	if x.Kind != facts.CaptureNone {
		action = "no capture of that host's policy"
	}
	if x.Kind == facts.CaptureTarget { // is found among fetches
		x.Kind = facts.CaptureNone
	} else if x.Kind != facts.CaptureNone {
		x.Kind = facts.CaptureTarget
	}
	x.Flags, x.body = x.Flags&^facts.FlagBodyKept|facts.FlagHostMismatch, nil
	return c.Report(facts.Issue{
		Offset: x.Offset, Length: x.Length, RecordID: x.RecordID, Kind: words.IssueHostMismatch, Action: action,
		Detail: fmt.Sprintf("the request names the host %.200q, WARC-Target-URI %.200q", x.host, x.Origin),
	})
}

// settleMissing distinguishes a body that ends before its Content-Length from one
// that was not requested: an answer to HEAD has the Content-Length of what it leaves
// out (RFC 9110 §9.3.2).
func (c *Committer) settleMissing(x *exchange) error {
	if x.Method == http.MethodHead {
		x.Flags &^= facts.FlagBodyCut
		return nil
	}
	return c.Report(facts.Issue{
		Offset: x.Offset, Length: x.Length, RecordID: x.RecordID, Kind: words.IssueBodyCut, Action: "taken for a part",
		Detail: fmt.Sprintf("the body ends %d bytes before its Content-Length does", x.missing),
	})
}
