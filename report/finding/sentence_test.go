package finding

import (
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/report"
)

// testFound is a certain violation: ExampleBot fetched a page 14 minutes after its robots.txt.
func testFound(change func(*Case)) *Case {
	at := time.Date(2024, 5, 3, 10, 15, 2, 0, time.UTC).UnixMicro()
	f := new(Case)
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
	f.Grounds = append(f.Grounds, groundsOf(f.Notes...)...)
	f.clip()
	return f
}

func listOf(names string) []string { return strings.Split(names, ",") }

func groundsOf(words ...string) (list []report.Ground) {
	for _, w := range words {
		list = append(list, report.Ground{Word: w})
	}
	return list
}

func TestSentence(t *testing.T) {
	const act = "On 3 May 2024 at 10:15:02 UTC ExampleBot fetched http://a.example/private/x"
	const forbids = " disallows to ExampleBot by name (line 12: “Disallow: /private/”)"
	unreachable := func(f *Case, status int16) {
		f.Reason, f.AgentMatch, f.Rule, f.RuleLine = "unreachable", "", "", 0
		f.RobotsStatus, f.Cited.FinalStatus = new(status), new(status)
	}
	later := func(f *Case, seconds int64) {
		f.Evidence, f.Certainty, f.Grounds = "later", "possible", groundsOf("received_later")
		f.RobotsTime = new(*f.FetchTime + seconds*1e6)
	}
	for name, test := range map[string]struct {
		change func(*Case)
		want   string
	}{
		"own": {nil, act + ", which the robots.txt that it had fetched 14 minutes earlier" + forbids + "."},
		"all": {
			func(f *Case) { f.AgentMatch = "global" },
			act + ", which the robots.txt that it had fetched 14 minutes earlier disallows to all crawlers without " +
				"a group of their own (line 12: “Disallow: /private/”).",
		},
		"redirects": {
			func(f *Case) { f.RobotsHops = new(int32(2)) },
			act + ", which the robots.txt that it had asked for 14 minutes earlier (2 redirects led to it)" + forbids +
				".",
		},
		"old content": {
			func(f *Case) {
				f.RobotsHops, f.RobotsAge, f.Evidence, f.Certainty = new(int32(1)), new(int64(90000)), "stale", "probable"
			},
			act + ", which the robots.txt that it had asked for 14 minutes earlier (1 redirect led to content " +
				"captured 1 day and 1 hour before the fetch)" + forbids + "; this is probable, not certain.",
		},
		"304": {
			func(f *Case) { f.RobotsStatus = new(int16(304)) },
			act + ", which the robots.txt that the server had confirmed to it as unchanged (status 304) 14 minutes earlier" + forbids + ".",
		},
		"other": {
			func(f *Case) { f.RobotsAgent, f.Certainty, f.Notes = "OtherBot", "probable", listOf("other_crawler") },
			act + ", which the robots.txt that OtherBot had fetched 14 minutes earlier" + forbids +
				"; this is probable, not certain.",
		},
		"index": {func(f *Case) {
			f.RecordType, f.AgentSource, f.Certainty, f.Notes = "indexed", "robots_subset", "probable", listOf("indexed")
		}, "An index alone says that on 3 May 2024 at 10:15:02 UTC ExampleBot (so named by the captures of " +
			"robots.txt alone) fetched http://a.example/private/x, which the robots.txt that it had fetched 14 " +
			"minutes earlier" + forbids + "; this is probable, not certain."},
		"list, and another robots.txt": {func(f *Case) {
			f.RecordType, f.AgentSource, f.Certainty, f.Notes = "indexed", "list", "possible", listOf("listed,unread_capture")
		}, "A list alone says that on 3 May 2024 at 10:15:02 UTC ExampleBot (so named by the list) fetched " +
			"http://a.example/private/x, which the robots.txt that it had fetched 14 minutes earlier" + forbids +
			"; but an index reports another robots.txt before the fetch, which was not read and may say otherwise."},
		"index, and no such record": {
			func(f *Case) {
				f.RecordType, f.Certainty, f.Notes = "indexed", "possible", listOf("indexed,no_record")
			},
			"An index alone says that on 3 May 2024 at 10:15:02 UTC ExampleBot fetched http://a.example/private/x, " +
				"which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				"; but its record was looked for and is not there, so nothing shows that the fetch was made.",
		},
		"index, without a status": {
			func(f *Case) {
				f.RecordType, f.Certainty, f.Notes, f.FetchStatus = "indexed", "possible", listOf("indexed,no_status"), nil
			},
			"An index alone says that on 3 May 2024 at 10:15:02 UTC ExampleBot fetched http://a.example/private/x, " +
				"which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				"; but the row of the index has no status, so nothing shows that the fetch was made.",
		},
		"index, in the same second": {func(f *Case) {
			f.RecordType, f.Certainty, f.Notes, f.RobotsTime = "indexed", "possible", listOf("same_moment,indexed"), f.FetchTime
			f.Grounds = groundsOf("same_second")
		}, "An index alone says that on 3 May 2024 at 10:15:02 UTC ExampleBot fetched http://a.example/private/x, " +
			"which the robots.txt that it had fetched at the same moment (nothing shows for sure which came first)" +
			forbids + "; but nothing shows that this crawler was informed before."},
		"stale and bracketed": {func(f *Case) {
			f.Evidence, f.Certainty, f.Notes = "stale", "probable", listOf("bracketed")
			f.RobotsTime = new(*f.FetchTime - (3*24*3600+7200)*1e6)
		}, act + ", which the robots.txt that it had fetched 3 days and 2 hours earlier, and the next one captured " +
			"after the fetch, disallow to ExampleBot by name (line 12: “Disallow: /private/”); this is " +
			"probable, not certain."},
		"same moment, before": {
			func(f *Case) { f.RobotsTime = f.FetchTime },
			act + ", which the robots.txt that it had fetched just before (both records have the same date; it " +
				"stands first in the archive)" + forbids + ".",
		},
		"same moment, no order": {
			func(f *Case) { f.RobotsTime, f.Certainty, f.Notes = f.FetchTime, "probable", listOf("same_moment") },
			act + ", which the robots.txt that it had fetched at the same moment (nothing shows for sure which came first)" + forbids + "; this is probable, not certain.",
		},
		"behind a redirect": {
			func(f *Case) { f.Certainty, f.Notes = "possible", listOf("redirect_target") },
			act + ", which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				"; but a redirect of robots.txt may have led to it.",
		},
		"later": {
			func(f *Case) { later(f, 3) },
			act + ". The robots.txt that the crawler obtained only 3 seconds later disallows this URL to ExampleBot " +
				"by name (line 12: “Disallow: /private/”); but nothing shows that the crawler was informed before.",
		},
		"later, same date": {
			func(f *Case) { later(f, 0) },
			act + ". The robots.txt that the crawler obtained only afterwards (both records have the same date; " +
				"robots.txt stands later than the fetch in the archive) disallows this URL to ExampleBot by name " +
				"(line 12: “Disallow: /private/”); but nothing shows that the crawler was informed before.",
		},
		"later, by a redirect": {
			func(f *Case) { later(f, -60) },
			act + ". The robots.txt that the crawler obtained by way of redirects, with content captured only after " +
				"the fetch, disallows this URL to ExampleBot by name (line 12: “Disallow: /private/”); but " +
				"nothing shows that the crawler was informed before.",
		},
		"later, by another": {
			func(f *Case) { later(f, 3); f.RobotsAgent, f.Notes = "", listOf("other_crawler") },
			act + ". The robots.txt that a crawler that is not known by name obtained only 3 seconds later " +
				"disallows this URL to ExampleBot by name (line 12: “Disallow: /private/”); but nothing shows " +
				"that the crawler was informed before.",
		},
		"unreachable": {
			func(f *Case) { unreachable(f, 503) },
			act + ", although robots.txt had answered its request with status 503, 14 minutes earlier, which RFC " +
				"9309 (section 2.3.1.4) takes as forbidding everything.",
		},
		"unreachable by google": {
			func(f *Case) { unreachable(f, 429); f.Profile = "google" },
			act + ", although robots.txt had answered its request with status 429, 14 minutes earlier, which the " +
				"profile google takes as forbidding everything.",
		},
		"unreachable to another": {
			func(f *Case) { unreachable(f, 500); f.RobotsAgent, f.Certainty = "OtherBot", "probable" },
			act + ", although robots.txt had answered a request by OtherBot with status 500, 14 minutes earlier, " +
				"which RFC 9309 (section 2.3.1.4) takes as forbidding everything; this is probable, not certain.",
		},
		"unreachable by a log": {
			func(f *Case) { unreachable(f, 0); f.RobotsStatus, f.Cited.FinalStatus = nil, nil },
			act + ", although robots.txt could not be had 14 minutes earlier, which RFC 9309 (section 2.3.1.4) " +
				"takes as forbidding everything.",
		},
		"contested by two": {
			func(f *Case) { f.Certainty, f.Notes = "contested", listOf("permitted_copy,lenient") },
			act + ", which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				"; but another copy that the crawler may have used allows it and a reading that the standard leaves " +
				"open allows it.",
		},
		"contested by an unfinished line": {
			func(f *Case) { f.Certainty, f.Grounds = "contested", groundsOf("unfinished_line") },
			act + ", which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				"; but the line that forbids it is unfinished, and may not forbid it as a whole.",
		},
		"another host alone": {
			func(f *Case) {
				f.Evidence, f.RobotsAgent, f.Certainty = "stale", "OtherBot", "possible"
				f.Grounds = groundsOf("host_mismatch", "other_crawler", "stale")
			},
			act + ", which the robots.txt that OtherBot had fetched 14 minutes earlier" + forbids +
				"; but the request names another host than the record, so nothing shows that this site was asked.",
		},
		"by the same run without a name": {
			func(f *Case) { f.RobotsAgent = "" },
			act + ", which the robots.txt that the same run (without a name) had fetched 14 minutes earlier" +
				forbids + ".",
		},
		"no name": {
			func(f *Case) {
				f.Agent, f.RobotsAgent, f.Certainty, f.AgentMatch = "", "", "possible", "global"
				f.Grounds = groundsOf("no_token")
			},
			"On 3 May 2024 at 10:15:02 UTC a crawler that is not known by name fetched http://a.example/private/x, " +
				"which the robots.txt that a crawler that is not known by name had fetched 14 minutes earlier " +
				"disallows to all crawlers without a group of their own (line 12: “Disallow: /private/”); but " +
				"robots.txt may allow this crawler by a name that is not known.",
		},
		"by an option": {
			func(f *Case) { f.AgentSource = "option" },
			"On 3 May 2024 at 10:15:02 UTC ExampleBot (so named by an option of this audit) fetched " +
				"http://a.example/private/x, which the robots.txt that it had fetched 14 minutes earlier" + forbids +
				".",
		},
		"no 2xx": {
			func(f *Case) { f.FetchStatus = new(int16(404)) },
			"On 3 May 2024 at 10:15:02 UTC ExampleBot requested http://a.example/private/x, which the robots.txt " +
				"that it had fetched 14 minutes earlier" + forbids + ".",
		},
		"HEAD": {
			func(f *Case) { f.FetchMethod = "HEAD" },
			"On 3 May 2024 at 10:15:02 UTC ExampleBot sent a HEAD request for http://a.example/private/x, which the " +
				"robots.txt that it had fetched 14 minutes earlier" + forbids + ".",
		},
		"coarse date": {
			func(f *Case) { f.Certainty, f.Notes = "probable", listOf("coarse_date") },
			"In a record dated 3 May 2024, 10:15:02 UTC (this date, or that of robots.txt, is coarser than a " +
				"second) ExampleBot fetched http://a.example/private/x, which the robots.txt that it had fetched before" + forbids + "; this is probable, not certain.",
		},
		"hostile": {func(f *Case) {
			f.URL, f.Rule, f.Agent, f.RobotsAgent = "http://a.example/<script>\u202e\x00é", "Disallow: /\u202e<b>",
				"Bot\u202e", "bot\u202e"
		}, "On 3 May 2024 at 10:15:02 UTC Bot⟨U+202E⟩ fetched http://a.example/<script>%E2%80%AE%00%C3%A9, " +
			"which the robots.txt that it had fetched 14 minutes earlier disallows to Bot⟨U+202E⟩ by name (line " +
			"12: “Disallow: /⟨U+202E⟩<b>”)."},
	} {
		if got := testFound(test.change).Sentence(); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
	}
}

func TestASCIIURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://a/x?y=%20":         "http://a/x?y=%20",
		"http://a/é b\u202e\x00\"": "http://a/%C3%A9%20b%E2%80%AE%00\"",
	} {
		if got := asciiURL(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
