package words

// Outcome is what a robots capture came to, after revisits and redirects.
type Outcome uint8

// The outcomes. The zero value is a capture that nothing defined can be said of.
const (
	OutcomeUndefined Outcome = iota
	OutcomeRules
	OutcomePartial
	OutcomeUnavailable
	OutcomeUnreachable
	OutcomeUnresolved
)

// Outcomes is indexed by Outcome.
var Outcomes = []Word{
	OutcomeUndefined:   {Name: "undefined", Meaning: "A status, coding or page from which no rules follow."},
	OutcomeRules:       {Name: "rules", Meaning: "A file, perhaps without rules."},
	OutcomePartial:     {Name: "partial", Meaning: "A part of a file."},
	OutcomeUnavailable: {Name: "unavailable", Meaning: "Status 4xx, or too many redirects: everything is allowed."},
	OutcomeUnreachable: {Name: "unreachable", Meaning: "Status 5xx, or no answer: everything is disallowed."},
	OutcomeUnresolved:  {Name: "unresolved", Meaning: "The archives lack what it refers to."},
}

func (o Outcome) String() string { return Outcomes[o].Name }

// HasRules reports whether a file was read, or a part of one.
func (o Outcome) HasRules() bool { return o == OutcomeRules || o == OutcomePartial }
