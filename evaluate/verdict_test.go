package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// TestOrigin: which robots.txt speaks for which URL.
func TestOrigin(t *testing.T) {
	t.Parallel()
	closedAt := func(origin string) rec { return rec{url: origin + "/robots.txt", at: "-1h", body: closed} }
	fetch := func(url, want string) rec { return rec{url: url, want: want} }
	const none = "unknown none no_capture"
	var list []scenario
	for _, a := range []archive{
		{
			closedAt("http://a.example"), fetch("https://a.example/p", none), fetch("http://a.example:8080/p", none),
			fetch("http://www.a.example/p", none), fetch("ftp://a.example/p", none), fetch("http://a.example./p", none),
			fetch("http://a.example:80/p", certain), fetch("HTTP://A.example/p", certain),
			fetch("http://user:pw@a.example/p", certain),
			fetch("http://a.example/p#fragment", certain), fetch("http://a.example", certain),
			fetch("http://a.example?q", certain),
		},
		{
			closedAt("https://a.example:443"), fetch("https://a.example/p", certain),
			fetch("https://a.example:444/p", none),
		},
		{
			closedAt("http://a.example:8080"), fetch("http://a.example:8080/p", certain),
			fetch("http://a.example/p", none),
		},
		{
			closedAt("http://[2001:DB8:0:0::1]"), fetch("http://[2001:db8::1]/p", certain),
			fetch("http://[2001:db8::1%25eth0]:80/p", certain),
		},
		{
			closedAt("http://bücher.example"), fetch("http://xn--bcher-kva.example/p", certain),
			fetch("http://BÜCHER.example/p", certain),
		},
		{
			closedAt("http://straße.example"), fetch("http://xn--strae-oqa.example/p", certain),
			fetch("http://strasse.example/p", none),
		},
		{closedAt("http://a_b.example"), fetch("http://a_b.example/p", certain)},
		{
			fetch("gopher://a.example/p", "unknown none unsupported_scheme"),
			fetch("gemini://a.example/robots.txt", "unknown none unsupported_scheme"),
		},
		{fetch("dns:a.example", ""), fetch("urn:x:y", ""), fetch("whois://", "")},
	} {
		list = append(list, scenario{a[0].url, a})
	}
	checkScenarios(t, DecideOptions{}, list)
}

// TestRobotsTxtItself: what is a robots capture, and what is an ordinary fetch.
func TestRobotsTxtItself(t *testing.T) {
	t.Parallel()
	fetch := func(url, want string) rec { return rec{url: home + url, want: want} }
	head := rec{url: home + "/robots.txt", at: "-30m", method: "HEAD", want: itself}
	first := robotsTxt("-1h", closed)
	first.want = itself
	undated := rec{url: home + "/robots.txt", at: "never", want: itself, body: open}
	check(t, DecideOptions{}, archive{
		first, fetch("/ROBOTS.TXT", certain),
		fetch("//robots.txt", certain), fetch("/%72obots.txt", "disallowed fresh rule contested +robots_txt_encoded"),
		fetch("/robots.txt?", certain), fetch("/robots.txt?a", certain),
		fetch("/a/robots.txt", certain), fetch("/a/../robots.txt", certain), head, undated,
	})
	// HEAD and POST open nothing and close nothing.
	check(t, DecideOptions{}, archive{head, page("unknown none no_capture")})
	check(t, DecideOptions{}, archive{undated, page("unknown none no_capture")})
	head.want = "disallowed fresh rule certain"
	check(t, DecideOptions{Profile: robots.Google}, archive{robotsTxt("-1h", closed), head})
}

// TestNotFetches: what an archive holds besides fetches is no fetch.
func TestNotFetches(t *testing.T) {
	t.Parallel()
	s, totals := check(t, DecideOptions{}, archive{
		{url: "dns:a.example", typ: "response", status: "-", ua: "-"},
		{url: home + "/p", typ: "metadata", status: "-", ua: "-"},
		{url: home + "/p", typ: "conversion", status: "-", ua: "-"},
		{url: "urn:x:y", typ: "resource", status: "-", ua: "-"},
		{url: home + "/p", typ: "resource", status: "-", ua: "-", body: "x", want: "unknown none no_capture"},
	})
	if totals.Fetches != 1 || len(s.results) != 1 {
		t.Errorf("%d fetches, want 1: %v", totals.Fetches, s.results)
	}
}

