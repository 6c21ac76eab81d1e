package httpmsg

import (
	"strings"
	"testing"
)

func TestLanguageList(t *testing.T) {
	for codes, want := range map[string]string{
		"eng":                        "eng",
		"deu, eng":                   "deu,eng",
		",,":                         "",
		",zh-Hant,":                  "zh-Hant",
		"text; x=1":                  "",
		"\xc3\xa9":                   "",
		strings.Repeat("eng,", 16):   strings.Repeat("eng,", 15) + "eng",
		strings.Repeat("eng,", 1000): "",
	} {
		if got := LanguageList(codes); got != want {
			t.Errorf("LanguageList(%.40q) = %q, want %q", codes, got, want)
		}
	}
}

// What is found in content is a media type, or nothing.
func TestDetectedType(t *testing.T) {
	for written, want := range map[string]string{
		"Text/HTML; charset=utf-8": "text/html", "": "", "clueweb09-ja0016-50-00000": "", "text/": "", "/html": "",
	} {
		if got := DetectedType(written); got != want {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
}
