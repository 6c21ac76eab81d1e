package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
)

// TokenGroup is the what-if tokens that one group of a robots capture governs.
type TokenGroup struct {
	RobotsID int64
	Group    int
}

// TokenCounts counts what other crawlers would have been allowed. Verdicts come a token group
// at a time, and are shared out to the token group's tokens at the end of the origin, so
// that it holds no more than one origin's token groups. The token group of fetches without
// governing capture, robots_id 0, stays: its tokens come once.
type TokenCounts struct {
	groups  map[TokenGroup]*groupCounts
	rosters map[string][]string // lists of tokens by content: most captures have the same
	joining TokenGroup          // whose tokens come
	tokens  []string            // of joining, so far
}

type groupCounts struct {
	tokens []string
	counts VerdictCounts
}

// NewTokenCounts returns counts without any.
func NewTokenCounts() TokenCounts {
	return TokenCounts{groups: make(map[TokenGroup]*groupCounts), rosters: make(map[string][]string)}
}

// Join adds a token to a token group. The tokens of a token group come one after the other.
func (c *TokenCounts) Join(t TokenGroup, token string) {
	if t != c.joining {
		c.close()
		c.joining = t
	}
	c.tokens = append(c.tokens, token)
}

// close completes the token group whose tokens come.
func (c *TokenCounts) close() {
	if len(c.tokens) == 0 {
		return
	}
	key := strings.Join(c.tokens, "\n")
	if c.rosters[key] == nil {
		c.rosters[key] = slices.Clone(c.tokens)
	}
	c.groups[c.joining] = &groupCounts{tokens: c.rosters[key]}
	c.tokens = c.tokens[:0]
}

// Add counts a fetch for a token group, by the verdict's name.
func (c *TokenCounts) Add(t TokenGroup, verdict string) {
	c.close()
	if g := c.groups[t]; g != nil {
		*g.counts.Of(verdict)++
	}
}

// Captures returns the captures whose token groups have come for the origin in hand.
func (c *TokenCounts) Captures() map[int64]bool {
	c.close()
	ids := make(map[int64]bool)
	for t := range c.groups {
		ids[t.RobotsID] = true
	}
	return ids
}

// EndOrigin passes the counts of all token groups on, and forgets the groups of the origin's captures.
func (c *TokenCounts) EndOrigin(add func(tokens []string, counts VerdictCounts)) {
	c.close()
	for t, g := range c.groups {
		add(g.tokens, g.counts)
		g.counts = VerdictCounts{}
		if t.RobotsID != 0 {
			delete(c.groups, t)
		}
	}
	clear(c.rosters)
}

// whatIf counts for all origins.
type whatIf struct {
	here   TokenCounts
	Agents map[string]VerdictCounts
}

func newWhatIf() whatIf {
	return whatIf{here: NewTokenCounts(), Agents: make(map[string]VerdictCounts)}
}

func (w *whatIf) endOrigin() {
	w.here.EndOrigin(func(tokens []string, counts VerdictCounts) {
		for _, token := range tokens {
			w.sum(token, counts)
		}
	})
}

// addAll adds the counts of another for origins that have ended.
func (w *whatIf) addAll(o *whatIf) {
	for token, counts := range o.Agents {
		w.sum(token, counts)
	}
}

func (w *whatIf) sum(token string, counts VerdictCounts) {
	counts.Sum(w.Agents[token])
	w.Agents[token] = counts
}

// ranking lists the tokens: first the tokens whose counts differ most from the counts that most tokens
// have, then the best known. Most tokens stand in few robots.txt files, so their counts are the counts of
// the groups for *.
func (w *whatIf) ranking() []AgentVerdicts {
	list := make([]AgentVerdicts, 0, len(w.Agents))
	shared := make(map[VerdictCounts]int)
	for agent, c := range w.Agents {
		list = append(list, AgentVerdicts{agent, c})
		shared[c]++
	}
	var common VerdictCounts
	for c, n := range shared {
		if n > shared[common] || n == shared[common] && c.compare(common) < 0 {
			common = c
		}
	}
	slices.SortFunc(list, func(a, b AgentVerdicts) int {
		return cmp.Or(cmp.Compare(b.distance(common), a.distance(common)),
			cmp.Compare(agents.Prominence(a.Agent), agents.Prominence(b.Agent)), cmp.Compare(a.Agent, b.Agent))
	})
	return list
}

// compare orders counts that as many tokens have.
func (c VerdictCounts) compare(o VerdictCounts) int {
	return cmp.Or(cmp.Compare(c.Unknown, o.Unknown), cmp.Compare(c.Allowed, o.Allowed),
		cmp.Compare(c.Disallowed, o.Disallowed))
}

// distance is by how many fetches two counts differ.
func (c VerdictCounts) distance(o VerdictCounts) int64 {
	abs := func(n int64) int64 { return max(n, -n) }
	return abs(c.Allowed-o.Allowed) + abs(c.Disallowed-o.Disallowed) + abs(c.Unknown-o.Unknown)
}
