package robots

import (
	"slices"
	"strings"
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
)

var reasonNames = [...]string{
	0:               "unknown",
	ReasonRule:      "rule",
	ReasonNoRule:    "no_matching_rule",
	ReasonNoGroup:   "no_matching_group",
	ReasonRobotsTxt: "robots_txt_itself",
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

// A Decision is what a group says of a path.
type Decision struct {
	Allowed bool
	Reason  Reason
	// Rule decided; nil unless Reason is ReasonRule.
	Rule *Rule
	// ReservedEncoding says that the verdict would be the opposite if raw and
	// percent-encoded gen-delims (RFC 3986 §2.2) after the first "?" were equal,
	// as a sentence and a figure of RFC 9309 §2.2.2 can be read.
	ReservedEncoding bool
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
	rules    []matcher
	// buckets index rules by the second octet of their pattern, the first
	// being "/": rules[buckets[h]:buckets[h+1]]. Those that any path may
	// match come in all paths' way, rules[:buckets[0]]. nil: rules is short.
	buckets *[bucketCount + 1]uint32
	// What in the rules could make ReservedEncoding true: an encoded
	// gen-delim anywhere, a raw one where it could stand after a "?".
	encodedDelim, rawDelim bool
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

// Matched reports whether a group of the file governs the token.
func (g *Group) Matched() bool { return g.key != 0 }

// Key returns a small number that tells the distinct sets of groups of a file
// apart; 0 is no group. It depends on nothing but the body and the profile.
func (g *Group) Key() int { return g.key }

// Match decides on a path: the recorded path and "?query", no fragment; an empty
// one is "/". It allocates nothing.
func (g *Group) Match(path string) Decision {
	switch {
	case path == "/robots.txt" && g.spec.selfAllowed:
		return Decision{Allowed: true, Reason: ReasonRobotsTxt}
	case g.key == 0:
		return Decision{Allowed: true, Reason: ReasonNoGroup}
	case path == "":
		path = "/"
	}
	var best *matcher
	if !g.spec.unreserved || isNormal(path) {
		best = g.best(path)
	} else {
		best = g.bestNormalised(path)
	}
	d := decision(best)
	if (g.encodedDelim || g.rawDelim) && g.reservedMatters(path) {
		d.ReservedEncoding = decision(g.bestStreamed(path, true)).Allowed != d.Allowed
	}
	return d
}

func decision(m *matcher) Decision {
	if m == nil {
		return Decision{Allowed: true, Reason: ReasonNoRule}
	}
	return Decision{Allowed: m.rule.Allow, Reason: ReasonRule, Rule: m.rule}
}

// best returns the most specific rule that matches a normalised path, nil where
// none does.
func (g *Group) best(path string) *matcher {
	h := head(path)
	if g.buckets == nil {
		return mostSpecific(nil, g.rules, path, h)
	}
	best := mostSpecific(nil, g.rules[:g.buckets[0]], path, h)
	if len(path) > 1 {
		b := path[1] % bucketCount
		best = mostSpecific(best, g.rules[g.buckets[b]:g.buckets[b+1]], path, h)
	}
	return best
}

func mostSpecific(best *matcher, rules []matcher, path string, head uint64) *matcher {
	var rank uint64
	if best != nil {
		rank = best.rank
	}
	for i := range rules {
		if m := &rules[i]; (head^m.head)&m.mask == 0 && m.rank > rank && m.match(path) {
			best, rank = m, m.rank
		}
	}
	return best
}

// A normalised path of at most smallRoom octets, or of at most largeRoom, is
// laid out on the stack. A longer one is normalised on the fly, once for each
// rule.
const (
	smallRoom = 1 << 10
	largeRoom = 64 << 10
)

// bestNormalised is best for a path that is not normalised.
func (g *Group) bestNormalised(path string) *matcher {
	if best, ok := g.bestInSmallRoom(path); ok {
		return best
	}
	if best, ok := g.bestInLargeRoom(path); ok {
		return best
	}
	return g.bestStreamed(path, false)
}

func (g *Group) bestInSmallRoom(path string) (best *matcher, ok bool) {
	var room [smallRoom]byte
	return g.bestInRoom(room[:0], path)
}

func (g *Group) bestInLargeRoom(path string) (best *matcher, ok bool) {
	var room [largeRoom]byte
	return g.bestInRoom(room[:0], path)
}

// bestInRoom normalises the path into room if it fits.
func (g *Group) bestInRoom(room []byte, path string) (best *matcher, ok bool) {
	normal, ok := appendNormal(room, path)
	if !ok {
		return nil, false
	}
	// The string does not outlive this call, during which nothing writes to
	// room. A conversion would allocate.
	return g.best(unsafe.String(unsafe.SliceData(normal), len(normal))), true
}

// Matching returns all rules that match a path, the one that decides first. It
// is for explanations.
func (g *Group) Matching(path string) []*Rule {
	if path == "" {
		path = "/"
	}
	var all []*matcher
	for i := range g.rules {
		if g.rules[i].matchStream(newStream(path, g.spec.unreserved, false)) {
			all = append(all, &g.rules[i])
		}
	}
	slices.SortFunc(all, func(a, b *matcher) int {
		if a.outranks(b) {
			return -1
		}
		return 1
	})
	var rules []*Rule
	for _, m := range all {
		if !slices.Contains(rules, m.rule) { // in Google's profile one rule can be two patterns
			rules = append(rules, m.rule)
		}
	}
	return rules
}

// bestStreamed is best for a path of any length that is not normalised;
// delimsEqual takes raw and encoded gen-delims after the first "?" as equal.
func (g *Group) bestStreamed(path string, delimsEqual bool) (best *matcher) {
	for i := range g.rules {
		m := &g.rules[i]
		if !m.outranks(best) {
			continue
		}
		if m.matchStream(newStream(path, g.spec.unreserved, false)) ||
			delimsEqual && m.matchStream(newStream(path, g.spec.unreserved, true)) {
			best = m
		}
	}
	return best
}

// reservedMatters reports whether the path holds, after its first "?", a
// gen-delim in the form that a rule of this group may have in the other form.
func (g *Group) reservedMatters(path string) bool {
	i := strings.IndexByte(path, '?')
	if i < 0 {
		return false
	}
	for i++; i < len(path); i++ {
		if isGenDelim(path[i]) && g.encodedDelim {
			return true
		}
		if b, ok := escape(path, i); ok && isGenDelim(b) && g.rawDelim {
			return true
		}
	}
	return false
}
