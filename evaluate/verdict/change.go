package verdict

import "github.com/robotsaudit/robotsaudit/internal/words"

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
	i := l.indexOf(st)
	if i < 0 || st.Micros > r.Fetch.Micros {
		return
	}
	for range maxFailures {
		first := l.sameFrom(i)
		if i = l.ofKind[kindDefinite].before(first); i < 0 {
			return
		}
		if before := l.at(i); !before.isAlike(st) {
			if d.answer(before, s).Verdict == words.Allowed {
				r.IsAfterChange, r.AfterChange = true, r.Fetch.Micros-l.micros(first)
			}
			return
		}
	}
}
