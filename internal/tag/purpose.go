package tag

import (
	"time"

	"github.com/robotsaudit/robotsaudit/internal/words"
)

// A Use is what somebody wants to do with what was captured: the --purpose of an
// audit. It says which restrictions bind.
type Use uint8

// The uses.
const (
	_ Use = iota
	UseArchive
	UseIndex
	UseTrain
)

// Uses is indexed by Use.
var Uses = []words.Word{
	0:          {Name: "unknown"},
	UseArchive: {Name: "archive", Meaning: "An archive that the public can read."},
	UseIndex:   {Name: "index", Meaning: "A search index."},
	UseTrain:   {Name: "train", Meaning: "Training AI."},
}

func (u Use) String() string { return words.Name(Uses, u) }

// ParseUse returns the use of a name.
func ParseUse(s string) (Use, bool) {
	u := words.Parse[Use](Uses, s)
	return u, u != 0
}

// boundBy are the rules that bind each use.
//
// An archive that shows copies is what noarchive and nocache were made against;
// noindex speaks of an index, and a copy is none. An index is bound by whatever
// limits what it may show. Training is bound by what speaks of it alone: noimageai
// speaks of images, and binds where the response is one. Some crawlers have more (agentRules).
var boundBy = map[Use][]Rule{
	UseArchive: {RuleNoarchive, RuleNocache, RuleUnavailableAfter},
	UseIndex: {
		RuleNoindex, RuleNosnippet, RuleNoarchive, RuleNocache, RuleNoimageindex, RuleNotranslate,
		RuleMaxSnippet, RuleMaxImagePreview, RuleMaxVideoPreview, RuleUnavailableAfter,
	},
	UseTrain: {RuleNoai, RuleNoimageai, RuleNoml, RuleDisallowTraining},
}

// Kind is the kind of a restriction of the use.
func (u Use) Kind() Kind {
	if u == UseTrain {
		return KindUsage
	}
	return KindPublication
}

// bindsPurpose reports whether a preference for the purpose restricts the use. A
// model is trained on text and data mined, so a reservation of mining binds
// training (Directive (EU) 2019/790, Article 4). It does not bind an index or an
// archive: mining is analysis, not making available.
func (u Use) bindsPurpose(p Purpose) bool {
	switch p {
	case PurposeAutomated:
		return u != 0
	case PurposeSearch:
		return u == UseIndex
	case PurposeTDM, PurposeAI, PurposeTrainAI, PurposeTrainGenAI:
		return u == UseTrain
	}
	return false
}

// Restrictions are the rules of the set that bind the use at a moment: a limit
// that permits all, and a date that has not come, do not.
func (s *Set) Restrictions(u Use, at time.Time) []Rule {
	var list []Rule
	for _, r := range boundBy[u] {
		if s.Has(r) && s.limits(r, at) {
			list = append(list, r)
		}
	}
	if u == UseTrain {
		list = append(list, s.agentRules()...)
	}
	return list
}

// agentRules are the rules that bind training for the crawler of the set alone.
func (s *Set) agentRules() (list []Rule) {
	for _, r := range s.agents {
		if s.Has(r.rule) && !s.Has(r.without) {
			list = append(list, r.rule)
		}
	}
	return list
}

// IsOwn reports whether tags that do not name the crawler of the set mean more for it.
func (s *Set) IsOwn() bool { return s.isFamily || len(s.agentRules()) > 0 }

// Restricts reports whether a tag of the set alone puts a rule into it that takes
// something away at a moment: of several values those that do are the grounds.
func (s *Set) Restricts(t *Tag, r Rule, at time.Time) bool {
	alone := Set{MaxSnippet: -1, MaxVideoPreview: -1, Image: s.Image}
	alone.add(t, 0)
	return alone.Has(r) && alone.limits(r, at)
}

// limits reports whether a rule of the set takes something away at a moment. A
// date that can't be read does not: it is not known when it is.
func (s *Set) limits(r Rule, at time.Time) bool {
	switch r {
	case RuleMaxSnippet:
		return s.MaxSnippet >= 0
	case RuleMaxVideoPreview:
		return s.MaxVideoPreview >= 0
	case RuleMaxImagePreview:
		return s.MaxImagePreview != "large"
	case RuleUnavailableAfter:
		return !s.UnavailableAfter.IsZero() && s.UnavailableAfter.Before(at)
	case RuleNoimageai:
		return s.Image
	}
	return true
}

// Surely reports whether a tag that restricts something at a moment does so without a
// doubt: a date without a zone may be that of another zone than UTC, and one without a
// time of day may mean its end.
func (t *Tag) Surely(at time.Time) bool {
	return t.Rule != RuleUnavailableAfter || t.surely.Before(at)
}

// RestrictingSignals are the signals that bind the use and restrict it. One of a
// wider purpose does not where the same statement allows the nearer one:
// "bots=n, train-ai=y" permits training.
func (u Use) RestrictingSignals(signals []Signal) []Signal {
	var list []Signal
	said := statedFor(u.purpose(), signals)
	for _, s := range signals {
		if s.Preference == PreferenceRestrict && u.bindsPurpose(s.Purpose) && s.Scope != ScopeImages && s.Binds() &&
			!u.lifted(&s, said) {
			list = append(list, s)
		}
	}
	return list
}

// Hints reports whether a signal hints that somebody meant to restrict a use.
func (u Use) Hints(signals []Signal) bool {
	for i := range signals {
		if s := &signals[i]; s.Preference == PreferenceHint && u.bindsPurpose(s.Purpose) && s.isInHead() {
			return true
		}
	}
	return false
}

// lifted reports whether a statement prefers something else for the very use than
// this signal of it for a wider purpose.
func (u Use) lifted(s *Signal, said map[statement]stated) bool {
	return s.speaksOf(u.purpose()) && said[s.statement()].Preference == PreferenceAllow
}

// purpose is the name of the use in signals.
func (u Use) purpose() Purpose {
	switch u {
	case UseIndex:
		return PurposeSearch
	case UseTrain:
		return PurposeTrainAI
	}
	return PurposeAutomated
}
