package verdict

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// voices finds out whether a crawler is the only one whose requests a run names.
type voices struct {
	runs  *facts.Set
	who   *crawler.Names
	known map[voice]bool
}

// A voice is a crawler in a run.
type voice struct {
	run facts.Spot
	key string // of its token
}

func newVoices(runs *facts.Set, who *crawler.Names) *voices {
	return &voices{runs: runs, who: who, known: make(map[voice]bool)}
}

// isAlone reports whether nothing in a run speaks against that a crawler requested the robots.txt there that were
// requested without a User-Agent ("Captures without a User-Agent").
func (vs *voices) isAlone(at facts.Spot, key string) bool {
	v := voice{at.InRun(), key}
	alone, known := vs.known[v]
	if !known {
		if len(vs.known) >= maxJoined {
			clear(vs.known)
		}
		run := vs.runs.CrawlRunOf(at)
		alone = run == nil || len(run.Voices) <= facts.MaxVoices &&
			!slices.ContainsFunc(run.Voices, func(heard facts.Voice) bool { return vs.speaksAgainst(heard, key) })
		vs.known[v] = alone
	}
	return alone
}

// speaksAgainst reports whether a voice is another crawler's, or shows that this one requests robots.txt by name.
func (vs *voices) speaksAgainst(heard facts.Voice, key string) bool {
	if heard.UserAgent == "" { // pages were requested without one: by whom, nothing shows
		return true
	}
	by := vs.who.OfUserAgent(heard.UserAgent)
	return by.Other != "" || vs.who.Key(by.Token) != key || heard.AsksRobots
}

// isAlone reports whether nothing speaks against that the crawler of the fetch made a request without a User-Agent, in
// any archive that holds its record.
func (s *subject) isAlone(r answered) bool {
	at := append([]place{{Spot: r.at}}, s.places[r.at]...)
	return !slices.ContainsFunc(at, func(a place) bool { return !s.heard.isAlone(a.Spot, s.key) })
}
