package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
)

// verdictCounts counts by verdict.
type verdictCounts [3]int64

func (c *verdictCounts) add(o *verdictCounts) {
	for v, n := range o {
		c[v] += n
	}
}

func (c *verdictCounts) byName() VerdictCounts {
	return VerdictCounts{Allowed: c[evaluate.Allowed], Disallowed: c[evaluate.Disallowed], Unknown: c[evaluate.Unknown]}
}

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
	Agents  map[string]*verdictCounts
}

type groupCounts struct {
	tokens []string
	counts verdictCounts
}

func newWhatIf() whatIf {
	return whatIf{
		groups: make(map[tokenGroup]*groupCounts), rosters: make(map[string][]string), Agents: make(map[string]*verdictCounts),
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
		c.counts[v]++
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
			a := w.Agents[token]
			if a == nil {
				a = new(verdictCounts)
				w.Agents[token] = a
			}
			a.add(&c.counts)
		}
		c.counts = verdictCounts{}
		if t.robotsID != 0 {
			delete(w.groups, t)
		}
	}
	clear(w.rosters)
}

// addAll adds what another has counted of origins that have ended.
func (w *whatIf) addAll(o *whatIf) {
	for token, counts := range o.Agents {
		if w.Agents[token] == nil {
			w.Agents[token] = new(verdictCounts)
		}
		w.Agents[token].add(counts)
	}
}

// ranking lists the tokens: first those whose counts differ most from those that most tokens
// have, then the best known. Most tokens stand in few robots.txt files, so their counts are
// those of the groups for *.
func (w *whatIf) ranking() []AgentVerdicts {
	list := make([]AgentVerdicts, 0, len(w.Agents))
	shared := make(map[verdictCounts]int)
	for agent, c := range w.Agents {
		list = append(list, AgentVerdicts{agent, c.byName()})
		shared[*c]++
	}
	var common verdictCounts
	for c, n := range shared {
		if n > shared[common] || n == shared[common] && slices.Compare(c[:], common[:]) < 0 {
			common = c
		}
	}
	slices.SortFunc(list, func(a, b AgentVerdicts) int {
		return cmp.Or(cmp.Compare(b.distance(common.byName()), a.distance(common.byName())),
			cmp.Compare(agents.Prominence(a.Agent), agents.Prominence(b.Agent)), cmp.Compare(a.Agent, b.Agent))
	})
	return list
}

// distance is by how many fetches two counts differ.
func (c VerdictCounts) distance(o VerdictCounts) int64 {
	abs := func(n int64) int64 { return max(n, -n) }
	return abs(c.Allowed-o.Allowed) + abs(c.Disallowed-o.Disallowed) + abs(c.Unknown-o.Unknown)
}
