package evaluate

import (
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// subject is a fetch with what the decision needs of its URL.
type subject struct {
	*facts.Fetch
	path  string // what rules are matched against
	agent string // whose captures count: the crawler's own token
	key   string // the same, comparable
	token string // whose rules are asked for: the same, but in a what-if
	time  facts.Time

	places        places // of records that several archives hold
	asOf          bool   // time is not the fetch's own: the order of records tells nothing
	withoutBeside bool   // captures of the fetch's moment in other archives do not count
	looked        int    // captures looked at, as maxLooked counts them
}

func (d *decider) newSubject(f *facts.Fetch, agent string) subject {
	path := weburl.PathQueryOf(f.Origin, f.URL)
	return subject{Fetch: f, path: path, agent: agent, key: d.keys.of(agent), token: agent, time: f.Time()}
}

// relationOf compares a capture's date with the fetch's; of one moment, the order of
// the records in their archive tells.
func (s *subject) relationOf(st *State) relation {
	return s.relationTo(st.Time(), facts.SpotOf(&st.Fetch))
}

func (s *subject) relationTo(t facts.Time, at facts.Spot) relation {
	switch gap := s.time.MicrosSince(t); {
	case gap > 0 || gap == 0 && s.asOf:
		return before
	case gap < 0:
		return after
	}
	return s.places.relation(at, facts.SpotOf(s.Fetch))
}

// isBeside reports whether a record is of the fetch's moment, and no archive tells which came first.
func (s *subject) isBeside(r *resolve.Step) bool { return s.relationTo(r.Time, r.Spot) == beside }

// isUnsure reports whether a record that counts as before the fetch may have come after
// it: one of the same moment, unless the order of a serial crawler's archive tells.
func (s *subject) isUnsure(r *resolve.Step) bool {
	relation := s.relationTo(r.Time, r.Spot)
	isSame := !s.asOf && s.time.MicrosSince(r.Time) == 0
	return relation == beside || relation == before && isSame && !s.provesOrder(r.Spot)
}

// provesOrder reports whether the order of a record and the fetch, of one moment, is beyond doubt.
func (s *subject) provesOrder(at facts.Spot) bool {
	return s.places.proves(at, facts.SpotOf(s.Fetch), s.Flags&facts.FlagSerial != 0)
}

// counts reports whether a capture is a candidate: at or before the fetch.
func (s *subject) counts(st *State) bool {
	relation := s.relationOf(st)
	return relation == before || relation == beside && !s.withoutBeside
}

// failsLater reports whether a capture at or before the fetch redirects to what was found unreachable
// after it. What the redirect led to at the fetch, nobody knows.
func (s *subject) failsLater(st *State) bool {
	return st.Outcome == OutcomeUnreachable && s.relationOf(st) <= beside && s.precedes(st)
}

// isUnreadable reports whether nobody can tell what a crawler that used a capture at the fetch was
// told.
func (s *subject) isUnreadable(st *State) bool {
	return st.Outcome == OutcomePartial || st.Outcome == OutcomeUnresolved || st.Outcome == OutcomeUndefined || s.failsLater(st)
}

// precedes reports whether the content of a capture was got after the fetch.
func (s *subject) precedes(st *State) bool {
	return s.hasApplied(st, func(r *resolve.Step) bool { return s.relationTo(r.Time, r.Spot) >= behind })
}

// hasApplied reports whether is holds for a record whose content a capture applies. Those of moments
// before the fetch's are not asked.
func (s *subject) hasApplied(st *State, is func(*resolve.Step) bool) bool {
	if s.time.Micros-st.NewestMicros >= st.Coarsest.Unit() {
		return false
	}
	for _, r := range st.Applied() {
		if is(&r) {
			return true
		}
	}
	return false
}

// freshFor is how long a copy of robots.txt may be used (RFC 9309 §2.4).
const freshFor = facts.Day

// isFresh reports whether the content of a capture is at most that old at the fetch.
func (s *subject) isFresh(st *State) bool { return s.ageOf(st) <= freshFor }

// ageOf returns how old the content of a capture is at the fetch. Of coarse dates, the one that comes
// first need not be that of the oldest.
func (s *subject) ageOf(st *State) int64 {
	age := s.time.MicrosSince(st.Oldest())
	if st.Coarsest < facts.PrecisionSecond {
		for _, r := range st.Applied() {
			age = max(age, s.time.MicrosSince(r.Time))
		}
	}
	return age
}

// ahead returns the moment that lies a time after a fetch.
func (s *subject) ahead(within int64) facts.Time {
	return facts.Time{Micros: s.time.Micros + within, Precision: s.time.Precision}
}

// follows reports whether a capture lies within a time after a fetch.
func (s *subject) follows(st *State, within int64) bool {
	return s.relationOf(st) >= behind && st.Time().MicrosSince(s.time) <= within
}

// maxLooked bounds the captures that are looked at for one fetch, where one that is asked
// counts as askedCost, and each bodyCost bytes of its body as one more: an origin may
// have sent another file with every second. The bodies are no more than the cache of
// parsed files holds. Beyond it nothing is known of the fetch (TooCostly).
const (
	maxLooked = 1000
	askedCost = 8
	bodyCost  = maxCachedBodies / maxLooked
)

// look counts a capture that is looked at for a fetch; false says that they are too many.
func (s *subject) look() bool { return s.spend(1) }

func (s *subject) spend(looks int) bool {
	s.looked += looks
	return !s.isTooCostly()
}

func (s *subject) isTooCostly() bool { return s.looked > maxLooked }

// costOfAsking is how many looks it counts for to ask a capture.
func (s *State) costOfAsking() int {
	if !s.HasBody {
		return 1
	}
	return askedCost + int(s.BodySize/bodyCost)
}
