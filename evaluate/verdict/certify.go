package verdict

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file gives a disallowed fetch its class ("The four classes").

// certify gives a disallowed fetch its certainty: the first of contested, possible, probable and certain
// that fits ("The four classes").
func (d *Decider) certify(r *Finding, s *subject, tl *Timeline, v *view) {
	if r.Verdict != words.Disallowed {
		return
	}
	copies := d.askCopies(s, tl, v)
	isBracketed, isUnread := d.isBracketed(s, tl, v)
	isContested, isTooCostly := copies.contester != nil || r.allows, s.isTooCostly()
	isOtherRun := func(r answered) bool { return !s.isOfRun(r) }
	mayBeOtherRun := func(st *State) bool { return isOtherRun(st.itself()) || slices.ContainsFunc(st.led, isOtherRun) }
	r.Contester = copies.contester
	r.UnreadCaptures = r.UnreadCaptures || copies.unread || isUnread
	r.Notes |= copies.notes | when(isBracketed, words.NoteBracketed) | when(!isContested, copies.orderDoubts) |
		when(v.own && r.AgentSource != words.AgentFromOption && agents.IsSoftware(s.agent) &&
			slices.ContainsFunc(v.tied, mayBeOtherRun), words.NoteOtherRun) // "Runs of a crawler"

	isInformed := !isContested && !isTooCostly && d.isInformed(s, v, isBracketed)
	// An index or a list reports the fetch: the order of the records in its archive would show whether the
	// crawler had received a capture of its moment, but at most this one record was read.
	mayPrecede := isInformed && s.IsReportedByIndex() && s.see(v.governing).mayBeLater &&
		!(s.see(v.governing).relation == maybeBefore && d.isForbiddenBefore(s, tl))
	if !isContested && !isTooCostly {
		r.ledBy = tl.leads.to(s)
		r.Notes |= when(r.ledBy != nil || s.isTextOfLog(), words.NoteRedirectTarget)
	}
	switch {
	case isContested: // "Permitted copies", "Open readings"
		r.Certainty = words.Contested
	case isTooCostly: // "Verdicts and reasons"
		r.withdraw(words.TooCostly, nil)
	case !isInformed, r.Notes&(words.NoteForgeable|words.NoteUnreadCapture|words.NoteHostMismatch) != 0:
		r.Certainty = words.Possible
	case mayPrecede, r.Notes&words.NoteNoStatus != 0: // "Indexes and lists"; the record may show that it is a violation
		r.Certainty, r.mayBeProven = words.Possible, true
	case r.Notes&words.Disproofs != 0: // what is left of them: "Always allowed", "Verified records"
		r.Certainty = words.Possible
	case r.Evidence != words.Fresh, r.Notes&words.Doubts != 0:
		r.Certainty = words.Probable
	default:
		r.Certainty = words.Certain
	}
}

// isInformed reports whether something shows that this crawler had received in time that the fetch is
// disallowed ("Possible").
func (d *Decider) isInformed(s *subject, v *view, isBracketed bool) bool {
	switch {
	case s.agent == "", v.evidence == words.Later,
		slices.ContainsFunc(v.tied, func(st *State) bool { return st.Mismatched || st.IsListed() }):
		return false
	case v.evidence == words.Fresh || isBracketed:
		return true
	case s.see(v.governing).age > informedFor:
		return false
	}
	return v.own || slices.ContainsFunc(v.older, func(older *State) bool {
		return !older.Forgeable && !older.Mismatched && !older.IsListed() && s.see(older).age <= informedFor &&
			d.answer(older, s).Verdict == words.Disallowed
	})
}

// isForbiddenBefore reports whether, without the captures of its own moment, the fetch would be disallowed,
// too, by a capture that informed the crawler in time ("Possible"). Nor may anything else of that moment
// be unreadable: it may be the one that governs.
func (d *Decider) isForbiddenBefore(s *subject, tl *Timeline) bool {
	earlier := *s
	earlier.beyondDoubt = true
	v := tl.view(&earlier)
	r := Finding{Fetch: s.Fetch}
	d.judge(&r, &earlier, tl, &v)
	if r.Verdict != words.Disallowed || v.outdated || s.see(v.governing).mayBeLater {
		return false
	}
	near := tl.all.between(s.time, s.time)
	for st := near.take(); st != nil && earlier.look(); st = near.take() {
		if s.see(st).relation == maybeBefore && s.isUnreadable(st) {
			return false
		}
	}
	return d.isInformed(&earlier, &v, false) && !earlier.isTooCostly()
}

// isBracketed reports whether a stale capture is confirmed by the first definite one after the fetch,
// at most 30 days after ("Stale captures"). Where archives hold several of that moment, all have
// to confirm it. unread: an index alone reports one before.
func (d *Decider) isBracketed(s *subject, tl *Timeline, v *view) (is, unread bool) {
	if v.evidence != words.Stale {
		return false, false
	}
	next := oneOfEach(recordsOf(tl.all.next(s, informedFor)), firstInArchive)
	isAfter := func(t facts.Time) bool { return t.MicrosSince(s.time) > 0 }
	for _, st := range next {
		switch {
		case tl.hasUnread(isAfter, st.Time()):
			return false, true
		case st.Forgeable, st.Mismatched, st.IsListed(), d.answer(st, s).Verdict != words.Disallowed:
			return false, false
		}
	}
	return len(next) > 0, false
}
