package robots

// namedGroups are the groups that govern the tokens which a file names, as far as they forbid something.
type namedGroups struct {
	found bool
	more  bool // there are further groups, which were not looked at
	sets  []*Group
}

// maxNamedRules bounds the rules of namedGroups. Of 4,231 real files none has more than 5,614.
const maxNamedRules = 1 << 14

// NamedForbids reports whether the groups of one of the tokens that the file names forbid a path, or
// may: where these groups have more than 16,384 rules, nobody looks, nor where that would take too
// long (maxAgainst). by are the first of these groups, nil where nobody looked. What it costs is
// counted as Decision.Cost is.
func (f *File) NamedForbids(path string) (by *Group, forbids bool, cost int) {
	n := f.namedGroups()
	if n.more {
		return nil, path != "/robots.txt" || !f.spec.selfAllowed, 0
	}
	for _, g := range n.sets {
		if cost > maxAgainst {
			return nil, true, cost
		}
		if g.forbids(path, &cost) {
			return g, true, cost
		}
	}
	return nil, false, cost
}

// namedGroups finds the groups when first asked for.
func (f *File) namedGroups() *namedGroups {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := &f.named
	if n.found {
		return n
	}
	n.found = true
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
	return n
}

// forbidsAll reports whether a rule of the group, which has none that allow, matches every path.
func (g *Group) forbidsAll() bool {
	for i := range g.list {
		if p := g.list[i].Pattern; p == "/" || p == "*" || p == "/*" {
			return true
		}
	}
	return false
}
