package main

import (
	"os"
	"strings"
	"testing"
)

// TestCrawlersDocument: docs/crawlers.md states first of every crawler how its entry is known:
// from a try or from its source.
func TestCrawlersDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/crawlers.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "\n## ")[1:]
	for _, section := range sections {
		name, rest, _ := strings.Cut(section, "\n\n")
		known := false
		for _, word := range []string{"*Tried*", "*From its source*", "*From its documents*"} {
			known = known || strings.HasPrefix(rest, word)
		}
		for _, part := range []string{"**Holds**", "**Options**", "**Name**", "**False readings**"} {
			known = known && strings.Contains(rest, "- "+part)
		}
		if !known || !strings.Contains(string(text), "](#"+strings.ReplaceAll(strings.ToLower(name), " ", "-")+") | ") {
			t.Errorf("%s: no row in the table, or not all parts", name)
		}
	}
	if len(sections) < 8 {
		t.Errorf("%d crawlers", len(sections))
	}
}
