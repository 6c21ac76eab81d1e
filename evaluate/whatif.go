package evaluate

import (
	"fmt"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// tokenGroup is the what-if tokens that one group of a robots.txt governs, and that the same other groups
// name in another reading.
type tokenGroup struct {
	group  int // its number: the deciding group's, or a further one where several have that group
	tokens []string
	askers []string // one token of each sort: an open reading may hold for one sort alone
	reader reader   // of the first of the tokens, without what is of it alone

	othersRefused bool // another crawler got the refusal that answers
}

// whatIf decides a fetch for other tokens: had this fetch been made at this moment, or
// as of a date, under another name, by the robots.txt that governed it. Tokens that fall in the
// same group are decided once. The results are no violations.
type whatIf struct {
	decider *decider
	tokens  []string
	asOf    facts.Time // unknown: at each fetch's own time
	sink    Sink
	mapped  map[int64]bool // states of the origin in hand whose token groups the sink knows
	noneToo bool           // the sink knows the token groups of fetches without a governing capture
	verdict GroupVerdict   // the one that the sink has, reused
	judged  Result         // by judgeGroup, the last, reused
}

func (w *whatIf) newOrigin() { w.mapped = make(map[int64]bool) }

// decide passes the verdicts for one fetch, whose own is r, to the sink.
func (w *whatIf) decide(r *Result, tl *timeline) error {
	if r.Reason == words.RobotsTxtItself || r.Reason == words.UnsupportedScheme {
		return w.same(r.Fetch, r.Verdict, r.Reason)
	}
	s := w.decider.newSubject(r.Fetch, r.Agent, tl, w.asOf)
	if !s.time.Known() {
		return w.same(r.Fetch, Unknown, words.NoTime)
	}
	v := tl.view(&s)
	switch {
	case s.isTooCostly():
		return w.same(r.Fetch, Unknown, words.TooCostly)
	case v.governing == nil:
		return w.same(r.Fetch, Unknown, words.NoCapture)
	}
	groups, err := w.tokenGroups(v.governing)
	if err != nil {
		return err
	}
	if err := w.announce(v.governing.ID, groups); err != nil {
		return err
	}
	// Where no other capture takes part, the answer of the governing one is the verdict.
	alone := !v.outdated && len(v.moment) == 1 && len(v.older) == 0 && len(v.ownNext) == 0 &&
		s.see(v.governing).relation != maybeBefore && len(tl.others(&s, &v)) == 0
	if alone && v.governing.Outcome.HasRules() {
		return w.ask(r, &s, &v, groups)
	}
	for i := range groups {
		answer := w.judgeGroup(r, s, tl, &v, &groups[i], alone)
		if err := w.decider.failed(); err != nil {
			return err
		}
		if err := w.pass(r.Fetch, v.governing, v.evidence, answer, groups[i].group); err != nil {
			return err
		}
	}
	return nil
}

// ask passes on the answer of the governing file for each token group.
func (w *whatIf) ask(r *Result, s *subject, v *view, groups []tokenGroup) error {
	file, err := w.decider.files.get(v.governing)
	if err != nil {
		return err
	}
	common := r.Notes&words.NoteURLCut | w.decider.doubts(s, v)
	w.verdict = GroupVerdict{Fetch: r.Fetch, Governing: v.governing, Evidence: v.evidence}
	for i := range groups {
		s.token = groups[i].tokens[0]
		file.answer(&w.verdict.Answer, v.governing, s, &groups[i].reader)
		for _, s.token = range groups[i].askers[1:] {
			var other Answer
			file.answer(&other, v.governing, s, &groups[i].reader)
			w.verdict.Notes |= other.Notes & words.OpenReadings
		}
		w.verdict.Notes |= common
		w.verdict.Group = groups[i].group
		if err := w.sink.GroupVerdict(&w.verdict); err != nil {
			return err
		}
	}
	return nil
}

func (w *whatIf) pass(f *facts.Fetch, governing *State, e Evidence, a Answer, group int) error {
	a.Group = group
	w.verdict = GroupVerdict{f, governing, e, a}
	return w.sink.GroupVerdict(&w.verdict)
}

// same passes on a verdict that holds for all tokens.
func (w *whatIf) same(f *facts.Fetch, verdict Verdict, reason Reason) error {
	if !w.noneToo {
		w.noneToo = true
		if err := w.mapTokens(0, tokenGroup{tokens: w.tokens}); err != nil {
			return err
		}
	}
	return w.pass(f, nil, words.None, Answer{Verdict: verdict, Reason: reason}, 0)
}

// judgeGroup decides for a token group. Where other captures take part, tokens of one
// token group may fall in different groups there: if they then differ, nothing is known
// of the token group.
func (w *whatIf) judgeGroup(r *Result, s subject, tl *timeline, v *view, t *tokenGroup, alone bool) Answer {
	switch {
	case t.othersRefused:
		return Answer{Reason: words.RefusedToOther}
	case v.governing.isRefusal() && !s.see(v.governing).isOwn: // they are the token of the crawler that got it
		return Answer{Verdict: Allowed, Reason: words.Unavailable}
	}
	tokens := t.tokens
	if alone {
		tokens = tokens[:1]
	}
	var first Answer
	looked := s.looked
	for i, token := range tokens {
		s.token, s.looked = token, looked
		w.judged = Result{Fetch: r.Fetch, Agent: r.Agent}
		other := &w.judged
		other.Notes = r.Notes & words.NoteURLCut
		w.decider.judge(other, &s, tl, v)
		switch {
		case i == 0:
			first = other.Answer
			first.Notes &^= words.NoteOtherMode // that would be of this token, not of the token group
		case other.Verdict != first.Verdict:
			reason := words.ChangedBetween
			if len(v.moment) > 1 {
				reason = words.ConflictingCaptures
			}
			return Answer{Reason: reason}
		default:
			first.Notes |= other.Notes & words.OpenReadings
		}
	}
	return first
}

// tokenGroups sorts the tokens by the groups that govern them in a state's file. Where
// no file decides, they are one token group, of group 0.
func (w *whatIf) tokenGroups(st *State) ([]tokenGroup, error) {
	if st.Outcome != words.OutcomeRules && st.Outcome != words.OutcomePartial {
		return w.withoutFile(st), nil
	}
	file, err := w.decider.files.get(st)
	if err != nil {
		return nil, err
	}
	if file.groups != nil {
		return file.groups, nil
	}
	known, numbers := make(map[string]int), make(map[int]bool)
	for _, token := range w.tokens {
		group, asides := file.For(token), file.OtherLines(token)
		key := fmt.Sprint(group.Key(), asides)
		i, isKnown := known[key]
		if !isKnown {
			i = len(file.groups)
			number := group.Key()
			if numbers[number] {
				number = file.MaxKey() + i
			}
			known[key], numbers[number] = i, true
			only := file.reader(token)
			only.others, only.documented = nil, nil // those are of this token, not of the token group
			file.groups = append(file.groups, tokenGroup{group: number, reader: only})
		}
		t := &file.groups[i]
		t.tokens = append(t.tokens, token)
		if !slices.ContainsFunc(t.askers, func(asker string) bool { return file.JudgesAlike(asker, token) }) {
			t.askers = append(t.askers, token)
		}
	}
	return file.groups, nil
}

// withoutFile is the token group of all tokens, where no file decides. A refusal is one to the crawler
// that got it: that is a token group of its own, of group 1.
func (w *whatIf) withoutFile(st *State) []tokenGroup {
	if !st.isRefusal() {
		return []tokenGroup{{tokens: w.tokens}}
	}
	others, own := tokenGroup{othersRefused: true}, tokenGroup{group: 1}
	for _, token := range w.tokens {
		if st.isOf(agentKey(token)) {
			own.tokens = append(own.tokens, token)
		} else {
			others.tokens = append(others.tokens, token)
		}
	}
	return slices.DeleteFunc([]tokenGroup{others, own}, func(t tokenGroup) bool { return len(t.tokens) == 0 })
}

// announce passes to the sink once who is in the token groups of a state.
func (w *whatIf) announce(id int64, groups []tokenGroup) error {
	if w.mapped[id] {
		return nil
	}
	w.mapped[id] = true
	for _, t := range groups {
		if err := w.mapTokens(id, t); err != nil {
			return err
		}
	}
	return nil
}

func (w *whatIf) mapTokens(id int64, t tokenGroup) error {
	for _, token := range t.tokens {
		if err := w.sink.RobotsAgent(id, t.group, token); err != nil {
			return err
		}
	}
	return nil
}
