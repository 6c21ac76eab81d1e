package evaluate

import (
	"sort"

	"github.com/robotsaudit/robotsaudit/ingest"
)

// timeline is what is known of one origin's robots.txt in time.
type timeline struct {
	all     *line
	byAgent map[string]*line // by lower-cased product token; "" where none is known
	marks   map[mark]bool    // records that a robots.txt redirect led to
}

// line is a sequence of robots captures in order of time, those without a usable
// date left out.
type line struct {
	states   []*State
	runs     []unreachableRun // parallel to states
	rules    []int            // index of the latest capture with rules up to here; -1: none
	coarsest ingest.Precision // of the dates
}

// unreachableRun is the unbroken run of unreachable captures up to a place.
type unreachableRun struct {
	first *State
	count int
}

// newTimeline takes an origin's captures in order of time.
func newTimeline(states []*State, marks map[mark]bool) *timeline {
	t := &timeline{all: new(line), byAgent: make(map[string]*line), marks: marks}
	for _, s := range states {
		if !s.Time().Known() {
			continue
		}
		t.all.add(s)
		key := agentKey(s.agent)
		if t.byAgent[key] == nil {
			t.byAgent[key] = new(line)
		}
		t.byAgent[key].add(s)
	}
	return t
}

func (l *line) add(s *State) {
	var r unreachableRun
	rules := -1
	if n := len(l.states); n > 0 {
		r, rules = l.runs[n-1], l.rules[n-1]
	}
	switch s.Outcome {
	case OutcomeUnreachable:
		if r.count == 0 {
			r.first = s
		}
		r.count++
	case OutcomeUnresolved, OutcomeUndefined:
		// Nothing is known: the run goes on, and is no longer.
	default:
		r = unreachableRun{}
	}
	if s.Outcome == OutcomeRules {
		rules = len(l.states)
	}
	if len(l.states) == 0 || s.Precision < l.coarsest {
		l.coarsest = s.Precision
	}
	l.states, l.runs, l.rules = append(l.states, s), append(l.runs, r), append(l.rules, rules)
}

// upTo returns how many captures lie at or before t, the two compared at the
// coarser precision. Of a moment given as a day, all captures of that day count
// as before.
func (l *line) upTo(t ingest.Time) int {
	n := sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros > t.Micros })
	for n < len(l.states) && l.states[n].Time().MicrosSince(t) <= 0 {
		n++
	}
	return n
}

// Dates of several precisions are in no order that all comparisons agree with: a
// capture of "2021-04-24" stands before one of 08:00 that day, is no earlier than
// it, and no earlier than one of 10:00 either. So the captures near a moment are
// found in two steps: a range that holds them all, and in it those that are.

// after returns the captures within a day after t, of which n lie at or before it.
func (l *line) after(t ingest.Time, n int) []*State {
	end := n + l.from(n, t.Micros+day+unit(t.Precision)+1)
	return filter(l.states[n:end], func(s *State) bool { return s.Time().MicrosSince(t) <= day })
}

// since returns the captures in [t − 24 h, t], of which n lie at or before t.
func (l *line) since(t ingest.Time, n int) []*State {
	start := min(n, l.from(0, t.Micros-day-unit(l.coarsest)))
	return filter(l.states[start:n], func(s *State) bool { return t.MicrosSince(s.Time()) <= day })
}

// moment returns the captures that lie at the same moment as the one at index i,
// which is the last of them.
func (l *line) moment(i int) []*State {
	t := l.states[i].Time()
	start := min(i, l.from(0, t.Micros-unit(l.coarsest)))
	return filter(l.states[start:i+1], func(s *State) bool { return s.Time().MicrosSince(t) == 0 })
}

// earliest returns those of list than which no other is earlier.
func earliest(list []*State) []*State {
	var first [ingest.PrecisionMicrosecond + 1]*State // of each precision
	return filter(list, func(s *State) bool {
		for _, f := range first {
			if f != nil && s.Time().MicrosSince(f.Time()) > 0 {
				return false
			}
		}
		if first[s.Precision] == nil {
			first[s.Precision] = s
		}
		return true
	})
}

// from returns how many captures from index n on lie before micros.
func (l *line) from(n int, micros int64) int {
	return sort.Search(len(l.states)-n, func(i int) bool { return l.states[n+i].Micros >= micros })
}

// unit returns the length of what a date of a precision names, at most.
func unit(p ingest.Precision) int64 {
	switch p {
	case ingest.PrecisionYear:
		return 366 * day
	case ingest.PrecisionMonth:
		return 31 * day
	case ingest.PrecisionDay:
		return day
	case ingest.PrecisionHour:
		return hour
	case ingest.PrecisionMinute:
		return hour / 60
	}
	return hour / 3600
}

// filter returns the captures that keep accepts: the list itself, where it accepts
// them all.
func filter(list []*State, keep func(*State) bool) []*State {
	for i, s := range list {
		if keep(s) {
			continue
		}
		kept := list[:i:i]
		for _, s := range list[i+1:] {
			if keep(s) {
				kept = append(kept, s)
			}
		}
		return kept
	}
	return list
}

// view is what a fetch sees of its origin's timeline.
type view struct {
	governing *State // nil where no capture is near
	evidence  Evidence
	own       bool           // the governing capture is the crawler's own
	moment    []*State       // the captures at the governing one's moment
	earlier   []*State       // the captures before the governing one
	following []*State       // the captures within a day after the fetch
	run       unreachableRun // that the governing capture ends
	lastRules *State         // the latest capture with rules, of any age; nil: none
}

// freshFor is how long a copy of robots.txt may be used (RFC 9309 §2.4).
const freshFor = day

// view finds the capture that governs a fetch: the latest at or before it, else
// the earliest within a day after. The crawler's own captures go before those of
// others.
func (tl *timeline) view(s *subject) view {
	following, ownFollowing := tl.following(s.key, s.time)
	l, n, own := tl.before(s.key, s.time)
	if n == 0 {
		if len(following) == 0 {
			return view{}
		}
		return view{governing: following[0], evidence: Later, own: ownFollowing, moment: earliest(following)}
	}
	at := n - 1
	v := view{governing: l.states[at], evidence: Fresh, own: own, moment: l.moment(at), earlier: l.states[:at],
		following: following, run: l.runs[at]}
	if s.time.MicrosSince(v.governing.Time()) > freshFor {
		v.evidence = Stale
	}
	if i := l.rules[at]; i >= 0 {
		v.lastRules = l.states[i]
	}
	return v
}

// before chooses the captures at or before t: the crawler's own, where it has any
// there; else any crawler's.
func (tl *timeline) before(key string, t ingest.Time) (l *line, n int, own bool) {
	if l := tl.byAgent[key]; l != nil {
		if n := l.upTo(t); n > 0 {
			return l, n, true
		}
	}
	return tl.all, tl.all.upTo(t), false
}

// following returns the captures within a day after t: the crawler's own, where
// it has any there; else any crawler's.
func (tl *timeline) following(key string, t ingest.Time) (states []*State, own bool) {
	if l := tl.byAgent[key]; l != nil {
		if states := l.after(t, l.upTo(t)); len(states) > 0 {
			return states, true
		}
	}
	return tl.all.after(t, tl.all.upTo(t)), false
}

// copies returns every capture in [t − 24 h, t], whoever made it.
func (tl *timeline) copies(t ingest.Time) []*State { return tl.all.since(t, tl.all.upTo(t)) }
