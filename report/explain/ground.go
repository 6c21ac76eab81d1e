package explain

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Ground is the sentence of docs/SEMANTICS.md on which a step of a verdict rests.
type Ground struct {
	Step     string `json:"step"`              // what it is about: reason, evidence, certainty, ground, note and others
	Word     string `json:"word"`              // as in the tables
	Meaning  string `json:"meaning,omitempty"` // of the word
	Sentence string `json:"sentence"`          // verbatim
	Section  string `json:"section"`           // its heading
	Anchor   string `json:"anchor"`            // a link to it
}

// sentence is one of docs/SEMANTICS.md.
type sentence struct{ section, text string }

// semantics is where sentences stand.
const semantics = "docs/SEMANTICS.md"

// sentences are those that steps without a word in the tables rest on, by step and name. A test compares them
// with the document.
var sentences = map[string]map[string]sentence{
	"governing": {
		"own_capture": {
			"Which capture governs",
			"The crawler's own latest capture governs if it is at most 24 hours old.",
		},
		"any_capture": {"Which capture governs", "Otherwise, the latest capture by anyone governs."},
		"later_capture": {
			"Which capture governs",
			"If there is no candidate, the earliest capture within 24 hours after the fetch that says something governs.",
		},
	},
	"way": {
		"redirect": {
			"Redirects",
			"The outcome at the end counts for the origin whose robots.txt redirected first, and for no other.",
		},
		"rival": {"Redirects", "So these captures of the target's URL may also be what the redirect led to"},
		"named": {
			"The original of a revisit",
			"A record that has a different payload digest of the same algorithm is not the original, even if the " +
				"revisit names it.",
		},
		"original": {
			"The original of a revisit",
			"The body of a revisit is that of its original: a GET `response` or `resource` record with the same status.",
		},
		"not_modified": {
			"What one robots capture says",
			"status 304, or a `server-not-modified` revisit | that of the copy it renews | renewed at its own time",
		},
	},
	"prior": {
		"prior_verdict": {
			"Unresolved and undefined captures",
			"`prior_verdict` shows what the capture before it answers.",
		},
	},
	"what_if": {
		"what_if": {
			"What-if and as-of",
			"The governing capture is the one that governs the real fetch, by the crawler that made it.",
		},
		"as_of": {"What-if and as-of", "With `--as-of T`, it is the capture that governs at T, and age counts from T."},
	},
}

// grounds lists what a verdict rests on, in the order of the decision.
func grounds(x *evaluate.Explanation) (list []Ground) {
	ground := func(step, name, meaning, text, section string) {
		if section != "" {
			list = append(list, Ground{step, name, meaning, text, section, "docs/" + words.Document(section) + "#" + slug(section)})
		}
	}
	add := func(step, name string) {
		ground(step, name, "", sentences[step][name].text, sentences[step][name].section)
	}
	word := func(step string, all []words.Word, name string) {
		w := words.Find(all, name)
		ground(step, name, w.Meaning, w.Meaning, w.Section)
	}
	if x.Kind == evaluate.KindWhatIf {
		add("what_if", "what_if")
		if x.Moment != x.Fetch.Time {
			add("what_if", "as_of")
		}
	}
	if g := governing(x); g != nil {
		add("governing", howItGoverns(x, g))
		for _, kind := range kindsOf(g) {
			add("way", kind)
		}
	}
	word("evidence", words.Evidences, x.Evidence)
	word("reason", words.Reasons, x.Reason)
	if x.Prior != "" {
		add("prior", "prior_verdict")
	}
	word("certainty", words.Certainties, x.Certainty)
	for _, name := range x.ObjectionWords() {
		word("ground", words.GroundWords, name)
	}
	for _, note := range x.Notes {
		if !slices.Contains(x.ObjectionWords(), note) {
			word("note", words.NoteWords, note)
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
