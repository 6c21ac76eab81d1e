package verdict

import (
	"maps"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Inquiry shows what a finding rests on: the fetch before its timeline, so that any capture can be asked again.
type Inquiry struct {
	found   *Finding
	subject *subject // as the decision began with it
	record  record   // of what is asked again
}

// Inquire begins an inquiry into a finding, as the decision had it: for a product token, as of a moment, which is
// unknown unless it is not the fetch's own.
func (r *Finding) Inquire(token string, asOf facts.Time) *Inquiry {
	q := &Inquiry{found: r}
	q.subject = new(subject).setTo(r.decider, r.Fetch, r.Agent, r.timeline, asOf, &q.record)
	q.subject.token = token
	return q
}

// Moment is the time that captures are compared with.
func (q *Inquiry) Moment() facts.Time { return q.subject.time }

// Age is that of the governing capture, in seconds, as of the moment.
func (q *Inquiry) Age() int64 { return q.subject.secondsOld(q.found.Governing, q.found.Evidence) }

// Withdrawn is the answer of the governing capture, if others show that it may be wrong; nil if the verdict stands.
func (q *Inquiry) Withdrawn() *Answer {
	if q.found.against == nil && q.found.Reason != words.UnreadCapture {
		return nil
	}
	return &q.found.withdrawn
}

// AskSecond returns the answer of a capture for the second crawler that the User-Agent names: the one that
// withdrew the verdict for its sake, or else the governing one.
func (q *Inquiry) AskSecond(token string) (Answer, error) {
	second, asked := *q.subject, q.found.Governing
	second.token = token
	if q.found.Reason == words.AmbiguousToken {
		asked = q.found.against
	}
	return q.found.decider.answer(asked, &second), q.record.err
}

// Ask returns a capture's answer to the fetch, without a budget: for the governing one, the answer that was used.
func (q *Inquiry) Ask(st *State) (Answer, error) {
	switch r := q.found; {
	case st != r.Governing:
	case q.Withdrawn() != nil:
		return r.withdrawn, nil
	case st.Outcome == words.OutcomeUnreachable, r.Reason == words.RefusedToOther:
		return r.Answer, nil
	}
	return q.found.decider.answer(st, q.subject), q.record.err
}

const (
	maxConsidered = 100 // captures that are shown because they took part
	nearestShown  = 4   // captures that are shown on each side of the moment, whatever they hold
)

// Seen is a capture as the decision saw it.
type Seen struct {
	*State
	Skipped int      // captures left out before this one
	Roles   []string // its parts in the verdict; none: it has no part
	IsOwn   bool     // the crawler of the fetch made it
	IsAfter bool     // it counts as after the fetch
	IsCopy  bool     // the crawler may have acted on it (RFC 9309 §2.4)
	Doubts  []string
	Says    *Answer // nil: it was not asked
}

// The roles of a capture that decides, besides its Role.
const (
	RoleContests    = "contests"    // a permitted copy that allows
	RoleContradicts = "contradicts" // for it the verdict is withdrawn
)

// Captures returns the part of the timeline that the decision looked at, by time, and how many captures come after it.
func (q *Inquiry) Captures() (list []Seen, skipped int, err error) {
	tl, s := q.found.timeline, q.subject
	roles := q.roles()
	shown := make(map[int]bool) // indexes
	if s.time.Known() {
		n := tl.all.upTo(s)
		for i := max(0, n-nearestShown); i < min(tl.all.len(), n+nearestShown); i++ {
			shown[i] = true
		}
	}
	var targets []*State
	for st := range roles {
		if st.Kind == facts.CaptureTarget {
			targets = append(targets, st)
		} else if i := tl.all.indexOf(st); i >= 0 {
			shown[i] = true
		}
	}
	slices.SortFunc(targets, func(a, b *State) int { return facts.CompareInTime(&a.Fetch, &b.Fetch) })
	next := 0 // index
	add := func(st *State, at int) error {
		seen := Seen{State: st, Skipped: at - next, Roles: roles[st]}
		next = at
		err := q.see(&seen)
		list = append(list, seen)
		return err
	}
	for _, i := range append(slices.Sorted(maps.Keys(shown)), tl.all.len()) {
		for len(targets) > 0 && tl.all.until(targets[0]) <= i {
			if err := add(targets[0], tl.all.until(targets[0])); err != nil {
				return nil, 0, err
			}
			targets = targets[1:]
		}
		if i == tl.all.len() {
			break
		}
		if err := add(tl.all.at(i), i); err != nil {
			return nil, 0, err
		}
		next++
	}
	return list, tl.all.len() - next, nil
}

// Unread returns when the captures nearest to the fetch were made that an index alone reports.
func (q *Inquiry) Unread() []facts.Time {
	unread, at := q.found.timeline.unread, q.subject.time
	if !at.Known() {
		return nil
	}
	n := sort.Search(len(unread), func(i int) bool { return unread[i].MicrosSince(at) > 0 })
	return unread[max(0, n-nearestShown):min(len(unread), n+nearestShown)]
}

// roles are the captures that took part in the verdict, with their parts.
func (q *Inquiry) roles() map[*State][]string {
	r, roles := q.found, make(map[*State][]string)
	contester := r.Contester()
	for _, g := range r.Considered() {
		isDecisive := g.Capture == contester || g.Capture == r.against
		if len(roles) < maxConsidered || isDecisive {
			roles[g.Capture] = []string{g.Role.String()}
		}
	}
	if contester != nil {
		roles[contester] = append(roles[contester], RoleContests)
	}
	if r.against != nil {
		roles[r.against] = append(roles[r.against], RoleContradicts)
	}
	return roles
}

// see fills in how the fetch sees a capture, and what it says.
func (q *Inquiry) see(c *Seen) error {
	st, s := c.State, q.subject
	c.IsOwn = s.isOwn(st)
	if s.time.Known() {
		c.IsAfter = s.order(st) >= shownAfter
		c.IsCopy = q.found.Governing != nil && q.isCopy(st)
	}
	ofOthers := when(slices.ContainsFunc(st.led, s.mayBeOthers), words.NoteOtherCrawler)
	if c.Doubts = (ofOthers | doubtsOf(st)).Strings(); c.Roles == nil && !c.IsCopy {
		return nil
	}
	answer, err := q.Ask(st)
	c.Says = &answer
	return err
}

// isCopy reports whether the crawler may have acted on a capture (RFC 9309 §2.4).
func (q *Inquiry) isCopy(st *State) bool {
	r, s := q.found, q.subject
	if st == r.Governing {
		return r.Evidence != words.Later
	}
	if r.Governing.Outcome == words.OutcomeUnreachable && slices.Contains(r.timeline.lastCopies(s), st) {
		return true
	}
	return (st.isDefinite() || s.isUnreadable(st)) && s.isCopy(st) && !s.isOthersRefusal(st) &&
		s.order(st) != shownAfter
}
