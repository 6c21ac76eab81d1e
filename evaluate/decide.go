package evaluate

import (
	"net/http"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

const (
	unreachableMay = 30 * day // RFC 9309 §2.3.1.4
	staleViolation = 30 * day // older evidence accuses nobody
)

// decider decides fetches. It holds no state of its own between them but caches.
type decider struct {
	files *fileCache
	own   string // the crawler's token, where an option gives it
	keys  agentKeys
}

// subject is a fetch with what the decision needs of its URL.
type subject struct {
	*ingest.Fetch
	path  string // what rules are matched against
	agent string // whose captures count: the crawler's own token
	key   string // the same, comparable
	token string // whose rules are asked for: the same, but in a what-if
	time  ingest.Time
}

func (d *decider) newSubject(f *ingest.Fetch, agent string) subject {
	url, _ := weburl.Parse(f.URL)
	return subject{Fetch: f, path: url.PathQuery(), agent: agent, key: d.keys.of(agent), token: agent, time: f.Time()}
}

// decide makes r the verdict on a fetch for the crawler that made it. See
// docs/SEMANTICS.md for the rules that the steps follow.
func (d *decider) decide(r *Result, f *ingest.Fetch, tl *timeline) error {
	*r = Result{Fetch: f}
	r.Agent, r.AgentSource = d.agentOf(f)
	return d.settle(r, tl)
}

// settle gives the verdict on a fetch, or on what a log says was none, for the
// agent of r.
func (d *decider) settle(r *Result, tl *timeline) error {
	f := r.Fetch
	s := d.newSubject(f, r.Agent)
	if f.Flags&ingest.FlagUnsupportedScheme != 0 {
		r.Reason = UnsupportedScheme
		return nil
	}
	r.RobotsCapture = s.path == "/robots.txt" && s.Method == http.MethodGet
	r.PolicyFile = s.Method == http.MethodGet && s.Status/100 == 2 && tag.IsPolicyFile(s.path)
	switch {
	case d.isRobots(r, &s) || tl.marks[markOf(f)]:
		r.Verdict, r.Reason = Allowed, RobotsTxtItself
		return nil
	case !s.time.Known():
		r.Reason = NoTime
		return nil
	}
	if f.Flags&ingest.FlagURLCut != 0 {
		r.Notes |= NoteURLCut
	}
	v := tl.view(&s)
	if err := d.judge(r, &s, &v); err != nil {
		return err
	}
	return d.certify(r, &s, tl, &v)
}

// isRobots reports whether a fetch is allowed whatever robots.txt says, because
// that is what it asks for: a robots capture, or with another method the same URI,
// which RFC 9309 §2.2.2 allows implicitly. Google's matcher knows no such rule.
func (d *decider) isRobots(r *Result, s *subject) bool {
	return r.RobotsCapture || s.path == "/robots.txt" && d.files.profile != robots.Google
}

// judge gives the verdict by the governing capture of a view.
func (d *decider) judge(r *Result, s *subject, v *view) error {
	if v.governing == nil {
		r.Reason = NoCapture
		return nil
	}
	r.govern(v, s.time)
	answer, err := d.answerInTime(v.governing, s, v)
	if err != nil {
		return err
	}
	r.take(answer)
	agreed, err := d.checkMoment(r, s, v)
	switch {
	case err != nil || !agreed:
		return err
	case v.governing.Outcome == OutcomeUnresolved || v.governing.Outcome == OutcomeUndefined:
		return d.recordPrior(r, s, v.earlier)
	case r.Evidence == Stale && r.Verdict != Unknown:
		return d.checkChanged(r, s, v.following)
	}
	return nil
}

// answerInTime asks a capture at the governing one's moment. RFC 9309 §2.3.1.4 is
// applied in time: unreachable disallows for a day; after more than 30 days of it
// the crawler may take the file as unavailable.
func (d *decider) answerInTime(st *State, s *subject, v *view) (Answer, error) {
	if st.Outcome == OutcomeUnreachable {
		switch {
		case v.evidence == Stale:
			return Answer{Reason: UnreachableStale}, nil
		case v.run.count >= 2 && s.time.MicrosSince(v.run.first.Time()) > unreachableMay:
			return Answer{Verdict: Allowed, Reason: UnreachableOver30d}, nil
		}
	}
	return d.answer(st, s)
}

func (r *Result) govern(v *view, t ingest.Time) {
	r.Governing, r.Evidence = v.governing, v.evidence
	r.Age = t.MicrosSince(v.governing.Time()) / 1e6
	if !v.own {
		r.Notes |= NoteOtherCrawler
	}
	if v.governing.Resynced || r.Fetch.Trust == ingest.TrustResynced {
		r.Notes |= NoteResynced
	}
	if v.governing.Mismatched {
		r.Notes |= NoteDigestMismatch
	}
}

// take makes a the answer, keeping the notes on the fetch itself.
func (r *Result) take(a Answer) {
	a.Notes |= r.Notes
	r.Answer = a
}

// unknown withdraws a verdict.
func (r *Result) unknown(reason Reason) {
	r.Answer = Answer{Reason: reason, Notes: r.Notes}
}

// checkMoment withdraws the verdict where captures at the governing one's moment
// answer otherwise. File order never decides.
func (d *decider) checkMoment(r *Result, s *subject, v *view) (agreed bool, err error) {
	for _, other := range v.moment {
		if other == r.Governing {
			continue
		}
		a, err := d.answerInTime(other, s, v)
		if err != nil {
			return false, err
		}
		if a.Verdict != r.Verdict {
			r.unknown(ConflictingCaptures)
			return false, nil
		}
	}
	return true, nil
}

// recordPrior records what the latest capture before an unresolved or undefined
// one says. It is no verdict.
func (d *decider) recordPrior(r *Result, s *subject, earlier []*State) error {
	for i := len(earlier) - 1; i >= 0; i-- {
		if o := earlier[i].Outcome; o == OutcomeUnresolved || o == OutcomeUndefined {
			continue
		}
		a, err := d.answer(earlier[i], s)
		if err != nil {
			return err
		}
		r.Prior, r.HasPrior = a.Verdict, true
		return nil
	}
	return nil
}

// checkChanged withdraws a verdict on stale evidence where a capture within a day
// after the fetch says otherwise.
func (d *decider) checkChanged(r *Result, s *subject, following []*State) error {
	for _, later := range following {
		a, err := d.answer(later, s)
		if err != nil {
			return err
		}
		if a.Verdict != Unknown && a.Verdict != r.Verdict {
			r.unknown(ChangedBetween)
			return nil
		}
	}
	return nil
}

// certify says how sure a violation is.
func (d *decider) certify(r *Result, s *subject, tl *timeline, v *view) error {
	if r.Verdict != Disallowed || r.Evidence == Stale && s.time.MicrosSince(r.Governing.Time()) > staleViolation {
		return nil
	}
	allDisallow, err := d.permittedCopies(r, s, tl, v)
	if err != nil {
		return err
	}
	exact := s.time.Precision >= ingest.PrecisionHour
	for _, st := range v.moment {
		exact = exact && st.Precision >= ingest.PrecisionHour
	}
	const doubts = NoteURLCut | NoteBodyCut | NoteOtherCrawler | NotePartial | NoteResynced | NoteDigestMismatch
	switch {
	case r.Contester != nil || r.allows:
		r.Certainty = Contested
	case r.Evidence == Fresh && s.agent != "" && allDisallow && exact && r.Notes&doubts == 0:
		r.Certainty = Certain
	default:
		r.Certainty = Probable
	}
	return nil
}

// permittedCopies asks every copy of robots.txt that the crawler may have acted
// on (RFC 9309 §2.4): those of the last day and, while the file is unreachable,
// the last one that was got.
func (d *decider) permittedCopies(r *Result, s *subject, tl *timeline, v *view) (allDisallow bool, err error) {
	copies := tl.copies(s.time)
	if v.governing.Outcome == OutcomeUnreachable && v.lastRules != nil {
		copies = append(copies[:len(copies):len(copies)], v.lastRules)
	}
	allDisallow = true
	asked := r.Governing
	for _, c := range copies {
		if !c.isCopy() || c.saysLike(asked) {
			continue
		}
		asked = c
		a, err := d.answer(c, s)
		if err != nil {
			return false, err
		}
		if a.Verdict == Allowed || a.allows {
			r.Contester, r.Notes = c, r.Notes|NotePermittedCopy
			return false, nil
		}
		allDisallow = allDisallow && a.Verdict == Disallowed && !c.Mismatched
	}
	return allDisallow, nil
}
