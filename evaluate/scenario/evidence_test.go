package scenario

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/evidence"
)

// TestEvidence: a bundle of the records that each disallowed fetch of the table rests on
// proves it.
func TestEvidence(t *testing.T) {
	for i, s := range allScenarios(t) {
		if testing.Short() && i%8 != 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(s.file), ".txt")+"/"+s.name, func(t *testing.T) {
			t.Parallel()
			s.prove(t)
		})
	}
}

// prove audits the archives of a scenario and bundles each disallowed fetch by itself, and all
// of them together.
func (s *scenario) prove(t *testing.T) {
	out := t.TempDir()
	names := s.audit(t, out)
	if len(names) == 0 {
		return
	}
	bundles := [][]string{names}
	if len(names) > 1 {
		for _, name := range names {
			bundles = append(bundles, []string{name})
		}
	}
	for i, what := range bundles {
		to := filepath.Join(t.TempDir(), fmt.Sprintf("%d.warc.gz", i))
		b, err := evidence.Write(context.Background(), evidence.Options{Dir: out, To: to, What: what})
		if err != nil {
			t.Fatal(err)
		}
		if b.Proven != int64(len(what)) || b.Violations != b.Proven {
			t.Errorf("%d of %d proven: %+v", b.Proven, len(what), b.Unproven)
		}
	}
}

// audit writes the results of a scenario into out, and returns the places of the disallowed
// fetches.
func (s *scenario) audit(t *testing.T, out string) []string {
	release, err := ingest.Lock(out)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	inputs, failures := expand(s.write(t, t.TempDir()))
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	if err := ingest.Ingest(context.Background(), inputs, ingest.Options{Dir: out, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	set, err := ingest.OpenFacts(out)
	if err != nil {
		t.Fatal(err)
	}
	opt := s.evaluateOptions(t)
	opt.Agents = nil
	w, err := report.NewWriter(out, set, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	found := &disallowed{Writer: w, set: set}
	totals, err := evaluate.Run(context.Background(), set, opt, found)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(totals); err != nil {
		t.Fatal(err)
	}
	return found.names
}

// disallowed is a Sink that remembers where disallowed fetches are.
type disallowed struct {
	*report.Writer
	set   *ingest.Facts
	names []string
}

func (d *disallowed) Result(r *evaluate.Result) error {
	if r.Verdict == evaluate.Disallowed && !r.Fetch.IsIndexed() { // of which no record is at hand
		name := d.set.Inputs[r.Fetch.Input].Name
		if r.Fetch.Entry != "" {
			name += "/" + r.Fetch.Entry
		}
		d.names = append(d.names, fmt.Sprintf("%s:%d", name, r.Fetch.Offset))
	}
	return d.Writer.Result(r)
}
