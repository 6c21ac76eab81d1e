package explain

import (
	"os"
	"strings"
	"testing"
)

// TestSentences: each sentence stands verbatim in the section that is named.
func TestSentences(t *testing.T) {
	text, err := os.ReadFile("../../docs/SEMANTICS.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	heading := ""
	for line := range strings.Lines(string(text)) {
		if marks, title, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.Trim(marks, "#") == "" &&
			marks != "" {
			heading = title
			continue
		}
		sections[heading] += line
	}
	for step, list := range sentences {
		for word, s := range list {
			within, known := sections[s.section]
			if !known {
				t.Errorf("%s %s: there is no section %q", step, word, s.section)
			}
			if !strings.Contains(strings.Join(strings.Fields(within), " "), s.text) {
				t.Errorf("%s %s: %q does not stand in %q", step, word, s.text, s.section)
			}
		}
	}
}
