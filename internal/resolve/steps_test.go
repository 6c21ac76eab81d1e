package resolve

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/run"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

var may = int64(1_714_564_800_000_000) // 2024-05-01T12:00:00Z

// A rate says when n captures of a robots.txt were made, and how many a search may look at.
type rate struct {
	name string
	at   func(i int) facts.Time
	most int
}

func inSecond(s int) facts.Time {
	return facts.Time{Micros: may + int64(s)*1e6, Precision: facts.PrecisionSecond}
}

var year = facts.Time{Micros: may - may%facts.Day - 121*facts.Day, Precision: facts.PrecisionYear}

var rates = []rate{
	{"every second", inSecond, 20},
	{"at once", func(int) facts.Time { return inSecond(0) }, maxLooks + 8},
	{"beside a year", func(i int) facts.Time {
		if i == 0 {
			return year
		}
		return inSecond(i)
	}, 20},
}

func askedAt(i int, t facts.Time) facts.Capture {
	c := facts.Capture{Fetch: facts.Fetch{
		HostReversed: "test.a", Origin: "http://a.test", URL: "http://a.test/robots.txt", Method: "GET", Status: 301, UserAgent: "TestBot/1.0",
		Location: "/robots.txt", Micros: t.Micros, Precision: t.Precision, Index: int64(i + 1),
	}}
	c.Kind = facts.CaptureRobots
	return c
}

// expectLinear compares the looks at n and at twice as many captures.
func expectLinear(t *testing.T, c rate, looks func(n int) int) {
	t.Helper()
	const n = 4000
	once, twice := looks(n), looks(2*n)
	if growth := float64(twice) / float64(once); growth >= 2.3 || once > 2*n*c.most {
		t.Errorf("%s: %d looks at %d captures, %d at twice as many", c.name, once, n, twice)
	}
}

// randomDates are captures at random moments of a few days, in the order of compareInTime.
func randomDates(rng *rand.Rand) (list []*facts.Capture) {
	for i := range rng.IntN(60) {
		at := facts.Time{Micros: may + rng.Int64N(3*facts.Day), Precision: facts.PrecisionMicrosecond}
		c := askedAt(i, at.Truncate(facts.PrecisionYear+facts.Precision(rng.IntN(int(facts.PrecisionMicrosecond)))))
		list = append(list, &c)
	}
	slices.SortFunc(list, func(a, b *facts.Capture) int { return facts.CompareInTime(&a.Fetch, &b.Fetch) })
	return list
}

// TestLooksOfChasesAreLinear has every capture of a robots.txt look for the next.
func TestLooksOfChasesAreLinear(t *testing.T) {
	for _, c := range rates {
		looks := func(n int) (sum int) {
			g := newOriginCaptures()
			for i := range n {
				one := askedAt(i, c.at(i))
				g.add(&one)
			}
			g.index()
			for _, first := range g.captures {
				res := resolution{CurMicros: first.Micros, CurPrecision: first.Precision, CurIndex: first.Index}
				res.Visited = string(appendVisit(nil, first))
				u, _ := weburl.Parse(first.URL)
				res.seekURL(seekHop, u, res.curTime())
				g.nearest(&res, func(f *facts.Fetch) string { return f.UserAgent })
				sum += res.looked
			}
			return sum
		}
		expectLinear(t, c, looks)
	}
}

func TestByDate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		list := randomDates(rng)
		var d byDate
		for _, c := range list {
			d.add(c)
		}
		from, to := may+rng.Int64N(3*facts.Day), may+rng.Int64N(3*facts.Day)
		isLate := func(c *facts.Capture) bool { return c.Micros > to }
		isEarly := func(c *facts.Capture) bool { return c.Micros < from }
		near := filterCaptures(list, func(c *facts.Capture) bool { return c.Micros >= from-c.Precision.Unit() && !isLate(c) })
		if got := slices.Collect(d.from(from, isLate)); !slices.Equal(got, near) {
			t.Fatalf("from: %d captures, want %d", len(got), len(near))
		}
		near = filterCaptures(list, func(c *facts.Capture) bool { return !isEarly(c) && c.Micros <= to })
		slices.Reverse(near)
		if got := slices.Collect(d.backFrom(to, isEarly)); !slices.Equal(got, near) {
			t.Fatalf("backFrom: %d captures, want %d", len(got), len(near))
		}
	}
}

func filterCaptures(list []*facts.Capture, keep func(*facts.Capture) bool) (kept []*facts.Capture) {
	for _, c := range list {
		if keep(c) {
			kept = append(kept, c)
		}
	}
	return kept
}

// TestBeyond: once enough redirects beyond the fifth were followed, the next end resolutions.
func TestBeyond(t *testing.T) {
	r := &resolver{budget: budget{beyond: 1}}
	for i := range 3 {
		c := askedAt(i, inSecond(i))
		res := resolution{State: NewState(&c), CurURL: c.URL, CurMicros: c.Micros, CurPrecision: c.Precision}
		res.Hops = maxHops
		r.hop(&res, "http://b.example/robots.txt")
		if goesOn := res.Want == seekHop; goesOn != (i == 0) {
			t.Errorf("resolution %d goes on: %v", i, goesOn)
		}
		if i > 0 && (res.Outcome != OutcomeUnavailable || res.Reason != TooManyRedirects) {
			t.Errorf("resolution %d came to %v %v", i, res.Outcome, res.Reason)
		}
	}
	dir := t.TempDir()
	all := &resolvers{shared: &shared{issues: run.NewWriter(dir, facts.IssueRuns)}}
	for range 2 {
		all.settle(new(budget), &r.budget)
	}
	if err := all.noteCutOff(); err != nil {
		t.Fatal(err)
	}
	if all.cutOffs != 4 {
		t.Errorf("%d captures are not followed", all.cutOffs)
	}
	names, err := all.issues.Close()
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	for i, err := range run.Merge(t.Context(), []string{filepath.Join(dir, names[0])}, facts.IssueRuns, run.MergeOptions[facts.Issue]{}) {
		if err != nil || i.Kind != facts.IssueLimitReached || i.RecordID != "" || i.Action != TooManyRedirects.String() {
			t.Error(i, err)
		}
	}
}
