package explain

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/report"
)

// Ground is the sentence of docs/SEMANTICS.md on which a step of a verdict rests.
type Ground struct {
	Step     string `json:"step"`              // what it is about: reason, evidence, certainty, note and others
	Word     string `json:"word"`              // as in the tables
	Meaning  string `json:"meaning,omitempty"` // of the word
	Sentence string `json:"sentence"`          // verbatim
	Section  string `json:"section"`           // its heading
	Anchor   string `json:"anchor"`            // the same as a link
}

// sentence is one of docs/SEMANTICS.md.
type sentence struct{ section, text string }

// semantics is where sentences stand.
const semantics = "docs/SEMANTICS.md"

// sentences are those that the words of a verdict rest on, by step and word. A test compares
// them with the document.
var sentences = map[string]map[string]sentence{
	"governing": {
		"own_capture":   {"Which capture governs", "The crawler's own latest capture governs if it is at most 24 hours old."},
		"any_capture":   {"Which capture governs", "Otherwise, the latest capture by anyone governs."},
		"later_capture": {"Which capture governs", "If there is no candidate, the earliest capture within 24 hours after the fetch that says something governs."},
	},
	"way": {
		"redirect":     {"Redirects", "The outcome at the end counts for the origin first asked, and for no other."},
		"rival":        {"Redirects", "So these captures of the target's URL may also be what the redirect led to"},
		"named":        {"The original of a revisit", "A record that has a different payload digest of the same algorithm is not the original, even if the revisit names it."},
		"original":     {"The original of a revisit", "The body of a revisit is that of its original: a GET `response` or `resource` record with the same status."},
		"not_modified": {"What one robots capture says", "status 304, or a `server-not-modified` revisit | that of the copy it renews | renewed at its own time"},
	},
	"evidence": {
		"fresh": {"Which capture governs", "the governing capture is at most 24 hours old (§2.4)"},
		"stale": {"Which capture governs", "the governing capture is older: the crawler should have asked again, and the archives may lack that capture"},
		"later": {"Which capture governs", "the governing capture was obtained after the fetch"},
		"none":  {"Which capture governs", "no capture governs, or none was needed"},
	},
	"reason": {
		"rule":                 {"Verdicts and reasons", "the longest matching rule decides (§2.2.2)"},
		"no_matching_rule":     {"Verdicts and reasons", "no rule of the group matches (§2.2.2)"},
		"no_matching_group":    {"Verdicts and reasons", "no group names the crawler, and there is none for `*` (§2.2.1)"},
		"robots_txt_itself":    {"Always allowed", "A robots capture itself is always allowed. So are the records to which its redirects led: fetches by the same crawler, at most one hour after the hop."},
		"unavailable":          {"Verdicts and reasons", "robots.txt answered with 4xx (§2.3.1.3)"},
		"too_many_redirects":   {"Verdicts and reasons", "robots.txt redirects in a loop or more than five times (§2.3.1.2)"},
		"unreachable_over_30d": {"Unreachable", "After more than 30 days, a crawler may take robots.txt as unavailable (§2.3.1.4, MAY)."},
		"unreachable":          {"Unreachable", "An unreachable capture governs for 24 hours."},
		"unreachable_stale":    {"Unreachable", "After that, the verdict is unknown (`unreachable_stale`)."},
		"unresolved_redirect":  {"Redirects", "If the archives do not hold the target, the capture is unresolved (`unresolved_redirect`)."},
		"unresolved_revisit":   {"Verdicts and reasons", "the original of a revisit or 304 is missing or ambiguous"},
		"undefined_status":     {"Verdicts and reasons", "RFC 9309 does not define this status"},
		"undecodable":          {"Verdicts and reasons", "the body is in a coding or format that cannot be read"},
		"challenge":            {"Challenges", "A known challenge is no robots.txt: the outcome is undefined and the verdict unknown (`challenge`)."},
		"truncated":            {"Parts of a file", "What it does not disallow is unknown (`truncated`)."},
		"changed_between":      {"Verdicts and reasons", "another capture near the fetch answers otherwise"},
		"conflicting_captures": {"Captures of one moment", "In different archives, captures of one moment by one crawler conflict if their verdicts differ: unknown, `conflicting_captures`."},
		"refused_to_other":     {"Verdicts and reasons", "robots.txt was refused to another crawler, and nothing else is known"},
		"ambiguous_token":      {"The crawler's token", "If the other token's answer differs, the verdict is unknown, with the reason `ambiguous_token`."},
		"no_capture":           {"Verdicts and reasons", "no capture before the fetch, and none that says something within 24 hours after it"},
		"no_time":              {"Time", "A missing or impossible date is unknown, and so is the verdict (`no_time`)."},
		"unsupported_scheme":   {"Verdicts and reasons", "robots.txt does not apply to the scheme"},
		"forgeable":            {"The four classes", "A forgeable capture that allows shows nothing: the verdict is unknown (`forgeable`)."},
		"unread_capture":       {"Verdicts and reasons", "robots.txt allows, but an index tells of a capture that would govern, and no input holds it"},
		"too_costly":           {"Verdicts and reasons", "there are too many wildcards for so long a URL, or too many captures to compare"},
	},
	"certainty": {
		"certain":   {"The four classes", "The evidence is fresh. The capture is the crawler's own and stands before the fetch beyond doubt. The crawler's token is known. Every permitted copy disallows."},
		"probable":  {"The four classes", "a robots.txt captured in time forbids it, but a doubt remains"},
		"possible":  {"The four classes", "nothing shows that this crawler was told in time, that it made the fetch, or that the fetch was for more than robots.txt"},
		"contested": {"The four classes", "a permitted copy or an open reading allows the fetch"},
	},
	"note": {
		"other_crawler":       {"The four classes", "the capture, or a body applied, is another crawler's"},
		"partial":             {"Parts of a file", "What a part disallows is disallowed, *probable* at most."},
		"body_cut":            {"The four classes", "the capture holds only a part of the file"},
		"resynced":            {"The four classes", "a record was found behind damage"},
		"digest_mismatch":     {"The four classes", "A digest of the capture, or of a record on its way, does not match what the record holds: the server may have sent something else."},
		"unreadable_copy":     {"Permitted copies", "A copy that cannot be read may have allowed the fetch, so the fetch is *probable* at most (`unreadable_copy`)."},
		"same_moment":         {"Order within one moment", "In all other cases the note `same_moment` keeps a violation from being certain."},
		"order_doubt":         {"Received before", "The capture counts as received before the fetch beyond doubt only if nothing in the archives speaks against it."},
		"other_run":           {"Runs of a crawler", "If the crawler is such software, and its own capture, or what a redirect or a 304 led it to, is of another run, a violation is *probable* at most (`other_run`)."},
		"coarse_date":         {"The four classes", "a date is coarser than a second"},
		"ambiguous_token":     {"The crawler's token", "A User-Agent that names two crawlers is judged by the first, *probable* at most (`ambiguous_token`)."},
		"url_cut":             {"The four classes", "the URL was cut at 64 KiB"},
		"bracketed":           {"Stale captures", "A stale capture is *bracketed* if the first capture after the fetch that says something, at most 30 days later, gives the same answer."},
		"permitted_copy":      {"Permitted copies", "If the governing capture disallows a fetch and one of the copies allows it, the fetch is *contested* (`permitted_copy`), and the row cites the copy."},
		"named_group_forbids": {"Other notes", "the crawler has no name, robots.txt allows it the fetch, and a group for some token forbids it"},
		"other_mode":          {"Other notes", "another way of comparing tokens gives another verdict; it changes nothing"},
		"token_by_option":     {"Other notes", "an option gives the token, and the User-Agent does not contain it"},
		"forgeable":           {"The four classes", "The fetch or the capture is `forgeable`: it was found behind damage, by what a page could hold as well."},
		"indexed":             {"The four classes", "an index tells of the fetch, and its record, its end, or its request was not read, or a page may hold the record"},
		"listed":              {"The four classes", "a list of URLs tells of the fetch, and its record was not read"},
		"unread_capture":      {"The four classes", "An index tells of a capture that would govern, and no input holds it (`unread_capture`)."},
		"no_status":           {"The four classes", "A row of an index without a status tells of the fetch: its record may not be that of a fetch (`no_status`)."},
		"no_record":           {"Other notes", "the record that an index or a list names was looked for, and is not there"},
		"other_target":        {"Redirects", "But what it disallows is *probable* at most (`other_target`)."},
		"redirect_target":     {"Other notes", "a redirect of robots.txt, at most an hour before, may have led to the fetch"},
		"reserved_encoding":   {"Open readings", "a reserved byte equals its percent-encoded form"},
		"unsafe_encoding":     {"Open readings", "by the letter the two forms differ, and the RFC is silent."},
		"lenient":             {"Open readings", "misspelt lines, and lines without a colon, are read as meant, or are not"},
		"parse_limit":         {"Open readings", "rules beyond 512,000 bytes count, or do not"},
		"documented_token":    {"Open readings", "the crawler obeys another token, as its documentation says"},
		"robots_txt_encoded":  {"Open readings", "`/%72obots.txt` is `/robots.txt`"},
		"content_usage":       {"Open readings", "a Content-Usage line is a rule, which ends the list of user-agent lines"},
		"agent_name":          {"Open readings", "a user-agent line also names a token that it holds as one word among others"},
		"html":                {"HTML", "Every verdict by it has the note `html`, and what its rules disallow is *contested*: a site that answers every request with a page has said nothing."},
	},
	"reading": {
		"unfinished_line": {"Parts of a file", "If only the unfinished last line disallows, the verdict is *contested*: `Disallow: /` may be the beginning of `Disallow: /private/`."},
	},
	"token": {
		"no_token": {"The crawler's token", "A disallowed fetch is *possible* at most, because robots.txt may allow the very crawler that hides behind that string."},
	},
	"prior": {
		"prior_verdict": {"Unresolved and undefined captures", "`prior_verdict` tells what the capture before it answers."},
	},
	"what_if": {
		"what_if": {"What-if and as-of", "The governing capture is the one that governs the real fetch, by the crawler that made it."},
		"as_of":   {"What-if and as-of", "With `--as-of T`, it is the capture that governs at T, and age counts from T."},
	},
}

