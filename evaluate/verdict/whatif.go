package verdict

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/parsed"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// GroupVerdict is what a fetch would have been for every token that a group of
// the governing robots.txt governs.
type GroupVerdict struct {
	Fetch     *facts.Fetch
	Governing *State // nil where there is none
	Evidence  words.Evidence
	Answer
	Grounds []Ground // of all that was decided for other tokens so far; valid until the next fetch
}

// WhatIf decides a fetch for other tokens, at its moment or as of a date, by the robots.txt that governed it. Tokens of
// one group are decided once. The results are no violations.
type WhatIf struct {
	Tokens []string   // each once
	AsOf   facts.Time // unknown: at each fetch's own time
	// Verdict takes what a fetch would have been, for each token group. It is valid until that returns.
	Verdict func(*GroupVerdict) error
	Asker   func(robotsID int64, group int, token string) error // takes who is in the token groups of a capture, once

	decider *Decider
	// states of the origin in hand whose token groups are passed on; 0: token groups without a governing capture
	mapped  map[int64]bool
	verdict GroupVerdict // the one that is passed on, reused
	judged  Finding      // the last, reused
}

// NewOrigin begins another origin.
func (w *WhatIf) NewOrigin(d *Decider) { w.decider, w.mapped = d, map[int64]bool{0: w.mapped[0]} }

// Decide returns what a fetch, whose own verdict is r, would have been for one token. It is valid until the next.
func (w *WhatIf) Decide(r *Finding, token string) (*Finding, error) {
	if s, v := w.begin(r); v.governing != nil {
		w.judge(s, &v, token)
	}
	return &w.judged, w.judged.err
}

// DecideGroups passes on the verdicts for one fetch, whose own is r.
func (w *WhatIf) DecideGroups(r *Finding) error {
	s, v := w.begin(r)
	if v.governing == nil {
		if err := w.announce(0, []parsed.TokenGroup{{Tokens: w.Tokens}}); err != nil {
			return err
		}
		return w.pass(&v, w.judged.Answer, 0)
	}
	groups, err := w.tokenGroups(v.governing)
	if err != nil {
		return err
	}
	if err := w.announce(v.governing.ID, groups); err != nil {
		return err
	}
	if v.isAlone && v.governing.Outcome.HasRules() {
		return w.ask(s, &v, groups)
	}
	for i := range groups {
		answer := w.judgeGroup(s, &v, &groups[i])
		if w.judged.err != nil {
			return w.judged.err
		}
		if err := w.pass(&v, answer, groups[i].Group); err != nil {
			return err
		}
	}
	return nil
}

// ask passes on the answer of the governing file, which decides alone, for each token group.
func (w *WhatIf) ask(s *subject, v *view, groups []parsed.TokenGroup) error {
	file, err := w.decider.files.Get(&v.governing.State)
	if err != nil {
		return err
	}
	common := objections(w.judged.Grounds)
	w.verdict = GroupVerdict{Fetch: s.Fetch, Governing: v.governing, Evidence: v.evidence, Grounds: w.judged.Grounds}
	for i := range groups {
		g := &groups[i]
		s.token = g.Tokens[0]
		w.verdict.Answer.read(file, v.governing, s, &g.Reader)
		for _, s.token = range g.Askers[1:] {
			var other Answer
			other.read(file, v.governing, s, &g.Reader)
			w.verdict.Notes |= other.Notes & words.OpenReadings
		}
		w.verdict.Notes |= common
		w.verdict.Group = g.Group
		if err := w.Verdict(&w.verdict); err != nil {
			return err
		}
	}
	return nil
}

func (w *WhatIf) pass(v *view, a Answer, group int) error {
	a.Group = group
	w.verdict = GroupVerdict{w.judged.Fetch, v.governing, v.evidence, a, w.judged.Grounds}
	return w.Verdict(&w.verdict)
}

