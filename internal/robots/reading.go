package robots

import (
	"cmp"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Readings is a set of readings that the specifications leave open.
type Readings uint8

// The readings. The first two are of how a rule is compared with a path (and index
// equalities.sets), the next two of what the file says, the last of whom it names.
const (
	// ReadReserved takes reserved bytes (RFC 3986 §2.2: gen-delims and sub-delims),
	// raw or percent-encoded, as equal, anywhere in path and query: so a sentence
	// and a figure of RFC 9309 §2.2.2 can be read.
	ReadReserved Readings = 1 << iota
	// ReadUnsafe does so for bytes that are neither reserved nor unreserved: space, "|", "{", a "%" that
	// begins no escape, and so on. No URI may hold them raw, and RFC 9309 does not mention them. Bytes
	// outside ASCII are among them; only Google's profile distinguishes their two forms.
	ReadUnsafe
	// ReadLenient reads misspelt keys and keys without a colon otherwise than the
	// profile does: as meant, as RFC 9309 §2.2.4 and draft-koster-rep-08 §2.2 let a
	// crawler, or not at all.
	ReadLenient
	// ReadBeyondLimit reads what lies beyond ParseLimit where the profile does not,
	// and stops there where it does not: RFC 9309 §2.5 lets a crawler do either.
	ReadBeyondLimit
	// ReadRobotsTxtEncoded takes a path that normalises to /robots.txt as
	// /robots.txt itself, which is always allowed (RFC 9309 §2.2.2).
	ReadRobotsTxtEncoded
	// ReadContentUsage takes a Content-Usage line for a rule of its group, which ends the
	// list of user-agent lines: draft-ietf-aipref-attach-05 §3 extends the rules of RFC 9309.
	ReadContentUsage
	// ReadAgentName takes a user-agent line to name the token that holds it as a word, among
	// others or within quotes: "GPTBot, CCBot", "CCBot (Common Crawl)". One group at a time is
	// read so.
	ReadAgentName
)

var readingNames = [...]string{
	"reserved_encoding", "unsafe_encoding", "lenient", "parse_limit", "robots_txt_encoded", "content_usage",
	"agent_name",
}

// Strings returns the names of the readings in r, in a fixed order.
func (r Readings) Strings() (names []string) {
	for i, name := range readingNames {
		if r&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// encodings are the readings of how a rule is compared with a path, each after its own subsets.
var encodings = [...]Readings{0, ReadReserved, ReadUnsafe, ReadReserved | ReadUnsafe}

// Against returns the readings that turn a decision round which Match made of the
// path: of a disallowed path all that allow it, by themselves or, where each of them
// is needed, together; of an allowed one ReadUnsafe and ReadAgentName alone,
// if they disallow it, since the site then meant to. What would take too long to find out, by
// itself or together (maxAgainst), is taken to turn a path round, but for ReadUnsafe of an allowed
// one. The group must be the one that File.For gives for the token. Against allocates nothing but
// what is compiled once. Its cost is counted as Decision.Cost is.
func (g *Group) Against(token, path string, d Decision) (r Readings, cost int) {
	if path == "" {
		path = "/"
	}
	if d.Reason == words.TooCostly {
		return 0, 0
	}
	open := g.open(path, d)
	aside := g.file.aside(token)
	if d.Allowed {
		if open&ReadUnsafe != 0 && g.turned(path, d, ReadUnsafe, &cost) {
			r = ReadUnsafe
		}
		if aside.more || slices.ContainsFunc(aside.groups, func(g *Group) bool { return g.forbids(path, &cost) }) {
			r |= ReadAgentName
		}
		return r, cost
	}
	var t readingSets
	if path != "/robots.txt" && normal.Becomes(path, "/robots.txt") {
		t.add(ReadRobotsTxtEncoded)
	}
	variants := g.file.variants()
	for _, equal := range encodings {
		if equal != 0 && equal&^open == 0 && t.need(equal) && g.turned(path, d, equal, &cost) {
			t.add(equal)
		}
		if all := equal | ReadAgentName; t.need(all) && aside.allow(path, equal, &cost) {
			t.add(all)
		}
		for _, v := range variants {
			if all := v.readings | equal; t.need(all) && v.file.For(token).allows(path, equal, &cost) {
				t.add(all)
			}
		}
		for _, v := range variants { // several may have the same readings
			if all := v.readings | equal | ReadAgentName; t.need(all) && v.file.aside(token).allow(path, equal, &cost) {
				t.add(all)
			}
		}
	}
	return t.all, cost
}

// maxAgainst bounds what the readings against one decision may cost together.
const maxAgainst = 4 * maxCost

// allows reports whether the group allows the path, or may, if some bytes are equal raw
// and percent-encoded.
func (g *Group) allows(path string, equal Readings, spent *int) bool {
	if *spent > maxAgainst {
		return true
	}
	d := g.Match(path)
	*spent += d.by.cost
	if d.Allowed || d.Reason == words.TooCostly || equal == 0 {
		return d.Allowed || d.Reason == words.TooCostly
	}
	return equal&^g.open(path, d) == 0 && g.turned(path, d, equal, spent)
}

// open returns ReadReserved, ReadUnsafe or both: the readings that could turn a decision round.
func (g *Group) open(path string, d Decision) Readings {
	if d.Allowed && g.disallow <= d.by.rank || !d.Allowed && g.allow <= d.by.rank {
		return 0
	}
	return g.classes(path)
}

// turned reports whether a decision is turned round if some bytes are equal raw and
// percent-encoded: by a rule that outranks the one that decided. A path that is disallowed may be
// where that would take too long to find out.
func (g *Group) turned(path string, d Decision, equal Readings, spent *int) bool {
	if *spent > maxAgainst {
		return !d.Allowed
	}
	m, cost := g.bestRewritten(path, equal)
	if cost == tooCostly {
		return !d.Allowed
	}
	*spent += cost
	return m != nil && m.rank > d.by.rank && m.allow() != d.Allowed
}

// readingSets collects the sets of readings that turn a decision round.
type readingSets struct {
	sets [21]Readings // twenty at most of six readings, as none is a part of another, and ReadRobotsTxtEncoded
	n    int
	all  Readings
}

// need reports whether no set found is part of r: else that part is enough.
func (t *readingSets) need(r Readings) bool {
	for _, s := range t.sets[:t.n] {
		if r&s == s {
			return false
		}
	}
	return true
}

// add adds a set that is needed.
func (t *readingSets) add(r Readings) {
	t.sets[t.n] = r
	t.n++
	t.all |= r
}

// A variant is the file as readings other than the profile's have it.
type variant struct {
	readings Readings // ReadLenient, ReadBeyondLimit, ReadContentUsage or several of them
	file     *File
}

// variants returns the other readings of the body, parsed on first use. Every set of readings follows its
// own subsets.
func (f *File) variants() []variant {
	reach := cmp.Or(f.spec.limit, ParseLimit) // to which a crawler reads that does otherwise about the limit
	if f.lax == 0 && !f.usage && len(f.body) <= reach {
		return nil
	}
	f.vary.Do(func() {
		f.addUsage(f, 0)
		f.addLenient(f, 0)
		if len(f.body) <= reach {
			return
		}
		s := *f.spec
		if s.limit = 0; f.spec.limit == 0 {
			s.limit = ParseLimit
		}
		beyond := s.parse(f.body)
		f.others = append(f.others, variant{ReadBeyondLimit, beyond})
		f.addUsage(beyond, ReadBeyondLimit)
		f.addLenient(beyond, ReadBeyondLimit)
	})
	return f.others
}

// UsageRules returns the file as ReadContentUsage has it; f itself if that makes no difference.
func (f *File) UsageRules() *File {
	if !f.usage {
		return f
	}
	for _, v := range f.variants() {
		if v.readings == ReadContentUsage {
			return v.file
		}
	}
	return f
}

// JudgesAlike reports whether every reading puts both tokens into the same groups, if the file does.
func (f *File) JudgesAlike(a, b string) bool {
	return !slices.ContainsFunc(f.variants(),
		func(v variant) bool { return v.file.For(a).Key() != v.file.For(b).Key() })
}

// addUsage adds a file that was read as readings say as ReadContentUsage has it, too, if that
// makes a difference.
func (f *File) addUsage(base *File, readings Readings) {
	if !base.usage {
		return
	}
	s := *base.spec
	s.usageRules = true
	f.others = append(f.others, variant{readings | ReadContentUsage, s.parse(f.body)})
}

// addLenient adds the variants of a file that read its keys with another leniency,
// where that makes a difference.
func (f *File) addLenient(base *File, readings Readings) {
	for l := readExact; l <= readPrefixes; l++ {
		// Between l and the next leniency nearer to the profile's there must be a
		// line that needs the greater of the two.
		needed := l
		if l < base.spec.leniency {
			needed++
		}
		if l == base.spec.leniency || base.lax&(1<<needed) == 0 {
			continue
		}
		s := *base.spec
		s.leniency = l
		lenient := s.parse(f.body)
		f.others = append(f.others, variant{readings | ReadLenient, lenient})
		f.addUsage(lenient, readings|ReadLenient)
	}
}
