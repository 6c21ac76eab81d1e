package evaluate

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestReadsNoArchives: this package compiles against the facts alone.
func TestReadsNoArchives(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip("go list: ", err)
	}
	const module = "github.com/robotsaudit/robotsaudit/"
	deps := strings.Fields(string(out))
	for _, foreign := range []string{module + "ingest", module + "report", "archive/zip", "github.com/slyrz/warc"} {
		if slices.Contains(deps, foreign) {
			t.Errorf("depends on %s", foreign)
		}
	}
	if !slices.Contains(deps, module+"internal/facts") {
		t.Errorf("does not depend on the facts: %d packages", len(deps))
	}
}
