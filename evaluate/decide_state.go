package evaluate

import (
	"net/http"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// State is a capture of a timeline: what it came to, and who made it.
type State struct {
	resolve.State
	ID        int64      // number in the order of the timelines, from 1
	agent     string     // product token of the crawler that made the capture
	bodyAgent string     // of the one that got the body applied
	key       string     // agent, comparable
	led       []answered // records that redirects led to and copies that 304s renew, in order

	ways []string // keys of the URLs that it redirects to; cutURL: one that was cut
	url  string   // key of its own, of a redirect's target

	ledTo []resolve.Step // see hops
	sight sight          // as the subject in hand sees it
}

// An answered record was got by a request of a crawler.
type answered struct {
	at        facts.Spot
	userAgent string
	key       string // of its token
}

// itself returns the capture as such a record.
func (s *State) itself() answered { return answered{facts.SpotOf(&s.Fetch), s.UserAgent, s.key} }

// last returns the record whose status counts.
func (s *State) last() answered {
	if len(s.led) == 0 {
		return s.itself()
	}
	return s.led[len(s.led)-1]
}

// hops returns the records that the capture's redirects led to, whose content it applies.
func (s *State) hops() []resolve.Step {
	if s.ledTo == nil && s.StepText != "" {
		s.ledTo = s.Applied()[1:]
	}
	return s.ledTo
}

// isOf reports whether one crawler got all that a capture applies.
func (s *State) isOf(key string) bool {
	return s.key == key && !slices.ContainsFunc(s.led, func(r answered) bool { return r.key != key })
}

// isRefusal reports whether the server refused robots.txt to the crawler that requested it: that
// it is unavailable "to the crawler" (RFC 9309 §2.3.1.3) has no effect on others.
func (s *State) isRefusal() bool {
	refuses := s.FinalStatus == http.StatusUnauthorized || s.FinalStatus == http.StatusForbidden ||
		s.FinalStatus == http.StatusTooManyRequests
	return refuses && s.Outcome == words.OutcomeUnavailable && s.Reason == words.Unavailable
}

// BodyAgent returns the product token of the crawler that got the body applied; ""
// where none is known.
func (s *State) BodyAgent() string { return s.bodyAgent }

// Agent returns the product token of the crawler that made the capture; "" where
// none is known.
func (s *State) Agent() string { return s.agent }

// isRefusedLike reports whether two captures are refusals to one crawler, for any token.
func (s *State) isRefusedLike(other *State) bool {
	isOne := func(a, b answered) bool {
		return a.key == b.key && (a.key != "" || a.at.SameRun(b.at) && a.userAgent == b.userAgent)
	}
	return s.isRefusal() && other.isRefusal() && isOne(s.itself(), other.itself()) && isOne(s.last(), other.last())
}

// readAs applies the profiles' differences about a status:
// draft-koster-rep-08 §2.2.1.4 takes an undefined one as unreachable, Google 429.
func (s *State) readAs(p robots.Profile) {
	if p == robots.REP08 && s.Outcome == words.OutcomeUndefined && s.Reason == words.UndefinedStatus ||
		p == robots.Google && s.Reason == words.Unavailable && s.FinalStatus == 429 {
		s.Settle(words.OutcomeUnreachable, words.Unreachable)
	}
}

// isDefinite reports whether a capture shows something of its own that holds on: a file, a
// part of one, or that there is none. An unreachable server shows nothing about the file.
func (s *State) isDefinite() bool {
	return s.Outcome.HasRules() || s.Outcome == words.OutcomeUnavailable
}

// isSuccess reports whether a capture got a file, or would have if the archive held it
// in a form that can be read (RFC 9309 §2.3.1.1).
func (s *State) isSuccess() bool {
	return s.Outcome.HasRules() || s.Reason == words.Undecodable || s.Reason == words.Challenge ||
		s.Outcome == words.OutcomeUnresolved && s.Status/100 == 2
}

// isAlike reports whether two captures answer every question alike. Most hosts
// serve the same file every time. The answer of a redirect to an unreachable server depends on when that
// was found unreachable.
func (s *State) isAlike(other *State) bool {
	const cut = uint32(facts.FlagBodyCut)
	if s.Outcome == words.OutcomeUnreachable && (s.StepText != "" || other.StepText != "") {
		return false
	}
	if (s.isRefusal() || other.isRefusal()) && !s.isRefusedLike(other) {
		return false
	}
	return s.HopURLs == other.HopURLs && s.Outcome == other.Outcome && s.HasBody == other.HasBody &&
		s.Mismatched == other.Mismatched && s.OtherTarget == other.OtherTarget &&
		(!s.HasBody || s.BodyDigest == other.BodyDigest && s.BodyFlags&cut == other.BodyFlags&cut)
}
