package verdict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file gives the verdict and its reason: the answer of the governing capture, unless another shows that it may
// be wrong.

// survey finds what a fetch sees of its origin's timeline, and records what holds for any token.
func (d *Decider) survey(r *Finding, s candidates, tl *Timeline) view {
	v := tl.view(s)
	if v.governing != nil && !s.isTooCostly() {
		s.consult(RoleGoverning, v.governing)
		s.consult(RoleRival, v.moment...)
		r.Governing, r.Evidence, r.Age = v.governing, v.evidence, s.secondsOld(v.governing, v.evidence)
		r.tied, r.UnreadCaptures = v.tied, v.outdated
		d.doubts(s.subject, &v)
		v.others = tl.others(s.subject, &v)
		v.isAlone = !v.outdated && !v.governing.Forgeable && s.order(v.governing) != maybeBefore &&
			len(v.moment)+len(v.older)+len(v.ownNext)+len(v.others) == 1
	}
	s.object(s.notes, nil)
	r.ofAll, r.spent = len(r.Grounds), r.looked
	return v
}

// judge gives the verdict for the subject's token and its reason: the answer of the governing capture, unless another
// capture shows that it may be wrong.
func (d *Decider) judge(r *Finding, s *subject, tl *Timeline, v *view) {
	switch {
	case s.isTooCostly(): // "Verdicts and reasons"
		r.Reason = words.TooCostly
	case v.governing == nil: // "Which capture governs", 4
		r.Reason = words.NoCapture
	default:
		d.judgeBy(r, s, tl, v)
	}
	r.ofVerdict = len(r.Grounds)
	r.Notes = r.notes()
}

// judgeBy gives the verdict by the governing capture.
func (d *Decider) judgeBy(r *Finding, s *subject, tl *Timeline, v *view) {
	r.Answer = d.answerInTime(v.governing, candidates{subject: s}, tl)
	reason, against := d.contradiction(&r.Answer, s, tl, v)
	said := r.Answer.Notes
	switch {
	case s.isTooCostly():
		r.withdraw(words.TooCostly, against)
	case reason != words.NoReason:
		r.withdraw(reason, against)
	// "Unresolved and undefined captures"
	case v.prior != nil && (!v.governing.is(kindAnswers) || s.failsLater(v.governing)):
		s.consult(RolePrior, v.prior)
		r.Prior, r.HasPrior = d.answer(v.prior, s).Verdict, true
	}
	if r.Verdict != words.Allowed {
		said &^= words.NoteNamedGroupForbids
	}
	if r.Verdict == words.Disallowed && v.governing.Outcome == words.OutcomeUnreachable {
		said |= words.GroundFailed
	}
	s.object(said, v.decisive())
}

// decisive is the capture that answers; nil: any of several may have answered so.
func (v *view) decisive() *State {
	if len(v.tied) > 1 {
		return nil
	}
	return v.governing
}

// withdraw makes the verdict unknown, for a reason that a capture shows; nil: none does.
func (r *Finding) withdraw(reason words.Reason, against *State) {
	r.withdrawn, r.against = r.Answer, against
	r.Answer, r.Certainty, r.ledBy = Answer{Reason: reason}, words.NoCertainty, nil
}

// secondsOld is the age of the governing capture in results. Of later evidence, it is how long after the
// fetch the newest content was dated, negative; 0 where it is dated no later.
func (s *subject) secondsOld(st *State, e words.Evidence) int64 {
	if e == words.Later {
		return min(s.time.MicrosSince(st.Newest)/facts.Second, 0)
	}
	return s.age(st) / facts.Second
}

