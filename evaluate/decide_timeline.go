package evaluate

import (
	"iter"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file is what a fetch sees: itself and its crawler (subject), each capture (sight), the captures of an origin
// in time (timeline, line), and of them those that count for it (view).

// subject is a fetch with what the decision needs of its URL.
type subject struct {
	*facts.Fetch
	number uint64 // of the subject, from 1, but for copies that see captures alike
	path   string // what rules are matched against
	agent  string // whose captures count: the crawler's own token
	key    string // the same, comparable
	token  string // whose rules are asked for: the same, but in a what-if
	time   facts.Time

	places       places     // of records that several archives hold
	runs         *facts.Set // knows the runs of crawlers
	own          *line      // the crawler's own captures; nil: none
	ownsNameless bool       // captures without a token in the fetch's run are among them
	withRefusals bool       // what other crawlers were refused governs, since nothing else does
	asOf         bool       // time is not the fetch's own: the order of records shows nothing
	beyondDoubt  bool       // only captures that are before the fetch beyond doubt count
	budget
}

// newSubject is a fetch by an agent, asked about as of a moment: its own, where that is unknown.
func (d *decider) newSubject(f *facts.Fetch, agent string, tl *timeline, asOf facts.Time) subject {
	d.subjects++
	s := subject{
		Fetch: f, number: d.subjects, path: weburl.PathQueryOf(f.Origin, f.URL), agent: agent, key: d.keys.of(agent),
		token: agent,
		time:  f.Time(), places: tl.places, runs: d.runs,
	}
	if asOf.Known() {
		s.time, s.asOf = asOf, true
	}
	s.own, s.ownsNameless = tl.ownOf(&s)
	return s
}

// An ownKey is a crawler by its token, and the run of one archive.
type ownKey struct {
	key string
	run facts.Spot
}

// maxJoined bounds the lines that are made of a crawler's captures and of those without a token.
const maxJoined = 256

// ownOf returns the captures of the crawler that made a fetch. Some crawlers request robots.txt without
// a User-Agent: in its run, these are its own. all is false where there are none.
func (tl *timeline) ownOf(s *subject) (own *line, all bool) {
	own, nameless := tl.byAgent[s.key], tl.byAgent[""]
	if s.key == "" || nameless == nil || s.Run == 0 {
		return own, false
	}
	key := ownKey{s.key, facts.SpotOf(s.Fetch).InRun()}
	joined, known := tl.joined[key]
	if !known {
		if len(tl.joined) >= maxJoined {
			return own, false
		}
		if tl.joined == nil {
			tl.joined = make(map[ownKey]*line)
		}
		if slices.ContainsFunc(nameless.states, func(st *State) bool { return s.owns(st.itself()) }) {
			joined = new(line)
			for _, st := range tl.all.states {
				if s.owns(st.itself()) {
					joined.add(st)
				}
			}
			joined.index()
		}
		tl.joined[key] = joined
	}
	if joined == nil {
		return own, false
	}
	return joined, true
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

// match matches the path with a group.
func (s *subject) match(g *robots.Group) robots.Decision {
	d := g.Match(s.path)
	s.spend(d.Cost() / matchCost)
	return d
}

// look counts a capture that is looked at for a fetch; false: they are too many.
func (b *budget) look() bool { return b.spend(1) }

func (b *budget) spend(looks int) bool {
	b.looked += looks
	return !b.isTooCostly()
}

func (b *budget) isTooCostly() bool { return b.looked > maxLooked }

// costOfAsking is the cost of an answer of the capture, in looks.
func (s *State) costOfAsking() int {
	if !s.HasBody {
		return 1
	}
	return askedCost + int(s.BodySize/bodyCost)
}

// A sight is a capture as a fetch sees it.
type sight struct {
	of        uint64   // the subject that sees it
	relation  relation // where it stands to the fetch in time
	isOwn     bool     // the crawler that made the fetch made it
	isRefusal bool     // it led to a refusal to another crawler, though it may be the crawler's own ("Refusals")
	isLater   bool     // a record whose content it applies was got after the fetch
	// it counts as before, and redirects to what was unreachable after: nobody knows what it led to at the fetch
	failsLater bool
	// a record whose content it applies is of the fetch's moment and counts as before, but may have come after
	mayBeLater bool
	age        int64 // of its content at the fetch, in microseconds

	doubts, ledDoubts Notes // on the order of the capture itself and the fetch; on that of the records that it led to
}

// see returns a capture as the fetch sees it, until the next subject does.
func (s *subject) see(st *State) *sight {
	v := &st.sight
	if v.of == s.number && s.number != 0 {
		return v
	}
	*v = sight{of: s.number, relation: s.relationOf(st), isOwn: st.key == s.key || s.ownsNameless &&
		s.owns(st.itself())}
	apply := func(relation relation, at facts.Spot, t facts.Time) {
		doubts, isSameMoment := &v.doubts, s.time.MicrosSince(t) == 0
		if at != facts.SpotOf(&st.Fetch) {
			doubts = &v.ledDoubts
		}
		switch {
		case relation >= shownAfter:
			v.isLater = true
		case relation == maybeBefore && !isSameMoment:
			*doubts |= words.NoteOrderDoubt
		case relation == maybeBefore:
			v.mayBeLater = true
			*doubts |= words.NoteSameMoment
		case isSameMoment && !s.asOf && !s.provesOrder(at):
			*doubts |= words.NoteSameMoment
		}
	}
	apply(v.relation, facts.SpotOf(&st.Fetch), st.Time())
	for i := range st.hops() {
		hop := &st.hops()[i]
		apply(s.relationTo(hop), hop.Spot, hop.Time)
	}
	v.failsLater = st.Outcome == words.OutcomeUnreachable && v.relation <= maybeBefore && v.isLater
	v.isRefusal = st.isRefusal() && !(v.isOwn && s.owns(st.last()))
	v.age = s.time.MicrosSince(st.Oldest())
	if st.Coarsest < facts.PrecisionSecond { // of coarse dates, the one that comes first need not be that of the oldest
		v.age = max(v.age, s.time.MicrosSince(st.Time()))
		for _, hop := range st.hops() {
			v.age = max(v.age, s.time.MicrosSince(hop.Time))
		}
	}
	return v
}

// counts reports whether a capture is at or before the fetch.
func (s *subject) counts(st *State) bool {
	relation := s.see(st).relation
	return relation == before || relation == maybeBefore && !s.beyondDoubt
}

// mayGovern reports whether a capture is a candidate: at or before the fetch, and no refusal to another
// crawler, which has no effect on this one ("Refusals").
func (s *subject) mayGovern(st *State) bool {
	return s.counts(st) && (!st.isRefusal() || s.withRefusals || s.see(st).isOwn)
}

// isUnreadable reports whether nobody knows what a crawler received that used a capture at the fetch.
func (s *subject) isUnreadable(st *State) bool {
	return st.Outcome == words.OutcomePartial || st.Outcome == words.OutcomeUnresolved ||
		st.Outcome == words.OutcomeUndefined || s.see(st).failsLater
}

// owns reports whether the crawler that made the fetch got a record. Some crawlers send a User-Agent with
// some requests alone.
func (s *subject) owns(r answered) bool {
	return r.key == s.key || r.key == "" && s.isOfRun(r)
}

// mayBeOthers reports whether another crawler may have got a record: also one of the fetch's run with the
// name of a browser.
func (s *subject) mayBeOthers(r answered) bool {
	return !s.owns(r) || r.key != s.key && r.userAgent != ""
}

// isOfRun reports whether a record was made in the fetch's run of a crawler.
func (s *subject) isOfRun(r answered) bool {
	return s.places.any(r.at, s.spot(), func(a, b spot) bool {
		return s.runs.IsSameRun(a.Spot, b.Spot, r.userAgent, s.UserAgent)
	})
}

// spot is where the fetch's record stands.
func (s *subject) spot() spot { return spot{facts.SpotOf(s.Fetch), s.Flags&facts.FlagSerial != 0} }

// provesOrder reports whether the order in which a record and the fetch, of one moment, stand in an archive is
// that in which they were made: in that of a crawler that makes one after the other.
func (s *subject) provesOrder(at facts.Spot) bool {
	return s.places.any(at, s.spot(), func(a, b spot) bool { return b.isSerial && a.SameRun(b.Spot) })
}

// isWholeDay reports whether a whole day is asked about. All captures of that day count as before.
func (s *subject) isWholeDay() bool { return s.asOf && s.time.Precision == facts.PrecisionDay }

// A relation is the order of a record and a fetch in time.
type relation uint8

const (
	before relation = iota // beyond doubt
	// counts as before, in doubt: of the same moment in another archive, or something speaks against its date
	maybeBefore
	// dated no later, and counts as after: of the same moment and later in its archive, or shown to have ended after it
	shownAfter
	after // dated later
)

// maxTook and maxLate bound how late an answer may have come by a duration and by a Date field that are
// believed. Of a longer time there is doubt, and no more. Heritrix ends a fetch after 20 minutes. maxDrift is
// by how many seconds the server's clock may lie from the crawler's, to be taken for the same.
const (
	maxTook  = 20 * 60 * facts.Second
	maxLate  = 10 * 60 * facts.Second
	maxDrift = 5
)

// relationOf returns where a capture stands to the fetch in time: by their dates, and by what else the
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
	if took > 0 { // the exchange ended so long after its date, or later by what the date's last digit is worth
		end := facts.Time{Micros: r.Time.Micros + took, Precision: facts.PrecisionMicrosecond}
		switch {
		case took <= maxTook && s.time.MicrosSince(end.Truncate(r.Time.Precision)) < 0:
			ended = shownAfter
		case r.Time.Latest()+took > s.time.Micros:
			ended = maybeBefore
		}
	}
	switch {
	case gap < 0:
		return after
	case s.asOf:
		return before
	case gap > 0 && ended != before:
		return ended
	}
	order := maybeBefore // as the archives that hold both records show it ("Order within one moment")
	s.places.any(r.Spot, s.spot(), func(a, b spot) bool {
		switch {
		case !a.SameRun(b.Spot):
		case a.Index < b.Index:
			order = before
		case gap == 0:
			order = shownAfter
		default: // recorded after the fetch, although it is dated before
			run := s.runs.CrawlRunOf(a.Spot)
			if run != nil && !run.Unordered {
				ended = maybeBefore
			}
		}
		return order == shownAfter || ended == maybeBefore && gap > 0
	})
	switch {
	case gap > 0:
		return ended
	case ended == shownAfter || took > maxTook:
		return max(ended, order)
	}
	return order
}

// lateness is how long after its date a capture may count as after a fetch, or be in doubt.
func (s *State) lateness() (micros int64) {
	micros = min(int64(s.Millis)*1000, maxTook) + min(s.Precision.Unit(), facts.Second)
	if s.ServerSeconds != 0 {
		micros = max(micros, min((s.ServerSeconds-s.Micros/1e6)*facts.Second, maxLate)+(maxDrift+1)*facts.Second)
	}
	return micros
}

// places holds the other spots of records that several archives hold.
type places map[facts.Spot][]spot

// A spot is one of a record.
type spot struct {
	facts.Spot
	isSerial bool // of a fetch: its archive is that of a crawler that makes one after the other
}

// add remembers another spot of a record, of so many as resolve does.
func (p places) add(first facts.Spot, other spot) {
	if len(p[first]) < resolve.MaxPlaces && !slices.Contains(p[first], other) {
		p[first] = append(p[first], other)
	}
}

// any reports whether is holds for spots of two records, in any of the archives that hold both.
func (p places) any(at facts.Spot, to spot, is func(a, b spot) bool) bool {
	others, tos := p[at], p[to.Spot]
	if len(others) == 0 && len(tos) == 0 {
		return is(spot{Spot: at}, to)
	}
	for i := range len(others) + 1 {
		a := spot{Spot: at}
		if i > 0 {
			a = others[i-1]
		}
		if is(a, to) || slices.ContainsFunc(tos, func(b spot) bool { return is(a, b) }) {
			return true
		}
	}
	return false
}

// timeline is what is known of one origin's robots.txt in time.
type timeline struct {
	all     *line
	byAgent map[string]*line // by lower-cased product token; "" where none is known
	joined  map[ownKey]*line // the same, with the nameless captures of a run; nil: there are none
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
	sameTo   []int32          // index of the first capture after each that differs
	coarseAt []int32          // index of the first capture, from each on, whose date is coarser than a second
}

// kind is what the latest capture is looked for of.
type kind uint8

const (
	kindDefinite kind = iota // shows something of its own
	kindAnswers              // the same, or unreachable
	kindSuccess              // a 2xx
	kindLost                 // shows that the crawler had a copy, which the archive does not hold
	kinds
)

// is reports whether a capture is of a kind.
func (s *State) is(k kind) bool {
	switch k {
	case kindDefinite:
		return s.isDefinite()
	case kindAnswers:
		return s.Outcome != words.OutcomeUnresolved && s.Outcome != words.OutcomeUndefined
	case kindSuccess:
		return s.isSuccess()
	}
	return s.Outcome == words.OutcomeUnresolved && !s.isSuccess() &&
		(s.Reason == words.UnresolvedRevisit || s.FinalStatus/100 == 2)
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
		if i+1 < n && l.states[i].isAlike(l.states[i+1]) {
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
	case s.Outcome == words.OutcomeUnreachable:
		if r.last = s; r.first == nil {
			r.first = s
		}
	case s.isDefinite() || s.isSuccess(): // ends the run
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

// skipAlike passes over the next captures, before end, that equal the one taken last.
func (p *span) skipAlike(end int) { p.next = max(p.next, min(int(p.sameTo[p.next-1]), end)) }

// from returns how many captures lie before micros.
func (l *line) from(micros int64) int {
	return sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros >= micros })
}

// freshFor is how old the content of a copy of robots.txt may be that is used (RFC 9309 §2.4).
const freshFor = facts.Day

// view is what a fetch sees of its origin's timeline.
type view struct {
	governing *State // nil where no capture is near
	evidence  Evidence
	own       bool     // the governing capture is the crawler's own
	moment    []*State // the captures of the governing one's moment, it included
	tied      []*State // the governing one, and the captures of its moment in other archives: nothing shows their order
	prior     *State   // the capture before it, in its line, that answers
	ownNext   []*State // where another's governs: the crawler's own first ones within a day after the fetch
	older     []*State // the same: its own latest definite one; in several archives, one in each
	outdated  bool     // an index reports a capture that would govern in its place, and no input holds it
}

// view finds the capture that governs a fetch ("Which capture governs"), and those near it that count.
func (tl *timeline) view(s *subject) (v view) {
	if s.own != nil {
		v = s.own.latest(s) // 1: the crawler's own, if that is fresh
	}
	if v.governing == nil || s.see(v.governing).age > freshFor {
		v = tl.all.latest(s) // 2: the latest by anyone
	}
	if v.governing == nil { // 3: the earliest definite one within a day after the fetch, the crawler's own first
		if s.own != nil {
			v.moment = s.own.next(s, facts.Day)
		}
		if len(v.moment) == 0 {
			v.moment = tl.all.next(s, facts.Day)
		}
		if len(v.moment) > 0 {
			v.evidence = Later
			v.choose(s, firstInArchive)
		}
	}
	if v.governing == nil && !s.withRefusals {
		refused := *s
		refused.withRefusals = true
		v = tl.view(&refused)
		s.looked = refused.looked
		return v
	}
	if v.governing == nil { // 4
		return v
	}
	if !v.own && s.own != nil {
		v.older = s.own.latestWith(kindDefinite, s)
		if v.evidence == Fresh { // around a stale one, everybody's are looked at
			v.ownNext = s.own.next(s, facts.Day)
		}
	}
	// Of a coarse date, the captures of that moment may be later. Of several that may govern, the finest
	// date is the latest that one of them surely has.
	finest := v.governing
	for _, st := range v.tied {
		if st.Precision > finest.Precision {
			finest = st
		}
	}
	v.outdated = tl.hasUnread(func(t facts.Time) bool {
		return s.see(v.governing).relation > maybeBefore || t.MicrosSince(finest.Time()) >= 0
	}, s.time)
	return v
}

// upTo returns how many captures lie at or before a fetch, the two compared at the
// coarser precision. Of a fetch dated with a day, all captures of that day count
// as before.
func (l *line) upTo(s *subject) int {
	if s.isWholeDay() {
		return l.from(s.time.Micros + facts.Day)
	}
	n := sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros > s.time.Micros })
	for n < len(l.states) && l.states[n].Time().MicrosSince(s.time) <= 0 && s.look() {
		n++
	}
	return n
}

