package verdict

import (
	"iter"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file asks the copies of robots.txt that the crawler may have acted on ("Permitted copies").

// maxAsked bounds the copies that are remembered as asked: a server may have as many versions of its file.
const maxAsked = 8

// copyOrder is where a copy stands to the fetch.
type copyOrder uint8

const (
	usable      copyOrder = iota // the crawler may have received it before
	ownAfter                     // the crawler's own, dated no later, and counts as after
	othersAfter                  // another crawler's, dated no later, and counts as after
	copyOrders
)

func (s *subject) copyOrderOf(st *State) copyOrder {
	switch {
	case s.order(st) != shownAfter:
		return usable
	case st.Kind == facts.CaptureRobots && s.isOwn(st): // who follows a redirect without a token, nothing shows
		return ownAfter
	}
	return othersAfter
}

// doubtAfter is the doubt about the order of the fetch and a copy that counts as after it.
func (s *subject) doubtAfter(st *State) words.Notes {
	if s.gap(st) != 0 {
		return words.NoteOrderDoubt
	}
	return words.NoteSameMoment
}

// copyEffect is what a copy does to the class of a disallowed fetch.
type copyEffect struct {
	isAsked  bool        // it counts as a copy that the crawler may have used
	contests words.Notes // it allows the fetch: NotePermittedCopy, and the readings by which alone it does
	doubts   words.Notes
}

// classify asks a copy.
func (d *Decider) classify(st *State, s *subject, order copyOrder) (e copyEffect) {
	isCut := facts.Flags(st.BodyFlags)&facts.FlagBodyCut != 0
	isDoubtful := s.isUnreadable(st) || st.isDefinite() && (st.Mismatched || st.OtherTarget || isCut)
	switch {
	case isDoubtful && order == usable:
		e.doubts = words.NoteUnreadableCopy
	case isDoubtful && !s.provesOrder(st):
		e.doubts = s.doubtAfter(st)
	case !isDoubtful && !st.isDefinite():
		return e
	}
	a := d.answer(st, s)
	e.isAsked = order != othersAfter
	switch {
	case a.Verdict != words.Allowed && !a.IsOpen():
	case order == othersAfter:
		e.doubts |= s.doubtAfter(st)
	default:
		e.contests = words.NotePermittedCopy | when(a.Verdict != words.Allowed, a.Notes&words.OpenReadings)
	}
	return e
}

// knownCopies are the different copies that were asked.
type knownCopies [copyOrders][]*State

func (k *knownCopies) emptied() *knownCopies {
	for order := range k {
		k[order] = k[order][:0]
	}
	return k
}

// has reports whether a copy that is alike was asked, and remembers this one. The last one is always remembered: so
// it makes no difference which of several equal neighbours are looked at.
func (k *knownCopies) has(st *State, s *subject, order copyOrder) bool {
	isAlike := func(o *State) bool {
		return st.isAlike(o) && (order == usable || s.doubtAfter(o) == s.doubtAfter(st))
	}
	if slices.ContainsFunc(k[order], isAlike) {
		return true
	}
	if order == usable || !s.provesOrder(st) { // else the order of another equal one may be in doubt
		k[order] = append(k[order][:min(len(k[order]), maxAsked-1)], st)
	}
	return false
}

// askCopies asks every copy of robots.txt that the crawler may have acted on ("Permitted copies"), until
// one allows the fetch. The others are recorded: they may show what another capture came to.
func (d *Decider) askCopies(s *subject, tl *Timeline, v *view) {
	isUnreachable := slices.ContainsFunc(v.tied, func(st *State) bool { return st.Outcome == words.OutcomeUnreachable })
	isAny := func(facts.Time) bool { return true }
	if !v.outdated && (tl.hasUnreadCopy(s.time) || isUnreachable && tl.hasUnread(isAny, s.time)) {
		s.record.UnreadCaptures = true
		s.object(words.NoteUnreadableCopy, nil)
	}
	if s.agent != "" && s.unclear.any(s.key, s.time.Micros-facts.Day, s.time.Micros) { // "Access logs"
		s.object(words.NoteUnreadableCopy, nil)
	}
	known, isContested := d.asked.emptied(), false
	known[usable] = append(known[usable], v.governing)
	var orderDoubts []Ground
	for st := range tl.permitted(s, v, isUnreachable) {
		var e copyEffect
		isKnown := false
		if st != v.governing && !s.isOthersRefusal(st) {
			order := s.copyOrderOf(st)
			if isKnown = known.has(st, s, order); !isKnown && !isContested {
				e = d.classify(st, s, order)
			}
		}
		// What somebody got from a redirect's target is not recorded if it changes nothing: among fewer captures it
		// might be taken for what the redirect led to, or not be known as a target.
		// Nor is a copy that equals one that was asked.
		if isIdle := st.Kind == facts.CaptureTarget && e.contests|e.doubts == 0; !isIdle && !isKnown {
			s.consult(RoleCopy, st)
			if e.isAsked {
				s.record.CopiesAsked++
			}
		}
		if e.contests != 0 {
			s.consult(RoleCopy, s.lastBeside(tl, st))
		}
		isContested = isContested || e.contests != 0
		s.object(e.contests|e.doubts&words.NoteUnreadableCopy, st)
		if n := e.doubts &^ words.NoteUnreadableCopy; n != 0 {
			orderDoubts = append(orderDoubts, Ground{Word: n, Capture: st})
		}
		if !s.look() {
			break
		}
	}
	if objections(s.record.Grounds)&words.Contests != 0 {
		return
	}
	for _, g := range orderDoubts {
		s.object(g.Word, g.Capture)
	}
}

// lastBeside returns the last copy of the moment of one in its archive: without it, a bundle would not show that the
// one is not what a 304 renews. nil: there is none behind it.
func (s *subject) lastBeside(tl *Timeline, one *State) *State {
	of := facts.SpotOf(&one.Fetch)
	behind := s.ofMoment(tl.all.between(one.Time(), one.Time()), one.Time(), func(st *State) bool {
		at := facts.SpotOf(&st.Fetch)
		return at.Input == of.Input && at.Entry == of.Entry && at.Index > of.Index
	})
	if len(behind) == 0 {
		return nil
	}
	return behind[len(behind)-1]
}

// permitted yields the copies, the older ones last.
func (tl *Timeline) permitted(s *subject, v *view, isUnreachable bool) iter.Seq[*State] {
	return func(yield func(*State) bool) {
		for st := range tl.copies(s, v.tied) {
			if !yield(st) {
				return
			}
		}
		for _, st := range tl.olderCopies(s, v, isUnreachable) {
			if !yield(st) {
				return
			}
		}
	}
}

// copies yields every capture in [t − 24 h, t] of a fetch, whoever made it. If such a capture that counts as before t,
// or one that may govern, redirects, it also yields what others received from the target in that time, and what the
// crawler itself received there after it had followed the redirect. Of equal captures before t one after the other,
// the first stands for all; captures about its moment may count as after it.
func (tl *Timeline) copies(s *subject, governing []*State) iter.Seq[*State] {
	t := s.time
	return func(yield func(*State) bool) {
		// URLs to which captures of the last day redirect, and when the first was followed
		ways := make(map[string]int64)
		near := tl.all.between(facts.Time{Micros: t.Micros - facts.Day, Precision: t.Precision}, t)
		late := tl.all.late + s.lateness()
		moment := tl.all.from(t.Micros - late)
		for st := near.take(); st != nil; st = near.take() {
			if !s.isCopy(st) {
				continue
			}
			if st.Hops > 0 && s.order(st) <= maybeBefore {
				for _, url := range st.ways {
					if first, known := ways[url]; !known || st.followed() < first {
						ways[url] = st.followed()
					}
				}
			}
			if !yield(st) {
				return
			}
			if st.Micros+st.Precision.Unit()+late < t.Micros {
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
	return st.Trust == facts.TrustLogged && s.isRefusedToOther(st)
}

// isCopy reports whether a capture lies in [t − 24 h, t] of a fetch.
func (s *subject) isCopy(st *State) bool { return s.gap(st) >= 0 && s.gap(st) <= facts.Day }

// followed returns the latest end of the capture and its hops, in microseconds.
func (s *State) followed() (micros int64) {
	micros = s.Time().Latest()
	for i := range s.exchanges {
		micros = max(micros, s.exchanges[i].time.Latest())
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
			moment = tl.all.allOf(kindDefinite, v.governing, candidates{subject: s})
		}
		list = slices.Concat(v.tied[1:], v.byOthers(s, moment), tl.refusalsOfMoment(s, v))
	}
	if isUnreachable {
		list = append(list, tl.lastCopies(s)...)
	}
	return list
}

// byOthers keeps the captures by another crawler than at least one of the captures that may govern.
func (v *view) byOthers(s *subject, list []*State) []*State {
	keyOf := func(st *State) string { // as the fetch's run shows it
		if s.isOwn(st) {
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
	t, c := v.governing.Time(), candidates{subject: s}
	return v.byOthers(s, s.ofMoment(tl.all.between(t, t), t,
		func(st *State) bool { return c.counts(st) && !c.mayGovern(st) }))
}

// lastCopies returns what a crawler may use while the file is unreachable (RFC 9309
// §2.4): the latest 2xx of any age at or before a fetch, by anyone and its own, and a
// later copy that a 304 or revisit renewed and that the archive does not hold.
func (tl *Timeline) lastCopies(s *subject) (list []*State) {
	for _, l := range [...]*line{tl.all, s.own} {
		if l == nil {
			continue
		}
		n, c := l.upTo(s), candidates{subject: s}
		got, gone := l.lastOf(kindSuccess, n, c), l.lastOf(kindLost, n, c)
		list = append(list, l.latestWith(kindSuccess, c)...)
		if gone != nil && (got == nil || gone.Micros >= got.Micros) {
			list = append(list, gone)
		}
	}
	return list
}
