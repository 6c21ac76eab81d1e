package robots

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"

	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// A Rule is an allow or disallow line that can match something.
type Rule struct {
	Allow   bool
	Text    string // the line as written, trimmed, without comment
	Pattern string // the normalised pattern
	Line    int    // from 1
}

// A Decision is the answer of a group for a path.
type Decision struct {
	Allowed bool // false where the Reason is TooCostly: nothing is known
	Reason  words.Reason
	// Rule decided; nil unless Reason is ReasonRule.
	Rule *Rule

	by ground
}

// Cost is how many bytes the rules with a "*" looked at, at most.
func (d *Decision) Cost() int { return d.by.cost }

// A ground holds the other facts about a Decision. It is a field of its own because the compiler
// keeps no struct of more than four fields in registers.
type ground struct {
	rank uint64 // of the matcher that decided; 0 is none
	cost int    // of trying rules with a "*"
}

// A Group is the rules that govern a token: the rules of all groups in the file that name it, else of the
// `*` groups. It does not change and may be used by several goroutines.
type Group struct {
	file    *File
	spec    *spec // of the file
	members []int // indexes of groups in the file, rising
	key     int

	compiled bool
	tooLarge bool // no rule is compiled, and nothing is known
	list     []Rule
	matchers
	disallow, allow uint64 // the highest rank of a rule of that kind

	once  sync.Once // guards equal
	equal *equalities
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

// Has reports whether one of the groups begins with the user-agent line of that number.
func (g *Group) Has(line int) bool {
	n := g.file.groupsUpTo(line)
	if n == 0 || g.file.groupLine(n) != line {
		return false
	}
	_, found := slices.BinarySearch(g.members, n-1)
	return found
}

// Rules returns the number of rules in the groups that can match something.
func (g *Group) Rules() (n int) {
	for _, m := range g.members {
		n += len(g.file.rulesOf(m))
	}
	return n
}

// TooLarge reports whether the rules of the groups are too many, together with what other tokens
// find in the file: nothing is known of any path (TooCostly).
func (g *Group) TooLarge() bool { return g.tooLarge }

// Matched reports whether a group of the file governs the token.
func (g *Group) Matched() bool { return g.key != 0 }

// Key returns a small number that is different for each distinct set of groups of a file; 0 is no group. It
// depends on nothing but the body and the profile.
func (g *Group) Key() int { return g.key }

// Match decides on a path: the recorded path and "?query", no fragment; an empty
// one is "/". It allocates nothing but what is compiled once, and takes time linear in the
// length of the path, whatever the number of rules without a "*". Of rules that have one,
// those have to be tried that may match: where they are too many for so long a path, the
// Reason is TooCostly.
func (g *Group) Match(path string) Decision {
	switch {
	case path == "/robots.txt" && g.spec.selfAllowed:
		return Decision{Allowed: true, Reason: words.RobotsTxtItself}
	case g.key == 0:
		return Decision{Allowed: true, Reason: words.NoMatchingGroup}
	case path == "":
		path = "/"
	}
	switch {
	case g.spec.form > normal.Raw:
		return g.decision(g.best(g.spec.form.Path(path)))
	case g.spec.form != normal.RFC9309 || normal.Is(path):
		return g.decision(g.best(path))
	}
	return g.decision(g.bestRewritten(path, 0))
}

// NormalPath returns the form of a recorded path in which the profile
// compares it with patterns.
func (p Profile) NormalPath(path string) string { return p.spec().form.Path(path) }

// MatchNormal is Match for what NormalPath returns: /robots.txt, too, is a path like
// any other.
func (g *Group) MatchNormal(path string) Decision { return g.decision(g.best(path)) }

func (g *Group) decision(m *matcher, cost int) Decision {
	switch {
	case cost == tooCostly || g.tooLarge:
		return Decision{Reason: words.TooCostly}
	case m == nil:
		return Decision{Allowed: true, Reason: words.NoMatchingRule, by: ground{0, cost}}
	}
	return Decision{m.allow(), words.ReasonRule, &g.list[m.order()], ground{m.rank, cost}}
}

// A room holds buffers that are used again, so that matching allocates nothing once there are enough: one
// for a rewritten path, which is not kept if it is larger than maxRoom bytes, and the buffers of tried.in.
type room struct {
	buf   []byte
	found []int32
	rules []uint32
}

var rooms = sync.Pool{New: func() any { return new(room) }}

const maxRoom = 1 << 20

// bestRewritten returns the most specific of the rules that match the path once
// both have their normal form and, in it, the form of a reading, and what that costs.
func (g *Group) bestRewritten(path string, equal Readings) (best *matcher, cost int) {
	r := rooms.Get().(*room)
	buf := r.buf[:0]
	if g.spec.form == normal.RFC9309 {
		buf = normal.Append(buf, path)
		path = alias(buf)
	}
	m := &g.matchers
	if equal != 0 {
		normal := len(buf)
		buf = appendEqual(buf, path, equal, false)
		path = alias(buf[normal:])
		m = g.equalMatchers(equal)
	}
	best, cost = m.best(path)
	if r.buf = buf; cap(buf) > maxRoom {
		r.buf = nil
	}
	rooms.Put(r)
	return best, cost
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
	path = g.spec.form.Path(path)
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
		if r := &g.list[m.order()]; !listed[r] {
			listed[r] = true
			rules = append(rules, r)
		}
	}
	return rules
}