// lastOf returns the latest capture of a kind, among the first n, that is at or before a
// fetch; nil where there is none.
func (l *line) lastOf(k kind, n int, s *subject) *State {
	for i := l.before(k, n); i >= 0 && s.look(); i = l.before(k, i) {
		if st := l.states[i]; s.mayGovern(st) && !s.see(st).failsLater {
			return st
		}
	}
	return nil
}

// latest is the view of the latest capture of the line at or before a fetch.
func (l *line) latest(s *subject) (v view) {
	i := l.upTo(s) - 1
	for i >= 0 && !s.mayGovern(l.states[i]) && s.look() {
		i--
	}
	if i < 0 {
		return v
	}
	last := l.states[i].Time()
	near := l.between(last, last)
	near.end = i
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(last) == 0 && s.mayGovern(st) {
			v.moment = append(v.moment, st)
		}
	}
	if v.moment == nil {
		v.moment = l.states[i : i+1 : i+1]
	} else {
		v.moment = append(v.moment, l.states[i])
	}
	v.prior = l.lastOf(kindAnswers, i, s)
	v.choose(s, lastInArchive)
	switch {
	case s.see(v.governing).isLater:
		v.evidence = Later
	case s.see(v.governing).age <= freshFor:
		v.evidence = Fresh
	default:
		v.evidence = Stale
	}
	return v
}

