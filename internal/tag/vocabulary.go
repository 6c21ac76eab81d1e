package tag

import (
	"iter"
	"math/bits"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Version names the vocabulary that decides what ingest keeps. It is part of the
// facts' fingerprint: another vocabulary means reading the archives again.
const Version = "9"

// A Rule is one word of the vocabulary of page tags (draft-illyes-repext-03
// §3.1.3 and what vendors document).
type Rule uint8

// The rules.
const (
	RuleUnknown Rule = iota
	RuleNoindex
	RuleNosnippet
	RuleAll
	RuleNone
	RuleIndex
	RuleFollow
	RuleNofollow
	RuleArchive
	RuleNoarchive
	RuleNocache
	RuleNoimageindex
	RuleNotranslate
	RuleIndexifembedded
	RuleMaxSnippet
	RuleMaxImagePreview
	RuleMaxVideoPreview
	RuleUnavailableAfter
	RuleNoai
	RuleNoimageai
	RuleNoodp
	RuleNoydir
	RuleNoyaca
	RuleDisallowTraining
	RuleAllowTraining
	RuleNoml
	lastRule = RuleNoml
)

// A Kind says what a rule or a signal restricts. Neither makes a fetch a
// violation: they are known only after it.
type Kind uint8

// The kinds.
const (
	_ Kind = iota
	KindPublication
	KindUsage
)

// Kinds is indexed by Kind.
var Kinds = []words.Word{
	KindPublication: {Name: "publication", Meaning: "Showing it: stated by tags."},
	KindUsage:       {Name: "usage", Meaning: "Using it: stated by tags or usage signals."},
}

func (k Kind) String() string { return words.Name(Kinds, k) }

type form uint8

const (
	formNone  form = iota
	formCount      // a number, -1 for without limit
	formImage      // none, standard, large
	formDate
)

// rules is the vocabulary as data. origin is the draft that defines the word,
// else the vendor that documents it first or most fully.
var rules = [lastRule + 1]struct {
	name, meaning, origin string
	kind                  Kind
	form                  form
	limits                bool // it takes something away; the others state the default
}{
	RuleUnknown:          {name: "unknown", meaning: "Any other word."},
	RuleNoindex:          {"noindex", "Not to be found in a search index.", draftREP, KindPublication, formNone, true},
	RuleNosnippet:        {"nosnippet", "No excerpts.", draftREP, KindPublication, formNone, true},
	RuleAll:              {"all", "No restriction.", "google", 0, formNone, false},
	RuleNone:             {"none", "noindex and nofollow.", "google", KindPublication, formNone, true},
	RuleIndex:            {"index", "May be found in a search index.", "yandex", 0, formNone, false},
	RuleFollow:           {"follow", "Its links may be followed.", "yandex", 0, formNone, false},
	RuleNofollow:         {"nofollow", "Its links are not to be followed.", "google", 0, formNone, true},
	RuleArchive:          {"archive", "A public copy is allowed.", "yandex", 0, formNone, false},
	RuleNoarchive:        {"noarchive", "No public copy.", "google", KindPublication, formNone, true},
	RuleNocache:          {"nocache", "No public copy.", "bing", KindPublication, formNone, true},
	RuleNoimageindex:     {"noimageindex", "Its images are not to be found in a search index.", "google", KindPublication, formNone, true},
	RuleNotranslate:      {"notranslate", "No translation.", "google", KindPublication, formNone, true},
	RuleIndexifembedded:  {"indexifembedded", "May be found where it is embedded, whatever noindex says.", "google", 0, formNone, false},
	RuleMaxSnippet:       {"max-snippet", "Excerpts of a certain length at most.", "google", KindPublication, formCount, true},
	RuleMaxImagePreview:  {"max-image-preview", "Image previews of a certain size at most.", "google", KindPublication, formImage, true},
	RuleMaxVideoPreview:  {"max-video-preview", "Video previews of a certain length at most.", "google", KindPublication, formCount, true},
	RuleUnavailableAfter: {"unavailable_after", "Not to be shown after a date.", "google", KindPublication, formDate, true},
	RuleNoai:             {"noai", "Not to be used for AI.", "deviantart", KindUsage, formNone, true},
	RuleNoimageai:        {"noimageai", "Its images are not to be used for AI.", "deviantart", KindUsage, formNone, true},
	RuleNoodp:            {"noodp", "No description from the Open Directory.", "google", 0, formNone, true},
	RuleNoydir:           {"noydir", "No description from the Yahoo directory.", "yahoo", 0, formNone, true},
	RuleNoyaca:           {"noyaca", "No description from the Yandex catalogue.", "yandex", 0, formNone, true},
	RuleDisallowTraining: {"disallowaitraining", "Not to be used for training AI.", draftCanel, KindUsage, formNone, true},
	RuleAllowTraining:    {"allowaitraining", "May be used for training AI.", draftCanel, 0, formNone, false},
	RuleNoml:             {"noml", "Not to be used for machine learning.", specNoML, KindUsage, formNone, true},
}

// usesOf are the uses that a rule speaks of: it restricts them, or permits them if it takes nothing away.
var usesOf = map[Rule][]Purpose{
	RuleNoai:             {PurposeTrainAI, PurposeAIInput},
	RuleNoimageai:        {PurposeTrainAI, PurposeAIInput},
	RuleDisallowTraining: {PurposeTrainAI},
	RuleAllowTraining:    {PurposeTrainAI},
	RuleNoml:             {PurposeTrainAI},
}

// The drafts and specifications that words come from. Of drafts it is the last that has the word.
const (
	draftREP   = "draft-illyes-repext-03"
	vocab08    = "draft-ietf-aipref-vocab-08"
	vocab04    = "draft-ietf-aipref-vocab-04"
	vocab03    = "draft-ietf-aipref-vocab-03"
	vocab02    = "draft-ietf-aipref-vocab-02"
	vocab01    = "draft-ietf-aipref-vocab-01"
	draftCanel = "draft-canel-robots-ai-control-00"
	specNoML   = "noml.info"
	bingChat   = "bing-2023-09"
	amazonPage = "amazon-2026-11"
	contentSig = "content-signals"
	specRSL    = "rsl-1.0"
	specRSL09  = "rsl-1.0-draft"
	specTDMRep = "tdmrep"
	relLicense = "rel-license"
)

func (r Rule) String() string { return rules[r].name }

// RuleWords are the words of the vocabulary, the unknown one last.
func RuleWords() (list []words.Word) {
	for _, rule := range rules {
		list = append(list, words.Word{Name: rule.name, Meaning: rule.meaning})
	}
	return append(list[1:], list[0])
}

// Origin is the draft that defines the rule, else the vendor that documents it;
// empty for unknown words.
func (r Rule) Origin() string { return rules[r].origin }

// Kind says what the rule restricts; 0 where that is neither publication nor use.
func (r Rule) Kind() Kind { return rules[r].kind }

// Restricts reports whether the rule takes something away. The others say the
// default aloud: nothing opts out of a restriction (draft-illyes-repext-03 §3.1.2).
func (r Rule) Restricts() bool { return rules[r].limits }

var ruleOf = func() map[string]Rule {
	m := make(map[string]Rule, len(rules))
	for r := RuleUnknown + 1; r <= lastRule; r++ {
		m[rules[r].name] = r
	}
	return m
}()

func findRule(word string) Rule { return ruleOf[ascii.Lower(word)] }

// A Purpose is a use of content that a signal speaks of. A use that is part of another one follows it.
type Purpose uint8

// The purposes.
const (
	_ Purpose = iota
	PurposeAutomated
	PurposeTDM
	PurposeAI
	PurposeTrainAI
	PurposeTrainGenAI
	PurposeAIInput
	PurposeAIIndex
	PurposeSearch
	PurposeReuse
	PurposeLicense
	lastPurpose = PurposeLicense
)

// Purposes is indexed by Purpose.
var Purposes = []words.Word{
	0:                 {Name: "unknown", Meaning: "Not known: the label is none that the protocol has."},
	PurposeAutomated:  {Name: "automated", Meaning: "Any automated use."},
	PurposeTDM:        {Name: "tdm", Meaning: "Text and data mining."},
	PurposeAI:         {Name: "ai", Meaning: "Any use by AI systems."},
	PurposeTrainAI:    {Name: "train-ai", Meaning: "Training AI."},
	PurposeTrainGenAI: {Name: "train-genai", Meaning: "Training generative AI."},
	PurposeAIInput:    {Name: "ai-input", Meaning: "Input of AI answers."},
	PurposeAIIndex:    {Name: "ai-index", Meaning: "An index of an AI system."},
	PurposeSearch:     {Name: "search", Meaning: "A search index."},
	PurposeReuse: {
		Name:    "reuse",
		Meaning: "How much may be stored and shown (`use=` of Content-Signal): `value` is the most that is allowed.",
	},
	PurposeLicense: {
		Name: "license",
		Meaning: "Whatever the licence states. If the licence document was captured, rows of protocol `rsl` have " +
			"its statements.",
	},
}

func (p Purpose) String() string { return words.Name(Purposes, p) }

// purposes is a set of them, a bit each.
type purposes uint16

func of(list ...Purpose) (set purposes) {
	for _, p := range list {
		set |= 1 << p
	}
	return set
}

func (set purposes) has(p Purpose) bool { return set>>p&1 != 0 }

func (set purposes) all() iter.Seq[Purpose] {
	return func(yield func(Purpose) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(Purpose(bits.TrailingZeros16(uint16(set)))) {
				return
			}
		}
	}
}

