package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// whatIf reads the verdicts for product tokens. group_verdicts has the verdicts on each fetch, by the
// groups of its robots.txt, and robots_agents states which group a token belongs to. The groups of a
// capture stand there at the place of the first fetch that it governs.
type whatIf struct {
	tokens   []string // whose verdicts count
	verdicts *results.Follower[report.GroupVerdictRow]
	agents   *results.Follower[report.RobotsAgentRow]

	origin string
	groups map[int64][]int32        // by robots_id, of the origin in hand: the group of each token
	none   []int32                  // of fetches without a governing capture, robots_id 0: all tokens are in group 0
	last   []int32                  // the groups read last: most captures of an origin have the same
	rows   []report.GroupVerdictRow // of the fetch in hand
}

func newWhatIf(ctx context.Context, r *results.Results, tokens []string) *whatIf {
	return &whatIf{
		tokens: tokens, groups: make(map[int64][]int32), none: make([]int32, len(tokens)),
		verdicts: results.Follow(ctx, r, report.GroupVerdictsTable, "robots_id", "group", "verdict", "reason", "rule", "rule_line"),
		agents:   results.Follow(ctx, r, report.RobotsAgentsTable),
	}
}

// Stop ends reading.
func (w *whatIf) Stop() {
	w.verdicts.Stop()
	w.agents.Stop()
}

// End makes sure that both tables were read to their end.
func (w *whatIf) End() error {
	if err := cmp.Or(w.verdicts.End(), results.EachGroup(w.agents, 0, nil)); err != nil {
		return err
	}
	row, err := w.agents.Peek()
	if row != nil && err == nil {
		err = fmt.Errorf("the tables fetches and %s of the audit do not agree on the capture %d; audit again",
			report.RobotsAgentsTable.Name, row.RobotsID)
	}
	return err
}

var disallowed, unknown, allowed = words.Disallowed.String(), words.Unknown.String(), words.Allowed.String()

// decide is the verdict for the tokens together: the first that is disallowed counts, else the
// first that is unknown.
func (w *whatIf) decide(f *report.FetchRow) (Grounds, error) {
	if err := w.read(f); err != nil {
		return Grounds{}, err
	}
	groups, err := w.groupsOf(f, w.rows[0].RobotsID)
	if err != nil {
		return Grounds{}, err
	}
	var found Grounds
	for i, token := range w.tokens {
		j := slices.IndexFunc(w.rows, func(r report.GroupVerdictRow) bool { return r.Group == groups[i] })
		if j < 0 {
			return Grounds{}, w.verdicts.Disagrees(f.Place())
		}
		r := &w.rows[j]
		if found.Reason == "" || r.Verdict == disallowed || r.Verdict == unknown && found.Reason == allowed {
			found = Grounds{
				Reason: r.Verdict, Detail: r.Reason, Agent: token, Rule: r.Rule, RuleLine: r.RuleLine,
				RobotsID: r.RobotsID,
			}
		}
		if found.Reason == disallowed {
			break
		}
	}
	return found, nil
}

// read reads the rows of a fetch, one for each group.
func (w *whatIf) read(f *report.FetchRow) error {
	w.rows = w.rows[:0]
	at := f.Place()
	at.RecordID = "" // which the table does not have
	first, err := w.verdicts.One(at)
	for first != nil && err == nil {
		w.rows = append(w.rows, *first)
		var row *report.GroupVerdictRow
		if row, err = w.verdicts.Peek(); row == nil || err != nil || row.Place() != at ||
			row.RobotsID != w.rows[0].RobotsID ||
			slices.ContainsFunc(w.rows, func(r report.GroupVerdictRow) bool { return r.Group == row.Group }) {
			break
		}
		first, err = w.verdicts.One(at)
	}
	return err
}

// groupsOf are the groups of the tokens in the capture that governs a fetch.
func (w *whatIf) groupsOf(f *report.FetchRow, robotsID int64) ([]int32, error) {
	if robotsID == 0 {
		return w.none, nil
	}
	if w.origin != f.Origin {
		w.origin = f.Origin
		clear(w.groups)
	}
	if groups := w.groups[robotsID]; groups != nil {
		return groups, nil
	}
	groups, err := w.readGroups(f, robotsID)
	if err != nil {
		return nil, err
	}
	if slices.Equal(groups, w.last) {
		groups = w.last
	}
	w.last, w.groups[robotsID] = groups, groups
	return groups, nil
}

// readGroups reads the rows of a capture in robots_agents, which come next, except for the rows of
// robots_id 0.
func (w *whatIf) readGroups(f *report.FetchRow, robotsID int64) ([]int32, error) {
	groups := slices.Repeat([]int32{-1}, len(w.tokens))
	err := results.EachGroup(w.agents, robotsID, func(row *report.RobotsAgentRow) {
		if i := slices.Index(w.tokens, row.Agent); i >= 0 {
			groups[i] = row.Group
		}
	})
	if err != nil {
		return nil, err
	}
	if slices.Contains(groups, -1) {
		return nil, w.agents.Disagrees(f.Place())
	}
	return groups, nil
}
