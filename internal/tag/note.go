package tag

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Notes are what was wrong with a tag or signal, or worth a word, a bit each.
type Notes uint32

// The notes.
const (
	NoteCut Notes = 1 << iota
	NoteMalformed
	NoteRuleToken
	NoteValue
	NoteNonASCII
	NoteQuoted
	NoteSeparator
	NoteInnerList
	NoteFalse
	NoteZone
	NoteDuplicate
	NoteNoGroup
	NoteMore
	NoteCase
	NoteConditional
	NoteDoubt
)

// NoteWords has the words of notes, in the order of their bits.
var NoteWords = []words.Word{
	{Name: "cut", Meaning: "The field is longer than 8 KiB: the member that the cut went through is dropped."},
	{Name: "malformed", Meaning: "It breaks its syntax: a field is read as legacy, or dropped. What Content-Usage, " +
		"a licence document or tdmrep.json in bad form restricts is a hint."},
	{
		Name:    "rule_as_token",
		Meaning: "A rule stands where a product token should; without parameters it is read as the rule.",
	},
	{Name: "value", Meaning: "The value is none that the rule has."},
	{Name: "non_ascii", Meaning: "Bytes outside ASCII."},
	{Name: "quoted", Meaning: "Quotation marks or no-break spaces around a word."},
	{Name: "separator", Meaning: "Words separated by something else than a comma."},
	{Name: "inner_list", Meaning: "An inner list, which the draft does not have: an unknown word."},
	{Name: "false", Meaning: "A false Boolean, or a value such as `false` or `no`: the rule is denied."},
	{Name: "no_zone", Meaning: "A date without a known time zone: taken as UTC."},
	{Name: "duplicate", Meaning: "A key that came before: the last counts."},
	{Name: "no_group", Meaning: "A line outside any group governs nobody: what it restricts is a hint."},
	{Name: "more", Meaning: "More than are kept: the rest is dropped."},
	{Name: "upper_case", Meaning: "A key in upper case, which is no structured field."},
	{Name: "conditional", Meaning: "Permitted to some users, in some countries, or for a payment or the like: that " +
		"is no permission for all."},
	{Name: "doubt", Meaning: "Nobody knows what a licence document stated at the fetch: it permits nothing, and what it " +
		"restricts is a hint."},
}

// String is the names of the notes, with a comma between them.
func (n Notes) String() string { return strings.Join(words.Names(NoteWords, n), ",") }
