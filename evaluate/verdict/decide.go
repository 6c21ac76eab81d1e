// Package verdict decides one fetch by the timeline of its origin's robots.txt: a pure function of the timeline, the
// fetch, the crawler's token and the profile, whose result is a Finding.
//
// Decider.DecideFetch is the way from a fetch to its verdict. A Decider also answers for other tokens (WhatIf), and
// shows what a finding rests on (Finding.Considered, Inquiry). The package reads files of robots.txt by package parsed,
// and knows who made a fetch by package crawler. It loads nothing, counts nothing and writes nothing.
package verdict

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/parsed"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file is the way from a fetch to its verdict, from top to bottom: DecideFetch and settle, judge (the verdict and
// its reason), certify (the certainty). Then come their inputs: the fetch (subject), the captures that count for it
// (view), each capture as the fetch sees it (sight). The names in quotation marks are sections of docs/SEMANTICS.md.

// Bounds of time.
const (
	// FreshFor is how old the content of a copy of robots.txt may be that is used (RFC 9309 §2.4).
	FreshFor = facts.Day
	// how long a crawler counts as informed: older evidence accuses nobody, unless the next capture confirms it
	informedFor = 30 * facts.Day
	// how long a server has to be unreachable until crawlers may take its robots.txt as unavailable
	// (RFC 9309 §2.3.1.4)
	unreachableMay = 30 * facts.Day
)

// Decider decides fetches. It holds no state of its own between them but caches.
type Decider struct {
	files *parsed.Cache
	who   *crawler.Names
	made  *crawler.Software
	runs  *facts.Set // knows the runs of crawlers

	subjects uint64 // so many were made
	err      error  // the first of reading a file; see failed
}

// NewDecider decides the fetches of a set of facts, by its robots.txt files, by who made them, and with which software.
func NewDecider(set *facts.Set, files *parsed.Cache, who *crawler.Names, made *crawler.Software) *Decider {
	return &Decider{files: files, who: who, made: made, runs: set}
}

// failed returns the error of reading a file since it was called last. What was decided then is nothing.
func (d *Decider) failed() error {
	err := d.err
	d.err = nil
	return err
}

// DecideFetch makes r the verdict on a fetch for the crawler that made it.
func (d *Decider) DecideFetch(r *Finding, f *facts.Fetch, tl *Timeline) error {
	*r = Finding{Fetch: f}
	by := d.who.CrawlerOf(f)
	r.Agent, r.AgentSource, r.Notes, r.software = by.Token, by.Source, by.Notes, d.made.SoftwareFor(f, by)
	return d.settle(r, tl, by.Other)
}

// DecideFor makes r the verdict on a fetch, perhaps one that was never made, for a crawler that its User-Agent does
// not name. source is how its token is known; both zero: it is not known.
func (d *Decider) DecideFor(
	r *Finding, f *facts.Fetch, tl *Timeline, agent string, source words.AgentSource,
) error {
	*r = Finding{Fetch: f, Agent: agent, AgentSource: source}
	return d.settle(r, tl, "")
}

// settle gives the verdict on a fetch for the agent of r. other is the token of a second crawler that its
// User-Agent names.
func (d *Decider) settle(r *Finding, tl *Timeline, other string) error {
	s := d.newSubject(r.Fetch, r.Agent, tl, facts.Time{})
	r.decider, r.timeline = d, tl
	isSupported, isRobotsTxt := s.Flags&facts.FlagUnsupportedScheme == 0, s.path == "/robots.txt"
	r.RobotsCapture = isSupported && isRobotsTxt && s.Method == http.MethodGet && s.Flags&facts.FlagHostMismatch == 0
	r.PolicyFile = isSupported && s.Method == http.MethodGet && s.Status/100 == 2 && tag.IsPolicyFile(s.path)
	isLedTo := false
	if len(tl.marks) > 0 {
		_, isLedTo = slices.BinarySearchFunc(tl.marks, resolve.MarkOf(s.Fetch), resolve.CompareMarks)
	}
	switch {
	case !isSupported: // "Fetch"
		r.Reason = words.UnsupportedScheme
		return nil
	// "Robots capture", "Always allowed": robots.txt itself, and what its redirects led to. Google's matcher
	// knows no such rule; a row of an index without the method may be a capture.
	case r.RobotsCapture, isRobotsTxt && (d.files.Profile().AllowsItself() || s.Method == ""), isLedTo:
		r.Verdict, r.Reason = words.Allowed, words.RobotsTxtItself
		return nil
	case !s.time.Known(): // "Time"
		r.Reason = words.NoTime
		return nil
	case s.Flags&facts.FlagForged != 0: // "Access logs"
		r.Reason = words.ForgedAgent
		return nil
	case s.Trust == facts.TrustLogged && s.agent == "":
		r.Reason = words.NoCrawler
		return nil
	}
	if s.Flags&facts.FlagURLCut != 0 {
		r.Notes |= words.NoteURLCut
	}
	if other == "" {
		d.conclude(r, &s, tl)
	} else {
		d.settleBoth(r, &s, tl, other)
	}
	d.readOwn(r, &s)
	d.findChange(r, &s, tl)
	return d.failed()
}

// conclude makes r the verdict by the rules for the subject's token. judged is the same without its certainty.
func (d *Decider) conclude(r *Finding, s *subject, tl *Timeline) (judged Finding) {
	v := tl.view(s)
	d.judge(r, s, tl, &v)
	judged = *r
	d.certify(r, s, tl, &v)
	return judged
}

