package figures

import (
	"cmp"
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// numbersOf are the numbers in figures, by what they count.
func numbersOf(t *testing.T, res *results.Results) map[string]int64 {
	t.Helper()
	f, err := Read(t.Context(), res)
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]int64{
		"violations": f.violations.Total, "unproven": f.unproven.Total, "undated": f.timeline.undated,
	}
	add := func(n int64, name ...any) { numbers[fmt.Sprintln(name...)] += n }
	for _, a := range f.WhatIf.Ranking() {
		add(a.Allowed, a.Agent, "allowed")
		add(a.Disallowed, a.Agent, "disallowed")
		add(a.Unknown, a.Agent, "unknown")
	}
	for day, p := range f.timeline.periods {
		add(p.changes, day, "changes")
		for claim, counts := range p.claims {
			add(counts.Fetches, day, claim)
			add(counts.Violations, day, claim, "violations")
		}
	}
	f.unknown.endOrigin()
	f.use.end()
	for reason, r := range f.unknown.reasons {
		add(r.fetches, "unknown", reason)
	}
	for input, counts := range f.byInput {
		add(counts.Fetches, "input", input)
	}
	for kind, counts := range f.kinds {
		add(counts.Fetches, "kind", kind)
	}
	for k, n := range f.use.restrictions {
		add(n, "restriction", k)
	}
	for k, n := range f.use.signals {
		add(n, "signal", k)
	}
	for k, n := range f.settles {
		add(n, "settles", k)
	}
	for _, c := range f.crawlers.first {
		add(c.Fetches, "crawler", c.Agent)
	}
	return numbers
}

// The figures of parts that leave nothing out add up to the figures of the audit.
func TestPartsAddUp(t *testing.T) {
	res, err := results.Open(audittest.Audit(t, audittest.Everything, "../../testdata/warc"))
	if err != nil {
		t.Fatal(err)
	}
	day := func(s string) evaluate.AsOf {
		at, err := evaluate.ParseAsOf(s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	want := numbersOf(t, res)
	var byHost, byCrawler []results.Part
	hosts := make(map[string]bool) // of http and https
	for row, err := range results.Rows(t.Context(), res, report.HostStatsTable) {
		if err != nil {
			t.Fatal(err)
		}
		if !hosts[row.HostName] {
			hosts[row.HostName] = true
			byHost = append(byHost, results.Part{Hosts: []string{row.HostName}})
		}
	}
	for row, err := range results.Rows(t.Context(), res, report.AgentStatsTable) {
		if err != nil {
			t.Fatal(err)
		}
		byCrawler = append(byCrawler, results.Part{Crawler: cmp.Or(row.Agent, results.NoCrawler)})
	}
	for name, parts := range map[string][]results.Part{
		"period": {
			{Until: day("2025-03-10")}, {Since: day("2025-03-11"), Until: day("2025-03-11")}, {Since: day("2025-03-12")},
		},
		"host": byHost, "crawler": byCrawler,
	} {
		sum := make(map[string]int64)
		for _, p := range parts {
			part, err := res.Limit(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			facts.AddCounts(sum, numbersOf(t, part))
		}
		if diff := gocmp.Diff(want, sum); diff != "" {
			t.Errorf("by %s (-audit +parts):\n%s", name, diff)
		}
	}
}