// begin makes the verdict that is judged what a fetch, whose own is r, would have been for any token, or returns the
// view that shows it.
func (w *WhatIf) begin(r *Finding) (s *subject, v view) {
	x, d := &w.judged, w.decider
	*x = Finding{
		Fetch: r.Fetch, Path: r.Path, Agent: r.Agent, AgentSource: r.AgentSource, decider: d, timeline: r.timeline,
		record: x.record.emptied(),
	}
	s = d.subject.setTo(d, r.Fetch, r.Agent, r.timeline, w.AsOf, &x.record)
	s.notes = r.Notes & words.NoteURLCut
	switch {
	case r.Reason == words.RobotsTxtItself, r.Reason == words.UnsupportedScheme:
		x.Verdict, x.Reason = r.Verdict, r.Reason
		return s, v
	case !s.time.Known():
		x.Reason = words.NoTime
		return s, v
	}
	if v = d.survey(x, candidates{subject: s}, r.timeline); v.governing == nil || s.isTooCostly() {
		d.judge(x, s, x.timeline, &v)
		v = view{}
	}
	return s, v
}

// judgeGroup decides for a token group. Where other captures take part, tokens of one
// token group may fall in different groups there: if they then differ, nothing is known
// of the token group.
func (w *WhatIf) judgeGroup(s *subject, v *view, t *parsed.TokenGroup) (first Answer) {
	x, tokens := &w.judged, t.Tokens
	if v.isAlone || v.governing.isRefusal() {
		tokens = tokens[:1]
	}
	for i, token := range tokens {
		w.judge(s, v, token)
		switch {
		case i == 0:
			first = x.Answer
		case x.Verdict == first.Verdict:
			first.Notes |= x.Notes & words.OpenReadings
		case len(v.moment) > 1:
			return Answer{Reason: words.ConflictingCaptures}
		default:
			return Answer{Reason: words.ChangedBetween}
		}
	}
	return first
}

// judge gives the verdict for a token. Another way of matching it would be of this token, not of its group.
func (w *WhatIf) judge(s *subject, v *view, token string) {
	x := &w.judged
	x.forget()
	s.token, x.Answer = token, Answer{}
	switch isRefusal := v.governing.isRefusal(); {
	case isRefusal && !v.governing.isOf(crawler.Key(token)):
		x.Reason = words.RefusedToOther
	case isRefusal && !s.isOwn(v.governing):
		x.Verdict, x.Reason = words.Allowed, words.Unavailable
	default:
		w.decider.judge(x, s, x.timeline, v)
		x.Notes &^= words.NoteOtherMode
	}
}

// tokenGroups sorts the tokens by the groups that govern them in a state's file. Where
// no file decides, they are one token group, of group 0.
func (w *WhatIf) tokenGroups(st *State) ([]parsed.TokenGroup, error) {
	if st.Outcome != words.OutcomeRules && st.Outcome != words.OutcomePartial {
		return w.withoutFile(st), nil
	}
	file, err := w.decider.files.Get(&st.State)
	if err != nil {
		return nil, err
	}
	return file.TokenGroups(w.Tokens), nil
}

// withoutFile is the token group of all tokens, where no file decides. A refusal is one to the crawler
// that got it: that is a token group of its own, of group 1.
func (w *WhatIf) withoutFile(st *State) []parsed.TokenGroup {
	if !st.isRefusal() {
		return []parsed.TokenGroup{{Tokens: w.Tokens}}
	}
	var others parsed.TokenGroup
	own := parsed.TokenGroup{Group: 1}
	for _, token := range w.Tokens {
		if st.isOf(crawler.Key(token)) {
			own.Tokens = append(own.Tokens, token)
		} else {
			others.Tokens = append(others.Tokens, token)
		}
	}
	return slices.DeleteFunc([]parsed.TokenGroup{others, own},
		func(t parsed.TokenGroup) bool { return len(t.Tokens) == 0 })
}

// announce passes on once who is in the token groups of a state.
func (w *WhatIf) announce(id int64, groups []parsed.TokenGroup) error {
	if w.mapped[id] {
		return nil
	}
	w.mapped[id] = true
	for _, t := range groups {
		for _, token := range t.Tokens {
			if err := w.Asker(id, t.Group, token); err != nil {
				return err
			}
		}
	}
	return nil
}
