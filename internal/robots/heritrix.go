package robots

import (
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// heritrix is the parser of Heritrix 3: org.archive.modules.net.Robotstxt and RobotsDirectives.
func heritrix(differences crawlerSpec) spec {
	differences.tightKey, differences.dropTags, differences.cutStar = true, tagsNone, true
	differences.floor, differences.ends = true, endsDelay
	return spec{
		limit: ParseLimit, own: heritrixNames{}, form: normal.Raw, marks: marksText, blanks: javaBlanks,
		crawlerSpec: differences,
	}
}

// heritrixNames finds the first name that stands anywhere in the User-Agent, which keeps its case. Rules go to the
// group of the last user-agent line, shared with the lines before it unless either is known already; an empty name
// stands in every User-Agent.
type heritrixNames struct{}

func (heritrixNames) find(n *names, userAgent string) int { return n.atWithin(userAgent) }

func (heritrixNames) collect(f *File, n *names) {
	type record struct {
		members []int
		ruled   bool
	}
	var global, all, current *record // all: of the empty name, and no name after it counts
	known := make(map[string]*record)
	var order []int // agents
	for i := range f.agents {
		a := &f.agents[i]
		name := ascii.Lower(f.valueOf(a))
		before := known[name]
		if name == "*" {
			before = global
		}
		switch {
		case before != nil && before.ruled:
			current = before
		case current == nil, current.ruled:
			current = new(record)
		}
		if name == "*" {
			global = current
		} else {
			if known[name] == nil && all == nil && name != "" {
				order = append(order, i)
			}
			known[name] = current
			if all = known[""]; all != nil {
				n.global.agents = []int{i}
			}
		}
		isLast := i+1 == len(f.agents) || f.agents[i+1].group != a.group
		if isLast && f.groups[a.group].ruled {
			current.members, current.ruled = append(current.members, int(a.group)), true
		}
	}
	for _, i := range order {
		name := f.valueOf(&f.agents[i])
		n.add(named{name: name, members: known[ascii.Lower(name)].members, agents: []int{i}})
	}
	if all = known[""]; all != nil {
		n.global.members = all.members
	} else if global != nil {
		n.global.members = global.members
	}
}

// floors finds, of the rules without a "*" that allow and of those that forbid, the last in the alphabet that is not
// after a path: Heritrix tries that one alone.
type floors struct {
	plain [2][]*matcher // sorted by text
	wild  []*matcher
}

func newFloors(rules []matcher) *floors {
	var f floors
	for i := range rules {
		m, kind := &rules[i], 0
		switch {
		case m.wild() || m.anchored:
			f.wild = append(f.wild, m)
			continue
		case m.allow():
			kind = 1
		}
		f.plain[kind] = append(f.plain[kind], m)
	}
	for _, list := range f.plain {
		slices.SortFunc(list, func(a, b *matcher) int { return strings.Compare(a.text, b.text) })
	}
	return &f
}

// best is that of matchers.
func (f *floors) best(path string) (best *matcher, cost int) {
	if len(f.wild) > maxTried(path) {
		return nil, tooCostly
	}
	for _, list := range f.plain {
		n, _ := slices.BinarySearchFunc(list, path, func(m *matcher, path string) int {
			if m.text <= path {
				return -1
			}
			return 1
		})
		if n > 0 && strings.HasPrefix(path, list[n-1].text) && (best == nil || list[n-1].rank > best.rank) {
			best = list[n-1]
		}
	}
	h := head(path)
	for _, m := range f.wild {
		if (best == nil || m.rank > best.rank) && m.matches(path, h) {
			best = m
		}
	}
	return best, costOf(len(f.wild), path)
}