// settleBoth gives the verdict on a fetch whose User-Agent names two crawlers ("The crawler's token"): nobody
// knows which of the two it was, so the one that accuses less counts.
func (d *Decider) settleBoth(r *Finding, s *subject, tl *Timeline, other string) {
	second := *r
	judged := d.conclude(r, s, tl)
	if r.Verdict == words.Unknown {
		return
	}
	s.token, s.looked = other, 0
	d.conclude(&second, s, tl)
	switch {
	case second.Verdict == r.Verdict && (second.Certainty != words.Contested || r.Certainty == words.Contested):
		if second.Certainty > r.Certainty {
			r.Certainty, r.mayBeProven = second.Certainty, second.mayBeProven
		}
		r.UnreadCaptures = r.UnreadCaptures || second.UnreadCaptures
		r.Notes &^= words.NoteBracketed &^ second.Notes
	case second.Reason == words.TooCostly:
		*r = judged
		r.withdraw(words.TooCostly, nil)
	default:
		*r = judged
		r.withdraw(words.AmbiguousToken, cmp.Or(second.against, second.Contester, second.Governing))
	}
}

// judge gives the verdict and its reason: the answer of the governing capture, unless another capture
// shows that it may be wrong.
func (d *Decider) judge(r *Finding, s *subject, tl *Timeline, v *view) {
	switch {
	case s.isTooCostly(): // "Verdicts and reasons"
		r.Reason = words.TooCostly
		return
	case v.governing == nil: // "Which capture governs", 4
		r.Reason = words.NoCapture
		return
	}
	r.Governing, r.Evidence, r.Age = v.governing, v.evidence, s.secondsOld(v.governing, v.evidence)
	r.tied, r.UnreadCaptures = v.tied, v.outdated
	notes := r.Notes | d.doubts(s, v)
	if v.outdated {
		notes |= words.NoteUnreadCapture
	}
	r.Answer = d.answerInTime(v.governing, s, tl)
	r.Notes |= notes
	switch reason, against := d.contradiction(&r.Answer, s, tl, v); {
	case s.isTooCostly():
		r.withdraw(words.TooCostly, against)
	case reason != words.NoReason:
		r.withdraw(reason, against)
	// "Unresolved and undefined captures"
	case v.prior != nil && (!v.governing.is(kindAnswers) || s.see(v.governing).failsLater):
		r.Prior, r.HasPrior = d.answer(v.prior, s).Verdict, true
	}
}

// withdraw makes the verdict unknown, for a reason that a capture shows; nil: none does.
func (r *Finding) withdraw(reason words.Reason, against *State) {
	r.withdrawn, r.against = r.Answer, against
	r.Answer = Answer{Reason: reason, Notes: r.Notes &^ words.NoteNamedGroupForbids}
}

// secondsOld is the age of the governing capture in results. Of later evidence, it is how long after the
// fetch the newest content was dated, negative; 0 where it is dated no later.
func (s *subject) secondsOld(st *State, e words.Evidence) int64 {
	if e == words.Later {
		return min(s.time.MicrosSince(st.Newest)/facts.Second, 0)
	}
	return s.see(st).age / facts.Second
}

// answerInTime returns the answer of a capture that may govern. RFC 9309 §2.3.1.4 is applied in time:
// unreachable disallows for a day; after more than 30 days of it the crawler may take the file as unavailable.
func (d *Decider) answerInTime(st *State, s *subject, tl *Timeline) Answer {
	isUnreachable := st.Outcome == words.OutcomeUnreachable && !s.see(st).failsLater
	switch {
	case isUnreachable && s.see(st).age > FreshFor:
		return Answer{Reason: words.UnreachableStale}
	case isUnreachable && tl.longUnreachable(s):
		return Answer{Verdict: words.Allowed, Reason: words.UnreachableOver30d}
	case s.see(st).isRefusal:
		return Answer{Reason: words.RefusedToOther}
	}
	return d.answer(st, s)
}

// answer returns the answer of one robots capture to a fetch, whatever its age.
func (d *Decider) answer(st *State, s *subject) (a Answer) {
	switch st.Outcome {
	case words.OutcomeRules, words.OutcomePartial:
		s.spend(st.costOfAsking())
		file, err := d.files.Get(&st.State)
		if err != nil {
			d.err = cmp.Or(d.err, err)
			return a
		}
		s.spend(file.Rules / rulesCost)
		r := file.Reader(s.token)
		a.read(file, st, s, &r)
	case words.OutcomeUnavailable:
		a.Verdict, a.Reason = words.Allowed, st.Reason
	case words.OutcomeUnreachable:
		if s.see(st).failsLater {
			a.Reason = words.UnresolvedRedirect
			break
		}
		a.Verdict, a.Reason = words.Disallowed, st.Reason
		if s.path != "/robots.txt" && robots.RFC9309.NormalPath(s.path) == "/robots.txt" {
			a.Notes, a.allows = words.NoteRobotsTxtEncoded, true
		}
	default:
		a.Reason = st.Reason
	}
	return a
}

