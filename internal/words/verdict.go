package words

import "strings"

// Verdict is whether robots.txt permitted a fetch. The zero value is unknown.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota
	Allowed
	Disallowed
)

// Verdicts is indexed by Verdict.
var Verdicts = []Word{
	Unknown: {
		Name:    "unknown",
		Meaning: "The archives do not show whether robots.txt allowed it. It is neither of the others.",
	},
	Allowed:    {Name: "allowed", Meaning: "robots.txt permits the fetch."},
	Disallowed: {Name: "disallowed", Meaning: "robots.txt forbids the fetch."},
}

func (v Verdict) String() string { return Verdicts[v].Name }

// Evidence is how near in time the governing capture lies. The zero value is that there is none.
type Evidence uint8

// The degrees of evidence.
const (
	None Evidence = iota
	Fresh
	Stale
	Later
)

// Evidences is indexed by Evidence.
var Evidences = []Word{
	None: {Name: "none", Section: "Which capture governs", Meaning: "No capture governs, or none is needed."},
	Fresh: {
		Name: "fresh", Section: "Which capture governs",
		Meaning: "The governing capture is at most 24 hours old at the fetch (RFC 9309 §2.4).",
	},
	Stale: {
		Name: "stale", Section: "Which capture governs",
		Meaning: "The governing capture is more than 24 hours old at the fetch. The crawler should have " +
			"fetched robots.txt again (RFC 9309 §2.4); the archives may lack that capture.",
	},
	Later: {
		Name: "later", Section: "Which capture governs",
		Meaning: "The governing capture was received after the fetch, at most 24 hours later, and there is none before. " +
			"Or the fetch's own run requested robots.txt only after the fetch (ground `asked_later`).",
	},
}

func (e Evidence) String() string { return Evidences[e].Name }

// Certainty is how sure it is that a disallowed fetch violated robots.txt. Every disallowed fetch has one; the
// zero value is that of all others.
type Certainty uint8

// The classes. The first two count as violations.
const (
	NoCertainty Certainty = iota
	Certain
	Probable
	Possible
	Contested
)

// Certainties is indexed by Certainty.
var Certainties = []Word{
	NoCertainty: {},
	Certain: {
		Name: "certain", Section: "The four classes", More: "In `violations`.",
		Meaning: "The crawler itself had asked for robots.txt, and had the answer before the fetch beyond doubt, at " +
			"most 24 hours before. The answer forbids the fetch, as a failure does (RFC 9309 §2.3.1.4). So does every " +
			"copy that the crawler may have used.",
	},
	Probable: {
		Name: "probable", Section: "The four classes", More: "`evidence` and `notes` name it. In `violations`.",
		Meaning: "A robots.txt captured in time forbids it, but a doubt remains.",
	},
	Possible: {
		Name: "possible", Section: "The four classes", More: "In `unproven`.",
		Meaning: "Disallowed, but nothing shows that this crawler was informed in time, that it made the fetch, or that " +
			"it did more than follow a redirect of robots.txt. No violation.",
	},
	Contested: {
		Name: "contested", Section: "The four classes", More: "In `unproven`.",
		Meaning: "Disallowed, but a copy that the crawler may have used allows it (RFC 9309 §2.4), or a reading that the " +
			"standard leaves open, or the site let the crawler in by its credentials. No violation.",
	},
}

func (c Certainty) String() string { return Certainties[c].Name }

// IsViolation reports whether findings of the class count as violations.
func (c Certainty) IsViolation() bool { return c == Certain || c == Probable }

// Reason is why the verdict is what it is, or why it is unknown; and why a capture came to its outcome.
type Reason uint8

// The reasons.
const (
	NoReason Reason = iota
	ReasonRule
	NoMatchingRule
	NoMatchingGroup
	RobotsTxtItself
	Unavailable
	TooManyRedirects
	UnreachableOver30d
	Unreachable
	UnreachableStale
	UnresolvedRedirect
	UnresolvedRevisit
	UndefinedStatus
	Undecodable
	Truncated
	ChangedBetween
	ConflictingCaptures
	RefusedToOther
	AmbiguousToken
	NoCapture
	Forgeable
	UnreadCapture
	TooCostly
	Challenge
	NoTime
	UnsupportedScheme
	UnknownBytes
	NoCrawler
	ForgedAgent
)

