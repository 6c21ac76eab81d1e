package ci_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/ci"
	"github.com/robotsaudit/robotsaudit/report/results"
)

func open(t *testing.T) *results.Results {
	t.Helper()
	r, err := results.Open(audittest.Audit(t, audittest.Everything, "../../testdata/warc"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, f func(context.Context, io.Writer, *results.Results) error, r *results.Results) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(t.Context(), &b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every violation is a result, the certain ones first.
func TestSARIF(t *testing.T) {
	r := open(t)
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
			}
		}
	}
	if err := json.Unmarshal(write(t, ci.SARIF, r), &log); err != nil {
		t.Fatal(err)
	}
	totals := r.Audit().Totals
	var levels strings.Builder
	for _, result := range log.Runs[0].Results {
		levels.WriteString(result.RuleID + "=" + result.Level + " ")
		if !strings.Contains(result.Message.Text, " fetched http") ||
			strings.Contains(result.Message.Text, "; this is probable, not certain") != (result.RuleID == "probable") {
			t.Error(result.Message.Text)
		}
	}
	want := strings.Repeat("certain=error ", int(totals.ViolationsCertain)) +
		strings.Repeat("probable=warning ", int(totals.ViolationsProbable))
	if got := levels.String(); got != want || totals.ViolationsProbable == 0 {
		t.Errorf("%q, want %q", got, want)
	}
}

// A verdict that rests only on an index, or on an option, is not described as if records showed it.
func TestIndexed(t *testing.T) {
	row := filepath.Join(t.TempDir(), "own.cdxj")
	text := `example,wild)/paper.pdf 20250310060003 {"url": "http://wild.example/paper.pdf", "status": "200", "length": "99", "offset": "77", "filename": "other.warc.gz"}` + "\n"
	if err := os.WriteFile(row, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := results.Open(audittest.Audit(t, evaluate.DecideOptions{Crawler: "Wget"}, row,
		"../../testdata/warc/crawl-b-1.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "An index alone says that on 10 March 2025 at 06:00:03 UTC Wget (so named by an option of this audit) fetched " +
		"http://wild.example/paper.pdf, which "
	for _, got := range [][]byte{write(t, ci.SARIF, r), write(t, ci.JUnit, r)} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("%s", got)
		}
	}
}

// Every origin is a test case, which fails if it has violations, and names them.
func TestJUnit(t *testing.T) {
	r := open(t)
	var suites struct {
		Tests    int64 `xml:"tests,attr"`
		Failures int   `xml:"failures,attr"`
		Suite    struct {
			Skipped int `xml:"skipped,attr"`
			Cases   []struct {
				Name    string    `xml:"name,attr"`
				Failure *string   `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(write(t, ci.JUnit, r), &suites); err != nil {
		t.Fatal(err)
	}
	failures, skipped, violations := 0, 0, int64(0)
	for _, c := range suites.Suite.Cases {
		if c.Skipped != nil {
			skipped++
		}
		if c.Failure == nil {
			continue
		}
		failures++
		violations += int64(strings.Count(*c.Failure, " fetched "+c.Name+"/"))
	}
	if suites.Tests != r.Audit().Totals.Origins || int64(len(suites.Suite.Cases)) != suites.Tests ||
		suites.Failures != failures || suites.Suite.Skipped != skipped ||
		violations != r.Audit().Totals.Violations {
		t.Errorf("%d cases, %d failures with %d violations, %d skipped; attributes say %d, %d and %d",
			len(suites.Suite.Cases), failures, violations, skipped, suites.Tests, suites.Failures, suites.Suite.Skipped)
	}
}