// doubts are the notes on the fetch, and on the captures that may govern it ("Probable", "Possible").
func (d *Decider) doubts(s *subject, v *view) (n words.Notes) {
	for i, st := range v.tied {
		n |= s.see(st).ledDoubts |
			when(i == 0, s.see(st).doubts) | // of the others, what they led to counts
			when(s.mayBeOthers(st.itself()) || slices.ContainsFunc(st.led, s.mayBeOthers), words.NoteOtherCrawler) |
			when(st.Resynced, words.NoteResynced) |
			when(st.OtherTarget, words.NoteOtherTarget) |
			when(st.Mismatched, words.NoteDigestMismatch) |
			when(st.IsListed(), words.NoteListedRobots) |
			when(isDoubtfulLine(&st.Fetch) || s.mayHaveBegunBefore(st), words.NoteLogged) |
			when(st.Coarsest < facts.PrecisionSecond, words.NoteCoarseDate)
	}
	isUnbound := s.Flags&facts.FlagUnbound != 0 ||
		s.Flags&facts.FlagRequestUnread != 0 && !d.who.HasOne() // it could name another crawler
	return n |
		when(!v.own, words.NoteOtherCrawler) |
		when(v.governing.Forgeable || s.Flags&facts.FlagForgeable != 0, words.NoteForgeable) |
		when(s.time.Precision < facts.PrecisionSecond && !s.asOf, words.NoteCoarseDate) |
		when(s.Trust == facts.TrustResynced, words.NoteResynced) |
		when(s.Trust == facts.TrustIndexed || isUnbound, words.NoteIndexed) |
		when(s.Trust == facts.TrustListed && !isUnbound, words.NoteListed) |
		when(isDoubtfulLine(s.Fetch), words.NoteLogged) |
		when(s.Flags&facts.FlagMayBeNoFetch != 0, words.NoteNoStatus) |
		when(s.Flags&facts.FlagRefuted != 0, words.NoteNoRecord) |
		when(s.Flags&facts.FlagHostMismatch != 0, words.NoteHostMismatch)
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
	if verdict == words.Allowed && v.governing.Forgeable { // "Possible"
		return words.Forgeable, v.governing
	}
	for _, rival := range v.tied[1:] { // "Captures of one moment": each may be the latest
		a := d.answerInTime(rival, s, tl)
		switch {
		case s.isTooCostly():
			return words.NoReason, nil
		case a.Verdict != verdict:
			return words.ConflictingCaptures, rival
		case verdict == words.Disallowed:
			said.allows, said.Notes = said.allows || a.allows, said.Notes|a.Notes&words.OpenReadings
		}
	}
	if verdict == words.Unknown {
		return words.NoReason, nil
	}
	// "Captures of one moment": it may have come after the fetch, and one before it counts.
	if verdict == words.Disallowed && s.see(v.governing).relation == maybeBefore {
		earlier := *s
		earlier.beyondDoubt = true
		w := tl.view(&earlier)
		s.looked = earlier.looked
		for _, before := range w.tied {
			if s.see(before).relation > maybeBefore {
				break
			}
			a := d.answerInTime(before, &earlier, tl)
			if s.looked = earlier.looked; a.Verdict == words.Allowed {
				return words.ChangedBetween, before
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
	other := differs(slices.Concat(v.older, v.ownNext)) // "Which capture governs", 2
	if other == nil {
		other = differs(tl.others(s, v)) // "Stale captures"
	}
	switch {
	case other != nil:
		return words.ChangedBetween, other
	case verdict == words.Allowed && v.outdated: // "Possible"
		return words.UnreadCapture, nil
	}
	return words.NoReason, nil
}

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

// to returns the redirects of robots.txt that may have led to a fetch: one, or two that may have led to
// each other's target; none where none may.
func (l leads) to(s *subject) []*resolve.Lead {
	if len(l) == 0 || s.Method != http.MethodGet && s.Method != "" {
		return nil
	}
	u, _ := weburl.Parse(s.URL)
	if why := l.at(visited{key: u.Key(), crawler: s.key}, s); why != nil {
		return why
	}
	// Some crawlers send a User-Agent with every request but those for robots.txt.
	for _, at := range append([]spot{s.spot()}, s.places[facts.SpotOf(s.Fetch)]...) {
		if why := l.at(visited{key: u.Key(), archive: at.InRun()}, s); why != nil {
			return why
		}
	}
	return nil
}

func (l leads) at(to visited, s *subject) []*resolve.Lead {
	windows := l[to]
	n := sort.Search(len(windows), func(i int) bool { return windows[i].from >= s.time.Micros+s.unit })
	if n == 0 || windows[n-1].to < s.time.Micros {
		return nil
	}
	return windows[n-1].why
}

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

// subject is a fetch with what the decision needs of its URL.
type subject struct {
	*facts.Fetch
	number uint64 // of the subject, from 1, but for copies that see captures alike
	path   string // what rules are matched against
	agent  string // whose captures count: the crawler's own token
	key    string // the same, comparable
	token  string // whose rules are asked for: the same, but in a what-if
	time   facts.Time
	unit   int64 // the length of what its date names, in microseconds

	places       places     // of records that several archives hold
	runs         *facts.Set // knows the runs of crawlers
	unclear      unclear    // as of timeline
	own          *line      // the crawler's own captures; nil: none
	ownsNameless bool       // captures without a token in the fetch's run are among them
	withRefusals bool       // what other crawlers were refused governs, since nothing else does
	asOf         bool       // time is not the fetch's own: the order of records shows nothing
	beyondDoubt  bool       // only captures that are before the fetch beyond doubt count
	looked       int        // see look
}

// newSubject is a fetch by an agent, asked about as of a moment: its own, where that is unknown.
func (d *Decider) newSubject(f *facts.Fetch, agent string, tl *Timeline, asOf facts.Time) subject {
	d.subjects++
	s := subject{
		Fetch: f, number: d.subjects, path: weburl.PathQueryOf(f.Origin, f.URL), agent: agent, key: d.who.Key(agent),
		token: agent,
		time:  f.Time(), places: tl.places, runs: d.runs, unclear: tl.unclear,
	}
	if asOf.Known() {
		s.time, s.asOf = asOf, true
	}
	s.unit = s.time.Precision.Unit()
	s.own, s.ownsNameless = tl.ownOf(&s)
	return s
}

// An ownKey is what shows which captures without a token are a crawler's own: its token, the User-Agent of a
// fetch, and the runs of the archives that hold it.
type ownKey struct {
	key, userAgent string
	run            facts.Spot
	others         string // further runs
}

// maxJoined bounds the lines that are made of a crawler's captures and of those without a token.
const maxJoined = 256

// ownOf returns the captures of the crawler that made a fetch. Some crawlers request robots.txt without
// a User-Agent: in its run, these are its own. all is false where there are none.
func (tl *Timeline) ownOf(s *subject) (own *line, all bool) {
	own = tl.byAgent[s.key]
	others := tl.places[facts.SpotOf(s.Fetch)]
	if s.key == "" || s.Run == 0 && len(others) == 0 {
		return own, false
	}
	nameless := tl.byAgent[""]
	if nameless == nil {
		return own, false
	}
	key := ownKey{s.key, s.UserAgent, facts.SpotOf(s.Fetch).InRun(), ""}
	for _, other := range others {
		key.others += fmt.Sprintln(other.InRun())
	}
	joined, known := tl.joined[key]
	if !known {
		if len(tl.joined) >= maxJoined {
			return own, false
		}
		if tl.joined == nil {
			tl.joined = make(map[ownKey]*line)
		}
		if slices.ContainsFunc(nameless.states, func(st *State) bool { return s.owns(st.itself()) }) {
			joined = newLine(filter(tl.all.states, func(st *State) bool { return s.owns(st.itself()) }))
		}
		tl.joined[key] = joined
	}
	if joined == nil {
		return own, false
	}
	return joined, true
}

// maxLooked bounds the captures that are looked at for one fetch, where one that is asked
// counts as askedCost, and each bodyCost bytes of its body, rulesCost rules of it, and each matchCost
// bytes that its rules with a "*" look at, as one more: an origin may have sent another file with
// every second. The files are no more than the cache of parsed files holds. Beyond it nothing is known
// of the fetch (TooCostly).
const (
	maxLooked = 1000
	askedCost = 8
	bodyCost  = 32 << 10
	rulesCost = 128
	matchCost = 32 << 10
)

func (s *subject) match(g *robots.Group) robots.Decision {
	d := g.Match(s.path)
	s.spend(d.Cost() / matchCost)
	return d
}

// look counts a capture that is looked at for a fetch; false: they are too many.
func (s *subject) look() bool { return s.spend(1) }

func (s *subject) spend(looks int) bool {
	s.looked += looks
	return !s.isTooCostly()
}

func (s *subject) isTooCostly() bool { return s.looked > maxLooked }

// costOfAsking is the cost of an answer of the capture, in looks.
func (s *State) costOfAsking() int {
	if !s.HasBody {
		return 1
	}
	return askedCost + int(s.BodySize/bodyCost)
}

// view is what a fetch sees of its origin's timeline.
type view struct {
	governing *State // nil where no capture is near
	evidence  words.Evidence
	own       bool     // the governing capture is the crawler's own
	moment    []*State // the captures of the governing one's moment, it included
	tied      []*State // the governing one, and the captures of its moment in other archives: nothing shows their order
	prior     *State   // the capture before it, in its line, that answers
	ownNext   []*State // where another's governs: the crawler's own first ones within a day after the fetch
	older     []*State // the same: its own latest definite one; in several archives, one in each
	outdated  bool     // an index reports a capture that would govern in its place, and no input holds it
}

// view finds the capture that governs a fetch ("Which capture governs"), and those near it that count.
func (tl *Timeline) view(s *subject) (v view) {
	if s.own != nil {
		v = s.own.latest(s) // 1: the crawler's own, if that is fresh
	}
	if own := v; own.governing == nil || s.see(own.governing).age > FreshFor {
		v = tl.all.latest(s)               // 2: the latest by anyone
		if v.own && own.governing != nil { // all of the crawler's own of that moment count, however old
			v.governing, v.tied, v.evidence = own.governing, own.tied, own.evidence
		}
	}
	if v.governing == nil { // 3: the earliest definite one within a day after the fetch, the crawler's own first
		if s.own != nil {
			v.moment = s.own.next(s, facts.Day)
		}
		if len(v.moment) == 0 {
			v.moment = tl.all.next(s, facts.Day)
		}
		if len(v.moment) > 0 {
			v.evidence = words.Later
			v.choose(s, firstInArchive)
		}
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
		v.older = s.own.latestWith(kindDefinite, s)
		if v.evidence == words.Fresh { // around a stale one, everybody's are looked at
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
		return s.see(v.governing).relation > maybeBefore || t.MicrosSince(finest.Time()) >= 0
	}, s.time)
	return v
}

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
	if v.moment = s.ofMoment(near, last, s.mayGovern); v.moment == nil {
		v.moment = l.states[i : i+1 : i+1]
	} else {
		v.moment = append(v.moment, l.states[i])
	}
	v.prior = l.lastOf(kindAnswers, i, s)
	v.choose(s, lastInArchive)
	switch {
	case s.see(v.governing).isLater:
		v.evidence = words.Later
	case s.see(v.governing).age <= FreshFor:
		v.evidence = words.Fresh
	default:
		v.evidence = words.Stale
	}
	return v
}

// Of two captures of one moment in one archive, which one counts: the last before a fetch, the first after it.
func lastInArchive(a, b *State) bool  { return a.Index > b.Index }
func firstInArchive(a, b *State) bool { return a.Index < b.Index }

// choose finds the capture that governs ("Captures of one moment"), and others that may govern in its place:
// where the crawler's own governs, the captures of others are no rivals but copies. Nothing shows the order of
// captures in several archives, and the doubts of all count. So between two that differ in nothing of this
// list, either may be taken.
func (v *view) choose(s *subject, wins func(a, b *State) bool) {
	v.moment = recordsOf(v.moment)
	if len(v.moment) == 1 { // as nearly always
		v.governing, v.own, v.tied = v.moment[0], s.see(v.moment[0]).isOwn, v.moment
		return
	}
	last := oneOfEach(v.moment, wins)
	v.governing = last[0]
	for _, st := range last[1:] {
		if s.prefers(st, v.governing, wins) {
			v.governing = st
		}
	}
	v.own = s.see(v.governing).isOwn
	rivals := filter(v.moment, func(st *State) bool {
		return !facts.SpotOf(&st.Fetch).SameRun(facts.SpotOf(&v.governing.Fetch)) && (!v.own || s.see(st).isOwn)
	})
	v.tied = append([]*State{v.governing}, oneOfEach(rivals, wins)...)
}

// recordsOf returns the records among captures of one moment, which stand above rows of tables; the rows, if
// there are no others ("Tables of robots.txt").
func recordsOf(moment []*State) []*State {
	records := filter(moment, func(st *State) bool { return !st.IsListed() })
	if len(records) == 0 {
		return moment
	}
	return records
}

func (s *subject) prefers(a, b *State, wins func(a, b *State) bool) bool {
	at, than := facts.SpotOf(&a.Fetch), facts.SpotOf(&b.Fetch)
	switch x, y := s.see(a), s.see(b); {
	case x.isOwn != y.isOwn: // the crawler's own
		return x.isOwn
	case at.SameRun(than):
		return wins(a, b)
	case a.Forgeable != b.Forgeable: // one that no page could forge
		return b.Forgeable
	case x.isLater != y.isLater: // one whose content is later than the fetch
		return x.isLater
	case x.age != y.age: // the oldest content
		return x.age > y.age
	case x.relation != y.relation: // one that stands before the fetch beyond doubt
		return x.relation < y.relation
	case s.provesOrder(at) != s.provesOrder(than): // if another archive of the fetch holds one
		return s.provesOrder(at)
	case a.Precision != b.Precision: // the finest date
		return a.Precision > b.Precision
	}
	return at.Compare(than) > 0
}

// next returns the first definite captures of the line within a time after a fetch:
// the ones with the smallest date. Several may share it.
func (l *line) next(s *subject, within int64) []*State {
	var found []*State
	near := l.between(s.time.Add(-l.late), s.time.Add(within))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if len(found) > 0 && st.Micros > found[0].Micros+found[0].Precision.Unit() {
			break
		}
		switch {
		case !st.isDefinite():
			near.skipAlike(near.end)
		case s.see(st).relation < shownAfter || -s.see(st).gap > within:
		case s.withRefusals || !s.see(st).isRefusal:
			found = append(found, st)
		}
	}
	var first [facts.PrecisionMicrosecond + 1]*State // of each precision
	return filter(found, func(st *State) bool {
		isLater := func(f *State) bool { return f != nil && st.Time().MicrosSince(f.Time()) > 0 }
		if slices.ContainsFunc(first[:], isLater) {
			return false
		}
		if first[st.Precision] == nil {
			first[st.Precision] = st
		}
		return true
	})
}

// others returns, where the governing capture is stale, the captures that differ from it:
// between its content and the fetch, and within a day after the fetch. For the verdict of
// a whole day, the captures of the day are among them in any case.
func (tl *Timeline) others(s *subject, v *view) (list []*State) {
	asked := v.governing
	consider := func(st *State) {
		if st.isDefinite() && st != v.governing && !st.isAlike(asked) && (s.withRefusals || !s.see(st).isRefusal) {
			list, asked = append(list, st), st
		}
	}
	if v.evidence != words.Stale && !s.isWholeDay() {
		return nil
	}
	if v.evidence != words.Stale {
		near := tl.all.between(s.time, s.time)
		for st := near.take(); st != nil && s.look(); st = near.take() {
			if s.see(st).gap == 0 {
				consider(st)
				near.skipAlike(near.end)
			}
		}
		return list
	}
	content := []resolve.Step{v.governing.OldestApplied()}
	start := content[0].Time
	for _, st := range v.tied[1:] {
		if st.Time().MicrosSince(start) == 0 {
			content = append(content, st.Itself())
		}
	}
	near := tl.all.between(start, s.time)
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(start) < 0 || s.see(st).relation > maybeBefore {
			continue
		}
		isReplacedBy := func(r resolve.Step) bool {
			// the later of two of one moment, by its place in the archive of both
			at := facts.SpotOf(&st.Fetch)
			return st.Time().MicrosSince(r.Time) == 0 && at.SameRun(r.Spot) && at.Index < r.Index
		}
		if !slices.ContainsFunc(content, isReplacedBy) {
			consider(st)
		}
		if st != v.governing && st.Micros > start.Micros+start.Precision.Unit() {
			near.skipAlike(near.end)
		}
	}
	near = tl.all.between(s.time.Add(-tl.all.late), s.time.Add(facts.Day))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if s.see(st).relation < shownAfter || -s.see(st).gap > facts.Day {
			continue
		}
		consider(st)
		if st != v.governing {
			near.skipAlike(near.end)
		}
	}
	return list
}

