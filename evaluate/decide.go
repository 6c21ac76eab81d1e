package evaluate

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// toldFor is how long a crawler counts as told: older evidence accuses nobody, unless
// the next capture confirms it.
const toldFor = 30 * facts.Day

// decider decides fetches. It holds no state of its own between them but caches.
type decider struct {
	files  *fileCache
	naming naming
	keys   agentKeys
	runs   *facts.Set // knows the runs of crawlers
}

// keyOf returns the comparable token of the crawler that made a fetch.
func (d *decider) keyOf(f *facts.Fetch) string {
	agent, _ := d.agentOf(f)
	return d.keys.of(agent)
}

// complete gives a state of a timeline its ID, and tells who made it and how the profile
// reads it.
func (d *decider) complete(st *State, id int64) {
	st.ID = id
	st.agent, _ = d.agentOf(&st.Fetch)
	st.bodyAgent, _ = d.agentOf(&facts.Fetch{UserAgent: st.BodyUserAgent, UserAgentSource: st.BodyAgentSource})
	for _, step := range st.Steps() {
		if step.Kind == StepHop || step.Kind == StepCopy {
			st.led = append(st.led, answered{step.Spot, step.UserAgent, d.keyOf(&facts.Fetch{UserAgent: step.UserAgent})})
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

// decide makes r the verdict on a fetch for the crawler that made it. See
// docs/SEMANTICS.md for the rules that the steps follow.
func (d *decider) decide(r *Result, f *facts.Fetch, tl *timeline) error {
	*r = Result{Fetch: f}
	c := d.crawlerOf(f)
	r.Agent, r.AgentSource, r.Notes = c.token, c.source, c.notes
	return d.settle(r, tl, c.other)
}

// settle gives the verdict on a fetch, or on what a log says was none, for the
// agent of r. other is the token of a second crawler that its User-Agent names.
func (d *decider) settle(r *Result, tl *timeline, other string) error {
	f := r.Fetch
	s := d.newSubject(f, r.Agent, tl)
	r.decider, r.timeline = d, tl
	if f.Flags&facts.FlagUnsupportedScheme != 0 {
		r.Reason = UnsupportedScheme
		return nil
	}
	r.RobotsCapture = s.path == "/robots.txt" && s.Method == http.MethodGet && s.Flags&facts.FlagHostMismatch == 0
	r.PolicyFile = s.Method == http.MethodGet && s.Status/100 == 2 && tag.IsPolicyFile(s.path)
	switch {
	case d.isRobots(r, &s) || tl.isMarked(f):
		r.Verdict, r.Reason = Allowed, RobotsTxtItself
		return nil
	case !s.time.Known():
		r.Reason = NoTime
		return nil
	}
	if f.Flags&facts.FlagURLCut != 0 {
		r.Notes |= NoteURLCut
	}
	if other == "" {
		v := tl.view(&s)
		return d.conclude(r, &s, tl, &v)
	}
	return d.concludeForTwo(r, &s, tl, other)
}

// conclude gives the verdict, and says how sure it is.
func (d *decider) conclude(r *Result, s *subject, tl *timeline, v *view) error {
	if err := d.judge(r, s, tl, v); err != nil {
		return err
	}
	return d.certify(r, s, tl, v)
}

// concludeForTwo does the same where the User-Agent names two crawlers.
func (d *decider) concludeForTwo(r *Result, s *subject, tl *timeline, other string) error {
	second, v := *r, tl.view(s)
	if err := d.judge(r, s, tl, &v); err != nil {
		return err
	}
	judged := *r
	if err := d.certify(r, s, tl, &v); err != nil || r.Verdict == Unknown {
		return err
	}
	s.token, s.looked = other, 0
	v = tl.view(s)
	if err := d.conclude(&second, s, tl, &v); err != nil {
		return err
	}
	r.weighSecond(&second, &judged)
	return nil
}

// weighSecond compares a verdict with what it would be if the second crawler that the User-Agent names
// had made the fetch. Nobody knows which of the two it was, so the one that accuses less counts. judged
// is r before it was certified.
func (r *Result) weighSecond(second, judged *Result) {
	if second.Verdict == r.Verdict && (second.Certainty != Contested || r.Certainty == Contested) {
		if second.Certainty > r.Certainty {
			r.Certainty, r.mayBeProven = second.Certainty, second.mayBeProven
		}
		r.UnreadCaptures = r.UnreadCaptures || second.UnreadCaptures
		r.Notes &^= NoteBracketed &^ second.Notes
		return
	}
	*r = *judged
	if second.Reason == TooCostly {
		r.unknown(TooCostly)
		return
	}
	r.unknown(AmbiguousToken)
	r.against = cmp.Or(second.against, second.Contester, second.Governing)
}

// isRobots reports whether a fetch is allowed whatever robots.txt says, because
// that is what it asks for: a robots capture, or with another method the same URI,
// which RFC 9309 §2.2.2 allows implicitly. Google's matcher knows no such rule; what an index
// tells without the method may be a capture.
func (d *decider) isRobots(r *Result, s *subject) bool {
	return r.RobotsCapture || s.path == "/robots.txt" && (d.files.profile != robots.Google || s.Method == "")
}

// judge gives the verdict by the governing capture of a view, and withdraws it where
// other captures show that it may be wrong.
func (d *decider) judge(r *Result, s *subject, tl *timeline, v *view) error {
	switch {
	case s.isTooCostly():
		r.Reason = TooCostly
		return nil
	case v.governing == nil:
		r.Reason = NoCapture
		return nil
	}
	r.govern(v, s)
	if tl.isOutdated(v, s) {
		r.Notes, r.UnreadCaptures = r.Notes|NoteUnreadCapture, true
	}
	answer, err := d.answerInTime(v.governing, s, tl)
	if err != nil {
		return err
	}
	r.take(answer)
	reason, err := d.contradicted(r, s, tl, v)
	if err != nil {
		return err
	}
	if s.isTooCostly() {
		reason = TooCostly
	}
	if reason != reasonNone {
		r.unknown(reason)
		return nil
	}
	if o := v.governing.Outcome; o == OutcomeUnresolved || o == OutcomeUndefined || s.failsLater(v.governing) {
		return d.recordPrior(r, s, v)
	}
	return nil
}

// contradicted returns the reason for which a verdict is withdrawn; none where it stands.
func (d *decider) contradicted(r *Result, s *subject, tl *timeline, v *view) (Reason, error) {
	if r.Verdict == Allowed && v.governing.Forgeable {
		r.against = v.governing
		return Forgeable, nil
	}
	if reason, err := d.checkRivals(r, s, tl, v); reason != reasonNone || err != nil {
		return reason, err
	}
	if reason, err := d.checkBeside(r, s, tl, v); reason != reasonNone || err != nil {
		return reason, err
	}
	if reason, err := d.checkOlder(r, s, v); reason != reasonNone || err != nil {
		return reason, err
	}
	if reason, err := d.checkOwnNext(r, s, v); reason != reasonNone || err != nil {
		return reason, err
	}
	if reason, err := d.checkStale(r, s, tl, v); reason != reasonNone || err != nil {
		return reason, err
	}
	if r.Verdict == Allowed && r.Notes&NoteUnreadCapture != 0 {
		return UnreadCapture, nil
	}
	return reasonNone, nil
}

// answerInTime asks a capture at the governing one's moment. RFC 9309 §2.3.1.4 is
// applied in time: unreachable disallows for a day; after more than 30 days of it
// the crawler may take the file as unavailable.
func (d *decider) answerInTime(st *State, s *subject, tl *timeline) (Answer, error) {
	if st.Outcome == OutcomeUnreachable && !s.failsLater(st) {
		switch {
		case !s.isFresh(st):
			return Answer{Reason: UnreachableStale}, nil
		case tl.longUnreachable(s):
			return Answer{Verdict: Allowed, Reason: UnreachableOver30d}, nil
		}
	}
	if s.isRefusedToOther(st) {
		return Answer{Reason: RefusedToOther}, nil
	}
	return d.answer(st, s)
}

// govern notes what has to be known of the governing capture.
func (r *Result) govern(v *view, s *subject) {
	g := v.governing
	r.Governing, r.Evidence = g, v.evidence
	r.Age = s.ageOf(g) / 1e6
	if v.evidence == Later {
		r.Age = s.ageOfLater(g)
	}
	if !v.own {
		r.Notes |= NoteOtherCrawler
	}
	r.doubt(g, s, true)
	for _, st := range v.rivals(s) {
		r.doubt(st, s, false)
	}
	if r.Fetch.Trust == facts.TrustResynced {
		r.Notes |= NoteResynced
	}
	switch {
	case r.Fetch.Trust == facts.TrustIndexed, r.Fetch.Flags&facts.FlagUnbound != 0,
		r.Fetch.Flags&facts.FlagRequestUnread != 0 && r.decider.naming.own == "": // it could name another crawler
		r.Notes |= NoteIndexed
	case r.Fetch.Trust == facts.TrustListed:
		r.Notes |= NoteListed
	}
	if r.Fetch.Flags&facts.FlagMayBeNoFetch != 0 {
		r.Notes |= NoteNoStatus
	}
	if r.Fetch.Flags&facts.FlagRefuted != 0 {
		r.Notes |= NoteNoRecord
	}
	if g.Forgeable || r.Fetch.Flags&facts.FlagForgeable != 0 {
		r.Notes |= NoteForgeable
	}
	if s.time.Precision < facts.PrecisionSecond && !s.asOf {
		r.Notes |= NoteCoarseDate
	}
}

// doubt notes what speaks against the content of a capture that may govern, and against the capture
// itself, if it does.
func (r *Result) doubt(st *State, s *subject, governs bool) {
	if s.mayBeOthers(st.itself()) || slices.ContainsFunc(st.led, s.mayBeOthers) {
		r.Notes |= NoteOtherCrawler
	}
	s.hasApplied(st, func(to *resolve.Step, is relation) bool {
		if governs || to.Spot != facts.SpotOf(&st.Fetch) {
			r.Notes |= s.doubtOf(to, is)
		}
		return false
	})
	if st.Resynced {
		r.Notes |= NoteResynced
	}
	if st.OtherTarget {
		r.Notes |= NoteOtherTarget
	}
	if st.Mismatched {
		r.Notes |= NoteDigestMismatch
	}
	if st.Coarsest < facts.PrecisionSecond {
		r.Notes |= NoteCoarseDate
	}
}

// take makes a the answer, keeping the notes on the fetch itself.
func (r *Result) take(a Answer) {
	a.Notes |= r.Notes
	r.Answer = a
}

// unknown withdraws a verdict.
func (r *Result) unknown(reason Reason) {
	r.withdrawn = r.Answer
	r.Answer = Answer{Reason: reason, Notes: r.Notes &^ NoteNamedGroupForbids}
}

// checkRivals compares the governing capture with those of its moment in other archives.
func (d *decider) checkRivals(r *Result, s *subject, tl *timeline, v *view) (Reason, error) {
	r.rivals = v.rivals(s)
	for _, other := range r.rivals {
		a, err := d.answerInTime(other, s, tl)
		if err != nil || s.isTooCostly() {
			return reasonNone, err
		}
		if a.Verdict != r.Verdict {
			r.against = other
			return ConflictingCaptures, nil
		}
	}
	return reasonNone, nil
}

// checkBeside asks the capture before, or all of its moment in other archives, where the governing one is of the fetch's own
// moment in another archive, so that it may have come after the fetch. That one tells the crawler only where its verdict stands.
func (d *decider) checkBeside(r *Result, s *subject, tl *timeline, v *view) (Reason, error) {
	if r.Verdict != Disallowed || s.relationOf(v.governing) != beside {
		return reasonNone, nil
	}
	earlier := *s
	earlier.withoutBeside = true
	defer func() { s.looked = earlier.looked }()
	w := tl.view(&earlier)
	if w.governing == nil || s.relationOf(w.governing) >= behind {
		return reasonNone, nil
	}
	for _, before := range append([]*State{w.governing}, w.rivals(&earlier)...) {
		a, err := d.answerInTime(before, &earlier, tl)
		if err != nil {
			return reasonNone, err
		}
		if a.Verdict == Allowed {
			r.against = before
			return ChangedBetween, nil
		}
	}
	if !s.IsToldByIndex() { // the rest is of no matter
		return reasonNone, nil
	}
	without := Result{Fetch: r.Fetch, decider: r.decider}
	a, err := d.answerInTime(w.governing, &earlier, tl)
	if err != nil {
		return reasonNone, err
	}
	without.take(a)
	reason, err := d.contradicted(&without, &earlier, tl, &w)
	if err != nil {
		return reasonNone, err
	}
	v.toldBefore = reason == reasonNone && without.Verdict == Disallowed && s.wasTold(&w, false) && !s.hasApplied(w.governing, s.isBeside) && !tl.isOutdated(&w, s) && !tl.hasUnreadableBeside(s)
	return reasonNone, nil
}

// hasUnreadableBeside reports whether nobody can tell what a capture of the fetch's own moment says. Where
// the order is lost, it may be the one that governs.
func (tl *timeline) hasUnreadableBeside(s *subject) bool {
	near := tl.all.between(s.time, s.time)
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if s.relationOf(st) == beside && s.isUnreadable(st) {
			return true
		}
	}
	return false
}

// checkOlder compares another crawler's fresher capture with the crawler's own.
func (d *decider) checkOlder(r *Result, s *subject, v *view) (Reason, error) {
	if r.Verdict == Unknown {
		return reasonNone, nil
	}
	v.toldByOlder = false
	for _, older := range v.older {
		a, err := d.answer(older, s)
		if err != nil {
			return reasonNone, err
		}
		switch a.Verdict {
		case r.Verdict:
			v.toldByOlder = v.toldByOlder || !older.Forgeable && !older.Mismatched && s.remembers(older)
		case Unknown:
		default:
			r.against = older
			return ChangedBetween, nil
		}
	}
	return reasonNone, nil
}

// checkOwnNext compares another crawler's capture with the first that the crawler itself got after the
// fetch: what the server said to it may have been that all along.
func (d *decider) checkOwnNext(r *Result, s *subject, v *view) (Reason, error) {
	if r.Verdict == Unknown {
		return reasonNone, nil
	}
	for _, next := range v.ownNext {
		a, err := d.answer(next, s)
		if err != nil {
			return reasonNone, err
		}
		if a.Verdict != Unknown && a.Verdict != r.Verdict {
			r.against = next
			return ChangedBetween, nil
		}
	}
	return reasonNone, nil
}

// checkStale compares a stale capture with those that may show that the file changed.
func (d *decider) checkStale(r *Result, s *subject, tl *timeline, v *view) (Reason, error) {
	if r.Verdict == Unknown {
		return reasonNone, nil
	}
	for _, other := range tl.others(s, v) {
		if s.isTooCostly() {
			break
		}
		a, err := d.answer(other, s)
		if err != nil {
			return reasonNone, err
		}
		if a.Verdict != Unknown && a.Verdict != r.Verdict {
			r.against = other
			return ChangedBetween, nil
		}
	}
	return reasonNone, nil
}

// recordPrior records what the latest capture before an unresolved or undefined
// one says. It is no verdict.
func (d *decider) recordPrior(r *Result, s *subject, v *view) error {
	if v.prior == nil {
		return nil
	}
	a, err := d.answer(v.prior, s)
	r.Prior, r.HasPrior = a.Verdict, err == nil
	return err
}
