package tag

import (
	"iter"
	"math/bits"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// Version names the vocabulary that decides what ingest keeps. It is part of the
// facts' fingerprint: another vocabulary means reading the archives again.
const Version = "7"

// A Rule is one word of the vocabulary of page tags (draft-illyes-repext-03
// §3.1.3 and what vendors document).
type Rule uint8

const (
	RuleUnknown          Rule = iota // a word that is in no vocabulary known here
	RuleNoindex                      // not to be in a public index
	RuleNosnippet                    // no excerpts
	RuleAll                          // no restriction: index and follow
	RuleNone                         // noindex and nofollow
	RuleIndex                        // states the default
	RuleFollow                       // states the default
	RuleNofollow                     // links are not to be followed
	RuleArchive                      // states the default
	RuleNoarchive                    // no public copy
	RuleNocache                      // no public copy, in Bing's word
	RuleNoimageindex                 // images of the page are not to be indexed
	RuleNotranslate                  // no translation
	RuleIndexifembedded              // noindex does not hold where the page is embedded
	RuleMaxSnippet                   // characters of an excerpt: N, -1 for any
	RuleMaxImagePreview              // none, standard or large
	RuleMaxVideoPreview              // seconds of a preview: N, -1 for any
	RuleUnavailableAfter             // not to be shown after a date
	RuleNoai                         // not to be used for AI
	RuleNoimageai                    // images are not to be used for AI
	RuleNoodp                        // no description from a directory that has ended
	RuleNoydir                       // the same of Yahoo's directory
	RuleNoyaca                       // the same of Yandex's directory
	RuleDisallowTraining             // DisallowAITraining: not to be used for training of AI models
	RuleAllowTraining                // AllowAITraining: the opposite
	lastRule             = RuleAllowTraining
)

// A Kind says what a rule or a signal restricts. Neither makes a fetch a
// violation: they are known only after it.
type Kind uint8

const (
	_               Kind = iota
	KindPublication      // showing the page or a part of it
	KindUsage            // using its content
)

func (k Kind) String() string { return name(k, "", "publication", "usage") }

// form is the syntax of a rule's value.
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
	name   string
	origin string
	kind   Kind
	form   form
	limits bool // it takes something away; the others state the default
}{
	RuleUnknown:          {name: "unknown"},
	RuleNoindex:          {"noindex", draftREP, KindPublication, formNone, true},
	RuleNosnippet:        {"nosnippet", draftREP, KindPublication, formNone, true},
	RuleAll:              {"all", "google", 0, formNone, false},
	RuleNone:             {"none", "google", KindPublication, formNone, true},
	RuleIndex:            {"index", "yandex", 0, formNone, false},
	RuleFollow:           {"follow", "yandex", 0, formNone, false},
	RuleNofollow:         {"nofollow", "google", 0, formNone, true},
	RuleArchive:          {"archive", "yandex", 0, formNone, false},
	RuleNoarchive:        {"noarchive", "google", KindPublication, formNone, true},
	RuleNocache:          {"nocache", "bing", KindPublication, formNone, true},
	RuleNoimageindex:     {"noimageindex", "google", KindPublication, formNone, true},
	RuleNotranslate:      {"notranslate", "google", KindPublication, formNone, true},
	RuleIndexifembedded:  {"indexifembedded", "google", 0, formNone, false},
	RuleMaxSnippet:       {"max-snippet", "google", KindPublication, formCount, true},
	RuleMaxImagePreview:  {"max-image-preview", "google", KindPublication, formImage, true},
	RuleMaxVideoPreview:  {"max-video-preview", "google", KindPublication, formCount, true},
	RuleUnavailableAfter: {"unavailable_after", "google", KindPublication, formDate, true},
	RuleNoai:             {"noai", "deviantart", KindUsage, formNone, true},
	RuleNoimageai:        {"noimageai", "deviantart", KindUsage, formNone, true},
	RuleNoodp:            {"noodp", "google", 0, formNone, true},
	RuleNoydir:           {"noydir", "yahoo", 0, formNone, true},
	RuleNoyaca:           {"noyaca", "yandex", 0, formNone, true},
	RuleDisallowTraining: {"disallowaitraining", draftCanel, KindUsage, formNone, true},
	RuleAllowTraining:    {"allowaitraining", draftCanel, 0, formNone, false},
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
	bingChat   = "bing-2023-09"
	contentSig = "content-signals"
	specRSL    = "rsl-1.0"
	specTDMRep = "tdmrep"
	relLicense = "rel-license"
)

func (r Rule) String() string { return rules[known(r)].name }

// Origin is the draft that defines the rule, else the vendor that documents it;
// empty for unknown words.
func (r Rule) Origin() string { return rules[known(r)].origin }

// Kind says what the rule restricts; 0 where that is neither publication nor use.
func (r Rule) Kind() Kind { return rules[known(r)].kind }

