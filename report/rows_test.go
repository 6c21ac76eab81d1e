package report

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/evaluate/use"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/parquetwriter/parquettest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Unknown facts of how the crawler came to a URL are null, not false.
func TestDiscoveryColumns(t *testing.T) {
	w, _ := fill(t, t.TempDir(), false)
	for flags, want := range map[facts.Flags][4]*bool{ // is_seed, force_fetch, is_page, hops_from_seed is not null
		0:                   {nil, nil, nil, new(false)},
		facts.FlagDiscovery: {new(false), new(false), nil, new(true)},
		facts.FlagDiscovery | facts.FlagSeed | facts.FlagForceFetch: {new(true), new(true), nil, new(true)},
		facts.FlagPagesListed: {
			nil, nil, new(false),
			new(false),
		},
		facts.FlagPagesListed | facts.FlagPage: {
			nil, nil, new(true),
			new(false),
		},
		facts.FlagPagesListed | facts.FlagPage | facts.FlagSeedKnown: {
			new(false), nil, new(true),
			new(false),
		},
		facts.FlagPagesListed | facts.FlagPage | facts.FlagSeedKnown | facts.FlagSeed: {
			new(true), nil, new(true),
			new(false),
		},
		facts.FlagPagesListed | facts.FlagPage | facts.FlagDiscovery: {new(false), new(false), new(true), new(true)},
	} {
		f := testFetch("http://a", "/")
		f.Flags = flags
		r := &evaluate.Result{Finding: verdict.Finding{Fetch: &f}}
		fetch, violation := w.fetchRow(r), w.violationRow(r)
		got := [4]*bool{fetch.IsSeed, fetch.ForceFetch, fetch.IsPage, new(fetch.HopsFromSeed != nil)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("flags %b: %s", flags, diff)
		}
		also := [4]*bool{violation.IsSeed, violation.ForceFetch, violation.IsPage, new(violation.HopsFromSeed != nil)}
		if diff := cmp.Diff(got, also); diff != "" {
			t.Errorf("flags %b, violations: %s", flags, diff)
		}
	}
}

func TestViolationProvesItself(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, false)
	got := parquettest.Read[ViolationRow](t, dir, "violations")
	if len(got) != 2 {
		t.Fatalf("%d violations, want 2", len(got))
	}
	digest := "sha256:" + strings.Repeat("ab", 32)
	want := ViolationRow{
		URL: "https://www.example.co.uk:8443/caf%E9?q=%FF", SURTKey: "uk,co,example:8443)/caf%e9?q=%ff",
		HostName: "www.example.co.uk", RegisteredDomain: "example.co.uk", HostNameReversed: "uk.co.example.www",
		Protocol: "https", Port: new(int32(8443)), Path: "/caf%E9", Query: new("q=%FF"),
		Origin:    "https://www.example.co.uk:8443",
		FetchTime: new(noon), FetchMethod: "GET", FetchStatus: new(int16(200)), FetchRedirect: "/à%E0",
		RecordType:    "response",
		ContentDigest: "sha1:" + strings.Repeat("é", (maxText-5)/2) + cutMark, ContentMIMEType: "text/\uFFFD\x00",
		WARCFilename: "a.warc.gz", WARCRecordOffset: 700, WARCRecordLength: 300,
		WARCRecordID: "urn:x:/caf\uFFFD?q=\uFFFD",
		CrawlerToken: CrawlerToken{"TestBot", "request"}, UserAgent: "TestBot/1.0", Claim: "classic",
		Decision: Decision{"disallowed", "fresh", "rule"}, Certainty: "certain", Trust: "chained", Profile: "rfc9309",
		Rule: "Disallow: /caf%E9", RuleLine: 3, GroupLine: 2, RobotsAge: new(int64(60)),
		RobotsCitation: RobotsCitation{
			RobotsID: 1, RobotsURL: "https://www.example.co.uk:8443/robots.txt", RobotsOutcome: "rules",
			RobotsTime:   new(noon - int64(60e6)),
			RobotsStatus: new(int16(200)), RobotsHops: new(int32(1)), RobotsFilename: "b.warc.gz",
			RobotsOffset: new(int64(100)),
			RobotsLength: 300, RobotsRecordID: "urn:x:/robots.txt", RobotsBodyTime: new(noon - int64(120e6)),
			RobotsBodyFile: "b.warc.gz", RobotsBodyOffset: new(int64(555)), RobotsBodyRecordID: "urn:x:body",
			RobotsBodyDigest: digest,
		},
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("certain violation (-want +got):\n%s", diff)
	}
	if q := got[1].Query; q == nil || *q != "" {
		t.Errorf("query of a URL ending in ?: %v, want an empty one", q)
	}
	if n := strings.Join(got[1].Notes, ","); n != "body_cut,other_crawler" {
		t.Errorf("notes %v", n)
	}
	unproven := parquettest.Read[ViolationRow](t, dir, "unproven")
	if len(unproven) != 2 || unproven[0].Certainty != "contested" || unproven[1].Certainty != "possible" {
		t.Fatalf("unproven: %+v", unproven)
	}
	copied := ContestedCitation{
		ContestedRobotsID: 2, ContestedOutcome: "unavailable", ContestedTime: new(noon - int64(300e6)),
		ContestedFilename: "b.warc.gz",
		ContestedOffset:   new(int64(42)), ContestedLength: 300, ContestedRecordID: "urn:x:/robots.txt",
	}
	if diff := cmp.Diff(copied, unproven[0].ContestedCitation); diff != "" {
		t.Errorf("the copy that allows (-want +got):\n%s", diff)
	}
	if c := unproven[1].ContestedCitation; c != (ContestedCitation{}) {
		t.Errorf("no copy allows, and one is cited: %+v", c)
	}
}