// longUnreachable reports whether an unbroken run of unreachable captures began longer ago than unreachableMay
// and still lasts at a fetch: of the crawler's own, or of anyone's. The last one of a run is
// within a day, so there are at least two. Captures of the fetch's own moment, and those that took long,
// may have come after it.
func (tl *Timeline) longUnreachable(s *subject) bool {
	for _, l := range [...]*line{s.own, tl.all} {
		if l == nil {
			continue
		}
		end := l.upTo(s)
		start := end
		isNear := func(st *State) bool {
			return s.see(st).gap == 0 || s.time.Micros-st.Micros <= l.late
		}
		for start > 0 && isNear(l.states[start-1]) && s.look() {
			start--
		}
		run := l.runs[start]
		for _, st := range l.states[start:end] {
			if s.counts(st) && !s.see(st).failsLater {
				run = run.with(st)
			}
		}
		if run.first != nil && s.see(run.first).gap > unreachableMay && s.see(run.last).gap <= FreshFor {
			return true
		}
	}
	return false
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

// latestWith returns all captures of a kind, at or before a fetch, at its latest moment: the last in each archive.
func (l *line) latestWith(k kind, s *subject) []*State {
	last := l.lastOf(k, l.upTo(s), s)
	if last == nil {
		return nil
	}
	return oneOfEach(l.allOf(k, last, s), lastInArchive)
}

// allOf returns the captures of a kind that are of one's moment, and at or before a fetch.
func (l *line) allOf(k kind, one *State, s *subject) []*State {
	return s.ofMoment(l.between(one.Time(), one.Time()), one.Time(),
		func(st *State) bool { return st.is(k) && s.mayGovern(st) && !s.see(st).failsLater })
}

// ofMoment returns the captures of a moment that keep accepts.
func (s *subject) ofMoment(near span, t facts.Time, keep func(*State) bool) (moment []*State) {
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(t) == 0 && keep(st) {
			moment = append(moment, st)
		}
	}
	return moment
}

