package verdict

import (
	"math/rand/v2"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/parsed"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/resolve/capturestest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
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
			tl := newTimeline(&Found{Captures: capturesOf(testDecider(), states)})
			for i := range n {
				for _, later := range [...]int64{0, 2 * facts.Day} {
					f := capturestest.Capture(i, c.At(i)).Fetch
					at := facts.Time{Micros: f.Micros + later, Precision: f.Precision}
					s := subject{Fetch: &f, exchange: newExchange(at, -1), record: new(record)}
					v := tl.view(candidates{subject: &s})
					tl.others(&s, &v)
					for range tl.copies(&s, nil) {
						if !s.look() {
							break
						}
					}
					sum += s.record.looked
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
		l := newTimeline(&Found{Captures: capturesOf(testDecider(), states)}).all
		start := capturestest.Second(int(rng.Int64N(3 * facts.Day / 1e6))).Truncate(facts.PrecisionYear +
			facts.Precision(rng.IntN(6)))
		end := facts.Time{Micros: start.Micros + rng.Int64N(facts.Day), Precision: start.Precision}
		found := make(map[int64]bool)
		for p := l.between(start, end); ; {
			st := p.take()
			if st == nil {
				break
			}
			found[st.Micros] = true
		}
		for _, st := range l.each() {
			if st.Time().MicrosSince(start) >= 0 && end.MicrosSince(st.Time()) >= 0 && !found[st.Micros] {
				t.Fatalf("%v is not between %v and %v", st.Time(), start, end)
			}
		}
	}
}

func testDecider() *Decider {
	return NewDecider(nil, parsed.NewCache(nil, robots.RFC9309), crawler.NewNames("", nil), new(crawler.Software))
}
