package facts

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
