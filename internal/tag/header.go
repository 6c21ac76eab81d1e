package tag

import (
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// A Page holds the statements of one response on its own use.
type Page struct {
	Tags     []Tag
	Signals  []Signal
	Licences []*RSL // that the page holds: what they state depends on its URL
	// Notes are of the whole: NoteMore where something was dropped, NoteMalformed
	// where a field was ignored, NoteCut where one was cut.
	Notes Notes
}

// ReadHeaders reads the policy header lines of a response as ingest keeps them:
// "Name: value", with LF between. It never fails: what can't be read is noted.
//
// Structured fields are read member by member, and what is no structured field as the
// legacy syntax: what a site said in the wrong syntax it said nevertheless. RFC 9651 §4.2
// ignores a field with a mistake.
func ReadHeaders(policy string) Page {
	var p headerReader
	if len(policy) > maxPolicy {
		policy, p.Notes = policy[:maxPolicy], NoteMore
	}
	for policy != "" && p.line < maxLines {
		var line string
		line, policy, _ = strings.Cut(policy, "\n")
		p.line++
		p.read(line)
	}
	if policy != "" {
		p.Notes |= NoteMore
	}
	p.finish()
	return p.Page
}

// A policyField is a name under which pages say how they may be used. header reads a header field of that name;
// nil: there is none. meta reads the content of such a meta; nil: it is read like any other.
type policyField struct {
	name   string
	header func(*headerReader, fieldLine)
	meta   func(content string) []Signal
}

// policyFields are all of them.
var policyFields = [...]policyField{
	{name: "robots-tag", header: func(p *headerReader, l fieldLine) { p.robots = append(p.robots, l) }},
	{name: "x-robots-tag", header: (*headerReader).xRobotsTag},
	{name: "content-usage", header: func(p *headerReader, l fieldLine) { p.usage = append(p.usage, l) }},
	{name: "content-signal", header: signalsBy(contentSignals)},
	{name: "content-signals", header: signalsBy(contentSignals)},
	{name: "tdm-reservation", header: (*headerReader).tdmReservations, meta: tdmReservation},
	{name: "tdm-policy", header: signalsBy(tdmPolicy), meta: tdmPolicy},
	{name: "link", header: signalsBy(linkLicenses)},
}

// metaField returns the field whose metas are signals by their name, in lower case; nil: it is none.
func metaField(name string) *policyField {
	for i := range policyFields {
		if f := &policyFields[i]; f.meta != nil && f.name == name {
			return f
		}
	}
	return nil
}

// signalsBy reads a header field whose whole value read reads.
func signalsBy(read func(value string) []Signal) func(*headerReader, fieldLine) {
	return func(p *headerReader, l fieldLine) { p.addSignals(read(l.value), l, SourceHeader) }
}

func (p *headerReader) xRobotsTag(l fieldLine) {
	if looksStructured(l.value) {
		p.structuredTags(l, SourceXRobotsTag)
	} else {
		p.legacyTags(l, SourceXRobotsTag)
	}
}

// tdmReservations reads several values with commas between them as several lines, joined on the way (RFC 9110
// §5.3).
func (p *headerReader) tdmReservations(l fieldLine) {
	for part := range strings.SplitSeq(l.value, ",") {
		p.addSignals(tdmReservation(part), l, SourceHeader)
	}
}

type headerReader struct {
	Page
	line   int
	robots []fieldLine // of Robots-Tag
	usage  []fieldLine // of Content-Usage: several lines are one value (RFC 9110 §5.3)
}

type fieldLine struct {
	value string
	line  int
	notes Notes
}

func (p *headerReader) read(line string) {
	field, value, ok := strings.Cut(line, ":")
	if !ok {
		return
	}
	l := fieldLine{trim(decoded(value)), p.line, 0}
	if len(l.value) > MaxLine || len(line) >= MaxLine+nameSlack {
		l.value, l.notes = cutMembers(l.value), NoteCut
		p.Notes |= NoteCut
	}
	name := ascii.Lower(trim(field))
	for i := range policyFields {
		if f := &policyFields[i]; f.name == name && f.header != nil {
			f.header(p, l)
		}
	}
}

// cutMembers keeps the whole members of a field that is too long: the draft requires that the cut member
// and all after it are ignored (§3.1.1).
func cutMembers(value string) string {
	value = value[:min(len(value), MaxLine)]
	end := 0
	for at, member := range members(value) {
		if next := at + len(member); next < len(value) {
			end = next
		}
	}
	return value[:end]
}

// members splits a field at its commas, those in quoted strings, inner lists and
// angle brackets apart. It yields where each member begins.
func members(value string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		start := 0
		open := false // a quotation mark that nothing ends was met: none is tried again
		for i := 0; i < len(value); i++ {
			switch value[i] {
			case ',':
				if !yield(start, value[start:i]) {
					return
				}
				start = i + 1
			case '"':
				if !open {
					end := skipQuoted(value, i)
					open, i = end == i, end
				}
			case '(':
				i = skipTo(value, i, ')')
			case '<':
				i = skipTo(value, i, '>')
			}
		}
		yield(start, value[start:])
	}
}

