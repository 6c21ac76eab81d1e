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

	modePlain       // as robots-parser does: all of the value, cut at "/"
	modeWget        // "wget" and "*" alone, whatever the token
	modeListed      // as Heritrix does: see listed
	modeShared      // as reppy does: see listed
	modeToken       // as crawler-commons does: what of the value could be a product token, up to the first other byte
	modeLongest     // as Protego did before 0.7.0: the longest value in the User-Agent
	modeLongestWord // as it does since: where no name goes on before it
	modeHTTrack     // three names of HTTrack and "*", with whatever after them
	modeLastLine    // as HTTrack did: the last of a list of user-agent lines; what is before one of the names is void
	modeFirst       // as urllib.robotparser did: the first group with a value that stands in the token
	modeWithin      // as it does: the value that is the token, else the first that stands in it
	modePrefix      // as crawler-commons did before 1.4: the first of the names in the value that the token begins with
	modeWhole       // all of the value: so modeToken finds a token that RFC 9309's grammar does not admit
)

var modeNames = [...]string{
	"unknown", "exact", "google", "substring", "plain", "wget", "listed", "shared", "token", "longest", "longest word",
	"httrack", "last line", "first", "within", "prefix", "whole",
}

func (m Mode) String() string { return modeNames[m] }

// Modes lists the modes that are no crawler's own.
var Modes = [...]Mode{ModeExact, ModeGoogle, ModeSubstring}

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
	switch m {
	case modeToken:
		return leadingToken(value), false
	case modeWhole, modeFirst, modeWithin:
		return value, false
	case modeLongest, modeLongestWord:
		return strings.ReplaceAll(value, "*", ""), false
	case modeHTTrack, modeLastLine:
		for _, name := range [...]string{"httrack", "winhttrack", "webhttrack"} {
			if ascii.HasPrefixFold(value, name) {
				return "httrack", false
			}
		}
		return "", strings.HasPrefix(value, "*")
	case modeWget:
		if !ascii.EqualFold(value, "wget") {
			value = ""
		}
		return value, false
	}
	name, _, _ = strings.Cut(value, "/")
	if m == modePlain {
		return strings.TrimSpace(name), false
	}
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

// names are the names that one mode sees in the file, in file order.
type names struct {
	list   []named
	index  map[string]int // into list, by the name in lower case, where it is long
	global named          // has no members where no group is for every crawler

	within *tree   // of the names in lower case, for ModeSubstring, where the list is long
	first  []int32 // by text of within: the first in the list of those that the text begins with, itself included
}

// manyNames are not sought one by one.
const manyNames = 64