// Of two captures of one moment in one archive, which one counts: the last before a fetch, the first after it.
func lastInArchive(a, b *State) bool  { return a.Index > b.Index }
func firstInArchive(a, b *State) bool { return a.Index < b.Index }

// choose finds the capture that governs ("Captures of one moment"), and others that may govern in its place:
// where the crawler's own governs, the captures of others are no rivals but copies. Nothing shows the order of
// captures in several archives, and the doubts of all count. So between two that differ in nothing of this
// list, either may be taken.
func (v *view) choose(s *subject, wins func(a, b *State) bool) {
	if len(v.moment) == 1 { // as nearly always
		v.governing, v.own, v.tied = v.moment[0], s.see(v.moment[0]).isOwn, v.moment
		return
	}
	last := oneOfEach(v.moment, wins)
	v.governing = last[0]
	for _, st := range last[1:] {
		if s.prefers(st, v.governing, wins) {
			v.governing = st
		}
	}
	v.own = s.see(v.governing).isOwn
	rivals := filter(v.moment, func(st *State) bool {
		return !facts.SpotOf(&st.Fetch).SameRun(facts.SpotOf(&v.governing.Fetch)) && (!v.own || s.see(st).isOwn)
	})
	v.tied = append([]*State{v.governing}, oneOfEach(rivals, wins)...)
}

