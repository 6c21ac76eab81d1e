package evaluate

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// doubts are the notes that keep a violation from being certain.
const doubts = NoteURLCut | NoteBodyCut | NoteOtherCrawler | NotePartial | NoteResynced | NoteSameMoment |
	NoteCoarseDate | NoteUnreadableCopy | NoteAmbiguousToken | NoteIndexed | NoteListed | NoteOtherTarget | NoteOrderDoubt | NoteOtherRun

// openReadings are the notes that name a reading which the specifications leave open.
const openReadings = NoteReservedEncoding | NoteUnsafeEncoding | NoteLenient | NoteParseLimit | NoteDocumentedToken |
	NoteRobotsTxtEncoded | NoteHTML | NoteContentUsage | NoteAgentName

// certify says how sure a violation is: the first of contested, possible, probable and
// certain that fits.
func (d *decider) certify(r *Result, s *subject, tl *timeline, v *view) error {
	if r.Verdict != Disallowed {
		return nil
	}
	if err := d.askCopies(r, s, tl, v); err != nil {
		return err
	}
	bracketed, err := d.isBracketed(r, s, tl)
	if err != nil {
		return err
	}
	if bracketed {
		r.Notes |= NoteBracketed
	}
	if r.allowsBehind != 0 && r.Contester == nil && !r.allows {
		r.Notes |= r.allowsBehind
	}
	if d.isOfOtherRun(r, s, v) {
		r.Notes |= NoteOtherRun
	}
	leads := tl.leads.to(s)
	switch {
	case r.Contester != nil || r.allows:
		r.Certainty = Contested
	case s.isTooCostly():
		r.unknown(TooCostly)
	case r.Notes&(NoteForgeable|NoteUnreadCapture) != 0, !s.wasTold(v, bracketed):
		r.Certainty = Possible
	case s.mayPrecede(v), r.Fetch.Flags&facts.FlagMayBeNoFetch != 0:
		r.Certainty, r.mayBeProven = Possible, true
	case leads != nil:
		r.Certainty, r.Notes, r.ledBy = Possible, r.Notes|NoteRedirectTarget, leads
	case r.Fetch.Flags&facts.FlagRefuted != 0: // the index is wrong about the record, and nothing else tells of the fetch
		r.Certainty = Possible
	case r.Evidence != Fresh || r.Notes&doubts != 0:
		r.Certainty = Probable
	default:
		r.Certainty = Certain
	}
	return nil
}

// isOfOtherRun reports whether a capture that governs as the crawler's own, or what it applies, is of
// another run of software that anybody runs: it may be somebody else's.
func (d *decider) isOfOtherRun(r *Result, s *subject, v *view) bool {
	if !v.own || r.AgentSource == AgentFromOption || !agents.IsSoftware(s.agent) {
		return false
	}
	isOtherRun := func(r answered) bool { return !s.isOfRun(r.at, r.userAgent) }
	isOther := func(st *State) bool { return isOtherRun(st.itself()) || slices.ContainsFunc(st.led, isOtherRun) }
	return isOther(v.governing) || slices.ContainsFunc(v.rivals(s), isOther)
}

// wasTold reports whether something shows that this crawler was told in time.
func (s *subject) wasTold(v *view, bracketed bool) bool {
	switch {
	case s.agent == "" || v.evidence == Later || v.isAltered(s):
		return false
	case v.evidence == Fresh || bracketed:
		return true
	case !v.own && !v.toldByOlder:
		return false
	}
	return s.remembers(v.governing)
}

// remembers reports whether a crawler that was told by a capture counts as told at the fetch.
func (s *subject) remembers(st *State) bool { return s.ageOf(st) <= toldFor }

// mayPrecede reports whether the fetch may have been made before the crawler was told. The order of
// the records in its archive would show it, but at most this one record was read.
func (s *subject) mayPrecede(v *view) bool {
	return s.IsToldByIndex() && !v.toldBefore && s.hasApplied(v.governing, s.isBeside)
}

