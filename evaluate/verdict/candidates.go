package verdict

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file finds the captures that count for a fetch ("Which capture governs").

// candidates are the captures that may govern a fetch.
type candidates struct {
	*subject
	beyondDoubt  bool // only captures that are before the fetch beyond doubt count
	withRefusals bool // what other crawlers were refused governs, since nothing else does
}

// view is what a fetch sees of its origin's timeline.
type view struct {
	governing *State // nil where no capture is near
	evidence  words.Evidence
	own       bool     // the governing capture is the crawler's own
	moment    []*State // the captures of the governing one's moment, it included
	tied      []*State // the governing one, and the captures of its moment in other archives: nothing shows their order
	prior     *State   // the capture before it, in its line, that answers
	ownNext   []*State // where another's governs: the crawler's own first ones within a day after the fetch
	older     []*State // where another's governs: the crawler's own latest definite one, in each of several archives
	outdated  bool     // an index reports a capture that would govern in its place, and no input holds it
	others    []*State // around a stale one: captures that differ from it
	// no other capture can show that the answer of the governing one is wrong
	isAlone bool
}

// view finds the capture that governs a fetch ("Which capture governs"), and those near it that count.
func (tl *Timeline) view(s candidates) (v view) {
	if s.own != nil {
		v = s.own.latest(s) // 1: the crawler's own, if that is fresh
	}
	if own := v; own.governing == nil || s.age(own.governing) > FreshFor {
		v = tl.all.latest(s)               // 2: the latest by anyone
		if v.own && own.governing != nil { // all of the crawler's own of that moment count, however old
			v.governing, v.tied, v.evidence = own.governing, own.tied, own.evidence
		}
	}
	if v.governing == nil { // 3: the earliest definite one within a day after the fetch, the crawler's own first
		if s.own != nil {
			v.moment = s.own.next(s, facts.Day)
		}
		if len(v.moment) == 0 {
			v.moment = tl.all.next(s, facts.Day)
		}
		if len(v.moment) > 0 {
			v.evidence = words.Later
			v.choose(s, firstInArchive)
		}
	}
	if v.governing == nil && !s.withRefusals {
		s.withRefusals = true
		return tl.view(s)
	}
	if v.governing == nil { // 4
		return v
	}
	if !v.own && s.own != nil {
		v.older = s.own.latestWith(kindDefinite, s)
		if v.evidence == words.Fresh { // around a stale one, everybody's are looked at
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
		return s.order(v.governing) > maybeBefore || t.MicrosSince(finest.Time()) >= 0
	}, s.time)
	return v
}

