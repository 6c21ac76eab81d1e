package robots

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// A Mode is how a crawler's token is compared with a user-agent line's value.
// The zero value is unknown and means the profile's own mode.
type Mode uint8

const (
	_ Mode = iota
	// ModeExact cuts the value at "/" and compares all of it with the token,
	// in any case. It finds real names that RFC 9309's grammar does not admit,
	// such as archive.org_bot and "Kangaroo Bot". Final stars, as in
	// "ExampleBot*", say nothing that the token does not: they are cut too, and
	// so is the operator in "Yahoo! Slurp". A token that ends in a version,
	// "Brightbot 1.0", is sought without it, too.
	ModeExact
	// ModeGoogle cuts the value at the first byte outside [A-Za-z_-] and
	// compares the rest with the token, which is never cut; "*" followed by
	// white space and more is still "*".
	ModeGoogle
	// ModeSubstring takes the first value, cut at "/", that the token
	// contains, as crawlers older than the RFC do. The whole User-Agent string
	// may stand for the token.
	ModeSubstring
)

var modeNames = [...]string{"unknown", "exact", "google", "substring"}

func (m Mode) String() string { return modeNames[m] }

// Modes lists the modes.
var Modes = [...]Mode{ModeExact, ModeGoogle, ModeSubstring}

// A nameMatcher is how a token finds its groups: a Mode, or a crawler's own way.
type nameMatcher interface {
	// collect fills in the names that it sees in a file.
	collect(f *File, n *names)
	// find returns where the name that a token finds stands in the list, or -1.
	find(n *names, token string) int
}

func (m Mode) collect(f *File, n *names) {
	f.gather(n, func(a *agent) (name string, global bool) { return m.name(f.valueOf(a)) })
}

func (m Mode) find(n *names, token string) int {
	switch m {
	case ModeSubstring:
		return n.atWithin(ascii.Lower(token))
	case ModeGoogle:
		return n.at(ProductName(token))
	}
	name := ProductName(token)
	at := n.at(name)
	if bare := withoutVersion(name); at < 0 && bare != name {
		at = n.at(bare)
	}
	return at
}

// name returns what of a user-agent line's value is compared, and whether the
// line speaks to every crawler.
func (m Mode) name(value string) (name string, global bool) {
	if m == ModeGoogle {
		if value != "" && value[0] == '*' && (len(value) == 1 || isCSpace(value[1])) {
			return "", true
		}
		return leadingToken(value), false
	}
	if value == "*" {
		return "", true
	}
	name, _, _ = strings.Cut(value, "/")
	return ProductName(strings.TrimRight(name, " \t*")), false
}

// leadingToken returns the longest prefix of s that could be a product token.
func leadingToken(s string) string {
	i := 0
	for i < len(s) && (s[i] == '-' || s[i] == '_' || 'a' <= ascii.LowerByte(s[i]) && ascii.LowerByte(s[i]) <= 'z') {
		i++
	}
	return s[:i]
}

// A named is a name of user-agent lines, or "*", with the groups it stands in.
type named struct {
	name    string // in any case
	members []int  // the indexes of its groups, rising
	agents  []int  // parallel: of the first of its lines in each
	group   *Group // of members, once used
}

// names are the names that a mode sees in the file, in file order.
type names struct {
	list   []named
	index  map[string]int // into list, by the name in lower case, where it is long
	global named          // has no members where no group is for every crawler

	tree  *tree   // of the names in lower case, once they are sought in a token
	first []int32 // by text of the tree: the first in the list of those that the text begins with, itself included
	more  *names  // that tokens of another kind find, if there are such
}

// manyNames are not sought one by one.
const manyNames = 64

// deciding holds the distinct sets of groups that a token can be governed by.
type deciding struct {
	modes  [len(modeNames)]*names // 0: of the crawler's own way
	none   *Group                 // governs where no group does
	single []*Group               // of one group, by its number
	merged map[string]*Group      // of several, by setID; all that the file has, once one is asked for
}

