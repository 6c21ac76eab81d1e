package robots

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"
)

// A Reason says why a Decision is what it is.
type Reason uint8

const (
	_               Reason = iota
	ReasonRule             // a rule decided
	ReasonNoRule           // no rule of the group matches: allowed
	ReasonNoGroup          // no group governs the token: allowed
	ReasonRobotsTxt        // /robots.txt itself is allowed
	ReasonTooCostly        // undecided: too many rules have a "*" for so long a path
)

var reasonNames = [...]string{
	0:               "unknown",
	ReasonRule:      "rule",
	ReasonNoRule:    "no_matching_rule",
	ReasonNoGroup:   "no_matching_group",
	ReasonRobotsTxt: "robots_txt_itself",
	ReasonTooCostly: "too_costly",
}

func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return reasonNames[0]
}

// A Rule is an allow or disallow line that can match something.
type Rule struct {
	Allow   bool
	Text    string // the line as written, trimmed, without comment
	Pattern string // the normalised pattern
	Line    int    // from 1
}

// maxCost bounds the time that a match can take: the rules of the group that have a
// "*", each of which may have to look at all of the path, times the bytes of the
// path. It is 1,024 rules and 64 KiB; of 4,231 real files none has more than 582 such
// rules for one crawler.
const maxCost = 1 << 26

// A Decision is what a group says of a path.
type Decision struct {
	Allowed bool // false where the Reason is ReasonTooCostly: nothing is known
	Reason  Reason
	// Rule decided; nil unless Reason is ReasonRule.
	Rule *Rule

	rank uint64 // of the matcher that decided; 0 is none
}

// A Group is the rules that govern a token: those of all groups in the file
// that name it, else of the `*` groups. It does not change and may be used by
// several goroutines.
type Group struct {
	file    *File
	spec    *spec // of the file
	members []int // indexes of groups in the file, rising
	key     int

	compiled bool
	matchers
	disallow, allow uint64 // the highest rank of a rule of that kind
	wild            int    // how many rules have a "*"

	equal equalities
}

// Line returns the first user-agent line of the group that holds the rule; that
// of the first group where there is no rule, and 0 where no group matched.
func (g *Group) Line(r *Rule) int {
	switch {
	case r != nil:
		return g.file.groupLine(g.file.groupsUpTo(r.Line))
	case len(g.members) == 0:
		return 0
	}
	return g.file.groupLine(g.members[0] + 1)
}

// Lines returns the first user-agent line of each of the groups.
func (g *Group) Lines() (lines []int) {
	for _, m := range g.members {
		lines = append(lines, g.file.groupLine(m+1))
	}
	return lines
}

// Rules returns the number of rules in the groups that can match something.
func (g *Group) Rules() (n int) {
	for _, m := range g.members {
		n += len(g.file.rulesOf(m))
	}
	return n
}

// Matched reports whether a group of the file governs the token.
func (g *Group) Matched() bool { return g.key != 0 }

// Key returns a small number that tells the distinct sets of groups of a file
// apart; 0 is no group. It depends on nothing but the body and the profile.
func (g *Group) Key() int { return g.key }

// Match decides on a path: the recorded path and "?query", no fragment; an empty
// one is "/". It allocates nothing, and takes time linear in the lengths of the path and
// of each pattern; where that is too much in all, the Reason is ReasonTooCostly.
func (g *Group) Match(path string) Decision {
	switch {
	case path == "/robots.txt" && g.spec.selfAllowed:
		return Decision{Allowed: true, Reason: ReasonRobotsTxt}
	case g.key == 0:
		return Decision{Allowed: true, Reason: ReasonNoGroup}
	case g.wild*len(path) > maxCost:
		return Decision{Reason: ReasonTooCostly}
	case path == "":
		path = "/"
	}
	var best *matcher
	if !g.spec.unreserved || isNormal(path) {
		best = g.best(path)
	} else {
		best = g.bestRewritten(path, 0)
	}
	return decision(best)
}

func decision(m *matcher) Decision {
	if m == nil {
		return Decision{Allowed: true, Reason: ReasonNoRule}
	}
	return Decision{Allowed: m.rule.Allow, Reason: ReasonRule, Rule: m.rule, rank: m.rank}
}

// A room is a buffer in which a path is rewritten. Rooms are used again, so that
// matching allocates nothing once there are enough; one larger than maxRoom bytes
// is not kept.
type room struct{ buf []byte }

var rooms = sync.Pool{New: func() any { return new(room) }}

const maxRoom = 1 << 20

// bestRewritten returns the most specific of the rules that match the path once
// both have their normal form and, in it, the form of a reading.
func (g *Group) bestRewritten(path string, equal Readings) *matcher {
	r := rooms.Get().(*room)
	buf := r.buf[:0]
	if g.spec.unreserved {
		buf = appendNormal(buf, path)
		path = alias(buf)
	}
	m := &g.matchers
	if equal != 0 {
		normal := len(buf)
		buf = appendEqual(buf, path, equal, false)
		path = alias(buf[normal:])
		m = g.equalMatchers(equal)
	}
	best := m.best(path)
	if r.buf = buf; cap(buf) <= maxRoom {
		rooms.Put(r)
	}
	return best
}

// alias returns a string of bytes that do not change as long as it is used. A
// conversion would allocate.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Matching returns all rules that match a path, the one that decides first. It
// is for explanations.
func (g *Group) Matching(path string) []*Rule {
	if path == "" {
		path = "/"
	}
	if g.spec.unreserved && !isNormal(path) {
		path = string(appendNormal(nil, path))
	}
	var all []*matcher
	for i := range g.rules {
		if m := &g.rules[i]; m.matches(path, head(path)) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *matcher) int { return cmp.Compare(b.rank, a.rank) })
	var rules []*Rule
	listed := make(map[*Rule]bool) // in Google's profile one rule can be two patterns
	for _, m := range all {
		if !listed[m.rule] {
			listed[m.rule] = true
			rules = append(rules, m.rule)
		}
	}
	return rules
}
