package verdict

import (
	"net/http"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file is what a fetch sees of one capture: where it stands in time, whose it is, how old it is.

// order returns where a capture stands to the fetch in time.
func (s *subject) order(st *State) relation { return order(&st.exchanges[0], &s.exchange) }

// gap is the time from a capture's date to the fetch, in microseconds.
func (s *subject) gap(st *State) int64 { return s.time.MicrosSince(st.Time()) }

// age is that of a capture's content at the fetch, in microseconds.
func (s *subject) age(st *State) int64 {
	age := s.time.MicrosSince(st.Oldest)
	if st.Coarsest < facts.PrecisionSecond { // the one that comes first need not be that of the oldest
		for i := range st.exchanges {
			age = max(age, s.time.MicrosSince(st.exchanges[i].time))
		}
	}
	return age
}

// isOwn reports whether the crawler that made the fetch made a capture.
func (s *subject) isOwn(st *State) bool {
	return st.key == s.key || s.ownsNameless && s.owns(st.itself())
}

// isRefusedToOther reports whether a capture led to a refusal to another crawler, though it may be the crawler's own
// ("Which capture governs").
func (s *subject) isRefusedToOther(st *State) bool {
	return st.isRefusal() && !(s.isOwn(st) && s.owns(st.last()))
}

// isLater reports whether a record whose content a capture applies was got after the fetch.
func (s *subject) isLater(st *State) bool {
	for i := range st.exchanges {
		if order(&st.exchanges[i], &s.exchange) >= shownAfter {
			return true
		}
	}
	return false
}

// failsLater reports whether a capture counts as before, and redirects to what was unreachable after: nobody knows
// what it led to at the fetch.
func (s *subject) failsLater(st *State) bool {
	return st.Outcome == words.OutcomeUnreachable && len(st.exchanges) > 1 &&
		s.order(st) <= maybeBefore && s.isLater(st)
}

// mayBeLater reports whether a record whose content a capture applies is of the fetch's moment and counts as before,
// but may have come after.
func (s *subject) mayBeLater(st *State) bool {
	for i := range st.exchanges {
		x := &st.exchanges[i]
		if s.time.MicrosSince(x.time) == 0 && order(x, &s.exchange) == maybeBefore {
			return true
		}
	}
	return false
}

// provesOrder reports whether the order in which a capture and the fetch, of one moment, stand in an archive is that
// in which they were made.
func (s *subject) provesOrder(st *State) bool { return provesOrder(&st.exchanges[0], &s.exchange) }

// orderDoubts are those on the order of an exchange and the fetch.
func (s *subject) orderDoubts(x *exchange) words.Notes {
	isOfMoment := s.time.MicrosSince(x.time) == 0
	switch relation := order(x, &s.exchange); {
	case relation == maybeBefore && !isOfMoment:
		return words.NoteOrderDoubt
	case relation == maybeBefore, relation == before && isOfMoment && !s.asOf && !provesOrder(x, &s.exchange):
		return words.NoteSameMoment
	}
	return 0
}

// isRefusal reports whether the server refused robots.txt to the crawler that requested it: that
// it is unavailable "to the crawler" (RFC 9309 §2.3.1.3) has no effect on others.
func (s *State) isRefusal() bool {
	refuses := s.FinalStatus == http.StatusUnauthorized || s.FinalStatus == http.StatusForbidden ||
		s.FinalStatus == http.StatusTooManyRequests
	if s.Trust == facts.TrustLogged && s.Outcome == words.OutcomeUnreachable {
		return true // servers answer many clients so, to be rid of them ("Access logs")
	}
	return refuses && s.Outcome == words.OutcomeUnavailable && s.Reason == words.Unavailable
}