// TestOneMoment: within one moment the order of the records in their archive decides, and
// nothing between archives.
func TestOneMoment(t *testing.T) {
	t.Parallel()
	by := func(r rec, ua string) rec { r.ua = ua; return r }
	status := func(at, s string) rec { r := robotsTxt(at, ""); r.status = s; return r }
	wget := rec{typ: "warcinfo", body: "software: Wget/1.25.0\r\n"} // makes one fetch after the other
	for name, archives := range map[string][]archive{
		"in two archives, one before the page": {
			{robotsTxt("+0h", closed+"\n")},
			{wget, robotsTxt("+0h", closed), page(certain)},
		},
		"behind the page, it ends no failures": {
			{
				status("-40d", "503 x"),
				page("allowed fresh unreachable_over_30d +same_moment"), robotsTxt("+0h", closed),
			},
			{status("+0h", "503 x")},
		},
		"dated by the day, and another's of it": {{
			robotsTxt("2024-04-30", closed),
			by(robotsTxt("2024-04-30T08:00:00Z", open), "Other/1.0"),
			page("disallowed fresh rule contested +permitted_copy +coarse_date"),
		}},
		"the own, older, differ": {
			{robotsTxt("-2d", closed)},
			{
				robotsTxt("-2d", open), by(robotsTxt("-1h", open), "Other/1.0"),
				page("unknown fresh changed_between +other_crawler"),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, DecideOptions{}, archives...)
			slices.Reverse(archives)
			check(t, DecideOptions{}, archives...)
		})
	}
}

// TestCoarseDates: two times are compared at the coarser precision. A date coarser than
// a second makes no certain violation.
func TestCoarseDates(t *testing.T) {
	t.Parallel()
	at := func(want, at string) rec { return rec{url: home + "/p", at: at, want: want} }
	checkScenarios(t, DecideOptions{}, []scenario{
		{"a redirect's target on its day", archive{
			redirect(home+"/robots.txt", "2024-05-01", "/r"),
			{url: home + "/r", at: "2024-05-01T15:00:00Z", body: open},
			at("allowed stale rule +coarse_date", "2024-05-02T16:00:00Z"),
		}},
	})
}

// TestDuplicatesWithoutID: records without an id are taken for the same where they
// lie in files that are alike to the last byte, as an ARC given twice. In all other
// files records alike may be two fetches.
func TestDuplicatesWithoutID(t *testing.T) {
	t.Parallel()
	one, named := page("-"), page("-")
	one.id, one.want = "-", ""
	one.ua = "-"
	hop, target := redirect(home+"/robots.txt", "-1h", "/other"), rec{
		url: home + "/other", at: "-1h", body: closed,
		id: "-", ua: "-",
	}
	hop.id, hop.ua, named.id, named.want = "-", "-", "urn:named", ""
	whole := archive{hop, target, one, one, named}
	s, totals := check(t, DecideOptions{}, whole, whole, whole)
	// Two fetches of a page in one file are two.
	if totals.Fetches != 5 || totals.Duplicates != 10 || totals.Captures != 1 || totals.Allowed != 2 {
		t.Errorf("%d fetches, %d duplicates, %d captures, %d allowed", totals.Fetches, totals.Duplicates,
			totals.Captures, totals.Allowed)
	}
	if n := len(slices.DeleteFunc(s.issues, func(k string) bool { return k != "duplicate_record" })); n != 4 {
		t.Errorf("%d issues, want 4: one a file, and one a record with an id", n)
	}
	for name, files := range map[string][]archive{
		"one record more": {whole, append(slices.Clone(whole), page(""))},
		"one byte":        {{one}, {func() rec { r := one; r.body += "x"; return r }()}},
	} {
		want := int64(0)
		for _, a := range files {
			for _, r := range a {
				if r.id == "-" {
					want++
				}
			}
		}
		_, totals := check(t, DecideOptions{}, files...)
		if named := totals.Fetches - want; named < 0 || named > 2 {
			t.Errorf("%s: %d fetches of %d records without id", name, totals.Fetches, want)
		}
	}
}

