package robots

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/words"
)

// A NoteKind says what a Note found.
type NoteKind uint8

// The kinds.
const (
	_ NoteKind = iota
	NoteMisspelt
	NoteMissingColon
	NoteNoLeadingSlash
	NoteControl
	NoteCut
	NoteHTML
	NoteEmpty
	NoteMore
)

// NoteWords is indexed by NoteKind.
var NoteWords = []words.Word{
	0:                {Name: "unknown"},
	NoteMisspelt:     {Name: "misspelt_record", Meaning: "A key that is nearly a known one."},
	NoteMissingColon: {Name: "missing_colon", Meaning: "A known key without its colon."},
	NoteNoLeadingSlash: {
		Name:    "no_leading_slash",
		Meaning: "A pattern that begins with neither `/` nor `*`: it matches nothing.",
	},
	NoteControl: {Name: "control_character", Meaning: "A rule with a control character (RFC 9309 §3)."},
	NoteCut:     {Name: "cut", Meaning: "The file is longer than the parsing limit (§2.5)."},
	NoteHTML:    {Name: "html", Meaning: "The file is an HTML document."},
	NoteEmpty:   {Name: "empty", Meaning: "The file is empty."},
	NoteMore:    {Name: "more_notes", Meaning: "There are more remarks than are kept."},
}

func (k NoteKind) String() string { return words.Name(NoteWords, k) }

// A Note is what a verdict, or another reading of the file, may turn on: it
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

// Notes reads the file again: few who ask for a verdict ask for it. The notes
// are in the order of their lines.
func (f *File) Notes() (notes []Note) {
	add := func(line int, kind NoteKind, text string) {
		if len(notes) == maxLineNotes {
			kind, text = NoteMore, ""
		}
		if len(notes) <= maxLineNotes {
			notes = append(notes, Note{line, kind, text[:min(len(text), maxNoteText)]})
		}
	}
	if strings.Trim(f.text, " \t\r\n\v\f\x00") == "" {
		add(1, NoteEmpty, "")
	}
	if f.HTML {
		add(1, NoteHTML, "")
	}
	last := 1
	for l := range f.lines {
		last = l.number
		isRule := l.key == keyAllow || l.key == keyDisallow
		switch {
		case l.noColon:
			add(l.number, NoteMissingColon, l.text)
		case l.misspelt:
			add(l.number, NoteMisspelt, l.text)
		}
		switch {
		case isRule && hasControl(l.value):
			add(l.number, NoteControl, l.text)
		case isRule && l.value != "" && !canMatch(l.value):
			add(l.number, NoteNoLeadingSlash, l.text)
		}
	}
	if f.Cut {
		add(last, NoteCut, "")
	}
	return notes
}
