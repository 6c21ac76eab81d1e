package robots

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// commons is crawlercommons.robots.SimpleRobotRulesParser from 1.4, without its limit on Crawl-delay.
var commons = spec{
	own: wordNames{}, selfAllowed: true, form: normal.Escaped, indexPage: indexCommons, blanks: javaBlanks,
	crawlerSpec: crawlerSpec{
		dropTags: tagsHTML, leftmost: true,
		newlines: []string{"\u0085", "\n", "\u2028", "\n", "\u2029", "\n"},
		keys: spellings("user-agent useragent useg-agent ser-agent users-agent user_agent user-agnet user-agents",
			"disallow desallow dissallow dissalow disalow dssalow dsallow diasllow disallaw diallow disallows disllow"),
	},
}

// commons0 is the parser of 0.10 to 1.3.
var commons0 = spec{
	own: prefixNames{}, selfAllowed: true, form: normal.URLEncoded, blanks: javaBlanks,
	crawlerSpec: crawlerSpec{
		dropTags: tagsHTML, leftmost: true, ends: endsText, clears: true, newlines: commons.newlines,
		keys: append(spellings("user-agent useragent useg-agent ser-agent", "disallow desallow dissalow dssalow dsallow"),
			spelling{crawlDelay, keyExtra}, spelling{"crawl delay", keyExtra},
			spelling{"sitemap", keyUnknown}, spelling{"host", keyUnknown}, spelling{"no-index", keyUnknown},
			spelling{"request-rate", keyUnknown}, spelling{"visit-time", keyUnknown},
			spelling{"robot-version", keyUnknown}, spelling{"comment", keyUnknown}, spelling{"http", keyUnknown}),
	},
}

// javaBlanks is what Java's String.trim cuts.
const javaBlanks = "\x00\x01\x02\x03\x04\x05\x06\a\b\t\n\v\f\r\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "

// wordNames compares what of a value could be a product token, up to the first other byte. A token that RFC 9309's
// grammar does not admit is compared with all of the value.
type wordNames struct{}

func (wordNames) collect(f *File, n *names) {
	read := func(a *agent) (string, bool) { return f.valueOf(a), f.valueOf(a) == "*" }
	n.more = new(names)
	f.gather(n.more, read)
	f.gather(n, func(a *agent) (name string, global bool) {
		name, global = read(a)
		return leadingToken(name), global
	})
}

func (wordNames) find(n *names, token string) int { return n.at(token) }

// prefixNames is how crawler-commons found names before 1.4: the first that the token begins with. Several names stand
// on a line, each with its first group.
type prefixNames struct{}

func (prefixNames) find(n *names, token string) int {
	if found := n.within().longest(ascii.Lower(token)); found > 0 {
		return int(n.first[found])
	}
	return -1
}

func (prefixNames) collect(f *File, n *names) {
	for i := range f.agents {
		a := &f.agents[i]
		for name := range strings.FieldsFuncSeq(f.valueOf(a), func(r rune) bool { return strings.ContainsRune(" \t,", r) }) {
			one := named{name: name, members: []int{int(a.group)}, agents: []int{i}}
			switch {
			case name != "*" && n.at(name) < 0:
				n.add(one)
			case name == "*" && n.global.members == nil:
				n.global = one
			}
		}
	}
}

// spellings lists how user-agent and disallow may be spelt, with "_" for a space in them, and allow.
func spellings(userAgent, disallow string) []spelling {
	list := []spelling{{"allow", keyAllow}}
	for _, text := range strings.Fields(userAgent) {
		list = append(list, spelling{strings.ReplaceAll(text, "_", " "), keyUserAgent})
	}
	for _, text := range strings.Fields(disallow) {
		list = append(list, spelling{text, keyDisallow})
	}
	return list
}

// hasTagOfHTML reports whether there is a tag by which crawler-commons knows HTML.
func hasTagOfHTML(text string) bool {
	for {
		_, after, found := strings.Cut(text, "<")
		if !found {
			return false
		}
		text = after
		for _, tag := range [...]string{"html", "head", "body"} {
			if ascii.HasPrefixFold(text, tag) && strings.HasPrefix(strings.TrimLeft(text[len(tag):], cBlanks), ">") {
				return true
			}
		}
	}
}

// withoutTags drops what looks like a tag of HTML, within a line: "<", at least a byte, and the next ">".
func withoutTags(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i:]
		switch end := strings.IndexAny(text, ">\r\n"); {
		case end > 1 && text[end] == '>':
			text = text[end+1:]
		case end > 0: // the line has no other tag, or this is none
			b.WriteString(text[:end])
			text = text[end:]
		default:
			b.WriteString(text)
			return b.String()
		}
	}
}
