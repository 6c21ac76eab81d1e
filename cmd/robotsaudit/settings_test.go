package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
)

// TestRepositoryVariables: nobody is warned of a variable that tests and scripts of the repository
// use, and repositoryVariables has no others.
func TestRepositoryVariables(t *testing.T) {
	used := make(map[string]bool)
	for _, dir := range []string{
		"../../.ci", "../../scripts", "../../cmd", "../../evaluate", "../../ingest",
		"../../internal", "../../report",
	} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			isScript := filepath.Ext(path) != ".go" && !strings.Contains(filepath.ToSlash(path), "testdata/script/")
			if err != nil || d.IsDir() || !isScript && !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, name := range regexp.MustCompile(`\bROBOTSAUDIT_[A-Z0-9_]+`).FindAll(text, -1) {
				used[string(name)] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	known := usage.Variables(newRootCommand())
	for name := range used {
		if unknown := unknownVariables(known, []string{name + "=value"}); len(unknown) > 0 {
			t.Errorf("a warning would tell of %s", name)
		}
	}
	for _, name := range repositoryVariables {
		if full := variablePrefix + name; !used[full] || slices.Contains(known, full) {
			t.Errorf("%s is not used, or a setting", full)
		}
	}
}
