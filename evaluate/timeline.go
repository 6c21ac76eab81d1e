package evaluate

import (
	"cmp"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/ingest"
)

// timeline is what is known of one origin's robots.txt in time.
type timeline struct {
	all     *line
	byAgent map[string]*line // by lower-cased product token; "" where none is known
	marks   map[mark]bool    // records that a robots.txt redirect led to
}

// line is a sequence of robots captures in the order of compareInTime. Captures without a usable
// date are left out.
type line struct {
	states   []*State
	runs     []unreachableRun // parallel to states
	success  []int            // index of the latest capture up to here that is a 2xx; -1: none
	coarsest ingest.Precision // of the dates
}

// unreachableRun is the unbroken run of unreachable captures up to a place.
type unreachableRun struct {
	first *State
	count int
}

// newTimeline takes an origin's captures.
func newTimeline(states []*State, marks map[mark]bool) *timeline {
	t := &timeline{all: new(line), byAgent: make(map[string]*line), marks: marks}
	slices.SortFunc(states, func(a, b *State) int { return compareInTime(&a.Fetch, &b.Fetch) })
	for _, s := range states {
		if !s.Time().Known() {
			continue
		}
		t.all.add(s)
		s.key = agentKey(s.agent)
		if t.byAgent[s.key] == nil {
			t.byAgent[s.key] = new(line)
		}
		t.byAgent[s.key].add(s)
	}
	return t
}

func (l *line) add(s *State) {
	var r unreachableRun
	success := -1
	if n := len(l.states); n > 0 {
		r, success = l.runs[n-1], l.success[n-1]
	}
	switch {
	case s.Outcome == OutcomeUnreachable:
		if r.count == 0 {
			r.first = s
		}
		r.count++
	case s.says() || s.isSuccess(): // ends the run
		r = unreachableRun{}
	}
	if s.isSuccess() {
		success = len(l.states)
	}
	if len(l.states) == 0 || s.Precision < l.coarsest {
		l.coarsest = s.Precision
	}
	l.states, l.runs, l.success = append(l.states, s), append(l.runs, r), append(l.success, success)
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

// between returns a range that holds all captures from start to end, and perhaps a
// few more at either side.
func (l *line) between(start, end ingest.Time) []*State {
	from := l.from(start.Micros - unit(l.coarsest))
	return l.states[from:max(from, l.from(end.Micros+unit(end.Precision)+1))]
}

// from returns how many captures lie before micros.
func (l *line) from(micros int64) int {
	return sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros >= micros })
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

// A spot is the place of a record in the order of its archive: a file, or an entry of
// a WACZ.
type spot struct {
	input int32
	entry string
	index int64 // 0 where nothing tells: a line of a log
}

func spotOf(f *ingest.Fetch) spot { return spot{f.Input, f.Entry, f.Index} }

// sameArchive reports whether the order of two records can be told.
func (p spot) sameArchive(q spot) bool {
	return p.input == q.input && p.index > 0 && q.index > 0 && p.entry == q.entry
}

func (p spot) compare(q spot) int {
	return cmp.Or(cmp.Compare(p.input, q.input), cmp.Compare(p.entry, q.entry), cmp.Compare(p.index, q.index))
}

// compareInTime orders records by time, and those of one moment as they stand in their
// archive.
func compareInTime(a, b *ingest.Fetch) int {
	return cmp.Or(cmp.Compare(a.Micros, b.Micros), cmp.Compare(a.Precision, b.Precision), spotOf(a).compare(spotOf(b)))
}

// A relation says where a capture stands to a fetch in time.
type relation uint8

const (
	before relation = iota // beyond doubt
	beside                 // of the same moment, in another archive: counts as before
	behind                 // of the same moment, behind it in its archive: counts as after
	after
)

// relationOf compares a capture's date with the fetch's; of one moment, the order of
// the records in their archive tells.
func (s *subject) relationOf(st *State) relation {
	return s.relationTo(st.Time(), spotOf(&st.Fetch))
}

func (s *subject) relationTo(t ingest.Time, at spot) relation {
	switch gap := s.time.MicrosSince(t); {
	case gap > 0 || gap == 0 && s.asOf:
		return before
	case gap < 0:
		return after
	case !at.sameArchive(spotOf(s.Fetch)):
		return beside
	case at.index < s.Index:
		return before
	}
	return behind
}

// isUnsure reports whether a record that counts as before the fetch may have come after
// it: one of the same moment, unless the order of a serial crawler's archive tells.
func (s *subject) isUnsure(t ingest.Time, at spot) bool {
	relation := s.relationTo(t, at)
	isSame := !s.asOf && s.time.MicrosSince(t) == 0
	return relation == beside || relation == before && isSame && s.Flags&ingest.FlagSerial == 0
}

