package evaluate

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// subject is a fetch with what the decision needs of its URL.
type subject struct {
	*facts.Fetch
	path  string // what rules are matched against
	agent string // whose captures count: the crawler's own token
	key   string // the same, comparable
	token string // whose rules are asked for: the same, but in a what-if
	time  facts.Time

	places       places     // of records that several archives hold
	runs         *facts.Set // knows the runs of crawlers
	own          *line      // the crawler's own captures; nil: none
	ownsNameless bool       // captures without a token in the fetch's run are among them
	withRefusals bool       // what other crawlers were refused governs, since nothing else does
	asOf         bool       // time is not the fetch's own: the order of records shows nothing
	beyondDoubt  bool       // only captures that are before the fetch beyond doubt count
	budget
}

func (d *decider) newSubject(f *facts.Fetch, agent string, tl *timeline) subject {
	path := weburl.PathQueryOf(f.Origin, f.URL)
	s := subject{Fetch: f, path: path, agent: agent, key: d.keys.of(agent), token: agent, time: f.Time(), places: tl.places, runs: d.runs}
	s.own, s.ownsNameless = tl.ownOf(&s)
	return s
}

// An ownKey is a crawler by its token, and the run of one archive.
type ownKey struct {
	key string
	run facts.Spot
}

// maxJoined bounds the lines that are made of a crawler's captures and of those without a token.
const maxJoined = 256

// ownOf returns the captures of the crawler that made a fetch. Some crawlers ask for robots.txt without
// a User-Agent: in its run, these are its own. all is false where there are none.
func (t *timeline) ownOf(s *subject) (own *line, all bool) {
	own, nameless := t.byAgent[s.key], t.byAgent[""]
	if s.key == "" || nameless == nil || s.Run == 0 {
		return own, false
	}
	key := ownKey{s.key, facts.SpotOf(s.Fetch).InRun()}
	joined, known := t.joined[key]
	if !known {
		if len(t.joined) >= maxJoined {
			return own, false
		}
		if t.joined == nil {
			t.joined = make(map[ownKey]*line)
		}
		if slices.ContainsFunc(nameless.states, func(st *State) bool { return s.owns(st.itself()) }) {
			joined = new(line)
			for _, st := range t.all.states {
				if s.owns(st.itself()) {
					joined.add(st)
				}
			}
			joined.index()
		}
		t.joined[key] = joined
	}
	if joined == nil {
		return own, false
	}
	return joined, true
}

// A budget counts what is looked at for one fetch.
type budget struct{ looked int }

// maxLooked bounds the captures that are looked at for one fetch, where one that is asked
// counts as askedCost, and each bodyCost bytes of its body, rulesCost rules of it, and each matchCost
// bytes that its rules with a "*" look at, as one more: an origin may have sent another file with
// every second. The files are no more than the cache of parsed files holds. Beyond it nothing is known
// of the fetch (TooCostly).
const (
	maxLooked = 1000
	askedCost = 8
	bodyCost  = 32 << 10
	rulesCost = 128
	matchCost = 32 << 10
)

// match asks a group about the path.
func (s *subject) match(g *robots.Group) robots.Decision {
	d := g.Match(s.path)
	s.spend(d.Cost() / matchCost)
	return d
}

// look counts a capture that is looked at for a fetch; false says that they are too many.
func (b *budget) look() bool { return b.spend(1) }

func (b *budget) spend(looks int) bool {
	b.looked += looks
	return !b.isTooCostly()
}

func (b *budget) isTooCostly() bool { return b.looked > maxLooked }

// costOfAsking is how many looks it counts for to ask a capture.
func (s *State) costOfAsking() int {
	if !s.HasBody {
		return 1
	}
	return askedCost + int(s.BodySize/bodyCost)
}