// answerInTime returns the answer of a capture that may govern. RFC 9309 §2.3.1.4 is applied in time:
// unreachable disallows for a day; after more than 30 days of it the crawler may take the file as unavailable.
func (d *Decider) answerInTime(st *State, s candidates, tl *Timeline) Answer {
	isUnreachable := st.Outcome == words.OutcomeUnreachable && !s.failsLater(st)
	if isUnreachable {
		s.consult(RoleBefore, tl.lastDefinite(s)...)
	}
	switch {
	case isUnreachable && s.age(st) > FreshFor:
		return Answer{Reason: words.UnreachableStale}
	case isUnreachable && tl.longUnreachable(s):
		return Answer{Verdict: words.Allowed, Reason: words.UnreachableOver30d}
	case s.isRefusedToOther(st):
		return Answer{Reason: words.RefusedToOther}
	}
	return d.answer(st, s.subject)
}

// answer returns the answer of one robots capture to a fetch, whatever its age.
func (d *Decider) answer(st *State, s *subject) (a Answer) {
	switch st.Outcome {
	case words.OutcomeRules, words.OutcomePartial:
		s.spend(st.costOfAsking())
		file, err := d.files.Get(&st.State)
		if err != nil {
			s.record.err = cmp.Or(s.record.err, err)
			return a
		}
		s.spend(file.Rules / rulesCost)
		r := file.Reader(s.token)
		a.read(file, st, s, &r)
	case words.OutcomeUnavailable:
		a.Verdict, a.Reason = words.Allowed, st.Reason
	case words.OutcomeUnreachable:
		if s.failsLater(st) {
			a.Reason = words.UnresolvedRedirect
			break
		}
		a.Verdict, a.Reason = words.Disallowed, st.Reason
		if s.path != "/robots.txt" && robots.RFC9309.NormalPath(s.path) == "/robots.txt" {
			a.Notes = words.NoteRobotsTxtEncoded
		}
	default:
		a.Reason = st.Reason
	}
	return a
}

// doubts records what is remarked on the fetch, and on the captures that may govern it ("The four classes").
func (d *Decider) doubts(s *subject, v *view) {
	for i, st := range v.tied {
		n := doubtsOf(st) |
			when(i == 0 && !v.own || s.mayBeOthers(st.itself()) || slices.ContainsFunc(st.led, s.mayBeOthers),
				words.NoteOtherCrawler) |
			when(s.mayHaveBegunBefore(st), words.NoteLogged)
		for j := range st.exchanges {
			if i == 0 || j > 0 { // of the others, what they led to counts
				n |= s.orderDoubts(&st.exchanges[j])
			}
		}
		s.object(n&^when(i > 0, words.NoteForgeable), st)
	}
	isUnbound := s.Flags&facts.FlagUnbound != 0 ||
		s.Flags&facts.FlagRequestUnread != 0 && !d.who.HasOne() // it could name another crawler
	s.object(when(s.Flags&facts.FlagForgeable != 0, words.NoteForgeable)|
		when(s.time.Precision < facts.PrecisionSecond && !s.asOf, words.NoteCoarseDate)|
		when(s.Trust == facts.TrustResynced, words.NoteResynced)|
		when(s.Trust == facts.TrustIndexed || isUnbound, words.NoteIndexed)|
		when(s.Trust == facts.TrustListed && !isUnbound, words.NoteListed)|
		when(isDoubtfulLine(s.Fetch), words.NoteLogged)|
		when(s.Flags&facts.FlagNoZone != 0, words.NoteNoZone)|
		when(s.Flags&facts.FlagMayBeNoFetch != 0, words.NoteNoStatus)|
		when(s.Flags&facts.FlagRefuted != 0, words.NoteNoRecord)|
		when(s.Flags&facts.FlagHostMismatch != 0, words.NoteHostMismatch)|
		when(v.outdated, words.NoteUnreadCapture), nil)
}

// doubtsOf are the doubts about a capture, whatever fetch it may govern.
func doubtsOf(st *State) words.Notes {
	return when(st.Resynced, words.NoteResynced) |
		when(st.Forgeable, words.NoteForgeable) |
		when(st.OtherTarget, words.NoteOtherTarget) |
		when(st.Mismatched, words.NoteDigestMismatch) |
		when(st.IsListed(), words.NoteListedRobots) |
		when(st.Flags&facts.FlagNoZone != 0, words.NoteNoZone) |
		when(st.Compressed, words.NoteCompressedSize) |
		when(isDoubtfulLine(&st.Fetch), words.NoteLogged) |
		when(st.Coarsest < facts.PrecisionSecond, words.NoteCoarseDate)
}

