package robots

import "slices"

// A NoteKind says what a Note found.
type NoteKind uint8

const (
	_                   NoteKind = iota
	NoteRuleBeforeGroup          // a rule before any user-agent line is ignored (RFC 9309 §2.2.2)
	NoteUnknownRecord            // a line that is no record known here
	NoteMisspelt                 // a key that is nearly a known one
	NoteMissingColon             // a known key without its colon
	NoteInvalidToken             // a user-agent value that is no product token (§2.2.1)
	NoteNoLeadingSlash           // a pattern that begins with neither "/" nor "*" matches nothing
	NoteNonUTF8                  // octets that are not UTF-8 (§2.3)
	NoteControl                  // a control character (§2.2, §3)
	NoteByteOrderMark            // a byte order mark
	NoteUTF16                    // UTF-16, transcoded because its byte order mark says so
	NoteLineTooLong              // a line longer than some crawlers read
	NoteCut                      // the body is longer than the parsing limit (§2.5)
	NoteHTML                     // the body is an HTML document
	NoteEmpty                    // the body holds nothing
	NoteDollarInside             // a "$" that is no end anchor stands for itself
	NoteDuplicateRule            // a rule that its group already has
	NoteEmptyGroup               // a group without a rule allows everything
	NoteRecordInGroup            // a record after which a crawler of old would end the group
	NoteMore                     // more notes than are kept
)

var noteNames = [...]string{
	0:                   "unknown",
	NoteRuleBeforeGroup: "rule_before_group",
	NoteUnknownRecord:   "unknown_record",
	NoteMisspelt:        "misspelt_record",
	NoteMissingColon:    "missing_colon",
	NoteInvalidToken:    "invalid_token",
	NoteNoLeadingSlash:  "no_leading_slash",
	NoteNonUTF8:         "non_utf8",
	NoteControl:         "control_character",
	NoteByteOrderMark:   "byte_order_mark",
	NoteUTF16:           "utf16",
	NoteLineTooLong:     "line_too_long",
	NoteCut:             "cut",
	NoteHTML:            "html",
	NoteEmpty:           "empty",
	NoteDollarInside:    "dollar_inside",
	NoteDuplicateRule:   "duplicate_rule",
	NoteEmptyGroup:      "empty_group",
	NoteRecordInGroup:   "record_in_group",
	NoteMore:            "more_notes",
}

func (k NoteKind) String() string {
	if int(k) < len(noteNames) {
		return noteNames[k]
	}
	return noteNames[0]
}

// A Note is something about a file that its owner would want to know: it
// names the line (from 1), what was found, and the text that it is about,
// without comment, at most 200 octets.
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

// notes collects findings; nil collects none.
type notes struct {
	list []Note
}

func (n *notes) add(line int, kind NoteKind, text string) {
	if n == nil || len(n.list) > maxLineNotes {
		return
	}
	if len(n.list) == maxLineNotes {
		kind, text = NoteMore, ""
	}
	if len(text) > maxNoteText {
		text = text[:maxNoteText]
	}
	n.list = append(n.list, Note{line, kind, text})
}

// sorted returns the notes in the order of their lines.
func (n *notes) sorted() []Note {
	byLine := func(a, b Note) int { return a.Line - b.Line }
	if !slices.IsSortedFunc(n.list, byLine) {
		slices.SortStableFunc(n.list, byLine)
	}
	return n.list
}
