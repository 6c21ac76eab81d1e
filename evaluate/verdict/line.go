package verdict

import (
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// This file searches captures in the order of their dates.

// latestWith returns all captures of a kind, at or before a fetch, at its latest moment: the last in each archive.
func (l *line) latestWith(k kind, s candidates) []*State {
	last := l.lastOf(k, l.upTo(s.subject), s)
	if last == nil {
		return nil
	}
	return oneOfEach(l.allOf(k, last, s), lastInArchive)
}

// allOf returns the captures of a kind that are of one's moment, and at or before a fetch.
func (l *line) allOf(k kind, one *State, s candidates) []*State {
	return s.ofMoment(l.between(one.Time(), one.Time()), one.Time(),
		func(st *State) bool { return st.is(k) && s.mayGovern(st) && !s.failsLater(st) })
}

// ofMoment returns the captures of a moment that keep accepts.
func (s *subject) ofMoment(near span, t facts.Time, keep func(*State) bool) (moment []*State) {
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(t) == 0 && keep(st) {
			moment = append(moment, st)
		}
	}
	return moment
}

// lastOf returns the latest capture of a kind, among the first n, that is at or before a
// fetch; nil where there is none.
func (l *line) lastOf(k kind, n int, s candidates) *State {
	for i := l.latestOf[k][n]; i > 0 && s.look(); i = l.latestOf[k][i-1] {
		if st := l.states[i-1]; s.mayGovern(st) && !s.failsLater(st) {
			return st
		}
	}
	return nil
}

// upTo returns how many captures lie at or before a fetch, the two compared at the
// coarser precision. Of a fetch dated with a day, all captures of that day count
// as before.
func (l *line) upTo(s *subject) int {
	if s.isWholeDay() {
		return l.from(s.time.Micros + facts.Day)
	}
	n := sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros > s.time.Micros })
	for n < len(l.states) && s.gap(l.states[n]) >= 0 && s.look() {
		n++
	}
	return n
}

// oneOfEach returns, of captures of one moment, those that win in their archives.
func oneOfEach(moment []*State, wins func(a, b *State) bool) []*State {
	if len(moment) < 2 {
		return moment
	}
	best := make(map[facts.Spot]*State)
	for _, st := range moment {
		at := facts.SpotOf(&st.Fetch).InRun()
		if b := best[at]; b == nil || wins(st, b) {
			best[at] = st
		}
	}
	return filter(moment, func(st *State) bool { return best[facts.SpotOf(&st.Fetch).InRun()] == st })
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

// A span is captures of a line, in order.
//
// Dates of several precisions are in no order that all comparisons agree with: a capture of "2021-04-24" stands
// before one of 08:00 that day, is no earlier than it, and no earlier than one of 10:00 either. So the captures near
// a moment are found in two steps: a range that holds them all, and in it those that are.
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

// skipAlike passes over the next captures, before end, that equal the one taken last.
func (p *span) skipAlike(end int) { p.next = max(p.next, min(int(p.sameTo[p.next-1]), end)) }

// from returns how many captures lie before micros.
func (l *line) from(micros int64) int {
	return sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros >= micros })
}
