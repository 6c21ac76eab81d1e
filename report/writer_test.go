package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

var noon = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro()

func testFacts(names ...string) *ingest.Facts {
	f := new(ingest.Facts)
	for _, n := range names {
		in := ingest.InputResult{Container: "warc.gz", Fingerprint: "0123456789abcdef"}
		in.Name, in.Size, in.Fetches = n, 1000, 4
		f.Inputs = append(f.Inputs, in)
	}
	return f
}

func testFetch(origin, path string) ingest.Fetch {
	return ingest.Fetch{
		Origin: origin, URL: origin + path, Micros: noon, Precision: ingest.PrecisionSecond, RecordID: "urn:x:" + path,
		Offset: 700, Length: 300, Type: ingest.Response, Method: "GET", Status: 200, MIMEType: "text/html",
		UserAgent: "TestBot/1.0", UserAgentSource: ingest.SourceRequest, Claim: "classic", Millis: -1,
	}
}

func testState(id int64, origin string, outcome evaluate.Outcome) *evaluate.State {
	s := &evaluate.State{Outcome: outcome, ID: id, FinalStatus: 200}
	s.Fetch = testFetch(origin, "/robots.txt")
	s.Micros -= 60e6
	s.Offset, s.Input = 100, 1
	return s
}

// results are fetches of every kind.
func testResults() []evaluate.Result {
	const origin = "https://www.example.co.uk:8443"
	governing := testState(1, origin, evaluate.OutcomeRules)
	governing.HasBody, governing.BodyDigest = true, strings.Repeat("\xab", 32)
	governing.BodyInput, governing.BodyRecordOffset, governing.Hops = 1, 555, 1
	governing.BodyMicros, governing.BodyPrecision, governing.BodyRecordID = noon-120e6, ingest.PrecisionSecond, "urn:x:body"
	contester := testState(2, origin, evaluate.OutcomeUnavailable)
	contester.Offset, contester.Micros = 42, noon-300e6
	rule := &robots.Rule{Text: "Disallow: /caf\xe9", Line: 3}
	var list []evaluate.Result
	add := func(path string, e evaluate.Evidence, c evaluate.Certainty, a evaluate.Answer) *evaluate.Result {
		f := testFetch(origin, path)
		r := evaluate.Result{Fetch: &f, Agent: "TestBot", AgentSource: evaluate.AgentFromRequest, Evidence: e, Certainty: c, Answer: a}
		if e != evaluate.None {
			r.Governing, r.Age = governing, 60
		}
		list = append(list, r)
		return &list[len(list)-1]
	}
	disallowed := evaluate.Answer{Verdict: evaluate.Disallowed, Reason: evaluate.ReasonRule, Rule: rule, GroupLine: 2, Group: 1}
	add("/", evaluate.Fresh, evaluate.NoCertainty, evaluate.Answer{Verdict: evaluate.Allowed, Reason: evaluate.NoMatchingRule})
	add("/robots.txt", evaluate.None, evaluate.NoCertainty, evaluate.Answer{Verdict: evaluate.Allowed, Reason: evaluate.RobotsTxtItself})
	certain := add("/caf\xe9?q=\xff", evaluate.Fresh, evaluate.Certain, disallowed)
	certain.Fetch.Location = "/à\xe0"
	certain.Fetch.MIMEType = "text/\xe9\x00"
	certain.Fetch.PayloadDigest = "sha1:" + strings.Repeat("é", maxText)
	probable := add("/caf%E9?", evaluate.Stale, evaluate.Probable, disallowed)
	probable.Notes = evaluate.NoteOtherCrawler | evaluate.NoteBodyCut
	contested := add("/caf%E9/x", evaluate.Fresh, evaluate.Contested, disallowed)
	contested.Contester = contester
	add("/caf%E9/y", evaluate.Stale, evaluate.Possible, disallowed)
	unknown := add("/later", evaluate.Later, evaluate.NoCertainty, evaluate.Answer{Reason: evaluate.UnresolvedRedirect})
	unknown.Prior, unknown.HasPrior = evaluate.Disallowed, true
	nowhere := add("/x", evaluate.None, evaluate.NoCertainty, evaluate.Answer{Reason: evaluate.NoTime})
	nowhere.Fetch.Origin, nowhere.Fetch.URL = "", "http:/x"
	nowhere.Fetch.Micros, nowhere.Fetch.Precision = 0, ingest.PrecisionNone
	nowhere.Fetch.Status, nowhere.Agent, nowhere.AgentSource = -1, "", evaluate.AgentUnknown
	return list
}

