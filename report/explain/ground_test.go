package explain

import (
	"os"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
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
	for step, words := range sentences {
		for word, s := range words {
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
	words := map[string][]string{"note": evaluate.Notes(^evaluate.Notes(0)).Strings()}
	for r := evaluate.ReasonRule; r <= evaluate.TooCostly; r++ {
		words["reason"] = append(words["reason"], r.String())
	}
	for c := evaluate.Certain; c <= evaluate.Contested; c++ {
		words["certainty"] = append(words["certainty"], c.String())
	}
	for e := evaluate.None; e <= evaluate.Later; e++ {
		words["evidence"] = append(words["evidence"], e.String())
	}
	for step, list := range words {
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
