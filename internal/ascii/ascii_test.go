package ascii

import "testing"

func TestLower(t *testing.T) {
	for in, want := range map[string]string{
		"":            "",
		"abc":         "abc",
		"aBC@[Z":      "abc@[z",
		"\u212a\xffA": "\u212a\xffa", // the Kelvin sign, and a byte that is no UTF-8
	} {
		if got := Lower(in); got != want {
			t.Errorf("Lower(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestEqualFold(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"", "", true}, {"Bot", "bOT", true}, {"bot", "bots", false}, {"\u017f", "s", false}, {"@", "`", false}} {
		if got := EqualFold(c.a, c.b); got != c.want {
			t.Errorf("EqualFold(%q, %q) is %v", c.a, c.b, got)
		}
	}
}
