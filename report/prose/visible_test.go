package prose

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"http://a.example/x?y=1#z":    "http://a.example/x?y=1#z",
		"<script>alert('1')</script>": "<script>alert('1')</script>",
		"é漢字 שלום":                    "é漢字 שלום",
		"a\x00b\r\n\tc\x7f":           "a⟨U+0000⟩b⟨U+000D⟩⟨U+000A⟩⟨U+0009⟩c⟨U+007F⟩",
		"\u202egnp.exe\u2066x\u200f":  "⟨U+202E⟩gnp.exe⟨U+2066⟩x⟨U+200F⟩",
		"a\u200bb\u00adc\ufeffd":      "a⟨U+200B⟩b⟨U+00AD⟩c⟨U+FEFF⟩d",
		"a\u00a0b\u2028c\u3000d":      "a⟨U+00A0⟩b⟨U+2028⟩c⟨U+3000⟩d",
		"caf\xe9\xff":                 "caf⟨0xE9⟩⟨0xFF⟩",
		"\u0085\u009b31m":             "⟨U+0085⟩⟨U+009B⟩31m",
		"a\ufe0fb\u3164c\u034fd":      "a⟨U+FE0F⟩b⟨U+3164⟩c⟨U+034F⟩d",
		"\ue000\U000e0041\U0010ffff":  "⟨U+E000⟩⟨U+E0041⟩⟨U+10FFFF⟩",
		"⟨U+202E⟩":                    "⟨U+27E8⟩U+202E⟩",
		"\ufffd":                      "\ufffd",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1.com": "'=1+1.com", "+1": "'+1", "-1": "'-1", "@SUM(1)": "'@SUM(1)", "  =1": "'  =1", "＝1": "'＝1",
		"\t=1": "'⟨U+0009⟩=1", "\r1": "'⟨U+000D⟩1", "a=1": "a=1", "": "", "x\u202e": "x⟨U+202E⟩",
	} {
		if got := Cell(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// What is cut is valid, bounded, and says so.
func TestClip(t *testing.T) {
	for _, test := range []struct {
		in   string
		want string
		cut  bool
	}{
		{"http://a/" + strings.Repeat("x", 7), "http://a/xxxxxxx", false},
		{"http://a/" + strings.Repeat("x", 88) + "yyy", "http://a/xxx… (100 bytes) …xyyy", true},
		{strings.Repeat("é", 50), "éééééé… (100 bytes) …éé", true},
	} {
		got, cut := ClipMiddle(test.in, 16)
		if got != test.want || cut != test.cut {
			t.Errorf("%q: %q, %t", test.in, got, cut)
		}
	}
	for _, in := range []string{
		strings.Repeat("\u202e", 1<<16), strings.Repeat("\xff", 1<<16),
		strings.Repeat("\x00", 100), strings.Repeat("漢", 1<<16),
	} {
		middle, cut := ClipMiddle(in, 160)
		for _, got := range []string{Clip(in, 160), middle} {
			if !utf8.ValidString(got) || len(got) > 600 ||
				Visible(strings.ReplaceAll(got, "⟨", "")) != strings.ReplaceAll(got, "⟨", "") {
				t.Errorf("%d bytes: %q", len(got), got)
			}
		}
		if !cut || !strings.Contains(Clip(in, 160), " bytes)") {
			t.Errorf("%q: not said to be cut", Clip(in, 160))
		}
	}
}
