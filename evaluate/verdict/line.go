package verdict

import (
	"iter"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file is the captures of one crawler, or of all, in the order of their dates.

// line is a sequence of captures, by time. What is known of them is kept where it changes: most hosts serve the same
// file every time.
type line struct {
	of       *Captures
	whole    []*State         // all; nil: they are packed
	numbers  []int32          // in the captures, of those that are packed
	ofKind   [kinds]spans     // the captures of a kind
	changes  []int32          // indexes of the captures that differ from the one before
	coarse   []int32          // indexes of the captures whose date is coarser than a second
	runs     []unreachableRun // each time that one changes
	coarsest facts.Precision  // of the dates
	late     int64            // the longest State.lateness
	last     *State           // that was added
}

// unreachableRun is the unbroken run of unreachable captures up to a place.
type unreachableRun struct{ first, last, upTo int32 } // numbers of captures, from 1; first: 0 where there is none

// with returns the run up to a further capture, the n-th.
func (r unreachableRun) with(s *State, n int) unreachableRun {
	switch {
	case s.Outcome == words.OutcomeUnreachable:
		if r.last = int32(n); r.first == 0 {
			r.first = r.last
		}
	case s.isDefinite() || s.isSuccess(): // ends the run
		return unreachableRun{}
	}
	return r
}

// spans are indexes of captures: alternately the first one of a span, and the first one after it.
type spans []int32

// add adds the index that comes next, or leaves it out.
func (s *spans) add(i int32, is bool) {
	if isOpen := len(*s)%2 == 1; is != isOpen {
		*s = append(*s, i)
	}
}

// before returns the last index before one; -1: there is none.
func (s spans) before(i int) int {
	switch n := notBefore(s, i); {
	case n == 0:
		return -1
	case n%2 == 0:
		return int(s[n-1]) - 1
	}
	return i - 1
}

func newLine(of *Captures) *line { return &line{of: of, coarsest: facts.PrecisionMicrosecond} }

// add adds the capture that is next in time, which has a number in the captures.
func (l *line) add(number int, st *State) {
	i := int32(l.len())
	if l.of.packed == nil {
		l.whole = append(l.whole, st)
	} else {
		l.numbers = append(l.numbers, int32(number))
	}
	for k := range kinds {
		l.ofKind[k].add(i, st.is(k))
	}
	if l.last != nil && !l.last.isAlike(st) {
		l.changes = append(l.changes, i)
	}
	if st.Precision < facts.PrecisionSecond {
		l.coarse = append(l.coarse, i)
	}
	before := l.run(int(i))
	if run := before.with(st, int(i)+1); run != before {
		run.upTo = i + 1
		l.runs = append(l.runs, run)
	}
	l.coarsest, l.late, l.last = min(l.coarsest, st.Precision), max(l.late, st.lateness(l.of.decider.runs)), st
}

func (l *line) len() int { return max(len(l.whole), len(l.numbers)) }

func (l *line) at(i int) *State {
	if l.whole != nil {
		return l.whole[i]
	}
	return l.of.at(l.numbers[i])
}

// one is the list of a capture alone.
func (l *line) one(i int) []*State {
	if l.whole != nil {
		return l.whole[i : i+1 : i+1]
	}
	return []*State{l.at(i)}
}

// indexOf is the index of a capture; -1: it is not in the line.
func (l *line) indexOf(st *State) int {
	for i := l.from(st.Micros); i < l.len() && l.micros(i) == st.Micros; i++ {
		if l.at(i).ID == st.ID {
			return i
		}
	}
	return -1
}

// until is how many captures are dated before another one, or stand before it.
func (l *line) until(st *State) int {
	i := l.from(st.Micros)
	for i < l.len() && l.micros(i) == st.Micros && facts.CompareInTime(&l.at(i).Fetch, &st.Fetch) <= 0 {
		i++
	}
	return i
}

// each yields the captures. It unpacks a packed one anew, so its pointer differs from what at returns.
func (l *line) each() iter.Seq2[int, *State] {
	return func(yield func(int, *State) bool) {
		for i := range l.len() {
			var st *State
			if l.whole != nil {
				st = l.whole[i]
			} else {
				st = l.of.unpack(int(l.numbers[i]))
			}
			if !yield(i, st) {
				return
			}
		}
	}
}

// first is the index of the first capture of which something holds; their number: of none.
func (l *line) first(holds func(*State) bool) int {
	for i, st := range l.each() {
		if holds(st) {
			return i
		}
	}
	return l.len()
}

// filtered is the line of the captures that keep accepts.
func (l *line) filtered(keep func(*State) bool) *line {
	kept := newLine(l.of)
	for i, st := range l.each() {
		if keep(st) {
			kept.add(l.number(i), st)
		}
	}
	return kept
}

func (l *line) number(i int) int {
	if l.whole != nil {
		return 0 // not needed
	}
	return int(l.numbers[i])
}

// micros is the date of a capture.
func (l *line) micros(i int) int64 {
	if l.whole != nil {
		return l.whole[i].Micros
	}
	return l.of.micros[l.numbers[i]]
}

// run is the run up to the n-th capture.
func (l *line) run(n int) unreachableRun {
	i := sort.Search(len(l.runs), func(i int) bool { return int(l.runs[i].upTo) > n })
	if i == 0 {
		return unreachableRun{}
	}
	return l.runs[i-1]
}

// notBefore returns how many indexes of a list lie before one.
func notBefore(list []int32, i int) int {
	n, _ := slices.BinarySearch(list, int32(i))
	return n
}

// sameFrom is the index of the first capture from which on all are alike, up to one.
func (l *line) sameFrom(i int) int {
	if n := notBefore(l.changes, i+1); n > 0 {
		return int(l.changes[n-1])
	}
	return 0
}

// sameTo is the index of the first capture after one that differs.
func (l *line) sameTo(i int) int {
	if n := notBefore(l.changes, i+1); n < len(l.changes) {
		return int(l.changes[n])
	}
	return l.len()
}

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
	for i := l.ofKind[k].before(n); i >= 0 && s.look(); i = l.ofKind[k].before(i) {
		if st := l.at(i); s.mayGovern(st) && !s.failsLater(st) {
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
	n := l.from(s.time.Micros + 1)
	for n < l.len() && s.gap(l.at(n)) >= 0 && s.look() {
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
		coarse := p.coarse[notBefore(p.coarse, p.next):]
		if p.next = p.fine; len(coarse) > 0 {
			p.next = min(int(coarse[0]), p.fine)
		}
	}
	if p.next >= p.end {
		return nil
	}
	p.next++
	return p.at(p.next - 1)
}

// skipAlike passes over the next captures, before end, that equal the one taken last.
func (p *span) skipAlike(end int) { p.next = max(p.next, min(p.sameTo(p.next-1), end)) }

// from returns how many captures lie before micros.
func (l *line) from(micros int64) int {
	return sort.Search(l.len(), func(i int) bool { return l.micros(i) >= micros })
}