// writeAll writes results as evaluate does, and commits them.
func writeAll(t testing.TB, dir string, whatIf bool) (*Writer, *Summary) {
	t.Helper()
	w, totals := fill(t, dir, whatIf)
	s, err := w.Commit(Settings{Profile: "rfc9309"}, totals)
	if err != nil {
		t.Fatal(err)
	}
	return w, s
}

func fill(t testing.TB, dir string, whatIf bool) (*Writer, *evaluate.Totals) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := NewWriter(dir, testFacts("a.warc.gz", "b.warc.gz"), "rfc9309", whatIf)
	must(err)
	results := testResults()
	totals := &evaluate.Totals{Origins: 1, RobotsByOutcome: map[string]int64{"rules": 1}}
	totals.First, totals.Last = results[0].Fetch.Time(), results[0].Fetch.Time()
	must(w.Robots(&evaluate.RobotsRecord{State: results[0].Governing, Parsed: true, Groups: 2, Rules: 3,
		Notes: []robots.Note{{Line: 7, Kind: robots.NoteNonUTF8, Text: "Disallow: /caf\xe9"}}}))
	agent := evaluate.AgentStats{Agent: "TestBot", Claims: map[string]bool{"classic": true, "\xff": true}}
	for i := range results {
		r := &results[i]
		totals.Add(r)
		agent.Add(r)
		must(w.Result(r))
		if !whatIf {
			continue
		}
		switch i { // the first fetch of each robots_id
		case 0:
			must(w.RobotsAgent(1, 0, "ABot"))
			must(w.RobotsAgent(1, 1, "BBot"))
		case 1:
			must(w.RobotsAgent(0, 0, "ABot"))
			must(w.RobotsAgent(0, 0, "BBot"))
		}
		must(w.GroupVerdict(&evaluate.GroupVerdict{Fetch: r.Fetch, Governing: r.Governing, Evidence: r.Evidence, Answer: r.Answer}))
	}
	host, nowhere := evaluate.HostStats{Origin: results[0].Fetch.Origin, First: results[0].Fetch.Time()}, evaluate.HostStats{}
	for i := range results {
		if h := &host; results[i].Fetch.Origin == h.Origin {
			h.Add(&results[i])
		} else {
			nowhere.Add(&results[i])
		}
	}
	must(w.Host(&host))
	must(w.Host(&nowhere))
	must(w.Agent(&agent))
	must(w.Exclusion(&evaluate.Exclusion{
		Event: &ingest.LogEvent{Line: 7, Reason: "-9998", Input: 1, Via: "http://a/\xe9", HopsFromSeed: "L"},
		Result: evaluate.Result{Fetch: results[2].Fetch, Agent: "TestBot", AgentSource: evaluate.AgentFromOrigin, Evidence: evaluate.Fresh,
			Answer: results[2].Answer, Governing: results[2].Governing},
	}))
	totals.Exclusions++
	must(w.Issue(&ingest.Issue{Input: 1, Offset: 9, Length: -1, Kind: ingest.IssueBadURL, Detail: "\xfe", Action: "kept"}))
	must(w.Failure(ingest.Failure{Name: "caf\xe9.warc", Reason: "permission denied"}))
	return w, totals
}

// read reads a table, each value as it stands in the file: the library gives a null of
// an embedded struct as 0.
func read[T any](t testing.TB, dir, name string) (list []T) {
	t.Helper()
	file, _ := open(t, filepath.Join(dir, name+".parquet"))
	reader := parquet.NewReader(file)
	fields := make(map[string][]int)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		column, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		fields[column] = f.Index
	}
	columns := reader.Schema().Columns()
	rows := make([]parquet.Row, 64)
	for {
		n, err := reader.ReadRows(rows)
		for _, values := range rows[:n] {
			var row T
			for _, v := range values {
				if index, ok := fields[columns[v.Column()][0]]; ok && !v.IsNull() {
					setValue(reflect.ValueOf(&row).Elem().FieldByIndex(index), v)
				}
			}
			list = append(list, row)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			return list
		}
	}
}

