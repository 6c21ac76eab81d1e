package tag

import (
	"cmp"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// A RobotsTxt is what one robots.txt says of the use of the origin's content.
type RobotsTxt struct {
	// Signals are all of them, in file order; Notes has NoteMore where there were
	// more than are kept.
	Signals []Signal
	Notes   Notes

	lines []usageLine
}

// A usageLine is a line of a group: signals[first:end].
type usageLine struct {
	kind       SignalKind
	group      int
	first, end int
	pattern    *pattern // nil: every path
}

// ReadRobots reads the records of a robots.txt that speak of use: Content-Usage
// (draft-ietf-aipref-attach-05 §3) and Content-Signal in groups, both with an optional
// path before the value, and License (RSL 1.0), which is no group's.
func ReadRobots(f *robots.File, p robots.Profile) *RobotsTxt {
	r := &RobotsTxt{}
	for _, record := range f.Records() {
		record.Value = strings.Clone(record.Value) // the File's text is the body itself
		switch record.Key {
		case "content-usage":
			r.add(record, SignalContentUsage, p)
		case "content-signal":
			r.add(record, SignalContentSignal, p)
		case "license":
			r.add(record, SignalLicense, p)
		}
	}
	return r
}

func (r *RobotsTxt) add(record robots.Record, kind SignalKind, p robots.Profile) {
	if len(r.lines) >= maxTags || len(r.Signals) >= maxTags {
		r.Notes |= NoteMore
		return
	}
	line := usageLine{kind: kind, group: record.Group, first: len(r.Signals)}
	var list []Signal
	path, scope, notes := "", ScopeOrigin, Notes(0)
	value := record.Value
	if len(value) > MaxLine {
		value, notes = cutMembers(value), NoteCut
	}
	if kind == SignalLicense {
		if value == "" {
			return // it names none
		}
		list = []Signal{license(value, "application/rsl+xml", record.Value)}
		line.group = 0
	} else {
		if path, value = cutPath(value); path != "" {
			scope, line.pattern = ScopePath, newPattern(path, p)
		}
		if record.Group == 0 {
			notes |= NoteNoGroup
		}
		if list = contentSignals(value); kind == SignalContentUsage {
			list = lastOfKeys(contentUsage(value, Lenient))
		}
	}
	for _, s := range list {
		if len(r.Signals) >= maxTags {
			r.Notes |= NoteMore
			break
		}
		s.Source, s.Line, s.Group, s.Scope, s.Path = SourceRobotsTxt, record.Line, line.group, scope, path
		s.Notes |= notes
		r.Signals = append(r.Signals, s)
	}
	line.end = len(r.Signals)
	r.lines = append(r.lines, line)
}

// cutPath cuts a path from the beginning of a value. A Content-Usage key may begin
// with "*" too, but then "=" or the end follows.
func cutPath(value string) (path, rest string) {
	i := strings.IndexAny(value, " \t")
	if i < 0 || value[0] != '/' && (value[0] != '*' || strings.IndexByte(value[:i], '=') >= 0) {
		if value != "" && value[0] == '/' {
			return value, ""
		}
		return "", value
	}
	return value[:i], trim(value[i:])
}

// For returns the signals that hold for a path and the token that the group was
// made for: licences, and of each protocol those of the lines with the longest path
// that matches. A line without a path is the shortest. Lines of the same length
// all hold, and in Prefers a restriction wins. Lines outside any group are there
// too: they bind nobody (NoteNoGroup). There are more if they are more than MaxItems, of which
// list has the first.
func (r *RobotsTxt) For(g *robots.Group, path string) (list []Signal, more bool) {
	list = r.longest(g, func(p *pattern) int { return p.match(path) })
	return list[:min(len(list), MaxItems)], len(list) > MaxItems
}

// ForAll returns, in the same way, the signals that hold for every path, unless a line for a
// path of its own says otherwise there.
func (r *RobotsTxt) ForAll(g *robots.Group) []Signal {
	return r.longest(g, (*pattern).matchAll)
}

// longest returns what the longest patterns that match say. match returns the length of one, -1
// where it does not match.
func (r *RobotsTxt) longest(g *robots.Group, match func(*pattern) int) (list []Signal) {
	best := map[SignalKind]int{}
	length := make([]int, len(r.lines))
	for i, line := range r.lines {
		length[i] = line.length(g, match)
		best[line.kind] = max(best[line.kind], length[i])
	}
	for i, line := range r.lines {
		nobodys := line.group == 0 && line.kind != SignalLicense && match(line.pattern) >= 0
		if nobodys || length[i] > 0 && (length[i] == best[line.kind] || line.kind == SignalLicense) {
			list = append(list, r.Signals[line.first:line.end]...)
		}
	}
	return list
}

// length is 0 for a line that does not hold for the paths asked for, else one more than the
// length of its pattern.
func (l *usageLine) length(g *robots.Group, match func(*pattern) int) int {
	switch {
	case l.kind == SignalLicense:
		return 1
	case g.Has(l.group):
		return 1 + match(l.pattern)
	}
	return 0
}

// A pattern is a path pattern of robots.txt, matched as its rules are.
type pattern struct {
	group   *robots.Group
	profile robots.Profile
}

func newPattern(path string, p robots.Profile) *pattern {
	f := robots.Parse([]byte("User-agent: *\nDisallow: "+path+"\n"), p)
	return &pattern{f.For(""), p}
}

// match returns the length of the normalised pattern, -1 where it does not match.
// No pattern matches every path, with length 0.
func (p *pattern) match(path string) int {
	if p == nil {
		return 0
	}
	if d := p.group.MatchNormal(p.profile.NormalPath(cmp.Or(path, "/"))); d.Rule != nil {
		return len(d.Rule.Pattern)
	}
	return -1
}

// matchAll is match for a pattern that every path matches, -1 for others.
func (p *pattern) matchAll() int {
	if p == nil {
		return 0
	}
	for rule := range p.group.Patterns() {
		if text := strings.Trim(rule.Text, "*"); !rule.Anchored && (text == "" || text == "/") {
			return p.match("/")
		}
	}
	return -1
}
