package tag

import (
	"slices"
	"strings"

	"github.com/dunglas/httpsfv"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// A Signal is a statement on the use of content, in the form that all protocols
// have in common.
type Signal struct {
	Kind       SignalKind
	Source     Source
	Line       int    // from 1: of robots.txt, of the kept header lines or metas; of tdmrep.json the entry
	Group      int    // of robots.txt: the first user-agent line of its group, 0 for none
	Scope      Scope  // its subject
	Path       string // the pattern of ScopePath
	Purpose    Purpose
	Preference Preference
	Label      string // the key as written
	Value      string // the value as written: "n", a URL
	Raw        string // the member as written
	Draft      string // the draft or specification that has the label; empty for unknown ones
	Mode       Mode
	Place      Place // of a meta or link element
	Notes      Notes

	covers purposes // uses that are part of its purpose
}

// Said is the signal as written. In front of a bare value stands the name of its field.
func (s *Signal) Said() string {
	switch s.Kind {
	case SignalContentUsage:
		return "Content-Usage: " + s.Raw
	case SignalContentSignal:
		return "Content-Signal: " + s.Raw
	case SignalTDMReservation, SignalAITraining:
		if s.Source != SourceTDMFile { // whose entries hold the name
			return s.Label + ": " + s.Raw
		}
	}
	return s.Raw
}

// A SignalKind is the protocol that a signal belongs to.
type SignalKind uint8

// The protocols.
const (
	_ SignalKind = iota
	SignalContentUsage
	SignalContentSignal
	SignalLicense
	SignalTDMReservation
	SignalTDMPolicy
	SignalTag
	SignalRSL
	SignalAITraining
	SignalTraining
)

// Protocols is indexed by SignalKind.
var Protocols = []words.Word{
	0:                    {Name: "unknown"},
	SignalContentUsage:   {Name: "content-usage", Meaning: "Content-Usage (AIPREF)."},
	SignalContentSignal:  {Name: "content-signal", Meaning: "Content Signals."},
	SignalLicense:        {Name: "license", Meaning: "A link to a licence (RSL, or rel=license)."},
	SignalTDMReservation: {Name: "tdm-reservation", Meaning: "TDMRep."},
	SignalTDMPolicy:      {Name: "tdm-policy", Meaning: "TDMRep."},
	SignalTag: {
		Name: "robots-tag",
		Meaning: "A page tag that speaks of use: noai, noimageai, noml, DisallowAITraining, AllowAITraining; for " +
			"some crawlers noarchive and nocache, too.",
	},
	SignalRSL: {
		Name:    "rsl",
		Meaning: "A licence document that stands in the page, or that the page or robots.txt names (RSL 1.0).",
	},
	SignalAITraining: {
		Name:    "ai-training",
		Meaning: "DisallowAITraining and AllowAITraining of robots.txt (draft-canel-robots-ai-control-00, expired).",
	},
	SignalTraining: {
		Name:    "disallow-training",
		Meaning: "Disallow-Training of ai.txt and robots.txt, which nothing specifies.",
	},
}

func (k SignalKind) String() string { return words.Name(Protocols, k) }

// A Scope is the subject of a signal.
type Scope uint8

// The scopes.
const (
	_ Scope = iota
	ScopeOrigin
	ScopePath
	ScopePage
	ScopeImages
)

// Scopes is indexed by Scope.
var Scopes = []words.Word{
	0:           {Name: "unknown"},
	ScopeOrigin: {Name: "origin", Meaning: "Everything on the origin."},
	ScopePath:   {Name: "path", Meaning: "The paths that `path` matches."},
	ScopePage:   {Name: "page", Meaning: "The page."},
	ScopeImages: {Name: "images", Meaning: "The images that the page shows, not the page (noimageai)."},
}

func (s Scope) String() string { return words.Name(Scopes, s) }

// A Preference is the statement of a signal on its purpose.
type Preference uint8

// The preferences, by their strength.
const (
	_ Preference = iota
	PreferenceUnstated
	PreferenceHint
	PreferenceAllow
	PreferenceRestrict
)

// Preferences is indexed by Preference.
var Preferences = []words.Word{
	0: {Name: "unknown"},
	PreferenceUnstated: {Name: "unstated", Meaning: "Nothing: a link to a licence, a label of no vocabulary, or a " +
		"permission in a broken form."},
	PreferenceHint: {
		Name: "hint",
		Meaning: "Nothing for certain: the statement breaks its specification, has none, or may be of another " +
			"time. The site may have meant to restrict the use.",
	},
	PreferenceAllow:    {Name: "allow", Meaning: "It is allowed."},
	PreferenceRestrict: {Name: "restrict", Meaning: "It is restricted."},
}

func (p Preference) String() string { return words.Name(Preferences, p) }

// Binds reports whether the signal holds for what it is said of: one that stands
// outside the initial HTML's head, or outside any group, is recorded only, and so is a hint.
func (s *Signal) Binds() bool {
	return s.Preference != PreferenceHint && s.isInHead() && s.Notes&NoteNoGroup == 0
}

// isInHead reports whether the signal stands where signals of a page count; one of a file does.
func (s *Signal) isInHead() bool { return s.Place == 0 || s.Place.InHead() }

// isBroken reports whether the signal breaks the form of its protocol, where it would count.
func (s *Signal) isBroken() bool {
	return s.Kind != SignalTag && s.isInHead() && s.Notes&(NoteMalformed|NoteValue|NoteNoGroup) != 0
}

// Broken returns the first signal that breaks its form, nil for none.
func Broken(list []Signal) *Signal {
	if i := slices.IndexFunc(list, func(s Signal) bool { return s.isBroken() }); i >= 0 {
		return &list[i]
	}
	return nil
}

// weaken marks a signal of a broken form: it is a hint, unless it permits.
func (s *Signal) weaken(why Notes) {
	s.Notes |= why
	switch s.Preference {
	case PreferenceRestrict:
		s.Preference = PreferenceHint
	case PreferenceAllow:
		s.Preference = PreferenceUnstated
	}
}

// hintByValue settles a value that the protocol does not have: it is a hint, unless it plainly permits.
func (s *Signal) hintByValue() {
	s.Notes |= NoteValue
	if s.Purpose != 0 && !permits(s.Value) {
		s.Preference = PreferenceHint
	}
}

// cutKey cuts a member in two at its "=". isForm is false if something else stands in its place.
func cutKey(member string) (key, value string, isForm bool) {
	if key, value, isForm = strings.Cut(member, "="); isForm {
		return trim(key), trim(value), true
	}
	i := strings.IndexAny(member, ": \t")
	if i < 0 {
		return member, "", true
	}
	return trim(member[:i]), trim(strings.TrimLeft(member[i:], ": \t")), false
}

func (s *Signal) isOf(l label) { s.Purpose, s.Draft, s.covers = l.purpose, l.origin, l.covers }

// speaksOf reports whether the signal is about a use, or about one that it is part of.
func (s *Signal) speaksOf(p Purpose) bool { return s.Purpose == p || s.covers.has(p) }

// A statement is what is said at once: a field of a response, however many lines it
// has, or a line of a file. Several are combined, not read as one
// (draft-ietf-aipref-vocab, Combining Preferences).
type statement struct {
	kind   SignalKind
	source Source
	line   int // of a file
}

func (s *Signal) statement() statement {
	if s.Source == SourceHeader {
		return statement{s.Kind, s.Source, 0}
	}
	return statement{s.Kind, s.Source, s.Line}
}

// Prefers joins signals into the preference for a purpose: one that restricts
// wins over those that allow. If a statement does not speak of the purpose, what
// it says of one that the purpose is part of holds; what it says of a nearer one goes before
// that, but lifts no restriction of another statement. That the longer path wins within
// robots.txt and tdmrep.json is decided before.
func Prefers(signals []Signal, purpose Purpose) Preference {
	preference := PreferenceUnstated
	for _, s := range statedFor(purpose, signals) {
		preference = max(preference, s.Preference)
	}
	return preference
}

// SayAlike reports whether two lists have equal preferences for each purpose, and equal licences, wherever they
// stand.
func SayAlike(a, b []Signal) bool {
	for purpose := PurposeAutomated; purpose < PurposeLicense; purpose++ {
		if Prefers(a, purpose) != Prefers(b, purpose) {
			return false
		}
	}
	return slices.Equal(licenses(a), licenses(b))
}

func licenses(list []Signal) (urls []string) {
	for _, s := range list {
		if s.Kind == SignalLicense {
			urls = append(urls, s.Value)
		}
	}
	return urls
}

// A stated is the preference of one statement for a purpose.
type stated struct {
	Preference
	nearest Purpose // that it speaks of, and that the purpose is a part of
}

// statedFor returns what statements prefer for a purpose, of those that say something of it.
func statedFor(purpose Purpose, signals []Signal) map[statement]stated {
	by := make(map[statement]stated)
	for i := range signals {
		s := &signals[i]
		if s.Preference == PreferenceUnstated || !s.speaksOf(purpose) || s.Scope == ScopeImages || !s.Binds() {
			continue
		}
		old := by[s.statement()]
		if s.Purpose > old.nearest || s.Purpose == old.nearest && s.Preference > old.Preference {
			by[s.statement()] = stated{s.Preference, s.Purpose}
		}
	}
	return by
}

// contentUsage reads a line of a Content-Usage value, a Dictionary whose values are the
// Tokens y and n, in lower case (draft-ietf-aipref-attach-05 §2). valid says that the value as a whole
// is one. If it is not, preferences are unknown (draft-ietf-aipref-vocab-08 §6.5.1): they are hints.
func contentUsage(value string, valid bool) (list []Signal) {
	for _, member := range members(value) {
		if member = trim(member); member == "" {
			continue
		}
		s := Signal{Kind: SignalContentUsage, Raw: member, Mode: ModeStructured, Preference: PreferenceUnstated}
		if valid {
			s.readUsage(member)
		} else {
			s.guessUsage(member)
		}
		list = append(list, s)
	}
	return list
}

// endDictionary settles what the members of a Content-Usage Dictionary mean together: all lines of a header
// field, or one line of robots.txt. Of equal keys the last counts (RFC 9651 §3.2). A member that
// could not be read replaces none.
func endDictionary(list []Signal) []Signal {
	isOlder := slices.ContainsFunc(list,
		func(s Signal) bool { return s.Kind == SignalContentUsage && s.Draft != "" && s.Draft != vocab08 })
	for i := range list {
		if s := &list[i]; s.Kind == SignalContentUsage && isOlder && s.Label == "train-ai" {
			// so it was as long as train-genai was a label
			s.covers = of(PurposeTrainGenAI)
		}
	}
	return lastOfKeys(list)
}

// guessUsage reads a member of a value that is no Dictionary.
func (s *Signal) guessUsage(member string) {
	key, value, _ := cutKey(withoutParameters(member))
	key = strings.Trim(key, `"'`)
	s.Label, s.Value = ascii.Lower(key), value
	s.Mode, s.Notes = ModeLegacy, s.Notes|NoteMalformed
	if s.Label != key {
		s.Notes |= NoteCase
	}
	s.isOf(usageLabels[s.Label])
	if s.Purpose != 0 && !permits(strings.Trim(value, `"'`)) {
		s.Preference = PreferenceHint
	}
}

func (s *Signal) readUsage(text string) {
	dict, err := httpsfv.UnmarshalDictionary([]string{text})
	if err != nil || len(dict.Names()) != 1 {
		s.guessUsage(text) // not reached: a member of a Dictionary is one
		return
	}
	s.Label = dict.Names()[0]
	s.isOf(usageLabels[s.Label])
	member, _ := dict.Get(s.Label)
	item, _ := member.(httpsfv.Item)
	token, _ := item.Value.(httpsfv.Token)
	s.Value = string(token)
	switch s.Value {
	case "y":
		s.Preference = PreferenceAllow
	case "n":
		s.Preference = PreferenceRestrict
	default:
		_, s.Value, _ = strings.Cut(withoutParameters(text), "=")
		s.hintByValue()
	}
}

// withoutParameters cuts the parameters from a member of a Dictionary, but not from the items of an inner
// list.
func withoutParameters(member string) string {
	inner := false
	for i := 0; i < len(member); i++ {
		switch c := member[i]; {
		case c == '"':
			i = skipQuoted(member, i)
		case c == '(' || c == ')':
			inner = c == '('
		case c == ';' && !inner:
			return member[:i]
		}
	}
	return member
}

// contentSignals reads a Content-Signal value: "search=yes, ai-train=no". A key
// that is absent states nothing.
func contentSignals(value string) (list []Signal) {
	for value != "" {
		part, rest := cutElement(value)
		semicolon := len(part) < len(value) && value[len(part)] == ';' && trim(rest) != ""
		value = rest
		for part = trim(part); part != ""; {
			pair, rest := cutPair(part)
			s := contentSignal(trim(pair))
			if part = trim(rest); part != "" || semicolon {
				s.Notes |= NoteSeparator
			}
			list = append(list, s)
		}
	}
	return list
}

// cutPair cuts the first "key=value" from a part that may lack commas: "ai-train=no
// ai-input=no".
func cutPair(part string) (pair, rest string) {
	_, value, _ := strings.Cut(part, "=")
	value = strings.TrimLeft(value, spaces)
	if n := strings.IndexAny(value, spaces); n > 0 && strings.IndexByte(value[n:], '=') > 0 {
		n += len(part) - len(value)
		return part[:n], part[n:]
	}
	return part, ""
}

func contentSignal(pair string) Signal {
	key, value, isForm := cutKey(pair)
	label := trim(strings.Trim(key, quotes))
	s := Signal{
		Kind: SignalContentSignal, Label: ascii.Lower(label), Value: trim(strings.Trim(value, quotes)), Raw: pair,
		Mode: ModeLegacy, Preference: PreferenceUnstated,
	}
	if s.Value != value || label != key {
		s.Notes |= NoteQuoted
	}
	s.isOf(signalLabels[s.Label])
	v := ascii.Lower(s.Value)
	switch {
	case s.Purpose == PurposeReuse && reuses[v]:
	case v == "yes" && s.Purpose != PurposeReuse:
		s.Preference = PreferenceAllow
	case v == "no" && s.Purpose != PurposeReuse:
		s.Preference = PreferenceRestrict
	case s.Purpose != 0:
		s.hintByValue()
	}
	if !isForm && s.Purpose != 0 {
		s.weaken(NoteMalformed)
	}
	return s
}

// tdmReservation reads the value of tdm-reservation: 1 or 0. Any other is a hint: nobody knows what "no" denies.
func tdmReservation(value string) []Signal {
	s := Signal{
		Kind: SignalTDMReservation, Label: "tdm-reservation", Value: trim(strings.Trim(trim(value), quotes)), Raw: trim(value),
		Draft: specTDMRep, Mode: ModeLegacy, Purpose: PurposeTDM, Preference: PreferenceUnstated,
	}
	if s.Value != s.Raw {
		s.Notes |= NoteQuoted
	}
	switch s.Value {
	case "1":
		s.Preference = PreferenceRestrict
	case "0":
		s.Preference = PreferenceAllow
	default:
		s.Preference, s.Notes = PreferenceHint, s.Notes|NoteValue
	}
	return []Signal{s}
}

// tdmPolicy reads the value of tdm-policy, a URL. What the policy permits is not
// read: it never lifts the reservation.
func tdmPolicy(value string) []Signal {
	s := Signal{
		Kind: SignalTDMPolicy, Label: "tdm-policy", Value: trim(value), Raw: value, Draft: specTDMRep,
		Mode: ModeLegacy, Purpose: PurposeTDM, Preference: PreferenceUnstated,
	}
	if s.Value == "" {
		s.Notes |= NoteValue
	}
	return []Signal{s}
}

// license is a signal that names a licence. Its URL is recorded, never fetched, so
// that it states no preference.
func license(url, mediaType, raw string) Signal {
	s := Signal{
		Kind: SignalLicense, Label: "license", Value: url, Raw: raw, Draft: relLicense, Mode: ModeLegacy,
		Purpose: PurposeLicense, Preference: PreferenceUnstated,
	}
	if mediaType, _, _ = strings.Cut(mediaType, ";"); ascii.Lower(trim(mediaType)) == "application/rsl+xml" {
		s.Draft = specRSL
	}
	return s
}

// linkLicenses reads the links of a Link field whose relation is license (RFC 8288
// §3).
func linkLicenses(value string) (list []Signal) {
	for _, member := range members(value) {
		member = trim(member)
		url, params, ok := strings.Cut(strings.TrimPrefix(member, "<"), ">")
		if !ok || !strings.HasPrefix(member, "<") {
			continue
		}
		rel, mediaType := "", ""
		for key, v := range linkParams(params) {
			switch { // of several the first counts
			case key == "rel" && rel == "":
				rel = v
			case key == "type" && mediaType == "":
				mediaType = v
			case key == "anchor" && v != "": // it is the licence of something else (RFC 8288 §3.2)
				ok = false
			}
		}
		if ok && hasLicense(rel) {
			list = append(list, license(trim(url), mediaType, member))
		}
	}
	return list
}

// hasLicense reports whether license is among the relations, which white space
// separates.
func hasLicense[T string | []byte](rel T) bool {
	const name = "license"
	for i := 0; i+len(name) <= len(rel); i++ {
		end := i + len(name)
		if ascii.IsWord(rel[i:end], name) && (i == 0 || ascii.IsSpace(rel[i-1])) &&
			(end == len(rel) || ascii.IsSpace(rel[end])) {
			return true
		}
	}
	return false
}

// linkParams yields the parameters of a link, keys in lower case, values without
// their quotation marks.
func linkParams(s string) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		start, open := 0, false
		for i := 0; i <= len(s); i++ {
			if i < len(s) && s[i] == '"' && !open {
				end := skipQuoted(s, i)
				open, i = end == i, end
				continue
			}
			if i < len(s) && s[i] != ';' {
				continue
			}
			key, v, _ := strings.Cut(s[start:i], "=")
			start = i + 1
			if !yield(ascii.Lower(trim(key)), strings.Trim(trim(v), `"`)) {
				return
			}
		}
	}
}
