package evaluate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/resolve/capturestest"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// TestLooksOfFetchesAreLinear has a fetch next to every capture, and one two days later.
func TestLooksOfFetchesAreLinear(t *testing.T) {
	for _, c := range capturestest.Rates(maxLooked) {
		looks := func(n int) (sum int) {
			var states []*State
			for i := range n {
				capture := capturestest.Capture(i, c.At(i))
				st := &State{State: resolve.NewState(&capture)}
				st.Outcome = words.OutcomeRules
				states = append(states, st)
			}
			tl := newTimeline(states, nil)
			for i := range n {
				for _, later := range [...]int64{0, 2 * facts.Day} {
					f := capturestest.Capture(i, c.At(i)).Fetch
					s := subject{Fetch: &f, time: facts.Time{Micros: f.Micros + later, Precision: f.Precision}}
					v := tl.view(&s)
					tl.others(&s, &v)
					for range tl.copies(&s, nil) {
						if !s.look() {
							break
						}
					}
					sum += s.looked
				}
			}
			return sum
		}
		c.ExpectLinear(t, looks)
	}
}

// TestSpan finds all captures that a comparison of their dates finds.
func TestSpan(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var states []*State
		for _, c := range capturestest.Random(rng) {
			states = append(states, &State{State: resolve.NewState(c)})
		}
		l := newTimeline(states, nil).all
		start := capturestest.Second(int(rng.Int64N(3 * facts.Day / 1e6))).Truncate(facts.PrecisionYear +
			facts.Precision(rng.IntN(6)))
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
// nobody knows which; an issue reports it once.
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
	few := crowd(maxLooked / 4)
	few[0].state = "unavailable too_many_redirects hops=21 final=302"
	if s, _ := check(t, Options{}, few); len(s.issues) != 0 {
		t.Errorf("%d issues: %v", len(s.issues), s.issues[0])
	}
	many := crowd(maxLooked + maxLooked/4)
	many[0].state = "unresolved unresolved_redirect hops=1 final=302"
	if s, _ := check(t, Options{}, many); !slices.Equal(s.issues, []string{"limit_reached"}) {
		t.Errorf("%d issues: %v", len(s.issues), s.issues[0])
	}
}

// TestTooManyCopies: nothing is known of a fetch whose crawler may have used more
// copies than are tried. Equal copies one after the other are one.
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
