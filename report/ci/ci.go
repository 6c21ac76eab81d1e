// Package ci writes the violations of an audit in formats that continuous-integration services
// show: SARIF 2.1.0 and JUnit XML.
//
// What comes from archives is escaped, so that it can be neither markup nor invisible. Services
// refuse large files, so what is written is bounded; the totals are always there.
package ci

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const (
	maxFindings = 5000 // violations in SARIF, as many as GitHub shows; origins in JUnit
	maxCaseRows = 20   // violations named in one test case
	maxText     = 1000 // bytes of a text from an archive
)

// shown makes a text from an archive safe to show, and short.
func shown(s string) string { return report.Shown(s, maxText) }

// violations returns the first violations, the certain ones before the probable ones.
func violations(ctx context.Context, r *results.Results) ([]report.ViolationRow, error) {
	var certain, probable []report.ViolationRow
	for row, err := range results.Rows(ctx, r, report.ViolationsTable) {
		switch {
		case err != nil:
			return nil, err
		case row.Certainty == "certain" && len(certain) < maxFindings:
			certain = append(certain, *row)
		case row.Certainty != "certain" && len(probable) < maxFindings:
			probable = append(probable, *row)
		}
	}
	list := append(certain, probable...)
	return list[:min(len(list), maxFindings)], nil
}

// sentence describes a violation in one sentence.
func sentence(v *report.ViolationRow) string {
	when := "at an unknown time"
	if v.FetchTime != nil {
		when = "on " + time.UnixMicro(*v.FetchTime).UTC().Format("2006-01-02 at 15:04:05") + " UTC"
	}
	why := "the robots.txt of " + shown(v.Origin) + " could not be had, which disallows everything"
	if v.Rule != "" {
		why = fmt.Sprintf("the robots.txt of %s disallows it in line %d: %s", shown(v.Origin), v.RuleLine,
			shown(v.Rule))
	}
	who := cmp.Or(shown(v.Agent), "a crawler that is not known by name")
	switch {
	case v.RecordType == "indexed":
		who = "An index or a list alone says that " + who
	case v.Agent == "":
		who = "A" + who[1:]
	}
	return fmt.Sprintf("%s%s fetched %s %s; %s (%s).", who, namedBy[v.AgentSource], shown(v.URL), when, why,
		v.Certainty)
}

// namedBy states who names a crawler, if not its own request.
var namedBy = map[string]string{
	"warcinfo": " (so named by the warcinfo record)", "option": " (so named by an option of the audit)",
	"robots_subset": " (so named by the captures of robots.txt alone)", "list": " (so named by the list)",
}