// isDoubtfulLine reports whether a fetch is a line of an access log that may be by somebody else than its User-Agent
// says, or, of robots.txt, whose size does not show which version was served ("Access logs").
func isDoubtfulLine(f *facts.Fetch) bool {
	return f.Trust == facts.TrustLogged && f.Flags&facts.FlagOperator == 0
}

// answeredIn is how long a request may take. Many servers write its line when it has ended, with that time.
const answeredIn = 600 * facts.Second

// isTextOfLog reports whether a line of an access log may be of a robots.txt under another name: a log does not have
// where a redirect leads ("Access logs").
func (s *subject) isTextOfLog() bool {
	path, _, _ := strings.Cut(s.path, "?")
	return s.Trust == facts.TrustLogged && strings.HasSuffix(strings.ToLower(path), ".txt")
}

// mayHaveBegunBefore reports whether a line of an access log may be of a request that began before a robots.txt was
// received ("Access logs").
func (s *subject) mayHaveBegunBefore(st *State) bool {
	return s.Trust == facts.TrustLogged && !s.asOf && s.time.MicrosSince(st.Time()) < answeredIn
}

// when returns notes, where they apply.
func when(is bool, n words.Notes) words.Notes {
	if is {
		return n
	}
	return 0
}

// contradiction returns the reason for which a verdict of the governing capture is withdrawn, and the
// capture that shows it; none where the verdict stands. said takes over the open readings of its rivals.
func (d *Decider) contradiction(said *Answer, s *subject, tl *Timeline, v *view) (words.Reason, *State) {
	verdict := said.Verdict
	if v.isAlone {
		return words.NoReason, nil
	}
	if verdict == words.Allowed && v.governing.Forgeable { // "The four classes"
		return words.Forgeable, v.governing
	}
	for _, rival := range v.tied[1:] { // "Captures of one moment": each may be the latest
		a := d.answerInTime(rival, candidates{subject: s}, tl)
		switch {
		case s.isTooCostly():
			return words.NoReason, nil
		case a.Verdict != verdict:
			return words.ConflictingCaptures, rival
		case verdict == words.Disallowed:
			said.Notes |= a.Notes & words.OpenReadings
		}
	}
	if verdict == words.Unknown {
		return words.NoReason, nil
	}
	// "Captures of one moment": it may have come after the fetch, and one before it counts.
	if verdict == words.Disallowed && s.order(v.governing) == maybeBefore {
		earlier := candidates{subject: s, beyondDoubt: true}
		w := tl.view(earlier)
		s.consult(RoleBefore, w.tied...)
		for _, st := range w.tied {
			if s.order(st) > maybeBefore {
				break
			}
			if d.answerInTime(st, earlier, tl).Verdict == words.Allowed {
				return words.ChangedBetween, st
			}
		}
	}
	differs := func(list []*State) *State {
		for _, st := range list {
			if a := d.answer(st, s); a.Verdict != words.Unknown && a.Verdict != verdict {
				return st
			}
			if s.isTooCostly() {
				break
			}
		}
		return nil
	}
	s.consult(RoleOlder, v.older...)
	s.consult(RoleNext, v.ownNext...)
	other := differs(slices.Concat(v.older, v.ownNext)) // "Which capture governs", 2
	if other == nil {
		s.consult(RoleOther, v.others...)
		other = differs(v.others) // "Stale captures"
	}
	switch {
	case other != nil:
		return words.ChangedBetween, other
	case verdict == words.Allowed && v.outdated: // "The four classes"
		return words.UnreadCapture, nil
	}
	return words.NoReason, nil
}
