package figures

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
)

// The headline names crawlers, whether or not they have a name, and the sites and rules with most violations.
func TestAnswer(t *testing.T) {
	for _, test := range []struct {
		name                                                       string
		certain, probable, possible, contested, unknown, decidable int64
		crawlers                                                   string // A:violations:unproven
		level                                                      document.Level
		want                                                       string
	}{
		{
			"two crawlers", 41, 2, 3, 5, 7, 181, "B:1:4 A:42:4", document.LevelViolations,
			"Of 181 fetches, robots.txt certainly disallowed 41 and probably 2 more: 42 of A and 1 " +
				"of B. The sites with most are a (30) and b (13).",
		},
		{
			"no name", 1, 0, 0, 0, 0, 2, ":1:0", document.LevelViolations,
			"Of 2 fetches of a crawler that is not known by name, robots.txt certainly disallowed 1. " +
				"The sites with most are a (30) and b (13).",
		},
		{
			"one without a name", 0, 1, 0, 0, 0, 1000, "A:0:0 :1:0", document.LevelViolations,
			"Of 1,000 fetches, robots.txt probably disallowed 1, and none certainly: 1 of a crawler " +
				"that is not known by name. The sites with most are a (30) and b (13).",
		},
		{
			"unproven", 0, 0, 1, 1, 9, 20, "A:0:2 B:0:0 C:0:0 D:0:0", document.LevelUnproven,
			"No violation is proven: robots.txt disallows 2 fetches, but these archives leave a doubt about each: 2 of A.",
		},
		{
			"some unknown", 0, 0, 0, 0, 9, 20, "A:0:0 B:0:0 C:0:0 D:0:0", document.LevelUnknown,
			"No fetch of A, B, C or another crawler is shown to have been disallowed by robots.txt; for 9 fetches (45.0 %) " +
				"the archives show nothing.",
		},
		{
			"all unknown", 0, 0, 0, 0, 20, 20, "A:0:0", document.LevelUnknown,
			"These archives do not show whether robots.txt allowed any of the 20 fetches of A.",
		},
		{
			"all allowed", 0, 0, 0, 0, 0, 20, "A:0:0 :0:0", document.LevelNone,
			"No fetch of A or a crawler that is not known by name is shown to have been disallowed: robots.txt allowed all " +
				"20 fetches.",
		},
		{"nothing", 0, 0, 0, 0, 0, 0, "", document.LevelNone, "These archives hold no fetch that robots.txt could forbid."},
	} {
		b := builder{Figures: New(nil), audit: new(report.Audit)}
		totals := &b.audit.Totals
		totals.Violations, totals.Unproven, totals.Decidable = test.certain+test.probable, test.possible+test.contested,
			test.decidable
		totals.ViolationsCertain, totals.ViolationsProbable, totals.Unknown = test.certain, test.probable, test.unknown
		totals.Possible, totals.Contested = test.possible, test.contested
		for crawler := range strings.FieldsSeq(test.crawlers) {
			var row report.AgentRow
			parts := strings.Split(crawler, ":")
			row.Agent, row.Fetches = parts[0], 1
			fmt.Sscan(parts[1], &row.ViolationsCertain)
			fmt.Sscan(parts[2], &row.Possible)
			b.crawlers.add(&row)
		}
		for site, n := range map[string]int64{"http://a": 30, "http://b": 13} {
			row := report.HostRow{Origin: site}
			row.ViolationsCertain = n
			b.sites.addHost(&row)
		}
		if got := b.answer(); got.Sentence != test.want || got.Level != test.level {
			t.Errorf("%s: %s: %s\nwant %s", test.name, got.Level, got.Sentence, test.want)
		}
	}
}

// One violation is on one site, and what was not read may hold fetches.
func TestAnswerInWords(t *testing.T) {
	b := builder{Figures: New(nil), audit: new(report.Audit)}
	row := report.HostRow{Origin: "http://a"}
	row.ViolationsCertain = 1
	b.sites.addHost(&row)
	totals := &b.audit.Totals
	totals.Violations, totals.ViolationsCertain, totals.Decidable = 1, 1, 1
	if got := b.answer().Sentence; got != "Of 1 fetch, robots.txt certainly disallowed 1. It is on http://a." {
		t.Error(got)
	}
	*totals = report.Totals{InputsNotWhollyRead: 1}
	if got := b.answer().Sentence; got != "What could be read of these archives holds no fetch that robots.txt could forbid." {
		t.Error(got)
	}
}
