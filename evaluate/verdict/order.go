package verdict

import (
	"net/http"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file orders a capture and a fetch in time ("Received before").

// A sight is a capture as a fetch sees it.
type sight struct {
	of       uint64   // the subject that sees it
	ground   int      // number of the ground that it was consulted, from 1; 0: it was not
	relation relation // where it stands to the fetch in time
	isOwn    bool     // the crawler that made the fetch made it
	// it led to a refusal to another crawler, though it may be the crawler's own ("Which capture governs")
	isRefusal bool
	isLater   bool // a record whose content it applies was got after the fetch
	// it counts as before, and redirects to what was unreachable after: nobody knows what it led to at the fetch
	failsLater bool
	// a record whose content it applies is of the fetch's moment and counts as before, but may have come after
	mayBeLater bool
	gap        int64 // from its date to the fetch, in microseconds
	age        int64 // of its content at the fetch, likewise

	// on the order of the capture itself and the fetch; on that of the records that it led to
	doubts, ledDoubts words.Notes
}

// see returns a capture as the fetch sees it, until the next subject does.
func (s *subject) see(st *State) *sight {
	v := &st.sight
	if v.of == s.number && s.number != 0 {
		return v
	}
	itself := facts.SpotOf(&st.Fetch)
	*v = sight{
		of: s.number, isOwn: st.key == s.key || s.ownsNameless && s.owns(st.itself()),
		gap: s.time.MicrosSince(st.Time()), age: s.time.MicrosSince(st.Oldest),
	}
	v.relation = s.relationOf(st, itself, v.gap)
	apply := func(relation relation, at facts.Spot, gap int64) {
		doubts := &v.doubts
		if at != itself {
			doubts = &v.ledDoubts
		}
		switch {
		case relation >= shownAfter:
			v.isLater = true
		case relation == maybeBefore && gap != 0:
			*doubts |= words.NoteOrderDoubt
		case relation == maybeBefore:
			v.mayBeLater = true
			*doubts |= words.NoteSameMoment
		case gap == 0 && !s.asOf && !s.provesOrder(at):
			*doubts |= words.NoteSameMoment
		}
		if st.Coarsest < facts.PrecisionSecond { // the one that comes first need not be that of the oldest
			v.age = max(v.age, gap)
		}
	}
	apply(v.relation, itself, v.gap)
	for i := range st.hops() {
		hop := &st.hops()[i]
		gap := s.time.MicrosSince(hop.Time)
		apply(s.relationTo(hop.Spot, hop.Time, hop.Millis, gap), hop.Spot, gap)
	}
	v.failsLater = st.Outcome == words.OutcomeUnreachable && v.relation <= maybeBefore && v.isLater
	v.isRefusal = st.isRefusal() && !(v.isOwn && s.owns(st.last()))
	return v
}

// hops returns the records that the capture's redirects led to, whose content it applies.
func (s *State) hops() []resolve.Step {
	if s.ledTo == nil && s.StepText != "" {
		s.ledTo = s.Applied()[1:]
	}
	return s.ledTo
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

// A relation is the order of a record and a fetch in time.
type relation uint8

const (
	before relation = iota // beyond doubt
	// counts as before, in doubt: of the same moment in another archive, so near that an order would have to show it,
	// or something speaks against its date
	maybeBefore
	// dated no later, and counts as after: of the same moment and later in its archive, or shown to have ended after it
	shownAfter
	after // dated later
)

// maxTook and maxLate bound how late an answer may have come by a duration and by a Date field that are
// believed. Of a longer time there is doubt, and no more. Heritrix ends a fetch after 20 minutes. maxDrift is
// by how many seconds the server's clock may lie from the crawler's, to be taken for the same. minApart is how
// far two dates have to be apart where nothing else shows that an answer came before the other request.
const (
	maxTook  = 20 * 60 * facts.Second
	maxLate  = 10 * 60 * facts.Second
	maxDrift = 5
	minApart = 3 * facts.Second
)

// relationOf returns where a capture stands to the fetch in time: by their dates, and by what else the
// archives show of the two exchanges ("Received before"). A date is when an exchange began, or when it ended.
func (s *subject) relationOf(st *State, at facts.Spot, gap int64) relation {
	r := s.relationTo(at, st.Time(), st.Millis, gap)
	// The Date fields show when the server answered the two requests. A cache may have sent an old one: so that
	// of the fetch has to be near its WARC-Date. One of robots.txt that is later comes from no cache.
	drift := s.ServerSeconds - s.Micros/1e6
	switch {
	case r >= shownAfter || s.asOf || s.ServerSeconds == 0 || st.ServerSeconds <= s.ServerSeconds,
		st.Origin != s.Origin || st.Kind != facts.CaptureRobots,
		drift < -maxDrift || drift > maxDrift || s.Precision < facts.PrecisionSecond:
		return r
	case st.ServerSeconds-st.Micros/1e6 > maxLate/facts.Second:
		return maybeBefore
	}
	return shownAfter
}

// relationTo is the same for any record, of a date and a duration, so long before the fetch.
func (s *subject) relationTo(at facts.Spot, date facts.Time, millis int32, gap int64) relation {
	took, ended := int64(millis)*1000, before
	if took > 0 { // the exchange ended so long after its date, or later by what the date's last digit is worth
		end := facts.Time{Micros: date.Micros + took, Precision: facts.PrecisionMicrosecond}
		switch {
		case took <= maxTook && s.time.MicrosSince(end.Truncate(date.Precision)) < 0:
			ended = shownAfter
		case date.Latest()+took > s.time.Micros:
			ended = maybeBefore
		}
	}
	switch {
	case gap < 0:
		return after
	case s.asOf:
		return before
	case gap > 0 && ended != before:
		return ended
	}
	order := maybeBefore // as the archives that hold both records show it ("Order within one moment")
	s.places.any(at, s.spot(), func(a, b spot) bool {
		switch {
		case !a.SameRun(b.Spot), gap > 0 && !s.isOrdered(a.Spot):
		case a.Index < b.Index:
			order = before
		case gap == 0:
			order = shownAfter
		default: // recorded after the fetch, although it is dated before
			ended = maybeBefore
		}
		return order == shownAfter || ended == maybeBefore && gap > 0
	})
	switch {
	case gap > 0 && gap < minApart && millis < 0 && s.Trust != facts.TrustLogged:
		return max(ended, order)
	case gap > 0:
		return ended
	case ended == shownAfter || took > maxTook:
		return max(ended, order)
	}
	return order
}

// isOrdered reports whether the records of a run stand in the order in which the exchanges ended.
func (s *subject) isOrdered(at facts.Spot) bool {
	run := s.runs.CrawlRunOf(at)
	return run != nil && !run.Unordered
}

// provesOrder reports whether the order in which a record and the fetch, of one moment, stand in an archive is
// that in which they were made: in that of a crawler that makes one after the other.
func (s *subject) provesOrder(at facts.Spot) bool {
	return s.places.any(at, s.spot(), func(a, b spot) bool { return b.isSerial && a.SameRun(b.Spot) })
}

// any reports whether is holds for spots of two records, in any of the archives that hold both.
func (p places) any(at facts.Spot, to spot, is func(a, b spot) bool) bool {
	others, tos := p[at], p[to.Spot]
	if len(others) == 0 && len(tos) == 0 {
		return is(spot{Spot: at}, to)
	}
	for i := range len(others) + 1 {
		a := spot{Spot: at}
		if i > 0 {
			a = others[i-1]
		}
		if is(a, to) || slices.ContainsFunc(tos, func(b spot) bool { return is(a, b) }) {
			return true
		}
	}
	return false
}