func (s *subject) prefers(a, b *State, wins func(a, b *State) bool) bool {
	at, than := facts.SpotOf(&a.Fetch), facts.SpotOf(&b.Fetch)
	switch x, y := s.see(a), s.see(b); {
	case x.isOwn != y.isOwn: // the crawler's own
		return x.isOwn
	case at.SameRun(than):
		return wins(a, b)
	case a.Forgeable != b.Forgeable: // one that no page could forge
		return b.Forgeable
	case x.isLater != y.isLater: // one whose content is later than the fetch
		return x.isLater
	case x.age != y.age: // the oldest content
		return x.age > y.age
	case x.relation != y.relation: // one that stands before the fetch beyond doubt
		return x.relation < y.relation
	case s.provesOrder(at) != s.provesOrder(than): // if another archive of the fetch holds one
		return s.provesOrder(at)
	case a.Precision != b.Precision: // the finest date
		return a.Precision > b.Precision
	}
	return at.Compare(than) > 0
}

// unreachableMay is how long a server has to be unreachable until crawlers may take its
// robots.txt as unavailable (RFC 9309 §2.3.1.4).
const unreachableMay = 30 * facts.Day

// longUnreachable reports whether an unbroken run of unreachable captures began longer ago than
// that and still lasts at a fetch: of the crawler's own, or of anyone's. The last one of a run is
// within a day, so there are at least two. Captures of the fetch's own moment, and those that took long,
// may have come after it.
func (tl *timeline) longUnreachable(s *subject) bool {
	for _, l := range [...]*line{s.own, tl.all} {
		if l == nil {
			continue
		}
		var run unreachableRun
		end := l.upTo(s)
		start := end
		isNear := func(st *State) bool {
			return s.time.MicrosSince(st.Time()) == 0 ||
				s.time.Micros-st.Micros <= l.late
		}
		for start > 0 && isNear(l.states[start-1]) && s.look() {
			start--
		}
		if start > 0 {
			run = l.runs[start-1]
		}
		for _, st := range l.states[start:end] {
			if s.counts(st) && !s.see(st).failsLater {
				run = run.with(st)
			}
		}
		if run.first == nil {
			continue
		}
		if s.time.MicrosSince(run.first.Time()) > unreachableMay && s.time.MicrosSince(run.last.Time()) <= freshFor {
			return true
		}
	}
	return false
}

