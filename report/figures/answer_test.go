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
			"43 of 181 fetches broke a rule of robots.txt. 41 are certain and 2 probable: 42 by A and 1 by B.",
		},
		{
			"no name", 1, 0, 0, 0, 0, 2, ":1:0", document.LevelViolations,
			"1 of 2 fetches by a crawler that is not known by name broke a rule of robots.txt. It is certain.",
		},
		{
			"one without a name", 0, 1, 0, 0, 0, 1000, "A:0:0 :1:0", document.LevelViolations,
			"1 of 1,000 fetches broke a rule of robots.txt. It is probable: 1 by a crawler that is not known by name.",
		},
		{
			"unproven", 0, 0, 1, 1, 9, 20, "A:0:2 B:0:0 C:0:0 D:0:0", document.LevelUnproven,
			"No violation is proven: robots.txt disallows 2 fetches, but these archives leave a doubt about each: 2 by A.",
		},
		{
			"some unknown", 0, 0, 0, 0, 9, 20, "A:0:0 B:0:0 C:0:0 D:0:0", document.LevelUnknown,
			"No fetch by A, B, C or another crawler is shown to have been disallowed by robots.txt; for 9 fetches (45.0 %) " +
				"the archives show nothing.",
		},
		{
			"all unknown", 0, 0, 0, 0, 20, 20, "A:0:0", document.LevelUnknown,
			"These archives do not show whether robots.txt allowed any of the 20 fetches by A.",
		},
		{
			"all allowed", 0, 0, 0, 0, 0, 20, "A:0:0 :0:0", document.LevelNone,
			"No fetch by A or a crawler that is not known by name is shown to have been disallowed: robots.txt allowed all " +
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
	if got := b.answer(); got.Sentence != "1 of 1 fetch broke a rule of robots.txt. It is certain." ||
		got.Details[0] != "It is on http://a." {
		t.Error(got)
	}
	b.sites.causes[byFailure].fetches = 1
	if got := b.answer().Sentence; got != "1 of 1 fetch was made while robots.txt could not be fetched (RFC 9309 §2.3.1.4). "+
		"It is certain." {
		t.Error(got)
	}
	*totals = report.Totals{InputsNotWhollyRead: 1}
	if got := b.answer().Sentence; got != "What could be read of these archives holds no fetch that robots.txt could forbid." {
		t.Error(got)
	}
}
