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
