package tag

import "strings"

// Notes are what was wrong with a tag or signal, or worth a word.
type Notes uint32

const (
	// the field is longer than MaxLine: the member that the cut went through is dropped
	NoteCut         Notes = 1 << iota
	NoteMalformed         // no structured field: read as legacy, or dropped
	NoteRuleToken         // a member named like a rule stands where a product token should
	NoteValue             // the value is none that the rule has
	NoteNonASCII          // bytes outside ASCII
	NoteQuoted            // quotation marks around a word
	NoteSeparator         // words separated by something else than a comma
	NoteInnerList         // an inner list, which the draft does not have: an unknown word
	NoteFalse             // the value is a false Boolean or the like: the rule is denied
	NoteZone              // a date without a known time zone: taken as UTC
	NoteDuplicate         // a key that came before: the last counts (RFC 9651 §3.2)
	NoteNoGroup           // a line outside any group governs nobody
	NoteMore              // more than MaxItems: the rest is dropped
	NoteCase              // a key in upper case, which is no structured field
	NotePlace             // a meta or link of the page's head or of its body: unknown which
	NoteConditional       // permitted for some, or for a payment
	NoteDoubt             // of a licence document: not sure that it says so of this page, or said so then
)

var noteNames = [...]string{
	"cut", "malformed", "rule_as_token", "value", "non_ascii", "quoted",
	"separator", "inner_list", "false", "no_zone", "duplicate", "no_group", "more", "upper_case", "place_untold",
	"conditional", "doubt",
}

// String is the names of the notes, with a comma between them.
func (n Notes) String() string {
	var list []string
	for i, name := range noteNames {
		if n&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ",")
}
