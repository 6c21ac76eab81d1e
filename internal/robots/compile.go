package robots

import "strings"

// A matcher is a rule in the form that is matched. RFC 9309 §2.2.2, §2.2.3.
type matcher struct {
	// The first bytes of the prefix, and ones in their places: one comparison
	// with the path's tells most rules that do not match.
	head, mask uint64
	rank       uint64 // of the matchers that match, the one of the highest rank decides
	rule       *Rule
	star, end  uint32 // what is matched is rule.Pattern[:end]; its first "*", else end
	anchored   bool   // a "$" follows
}

// tail returns what stands after the first "*".
func (m *matcher) tail() string { return m.rule.Pattern[m.star+1 : m.end] }

// wild reports whether there is a "*".
func (m *matcher) wild() bool { return m.star < m.end }

// rank orders rules by what decides where several match: the longer pattern,
// of equal ones the allow rule (RFC 9309 §2.2.2), else the first in the file.
// It is never 0. The parts are wide enough for maxBody.
func rank(length int, allow bool, order int) uint64 {
	const orderBits = 30
	r := uint64(length)<<(orderBits+1) | (1<<orderBits - 1 - uint64(order))
	if allow {
		r |= 1 << orderBits
	}
	return r
}

// head returns the first eight bytes of s; where there are fewer, zeros follow.
func head(s string) (h uint64) {
	if len(s) >= 8 {
		return word(s)
	}
	for i := len(s) - 1; i >= 0; i-- {
		h = h<<8 | uint64(s[i])
	}
	return h
}

const (
	bucketCount = 128
	fewRules    = 32 // are matched one after another
)

// matchers are the rules of a group in the order in which they are tried.
type matchers struct {
	rules []matcher
	// buckets index rules by the second byte of their pattern, the first being
	// "/": rules[buckets[h]:buckets[h+1]]. Those that any path may match come in
	// all paths' way, rules[:buckets[0]]. nil: rules is short.
	buckets *[bucketCount + 1]uint32
}

// compile fills in the matchers of a Group.
func (f *File) compile(g *Group) {
	if g.compiled {
		return
	}
	g.compiled = true
	n := 0
	for _, m := range g.members {
		n += len(f.rulesOf(m))
	}
	g.rules = make([]matcher, 0, n)
	list := make([]Rule, 0, n)
	for _, m := range g.members {
		for _, r := range f.rulesOf(m) {
			list = append(list, f.public(r))
			g.add(&list[len(list)-1])
		}
	}
	g.index()
}

// public returns a rule in the form in which it is given out.
func (f *File) public(r rule) Rule {
	return Rule{r.allow, f.text[r.text:r.end], f.spec.pattern(f.text[r.value:r.end]), int(r.line)}
}

// rulesOf returns the rules of the i-th group.
func (f *File) rulesOf(i int) []rule {
	rules := f.rules[f.groups[i].firstRule:]
	if i+1 < len(f.groups) {
		rules = rules[:f.groups[i+1].firstRule-f.groups[i].firstRule]
	}
	return rules
}

func (g *Group) add(r *Rule) {
	pattern, anchored := strings.CutSuffix(r.Pattern, "$")
	g.addMatcher(r, len(pattern), anchored)
	if g.spec.indexPage && r.Allow {
		// Google gives a second pattern to an allow rule for an index page: that
		// of its folder.
		i := strings.LastIndexByte(r.Pattern, '/')
		if i >= 0 && strings.HasPrefix(r.Pattern[i:], "/index.htm") {
			g.addMatcher(r, i+1, true)
		}
	}
}

func (g *Group) addMatcher(r *Rule, end int, anchored bool) {
	length := end
	if anchored {
		length++
	}
	rank := rank(length, r.Allow, len(g.rules))
	if r.Allow {
		g.allow = max(g.allow, rank)
	} else {
		g.disallow = max(g.disallow, rank)
	}
	m := newMatcher(r, end, anchored, rank)
	if m.wild() {
		g.wild++
	}
	g.rules = append(g.rules, m)
}

// newMatcher compiles r.Pattern[:end], behind which a "$" stands if it is
// anchored.
func newMatcher(r *Rule, end int, anchored bool, rank uint64) matcher {
	prefix, _, _ := strings.Cut(r.Pattern[:end], "*")
	return matcher{
		head:     head(prefix),
		mask:     1<<(8*min(len(prefix), 8)) - 1,
		rank:     rank,
		rule:     r,
		star:     uint32(len(prefix)),
		end:      uint32(end),
		anchored: anchored,
	}
}

// index orders the rules by bucket, in place, where they are many. Within a
// bucket any order will do, since ranks decide.
func (g *matchers) index() {
	if len(g.rules) <= fewRules {
		return
	}
	var next, ends [bucketCount + 1]uint32 // [0] is of rules in no bucket
	for i := range g.rules {
		ends[g.rules[i].bucket()+1]++
	}
	var sum uint32
	for b, n := range ends {
		next[b] = sum
		sum += n
		ends[b] = sum
	}
	for b := range next {
		for next[b] < ends[b] {
			m := &g.rules[next[b]]
			own := m.bucket() + 1
			if own != b {
				other := &g.rules[next[own]]
				*m, *other = *other, *m
			}
			next[own]++
		}
	}
	g.buckets = &ends
}

// bucket returns which paths the rule may match, by their second byte; -1 is
// any.
func (m *matcher) bucket() int {
	if m.star < 2 {
		return -1
	}
	return int(byte(m.head>>8) % bucketCount)
}

// best returns the most specific rule that matches a path in the form of the
// matchers, nil where none does.
func (g *matchers) best(path string) *matcher {
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
// be, so nothing is ever tried twice: it takes time linear in the lengths of
// pattern and path.
func (m *matcher) match(path string) bool {
	n := int(m.star)
	count(n)
	if len(path) < n || n > 8 && path[8:n] != m.rule.Pattern[8:n] {
		return false
	}
	if !m.wild() {
		return !m.anchored || len(path) == n
	}
	path = path[n:]
	tail := m.tail()
	for {
		piece, rest, more := strings.Cut(tail, "*")
		if !more && m.anchored {
			count(len(piece))
			return strings.HasSuffix(path, piece)
		}
		i := index(path, piece)
		if i < 0 || !more {
			return i >= 0
		}
		path, tail = path[i+len(piece):], rest
	}
}

// index is strings.Index, counted. That falls back on a rolling hash where many places of
// the text begin like the piece, so that it takes linear time.
func index(text, piece string) int {
	i := strings.Index(text, piece)
	if i < 0 {
		count(len(text))
	} else {
		count(i + len(piece))
	}
	return i
}

// counter, which only tests set, is told how many bytes matching looks at.
var counter func(bytes int)

func count(bytes int) {
	if counter != nil {
		counter(bytes)
	}
}
