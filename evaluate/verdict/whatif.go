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

// WhatIf decides a fetch for other tokens: had this fetch been made at this moment, or
// as of a date, under another name, by the robots.txt that governed it. Tokens that fall in the
// same group are decided once. The results are no violations.
type WhatIf struct {
	Tokens []string   // each once
	AsOf   facts.Time // unknown: at each fetch's own time
	// Verdict takes what a fetch would have been, for each token group. It is valid until that returns.
	Verdict func(*GroupVerdict) error
	Asker   func(robotsID int64, group int, token string) error // takes who is in the token groups of a capture, once

	decider *Decider
	mapped  map[int64]bool // states of the origin in hand whose token groups are passed on
	noneToo bool           // so are the token groups of fetches without a governing capture
	verdict GroupVerdict   // the one that is passed on, reused
	judged  Finding        // by judgeGroup, the last, reused; its record is that of all groups
}

// NewOrigin begins another origin.
func (w *WhatIf) NewOrigin(d *Decider) { w.decider, w.mapped = d, make(map[int64]bool) }

// DecideGroups passes on the verdicts for one fetch, whose own is r.
func (w *WhatIf) DecideGroups(r *Finding) error {
	tl := r.timeline
	if r.Reason == words.RobotsTxtItself || r.Reason == words.UnsupportedScheme {
		return w.same(r.Fetch, r.Verdict, r.Reason)
	}
	w.judged = Finding{record: w.judged.record.emptied()}
	s := w.decider.first.setTo(w.decider, r.Fetch, r.Agent, tl, w.AsOf, &w.judged.record)
	if !s.time.Known() {
		return w.same(r.Fetch, words.Unknown, words.NoTime)
	}
	v := tl.view(candidates{subject: s})
	switch {
	case s.isTooCostly():
		return w.same(r.Fetch, words.Unknown, words.TooCostly)
	case v.governing == nil:
		return w.same(r.Fetch, words.Unknown, words.NoCapture)
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
		s.order(v.governing) != maybeBefore && len(tl.others(s, &v)) == 0
	if alone && v.governing.Outcome.HasRules() {
		return w.ask(r, s, &v, groups)
	}
	for i := range groups {
		answer := w.judgeGroup(r, s, tl, &v, &groups[i], alone)
		if err := w.judged.err; err != nil {
			return err
		}
		if err := w.pass(r.Fetch, v.governing, v.evidence, answer, groups[i].Group); err != nil {
			return err
		}
	}
	return nil
}

// ask passes on the answer of the governing file for each token group.
func (w *WhatIf) ask(r *Finding, s *subject, v *view, groups []parsed.TokenGroup) error {
	file, err := w.decider.files.Get(&v.governing.State)
	if err != nil {
		return err
	}
	common := r.Notes&words.NoteURLCut | w.decider.doubts(s, v, asTheyAre)
	s.consult(RoleGoverning, v.governing)
	w.verdict = GroupVerdict{Fetch: r.Fetch, Governing: v.governing, Evidence: v.evidence, Grounds: w.judged.Grounds}
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
func (w *WhatIf) same(f *facts.Fetch, verdict words.Verdict, reason words.Reason) error {
	if !w.noneToo {
		w.noneToo = true
		if err := w.mapTokens(0, parsed.TokenGroup{Tokens: w.Tokens}); err != nil {
			return err
		}
	}
	return w.pass(f, nil, words.None, Answer{Verdict: verdict, Reason: reason}, 0)
}

// judgeGroup decides for a token group. Where other captures take part, tokens of one
// token group may fall in different groups there: if they then differ, nothing is known
// of the token group.
func (w *WhatIf) judgeGroup(r *Finding, s *subject, tl *Timeline, v *view, t *parsed.TokenGroup, alone bool) Answer {
	switch {
	case v.governing.isRefusal() && t.Group == 0: // they are of others
		return Answer{Reason: words.RefusedToOther}
	case v.governing.isRefusal() && !s.isOwn(v.governing): // they are the token of the crawler that got it
		return Answer{Verdict: words.Allowed, Reason: words.Unavailable}
	}
	tokens := t.Tokens
	if alone {
		tokens = tokens[:1]
	}
	var first Answer
	looked := s.record.looked
	for i, token := range tokens {
		s.token, s.record.looked = token, looked
		w.judged = Finding{Fetch: r.Fetch, Agent: r.Agent, record: w.judged.record}
		other := &w.judged
		other.Notes = r.Notes & words.NoteURLCut
		w.decider.judge(other, s, tl, v)
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
		if err := w.mapTokens(id, t); err != nil {
			return err
		}
	}
	return nil
}

func (w *WhatIf) mapTokens(id int64, t parsed.TokenGroup) error {
	for _, token := range t.Tokens {
		if err := w.Asker(id, t.Group, token); err != nil {
			return err
		}
	}
	return nil
}

// DecideAs returns what a fetch would have been for one token, as of a moment, which is unknown at its own time.
func (d *Decider) DecideAs(r *Finding, token string, asOf facts.Time) (*Finding, error) {
	other := &Finding{
		Fetch: r.Fetch, Path: r.Path, Agent: r.Agent, AgentSource: r.AgentSource, decider: r.decider,
		timeline: r.timeline,
	}
	w := WhatIf{
		Tokens: []string{token}, AsOf: asOf, Asker: func(int64, int, string) error { return nil },
		Verdict: func(v *GroupVerdict) error {
			other.Evidence, other.Answer, other.Governing = v.Evidence, v.Answer, v.Governing
			return nil
		},
	}
	w.NewOrigin(d)
	err := w.DecideGroups(r)
	other.withdrawn, other.against, other.record = w.judged.withdrawn, w.judged.against, w.judged.record
	return other, err
}
