package verdict

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/useragent"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file gives a disallowed fetch its class ("The four classes").

// certify gives a disallowed fetch its class: the strongest effect among its objections.
func (d *Decider) certify(r *Finding, s *subject, tl *Timeline, v *view) {
	if r.Verdict != words.Disallowed {
		return
	}
	d.doubts(s, v, s.object)
	s.object(r.Notes&(words.NoteAmbiguousToken|words.NoteURLCut), nil)
	isFailure, exempt := v.governing.Outcome == words.OutcomeUnreachable, words.NoteOf(agents.Exempt(s.token))
	ofAnswer := r.Notes&(words.OpenReadings|words.NotePartial|words.NoteBodyCut) |
		when(isFailure, words.GroundFailed|exempt)
	r.Notes |= exempt // a group that names the crawler binds it: then that is no objection
	if len(v.tied) == 1 {
		s.object(ofAnswer, v.governing)
	} else {
		s.object(ofAnswer, nil) // any of them may have answered so
	}
	r.Notes |= s.object(when(s.Flags&facts.FlagAuthorized != 0 && !s.asOf, words.NoteAuthorized), nil)
	d.askCopies(r, s, tl, v)
	isBracketed := d.isBracketed(r, s, tl, v)
	r.Notes |= when(isBracketed, words.NoteBracketed) |
		s.object(when(d.mayBeOtherRun(r, s, v), words.NoteOtherRun), v.governing)
	isContested := s.record.objections()&words.Contests != 0
	if s.isTooCostly() && !isContested { // "Verdicts and reasons"
		r.withdraw(words.TooCostly, nil)
		return
	}
	r.ledBy = tl.leads.to(s)
	led := s.object(when(r.ledBy != nil || s.isTextOfLog(), words.NoteRedirectTarget), nil)
	r.Notes |= when(!isContested, led)
	if first := d.firstAsked(r, s, tl, v); first != nil { // "Runs of a crawler"
		r.Evidence = words.Later
		s.consult(RoleNext, first)
		s.object(words.GroundAskedLater, first)
	}
	s.object(when(r.Evidence == words.Stale, words.GroundStale)|d.uninformed(s, v, isBracketed), v.governing)
	s.object(when(d.mayPrecede(s, tl, v), words.GroundSameSecond), v.governing)

	const shown = words.NoteNoStatus | words.GroundSameSecond            // the record may show that it is a violation,
	const unlike = shown | words.NoteRedirectTarget | words.NoteNoRecord // unless another objection is there
	switch objections := s.record.objections(); {
	case isContested: // "Permitted copies", "Open readings"
		r.Certainty = words.Contested
	case objections&words.Disproofs != 0:
		r.Certainty = words.Possible
		r.mayBeProven = objections&shown != 0 && objections&words.Disproofs&^unlike == 0
	case objections&words.Doubts != 0:
		r.Certainty = words.Probable
	default:
		r.Certainty = words.Certain
	}
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
	if r.userAgent != s.UserAgent {
		of, own := useragent.Contacts(r.userAgent), useragent.Contacts(s.UserAgent)
		isOf := func(contact string) bool { return slices.Contains(of, contact) }
		if len(of) > 0 && len(own) > 0 && !slices.ContainsFunc(own, isOf) {
			return true
		}
	}
	return s.isAny(r.at, s.runs.IsOfOthers)
}

// firstAsked returns the first capture of the fetch's own run, if the token names a crawler only within a run, and this
// one requested this robots.txt only after the fetch: what another run received informed nobody here. Else nil.
func (d *Decider) firstAsked(r *Finding, s *subject, tl *Timeline, v *view) *State {
	isOfAnybody := d.kindOf(s) == agents.Software || r.Notes&words.NoteOtherRun != 0
	if s.own == nil || v.evidence == words.Later || r.AgentSource == words.AgentFromOption || !isOfAnybody {
		return nil
	}
	var first *State
	for _, st := range s.own.states[tl.firstOfRun(s):] {
		switch {
		case first != nil && st.Micros > s.time.Micros+s.unit, !s.look():
			return first
		case !s.isOfRun(st.itself()):
		case s.order(st) < shownAfter:
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
	v := tl.view(candidates{subject: s, beyondDoubt: true})
	r := Finding{Fetch: s.Fetch}
	d.judge(&r, s, tl, &v)
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
func (d *Decider) isBracketed(r *Finding, s *subject, tl *Timeline, v *view) bool {
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
			r.UnreadCaptures = true // an index alone reports one before
			return false
		case st.Forgeable, !isTrusted(st), d.answer(st, s).Verdict != words.Disallowed:
			return false
		}
	}
	return len(next) > 0
}
