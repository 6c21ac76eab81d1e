package robots

// What surveys of robots.txt need besides verdicts.

// Body returns the body that was parsed. It must not be changed.
func (f *File) Body() []byte { return f.body }

// A Pattern is what a rule matches, in the form in which it is compared with paths.
type Pattern struct {
	Text     string // normalised; "*" stands for any bytes
	Anchored bool   // it matches only whole paths: a "$" follows
	Allow    bool
}

// Patterns yields the patterns of the group's rules in no particular order. In
// Google's profile a rule can have two.
func (g *Group) Patterns() func(yield func(Pattern) bool) {
	return func(yield func(Pattern) bool) {
		for i := range g.rules {
			m := &g.rules[i]
			text := m.text
			if text == "" { // nothing but stars
				text = "*"
			}
			if !yield(Pattern{text, m.anchored, m.allow()}) {
				return
			}
		}
	}
}

// A Line is an allow or disallow line as it is written.
type Line struct {
	Allow bool
	Value string // trimmed, without comment
}

// RuleLines returns the allow and disallow lines of the group in file order, also
// those that match nothing.
func (g *Group) RuleLines() (all []Line) {
	if g.key == 0 {
		return nil
	}
	lines := g.file.linesByGroup()
	for _, m := range g.members {
		all = append(all, lines[m]...)
	}
	return all
}

// linesByGroup reads the file again, when first asked, for the rule lines of all
// groups.
func (f *File) linesByGroup() [][]Line {
	f.list.Do(func() {
		f.ruleLines = make([][]Line, len(f.groups))
		for l := range f.lines {
			if l.key != keyAllow && l.key != keyDisallow {
				continue
			}
			if group := f.groupsUpTo(l.number); group > 0 {
				f.ruleLines[group-1] = append(f.ruleLines[group-1], Line{l.key == keyAllow, l.value})
			}
		}
	})
	return f.ruleLines
}
