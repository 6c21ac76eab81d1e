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
	// states of the origin in hand whose token groups are passed on; 0: those of fetches without a governing capture
	mapped  map[int64]bool
	verdict GroupVerdict // the one that is passed on, reused
	judged  Finding      // by judgeGroup, the last, reused; its record is that of all groups
}

// NewOrigin begins another origin.
func (w *WhatIf) NewOrigin(d *Decider) { w.decider, w.mapped = d, map[int64]bool{0: w.mapped[0]} }

// DecideGroups passes on the verdicts for one fetch, whose own is r.
func (w *WhatIf) DecideGroups(r *Finding) error {
	x, d := &w.judged, w.decider
	s, v := d.beginAs(x, r, w.AsOf)
	if v.governing == nil {
		return w.same(x)
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
		s.order(v.governing) != maybeBefore && len(r.timeline.others(s, &v)) == 0
	if alone && v.governing.Outcome.HasRules() {
		return w.ask(s, &v, groups)
	}
	for i := range groups {
		answer := w.judgeGroup(s, &v, &groups[i], alone)
		if x.err != nil {
			return x.err
		}
		if err := w.pass(s.Fetch, v.governing, v.evidence, answer, groups[i].Group); err != nil {
			return err
		}
	}
	return nil
}

// ask passes on the answer of the governing file for each token group.
func (w *WhatIf) ask(s *subject, v *view, groups []parsed.TokenGroup) error {
	file, err := w.decider.files.Get(&v.governing.State)
	if err != nil {
		return err
	}
	s.consult(RoleGoverning, v.governing)
	w.decider.doubts(s, v)
	common := objections(w.judged.Grounds)
	w.verdict = GroupVerdict{Fetch: s.Fetch, Governing: v.governing, Evidence: v.evidence, Grounds: w.judged.Grounds}
	for i := range groups {
		s.token = groups[i].Tokens[0]
		w.verdict.Answer.read(file, v.governing, s, &groups[i].Reader)
		for _, s.token = range groups[i].Askers[1:] {
			var other Answer
			other.read(file, v.governing, s, &groups[i].Reader)
			w.verdict.Notes |= other.Notes & words.OpenReadings
		}
		w.verdict.Notes |= common
		w.verdict.Group = groups[i].Group
		if err := w.Verdict(&w.verdict); err != nil {
			return err
		}
	}
	return nil
}

func (w *WhatIf) pass(f *facts.Fetch, governing *State, e words.Evidence, a Answer, group int) error {
	a.Group = group
	w.verdict = GroupVerdict{f, governing, e, a, w.judged.Grounds}
	return w.Verdict(&w.verdict)
}

// same passes on a verdict that holds for all tokens.
func (w *WhatIf) same(x *Finding) error {
	if err := w.announce(0, []parsed.TokenGroup{{Tokens: w.Tokens}}); err != nil {
		return err
	}
	return w.pass(x.Fetch, nil, words.None, x.Answer, 0)
}

// judgeGroup decides for a token group. Where other captures take part, tokens of one
// token group may fall in different groups there: if they then differ, nothing is known
// of the token group.
func (w *WhatIf) judgeGroup(s *subject, v *view, t *parsed.TokenGroup, alone bool) (first Answer) {
	tokens := t.Tokens
	if alone || v.governing.isRefusal() {
		tokens = tokens[:1]
	}
	x, looked := &w.judged, s.record.looked
	for i, token := range tokens {
		x.forget()
		x.looked = looked
		w.decider.judgeAs(x, s, v, token)
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

// DecideAs returns what a fetch would have been for one token, as of a moment, which is unknown at its own time.
func (d *Decider) DecideAs(r *Finding, token string, asOf facts.Time) (*Finding, error) {
	x := new(Finding)
	if s, v := d.beginAs(x, r, asOf); v.governing != nil {
		d.judgeAs(x, s, &v, token)
	}
	return x, x.err
}

// beginAs makes x what a fetch, whose own verdict is r, would have been for any token, as of a moment: a verdict, or
// none yet, with the view that shows it.
func (d *Decider) beginAs(x, r *Finding, asOf facts.Time) (s *subject, v view) {
	*x = Finding{
		Fetch: r.Fetch, Path: r.Path, Agent: r.Agent, AgentSource: r.AgentSource, decider: d, timeline: r.timeline,
		record: x.record.emptied(),
	}
	s = d.subject.setTo(d, r.Fetch, r.Agent, r.timeline, asOf, &x.record)
	s.notes = r.Notes & words.NoteURLCut
	switch {
	case r.Reason == words.RobotsTxtItself, r.Reason == words.UnsupportedScheme:
		x.Verdict, x.Reason = r.Verdict, r.Reason
		return s, v
	case !s.time.Known():
		x.Reason = words.NoTime
		return s, v
	}
	v = r.timeline.view(candidates{subject: s})
	switch {
	case s.isTooCostly():
		x.Reason, v.governing = words.TooCostly, nil
	case v.governing == nil:
		x.Reason = words.NoCapture
	}
	return s, v
}

// judgeAs makes x the verdict for a token. Another way of matching it would be of this token, not of its group.
func (d *Decider) judgeAs(x *Finding, s *subject, v *view, token string) {
	s.token, x.Answer = token, Answer{}
	x.Governing, x.Evidence = v.governing, v.evidence
	switch isRefusal := v.governing.isRefusal(); {
	case isRefusal && !v.governing.isOf(crawler.Key(token)):
		x.Reason = words.RefusedToOther
	case isRefusal && !s.isOwn(v.governing):
		x.Verdict, x.Reason = words.Allowed, words.Unavailable
	default:
		d.judge(x, s, x.timeline, v)
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