// Reasons is indexed by Reason.
var Reasons = []Word{
	NoReason: {},
	ReasonRule: {
		Name: "rule", Effect: GivesEither, Section: "Verdicts and reasons",
		Meaning: "The longest rule that matches decides (RFC 9309 §2.2.2); `rule_line` names it.",
	},
	NoMatchingRule: {
		Name: "no_matching_rule", Effect: GivesAllowed, Section: "Verdicts and reasons",
		Meaning: "No rule of the crawler's group matches (RFC 9309 §2.2.2).",
	},
	NoMatchingGroup: {
		Name: "no_matching_group", Effect: GivesAllowed, Section: "Verdicts and reasons",
		Meaning: "No group names the crawler, and there is none for `*` (RFC 9309 §2.2.1).",
	},
	RobotsTxtItself: {
		Name: "robots_txt_itself", Effect: GivesAllowed, Section: "Always allowed",
		Meaning: "The fetch is of robots.txt itself, or of a record that its redirects led to (RFC 9309 §2.2.2).",
	},
	Unavailable: {
		Name: "unavailable", Effect: GivesAllowed, Section: "What one robots capture says",
		Meaning: "robots.txt answered with 4xx (RFC 9309 §2.3.1.3).",
	},
	TooManyRedirects: {
		Name: "too_many_redirects", Effect: GivesAllowed, Section: "Redirects",
		Meaning: "robots.txt redirects in a loop, or more than five times (RFC 9309 §2.3.1.2).",
	},
	UnreachableOver30d: {
		Name: "unreachable_over_30d", Effect: GivesAllowed, Section: "Unreachable",
		Meaning: "robots.txt failed without a break for more than 30 days: a crawler may then take it as unavailable " +
			"(RFC 9309 §2.3.1.4).",
	},
	Unreachable: {
		Name: "unreachable", Effect: GivesForbids, Section: "Unreachable",
		Meaning: "robots.txt answered with 5xx, or not at all, at most 24 hours before the fetch (RFC 9309 §2.3.1.4).",
	},
	UnreachableStale: {
		Name: "unreachable_stale", Effect: GivesUnknown, Section: "Unreachable",
		Meaning: "robots.txt answered with 5xx, or not at all, more than 24 hours before the fetch.",
		Settle:  "Archives with captures of robots.txt in the 24 hours before the fetches.",
	},
	UnresolvedRedirect: {
		Name: "unresolved_redirect", Effect: GivesUnknown, Section: "Redirects",
		Meaning: "robots.txt redirects, and the archives do not show what its target answered then.",
		Settle:  "The archive with the target of the redirect, captured at most an hour after it or 24 hours before.",
	},
	UnresolvedRevisit: {
		Name: "unresolved_revisit", Effect: GivesUnknown, Section: "The original of a revisit",
		Meaning: "robots.txt is recorded as unchanged, and the archives do not show for sure what it was before.",
		Settle:  "The archive with the original record that the revisit or the status 304 stands for.",
	},
	UndefinedStatus: {
		Name: "undefined_status", Effect: GivesUnknown, Section: "What one robots capture says",
		Meaning: "robots.txt was answered in a way for which RFC 9309 has no rule, such as a 3xx without a Location.",
		Settle:  "Later captures of robots.txt; or `--profile rep-08`, which reads such a status as a failure.",
	},
	Undecodable: {
		Name: "undecodable", Effect: GivesUnknown, Section: "Bodies that cannot be decoded",
		Meaning: "robots.txt is in a coding or format that cannot be read.",
		Settle:  "Another capture of robots.txt, in a coding that can be read.",
	},
	Truncated: {
		Name: "truncated", Effect: GivesUnknown, Section: "Parts of a file",
		Meaning: "Only a part of robots.txt was kept, and that part does not forbid.",
		Settle:  "A whole capture of robots.txt.",
	},
	ChangedBetween: {
		Name: "changed_between", Effect: GivesUnknown, Section: "Stale captures",
		Meaning: "Another capture near the fetch answers otherwise.",
		Settle:  "Archives with more captures of robots.txt about that time.",
	},
	ConflictingCaptures: {
		Name: "conflicting_captures", Effect: GivesUnknown, Section: "Captures of one moment",
		Meaning: "Captures of one moment answer differently.",
		Settle:  "An archive that shows the order of the captures, such as the one that the crawler wrote first.",
	},
	RefusedToOther: {
		Name: "refused_to_other", Effect: GivesUnknown, Section: "Which capture governs",
		Meaning: "robots.txt was refused to another crawler (401, 403 or 429; in an access log also 5xx), and nothing else " +
			"is known of it.",
		Settle: "Archives with this crawler's own captures of robots.txt.",
	},
	AmbiguousToken: {
		Name: "ambiguous_token", Effect: GivesUnknown, Section: "The crawler's token",
		Meaning: "The User-Agent names two crawlers, and robots.txt answers them differently.",
		Settle:  "The crawler's name, by `--crawler @FILE`: the User-Agent names two.",
	},
	NoCapture: {
		Name: "no_capture", Effect: GivesUnknown, Section: "Which capture governs",
		Meaning: "There is no capture of robots.txt before the fetch, and no usable one within 24 hours after it.",
		Settle: "Archives with robots.txt of these origins, best from the 24 hours before the fetches. " +
			"Common Crawl keeps it in its robotstxt subset.",
	},
	Forgeable: {
		Name: "forgeable", Effect: GivesUnknown, Section: "The four classes",
		Meaning: "robots.txt allows the fetch, but was found after damage in an uncompressed archive, where it " +
			"may be the content of a page, or its record states two dates or two URLs.",
		Settle: "An undamaged copy of the archive.",
	},
	UnreadCapture: {
		Name: "unread_capture", Effect: GivesUnknown, Section: "The four classes",
		Meaning: "robots.txt allows the fetch, but an index reports another robots.txt that would govern, and no " +
			"input holds that one.",
		Settle: "The archives with the captures of robots.txt that the index reports.",
	},
	TooCostly: {
		Name: "too_costly", Effect: GivesUnknown, Section: "Verdicts and reasons",
		Meaning: "There are too many wildcards for so long a URL, or too many captures to compare.",
		Settle:  "Nothing: there are too many wildcards or captures to compare.",
	},
	Challenge: {
		Name: "challenge", Effect: GivesUnknown, Section: "Challenges",
		Meaning: "robots.txt is a page that asks for a proof that the client is no crawler.",
		Settle:  "Another capture of robots.txt, which is not a challenge.",
	},
	NoTime: {
		Name: "no_time", Effect: GivesUnknown, Section: "Time",
		Meaning: "The fetch has no usable date.",
		Settle:  "The crawler's log, if it has the date; no archive.",
	},
	UnsupportedScheme: {
		Name: "unsupported_scheme", Effect: GivesUnknown, Section: "Fetch",
		Meaning: "robots.txt does not apply to the scheme.",
		Settle:  "Nothing: robots.txt does not apply to the scheme.",
	},
	UnknownBytes: {
		Name: "unknown_bytes", Effect: GivesUnknown, Section: "Access logs",
		Meaning: "An access log shows that robots.txt was served, and no input holds those bytes.",
		Settle:  "The versions of robots.txt with their times: a table (`--robots`), or archives.",
	},
	NoCrawler: {
		Name: "no_crawler", Effect: GivesUnknown, Section: "Access logs",
		Meaning: "The User-Agent of a request in an access log names no crawler: it may be a person's.",
		Settle:  "The crawler's name, by `--crawler @FILE`, if it is known whose requests these are.",
	},
	ForgedAgent: {
		Name: "forged_agent", Effect: GivesUnknown, Section: "Access logs",
		Meaning: "The User-Agent of a request in an access log names a crawler, but the address is not its " +
			"operator's (`--ranges`): somebody else made the request.",
		Settle: "Nothing: nobody knows who made the request.",
	},
}