// lastOf returns the latest capture of a kind, among the first n, that is at or before a
// fetch; nil where there is none.
func (l *line) lastOf(k kind, n int, s *subject) *State {
	for i := l.latestOf[k][n]; i > 0 && s.look(); i = l.latestOf[k][i-1] {
		if st := l.states[i-1]; s.mayGovern(st) && !s.see(st).failsLater {
			return st
		}
	}
	return nil
}

// upTo returns how many captures lie at or before a fetch, the two compared at the
// coarser precision. Of a fetch dated with a day, all captures of that day count
// as before.
func (l *line) upTo(s *subject) int {
	if s.isWholeDay() {
		return l.from(s.time.Micros + facts.Day)
	}
	n := sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros > s.time.Micros })
	for n < len(l.states) && s.see(l.states[n]).gap >= 0 && s.look() {
		n++
	}
	return n
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

// A sight is a capture as a fetch sees it.
type sight struct {
	of        uint64   // the subject that sees it
	relation  relation // where it stands to the fetch in time
	isOwn     bool     // the crawler that made the fetch made it
	isRefusal bool     // it led to a refusal to another crawler, though it may be the crawler's own ("Refusals")
	isLater   bool     // a record whose content it applies was got after the fetch
	// it counts as before, and redirects to what was unreachable after: nobody knows what it led to at the fetch
	failsLater bool
	// a record whose content it applies is of the fetch's moment and counts as before, but may have come after
	mayBeLater bool
	gap        int64 // from its date to the fetch, in microseconds
	age        int64 // of its content at the fetch, likewise

	// on the order of the capture itself and the fetch; on that of the records that it led to
	doubts, ledDoubts words.Notes
}

