package report

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestSummary(t *testing.T) {
	_, s := writeAll(t, t.TempDir(), true)
	s.Audit.Version = "v1.2.3"
	for golden, full := range map[string]bool{"testdata/summary.txt": false, "testdata/summary-full.txt": true} {
		got := printed(t, s, full)
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
	if n := s.Audit.Totals; n.InputsNotWhollyRead != 1 || n.Violations != 2 {
		t.Errorf("%d inputs not wholly read, %d violations", n.InputsNotWhollyRead, n.Violations)
	}
}

// Colours add nothing else, and mark the answer.
func TestColours(t *testing.T) {
	for violations, want := range map[int64]colour{0: green, 3: red} {
		s := &Summary{Audit: &Audit{}}
		s.Audit.Totals.Violations, s.Audit.Totals.InputsNotWhollyRead = violations, 1
		var b strings.Builder
		if err := s.WriteText(&b, TextOptions{Colours: true}); err != nil {
			t.Fatal(err)
		}
		for _, start := range []string{string(want) + "Violations of", string(yellow) + "Not wholly read"} {
			if !strings.Contains(b.String(), "\n"+start) {
				t.Errorf("%d violations: no line begins with %q:\n%q", violations, start, b.String())
			}
		}
		bare := strings.NewReplacer(string(red), "", string(green), "", string(yellow), "", reset,
			"").Replace(b.String())
		if bare != printed(t, s, false) {
			t.Errorf("with colours:\n%s", b.String())
		}
	}
}

// printed is a summary as the terminal gets it, which fits.
func printed(t *testing.T, s *Summary, full bool) string {
	t.Helper()
	var b strings.Builder
	for _, width := range []int{48, pageWidth} {
		b.Reset()
		if err := s.WriteText(&b, TextOptions{Full: full, Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := cellsOf(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
	}
	return b.String()
}

// summaryOf is the summary of the counts, for an audit without inputs.
func summaryOf(c *tally, settings Settings, totals *evaluate.Totals) *Summary {
	return c.summary(newAudit(testFacts(), settings, totals, c))
}

// An audit of nothing has a summary too.
func TestSummaryOfNothing(t *testing.T) {
	s := summaryOf(newTally(), Settings{Profile: "rfc9309"}, &evaluate.Totals{})
	got := printed(t, s, true)
	for _, want := range []string{
		"Audited 0 archives (0 B): 0 fetches on 0 origins",
		"Disallowed: 0 of the 0 fetches that robots.txt could decide.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// Where little can be proven the summary says why, and what would help.
func TestSummaryTellsCauses(t *testing.T) {
	page := func(agent string, v evaluate.Verdict, reason evaluate.Reason) evaluate.Result {
		f := testFetch("http://a", "/")
		r := evaluate.Result{Fetch: &f, Agent: agent, Answer: evaluate.Answer{Verdict: v, Reason: reason}}
		if v == evaluate.Disallowed {
			r.Certainty, r.Governing = evaluate.Possible, testState(1, "http://a", words.OutcomeUnreachable)
		}
		return r
	}
	file := page("", evaluate.Allowed, words.RobotsTxtItself)
	missing, told := page("A", evaluate.Unknown, words.NoCapture), page("A", evaluate.Allowed, words.NoMatchingRule)
	nameless, named := page("", evaluate.Disallowed, words.Unreachable), page("A", evaluate.Disallowed,
		words.Unreachable)
	const captures, token = "Common Crawl keeps it in its robotstxt", "--crawler TOKEN"
	for name, test := range map[string]struct {
		results []evaluate.Result
		want    []string
		not     []string
		indexed int64
	}{
		"no capture":  {[]evaluate.Result{missing, missing, file, file}, []string{captures}, []string{token}, 0},
		"nearly none": {append(many(missing, 9), told), []string{captures}, []string{token}, 0},
		"some":        {append(many(missing, 8), told, told), nil, []string{captures, token}, 0},
		"nameless": {
			[]evaluate.Result{nameless, nameless, named},
			[]string{token, " 2 fetches name no crawler (no User-Agent, or a browser's), "},
			[]string{captures, "captures of robots.txt and"},
			0,
		},
		"of an index": {
			[]evaluate.Result{nameless, nameless},
			[]string{token, " 2 fetches name no crawler (no User-Agent, or a browser's, or an index that names none), "},
			nil, 2,
		},
		"mostly named":   {[]evaluate.Result{nameless, named, named}, nil, []string{captures, token}, 0},
		"robots.txt too": {append(many(file, 9), named), nil, []string{captures, token}, 0},
	} {
		counted, totals := newTally(), new(evaluate.Totals)
		for i := range test.results {
			counted.addResult(&test.results[i])
			totals.Add(&test.results[i])
		}
		s := summaryOf(counted, Settings{Profile: "rfc9309"}, totals)
		s.Audit.Totals.Indexed = test.indexed
		text := strings.Join(strings.Fields(printed(t, s, false)), " ")
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

func many(r evaluate.Result, n int) []evaluate.Result { return slices.Repeat([]evaluate.Result{r}, n) }

// Optional parts are reported in short: settings, restrictions, delays, and what is allowed by the letter
// alone.
func TestSummaryTellsWhatWasAsked(t *testing.T) {
	counted, totals := newTally(), new(evaluate.Totals)
	f := testFetch("http://a", "/|")
	r := evaluate.Result{
		Fetch: &f, Agent: "A", TooSoon: new(evaluate.TooSoon), Page: new(evaluate.Page),
		Answer: evaluate.Answer{
			Verdict: evaluate.Allowed, Reason: words.NoMatchingRule,
			Notes: words.NoteUnsafeEncoding,
		},
	}
	r.Restrictions = []evaluate.Restriction{
		{Kind: evaluate.RestrictsUsage, Purpose: tag.UseTrain},
		{Kind: evaluate.RestrictsPublication, Purpose: tag.UseIndex},
	}
	for range 2 {
		counted.addResult(&r)
		totals.Add(&r)
	}
	s := summaryOf(counted, Settings{
		Profile: "google", Crawler: "A", CrawlerMap: []string{"x => y"}, AsOf: evaluate.AsOfMoment(time.Unix(0, 0)),
		Purposes: []string{"index", "train"}, Rate: true,
	}, totals)
	text := strings.Join(strings.Fields(printed(t, s, false)), " ")
	for _, want := range []string{
		"profile google, crawler A (--crawler), crawlers by --crawler-map, other crawlers and restrictions as of " +
			"1970-01-01T00:00:00Z.",
		"2 restrictions on use, 2 on publication (table restrictions). They are no violations.",
		"2 fetches (table crawl_delays). They are no violations.",
		"allowed 2 robots.txt did not forbid them; 2 by the letter alone",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

// The words for statements of pages, with one fetch of each kind.
func TestSummaryOfPages(t *testing.T) {
	counted, totals := newTally(), new(evaluate.Totals)
	f := testFetch("http://a", "/")
	noarchive := tag.Tag{Source: tag.SourceXRobotsTag, Rule: tag.RuleNoarchive}
	trainAI := tag.Signal{Source: tag.SourceHeader, Purpose: tag.PurposeTrainAI, Preference: tag.PreferenceRestrict}
	r := evaluate.Result{Fetch: &f, Agent: "A", Page: &evaluate.Page{
		Own: tag.Effective([]tag.Tag{noarchive}, "a"), Signals: []evaluate.Signal{{Signal: trainAI}},
	}}
	r.Restrictions = []evaluate.Restriction{{Kind: evaluate.RestrictsUsage, Purpose: tag.UseTrain}}
	counted.addResult(&r)
	totals.Add(&r)
	s := summaryOf(counted, Settings{Purposes: []string{"train"}}, totals)
	text := strings.Join(strings.Fields(printed(t, s, true)), " ")
	for _, want := range []string{
		"noarchive 1 no public copy", "train-ai 1 training AI restricted; allowed for 0",
		"publication usage train 0 1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

// A summary is plain data: read back from JSON it is shown the same.
func TestSummaryIsPlainData(t *testing.T) {
	_, s := auditArchives(t, 1)
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again Summary
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(printed(t, s, true), printed(t, &again, true)); diff != "" {
		t.Errorf("(-counted +read back):\n%s", diff)
	}
}

// No line is wider than the page, and no word is lost.
func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one two three four", []string{"one two three", "four"}},
		{"aaaaaaaaaaaaaaaaaaaaaaaaa b", []string{"aaaaaaaaaaaaa", "aaaaaaaaaaaa", "b"}},
		{"漢字漢字漢字漢字", []string{"漢字漢字漢字", "漢字"}},
	} {
		if diff := cmp.Diff(test.want, wrap(test.text, 13)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
	if got := fit("漢字漢字", 6); got != "漢字…" {
		t.Errorf("fit: %q", got)
	}
}

// Nothing from an archive reaches the terminal as control characters, and no line
// or list grows with it.
func TestSummaryIsSafe(t *testing.T) {
	counted := newTally()
	const evil = "\x1b]0;title\x07\u202e\u0085\xff\r\n\t\\\""
	long := strings.Repeat(evil, 100)
	r := testResults()[2] // certain
	for i := range 3 * maxNames {
		f := *r.Fetch
		f.Claim = fmt.Sprint(i, long)
		f.Origin = fmt.Sprint("http://", i, long)
		v := r
		v.Fetch = &f
		rule := *r.Rule
		rule.Text = fmt.Sprint("Disallow: /", i, long)
		v.Rule = &rule
		counted.addResult(&v)
		counted.WhatIf.Join(TokenGroup{int64(i + 1), 0}, f.Claim)
		counted.WhatIf.Add(TokenGroup{int64(i + 1), 0}, "disallowed")
		counted.addHost(&evaluate.HostStats{
			Origin: f.Origin,
			Counts: evaluate.Counts{Fetches: 1, ViolationsCertain: 1},
		})
		counted.addAgent(&evaluate.AgentStats{Agent: f.Claim, Counts: evaluate.Counts{Fetches: 1}})
		counted.addIssue(&IssueRow{WARCFilename: f.Claim, Detail: long}, words.IssueUnreadable)
	}
	s := summaryOf(counted, Settings{}, &evaluate.Totals{})
	got := printed(t, s, true)
	if n := strings.Count(got, "\n"); n > 200 {
		t.Errorf("%d lines", n)
	}
	if n := strings.Count(printed(t, s, false), "\n"); n > 60 {
		t.Errorf("%d lines in short", n)
	}
	for _, c := range strings.ReplaceAll(got, "\n", "") {
		if !unicode.IsPrint(c) {
			t.Fatalf("%q in\n%s", c, got)
		}
	}
	if len(s.Claims) > maxNames+1 {
		t.Errorf("%d claims are held", len(s.Claims))
	}
	var fetches int64
	for _, c := range s.Claims {
		fetches += c.Fetches
	}
	if fetches != 3*maxNames || counted.unreadCount != 3*maxNames || len(s.Unread) > topNames ||
		len(counted.WhatIf.groups) > 0 {
		t.Errorf("%d fetches, %d inputs not read, %d of them held, %d token groups held", fetches, counted.unreadCount,
			len(s.Unread), len(counted.WhatIf.groups))
	}
	if !strings.Contains(got, "  and 3,062 more\n") {
		t.Errorf("what is not shown is not counted:\n%s", got)
	}
}

// The order in which rows come makes no difference to a ranking: ties go by name.
func TestRank(t *testing.T) {
	var rows []Numbers
	for i := range 12 {
		rows = append(rows, Numbers{Name: fmt.Sprint(i % 3), Origin: fmt.Sprint(i / 3), N: []int64{int64(i / 3)}})
	}
	want := slices.Concat(rows[9:12], rows[6:8])
	for seed := range uint64(50) {
		shuffled := slices.Clone(rows)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(rows),
			func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		var got []Numbers
		for _, r := range shuffled {
			got = rankNumbers(got, r)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
	if list := rankNumbers(nil, Numbers{Name: "none", N: []int64{0}}); list != nil {
		t.Errorf("a count of 0 is ranked: %v", list)
	}
}

// Of tokens that differ as much from what most have, the best known come first.
func TestWhatIfRanking(t *testing.T) {
	w := NewWhatIf()
	for token, c := range map[string]VerdictCounts{
		"AlphaBot": {1, 5, 0}, "BetaBot": {1, 5, 0}, "GPTBot": {1, 5, 0}, "ZetaBot": {1, 5, 0},
		"DeltaBot": {1, 4, 1}, "CCBot": {1, 4, 1}, "EpsilonBot": {1, 0, 5},
	} {
		w.Agents[token] = AgentAccess{VerdictCounts: c}
	}
	var order []string
	for _, a := range w.Ranking() {
		order = append(order, a.Agent)
	}
	want := []string{"EpsilonBot", "CCBot", "DeltaBot", "GPTBot", "AlphaBot", "BetaBot", "ZetaBot"}
	if !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// What-if verdicts are shared out to the tokens of their token groups, origin by origin.
func TestWhatIfCounts(t *testing.T) {
	w := NewWhatIf()
	tell := func(id int64, group int, tokens ...string) {
		for _, token := range tokens {
			w.Join(TokenGroup{id, group}, token)
		}
	}
	tell(0, 0, "A", "B", "C")
	w.Add(TokenGroup{0, 0}, "unknown")
	tell(1, 0, "A")
	tell(1, 1, "B", "C")
	w.Add(TokenGroup{1, 0}, "allowed")
	w.Add(TokenGroup{1, 1}, "disallowed")
	w.EndOrigin()
	tell(2, 3, "A", "B", "C") // the next origin; robots_id 0 is not reported again
	w.Add(TokenGroup{2, 3}, "disallowed")
	w.Add(TokenGroup{0, 0}, "unknown")
	w.Add(TokenGroup{1, 0}, "allowed") // never reported here: of another origin
	w.EndOrigin()
	want := []AgentVerdicts{ // what B and C have is what most have
		{"A", AgentAccess{VerdictCounts{Unknown: 2, Allowed: 1, Disallowed: 1}, [accesses]int64{AccessUnknown: 2}}},
		{"B", AgentAccess{VerdictCounts{Unknown: 2, Disallowed: 2}, [accesses]int64{AccessUnknown: 2}}},
		{"C", AgentAccess{VerdictCounts{Unknown: 2, Disallowed: 2}, [accesses]int64{AccessUnknown: 2}}},
	}
	if diff := cmp.Diff(want, w.Ranking()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(w.groups) != 1 {
		t.Errorf("%d token groups are held between origins, want that of robots_id 0", len(w.groups))
	}
}

func TestAccess(t *testing.T) {
	for v, want := range map[VerdictCounts]Access{
		{1, 0, 0}: AccessFull, {0, 1, 0}: AccessNone, {1, 1, 0}: AccessPartial, {1, 1, 1}: AccessPartial,
		{1, 0, 1}: AccessUnknown, {0, 1, 1}: AccessUnknown, {0, 0, 1}: AccessUnknown,
	} {
		if got := accessBy(&v); got != want {
			t.Errorf("%+v: %d", v, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1: "-1",
		-999: "-999", -1000: "-1,000",
	} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.00 kB", 6_180_000: "6.18 MB",
		3e12: "3.00 TB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 fetches", 1: "1 fetch", 2000: "2,000 fetches"} {
		if got := Count(n, "fetch"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
	for share, want := range map[float64]string{
		0: " (0.0 %)", 1e-9: " (< 0.1 %)", 0.0704: " (7.0 %)",
		0.9999: " (> 99.9 %)", 1: " (100.0 %)",
	} {
		if got := percent(&share); got != want {
			t.Errorf("percent(%g) = %q, want %q", share, got, want)
		}
	}
	if percent(nil) != "" {
		t.Error("a share of nothing")
	}
}
