package report

import (
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// A Value is one that a column may have, where it has few.
type Value struct {
	Name    string `json:"value"`
	Meaning string `json:"meaning"`
}

// Meaning returns the meaning of a value, by the name of its list in docs/SCHEMA.md. The text is
// Markdown. It is empty where the list has no such value.
func Meaning(list, value string) string {
	for _, v := range valuesOf[list] {
		if v.Name == value {
			return v.Meaning
		}
	}
	return ""
}

// IssueText is the meaning of a kind of issue, in plain text. It is empty for other kinds.
func IssueText(kind string) string { return plainText(words.Find(words.Issues, kind).Meaning) }

// brief is the meaning of a value, to stand within a line.
func brief(list, value string) string {
	return words.Word{Meaning: plainText(Meaning(list, value))}.Brief()
}

func profileValues() (values []Value) {
	for _, p := range robots.Profiles {
		values = append(values, Value{p.String(), p.Source() + "."})
	}
	return values
}

// described are the values of a list of words, or of those with some effects.
func described(list []words.Word, effects ...words.Effect) (values []Value) {
	for _, w := range list {
		if w.Name == "" || effects != nil && !slices.Contains(effects, w.Effect) {
			continue
		}
		meaning := w.Meaning
		if e := w.Effect.String(); effects == nil && e != "" {
			meaning = strings.ToUpper(e[:1]) + e[1:] + ": " + meaning
		}
		if w.More != "" {
			meaning += " " + w.More
		}
		values = append(values, Value{w.Name, meaning})
	}
	return values
}

// valuesOf lists the values that columns may hold, by the names in the tag "values" of their fields. The
// texts are Markdown.
var valuesOf = map[string][]Value{
	"verdict":      described(words.Verdicts),
	"evidence":     described(words.Evidences),
	"certainty":    described(words.Certainties),
	"reason":       described(words.Reasons),
	"note":         described(words.NoteWords),
	"agent_source": described(words.AgentSources),
	"agent_match":  described(words.Matches),
	"outcome":      described(words.Outcomes),
	"lossy_issue":  described(words.Issues[1:], words.FetchesMissing),
	"record_issue": described(words.Issues[1:], words.NoEffect),
	"record_type": {
		{"response", "A WARC response record."},
		{"revisit", "A WARC revisit record."},
		{"resource", "A WARC resource record."},
		{"arc", "An ARC record."},
		{"log", "A line of a crawler's log: of `robots` alone."},
		{"indexed", "None was read: an index or a list of URLs reports the fetch."},
	},
	"trust": {
		{"chained", "Every record before it was verified."},
		{"resynced", "It was found again after damage."},
		{"indexed", "It was not read: an index says so."},
		{"listed", "It was not read: a list of URLs says so."},
		{"verified", "An index or a list says so, and the record was found there (`--verify`)."},
	},
	"profile": profileValues(),
	"remark": {
		{"rule_before_group", "A rule before any user-agent line: ignored (RFC 9309 §2.2.2)."},
		{"unknown_record", "A line that is no record known here."},
		{"misspelt_record", "A key that is nearly a known one."},
		{"missing_colon", "A known key without its colon."},
		{"invalid_token", "A user-agent value that is no product token (§2.2.1)."},
		{"no_leading_slash", "A pattern that begins with neither `/` nor `*`: it matches nothing."},
		{"non_utf8", "Bytes that are not UTF-8 (§2.3)."},
		{"control_character", "A control character."},
		{"byte_order_mark", "A byte order mark."},
		{"utf16", "UTF-16, read as such because of its byte order mark."},
		{"line_too_long", "A line longer than some crawlers read."},
		{"cut", "The file is longer than the parsing limit (§2.5)."},
		{"html", "The file is an HTML document."},
		{"empty", "The file is empty."},
		{"dollar_inside", "A `$` that is no end anchor: it stands for itself."},
		{"duplicate_rule", "A rule that its group already has."},
		{"empty_group", "A group without a rule: it allows everything."},
		{"record_in_group", "A record after which a crawler of old would end the group."},
		{"invalid_delay", "A Crawl-delay or Request-rate whose value asks for no wait."},
		{"more_notes", "There are more remarks than are kept."},
	},
	"restriction": {
		{"publication", "Showing it: stated by tags."},
		{"usage", "Using it: stated by tags or usage signals."},
	},
	"purpose": {
		{"archive", "An archive that the public can read."},
		{"index", "A search index."},
		{"train", "Training AI."},
	},
	"modality": {
		{"text", "`text/*`, and of `application/*` what is text by its syntax: XML and JSON in all their forms, " +
			"JavaScript, YAML."},
		{"image", "`image/*`."},
		{"audio", "`audio/*`."},
		{"video", "`video/*`."},
		{"application", "The rest of `application/*`: PDF, archives, and whatever declares nothing more."},
		{"other", "Any other type: `font/*`, `model/*`, `multipart/*` …"},
	},
	"refusal": {
		{"challenge", "The answer asks for a proof that the client is no crawler, whatever its status. Known ones " +
			"alone: [Challenges](SEMANTICS.md#challenges)."},
		{"auth", "401: credentials are missing (RFC 9110 §15.5.2)."},
		{"payment", "402: to be paid for (RFC 9110 §15.5.3)."},
		{"forbidden", "403: refused, for whatever reason (RFC 9110 §15.5.4)."},
		{"rate", "429: too many requests (RFC 6585 §4)."},
		{"legal", "451: refused for legal reasons (RFC 7725 §3)."},
	},
	"hint": {
		{"archive", "Showing copies in public."},
		{"index", "A search index."},
		{"train", "Training AI."},
	},
	"tags_from": {
		{"original", "Of a revisit or a 304: its original, which was found, in whichever archive and origin."},
		{"wat", "A record of a WAT, which reports the response without its body. Metas and links of the body stand " +
			"among those of the head. A restriction is `probable` at most."},
		{"unknown", "Some tags may be missing: an index or a list reports the fetch, and no record was read; there " +
			"is no original in these archives, or several that differ; a digest contradicts the original's; a " +
			"coding could not be undone; the crawler left the body out or cut it within its head; the head does not " +
			"end within 1 MiB; there are more metas or tags than are kept; or captures of robots.txt of one moment " +
			"differ in what they say of use."},
	},
	"tag_source": {
		{"robots-tag", "A Robots-Tag header field."},
		{"x-robots-tag", "An X-Robots-Tag header field."},
		{"meta", "A meta element."},
	},
	"signal_source": {
		{"header", "Another header field."},
		{"link", "A link element."},
		{"robots.txt", "The robots.txt that governs the fetch."},
		{"tdmrep.json", "The tdmrep.json captured last before the fetch."},
		{"script", "A script element that holds a licence document."},
		{"license", "A licence document that robots.txt or the page names, as captured at `file_warc_filename`, " +
			"`file_warc_record_offset`."},
		{"ai.txt", "The ai.txt captured last before the fetch."},
		{"llms.txt", "The llms.txt captured last before the fetch."},
	},
	"rule": {
		{"noindex", "Not to be found in a search index."},
		{"nosnippet", "No excerpts."},
		{"all", "No restriction."},
		{"none", "noindex and nofollow."},
		{"index", "May be found in a search index."},
		{"follow", "Its links may be followed."},
		{"nofollow", "Its links are not to be followed."},
		{"archive", "A public copy is allowed."},
		{"noarchive", "No public copy."},
		{"nocache", "No public copy."},
		{"noimageindex", "Its images are not to be found in a search index."},
		{"notranslate", "No translation."},
		{"indexifembedded", "May be found where it is embedded, whatever noindex says."},
		{"max-snippet", "Excerpts of a certain length at most."},
		{"max-image-preview", "Image previews of a certain size at most."},
		{"max-video-preview", "Video previews of a certain length at most."},
		{"unavailable_after", "Not to be shown after a date."},
		{"noai", "Not to be used for AI."},
		{"noimageai", "Its images are not to be used for AI."},
		{"noodp", "No description from the Open Directory."},
		{"noydir", "No description from the Yahoo directory."},
		{"noyaca", "No description from the Yandex catalogue."},
		{"disallowaitraining", "Not to be used for training AI."},
		{"allowaitraining", "May be used for training AI."},
		{"unknown", "Any other word."},
	},
	"parse_mode": {
		{"structured", "As a structured field (RFC 9651)."},
		{"legacy", "As `bot: rule, rule`."},
		{"meta", "As the content of a meta element."},
		{"xml", "As a licence document (RSL)."},
	},
	"tag_note": {
		{"cut", "The field is longer than 8 KiB: the member that the cut went through is dropped."},
		{"malformed", "No structured field: read as legacy, or dropped. Of a licence document: it is none of RSL " +
			"1.0, so that it states nothing. Of Content-Usage: the field or line as a whole is no Dictionary, so " +
			"that it states nothing."},
		{"rule_as_token", "A rule stands where a product token should; without parameters it is read as the rule."},
		{"value", "The value is none that the rule has."},
		{"non_ascii", "Bytes outside ASCII."},
		{"quoted", "Quotation marks or no-break spaces around a word."},
		{"separator", "Words separated by something else than a comma."},
		{"inner_list", "An inner list, which the draft does not have: an unknown word."},
		{"false", "A false Boolean, or a value such as `false` or `no`: the rule is denied."},
		{"no_zone", "A date without a known time zone: taken as UTC."},
		{"duplicate", "A key that came before: the last counts."},
		{"no_group", "A line outside any group governs nobody."},
		{"more", "More than are kept: the rest is dropped."},
		{"upper_case", "A key in upper case, which is no structured field."},
		{"place_untold", "A meta or link of the page's head or of its body: a WAT does not show which. It is taken to bind."},
		{"conditional", "Permitted to some users, in some countries, or for a payment or the like: that is no " +
			"permission for all."},
		{"doubt", "Of a licence document that is named: it was not captured in the 24 hours before the fetch, its " +
			"captures of one moment differ, its record is in doubt, or it is of another origin and states a path. " +
			"It permits nothing, and what it restricts is a hint."},
	},
	"tag_contradiction": {
		{"index", "With noindex."},
		{"follow", "With nofollow."},
		{"archive", "With noarchive."},
		{"cache", "noarchive and nocache, which both bind."},
		{"snippet", "nosnippet with a max-snippet that permits one."},
		{"values", "One rule with two values."},
		{"training", "AllowAITraining with DisallowAITraining."},
	},
	"protocol": {
		{"content-usage", "Content-Usage (AIPREF)."},
		{"content-signal", "Content Signals."},
		{"license", "A link to a licence (RSL, or rel=license)."},
		{"tdm-reservation", "TDMRep."},
		{"tdm-policy", "TDMRep."},
		{"robots-tag", "A page tag that speaks of use: noai, noimageai, DisallowAITraining, AllowAITraining; for " +
			"bingbot noarchive and nocache, too."},
		{"rsl", "A licence document that stands in the page, or that the page or robots.txt names (RSL 1.0)."},
		{"ai-training", "DisallowAITraining and AllowAITraining of robots.txt (draft-canel-robots-ai-control-00, expired)."},
		{"disallow-training", "Disallow-Training of ai.txt and llms.txt, which nothing specifies."},
	},
	"scope": {
		{"origin", "Everything on the origin."},
		{"path", "The paths that `path` matches."},
		{"page", "The page."},
		{"images", "The images that the page shows, not the page (noimageai)."},
	},
	"signal_purpose": {
		{"automated", "Any automated use."},
		{"tdm", "Text and data mining."},
		{"ai", "Any use by AI systems."},
		{"train-ai", "Training AI."},
		{"train-genai", "Training generative AI."},
		{"ai-input", "Input of AI answers."},
		{"ai-index", "An index of an AI system."},
		{"search", "A search index."},
		{"reuse", "How much may be stored and shown (`use=` of Content-Signal): `value` is the most that is allowed."},
		{"license", "Whatever the licence says. Rows of protocol `rsl` have what a licence document says that was captured."},
		{"unknown", "Not known: the label is none that the protocol has."},
	},
	"preference": {
		{"allow", "It is allowed."},
		{"restrict", "It is restricted."},
		{"hint", "Nothing, as the statement is not what its specification asks for, has none, or may be of another " +
			"time. The site may have meant to restrict it."},
		{"unstated", "Nothing: a value that is none, or the link to a licence."},
	},
	"conflict": {
		{"tags", "The page's tags contradict each other."},
		{
			"disallowed_yet_tagged",
			"robots.txt disallows the fetch, so that a crawler that obeys it never sees the tags.",
		},
		{"page_restricts", "The page restricts a purpose that robots.txt or tdmrep.json allows."},
		{"page_allows", "The page allows a purpose that robots.txt or tdmrep.json restricts."},
	},
	"group_kind": {
		{"named", "User-agent lines name the token."},
		{"wildcard", "None does; the groups for `*` govern it."},
		{"none", "Neither: the file says nothing to the token."},
	},
	"policy_restriction": {
		{"none", "No path is forbidden."},
		{"partial", "Some paths are forbidden, and some are not."},
		{"full", "Every path is forbidden, but for robots.txt itself."},
	},
	"restriction_longpre": {
		{"none", "No Disallow, only an empty one, or the same values in Disallow and Allow."},
		{"some", "Everything else."},
		{"all", "`Disallow: /`, and no Allow."},
	},
	"restriction_liu": {
		{"none", "`/`, every path that the file lists and one that no file lists are allowed."},
		{"partial", "Some of them are."},
		{"full", "None of them is."},
	},
	"restriction_cc": {
		{"disallow-all", "The one rule is `Disallow: /`."},
		{"allow-all", "The one rule is an Allow of `/`, `*`, `/*` or nothing, or a Disallow of nothing."},
		{"allow-part", "Everything else that has a rule."},
	},
	"capture_cc": {
		{"success", "Status 200."},
		{"redirect", "3xx."},
		{"notfound", "400, 404 or 410."},
		{"unauthorized", "401."},
		{"forbidden", "403."},
		{"defer_visits", "5xx or 429."},
		{"other", "Any other status."},
	},
	"rank_stratum": {
		{"1k", "Rank 1 to 1,000."},
		{"10k", "1,001 to 10,000."},
		{"50k", "10,001 to 50,000."},
		{"100k", "50,001 to 100,000."},
		{"1M", "100,001 to 1,000,000."},
		{"2M", "1,000,001 to 2,000,000."},
		{"beyond", "Below, or not in the ranking."},
	},
}
