package figures

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of tokens that differ as much from what most have, the best known come first.
func TestWhatIfRanking(t *testing.T) {
	w := newAccessTally()
	for token, c := range map[string]verdictCounts{
		"AlphaBot": {1, 5, 0}, "BetaBot": {1, 5, 0}, "GPTBot": {1, 5, 0}, "ZetaBot": {1, 5, 0},
		"DeltaBot": {1, 4, 1}, "CCBot": {1, 4, 1}, "EpsilonBot": {1, 0, 5},
	} {
		w.agents[token] = agentAccess{Agent: token, verdictCounts: c}
	}
	var order []string
	for _, a := range w.Ranking() {
		order = append(order, a.Agent)
	}
	want := []string{"EpsilonBot", "CCBot", "DeltaBot", "GPTBot", "AlphaBot", "BetaBot", "ZetaBot"}
	if !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// What-if verdicts are shared out to the tokens of their token groups, origin by origin.
func TestWhatIfCounts(t *testing.T) {
	w := newAccessTally()
	tell := func(id int64, group int32, tokens ...string) {
		for _, token := range tokens {
			w.addToken(tokenGroup{id, group}, token)
		}
	}
	tell(0, 0, "A", "B", "C")
	w.addFetch(tokenGroup{0, 0}, "unknown")
	tell(1, 0, "A")
	tell(1, 1, "B", "C")
	w.addFetch(tokenGroup{1, 0}, "allowed")
	w.addFetch(tokenGroup{1, 1}, "disallowed")
	w.endOrigin()
	tell(2, 3, "A", "B", "C") // the next origin; robots_id 0 is not reported again
	w.addFetch(tokenGroup{2, 3}, "disallowed")
	w.addFetch(tokenGroup{0, 0}, "unknown")
	w.addFetch(tokenGroup{1, 0}, "allowed") // never reported here: of another origin
	w.endOrigin()
	want := []agentAccess{ // what B and C have is what most have
		{"A", verdictCounts{Unknown: 2, Allowed: 1, Disallowed: 1}, [accesses]int64{accessUnknown: 2}},
		{"B", verdictCounts{Unknown: 2, Disallowed: 2}, [accesses]int64{accessUnknown: 2}},
		{"C", verdictCounts{Unknown: 2, Disallowed: 2}, [accesses]int64{accessUnknown: 2}},
	}
	if diff := cmp.Diff(want, w.Ranking(), cmp.AllowUnexported(agentAccess{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(w.groups) != 1 {
		t.Errorf("%d token groups are held between origins, want that of robots_id 0", len(w.groups))
	}
}

func TestAccess(t *testing.T) {
	for v, want := range map[verdictCounts]access{
		{1, 0, 0}: accessFull, {0, 1, 0}: accessNone, {1, 1, 0}: accessPartial, {1, 1, 1}: accessPartial,
		{1, 0, 1}: accessUnknown, {0, 1, 1}: accessUnknown, {0, 0, 1}: accessUnknown,
	} {
		if got := v.access(); got != want {
			t.Errorf("%+v: %d", v, got)
		}
	}
}
