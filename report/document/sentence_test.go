package document

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/report"
)

// testFound is a certain violation: ExampleBot fetched a page 14 minutes after its robots.txt.
func testFound(change func(*found)) *found {
	at := time.Date(2024, 5, 3, 10, 15, 2, 0, time.UTC).UnixMicro()
	f := new(found)
	f.ViolationRow = report.ViolationRow{
		URL: "http://a.example/private/x", FetchMethod: "GET", FetchStatus: new(int16(200)), FetchTime: new(at),
		CrawlerToken: report.CrawlerToken{Agent: "ExampleBot", AgentSource: "request"},
		Decision:     report.Decision{Evidence: "fresh", Reason: "rule"},
		Certainty:    "certain", Profile: "rfc9309", AgentMatch: "exact",
		Rule: "Disallow: /private/", RuleLine: 12, GroupLine: 10,
		RobotsCitation: report.RobotsCitation{
			RobotsID: 1, RobotsURL: "http://a.example/robots.txt", RobotsAgent: "examplebot",
			RobotsTime: new(at - 14*60*1e6), RobotsStatus: new(int16(200)), RobotsHops: new(int32(0)),
		},
	}
	if change != nil {
		change(f)
	}
	f.clip()
	return f
}

func TestSentence(t *testing.T) {
	const act = "On 3 May 2024 at 10:15:02 UTC ExampleBot fetched http://a.example/private/x"
	const forbids = " disallows to ExampleBot by name (line 12: “Disallow: /private/”)"
	unreachable := func(f *found, status int16) {
		f.Reason, f.AgentMatch, f.Rule, f.RuleLine = "unreachable", "", "", 0
		f.RobotsStatus, f.Cited.FinalStatus = new(status), new(status)
	}
	later := func(f *found, seconds int64) {
		f.Evidence, f.Certainty = "later", "possible"
		f.RobotsTime = new(*f.FetchTime + seconds*1e6)
	}
	for name, test := range map[string]struct {
		change func(*found)
		want   string
	}{
		"own": {nil, act + ", which the robots.txt that it had fetched 14 minutes earlier" + forbids + "."},
		"all": {
			func(f *found) { f.AgentMatch = "global" },
			act + ", which the robots.txt that it had fetched 14 minutes earlier disallows to all crawlers without " +
				"a group of their own (line 12: “Disallow: /private/”).",
		},
		"redirects": {
			func(f *found) { f.RobotsHops = new(int32(2)) },
			act + ", which the robots.txt that it had asked for 14 minutes earlier (2 redirects led to it)" + forbids +
				".",
		},
		"old content": {
			func(f *found) {
				f.RobotsHops, f.RobotsAge, f.Evidence, f.Certainty = new(int32(1)), new(int64(90000)), "stale", "probable"
			},
			act + ", which the robots.txt that it had asked for 14 minutes earlier (1 redirect led to content " +
				"captured 1 day and 1 hour before the fetch)" + forbids + "; this is probable, not certain.",
		},
		"304": {
			func(f *found) { f.RobotsStatus = new(int16(304)) },
			act + ", which the robots.txt that the server had confirmed to it as unchanged (status 304) 14 minutes earlier" + forbids + ".",
		},
		"other": {
			func(f *found) { f.RobotsAgent, f.Certainty, f.Notes = "OtherBot", "probable", "other_crawler" },
			act + ", which the robots.txt that OtherBot had fetched 14 minutes earlier" + forbids +
				"; this is probable, not certain.",
		},
		"index": {func(f *found) {
			f.RecordType, f.AgentSource, f.Certainty, f.Notes = "indexed", "robots_subset", "probable", "indexed"
		}, "An index alone says that on 3 May 2024 at 10:15:02 UTC ExampleBot (so named by the captures of " +
			"robots.txt alone) fetched http://a.example/private/x, which the robots.txt that it had fetched 14 " +
			"minutes earlier" + forbids + "; this is probable, not certain."},
		"list, and another robots.txt": {func(f *found) {
			f.RecordType, f.AgentSource, f.Certainty, f.Notes = "indexed", "list", "possible", "listed,unread_capture"
		}, "A list alone says that on 3 May 2024 at 10:15:02 UTC ExampleBot (so named by the list) fetched " +
			"http://a.example/private/x, which the robots.txt that it had fetched 14 minutes earlier" + forbids +
			"; but an index reports another robots.txt before the fetch, which was not read and may say otherwise."},
		"index, and no such record": {
			func(f *found) {
				f.RecordType, f.Certainty, f.Notes = "indexed", "possible", "indexed,no_record"
			},
			"An index alone says that on 3 May 2024 at 10:15:02 UTC ExampleBot fetched http://a.example/private/x, " +
				"which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				"; but its record was looked for and is not there, so nothing shows that the fetch was made.",
		},
		"index, without a status": {
			func(f *found) {
				f.RecordType, f.Certainty, f.Notes, f.FetchStatus = "indexed", "possible", "indexed,no_status", nil
			},
			"An index alone says that on 3 May 2024 at 10:15:02 UTC ExampleBot fetched http://a.example/private/x, " +
				"which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				"; but the row of the index has no status, so nothing shows that the fetch was made.",
		},
		"index, in the same second": {func(f *found) {
			f.RecordType, f.Certainty, f.Notes, f.RobotsTime = "indexed", "possible", "same_moment,indexed", f.FetchTime
		}, "An index alone says that on 3 May 2024 at 10:15:02 UTC ExampleBot fetched http://a.example/private/x, " +
			"which the robots.txt that it had fetched at the same moment (nothing shows for sure which came first)" +
			forbids + "; but nothing shows that this crawler was informed before."},
		"stale and bracketed": {func(f *found) {
			f.Evidence, f.Certainty, f.Notes = "stale", "probable", "bracketed"
			f.RobotsTime = new(*f.FetchTime - (3*24*3600+7200)*1e6)
		}, act + ", which the robots.txt that it had fetched 3 days and 2 hours earlier, and the next one captured " +
			"after the fetch, disallow to ExampleBot by name (line 12: “Disallow: /private/”); this is " +
			"probable, not certain."},
		"same moment, before": {
			func(f *found) { f.RobotsTime = f.FetchTime },
			act + ", which the robots.txt that it had fetched just before (both records have the same date; it " +
				"stands first in the archive)" + forbids + ".",
		},
		"same moment, no order": {
			func(f *found) { f.RobotsTime, f.Certainty, f.Notes = f.FetchTime, "probable", "same_moment" },
			act + ", which the robots.txt that it had fetched at the same moment (nothing shows for sure which came first)" + forbids + "; this is probable, not certain.",
		},
		"behind a redirect": {
			func(f *found) { f.Certainty, f.Notes = "possible", "redirect_target" },
			act + ", which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				"; but a redirect of robots.txt may have led to it.",
		},
		"later": {
			func(f *found) { later(f, 3) },
			act + ". The robots.txt that the crawler obtained only 3 seconds later disallows this URL to ExampleBot " +
				"by name (line 12: “Disallow: /private/”); but nothing shows that the crawler was informed before.",
		},
		"later, same date": {
			func(f *found) { later(f, 0) },
			act + ". The robots.txt that the crawler obtained only afterwards (both records have the same date; " +
				"robots.txt stands later than the fetch in the archive) disallows this URL to ExampleBot by name " +
				"(line 12: “Disallow: /private/”); but nothing shows that the crawler was informed before.",
		},
		"later, by a redirect": {
			func(f *found) { later(f, -60) },
			act + ". The robots.txt that the crawler obtained by way of redirects, with content captured only after " +
				"the fetch, disallows this URL to ExampleBot by name (line 12: “Disallow: /private/”); but " +
				"nothing shows that the crawler was informed before.",
		},
		"later, by another": {
			func(f *found) { later(f, 3); f.RobotsAgent, f.Notes = "", "other_crawler" },
			act + ". The robots.txt that a crawler that is not known by name obtained only 3 seconds later " +
				"disallows this URL to ExampleBot by name (line 12: “Disallow: /private/”); but nothing shows " +
				"that the crawler was informed before.",
		},
		"unreachable": {
			func(f *found) { unreachable(f, 503) },
			act + ", although robots.txt had answered its request with status 503, 14 minutes earlier, which RFC " +
				"9309 (section 2.3.1.4) takes as forbidding everything.",
		},
		"unreachable by google": {
			func(f *found) { unreachable(f, 429); f.Profile = "google" },
			act + ", although robots.txt had answered its request with status 429, 14 minutes earlier, which the " +
				"profile google takes as forbidding everything.",
		},
		"unreachable to another": {
			func(f *found) { unreachable(f, 500); f.RobotsAgent, f.Certainty = "OtherBot", "probable" },
			act + ", although robots.txt had answered a request by OtherBot with status 500, 14 minutes earlier, " +
				"which RFC 9309 (section 2.3.1.4) takes as forbidding everything; this is probable, not certain.",
		},
		"unreachable by a log": {
			func(f *found) { unreachable(f, 0); f.RobotsStatus, f.Cited.FinalStatus = nil, nil },
			act + ", although robots.txt could not be had 14 minutes earlier, which RFC 9309 (section 2.3.1.4) " +
				"takes as forbidding everything.",
		},
		"contested by two": {
			func(f *found) { f.Certainty, f.Notes = "contested", "lenient,permitted_copy" },
			act + ", which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				"; but another copy that the crawler may have used allows it and a reading that the standard leaves " +
				"open allows it.",
		},
		"by the same run without a name": {
			func(f *found) { f.RobotsAgent = "" },
			act + ", which the robots.txt that the same run (without a name) had fetched 14 minutes earlier" +
				forbids + ".",
		},
		"no name": {
			func(f *found) { f.Agent, f.RobotsAgent, f.Certainty, f.AgentMatch = "", "", "possible", "global" },
			"On 3 May 2024 at 10:15:02 UTC a crawler that is not known by name fetched http://a.example/private/x, " +
				"which the robots.txt that a crawler that is not known by name had fetched 14 minutes earlier " +
				"disallows to all crawlers without a group of their own (line 12: “Disallow: /private/”); but " +
				"robots.txt may allow this crawler by a name that is not known.",
		},
		"by an option": {
			func(f *found) { f.AgentSource = "option" },
			"On 3 May 2024 at 10:15:02 UTC ExampleBot (so named by an option of this audit) fetched " +
				"http://a.example/private/x, which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				".",
		},
		"no 2xx": {
			func(f *found) { f.FetchStatus = new(int16(404)) },
			"On 3 May 2024 at 10:15:02 UTC ExampleBot requested http://a.example/private/x, which the robots.txt " +
				"that it had fetched 14 minutes earlier" + forbids + ".",
		},
		"HEAD": {
			func(f *found) { f.FetchMethod = "HEAD" },
			"On 3 May 2024 at 10:15:02 UTC ExampleBot sent a HEAD request for http://a.example/private/x, which the " +
				"robots.txt that it had fetched 14 minutes earlier" + forbids + ".",
		},
		"coarse date": {
			func(f *found) { f.Certainty, f.Notes = "probable", "coarse_date" },
			"In a record dated 3 May 2024, 10:15:02 UTC (this date, or that of robots.txt, is coarser than a " +
				"second) ExampleBot fetched http://a.example/private/x, which the robots.txt that it had fetched before" + forbids + "; this is probable, not certain.",
		},
		"hostile": {func(f *found) {
			f.URL, f.Rule, f.Agent, f.RobotsAgent = "http://a.example/<script>\u202e\x00é", "Disallow: /\u202e<b>",
				"Bot\u202e", "bot\u202e"
		}, "On 3 May 2024 at 10:15:02 UTC Bot⟨U+202E⟩ fetched http://a.example/<script>%E2%80%AE%00%C3%A9, " +
			"which the robots.txt that it had fetched 14 minutes earlier disallows to Bot⟨U+202E⟩ by name (line " +
			"12: “Disallow: /⟨U+202E⟩<b>”)."},
	} {
		if got := testFound(test.change).sentence(); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for seconds, want := range map[int64]string{
		0: "less than a second", 1: "1 second", 59: "59 seconds", 60: "1 minute", 119: "1 minute and 59 seconds",
		3601: "1 hour", 86399: "23 hours and 59 minutes",
		86400: "1 day", 4060706: "46 days and 23 hours",
	} {
		if got := Duration(seconds); got != want {
			t.Errorf("%d: %s, want %s", seconds, got, want)
		}
	}
}

// The headline names crawlers, whether or not they have a name, and the sites and rules with most violations.
func TestAnswer(t *testing.T) {
	for _, test := range []struct {
		name                                                       string
		certain, probable, possible, contested, unknown, decidable int64
		crawlers                                                   string // A:violations:unproven
		level                                                      Level
		want                                                       string
	}{
		{
			"two crawlers", 41, 2, 3, 5, 7, 181, "B:1:4 A:42:4", LevelViolations,
			"Of 181 fetches, robots.txt certainly disallowed 41 and probably 2 more: 42 of A and 1 " +
				"of B. The sites with most are a (30) and b (13).",
		},
		{
			"no name", 1, 0, 0, 0, 0, 2, ":1:0", LevelViolations,
			"Of 2 fetches of a crawler that is not known by name, robots.txt certainly disallowed 1. " +
				"The sites with most are a (30) and b (13).",
		},
		{
			"one without a name", 0, 1, 0, 0, 0, 1000, "A:0:0 :1:0", LevelViolations,
			"Of 1,000 fetches, robots.txt probably disallowed 1, and none certainly: 1 of a crawler " +
				"that is not known by name. The sites with most are a (30) and b (13).",
		},
		{
			"unproven", 0, 0, 1, 1, 9, 20, "A:0:2 B:0:0 C:0:0 D:0:0", LevelUnproven,
			"No violation is proven: robots.txt disallows 2 fetches, but of each these archives leave a doubt open: 2 of A.",
		},
		{
			"some unknown", 0, 0, 0, 0, 9, 20, "A:0:0 B:0:0 C:0:0 D:0:0", LevelUnknown,
			"No fetch of A, B, C or another crawler is shown to have been disallowed by robots.txt; for 9 fetches (45.0 %) " +
				"the archives show nothing.",
		},
		{
			"all unknown", 0, 0, 0, 0, 20, 20, "A:0:0", LevelUnknown,
			"These archives do not show whether robots.txt allowed any of the 20 fetches of A.",
		},
		{
			"all allowed", 0, 0, 0, 0, 0, 20, "A:0:0 :0:0", LevelNone,
			"No fetch of A or a crawler that is not known by name is shown to have been disallowed: robots.txt allowed all " +
				"20 fetches.",
		},
		{"nothing", 0, 0, 0, 0, 0, 0, "", LevelNone, "These archives hold no fetch that robots.txt could forbid."},
	} {
		b := builder{Figures: NewFigures(nil), audit: new(report.Audit)}
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
	b := builder{Figures: NewFigures(nil), audit: new(report.Audit)}
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

// A table of one row is a sentence: abbreviations keep their case, and one period ends it.
func TestTableInWords(t *testing.T) {
	table := NewTable("x", "Archives", "None.", Code.Columns("File"), Words.Columns("SHA-256", "Settle"), Number.Columns("Times"))
	table.Add("a", "0f", "Add archives.", int64(0))
	if table.putInWords(); table.Empty != "Archives: a; SHA-256: 0f; settle: Add archives." {
		t.Error(table.Empty)
	}
}