// TestDuplicates: a record that two inputs hold is counted once, and two records of
// one id are two.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	a := archive{robotsTxt("-1h", closed), page(certain)}
	s, totals := check(t, DecideOptions{}, a, a, a)
	if totals.Fetches != 2 || totals.Duplicates != 4 || totals.Captures != 1 {
		t.Errorf("%d fetches, %d duplicates, %d captures", totals.Fetches, totals.Duplicates, totals.Captures)
	}
	if n := len(slices.DeleteFunc(s.issues, func(k string) bool { return k != "duplicate_record" })); n != 4 {
		t.Errorf("%d issues, want 4", n)
	}
	one, other := page(""), page("")
	one.id, other.id, other.status = "same", "same", "404 x"
	two := archive{robotsTxt("-1h", closed), one, other}
	if _, totals = check(t, DecideOptions{}, two, two); totals.Fetches != 3 || totals.Duplicates != 3 {
		t.Errorf("%d fetches, %d duplicates, want 3 and 3", totals.Fetches, totals.Duplicates)
	}
}

// mixed is an archive in which much happens, over many origins.
func mixed() []archive {
	var list []archive
	groups := "User-agent: A\nDisallow: /p\n\nUser-agent: B\nUser-agent: C\nAllow: /\n\nUser-agent: C\nDisallow: /p0\n\nUser-agent: *\nDisallow: /p1\n"
	for i := range 12 {
		host := fmt.Sprintf("http://m%d.example", i)
		a := archive{
			{url: host + "/robots.txt", at: "-40d", body: groups, warc: []string{closedDigest}},
			redirect(host+"/robots.txt", "-3d", fmt.Sprintf("http://m%d.example/robots.txt", i|3)), // four loops
			{
				url: host + "/robots.txt", at: fmt.Sprintf("-%dh", 2*i), typ: "revisit",
				warc: []string{identical, closedDigest},
			},
			redirect(host+"/robots.txt", "+2d", fmt.Sprintf("http://m%d.example/r", (i+1)%12)),
			{url: host + "/r", at: "+48h1m", body: closed},
			{url: host + "/robots.txt", at: "+4d", status: "503 x"},
			{url: host + "/robots.txt", at: "+5d", body: strings.Repeat(groups, i+1)},
			{url: host + "/robots.txt", at: "+6d", status: "302 x"},
			{url: host + "/robots.txt", at: "never", body: closed},
		}
		for j, at := range []string{
			"-50d", "-20d", "-71h", "-60h", "+0h", "+12h", "+47h", "+3d", "+97h", "+5d", "+6d",
			"+40d", "none",
		} {
			a = append(a, rec{url: fmt.Sprintf("%s/p%d", host, j%2), at: at, ua: []string{"", "-", "A/1", "B"}[j%4]})
		}
		list = append(list, a)
	}
	return list
}

// TestGrouping: results depend neither on how inputs are grouped into tasks nor on
// the run.
func TestGrouping(t *testing.T) {
	t.Parallel()
	list := mixed()
	opt := DecideOptions{Agents: []string{"A", "B", "C", "D", "b"}}
	often := 20
	if !longtest.Run() {
		often = 2
	}
	var want *recorder
	for steps, runs := range map[int]int{1: often, 3: 1, 12: 1} {
		facts := makeFacts(t, steps, list...)
		for range runs {
			got, _ := evaluateFacts(t, facts, opt)
			if want == nil {
				want = got
			}
			if !slices.Equal(got.calls, want.calls) {
				t.Fatalf("%d tasks: other results", steps)
			}
		}
	}
	// In one file, records have other places, and nothing else changes.
	joined, _ := evaluateFacts(t, makeFacts(t, 1, slices.Concat(list...)), opt)
	if !maps.Equal(joined.results, want.results) || !maps.Equal(joined.states, want.states) {
		for id, want := range want.results {
			if got := joined.results[id]; got != want {
				t.Errorf("%s: %s in many files, %s in one", id, want, got)
			}
		}
		t.Error("one file gives other results than many")
	}
}

// TestWhatIf: every fetch has one verdict for every token, and that is the one of
// an audit in which that token is the crawler's.
func TestWhatIf(t *testing.T) {
	t.Parallel()
	var list []archive
	for _, a := range mixed() {
		for i := range a {
			a[i].ua = "" // one crawler
		}
		list = append(list, a)
	}
	facts := makeFacts(t, 1, list...)
	tokens := []string{"A", "B", "C", "Nobody"}
	s, _ := evaluateFacts(t, facts, DecideOptions{Agents: append(tokens, "a")})
	undecided := 0
	for _, token := range tokens {
		plain, _ := evaluateFacts(t, facts, DecideOptions{Crawler: token})
		for id, text := range plain.results {
			want := strings.Join(strings.Fields(text)[:3], " ")
			got := ""
			for group, verdict := range s.groups[id] {
				if slices.Contains(s.agents[fmt.Sprint(s.ruled[id], group)], token) {
					if got != "" {
						t.Errorf("%s: two verdicts for %s", id, token)
					}
					got = verdict
				}
			}
			if strings.HasPrefix(got, "unknown") && !strings.HasPrefix(want, "unknown") &&
				strings.HasSuffix(got, "changed_between") {
				undecided++ // tokens of one token group that another capture separates
				continue
			}
			if got != want {
				t.Errorf("%s as %s: %q, an audit says %q", id, token, got, want)
			}
		}
	}
	if undecided > 20 {
		t.Errorf("%d verdicts are left open", undecided)
	}
	for key, agents := range s.agents {
		if len(agents) != len(slices.Compact(slices.Sorted(slices.Values(agents)))) {
			t.Errorf("robots_id and group %s: %v", key, agents)
		}
	}
}

