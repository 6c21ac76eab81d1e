package verdict

import (
	"cmp"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/useragent"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file finds what speaks against a violation, where a fetch is disallowed ("The four classes"). copies.go asks the
// permitted copies.

// challenge records what speaks against a violation, besides the doubts that came with the verdict.
func (d *Decider) challenge(r *Finding, s *subject, tl *Timeline, v *view) {
	switch exempt := agents.Exempt(s.token); {
	case exempt == "":
	case v.governing.Outcome == words.OutcomeUnreachable:
		s.object(words.NoteOf(exempt), v.decisive())
	default: // a group that names the crawler binds it: then that is no objection
		s.add(Ground{Word: words.NoteOf(exempt), isRemark: true})
	}
	s.object(when(s.Flags&facts.FlagAuthorized != 0 && !s.asOf, words.NoteAuthorized), nil)
	d.askCopies(s, tl, v)
	isBracketed := d.isBracketed(s, tl, v)
	s.object(when(isBracketed, words.NoteBracketed)|when(d.mayBeOtherRun(r, s, v), words.NoteOtherRun), v.governing)
	if s.isTooCostly() && certify(r.Grounds) != words.Contested { // "Verdicts and reasons"
		r.withdraw(words.TooCostly, nil)
		return
	}
	r.ledBy = tl.leads.to(s)
	s.object(when(r.ledBy != nil || s.isTextOfLog(), words.NoteRedirectTarget), nil)
	if first := d.firstAsked(r, s, tl, v); first != nil { // "Runs of a crawler"
		r.Evidence = words.Later
		s.consult(RoleNext, first)
		s.object(words.GroundAskedLater, first)
	}
	s.object(when(r.Evidence == words.Stale, words.GroundStale)|d.uninformed(s, v, isBracketed), v.governing)
	s.object(when(d.mayPrecede(s, tl, v), words.GroundSameSecond), v.governing)
}

// mayBeOtherRun reports whether another run may have made the capture, which may be somebody else's: of software that
// anybody runs, or of a token that the agents list does not know and the archives contradict ("Runs of a crawler").
func (d *Decider) mayBeOtherRun(r *Finding, s *subject, v *view) bool {
	kind := d.kindOf(s)
	if !v.own || r.AgentSource == words.AgentFromOption || kind == agents.Operator {
		return false
	}
	isOther := func(a answered) bool { return !s.isOfRun(a) && (kind == agents.Software || s.isContradicted(a)) }
	isDoubtful := func(st *State) bool { return isOther(st.itself()) || slices.ContainsFunc(st.led, isOther) }
	return slices.ContainsFunc(v.tied, isDoubtful)
}

// kindOf returns what names the crawler of a fetch. Fetches of one follow one another.
func (d *Decider) kindOf(s *subject) agents.Kind {
	if by := [2]string{s.agent, s.UserAgent}; by != d.kindBy {
		d.kindBy, d.kind = by, agents.KindOf(s.agent, s.UserAgent)
	}
	return d.kind
}

// isContradicted reports whether a record names another host, operator, collection or contact than the fetch.
func (s *subject) isContradicted(r answered) bool {
	if r.userAgent != s.UserAgent && r.userAgent != "" {
		of, own := useragent.Contacts(r.userAgent), useragent.Contacts(s.UserAgent)
		isOf := func(contact string) bool { return slices.Contains(of, contact) }
		if len(of) > 0 && len(own) > 0 && !slices.ContainsFunc(own, isOf) {
			return true
		}
	}
	return s.isAny(r.at, s.runs.IsOfOthers)
}

// firstAsked returns the first capture of the fetch's own run, if the token names a crawler only within a run, and this
// one requested this robots.txt only after the fetch: what another run received informed nobody here. Else nil. Logs
// have no runs: where a table alone reports what governs, all of the crawler's requests count.
func (d *Decider) firstAsked(r *Finding, s *subject, tl *Timeline, v *view) *State {
	isOfAnybody := d.kindOf(s) == agents.Software || objections(r.Grounds)&words.NoteOtherRun != 0
	switch {
	case s.own == nil || v.evidence == words.Later || r.AgentSource == words.AgentFromOption:
		return nil
	case v.governing.IsListed():
		i := s.own.upTo(s)
		for i > 0 && s.order(s.own.at(i-1)) >= shownAfter && s.look() {
			i--
		}
		if i == 0 && s.own.len() > 0 {
			return s.own.at(0)
		}
		return nil
	case !isOfAnybody:
		return nil
	}
	if v.own && s.isOfRun(v.governing.itself()) && s.order(v.governing) < shownAfter {
		return nil
	}
	var first *State
	for i := tl.firstOfRun(s); i < s.own.len(); i++ {
		switch st := s.own.at(i); {
		case first != nil && st.Micros > s.time.Micros+s.unit, !s.look():
			return first
		case !s.isOfRun(st.itself()):
		case s.order(st) < shownAfter:
			s.consult(RoleBefore, st) // it shows that the run had asked
			return nil
		case first == nil:
			first = st
		}
	}
	return first
}

// uninformed are the objections that nothing shows that this crawler had received in time that the fetch is
// disallowed ("The four classes"), but for those to a single capture.
func (d *Decider) uninformed(s *subject, v *view, isBracketed bool) words.Notes {
	n := when(s.agent == "", words.GroundNoToken) | when(v.evidence == words.Later, words.GroundReceivedLater)
	if v.evidence != words.Stale || isBracketed {
		return n
	}
	isOld := s.age(v.governing) > informedFor
	informs := func(older *State) bool {
		return !older.Forgeable && isTrusted(older) && s.age(older) <= informedFor &&
			d.answer(older, s).Verdict == words.Disallowed
	}
	isInformed := v.own || !isOld && slices.ContainsFunc(v.older, informs)
	return n | when(isOld, words.GroundTooOld) | when(!isInformed, words.GroundNotInformed)
}

// isInformed reports whether something shows that this crawler had received in time that the fetch is disallowed.
func (d *Decider) isInformed(s *subject, v *view, isBracketed bool) bool {
	isDoubtful := func(st *State) bool { return !isTrusted(st) }
	return d.uninformed(s, v, isBracketed) == 0 && !slices.ContainsFunc(v.tied, isDoubtful)
}

// isTrusted reports whether a capture is a record, and no digest speaks against it.
func isTrusted(st *State) bool { return !st.Mismatched && !st.IsListed() }

// mayPrecede reports whether the fetch may have come before a capture of its moment. An index or a list reports it:
// the order of the records in its archive would show that, but at most this one record was read.
func (d *Decider) mayPrecede(s *subject, tl *Timeline, v *view) bool {
	return s.IsReportedByIndex() && s.mayBeLater(v.governing) &&
		!(s.order(v.governing) == maybeBefore && d.isForbiddenBefore(s, tl))
}

// isForbiddenBefore reports whether, without the captures of its own moment, the fetch would be disallowed,
// too, by a capture that informed the crawler in time ("The four classes"). Nor may anything else of that moment
// be unreadable: it may be the one that governs.
func (d *Decider) isForbiddenBefore(s *subject, tl *Timeline) bool {
	all := s.record
	r := Finding{Fetch: s.Fetch, record: record{looked: all.looked}}
	s.record = &r.record
	v := d.survey(&r, candidates{subject: s, beyondDoubt: true}, tl)
	d.judge(&r, s, tl, &v)
	s.record, all.looked, all.err = all, r.looked, cmp.Or(all.err, r.err)
	for _, g := range r.Considered() {
		s.consult(RoleBefore, g.Capture)
	}
	if r.Verdict != words.Disallowed || v.outdated || s.mayBeLater(v.governing) {
		return false
	}
	near := tl.all.between(s.time, s.time)
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if s.order(st) == maybeBefore && s.isUnreadable(st) {
			return false
		}
	}
	return d.isInformed(s, &v, false) && !s.isTooCostly()
}

// isBracketed reports whether a stale capture is confirmed by the first definite one after the fetch,
// at most 30 days after ("Stale captures"). Where archives hold several of that moment, all have
// to confirm it.
func (d *Decider) isBracketed(s *subject, tl *Timeline, v *view) bool {
	if v.evidence != words.Stale {
		return false
	}
	found := tl.all.next(candidates{subject: s}, informedFor)
	s.consult(RoleNext, found...)
	next := oneOfEach(recordsOf(found), firstInArchive)
	isAfter := func(t facts.Time) bool { return t.MicrosSince(s.time) > 0 }
	for _, st := range next {
		switch {
		case tl.hasUnread(isAfter, st.Time()):
			s.record.UnreadCaptures = true // an index alone reports one before
			return false
		case st.Forgeable, !isTrusted(st), d.answer(st, s).Verdict != words.Disallowed:
			return false
		}
	}
	return len(next) > 0
}
