package tag

import (
	"strings"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// legacyTags reads "bot: rule, rule, bot: rule": a prefix governs what follows, up
// to the next one or the end of the line.
func (p *headerReader) legacyTags(l fieldLine, source Source) {
	agent := ""
	for e := range legacyElements(l.value) {
		if e.agent != "" {
			agent = e.agent
		}
		for _, t := range e.tags(ModeLegacy) {
			t.Agent = agent
			p.addTag(t, source, l)
		}
	}
}

// An element is the text between two commas of the legacy syntax.
type element struct {
	agent string // of a prefix
	word  string
	value string
	raw   string
	notes Notes
}

// legacyElements splits a legacy value. A comma inside a date splits nothing:
// "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT".
func legacyElements(value string) func(yield func(element) bool) {
	return func(yield func(element) bool) {
		for value != "" {
			part, rest, notes := nextElement(value)
			e := newElement(part, true)
			e.notes |= notes
			rest = e.joinDate(value, rest)
			if !yield(e) {
				return
			}
			value = rest
		}
	}
}

// joinDate gives an element that ends in a date the parts of it that commas have cut
// off. value begins with the element, and rest is what follows it; so is what it returns.
func (e *element) joinDate(value, rest string) string {
	if findRule(e.word) != RuleUnavailableAfter {
		return rest
	}
	e.value, rest = wholeDate(e.value, rest)
	e.raw = strings.TrimRight(trim(value[:len(value)-len(rest)]), ", ;")
	return rest
}

// cutElement cuts at the first comma or semicolon.
func cutElement(s string) (before, after string) {
	if i := strings.IndexAny(s, ",;"); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// nextElement cuts the first element from a value, at the separator between it and the rest.
func nextElement(value string) (part, rest string, notes Notes) {
	part, rest = cutElement(value)
	if len(part) < len(value) && value[len(part)] == ';' {
		notes = NoteSeparator
	}
	if n := missingComma(part); n > 0 {
		return part[:n], value[n:], NoteSeparator
	}
	return part, rest, notes
}

// missingComma returns the place in an element where a prefix, or a rule with a value,
// follows rules without a comma: "noarchive googlebot: noindex". No product token holds
// white space (RFC 9309 §2.2.1). It is 0 where there is no such place.
func missingComma(part string) int {
	before := RuleUnknown // the rule before the colon that came last
	for at := 0; ; {
		n := strings.IndexByte(part[at:], ':')
		if n < 0 {
			return 0
		}
		name := strings.TrimRight(part[at:at+n], blanks)
		space := strings.LastIndexAny(name, blanks)
		rules := strings.Fields(name[:max(space, 0)])
		if len(rules) > 0 && hasValue(before, rules[0]) {
			if rules = rules[1:]; len(rules) == 0 {
				return at + space
			}
		}
		if allKnown(rules) {
			return at + space
		}
		before = findRule(trim(name))
		at += n + 1
	}
}

// hasValue reports whether a word is a whole value of the rule.
func hasValue(r Rule, word string) bool {
	form := rules[r].form
	return (form == formCount || form == formImage) && newTag(r.String(), word).valid
}

// newElement reads one element. Rules that have a value are recognised before
// prefixes: "max-image-preview:none" is neither a bot nor the rule none.
func newElement(part string, prefixes bool) element {
	e := element{raw: trim(part)}
	s := e.unquote(e.raw)
	for {
		name, rest, colon := strings.Cut(s, ":")
		clock := isClock(name, rest)
		name, rest = e.unquote(name), trim(rest)
		switch {
		case !colon:
			e.word = e.unquote(s)
			if name, value, ok := strings.Cut(e.word, "="); ok && findRule(trim(name)) != RuleUnknown {
				e.word, e.value, e.notes = trim(name), e.unquote(value), e.notes|NoteSeparator
			}
		case findRule(name) != RuleUnknown || isValued(name):
			e.word, e.value = name, e.unquote(rest)
		case prefixes && e.agent == "" && isAgent(name) && !clock && !strings.HasPrefix(rest, "//"):
			e.agent = name
			s = rest
			continue
		default:
			e.word = s
		}
		return e
	}
}

// isValued reports whether an unknown word is of the family of rules that have
// values, not a bot.
func isValued(word string) bool {
	return len(word) > len("max-") && ascii.Lower(word[:len("max-")]) == "max-"
}

// isClock reports whether a colon belongs to a time of day. A date that can't be read is cut at its comma,
// and "15" of "15:00:00" would be a bot with all text after it as its rules.
func isClock(before, after string) bool {
	digit := func(s string, i int) bool { return 0 <= i && i < len(s) && ascii.IsDigit(s[i]) }
	return digit(before, len(before)-1) && digit(after, 0) && digit(after, 1)
}

// isAgent reports whether a prefix can be a product token. Tokens in use hold
// more than RFC 9309 §2.2.1 has ("archive.org_bot", "MJ12bot"), but no byte that
// would end a word.
func isAgent(name string) bool {
	return name != "" && len(name) <= 128 && !strings.ContainsAny(name, "\"'<>(){}[]=?@")
}

// quotes are what stands around words that were copied from where they were set:
// quotation marks, and spaces that are no white space of HTML.
const quotes = "\"'“”„‘’«»\u00A0\u200B\uFEFF"

// decoded reads text that is not UTF-8 as windows-1252, as far as it separates words: A0 is the no-break space, and
// six bytes are quotation marks. Other encodings of one byte have them at the same places.
func decoded(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return windowsQuotes.Replace(s)
}

var windowsQuotes = strings.NewReplacer("\xA0", "\u00A0", "\x84", "„", "\x91", "‘", "\x92", "’", "\x93", "“",
	"\x94", "”", "\xAB", "«", "\xBB", "»")

func (e *element) unquote(s string) string {
	t := trim(strings.Trim(trim(s), quotes))
	if len(t) != len(trim(s)) {
		e.notes |= NoteQuoted
		if !isASCII(s) {
			e.notes |= NoteNonASCII
		}
	}
	return t
}

// wholeDate joins the parts of a date that commas have cut: up to three. What
// follows a date is part of it only if it begins with a digit, as a time does. rest
// is what follows.
func wholeDate(first, rest string) (date, after string) {
	date, after = first, rest
	candidate, tail := first, rest
	_, _, ok := parseDate(date)
	for range 2 {
		part, next := cutElement(tail)
		if p := trim(part); p == "" || ok && !ascii.IsDigit(p[0]) {
			break
		}
		candidate, tail = candidate+","+part, next
		if _, _, isDate := parseDate(strings.Trim(trim(candidate), `"'`)); isDate {
			date, after, ok = strings.Trim(trim(candidate), `"'`), tail, true
		}
	}
	return date, after
}

// tags are the rules of an element. Words that white space separates are taken
// apart where all of them are known: they can mean nothing else.
func (e *element) tags(m Mode) []Tag {
	if e.word == "" && e.value == "" {
		return nil
	}
	fields := []string{e.word}
	notes := e.notes
	if e.value == "" {
		if split := splitWords(e.word); allKnown(split) {
			fields, notes = split, notes|NoteSeparator
		}
	}
	list := make([]Tag, len(fields))
	for i, f := range fields {
		word, value := f, e.value
		if len(fields) > 1 {
			word, value, _ = strings.Cut(f, ":")
		}
		list[i] = newTag(word, value)
		list[i].Raw, list[i].Mode = e.raw, m
		list[i].Notes |= notes
	}
	return append(list, e.valueTags(list[0].Rule, m)...)
}

// valueTags are the rules in the value of a rule that has none: "all: noindex" is two
// rules, "all: noindex nofollow" is three.
func (e *element) valueTags(of Rule, m Mode) (list []Tag) {
	words := splitWords(e.value)
	if words == nil {
		words = []string{e.value}
	}
	if of == RuleUnknown || rules[of].form != formNone || !allKnown(words) {
		return nil
	}
	for _, w := range words {
		word, value, _ := strings.Cut(w, ":")
		t := newTag(word, value)
		t.Raw, t.Mode, t.Notes = e.raw, m, t.Notes|e.notes|NoteSeparator
		list = append(list, t)
	}
	return list
}

// splitWords splits at white space and what else is taken for a comma; where there is
// nothing of it, it returns nothing.
func splitWords(s string) []string {
	const separators = blanks + "\v\u00A0|+&"
	if s = trim(s); !strings.ContainsAny(s, separators) {
		return nil
	}
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) })
}

func allKnown(list []string) bool {
	for _, f := range list {
		word, _, _ := strings.Cut(f, ":")
		if findRule(word) == RuleUnknown {
			return false
		}
	}
	return len(list) > 0
}

// metaTags reads the content of a robots meta: words with commas between them
// (draft-illyes-repext-03 §3.1.2). It has no prefixes: the meta's name is the
// product token.
func metaTags(content string) (list []Tag) {
	for content != "" && len(list) < maxTags {
		part, rest, notes := nextElement(content)
		e := newElement(part, false)
		e.notes |= notes
		content = e.joinDate(content, rest)
		list = append(list, e.tags(ModeMeta)...)
	}
	return list
}