// What is cited of one capture is not cited of the next.
func TestCitationsAreOfTheirRows(t *testing.T) {
	w, _ := fill(t, t.TempDir(), false)
	defer w.Abandon()
	first, second := testState(1, "http://a", words.OutcomeRules), testState(2, "http://a", words.OutcomeUnreachable)
	first.HasBody, first.BodyDigest = true, "\xab"
	for _, s := range []*evaluate.State{first, first, second, first} {
		if got := w.cite(s); got.RobotsID != s.ID || (got.RobotsBodyDigest != "") != s.HasBody {
			t.Errorf("of capture %d: %+v", s.ID, got)
		}
	}
}

// Restrictions are rows of their own, with what they rest on, and no violations.
func TestRestrictions(t *testing.T) {
	dir := t.TempDir()
	w, totals := fill(t, dir, false)
	r := testResults()[0]
	tags := []use.Statement{{Source: tag.SourceMeta, Line: 1, Text: "noarchive"}}
	signals := []use.Statement{
		{Source: tag.SourceRobotsTxt, Line: 7, Text: "train-ai=n"},
		{Source: tag.SourceTDMFile, Line: 1, Text: strings.Repeat("x", maxText)},
	}
	capture := facts.Capture{Fetch: testFetch("https://www.example.co.uk:8443", "/.well-known/tdmrep.json")}
	capture.Offset = 4711
	r.Page = &evaluate.Page{
		From: evaluate.PageOriginal,
		Signals: []evaluate.Signal{{}, {
			Signal: tag.Signal{Source: tag.SourceTDMFile, Line: 1, Raw: signals[1].Text}, File: &capture,
		}},
	}
	r.Restrictions = []evaluate.Restriction{
		{Kind: evaluate.RestrictsPublication, Certainty: evaluate.Certain, Purpose: tag.UseArchive, Statements: tags},
		{Kind: evaluate.RestrictsUsage, Certainty: evaluate.Probable, Purpose: tag.UseTrain, Statements: signals},
	}
	if err := w.Result(&r); err != nil {
		t.Fatal(err)
	}
	totals.Add(&r)
	if _, err := w.Commit(totals); err != nil {
		t.Fatal(err)
	}
	citation := parquettest.Read[ViolationRow](t, dir, "violations")[0].RobotsCitation
	page := RestrictionRow{
		Kind: "publication", Certainty: "certain", Purpose: "archive", Statements: []string{"meta 1: noarchive"},
		TagsFrom: "original",
		FetchedURL: FetchedURL{
			URL: "https://www.example.co.uk:8443/", HostName: "www.example.co.uk", RegisteredDomain: "example.co.uk",
			Origin: "https://www.example.co.uk:8443", FetchTime: new(noon),
		},
		FetchStatus: new(int16(200)), RecordPlace: RecordPlace{"a.warc.gz", 700, 300, "urn:x:/"},
		CrawlerToken: CrawlerToken{"TestBot", "request"},
	}
	origin := page
	origin.Kind, origin.Certainty, origin.Purpose, origin.Statements = "usage", "probable", "train",
		[]string{"robots.txt 7: train-ai=n", text(signals[1].String())}
	origin.FileFilename, origin.FileOffset, origin.RobotsCitation = "a.warc.gz", new(int64(4711)), citation
	if diff := cmp.Diff([]RestrictionRow{page, origin}, parquettest.Read[RestrictionRow](t, dir, "restrictions")); diff != "" {
		t.Errorf("restrictions (-want +got):\n%s", diff)
	}
	if n := len(parquettest.Read[ViolationRow](t, dir, "violations")); n != 2 {
		t.Errorf("%d violations, want the 2 without it", n)
	}
}

