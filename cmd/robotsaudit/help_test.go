package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// TestFlagCount: the command line stays small. Counted are all flags of all commands, hidden ones, too, but for --help,
// and those for operators in each command.
func TestFlagCount(t *testing.T) {
	const maxAudit, maxDistinct, maxSum = 34, 72, 250
	distinct, sum := map[string]bool{"version": true}, 0
	for _, cmd := range newRootCommand().Commands() {
		cmd.InheritedFlags() // which cmd.Flags() has from now on
		n := 0
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" {
				distinct[f.Name] = true
				n++
			}
		})
		if cmd.Name() == "audit" && n > maxAudit {
			t.Errorf("audit has %d flags, at most %d are wanted", n, maxAudit)
		}
		sum += n
	}
	t.Logf("%d distinct flags, %d in sum", len(distinct), sum)
	if len(distinct) > maxDistinct || sum > maxSum {
		t.Errorf("%d distinct flags, %d in sum; at most %d and %d are wanted", len(distinct), sum, maxDistinct, maxSum)
	}
}

// TestHelpWidth: no line of a command's help is wider than a terminal may be, and that of audit fits two screens.
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
		if n := strings.Count(out.String(), "\n"); cmd.Name() == "audit" && n > 100 {
			t.Errorf("the help of audit has %d lines: more than two screens of 50", n)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 {
				t.Errorf("%s: %d columns: %s", cmd.Name(), n, line)
			}
		}
	}
}
