package export

import (
	"iter"
	"testing"

	"github.com/robotsaudit/robotsaudit/report"
)

func rowsOf[T any](rows ...T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for i := range rows {
			if !yield(&rows[i], nil) {
				return
			}
		}
	}
}

// TestUnknown decides what the archives of the repository do not have: tags that may be missing,
// hints, and a fetch that is allowed for one token and unknown for another.
func TestUnknown(t *testing.T) {
	f := fetchRow{place: place{URL: "http://a.example/", Filename: "a.warc"}, Verdict: allowed, Reason: "rule", TagsFrom: "unknown"}
	pages := &decider{
		options: &Options{Purposes: []string{"train"}},
		pages:   follow(rowsOf[restrictionRow](), "restrictions", func(r *restrictionRow) *place { return &r.place }),
	}
	if w, err := pages.decide(&f); err != nil || w.Reason != unknown || w.Detail != tagsUnknown {
		t.Errorf("unknown tags: %+v, %v", w, err)
	}
	hint := f
	hint.TagsFrom, hint.Hints = "head", "cache,train"
	if w, err := pages.decide(&hint); err != nil || w.Reason != unknown || w.Detail != hinted || w.Purpose != "train" {
		t.Errorf("a hint: %+v, %v", w, err)
	}
	hint.Hints = "cache"
	if w, err := pages.decide(&hint); err != nil || w.Reason != allowed {
		t.Errorf("a hint that nobody asked about: %+v, %v", w, err)
	}
	tokens := &decider{options: &Options{}, whatIf: &whatIf{
		tokens: []string{"A", "B", "C"}, groups: map[int64][]int32{},
		verdicts: follow(rowsOf(
			groupVerdictRow{place: f.place, RobotsID: 7, Group: 1, Verdict: allowed},
			groupVerdictRow{place: f.place, RobotsID: 7, Group: 2, Verdict: unknown, Reason: "truncated"},
		), "group_verdicts", func(r *groupVerdictRow) *place { return &r.place }),
		agents: follow(rowsOf(
			report.RobotsAgentRow{RobotsID: 7, Group: 1, Agent: "A"}, report.RobotsAgentRow{RobotsID: 7, Group: 2, Agent: "B"},
			report.RobotsAgentRow{RobotsID: 7, Group: 1, Agent: "C"},
		), "robots_agents", nil),
	}}
	if w, err := tokens.decide(&f); err != nil || w.Reason != unknown || w.Detail != "truncated" || w.Agent != "B" || w.RobotsID != 7 {
		t.Errorf("a token that is unknown: %+v, %v", w, err)
	}
}
