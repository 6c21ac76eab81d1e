package evaluate

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file is the way from a fetch to its verdict, from top to bottom. view (decide_timeline.go) computes which
// captures count, doubts what speaks against them, judge the verdict and its reason, certify the certainty.
// The names in quotation marks are sections of docs/SEMANTICS.md.

// informedFor is how long a crawler counts as informed: older evidence accuses nobody, unless
// the next capture confirms it.
const informedFor = 30 * facts.Day

// decider decides fetches. It holds no state of its own between them but caches.
type decider struct {
	files  *fileCache
	naming naming
	keys   agentKeys
	runs   *facts.Set // knows the runs of crawlers

	subjects uint64 // so many were made
}

// keyOf returns the comparable token of the crawler that made a fetch.
func (d *decider) keyOf(f *facts.Fetch) string {
	agent, _ := d.agentOf(f)
	return d.keys.of(agent)
}

// complete gives a state of a timeline its ID, who made it, and the profile's reading of it.
func (d *decider) complete(st *State, id int64) {
	st.ID = id
	st.agent, _ = d.agentOf(&st.Fetch)
	st.bodyAgent, _ = d.agentOf(&facts.Fetch{UserAgent: st.BodyUserAgent, UserAgentSource: st.BodyAgentSource})
	for _, step := range st.Steps() {
		if step.Kind == StepHop || step.Kind == StepCopy {
			st.led = append(st.led, answered{
				step.Spot, step.UserAgent,
				d.keyOf(&facts.Fetch{UserAgent: step.UserAgent}),
			})
		}
	}
	for _, url := range st.HopList() {
		if u, _ := weburl.Parse(url); strings.HasSuffix(url, "…") {
			st.ways = append(st.ways, cutURL)
		} else {
			st.ways = append(st.ways, u.Key())
		}
	}
	if st.Kind == facts.CaptureTarget {
		u, _ := weburl.Parse(st.URL)
		st.url = u.Key()
	}
	st.readAs(d.files.profile)
}

// cutURL stands for any URL to which a capture redirects, since no more than its beginning was kept.
const cutURL = "…"

// decide makes r the verdict on a fetch for the crawler that made it.
func (d *decider) decide(r *Result, f *facts.Fetch, tl *timeline) error {
	*r = Result{Fetch: f}
	c := d.crawlerOf(f)
	r.Agent, r.AgentSource, r.Notes = c.token, c.source, c.notes
	return d.settle(r, tl, c.other)
}