// skipQuoted returns the place of the quotation mark that ends the string which
// begins at i; i itself where nothing ends it, so that it hides no comma.
func skipQuoted(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case '"':
			return j
		}
	}
	return i
}

// skipTo is skipQuoted for other brackets.
func skipTo(s string, i int, end byte) int {
	if n := strings.IndexByte(s[i:], end); n > 0 {
		return i + n
	}
	return i
}

func (p *headerReader) finish() {
	for _, l := range p.robots {
		p.structuredTags(l, SourceRobotsTag)
	}
	var values []string
	for _, l := range p.usage {
		values = append(values, l.value)
	}
	valid := validDictionary(values)
	if !valid {
		p.Notes |= NoteMalformed
	}
	for _, l := range p.usage {
		p.addSignals(contentUsage(l.value, valid), l, SourceHeader)
	}
	p.Signals = endDictionary(p.Signals)
}

// isEverybody are prefixes that name no crawler: the meta's name, and the field's own
// where it was written into the value once more.
var isEverybody = set("robots", "robots-tag", "x-robots-tag")

func (p *Page) addTag(t Tag, source Source, l fieldLine) {
	if len(p.Tags) >= maxTags {
		p.Notes |= NoteMore
		return
	}
	t.Source, t.Line = source, l.line
	t.Notes |= l.notes
	if t.Agent == "*" && source != SourceMeta || t.Mode == ModeLegacy && isEverybody[ascii.Lower(t.Agent)] {
		t.Agent = ""
	}
	p.Tags = append(p.Tags, t)
}

func (p *Page) addSignals(list []Signal, l fieldLine, source Source) {
	for _, s := range list {
		if len(p.Signals) >= maxTags {
			p.Notes |= NoteMore
			return
		}
		s.Source, s.Line, s.Scope = source, l.line, ScopePage
		s.Notes |= l.notes
		p.Signals = append(p.Signals, s)
	}
}

// lastOfKeys leaves the last of equal keys of one Content-Usage Dictionary.
func lastOfKeys(list []Signal) []Signal {
	isKey := func(s *Signal) bool { return s.Kind == SignalContentUsage && s.Mode == ModeStructured }
	left := map[string]int{}
	for i := range list {
		if isKey(&list[i]) {
			left[list[i].Label]++
		}
	}
	repeated := map[string]bool{}
	list = slices.DeleteFunc(list, func(s Signal) bool {
		if !isKey(&s) || left[s.Label] == 1 {
			return false
		}
		left[s.Label]--
		repeated[s.Label] = true
		return true
	})
	for i := range list {
		if isKey(&list[i]) && repeated[list[i].Label] {
			list[i].Notes |= NoteDuplicate
		}
	}
	return list
}