func TestFetchRows(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, false)
	got := parquettest.Read[FetchRow](t, dir, "fetches")
	results := testResults()
	if len(got) != len(results) {
		t.Fatalf("%d rows of %d", len(got), len(results))
	}
	for i, r := range results {
		if got[i].Verdict != r.Verdict.String() || got[i].Evidence != r.Evidence.String() ||
			got[i].Reason != r.Reason.String() {
			t.Errorf("row %d: %+v", i, got[i])
		}
	}
	want := FetchRow{
		FetchedURL: FetchedURL{URL: "http:/x"}, SURTKey: "x)/", FetchMethod: "GET", RecordType: "response",
		ContentMIMEType: "text/html",
		RecordPlace:     RecordPlace{"a.warc.gz", 700, 300, "urn:x:/x"},
		CrawlerToken:    CrawlerToken{AgentSource: "none"}, Claim: "classic",
		Decision: Decision{"unknown", "none", "no_time"}, Trust: "chained",
	}
	if diff := cmp.Diff(want, got[7]); diff != "" {
		t.Errorf("a fetch of which little is known (-want +got):\n%s", diff)
	}
	if got[6].PriorVerdict != "disallowed" || got[6].RobotsID != 1 {
		t.Errorf("unresolved: %+v", got[6])
	}
	if got[6].Refusal != "challenge" {
		t.Errorf("refused: %+v", got[6])
	}
	if got[5].Certainty != "possible" || got[5].RuleLine != 3 {
		t.Errorf("disallowed by old evidence: %+v", got[5])
	}
	if hosts := parquettest.Read[HostRow](t, dir, "host_stats"); got[7].Origin != hosts[1].Origin {
		t.Errorf("an unreadable origin is %q in fetches and %q in host_stats", got[7].Origin, hosts[1].Origin)
	}
	type nullable struct {
		Agent     *string `parquet:"agent,optional"`
		Certainty *string `parquet:"certainty,optional"`
		RobotsID  *int64  `parquet:"robots_id,optional"`
		RuleLine  *int32  `parquet:"rule_line,optional"`
	}
	if n := parquettest.Read[nullable](t, dir, "fetches")[7]; n != (nullable{}) {
		t.Errorf("what is not known is not null: %+v", n)
	}
}

func TestOtherRows(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, true)
	robotsRows := parquettest.Read[RobotsRow](t, dir, "robots")
	want := []string{"line 7: misspelt_record: Disalow: /caf\uFFFD"}
	if diff := cmp.Diff(want, robotsRows[0].Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if r := robotsRows[0]; *r.Groups != 2 || *r.Rules != 3 || *r.NoteCount != 1 || r.Reason != "" ||
		*r.BodyOffset != 555 {
		t.Errorf("robots: %+v", r)
	}
	issues := parquettest.Read[IssueRow](t, dir, "issues")
	wantIssues := []IssueRow{
		{WARCFilename: "b.warc.gz", Offset: new(int64(9)), Kind: "bad_url", Detail: "\uFFFD", Action: "kept"},
		{WARCFilename: "caf%E9.warc", Kind: "unreadable", Detail: "permission denied", Action: "not read"},
	}
	if diff := cmp.Diff(wantIssues, issues); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
	exclusions := parquettest.Read[ExclusionRow](t, dir, "exclusions")
	wantExclusions := []ExclusionRow{{
		URL: "https://www.example.co.uk:8443/caf%E9?q=%FF", HostName: "www.example.co.uk",
		RegisteredDomain: "example.co.uk",
		Origin:           "https://www.example.co.uk:8443", LogReason: "-9998", WARCFilename: "b.warc.gz", LogLine: 7,
		Via:          "http://a/%E9",
		HopsFromSeed: new("L"), CrawlerToken: CrawlerToken{"TestBot", "origin"},
		Decision: Decision{"disallowed", "fresh", "rule"},
		RobotsID: 1, Rule: "Disallow: /caf%E9", RuleLine: 3, GroupLine: 2,
	}}
	if diff := cmp.Diff(wantExclusions, exclusions); diff != "" {
		t.Errorf("exclusions (-want +got):\n%s", diff)
	}
	agents := parquettest.Read[AgentRow](t, dir, "agent_stats")
	if diff := cmp.Diff([]string{"classic", "\uFFFD"}, agents[0].Claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	verdicts := parquettest.Read[GroupVerdictRow](t, dir, "group_verdicts")
	if len(verdicts) != 8 || verdicts[1].RobotsID != 0 || verdicts[2].RobotsID != 1 ||
		verdicts[2].Rule != "Disallow: /caf%E9" ||
		verdicts[2].Notes != nil || strings.Join(verdicts[3].Notes, ",") != "body_cut,other_crawler" {
		t.Errorf("group_verdicts: %+v", verdicts)
	}
	if n := len(parquettest.Read[RobotsAgentRow](t, dir, "robots_agents")); n != 4 {
		t.Errorf("%d rows of robots_agents, want 4", n)
	}
}

// TestRuleIsACopy: rows wait, and their file must not wait with them.
func TestRuleIsACopy(t *testing.T) {
	file := strings.Repeat("Disallow: /a\n", 1000)
	a := &evaluate.Answer{Rule: &robots.Rule{Text: file[:12], Line: 1}}
	got, line := rule(a)
	if got != "Disallow: /a" || line != 1 {
		t.Errorf("rule %q, line %d", got, line)
	}
	if unsafe.StringData(got) == unsafe.StringData(file) {
		t.Error("the rule is a part of its file")
	}
}
