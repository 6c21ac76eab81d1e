package robots

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/internal/words"
)

// A NoteKind says what a Note found.
type NoteKind uint8

// The kinds.
const (
	_ NoteKind = iota
	NoteRuleBeforeGroup
	NoteUnknownRecord
	NoteMisspelt
	NoteMissingColon
	NoteInvalidToken
	NoteNoLeadingSlash
	NoteNonUTF8
	NoteControl
	NoteByteOrderMark
	NoteUTF16
	NoteLineTooLong
	NoteCut
	NoteHTML
	NoteEmpty
	NoteDollarInside
	NoteDuplicateRule
	NoteEmptyGroup
	NoteRecordInGroup
	NoteMore
	NoteDelay
)

// NoteWords is indexed by NoteKind.
var NoteWords = []words.Word{
	0: {Name: "unknown"},
	NoteRuleBeforeGroup: {
		Name:    "rule_before_group",
		Meaning: "A rule before any user-agent line: ignored (RFC 9309 §2.2.2).",
	},
	NoteUnknownRecord: {Name: "unknown_record", Meaning: "A line that is no record known here."},
	NoteMisspelt:      {Name: "misspelt_record", Meaning: "A key that is nearly a known one."},
	NoteMissingColon:  {Name: "missing_colon", Meaning: "A known key without its colon."},
	NoteInvalidToken:  {Name: "invalid_token", Meaning: "A user-agent value that is no product token (§2.2.1)."},
	NoteNoLeadingSlash: {
		Name:    "no_leading_slash",
		Meaning: "A pattern that begins with neither `/` nor `*`: it matches nothing.",
	},
	NoteNonUTF8:       {Name: "non_utf8", Meaning: "Bytes that are not UTF-8 (§2.3)."},
	NoteControl:       {Name: "control_character", Meaning: "A control character."},
	NoteByteOrderMark: {Name: "byte_order_mark", Meaning: "A byte order mark."},
	NoteUTF16:         {Name: "utf16", Meaning: "UTF-16, read as such because of its byte order mark."},
	NoteLineTooLong:   {Name: "line_too_long", Meaning: "A line longer than some crawlers read."},
	NoteCut:           {Name: "cut", Meaning: "The file is longer than the parsing limit (§2.5)."},
	NoteHTML:          {Name: "html", Meaning: "The file is an HTML document."},
	NoteEmpty:         {Name: "empty", Meaning: "The file is empty."},
	NoteDollarInside:  {Name: "dollar_inside", Meaning: "A `$` that is no end anchor: it stands for itself."},
	NoteDuplicateRule: {Name: "duplicate_rule", Meaning: "A rule that its group already has."},
	NoteEmptyGroup:    {Name: "empty_group", Meaning: "A group without a rule: it allows everything."},
	NoteRecordInGroup: {Name: "record_in_group", Meaning: "A record after which a crawler of old would end the group."},
	NoteMore:          {Name: "more_notes", Meaning: "There are more remarks than are kept."},
	NoteDelay:         {Name: "invalid_delay", Meaning: "A Crawl-delay or Request-rate whose value requires no wait."},
}

func (k NoteKind) String() string { return words.Name(NoteWords, k) }

// A Note is something about a file that its owner would want to know: it
// names the line (from 1), what was found, and the text that it is about,
// without comment, at most 200 bytes.
type Note struct {
	Line int
	Kind NoteKind
	Text string
}

const (
	maxNotes     = 1000
	maxNoteText  = 200
	longLine     = googleLineLimit
	maxLineNotes = maxNotes - 1 // the last place is for NoteMore
)

// A Record is a line that is no part of the Robots Exclusion Protocol but
// belongs to a known extension of it (RFC 9309 §2.2.4).
type Record struct {
	Key   string // lower case: "crawl-delay", "sitemap", …
	Value string // trimmed, without comment
	Line  int    // from 1
	Group int    // the first user-agent line of the group it stands in, else 0
}

// Records reads the file again and returns the records of other protocols, in
// file order.
func (f *File) Records() (records []Record) {
	for l := range f.lines {
		if l.extra != "" {
			records = append(records, Record{l.extra, l.value, l.number, f.GroupLine(l.number)})
		}
	}
	return records
}

