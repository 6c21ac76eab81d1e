// Package audittest audits archives in tests.
package audittest

import (
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/report"
)

// Everything are options that give rows to all tables.
var Everything = evaluate.Options{Agents: []string{"GPTBot"}, Uses: []tag.Use{tag.UseArchive, tag.UseTrain}, Rate: true, PolicyBodies: true}

// Audit audits archives and returns the output folder.
func Audit(t testing.TB, options evaluate.Options, args ...string) (dir string) {
	t.Helper()
	return AuditRead(t, ingest.Options{}, options, args...)
}

// AuditRead is Audit of archives that are read in another way.
func AuditRead(t testing.TB, reading ingest.Options, options evaluate.Options, args ...string) (dir string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir = t.TempDir()
	inputs, failures := ingest.Expand(args)
	if len(inputs) == 0 || len(failures) > 0 {
		t.Fatal(inputs, failures)
	}
	release, err := ingest.Lock(dir)
	must(err)
	defer func() { must(release()) }()
	reading.Dir, reading.Workers = dir, 1
	must(ingest.Ingest(t.Context(), inputs, reading))
	facts, err := ingest.OpenFacts(dir)
	must(err)
	w, err := report.NewWriter(dir, facts, options)
	must(err)
	defer w.Abandon()
	totals, err := evaluate.Run(t.Context(), facts, options, w)
	must(err)
	_, err = w.Commit(totals)
	must(err)
	return dir
}
