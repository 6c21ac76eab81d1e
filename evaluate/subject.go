package evaluate

import (
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
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

	places       places     // of records that several archives hold
	runs         *facts.Set // knows the runs of crawlers
	own          *line      // the crawler's own captures; nil: none
	ownsNameless bool       // captures without a token in the fetch's run are among them
	withRefusals bool       // what other crawlers were refused governs, since nothing else does
	asOf         bool       // time is not the fetch's own: the order of records tells nothing
	beyondDoubt  bool       // only captures that are before the fetch beyond doubt count
	budget
}

func (d *decider) newSubject(f *facts.Fetch, agent string, tl *timeline) subject {
	path := weburl.PathQueryOf(f.Origin, f.URL)
	s := subject{Fetch: f, path: path, agent: agent, key: d.keys.of(agent), token: agent, time: f.Time(), places: tl.places, runs: d.runs}
	s.own, s.ownsNameless = tl.ownOf(&s)
	return s
}

// maxLate bounds how late an answer may have come by a duration or a Date field that is believed. Of a
// longer time there is doubt, and no more. maxDrift is by how many seconds the server's clock may lie from the
// crawler's, to be taken for the same.
const (
	maxLate  = 10 * 60 * facts.Second
	maxDrift = 5
)

// relationOf says where a capture stands to the fetch in time: by their dates, and by what else the
// archives show of the two exchanges ("Received before"). A date is when an exchange began, or when it ended.
func (s *subject) relationOf(st *State) relation {
	itself := st.Itself()
	r := s.relationTo(&itself)
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

// relationTo is the same for a record that a capture led to.
func (s *subject) relationTo(r *resolve.Step) relation {
	gap, took, ended := s.time.MicrosSince(r.Time), int64(r.Millis)*1000, before
	if took > 0 { // the end of the exchange is its date and the time that it took
		end := facts.Time{Micros: r.Time.Micros + took, Precision: facts.PrecisionMicrosecond}
		switch gap := s.time.MicrosSince(end.Truncate(r.Time.Precision)); {
		case gap < 0 && took <= maxLate:
			ended = shownAfter
		case gap <= 0:
			ended = maybeBefore
		}
	}
	isRecordedAfter := func(a, b facts.Spot) bool { // than the fetch, in an archive whose order follows the dates
		if !a.SameRun(b) || b.Index > a.Index {
			return false
		}
		run := s.runs.CrawlRunOf(a)
		return run != nil && !run.Unordered
	}
	switch at := facts.SpotOf(s.Fetch); {
	case gap < 0:
		return after
	case s.asOf:
		return before
	case gap == 0 && (ended == shownAfter || took > maxLate):
		return max(ended, s.places.relation(r.Spot, at))
	case gap == 0: // "Order within one moment"
		return s.places.relation(r.Spot, at)
	case ended == before && s.places.any(r.Spot, at, isRecordedAfter):
		return maybeBefore
	}
	return ended
}

// lateness is how long after its date a capture may count as after a fetch.
func (s *State) lateness() (micros int64) {
	micros = int64(s.Millis) * 1000
	if s.ServerSeconds != 0 {
		micros = max(micros, (s.ServerSeconds-s.Micros/1e6+maxDrift+1)*facts.Second)
	}
	return min(micros, maxLate+(maxDrift+1)*facts.Second)
}

// isOfRun reports whether a record was made in the fetch's run of a crawler.
func (s *subject) isOfRun(at facts.Spot, userAgent string) bool {
	return s.places.any(at, facts.SpotOf(s.Fetch), func(a, b facts.Spot) bool {
		return s.runs.IsSameRun(a, b, userAgent, s.UserAgent)
	})
}

// isSameMoment reports whether a record of the fetch's moment counts as before it, and may have come after.
func (s *subject) isSameMoment(r *resolve.Step, to relation) bool {
	return to == maybeBefore && s.time.MicrosSince(r.Time) == 0
}

// isWholeDay reports whether a whole day is asked about. All captures of that day count as before.
func (s *subject) isWholeDay() bool { return s.asOf && s.time.Precision == facts.PrecisionDay }

// provesOrder reports whether the order of a record and the fetch, of one moment, is beyond doubt.
func (s *subject) provesOrder(at facts.Spot) bool {
	return s.places.proves(at, facts.SpotOf(s.Fetch), s.Flags&facts.FlagSerial != 0)
}

// counts reports whether a capture is a candidate: at or before the fetch.
func (s *subject) counts(st *State) bool {
	relation := s.relationOf(st)
	return relation == before || relation == maybeBefore && !s.beyondDoubt
}

// mayGovern reports whether a capture is a candidate: at or before the fetch, and no refusal to another
// crawler.
func (s *subject) mayGovern(st *State) bool { return s.counts(st) && !s.isRefused(st) }

// isRefused reports whether a capture is a refusal to another crawler, which says nothing to this one.
func (s *subject) isRefused(st *State) bool { return st.isRefusal() && !s.withRefusals && !s.isOwn(st) }

// isRefusedToOther reports whether a capture led to such a refusal, though it may be the crawler's own.
func (s *subject) isRefusedToOther(st *State) bool {
	return st.isRefusal() && !(s.isOwn(st) && s.owns(st.last()))
}

// isOwn reports whether the crawler that made the fetch made the capture.
func (s *subject) isOwn(st *State) bool {
	return st.key == s.key || s.ownsNameless && s.owns(st.itself())
}

// owns reports whether the crawler that made the fetch got a record. Some crawlers send a User-Agent with
// some requests alone.
func (s *subject) owns(r answered) bool {
	return r.key == s.key || r.key == "" && s.isOfRun(r.at, r.userAgent)
}

// mayBeOthers reports whether another crawler may have got a record: also one of the fetch's run with the
// name of a browser.
func (s *subject) mayBeOthers(r answered) bool {
	return !s.owns(r) || r.key != s.key && r.userAgent != ""
}

// failsLater reports whether a capture at or before the fetch redirects to what was found unreachable
// after it. What the redirect led to at the fetch, nobody knows.
func (s *subject) failsLater(st *State) bool {
	return st.Outcome == OutcomeUnreachable && s.relationOf(st) <= maybeBefore && s.precedes(st)
}

// isUnreadable reports whether nobody can tell what a crawler that used a capture at the fetch was
// told.
func (s *subject) isUnreadable(st *State) bool {
	return st.Outcome == OutcomePartial || st.Outcome == OutcomeUnresolved || st.Outcome == OutcomeUndefined || s.failsLater(st)
}

// precedes reports whether the content of a capture was got after the fetch.
func (s *subject) precedes(st *State) bool {
	return s.hasApplied(st, func(_ *resolve.Step, to relation) bool { return to >= shownAfter })
}

// hasApplied reports whether is holds for a record whose content a capture applies, and its relation.
func (s *subject) hasApplied(st *State, is func(*resolve.Step, relation) bool) bool {
	applied := st.records()
	if is(&applied[0], s.relationOf(st)) {
		return true
	}
	for i := range applied[1:] {
		if r := &applied[i+1]; is(r, s.relationTo(r)) {
			return true
		}
	}
	return false
}

// freshFor is how old the content of a copy of robots.txt may be that is used (RFC 9309 §2.4).
const freshFor = facts.Day

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

// secondsOld is the age of the governing capture in results. Of later evidence, it is how long after the
// fetch the newest content was dated, negative; 0 where it is dated no later.
func (s *subject) secondsOld(st *State, e Evidence) int64 {
	if e == Later {
		return min(s.time.MicrosSince(st.Newest())/facts.Second, 0)
	}
	return s.ageOf(st) / facts.Second
}

// A budget counts what is looked at for one fetch.
type budget struct{ looked int }

// maxLooked bounds the captures that are looked at for one fetch, where one that is asked
// counts as askedCost, and each bodyCost bytes of its body, rulesCost rules of it, and each matchCost
// bytes that its rules with a "*" look at, as one more: an origin may have sent another file with
// every second. The files are no more than the cache of parsed files holds. Beyond it nothing is known
// of the fetch (TooCostly).
const (
	maxLooked = 1000
	askedCost = 8
	bodyCost  = 32 << 10
	rulesCost = 128
	matchCost = 32 << 10
)

// match asks a group about the path.
func (s *subject) match(g *robots.Group) robots.Decision {
	d := g.Match(s.path)
	s.spend(d.Cost() / matchCost)
	return d
}

// look counts a capture that is looked at for a fetch; false says that they are too many.
func (b *budget) look() bool { return b.spend(1) }

func (b *budget) spend(looks int) bool {
	b.looked += looks
	return !b.isTooCostly()
}

func (b *budget) isTooCostly() bool { return b.looked > maxLooked }

// costOfAsking is how many looks it counts for to ask a capture.
func (s *State) costOfAsking() int {
	if !s.HasBody {
		return 1
	}
	return askedCost + int(s.BodySize/bodyCost)
}
