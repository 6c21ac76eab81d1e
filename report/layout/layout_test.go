package layout

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// No line is wider than the page, and no word is lost.
func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one two three four", []string{"one two three", "four"}},
		{"aaaaaaaaaaaaaaaaaaaaaaaaa b", []string{"aaaaaaaaaaaaa", "aaaaaaaaaaaa", "b"}},
		{"漢字漢字漢字漢字", []string{"漢字漢字漢字", "漢字"}},
	} {
		if diff := cmp.Diff(test.want, Wrap(test.text, 13)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
	if got := fit("漢字漢字", 6); got != "漢字…" {
		t.Errorf("fit: %q", got)
	}
}

// Colours add nothing else, and a page has no line that is wider.
func TestColours(t *testing.T) {
	write := func(colours bool) string {
		p := New(48, colours)
		p.Answer(Red, "Violations of robots.txt: 3 fetches")
		p.Row("certain", "the crawler's copy, at most 24 h old; no copy allows", 1_000_000)
		p.Row(strings.Repeat("label ", 20), "", 5)
		p.More(12, 10)
		return p.String()
	}
	plain, coloured := write(false), write(true)
	if !strings.Contains(coloured, "\n"+string(Red)+"Violations of robots.txt: 3 fetches"+reset+"\n") {
		t.Errorf("%q", coloured)
	}
	if bare := strings.NewReplacer(string(Red), "", reset, "").Replace(coloured); bare != plain {
		t.Errorf("%q, want %q", bare, plain)
	}
	for line := range strings.Lines(plain) {
		if n := cellsOf(strings.TrimSuffix(line, "\n")); n > 48 {
			t.Errorf("%d cells: %s", n, line)
		}
	}
}
