package robotsaudit_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A check that nothing starts rots: .ci/run, a workflow or another check starts each program of scripts/check.
func TestChecksAreStarted(t *testing.T) {
	started := make(map[string]bool)
	find := func(pattern, starts string) {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(starts).FindAllStringSubmatch(string(text), -1) {
				for word := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return r == ',' }) {
					if words := strings.Fields(word); len(words) > 0 {
						started[words[0]] = true
					}
				}
			}
		}
	}
	find(".ci/run", `scripts/check/run ([\w-]+)`)
	find(".github/workflows/*.yml", `scripts/check/run ([\w-]+)`)
	find(".github/workflows/weekly.yml", `check: \[(.*)\]`)
	find("scripts/check/*.py", `(?m)^\s*(?:import|from) (\w+)`)
	find("scripts/check/*.py", `"check", "(\w+)"`)
	find("scripts/check/crawlers.py", `"(crawlers_\w+)"`)
	files, err := filepath.Glob("scripts/check/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name, ending, _ := strings.Cut(filepath.Base(file), ".")
		if (ending == "py" || ending == "sh") && !started[name] {
			t.Errorf("nothing starts %s", file)
		}
	}
}
