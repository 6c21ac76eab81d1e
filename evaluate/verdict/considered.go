package verdict

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Role is the part of a capture of robots.txt in a verdict.
type Role uint8

// The roles.
const (
	RoleGoverning Role = iota // its rules decide
	RoleRival                 // of the governing capture's moment: the order of the two may not be known
	RoleCopy                  // the crawler may have used it instead (RFC 9309 §2.4)
	RoleOlder                 // the crawler's own, before another crawler's that governs
	// the one before, where the governing one may have come after the fetch; the end of a run of failures
	RoleBefore
	RoleOther // near a stale one: may show that the file changed
	RoleNext  // the first one after the fetch: may confirm a stale one
)

func (r Role) String() string {
	return [...]string{"governing", "rival", "copy", "older", "before", "other", "next"}[r]
}

// Considered is a capture that took part in a verdict.
type Considered struct {
	*State
	Role Role // the first that fits
}

// Considered returns the captures of robots.txt that took part in the verdict, the governing
// one first; none where no capture was needed. Of equal captures one after the other,
// the first stands for all. Without any of the others of its origin, the verdict would
// be the same.
func (r *Finding) Considered() []Considered {
	if r.Governing == nil {
		return nil
	}
	s := r.decider.newSubject(r.Fetch, r.Agent, r.timeline, facts.Time{})
	return slices.DeleteFunc(r.timeline.considered(&s), func(c Considered) bool { return r.isIdle(c.State, &s) })
}

// isIdle reports whether a capture is what the crawler itself got from a redirect's target, later, and
// changes nothing. Among fewer others, it might be taken for what the redirect led to.
func (r *Finding) isIdle(st *State, s *subject) bool {
	isOwn := st.Kind == facts.CaptureTarget && st.key == s.key
	return isOwn && st != r.Contester &&
		r.Notes&(words.NoteUnreadableCopy|words.NoteSameMoment|words.NoteOrderDoubt) == 0
}

func (tl *Timeline) considered(s *subject) (list []Considered) {
	add := func(role Role, states ...*State) {
		for _, st := range states {
			if st != nil && !slices.ContainsFunc(list, func(c Considered) bool { return c.State == st }) {
				list = append(list, Considered{st, role})
			}
		}
	}
	v := tl.view(s)
	add(RoleGoverning, v.governing)
	add(RoleRival, v.moment...)
	for st := range tl.copies(s, v.tied) {
		if add(RoleCopy, st); !s.look() {
			break
		}
	}
	add(RoleCopy, tl.refusalsOfMoment(s, &v)...)
	add(RoleOlder, v.older...)
	add(RoleNext, v.ownNext...)
	if s.see(v.governing).relation == maybeBefore {
		earlier := *s
		earlier.beyondDoubt = true
		if before := tl.view(&earlier); before.governing != nil {
			add(RoleBefore, before.tied...)
			if s.IsReportedByIndex() {
				add(RoleOlder, before.older...)
				add(RoleOther, tl.others(&earlier, &before)...)
			}
		}
	}
	if v.governing.Outcome == words.OutcomeUnreachable {
		add(RoleCopy, tl.lastCopies(s)...)
		add(RoleBefore, tl.lastDefinite(s)...)
	}
	add(RoleOther, tl.others(s, &v)...)
	if v.evidence == words.Stale {
		add(RoleNext, tl.all.next(s, informedFor)...)
	}
	return list
}

// lastDefinite returns the latest captures at or before a fetch that end a run of failures: of
// anyone's and of the crawler's own.
func (tl *Timeline) lastDefinite(s *subject) (list []*State) {
	for _, l := range [...]*line{tl.all, s.own} {
		if l == nil {
			continue
		}
		if st := l.lastOf(kindDefinite, l.upTo(s), s); st != nil {
			list = append(list, st)
		}
	}
	return list
}

// Rivals returns the captures of the governing one's moment in other archives, which may govern in its place.
func (r *Finding) Rivals() []*State { return r.tied[min(1, len(r.tied)):] }

// LedBy returns the captures of robots.txt that may have led to the fetch by redirects.
func (r *Finding) LedBy() []*resolve.Lead { return r.ledBy }

// Twins returns the other places of a record, the fetch's or one that a capture applies, if several
// archives hold it: any of them may show which of two records of one moment came first.
func (r *Finding) Twins(first facts.Spot) (twins []facts.Spot) {
	for _, at := range r.timeline.places[first] {
		twins = append(twins, at.Spot)
	}
	return twins
}
