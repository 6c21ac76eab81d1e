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
	near    []*State         // of copies
	places  places           // of records that several archives hold
}

// line is a sequence of robots captures in the order of compareInTime. Captures without a usable
// date are left out.
type line struct {
	states   []*State
	runs     []unreachableRun // parallel to states
	latestOf [kinds][]int32   // the same: index of the latest capture of a kind up to here; -1: none
	coarsest ingest.Precision // of the dates
	sameTo   []int            // index of the first capture behind each that says something else; of all alone
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
	return s.Outcome == OutcomeUnresolved && !s.isSuccess() && (s.Reason == UnresolvedRevisit || s.FinalStatus/100 == 2)
}

// unreachableRun is the unbroken run of unreachable captures up to a place.
type unreachableRun struct {
	first *State
	count int
}

// newTimeline takes an origin's captures.
func newTimeline(states []*State, marks map[mark]bool) *timeline {
	t := &timeline{all: new(line), byAgent: make(map[string]*line), marks: marks, places: make(places)}
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
	t.all.compareNeighbours()
	return t
}

func (l *line) compareNeighbours() {
	l.sameTo = make([]int, len(l.states))
	for i := len(l.states) - 1; i >= 0; i-- {
		l.sameTo[i] = i + 1
		if i+1 < len(l.states) && l.states[i].saysLike(l.states[i+1]) {
			l.sameTo[i] = l.sameTo[i+1]
		}
	}
}

func (l *line) add(s *State) {
	var r unreachableRun
	n := len(l.states)
	if n > 0 {
		r = l.runs[n-1]
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
	l.states, l.runs = append(l.states, s), append(l.runs, r)
}

// before returns the index of the latest capture of a kind among the first n; -1: none.
func (l *line) before(k kind, n int) int {
	if n == 0 {
		return -1
	}
	return int(l.latestOf[k][n-1])
}

// lastOf returns the latest capture of a kind, among the first n, that is at or before a
// fetch; nil where there is none.
func (l *line) lastOf(k kind, n int, s *subject) *State {
	for i := l.before(k, n); i >= 0; i = l.before(k, i) {
		if s.counts(l.states[i]) {
			return l.states[i]
		}
	}
	return nil
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

// places holds the other spots of records that several archives hold.
type places map[spot][]spot

// add remembers another spot of a record; a few of them tell enough.
func (p places) add(first, other spot) {
	if len(p[first]) < maxTwins && !slices.Contains(p[first], other) {
		p[first] = append(p[first], other)
	}
}

// relation says where a record stands to another of its moment: any archive that holds
// both tells.
func (p places) relation(at, to spot) relation {
	if len(p) == 0 || at.sameArchive(to) {
		return at.relation(to)
	}
	told := beside
	for _, a := range p.of(at) {
		for _, b := range p.of(to) {
			if r := a.relation(b); r == behind {
				return behind
			} else if r == before {
				told = before
			}
		}
	}
	return told
}

// of returns all spots of a record.
func (p places) of(first spot) []spot { return append([]spot{first}, p[first]...) }

// relation says what the archive of both tells.
func (p spot) relation(q spot) relation {
	switch {
	case !p.sameArchive(q):
		return beside
	case p.index < q.index:
		return before
	}
	return behind
}

// archive returns the same for all records of one archive.
func (p spot) archive() spot { return spot{input: p.input, entry: p.entry} }

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
	}
	return s.places.relation(at, spotOf(s.Fetch))
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
	prior       *State                 // the capture before it, in its line, that answers
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
		v.older = own.lastOf(kindSays, own.upTo(s.time), s)
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
	v.prior = l.lastOf(kindAnswers, i, s)
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

// later is the view of the earliest capture within a day after a fetch that says
// something, the crawler's own first.
func (tl *timeline) later(s *subject) view {
	for _, l := range [...]*line{tl.byAgent[s.key], tl.all} {
		if l == nil {
			continue
		}
		v := view{evidence: Later, moment: l.next(s, day)}
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

// next returns the captures of the line that come first, within a time after a fetch, of
// those that say something.
func (l *line) next(s *subject, within int64) []*State {
	var found []*State
	for _, st := range l.between(s.time, s.ahead(within)) {
		if len(found) > 0 && st.Micros > found[0].Micros+unit(found[0].Precision) {
			break
		}
		if st.says() && s.follows(st, within) {
			found = append(found, st)
		}
	}
	return earliest(found)
}

// ahead returns the moment that lies a time after a fetch.
func (s *subject) ahead(within int64) ingest.Time {
	return ingest.Time{Micros: s.time.Micros + within, Precision: s.time.Precision}
}

// follows reports whether a capture lies within a time after a fetch.
func (s *subject) follows(st *State, within int64) bool {
	return s.relationOf(st) >= behind && st.Time().MicrosSince(s.time) <= within
}

// following returns the captures of the line within a time after a fetch, those of its
// own moment behind it among them.
func (l *line) following(s *subject, within int64) []*State {
	return filter(l.between(s.time, s.ahead(within)), func(st *State) bool { return s.follows(st, within) })
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

// copies returns every capture in [t − 24 h, t], whoever made it, until it is called
// again. Of those before t that say the same one after the other, the first stands for all.
func (tl *timeline) copies(t ingest.Time) []*State {
	l := tl.all
	near, end := l.from(t.Micros-unit(l.coarsest)), l.from(t.Micros+unit(t.Precision)+1)
	tl.near = tl.near[:0]
	for i := l.from(t.Micros - day - unit(l.coarsest)); i < end; i++ {
		st := l.states[i]
		if gap := t.MicrosSince(st.Time()); gap < 0 || gap > day {
			continue
		}
		tl.near = append(tl.near, st)
		if i < near {
			i = min(l.sameTo[i], near) - 1
		}
	}
	return tl.near
}

// lastCopies returns what a crawler may use while the file is unreachable (RFC 9309
// §2.4): the latest 2xx of any age at or before a fetch, by anyone and its own, and a
// later copy that a 304 or revisit renewed and that the archive does not hold.
func (tl *timeline) lastCopies(s *subject) (list []*State) {
	for _, l := range [...]*line{tl.all, tl.byAgent[s.key]} {
		if l == nil {
			continue
		}
		n := l.upTo(s.time)
		got, gone := l.lastOf(kindSuccess, n, s), l.lastOf(kindLost, n, s)
		if got != nil {
			list = append(list, got)
		}
		if gone != nil && (got == nil || gone.Micros >= got.Micros) {
			list = append(list, gone)
		}
	}
	return list
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
