package evaluate

import (
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// view is what a fetch sees of its origin's timeline.
type view struct {
	governing *State // nil where no capture is near
	evidence  Evidence
	own       bool     // the governing capture is the crawler's own
	moment    []*State // the captures of the governing one's moment, it included
	tied      []*State // the governing one, and those of its moment in other archives: in which order they came, nothing shows
	prior     *State   // the capture before it, in its line, that answers
	ownNext   []*State // where another's governs: the crawler's own first ones within a day after the fetch
	older     []*State // where another's governs: the crawler's own latest one that says something; in several archives, one in each
	outdated  bool     // an index reports a capture that would govern in its place, and no input holds it
}

// view finds the capture that governs a fetch ("Which capture governs"), and those near it that count.
func (tl *timeline) view(s *subject) (v view) {
	if s.own != nil {
		v = s.own.latest(s) // 1: the crawler's own, if that is fresh
	}
	if v.governing == nil || !s.isFresh(v.governing) {
		v = tl.all.latest(s) // 2: the latest by anyone
	}
	if v.governing == nil {
		v = tl.later(s) // 3: the earliest after the fetch
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
		v.older = s.own.latestSaying(s)
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
		return s.relationOf(v.governing) > maybeBefore || t.MicrosSince(finest.Time()) >= 0
	}, s.time)
	return v
}

// mayGovern reports whether a capture is a candidate: at or before the fetch, and no refusal to another
// crawler.
func (s *subject) mayGovern(st *State) bool { return s.counts(st) && !s.isRefused(st) }

// isRefused reports whether a capture is a refusal to another crawler, which says nothing to this one.
func (s *subject) isRefused(st *State) bool { return st.isRefusal() && !s.withRefusals && !s.isOwn(st) }

// isRefusedToOther reports whether a capture led to such a refusal, though it may be the crawler's own.
func (s *subject) isRefusedToOther(st *State) bool {
	return st.isRefusal() && !(s.isOwn(st) && s.owns(st.last()))
}

// saysNothing reports whether a capture near the fetch shows nothing, since another crawler was refused.
func (s *subject) saysNothing(st *State) bool { return !s.withRefusals && s.isRefusedToOther(st) }

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
	case s.precedes(v.governing):
		v.evidence = Later
	case s.isFresh(v.governing):
		v.evidence = Fresh
	default:
		v.evidence = Stale
	}
	return v
}

// later is the view of the earliest capture within a day after a fetch that says
// something, the crawler's own first.
func (tl *timeline) later(s *subject) (v view) {
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
	return v
}

// Of two captures of one moment in one archive, which one counts: the last before a fetch, the first after it.
func lastInArchive(a, b *State) bool  { return a.Index > b.Index }
func firstInArchive(a, b *State) bool { return a.Index < b.Index }

// choose finds the capture that governs ("Captures of one moment"), and those that may govern in its place:
// where the crawler's own governs, those of others are no rivals but copies. In which order those of several
// archives came, nothing shows, and the doubts of all count. So between two that differ in nothing of this
// list, either may be taken.
func (v *view) choose(s *subject, wins func(a, b *State) bool) {
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

func (s *subject) prefers(a, b *State, wins func(a, b *State) bool) bool {
	at, than := facts.SpotOf(&a.Fetch), facts.SpotOf(&b.Fetch)
	switch {
	case s.isOwn(a) != s.isOwn(b): // the crawler's own
		return s.isOwn(a)
	case at.SameRun(than):
		return wins(a, b)
	case a.Forgeable != b.Forgeable: // one that no page could forge
		return b.Forgeable
	case s.precedes(a) != s.precedes(b): // one whose content is later than the fetch
		return s.precedes(a)
	case s.ageOf(a) != s.ageOf(b): // the oldest content
		return s.ageOf(a) > s.ageOf(b)
	case s.relationOf(a) != s.relationOf(b): // one that stands before the fetch beyond doubt
		return s.relationOf(a) < s.relationOf(b)
	case s.provesOrder(at) != s.provesOrder(than): // if another archive of the fetch holds one
		return s.provesOrder(at)
	case a.Precision != b.Precision: // the finest date
		return a.Precision > b.Precision
	}
	return at.Compare(than) > 0
}

// isOwn reports whether the crawler that made the fetch made the capture.
func (s *subject) isOwn(st *State) bool {
	return st.key == s.key || s.ownsNameless && s.owns(st.itself())
}

// owns reports whether the crawler that made the fetch got a record. Some crawlers send a User-Agent with
// some requests alone.
func (s *subject) owns(r answered) bool {
	return r.key == s.key || r.key == "" && s.isOfRun(r.at, r.userAgent)
}

// mayBeOthers reports whether another crawler may have got a record: also one of the fetch's run with the
// name of a browser.
func (s *subject) mayBeOthers(r answered) bool {
	return !s.owns(r) || r.key != s.key && r.userAgent != ""
}

// keyOf is the comparable token of the crawler that made a capture, as the fetch's run shows it.
func (s *subject) keyOf(st *State) string {
	if s.isOwn(st) {
		return s.key
	}
	return st.key
}

// unreachableMay is how long a server has to be unreachable until crawlers may take its
// robots.txt as unavailable (RFC 9309 §2.3.1.4).
const unreachableMay = 30 * facts.Day

// longUnreachable reports whether an unbroken run of unreachable captures began longer ago than
// that and still lasts at a fetch: of the crawler's own, or of anyone's. The last one of a run is
// within a day, so there are at least two.
func (tl *timeline) longUnreachable(s *subject) bool {
	for _, l := range [...]*line{s.own, tl.all} {
		if l == nil {
			continue
		}
		run := l.runUpTo(s)
		if run.first == nil {
			continue
		}
		if s.time.MicrosSince(run.first.Time()) > unreachableMay && s.time.MicrosSince(run.last.Time()) <= freshFor {
			return true
		}
	}
	return false
}

// runUpTo returns the run up to a fetch. Captures of the fetch's own moment, and those that took long,
// may have come after it.
func (l *line) runUpTo(s *subject) (run unreachableRun) {
	end := l.upTo(s)
	start := end
	isNear := func(st *State) bool { return s.time.MicrosSince(st.Time()) == 0 || s.time.Micros-st.Micros <= l.late }
	for start > 0 && isNear(l.states[start-1]) && s.look() {
		start--
	}
	if start > 0 {
		run = l.runs[start-1]
	}
	for _, st := range l.states[start:end] {
		if s.counts(st) && !s.failsLater(st) {
			run = run.with(st)
		}
	}
	return run
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
	near := l.between(s.ahead(-l.late), s.ahead(within))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if len(found) > 0 && st.Micros > found[0].Micros+found[0].Precision.Unit() {
			break
		}
		switch {
		case !st.says():
			near.skipAlike(near.end)
		case s.follows(st, within) && !s.saysNothing(st):
			found = append(found, st)
		}
	}
	return earliest(found)
}
