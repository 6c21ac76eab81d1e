package robots

import "strings"

// A matcher is a rule in the form that is matched. RFC 9309 §2.2.2, §2.2.3.
type matcher struct {
	// The first octets of the prefix, and ones in their places: one comparison
	// with the path's tells most rules that do not match.
	head, mask uint64
	rank       uint64 // of the matchers that match, the one of the highest rank decides
	rule       *Rule
	star, end  uint32 // what is matched is rule.Pattern[:end]; its first "*", else end
	anchored   bool   // a "$" follows
}

// prefix returns what stands before the first "*".
func (m *matcher) prefix() string { return m.rule.Pattern[:m.star] }

// tail returns what stands after it.
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

// head returns the first eight octets of s; where there are fewer, zeros follow.
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
	if len(g.rules) > fewRules {
		g.sortIntoBuckets()
	}
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
	g.noteDelims(r.Pattern)
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
	prefix, _, _ := strings.Cut(r.Pattern[:end], "*")
	length := end
	if anchored {
		length++
	}
	g.rules = append(g.rules, matcher{
		head:     head(prefix),
		mask:     1<<(8*min(len(prefix), 8)) - 1,
		rank:     rank(length, r.Allow, len(g.rules)),
		rule:     r,
		star:     uint32(len(prefix)),
		end:      uint32(end),
		anchored: anchored,
	})
}

// noteDelims records whether the pattern has gen-delims that a path could have
// in the other form, raw or encoded, after its first "?".
func (g *Group) noteDelims(pattern string) {
	if !g.spec.unreserved {
		return
	}
	if strings.IndexByte(pattern, '%') >= 0 {
		for i := range len(pattern) {
			v, ok := escape(pattern, i)
			g.encodedDelim = g.encodedDelim || ok && isGenDelim(v)
		}
	}
	query := strings.IndexByte(pattern, '?')
	if star := strings.IndexByte(pattern, '*'); star >= 0 && (star < query || query < 0) {
		query = star
	}
	if query >= 0 {
		g.rawDelim = g.rawDelim || strings.ContainsAny(pattern[query+1:], genDelims)
	}
}

// sortIntoBuckets orders the rules by bucket, in place. Within a bucket any
// order will do, since ranks decide.
func (g *Group) sortIntoBuckets() {
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

// bucket returns which paths the rule may match, by their second octet; -1 is
// any.
func (m *matcher) bucket() int {
	if m.star < 2 {
		return -1
	}
	return int(byte(m.head>>8) % bucketCount)
}

// outranks reports whether m decides where other, if any, matches too.
func (m *matcher) outranks(other *matcher) bool {
	return other == nil || m.rank > other.rank
}

// match reports whether the pattern matches a normalised path whose head is the
// prefix's as far as that goes. Pieces between stars are sought from left to
// right, each as early as it can be, so nothing is ever tried twice.
func (m *matcher) match(path string) bool {
	n := int(m.star)
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
		if !more {
			if m.anchored {
				return strings.HasSuffix(path, piece)
			}
			return strings.Contains(path, piece)
		}
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		path, tail = path[i+len(piece):], rest
	}
}
