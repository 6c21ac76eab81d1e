package evaluate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
)

var may = noon.UnixMicro()

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
	{"at once", func(int) facts.Time { return inSecond(0) }, maxLooked + 8},
	{"beside a year", func(i int) facts.Time {
		if i == 0 {
			return year
		}
		return inSecond(i)
	}, 20},
}

func askedAt(i int, t facts.Time) facts.Capture {
	c := facts.Capture{Fetch: facts.Fetch{
		HostReversed: "test.a", Origin: home, URL: home + "/robots.txt", Method: "GET", Status: 301, UserAgent: "TestBot/1.0",
		Location: "/robots.txt", Micros: t.Micros, Precision: t.Precision, Index: int64(i + 1),
	}}
	c.Kind = facts.CaptureRobots
	return c
}

// TestLooksOfFetchesAreLinear has a fetch beside every capture, and one two days later.
func TestLooksOfFetchesAreLinear(t *testing.T) {
	for _, c := range rates {
		looks := func(n int) (sum int) {
			var states []*State
			for i := range n {
				capture := askedAt(i, c.at(i))
				st := &State{State: resolve.NewState(&capture)}
				st.Outcome = OutcomeRules
				states = append(states, st)
			}
			tl := newTimeline(states, nil)
			for i := range n {
				for _, later := range [...]int64{0, 2 * facts.Day} {
					f := askedAt(i, c.at(i)).Fetch
					s := subject{Fetch: &f, time: facts.Time{Micros: f.Micros + later, Precision: f.Precision}}
					v := tl.view(&s)
					tl.others(&s, &v)
					for range tl.copies(s.time) {
						if !s.look() {
							break
						}
					}
					sum += s.looked
				}
			}
			return sum
		}
		expectLinear(t, c, looks)
	}
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

// TestSpan finds all captures that a comparison of their dates finds.
func TestSpan(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var states []*State
		for _, c := range randomDates(rng) {
			states = append(states, &State{State: resolve.NewState(c)})
		}
		l := newTimeline(states, nil).all
		start := inSecond(int(rng.Int64N(3 * facts.Day / 1e6))).Truncate(facts.PrecisionYear + facts.Precision(rng.IntN(6)))
		end := facts.Time{Micros: start.Micros + rng.Int64N(facts.Day), Precision: start.Precision}
		found := make(map[*State]bool)
		for p := l.between(start, end); ; {
			st := p.take()
			if st == nil {
				break
			}
			found[st] = true
		}
		for _, st := range l.states {
			if st.Time().MicrosSince(start) >= 0 && end.MicrosSince(st.Time()) >= 0 && !found[st] {
				t.Fatalf("%v is not between %v and %v", st.Time(), start, end)
			}
		}
	}
}

// TestCrowd: where more captures of one moment refer to each other than a step looks at,
// nobody knows which; an issue says so once.
func TestCrowd(t *testing.T) {
	crowd := func(n int) archive {
		var a archive
		for i := range n {
			r := redirect(home+"/robots.txt", "+0h", "/robots.txt")
			r.id = fmt.Sprint(i)
			a = append(a, r)
		}
		return a
	}
	few := crowd(maxLooked / 2)
	few[0].state = "unavailable too_many_redirects hops=21 final=302"
	if s, _ := check(t, Options{}, few); len(s.issues) != 0 {
		t.Errorf("%d issues: %v", len(s.issues), s.issues[0])
	}
	many := crowd(2 * maxLooked)
	many[0].state = "unresolved unresolved_redirect hops=1 final=302"
	if s, _ := check(t, Options{}, many); !slices.Equal(s.issues, []string{"limit_reached"}) {
		t.Errorf("%d issues: %v", len(s.issues), s.issues[0])
	}
}

// TestTooManyCopies: nothing is known of a fetch whose crawler may have used more
// copies than are asked. Copies that say the same one after the other are one.
func TestTooManyCopies(t *testing.T) {
	every := func(minutes, n int, body func(i int) string) (a archive) {
		for i := range n {
			a = append(a, robotsTxt(fmt.Sprintf("-%dm", 1+minutes*i), body(i)))
		}
		return a
	}
	same := func(int) string { return closed }
	distinct := func(i int) string { return fmt.Sprintf("%sDisallow: /%d\n", closed, i) }
	list := []scenario{
		{"alike", append(every(1, 1400, same), page(certain))},
		{"a hundred files", append(every(10, 100, distinct), page(certain))},
		{"four hundred files", append(every(3, 400, distinct), page("unknown fresh too_costly"))},
		{"one allows", append(every(3, 400, func(i int) string {
			if i == 399 { // the first that is asked
				return open
			}
			return distinct(i)
		}), page("disallowed fresh rule contested +permitted_copy"))},
	}
	checkScenarios(t, Options{}, list)
}
