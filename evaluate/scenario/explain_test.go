package scenario

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/explain"
	"github.com/robotsaudit/robotsaudit/report/results"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestExplain: the explanation of each fetch of the table agrees with the results and is short,
// and each disallowed fetch is proven by a bundle of evidence. Of the scenarios without an example, a
// sample is enough unless all long tests run.
// For each reason, note and certainty, the text of the first fetch that has it is compared with
// testdata/explain; -update writes those files.
func TestExplain(t *testing.T) {
	list := allScenarios(t)
	golden := examples(list)
	if *update {
		if err := os.RemoveAll("testdata/explain"); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll("testdata/explain", 0o777); err != nil {
			t.Fatal(err)
		}
	}
	isExample := func(r *record) bool { return golden[r] != nil }
	hasExample := func(a *archive) bool { return slices.ContainsFunc(a.records, isExample) }
	for i, s := range list {
		if !longtest.Run() && i%32 != 0 && !slices.ContainsFunc(s.archives, hasExample) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(s.file), ".txt")+"/"+s.name, func(t *testing.T) {
			t.Parallel()
			s.explain(t, golden)
		})
	}
}

// examples names, for each reason, note and certainty, the first record that has it.
func examples(list []*scenario) map[*record][]string {
	names, named := make(map[*record][]string), make(map[string]bool)
	add := func(r *record, kind, word string) {
		if name := kind + "-" + word; word != "?" && !named[name] {
			named[name] = true
			names[r] = append(names[r], name)
		}
	}
	for _, s := range list {
		for _, a := range s.archives {
			for _, r := range a.records {
				if r.want == nil || r.want.none || len(r.want.words) == 0 {
					continue
				}
				add(r, "reason", r.want.words[2])
				if len(r.want.words) > 3 {
					add(r, "certainty", r.want.words[3])
				}
				for _, name := range noteNames() {
					if r.want.notes[name] == expected {
						add(r, "note", name)
					}
				}
			}
		}
	}
	return names
}

// explain audits the archives of a scenario, explains each fetch and proves the disallowed ones.
func (s *scenario) explain(t *testing.T, golden map[*record][]string) {
	paths := s.write(t, t.TempDir(), indexForms[0])
	tables := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !isTable(path) })
	out := audittest.Audit(t, s.evaluateOptions(t), append(tables, filepath.Dir(paths[0]))...)
	r, err := results.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	set, err := ingest.OpenFacts(out)
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	var disallowed []string
	for f, err := range results.Rows(t.Context(), r, report.FetchesTable) {
		if err != nil {
			t.Fatal(err)
		}
		at := fmt.Sprintf("%s:%d", f.WARCFilename, f.WARCRecordOffset)
		x, err := explain.New(t.Context(), r, set, evaluate.Question{What: at})
		if err != nil {
			t.Fatalf("%s: %v", f.URL, err)
		}
		if f.Verdict == evaluate.Disallowed.String() && f.RecordType != facts.TypeIndexed.String() {
			// of an index no record is at hand
			disallowed = append(disallowed, at)
		}
		want := []string{f.Verdict, f.Reason, f.Evidence, f.Certainty, strings.Join(f.Notes, ","), f.PriorVerdict}
		if got := []string{
			x.Verdict, x.Reason, x.Evidence, x.Certainty, strings.Join(x.Notes, ","),
			x.Prior,
		}; !slices.Equal(got, want) {
			t.Errorf("%s %s: explained as %q, the tables have %q", f.URL, at, got, want)
		}
		var short, full bytes.Buffer
		if err := x.WriteText(&short, false); err != nil {
			t.Fatal(err)
		}
		if err := x.WriteText(&full, true); err != nil || full.Len() < short.Len() {
			t.Errorf("%s: %d bytes in full, %d without, %v", f.URL, full.Len(), short.Len(), err)
		}
		for _, c := range x.Captures {
			words := strings.Join(strings.Fields(short.String()), " ")
			if c.Governs() && x.Fetch.Time.MicrosSince(c.Time.Time) > 0 &&
				strings.Contains(words, "less than a second after the fetch") {
				t.Errorf("%s: a capture dated before the fetch is explained by %q", f.URL, words)
			}
		}
		if n := strings.Count(short.String(), "\n"); n > maxLines {
			t.Errorf("%s: %d lines, want %d at most", f.URL, n, maxLines)
		}
		texts[f.URL], texts[f.WARCRecordID] = short.String(), short.String()
	}
	s.compareTexts(t, texts, golden)
	if r.Audit().Settings.AsOf.IsZero() {
		proveLists(t, out)
	}
	prove(t, out, disallowed,
		slices.ContainsFunc(s.archives, func(a *archive) bool { return a.isIndex() || a.isTable() }))
}

const maxLines = 60

// compareTexts compares texts, by URL and record id, with the golden files.
func (s *scenario) compareTexts(t *testing.T, texts map[string]string, golden map[*record][]string) {
	for _, a := range s.archives {
		if a.isList() { // which a folder does not give
			continue
		}
		for _, r := range a.records {
			for _, name := range golden[r] {
				key := r.id()
				if a.isARC() || texts[key] == "" {
					key = r.url
				}
				got := fmt.Sprintf("# %s\n\n%s", s.name, texts[key])
				path := filepath.Join("testdata/explain", name+".txt")
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				if want, err := os.ReadFile(path); err != nil || string(want) != got {
					t.Errorf("%s (%v): now\n%s", path, err, got)
				}
			}
		}
	}
}
