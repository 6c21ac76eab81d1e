package robots

import (
	"cmp"
	"slices"
	"strings"
)

// A tree finds, of many texts, the longest that a text begins with. The time it takes
// depends on the length of that text, and on the number of texts as a logarithm alone.
type tree struct {
	texts  []string // sorted, each once; the first is empty
	up     []int32  // parallel: the longest other text that each begins with; of the first, -1
	far    []int32  // parallel: a shorter one, so that few steps lead from a text to any that it begins with
	firsts byteSet  // of the texts
}

// newTree makes a tree of sorted texts.
func newTree(sorted []string) tree {
	t := tree{texts: slices.Compact(append([]string{""}, sorted...))}
	n := len(t.texts)
	t.up, t.far = make([]int32, n), make([]int32, n)
	depth := make([]int32, n)
	t.up[0] = -1
	for i := 1; i < n; i++ {
		t.firsts.add(t.texts[i][0])
		up := int32(i - 1)
		for !strings.HasPrefix(t.texts[i], t.texts[up]) {
			up = t.up[up]
		}
		t.up[i], t.far[i], depth[i] = up, up, depth[up]+1
		if far := t.far[up]; depth[up]-depth[far] == depth[far]-depth[t.far[far]] {
			t.far[i] = t.far[far]
		}
	}
	return t
}

// longest returns the number of the longest text that s begins with.
func (t *tree) longest(s string) int32 {
	low, high := 0, len(t.texts) // t.texts[low] <= s < t.texts[high]
	for high-low > 1 {
		middle := int(uint(low+high) / 2)
		if t.texts[middle] <= s {
			low = middle
		} else {
			high = middle
		}
		count(1)
	}
	same := common(t.texts[low], s)
	count(same)
	i := int32(low)
	for len(t.texts[i]) > same {
		if far := t.far[i]; len(t.texts[far]) > same {
			i = far
		} else {
			i = t.up[i]
		}
		count(1)
	}
	return i
}

// common returns how many first bytes two texts have in common.
func common(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// An index finds the rules of a group that may match a path.
type index struct {
	literals
	tried
}

// literals are rules without a "*". The longest one that a path begins with leads to all of them
// that match it.
type literals struct {
	tree
	open  []uint32 // by text: 1 + the rule that ranks highest of those that match whatever begins with the text
	whole []uint32 // by text: 1 + the rule that ranks highest of those that match the text alone
}

// tried are rules that have to be tried where a path has a text of theirs: begins with it, or has it
// anywhere.
type tried struct{ heads, pieces keyedRules }

// keyedRules are rules by a text that every path has which they match.
type keyedRules struct {
	tree
	first []uint32 // by text, and one more: the first of its rules
	rules []uint32
}

// A keyed is a rule with the text by which it is found.
type keyed struct {
	text string
	rule uint32
}

func newIndex(rules []matcher) *index {
	var plain []keyed
	var wild []uint32
	for i := range rules {
		if m := &rules[i]; m.wild() {
			wild = append(wild, uint32(i))
		} else {
			plain = append(plain, keyed{m.text, uint32(i)})
		}
	}
	return &index{newLiterals(plain, rules), newTried(rules, wild)}
}

// newTried indexes some of the rules, each by the text that fewest of them share.
func newTried(rules []matcher, some []uint32) tried {
	shared := make(map[string]int)
	for _, i := range some {
		for _, key := range rules[i].keys() {
			shared[key]++
		}
	}
	var heads, pieces []keyed
	for _, i := range some {
		keys := rules[i].keys()
		best := 0
		for k, key := range keys {
			fewer := cmp.Or(cmp.Compare(shared[key], shared[keys[best]]), -cmp.Compare(len(key), len(keys[best]))) <= 0
			if key != "" && (keys[best] == "" || fewer) {
				best = k
			}
		}
		if key := (keyed{keys[best], i}); best == 0 {
			heads = append(heads, key)
		} else {
			pieces = append(pieces, key)
		}
	}
	return tried{newKeyedRules(heads), newKeyedRules(pieces)}
}

// maxKey bounds the bytes of a key that may stand anywhere in a path, and so the time
// in which it is sought at each of its places.
const maxKey = 16

// keys returns texts that every path that the rule matches contains: it begins with the first, and has the
// others somewhere. They are empty where the rule has none.
func (m *matcher) keys() [3]string {
	if !m.wild() {
		return [...]string{m.text, "", ""}
	}
	longest := ""
	for piece := range strings.SplitSeq(m.tail(), "*") {
		if len(piece) > len(longest) {
			longest = piece
		}
	}
	if len(longest) <= maxKey {
		return [...]string{m.text[:m.star], longest, ""}
	}
	return [...]string{m.text[:m.star], longest[:maxKey], longest[len(longest)-maxKey:]}
}

// treeOf makes a tree of the texts of a list, which it sorts.
func treeOf(list []keyed) tree {
	slices.SortFunc(list, func(a, b keyed) int {
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.rule, b.rule))
	})
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].text
	}
	return newTree(texts)
}

