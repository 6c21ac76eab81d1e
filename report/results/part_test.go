package results_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/results"
)

func asOf(t *testing.T, s string) evaluate.AsOf {
	t.Helper()
	at, err := evaluate.ParseAsOf(s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func limit(t *testing.T, r *results.Results, p results.Part) *results.Results {
	t.Helper()
	limited, err := r.Limit(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return limited
}

// isUncounted reports whether rows do not show what a column of host_stats or agent_stats counts, so that parts
// lack it.
func isUncounted(column string) bool {
	return slices.Contains(uncounted, column)
}

var uncounted = []string{
	"rank_stratum", "robots_captures", "tagged", "signalled", "publication_restricted", "usage_restricted",
	"conflicting", "policy_files", "violations_after_change", "forged", "time_to_compliance_seconds",
}

// countsOf are the numbers of totals that a part has, by their columns.
func countsOf(r *results.Results) map[string]int64 {
	t := &r.Audit().Totals
	counts := map[string]int64{"log_evidence": t.LogEvidence, "exclusions": t.Exclusions, "indexed": t.Indexed}
	for _, f := range report.FieldsOf(reflect.TypeFor[evaluate.Counts]()) {
		if !isUncounted(f.Name) {
			counts[f.Name] = reflect.ValueOf(t.Counts).FieldByIndex(f.Index).Int()
		}
	}
	for outcome, n := range t.RobotsOutcomes {
		counts["robots "+outcome] = n
	}
	return counts
}

// textsOf are the rows of the tables that are limited, in any order.
func textsOf(t *testing.T, r *results.Results) (texts []string) {
	texts = append(texts, rowTexts(t, r, report.FetchesTable)...)
	texts = append(texts, rowTexts(t, r, report.ViolationsTable)...)
	texts = append(texts, rowTexts(t, r, report.UnprovenTable)...)
	texts = append(texts, rowTexts(t, r, report.RestrictionsTable)...)
	texts = append(texts, rowTexts(t, r, report.RobotsTable)...)
	texts = append(texts, rowTexts(t, r, report.ExclusionsTable)...)
	slices.Sort(texts)
	return texts
}

func rowTexts[R any](t *testing.T, r *results.Results, table report.TableOf[R]) (texts []string) {
	t.Helper()
	rows, err := collect(t, r, table)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		text := new(strings.Builder)
		v := reflect.ValueOf(&rows[i]).Elem()
		for _, f := range report.FieldsOf(v.Type()) {
			value, known := f.Value(v)
			fmt.Fprint(text, known, " ", value, " ")
		}
		texts = append(texts, table.Name+" "+text.String())
	}
	return texts
}

// Parts that leave nothing out, and nothing twice, add up to the audit: their counts, and their rows.
func TestPartsAddUp(t *testing.T) {
	r := open(t, audittest.Audit(t, audittest.Everything, archives))
	hosts, agents := make(map[string]bool), make(map[string]bool)
	fetches, err := collect(t, r, report.FetchesTable)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fetches {
		hosts[f.HostName], agents[f.Agent] = true, true
	}
	captures, err := collect(t, r, report.RobotsTable)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range captures {
		hosts[c.HostName], agents[c.Agent] = true, true
	}
	excluded, err := collect(t, r, report.ExclusionsTable)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range excluded {
		hosts[x.HostName], agents[x.Agent] = true, true
	}
	periods := []results.Part{
		{Until: asOf(t, "2025-03-10")},
		{Since: asOf(t, "2025-03-11"), Until: asOf(t, "2025-03-11")},
		{Since: asOf(t, "2025-03-12")},
	}
	var byHost, byCrawler []results.Part
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		byHost = append(byHost, results.Part{Hosts: []string{host}})
	}
	for _, agent := range slices.Sorted(maps.Keys(agents)) {
		if agent == "" {
			agent = results.NoCrawler
		}
		byCrawler = append(byCrawler, results.Part{Crawler: agent})
	}
	wantCounts, wantRows := countsOf(r), textsOf(t, r)
	for name, parts := range map[string][]results.Part{"period": periods, "host": byHost, "crawler": byCrawler} {
		counts, rows, some := make(map[string]int64), []string(nil), 0
		for _, p := range parts {
			part := limit(t, r, p)
			for column, n := range countsOf(part) {
				counts[column] += n
			}
			rows = append(rows, textsOf(t, part)...)
			if part.Audit().Totals.Fetches > 0 {
				some++
			}
		}
		slices.Sort(rows)
		if diff := cmp.Diff(wantCounts, counts); diff != "" {
			t.Errorf("by %s: counts (-audit +parts):\n%s", name, diff)
		}
		if !slices.Equal(wantRows, rows) || some < 2 {
			t.Errorf("by %s: %d rows, %d in %d parts", name, len(wantRows), len(rows), some)
		}
	}
}

// A part that leaves nothing out has the counts of the audit, also by origin and by crawler.
func TestCounted(t *testing.T) {
	r := open(t, audittest.Audit(t, audittest.Everything, archives))
	part := limit(t, r, results.Part{Since: asOf(t, "1990-01-01")})
	if diff := cmp.Diff(countsOf(r), countsOf(part)); diff != "" {
		t.Errorf("totals (-audit +part):\n%s", diff)
	}
	sameCounts(t, r, part, report.HostStatsTable)
	sameCounts(t, r, part, report.AgentStatsTable)
}

func sameCounts[R any](t *testing.T, r, part *results.Results, table report.TableOf[R]) {
	t.Helper()
	want, err := collect(t, r, table)
	if err != nil {
		t.Fatal(err)
	}
	got, err := collect(t, part, table)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		v := reflect.ValueOf(&want[i]).Elem()
		for _, f := range report.FieldsOf(v.Type()) {
			if isUncounted(f.Name) {
				v.FieldByIndex(f.Index).SetZero()
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-audit +part):\n%s", table.Name, diff)
	}
}
