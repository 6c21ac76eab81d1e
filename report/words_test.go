package report

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

const semantics = "../docs/SEMANTICS.md"

// TestGeneratedSemantics compares the tables of docs/SEMANTICS.md with the registry of words; -update writes them.
func TestGeneratedSemantics(t *testing.T) {
	b, err := os.ReadFile(semantics)
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{
		"evidence": true, "reasons": true, "certainty": true, "doubts": true, "notes": true, "grounds": true,
		"readings": true,
	}
	want := block.ReplaceAllStringFunc(string(b), func(part string) string {
		m := block.FindStringSubmatch(part)
		delete(missing, m[2])
		return fmt.Sprintf("<!-- %s: %s -->\n%s<!-- end -->", m[1], m[2], wordTable(m[2]))
	})
	for name := range missing {
		t.Errorf("docs/SEMANTICS.md has no table of the %s", name)
	}
	if *update {
		if err := os.WriteFile(semantics, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		b = []byte(want)
	}
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Errorf("docs/SEMANTICS.md is out of date; run go generate ./report (-want +got):\n%s", diff)
	}
}

// wordTable is a table of docs/SEMANTICS.md, or that of the lists in docs/SCHEMA.md.
func wordTable(name string) string {
	var b strings.Builder
	cell := strings.NewReplacer("|", `\|`).Replace
	line := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	called := func(w *words.Word) string { // in the tables that others refer to with a link to where it is defined
		isHere := name == "evidence" || name == "certainty" || name == "lists" || name == "readings" ||
			slices.Contains([]string{"The four classes", "Other notes", "Verdicts and reasons"}, w.Section)
		if isHere {
			return "`" + w.Name + "`"
		}
		document, _ := strings.CutPrefix(words.Document(w.Section), "SEMANTICS.md")
		return "[`" + w.Name + "`](" + document + "#" + anchor(w.Section) + ")"
	}
	rows := func(list []words.Word, heads []string, cells func(w *words.Word) []string) {
		line(heads...)
		line(strings.Split(strings.Repeat("--- ", len(heads)-1)+"---", " ")...)
		for i := range list {
			if more := cells(&list[i]); more != nil && list[i].Name != "" {
				line(append([]string{called(&list[i])}, more...)...)
			}
		}
	}
	notes := func(heads []string, cells func(w *words.Word) []string, effects ...words.Effect) {
		rows(words.NoteWords, heads, func(w *words.Word) []string {
			for _, e := range effects {
				if w.Effect == e {
					return cells(w)
				}
			}
			return nil
		})
	}
	switch name {
	case "evidence":
		rows(words.Evidences, []string{"evidence", "meaning"},
			func(w *words.Word) []string { return []string{w.Meaning} })
	case "reasons":
		rows(words.Reasons, []string{"reason", "verdict", "meaning"}, func(w *words.Word) []string {
			return []string{w.Effect.String(), w.Meaning}
		})
	case "certainty":
		order := []words.Word{
			words.Certainties[words.Contested], words.Certainties[words.Possible],
			words.Certainties[words.Probable], words.Certainties[words.Certain],
		}
		rows(order, []string{"certainty", "when"}, func(w *words.Word) []string { return []string{w.Meaning} })
	case "doubts":
		notes([]string{"note", "doubt"},
			func(w *words.Word) []string { return []string{cell(w.Meaning)} }, words.Doubt)
	case "notes":
		notes([]string{"note", "class", "meaning"}, func(w *words.Word) []string {
			return []string{w.Effect.String(), cell(w.Meaning)}
		}, words.NoEffect, words.AllowingCopy, words.Unproven)
	case "grounds":
		rows(words.GroundWords[len(words.NoteWords):], []string{"ground", "class", "meaning"},
			func(w *words.Word) []string { return []string{w.Effect.String(), cell(w.Meaning)} })
	case "lists":
		rows(words.Causes, []string{"reason", "list", "meaning"}, func(w *words.Word) []string {
			return []string{words.CauseOf(w.Name).Fate().String(), w.Meaning}
		})
	case "readings":
		notes([]string{"note", "reading"}, func(w *words.Word) []string { return []string{cell(w.Meaning)} },
			words.OpenReading)
	}
	if name == "lists" {
		return b.String()
	}
	return strings.ReplaceAll(b.String(), "RFC 9309 §", "§") // in SEMANTICS.md, a number alone is of RFC 9309
}

// anchor is the link of a heading, as GitHub makes it.
func anchor(heading string) string {
	return strings.NewReplacer(" ", "-", "'", "", ",", "", ".", "").Replace(strings.ToLower(heading))
}

