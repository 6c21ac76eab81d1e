package robots

import "slices"

// namedGroups are the groups that govern the tokens which a file names, as far as they forbid something.
type namedGroups struct {
	more bool // there are further groups, which were not looked at
	sets []*Group

	rules  []matcher // that forbid, of all sets, where these are many
	owners []int32   // parallel: the set of each
	index  *tried
}

const (
	// maxNamedRules bounds the rules of namedGroups. Of 4,231 real files none has more than 5,614.
	maxNamedRules = 1 << 14
	manySets      = 32   // are not tried one after another
	maxNamedTried = 1024 // rules that forbid, of many sets
)

// NamedForbids reports whether the groups of one of the tokens that the file names forbid a path, or
// may: where these groups have more than 16,384 rules, or more than 1,024 that may forbid the path,
// nobody looks, nor where that would take too long (maxAgainst). by is the first such group, nil where nobody
// looked. What it costs is counted as Decision.Cost is.
func (f *File) NamedForbids(path string) (by *Group, forbids bool, cost int) {
	n := f.namedGroups()
	if n.more {
		return nil, path != "/robots.txt" || !f.spec.selfAllowed, 0
	}
	sets := n.sets
	if n.index != nil {
		var ok bool
		if sets, ok = n.mayForbid(f.spec.form.Path(path)); !ok {
			return nil, true, 0
		}
	}
	for _, g := range sets {
		if cost > maxAgainst {
			return nil, true, cost
		}
		if g.forbids(path, &cost) {
			return g, true, cost
		}
	}
	return nil, false, cost
}

// mayForbid returns the sets with a rule that forbids a path, if another one does not outrank it. It is
// not ok where they would be too many.
func (n *namedGroups) mayForbid(path string) (sets []*Group, ok bool) {
	r := rooms.Get().(*room)
	defer rooms.Put(r)
	try := n.index.in(r, path, maxNamedTried)
	if len(try) > maxNamedTried {
		return nil, false
	}
	slices.Sort(try)
	h, last := head(path), int32(-1)
	for _, i := range try {
		if owner := n.owners[i]; owner != last && n.rules[i].matches(path, h) {
			sets, last = append(sets, n.sets[owner]), owner
		}
	}
	return sets, true
}

// namedGroups finds the groups on first use.
func (f *File) namedGroups() *namedGroups {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.named != nil {
		return f.named
	}
	n := new(namedGroups)
	f.named = n
	seen := make(map[*Group]bool)
	rules := 0
	list := f.names(f.spec.mode).list
	for i := range list {
		g := f.set(list[i].members)
		if seen[g] {
			continue
		}
		seen[g] = true
		if rules += g.Rules(); rules > maxNamedRules {
			n.more = true
			break
		}
		f.compile(g)
		switch {
		case g.disallow == 0:
		case g.allow == 0 && g.forbidsAll():
			n.sets = []*Group{g} // the others are of no matter
			return n
		default:
			n.sets = append(n.sets, g)
		}
	}
	if !n.more && len(n.sets) > manySets {
		n.makeIndex()
	}
	return n
}

// makeIndex fills in index.
func (n *namedGroups) makeIndex() {
	var all []uint32
	for owner, g := range n.sets {
		for i := range g.rules {
			if !g.rules[i].allow() {
				all = append(all, uint32(len(all)))
				n.rules, n.owners = append(n.rules, g.rules[i]), append(n.owners, int32(owner))
			}
		}
	}
	t := newTried(n.rules, all)
	n.index = &t
}

// forbidsAll reports whether a rule of the group, which has none that allow, matches every path.
func (g *Group) forbidsAll() bool {
	return slices.ContainsFunc(g.list,
		func(r Rule) bool { return r.Pattern == "/" || r.Pattern == "*" || r.Pattern == "/*" })
}
