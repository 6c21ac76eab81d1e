package figures_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/figures"
)

// printed is a summary as the terminal gets it, which fits.
func printed(t *testing.T, f *figures.Figures, a *report.Audit, full bool) string {
	t.Helper()
	var b strings.Builder
	for _, width := range []int{48, 80} {
		b.Reset()
		if err := f.WriteText(&b, a, figures.TextOptions{Full: full, Width: width, Dir: "out"}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(line) - 1; n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
	}
	return b.String()
}

// The summary has the numbers of audit.json and of the tables.
func TestSummary(t *testing.T) {
	results := open(t, audittest.Audit(t, everything(), archives))
	counted, err := figures.Read(t.Context(), results)
	if err != nil {
		t.Fatal(err)
	}
	audit := *results.Audit()
	audit.Version = "v1.2.3"
	for golden, full := range map[string]bool{"testdata/summary.txt": false, "testdata/summary-full.txt": true} {
		got := printed(t, counted, &audit, full)
		agrees(t, got, &audit.Totals)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
	}
}

// agrees reads the numbers of a summary.
func agrees(t *testing.T, text string, c *report.Totals) {
	t.Helper()
	got := make(map[string]int64)
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z.]+) +([\d,]+)  \S`).FindAllStringSubmatch(text, -1) {
		// tags have an unknown of their own, later in the text; a robots.txt that had failed has a line of its own
		if _, twice := got[m[1]]; !twice || m[1] == "certain" {
			n, _ := strconv.ParseInt(strings.ReplaceAll(m[2], ",", ""), 10, 64)
			got[m[1]] += n
		}
	}
	for label, want := range map[string]int64{
		"certain": c.ViolationsCertain, "probable": c.ViolationsProbable, "possible": c.Possible,
		"contested": c.Contested,
		"unknown":   c.Unknown, "allowed": c.Allowed - c.RobotsTxtItself, "robots.txt": c.RobotsTxtItself,
	} {
		if n, ok := got[label]; !ok || n != want {
			t.Errorf("%s: %d in the summary, %d in audit.json, in\n%s", label, n, want, text)
		}
	}
}

// An audit of nothing has a summary too, and so has one whose tables are not there.
func TestSummaryOfNothing(t *testing.T) {
	audit := &report.Audit{Settings: report.Settings{Profile: "rfc9309"}}
	got := printed(t, figures.New(nil), audit, true)
	for _, want := range []string{
		"0 fetches on 0 origins (scheme, host and port), without a\ndate. ",
		"Disallowed: 0 of 0 fetches.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// Where little can be proven the summary says why, and what would help.
func TestSummaryTellsCauses(t *testing.T) {
	const captures, token = "Common Crawl keeps it in its robotstxt", "--crawler TOKEN"
	for name, test := range map[string]struct {
		missing, decidable, disallowed, nameless, indexed int64
		want, not                                         []string
	}{
		"no capture":  {2, 2, 0, 0, 0, []string{captures}, []string{token}},
		"nearly none": {9, 10, 0, 0, 0, []string{captures}, []string{token}},
		"some":        {8, 10, 0, 0, 0, nil, []string{captures, token}},
		"nameless": {
			0, 3, 3, 2, 0,
			[]string{token, " 2 fetches name no crawler (no User-Agent, or a browser's), "},
			[]string{captures, "captures of robots.txt and"},
		},
		"one, nameless": {
			0, 1, 1, 1, 0,
			[]string{" 1 fetch names no crawler (no User-Agent, or a browser's), and proves no certain violation. "},
			nil,
		},
		"of an index": {
			0, 2, 2, 2, 2,
			[]string{token, " 2 fetches name no crawler (no User-Agent, or a browser's, or an index that names none), "},
			nil,
		},
		"mostly named": {0, 3, 3, 1, 0, nil, []string{captures, token}},
	} {
		f, a := figures.New(nil), new(report.Audit)
		for range test.missing {
			f.Add(&report.FetchRow{FetchedURL: report.FetchedURL{Origin: "http://a"}, Decision: report.Decision{
				Verdict: "unknown", Reason: "no_capture",
			}})
		}
		if test.nameless > 0 {
			f.Add(&report.AgentRow{Counts: evaluate.Counts{Fetches: test.nameless + 9, RobotsTxtItself: 9}})
		}
		a.Totals.Unknown, a.Totals.Decidable, a.Totals.Disallowed = test.missing, test.decidable, test.disallowed
		a.Totals.Indexed = test.indexed
		text := strings.Join(strings.Fields(printed(t, f, a, false)), " ")
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in %s", name, want, text)
			}
		}
		for _, not := range test.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q is in %s", name, not, text)
			}
		}
	}
}

// Of an access log the summary asks for what robots.txt said, and not for other archives.
func TestSummaryOfLog(t *testing.T) {
	f, a := figures.New(nil), &report.Audit{Inputs: report.Inputs{Logs: 1}}
	f.Add(&report.FetchRow{FetchedURL: report.FetchedURL{Origin: "http://a"}, Decision: report.Decision{
		Verdict: "unknown", Reason: "no_capture",
	}})
	a.Totals.Unknown, a.Totals.Decidable = 1, 1
	text := printed(t, f, a, false)
	if !strings.Contains(text, "--robots FILE") || strings.Contains(text, "Browsertrix") {
		t.Error(text)
	}
}

// Optional parts are reported in short: settings, restrictions, and what is allowed by the letter
// alone.
func TestSummaryTellsWhatWasAsked(t *testing.T) {
	a := &report.Audit{Settings: report.Settings{
		Profile: "google", Crawler: "A", CrawlerMap: []string{"x => y"}, Purposes: []string{"index", "train"},
	}}
	a.Totals.Allowed, a.Totals.UnsafeEncoding = 2, 2
	a.Totals.RestrictionsUsage, a.Totals.RestrictionsPublication = 2, 1
	text := strings.Join(strings.Fields(printed(t, figures.New(nil), a, false)), " ")
	for _, want := range []string{
		"Profile google: robots.txt is read by Google's published parser and matcher. All fetches and captures count as " +
			"those of A (--crawler). Crawler by User-Agent (--crawler): x => y ",
		"Pages and sites say against the purposes index and train: 2 restrictions on use, 1 on publication (table " +
			"restrictions). They are no violations.",
		"allowed 2 robots.txt did not forbid them; 2 by the letter alone",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

// What robots.txt kept a crawler from, by its log, is counted by what the captures say.
func TestSummaryCountsExclusions(t *testing.T) {
	f, a := figures.New(nil), new(report.Audit)
	for _, verdict := range []string{"disallowed", "allowed", "disallowed"} {
		f.Add(&report.ExclusionRow{Decision: report.Decision{Verdict: verdict}})
	}
	a.Totals.Exclusions = 3
	const want = "Logs name 3 URLs that robots.txt kept a crawler from: by the captures, 2\ndisallowed, 1 allowed, 0 unknown"
	if text := printed(t, f, a, true); !strings.Contains(text, want) {
		t.Errorf("%q is missing in %s", want, text)
	}
	a.Totals.Exclusions = 4 // the table was not read
	if text := printed(t, f, a, true); !strings.Contains(text, "Logs name 4 URLs that robots.txt kept a crawler from (table") {
		t.Error(text)
	}
}

// Nothing from an archive reaches the terminal as control characters, and no line or list grows with it.
func TestSummaryIsSafe(t *testing.T) {
	const evil = "\x1b]0;title\x07\u202e\u0085\xff\r\n\t\\\""
	long := strings.Repeat(evil, 100)
	f, a := figures.New(nil), new(report.Audit)
	const n = 3000
	for i := range n {
		name := fmt.Sprint(i, long)
		f.Add(&report.FetchRow{
			Claim: name, FetchedURL: report.FetchedURL{FetchTime: new(int64)},
			Decision: report.Decision{Verdict: name, Reason: name},
		})
		f.Add(&report.ViolationRow{Certainty: "certain", Rule: "Disallow: /" + name})
		f.Add(&report.RobotsAgentRow{RobotsID: int64(i + 1), Agent: name})
		f.Add(&report.GroupVerdictRow{RobotsID: int64(i + 1), Decision: report.Decision{Verdict: "disallowed"}})
		f.Add(&report.HostRow{Origin: "http://" + name, Counts: evaluate.Counts{Fetches: 1, ViolationsCertain: 1}})
		f.Add(&report.AgentRow{Agent: name, Counts: evaluate.Counts{Fetches: 1}})
		f.Add(&report.IssueRow{WARCFilename: name, Detail: long, Kind: "unreadable"})
		f.Add(&report.UsageSignalRow{WARCFilename: name, Purpose: long, Preference: long, Binds: true})
		f.Add(&report.RestrictionRow{Purpose: long, Kind: long, Certainty: long})
	}
	a.Totals.InputsNotWhollyRead, a.Totals.Signalled = n, n
	got := printed(t, f, a, true)
	if lines := strings.Count(got, "\n"); lines > 200 {
		t.Errorf("%d lines", lines)
	}
	if lines := strings.Count(printed(t, f, a, false), "\n"); lines > 70 {
		t.Errorf("%d lines in short", lines)
	}
	for _, c := range strings.ReplaceAll(got, "\n", "") {
		if !unicode.IsPrint(c) {
			t.Fatalf("%q in\n%s", c, got)
		}
	}
	if !strings.Contains(got, "  and 2,990 more\n") {
		t.Errorf("what is not shown is not counted:\n%s", got)
	}
}

// What other crawlers would have been allowed is counted in the order of the tables.
func TestSummaryWhatIf(t *testing.T) {
	f := figures.New(nil)
	f.Add(&report.RobotsAgentRow{RobotsID: 1, Agent: "A"})
	f.Add(&report.GroupVerdictRow{RobotsID: 1, Decision: report.Decision{Verdict: "disallowed"}})
	f.Add(&report.GroupVerdictRow{RobotsID: 1, Decision: report.Decision{Verdict: "allowed", Reason: "robots_txt_itself"}})
	f.Add(new(report.HostRow))
	if list := f.WhatIf.Ranking(); len(list) != 1 || list[0].Agent != "A" || list[0].Allowed != 0 ||
		list[0].Disallowed != 1 || list[0].Unknown != 0 {
		t.Errorf("%+v", list)
	}
}

// Tables of robots.txt without fetches are counted, and what they are good for is said. A range may begin in a host.
func TestSummaryOfTables(t *testing.T) {
	f, next := figures.New(nil), figures.New(nil)
	for _, host := range []string{"a.example", "a.example", "b.example"} {
		f.Add(&report.RobotsRow{RecordType: "row", HostName: host})
	}
	for _, host := range []string{"b.example", "c.example"} {
		next.Add(&report.RobotsRow{RecordType: "row", HostName: host})
	}
	f.Add(&report.IssueRow{Kind: "date_without_zone"})
	f.Add(&report.IssueRow{Kind: "date_without_zone"})
	f.Join(next)
	audit := &report.Audit{Settings: report.Settings{Profile: "rfc9309"}, Inputs: report.Inputs{Tables: 1, Rows: 5}}
	got := printed(t, f, audit, false)
	for _, want := range []string{
		"1 table of robots.txt: 5 captures of robots.txt of 3 hosts, and no fetch. ", "Use the captures:",
		"taken as UTC, in 1 input ",
	} {
		if !strings.Contains(strings.ReplaceAll(got, "\n", " "), want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
