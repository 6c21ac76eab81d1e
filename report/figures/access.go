package figures

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
)

// verdictCounts counts by verdict.
type verdictCounts struct{ Allowed, Disallowed, Unknown int64 }

func (c *verdictCounts) add(o verdictCounts) {
	c.Allowed += o.Allowed
	c.Disallowed += o.Disallowed
	c.Unknown += o.Unknown
}

// of is the count of a verdict, by the name that it has in the tables.
func (c *verdictCounts) of(verdict string) *int64 {
	switch verdict {
	case "allowed":
		return &c.Allowed
	case "disallowed":
		return &c.Disallowed
	}
	return &c.Unknown
}

// compare orders counts that as many tokens have.
func (c verdictCounts) compare(o verdictCounts) int {
	return cmp.Or(cmp.Compare(c.Unknown, o.Unknown), cmp.Compare(c.Allowed, o.Allowed),
		cmp.Compare(c.Disallowed, o.Disallowed))
}

// distance is by how many fetches two counts differ.
func (c verdictCounts) distance(o verdictCounts) int64 {
	abs := func(n int64) int64 { return max(n, -n) }
	return abs(c.Allowed-o.Allowed) + abs(c.Disallowed-o.Disallowed) + abs(c.Unknown-o.Unknown)
}

// access is what a crawler would have got of an origin: partial as soon as some fetches are allowed and some
// disallowed, full and none only if nothing is unknown.
type access int

const (
	accessFull access = iota
	accessPartial
	accessNone
	accessUnknown
	accesses
)

// access sums up the verdicts on the fetches of an origin.
func (c *verdictCounts) access() access {
	switch {
	case c.Allowed > 0 && c.Disallowed > 0:
		return accessPartial
	case c.Unknown > 0:
		return accessUnknown
	case c.Disallowed > 0:
		return accessNone
	}
	return accessFull
}

// agentAccess counts what another crawler would have been allowed.
type agentAccess struct {
	Agent string
	verdictCounts
	Origins [accesses]int64 // by access
}

// tokenGroup is the what-if tokens that one group of a robots capture governs.
type tokenGroup struct {
	robotsID int64
	group    int32
}

type groupCounts struct {
	tokens []string
	counts verdictCounts
}

// accessTally counts what other crawlers would have been allowed. Verdicts come a token group at a time, and are
// shared out to the token group's tokens at the end of the origin, so that it holds no more than one origin's token
// groups. The token group of fetches without governing capture, robots_id 0, stays: its tokens come once.
type accessTally struct {
	agents  map[string]agentAccess // of origins that have ended
	groups  map[tokenGroup]*groupCounts
	rosters map[string][]string // lists of tokens by content: most captures have the same
	joining tokenGroup          // whose tokens come
	tokens  []string            // of joining, so far
	here    map[string]verdictCounts
}

func newAccessTally() accessTally {
	return accessTally{
		agents: make(map[string]agentAccess), groups: make(map[tokenGroup]*groupCounts),
		rosters: make(map[string][]string), here: make(map[string]verdictCounts),
	}
}

// addToken adds a token to a token group. The tokens of a token group come one after the other.
func (t *accessTally) addToken(g tokenGroup, token string) {
	if g != t.joining {
		t.endGroup()
		t.joining = g
	}
	t.tokens = append(t.tokens, token)
}

// endGroup completes the token group whose tokens come.
func (t *accessTally) endGroup() {
	if len(t.tokens) == 0 {
		return
	}
	key := strings.Join(t.tokens, "\n")
	if t.rosters[key] == nil {
		t.rosters[key] = slices.Clone(t.tokens)
	}
	t.groups[t.joining] = &groupCounts{tokens: t.rosters[key]}
	t.tokens = t.tokens[:0]
}

// addFetch counts a fetch for a token group, by the verdict's name.
func (t *accessTally) addFetch(g tokenGroup, verdict string) {
	t.endGroup()
	if counted := t.groups[g]; counted != nil {
		*counted.counts.of(verdict)++
	}
}

// endOrigin shares the counts of the origin in hand out to the tokens, and forgets the groups of its captures.
func (t *accessTally) endOrigin() {
	t.endGroup()
	clear(t.here)
	for key, g := range t.groups {
		for _, token := range g.tokens {
			sum := t.here[token]
			sum.add(g.counts)
			t.here[token] = sum
		}
		g.counts = verdictCounts{}
		if key.robotsID != 0 {
			delete(t.groups, key)
		}
	}
	clear(t.rosters)
	for token, counts := range t.here {
		a := agentAccess{Agent: token, verdictCounts: counts}
		if counts != (verdictCounts{}) {
			a.Origins[counts.access()]++
		}
		t.addAgent(a)
	}
}

func (t *accessTally) addAgent(more agentAccess) {
	a := t.agents[more.Agent]
	a.Agent = more.Agent
	a.add(more.verdictCounts)
	for i, n := range more.Origins {
		a.Origins[i] += n
	}
	t.agents[more.Agent] = a
}

// join adds the counts of another for origins that have ended.
func (t *accessTally) join(o *accessTally) {
	for _, more := range o.agents {
		t.addAgent(more)
	}
}

// Ranking lists the tokens: first the tokens whose counts differ most from the counts that most tokens
// have, then the best known. Most tokens stand in few robots.txt files, so their counts are the counts of
// the groups for *.
func (t *accessTally) Ranking() []agentAccess {
	list := make([]agentAccess, 0, len(t.agents))
	shared := make(map[verdictCounts]int)
	for _, a := range t.agents {
		list = append(list, a)
		shared[a.verdictCounts]++
	}
	var common verdictCounts
	for c, n := range shared {
		if n > shared[common] || n == shared[common] && c.compare(common) < 0 {
			common = c
		}
	}
	slices.SortFunc(list, func(a, b agentAccess) int {
		return cmp.Or(cmp.Compare(b.distance(common), a.distance(common)),
			cmp.Compare(agents.Prominence(a.Agent), agents.Prominence(b.Agent)), cmp.Compare(a.Agent, b.Agent))
	})
	return list
}
