package robots

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unsafe"

	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// A File is a parsed robots.txt. Its exported fields are facts to be read. A
// File may be used by several goroutines at once.
type File struct {
	// Cut reports that the body is longer than the profile's parsing limit.
	Cut bool
	// HTML reports that the body is an HTML document, groups or not.
	HTML bool
	// Groups counts the groups, Rules the rules in them that can match
	// something: neither empty ones nor those that no path can satisfy.
	Groups, Rules int

	spec *spec
	body []byte
	text string // the parsed part of the body, decoded
	lax  uint8  // a bit for each leniency that a line of the protocol needs

	usage bool // a Content-Usage line stands between user-agent lines of one group

	agents []agent
	groups []group
	rules  []rule

	mu       sync.Mutex // guards the fields that For fills in
	deciding deciding
	asides   asides
	named    *namedGroups

	vary   sync.Once // guards others
	others []variant

	list      sync.Once // guards ruleLines
	ruleLines [][]Line  // by group
}

// An agent is one user-agent line, with the place of its value in File.text and
// the index of its group. Like group and rule it has no pointers, lest the
// garbage collector look into it.
type agent struct {
	value, end uint32
	line       uint32
	group      uint32
}

// A group is one run of user-agent lines, the first of them at line, with the
// rules that follow them: rules[firstRule:], up to the next group's.
type group struct {
	line, firstRule uint32
	ruled           bool // a rule follows, or what else is of the group
}

// A rule is a Rule as a File keeps it: where in File.text the line begins and
// its value, and where both end.
type rule struct {
	text, value, end uint32
	line             uint32
	allow            bool
}

// maxBody is how many bytes are parsed in any profile, so that 32 bits hold any
// place in the text and in a pattern: transcoding and encoding make less than five
// bytes of one.
const maxBody = 1 << 29

// Parse reads a robots.txt body as the profile does. It never fails: lines that can't be read are skipped
// (RFC 9309 §2.3.1.5), and Notes lists them. A body longer than the profile's limit is cut there, and a
// line that the cut goes through is dropped.
//
// The File refers to body, which must not change afterwards.
func Parse(body []byte, p Profile) *File {
	return p.spec().parse(body)
}

// Limit is how many bytes of the body are parsed at most.
func (f *File) Limit() int { return cmp.Or(f.spec.limit, maxBody) }

func (s *spec) parse(body []byte) *File {
	f := s.open(body)
	p := parser{File: f}
	p.parse()
	f.Groups, f.Rules = len(f.groups), len(f.rules)
	return f
}

// open returns a File with nothing but the text.
func (s *spec) open(body []byte) *File {
	f := &File{spec: s, body: body}
	limit := f.Limit()
	dropLast := false
	if len(body) > limit {
		f.Cut = true
		dropLast = body[limit] != '\n' && body[limit] != '\r' && !s.keepCut
		body = body[:limit]
	}
	transcoded := f.decode(body)
	if f.Cut && (dropLast || transcoded) {
		f.text = f.text[:strings.LastIndexAny(f.text, "\r\n")+1]
	}
	f.HTML = looksLikeHTML(f.text)
	if s.newlines != nil {
		f.text = strings.NewReplacer(s.newlines...).Replace(f.text)
	}
	if s.dropTags == tagsNone && strings.Contains(f.text, "<") || s.dropTags == tagsHTML && hasTagOfHTML(f.text) {
		f.text = withoutTags(f.text)
	}
	return f
}

// decode makes the body the text: byte order marks go, and UTF-16 with one is
// transcoded. Bytes that are not UTF-8 stay.
func (f *File) decode(body []byte) (transcoded bool) {
	const utf8BOM = "\xEF\xBB\xBF"
	mark := 0
	switch {
	case f.spec.marks == marksText:
	case f.spec.marks == marksBytes:
		for mark < len(utf8BOM) && mark < len(body) && body[mark] == utf8BOM[mark] {
			mark++
		}
	case bytes.HasPrefix(body, []byte(utf8BOM)):
		mark = len(utf8BOM)
	case f.spec.marks == marksRead && len(body) >= 2 &&
		(body[0] == 0xFF && body[1] == 0xFE || body[0] == 0xFE && body[1] == 0xFF):
		f.text = FromUTF16(body[2:], body[0] == 0xFE)
		return true
	}
	body = body[mark:]
	f.text = unsafe.String(unsafe.SliceData(body), len(body))
	return false
}

// FromUTF16 transcodes; half a code unit at the end is dropped.
func FromUTF16(body []byte, bigEndian bool) string {
	hi, lo := 1, 0
	if bigEndian {
		hi, lo = 0, 1
	}
	units := make([]uint16, len(body)/2)
	for i := range units {
		units[i] = uint16(body[2*i+hi])<<8 | uint16(body[2*i+lo])
	}
	return string(utf16.Decode(units))
}