// isBracketed reports whether a stale capture is confirmed by the first one after the
// fetch that says anything, at most 30 days after: the file very likely said so at the
// fetch, too. Where archives hold several of that moment, all have to confirm it.
func (d *decider) isBracketed(r *Result, s *subject, tl *timeline) (bool, error) {
	if r.Evidence != Stale {
		return false, nil
	}
	next := oneOfEach(tl.all.next(s, toldFor), func(a, b *State) bool { return a.Index < b.Index })
	isBehind := func(t facts.Time) bool { return t.MicrosSince(s.time) > 0 }
	for _, st := range next {
		switch {
		case tl.hasUnread(isBehind, st.Time()):
			r.UnreadCaptures = true
			return false, nil
		case st.Forgeable, st.Mismatched:
			return false, nil
		}
		if a, err := d.answer(st, s); err != nil || a.Verdict != r.Verdict {
			return false, err
		}
	}
	return len(next) > 0, nil
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

// maxAsked bounds the copies of which it is remembered that they were asked: a server may
// have as many versions of its file behind one name.
const maxAsked = 8

// askCopies asks every copy of robots.txt that the crawler may have acted on (RFC 9309
// §2.4): those of the last day and, while the file is unreachable, the last ones that
// were got.
func (d *decider) askCopies(r *Result, s *subject, tl *timeline, v *view) error {
	asked, ownBehind, othersBehind := append(make([]*State, 0, maxAsked), r.Governing), []*State(nil), []*State(nil)
	ask := func(c *State) error {
		list, isProven := &asked, false
		if s.relationOf(c) == behind {
			list, isProven = &othersBehind, s.provesOrder(facts.SpotOf(&c.Fetch))
			if s.isOwnCopy(c) {
				list = &ownBehind
			}
		}
		isAsked := func(o *State) bool {
			return c.saysLike(o) && (list == &asked || s.doubtBehind(o) == s.doubtBehind(c))
		}
		if c == r.Governing || slices.ContainsFunc(*list, isAsked) {
			return nil
		}
		if len(*list) < maxAsked && !isProven { // the order of another that says the same may be in doubt
			*list = append(*list, c)
		}
		return d.askCopy(r, s, c)
	}
	fails := func(st *State) bool { return st.Outcome == OutcomeUnreachable }
	isUnreachable := fails(v.governing) || slices.ContainsFunc(v.rivals(s), fails) // then copies of any age count
	if r.Notes&NoteUnreadCapture == 0 && (tl.hasUnreadCopy(s.time) || isUnreachable && tl.hasUnread(func(facts.Time) bool { return true }, s.time)) {
		r.Notes, r.UnreadCaptures = r.Notes|NoteUnreadableCopy, true
	}
	for c := range tl.copies(s, append(v.rivals(s), v.governing)) {
		if err := ask(c); err != nil || r.Contester != nil || !s.look() {
			return err
		}
	}
	var moment []*State // of the governing one: mostly among those of the last day, or behind the fetch
	switch {
	case v.evidence == Stale:
		rivals := v.rivals(s)
		moment = append(rivals, v.copies(s, v.moment, rivals)...)
		moment = append(moment, tl.refusalsBeside(s, v)...)
	case v.governing.Precision < facts.PrecisionSecond: // some may be older
		rivals := v.rivals(s)
		moment = append(rivals, v.copies(s, tl.all.ofMoment(kindSays, v.governing, s), rivals)...)
	}
	for _, c := range moment {
		if err := ask(c); err != nil || r.Contester != nil || !s.look() {
			return err
		}
	}
	if !isUnreachable {
		return nil
	}
	for _, c := range tl.lastCopies(s) {
		if err := ask(c); err != nil || r.Contester != nil {
			return err
		}
	}
	return nil
}

// isOwnCopy reports whether a copy is the crawler's own robots.txt. Who got what a redirect leads to without a
// token, nothing tells.
func (s *subject) isOwnCopy(c *State) bool { return c.Kind == facts.CaptureRobots && s.isOwn(c) }

// doubtBehind names the doubt that a capture leaves which counts as after the fetch and is dated no later.
func (s *subject) doubtBehind(c *State) Notes {
	if s.time.MicrosSince(c.Time()) != 0 {
		return NoteOrderDoubt
	}
	return NoteSameMoment
}

// askCopy notes what a copy says against the verdict, or may say. One that stands behind the fetch,
// in its moment, is no copy, but may have come before it.
func (d *decider) askCopy(r *Result, s *subject, c *State) error {
	isBehind, isUnreadable := s.relationOf(c) == behind, s.isUnreadable(c)
	doubt := s.doubtBehind(c)
	isDoubtful := isUnreadable || c.says() && (c.Mismatched || c.OtherTarget || facts.Flags(c.BodyFlags)&facts.FlagBodyCut != 0)
	switch {
	case isDoubtful && isBehind:
		if !s.provesOrder(facts.SpotOf(&c.Fetch)) {
			r.allowsBehind |= doubt
		}
	case isDoubtful:
		r.Notes |= NoteUnreadableCopy
	case !c.says():
		return nil
	}
	a, err := d.answer(c, s)
	switch {
	case err != nil || a.Verdict != Allowed && !a.allows:
	case isBehind && !s.isOwnCopy(c):
		r.allowsBehind |= doubt
	case a.Verdict == Allowed:
		r.Contester = c
		r.Notes |= NotePermittedCopy
	default: // by a reading
		r.Contester = c
		r.Notes |= NotePermittedCopy | a.Notes&openReadings
	}
	return err
}