func newLiterals(list []keyed, rules []matcher) literals {
	l := literals{tree: treeOf(list)}
	l.open, l.whole = make([]uint32, len(l.texts)), make([]uint32, len(l.texts))
	at := 0
	for i := range l.texts {
		if i > 0 {
			l.open[i] = l.open[l.up[i]]
		}
		for ; at < len(list) && list[at].text == l.texts[i]; at++ {
			best := &l.open[i]
			if rules[list[at].rule].anchored {
				best = &l.whole[i]
			}
			if *best == 0 || rules[*best-1].rank < rules[list[at].rule].rank {
				*best = 1 + list[at].rule
			}
		}
	}
	return l
}

// best returns the rule that ranks highest of those that match the path, nil where none does.
func (l *literals) best(path string, rules []matcher) (best *matcher) {
	i := l.longest(path)
	if l.open[i] > 0 {
		best = &rules[l.open[i]-1]
	}
	if l.whole[i] > 0 && len(l.texts[i]) == len(path) {
		if m := &rules[l.whole[i]-1]; best == nil || m.rank > best.rank {
			best = m
		}
	}
	return best
}

func newKeyedRules(list []keyed) keyedRules {
	w := keyedRules{tree: treeOf(list)}
	w.first, w.rules = make([]uint32, len(w.texts)+1), make([]uint32, len(list))
	at := 0
	for i, text := range w.texts {
		for ; at < len(list) && list[at].text == text; at++ {
			w.rules[at] = list[at].rule
		}
		w.first[i+1] = uint32(at)
	}
	return w
}

// appendRules appends the rules whose texts begin found texts, each once, and at most one more
// than limit.
func (w *keyedRules) appendRules(rules []uint32, found []int32, limit int) []uint32 {
	slices.Sort(found)
	last := int32(-1)
	for _, i := range found {
		// Where text i begins with one up to the last, so does the last itself,
		// because it stands between the two: its rules are there.
		for up := i; up > last && len(rules) <= limit; up = w.up[up] {
			rules = append(rules, w.rules[w.first[up]:w.first[up+1]]...)
		}
		last = i
	}
	return rules[:min(len(rules), limit+1)]
}

// in returns the rules to be tried on a path, each once, and at most one more than limit. They are
// in the room's buffer.
func (t *tried) in(r *room, path string, limit int) []uint32 {
	r.found = append(r.found[:0], t.heads.longest(path))
	r.rules = t.heads.appendRules(r.rules[:0], r.found, limit)
	r.found = r.found[:0]
	for i := 0; i < len(path) && len(t.pieces.rules) > 0; i++ {
		if !t.pieces.firsts.has(path[i]) {
			continue
		}
		if piece := t.pieces.longest(path[i:]); piece > 0 {
			r.found = append(r.found, piece)
		}
	}
	r.rules = t.pieces.appendRules(r.rules, r.found, limit)
	return r.rules
}

// best returns the most specific rule that matches the path, nil where none does, and
// what it costs to try the rules with a "*" that may match. They are not tried where that is
// tooCostly.
func (x *index) best(path string, rules []matcher) (best *matcher, cost int) {
	best = x.literals.best(path, rules)
	if len(x.heads.rules)+len(x.pieces.rules) == 0 {
		return best, 0
	}
	r := rooms.Get().(*room)
	defer rooms.Put(r)
	limit := maxTried(path)
	try := x.tried.in(r, path, limit)
	if len(try) > limit {
		return nil, tooCostly
	}
	h := head(path)
	for _, i := range try {
		if m := &rules[i]; (best == nil || m.rank > best.rank) && m.matches(path, h) {
			best = m
		}
	}
	return best, costOf(len(try), path)
}
