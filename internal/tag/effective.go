package tag

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// A Set is the tags of a page that are in effect for one product token. Of two rules that
// contradict each other it holds the one that binds.
type Set struct {
	rules uint32 // a bit a Rule; all and none are expanded

	// The most restrictive value of each rule that has one, where Has says that
	// the rule is there.
	MaxSnippet       int64 // -1: without limit
	MaxVideoPreview  int64
	MaxImagePreview  string    // none, standard or large
	UnavailableAfter time.Time // zero: no date that can be read

	// Image says that the response is an image, and no page that may hold some: what
	// is said of images is then said of it. Whoever knows sets it.
	Image bool

	agents   []agentRule // more rules that bind training
	isFamily bool        // a tag names the family of the crawler

	Unknown   []string  // unknown words, in order, each once
	Tags      []int     // the tags that have a say, by their place in the argument
	Conflicts Conflicts // contradictions; the rule that restricts less is not in the set
}

// Conflicts are contradictions between the tags that apply to a token.
type Conflicts uint8

// The contradictions.
const (
	ConflictIndex Conflicts = 1 << iota
	ConflictFollow
	ConflictArchive
	ConflictCache
	ConflictSnippet
	ConflictValues
	ConflictTraining
)

// Contradictions has the words of Conflicts, in the order of their bits.
var Contradictions = []words.Word{
	{Name: "index", Meaning: "With noindex."},
	{Name: "follow", Meaning: "With nofollow."},
	{Name: "archive", Meaning: "With noarchive."},
	{Name: "cache", Meaning: "noarchive and nocache, which both bind."},
	{Name: "snippet", Meaning: "nosnippet with a max-snippet that permits one."},
	{Name: "values", Meaning: "One rule with two values."},
	{Name: "training", Meaning: "AllowAITraining with DisallowAITraining."},
}

// String is the names of the conflicts, with a comma between them.
func (c Conflicts) String() string { return strings.Join(words.Names(Contradictions, c), ",") }

// Effective is the union of the rules that are for a token: its own and
// everybody's (draft-illyes-repext-03 §3.1.1, §3.1.2). That is the opposite of
// robots.txt, where a token's own group replaces the others: no tag opts out of a
// restriction. An empty token is that of a crawler without a name.
func Effective(tags []Tag, token string) Set {
	s := Set{MaxSnippet: -1, MaxVideoPreview: -1, agents: rulesOf(token)}
	for i := range tags {
		if t := &tags[i]; t.Binds() && t.For(token) {
			s.add(t, i)
			s.isFamily = s.isFamily || t.Agent != "" && !t.names(token)
		}
	}
	s.settle()
	return s
}

func (s *Set) add(t *Tag, i int) {
	switch t.Rule {
	case RuleUnknown:
		if !slices.Contains(s.Unknown, t.Word) && len(s.Unknown) < MaxItems {
			s.Unknown = append(s.Unknown, t.Word)
		}
	case RuleMaxSnippet:
		s.limit(t, &s.MaxSnippet)
	case RuleMaxVideoPreview:
		s.limit(t, &s.MaxVideoPreview)
	case RuleMaxImagePreview:
		s.image(t)
	case RuleUnavailableAfter:
		s.date(t)
	case RuleAll:
		s.set(RuleIndex)
		s.set(RuleFollow)
	case RuleNone:
		s.set(RuleNoindex)
		s.set(RuleNofollow)
	default:
		s.set(t.Rule)
	}
	s.Tags = append(s.Tags, i)
}

func (s *Set) set(r Rule) { s.rules |= 1 << r }

// Has reports whether a rule is in the set. It never is for all and none, which
// stand for others.
func (s *Set) Has(r Rule) bool { return s.rules&(1<<r) != 0 }

// Rules are the rules of the set, in the order of the vocabulary.
func (s *Set) Rules() []Rule {
	var list []Rule
	for left := s.rules; left != 0; left &= left - 1 {
		list = append(list, Rule(bits.TrailingZeros32(left)))
	}
	return list
}

// limit lowers a count to that of the tag. A value that can't be read is none.
func (s *Set) limit(t *Tag, to *int64) {
	if !t.valid {
		return
	}
	if s.Has(t.Rule) && *to != t.count {
		s.Conflicts |= ConflictValues
	}
	if !s.Has(t.Rule) || *to < 0 || t.count >= 0 && t.count < *to {
		*to = t.count
	}
	s.set(t.Rule)
}

func (s *Set) image(t *Tag) {
	if !t.valid {
		return
	}
	v := ascii.Lower(t.Value)
	if s.Has(t.Rule) && s.MaxImagePreview != v {
		s.Conflicts |= ConflictValues
	}
	sizes := []string{"none", "standard", "large"}
	if !s.Has(t.Rule) || slices.Index(sizes, v) < slices.Index(sizes, s.MaxImagePreview) {
		s.MaxImagePreview = v
	}
	s.set(t.Rule)
}