// Notes reads the file again, as a linter does: few who ask for a verdict ask
// for it. The notes are in the order of their lines.
func (f *File) Notes() []Note {
	n := linter{File: f, seen: make(map[ruleText]bool)}
	if f.mark != 0 {
		n.add(1, f.mark, "")
	}
	if strings.Trim(f.text, " \t\r\n\v\f\x00") == "" {
		n.add(1, NoteEmpty, "")
	}
	if f.HTML {
		n.add(1, NoteHTML, "")
	}
	last := 1
	for l := range f.lines {
		n.line(l)
		last = l.number
	}
	n.endGroup()
	if f.Cut {
		n.add(last, NoteCut, "")
	}
	slices.SortStableFunc(n.notes, func(a, b Note) int { return a.Line - b.Line })
	return n.notes
}

// linter is the state between two lines.
type linter struct {
	*File
	notes []Note

	group int               // how many groups have begun
	ruled bool              // the current group has a rule, valid or not
	seen  map[ruleText]bool // the rules of the current group

	// The first line in the current group that is neither a user-agent line
	// nor a rule, while none of those has followed it; recordAt 0 is none.
	record   string
	recordAt int
}

// ruleText is the part that duplicates share.
type ruleText struct {
	allow   bool
	pattern string
}

func (n *linter) add(line int, kind NoteKind, text string) {
	if len(n.notes) > maxLineNotes {
		return
	}
	if len(n.notes) == maxLineNotes {
		kind, text = NoteMore, ""
	}
	if len(text) > maxNoteText {
		text = text[:maxNoteText]
	}
	n.notes = append(n.notes, Note{line, kind, text})
}

func (n *linter) line(l *line) {
	if len(l.raw) > longLine || n.spec.lineLimit > 0 && len(l.raw) == n.spec.lineLimit {
		n.add(l.number, NoteLineTooLong, l.raw)
	}
	switch {
	case l.text == "":
		return
	case l.noColon:
		n.add(l.number, NoteMissingColon, l.text)
	case l.misspelt:
		n.add(l.number, NoteMisspelt, l.text)
	case l.key == keyUnknown && l.extra == "" && !n.HTML:
		n.add(l.number, NoteUnknownRecord, l.text)
	}
	if hasControl(l.text) {
		n.add(l.number, NoteControl, l.text)
	}
	if !utf8.ValidString(l.text) {
		n.add(l.number, NoteNonUTF8, l.text)
	}
	switch l.key {
	case keyUserAgent:
		n.userAgent(l)
	case keyAllow, keyDisallow:
		n.rule(l)
	default:
		n.delay(l)
		if n.group > 0 && n.recordAt == 0 {
			n.record, n.recordAt = l.text, l.number
		}
	}
}

func (n *linter) userAgent(l *line) {
	if group := n.groupsUpTo(l.number); group > n.group {
		n.endGroup()
		n.group, n.ruled, n.recordAt = group, false, 0
		clear(n.seen)
	}
	n.noteRecordInGroup()
	if l.value != "*" && !isToken(l.value) {
		n.add(l.number, NoteInvalidToken, l.value)
	}
}

func (n *linter) rule(l *line) {
	if n.group == 0 {
		n.add(l.number, NoteRuleBeforeGroup, l.text)
		return
	}
	n.ruled = true
	n.noteRecordInGroup()
	if l.value == "" || n.spec.dropControl && hasControl(l.value) {
		return
	}
	if !canMatch(l.value) {
		n.add(l.number, NoteNoLeadingSlash, l.text)
		return
	}
	if strings.IndexByte(l.value[:len(l.value)-1], '$') >= 0 {
		n.add(l.number, NoteDollarInside, l.text)
	}
	rule := ruleText{l.key == keyAllow, n.spec.form.Pattern(l.value)}
	if n.seen[rule] {
		n.add(l.number, NoteDuplicateRule, l.text)
	}
	n.seen[rule] = true
}

// delay notes a record that should state a wait, and does not.
func (n *linter) delay(l *line) {
	if l.key != keyExtra || l.extra != "crawl-delay" && l.extra != "request-rate" {
		return
	}
	if _, ok := (Record{Key: l.extra, Value: l.value}).Delay(); !ok {
		n.add(l.number, NoteDelay, l.text)
	}
}

// endGroup adds the notes that need the whole group.
func (n *linter) endGroup() {
	if n.group > 0 && !n.ruled {
		n.add(n.groupLine(n.group), NoteEmptyGroup, "")
	}
}

// noteRecordInGroup is called where a group goes on after another record.
func (n *linter) noteRecordInGroup() {
	if n.recordAt > 0 {
		n.add(n.recordAt, NoteRecordInGroup, n.record)
		n.recordAt = 0
	}
}

// isToken reports whether s is a product token of RFC 9309 §2.2.1.
func isToken(s string) bool { return s != "" && len(leadingToken(s)) == len(s) }
