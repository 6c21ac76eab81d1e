package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/parquetwriter/parquettest"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

var noon = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro()

func testFacts(names ...string) *facts.Set {
	var results []facts.InputResult
	for _, n := range names {
		in := facts.InputResult{Container: "warc.gz", Fingerprint: "0123456789abcdef"}
		in.Name, in.Size, in.Fetches = n, 1000, 4
		results = append(results, in)
	}
	return facts.SetOf(results...)
}

func testFetch(origin, path string) facts.Fetch {
	return facts.Fetch{
		Origin: origin, URL: origin + path, Micros: noon, Precision: facts.PrecisionSecond,
		RecordID: recordid.ID("urn:x:" + path),
		Offset:   700, Length: 300, Type: facts.TypeResponse, Method: "GET", Status: 200, MIMEType: "text/html",
		UserAgent: "TestBot/1.0", UserAgentSource: facts.SourceRequest, Claim: "classic", Millis: -1,
	}
}

func testState(id int64, origin string, outcome evaluate.Outcome) *evaluate.State {
	s := &evaluate.State{ID: id}
	s.Outcome, s.FinalStatus = outcome, 200
	s.Fetch = testFetch(origin, "/robots.txt")
	s.Micros -= 60e6
	s.Offset, s.Input = 100, 1
	return s
}

// results are fetches of every kind.
func testResults() []evaluate.Result {
	const origin = "https://www.example.co.uk:8443"
	governing := testState(1, origin, words.OutcomeRules)
	governing.HasBody, governing.BodyDigest = true, strings.Repeat("\xab", 32)
	governing.BodyInput, governing.BodyRecordOffset, governing.Hops = 1, 555, 1
	governing.BodyTime, governing.BodyRecordID = facts.Time{Micros: noon - 120e6, Precision: facts.PrecisionSecond},
		"urn:x:body"
	contester := testState(2, origin, words.OutcomeUnavailable)
	contester.Offset, contester.Micros = 42, noon-300e6
	rule := &robots.Rule{Text: "Disallow: /caf\xe9", Line: 3}
	var list []evaluate.Result
	add := func(path string, e evaluate.Evidence, c evaluate.Certainty, a evaluate.Answer) *evaluate.Result {
		f := testFetch(origin, path)
		r := evaluate.Result{Finding: verdict.Finding{
			Fetch: &f, Agent: "TestBot", AgentSource: words.AgentFromRequest, Evidence: e,
			Certainty: c, Answer: a,
		}}
		if e != words.None {
			r.Governing, r.Age = governing, 60
		}
		list = append(list, r)
		return &list[len(list)-1]
	}
	disallowed := evaluate.Answer{
		Verdict: evaluate.Disallowed, Reason: words.ReasonRule, Rule: rule, GroupLine: 2,
		Group: 1,
	}
	add("/", evaluate.Fresh, evaluate.NoCertainty,
		evaluate.Answer{Verdict: evaluate.Allowed, Reason: words.NoMatchingRule})
	add("/robots.txt", words.None, evaluate.NoCertainty,
		evaluate.Answer{Verdict: evaluate.Allowed, Reason: words.RobotsTxtItself})
	certain := add("/caf\xe9?q=\xff", evaluate.Fresh, evaluate.Certain, disallowed)
	certain.Fetch.Location = "/à\xe0"
	certain.Fetch.MIMEType = "text/\xe9\x00"
	certain.Fetch.PayloadDigest = "sha1:" + strings.Repeat("é", maxText)
	probable := add("/caf%E9?", evaluate.Stale, evaluate.Probable, disallowed)
	probable.Notes = words.NoteOtherCrawler | words.NoteBodyCut
	contested := add("/caf%E9/x", evaluate.Fresh, evaluate.Contested, disallowed)
	contested.Grounds = []evaluate.Ground{{Word: words.NotePermittedCopy, Capture: contester}}
	add("/caf%E9/y", evaluate.Stale, evaluate.Possible, disallowed)
	unknown := add("/later", evaluate.Later, evaluate.NoCertainty, evaluate.Answer{Reason: words.UnresolvedRedirect})
	unknown.Prior, unknown.HasPrior = evaluate.Disallowed, true
	unknown.Refusal = evaluate.RefusedChallenge
	nowhere := add("/x", words.None, evaluate.NoCertainty, evaluate.Answer{Reason: words.NoTime})
	nowhere.Fetch.Origin, nowhere.Fetch.URL = "", "http:/x"
	nowhere.Fetch.Micros, nowhere.Fetch.Precision = 0, facts.PrecisionNone
	nowhere.Fetch.Status, nowhere.Agent, nowhere.AgentSource = -1, "", words.AgentUnknown
	return list
}