func setValue(field reflect.Value, v parquet.Value) {
	switch {
	case field.Kind() == reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
		setValue(field.Elem(), v)
	case field.Kind() == reflect.Slice:
		field.Set(reflect.Append(field, reflect.ValueOf(v.Clone().String())))
	case field.Kind() == reflect.String:
		field.SetString(v.Clone().String())
	case field.Kind() == reflect.Bool:
		field.SetBool(v.Boolean())
	default:
		field.SetInt(v.Int64())
	}
}

// What is not told of how the crawler came to a URL is null, not false.
func TestDiscoveryColumns(t *testing.T) {
	w, _ := fill(t, t.TempDir(), false)
	for flags, want := range map[ingest.Flags][4]*bool{ // is_seed, force_fetch, is_page, hops_from_seed is not null
		0:                    {nil, nil, nil, new(false)},
		ingest.FlagDiscovery: {new(false), new(false), nil, new(true)},
		ingest.FlagDiscovery | ingest.FlagSeed | ingest.FlagForceFetch: {new(true), new(true), nil, new(true)},
		ingest.FlagPagesListed:                                                           {nil, nil, new(false), new(false)},
		ingest.FlagPagesListed | ingest.FlagPage:                                         {nil, nil, new(true), new(false)},
		ingest.FlagPagesListed | ingest.FlagPage | ingest.FlagSeedTold:                   {new(false), nil, new(true), new(false)},
		ingest.FlagPagesListed | ingest.FlagPage | ingest.FlagSeedTold | ingest.FlagSeed: {new(true), nil, new(true), new(false)},
		ingest.FlagPagesListed | ingest.FlagPage | ingest.FlagDiscovery:                  {new(false), new(false), new(true), new(true)},
	} {
		f := testFetch("http://a", "/")
		f.Flags = flags
		r := &evaluate.Result{Fetch: &f}
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
	got := read[ViolationRow](t, dir, "violations")
	if len(got) != 2 {
		t.Fatalf("%d violations, want 2", len(got))
	}
	digest := "sha256:" + strings.Repeat("ab", 32)
	want := ViolationRow{
		URL: "https://www.example.co.uk:8443/caf%E9?q=%FF", SURTKey: "uk,co,example:8443)/caf%e9?q=%ff",
		HostName: "www.example.co.uk", RegisteredDomain: "example.co.uk", HostNameReversed: "uk.co.example.www",
		Protocol: "https", Port: new(int32(8443)), Path: "/caf%E9", Query: new("q=%FF"), Origin: "https://www.example.co.uk:8443",
		FetchTime: new(noon), FetchMethod: "GET", FetchStatus: new(int16(200)), FetchRedirect: "/à%E0", RecordType: "response",
		ContentDigest: "sha1:" + strings.Repeat("é", (maxText-5)/2) + cutMark, ContentMIMEType: "text/\uFFFD\x00",
		WARCFilename: "a.warc.gz", WARCRecordOffset: 700, WARCRecordLength: 300, WARCRecordID: "urn:x:/caf\uFFFD?q=\uFFFD",
		CrawlerToken: CrawlerToken{"TestBot", "request"}, UserAgent: "TestBot/1.0", Claim: "classic",
		Decision: Decision{"disallowed", "fresh", "rule"}, Certainty: "certain", Trust: "chained", Profile: "rfc9309",
		Rule: "Disallow: /caf%E9", RuleLine: 3, GroupLine: 2, RobotsAge: new(int64(60)),
		RobotsCitation: RobotsCitation{
			RobotsID: 1, RobotsURL: "https://www.example.co.uk:8443/robots.txt", RobotsOutcome: "rules", RobotsTime: new(noon - int64(60e6)),
			RobotsStatus: new(int16(200)), RobotsHops: new(int32(1)), RobotsFilename: "b.warc.gz", RobotsOffset: new(int64(100)),
			RobotsLength: 300, RobotsRecordID: "urn:x:/robots.txt", RobotsBodyTime: new(noon - int64(120e6)),
			RobotsBodyFile: "b.warc.gz", RobotsBodyOffset: new(int64(555)), RobotsBodyRecordID: "urn:x:body", RobotsBodyDigest: digest,
		},
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("certain violation (-want +got):\n%s", diff)
	}
	if q := got[1].Query; q == nil || *q != "" {
		t.Errorf("query of a URL ending in ?: %v, want an empty one", q)
	}
	if n := got[1].Notes; n != "body_cut,other_crawler" {
		t.Errorf("notes %v", n)
	}
	unproven := read[ViolationRow](t, dir, "unproven")
	if len(unproven) != 2 || unproven[0].Certainty != "contested" || unproven[1].Certainty != "possible" {
		t.Fatalf("unproven: %+v", unproven)
	}
	copied := ContestedCitation{
		ContestedRobotsID: 2, ContestedOutcome: "unavailable", ContestedTime: new(noon - int64(300e6)), ContestedFilename: "b.warc.gz",
		ContestedOffset: new(int64(42)), ContestedRecordID: "urn:x:/robots.txt",
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
	first, second := testState(1, "http://a", evaluate.OutcomeRules), testState(2, "http://a", evaluate.OutcomeUnreachable)
	first.HasBody, first.BodyDigest = true, "\xab"
	for _, s := range []*evaluate.State{first, first, second, first} {
		if got := w.cite(s); got.RobotsID != s.ID || (got.RobotsBodyDigest != "") != s.HasBody {
			t.Errorf("of capture %d: %+v", s.ID, got)
		}
	}
}

// Restrictions and delays are rows of their own, with what they rest on, and no violations.
func TestRestrictionsAndDelays(t *testing.T) {
	dir := t.TempDir()
	w, totals := fill(t, dir, false)
	r := testResults()[0]
	tags := []evaluate.Statement{{Source: tag.SourceMeta, Line: 1, Raw: "noarchive"}}
	signals := []evaluate.Statement{{Source: tag.SourceRobotsTxt, Line: 7, Raw: "train-ai=n"}, {Source: tag.SourceTDMFile, Line: 1, Raw: strings.Repeat("x", maxText)}}
	capture := ingest.Capture{Fetch: testFetch("https://www.example.co.uk:8443", "/.well-known/tdmrep.json")}
	capture.Offset = 4711
	r.Page = &evaluate.Page{From: evaluate.PageOriginal, Signals: []evaluate.Signal{{}, {File: &capture}}}
	r.Restrictions = []evaluate.Restriction{
		{Kind: evaluate.RestrictsPublication, Certainty: evaluate.Certain, Purpose: tag.UseArchive, Statements: tags},
		{Kind: evaluate.RestrictsUsage, Certainty: evaluate.Probable, Purpose: tag.UseTrain, Statements: signals},
	}
	r.TooSoon = &evaluate.TooSoon{Gap: 1_500_999, Delay: 10e6, Line: 4, Previous: evaluate.Visit{Input: 1, Offset: 90}}
	if err := w.Result(&r); err != nil {
		t.Fatal(err)
	}
	totals.Add(&r)
	if _, err := w.Commit(Settings{}, totals); err != nil {
		t.Fatal(err)
	}
	citation := read[ViolationRow](t, dir, "violations")[0].RobotsCitation
	page := RestrictionRow{
		Kind: "publication", Certainty: "certain", Purpose: "archive", Statements: []string{"meta 1: noarchive"}, TagsFrom: "original",
		FetchedURL: FetchedURL{
			URL: "https://www.example.co.uk:8443/", HostName: "www.example.co.uk", RegisteredDomain: "example.co.uk",
			Origin: "https://www.example.co.uk:8443", FetchTime: new(noon),
		},
		FetchStatus: new(int16(200)), RecordPlace: RecordPlace{"a.warc.gz", 700, 300, "urn:x:/"}, CrawlerToken: CrawlerToken{"TestBot", "request"},
	}
	origin := page
	origin.Kind, origin.Certainty, origin.Purpose, origin.Statements = "usage", "probable", "train", []string{"robots.txt 7: train-ai=n", text(signals[1].String())}
	origin.FileFilename, origin.FileOffset, origin.RobotsCitation = "a.warc.gz", new(int64(4711)), citation
	if diff := cmp.Diff([]RestrictionRow{page, origin}, read[RestrictionRow](t, dir, "restrictions")); diff != "" {
		t.Errorf("restrictions (-want +got):\n%s", diff)
	}
	delays := []CrawlDelayRow{{
		FetchedURL: page.FetchedURL, RecordPlace: page.RecordPlace, Agent: "TestBot", AgentSource: "request", Gap: 1500, Delay: 10_000, Line: 4, PreviousFilename: "b.warc.gz", PreviousOffset: 90,
		RobotsAge: new(int64(60)), RobotsCitation: citation,
	}}
	if diff := cmp.Diff(delays, read[CrawlDelayRow](t, dir, "crawl_delays")); diff != "" {
		t.Errorf("crawl_delays (-want +got):\n%s", diff)
	}
	if n := len(read[ViolationRow](t, dir, "violations")); n != 2 {
		t.Errorf("%d violations, want the 2 without it", n)
	}
}

func TestFetchRows(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, false)
	got := read[FetchRow](t, dir, "fetches")
	results := testResults()
	if len(got) != len(results) {
		t.Fatalf("%d rows of %d", len(got), len(results))
	}
	for i, r := range results {
		if got[i].Verdict != r.Verdict.String() || got[i].Evidence != r.Evidence.String() || got[i].Reason != r.Reason.String() {
			t.Errorf("row %d: %+v", i, got[i])
		}
	}
	want := FetchRow{
		FetchedURL: FetchedURL{URL: "http:/x"}, FetchMethod: "GET", RecordType: "response", ContentMIMEType: "text/html",
		RecordPlace: RecordPlace{"a.warc.gz", 700, 300, "urn:x:/x"}, CrawlerToken: CrawlerToken{AgentSource: "none"},
		Decision: Decision{"unknown", "none", "no_time"}, Trust: "chained",
	}
	if diff := cmp.Diff(want, got[7]); diff != "" {
		t.Errorf("a fetch of which little is known (-want +got):\n%s", diff)
	}
	if got[6].PriorVerdict != "disallowed" || got[6].RobotsID != 1 {
		t.Errorf("unresolved: %+v", got[6])
	}
	if got[5].Certainty != "possible" || got[5].RuleLine != 3 {
		t.Errorf("disallowed by old evidence: %+v", got[5])
	}
	if hosts := read[HostRow](t, dir, "host_stats"); got[7].Origin != hosts[1].Origin {
		t.Errorf("an unreadable origin is %q in fetches and %q in host_stats", got[7].Origin, hosts[1].Origin)
	}
	type nullable struct {
		Agent     *string `parquet:"agent,optional"`
		Certainty *string `parquet:"certainty,optional"`
		RobotsID  *int64  `parquet:"robots_id,optional"`
		RuleLine  *int32  `parquet:"rule_line,optional"`
	}
	if n := read[nullable](t, dir, "fetches")[7]; n != (nullable{}) {
		t.Errorf("what is not known is not null: %+v", n)
	}
}

// TestNulls writes optional values and nulls in many orders: no null may come back as a
// zero, nor a value as null.
func TestNulls(t *testing.T) {
	type row struct {
		N       int64  `parquet:"n"`
		Text    string `parquet:"text,optional"`
		Name    string `parquet:"name,optional,dict"`
		Integer int32  `parquet:"integer,optional"`
		Known   *int32 `parquet:"known,optional"`
	}
	type nullable struct {
		N       int64   `parquet:"n"`
		Text    *string `parquet:"text,optional"`
		Name    *string `parquet:"name,optional,dict"`
		Integer *int32  `parquet:"integer,optional"`
		Known   *int32  `parquet:"known,optional"`
	}
	random := rand.New(rand.NewPCG(1, 2))
	for order := range 300 {
		dir := t.TempDir()
		w, err := createTable[row](dir, "nulls")
		if err != nil {
			t.Fatal(err)
		}
		rows, run := 1+random.IntN(300), 1+order%40
		var want []nullable
		for i := range rows {
			in, out := row{N: int64(i)}, nullable{N: int64(i)}
			there := func() bool { return order%2 == 0 && i/run == 1 || order%2 == 1 && random.IntN(run) == 0 }
			if there() {
				in.Text, out.Text = "text", new("text")
			}
			if there() {
				in.Name, out.Name = "name", new("name")
			}
			if there() {
				in.Integer, out.Integer = 7, new(int32(7))
			}
			if there() {
				in.Known, out.Known = new(int32(0)), new(int32(0))
			}
			want = append(want, out)
			if err := w.add(in); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.finish(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, read[nullable](t, dir, "nulls")); diff != "" {
			t.Fatalf("order %d (-want +got):\n%s", order, diff)
		}
	}
}

func TestOtherRows(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, true)
	robotsRows := read[RobotsRow](t, dir, "robots")
	want := []string{"line 7: non_utf8: Disallow: /caf\uFFFD"}
	if diff := cmp.Diff(want, robotsRows[0].Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if r := robotsRows[0]; *r.Groups != 2 || *r.Rules != 3 || *r.NoteCount != 1 || r.Reason != "" || *r.BodyOffset != 555 {
		t.Errorf("robots: %+v", r)
	}
	issues := read[IssueRow](t, dir, "issues")
	wantIssues := []IssueRow{
		{WARCFilename: "b.warc.gz", Offset: new(int64(9)), Kind: "bad_url", Detail: "\uFFFD", Action: "kept"},
		{WARCFilename: "caf%E9.warc", Kind: "unreadable", Detail: "permission denied", Action: "not read"},
	}
	if diff := cmp.Diff(wantIssues, issues); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
	exclusions := read[ExclusionRow](t, dir, "exclusions")
	wantExclusions := []ExclusionRow{{
		URL: "https://www.example.co.uk:8443/caf%E9?q=%FF", HostName: "www.example.co.uk", RegisteredDomain: "example.co.uk",
		Origin: "https://www.example.co.uk:8443", LogReason: "-9998", WARCFilename: "b.warc.gz", LogLine: 7, Via: "http://a/%E9",
		HopsFromSeed: new("L"), CrawlerToken: CrawlerToken{"TestBot", "origin"}, Decision: Decision{"disallowed", "fresh", "rule"},
		RobotsID: 1, Rule: "Disallow: /caf%E9", RuleLine: 3, GroupLine: 2,
	}}
	if diff := cmp.Diff(wantExclusions, exclusions); diff != "" {
		t.Errorf("exclusions (-want +got):\n%s", diff)
	}
	agents := read[AgentRow](t, dir, "agent_stats")
	if diff := cmp.Diff([]string{"classic", "\uFFFD"}, agents[0].Claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	verdicts := read[GroupVerdictRow](t, dir, "group_verdicts")
	if len(verdicts) != 8 || verdicts[1].RobotsID != 0 || verdicts[2].RobotsID != 1 || verdicts[2].Rule != "Disallow: /caf%E9" ||
		verdicts[2].Notes != "" || verdicts[3].Notes != "body_cut,other_crawler" {
		t.Errorf("group_verdicts: %+v", verdicts)
	}
	if n := len(read[RobotsAgentRow](t, dir, "robots_agents")); n != 4 {
		t.Errorf("%d rows of robots_agents, want 4", n)
	}
}

// The totals of audit.json, the tables and the statistics are one set of numbers.
func TestTotalsAgree(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, true)
	b, err := os.ReadFile(filepath.Join(dir, auditFile))
	if err != nil {
		t.Fatal(err)
	}
	var a Audit
	if err := json.Unmarshal(b, &a); err != nil {
		t.Fatal(err)
	}
	c := a.Totals
	for _, pair := range []struct {
		what      string
		got, want int64
	}{
		{"verdicts", c.Allowed + c.Disallowed + c.Unknown, c.Fetches},
		{"evidence", c.EvidenceFresh + c.EvidenceStale + c.EvidenceLater + c.EvidenceNone, c.Fetches},
		{"disallowed", c.ViolationsCertain + c.ViolationsProbable + c.Contested + c.Possible, c.Disallowed},
		{"violations", c.Violations, c.ViolationsCertain + c.ViolationsProbable},
		{"unproven", c.Unproven, c.Contested + c.Possible},
		{"decidable", c.Decidable, c.Fetches - c.RobotsTxtItself},
		{"rows of fetches", a.Tables["fetches"], c.Fetches},
		{"rows of violations", a.Tables["violations"], c.Violations},
		{"rows of unproven", a.Tables["unproven"], c.Unproven},
		{"rows of restrictions", a.Tables["restrictions"], c.RestrictionsPublication + c.RestrictionsUsage},
		{"rows of exclusions", a.Tables["exclusions"], c.Exclusions},
		{"rows of issues", a.Tables["issues"], c.Issues},
		{"inputs not wholly read", c.InputsNotWhollyRead, 1},
	} {
		if pair.got != pair.want {
			t.Errorf("%s: %d, want %d", pair.what, pair.got, pair.want)
		}
	}
	for name, rows := range a.Tables {
		f, size := open(t, filepath.Join(dir, name+".parquet"))
		p, err := parquet.OpenFile(f, size)
		if err != nil {
			t.Fatal(err)
		}
		if p.NumRows() != rows {
			t.Errorf("%s: %d rows, audit.json says %d", name, p.NumRows(), rows)
		}
		if v, _ := p.Lookup("robotsaudit.schema_version"); v != SchemaVersion {
			t.Errorf("%s: schema version %q", name, v)
		}
	}
	want := []float64{4. / 5, 4. / 7, 6. / 7} // one of the eight fetches is of robots.txt
	if diff := cmp.Diff(want, []float64{*c.DisallowedShareOfKnown, *c.DisallowedShare, *c.DisallowedOrUnknownShare}); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
}

func open(t testing.TB, path string) (*os.File, int64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return f, info.Size()
}

// Every string in every table is UTF-8: readers refuse files where one is not.
func TestStringsAreUTF8(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, true)
	paths, _ := filepath.Glob(filepath.Join(dir, "*.parquet"))
	if len(paths) != len(tables) {
		t.Fatalf("%d tables of %d", len(paths), len(tables))
	}
	for _, path := range paths {
		f, _ := open(t, path)
		r := parquet.NewReader(f)
		rows := make([]parquet.Row, 16)
		for n, err := 1, error(nil); n > 0 && err == nil; {
			n, err = r.ReadRows(rows)
			for _, row := range rows[:n] {
				for _, v := range row {
					if v.Kind() == parquet.ByteArray && !utf8.Valid(v.ByteArray()) {
						t.Errorf("%s, column %d: %q", filepath.Base(path), v.Column(), v.ByteArray())
					}
				}
			}
		}
	}
}

func TestSameResultsAreTheSameBytes(t *testing.T) {
	sums := func() map[string]string {
		dir := t.TempDir()
		writeAll(t, dir, true)
		files := make(map[string]string)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(b)
			files[e.Name()] = hex.EncodeToString(sum[:])
		}
		return files
	}
	first := sums()
	if len(first) != len(tables)+1 {
		t.Errorf("the folder holds %v", first)
	}
	for range 3 {
		if diff := cmp.Diff(first, sums()); diff != "" {
			t.Fatalf("files differ:\n%s", diff)
		}
	}
}

