package robots

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// A Mode is how a crawler's token is compared with a user-agent line's value.
// The zero value is unknown and means the profile's own mode.
type Mode uint8

const (
	_ Mode = iota
	// ModeExact cuts the value at "/" and compares all of it with the token,
	// in any case. It finds real names that RFC 9309's grammar does not admit,
	// such as archive.org_bot. Final stars, as in "ExampleBot*", say nothing
	// that the token does not: they are cut too.
	ModeExact
	// ModeGoogle cuts the value at the first octet outside [A-Za-z_-] and
	// compares the rest with the token, which is never cut; "*" followed by
	// white space and more is still "*".
	ModeGoogle
	// ModeSubstring takes the first value, cut at "/", that the token
	// contains, as crawlers older than the RFC do. The whole User-Agent string
	// may stand for the token.
	ModeSubstring
)

var modeNames = [...]string{"unknown", "exact", "google", "substring"}

func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return modeNames[0]
}

// Modes lists the known modes.
var Modes = [...]Mode{ModeExact, ModeGoogle, ModeSubstring}

// ParseMode returns the mode that s names.
func ParseMode(s string) (Mode, error) {
	for _, m := range Modes {
		if s == m.String() {
			return m, nil
		}
	}
	return 0, fmt.Errorf("unknown token matching mode %q: use exact, google or substring", s)
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
	return strings.TrimRight(name, " \t*"), false
}

// A named is a name of user-agent lines, or "*", with the groups it stands in.
type named struct {
	name    string // lower case
	line    int    // the first of its lines
	members []int  // the numbers of its groups, rising
}

// names are the names that one mode sees in the file, in file order.
type names struct {
	built  bool
	list   []named
	index  map[string]int // into list, where it is long
	global *named         // nil where no group is for every crawler
}

// deciding holds the distinct sets of groups that a token can be governed by.
type deciding struct {
	modes  [len(modeNames)]names
	none   *Group            // governs where no group does
	single []*Group          // of one group, by its number
	merged map[string]*Group // of several, by their numbers
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
	if n == nil {
		if f.deciding.none == nil {
			f.deciding.none = &Group{spec: f.spec}
		}
		return f.deciding.none
	}
	g := f.set(n.members)
	f.compile(g)
	return g
}

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
	i, _ := slices.BinarySearchFunc(f.agents, n.line, func(a agent, line int) int { return a.line - line })
	return n.line, f.agents[i].value
}

// find returns what the token finds: its own name, else "*", else nil.
func (f *File) find(token string, m Mode) *named {
	if m == 0 || int(m) >= len(modeNames) {
		m = f.spec.mode
	}
	n := f.names(m)
	token = lower(token)
	var at int
	if m == ModeSubstring {
		at = slices.IndexFunc(n.list, func(n named) bool { return strings.Contains(token, n.name) })
	} else {
		at = n.at(token)
	}
	if at < 0 {
		return n.global
	}
	return &n.list[at]
}

// names returns the names of a mode, collected when first asked for. The exact
// mode's come first, so that a set's key depends on the file alone and not on
// what was asked before.
func (f *File) names(m Mode) *names {
	n := &f.deciding.modes[m]
	if n.built {
		return n
	}
	if m != ModeExact {
		f.names(ModeExact)
	}
	n.built = true
	for i := range f.agents {
		a := &f.agents[i]
		name, global := m.name(a.value)
		switch {
		case global:
			if n.global == nil {
				n.global = &named{name: "*", line: a.line}
			}
			if !f.spec.firstGlobal || n.global.members == nil {
				n.global.join(a.group)
			}
		case name != "":
			n.get(lower(name), a.line).join(a.group)
		}
	}
	if n.global != nil && len(n.global.members) > 1 {
		f.set(n.global.members)
	}
	for i := range n.list {
		if len(n.list[i].members) > 1 {
			f.set(n.list[i].members)
		}
	}
	return n
}

// at returns where a name stands in the list, or -1.
func (n *names) at(name string) int {
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range n.list {
		if n.list[i].name == name {
			return i
		}
	}
	return -1
}

// get returns the entry of a name, a new one where there is none.
func (n *names) get(name string, line int) *named {
	const few = 8 // names are sought one by one
	i := n.at(name)
	if i < 0 {
		i = len(n.list)
		n.list = append(n.list, named{name: name, line: line})
		if n.index != nil {
			n.index[name] = i
		} else if i == few {
			n.index = make(map[string]int)
			for j := range n.list {
				n.index[n.list[j].name] = j
			}
		}
	}
	return &n.list[i]
}

// join adds a group's number. They come in rising order.
func (n *named) join(group int) {
	if len(n.members) == 0 || n.members[len(n.members)-1] != group {
		n.members = append(n.members, group)
	}
}

// set returns the Group of a set of groups, not yet compiled. Sets of one group
// have that group's number, from 1, as their key; sets of several follow in the
// order in which names calls for them.
func (f *File) set(members []int) *Group {
	d := &f.deciding
	first := members[0]
	if len(members) == 1 {
		if d.single == nil {
			d.single = make([]*Group, len(f.groups))
		}
		if d.single[first] == nil {
			d.single[first] = f.newGroup(members, first+1)
		}
		return d.single[first]
	}
	id := make([]byte, 0, 16)
	for _, m := range members {
		id = binary.AppendUvarint(id, uint64(m))
	}
	if d.merged == nil {
		d.merged = make(map[string]*Group)
	}
	g := d.merged[string(id)]
	if g == nil {
		g = f.newGroup(members, len(f.groups)+len(d.merged)+1)
		d.merged[string(id)] = g
	}
	return g
}

func (f *File) newGroup(members []int, key int) *Group {
	g := &Group{spec: f.spec, members: members, key: key}
	for _, m := range members {
		g.lines = append(g.lines, f.groups[m].line)
	}
	g.line = g.lines[0]
	return g
}

// lower returns s with ASCII letters in lower case. strings.ToLower would also
// turn U+212A into a "k".
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] != toLower(s[i]) {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = toLower(b[i])
			}
			return string(b)
		}
	}
	return s
}
