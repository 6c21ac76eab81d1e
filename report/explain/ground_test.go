package explain

import (
	"os"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/words"
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
		if marks, title, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.Trim(marks, "#") == "" && marks != "" {
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

// TestEveryWordHasASentence: no step of a verdict rests on nothing.
func TestEveryWordHasASentence(t *testing.T) {
	all := map[string][]string{"note": evaluate.Notes(^evaluate.Notes(0)).Strings()}
	for r := words.ReasonRule; r <= words.TooCostly; r++ {
		all["reason"] = append(all["reason"], r.String())
	}
	for c := evaluate.Certain; c <= evaluate.Contested; c++ {
		all["certainty"] = append(all["certainty"], c.String())
	}
	for e := words.None; e <= evaluate.Later; e++ {
		all["evidence"] = append(all["evidence"], e.String())
	}
	for step, list := range all {
		if len(list) != len(sentences[step]) {
			t.Errorf("%s: %d words, %d sentences", step, len(list), len(sentences[step]))
		}
		for _, word := range list {
			if sentences[step][word].text == "" {
				t.Errorf("%s %s has no sentence", step, word)
			}
		}
	}
}
