package verdict

import (
	"fmt"
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

// TestPackedCapturesDecideAlike decides random fetches by captures that are held whole, and packed.
func TestPackedCapturesDecideAlike(t *testing.T) {
	store, ref := storeOf(t, []byte("User-agent: *\nDisallow: /\n"))
	d := NewDecider(nil, parsed.NewCache(store, robots.RFC9309), crawler.NewNames("", nil), new(crawler.Software))
	agents := []string{"", "GPTBot/1.0", "CCBot/2.0", "Wget/1.21"}
	rng := rand.New(rand.NewPCG(5, 6))
	count := make(map[words.Certainty]int)
	for range 300 {
		var states []resolve.State
		for _, c := range capturestest.Random(rng) {
			c.UserAgent, c.Index, c.Run = agents[rng.IntN(len(agents))], int64(rng.IntN(100)), int32(rng.IntN(3))
			c.Millis = int32(rng.IntN(5000) - 1000)
			st := resolve.NewState(c)
			switch rng.IntN(8) {
			case 0:
				st.Settle(words.OutcomeUnreachable, words.Unreachable)
			case 1:
				st.Settle(words.OutcomeUnavailable, words.Unavailable)
			case 2:
				st.Settle(words.OutcomeUnresolved, words.UnresolvedRevisit)
			case 3:
				st.Settle(words.OutcomeRules, words.NoReason)
			default:
				st.Outcome, st.HasBody = words.OutcomeRules, true
				st.BodyDigest, st.BodyOffset, st.BodySize = string(ref.Digest[:]), ref.Offset, ref.Size
			}
			states = append(states, st)
		}
		if len(states) > 0 && rng.IntN(3) == 0 { // as where indexes report some
			i, j := rng.IntN(len(states)), rng.IntN(len(states))
			states[i], states[j] = states[j], states[i]
		}
		timelineOf := func(limit int) *Timeline {
			c := d.NewCaptures()
			c.limit = limit
			for i := range states {
				st := &State{State: states[i]}
				d.Complete(st, int64(i+1))
				c.Add(st)
			}
			return d.Timeline(&Found{Captures: c})
		}
		whole, packed := timelineOf(maxWhole), timelineOf(rng.IntN(3))
		for range 20 {
			f := &facts.Fetch{
				URL: "http://www.example.com/x", Origin: "http://www.example.com", Method: "GET", Status: 200,
				Micros: capturestest.Noon + rng.Int64N(4*facts.Day), Precision: facts.PrecisionSecond,
				Index: int64(rng.IntN(100)), Run: int32(rng.IntN(3)),
				UserAgent: agents[rng.IntN(len(agents))], UserAgentSource: facts.SourceRequest,
			}
			said := func(tl *Timeline) string {
				var r Finding
				if err := d.DecideFetch(&r, f, tl); err != nil {
					t.Fatal(err)
				}
				count[r.Certainty]++
				text := fmt.Sprint(r.Answer, r.Evidence, r.Certainty, r.Notes, r.IsAfterChange, r.AfterChange)
				for _, g := range r.Grounds {
					text += fmt.Sprintf("; %v %v", g.Word, g.Role)
					if g.Capture != nil {
						text += fmt.Sprint(" ", g.Capture.ID)
					}
				}
				seen, skipped, err := r.Inquire(r.Agent, facts.Time{}).Captures()
				for _, c := range seen {
					text += fmt.Sprint("; ", c.ID, c.Skipped, c.Roles, c.IsOwn, c.IsAfter, c.IsCopy, c.Doubts)
				}
				return text + fmt.Sprint(skipped, err)
			}
			if a, b := said(whole), said(packed); a != b {
				t.Fatalf("whole:  %s\npacked: %s", a, b)
			}
		}
	}
	for _, class := range []words.Certainty{words.Certain, words.Probable, words.Possible, words.Contested} {
		if count[class] == 0 {
			t.Errorf("no %v in %v", class, count)
		}
	}
}