// see returns a capture as the fetch sees it, until the next subject does.
func (s *subject) see(st *State) *sight {
	v := &st.sight
	if v.of == s.number && s.number != 0 {
		return v
	}
	itself := facts.SpotOf(&st.Fetch)
	*v = sight{
		of: s.number, isOwn: st.key == s.key || s.ownsNameless && s.owns(st.itself()),
		gap: s.time.MicrosSince(st.Time()), age: s.time.MicrosSince(st.Oldest),
	}
	v.relation = s.relationOf(st, itself, v.gap)
	apply := func(relation relation, at facts.Spot, gap int64) {
		doubts := &v.doubts
		if at != itself {
			doubts = &v.ledDoubts
		}
		switch {
		case relation >= shownAfter:
			v.isLater = true
		case relation == maybeBefore && gap != 0:
			*doubts |= words.NoteOrderDoubt
		case relation == maybeBefore:
			v.mayBeLater = true
			*doubts |= words.NoteSameMoment
		case gap == 0 && !s.asOf && !s.provesOrder(at):
			*doubts |= words.NoteSameMoment
		}
		if st.Coarsest < facts.PrecisionSecond { // the one that comes first need not be that of the oldest
			v.age = max(v.age, gap)
		}
	}
	apply(v.relation, itself, v.gap)
	for i := range st.hops() {
		hop := &st.hops()[i]
		gap := s.time.MicrosSince(hop.Time)
		apply(s.relationTo(hop.Spot, hop.Time, hop.Millis, gap), hop.Spot, gap)
	}
	v.failsLater = st.Outcome == words.OutcomeUnreachable && v.relation <= maybeBefore && v.isLater
	v.isRefusal = st.isRefusal() && !(v.isOwn && s.owns(st.last()))
	return v
}

