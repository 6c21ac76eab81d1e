package verdict

import (
	"fmt"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file is the fetch as the decision needs it: who made it, what is asked, and what asking may cost.

// subject is a fetch with what the decision needs of its URL.
type subject struct {
	*facts.Fetch
	exchange
	path  string      // what rules are matched against
	agent string      // whose captures count: the crawler's own token
	key   string      // agent, comparable
	token string      // whose rules are asked for: agent, but in a what-if and for a second token
	unit  int64       // the length of what its date names, in microseconds
	notes words.Notes // remarks on its User-Agent and URL

	places       places     // of records that several archives hold
	runs         *facts.Set // knows the runs of crawlers
	heard        *voices
	unclear      unclear // as of timeline
	own          *line   // the crawler's own captures; nil: none
	ownsNameless bool    // captures without a token in the fetch's run are among them
	record       *record // what deciding it adds up
}

// setTo makes s a fetch by an agent, asked about as of a moment: its own, where that is unknown.
func (s *subject) setTo(d *Decider, f *facts.Fetch, agent string, tl *Timeline, asOf facts.Time, r *record) *subject {
	*s = subject{
		Fetch: f, exchange: newFetchExchange(f, tl.places[facts.SpotOf(f)], d.runs),
		path: weburl.PathQueryOf(f.Origin, f.URL), agent: agent, key: d.who.Key(agent),
		token:  agent,
		places: tl.places, runs: d.runs, heard: d.heard, unclear: tl.unclear, record: r,
	}
	if asOf.Known() {
		s.time, s.begun, s.since, s.clock, s.asOf = asOf, asOf, asOf.Micros, 0, true
	}
	s.unit = s.time.Precision.Unit()
	s.own, s.ownsNameless = tl.ownOf(s)
	return s
}

// An ownKey decides which captures without a token count as a crawler's own: by its token, the User-Agent of a fetch,
// and the runs of the archives that hold it.
type ownKey struct {
	key, userAgent string
	run            facts.Spot
	others         string // further runs
}

// maxJoined bounds the lines that are made of a crawler's captures and of those without a token.
const maxJoined = 256

// ownOf returns the captures of the crawler that made a fetch. Some crawlers request robots.txt without
// a User-Agent: in its run, these are its own. all is false where there are none.
func (tl *Timeline) ownOf(s *subject) (own *line, all bool) {
	own = tl.byAgent[s.key]
	if s.key == "" || s.Run == 0 && len(tl.places[facts.SpotOf(s.Fetch)]) == 0 {
		return own, false
	}
	nameless := tl.byAgent[""]
	if nameless == nil {
		return own, false
	}
	key := tl.ownKeyOf(s)
	joined, known := tl.joined[key]
	if !known {
		if len(tl.joined) >= maxJoined {
			return own, false
		}
		if tl.joined == nil {
			tl.joined = make(map[ownKey]*line)
		}
		isOwn := func(st *State) bool { return s.owns(st.itself()) }
		if nameless.first(isOwn) < nameless.len() {
			joined = tl.all.filtered(isOwn)
		}
		tl.joined[key] = joined
	}
	if joined == nil {
		return own, false
	}
	return joined, true
}

func (tl *Timeline) ownKeyOf(s *subject) ownKey {
	key := ownKey{s.key, s.UserAgent, facts.SpotOf(s.Fetch).InRun(), ""}
	for _, other := range tl.places[facts.SpotOf(s.Fetch)] {
		key.others += fmt.Sprintln(other.InRun())
	}
	return key
}

// firstOfRun returns the index, in the crawler's own captures, of the first that the fetch's run made; their number
// where there is none.
func (tl *Timeline) firstOfRun(s *subject) int {
	key := tl.ownKeyOf(s)
	first, known := tl.firsts[key]
	if !known {
		if len(tl.firsts) >= maxJoined {
			return s.own.len()
		}
		first = s.own.first(func(st *State) bool { return s.isOfRun(st.itself()) })
		if tl.firsts == nil {
			tl.firsts = make(map[ownKey]int)
		}
		tl.firsts[key] = first
	}
	return first
}

// maxLooked bounds the looks that one fetch may cost; beyond it, nothing is known of the fetch (TooCostly). A capture
// costs one look; one that is asked costs askedCost, one more for each bodyCost bytes of its body and each rulesCost of
// its rules, and one for each matchCost bytes that rules with a "*" compare. An origin may have sent another file every
// second. The files are no more than the cache of parsed files holds.
const (
	maxLooked = 1000
	askedCost = 8
	bodyCost  = 32 << 10
	rulesCost = 128
	matchCost = 32 << 10
)

func (s *subject) match(g *robots.Group) robots.Decision {
	d := g.Match(s.path)
	s.spend(d.Cost() / matchCost)
	return d
}

// look counts a capture that is looked at for a fetch; false: they are too many.
func (s *subject) look() bool { return s.spend(1) }

func (s *subject) spend(looks int) bool {
	s.record.looked += looks
	return !s.isTooCostly()
}

func (s *subject) isTooCostly() bool { return s.record.looked > maxLooked }

// costOfAsking is the cost of an answer of the capture, in looks.
func (s *State) costOfAsking() int {
	if !s.HasBody {
		return 1
	}
	return askedCost + int(s.BodySize/bodyCost)
}

// owns reports whether the crawler that made the fetch got a record. Some crawlers request robots.txt without a
// User-Agent: "Captures without a User-Agent".
func (s *subject) owns(r answered) bool {
	return r.key == s.key || r.key == "" && r.userAgent == "" && s.isOfRun(r) && s.isAlone(r)
}

// mayBeOthers reports whether another crawler may have got a record: also one whose User-Agent, another than the
// fetch's, names two.
func (s *subject) mayBeOthers(r answered) bool {
	return !s.owns(r) || r.ofTwo && r.userAgent != s.UserAgent
}

// isOfRun reports whether a record was made in the fetch's run of a crawler.
func (s *subject) isOfRun(r answered) bool {
	return s.isAny(r.at, func(a, b facts.Spot) bool { return s.runs.IsSameRun(a, b, r.userAgent, s.UserAgent) })
}

// isHeldAt reports whether a record is the fetch itself, in any of the archives that hold it.
func (s *subject) isHeldAt(at facts.Spot) bool {
	return s.isAny(at, func(a, b facts.Spot) bool { return a == b })
}

// isAny reports whether is holds for the spots of a record and of the fetch, in any of the archives that hold them.
func (s *subject) isAny(at facts.Spot, is func(a, b facts.Spot) bool) bool {
	others := s.places[at]
	for i := range len(others) + 1 {
		a := at
		if i > 0 {
			a = others[i-1].Spot
		}
		if is(a, s.at.Spot) || slices.ContainsFunc(s.others, func(b place) bool { return is(a, b.Spot) }) {
			return true
		}
	}
	return false
}

// isWholeDay reports whether a whole day is asked about. All captures of that day count as before.
func (s *subject) isWholeDay() bool { return s.asOf && s.time.Precision == facts.PrecisionDay }
