package evaluate

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// timeline is what is known of one origin's robots.txt in time.
type timeline struct {
	all     *line
	byAgent map[string]*line // by lower-cased product token; "" where none is known
	marks   map[mark]bool    // records that a robots.txt redirect led to
	places  places           // of records that several archives hold
}

// line is a sequence of robots captures in the order of compareInTime. Captures without a usable
// date are left out.
type line struct {
	states   []*State
	runs     []unreachableRun // parallel to states
	latestOf [kinds][]int32   // the same: index of the latest capture of a kind up to here; -1: none
	coarsest facts.Precision  // of the dates
	sameTo   []int32          // index of the first capture behind each that says something else
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
	t.all.index()
	for _, l := range t.byAgent {
		l.index()
	}
	return t
}

// index fills in what tells of each capture how many that follow can be passed over.
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
	for i := l.before(k, n); i >= 0 && s.look(); i = l.before(k, i) {
		if s.counts(l.states[i]) {
			return l.states[i]
		}
	}
	return nil
}

// upTo returns how many captures lie at or before a fetch, the two compared at the
// coarser precision. Of a fetch dated with a day, all captures of that day count
// as before.
func (l *line) upTo(s *subject) int {
	n := sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros > s.time.Micros })
	for n < len(l.states) && l.states[n].Time().MicrosSince(s.time) <= 0 && s.look() {
		n++
	}
	return n
}

// maxLooked bounds the captures that are looked at for one fetch, where one that is asked
// counts as askedCost, and each bodyCost bytes of its body as one more: an origin may
// have sent another file with every second. The bodies are no more than the cache of
// parsed files holds. Beyond it nothing is known of the fetch (TooCostly).
const (
	askedCost = 4
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
		l, l.from(start.Micros - unit(l.coarsest)), l.from(start.Micros - unit(facts.PrecisionSecond)),
		l.from(end.Micros + unit(end.Precision) + 1),
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

// skipAlike passes over those that follow and say the same as the one taken last.
func (p *span) skipAlike() { p.next = int(p.sameTo[p.next-1]) }

// from returns how many captures lie before micros.
func (l *line) from(micros int64) int {
	return sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros >= micros })
}

// unit returns the length of what a date of a precision names, at most.
func unit(p facts.Precision) int64 {
	switch p {
	case facts.PrecisionYear:
		return 366 * day
	case facts.PrecisionMonth:
		return 31 * day
	case facts.PrecisionDay:
		return day
	case facts.PrecisionHour:
		return hour
	case facts.PrecisionMinute:
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

func spotOf(f *facts.Fetch) spot { return spot{f.Input, f.Entry, f.Index} }

// sameArchive reports whether the order of two records can be told.
func (p spot) sameArchive(q spot) bool {
	return p.input == q.input && p.index > 0 && q.index > 0 && p.entry == q.entry
}

// places holds the other spots of records that several archives hold.
type places map[spot][]spot

// maxPlaces bounds the other spots of a record that are remembered: a few tell enough.
const maxPlaces = 32

// add remembers another spot of a record.
func (p places) add(first, other spot) {
	if len(p[first]) < maxPlaces && !slices.Contains(p[first], other) {
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
func compareInTime(a, b *facts.Fetch) int {
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

func (s *subject) relationTo(t facts.Time, at spot) relation {
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
func (s *subject) isUnsure(t facts.Time, at spot) bool {
	relation := s.relationTo(t, at)
	isSame := !s.asOf && s.time.MicrosSince(t) == 0
	return relation == beside || relation == before && isSame && s.Flags&facts.FlagSerial == 0
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
		v.older = own.lastOf(kindSays, own.upTo(s), s)
	}
	return v
}

// last returns the index of the latest capture of the line at or before a fetch; -1: none.
func (l *line) last(s *subject) int {
	i := l.upTo(s) - 1
	for i >= 0 && !s.counts(l.states[i]) && s.look() {
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
	last := l.states[i].Time()
	near := l.between(last, last)
	near.end = i
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(last) == 0 && s.counts(st) {
			v.moment = append(v.moment, st)
		}
	}
	v.moment = append(v.moment, l.states[i])
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
		i := slices.IndexFunc(list, func(o *State) bool { return !s.look() || at.sameArchive(spotOf(&o.Fetch)) })
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
	var first [facts.PrecisionMicrosecond + 1]*State // of each precision
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
	near := l.between(s.time, s.ahead(within))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if len(found) > 0 && st.Micros > found[0].Micros+unit(found[0].Precision) {
			break
		}
		switch {
		case !st.says():
			near.skipAlike()
		case s.follows(st, within):
			found = append(found, st)
		}
	}
	return earliest(found)
}

// ahead returns the moment that lies a time after a fetch.
func (s *subject) ahead(within int64) facts.Time {
	return facts.Time{Micros: s.time.Micros + within, Precision: s.time.Precision}
}

// follows reports whether a capture lies within a time after a fetch.
func (s *subject) follows(st *State, within int64) bool {
	return s.relationOf(st) >= behind && st.Time().MicrosSince(s.time) <= within
}

// others returns, where the governing capture is stale, those that say something else:
// between its content and the fetch, and within a day after the fetch.
func (tl *timeline) others(s *subject, v *view) (list []*State) {
	if v.evidence != Stale {
		return nil
	}
	asked, start := v.governing, v.governing.oldest()
	consider := func(st *State) {
		if st.says() && st != v.governing && !st.saysLike(asked) && !st.isReplacedBy(v.governing) {
			list = append(list, st)
			asked = st
		}
	}
	near := tl.all.between(start, s.time)
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(start) < 0 || s.relationOf(st) > beside {
			continue
		}
		consider(st)
		if st != v.governing && st.Micros > start.Micros+unit(start.Precision) {
			near.skipAlike()
		}
	}
	near = tl.all.between(s.time, s.ahead(day))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if !s.follows(st, day) {
			continue
		}
		consider(st)
		if st != v.governing {
			near.skipAlike()
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

// copies yields every capture in [t − 24 h, t], whoever made it. Of those before t that say
// the same one after the other, the first stands for all.
func (tl *timeline) copies(t facts.Time) iter.Seq[*State] {
	return func(yield func(*State) bool) {
		near := tl.all.between(facts.Time{Micros: t.Micros - day, Precision: t.Precision}, t)
		for st := near.take(); st != nil; st = near.take() {
			if gap := t.MicrosSince(st.Time()); gap < 0 || gap > day {
				continue
			}
			if !yield(st) {
				return
			}
			if st.Micros+unit(st.Precision) < t.Micros {
				near.skipAlike()
			}
		}
	}
}

// lastCopies returns what a crawler may use while the file is unreachable (RFC 9309
// §2.4): the latest 2xx of any age at or before a fetch, by anyone and its own, and a
// later copy that a 304 or revisit renewed and that the archive does not hold.
func (tl *timeline) lastCopies(s *subject) (list []*State) {
	for _, l := range [...]*line{tl.all, tl.byAgent[s.key]} {
		if l == nil {
			continue
		}
		n := l.upTo(s)
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
