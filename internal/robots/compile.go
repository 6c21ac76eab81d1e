package robots

import (
	"strings"
	"sync"
	"sync/atomic"
)

// A matcher is a rule in the form that is matched. RFC 9309 §2.2.2, §2.2.3.
type matcher struct {
	// The first bytes of the text before the first "*", and ones in their places. One comparison with the
	// path's first bytes rules out most rules that do not match.
	head, mask uint64
	rank       uint64 // of the matchers that match, the one of the highest rank decides
	text       string // the pattern without a final "$", nor stars that other stars make needless
	star       uint32 // the first "*" in text, else its end
	anchored   bool   // a "$" follows
	leftmost   bool   // as in crawlerSpec
}

// tail returns the text after the first "*".
func (m *matcher) tail() string { return m.text[m.star+1:] }

// wild reports whether there is a "*".
func (m *matcher) wild() bool { return int(m.star) < len(m.text) }

// rank orders rules by what decides where several match: the longer pattern,
// of equal ones the allow rule (RFC 9309 §2.2.2), else the first in the file.
// It is never 0. The parts are wide enough for maxBody.
func rank(length int, allow bool, order int) uint64 {
	r := uint64(length)<<(orderBits+1) | (1<<orderBits - 1 - uint64(order))
	if allow {
		r |= 1 << orderBits
	}
	return r
}

const orderBits = 30

// order returns which rule of Group.list it is.
func (m *matcher) order() int { return 1<<orderBits - 1 - int(m.rank&(1<<orderBits-1)) }

func (m *matcher) allow() bool { return m.rank&(1<<orderBits) != 0 }

// head returns the first eight bytes of s; where there are fewer, zeros follow.
func head(s string) (h uint64) {
	for i := min(len(s), 8) - 1; i >= 0; i-- {
		h = h<<8 | uint64(s[i])
	}
	return h
}

const (
	fewRules  = 32  // are tried one after another
	fewPaths  = 64  // asked for are not worth an index
	fewWild   = 128 // rules with a "*" are always tried
	tryingOne = 64  // cost of trying a rule, in bytes looked at
	// maxCost bounds what trying rules with a "*" may cost: each may have to look at
	// all of the path.
	maxCost   = 1 << 21
	tooCostly = 1 << 60
)

// costOf is the cost of trying so many rules with a "*".
func costOf(rules int, path string) int { return rules * (len(path) + tryingOne) }

// maxTried returns how many rules with a "*" are tried at most.
func maxTried(path string) int { return max(fewWild, maxCost/(len(path)+tryingOne)) }

// matchers are the rules of a group in the form that is matched.
type matchers struct {
	rules []matcher
	wild  int // how many have a "*"

	asked atomic.Int32 // paths, without the index
	made  sync.Once    // guards index
	index *index       // of many rules, once many paths are asked for

	own interface{ best(string) (*matcher, int) } // in place of the index, where the profile has one
}

// compile fills in the matchers of a Group.
func (f *File) compile(g *Group) {
	if g.compiled || g.tooLarge {
		return
	}
	g.compiled = true
	n := 0
	for _, m := range g.members {
		n += len(f.rulesOf(m))
	}
	count(n + len(g.members))
	g.list = make([]Rule, 0, n)
	g.rules = make([]matcher, 0, n)
	for _, m := range g.members {
		for _, r := range f.rulesOf(m) {
			g.list = append(g.list, f.public(r))
			g.add(len(g.list) - 1)
		}
	}
	if f.spec.floor {
		g.own = newFloors(g.rules)
	}
}

// public returns a rule in the form in which it is given out.
func (f *File) public(r rule) Rule {
	return Rule{r.allow, f.text[r.text:r.end], f.spec.form.Pattern(f.text[r.value:r.end]), int(r.line)}
}

// rulesOf returns the rules of the i-th group.
func (f *File) rulesOf(i int) []rule {
	rules := f.rules[f.groups[i].firstRule:]
	if i+1 < len(f.groups) {
		rules = rules[:f.groups[i+1].firstRule-f.groups[i].firstRule]
	}
	return rules
}

func (g *Group) add(order int) {
	r := &g.list[order]
	if g.spec.literal {
		g.addMatcher(r.Pattern, false, order)
		return
	}
	pattern, anchored := strings.CutSuffix(r.Pattern, "$")
	g.addMatcher(pattern, anchored, order)
	if folder, found := g.spec.indexPage.folder(r); found {
		g.addMatcher(folder, true, order)
	}
}

// folder returns the pattern of the folder that a rule for an index page speaks of, too.
func (p indexPage) folder(r *Rule) (pattern string, found bool) {
	i := strings.LastIndexByte(r.Pattern, '/') + 1
	switch p {
	case indexGoogle:
		return r.Pattern[:i], r.Allow && i > 0 && strings.HasPrefix(r.Pattern[i:], "index.htm")
	case indexCommons:
		pattern, _, found = strings.Cut(r.Pattern, "index.htm")
		return pattern, found && (strings.HasSuffix(r.Pattern, "index.htm") || strings.HasSuffix(r.Pattern, "index.html"))
	}
	return "", false
}

