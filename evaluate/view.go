package evaluate

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// view is what a fetch sees of its origin's timeline.
type view struct {
	governing   *State // nil where no capture is near
	evidence    Evidence
	own         bool                   // the governing capture is the crawler's own
	moment      []*State               // the captures of the governing one's moment, it included
	prior       *State                 // the capture before it, in its line, that answers
	ownNext     []*State               // where another's governs: the crawler's own first ones within a day after the fetch
	older       []*State               // where another's governs: the crawler's own latest one that says something; in several archives, one in each
	toldByOlder bool                   // one of them answers alike, and is not too old
	toldBefore  bool                   // where the governing one is of the fetch's moment: so did the one before
	wins        func(a, b *State) bool // of two captures of a moment and archive, whether the first counts
}

// view finds the capture that governs a fetch: the crawler's own latest, if that is
// fresh; else the latest by anyone; else the earliest within a day after.
func (tl *timeline) view(s *subject) view {
	own := s.own
	if own != nil {
		if v := own.latest(s); v.governing != nil && s.isFresh(v.governing) {
			return v
		}
	}
	v := tl.all.latest(s)
	if v.governing == nil {
		v = tl.later(s)
	}
	if v.governing == nil && !s.withRefusals {
		refused := *s
		refused.withRefusals = true
		v = tl.view(&refused)
		s.looked = refused.looked
		return v
	}
	if v.governing != nil && !v.own && own != nil {
		v.older = own.latestSaying(s)
		if v.evidence == Fresh { // around a stale one, everybody's are looked at
			v.ownNext = own.next(s, facts.Day)
		}
	}
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

// last returns the index of the latest capture of the line at or before a fetch; -1: none.
func (l *line) last(s *subject) int {
	i := l.upTo(s) - 1
	for i >= 0 && !s.mayGovern(l.states[i]) && s.look() {
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
		if st.Time().MicrosSince(last) == 0 && s.mayGovern(st) {
			v.moment = append(v.moment, st)
		}
	}
	if v.moment == nil { // as nearly always
		v.moment = l.states[i : i+1 : i+1]
	} else {
		v.moment = append(v.moment, l.states[i])
	}
	v.prior = l.lastOf(kindAnswers, i, s)
	v.wins = func(a, b *State) bool { return a.Index > b.Index }
	v.govern(s, oneOfEach(v.moment, v.wins))
	switch {
	case s.precedes(v.governing):
		v.evidence = Later
	case s.isFresh(v.governing):
		v.evidence = Fresh
	}
	return v
}

// govern chooses, of captures of a moment, the one that governs: the crawler's own
// before others', of those in one archive the one that wins. In which order those of several archives
// came, nothing tells: one that no page could forge, one whose content is later than the fetch, else
// the oldest content, one that stands before the fetch beyond doubt, the finest date. Between the rest
// it decides nothing which is taken, because the doubts of all count.
func (v *view) govern(s *subject, moment []*State) {
	v.governing = moment[0]
	for _, st := range moment[1:] {
		if v.prefers(s, st, v.governing) {
			v.governing = st
		}
	}
	v.own = s.isOwn(v.governing)
}

// isAltered reports whether a digest shows that the server may have sent something else than a capture
// that may govern.
func (v *view) isAltered(s *subject) bool {
	return v.governing.Mismatched || slices.ContainsFunc(v.rivals(s), func(st *State) bool { return st.Mismatched })
}

func (v *view) prefers(s *subject, a, b *State) bool {
	at, than := facts.SpotOf(&a.Fetch), facts.SpotOf(&b.Fetch)
	switch {
	case s.isOwn(a) != s.isOwn(b):
		return s.isOwn(a)
	case at.SameRun(than):
		return v.wins(a, b)
	case a.Forgeable != b.Forgeable:
		return b.Forgeable
	case s.precedes(a) != s.precedes(b):
		return s.precedes(a)
	case s.ageOf(a) != s.ageOf(b):
		return s.ageOf(a) > s.ageOf(b)
	case s.relationOf(a) != s.relationOf(b):
		return s.relationOf(a) < s.relationOf(b)
	case s.provesOrder(at) != s.provesOrder(than): // if another archive of the fetch holds one
		return s.provesOrder(at)
	case a.Precision != b.Precision:
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
		at := facts.SpotOf(&st.Fetch)
		if at.SameRun(facts.SpotOf(&g.Fetch)) || v.own && !s.isOwn(st) || st == g {
			continue
		}
		i := slices.IndexFunc(list, func(o *State) bool { return !s.look() || at.SameRun(facts.SpotOf(&o.Fetch)) })
		switch {
		case i < 0:
			list = append(list, st)
		case v.wins(st, list[i]):
			list[i] = st
		}
	}
	return list
}

// copies are those of the captures of the governing one's moment that are by other crawlers than that one's,
// or than that of a rival: it may be the latest.
func (v *view) copies(s *subject, moment, rivals []*State) []*State {
	return filter(moment, func(st *State) bool {
		key := s.keyOf(st)
		return key != s.keyOf(v.governing) || slices.ContainsFunc(rivals, func(o *State) bool { return s.keyOf(o) != key })
	})
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

// later is the view of the earliest capture within a day after a fetch that says
// something, the crawler's own first.
func (tl *timeline) later(s *subject) view {
	for _, l := range [...]*line{s.own, tl.all} {
		if l == nil {
			continue
		}
		v := view{evidence: Later, moment: l.next(s, facts.Day)}
		if len(v.moment) == 0 {
			continue
		}
		v.wins = func(a, b *State) bool { return a.Index < b.Index }
		v.govern(s, oneOfEach(v.moment, v.wins))
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