// deciding holds the distinct sets of groups that a token can be governed by.
type deciding struct {
	modes  [len(modeNames)]*names
	none   *Group            // governs where no group does
	single []*Group          // of one group, by its number
	merged map[string]*Group // of several, by setID; all that the file has, once one is asked for
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

// AgentLines returns, of each group that the token finds in the profile's own mode, the first
// user-agent line by which it does.
func (f *File) AgentLines(token string) (lines []int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.find(token, 0); n != nil {
		for _, a := range n.agents {
			lines = append(lines, int(f.agents[a].line))
		}
	}
	return lines
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
	if m == modeToken && leadingToken(token) != token {
		m = modeWhole
	}
	n := f.names(m)
	var at int
	switch m {
	case ModeSubstring:
		at = n.atWithin(ascii.Lower(token), true)
	case ModeGoogle:
		at = n.at(ProductName(token))
	case modePlain:
		name, _, _ := strings.Cut(token, "/")
		at = n.at(strings.TrimSpace(name))
	case modeWget:
		at = n.at("wget")
	case modeHTTrack:
		at = n.at("httrack")
	case modeLastLine: // its groups are in global
		at = -1
	case modeToken, modeWhole:
		at = n.at(token)
	case modeListed:
		at = n.atWithin(token, true)
	case modeShared:
		at = n.atWithin(ascii.Lower(token), true)
	case modeFirst, modeWithin:
		name, _, _ := strings.Cut(token, "/")
		if at = n.at(token); at < 0 || m == modeFirst {
			at = n.atWithin(ascii.Lower(name), true)
		}
	case modePrefix:
		at = n.atWithin(ascii.Lower(token), false)
	case modeLongest, modeLongestWord:
		at = n.atLongest(ascii.Lower(token), m == modeLongestWord)
	default:
		name := ProductName(token)
		at = n.at(name)
		if bare := withoutVersion(name); at < 0 && bare != name {
			at = n.at(bare)
		}
	}
	switch {
	case at >= 0:
		return &n.list[at]
	case n.global.members != nil:
		return &n.global
	}
	return nil
}

// names returns the names of a mode, collected on first use.
func (f *File) names(m Mode) *names {
	if n := f.deciding.modes[m]; n != nil {
		return n
	}
	n := &names{list: make([]named, 0, len(f.agents))}
	f.deciding.modes[m] = n
	count(len(f.agents))
	switch m {
	case modeListed, modeShared:
		f.listed(n)
		return n
	case modePrefix:
		f.prefixes(n)
		return n
	}
	places := make([]int, 2*len(f.agents)) // most names stand in one group only
	members, agents := places[:len(f.agents)], places[len(f.agents):]
	decided, size := 0, 0           // groups; bytes of their rules
	forAll := make(map[uint32]bool) // groups that no name of theirs is sought for
	for i := range f.agents {
		if a := &f.agents[i]; m == modeFirst && f.valueOf(a) == "*" {
			forAll[a.group] = true
		}
	}
	for i := range f.agents {
		a := &f.agents[i]
		name, global := m.name(f.valueOf(a))
		members[i], agents[i] = int(a.group), i
		first := named{name: name, members: members[i : i+1 : i+1], agents: agents[i : i+1 : i+1]}
		if m == modeWget { // of the lines of a group, the first that speaks to it counts
			if !global && name == "" || decided > int(a.group) {
				continue
			}
			decided = int(a.group) + 1
		}
		if m == modeLastLine {
			if size >= 8160 { // it reads no more
				break
			}
			if name != "" {
				n.global, global, size = named{}, true, 0
			}
			if i+1 < len(f.agents) && f.agents[i+1].group == a.group {
				continue
			}
			if global {
				size += f.bytesOf(int(a.group))
			}
		}
		switch {
		case f.spec.bareNone && !f.groups[a.group].ruled:
		case global && n.global.members == nil:
			n.global = first
		case global && !f.spec.firstGlobal:
			n.global.join(int(a.group), i)
		case global, forAll[a.group]:
		case name != "" || m == modeFirst || m == modeWithin:
			if at := n.at(name); at >= 0 && m != modeFirst {
				n.list[at].join(int(a.group), i)
			} else if at < 0 {
				n.add(first)
			}
		}
	}
	return n
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

// atWithin returns where the first name that a token in lower case contains, or begins with, stands in the list, or -1.
func (n *names) atWithin(token string, anywhere bool) int {
	if len(n.list) <= manyNames {
		count(len(n.list))
		return slices.IndexFunc(n.list, func(n named) bool {
			i := strings.Index(token, ascii.Lower(n.name))
			return i == 0 || i > 0 && anywhere
		})
	}
	if n.within == nil {
		n.findWithin()
	}
	at := n.at("") // which every token contains
	if at < 0 {
		at = len(n.list)
	}
	for i := range token {
		if found := n.within.longest(token[i:]); found > 0 {
			at = min(at, int(n.first[found]))
		}
		if !anywhere {
			break
		}
	}
	if at == len(n.list) {
		return -1
	}
	return at
}

// atLongest returns where the longest name in a token in lower case stands in the list, or -1. With words, a name is
// sought only where no other goes on before it.
func (n *names) atLongest(token string, words bool) int {
	if n.within == nil {
		n.findWithin()
	}
	best := ""
	for i := range len(token) {
		if words && i > 0 && isWordByte(token[i-1]) && token[i-1] != '.' {
			continue
		}
		if found := n.within.longest(token[i:]); len(n.within.texts[found]) > len(best) {
			best = n.within.texts[found]
		}
	}
	if best == "" {
		return -1
	}
	return n.at(best)
}

// findWithin fills in within.
func (n *names) findWithin() {
	list := make([]keyed, 0, len(n.list))
	for i := range n.list {
		if name := n.list[i].name; name != "" {
			list = append(list, keyed{ascii.Lower(name), uint32(i)})
		}
	}
	t := treeOf(list)
	n.within, n.first = &t, make([]int32, len(t.texts))
	for i, name := range list { // each is there once
		n.first[i+1] = int32(name.rule)
		if up := t.up[i+1]; up > 0 {
			n.first[i+1] = min(n.first[i+1], n.first[up])
		}
	}
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
	switch {
	case f.spec.mode == modeToken:
		modes = []Mode{modeToken, modeWhole}
	case f.spec.mode > ModeSubstring:
		modes = []Mode{f.spec.mode}
	}
	for _, m := range modes {
		n := f.names(m)
		add(n.global.members)
		for i := range n.list {
			add(n.list[i].members)
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
