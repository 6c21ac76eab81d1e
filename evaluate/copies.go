package evaluate

import (
	"iter"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
)

// others returns, where the governing capture is stale, those that say something else:
// between its content and the fetch, and within a day after the fetch. Where a whole day is
// asked about, those of the day are among them in any case.
func (tl *timeline) others(s *subject, v *view) (list []*State) {
	switch {
	case v.evidence == Stale:
	case s.isWholeDay():
		return tl.ofDay(s, v)
	default:
		return nil
	}
	asked, content := v.governing, []resolve.Step{v.governing.OldestApplied()}
	start := content[0].Time
	for _, st := range v.tied[1:] {
		if st.Time().MicrosSince(start) == 0 {
			content = append(content, st.Itself())
		}
	}
	consider := func(st *State) {
		if st.says() && st != v.governing && !st.saysLike(asked) && !s.saysNothing(st) {
			list = append(list, st)
			asked = st
		}
	}
	near := tl.all.between(start, s.time)
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(start) < 0 || s.relationOf(st) > maybeBefore {
			continue
		}
		if !slices.ContainsFunc(content, st.isReplacedBy) {
			consider(st)
		}
		if st != v.governing && st.Micros > start.Micros+start.Precision.Unit() {
			near.skipAlike(near.end)
		}
	}
	near = tl.all.between(s.ahead(-tl.all.late), s.ahead(facts.Day))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if !s.follows(st, facts.Day) {
			continue
		}
		consider(st)
		if st != v.governing {
			near.skipAlike(near.end)
		}
	}
	return list
}

// isReplacedBy reports whether a record is the later of two of one moment, by its place in the archive
// of both.
func (s *State) isReplacedBy(r resolve.Step) bool {
	at := facts.SpotOf(&s.Fetch)
	return s.Time().MicrosSince(r.Time) == 0 && at.SameRun(r.Spot) && at.Index < r.Index
}

// copies yields every capture in [t − 24 h, t] of a fetch, whoever made it, and what others got in that time from
// a URL to which one of these that count as before t, or of those that may govern, redirects. Of those before t
// that say the same one after the other, the first stands for all; those about its moment may count as after it.
func (tl *timeline) copies(s *subject, governing []*State) iter.Seq[*State] {
	t := s.time
	return func(yield func(*State) bool) {
		ways := make(map[string]bool) // URLs to which those of the last day redirect
		near := tl.all.between(facts.Time{Micros: t.Micros - facts.Day, Precision: t.Precision}, t)
		moment := tl.all.from(t.Micros - tl.all.late)
		for st := near.take(); st != nil; st = near.take() {
			if !st.isCopyAt(t) {
				continue
			}
			if st.Hops > 0 && s.relationOf(st) <= maybeBefore {
				for _, url := range st.ways {
					ways[url] = true
				}
			}
			if !yield(st) {
				return
			}
			if st.Micros+st.Precision.Unit()+tl.all.late < t.Micros {
				near.skipAlike(moment)
			}
		}
		first := sort.Search(len(tl.targets), func(i int) bool { return tl.targets[i].Micros >= t.Micros-facts.Day-t.Precision.Unit() })
		for _, st := range tl.targets[first:] {
			isOwn := st.key == s.key || facts.SpotOf(&st.Fetch) == facts.SpotOf(s.Fetch)
			isLedTo := ways[st.url] || ways[cutURL] || slices.ContainsFunc(governing, st.isTargetOf)
			switch {
			case st.Micros > t.Micros+t.Precision.Unit():
				return
			case isOwn || !isLedTo || !st.isCopyAt(t):
				if !s.look() {
					return
				}
			case !yield(st):
				return
			}
		}
	}
}

// isTargetOf reports whether a capture redirects to the URL of another record, of at most a day before or after.
func (s *State) isTargetOf(st *State) bool {
	gap := s.Time().MicrosSince(st.Time())
	return gap >= -facts.Day && gap <= facts.Day && (slices.Contains(st.ways, s.url) || slices.Contains(st.ways, cutURL))
}

// olderCopies returns the permitted copies that may be older than a day: those of the moment of the governing
// capture by other crawlers than one that may govern, and, while the file is unreachable, the last ones that
// were got.
func (tl *timeline) olderCopies(s *subject, v *view, isUnreachable bool) (list []*State) {
	if v.evidence == Stale || v.governing.Precision < facts.PrecisionSecond { // else they are among those of the last day
		moment := v.moment
		if v.evidence != Stale {
			moment = tl.all.ofMoment(kindSays, v.governing, s)
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
	return filter(list, func(st *State) bool {
		return slices.ContainsFunc(v.tied, func(o *State) bool { return s.keyOf(o) != s.keyOf(st) })
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
		if st.Time().MicrosSince(v.governing.Time()) == 0 && s.counts(st) && s.isRefused(st) {
			list = append(list, st)
		}
	}
	return v.byOthers(s, list)
}

// isCopyAt reports whether a capture lies in [t − 24 h, t].
func (st *State) isCopyAt(t facts.Time) bool {
	gap := t.MicrosSince(st.Time())
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
		if got != nil {
			list = append(list, l.lastWith(kindSuccess, got, s)...)
		}
		if gone != nil && (got == nil || gone.Micros >= got.Micros) {
			list = append(list, gone)
		}
	}
	return list
}

// latestSaying returns the captures at or before a fetch that may be the latest that say something.
func (l *line) latestSaying(s *subject) []*State {
	last := l.lastOf(kindSays, l.upTo(s), s)
	if last == nil {
		return nil
	}
	return l.lastWith(kindSays, last, s)
}

// lastWith returns the captures of a kind that may be the last, of which one is: those of its moment,
// the last in each archive.
func (l *line) lastWith(k kind, last *State, s *subject) []*State {
	return oneOfEach(l.ofMoment(k, last, s), lastInArchive)
}

// ofMoment returns the captures of a kind that are of one's moment, and at or before a fetch.
func (l *line) ofMoment(k kind, one *State, s *subject) (moment []*State) {
	near := l.between(one.Time(), one.Time())
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.is(k) && st.Time().MicrosSince(one.Time()) == 0 && s.mayGovern(st) && !s.failsLater(st) {
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
