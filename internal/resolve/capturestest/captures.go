// Package capturestest makes many captures of a robots.txt, and counts how many of them a
// search looks at, for tests.
package capturestest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// origin is that of all captures.
const origin = "http://a.test"

// Noon is when captures begin: 2024-05-01T12:00:00Z.
const Noon = int64(1_714_564_800_000_000)

// Second is the moment so many seconds after noon.
func Second(s int) facts.Time {
	return facts.Time{Micros: Noon + int64(s)*1e6, Precision: facts.PrecisionSecond}
}

// A Rate defines when n captures were made.
type Rate struct {
	Name string
	At   func(i int) facts.Time
	most int // a search looks at so many on average
}

// Rates are those at which a search could look at too many. At one moment it looks at limit.
func Rates(limit int) []Rate {
	return []Rate{
		{"every second", Second, 20},
		{"at once", func(int) facts.Time { return Second(0) }, limit + 8},
		{"beside a year", func(i int) facts.Time {
			if i == 0 {
				return facts.Time{Micros: Noon - Noon%facts.Day - 121*facts.Day, Precision: facts.PrecisionYear}
			}
			return Second(i)
		}, 20},
	}
}

// Capture is the i-th capture, a redirect of robots.txt to itself.
func Capture(i int, t facts.Time) facts.Capture {
	c := facts.Capture{Fetch: facts.Fetch{
		HostReversed: "test.a", Origin: origin, URL: origin + "/robots.txt", Method: "GET", Status: 301,
		UserAgent: "TestBot/1.0",
		Location:  "/robots.txt", Micros: t.Micros, Precision: t.Precision, Index: int64(i + 1),
	}}
	c.Kind = facts.CaptureRobots
	return c
}

// Random are captures at random moments of three days, in the order of facts.CompareInTime.
func Random(rng *rand.Rand) (list []*facts.Capture) {
	for i := range rng.IntN(60) {
		at := facts.Time{Micros: Noon + rng.Int64N(3*facts.Day), Precision: facts.PrecisionMicrosecond}
		c := Capture(i, at.Truncate(facts.PrecisionYear+facts.Precision(rng.IntN(int(facts.PrecisionMicrosecond)))))
		list = append(list, &c)
	}
	slices.SortFunc(list, func(a, b *facts.Capture) int { return facts.CompareInTime(&a.Fetch, &b.Fetch) })
	return list
}

// ExpectLinear compares the looks at n captures and at twice as many.
func (r *Rate) ExpectLinear(t *testing.T, looks func(n int) int) {
	t.Helper()
	const n = 2000
	once, twice := looks(n), looks(2*n)
	if growth := float64(twice) / float64(once); growth >= 2.3 || once > 2*n*r.most {
		t.Errorf("%s: %d looks at %d captures, %d at twice as many", r.Name, once, n, twice)
	}
}
