package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHelpWidth: no line of a command's help is wider than a terminal may be.
func TestHelpWidth(t *testing.T) {
	root := newRootCommand()
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Name() == "completion" {
			continue // its text is cobra's
		}
		var out bytes.Buffer
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 {
				t.Errorf("%s: %d columns: %s", cmd.Name(), n, line)
			}
		}
	}
}