// next returns the first definite captures of the line within a time after a fetch:
// the ones with the smallest date. Several may share it.
func (l *line) next(s *subject, within int64) []*State {
	var found []*State
	near := l.between(s.time.Add(-l.late), s.time.Add(within))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if len(found) > 0 && st.Micros > found[0].Micros+found[0].Precision.Unit() {
			break
		}
		switch {
		case !st.isDefinite():
			near.skipAlike(near.end)
		case s.see(st).relation < shownAfter || st.Time().MicrosSince(s.time) > within:
		case s.withRefusals || !s.see(st).isRefusal:
			found = append(found, st)
		}
	}
	var first [facts.PrecisionMicrosecond + 1]*State // of each precision
	return filter(found, func(st *State) bool {
		isLater := func(f *State) bool { return f != nil && st.Time().MicrosSince(f.Time()) > 0 }
		if slices.ContainsFunc(first[:], isLater) {
			return false
		}
		if first[st.Precision] == nil {
			first[st.Precision] = st
		}
		return true
	})
}

// others returns, where the governing capture is stale, the captures that differ from it:
// between its content and the fetch, and within a day after the fetch. For the verdict of
// a whole day, the captures of the day are among them in any case.
func (tl *timeline) others(s *subject, v *view) (list []*State) {
	asked := v.governing
	consider := func(st *State) {
		if st.isDefinite() && st != v.governing && !st.isAlike(asked) && (s.withRefusals || !s.see(st).isRefusal) {
			list, asked = append(list, st), st
		}
	}
	if v.evidence != Stale && !s.isWholeDay() {
		return nil
	}
	if v.evidence != Stale {
		near := tl.all.between(s.time, s.time)
		for st := near.take(); st != nil && s.look(); st = near.take() {
			if s.time.MicrosSince(st.Time()) == 0 {
				consider(st)
				near.skipAlike(near.end)
			}
		}
		return list
	}
	content := []resolve.Step{v.governing.OldestApplied()}
	start := content[0].Time
	for _, st := range v.tied[1:] {
		if st.Time().MicrosSince(start) == 0 {
			content = append(content, st.Itself())
		}
	}
	near := tl.all.between(start, s.time)
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(start) < 0 || s.see(st).relation > maybeBefore {
			continue
		}
		isReplacedBy := func(r resolve.Step) bool {
			// the later of two of one moment, by its place in the archive of both
			at := facts.SpotOf(&st.Fetch)
			return st.Time().MicrosSince(r.Time) == 0 && at.SameRun(r.Spot) && at.Index < r.Index
		}
		if !slices.ContainsFunc(content, isReplacedBy) {
			consider(st)
		}
		if st != v.governing && st.Micros > start.Micros+start.Precision.Unit() {
			near.skipAlike(near.end)
		}
	}
	near = tl.all.between(s.time.Add(-tl.all.late), s.time.Add(facts.Day))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if s.see(st).relation < shownAfter || st.Time().MicrosSince(s.time) > facts.Day {
			continue
		}
		consider(st)
		if st != v.governing {
			near.skipAlike(near.end)
		}
	}
	return list
}

