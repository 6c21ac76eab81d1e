package robots

import (
	"bytes"
	"math"
	"math/bits"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// A File is a parsed robots.txt. Its exported fields are facts to be read. A
// File may be used by several goroutines at once.
type File struct {
	// Cut says that the body is longer than the profile's parsing limit.
	Cut bool
	// HTML says that the body is an HTML document that holds no group.
	HTML bool
	// Empty says that the body holds nothing but white space.
	Empty bool
	// Groups counts the groups, Rules the rules in them that can match
	// something: neither empty ones nor those that no path can satisfy.
	Groups, Rules int
	// Records are the records of other protocols, in file order.
	Records []Record

	spec   *spec
	text   string // the body, decoded
	rules  []rule
	normal []string // the patterns of the rules whose value is another
	agents []agent
	groups []group

	mu       sync.Mutex // guards what For fills in
	deciding deciding
}

// A Rule is an allow or disallow line that can match something.
type Rule struct {
	Allow   bool
	Text    string // the line as written, trimmed, without comment
	Pattern string // the normalised pattern
	Line    int    // from 1
}

// A rule is a Rule as a File keeps it: half its size, and without pointers, so
// that the garbage collector does not look into it.
type rule struct {
	// Where in File.text the line's text begins, its value, and where both end.
	text, value, end uint32
	line             uint32
	normal           uint32 // from 1, the number in File.normal; 0: the value is the pattern
	class            octetClass
	allow            bool
}

// maxBody is how many octets are parsed in any profile, so that places in the
// text, even in a transcoded one, fit into a rule.
const maxBody = math.MaxInt32

// A Record is a line that is no part of the Robots Exclusion Protocol but
// belongs to a known extension of it (RFC 9309 §2.2.4).
type Record struct {
	Key   string // lower case: "crawl-delay", "sitemap", …
	Value string // trimmed, without comment
	Line  int    // from 1
	Group int    // the first user-agent line of the group it stands in, else 0
}

// An agent is one user-agent line. It belongs to the group of that index.
type agent struct {
	value string
	line  int
	group int
}

// A group is one run of user-agent lines with the rules that follow them:
// agents[firstAgent:] and rules[firstRule:], up to the next group's.
type group struct {
	line                  int
	firstAgent, firstRule int
}

// Parse reads a robots.txt body as the profile does. It never fails: lines
// that can't be read are skipped and noted (RFC 9309 §2.3.1.5). A body longer
// than the profile's limit is cut there, and a line that the cut goes through
// is dropped.
func Parse(body []byte, p Profile) (*File, []Note) {
	return p.spec().parse(body, p.spec().limit, new(notes))
}

// ParseWhole is Parse without the limit, to see whether what lies beyond it
// could change a verdict.
func ParseWhole(body []byte, p Profile) (*File, []Note) {
	return p.spec().parse(body, 0, new(notes))
}

// parser is the state between two lines.
type parser struct {
	*File
	notes *notes
	html  bool

	nextLF, nextCR int // see endOfLine
	line           int // the number of the current line
	current        line
	inAgents       bool // no rule has followed the last user-agent line
	ruled          bool // the current group has a rule, valid or not

	// The first line in the current group that is neither a user-agent line
	// nor a rule, while none of those has followed it; recordAt 0 is none.
	record   string
	recordAt int

	seen []int32    // the hash table of noteDuplicates
	room [128]int32 // for seen, while that is enough
}

func (s *spec) parse(body []byte, limit int, n *notes) (*File, []Note) {
	f := &File{spec: s}
	p := parser{File: f, notes: n}
	p.seen = p.room[:]
	var cut bool
	if limit == 0 {
		limit = maxBody
	}
	if len(body) > limit {
		f.Cut = true
		cut = body[limit] != '\n' && body[limit] != '\r'
		body = body[:limit]
	}
	text, transcoded := p.decode(body)
	if f.Cut && (cut || transcoded) {
		text = withoutLastLine(text)
	}
	f.text = text
	f.Empty = strings.Trim(text, " \t\r\n\v\f\x00") == ""
	p.html = looksLikeHTML(text)
	if !p.html {
		// Most lines of most files are rules, of more octets than that.
		const shortRule = 16
		p.rules = make([]rule, 0, min(strings.Count(text, "\n")+1, len(text)/shortRule))
	}
	p.lines()
	p.endGroup()
	f.Groups, f.Rules = len(f.groups), len(f.rules)
	f.HTML = p.html && f.Groups == 0
	p.noteWhole()
	if n == nil {
		return f, nil
	}
	return f, n.sorted()
}

// decode turns the body into text: byte order marks go, and UTF-16 with one is
// transcoded. Octets that are not UTF-8 stay.
func (p *parser) decode(body []byte) (text string, transcoded bool) {
	const utf8BOM = "\xEF\xBB\xBF"
	switch {
	case p.spec.cString:
		n := 0
		for n < len(utf8BOM) && n < len(body) && body[n] == utf8BOM[n] {
			n++
		}
		if n > 0 {
			p.notes.add(1, NoteByteOrderMark, "")
		}
		return string(body[n:]), false
	case bytes.HasPrefix(body, []byte(utf8BOM)):
		p.notes.add(1, NoteByteOrderMark, "")
		return string(body[len(utf8BOM):]), false
	case len(body) >= 2 && (body[0] == 0xFF && body[1] == 0xFE || body[0] == 0xFE && body[1] == 0xFF):
		p.notes.add(1, NoteUTF16, "")
		return fromUTF16(body[2:], body[0] == 0xFE), true
	}
	return string(body), false
}

// fromUTF16 transcodes; half a code unit at the end is dropped.
func fromUTF16(body []byte, bigEndian bool) string {
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

// withoutLastLine drops a last line that has no line ending.
func withoutLastLine(text string) string {
	return text[:strings.LastIndexAny(text, "\r\n")+1]
}

// looksLikeHTML reports whether text begins with a tag of an HTML document.
func looksLikeHTML(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n\v\f")
	if !strings.HasPrefix(text, "<") {
		return false
	}
	head := strings.ToLower(text[:min(len(text), 1024)])
	for _, tag := range [...]string{"<!doctype html", "<html", "<head", "<body", "<title", "<meta", "<script"} {
		if strings.Contains(head, tag) {
			return true
		}
	}
	return false
}

// isControl reports whether b is a control octet that the grammar keeps out of
// a rule (RFC 9309 §2.2). A tab is the grammar's white space, and its ABNF
// admits DEL.
func isControl(b byte) bool { return b < 0x20 && b != '\t' }

// lines feeds the text to the parser line by line. A line ends at LF, CR or
// CR LF (RFC 9309 §2.2).
func (p *parser) lines() {
	text := p.text
	p.nextLF, p.nextCR = -1, -1
	for at := 0; at < len(text); {
		p.line++
		end, ok := p.quick(at)
		if !ok {
			end = p.endOfLine(at)
			p.next(newRawLine(text[at:end], at))
		}
		at = end + 1
		if at < len(text) && text[end] == '\r' && text[at] == '\n' {
			at++
		}
	}
}

// quick takes the line that begins at p.text[at] if it is written as nearly
// all are: nothing, a comment, or a key of the protocol, its colon and a value
// of ASCII without control characters, and not too long. It returns the end of
// the line. The line is then gone over only once, for most of the time that
// parsing takes is spent in looking at octets.
func (p *parser) quick(at int) (end int, ok bool) {
	text := p.text
	switch text[at] {
	case '\n', '\r':
		return at, true
	case '#':
		end = p.endOfLine(at)
		return end, end-at < longLine
	}
	k, value := plainKey(text, at)
	if k == keyUnknown {
		return p.quickHTML(at)
	}
	for value < len(text) && text[value] == ' ' {
		value++
	}
	var class octetClass
	for end = value; end < len(text); end++ {
		c := classes[text[end]]
		if c&(classStop|classControl|classHigh) != 0 {
			break
		}
		class |= c
	}
	if end-at >= longLine || end < len(text) && text[end] != '\n' && text[end] != '\r' {
		return 0, false
	}
	trimmed := end
	for trimmed > value && (text[trimmed-1] == ' ' || text[trimmed-1] == '\t') {
		trimmed--
	}
	if value < trimmed && text[value] == '\t' {
		return 0, false
	}
	if k == keyUserAgent {
		p.userAgent(text[value:trimmed])
		return end, true
	}
	if class&classDollar != 0 {
		class = patternClass(text[value:trimmed])
	}
	p.rule(rule{
		text: uint32(at), value: uint32(value), end: uint32(trimmed), line: uint32(p.line),
		class: class, allow: k == keyAllow,
	})
	return end, true
}

// quickHTML takes a line that says nothing: one of a document, in which there
// has been no group yet, that cannot begin a record. Much of what is served as
// robots.txt is HTML.
func (p *parser) quickHTML(at int) (end int, ok bool) {
	if !p.html || len(p.groups) > 0 {
		return 0, false
	}
	end = p.endOfLine(at)
	line := p.text[at:end]
	if len(line) >= longLine || textClass(line)&(classControl|classHigh) != 0 {
		return 0, false
	}
	for line != "" && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	isLetter := line != "" && 'a' <= toLower(line[0]) && toLower(line[0]) <= 'z'
	return end, !isLetter
}

// endOfLine returns where the line that begins at p.text[at] ends. The next LF
// and the next CR are remembered, lest a text with but one kind of them be gone
// over for each line to find none of the other.
func (p *parser) endOfLine(at int) int {
	if p.nextLF < at {
		p.nextLF = indexFrom(p.text, at, '\n')
	}
	if p.nextCR < at {
		p.nextCR = indexFrom(p.text, at, '\r')
	}
	return min(p.nextLF, p.nextCR)
}

// indexFrom returns where b stands next in text, from text[at] on; where it
// does not, the length of text.
func indexFrom(text string, at int, b byte) int {
	if i := strings.IndexByte(text[at:], b); i >= 0 {
		return at + i
	}
	return len(text)
}

// A rawLine is a line without its ending, where it begins, and where in it the
// first "#" stands and, before that, the first ":", or -1.
type rawLine struct {
	text        string
	at          int
	hash, colon int
}

func newRawLine(text string, at int) rawLine {
	l := rawLine{text, at, strings.IndexByte(text, '#'), -1}
	if l.hash >= 0 {
		text = text[:l.hash]
	}
	l.colon = strings.IndexByte(text, ':')
	return l
}

// next takes a line that is not written as most are.
func (p *parser) next(raw rawLine) {
	if p.spec.cString {
		raw = cString(raw, p.spec.lineLimit)
	}
	if len(raw.text) > longLine || p.spec.lineLimit > 0 && len(raw.text) == p.spec.lineLimit {
		p.notes.add(p.line, NoteLineTooLong, raw.text)
	}
	l := &p.current
	if !l.split(p.spec, raw) {
		return
	}
	p.noteLine(l)
	switch l.key {
	case keyUserAgent:
		p.userAgent(l.value)
	case keyAllow, keyDisallow:
		end := l.at + len(l.text)
		p.rule(rule{
			text: uint32(l.at), value: uint32(end - len(l.value)), end: uint32(end), line: uint32(p.line),
			class: patternClass(l.value), allow: l.key == keyAllow,
		})
	case keyExtra:
		p.Records = append(p.Records, Record{l.extra, l.value, p.line, p.groupLine()})
		p.other(l)
	default:
		p.other(l)
	}
}

// cString returns the part of a line that Google's parser sees.
func cString(l rawLine, limit int) rawLine {
	text := l.text[:min(len(l.text), limit)]
	if i := strings.IndexByte(text, 0); i >= 0 {
		text = text[:i]
	}
	if len(text) == len(l.text) {
		return l
	}
	return newRawLine(text, l.at)
}

// userAgent starts a group or joins the one that has no rule yet. Every
// user-agent line does so, whatever its value: dropping one would pour its
// rules into the group before.
func (p *parser) userAgent(value string) {
	if !p.inAgents {
		p.endGroup()
		if p.groups == nil {
			const few = 4 // most files have no more
			p.groups, p.agents = make([]group, 0, few), make([]agent, 0, few)
		}
		p.groups = append(p.groups, group{p.line, len(p.agents), len(p.rules)})
		p.inAgents, p.ruled = true, false
	}
	p.noteRecordInGroup()
	p.agents = append(p.agents, agent{value, p.line, len(p.groups) - 1})
	if value != "*" && !isToken(value) {
		p.notes.add(p.line, NoteInvalidToken, value)
	}
}

// rule takes an allow or disallow line. It ends the list of user-agent lines
// even where it is empty or invalid.
func (p *parser) rule(r rule) {
	if len(p.groups) == 0 {
		p.notes.add(p.line, NoteRuleBeforeGroup, p.textOf(&r))
		return
	}
	p.inAgents, p.ruled = false, true
	p.noteRecordInGroup()
	value := p.text[r.value:r.end]
	if value == "" || p.spec.dropControl && r.class&classControl != 0 {
		return
	}
	if value[0] != '/' && value[0] != '*' {
		p.notes.add(p.line, NoteNoLeadingSlash, p.textOf(&r))
		return
	}
	if r.class&classDollar != 0 {
		p.notes.add(p.line, NoteDollarInside, p.textOf(&r))
	}
	if r.class&(classHigh|classPercent|classDollar) != 0 {
		if pattern := p.spec.pattern(value); pattern != value {
			p.normal = append(p.normal, pattern)
			r.normal = uint32(len(p.normal))
		}
	}
	p.rules = append(p.rules, r)
}

func (f *File) textOf(r *rule) string { return f.text[r.text:r.end] }

func (f *File) patternOf(r *rule) string {
	if r.normal > 0 {
		return f.normal[r.normal-1]
	}
	return f.text[r.value:r.end]
}

// other takes a line that is no part of the protocol. It changes nothing:
// RFC 9309 §2.2.4.
func (p *parser) other(l *line) {
	if len(p.groups) > 0 && p.recordAt == 0 {
		p.recordAt, p.record = p.line, l.text
	}
}

// groupLine returns the first user-agent line of the current group, or 0.
func (p *parser) groupLine() int {
	if len(p.groups) == 0 {
		return 0
	}
	return p.groups[len(p.groups)-1].line
}

// endGroup notes what can be said once a group is whole.
func (p *parser) endGroup() {
	p.recordAt = 0
	if len(p.groups) == 0 {
		return
	}
	g := p.groups[len(p.groups)-1]
	if !p.ruled {
		p.notes.add(g.line, NoteEmptyGroup, "")
	}
	if p.notes != nil {
		p.noteDuplicates(p.rules[g.firstRule:])
	}
}

// noteDuplicates notes rules that repeat one of their group. It looks for them
// in a hash table with open addressing.
func (p *parser) noteDuplicates(rules []rule) {
	if len(rules) < 2 {
		return
	}
	size := 2 << bits.Len(uint(len(rules)))
	if size > len(p.seen) {
		p.seen = make([]int32, size)
	}
	table := p.seen[:size]
	clear(table)
	for i := range rules {
		r := &rules[i]
		pattern := p.patternOf(r)
		// A body can be made to collide; then a duplicate may be missed.
		const probes = 16
		at := hash(pattern)
		for range probes {
			at &= uint64(len(table) - 1)
			if table[at] == 0 {
				table[at] = int32(i + 1)
				break
			}
			if other := &rules[table[at]-1]; other.allow == r.allow && p.patternOf(other) == pattern {
				p.notes.add(int(r.line), NoteDuplicateRule, p.textOf(r))
				break
			}
			at++
		}
	}
}

// hash mixes the octets of s, eight at a time.
func hash(s string) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h := uint64(len(s))
	for ; len(s) >= 8; s = s[8:] {
		h = (h ^ word(s)) * prime
		h ^= h >> 32
	}
	for i := 0; i < len(s); i++ {
		h = h<<8 | h>>56 ^ uint64(s[i])
	}
	h *= prime
	return h ^ h>>32
}

// noteRecordInGroup is called where a group goes on after another record.
func (p *parser) noteRecordInGroup() {
	if p.recordAt > 0 {
		p.notes.add(p.recordAt, NoteRecordInGroup, p.record)
		p.recordAt = 0
	}
}

// noteLine notes what can be said of a line on its own.
func (p *parser) noteLine(l *line) {
	switch {
	case l.noColon:
		p.notes.add(p.line, NoteMissingColon, l.text)
	case l.misspelt:
		p.notes.add(p.line, NoteMisspelt, l.text)
	case l.key == keyUnknown && !p.html:
		p.notes.add(p.line, NoteUnknownRecord, l.text)
	}
	class := textClass(l.text)
	if class&classControl != 0 {
		p.notes.add(p.line, NoteControl, l.text)
	}
	if class&classHigh != 0 && !utf8.ValidString(l.text) {
		p.notes.add(p.line, NoteNonUTF8, l.text)
	}
}

// noteWhole notes what can be said of the file as a whole.
func (p *parser) noteWhole() {
	if p.Empty {
		p.notes.add(1, NoteEmpty, "")
	}
	if p.html {
		p.notes.add(1, NoteHTML, "")
	}
	if p.Cut {
		p.notes.add(max(p.line, 1), NoteCut, "")
	}
}

// isToken reports whether s is a product token of RFC 9309 §2.2.1.
func isToken(s string) bool { return s != "" && len(leadingToken(s)) == len(s) }

// leadingToken returns the longest prefix of s that could be a product token.
func leadingToken(s string) string {
	i := 0
	for i < len(s) && (s[i] == '-' || s[i] == '_' || 'a' <= toLower(s[i]) && toLower(s[i]) <= 'z') {
		i++
	}
	return s[:i]
}
