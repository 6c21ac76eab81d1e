package robots

import (
	"slices"
	"strings"
	"sync"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/useragent"
)

// ProductName drops words before a name that end in "!": they name an operator, as in "Yahoo! Slurp",
// whose product token is Slurp. User-agent lines are compared without them.
func ProductName(name string) string {
	for strings.Contains(name, "!") {
		i := strings.IndexAny(name, " \t")
		if i < 1 || name[i-1] != '!' {
			break
		}
		name = strings.TrimLeft(name[i:], " \t")
	}
	return name
}

// withoutVersion drops a version that is the last word of a name: "Brightbot 1.0".
func withoutVersion(name string) string {
	if i := strings.LastIndexByte(name, ' '); i > 0 && useragent.IsVersion(name[i+1:]) {
		return strings.TrimRight(name[:i], " ")
	}
	return name
}

// An aside is the groups that name a token in another reading than the profile's (ReadAgentName).
type aside struct {
	groups []*Group
	lines  []int // their first user-agent lines, and that of a further one
	more   bool  // there are further groups, which were not looked at
}

// maxAside bounds the groups of an aside. Of 4,231 real files none has more than 24 for any word.
const maxAside = 64

// asides are other readings of a file's user-agent lines.
type asides struct {
	once  sync.Once
	text  string                 // values of lines that hold more than one name, in lower case, one a line
	words map[string][]asideWord // of text, in order
	known map[string]*aside      // by token, guarded by File.mu
}

// asideWord is where a word begins in asides.text, and the index of its user-agent line.
type asideWord struct {
	start, agent int32
}

// maxAsides bounds the tokens whose asides are kept.
const maxAsides = 64

var noAside aside

// aside returns the groups with a user-agent line that holds the token as a word, or the first word
// of a token of several, and by which the profile does not find the token's groups.
func (f *File) aside(token string) *aside {
	name := ProductName(token)
	word, _, _ := strings.Cut(name, " ") // RFC 9309 §2.2.1 would have that alone
	f.asides.once.Do(f.findAsides)
	if word == "" || f.asides.text == "" && word == name || strings.ContainsAny(word, "/*") || useragent.IsVersion(word) {
		return &noAside
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.asides.known[token]
	if a == nil {
		a = f.newAside(token, word)
		if f.asides.known == nil || len(f.asides.known) >= maxAsides {
			f.asides.known = make(map[string]*aside)
		}
		f.asides.known[token] = a
	}
	return a
}

func (f *File) newAside(token, word string) *aside {
	own := f.find(token, 0)
	isOwn := func(group int) bool { // a group for every crawler does not name the token
		if own == nil || own == &f.names(f.spec.mode).global {
			return false
		}
		_, found := slices.BinarySearch(own.members, group)
		return found
	}
	var members []int
	if n := f.names(f.spec.mode); word != ProductName(token) {
		if at := n.at(word); at >= 0 {
			members = slices.Clone(n.list[at].members)
		}
	}
	members = slices.DeleteFunc(append(members, f.groupsWith(ascii.Lower(word), isOwn)...), isOwn)
	slices.Sort(members)
	members = slices.Compact(members)
	a := new(aside)
	for i, m := range members {
		a.lines = append(a.lines, f.groupLine(m+1))
		if i == maxAside {
			a.more = true
			break
		}
		g := f.set([]int{m})
		f.compile(g)
		a.groups = append(a.groups, g)
	}
	return a
}

// groupsWith returns the groups that have a line in asides.text with a word, in rising order, and at
// most one more than maxAside that skip is not true of.
func (f *File) groupsWith(word string, skip func(group int) bool) (groups []int) {
	text, from := f.asides.text, 0
	for from < len(word) && !isWordByte(word[from]) {
		from++
	}
	for _, at := range f.asides.words[wordAt(word, from)] {
		count(1)
		start, end := int(at.start)-from, int(at.start)-from+len(word)
		if start < 0 || end > len(text) || text[start:end] != word ||
			start > 0 && isWordByte(text[start-1]) || wordAt(text, end) != "" {
			continue
		}
		group := int(f.agents[at.agent].group)
		if (len(groups) == 0 || groups[len(groups)-1] != group) && !skip(group) {
			if groups = append(groups, group); len(groups) > maxAside {
				break
			}
		}
	}
	return groups
}

// findAsides collects the values of user-agent lines that hold other words than the name by which
// they are compared.
func (f *File) findAsides() {
	var text strings.Builder
	for i := range f.agents {
		value := f.valueOf(&f.agents[i])
		if !f.spec.mode.holdsMore(value) {
			continue
		}
		if f.asides.words == nil {
			f.asides.words = make(map[string][]asideWord)
		}
		f.addAside(&text, value, i)
		if plain := plainHyphens.Replace(value); plain != value {
			f.addAside(&text, plain, i)
		}
	}
	f.asides.text = text.String()
}

// addAside adds a reading of the value of a user-agent line.
func (f *File) addAside(text *strings.Builder, value string, agent int) {
	value, start := ascii.Lower(value), text.Len()
	text.WriteString(value)
	text.WriteByte('\n')
	for at := 0; at < len(value); at++ {
		if word := wordAt(value, at); word != "" {
			f.asides.words[word] = append(f.asides.words[word], asideWord{int32(start + at), int32(agent)})
			at += len(word)
		}
	}
}

// wordAt returns the word that begins at s[i:], "" where none does. Dots at its end are not part of it.
func wordAt(s string, i int) string {
	end := i
	for end < len(s) && isWordByte(s[end]) {
		end++
	}
	return strings.TrimRight(s[i:end], ".")
}

// holdsMore reports whether a value holds a word that is neither the name that is compared nor a version.
func (m Mode) holdsMore(value string) bool {
	name, _ := m.name(value)
	for i := 0; i < len(value); i++ {
		word := wordAt(value, i)
		if word != "" && word != name && !useragent.IsVersion(word) {
			return true
		}
		i += len(word)
	}
	return false
}

// isWordByte reports whether a byte is part of a word that may be a token.
func isWordByte(b byte) bool {
	return b == '-' || b == '_' || b == '.' || '0' <= b && b <= '9' || 'a' <= ascii.LowerByte(b) &&
		ascii.LowerByte(b) <= 'z'
}

// plainHyphens makes the hyphens and dashes of typesetters the hyphen of tokens.
var plainHyphens = strings.NewReplacer(
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-",
)

// OtherLines returns the first user-agent line of each group that names the token in another reading
// (ReadAgentName), of the first few where they are very many. The caller must not change them.
func (f *File) OtherLines(token string) []int { return f.aside(token).lines }

// allow reports whether one of the groups allows the path, or may.
func (a *aside) allow(path string, equal Readings, spent *int) bool {
	return a.more || slices.ContainsFunc(a.groups, func(g *Group) bool { return g.allows(path, equal, spent) })
}

// forbids reports whether the group forbids the path, or may.
func (g *Group) forbids(path string, spent *int) bool {
	if *spent > maxAgainst {
		return true
	}
	d := g.Match(path)
	*spent += d.by.cost
	return !d.Allowed
}