// An audit without what-if removes the what-if tables of the one before, and any audit
// those that only earlier versions wrote.
func TestCommitReplaces(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, true)
	if err := os.WriteFile(filepath.Join(dir, "contested.parquet"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	w, _ := writeAll(t, dir, false)
	for _, name := range []string{"group_verdicts.parquet", "robots_agents.parquet", "contested.parquet", temporary} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	before := listing(t, dir)
	w.Abandon()
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("Abandon after Commit changed the folder:\n%s", diff)
	}
}

// A failure while the tables are written leaves the audit before as it was, and
// nothing else.
func TestFailureLeavesThePreviousAudit(t *testing.T) {
	for name, spoil := range map[string]func(*Writer){
		"table cannot be written":  func(w *Writer) { hostStatsTable.writer(w).file.Close() },
		"audit cannot be written":  func(w *Writer) { os.Mkdir(filepath.Join(w.tmp, auditFile), 0o777) },
		"folder vanishes":          func(w *Writer) { os.RemoveAll(w.tmp) },
		"abandoned before the end": nil,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeAll(t, dir, true)
			before := listing(t, dir)
			w, totals := fill(t, dir, false)
			if spoil != nil {
				spoil(w)
				if _, err := w.Commit(Settings{}, totals); err == nil {
					t.Error("Commit returned no error")
				}
			}
			w.Abandon()
			if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
				t.Errorf("the folder changed (-before +after):\n%s", diff)
			}
		})
	}
}

