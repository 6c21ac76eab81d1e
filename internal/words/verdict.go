package words

// Verdict is whether robots.txt permitted a fetch. The zero value is unknown.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota
	Allowed
	Disallowed
)

func (v Verdict) String() string { return [...]string{"unknown", "allowed", "disallowed"}[v] }

// Evidence is how near in time the governing capture lies. The zero value is that there is none.
type Evidence uint8

// The degrees of evidence.
const (
	None Evidence = iota
	Fresh
	Stale
	Later
)

func (e Evidence) String() string { return [...]string{"none", "fresh", "stale", "later"}[e] }

// Certainty is how sure it is that a disallowed fetch violated robots.txt. Every
// disallowed fetch has one; the zero value is that of all others.
type Certainty uint8

// The degrees of certainty. The first two count as violations.
const (
	NoCertainty Certainty = iota
	Certain               // fresh, the crawler's own capture, before the fetch beyond doubt, every permitted copy disallows
	Probable              // a doubt remains, which the notes or the evidence name
	Possible              // nothing shows that this crawler was informed in time, that it made the fetch, or that the fetch was for more than robots.txt
	Contested             // a permitted copy allows, or a reading that the specifications leave open
)

func (c Certainty) String() string {
	return [...]string{"", "certain", "probable", "possible", "contested"}[c]
}

// Reason is why the verdict is what it is, or why it is unknown.
type Reason uint8

// The reasons.
const (
	NoReason Reason = iota
	ReasonRule
	NoMatchingRule
	NoMatchingGroup
	RobotsTxtItself
	Unavailable
	Unreachable
	UnreachableStale
	UnreachableOver30d
	TooManyRedirects
	UnresolvedRedirect
	UnresolvedRevisit
	UndefinedStatus
	Undecodable
	Truncated
	ChangedBetween
	ConflictingCaptures
	AmbiguousToken
	NoCapture
	NoTime
	UnsupportedScheme
	Forgeable      // robots.txt stands behind damage, where a page could hold it
	UnreadCapture  // robots.txt allows, and an index reports a capture that would govern; its record was not read
	RefusedToOther // robots.txt was refused to another crawler
	Challenge      // robots.txt is a page that asks for a proof that the client is no crawler
	TooCostly      // too many rules with a "*" for so long a URL
)

var reasons = [...]string{
	NoReason:            "",
	ReasonRule:          "rule",
	NoMatchingRule:      "no_matching_rule",
	NoMatchingGroup:     "no_matching_group",
	RobotsTxtItself:     "robots_txt_itself",
	Unavailable:         "unavailable",
	Unreachable:         "unreachable",
	UnreachableStale:    "unreachable_stale",
	UnreachableOver30d:  "unreachable_over_30d",
	TooManyRedirects:    "too_many_redirects",
	UnresolvedRedirect:  "unresolved_redirect",
	UnresolvedRevisit:   "unresolved_revisit",
	UndefinedStatus:     "undefined_status",
	Undecodable:         "undecodable",
	Truncated:           "truncated",
	ChangedBetween:      "changed_between",
	ConflictingCaptures: "conflicting_captures",
	AmbiguousToken:      "ambiguous_token",
	NoCapture:           "no_capture",
	NoTime:              "no_time",
	UnsupportedScheme:   "unsupported_scheme",
	Forgeable:           "forgeable",
	UnreadCapture:       "unread_capture",
	RefusedToOther:      "refused_to_other",
	Challenge:           "challenge",
	TooCostly:           "too_costly",
}

func (r Reason) String() string { return reasons[r] }

// AgentSource says how the crawler's own token is known.
type AgentSource uint8

// Where a token comes from.
const (
	AgentUnknown AgentSource = iota
	AgentFromRequest
	AgentFromWarcinfo
	AgentFromOption
	AgentFromOrigin       // of a log line: the one crawler that fetched from the origin
	AgentFromRobotsSubset // of a row of an index: the one that made all captures of robots.txt
	AgentFromList         // the list of URLs names it
)

func (s AgentSource) String() string {
	return [...]string{"none", "request", "warcinfo", "option", "origin", "robots_subset", "list"}[s]
}

// Match is how the file's group was found that decides for a token.
type Match uint8

// The ways to a group. The zero value is that no file was asked.
const (
	MatchNone    Match = iota
	MatchExact         // a user-agent line names the token
	MatchGoogle        // the same, as Google compares them
	MatchGlobal        // none does; one says *
	MatchNoGroup       // neither: everything is allowed
)

func (m Match) String() string { return [...]string{"", "exact", "google", "global", "no_group"}[m] }
