package verdict

import (
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// maxFailures is how many failures of a server, each between captures of one file, are no change.
const maxFailures = 16

// findChange finds out whether the crawler's own copy before allowed a violation, and how long after the change it was
// made ("Time to compliance").
func (d *Decider) findChange(r *Finding, s *subject, tl *Timeline) {
	st := r.Governing
	if !r.IsViolation() || st == nil || s.key == "" || !st.isOf(s.key) || !st.isDefinite() {
		return
	}
	l := tl.byAgent[st.key]
	i, found := slices.BinarySearchFunc(l.states, st,
		func(a, b *State) int { return facts.CompareInTime(&a.Fetch, &b.Fetch) })
	if !found || st.Micros > r.Fetch.Micros {
		return
	}
	for range maxFailures {
		first := sort.Search(i, func(j int) bool { return l.sameTo[j] >= l.sameTo[i] })
		before := int(l.latestOf[kindDefinite][first]) - 1
		switch {
		case before < 0:
			return
		case !l.states[before].isAlike(st):
			if d.answer(l.states[before], s).Verdict == words.Allowed {
				r.IsAfterChange, r.AfterChange = true, r.Fetch.Micros-l.states[first].Micros
			}
			return
		}
		i = before
	}
}
