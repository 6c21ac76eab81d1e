package report

import (
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// A Value is one that a column may have, where it has few.
type Value struct {
	Name    string `json:"value"`
	Meaning string `json:"meaning"`
}

// IssueText is the meaning of a kind of issue, in plain text. It is empty for other kinds.
func IssueText(kind string) string { return plainText(words.Find(words.Issues, kind).Meaning) }

// grounds are the words of the grounds of a class.
func grounds() []Value {
	bear := words.Contests | words.Disproofs | words.Doubts | words.GroundFailed
	return slices.DeleteFunc(described(words.GroundWords), func(v Value) bool { return words.NoteOf(v.Name)&bear == 0 })
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
	"verdict":           described(words.Verdicts),
	"evidence":          described(words.Evidences),
	"certainty":         described(words.Certainties),
	"reason":            described(words.Reasons),
	"note":              described(words.NoteWords),
	"ground":            grounds(),
	"agent_source":      described(words.AgentSources),
	"agent_match":       described(words.Matches),
	"outcome":           described(words.Outcomes),
	"lossy_issue":       described(words.Issues[1:], words.FetchesMissing),
	"record_issue":      described(words.Issues[1:], words.NoEffect),
	"record_type":       described(facts.RecordTypes[1:facts.TypeOther]),
	"trust":             described(facts.Trusts),
	"profile":           profileValues(),
	"remark":            described(robots.NoteWords[1:]),
	"restriction":       described(tag.Kinds),
	"purpose":           described(tag.Uses[1:]),
	"modality":          described(evaluate.Modalities),
	"refusal":           described(evaluate.Refusals),
	"hint":              described(tag.Uses[1:]),
	"tags_from":         described(resolve.Sources),
	"tag_source":        described(tag.Sources[1:tag.SourceHeader]),
	"signal_source":     described(tag.Sources[tag.SourceHeader:]),
	"rule":              described(tag.RuleWords()),
	"parse_mode":        described(tag.Modes[1:]),
	"tag_note":          described(tag.NoteWords),
	"tag_contradiction": described(tag.Contradictions),
	"protocol":          described(tag.Protocols[1:]),
	"scope":             described(tag.Scopes[1:]),
	"signal_purpose":    described(slices.Concat(tag.Purposes[1:], tag.Purposes[:1])),
	"preference":        described(tag.Preferences[1:]),
	"conflict":          described(evaluate.ConflictKinds[1:]),
	"group_kind":        described(evaluate.GroupKinds),
	"policy_restriction": {
		{"none", "No path is forbidden."},
		{"partial", "Some paths are forbidden, and some are not."},
		{"full", "Every path but robots.txt itself, in any spelling, is forbidden."},
	},
	"restriction_longpre": {
		{"none", "No Disallow, only an empty one, the same values in Disallow and Allow, or no robots.txt (outcome `unavailable`)."},
		{"some", "Everything else."},
		{"all", "`Disallow: /`, and no Allow."},
	},
	"restriction_liu": {
		{"none", "All are allowed."},
		{"partial", "Everything else."},
		{"full", "None is allowed."},
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
}
