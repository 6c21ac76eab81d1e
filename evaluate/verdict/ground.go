package verdict

import (
	"cmp"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file records what a verdict rests on, once, while it is decided. Everything that is said of a verdict is
// looked up here: notes, the class, the columns of tables, explanations, the records of a bundle.

// Role is the part of a capture of robots.txt in a verdict. Of several, the first counts.
type Role uint8

// The roles.
const (
	RoleGoverning Role = iota // its rules decide
	RoleRival                 // of the governing capture's moment: the order of the two may not be known
	RoleCopy                  // the crawler may have used it instead (RFC 9309 §2.4)
	RoleOlder                 // the crawler's own, before another crawler's that governs
	// the one before, where the governing one may have come after the fetch; the end of a run of failures; one that
	// shows that the fetch's run of a crawler had asked
	RoleBefore
	RoleOther // near a stale one: may show that the file changed
	RoleNext  // the first one after the fetch: may confirm a stale one
	RolePrior // the one before a governing capture that shows nothing
)

func (r Role) String() string {
	return [...]string{"governing", "rival", "copy", "older", "before", "other", "next", "prior"}[r]
}

// A Ground is what a verdict rests on: a capture that was consulted, a remark, or an objection.
type Ground struct {
	Word    words.Notes // the remark or objection; 0: the capture was consulted
	Capture *State      // that gives rise to it; nil: the fetch itself does
	Role    Role        // of a capture that was consulted

	isRemark bool // the word has no effect here
}

// Name returns the word of an objection.
func (g Ground) Name() string { return words.Names(words.GroundWords, g.Word)[0] }

// RobotsID returns the ID of the capture; 0: the fetch itself raises the objection.
func (g Ground) RobotsID() int64 {
	if g.Capture == nil {
		return 0
	}
	return g.Capture.ID
}

// record collects the grounds and the costs of deciding one fetch.
type record struct {
	Grounds []Ground // in the order in which they were found
	// CopiesAsked is how many different copies of robots.txt, besides the governing one, were asked whether they
	// allow the fetch. Asking ends with the first that does.
	CopiesAsked int
	// UnreadCaptures is that the class depends on captures of robots.txt that an index reports and no input holds.
	UnreadCaptures bool

	ofAll     int   // how many of the grounds hold for any token
	spent     int   // as looked, for any token
	ofVerdict int   // how many of the grounds came with the verdict; the others, with the class
	looked    int   // see subject.look
	err       error // the first of reading a file: what was decided is nothing
}

// emptied returns an empty record with the memory of another.
func (r *record) emptied() record { return record{Grounds: r.Grounds[:0]} }

// forget drops the remarks and objections that hold for one token. It keeps the captures that were consulted.
func (r *record) forget() {
	kept := slices.DeleteFunc(r.Grounds[r.ofAll:], func(g Ground) bool { return g.Word != 0 })
	r.Grounds, r.looked = r.Grounds[:r.ofAll+len(kept)], r.spent
}

// join adds the captures that another token's verdict rests on, and its words, if these count.
func (r *record) join(o *record, wordsCount bool) {
	for _, g := range o.Grounds {
		isKnown := func(k Ground) bool { return k.Word == g.Word && k.Capture == g.Capture }
		if (g.Word == 0 || wordsCount) && !slices.ContainsFunc(r.Grounds, isKnown) {
			r.Grounds = append(r.Grounds, g)
		}
	}
	r.CopiesAsked, r.UnreadCaptures = max(r.CopiesAsked, o.CopiesAsked), r.UnreadCaptures || o.UnreadCaptures
	r.err = cmp.Or(r.err, o.err)
}

// consult records captures, each in its first role.
func (s *subject) consult(role Role, captures ...*State) {
	for _, st := range captures {
		if st == nil {
			continue
		}
		isOf := func(g Ground) bool { return g.Capture == st && g.Word == 0 }
		if i := slices.IndexFunc(s.record.Grounds, isOf); i >= 0 {
			s.record.Grounds[i].Role = min(s.record.Grounds[i].Role, role)
		} else {
			s.record.Grounds = append(s.record.Grounds, Ground{Capture: st, Role: role})
		}
	}
}

// object records the remarks and objections of a set to which a capture gives rise; nil: the fetch.
func (s *subject) object(n words.Notes, st *State) {
	for ; n != 0; n &= n - 1 {
		s.add(Ground{Word: n & -n, Capture: st})
	}
}

func (s *subject) add(g Ground) {
	if !slices.Contains(s.record.Grounds, g) {
		s.record.Grounds = append(s.record.Grounds, g)
	}
}

// objections are the words of grounds that have their effect.
func objections(grounds []Ground) (n words.Notes) {
	for i := range grounds {
		if g := &grounds[i]; !g.isRemark {
			n |= g.Word
		}
	}
	return n
}

// notes are the words of a finding's grounds: of a disallowed fetch all, else of those that came with the verdict. A
// fetch that is contested is not excused by a redirect, too.
func (r *Finding) notes() words.Notes {
	if r.Verdict != words.Disallowed {
		return objections(r.Grounds[:r.ofVerdict])
	}
	n := objections(r.Grounds)
	n &^= when(n&words.Contests != 0, words.NoteRedirectTarget)
	for i := range r.Grounds {
		n |= when(r.Grounds[i].isRemark, r.Grounds[i].Word)
	}
	return n
}

// certify is the class of a disallowed fetch: the strongest effect among its grounds.
func certify(grounds []Ground) words.Certainty {
	switch n := objections(grounds); {
	case n&words.Contests != 0: // "Permitted copies", "Open readings"
		return words.Contested
	case n&words.Disproofs != 0:
		return words.Possible
	case n&words.Doubts != 0:
		return words.Probable
	}
	return words.Certain
}

// mayBeProven reports whether a fetch is possible as an index alone reports it: its record may show that it is a
// violation, unless there is another objection.
func mayBeProven(grounds []Ground) bool {
	const shown = words.NoteNoStatus | words.GroundSameSecond
	n := objections(grounds)
	return n&shown != 0 && n&words.Disproofs&^(shown|words.NoteRedirectTarget|words.NoteNoRecord) == 0
}

// Contester is the permitted copy that allows a contested fetch; nil: there is none.
func (r *Finding) Contester() *State {
	i := slices.IndexFunc(r.Grounds, func(g Ground) bool { return g.Word == words.NotePermittedCopy })
	if i < 0 || r.Certainty != words.Contested {
		return nil
	}
	return r.Grounds[i].Capture
}

// Objections are the reasons for the class of a disallowed fetch, the strongest effect first. Of one effect, they stand
// in the order in which they were found. A failure of robots.txt is one, though it changes no class.
func (r *Finding) Objections() (list []Ground) {
	if r.Verdict != words.Disallowed {
		return nil
	}
	for _, set := range [...]words.Notes{words.Contests, words.Disproofs, words.Doubts, words.GroundFailed} {
		for _, g := range r.Grounds {
			if g.Word&set != 0 && !g.isRemark {
				list = append(list, g)
			}
		}
	}
	return list
}

// Considered returns the grounds that are captures, the governing one first; none where no capture was needed. The
// verdict needs no other capture of its origin.
func (r *Finding) Considered() []Ground {
	if r.Governing == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Grounds), func(g Ground) bool { return g.Word != 0 })
}