// counts reports whether a capture is a candidate: at or before the fetch. One that
// became unreachable only by a record after the fetch shows nothing at its moment.
func (s *subject) counts(st *State) bool {
	switch s.relationOf(st) {
	case behind, after:
		return false
	case beside:
		if s.withoutBeside {
			return false
		}
	}
	return st.Outcome != OutcomeUnreachable || !s.precedes(st)
}

// precedes reports whether the content of a capture was got after the fetch.
func (s *subject) precedes(st *State) bool {
	newest, at := st.newest()
	return s.relationTo(newest, at) >= behind
}

// freshFor is how long a copy of robots.txt may be used (RFC 9309 §2.4).
const freshFor = day

// isFresh reports whether the content of a capture is at most that old at the fetch.
func (s *subject) isFresh(st *State) bool { return s.time.MicrosSince(st.oldest()) <= freshFor }

// view is what a fetch sees of its origin's timeline.
type view struct {
	governing   *State // nil where no capture is near
	evidence    Evidence
	own         bool                   // the governing capture is the crawler's own
	moment      []*State               // the captures of the governing one's moment, it included
	earlier     []*State               // the captures before it, in its line
	older       *State                 // where another's governs: the crawler's own latest one that says something
	olderAgrees bool                   // and it answers alike
	wins        func(a, b *State) bool // of two captures of a moment and archive, whether the first counts
}

// view finds the capture that governs a fetch: the crawler's own latest, if that is
// fresh; else the latest by anyone; else the earliest within a day after.
func (tl *timeline) view(s *subject) view {
	own := tl.byAgent[s.key]
	if own != nil {
		if v := own.latest(s); v.governing != nil && s.isFresh(v.governing) {
			return v
		}
	}
	v := tl.all.latest(s)
	if v.governing == nil {
		return tl.later(s)
	}
	if !v.own && own != nil {
		v.older = own.latestSaying(s)
	}
	return v
}

// last returns the index of the latest capture of the line at or before a fetch; -1: none.
func (l *line) last(s *subject) int {
	i := l.upTo(s.time) - 1
	for i >= 0 && !s.counts(l.states[i]) {
		i--
	}
	return i
}

// latest is the view of the latest capture of the line at or before a fetch.
func (l *line) latest(s *subject) view {
	i := l.last(s)
	if i < 0 {
		return view{}
	}
	v := view{evidence: Stale}
	start := i
	last := l.states[i].Time()
	for start > 0 && l.states[start-1].Micros >= last.Micros-unit(l.coarsest) {
		start--
	}
	for l.states[start].Time().MicrosSince(last) != 0 {
		start++
	}
	v.moment = filter(l.states[start:i+1], func(st *State) bool { return st.Time().MicrosSince(last) == 0 && s.counts(st) })
	v.earlier = l.states[:i]
	v.wins = func(a, b *State) bool { return a.Index > b.Index }
	v.govern(s)
	switch {
	case s.precedes(v.governing):
		v.evidence = Later
	case s.isFresh(v.governing):
		v.evidence = Fresh
	}
	return v
}

// govern chooses, of the captures of a moment, the one that governs: the crawler's own
// before others', of those in one archive the one that wins, one that stands before the
// fetch beyond doubt, the finest date. Between the rest it decides nothing which is taken.
func (v *view) govern(s *subject) {
	v.governing = v.moment[0]
	for _, st := range v.moment[1:] {
		if v.prefers(s, st, v.governing) {
			v.governing = st
		}
	}
	v.own = s.isOwn(v.governing)
}

func (v *view) prefers(s *subject, a, b *State) bool {
	at, than := spotOf(&a.Fetch), spotOf(&b.Fetch)
	switch {
	case s.isOwn(a) != s.isOwn(b):
		return s.isOwn(a)
	case at.sameArchive(than):
		return v.wins(a, b)
	case s.relationOf(a) != s.relationOf(b):
		return s.relationOf(a) < s.relationOf(b)
	case a.Precision != b.Precision:
		return a.Precision > b.Precision
	}
	return at.compare(than) > 0
}

// isOwn reports whether the crawler that made the fetch made the capture.
func (s *subject) isOwn(st *State) bool { return st.key == s.key }