// hops returns the records that the capture's redirects led to, whose content it applies.
func (s *State) hops() []resolve.Step {
	if s.ledTo == nil && s.StepText != "" {
		s.ledTo = s.Applied()[1:]
	}
	return s.ledTo
}

// isRefusal reports whether the server refused robots.txt to the crawler that requested it: that
// it is unavailable "to the crawler" (RFC 9309 §2.3.1.3) has no effect on others.
func (s *State) isRefusal() bool {
	refuses := s.FinalStatus == http.StatusUnauthorized || s.FinalStatus == http.StatusForbidden ||
		s.FinalStatus == http.StatusTooManyRequests
	if s.Trust == facts.TrustLogged && s.Outcome == words.OutcomeUnreachable {
		return true // servers answer many clients so, to be rid of them ("Access logs")
	}
	return refuses && s.Outcome == words.OutcomeUnavailable && s.Reason == words.Unavailable
}

// A relation is the order of a record and a fetch in time.
type relation uint8

const (
	before relation = iota // beyond doubt
	// counts as before, in doubt: of the same moment in another archive, so near that an order would have to show it,
	// or something speaks against its date
	maybeBefore
	// dated no later, and counts as after: of the same moment and later in its archive, or shown to have ended after it
	shownAfter
	after // dated later
)

// maxTook and maxLate bound how late an answer may have come by a duration and by a Date field that are
// believed. Of a longer time there is doubt, and no more. Heritrix ends a fetch after 20 minutes. maxDrift is
// by how many seconds the server's clock may lie from the crawler's, to be taken for the same. minApart is how
// far two dates have to be apart where nothing else shows that an answer came before the other request.
const (
	maxTook  = 20 * 60 * facts.Second
	maxLate  = 10 * 60 * facts.Second
	maxDrift = 5
	minApart = 3 * facts.Second
)

// relationOf returns where a capture stands to the fetch in time: by their dates, and by what else the
// archives show of the two exchanges ("Received before"). A date is when an exchange began, or when it ended.
func (s *subject) relationOf(st *State, at facts.Spot, gap int64) relation {
	r := s.relationTo(at, st.Time(), st.Millis, gap)
	// The Date fields show when the server answered the two requests. A cache may have sent an old one: so that
	// of the fetch has to be near its WARC-Date. One of robots.txt that is later comes from no cache.
	drift := s.ServerSeconds - s.Micros/1e6
	switch {
	case r >= shownAfter || s.asOf || s.ServerSeconds == 0 || st.ServerSeconds <= s.ServerSeconds,
		st.Origin != s.Origin || st.Kind != facts.CaptureRobots,
		drift < -maxDrift || drift > maxDrift || s.Precision < facts.PrecisionSecond:
		return r
	case st.ServerSeconds-st.Micros/1e6 > maxLate/facts.Second:
		return maybeBefore
	}
	return shownAfter
}

// relationTo is the same for any record, of a date and a duration, so long before the fetch.
func (s *subject) relationTo(at facts.Spot, date facts.Time, millis int32, gap int64) relation {
	took, ended := int64(millis)*1000, before
	if took > 0 { // the exchange ended so long after its date, or later by what the date's last digit is worth
		end := facts.Time{Micros: date.Micros + took, Precision: facts.PrecisionMicrosecond}
		switch {
		case took <= maxTook && s.time.MicrosSince(end.Truncate(date.Precision)) < 0:
			ended = shownAfter
		case date.Latest()+took > s.time.Micros:
			ended = maybeBefore
		}
	}
	switch {
	case gap < 0:
		return after
	case s.asOf:
		return before
	case gap > 0 && ended != before:
		return ended
	}
	order := maybeBefore // as the archives that hold both records show it ("Order within one moment")
	s.places.any(at, s.spot(), func(a, b spot) bool {
		switch {
		case !a.SameRun(b.Spot), gap > 0 && !s.isOrdered(a.Spot):
		case a.Index < b.Index:
			order = before
		case gap == 0:
			order = shownAfter
		default: // recorded after the fetch, although it is dated before
			ended = maybeBefore
		}
		return order == shownAfter || ended == maybeBefore && gap > 0
	})
	switch {
	case gap > 0 && gap < minApart && millis < 0 && s.Trust != facts.TrustLogged:
		return max(ended, order)
	case gap > 0:
		return ended
	case ended == shownAfter || took > maxTook:
		return max(ended, order)
	}
	return order
}

// isOrdered reports whether the records of a run stand in the order in which the exchanges ended.
func (s *subject) isOrdered(at facts.Spot) bool {
	run := s.runs.CrawlRunOf(at)
	return run != nil && !run.Unordered
}

// counts reports whether a capture is at or before the fetch.
func (s *subject) counts(st *State) bool {
	relation := s.see(st).relation
	return relation == before || relation == maybeBefore && !s.beyondDoubt
}

// mayGovern reports whether a capture is a candidate: at or before the fetch, and no refusal to another
// crawler, which has no effect on this one ("Refusals").
func (s *subject) mayGovern(st *State) bool {
	return s.counts(st) && (!st.isRefusal() || s.withRefusals || s.see(st).isOwn) && !s.isOver(st)
}

