package explain

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/evidence"
	"github.com/robotsaudit/robotsaudit/report/finding"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// TestSentences: the sentences are in their sections' documents, verbatim.
func TestSentences(t *testing.T) {
	for step, named := range sentences {
		for name, s := range named {
			b, err := os.ReadFile("../../docs/" + words.Document(s.section))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(strings.Fields(string(b)), " "), s.text) {
				t.Errorf("%s %s: docs/%s does not have %q", step, name, words.Document(s.section), s.text)
			}
		}
	}
}

// TestEveryGroundIsSaid: what a decision records as a ground of its class is said in the table, the explanation, the
// report and the bundle, by its word or its meaning, and docs/SEMANTICS.md has it.
func TestEveryGroundIsSaid(t *testing.T) {
	semantics, err := os.ReadFile("../../" + semantics)
	if err != nil {
		t.Fatal(err)
	}
	var in facts.InputResult
	in.Name, in.Container, in.Fingerprint = "a.warc.gz", "warc.gz", "0123456789abcdef"
	dir := t.TempDir()
	w, err := report.NewWriter(dir, facts.SetOf(in), evaluate.DecideOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fetch := facts.Fetch{
		Origin: "http://a.example", URL: "http://a.example/x", Micros: 1714561200e6, Precision: facts.PrecisionSecond,
		RecordID: recordid.ID("urn:x:1"), Type: facts.TypeResponse, Method: "GET", Status: 200,
	}
	totals := &evaluate.Totals{RobotsByOutcome: map[string]int64{}}
	var said []words.Word
	for bit, ground := range words.GroundWords {
		certainty := map[words.Effect]evaluate.Certainty{
			words.NoEffect: evaluate.Certain, words.Doubt: evaluate.Probable, words.Unproven: evaluate.Possible,
			words.AllowingCopy: evaluate.Contested, words.OpenReading: evaluate.Contested,
		}[ground.Effect]
		note := evaluate.Notes(1) << bit
		if certainty == evaluate.Certain && note != words.GroundFailed {
			continue // a remark
		}
		r := evaluate.Result{Finding: verdict.Finding{
			Fetch: new(fetch), Agent: "bot", AgentSource: words.AgentFromRequest, Certainty: certainty,
			Answer:   evaluate.Answer{Verdict: evaluate.Disallowed, Reason: words.ReasonRule},
			Evidence: evaluate.Fresh, Governing: new(evaluate.State),
		}}
		r.Grounds = []evaluate.Ground{{Word: note}}
		said = append(said, ground)
		totals.Add(&r)
		if err := w.Result(&r); err != nil {
			t.Fatal(err)
		}
		if got := evidence.FindingOf(&r).Grounds; !slices.Equal(got, []string{ground.Name}) {
			t.Errorf("%s: the bundle has the grounds %q", ground.Name, got)
		}
		x := &evaluate.Explanation{
			Kind: evaluate.KindFetch, Certainty: certainty.String(), Said: evaluate.Said{Verdict: "disallowed", Reason: "rule"},
		}
		for _, g := range r.Objections() {
			x.Objections = append(x.Objections, evaluate.ExplainedObjection{Word: g.Name()})
		}
		var text bytes.Buffer
		if err := (&Explanation{Explanation: x, Grounds: grounds(x)}).WriteText(&text, false); err != nil {
			t.Fatal(err)
		}
		all := strings.Join(strings.Fields(text.String()), " ")
		if !strings.Contains(all, ground.Name+": “"+plain(ground.Meaning)) {
			t.Errorf("%s: the explanation does not have it:\n%s", ground.Name, &text)
		}
		if !strings.Contains(strings.ReplaceAll(string(semantics), "| [`", "| `"), "\n| `"+ground.Name+"`") {
			t.Errorf("%s: docs/SEMANTICS.md does not list it", ground.Name)
		}
	}
	if _, err := w.Commit(totals); err != nil {
		t.Fatal(err)
	}
	read, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []report.TableOf[report.ViolationRow]{report.ViolationsTable, report.UnprovenTable} {
		for row, err := range results.Rows(t.Context(), read, table) {
			if err != nil {
				t.Fatal(err)
			}
			isOnly := func(g words.Word) bool { return slices.Equal(row.GroundWords(), []string{g.Name}) }
			i := slices.IndexFunc(said, isOnly)
			if i < 0 {
				t.Errorf("the table %s has the grounds %v", table.Name, row.Grounds)
				continue
			}
			ground := said[i]
			said = slices.Delete(said, i, i+1)
			f := finding.Case{ViolationRow: *row}
			if ground.But != "" && !strings.Contains(f.Sentence(), prose.PlainMarkdown(ground.But)) {
				t.Errorf("%s: the report says %q", ground.Name, f.Sentence())
			}
			proof := ""
			for _, term := range f.Proof() {
				proof += strings.Join(term.Values, "\n") + "\n"
			}
			if !strings.Contains(proof, prose.PlainMarkdown(ground.Meaning)) {
				t.Errorf("%s: the proof in the report is %q", ground.Name, proof)
			}
		}
	}
	for _, g := range said {
		t.Errorf("%s: no table has it", g.Name)
	}
}