// For returns the rules that govern a product token, in the profile's own
// mode. An empty token is no token: only `*` groups govern it. The result is
// compiled once and lives as long as the File; tokens governed by the same set
// of groups share it. For may be called by several goroutines.
func (f *File) For(token string) *Group { return f.ForMode(token, 0) }

// ForMode is For in another mode. Where it returns another Group than For,
// that mode may give another verdict.
func (f *File) ForMode(token string, m Mode) *Group {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.find(token, m)
	if n == nil || len(n.members) == 0 {
		if f.deciding.none == nil {
			f.deciding.none = &Group{file: f, spec: f.spec}
		}
		return f.deciding.none
	}
	if n.group == nil {
		n.group = f.set(n.members)
		f.compile(n.group)
	}
	return n.group
}

// MaxKey returns a number that no Key is greater than. It may be greater than all.
func (f *File) MaxKey() int { return len(f.groups) + len(Modes)*(1+len(f.agents)) }

// AgentLine returns the first user-agent line by which the token finds its
// groups in that mode (0 is the profile's own), and the line's value; 0 where
// none governs the token. Group.Line is the same for all tokens that share a
// Group; this is not.
func (f *File) AgentLine(token string, m Mode) (line int, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.find(token, m)
	if n == nil {
		return 0, ""
	}
	a := &f.agents[n.agents[0]]
	return int(a.line), f.valueOf(a)
}

// Names returns the product tokens that user-agent lines name, in the profile's own mode: as
// written, each once in any case, in file order. They are parts of the body.
func (f *File) Names() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.names(f.spec.mode)
	list := make([]string, len(n.list))
	for i := range n.list {
		list[i] = n.list[i].name
	}
	return list
}

// find returns what the token finds: its own name, else "*", else nil.
func (f *File) find(token string, m Mode) *named {
	if m == 0 || int(m) >= len(modeNames) {
		m = f.spec.mode
	}
	n := f.names(m)
	if n.more != nil && leadingToken(token) != token {
		n = n.more
	}
	if at := f.spec.matcher(m).find(n, token); at >= 0 {
		return &n.list[at]
	}
	if n.global.members != nil {
		return &n.global
	}
	return nil
}

// matcher returns the matcher of a mode; 0 is the crawler's own way.
func (s *spec) matcher(m Mode) nameMatcher {
	if m == 0 {
		return s.own
	}
	return m
}

// names returns the names of a mode, collected on first use.
func (f *File) names(m Mode) *names {
	if n := f.deciding.modes[m]; n != nil {
		return n
	}
	n := &names{list: make([]named, 0, len(f.agents))}
	f.deciding.modes[m] = n
	count(len(f.agents))
	f.spec.matcher(m).collect(f, n)
	return n
}

// gather fills in the names that read finds in user-agent lines: "" is none, unless the line is global.
func (f *File) gather(n *names, read func(*agent) (name string, global bool)) {
	places := make([]int, 2*len(f.agents)) // most names stand in one group only
	members, agents := places[:len(f.agents)], places[len(f.agents):]
	for i := range f.agents {
		a := &f.agents[i]
		name, global := read(a)
		members[i], agents[i] = int(a.group), i
		first := named{name: name, members: members[i : i+1 : i+1], agents: agents[i : i+1 : i+1]}
		switch {
		case global && n.global.members == nil:
			n.global = first
		case global && !f.spec.firstGlobal:
			n.global.join(int(a.group), i)
		case global:
		case name != "":
			if at := n.at(name); at >= 0 {
				n.list[at].join(int(a.group), i)
			} else {
				n.add(first)
			}
		}
	}
}

// at returns where a name stands in the list, or -1.
func (n *names) at(name string) int {
	if n.index != nil {
		if i, ok := n.index[ascii.Lower(name)]; ok {
			return i
		}
		return -1
	}
	count(len(n.list))
	return slices.IndexFunc(n.list, func(n named) bool { return ascii.EqualFold(n.name, name) })
}

