package evaluate

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// corpora are the folders of archives that are there.
func corpora(t *testing.T) (list []string) {
	t.Helper()
	for _, dir := range []string{"../testdata/warc", "../../shared/warc/real"} {
		if _, err := os.Stat(dir); err == nil {
			list = append(list, dir)
		}
	}
	return list
}

// factsOf reads all archives in a folder.
func factsOf(t *testing.T, dir string) *Facts {
	t.Helper()
	out := t.TempDir()
	ingestFiles(t, out, []string{dir})
	return openFacts(t, out)
}

// askAll is what results depend on most.
func askAll(t *testing.T) DecideOptions {
	t.Helper()
	return DecideOptions{
		Profile: robots.RFC9309, Agents: []string{"GPTBot", "CCBot"}, Uses: []tag.Use{tag.UseArchive, tag.UseTrain},
		Policies:   PoliciesNamed,
		CrawlerMap: CrawlerMap{{Pattern: "*bot*", Token: "Bot"}, {Pattern: "no such agent", Token: "None"}},
	}
}

// TestRanges: the results of any number of ranges, each decided by itself and all at
// the same time, put together in order, equal the results of one.
func TestRanges(t *testing.T) {
	t.Parallel()
	dirs, counts := corpora(t), []int{1, 3, 128}
	if !longtest.Run() { // all takes minutes under the race detector
		dirs, counts = dirs[:1], counts[1:2]
	}
	for _, dir := range dirs {
		set := factsOf(t, dir)
		want := plainRecorder{newRecorder()}
		total := runInto(t, set, askAll(t), want)
		if total.Fetches == 0 || len(total.IdleRules) != 1 {
			t.Fatal(total)
		}
		for _, n := range counts {
			var cuts []Cut
			for i := range n + 1 {
				cuts = append(cuts, facts.BeforeBucket(i*Buckets/n))
			}
			got, sum := decideRanges(t, set, askAll(t), cuts)
			if !slices.Equal(got, want.calls) {
				t.Errorf("%s: %d ranges: %s", dir, n, firstDifference(got, want.calls))
			}
			sum.agents, sum.issues, sum.used = total.agents, total.issues, total.used
			if !reflect.DeepEqual(sum, total) {
				t.Errorf("%s: %d ranges: totals\n%+v\nwant\n%+v", dir, n, sum, total)
			}
		}
	}
}

// plainRecorder notes verdicts on records without an ID, too, and what is said of their use.
type plainRecorder struct{ *recorder }

func (s plainRecorder) Result(r *Result) error {
	if err := s.note("%s", pageText(r)); err != nil {
		return err
	}
	return s.recorder.Result(r)
}

func (s plainRecorder) GroupVerdict(v *GroupVerdict) error {
	return s.note("group %s %d:%d %d %v %v %v %v", v.Fetch.URL, v.Fetch.Input, v.Fetch.Offset, v.Group, v.Evidence,
		v.Verdict, v.Reason, v.Notes.Strings())
}

// rangeRecorder leaves a place for the counts of each host.
type rangeRecorder struct {
	plainRecorder
	hosts []HostStats
}

const hostPlace = "host"

func (s *rangeRecorder) Host(h *HostStats) error {
	s.hosts = append(s.hosts, *h)
	return s.note(hostPlace)
}