// latest is the view of the latest capture of the line at or before a fetch.
func (l *line) latest(s candidates) (v view) {
	i := l.upTo(s.subject) - 1
	for i >= 0 && !s.mayGovern(l.at(i)) && s.look() {
		i--
	}
	if i < 0 {
		return v
	}
	last := l.at(i).Time()
	near := l.between(last, last)
	near.end = i
	if v.moment = s.ofMoment(near, last, s.mayGovern); v.moment == nil {
		v.moment = l.one(i)
	} else {
		v.moment = append(v.moment, l.at(i))
	}
	v.prior = l.lastOf(kindAnswers, i, s)
	v.choose(s, lastInArchive)
	switch {
	case s.isLater(v.governing):
		v.evidence = words.Later
	case s.age(v.governing) <= FreshFor:
		v.evidence = words.Fresh
	default:
		v.evidence = words.Stale
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
func (v *view) choose(s candidates, wins func(a, b *State) bool) {
	v.moment = recordsOf(v.moment)
	if len(v.moment) == 1 { // as nearly always
		v.governing, v.own, v.tied = v.moment[0], s.isOwn(v.moment[0]), v.moment
		return
	}
	last := oneOfEach(v.moment, wins)
	v.governing = last[0]
	for _, st := range last[1:] {
		if s.prefers(st, v.governing, wins) {
			v.governing = st
		}
	}
	v.own = s.isOwn(v.governing)
	rivals := filter(v.moment, func(st *State) bool {
		return !facts.SpotOf(&st.Fetch).SameRun(facts.SpotOf(&v.governing.Fetch)) && (!v.own || s.isOwn(st))
	})
	v.tied = append([]*State{v.governing}, oneOfEach(rivals, wins)...)
}

// recordsOf returns the records among captures of one moment, which stand above rows of tables; the rows, if
// there are no others ("Tables of robots.txt").
func recordsOf(moment []*State) []*State {
	records := filter(moment, func(st *State) bool { return !st.IsListed() })
	if len(records) == 0 {
		return moment
	}
	return records
}

func (s *subject) prefers(a, b *State, wins func(a, b *State) bool) bool {
	at, than := facts.SpotOf(&a.Fetch), facts.SpotOf(&b.Fetch)
	switch isOwn, isLater, age, relation := s.isOwn(a), s.isLater(a), s.age(a), s.order(a); {
	case isOwn != s.isOwn(b): // the crawler's own
		return isOwn
	case at.SameRun(than):
		return wins(a, b)
	case a.Forgeable != b.Forgeable: // one that no page could forge
		return b.Forgeable
	case isLater != s.isLater(b): // one whose content is later than the fetch
		return isLater
	case age != s.age(b): // the oldest content
		return age > s.age(b)
	case relation != s.order(b): // one that stands before the fetch beyond doubt
		return relation < s.order(b)
	case s.provesOrder(a) != s.provesOrder(b): // if another archive of the fetch holds one
		return s.provesOrder(a)
	case a.Precision != b.Precision: // the finest date
		return a.Precision > b.Precision
	}
	return at.Compare(than) > 0
}

// next returns the first definite captures of the line within a time after a fetch:
// the ones with the smallest date. Several may share it.
func (l *line) next(s candidates, within int64) []*State {
	var found []*State
	near := l.between(s.time.Add(-l.late-s.lateness()), s.time.Add(within))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if len(found) > 0 && st.Micros > found[0].Micros+found[0].Precision.Unit() {
			break
		}
		switch {
		case !st.isDefinite():
			near.skipAlike(near.end)
		case s.order(st) < shownAfter || -s.gap(st) > within:
		case s.withRefusals || !s.isRefusedToOther(st):
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
func (tl *Timeline) others(s *subject, v *view) (list []*State) {
	asked := v.governing
	consider := func(st *State) {
		if st.isDefinite() && st != v.governing && !st.isAlike(asked) && !s.isRefusedToOther(st) {
			list, asked = append(list, st), st
		}
	}
	if v.evidence != words.Stale && !s.isWholeDay() {
		return nil
	}
	if v.evidence != words.Stale {
		near := tl.all.between(s.time, s.time)
		for st := near.take(); st != nil && s.look(); st = near.take() {
			if s.gap(st) == 0 {
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
		if st.Time().MicrosSince(start) < 0 || s.order(st) > maybeBefore {
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
	near = tl.all.between(s.time.Add(-tl.all.late-s.lateness()), s.time.Add(facts.Day))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if s.order(st) < shownAfter || -s.gap(st) > facts.Day {
			continue
		}
		consider(st)
		if st != v.governing {
			near.skipAlike(near.end)
		}
	}
	return list
}

// longUnreachable reports whether an unbroken run of unreachable captures began longer ago than unreachableMay
// and still lasts at a fetch: of the crawler's own, or of anyone's. The last one of a run is
// within a day, so there are at least two. Captures of the fetch's own moment, and those that took long,
// may have come after it.
func (tl *Timeline) longUnreachable(s candidates) bool {
	for _, l := range [...]*line{s.own, tl.all} {
		if l == nil {
			continue
		}
		end := l.upTo(s.subject)
		start := end
		isNear := func(st *State) bool {
			return s.gap(st) == 0 || s.time.Micros-st.Micros <= l.late+s.lateness()
		}
		for start > 0 && isNear(l.at(start-1)) && s.look() {
			start--
		}
		run := l.run(start)
		for i := start; i < end; i++ {
			if st := l.at(i); s.counts(st) && !s.failsLater(st) {
				run = run.with(st, i+1)
			}
		}
		if run.first != 0 && s.gap(l.at(int(run.first-1))) > unreachableMay &&
			s.gap(l.at(int(run.last-1))) <= FreshFor {
			return true
		}
	}
	return false
}

// counts reports whether a capture is at or before the fetch.
func (s candidates) counts(st *State) bool {
	relation := s.order(st)
	return relation == before || relation == maybeBefore && !s.beyondDoubt
}

// mayGovern reports whether a capture is a candidate: at or before the fetch, and no refusal to another
// crawler, which has no effect on this one ("Which capture governs").
func (s candidates) mayGovern(st *State) bool {
	return s.counts(st) && (!st.isRefusal() || s.withRefusals || s.isOwn(st)) && !s.isOver(st)
}

// isOver reports whether a later line of an access log outdates a line that reports a failure or no robots.txt: the
// later one reports that robots.txt was served, but not which version. After a refusal, only lines of its crawler
// count.
func (s *subject) isOver(st *State) bool {
	if s.unclear == nil || st.Trust != facts.TrustLogged || st.Outcome.HasRules() {
		return false
	}
	by := anyone
	if st.isRefusal() {
		by = st.key
	}
	return s.unclear.any(by, st.Micros, s.time.Micros)
}

// isUnreadable reports whether nobody knows what a crawler received that used a capture at the fetch.
func (s *subject) isUnreadable(st *State) bool {
	return st.Outcome == words.OutcomePartial || st.Outcome == words.OutcomeUnresolved ||
		st.Outcome == words.OutcomeUndefined || s.failsLater(st)
}

// lastDefinite returns the latest captures at or before a fetch that end a run of failures: of
// anyone's and of the crawler's own.
func (tl *Timeline) lastDefinite(s candidates) (list []*State) {
	for _, l := range [...]*line{tl.all, s.own} {
		if l == nil {
			continue
		}
		if st := l.lastOf(kindDefinite, l.upTo(s.subject), s); st != nil {
			list = append(list, st)
		}
	}
	return list
}