// writeAll writes results as evaluate does, and commits them.
func writeAll(t testing.TB, dir string, whatIf bool) (*Writer, *Audit) {
	t.Helper()
	w, totals := fill(t, dir, whatIf)
	s, err := w.Commit(totals)
	if err != nil {
		t.Fatal(err)
	}
	return w, s
}

func testOptions(whatIf bool) (opt evaluate.DecideOptions) {
	if whatIf {
		opt.Agents = []string{"ABot", "BBot"}
	}
	return opt
}

func fill(t testing.TB, dir string, whatIf bool) (*Writer, *evaluate.Totals) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	set := testFacts("a.warc.gz", "b.warc.gz")
	set.Failures = []facts.Failure{{Name: "caf\xe9.warc", Reason: "permission denied"}}
	w, err := NewWriter(dir, set, testOptions(whatIf))
	must(err)
	results := testResults()
	totals := &evaluate.Totals{Origins: 1, RobotsByOutcome: map[string]int64{"rules": 1}}
	totals.First, totals.Last = results[0].Fetch.Time(), results[0].Fetch.Time()
	must(w.Robots(&evaluate.RobotsRecord{
		State: results[0].Governing, Parsed: true, Groups: 2, Rules: 3,
		Notes: []robots.Note{{Line: 7, Kind: robots.NoteMisspelt, Text: "Disalow: /caf\xe9"}},
	}))
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
		must(w.GroupVerdict(&evaluate.GroupVerdict{
			Fetch: r.Fetch, Governing: r.Governing, Evidence: r.Evidence,
			Answer: r.Answer,
		}))
	}
	host, nowhere := evaluate.HostStats{
		Origin: results[0].Fetch.Origin,
		First:  results[0].Fetch.Time(),
	}, evaluate.HostStats{}
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
		Event: &facts.LogEvent{Line: 7, Reason: "-9998", Input: 1, Via: "http://a/\xe9", HopsFromSeed: "L"},
		Result: evaluate.Result{Finding: verdict.Finding{
			Fetch: results[2].Fetch, Agent: "TestBot", AgentSource: words.AgentFromOrigin, Evidence: evaluate.Fresh,
			Answer: results[2].Answer, Governing: results[2].Governing,
		}},
	}))
	totals.Exclusions++
	must(w.Issue(&facts.Issue{
		Input: 1, Offset: 9, Length: -1, Kind: words.IssueBadURL, Detail: "\xfe",
		Action: "kept",
	}))
	return w, totals
}

// The totals of audit.json, the tables and the statistics are one set of numbers.
func TestTotalsAgree(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, true)
	b, err := os.ReadFile(filepath.Join(dir, AuditFile))
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
		f, size := parquettest.Open(t, filepath.Join(dir, name+".parquet"))
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
	if diff := cmp.Diff(want,
		[]float64{*c.DisallowedShareOfKnown, *c.DisallowedShare, *c.DisallowedOrUnknownShare}); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
}

// BenchmarkResult writes fetches that were allowed, and fetches that are violations.
func BenchmarkResult(b *testing.B) {
	for name, kind := range map[string]int{"allowed": 0, "violation": 2} {
		b.Run(name, func(b *testing.B) { benchmarkResult(b, testResults()[kind]) })
	}
}

func benchmarkResult(b *testing.B, r evaluate.Result) {
	w, err := NewWriter(b.TempDir(), testFacts("a.warc.gz", "b.warc.gz"), evaluate.DecideOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abandon()
	fetches := make([]facts.Fetch, 16_384)
	for i := range fetches {
		f := *r.Fetch
		f.URL = fmt.Sprintf("%s/articles/%d/index.html", f.Origin, i*7919)
		f.RecordID = recordid.ID("\x00" + fmt.Sprintf("%016x", i*104729))
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