func (r Reason) String() string { return Reasons[r].Name }

// IsOfNobody reports whether a reason, by its name, is that no crawler is known to have made a request.
func IsOfNobody(reason string) bool {
	return reason == NoCrawler.String() || reason == ForgedAgent.String()
}

// IsViolation reports whether a disallowed fetch of a class of certainty is a violation.
func IsViolation(certainty string) bool {
	return certainty == Certain.String() || certainty == Probable.String()
}

// AgentSource is how the crawler's own token is known.
type AgentSource uint8

// Where a token comes from.
const (
	AgentUnknown AgentSource = iota
	AgentFromRequest
	AgentFromWarcinfo
	AgentFromOption
	AgentFromOrigin
	AgentFromRobotsSubset
	AgentFromList
	AgentFromAccessLog
	AgentFromRanges
)

// AgentSources is indexed by AgentSource. But is how a sentence names who gives the token.
var AgentSources = []Word{
	AgentUnknown:     {Name: "none", Meaning: "It is not known."},
	AgentFromRequest: {Name: "request", Meaning: "The User-Agent of its request.", But: "its request"},
	AgentFromWarcinfo: {
		Name: "warcinfo", But: "the archive's warcinfo record",
		Meaning: "The User-Agent that the warcinfo record names.",
	},
	AgentFromOption: {Name: "option", Meaning: "`--crawler`.", But: "an option of this audit"},
	AgentFromOrigin: {
		Name: "origin",
		Meaning: "In `exclusions`, because logs do not name their crawler: the only crawler that fetched from the " +
			"origin in the archives.",
	},
	AgentFromRobotsSubset: {
		Name: "robots_subset", But: "the captures of robots.txt alone",
		Meaning: "Of a fetch that an index reports: the User-Agent of all captures of robots.txt, if nothing in the inputs " +
			"has another.",
	},
	AgentFromList: {Name: "list", Meaning: "What the list of URLs states.", But: "the list"},
	AgentFromAccessLog: {
		Name: "access_log", But: "the line of the access log",
		Meaning: "The User-Agent in a line of an access log.",
	},
	AgentFromRanges: {
		Name: "access_log_ranges", But: "the line of the access log, from an address of its operator (--ranges)",
		Meaning: "The User-Agent in a line of an access log, and the address is its operator's (`--ranges`).",
	},
}