// copies yields every capture in [t − 24 h, t] of a fetch, whoever made it. It also yields what was got in that
// time from a URL to which one of these that count as before t, or a capture that may govern, redirects: by others,
// or by the crawler itself after it had followed the redirect. Of equal captures before t one after the other, the
// first stands for all; captures about its moment may count as after it.
func (tl *timeline) copies(s *subject, governing []*State) iter.Seq[*State] {
	t := s.time
	return func(yield func(*State) bool) {
		// URLs to which captures of the last day redirect, and when the first was followed
		ways := make(map[string]int64)
		near := tl.all.between(facts.Time{Micros: t.Micros - facts.Day, Precision: t.Precision}, t)
		moment := tl.all.from(t.Micros - tl.all.late)
		for st := near.take(); st != nil; st = near.take() {
			if !st.isCopyAt(t) {
				continue
			}
			if st.Hops > 0 && s.see(st).relation <= maybeBefore {
				for _, url := range st.ways {
					if first, known := ways[url]; !known || st.followed() < first {
						ways[url] = st.followed()
					}
				}
			}
			if !yield(st) {
				return
			}
			if st.Micros+st.Precision.Unit()+tl.all.late < t.Micros {
				near.skipAlike(moment)
			}
		}
		first := sort.Search(len(tl.targets),
			func(i int) bool { return tl.targets[i].Micros >= t.Micros-facts.Day-t.Precision.Unit() })
		for _, st := range tl.targets[first:] {
			isCopy := func(followed int64) bool { return st.key != s.key || st.Micros >= followed }
			isOn := func(url string) bool {
				followed, known := ways[url]
				return known && isCopy(followed)
			}
			mayBeTargetOf := func(g *State) bool { // of at most a day before or after
				gap := st.Time().MicrosSince(g.Time())
				isOn := slices.Contains(g.ways, st.url) || slices.Contains(g.ways, cutURL)
				return gap >= -facts.Day && gap <= facts.Day && isOn && isCopy(g.followed())
			}
			isLedTo := isOn(st.url) || isOn(cutURL) || slices.ContainsFunc(governing, mayBeTargetOf)
			switch {
			case st.Micros > t.Micros+t.Precision.Unit():
				return
			case facts.SpotOf(&st.Fetch) == facts.SpotOf(s.Fetch) || !isLedTo || !st.isCopyAt(t):
				if !s.look() {
					return
				}
			case !yield(st):
				return
			}
		}
	}
}

