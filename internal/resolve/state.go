package resolve

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// State is one robots capture and what it came to. The fields of Capture are
// its own, but for the body: that is the body applied,
// wherever a revisit or redirect led to it. Timelines hold States, so what could
// be long and nobody needs is left out: the policy headers, the Location.
type State struct {
	facts.Capture
	Outcome          words.Outcome
	Reason           words.Reason
	HopURLs          string // targets of the redirects followed, joined by \n
	Hops             int32
	FinalStatus      int16 // of the last hop; -1: none
	HasBody          bool
	BodyInput        int32 // input of the record that holds the body
	BodyEntry        string
	BodyRecordOffset int64 // and its place there
	BodyRecordLength int64
	BodyFlags        uint32     // facts.Flags of that record
	BodyTime         facts.Time // its date; unknown where there is no body
	BodyRecordID     recordid.ID
	BodyUserAgent    string
	BodyAgentSource  facts.Source
	Resynced         bool // some record on the way is not at a verified boundary
	Forgeable        bool // and a page could hold it
	Mismatched       bool // a digest of some record on the way does not match
	Unclear          bool // of a line of an access log: nothing shows which version was served, so it shows no rules
	Compressed       bool // of a line of an access log: the version was probably served compressed
	OtherTarget      bool // a redirect may have led to another record, which differs

	// Of the captures whose content is applied, the first and each that a redirect led
	// to, the oldest and the newest date and the coarsest precision.
	Oldest, Newest facts.Time
	Coarsest       facts.Precision

	StepText string // see Steps
	CopyText string // see Twins
}

// HopList returns the URLs of the redirects followed, in order.
func (s *State) HopList() []string {
	if s.HopURLs == "" {
		return nil
	}
	return strings.Split(s.HopURLs, "\n")
}

// NewState begins the resolution of a robots capture with the capture itself.
func NewState(c *facts.Capture) State {
	s := State{Capture: *c, FinalStatus: c.Status}
	s.PolicyHeaders, s.Metas, s.Via, s.Location = "", "", "", ""
	s.Coarsest = facts.PrecisionMicrosecond
	s.ApplyAt(&c.Fetch)
	s.takeBody(c)
	return s
}

// ApplyAt counts f among the records whose content is applied.
func (s *State) ApplyAt(f *facts.Fetch) {
	s.Coarsest = min(s.Coarsest, f.Precision)
	if !s.Oldest.Known() || f.Micros < s.Oldest.Micros {
		s.Oldest = f.Time()
	}
	if !s.Newest.Known() || f.Micros > s.Newest.Micros {
		s.Newest = f.Time()
	}
}

// applyNone counts no record but the capture itself.
func (s *State) applyNone() {
	s.Oldest, s.Newest, s.Coarsest = facts.Time{}, facts.Time{}, facts.PrecisionMicrosecond
	s.ApplyAt(&s.Fetch)
}

// takeBody makes the body of c the body applied.
func (s *State) takeBody(c *facts.Capture) {
	s.Pack, s.BodyDigest, s.BodyOffset, s.BodySize = c.Pack, c.BodyDigest, c.BodyOffset, c.BodySize
	s.BodyInput, s.BodyEntry, s.BodyRecordOffset, s.BodyFlags = c.Input, c.Entry, c.Offset, uint32(c.Flags)
	s.BodyRecordLength = c.Length
	s.BodyTime, s.BodyRecordID = c.Time(), c.RecordID
	s.BodyUserAgent, s.BodyAgentSource = c.UserAgent, c.UserAgentSource
	s.ContentRange = c.ContentRange
	s.HasBody = c.Flags&facts.FlagBodyKept != 0
	s.Resynced = s.Resynced || c.Trust == facts.TrustResynced
	s.Forgeable = s.Forgeable || c.Flags&facts.FlagForgeable != 0
	s.Mismatched = s.Mismatched || c.Flags&facts.FlagDigestMismatch != 0
}

// Settle ends the resolution.
func (s *State) Settle(o words.Outcome, r words.Reason) {
	s.Outcome, s.Reason = o, r
	s.HasBody = s.HasBody && o.HasRules()
}

// GiveUp ends the resolution of a capture of which nobody knows what it led to. No content is applied, so that
// it has the age of its own date.
func (s *State) GiveUp(r words.Reason) {
	s.Settle(words.OutcomeUnresolved, r)
	s.applyNone()
}

// maxHopURL bounds what is recorded of each redirect's target, in bytes.
const maxHopURL = 2048

func cutHop(url string) string {
	if len(url) > maxHopURL {
		return url[:maxHopURL] + "…"
	}
	return url
}

var stateRuns = run.Spec[State]{
	Name:    "states",
	Held:    4 << 20, // as of resolutions: each range of buckets opens all runs
	Compare: func(a, b *State) int { return facts.CompareInBucket(&a.Fetch, &b.Fetch) },
	Bucket:  func(s *State) int { return run.BucketOf(s.HostReversed) },
}

var licenceRuns = func() run.Spec[State] {
	spec := stateRuns
	spec.Name = "licences"
	return spec
}()