// A label is a key of Content-Usage or Content-Signal, or a word of RSL. covers are the uses that its
// own vocabulary has as parts of its use: what a statement says of it holds for these, too, unless
// the statement names them.
type label struct {
	purpose Purpose
	origin  string
	covers  purposes
}

// All automated processing, and all use by AI.
var (
	allAI        = of(PurposeTrainAI, PurposeTrainGenAI, PurposeAIInput, PurposeAIIndex)
	allAutomated = allAI | of(PurposeTDM, PurposeAI, PurposeSearch)
)

// usageLabels are the keys of Content-Usage. The vocabulary changed from draft to draft; the older
// keys are still out there. Only the older drafts have uses that are parts of others.
var usageLabels = map[string]label{
	"train-ai": {PurposeTrainAI, vocab08, 0},
	"ai-use":   {PurposeAIInput, vocab08, 0},
	"search":   {PurposeSearch, vocab08, 0},

	"bots":        {PurposeAutomated, vocab04, allAutomated},
	"ai-output":   {PurposeAIInput, vocab04, of(PurposeSearch)},
	"train-genai": {PurposeTrainGenAI, vocab03, 0},
	"all":         {PurposeAutomated, vocab02, allAutomated},
	"tdm":         {PurposeTDM, vocab01, of(PurposeTrainAI, PurposeTrainGenAI)},
	"ai":          {PurposeTrainAI, vocab01, of(PurposeTrainGenAI)},
	"genai":       {PurposeTrainGenAI, vocab01, 0},
	"inference":   {PurposeAIInput, vocab01, 0},
}

