package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// logged is a line of a crawl.log.
type logged struct{ url, at, status string }

func crawlLog(lines ...logged) []byte {
	var b strings.Builder
	for _, l := range lines {
		date := strings.Replace(rec{at: l.at}.date(), "Z", ".000Z", 1)
		fmt.Fprintf(&b, "%s %5s          - %s L http://via.example/ unknown #001 - - - -\n", date, l.status, l.url)
	}
	return []byte(b.String())
}

// auditLogs audits archives together with logs.
func auditLogs(t *testing.T, opt DecideOptions, archives []archive, logs ...[]byte) (*recorder, *Totals) {
	t.Helper()
	in, out := t.TempDir(), t.TempDir()
	var paths []string
	add := func(name string, content []byte) {
		paths = append(paths, filepath.Join(in, name))
		if err := os.WriteFile(paths[len(paths)-1], content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i, a := range archives {
		add(fmt.Sprintf("%d.warc", i), a.bytes())
	}
	for i, l := range logs {
		add(fmt.Sprintf("crawl%d.log", i), l)
	}
	ingestFiles(t, out, paths)
	s, totals := evaluateFacts(t, openFacts(t, out), opt)
	compare(t, s, archives...)
	return s, totals
}

// TestLogEvidence: a log's evidence of robots.txt governs where no capture does, as
// another crawler's word.
func TestLogEvidence(t *testing.T) {
	t.Parallel()
	failed := func(at string) logged { return logged{home + "/x", at, "-61"} }
	own := DecideOptions{Crawler: "TestBot"}
	for name, c := range map[string]struct {
		opt     DecideOptions
		log     []logged
		records archive
	}{
		"alone": {
			DecideOptions{},
			[]logged{failed("-1h")},
			archive{page("disallowed fresh unreachable probable +other_crawler")},
		},
		"the same crawler": {
			own,
			[]logged{failed("-1h")},
			archive{page("disallowed fresh unreachable certain")},
		},
		"robots.txt itself": {
			own,
			[]logged{{home + "/robots.txt", "-1h", "-2"}},
			archive{page("disallowed fresh unreachable certain")},
		},
		"a crawler without a name": {
			DecideOptions{},
			[]logged{failed("-1h")},
			archive{{url: home + "/p", ua: "-", want: "disallowed fresh unreachable possible"}},
		},
		"a page that failed": {
			own,
			[]logged{{home + "/p", "-1h", "-2"}},
			archive{page("unknown none no_capture")},
		},
		"an exception in the crawler": {
			own,
			[]logged{{home + "/robots.txt", "-1h", "-5"}},
			archive{page("unknown none no_capture")},
		},
		"a day ago": {own, []logged{failed("-25h")}, archive{page("unknown stale unreachable_stale")}},
		"another origin": {
			own,
			[]logged{{"https://a.example/x", "-1h", "-61"}},
			archive{page("unknown none no_capture")},
		},
		"an own capture before": {
			DecideOptions{},
			[]logged{failed("-1h")},
			archive{robotsTxt("-2h", closed), page(certain)},
		},
		"after a capture": {
			own,
			[]logged{failed("-1h")},
			archive{robotsTxt("-2h", open), page("disallowed fresh unreachable contested +permitted_copy")},
		},
		"before a capture": {own, []logged{failed("-2h")}, archive{robotsTxt("-1h", open), page(allowed)}},
		"at the moment of a capture": {
			own,
			[]logged{failed("-1h")},
			archive{robotsTxt("-1h", open), page("unknown fresh conflicting_captures")},
		},
		"for more than 30 days": {
			own,
			[]logged{failed("-31d"), failed("-40d"), failed("-2h")},
			archive{page("allowed fresh unreachable_over_30d")},
		},
		"interrupted": {
			own,
			[]logged{failed("-31d"), failed("-2h")},
			archive{robotsTxt("-30d", closed), page("disallowed fresh unreachable certain")},
		},
		"afterwards": {own, []logged{failed("+1h")}, archive{page("unknown none no_capture")}},
	} {
		t.Run(name, func(t *testing.T) {
			auditLogs(t, c.opt, []archive{c.records}, crawlLog(c.log...))
		})
	}
}

// TestLogsAreBounded: a crawler gives up thousands of pages for one robots.txt. The
// timeline holds a line an hour, and those on either side of a capture.
func TestLogsAreBounded(t *testing.T) {
	t.Parallel()
	var lines []logged
	for i := range 3000 {
		lines = append(lines, logged{fmt.Sprintf("%s/%d", home, i), fmt.Sprintf("%ds", i-7200), "-61"})
	}
	s, totals := auditLogs(t, DecideOptions{Crawler: "TestBot"},
		[]archive{{robotsTxt("-5000s", closed), page("disallowed fresh unreachable certain")}}, crawlLog(lines...))
	if totals.LogEvidence != 2 || totals.Captures != 1 || totals.RobotsByOutcome["unreachable"] != 0 {
		t.Errorf("%d lines of evidence, %d captures", totals.LogEvidence, totals.Captures)
	}
	var ids []string
	for _, call := range s.calls {
		if strings.HasPrefix(call, "robots ") {
			ids = append(ids, strings.Join(strings.Fields(call)[1:2], ""))
		}
	}
	if !slices.Equal(ids, []string{"1", "2", "3"}) {
		t.Errorf("robots ids %v", ids)
	}
}

func TestExclusions(t *testing.T) {
	t.Parallel()
	out := func(path, at string) logged { return logged{home + path, at, "-9998"} }
	rules := robotsTxt("-1h", "User-agent: *\nAllow: /\n\nUser-agent: TestBot\nDisallow: /no\n")
	other := page("")
	other.ua = "Other/1"
	for name, c := range map[string]struct {
		opt     DecideOptions
		records archive
		log     []logged
		want    []string
	}{
		"the one crawler of the origin": {
			DecideOptions{},
			archive{rules, page("")},
			[]logged{out("/no", "+0h"), out("/yes", "+1h"), out("/no", "-9d")},
			[]string{
				home + "/no -9998 TestBot origin: unknown none no_capture",
				home + "/no -9998 TestBot origin: disallowed fresh rule",
				home + "/yes -9998 TestBot origin: allowed fresh no_matching_rule",
			},
		},
		"several crawlers": {
			DecideOptions{},
			archive{rules, page(""), other},
			[]logged{out("/no", "+0h")},
			[]string{home + "/no -9998  none: allowed fresh rule +other_crawler +named_group_forbids"},
		},
		"the option": {
			DecideOptions{Crawler: "Other"},
			archive{rules},
			[]logged{out("/no", "+0h")},
			[]string{home + "/no -9998 Other option: allowed fresh rule"},
		},
		"no capture, no fetch": {
			DecideOptions{},
			archive{{url: "http://z.example/"}},
			[]logged{out("/no", "+0h"), {"http://aa.example/no", "+0h", "-9998"}},
			[]string{
				home + "/no -9998  none: unknown none no_capture",
				"http://aa.example/no -9998  none: unknown none no_capture",
			},
		},
		"robots.txt itself": {
			DecideOptions{},
			archive{rules},
			[]logged{out("/robots.txt", "+0h")},
			[]string{home + "/robots.txt -9998 TestBot origin: allowed none robots_txt_itself"},
		},
		"unreachable by the same log": {
			DecideOptions{},
			archive{{url: "http://z.example/"}},
			[]logged{{home + "/a", "-1h", "-61"}, out("/b", "+0h")},
			[]string{home + "/b -9998  none: disallowed fresh unreachable"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, totals := auditLogs(t, c.opt, []archive{c.records}, crawlLog(c.log...))
			slices.Sort(s.exclusions)
			slices.Sort(c.want)
			if !slices.Equal(s.exclusions, c.want) {
				t.Errorf("got\n %s\nwant\n %s", strings.Join(s.exclusions, "\n "), strings.Join(c.want, "\n "))
			}
			if totals.Fetches != int64(len(c.records)) || totals.Exclusions != int64(len(c.want)) {
				t.Errorf("%d fetches, %d exclusions", totals.Fetches, totals.Exclusions)
			}
			for _, call := range s.calls {
				if strings.HasPrefix(call, "host ") && strings.Contains(call, "Fetches:0") {
					t.Errorf("an origin without fetches: %s", call)
				}
			}
		})
	}
}

// TestLogsTwice: copies of a log, whole or in part, count once, and it is said so.
func TestLogsTwice(t *testing.T) {
	t.Parallel()
	lines := []logged{{home + "/a", "-3h", "-61"}, {home + "/b", "-1h", "-9998"}, {home + "/c", "-1h", "-9998"}}
	_, totals := auditLogs(t, DecideOptions{}, []archive{{page("")}}, crawlLog(lines...))
	if totals.Exclusions != 2 || totals.LogEvidence != 1 {
		t.Fatalf("%d exclusions, %d lines of evidence", totals.Exclusions, totals.LogEvidence)
	}
	s, totals := auditLogs(t, DecideOptions{}, []archive{{page("")}}, crawlLog(lines...), crawlLog(lines[:2]...))
	if totals.Exclusions != 2 || totals.LogEvidence != 1 ||
		!slices.Equal(s.issues, []string{"duplicate_record", "duplicate_record"}) {
		t.Errorf("%d exclusions, %d lines of evidence, issues %v", totals.Exclusions, totals.LogEvidence, s.issues)
	}
	if call := s.calls[len(s.calls)-1]; !strings.Contains(call, "line 2 says the same as line 2 of crawl0.log") {
		t.Error(call)
	}
}
