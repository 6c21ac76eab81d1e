package tag

import (
	"cmp"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// A RobotsTxt holds the statements of one robots.txt on the use of the origin's content.
type RobotsTxt struct {
	// Signals are all of them, in file order; Notes has NoteMore where there were
	// more than are kept.
	Signals []Signal
	Notes   Notes

	file  *robots.File
	usage *robots.File // with the groups that Content-Usage lines are rules of
	lines []usageLine
}

// A usageLine is a line of a group: signals[first:end].
type usageLine struct {
	kind       SignalKind
	group      int
	first, end int
	pattern    *pattern // nil: every path
	isBroken   bool     // no Dictionary
}

// ReadRobots reads the records of a robots.txt that speak of use: Content-Usage
// (draft-ietf-aipref-attach-05 §3) and Content-Signal in groups, both with an optional
// path before the value, DisallowAITraining and AllowAITraining, whose value is a path
// (draft-canel-robots-ai-control-00), License (RSL 1.0 §4.4), and Disallow-Training, as in an ai.txt.
// What stands outside any group is a hint.
func ReadRobots(f *robots.File, p robots.Profile) *RobotsTxt {
	r := &RobotsTxt{file: f, usage: f.UsageRules()}
	for _, record := range f.Records() {
		record.Value = strings.Clone(record.Value) // the File's text is the body itself
		switch record.Key {
		case "content-usage":
			record.Group = r.usage.GroupLine(record.Line)
			r.add(record, SignalContentUsage, p)
		case "content-signal", "content-signals":
			r.add(record, SignalContentSignal, p)
		case "disallowaitraining", "allowaitraining":
			r.add(record, SignalAITraining, p)
		case "disallow-training":
			r.add(record, SignalTraining, p)
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
	value, notes := record.Value, Notes(0)
	if len(value) > MaxLine {
		value, notes = cutMembers(value), NoteCut
	}
	if record.Group == 0 && kind != SignalLicense {
		notes |= NoteNoGroup
	}
	path, list := line.read(record.Key, value, p)
	scope := ScopeOrigin
	if path != "" {
		scope = ScopePath
	}
	for _, s := range list {
		if len(r.Signals) >= maxTags {
			r.Notes |= NoteMore
			break
		}
		s.Source, s.Line, s.Group, s.Scope, s.Path = SourceRobotsTxt, record.Line, line.group, scope, path
		s.Notes |= notes
		if notes&NoteNoGroup != 0 {
			s.weaken(0)
		}
		r.Signals = append(r.Signals, s)
	}
	if line.end = len(r.Signals); len(list) > 0 || kind != SignalLicense {
		r.lines = append(r.lines, line)
	}
}

// read reads the value of a line: the path that it is for, "" for all, and what it says.
func (l *usageLine) read(key, value string, p robots.Profile) (path string, list []Signal) {
	switch l.kind {
	case SignalLicense:
		if value != "" { // else it names none
			list = []Signal{license(value, "application/rsl+xml", value)}
		}
	case SignalAITraining:
		s := aiTraining(key, value)
		if list = []Signal{s}; s.Notes == 0 {
			path = value
		}
	case SignalTraining:
		s, of := trainingHint(value)
		path, list = of, []Signal{s}
	case SignalContentSignal:
		path, value = cutPath(value)
		list = contentSignals(value)
	case SignalContentUsage:
		path, value = cutPath(value)
		l.isBroken = !validDictionary([]string{value})
		list = endDictionary(contentUsage(value, !l.isBroken))
	}
	if path != "" {
		l.pattern = newPattern(path, p)
	}
	return path, list
}

// aiTraining reads a DisallowAITraining or an AllowAITraining line. One without a path matches nothing,
// as a Disallow line without one does. Another word may be meant for every path.
func aiTraining(key, path string) Signal {
	s := Signal{
		Kind: SignalAITraining, Label: key, Value: path, Raw: path, Draft: draftCanel, Mode: ModeLegacy,
		Purpose:    PurposeTrainAI,
		Preference: PreferenceAllow,
	}
	switch {
	case path == "":
		s.Preference, s.Notes = PreferenceUnstated, NoteValue
	case key == "disallowaitraining":
		s.Preference = PreferenceRestrict
	}
	if path != "" && path[0] != '/' && path[0] != '*' {
		s.weaken(NoteValue)
	}
	return s
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

// For returns the signals that hold for a path and a token. These are the licences of its groups, else the
// ones outside any group (RSL 1.0 §4.4.2), and for each protocol the lines with the longest matching path.
// A line without a path is the shortest. Lines of the same length all hold, and in Prefers a restriction
// wins. Other lines outside any group are there too, as hints (NoteNoGroup). list has the first
// MaxItems signals; more reports that there are others.
func (r *RobotsTxt) For(token, path string) (list []Signal, more bool) {
	list = r.longest(token, func(p *pattern) int { return p.match(path) })
	return list[:min(len(list), MaxItems)], len(list) > MaxItems
}

// ForAll returns, in the same way, the signals that hold for every path, unless a line for a
// path of its own says otherwise there.
func (r *RobotsTxt) ForAll(token string) []Signal {
	return r.longest(token, (*pattern).matchAll)
}

// MayCrawl reports whether the file allows the path to the token, by the groups that Content-Usage
// lines are rules of. What may not be crawled has no preferences (draft-ietf-aipref-attach-05 §3.1).
func (r *RobotsTxt) MayCrawl(token, path string) bool { return r.usage.For(token).Match(path).Allowed }

// Key is the same for tokens for which For is the same.
func (r *RobotsTxt) Key(token string) [2]int {
	return [2]int{r.file.For(token).Key(), r.usage.For(token).Key()}
}

// longest returns what the longest patterns that match say. match returns the length of one, -1
// where it does not match.
func (r *RobotsTxt) longest(token string, match func(*pattern) int) (list []Signal) {
	group, usageGroup := r.file.For(token), r.usage.For(token)
	best, bestWhole := map[SignalKind]int{}, 0
	length := make([]int, len(r.lines))
	for i := range r.lines {
		line := &r.lines[i]
		own := group
		if line.kind == SignalContentUsage {
			own = usageGroup
		}
		length[i] = line.length(own, match)
		best[line.kind] = max(best[line.kind], length[i])
		if line.kind == SignalContentUsage && !line.isBroken {
			bestWhole = max(bestWhole, length[i])
		}
	}
	for i := range r.lines {
		line := &r.lines[i]
		said := r.Signals[line.first:line.end]
		switch {
		case length[i] > 0 && length[i] == best[line.kind]:
			list = append(list, said...)
		case length[i] > 0 && length[i] == bestWhole && line.kind == SignalContentUsage && !line.isBroken:
			list = append(list, hints(said)...)
		case line.group == 0 && line.kind != SignalLicense && match(line.pattern) >= 0:
			list = append(list, said...)
		}
	}
	return list
}

// hints returns the restrictions of a line as hints. A line with a longer path and unknown meaning replaces
// it.
func hints(signals []Signal) (list []Signal) {
	for _, s := range signals {
		if s.Preference == PreferenceRestrict {
			s.Preference = PreferenceHint
			list = append(list, s)
		}
	}
	return list
}

// length is 0 for a line that does not hold for the paths asked for, else more than the
// length of its pattern. A licence outside any group is the shortest.
func (l *usageLine) length(g *robots.Group, match func(*pattern) int) int {
	switch n := match(l.pattern); {
	case n < 0:
	case g.Has(l.group):
		return 2 + n
	case l.group == 0 && l.kind == SignalLicense:
		return 1
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
