package verdict

import (
	"iter"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file asks the copies of robots.txt that the crawler may have acted on ("Permitted copies").

// copyAnswers is the answers of the copies of robots.txt that the crawler may have acted on.
type copyAnswers struct {
	contester *State      // the first that allows
	notes     words.Notes // NotePermittedCopy and its readings, NoteUnreadableCopy
	// of another crawler's, dated no later than the fetch and counted as after it, which allows, or may
	orderDoubts words.Notes
	unread      bool // an index reports one, and no input holds it
}

// maxAsked bounds the copies that are remembered as asked: a server may have as many versions of its file.
const maxAsked = 8

// askCopies tries every copy of robots.txt that the crawler may have acted on ("Permitted copies"), until
// one allows the fetch.
func (d *Decider) askCopies(s *subject, tl *Timeline, v *view) (c copyAnswers) {
	isUnreachable := slices.ContainsFunc(v.tied, func(st *State) bool { return st.Outcome == words.OutcomeUnreachable })
	isAny := func(facts.Time) bool { return true }
	if !v.outdated && (tl.hasUnreadCopy(s.time) || isUnreachable && tl.hasUnread(isAny, s.time)) {
		c.notes, c.unread = words.NoteUnreadableCopy, true
	}
	asked := append(make([]*State, 0, maxAsked), v.governing)
	var ownAfter, othersAfter []*State
	doubtOf := func(st *State) words.Notes { // of one that counts as after the fetch
		if s.see(st).gap != 0 {
			return words.NoteOrderDoubt
		}
		return words.NoteSameMoment
	}
	ask := func(st *State) {
		if s.isOthersRefusal(st) {
			return
		}
		// who got what a redirect leads to without a token, nothing shows
		isOwn := st.Kind == facts.CaptureRobots && s.see(st).isOwn
		isAfter := s.see(st).relation == shownAfter
		isProven := isAfter && s.provesOrder(facts.SpotOf(&st.Fetch))
		list := &asked
		switch {
		case isAfter && isOwn:
			list = &ownAfter
		case isAfter:
			list = &othersAfter
		}
		isAlike := func(o *State) bool { return st.isAlike(o) && (!isAfter || doubtOf(o) == doubtOf(st)) }
		if st == v.governing || slices.ContainsFunc(*list, isAlike) {
			return
		}
		if len(*list) < maxAsked && !isProven { // the order of another equal one may be in doubt
			*list = append(*list, st)
		}
		isCut := facts.Flags(st.BodyFlags)&facts.FlagBodyCut != 0
		isDoubtful := s.isUnreadable(st) || st.isDefinite() && (st.Mismatched || st.OtherTarget || isCut)
		switch {
		case isDoubtful && !isAfter:
			c.notes |= words.NoteUnreadableCopy
		case isDoubtful && !isProven:
			c.orderDoubts |= doubtOf(st)
		case !isDoubtful && !st.isDefinite():
			return
		}
		switch a := d.answer(st, s); {
		case a.Verdict != words.Allowed && !a.allows:
		case isAfter && !isOwn:
			c.orderDoubts |= doubtOf(st)
		default: // perhaps by a reading
			c.contester = st
			c.notes |= words.NotePermittedCopy | when(a.Verdict != words.Allowed, a.Notes&words.OpenReadings)
		}
	}
	for st := range tl.copies(s, v.tied) {
		if ask(st); c.contester != nil || !s.look() {
			return c
		}
	}
	for _, st := range tl.olderCopies(s, v, isUnreachable) {
		if ask(st); c.contester != nil || !s.look() {
			return c
		}
	}
	return c
}

// copies yields every capture in [t − 24 h, t] of a fetch, whoever made it. It also yields what was got in that
// time from a URL to which one of these that count as before t, or a capture that may govern, redirects: by others,
// or by the crawler itself after it had followed the redirect. Of equal captures before t one after the other, the
// first stands for all; captures about its moment may count as after it.
func (tl *Timeline) copies(s *subject, governing []*State) iter.Seq[*State] {
	t := s.time
	return func(yield func(*State) bool) {
		// URLs to which captures of the last day redirect, and when the first was followed
		ways := make(map[string]int64)
		near := tl.all.between(facts.Time{Micros: t.Micros - facts.Day, Precision: t.Precision}, t)
		moment := tl.all.from(t.Micros - tl.all.late)
		for st := near.take(); st != nil; st = near.take() {
			if !s.isCopy(st) {
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
			func(i int) bool { return tl.targets[i].Micros >= t.Micros-facts.Day-s.unit })
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
			case st.Micros > t.Micros+s.unit:
				return
			case !isLedTo || !s.isCopy(st) || s.isHeldAt(facts.SpotOf(&st.Fetch)):
				if !s.look() {
					return
				}
			case !yield(st):
				return
			}
		}
	}
}

// isOthersRefusal reports whether an access log shows that another client was refused robots.txt: this crawler did not
// get that ("Access logs").
func (s *subject) isOthersRefusal(st *State) bool {
	return st.Trust == facts.TrustLogged && s.see(st).isRefusal
}

// isCopy reports whether a capture lies in [t − 24 h, t] of a fetch.
func (s *subject) isCopy(st *State) bool { return s.see(st).gap >= 0 && s.see(st).gap <= facts.Day }

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
func (tl *Timeline) olderCopies(s *subject, v *view, isUnreachable bool) (list []*State) {
	if v.evidence == words.Stale || v.governing.Precision < facts.PrecisionSecond { // else the last day has them
		moment := v.moment
		if v.evidence != words.Stale {
			moment = tl.all.allOf(kindDefinite, v.governing, s)
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
func (tl *Timeline) refusalsOfMoment(s *subject, v *view) (list []*State) {
	if v.evidence != words.Stale {
		return nil
	}
	t := v.governing.Time()
	return v.byOthers(s, s.ofMoment(tl.all.between(t, t), t,
		func(st *State) bool { return s.counts(st) && !s.mayGovern(st) }))
}

// lastCopies returns what a crawler may use while the file is unreachable (RFC 9309
// §2.4): the latest 2xx of any age at or before a fetch, by anyone and its own, and a
// later copy that a 304 or revisit renewed and that the archive does not hold.
func (tl *Timeline) lastCopies(s *subject) (list []*State) {
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