// followed returns the moment, in microseconds, at which a capture and what its redirects led to lie before.
func (s *State) followed() (micros int64) {
	micros = s.Time().Latest()
	for _, hop := range s.hops() {
		micros = max(micros, hop.Time.Latest())
	}
	return micros
}

// olderCopies returns the permitted copies that may be older than a day: copies of the moment of the governing
// capture by other crawlers than one that may govern, and, while the file is unreachable, the last ones that
// were got.
func (tl *timeline) olderCopies(s *subject, v *view, isUnreachable bool) (list []*State) {
	if v.evidence == Stale || v.governing.Precision < facts.PrecisionSecond { // else the last day has them
		moment := v.moment
		if v.evidence != Stale {
			moment = tl.all.ofMoment(kindDefinite, v.governing, s)
		}
		list = slices.Concat(v.tied[1:], v.byOthers(s, moment), tl.refusalsOfMoment(s, v))
	}
	if isUnreachable {
		list = append(list, tl.lastCopies(s)...)
	}
	return list
}

// byOthers are the captures that are by another crawler than one of those that may govern.
func (v *view) byOthers(s *subject, list []*State) []*State {
	keyOf := func(st *State) string { // as the fetch's run shows it
		if s.see(st).isOwn {
			return s.key
		}
		return st.key
	}
	return filter(list, func(st *State) bool {
		return slices.ContainsFunc(v.tied, func(o *State) bool { return keyOf(o) != keyOf(st) })
	})
}

