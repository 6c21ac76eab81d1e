package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                "",
		"http://a/é":      "http://a/é",
		"http://a/\xe9":   "http://a/%E9",
		"\xc3":            "%C3",
		"\xed\xa0\x80":    "%ED%A0%80", // a surrogate
		"a\x00b\x1b[2J":   "a\x00b\x1b[2J",
		"\uFFFD\xff":      "\uFFFD%FF",
		"%e9 stays as is": "%e9 stays as is",
	} {
		if got := locator(in); got != want {
			t.Errorf("locator(%q) = %q, want %q", in, got, want)
		}
	}
	for _, s := range []string{
		strings.Repeat("é", maxText), "x" + strings.Repeat("é", maxText),
		strings.Repeat("\xff", 2*maxText),
	} {
		for name, f := range map[string]func(string) string{"text": text, "ruleText": ruleText} {
			got := f(s)
			if !utf8.ValidString(got) || !strings.HasSuffix(got, cutMark) || len(got) > 3*maxText+len(cutMark) {
				t.Errorf("%s of %d bytes: %d bytes, ends in %q", name, len(s), len(got), got[max(0, len(got)-16):])
			}
			if strings.Contains(s, "é") && strings.Trim(got, "xé") != cutMark {
				t.Errorf("%s cut a character: %q", name, strings.Trim(got, "xé"))
			}
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

func TestPlaceText(t *testing.T) {
	for _, c := range []struct {
		file   string
		length int64
		want   string
	}{
		{"access.log.gz", -1, "row 9"}, {"access.log", -1, "offset 9"}, {"a.warc.gz", -1, "offset 9"}, {"table.gz", 5, "offset 9"},
	} {
		if got := PlaceText(c.file, 9, c.length); got != c.want {
			t.Errorf("%s, %d: %s", c.file, c.length, got)
		}
	}
}