// date takes the earliest date. The rule is in the set even where its date can't
// be read: from when on is then unknown.
func (s *Set) date(t *Tag) {
	if date, ok := t.Until(); ok {
		if !s.UnavailableAfter.IsZero() && !s.UnavailableAfter.Equal(date) {
			s.Conflicts |= ConflictValues
		}
		if s.UnavailableAfter.IsZero() || date.Before(s.UnavailableAfter) {
			s.UnavailableAfter = date
		}
	}
	s.set(t.Rule)
}

// overrules are the pairs of rules that contradict each other: the first binds, the
// second is what it overrules.
var overrules = [...]struct {
	binds, lifted Rule
	conflict      Conflicts
}{
	{RuleNoindex, RuleIndex, ConflictIndex},
	{RuleNofollow, RuleFollow, ConflictFollow},
	{RuleNoarchive, RuleArchive, ConflictArchive},
	{RuleNocache, RuleArchive, ConflictArchive},
	{RuleNosnippet, RuleMaxSnippet, ConflictSnippet},
	{RuleDisallowTraining, RuleAllowTraining, ConflictTraining},
}

// settle finds the contradictions, and leaves of each the rule that binds. Noarchive
// and nocache both do.
func (s *Set) settle() {
	lifted := uint32(0)
	for _, o := range overrules {
		if s.Has(o.binds) && s.Has(o.lifted) && (o.lifted != RuleMaxSnippet || s.MaxSnippet != 0) {
			s.Conflicts |= o.conflict
			lifted |= 1 << o.lifted
		}
	}
	s.rules &^= lifted
	if s.Has(RuleNoarchive) && s.Has(RuleNocache) {
		s.Conflicts |= ConflictCache
	}
}

// String writes the set as a tag would: "noindex, nofollow, max-snippet:50".
func (s *Set) String() string {
	var list []string
	for _, r := range s.Rules() {
		list = append(list, r.String()+s.value(r))
	}
	return strings.Join(append(list, s.Unknown...), ", ")
}

// value is ":" and the value of a rule that has one.
func (s *Set) value(r Rule) string {
	switch {
	case r == RuleMaxSnippet:
		return ":" + strconv.FormatInt(s.MaxSnippet, 10)
	case r == RuleMaxVideoPreview:
		return ":" + strconv.FormatInt(s.MaxVideoPreview, 10)
	case r == RuleMaxImagePreview:
		return ":" + s.MaxImagePreview
	case r == RuleUnavailableAfter && !s.UnavailableAfter.IsZero():
		return ": " + s.UnavailableAfter.Format(time.RFC3339)
	}
	return ""
}

// TagSignals are the page tags that speak of use as signals for a token. noai and noimageai restrict
// training as well as input. What noimageai says of images is said of the response where that is one.
func TagSignals(tags []Tag, token string, image bool) (list []Signal) {
	byAgent := slices.DeleteFunc(rulesOf(token), func(r agentRule) bool {
		return r.without != RuleUnknown &&
			slices.ContainsFunc(tags, func(t Tag) bool { return t.Rule == r.without && t.Binds() && t.For(token) })
	})
	for i := range tags {
		t := &tags[i]
		if !t.Binds() || !t.For(token) {
			continue
		}
		add := func(scope Scope, says Preference, origin string, purposes ...Purpose) {
			for _, p := range purposes {
				list = append(list, Signal{
					Kind: SignalTag, Source: t.Source, Line: t.Line, Scope: scope, Purpose: p, Preference: says,
					Label: t.Word, Value: t.Value, Raw: t.Raw, Draft: origin, Mode: t.Mode, Place: t.Place,
					Notes: t.Notes,
				})
			}
		}
		scope, says := ScopePage, PreferenceAllow
		if t.Rule.Restricts() {
			says = PreferenceRestrict
		}
		if t.Rule == RuleNoimageai && !image {
			scope = ScopeImages
		}
		add(scope, says, t.Rule.Origin(), usesOf[t.Rule]...)
		for _, r := range byAgent {
			if r.rule == t.Rule {
				add(ScopePage, PreferenceRestrict, r.origin, r.purposes...)
			}
		}
	}
	return list
}

func rulesOf(token string) (list []agentRule) {
	for _, r := range agentRules {
		if slices.ContainsFunc(r.agents, func(a string) bool { return strings.EqualFold(a, token) }) {
			list = append(list, r)
		}
	}
	return list
}

// HasOwnRules reports whether a tag that does not name a crawler may mean more to it: its operator documents so, or
// it obeys the name of a family.
func HasOwnRules(token string) bool { return len(rulesOf(token)) > 0 || len(agents.Family(token)) > 0 }