// atWithin returns where the first name that a token in lower case contains stands in the list, or -1.
func (n *names) atWithin(token string) int {
	if len(n.list) <= manyNames {
		count(len(n.list))
		return slices.IndexFunc(n.list, func(n named) bool { return strings.Contains(token, ascii.Lower(n.name)) })
	}
	at := len(n.list)
	for i := range token {
		if found := n.within().longest(token[i:]); found > 0 {
			at = min(at, int(n.first[found]))
		}
	}
	if at == len(n.list) {
		return -1
	}
	return at
}

// within returns the tree of the names in lower case.
func (n *names) within() *tree {
	if n.tree != nil {
		return n.tree
	}
	list := make([]keyed, 0, len(n.list))
	for i := range n.list {
		if name := n.list[i].name; name != "" {
			list = append(list, keyed{ascii.Lower(name), uint32(i)})
		}
	}
	t := treeOf(list)
	n.tree, n.first = &t, make([]int32, len(t.texts))
	for i, name := range list { // each is there once
		n.first[i+1] = int32(name.rule)
		if up := t.up[i+1]; up > 0 {
			n.first[i+1] = min(n.first[i+1], n.first[up])
		}
	}
	return n.tree
}

// add adds a name that is not in the list.
func (n *names) add(name named) {
	n.list = append(n.list, name)
	switch {
	case n.index != nil:
		n.index[ascii.Lower(name.name)] = len(n.list) - 1
	case len(n.list) > manyNames:
		n.index = make(map[string]int)
		for i := range n.list {
			n.index[ascii.Lower(n.list[i].name)] = i
		}
	}
}

// join adds a line of a group. They come in rising order.
func (n *named) join(group, agent int) {
	if n.members[len(n.members)-1] != group {
		n.members, n.agents = append(n.members, group), append(n.agents, agent)
	}
}

// set returns the Group of a set of groups, not yet compiled. The key of a set
// of one group is that group's number, from 1.
func (f *File) set(members []int) *Group {
	d := &f.deciding
	if len(members) > 1 {
		if d.merged == nil {
			f.merge()
		}
		return d.merged[setID(members)]
	}
	first := members[0]
	if d.single == nil {
		d.single = make([]*Group, len(f.groups))
	}
	if d.single[first] == nil {
		d.single[first] = &Group{file: f, spec: f.spec, members: members, key: first + 1}
	}
	return d.single[first]
}

// merge collects all sets of several groups. Their keys follow the keys of single groups, in the order of
// the file, mode by mode. So keys, and which sets are too large, depend on the file alone and not on the
// tokens looked up.
func (f *File) merge() {
	f.deciding.merged = make(map[string]*Group)
	rules := 0
	add := func(members []int) {
		if len(members) < 2 {
			return
		}
		merged, id := f.deciding.merged, setID(members)
		if merged[id] != nil {
			return
		}
		g := &Group{file: f, spec: f.spec, members: members, key: len(f.groups) + len(merged) + 1}
		merged[id] = g
		n := g.Rules()
		if g.tooLarge = rules+n > max(mergedMin, mergedTimes*len(f.rules)); !g.tooLarge {
			rules += n
		}
	}
	modes := Modes[:]
	if f.spec.own != nil {
		modes = []Mode{f.spec.mode}
	}
	for _, m := range modes {
		for n := f.names(m); n != nil; n = n.more {
			add(n.global.members)
			for i := range n.list {
				add(n.list[i].members)
			}
		}
	}
}

// The rules of all sets of several groups, each counted, are at most mergedMin, or mergedTimes as many as
// the file has. A group of many rules may name many crawlers, and each of them may also have a group of its
// own. Of 4,231 real files none has twice as many as the file.
const (
	mergedMin   = 1 << 16
	mergedTimes = 16
)

// setID makes sets of groups comparable.
func setID(members []int) string {
	count(len(members))
	id := make([]byte, 0, 16)
	for _, m := range members {
		id = binary.AppendUvarint(id, uint64(m))
	}
	return string(id)
}
