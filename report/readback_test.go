package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Rows that are read and written again are the same bytes: nothing is lost in reading, in any
// table.
func TestReadingLosesNothing(t *testing.T) {
	dir := audittest.Audit(t, audittest.Everything, "../testdata/warc")
	r, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	again := t.TempDir()
	rewrite(t, r, again, report.FetchesTable)
	rewrite(t, r, again, report.ViolationsTable)
	rewrite(t, r, again, report.UnprovenTable)
	rewrite(t, r, again, report.RestrictionsTable)
	rewrite(t, r, again, report.RobotsTable)
	rewrite(t, r, again, report.PoliciesTable)
	rewrite(t, r, again, report.PageTagsTable)
	rewrite(t, r, again, report.EffectiveTagsTable)
	rewrite(t, r, again, report.UsageSignalsTable)
	rewrite(t, r, again, report.TagConflictsTable)
	rewrite(t, r, again, report.HostStatsTable)
	rewrite(t, r, again, report.AgentStatsTable)
	rewrite(t, r, again, report.ExclusionsTable)
	rewrite(t, r, again, report.IssuesTable)
	rewrite(t, r, again, report.GroupVerdictsTable)
	rewrite(t, r, again, report.RobotsAgentsTable)
	for _, name := range report.TableNames() {
		want, err := os.ReadFile(filepath.Join(dir, name+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(again, name+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%s: %d bytes were written again as %d others", name, len(want), len(got))
		}
	}
}

func rewrite[T any](t *testing.T, r *results.Results, dir string, table report.TableOf[T]) {
	t.Helper()
	if err := report.WriteTable(dir, table, results.Rows(t.Context(), r, table)); err != nil {
		t.Fatal(err)
	}
}
