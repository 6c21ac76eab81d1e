package report

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of tokens that differ as much from what most have, the best known come first.
func TestWhatIfRanking(t *testing.T) {
	w := NewWhatIf()
	for token, c := range map[string]VerdictCounts{
		"AlphaBot": {1, 5, 0}, "BetaBot": {1, 5, 0}, "GPTBot": {1, 5, 0}, "ZetaBot": {1, 5, 0},
		"DeltaBot": {1, 4, 1}, "CCBot": {1, 4, 1}, "EpsilonBot": {1, 0, 5},
	} {
		w.Agents[token] = AgentAccess{VerdictCounts: c}
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
	w := NewWhatIf()
	tell := func(id int64, group int, tokens ...string) {
		for _, token := range tokens {
			w.Join(TokenGroup{id, group}, token)
		}
	}
	tell(0, 0, "A", "B", "C")
	w.Add(TokenGroup{0, 0}, "unknown")
	tell(1, 0, "A")
	tell(1, 1, "B", "C")
	w.Add(TokenGroup{1, 0}, "allowed")
	w.Add(TokenGroup{1, 1}, "disallowed")
	w.EndOrigin()
	tell(2, 3, "A", "B", "C") // the next origin; robots_id 0 is not reported again
	w.Add(TokenGroup{2, 3}, "disallowed")
	w.Add(TokenGroup{0, 0}, "unknown")
	w.Add(TokenGroup{1, 0}, "allowed") // never reported here: of another origin
	w.EndOrigin()
	want := []AgentVerdicts{ // what B and C have is what most have
		{"A", AgentAccess{VerdictCounts{Unknown: 2, Allowed: 1, Disallowed: 1}, [accesses]int64{AccessUnknown: 2}}},
		{"B", AgentAccess{VerdictCounts{Unknown: 2, Disallowed: 2}, [accesses]int64{AccessUnknown: 2}}},
		{"C", AgentAccess{VerdictCounts{Unknown: 2, Disallowed: 2}, [accesses]int64{AccessUnknown: 2}}},
	}
	if diff := cmp.Diff(want, w.Ranking()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(w.groups) != 1 {
		t.Errorf("%d token groups are held between origins, want that of robots_id 0", len(w.groups))
	}
}

func TestAccess(t *testing.T) {
	for v, want := range map[VerdictCounts]Access{
		{1, 0, 0}: AccessFull, {0, 1, 0}: AccessNone, {1, 1, 0}: AccessPartial, {1, 1, 1}: AccessPartial,
		{1, 0, 1}: AccessUnknown, {0, 1, 1}: AccessUnknown, {0, 0, 1}: AccessUnknown,
	} {
		if got := accessBy(&v); got != want {
			t.Errorf("%+v: %d", v, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.00 kB", 6_180_000: "6.18 MB",
		3e12: "3.00 TB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 fetches", 1: "1 fetch", 2000: "2,000 fetches"} {
		if got := Count(n, "fetch"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
