package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
)

// VerdictCounts counts by verdict.
type VerdictCounts struct {
	Allowed    int64
	Disallowed int64
	Unknown    int64
}

// Sum adds other counts.
func (c *VerdictCounts) Sum(o VerdictCounts) {
	c.Allowed += o.Allowed
	c.Disallowed += o.Disallowed
	c.Unknown += o.Unknown
}

// of is the count of a verdict, by the name that it has in the tables.
func (c *VerdictCounts) of(verdict string) *int64 {
	switch verdict {
	case "allowed":
		return &c.Allowed
	case "disallowed":
		return &c.Disallowed
	}
	return &c.Unknown
}

// AgentVerdicts counts what another crawler would have been allowed.
type AgentVerdicts struct {
	Agent string
	AgentAccess
}

// TokenGroup is the what-if tokens that one group of a robots capture governs.
type TokenGroup struct {
	RobotsID int64
	Group    int
}

// tokenCounts counts what other crawlers would have been allowed. Verdicts come a token group
// at a time, and are shared out to the token group's tokens at the end of the origin, so
// that it holds no more than one origin's token groups. The token group of fetches without
// governing capture, robots_id 0, stays: its tokens come once.
type tokenCounts struct {
	groups  map[TokenGroup]*groupCounts
	rosters map[string][]string // lists of tokens by content: most captures have the same
	joining TokenGroup          // whose tokens come
	tokens  []string            // of joining, so far
}

type groupCounts struct {
	tokens []string
	counts VerdictCounts
}

// Join adds a token to a token group. The tokens of a token group come one after the other.
func (c *tokenCounts) Join(t TokenGroup, token string) {
	if t != c.joining {
		c.close()
		c.joining = t
	}
	c.tokens = append(c.tokens, token)
}

// close completes the token group whose tokens come.
func (c *tokenCounts) close() {
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
func (c *tokenCounts) Add(t TokenGroup, verdict string) {
	c.close()
	if g := c.groups[t]; g != nil {
		*g.counts.of(verdict)++
	}
}

// EndOrigin passes the counts of all token groups on, and forgets the groups of the origin's captures.
func (c *tokenCounts) EndOrigin(add func(tokens []string, counts VerdictCounts)) {
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

// Access is what a crawler would have got of an origin.
type Access int

// The kinds of access: partial as soon as some fetches are allowed and some disallowed, full and none only if
// nothing is unknown.
const (
	AccessFull Access = iota
	AccessPartial
	AccessNone
	AccessUnknown
	accesses
)

// accessBy is what verdicts on the fetches of an origin come to.
func accessBy(v *VerdictCounts) Access {
	switch {
	case v.Allowed > 0 && v.Disallowed > 0:
		return AccessPartial
	case v.Unknown > 0:
		return AccessUnknown
	case v.Disallowed > 0:
		return AccessNone
	}
	return AccessFull
}

// AgentAccess counts for a crawler.
type AgentAccess struct {
	VerdictCounts
	Origins [accesses]int64 // by access
}

// WhatIf counts what other crawlers would have been allowed, for all origins.
type WhatIf struct {
	tokenCounts
	Agents map[string]AgentAccess
	here   map[string]VerdictCounts
}

// NewWhatIf returns counts without any.
func NewWhatIf() WhatIf {
	return WhatIf{
		tokenCounts{groups: make(map[TokenGroup]*groupCounts), rosters: make(map[string][]string)},
		make(map[string]AgentAccess), make(map[string]VerdictCounts),
	}
}

// EndOrigin shares the counts of the origin in hand out to the tokens.
func (w *WhatIf) EndOrigin() {
	clear(w.here)
	w.tokenCounts.EndOrigin(func(tokens []string, counts VerdictCounts) {
		for _, token := range tokens {
			sum := w.here[token]
			sum.Sum(counts)
			w.here[token] = sum
		}
	})
	for token, counts := range w.here {
		a := w.Agents[token]
		if counts != (VerdictCounts{}) {
			a.Origins[accessBy(&counts)]++
			a.Sum(counts)
		}
		w.Agents[token] = a
	}
}

// Sum adds the counts of another for origins that have ended.
func (w *WhatIf) Sum(o *WhatIf) {
	for token, more := range o.Agents {
		a := w.Agents[token]
		a.Sum(more.VerdictCounts)
		for i, n := range more.Origins {
			a.Origins[i] += n
		}
		w.Agents[token] = a
	}
}

// Ranking lists the tokens: first the tokens whose counts differ most from the counts that most tokens
// have, then the best known. Most tokens stand in few robots.txt files, so their counts are the counts of
// the groups for *.
func (w *WhatIf) Ranking() []AgentVerdicts {
	list := make([]AgentVerdicts, 0, len(w.Agents))
	shared := make(map[VerdictCounts]int)
	for agent, c := range w.Agents {
		list = append(list, AgentVerdicts{agent, c})
		shared[c.VerdictCounts]++
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