func (g *Group) addMatcher(pattern string, anchored bool, order int) {
	length := len(pattern)
	if anchored {
		length++
	}
	if g.spec.first {
		length = 1<<orderBits - 1 - order
	}
	m := newMatcher(pattern, anchored, g.spec.literal, rank(length, g.list[order].Allow, order))
	m.leftmost = g.spec.leftmost
	if m.allow() {
		g.allow = max(g.allow, m.rank)
	} else {
		g.disallow = max(g.disallow, m.rank)
	}
	if m.wild() {
		g.wild++
	}
	g.rules = append(g.rules, m)
}

// newMatcher compiles a pattern without its final "$". literal: "*" is a character like any other.
func newMatcher(pattern string, anchored, literal bool, rank uint64) matcher {
	star := strings.IndexByte(pattern, '*')
	if literal {
		star = -1
	}
	if star >= 0 {
		pattern = withoutRuns(pattern)
		if pattern[len(pattern)-1] == '*' { // whatever follows is matched
			pattern, anchored = pattern[:len(pattern)-1], false
		}
	}
	if star < 0 || star > len(pattern) {
		star = len(pattern)
	}
	return matcher{
		head:     head(pattern[:star]),
		mask:     1<<(8*min(star, 8)) - 1,
		rank:     rank,
		text:     pattern,
		star:     uint32(star),
		anchored: anchored,
	}
}

// withoutRuns makes one star of stars that follow one another.
func withoutRuns(pattern string) string {
	if !strings.Contains(pattern, "**") {
		return pattern
	}
	short := make([]byte, 0, len(pattern))
	for i := range len(pattern) {
		if pattern[i] != '*' || i == 0 || pattern[i-1] != '*' {
			short = append(short, pattern[i])
		}
	}
	return string(short)
}

// best returns the most specific rule that matches a path in the form of the
// matchers, nil where none does, and what it costs to try the rules with a "*": they are
// not tried where that is tooCostly.
func (g *matchers) best(path string) (best *matcher, cost int) {
	if g.own != nil {
		return g.own.best(path)
	}
	if g.wild <= fewWild && (len(g.rules) <= fewRules || g.asked.Load() < fewPaths) {
		if len(g.rules) > fewRules {
			g.asked.Add(1)
		}
		return mostSpecific(g.rules, path), costOf(g.wild, path)
	}
	g.made.Do(func() { g.index = newIndex(g.rules) })
	best, cost = g.index.best(path, g.rules)
	if g.wild <= fewWild { // which is never too costly
		cost = costOf(g.wild, path) // whether there is an index or not
	}
	return best, cost
}

func mostSpecific(rules []matcher, path string) (best *matcher) {
	var rank uint64
	h := head(path)
	for i := range rules {
		if m := &rules[i]; (h^m.head)&m.mask == 0 && m.rank > rank && m.match(path) {
			best, rank = m, m.rank
		}
	}
	count(len(rules))
	return best
}

// matches reports whether the pattern matches a path of that head, in the form
// of the pattern.
func (m *matcher) matches(path string, head uint64) bool {
	return (head^m.head)&m.mask == 0 && m.match(path)
}

// match is matches for a path whose head is the prefix's as far as that goes.
// Pieces between stars are sought from left to right, each as early as it can
// be, so nothing is ever tried twice: it takes time linear in the length of the path,
// and no more where the pattern is longer.
func (m *matcher) match(path string) bool {
	n := int(m.star)
	// Stars are at most one more than other bytes.
	if len(path) < n || 2*len(path)+1 < len(m.text) {
		return false
	}
	count(n)
	if n > 8 && path[8:n] != m.text[8:n] {
		return false
	}
	if !m.wild() {
		return !m.anchored || len(path) == n
	}
	path = path[n:]
	tail := m.tail()
	for {
		piece, rest, more := strings.Cut(tail, "*")
		count(1 + len(piece))
		if !more && m.anchored && !m.leftmost {
			return strings.HasSuffix(path, piece)
		}
		i := indexOf(path, piece)
		if !more && m.anchored {
			return i >= 0 && i+len(piece) == len(path)
		}
		if i < 0 || !more {
			return i >= 0
		}
		path, tail = path[i+len(piece):], rest
	}
}

// indexOf is strings.Index, counted. That falls back on a rolling hash where many places of
// the text begin like the piece, so that it takes linear time.
func indexOf(text, piece string) int {
	i := strings.Index(text, piece)
	if i < 0 {
		count(len(text))
	} else {
		count(i)
	}
	return i
}

// counter, which only tests set, receives how many bytes, rules, groups and names are looked at.
var counter func(steps int)

func count(steps int) {
	if counter != nil {
		counter(steps)
	}
}