// TestWords walks the registry: every word has a meaning, its section is in its document, what leaves a doubt
// says what would settle it, and the names of a list are different.
func TestWords(t *testing.T) {
	for list, all := range map[string][]words.Word{
		"verdict": words.Verdicts, "evidence": words.Evidences, "certainty": words.Certainties, "reason": words.Reasons,
		"note": words.GroundWords, "outcome": words.Outcomes, "issue": words.Issues, "agent_source": words.AgentSources,
		"agent_match": words.Matches, "fate": words.Fates, "cause": words.Causes,
	} {
		names := make(map[string]bool)
		for i, w := range all {
			if i == 0 && (w.Name == "" || list == "issue") { // the zero value stands for none
				continue
			}
			isDefined := list == "evidence" || list == "certainty" || list == "reason" || list == "note"
			switch {
			case w.Name == "" || names[w.Name]:
				t.Errorf("%s %d: the name %q", list, i, w.Name)
			case !strings.HasSuffix(w.Meaning, "."):
				t.Errorf("%s %s means %q", list, w.Name, w.Meaning)
			case isDefined && !hasHeading(t, words.Document(w.Section), w.Section):
				t.Errorf("%s %s: docs/%s has no section %q", list, w.Name, words.Document(w.Section), w.Section)
			case (w.Effect == words.GivesUnknown || w.Effect == words.Unproven || w.Effect == words.AllowingCopy) &&
				w.Settle == "":
				t.Errorf("%s %s: nothing would settle it", list, w.Name)
			case list == "note" && (w.Effect == words.Unproven || w.Effect == words.AllowingCopy) && w.But == "":
				t.Errorf("%s %s has no ending of a sentence that accuses", list, w.Name)
			case list == "issue" && words.IssueKind(i).Lossy() != strings.HasPrefix(w.Meaning, "The input "):
				t.Errorf("%s %s: %q", list, w.Name, w.Meaning)
			}
			names[w.Name] = true
		}
	}
}

// hasHeading reports whether a document in docs has a heading.
func hasHeading(t *testing.T, document, heading string) bool {
	t.Helper()
	b, err := os.ReadFile("../docs/" + document)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(b), "# "+heading+"\n")
}

// TestQuotedSections: names in quotation marks in the comments of what decides are headings of the documents on it.
func TestQuotedSections(t *testing.T) {
	documents := []string{"SEMANTICS.md", "SIGNALS.md", "FORMATS.md", "crawlers.md", "SCHEMA.md"}
	quoted, found := regexp.MustCompile(`"([A-Z][^"]*)"`), 0
	for _, folder := range []string{"../evaluate", "../evaluate/*", "../internal/resolve"} {
		files, _ := filepath.Glob(folder + "/*.go")
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range file.Comments {
				if strings.HasSuffix(name, "_test.go") {
					break
				}
				text := strings.ReplaceAll(group.Text(), "\n", " ")
				for _, m := range quoted.FindAllStringSubmatch(text, -1) {
					found++
					if !slices.ContainsFunc(documents, func(name string) bool { return hasHeading(t, name, m[1]) }) {
						t.Errorf("%s refers to %q, and none of %v has such a heading", name, m[1], documents)
					}
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("%d references", found)
	}
}

// TestProfilesAreKnown: each profile stands in the lists by hand, and in what other programs know.
func TestProfilesAreKnown(t *testing.T) {
	constants := []evaluate.Profile{evaluate.RFC9309, evaluate.REP08, evaluate.Google}
	for _, p := range robots.Profiles {
		if !slices.Contains(constants, p) {
			t.Errorf("evaluate/api.go has no constant of %v (or this list lacks it)", p)
		}
		if b, err := os.ReadFile(semantics); err != nil || !strings.Contains(string(b), "\n| `"+p.String()+"` | ") {
			t.Errorf("%s has no profile %v: %v", semantics, p, err)
		}
	}
}

// TestWordsAreUsed: no word stands in the registry that no code gives.
func TestWordsAreUsed(t *testing.T) {
	out, err := exec.Command("git", "-C", "..", "grep", "-ohE", `\bwords\.[A-Z]\w+`, "--", "*.go",
		":!*_test.go").Output()
	if err != nil {
		t.Skip("git grep: ", err)
	}
	used := make(map[string]bool)
	for name := range strings.FieldsSeq(string(out)) {
		used[name] = true
	}
	for _, file := range []string{"verdict", "note", "capture", "issue", "list"} {
		b, err := os.ReadFile("../internal/words/" + file + ".go")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllStringSubmatch(string(b), -1) {
			if name := m[1]; !used["words."+name] && !zeroWords[name] {
				t.Errorf("nothing uses words.%s", name)
			}
		}
	}
}

var (
	declared  = regexp.MustCompile(`(?m)^\t([A-Z]\w+)(?: \w+ = .*iota)?$`)
	zeroWords = map[string]bool{"AgentUnknown": true, "MatchNone": true, "IssueUnknown": true}
)
