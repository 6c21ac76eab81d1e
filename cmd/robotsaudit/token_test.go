package main

import (
	"maps"
	"testing"
)

// TestNumberedLines: a list may be as editors of Windows write it, with a byte order mark or in UTF-16.
func TestNumberedLines(t *testing.T) {
	for name, text := range map[string]string{
		"plain":   "Bot/é\n b",
		"marked":  "\ufeffBot/é\r\nb\r\n",
		"UTF-16":  "\xff\xfeB\x00o\x00t\x00/\x00\xe9\x00\r\x00\n\x00b\x00",
		"another": "\xfe\xff\x00B\x00o\x00t\x00/\x00\xe9\x00\n\x00b",
	} {
		if got := maps.Collect(numberedLines([]byte(text))); len(got) != 2 || got[1] != "Bot/é" || got[2] != "b" {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := maps.Collect(numberedLines([]byte("a\xff\n"))); len(got) != 1 || got[1] != "a\xff" {
		t.Errorf("no UTF-8: %v", got)
	}
}
