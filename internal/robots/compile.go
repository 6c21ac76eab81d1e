package robots

import "strings"

// A matcher is a rule in the form that is matched. RFC 9309 §2.2.2, §2.2.3.
type matcher struct {
	prefix   string // up to the first "*"
	tail     string // after it, without the final "$"
	length   int    // of the whole pattern, in octets
	order    int    // of the rule in the file
	allow    bool
	wild     bool // there is a "*"
	anchored bool // a final "$"
	rule     *Rule
}

const (
	bucketCount = 128
	fewRules    = 8 // are matched one after another
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
	for _, m := range g.members {
		rules := f.rulesOf(m)
		for i := range rules {
			g.add(&rules[i], rules[i].Pattern)
			if f.spec.indexPage {
				g.addFolder(&rules[i])
			}
		}
	}
	if len(g.rules) > fewRules {
		g.sortIntoBuckets()
	}
}

// rulesOf returns the rules of the i-th group.
func (f *File) rulesOf(i int) []Rule {
	rules := f.rules[f.groups[i].firstRule:]
	if i+1 < len(f.groups) {
		rules = rules[:f.groups[i+1].firstRule-f.groups[i].firstRule]
	}
	return rules
}

// addFolder adds the second pattern that Google gives to an allow rule for an
// index page: that of its folder.
func (g *Group) addFolder(r *Rule) {
	if !r.Allow {
		return
	}
	i := strings.LastIndexByte(r.Pattern, '/')
	if i >= 0 && strings.HasPrefix(r.Pattern[i:], "/index.htm") {
		g.add(r, r.Pattern[:i+1]+"$")
	}
}

func (g *Group) add(r *Rule, pattern string) {
	m := matcher{
		length: len(pattern),
		order:  len(g.rules),
		allow:  r.Allow,
		rule:   r,
	}
	if r.class&(classPercent|classDelimiting) != 0 {
		g.noteDelims(pattern)
	}
	pattern, m.anchored = strings.CutSuffix(pattern, "$")
	m.prefix, m.tail, m.wild = strings.Cut(pattern, "*")
	g.rules = append(g.rules, m)
}

// noteDelims records whether the pattern has gen-delims that a path could have
// in the other form, raw or encoded, after its first "?".
func (g *Group) noteDelims(pattern string) {
	if !g.spec.unreserved {
		return
	}
	late := false
	for i := 0; i < len(pattern); i++ {
		b := pattern[i]
		switch {
		case late && isGenDelim(b):
			g.rawDelim = true
		case b == '%':
			v, ok := escape(pattern, i)
			g.encodedDelim = g.encodedDelim || ok && isGenDelim(v)
		}
		late = late || b == '?' || b == '*'
	}
}

// sortIntoBuckets orders the rules by bucket, and within it by file order.
func (g *Group) sortIntoBuckets() {
	var count [bucketCount + 1]uint32 // count[0] is of rules in no bucket
	for i := range g.rules {
		count[g.rules[i].bucket()+1]++
	}
	starts := new([bucketCount + 1]uint32)
	next := count // where the next rule of each bucket goes
	var sum uint32
	for i, c := range &count {
		next[i] = sum
		sum += c
		starts[i] = sum
	}
	sorted := make([]matcher, len(g.rules))
	for i := range g.rules {
		b := g.rules[i].bucket() + 1
		sorted[next[b]] = g.rules[i]
		next[b]++
	}
	g.rules, g.buckets = sorted, starts
}

// bucket returns which paths the rule may match, by their second octet; -1 is
// any.
func (m *matcher) bucket() int {
	if len(m.prefix) < 2 {
		return -1
	}
	return int(m.prefix[1] % bucketCount)
}

// outranks reports whether m decides where other matches too: the longer
// pattern does, of equal ones the allow rule (RFC 9309 §2.2.2), else the first.
func (m *matcher) outranks(other *matcher) bool {
	switch {
	case other == nil || m.length != other.length:
		return other == nil || m.length > other.length
	case m.allow != other.allow:
		return m.allow
	}
	return m.order < other.order
}

// match reports whether the pattern matches a normalised path. Pieces between
// stars are sought from left to right, each as early as it can be, so nothing
// is ever tried twice.
func (m *matcher) match(path string) bool {
	if !strings.HasPrefix(path, m.prefix) {
		return false
	}
	if !m.wild {
		return !m.anchored || len(path) == len(m.prefix)
	}
	path = path[len(m.prefix):]
	tail := m.tail
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