// grounds lists what a verdict rests on, in the order of the decision.
func grounds(x *evaluate.Explanation) (list []Ground) {
	add := func(step, word string) {
		s, known := sentences[step][word]
		if !known {
			return
		}
		list = append(list, Ground{
			Step: step, Word: word, Meaning: report.Meaning(step, word), Sentence: s.text, Section: s.section, Anchor: semantics + "#" + slug(s.section),
		})
	}
	if x.Kind == evaluate.KindWhatIf {
		add("what_if", "what_if")
		if x.Moment != x.Fetch.Time {
			add("what_if", "as_of")
		}
	}
	if x.Crawler.Token == "" {
		add("token", "no_token")
	}
	if g := governing(x); g != nil {
		add("governing", howItGoverns(x, g))
		for _, kind := range kindsOf(g) {
			add("way", kind)
		}
	}
	add("evidence", x.Evidence)
	add("reason", x.Reason)
	if x.Prior != "" {
		add("prior", "prior_verdict")
	}
	add("certainty", x.Certainty)
	for _, note := range x.Notes {
		add("note", note)
	}
	for _, r := range x.Readings {
		if r.Allows {
			add("reading", r.Name)
		}
	}
	return list
}

// governing returns the capture that governs; nil: there is none.
func governing(x *evaluate.Explanation) *evaluate.ExplainedCapture {
	i := slices.IndexFunc(x.Captures, func(c evaluate.ExplainedCapture) bool { return c.Governs() })
	if i < 0 {
		return nil
	}
	return &x.Captures[i]
}

// howItGoverns is the word of the rule by which a capture governs.
func howItGoverns(x *evaluate.Explanation, g *evaluate.ExplainedCapture) string {
	switch {
	case g.After:
		return "later_capture"
	case g.Own && x.Evidence == "fresh":
		return "own_capture"
	}
	return "any_capture"
}

// kindsOf are the kinds of step by which a capture was reached, each once.
func kindsOf(g *evaluate.ExplainedCapture) (kinds []string) {
	for _, step := range g.Way {
		kind := step.Kind
		if kind == "original" && g.Status != nil && *g.Status == 304 {
			kind = "not_modified"
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