// IsHTML reports whether a body is an HTML document.
func IsHTML(body []byte) bool { return RFC9309.spec().open(body).HTML }

// looksLikeHTML reports whether text begins with a tag of an HTML document.
func looksLikeHTML(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n\v\f")
	if !strings.HasPrefix(text, "<") {
		return false
	}
	head := strings.ToLower(text[:min(len(text), 1024)])
	tags := []string{"<!doctype html", "<html", "<head", "<body", "<title", "<meta", "<script"}
	return slices.ContainsFunc(tags, func(tag string) bool { return strings.Contains(head, tag) })
}

// parser is the state between two lines.
type parser struct {
	*File
	line     int  // the number of the current line
	inAgents bool // no rule has followed the last user-agent line
	isSplit  bool // a Content-Usage line has
}

func (p *parser) parse() {
	for l := range p.lines {
		p.line = l.number
		end := l.at + len(l.text)
		value := end - len(l.value)
		if l.needs != readExact {
			p.lax |= 1 << l.needs
		}
		switch {
		case l.key == keyUserAgent:
			p.userAgent(value, end)
		case l.key == keyAllow, l.key == keyDisallow:
			if p.spec.dropControl && hasControl(l.value) {
				end = value
			}
			p.rule(l.key == keyAllow, l.at, value, end)
		case l.extra == contentUsage: // a rule for ReadContentUsage alone
			if p.spec.usageRules {
				p.inAgents = false
			}
			p.isSplit = p.inAgents
		case p.spec.ends == endsDelay && l.extra == crawlDelay && l.value != "" && '0' <= l.value[0] && l.value[0] <= '9',
			p.spec.ends >= endsAny && l.hasKey:
			p.end(l.extra == crawlDelay)
		}
	}
}

// userAgent starts a group or joins the one that has no rule yet. Every
// user-agent line does so, whatever its value: dropping one would pour its
// rules into the group before.
func (p *parser) userAgent(value, end int) {
	if !p.inAgents {
		if p.groups == nil {
			const few = 4 // most files have no more
			p.groups, p.agents = make([]group, 0, few), make([]agent, 0, few)
		}
		p.groups = append(p.groups, group{line: uint32(p.line), firstRule: uint32(len(p.rules))})
		p.inAgents, p.isSplit = true, false
	}
	p.usage = p.usage || p.isSplit
	p.agents = append(p.agents, agent{uint32(value), uint32(end), uint32(p.line), uint32(len(p.groups) - 1)})
}

// end ends the list of user-agent lines. isRule: the line says something of the group.
func (p *parser) end(isRule bool) {
	if p.inAgents = false; isRule && len(p.groups) > 0 {
		p.groups[len(p.groups)-1].ruled = true
	}
}

// rule takes an allow or disallow line. It ends the list of user-agent lines
// even where its value matches nothing; before any group it is ignored.
func (p *parser) rule(allow bool, text, value, end int) {
	if len(p.groups) == 0 {
		return
	}
	p.end(true)
	if p.spec.cutStar && value < end && p.text[end-1] == '*' {
		end--
	}
	switch {
	case p.spec.empty && value == end:
		allow = true
	case p.spec.clears && value == end:
		p.rules = p.rules[:p.groups[len(p.groups)-1].firstRule]
		return
	case p.spec.form == normal.URLEncoded && !allow && !normal.AreEscapes(p.text[value:end]):
		return
	case p.spec.form >= normal.URLEncoded && value < end:
	case !canMatch(p.text[value:end]):
		return
	}
	if p.rules == nil {
		// Most of the lines to come are rules, of more bytes than that.
		const shortRule = 16
		rest := p.text[text:]
		p.rules = make([]rule, 0, 1+min(strings.Count(rest, "\n"), len(rest)/shortRule))
	}
	p.rules = append(p.rules, rule{uint32(text), uint32(value), uint32(end), uint32(p.line), allow})
}

// canMatch reports whether a rule's value is a pattern that some path matches.
func canMatch(value string) bool {
	return value != "" && (value[0] == '/' || value[0] == '*')
}

// groupLine returns the first user-agent line of the n-th group, from 1; of none, 0.
func (f *File) groupLine(n int) int {
	if n == 0 {
		return 0
	}
	return int(f.groups[n-1].line)
}

func (f *File) valueOf(a *agent) string { return f.text[a.value:a.end] }

// GroupLine returns the first user-agent line of the group that a line stands in; 0 if there is none.
func (f *File) GroupLine(line int) int { return f.groupLine(f.groupsUpTo(line)) }

// groupsUpTo returns how many groups begin at or before a line.
func (f *File) groupsUpTo(line int) int {
	n, _ := slices.BinarySearchFunc(f.groups, line+1, func(g group, line int) int { return int(g.line) - line })
	return n
}