// settle gives the verdict on a fetch, or on one that a log excludes, for the
// agent of r. other is the token of a second crawler that its User-Agent names.
func (d *decider) settle(r *Result, tl *timeline, other string) error {
	f := r.Fetch
	s := d.newSubject(f, r.Agent, tl, facts.Time{})
	r.decider, r.timeline = d, tl
	if f.Flags&facts.FlagUnsupportedScheme != 0 { // "Fetch"
		r.Reason = words.UnsupportedScheme
		return nil
	}
	isRobotsTxt := s.path == "/robots.txt"
	r.RobotsCapture = isRobotsTxt && s.Method == http.MethodGet && s.Flags&facts.FlagHostMismatch == 0
	r.PolicyFile = s.Method == http.MethodGet && s.Status/100 == 2 && tag.IsPolicyFile(s.path)
	isLedTo := false
	if len(tl.marks) > 0 {
		_, isLedTo = slices.BinarySearchFunc(tl.marks, resolve.MarkOf(f), resolve.CompareMarks)
	}
	switch {
	// "Robots capture", "Always allowed": robots.txt itself, and what its redirects led to. Google's matcher
	// knows no such rule; a row of an index without the method may be a capture.
	case r.RobotsCapture, isRobotsTxt && (d.files.profile != robots.Google || s.Method == ""), isLedTo:
		r.Verdict, r.Reason = Allowed, words.RobotsTxtItself
		return nil
	case !s.time.Known(): // "Time"
		r.Reason = words.NoTime
		return nil
	}
	if f.Flags&facts.FlagURLCut != 0 {
		r.Notes |= words.NoteURLCut
	}
	second := *r
	judged, err := d.conclude(r, &s, tl)
	if err != nil || other == "" || r.Verdict == Unknown {
		return err
	}
	// "The crawler's token": nobody knows which of two crawlers it was, so the one that accuses less counts.
	s.token, s.looked = other, 0
	if _, err := d.conclude(&second, &s, tl); err != nil {
		return err
	}
	switch {
	case second.Verdict == r.Verdict && (second.Certainty != Contested || r.Certainty == Contested):
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
	return nil
}

// conclude makes r the verdict by the rules for the subject's token. judged is the same without its certainty.
func (d *decider) conclude(r *Result, s *subject, tl *timeline) (judged Result, err error) {
	v := tl.view(s)
	if err := d.judge(r, s, tl, &v); err != nil {
		return judged, err
	}
	judged = *r
	return judged, d.certify(r, s, tl, &v)
}

// judge gives the verdict and its reason: the answer of the governing capture, unless another capture
// shows that it may be wrong.
func (d *decider) judge(r *Result, s *subject, tl *timeline, v *view) error {
	switch {
	case s.isTooCostly(): // "Verdicts and reasons"
		r.Reason = words.TooCostly
		return nil
	case v.governing == nil: // "Which capture governs", 4
		r.Reason = words.NoCapture
		return nil
	}
	r.Governing, r.Evidence, r.Age = v.governing, v.evidence, s.secondsOld(v.governing, v.evidence)
	r.tied, r.UnreadCaptures = v.tied, v.outdated
	r.Notes |= d.doubts(s, v)
	if v.outdated {
		r.Notes |= words.NoteUnreadCapture
	}
	said, err := d.answerInTime(v.governing, s, tl)
	if err != nil {
		return err
	}
	said.Notes |= r.Notes
	r.Answer = said
	reason, against, err := d.contradiction(&r.Answer, s, tl, v)
	switch {
	case err != nil:
		return err
	case s.isTooCostly():
		r.withdraw(words.TooCostly, against)
	case reason != words.NoReason:
		r.withdraw(reason, against)
	// "Unresolved and undefined captures"
	case v.prior != nil && (!v.governing.is(kindAnswers) || s.see(v.governing).failsLater):
		prior, err := d.answer(v.prior, s)
		r.Prior, r.HasPrior = prior.Verdict, err == nil
		return err
	}
	return nil
}

// answerInTime returns the answer of a capture that may govern. RFC 9309 §2.3.1.4 is applied in time:
// unreachable disallows for a day; after more than 30 days of it the crawler may take the file as unavailable.
func (d *decider) answerInTime(st *State, s *subject, tl *timeline) (Answer, error) {
	isUnreachable := st.Outcome == words.OutcomeUnreachable && !s.see(st).failsLater
	switch {
	case isUnreachable && s.see(st).age > freshFor:
		return Answer{Reason: words.UnreachableStale}, nil
	case isUnreachable && tl.longUnreachable(s):
		return Answer{Verdict: Allowed, Reason: words.UnreachableOver30d}, nil
	case s.see(st).isRefusal:
		return Answer{Reason: words.RefusedToOther}, nil
	}
	return d.answer(st, s)
}

// answer returns the answer of one robots capture to a fetch, whatever its age.
func (d *decider) answer(st *State, s *subject) (Answer, error) {
	switch st.Outcome {
	case words.OutcomeRules, words.OutcomePartial:
	case words.OutcomeUnavailable:
		return Answer{Verdict: Allowed, Reason: st.Reason}, nil
	case words.OutcomeUnreachable:
		if s.see(st).failsLater {
			return Answer{Reason: words.UnresolvedRedirect}, nil
		}
		a := Answer{Verdict: Disallowed, Reason: st.Reason}
		if s.path != "/robots.txt" && robots.RFC9309.NormalPath(s.path) == "/robots.txt" {
			a.Notes, a.allows = words.NoteRobotsTxtEncoded, true
		}
		return a, nil
	default:
		return Answer{Reason: st.Reason}, nil
	}
	s.spend(st.costOfAsking())
	file, err := d.files.get(st)
	if err != nil {
		return Answer{}, err
	}
	s.spend(file.Rules / rulesCost)
	var a Answer
	r := file.reader(s.token)
	file.answer(&a, st, s, &r)
	return a, nil
}

// secondsOld is the age of the governing capture in results. Of later evidence, it is how long after the
// fetch the newest content was dated, negative; 0 where it is dated no later.
func (s *subject) secondsOld(st *State, e Evidence) int64 {
	if e == Later {
		return min(s.time.MicrosSince(st.Newest())/facts.Second, 0)
	}
	return s.see(st).age / facts.Second
}

// withdraw makes the verdict unknown, for a reason that a capture shows; nil: none does.
func (r *Result) withdraw(reason Reason, against *State) {
	r.withdrawn, r.against = r.Answer, against
	r.Answer = Answer{Reason: reason, Notes: r.Notes &^ words.NoteNamedGroupForbids}
}

// doubts are the notes on the fetch, and on the captures that may govern it ("Probable", "Possible").
func (d *decider) doubts(s *subject, v *view) (n Notes) {
	for i, st := range v.tied {
		if s.mayBeOthers(st.itself()) || slices.ContainsFunc(st.led, s.mayBeOthers) {
			n |= words.NoteOtherCrawler
		}
		n |= s.see(st).ledDoubts
		if i == 0 { // of the others, what they led to counts
			n |= s.see(st).doubts
		}
		if st.Resynced {
			n |= words.NoteResynced
		}
		if st.OtherTarget {
			n |= words.NoteOtherTarget
		}
		if st.Mismatched {
			n |= words.NoteDigestMismatch
		}
		if st.Coarsest < facts.PrecisionSecond {
			n |= words.NoteCoarseDate
		}
	}
	g := v.governing
	if !v.own {
		n |= words.NoteOtherCrawler
	}
	if g.Forgeable || s.Flags&facts.FlagForgeable != 0 {
		n |= words.NoteForgeable
	}
	if s.time.Precision < facts.PrecisionSecond && !s.asOf {
		n |= words.NoteCoarseDate
	}
	if s.Trust == facts.TrustResynced {
		n |= words.NoteResynced
	}
	switch {
	case s.Trust == facts.TrustIndexed, s.Flags&facts.FlagUnbound != 0,
		s.Flags&facts.FlagRequestUnread != 0 && d.naming.own == "": // it could name another crawler
		n |= words.NoteIndexed
	case s.Trust == facts.TrustListed:
		n |= words.NoteListed
	}
	if s.Flags&facts.FlagMayBeNoFetch != 0 {
		n |= words.NoteNoStatus
	}
	if s.Flags&facts.FlagRefuted != 0 {
		n |= words.NoteNoRecord
	}
	return n
}

// contradiction returns the reason for which a verdict of the governing capture is withdrawn, and the
// capture that shows it; none where the verdict stands.
func (d *decider) contradiction(said *Answer, s *subject, tl *timeline, v *view) (Reason, *State, error) {
	verdict := said.Verdict
	if verdict == Allowed && v.governing.Forgeable { // "Possible"
		return words.Forgeable, v.governing, nil
	}
	for _, rival := range v.tied[1:] { // "Captures of one moment": each may be the latest
		a, err := d.answerInTime(rival, s, tl)
		switch {
		case err != nil || s.isTooCostly():
			return words.NoReason, nil, err
		case a.Verdict != verdict:
			return words.ConflictingCaptures, rival, nil
		case v.evidence == Later && verdict == Disallowed: // else it is a permitted copy
			said.allows, said.Notes = said.allows || a.allows, said.Notes|a.Notes&words.OpenReadings
		}
	}
	if verdict == Unknown {
		return words.NoReason, nil, nil
	}
	// "Captures of one moment": it may have come after the fetch, and one before it counts.
	if verdict == Disallowed && s.see(v.governing).relation == maybeBefore {
		earlier := *s
		earlier.beyondDoubt = true
		w := tl.view(&earlier)
		s.looked = earlier.looked
		for _, before := range w.tied {
			if s.see(before).relation > maybeBefore {
				break
			}
			a, err := d.answerInTime(before, &earlier, tl)
			if s.looked = earlier.looked; err != nil || a.Verdict == Allowed {
				return words.ChangedBetween, before, err
			}
		}
	}
	differs := func(list []*State) (*State, error) {
		for _, st := range list {
			if a, err := d.answer(st, s); err != nil || a.Verdict != Unknown && a.Verdict != verdict {
				return st, err
			}
			if s.isTooCostly() {
				break
			}
		}
		return nil, nil
	}
	other, err := differs(slices.Concat(v.older, v.ownNext)) // "Which capture governs", 2
	if other == nil {
		other, err = differs(tl.others(s, v)) // "Stale captures"
	}
	if other != nil {
		return words.ChangedBetween, other, err
	}
	if verdict == Allowed && v.outdated { // "Possible"
		return words.UnreadCapture, nil, nil
	}
	return words.NoReason, nil, nil
}

// certify gives a disallowed fetch its certainty: the first of contested, possible, probable and certain
// that fits ("The four classes").
func (d *decider) certify(r *Result, s *subject, tl *timeline, v *view) error {
	if r.Verdict != Disallowed {
		return nil
	}
	copies, err := d.askCopies(s, tl, v)
	if err != nil {
		return err
	}
	bracketed, unread, err := d.isBracketed(s, tl, v)
	if err != nil {
		return err
	}
	isContested := copies.contester != nil || r.allows
	r.Contester = copies.contester
	r.UnreadCaptures = r.UnreadCaptures || copies.unread || unread
	r.Notes |= copies.notes
	if bracketed {
		r.Notes |= words.NoteBracketed
	}
	if !isContested {
		r.Notes |= copies.orderDoubts
	}
	isOtherRun := func(r answered) bool { return !s.isOfRun(r) }
	mayBeOtherRun := func(st *State) bool { return isOtherRun(st.itself()) || slices.ContainsFunc(st.led, isOtherRun) }
	if v.own && r.AgentSource != words.AgentFromOption && agents.IsSoftware(s.agent) &&
		slices.ContainsFunc(v.tied, mayBeOtherRun) {
		r.Notes |= words.NoteOtherRun // "Runs of a crawler"
	}
	switch { // these end it: no more captures are asked
	case isContested: // "Permitted copies", "Open readings"
		r.Certainty = Contested
		return nil
	case s.isTooCostly(): // "Verdicts and reasons"
		r.withdraw(words.TooCostly, nil)
		return nil
	}

	isInformed, err := d.isInformed(s, v, bracketed)
	if err != nil {
		return err
	}
	// An index or a list reports the fetch: the order of the records in its archive would show whether the
	// crawler had received a capture of its moment, but at most this one record was read.
	mayPrecede := isInformed && s.IsReportedByIndex() && s.see(v.governing).mayBeLater
	if mayPrecede && s.see(v.governing).relation == maybeBefore {
		isForbiddenBefore, err := d.isForbiddenBefore(s, tl)
		if err != nil {
			return err
		}
		mayPrecede = !isForbiddenBefore
	}
	leads := tl.leads.to(s)
	switch {
	case !isInformed, r.Notes&(words.NoteForgeable|words.NoteUnreadCapture) != 0:
		r.Certainty = Possible
	case mayPrecede, r.Notes&words.NoteNoStatus != 0: // "Indexes and lists"; the record may show that it is a violation
		r.Certainty, r.mayBeProven = Possible, true
	case leads != nil: // "Always allowed"
		r.Certainty, r.Notes, r.ledBy = Possible, r.Notes|words.NoteRedirectTarget, leads
	case r.Notes&words.NoteNoRecord != 0: // "Verified records": the index is wrong, and nothing else reports the fetch
		r.Certainty = Possible
	case r.Evidence != Fresh, r.Notes&words.Doubts != 0:
		r.Certainty = Probable
	default:
		r.Certainty = Certain
	}
	return nil
}

// isInformed reports whether something shows that this crawler had received in time that the fetch is
// disallowed ("Possible").
func (d *decider) isInformed(s *subject, v *view, bracketed bool) (bool, error) {
	isMismatched := func(st *State) bool { return st.Mismatched }
	switch {
	case s.agent == "", v.evidence == Later, slices.ContainsFunc(v.tied, isMismatched):
		return false, nil
	case v.evidence == Fresh || bracketed:
		return true, nil
	case s.see(v.governing).age > informedFor:
		return false, nil
	case v.own:
		return true, nil
	}
	for _, older := range v.older {
		if older.Forgeable || older.Mismatched || s.see(older).age > informedFor {
			continue
		}
		if a, err := d.answer(older, s); err != nil || a.Verdict == Disallowed {
			return err == nil, err
		}
	}
	return false, nil
}

// isForbiddenBefore reports whether, without the captures of its own moment, the fetch would be disallowed,
// too, by a capture that informed the crawler in time ("Possible"). Nor may anything else of that moment
// be unreadable: it may be the one that governs.
func (d *decider) isForbiddenBefore(s *subject, tl *timeline) (bool, error) {
	earlier := *s
	earlier.beyondDoubt = true
	v := tl.view(&earlier)
	r := Result{Fetch: s.Fetch}
	err := d.judge(&r, &earlier, tl, &v)
	if err != nil || r.Verdict != Disallowed || v.outdated || s.see(v.governing).mayBeLater {
		return false, err
	}
	near := tl.all.between(s.time, s.time)
	for st := near.take(); st != nil && earlier.look(); st = near.take() {
		if s.see(st).relation == maybeBefore && s.isUnreadable(st) {
			return false, nil
		}
	}
	isInformed, err := d.isInformed(&earlier, &v, false)
	return isInformed && !earlier.isTooCostly(), err
}

// isBracketed reports whether a stale capture is confirmed by the first definite one after the fetch,
// at most 30 days after ("Stale captures"). Where archives hold several of that moment, all have
// to confirm it. unread: an index alone reports one before.
func (d *decider) isBracketed(s *subject, tl *timeline, v *view) (is, unread bool, err error) {
	if v.evidence != Stale {
		return false, false, nil
	}
	next := oneOfEach(tl.all.next(s, informedFor), func(a, b *State) bool { return a.Index < b.Index })
	isAfter := func(t facts.Time) bool { return t.MicrosSince(s.time) > 0 }
	for _, st := range next {
		switch {
		case tl.hasUnread(isAfter, st.Time()):
			return false, true, nil
		case st.Forgeable, st.Mismatched:
			return false, false, nil
		}
		if a, err := d.answer(st, s); err != nil || a.Verdict != Disallowed {
			return false, false, err
		}
	}
	return len(next) > 0, false, nil
}

// copyAnswers is the answers of the copies of robots.txt that the crawler may have acted on.
type copyAnswers struct {
	contester *State // the first that allows
	notes     Notes  // NotePermittedCopy and its readings, NoteUnreadableCopy
	// of another crawler's, dated no later than the fetch and counted as after it, which allows, or may
	orderDoubts Notes
	unread      bool // an index reports one, and no input holds it
}

// maxAsked bounds the copies that are remembered as asked: a server may have as many versions of its file.
const maxAsked = 8

// askCopies tries every copy of robots.txt that the crawler may have acted on ("Permitted copies"), until
// one allows the fetch.
func (d *decider) askCopies(s *subject, tl *timeline, v *view) (c copyAnswers, err error) {
	isUnreachable := slices.ContainsFunc(v.tied, func(st *State) bool { return st.Outcome == words.OutcomeUnreachable })
	isAny := func(facts.Time) bool { return true }
	if !v.outdated && (tl.hasUnreadCopy(s.time) || isUnreachable && tl.hasUnread(isAny, s.time)) {
		c.notes, c.unread = words.NoteUnreadableCopy, true
	}
	asked := append(make([]*State, 0, maxAsked), v.governing)
	var ownAfter, othersAfter []*State
	doubtOf := func(st *State) Notes { // of one that counts as after the fetch
		if s.time.MicrosSince(st.Time()) != 0 {
			return words.NoteOrderDoubt
		}
		return words.NoteSameMoment
	}
	ask := func(st *State) error {
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
			return nil
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
			return nil
		}
		a, err := d.answer(st, s)
		switch {
		case err != nil || a.Verdict != Allowed && !a.allows:
		case isAfter && !isOwn:
			c.orderDoubts |= doubtOf(st)
		case a.Verdict == Allowed:
			c.contester, c.notes = st, c.notes|words.NotePermittedCopy
		default: // by a reading
			c.contester, c.notes = st, c.notes|words.NotePermittedCopy|a.Notes&words.OpenReadings
		}
		return err
	}
	for st := range tl.copies(s, v.tied) {
		if err := ask(st); err != nil || c.contester != nil || !s.look() {
			return c, err
		}
	}
	for _, st := range tl.olderCopies(s, v, isUnreachable) {
		if err := ask(st); err != nil || c.contester != nil || !s.look() {
			return c, err
		}
	}
	return c, nil
}
