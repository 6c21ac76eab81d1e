package resolve

import (
	"iter"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/resolve/capturestest"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// TestLooksOfChasesAreLinear has every capture of a robots.txt look for the next.
func TestLooksOfChasesAreLinear(t *testing.T) {
	for _, c := range capturestest.Rates(maxLooks) {
		looks := func(n int) (sum int) {
			g := newOriginCaptures(facts.Unread{})
			for i := range n {
				one := capturestest.Capture(i, c.At(i))
				if err := g.hold(&one, nil); err != nil {
					t.Fatal(err)
				}
			}
			g.index(new(reports))
			for _, first := range g.whole {
				res := resolution{
					State: State{Capture: *first}, CurTime: first.Time(), CurSpot: facts.Spot{Index: first.Index},
				}
				u, _ := weburl.Parse(first.URL)
				res.seekURL(seekHop, u, res.CurTime)
				g.nearest(&res, func(f *facts.Fetch) string { return f.UserAgent })
				sum += res.looked
			}
			return sum
		}
		c.ExpectLinear(t, looks)
	}
}

func TestByDate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		list := capturestest.Random(rng)
		h := newHeld()
		h.limit = rng.IntN(10)
		var d byDate
		for _, c := range list {
			d.add(h, h.add(c))
			h.rest()
		}
		from, to := capturestest.Noon+rng.Int64N(3*facts.Day), capturestest.Noon+rng.Int64N(3*facts.Day)
		isLate := func(c *facts.Capture) bool { return c.Micros > to }
		isEarly := func(c *facts.Capture) bool { return c.Micros < from }
		near := filterCaptures(list,
			func(c *facts.Capture) bool { return c.Micros >= from-c.Precision.Unit() && !isLate(c) })
		if got := spots(d.from(from, isLate)); !slices.Equal(got, spots(slices.Values(near))) {
			t.Fatalf("from: %d captures, want %d", len(got), len(near))
		}
		near = filterCaptures(list, func(c *facts.Capture) bool { return !isEarly(c) && c.Micros <= to })
		slices.Reverse(near)
		if got := spots(d.backFrom(to, isEarly)); !slices.Equal(got, spots(slices.Values(near))) {
			t.Fatalf("backFrom: %d captures, want %d", len(got), len(near))
		}
	}
}

func spots(captures iter.Seq[*facts.Capture]) (list []facts.Spot) {
	for c := range captures {
		list = append(list, facts.SpotOf(&c.Fetch))
	}
	return list
}

func filterCaptures(list []*facts.Capture, keep func(*facts.Capture) bool) (kept []*facts.Capture) {
	for _, c := range list {
		if keep(c) {
			kept = append(kept, c)
		}
	}
	return kept
}

// TestWithout: what answers like a target is left out in few steps, and nothing else is.
func TestWithout(t *testing.T) {
	const n = 10_000
	h := newHeld()
	var d byDate
	var other []*facts.Capture
	for i := range n {
		c := capturestest.Capture(i, capturestest.Second(i))
		c.Status, c.Location = http.StatusFound, "/a"
		if i%1000 == 999 {
			c.Location = "/b"
			other = append(other, &c)
		}
		d.add(h, h.add(&c))
	}
	isCovered := func(c *facts.Capture) bool { return c.Location == "/a" }
	got := slices.Collect(d.merge(onward, capturestest.Noon, isCovered, never))
	if len(got) > 2*len(other)+1 {
		t.Errorf("%d captures are looked at, of which %d differ", len(got), len(other))
	}
	if rest := filterCaptures(got, func(c *facts.Capture) bool { return !isCovered(c) }); !slices.Equal(rest, other) {
		t.Errorf("%d captures differ, want %d", len(rest), len(other))
	}
}

// TestBeyond: once enough redirects beyond the fifth were followed, the next end resolutions.
func TestBeyond(t *testing.T) {
	r := &resolver{budget: budget{beyond: 1}}
	for i := range 3 {
		c := capturestest.Capture(i, capturestest.Second(i))
		res := resolution{State: NewState(&c), CurURL: c.URL, CurTime: c.Time()}
		res.Hops = maxHops
		r.hop(&res, "http://b.example/robots.txt")
		if goesOn := res.Want == seekHop; goesOn != (i == 0) {
			t.Errorf("resolution %d goes on: %v", i, goesOn)
		}
		if i > 0 && (res.Outcome != words.OutcomeUnavailable || res.Reason != words.TooManyRedirects) {
			t.Errorf("resolution %d came to %v %v", i, res.Outcome, res.Reason)
		}
	}
	dir := t.TempDir()
	all := &resolvers{shared: &shared{issues: run.NewSorter(dir, facts.IssueRuns)}}
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
	for i, err := range run.Merge(t.Context(), []string{filepath.Join(dir, names[0])}, facts.IssueRuns,
		run.MergeOptions[facts.Issue]{}) {
		if err != nil || i.Kind != words.IssueLimitReached || i.RecordID != "" ||
			i.Action != words.TooManyRedirects.String() {
			t.Error(i, err)
		}
	}
}

// TestReturns: a redirect to a URL that a resolution came by is a loop, however it is written.
func TestReturns(t *testing.T) {
	for _, test := range []struct {
		hops string
		want bool
	}{
		{"http://b.test/r", false},
		{"http://a.test/robots.txt", true},
		{"http://b.test/r\nhttp://a.test:80/robots.txt#x", true},
		{"http://b.test/r\nhttp://c.test/r\nhttp://b.test/r", true},
		{"http://b.test/r\nhttp://c.test/r\nhttp://b.test/R", false},
	} {
		res := resolution{State: State{
			Capture: facts.Capture{Fetch: facts.Fetch{URL: "http://a.test/robots.txt"}},
			HopURLs: test.hops,
		}}
		if got := res.returns(); got != test.want {
			t.Errorf("%q: %v", test.hops, got)
		}
	}
}

// TestSteps: steps are read as they were noted. For a record listed in an index, the offset is
// one in another archive.
func TestSteps(t *testing.T) {
	c := capturestest.Capture(1, capturestest.Second(1))
	c.Offset, c.Run, c.Millis, c.Entry, c.UserAgent = 1234, 7, 4000, `archive/"a:1".warc.gz`, `Test"Bot/1.0`
	told := c
	told.Archive = "far.warc.gz"
	s := NewState(&c)
	s.addStep(StepHop, &c.Fetch)
	s.addStep(StepRival, &told.Fetch)
	want := []Step{
		{StepHop, facts.SpotOf(&c.Fetch), 1234, c.Time(), c.Millis, c.UserAgent},
		{StepRival, facts.SpotOf(&c.Fetch), -1, c.Time(), c.Millis, c.UserAgent},
	}
	if got := s.Steps(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
