package evaluate

import (
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
)

// timeline is what is known of one origin's robots.txt in time.
type timeline struct {
	all     *line
	byAgent map[string]*line // by lower-cased product token; "" where none is known
	joined  map[ownKey]*line // the same with those of "" in a run; nil: there are none
	marks   []resolve.Mark   // records that a robots.txt redirect led to, in order
	targets []*State         // of redirects of robots.txt: others than those that count, by time
	leads   leads            // redirects that may have led to others
	places  places           // of records that several archives hold
	unread  []facts.Time     // of captures that indexes report and no input holds, in order
}

// hasUnread reports whether an index reports a capture at or before a moment, which no input holds and
// which isLate is true of. isLate is true of all captures after the first that it is true of.
func (tl *timeline) hasUnread(isLate func(facts.Time) bool, until facts.Time) bool {
	n := sort.Search(len(tl.unread), func(i int) bool { return isLate(tl.unread[i]) })
	return n < len(tl.unread) && until.MicrosSince(tl.unread[n]) >= 0
}

// hasUnreadCopy reports whether an index reports a copy that a crawler may have used at a moment, and
// no input holds it.
func (tl *timeline) hasUnreadCopy(at facts.Time) bool {
	return tl.hasUnread(func(t facts.Time) bool { return at.MicrosSince(t) <= facts.Day }, at)
}

// line is a sequence of robots captures in the order of compareInTime. Captures without a usable
// date are left out.
type line struct {
	states   []*State
	runs     []unreachableRun // parallel to states
	latestOf [kinds][]int32   // the same: index of the latest capture of a kind up to here; -1: none
	coarsest facts.Precision  // of the dates
	late     int64            // the longest State.lateness
	sameTo   []int32          // index of the first capture after each that says something else
	coarseAt []int32          // index of the first capture, from each on, whose date is coarser than a second
}

// kind is what the latest capture is looked for of.
type kind uint8

const (
	kindSays    kind = iota // says something of its own
	kindAnswers             // the same, or unreachable
	kindSuccess             // a 2xx
	kindLost                // shows that the crawler had a copy, which the archive does not hold
	kinds
)

// is reports whether a capture is of a kind.
func (s *State) is(k kind) bool {
	switch k {
	case kindSays:
		return s.says()
	case kindAnswers:
		return s.Outcome != OutcomeUnresolved && s.Outcome != OutcomeUndefined
	case kindSuccess:
		return s.isSuccess()
	}
	return s.Outcome == OutcomeUnresolved && !s.isSuccess() && (s.Reason == resolve.UnresolvedRevisit || s.FinalStatus/100 == 2)
}

// unreachableRun is the unbroken run of unreachable captures up to a place; the zero value
// where there is none.
type unreachableRun struct{ first, last *State }

// newTimeline takes an origin's captures.
func newTimeline(states []*State, marks []resolve.Mark) *timeline {
	t := &timeline{all: new(line), byAgent: make(map[string]*line), marks: marks, places: make(places)}
	slices.SortFunc(states, func(a, b *State) int { return facts.CompareInTime(&a.Fetch, &b.Fetch) })
	for _, s := range states {
		if !s.Time().Known() {
			continue
		}
		s.key = agentKey(s.agent)
		t.all.add(s)
	}
	t.all.index()
	if s := t.all.states; len(s) > 0 && !slices.ContainsFunc(s, func(o *State) bool { return o.key != s[0].key }) {
		t.byAgent[s[0].key] = t.all // of most origins
		return t
	}
	for _, s := range t.all.states {
		if t.byAgent[s.key] == nil {
			t.byAgent[s.key] = new(line)
		}
		t.byAgent[s.key].add(s)
	}
	for _, l := range t.byAgent {
		l.index()
	}
	return t
}

// index fills in how many captures that follow each one can be passed over.
func (l *line) index() {
	n := len(l.states)
	l.sameTo, l.coarseAt = make([]int32, n), make([]int32, n)
	coarse := n
	for i := n - 1; i >= 0; i-- {
		l.sameTo[i] = int32(i + 1)
		if i+1 < n && l.states[i].saysLike(l.states[i+1]) {
			l.sameTo[i] = l.sameTo[i+1]
		}
		if l.states[i].Precision < facts.PrecisionSecond {
			coarse = i
		}
		l.coarseAt[i] = int32(coarse)
	}
}

// with returns the run up to a further capture.
func (r unreachableRun) with(s *State) unreachableRun {
	switch {
	case s.Outcome == OutcomeUnreachable:
		if r.last = s; r.first == nil {
			r.first = s
		}
	case s.says() || s.isSuccess(): // ends the run
		return unreachableRun{}
	}
	return r
}

func (l *line) add(s *State) {
	var r unreachableRun
	n := len(l.states)
	if n > 0 {
		r = l.runs[n-1]
	}
	r = r.with(s)
	for k := range kinds {
		i := l.before(k, n)
		if s.is(k) {
			i = n
		}
		l.latestOf[k] = append(l.latestOf[k], int32(i))
	}
	if n == 0 || s.Precision < l.coarsest {
		l.coarsest = s.Precision
	}
	l.late = max(l.late, s.lateness())
	l.states, l.runs = append(l.states, s), append(l.runs, r)
}

// before returns the index of the latest capture of a kind among the first n; -1: none.
func (l *line) before(k kind, n int) int {
	if n == 0 {
		return -1
	}
	return int(l.latestOf[k][n-1])
}

// Dates of several precisions are in no order that all comparisons agree with: a
// capture of "2021-04-24" stands before one of 08:00 that day, is no earlier than
// it, and no earlier than one of 10:00 either. So the captures near a moment are
// found in two steps: a range that holds them all, and in it those that are.

// A span is captures of a line, in order.
type span struct {
	*line
	next int // index
	fine int // those before are of use only if their date is coarser than a second
	end  int
}

// between returns a span that holds all captures from start to end, and perhaps a few
// more at either side.
func (l *line) between(start, end facts.Time) span {
	return span{
		l, l.from(start.Micros - l.coarsest.Unit()), l.from(start.Micros - facts.PrecisionSecond.Unit()),
		l.from(end.Micros + end.Precision.Unit() + 1),
	}
}

// take returns the next capture, nil at the end.
func (p *span) take() *State {
	if p.next < p.fine {
		p.next = min(int(p.coarseAt[p.next]), p.fine)
	}
	if p.next >= p.end {
		return nil
	}
	p.next++
	return p.states[p.next-1]
}

// skipAlike passes over those that follow, before end, and say the same as the one taken last.
func (p *span) skipAlike(end int) { p.next = max(p.next, min(int(p.sameTo[p.next-1]), end)) }

// from returns how many captures lie before micros.
func (l *line) from(micros int64) int {
	return sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros >= micros })
}