// Restricts reports whether the rule takes something away. The others say the
// default aloud: nothing opts out of a restriction (draft-illyes-repext-03 §3.1.2).
func (r Rule) Restricts() bool { return rules[known(r)].limits }

func known(r Rule) Rule {
	if r > lastRule {
		return RuleUnknown
	}
	return r
}

var ruleOf = func() map[string]Rule {
	m := make(map[string]Rule, len(rules))
	for r := RuleUnknown + 1; r <= lastRule; r++ {
		m[rules[r].name] = r
	}
	return m
}()

// maxWord is the length of the longest word of the vocabulary.
const maxWord = len("disallowaitraining")

// findRule returns the rule of a word in any case.
func findRule(word string) Rule {
	if len(word) > maxWord {
		return RuleUnknown
	}
	return ruleOf[ascii.Lower(word)]
}

// A Purpose is a use of content that a signal speaks of. A use that is part of another one follows it.
type Purpose uint8

const (
	_                 Purpose = iota // a word that is in no vocabulary known here
	PurposeAutomated                 // any automated processing
	PurposeTDM                       // text and data mining
	PurposeAI                        // any use by AI systems
	PurposeTrainAI                   // training of AI models
	PurposeTrainGenAI                // training of generative AI models
	PurposeAIInput                   // input of a model at the time of an answer
	PurposeAIIndex                   // an index of an AI system
	PurposeSearch                    // a search index
	PurposeReuse                     // how much may be stored and shown: immediate, reference, full
	PurposeLicense                   // whatever the linked licence says
	lastPurpose       = PurposeLicense
)

func (p Purpose) String() string {
	return name(p, "unknown", "automated", "tdm", "ai", "train-ai", "train-genai", "ai-input", "ai-index", "search",
		"reuse", "license")
}

// purposes is a set of them, a bit each.
type purposes uint16

func of(list ...Purpose) (set purposes) {
	for _, p := range list {
		set |= 1 << p
	}
	return set
}

func (set purposes) has(p Purpose) bool { return set>>p&1 != 0 }

// all yields the members of the set.
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
var reuses = words("immediate", "reference", "full")

// An agentRule is a rule that the operator of one crawler documents as a restriction of use.
type agentRule struct {
	agent    string
	rule     Rule
	without  Rule // it counts only without this one; RuleUnknown: always
	purposes []Purpose
	origin   string
}

// agentRules: for Bing, noarchive keeps a page from training and answers, nocache leaves training no
// more than URL, title and snippet, and both together count as nocache.
var agentRules = []agentRule{
	{"bingbot", RuleNoarchive, RuleNocache, []Purpose{PurposeTrainAI, PurposeAIInput}, bingChat},
	{"bingbot", RuleNocache, RuleUnknown, []Purpose{PurposeTrainAI}, bingChat},
}

// rulesOf are the agentRules of a token.
func rulesOf(token string) (list []agentRule) {
	for _, r := range agentRules {
		if len(token) == len(r.agent) && ascii.Lower(token) == r.agent {
			list = append(list, r)
		}
	}
	return list
}

// HasOwnRules reports whether the operator of a crawler documents that rules mean more to it.
func HasOwnRules(token string) bool { return len(rulesOf(token)) > 0 }

// IsAgentMeta reports whether a meta's name, in lower case, is robots or a product token
// that its operator documents as one. Others are product tokens only if the caller
// knows them.
func IsAgentMeta(name string) bool { return metaAgents[name] }

// metaAgents are the names of metas that are kept whatever their content: the names of TDMRep, the global
// one and tokens that search engines document as names of metas.
var metaAgents = words("tdm-reservation", "tdm-policy",
	"robots", "googlebot", "googlebot-news", "google-extended", "bingbot", "msnbot",
	"slurp", "yandex", "yandexbot", "baiduspider", "duckduckbot", "applebot", "applebot-extended",
	"adsbot-google", "adidxbot", "otherbot", "gptbot", "ccbot", "claudebot", "archive.org_bot", "ia_archiver")

// maxAgent is the length of the longest of them.
const maxAgent = len("applebot-extended")

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

func words(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[w] = true
	}
	return m
}

// name returns the name of an enum's value, the first for those without.
func name[T ~uint8](v T, names ...string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return names[0]
}

// appendLower appends s with ASCII letters in lower case.
func appendLower(b []byte, s string) []byte {
	for i := range len(s) {
		b = append(b, ascii.LowerByte(s[i]))
	}
	return b
}

// blanks are the white space that separates words: ASCII whitespace of the Infra standard, which HTML uses.
const blanks = " \t\n\r\f"

// trim drops the white space of HTTP and HTML.
func trim(s string) string { return strings.Trim(s, " \t\r\n\f\v\x00") }
