package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
)

// tokenGroup is the what-if tokens that one group of a robots capture governs.
type tokenGroup struct {
	robotsID int64
	group    int
}

// whatIf counts what other crawlers would have been allowed. Verdicts come a token group
// at a time, and are shared out to the token group's tokens at the end of the origin, so
// that it holds no more than one origin's token groups. The token group of fetches without
// governing capture, robots_id 0, stays: it is told once.
type whatIf struct {
	groups  map[tokenGroup]*groupCounts
	rosters map[string][]string // lists of tokens by content: most captures have the same
	joining tokenGroup          // whose tokens are being told
	tokens  []string            // of joining, so far
	Agents  map[string]*VerdictCounts
}

type groupCounts struct {
	tokens []string
	counts VerdictCounts
}

func newWhatIf() whatIf {
	return whatIf{
		groups: make(map[tokenGroup]*groupCounts), rosters: make(map[string][]string), Agents: make(map[string]*VerdictCounts),
	}
}

// join adds a token to a token group. The tokens of a token group come one after the other.
func (w *whatIf) join(t tokenGroup, token string) {
	if t != w.joining {
		w.closeTeam()
		w.joining = t
	}
	w.tokens = append(w.tokens, token)
}

func (w *whatIf) closeTeam() {
	if len(w.tokens) == 0 {
		return
	}
	key := strings.Join(w.tokens, "\n")
	if w.rosters[key] == nil {
		w.rosters[key] = slices.Clone(w.tokens)
	}
	w.groups[w.joining] = &groupCounts{tokens: w.rosters[key]}
	w.tokens = w.tokens[:0]
}

// add counts a fetch for a token group.
func (w *whatIf) add(t tokenGroup, v evaluate.Verdict) {
	w.closeTeam()
	if c := w.groups[t]; c != nil {
		*c.counts.Of(v.String())++
	}
}

// told returns the captures whose token groups were told for the origin in hand.
func (w *whatIf) told() map[int64]bool {
	w.closeTeam()
	ids := make(map[int64]bool)
	for t := range w.groups {
		ids[t.robotsID] = true
	}
	return ids
}

// endOrigin shares the counts out, and forgets the token groups of the origin's captures.
func (w *whatIf) endOrigin() {
	w.closeTeam()
	for t, c := range w.groups {
		for _, token := range c.tokens {
			w.sum(token, c.counts)
		}
		c.counts = VerdictCounts{}
		if t.robotsID != 0 {
			delete(w.groups, t)
		}
	}
	clear(w.rosters)
}

// addAll adds what another has counted of origins that have ended.
func (w *whatIf) addAll(o *whatIf) {
	for token, counts := range o.Agents {
		w.sum(token, *counts)
	}
}

func (w *whatIf) sum(token string, counts VerdictCounts) {
	if w.Agents[token] == nil {
		w.Agents[token] = new(VerdictCounts)
	}
	w.Agents[token].Sum(counts)
}

// ranking lists the tokens: first those whose counts differ most from those that most tokens
// have, then the best known. Most tokens stand in few robots.txt files, so their counts are
// those of the groups for *.
func (w *whatIf) ranking() []AgentVerdicts {
	list := make([]AgentVerdicts, 0, len(w.Agents))
	shared := make(map[VerdictCounts]int)
	for agent, c := range w.Agents {
		list = append(list, AgentVerdicts{agent, *c})
		shared[*c]++
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
	return cmp.Or(cmp.Compare(c.Unknown, o.Unknown), cmp.Compare(c.Allowed, o.Allowed), cmp.Compare(c.Disallowed, o.Disallowed))
}

// distance is by how many fetches two counts differ.
func (c VerdictCounts) distance(o VerdictCounts) int64 {
	abs := func(n int64) int64 { return max(n, -n) }
	return abs(c.Allowed-o.Allowed) + abs(c.Disallowed-o.Disallowed) + abs(c.Unknown-o.Unknown)
}