// decideRanges decides the ranges between cuts and returns what the sinks received, put together.
func decideRanges(t *testing.T, set *Facts, opt DecideOptions, cuts []Cut) ([]string, *Totals) {
	t.Helper()
	n := len(cuts) - 1
	r, err := Resolve(t.Context(), set, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	parts, totals := make([]*rangeRecorder, n), make([]*Totals, n)
	var done sync.WaitGroup
	for i := range n {
		parts[i] = &rangeRecorder{plainRecorder: plainRecorder{newRecorder()}}
		done.Go(func() {
			var err error
			if totals[i], err = r.Decide(t.Context(), cuts[i], cuts[i+1], parts[i]); err != nil {
				t.Error(err)
			}
		})
	}
	if done.Wait(); t.Failed() {
		t.FailNow()
	}
	end := newRecorder()
	sum, err := r.Finish(t.Context(), end, totals...)
	if err != nil {
		t.Fatal(err)
	}
	told := make(map[string]bool) // of token groups
	whole := newRecorder()
	var shared HostStats
	for _, part := range append(parts, &rangeRecorder{plainRecorder: plainRecorder{end}}) {
		for _, line := range part.calls {
			if line == hostPlace {
				h := part.hosts[0]
				part.hosts = part.hosts[1:]
				if h.Begun {
					shared.Join(&h)
				} else {
					shared = h
				}
				if !h.Unfinished {
					whole.Host(&shared)
				}
				continue
			}
			isGroup := strings.HasPrefix(line, "agent of ")
			if !isGroup || !told[line] {
				whole.calls = append(whole.calls, line)
			}
			told[line] = told[line] || isGroup
		}
	}
	return whole.calls, sum
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("line %d is %q, want %q", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(got), len(want))
}

// TestOriginApart: a fetch decided apart is decided as in the audit.
func TestOriginApart(t *testing.T) {
	t.Parallel()
	set := factsOf(t, "../testdata/warc")
	opt := askAll(t)
	audit, totals := evaluateFacts(t, set, opt)
	r, err := Resolve(t.Context(), set, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	origins := make(map[string]bool)
	for _, line := range audit.calls {
		if rest, ok := strings.CutPrefix(line, "host "); ok {
			name, _, _ := strings.Cut(rest, " ")
			origins[name] = true
		}
	}
	var want []string
	for _, line := range audit.calls {
		if strings.HasPrefix(line, "result ") {
			want = append(want, line)
		}
	}
	apart, captures := newRecorder(), 0
	for _, name := range slices.Sorted(maps.Keys(origins)) {
		o, err := r.Origin(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for range o.Captures() {
			captures++
		}
		for f, err := range o.Fetches(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			result, err := o.Decide(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := apart.Result(result); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := apart.calls
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || int64(captures) != totals.Captures+totals.LogEvidence {
		t.Error(firstDifference(got, want))
	}
}

// TestAgentTable: tables of any parts of the fetches add up to that of all, where there are
// more tokens than are counted apart.
func TestAgentTable(t *testing.T) {
	t.Parallel()
	count := func(table *AgentTable, i int) {
		token := fmt.Sprintf("Bot%d", i*i%97)
		a := table.of(token, crawler.Key(token))
		a.Fetches++
		a.claim(fmt.Sprint("claim ", i%(2*maxClaims)))
	}
	text := func(table *AgentTable) (list []string) {
		for _, a := range table.Sorted() {
			list = append(list, fmt.Sprint(a.Agent, a.Fetches, slices.Sorted(maps.Keys(a.Claims))))
		}
		return list
	}
	const fetches = 2000
	all := AgentTable{limit: 7}
	for i := range fetches {
		count(&all, i)
	}
	for _, n := range []int{2, 10, 100} {
		sum := AgentTable{limit: 7}
		for part := range n {
			table := AgentTable{limit: 7}
			for i := part; i < fetches; i += n {
				count(&table, i)
			}
			sum.add(&table)
		}
		if got, want := text(&sum), text(&all); !slices.Equal(got, want) || len(got) != 8 {
			t.Errorf("%d parts:\n%q\nwant\n%q", n, got, want)
		}
	}
	fetched := int64(0)
	for _, a := range all.Sorted() {
		fetched += a.Fetches
	}
	if fetched != fetches {
		t.Errorf("%d fetches", fetched)
	}
}

// TestCountsSum adds all fields.
func TestCountsSum(t *testing.T) {
	one := func(n int64) (c Counts) {
		v := reflect.ValueOf(&c).Elem()
		for i := range v.NumField() {
			v.Field(i).SetInt(n)
		}
		return c
	}
	c := one(2)
	if c.Sum(new(one(3))); c != one(5) {
		t.Errorf("%+v", c)
	}
}

// What robots.txt allowed and the server refused is counted, and apart from it what it asked a payment for (402).
func TestRefusedCounts(t *testing.T) {
	var c Counts
	for _, r := range []Countable{
		{Verdict: Allowed, Refusal: RefusedAuth},
		{Verdict: Allowed, Refusal: RefusedPayment},
		{Verdict: Allowed, Refusal: RefusedPayment},
		{Verdict: Disallowed, Refusal: RefusedPayment},
		{Verdict: Allowed, Reason: words.RobotsTxtItself, Refusal: RefusedPayment},
		{Verdict: Allowed},
	} {
		c.AddCountable(&r)
	}
	if c.Refused != 5 || c.RefusedAllowed != 1 || c.RefusedPayment != 2 {
		t.Errorf("%d refused, %d allowed, %d for payment", c.Refused, c.RefusedAllowed, c.RefusedPayment)
	}
}
