package agents

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"audit", "evaluate", "diff", "violations", "host_stats", "GPTBot", "GPTBots"}
	for word, want := range map[string]string{
		"auditt": "audit", "udit": "audit", "audti": "audit", "aduti": "", "audit": "audit", "Audit": "audit",
		"evluatte": "evaluate", "evlatte": "", "evluaet": "", "dif": "", "dfif": "diff", "D-IFF": "diff",
		"violation": "violations", "hoststats": "host_stats", "GTPBot": "GPTBot", "GPTBotts": "GPTBots", "": "",
		"x": "",
	} {
		if name, ok := Nearest(word, names); name != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", word, name, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "ab", 2},
		{"ab", "", 2},
		{"ab", "ba", 1},
		{"abc", "acb", 1},
		{"abcd", "badc", 2},
		{"ca", "abc", 3},
		{"kitten", "sitting", 3},
		{"gtpbot", "gptbot", 1},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
