package evaluate

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/run"
)

// Outcome is what a robots capture came to, after revisits and redirects.
type Outcome uint8

// The outcomes. The zero value is a capture that nothing defined can be said of.
const (
	OutcomeUndefined   Outcome = iota
	OutcomeRules               // a file with rules, perhaps none
	OutcomePartial             // a part of a file
	OutcomeUnavailable         // everything allowed (RFC 9309 §2.3.1.3)
	OutcomeUnreachable         // everything disallowed (RFC 9309 §2.3.1.4)
	OutcomeUnresolved          // the archive does not hold what the capture refers to
)

func (o Outcome) String() string {
	return [...]string{"undefined", "rules", "partial", "unavailable", "unreachable", "unresolved"}[o]
}

// State is one robots capture and what it came to. The fields of Capture are
// those of the capture itself, but for the body: that is the body applied,
// wherever a revisit or redirect led to it.
type State struct {
	ingest.Capture
	Outcome          Outcome `parquet:"outcome"`
	Reason           Reason  `parquet:"reason"`
	HopURLs          string  `parquet:"hop_urls"` // targets of the redirects followed, joined by \n
	Hops             int32   `parquet:"hops"`
	FinalStatus      int16   `parquet:"final_status"` // of the last hop; -1: none
	HasBody          bool    `parquet:"has_body"`
	BodyInput        int32   `parquet:"body_input"`         // input of the record that holds the body
	BodyRecordOffset int64   `parquet:"body_record_offset"` // and its place there
	BodyFlags        uint32  `parquet:"body_flags"`         // ingest.Flags of that record
	Resynced         bool    `parquet:"resynced"`           // some record on the way is not at a verified boundary
	ID               int64   `parquet:"-"`                  // number in the order of the timelines, from 1
	agent            string  // product token of the crawler that made the capture
}

// Agent returns the product token of the crawler that made the capture; "" where
// none is known.
func (s *State) Agent() string { return s.agent }

// HopList returns the URLs of the redirects followed, in order.
func (s *State) HopList() []string {
	if s.HopURLs == "" {
		return nil
	}
	return strings.Split(s.HopURLs, "\n")
}

// newState begins the resolution of a robots capture with the capture itself.
func newState(c *ingest.Capture) State {
	s := State{Capture: *c, FinalStatus: c.Status}
	s.takeBody(c)
	return s
}

// takeBody makes the body of c the body applied.
func (s *State) takeBody(c *ingest.Capture) {
	s.Pack, s.BodyDigest, s.BodyOffset, s.BodySize = c.Pack, c.BodyDigest, c.BodyOffset, c.BodySize
	s.BodyInput, s.BodyRecordOffset, s.BodyFlags = c.Input, c.Offset, uint32(c.Flags)
	s.ContentRange = c.ContentRange
	s.HasBody = c.Flags&ingest.FlagBodyKept != 0
	s.Resynced = s.Resynced || c.Trust == ingest.TrustResynced
}

// settle ends the resolution.
func (s *State) settle(o Outcome, r Reason) {
	s.Outcome, s.Reason = o, r
	if o != OutcomeRules && o != OutcomePartial && r != TooManyRedirects {
		s.HasBody = false
	}
}

var stateRuns = run.Spec[State]{
	Name:    "states",
	Compare: func(a, b *State) int { return ingest.CompareFetches(&a.Fetch, &b.Fetch) },
	Bucket:  func(s *State) int { return run.BucketOf(s.HostReversed) },
	Size:    func(s *State) int { return 512 + len(s.URL) + len(s.HopURLs) },
}