// refusalsOfMoment returns the refusals of the moment of a stale governing capture to other crawlers than the one
// that made it. They do not govern, and are permitted copies as other captures of its moment are.
func (tl *timeline) refusalsOfMoment(s *subject, v *view) (list []*State) {
	if v.evidence != Stale {
		return nil
	}
	near := tl.all.between(v.governing.Time(), v.governing.Time())
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(v.governing.Time()) == 0 && s.counts(st) && !s.mayGovern(st) {
			list = append(list, st)
		}
	}
	return v.byOthers(s, list)
}

// isCopyAt reports whether a capture lies in [t − 24 h, t].
func (s *State) isCopyAt(t facts.Time) bool {
	gap := t.MicrosSince(s.Time())
	return gap >= 0 && gap <= facts.Day
}

// lastCopies returns what a crawler may use while the file is unreachable (RFC 9309
// §2.4): the latest 2xx of any age at or before a fetch, by anyone and its own, and a
// later copy that a 304 or revisit renewed and that the archive does not hold.
func (tl *timeline) lastCopies(s *subject) (list []*State) {
	for _, l := range [...]*line{tl.all, s.own} {
		if l == nil {
			continue
		}
		n := l.upTo(s)
		got, gone := l.lastOf(kindSuccess, n, s), l.lastOf(kindLost, n, s)
		list = append(list, l.latestWith(kindSuccess, s)...)
		if gone != nil && (got == nil || gone.Micros >= got.Micros) {
			list = append(list, gone)
		}
	}
	return list
}

// latestWith returns all captures of a kind, at or before a fetch, at its latest moment: the last in each archive.
func (l *line) latestWith(k kind, s *subject) []*State {
	last := l.lastOf(k, l.upTo(s), s)
	if last == nil {
		return nil
	}
	return oneOfEach(l.ofMoment(k, last, s), lastInArchive)
}

// ofMoment returns the captures of a kind that are of one's moment, and at or before a fetch.
func (l *line) ofMoment(k kind, one *State, s *subject) (moment []*State) {
	near := l.between(one.Time(), one.Time())
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.is(k) && st.Time().MicrosSince(one.Time()) == 0 && s.mayGovern(st) && !s.see(st).failsLater {
			moment = append(moment, st)
		}
	}
	return moment
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