// A failure while the tables are moved leaves no audit.json: nothing counts.
func TestFailureInMovingLeavesNoAudit(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, false)
	w, totals := fill(t, dir, false)
	// A folder that is not empty stands where the last table goes.
	if err := os.Remove(filepath.Join(dir, "issues.parquet")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "issues.parquet", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(Settings{}, totals); err == nil {
		t.Error("Commit returned no error")
	}
	w.Abandon()
	if _, err := os.Stat(filepath.Join(dir, auditFile)); !os.IsNotExist(err) {
		t.Errorf("audit.json is still there: %v", err)
	}
}

func TestAddFailsWhenTheFileDoes(t *testing.T) {
	w, _ := fill(t, t.TempDir(), false)
	defer w.Abandon()
	fetchesTable.writer(w).file.Close()
	r := testResults()[0]
	for range 10 * maxGroupRows { // the same row compresses well, and the file is buffered
		if w.Result(&r) != nil {
			return
		}
	}
	t.Error("row groups were written to a closed file")
}

func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}

// Row groups end by bytes too: an archive may hold nothing but long URLs.
func TestRowGroupsAreBounded(t *testing.T) {
	dir := t.TempDir()
	tb, err := createTable[RobotsAgentRow](dir, "short")
	if err != nil {
		t.Fatal(err)
	}
	long, err := createTable[FetchRow](dir, "long")
	if err != nil {
		t.Fatal(err)
	}
	url := strings.Repeat("x", 64<<10)
	for i := range maxGroupRows + 1 {
		if err := tb.add(RobotsAgentRow{RobotsID: int64(i), Agent: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 * maxGroupText / len(url) {
		if err := long.add(FetchRow{FetchedURL: FetchedURL{URL: url}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		t      anyWriter
		groups int
	}{{tb, 2}, {long, 3}} {
		if err := tt.t.finish(); err != nil {
			t.Fatal(err)
		}
		name, rows := tt.t.about()
		f, size := open(t, filepath.Join(dir, name+".parquet"))
		p, err := parquet.OpenFile(f, size)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.RowGroups()) != tt.groups || p.NumRows() != rows {
			t.Errorf("%s: %d row groups with %d rows, want %d with %d", name, len(p.RowGroups()), p.NumRows(), tt.groups, rows)
		}
	}
}

// Every column whose length an archive decides counts towards a row group's size.
func TestGroupCountsEveryString(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "robots.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := newEncoder[RobotsRow](f, "robots", 2)
	row := RobotsRow{URL: "12345", Reason: "123", HopURLs: []string{"1", "22"}}
	if err := e.write([]RobotsRow{row, row}); err != nil {
		t.Fatal(err)
	}
	if e.group.text != 22 || e.group.rows != 2 {
		t.Errorf("%d bytes in %d rows, want 22 in 2", e.group.text, e.group.rows)
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                "",
		"http://a/é":      "http://a/é",
		"http://a/\xe9":   "http://a/%E9",
		"\xc3":            "%C3",
		"\xed\xa0\x80":    "%ED%A0%80", // a surrogate
		"a\x00b\x1b[2J":   "a\x00b\x1b[2J",
		"\uFFFD\xff":      "\uFFFD%FF",
		"%e9 stays as is": "%e9 stays as is",
	} {
		if got := locator(in); got != want {
			t.Errorf("locator(%q) = %q, want %q", in, got, want)
		}
	}
	for _, s := range []string{strings.Repeat("é", maxText), "x" + strings.Repeat("é", maxText), strings.Repeat("\xff", 2*maxText)} {
		for name, f := range map[string]func(string) string{"text": text, "ruleText": ruleText} {
			got := f(s)
			if !utf8.ValidString(got) || !strings.HasSuffix(got, cutMark) || len(got) > 3*maxText+len(cutMark) {
				t.Errorf("%s of %d bytes: %d bytes, ends in %q", name, len(s), len(got), got[max(0, len(got)-16):])
			}
			if strings.Contains(s, "é") && strings.Trim(got, "xé") != cutMark {
				t.Errorf("%s cut a character: %q", name, strings.Trim(got, "xé"))
			}
		}
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

// BenchmarkResult writes fetches that were allowed, and fetches that are violations.
func BenchmarkResult(b *testing.B) {
	for name, kind := range map[string]int{"allowed": 0, "violation": 2} {
		b.Run(name, func(b *testing.B) { benchmarkResult(b, testResults()[kind]) })
	}
}

func benchmarkResult(b *testing.B, r evaluate.Result) {
	w, err := NewWriter(b.TempDir(), testFacts("a.warc.gz", "b.warc.gz"), "rfc9309", false)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abandon()
	fetches := make([]ingest.Fetch, 16_384)
	for i := range fetches {
		f := *r.Fetch
		f.URL = fmt.Sprintf("%s/articles/%d/index.html", f.Origin, i*7919)
		f.RecordID = "\x00" + fmt.Sprintf("%016x", i*104729)
		f.PayloadDigest = fmt.Sprintf("sha1:%032X", i*15485863)
		fetches[i] = f
	}
	var peak uint64
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		r.Fetch = &fetches[n%len(fetches)]
		r.Fetch.Offset = int64(n) * 4000
		if err := w.Result(&r); err != nil {
			b.Fatal(err)
		}
		if n++; n%10_000 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(peak)/1e6, "peak-heap-MB")
}
