package words

// Outcome is what a robots capture came to, after revisits and redirects.
type Outcome uint8

// The outcomes. The zero value is a capture that nothing defined can be said of.
const (
	OutcomeUndefined   Outcome = iota
	OutcomeRules               // a file with rules, perhaps none
	OutcomePartial             // a part of a file
	OutcomeUnavailable         // everything allowed (RFC 9309 §2.3.1.3)
	OutcomeUnreachable         // everything disallowed (RFC 9309 §2.3.1.4)
	OutcomeUnresolved          // the archive does not hold what the capture refers to
)

func (o Outcome) String() string {
	return [...]string{"undefined", "rules", "partial", "unavailable", "unreachable", "unresolved"}[o]
}

// HasRules reports whether a file was read, or a part of one.
func (o Outcome) HasRules() bool { return o == OutcomeRules || o == OutcomePartial }