// signalLabels are the keys of Content-Signal. The values of use are not yes and no, but reuses.
var signalLabels = map[string]label{
	"search":   {PurposeSearch, contentSig, 0},
	"ai-input": {PurposeAIInput, contentSig, 0},
	"ai-train": {PurposeTrainAI, contentSig, 0},
	"use":      {PurposeReuse, contentSig, 0},
}

// reuses are the values of the key use of Content-Signal, each the most that is allowed.
var reuses = set("immediate", "reference", "full")

// An agentRule is a rule that the operator of crawlers documents as a restriction of use.
type agentRule struct {
	agents   []string
	rule     Rule
	without  Rule // it counts only without this one; RuleUnknown: always
	purposes []Purpose
	origin   string
}

// agentRules are all of them. docs/SIGNALS.md has their sources, with the day on which they were read.
var agentRules = [...]agentRule{
	{[]string{"bingbot"}, RuleNoarchive, RuleNocache, []Purpose{PurposeTrainAI, PurposeAIInput}, bingChat},
	{[]string{"bingbot"}, RuleNocache, RuleUnknown, []Purpose{PurposeTrainAI}, bingChat},
	{[]string{"amazonbot", "amzn-searchbot", "amzn-user"}, RuleNoarchive, RuleUnknown, []Purpose{PurposeTrainAI}, amazonPage},
}

// IsAgentMeta reports whether a meta's name, in lower case, is robots or a product token
// that its operator documents as one. Others are product tokens only if the caller
// knows them.
func IsAgentMeta(name string) bool { return metaAgents[name] }

// metaAgents are the names of metas that are kept whatever their content: what policyFields reads, the global
// name and tokens that search engines document as names of metas.
var metaAgents = withMetaFields(set("robots", "googlebot", "googlebot-news", "google-extended", "bingbot", "msnbot",
	"slurp", "yandex", "yandexbot", "baiduspider", "duckduckbot", "applebot", "applebot-extended",
	"adsbot-google", "adidxbot", "otherbot", "gptbot", "ccbot", "claudebot", "archive.org_bot", "ia_archiver"))

func withMetaFields(names map[string]bool) map[string]bool {
	for i := range policyFields {
		if f := &policyFields[i]; f.meta != nil {
			names[f.name] = true
		}
	}
	return names
}

// isOtherName reports whether HTML or its registry of extensions give metas of the
// name another meaning: their content may hold such a word as "all", and binds nobody.
func isOtherName[T string | []byte](name T) bool {
	switch string(name) {
	case "application-name", "audience", "author", "copyright", "color-scheme", "description",
		"distribution", "format-detection", "generator", "keywords", "language", "publisher", "rating",
		"referrer", "revisit-after", "subject", "theme-color", "title", "viewport":
		return true
	}
	return false
}

func set(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[w] = true
	}
	return m
}

// blanks are the white space that separates words: ASCII whitespace of the Infra standard, which HTML uses.
const blanks = " \t\n\r\f"

// spaces are blanks, and the no-break space, which sites copy from where they were shown.
const spaces = blanks + "\u00A0"

// trim drops the white space of HTTP and HTML.
func trim(s string) string { return strings.Trim(s, " \t\r\n\f\v\x00") }