func (s AgentSource) String() string { return AgentSources[s].Name }

// Match is how the file's group was found that decides for a token.
type Match uint8

// The ways to a group. The zero value is that no file was asked.
const (
	MatchNone Match = iota
	MatchExact
	MatchGoogle
	MatchGlobal
	MatchNoGroup
)

// Matches is indexed by Match.
var Matches = []Word{
	MatchNone:    {},
	MatchExact:   {Name: "exact", Meaning: "A user-agent line names `agent`."},
	MatchGoogle:  {Name: "google", Meaning: "The same, as Google compares names."},
	MatchGlobal:  {Name: "global", Meaning: "None names it, and one is for `*`."},
	MatchNoGroup: {Name: "no_group", Meaning: "Neither: everything is allowed. In `exclusions` alone."},
}

func (m Match) String() string { return Matches[m].Name }

// Obeys reports whether the claim of a warcinfo record on obedience, if there is one, says that robots.txt was obeyed
// as it stands.
func Obeys(claim string) bool {
	return claim == "" || strings.HasPrefix(claim, ClaimOfParser) || claim == "obey" || claim == "classic" || claim == "robotsTxtOnly" || claim == "on"
}

// ClaimOfParser begins a claim that names the parser of robots.txt: "checked via crawler-commons 1.6 (...)".
const ClaimOfParser = "checked via "

// Ignores reports whether the claim of a warcinfo record on obedience says that robots.txt was ignored.
func Ignores(claim string) bool { return claim == "ignore" || claim == "off" }