// isOver reports whether a line of an access log, which says that there is no robots.txt or that it failed, was
// followed by one that says that it was served, and not which version. Of a refusal, one of the same crawler counts.
func (s *subject) isOver(st *State) bool {
	if s.unclear == nil || st.Trust != facts.TrustLogged || st.Outcome.HasRules() {
		return false
	}
	by := anyone
	if st.isRefusal() {
		by = st.key
	}
	return s.unclear.any(by, st.Micros, s.time.Micros)
}

// isUnreadable reports whether nobody knows what a crawler received that used a capture at the fetch.
func (s *subject) isUnreadable(st *State) bool {
	return st.Outcome == words.OutcomePartial || st.Outcome == words.OutcomeUnresolved ||
		st.Outcome == words.OutcomeUndefined || s.see(st).failsLater
}

// owns reports whether the crawler that made the fetch got a record. Some crawlers send a User-Agent with
// some requests alone.
func (s *subject) owns(r answered) bool {
	return r.key == s.key || r.key == "" && s.isOfRun(r)
}

// mayBeOthers reports whether another crawler may have got a record: also one of the fetch's run with the
// name of a browser, and one whose User-Agent, another than the fetch's, names two.
func (s *subject) mayBeOthers(r answered) bool {
	return !s.owns(r) || r.key != s.key && r.userAgent != "" || r.ofTwo && r.userAgent != s.UserAgent
}

// isOfRun reports whether a record was made in the fetch's run of a crawler.
func (s *subject) isOfRun(r answered) bool {
	return s.places.any(r.at, s.spot(), func(a, b spot) bool {
		return s.runs.IsSameRun(a.Spot, b.Spot, r.userAgent, s.UserAgent)
	})
}

func (s *subject) spot() spot { return spot{facts.SpotOf(s.Fetch), s.Flags&facts.FlagSerial != 0} }

// isHeldAt reports whether a record is the fetch itself, in any of the archives that hold it.
func (s *subject) isHeldAt(at facts.Spot) bool {
	return s.places.any(at, s.spot(), func(a, b spot) bool { return a.Spot == b.Spot })
}

// provesOrder reports whether the order in which a record and the fetch, of one moment, stand in an archive is
// that in which they were made: in that of a crawler that makes one after the other.
func (s *subject) provesOrder(at facts.Spot) bool {
	return s.places.any(at, s.spot(), func(a, b spot) bool { return b.isSerial && a.SameRun(b.Spot) })
}

// isWholeDay reports whether a whole day is asked about. All captures of that day count as before.
func (s *subject) isWholeDay() bool { return s.asOf && s.time.Precision == facts.PrecisionDay }

// A span is captures of a line, in order.
//
// Dates of several precisions are in no order that all comparisons agree with: a capture of "2021-04-24" stands
// before one of 08:00 that day, is no earlier than it, and no earlier than one of 10:00 either. So the captures near
// a moment are found in two steps: a range that holds them all, and in it those that are.
type span struct {
	*line
	next int // index
	fine int // those before are of use only if their date is coarser than a second
	end  int
}

// between returns a span that holds all captures from start to end, and perhaps a few
// more at either side.
func (l *line) between(start, end facts.Time) span {
	return span{
		l, l.from(start.Micros - l.coarsest.Unit()), l.from(start.Micros - facts.PrecisionSecond.Unit()),
		l.from(end.Micros + end.Precision.Unit() + 1),
	}
}

// take returns the next capture, nil at the end.
func (p *span) take() *State {
	if p.next < p.fine {
		p.next = min(int(p.coarseAt[p.next]), p.fine)
	}
	if p.next >= p.end {
		return nil
	}
	p.next++
	return p.states[p.next-1]
}

// skipAlike passes over the next captures, before end, that equal the one taken last.
func (p *span) skipAlike(end int) { p.next = max(p.next, min(int(p.sameTo[p.next-1]), end)) }

// from returns how many captures lie before micros.
func (l *line) from(micros int64) int {
	return sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros >= micros })
}

// hasUnread reports whether an index reports a capture at or before a moment, which no input holds and
// which isLate is true of. isLate is true of all captures after the first that it is true of.
func (tl *Timeline) hasUnread(isLate func(facts.Time) bool, until facts.Time) bool {
	n := sort.Search(len(tl.unread), func(i int) bool { return isLate(tl.unread[i]) })
	return n < len(tl.unread) && until.MicrosSince(tl.unread[n]) >= 0
}

// hasUnreadCopy reports whether an index reports a copy that a crawler may have used at a moment, and
// no input holds it.
func (tl *Timeline) hasUnreadCopy(at facts.Time) bool {
	return tl.hasUnread(func(t facts.Time) bool { return at.MicrosSince(t) <= facts.Day }, at)
}

// any reports whether is holds for spots of two records, in any of the archives that hold both.
func (p places) any(at facts.Spot, to spot, is func(a, b spot) bool) bool {
	others, tos := p[at], p[to.Spot]
	if len(others) == 0 && len(tos) == 0 {
		return is(spot{Spot: at}, to)
	}
	for i := range len(others) + 1 {
		a := spot{Spot: at}
		if i > 0 {
			a = others[i-1]
		}
		if is(a, to) || slices.ContainsFunc(tos, func(b spot) bool { return is(a, b) }) {
			return true
		}
	}
	return false
}
