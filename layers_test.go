package robotsaudit

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	packageName = regexp.MustCompile("`([a-z/.]+)`")
	packageRow  = regexp.MustCompile("(?m)^\\| (`.*?) \\| .* \\| (.*) \\|$")
)

// groups are packages that docs/ARCHITECTURE.md names together.
var groups = strings.NewReplacer("*formats*", "`internal/archive/...`, `internal/cdx`",
	"*rules*", "`internal/robots/...`, `internal/tag/...`")

// TestLayers: no package imports what docs/ARCHITECTURE.md says that it must not know. A package without a row of its
// own has the row of the folder above.
func TestLayers(t *testing.T) {
	const module = "github.com/robotsaudit/robotsaudit"
	b, err := os.ReadFile("docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "| package | owns | must not know |")
	table, _, _ = strings.Cut(table, "\n\n")
	forbidden := make(map[string][]string)
	for _, row := range packageRow.FindAllStringSubmatch(table, -1) {
		folder := ""
		for _, name := range packageName.FindAllStringSubmatch(row[1], -1) {
			of := path.Join(folder, name[1])
			switch {
			case strings.Contains(name[1], "/"): // those after it lie beside it
				of, folder = name[1], path.Dir(name[1])
			case name[1] == path.Base(module):
				of = ""
			}
			for _, not := range packageName.FindAllStringSubmatch(groups.Replace(row[2]), -1) {
				forbidden[of] = append(forbidden[of], not[1])
			}
		}
	}
	if len(forbidden) < 38 {
		t.Fatalf("the table has %d packages", len(forbidden))
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Skip("go list: ", err)
	}
	for line := range strings.Lines(string(out)) {
		imports := strings.Fields(strings.ReplaceAll(line, module+"/", ""))
		of := strings.TrimPrefix(imports[0], module)
		if strings.HasSuffix(of, "test") {
			continue
		}
		row := of
		for forbidden[row] == nil && row != "." {
			row = path.Dir(row)
		}
		if row == "." && of != "" && !slices.Contains(unlisted, of) {
			t.Errorf("docs/ARCHITECTURE.md does not say what %s must not know", of)
		}
		for _, not := range forbidden[row] {
			below, isTree := strings.CutSuffix(not, "/...")
			for _, imported := range imports[1:] {
				if imported != of && (imported == below || isTree && strings.HasPrefix(imported, below+"/")) {
					t.Errorf("%s imports %s", of, imported)
				}
			}
		}
	}
}

// unlisted are packages without a row.
var unlisted = []string{"internal/words", "internal/ascii", "scripts/check/browser"}