// rivals are the captures of the governing one's moment that stand last in other
// archives: in which order they came, nothing tells. Where the crawler's own governs,
// those of others are no rivals but copies.
func (v *view) rivals(s *subject) []*State {
	if len(v.moment) == 1 {
		return nil
	}
	g := v.governing
	var list []*State
	for _, st := range v.moment {
		at := spotOf(&st.Fetch)
		if at.sameArchive(spotOf(&g.Fetch)) || v.own && !s.isOwn(st) || st == g {
			continue
		}
		i := slices.IndexFunc(list, func(o *State) bool { return at.sameArchive(spotOf(&o.Fetch)) })
		switch {
		case i < 0:
			list = append(list, st)
		case v.wins(st, list[i]):
			list[i] = st
		}
	}
	return list
}

// unreachableMay is how long a server has to be unreachable until crawlers may take its
// robots.txt as unavailable (RFC 9309 §2.3.1.4).
const unreachableMay = 30 * day

// longUnreachable reports whether a fetch ends an unbroken run of at least two unreachable
// captures that began longer ago than that: of the crawler's own, or of anyone's.
func (tl *timeline) longUnreachable(s *subject) bool {
	for _, l := range [...]*line{tl.byAgent[s.key], tl.all} {
		if l == nil {
			continue
		}
		if i := l.last(s); i >= 0 && l.runs[i].count >= 2 && s.time.MicrosSince(l.runs[i].first.Time()) > unreachableMay {
			return true
		}
	}
	return false
}

// latestSaying returns the latest capture of the line at or before a fetch that says
// something of its own; nil where there is none.
func (l *line) latestSaying(s *subject) *State {
	for _, st := range slices.Backward(l.states[:l.upTo(s.time)]) {
		if st.says() && s.counts(st) {
			return st
		}
	}
	return nil
}

// later is the view of the earliest capture within a day after a fetch that says
// something, the crawler's own first.
func (tl *timeline) later(s *subject) view {
	for _, l := range [...]*line{tl.byAgent[s.key], tl.all} {
		if l == nil {
			continue
		}
		v := view{evidence: Later, moment: earliest(filter(l.following(s, day), (*State).says))}
		if len(v.moment) == 0 {
			continue
		}
		v.wins = func(a, b *State) bool { return a.Index < b.Index }
		v.govern(s)
		return v
	}
	return view{}
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

// following returns the captures of the line within a time after a fetch, those of its
// own moment behind it among them.
func (l *line) following(s *subject, within int64) []*State {
	end := ingest.Time{Micros: s.time.Micros + within, Precision: s.time.Precision}
	return filter(l.between(s.time, end), func(st *State) bool {
		return s.relationOf(st) >= behind && st.Time().MicrosSince(s.time) <= within
	})
}

// since returns the captures of the line from a moment up to a fetch.
func (l *line) since(start ingest.Time, s *subject) []*State {
	return filter(l.between(start, s.time), func(st *State) bool {
		return st.Time().MicrosSince(start) >= 0 && s.relationOf(st) <= beside
	})
}

// others returns, where the governing capture is stale, those that say something else:
// between its content and the fetch, and within a day after the fetch.
func (tl *timeline) others(s *subject, v *view) (list []*State) {
	if v.evidence != Stale {
		return nil
	}
	asked := v.governing
	for _, near := range [...][]*State{tl.all.since(asked.oldest(), s), tl.all.following(s, day)} {
		for _, st := range near {
			if st.says() && st != v.governing && !st.saysLike(asked) && !st.isReplacedBy(v.governing) {
				list = append(list, st)
				asked = st
			}
		}
	}
	return list
}

// isReplacedBy reports whether g is the later of two captures of one moment, by its place
// in the archive of both.
func (st *State) isReplacedBy(g *State) bool {
	at, later := spotOf(&st.Fetch), spotOf(&g.Fetch)
	return st.Time().MicrosSince(g.oldest()) == 0 && at.sameArchive(later) && at.index < later.index
}

// copies returns every capture in [t − 24 h, t], whoever made it.
func (tl *timeline) copies(t ingest.Time) []*State {
	l := tl.all
	start := ingest.Time{Micros: t.Micros - day, Precision: t.Precision}
	return filter(l.between(start, t), func(st *State) bool {
		gap := t.MicrosSince(st.Time())
		return gap >= 0 && gap <= day
	})
}

// lastSuccess returns the latest 2xx of any age at or before a fetch, by anyone; nil
// where there is none.
func (tl *timeline) lastSuccess(s *subject) *State {
	l := tl.all
	n := l.upTo(s.time)
	if n == 0 || l.success[n-1] < 0 {
		return nil
	}
	for i := l.success[n-1]; i >= 0; i = l.successBefore(i) {
		if s.counts(l.states[i]) {
			return l.states[i]
		}
	}
	return nil
}

// successBefore returns the index of the latest 2xx before that at i; -1: none.
func (l *line) successBefore(i int) int {
	if i == 0 {
		return -1
	}
	return l.success[i-1]
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