// TestWhatIfConflict: a token group whose tokens another capture separates.
func TestWhatIfConflict(t *testing.T) {
	t.Parallel()
	p := page("unknown fresh conflicting_captures")
	s, _ := check(t, DecideOptions{Agents: []string{"A", "B", "TestBot"}},
		archive{robotsTxt("-1h", "User-agent: A\nUser-agent: B\nDisallow: /\n")},
		archive{robotsTxt("-1h", "User-agent: A\nDisallow: /\n\nUser-agent: TestBot\nDisallow: /\n"), p})
	for group, got := range s.groups[p.recordID()] {
		agents := s.agents[fmt.Sprint(s.ruled[p.recordID()], group)]
		want := "unknown fresh conflicting_captures"
		if slices.Equal(agents, []string{"A"}) {
			want = "disallowed fresh rule"
		}
		if got != want {
			t.Errorf("%v: %s, want %s", agents, got, want)
		}
	}
}

// TestCounts: every fetch is in exactly one of the verdicts, and so on.
func TestCounts(t *testing.T) {
	t.Parallel()
	s, totals := evaluateFacts(t, makeFacts(t, 1, mixed()...), DecideOptions{})
	c := totals.Counts
	if c.Fetches != int64(len(s.results)) || c.Allowed+c.Disallowed+c.Unknown != c.Fetches ||
		c.EvidenceFresh+c.EvidenceStale+c.EvidenceLater+c.EvidenceNone != c.Fetches ||
		c.ViolationsCertain+c.ViolationsProbable+c.Contested+c.Possible != c.Disallowed {
		t.Errorf("%+v of %d", c, len(s.results))
	}
}

// TestHostile: what is long, deep or odd is bounded.
func TestHostile(t *testing.T) {
	t.Parallel()
	long := "http://b.example/" + strings.Repeat("x", 64<<10)
	check(t, DecideOptions{}, archive{redirect(home+"/robots.txt", "-1h", long), page("unknown fresh unresolved_redirect")})
	s, _ := check(t, DecideOptions{},
		archive{
			redirect(home+"/robots.txt", "-1h", long[:60000]),
			rec{url: long[:60000], at: "-1h", body: closed},
			page(certain),
		})
	for _, call := range s.calls {
		if strings.HasPrefix(call, "robots") && len(call) > 4<<10 {
			t.Errorf("a state of %d bytes", len(call))
		}
	}
	cut := rec{url: home + "/" + strings.Repeat("y", 65<<10), want: "disallowed fresh rule probable +url_cut"}
	check(t, DecideOptions{}, archive{robotsTxt("-1h", closed), cut})
	var ring archive // each capture redirects to the next host, two hundred times
	for i := range 200 {
		r := redirect(fmt.Sprintf("http://r%d.example/robots.txt", i), "-1h",
			fmt.Sprintf("http://r%d.example/robots.txt", (i+1)%200))
		r.ua, r.state = "-", "unavailable too_many_redirects hops=21 final=302"
		ring = append(ring, r)
	}
	check(t, DecideOptions{}, ring)
	var odd []scenario
	for _, location := range []string{
		"\x00", "//", "http:", "?", "#", "http://[::1", "http://a.example:99999/",
		"javascript:x", "\xff\xfe",
	} {
		odd = append(odd, scenario{location, archive{redirect(home+"/robots.txt", "-1h", location)}})
	}
	checkScenarios(t, DecideOptions{}, odd)
}

func TestStrings(t *testing.T) {
	for r := words.ReasonRule; r <= words.UnsupportedScheme; r++ {
		if r.String() == "" {
			t.Errorf("reason %d has no name", r)
		}
	}
}
