package tag

import (
	"slices"
	"strings"

	"github.com/dunglas/httpsfv"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// A Signal is a statement on the use of content, in the form that all protocols
// have in common.
type Signal struct {
	Kind       SignalKind
	Source     Source
	Line       int    // from 1: of robots.txt, of the kept header lines or metas; of tdmrep.json the entry
	Group      int    // of robots.txt: the first user-agent line of its group, 0 for none
	Scope      Scope  // what it is said of
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
}

// A SignalKind is the protocol that a signal belongs to.
type SignalKind uint8

const (
	_                    SignalKind = iota
	SignalContentUsage              // AIPREF (draft-ietf-aipref-attach)
	SignalContentSignal             // Content Signals
	SignalLicense                   // a licence link: RSL 1.0, or rel=license alone
	SignalTDMReservation            // TDMRep's tdm-reservation
	SignalTDMPolicy                 // TDMRep's tdm-policy
	SignalTag                       // noai or noimageai of a page tag
)

func (k SignalKind) String() string {
	return name(k, "unknown", "content-usage", "content-signal", "license", "tdm-reservation", "tdm-policy", "robots-tag")
}

// A Scope is what a signal is said of.
type Scope uint8

const (
	_           Scope = iota
	ScopeOrigin       // everything on the origin
	ScopePath         // the paths that a pattern matches
	ScopePage         // one response
	ScopeImages       // the images that a page shows, not the page
)

func (s Scope) String() string { return name(s, "unknown", "origin", "path", "page", "images") }

// A Preference is what a signal says of its purpose.
type Preference uint8

const (
	_                  Preference = iota
	PreferenceUnstated            // nothing: a value that is none, or a licence that was not read
	PreferenceAllow
	PreferenceRestrict
)

func (p Preference) String() string { return name(p, "unknown", "unstated", "allow", "restrict") }

// Binds reports whether the signal holds for what it is said of: one that stands
// outside the initial HTML's head, or outside any group, is recorded only.
func (s *Signal) Binds() bool {
	return (s.Place == 0 || s.Place.MayBind()) && s.Notes&NoteNoGroup == 0
}

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
// wins over those that allow. Where a statement does not speak of the purpose, what
// it says of the wider one holds; what it says of a nearer one goes before that,
// but lifts no restriction of another statement. That the longer path wins within
// robots.txt and tdmrep.json is decided before.
func Prefers(signals []Signal, purpose Purpose) Preference {
	preference := PreferenceUnstated
	for _, s := range statedFor(purpose, signals) {
		preference = max(preference, s.Preference)
	}
	return preference
}

// SayAlike reports whether two lists come to the same, wherever they say it: the
// preference for each purpose, and the licences.
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

// A stated is what one statement prefers for a purpose.
type stated struct {
	Preference
	wider int // by how many steps the purpose is wider that it speaks of
}

// statedFor returns what statements prefer for a purpose, of those that say something of it.
func statedFor(purpose Purpose, signals []Signal) map[statement]stated {
	by := make(map[statement]stated)
	for i := range signals {
		s := &signals[i]
		if s.Preference <= PreferenceUnstated || s.Scope == ScopeImages || !s.Binds() {
			continue
		}
		said := stated{s.Preference, 0}
		p := purpose
		for p != 0 && p != s.Purpose {
			p = p.parent()
			said.wider++
		}
		if p == 0 {
			continue
		}
		old, known := by[s.statement()]
		if !known || said.wider < old.wider || said.wider == old.wider && said.Preference > old.Preference {
			by[s.statement()] = said
		}
	}
	return by
}

// contentUsage reads a Content-Usage value, a Dictionary whose values are the
// Tokens y and n, in lower case (draft-ietf-aipref-attach-05 §2).
func contentUsage(value string, r Reading) (list []Signal) {
	for _, member := range members(value) {
		if member = trim(member); member == "" {
			continue
		}
		text := member
		if r == Lenient {
			text = lowerFirstKey(member)
		}
		s := Signal{Kind: SignalContentUsage, Raw: member, Mode: ModeStructured, Preference: PreferenceUnstated}
		if text != member {
			s.Notes |= NoteCase
		}
		s.readUsage(text)
		list = append(list, s)
	}
	return list
}

func (s *Signal) readUsage(text string) {
	dict, err := httpsfv.UnmarshalDictionary([]string{text})
	if err != nil || len(dict.Names()) != 1 {
		s.Label, s.Value, _ = strings.Cut(text, "=")
		s.Mode, s.Notes = ModeLegacy, s.Notes|NoteMalformed
		return
	}
	s.Label = dict.Names()[0]
	l := usageLabels[s.Label]
	s.Purpose, s.Draft = l.purpose, l.origin
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
		s.Notes |= NoteValue
	}
}

// withoutParameters cuts the parameters from a member of a Dictionary, not those of the items of an
// inner list.
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

func lowerFirstKey(member string) string {
	key, rest, found := strings.Cut(member, "=")
	if !found {
		return ascii.Lower(member)
	}
	return ascii.Lower(key) + "=" + rest
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
	value = strings.TrimLeft(value, " \t")
	if n := strings.IndexAny(value, " \t"); n > 0 && strings.IndexByte(value[n:], '=') > 0 {
		n += len(part) - len(value)
		return part[:n], part[n:]
	}
	return part, ""
}

func contentSignal(pair string) Signal {
	key, value, _ := strings.Cut(pair, "=")
	key, value = trim(key), trim(value)
	label := trim(strings.Trim(key, `"'`))
	s := Signal{Kind: SignalContentSignal, Label: ascii.Lower(label), Value: strings.Trim(value, `"'`), Raw: pair,
		Mode: ModeLegacy, Preference: PreferenceUnstated}
	if s.Value != value || label != key {
		s.Notes |= NoteQuoted
	}
	l := signalLabels[s.Label]
	s.Purpose, s.Draft = l.purpose, l.origin
	switch ascii.Lower(s.Value) {
	case "yes":
		s.Preference = PreferenceAllow
	case "no":
		s.Preference = PreferenceRestrict
	default:
		if s.Purpose != 0 {
			s.Notes |= NoteValue
		}
	}
	return s
}

// tdmReservations reads a TDM-Reservation field: several values with commas between them
// are those of several lines, joined on the way (RFC 9110 §5.3).
func tdmReservations(value string) (list []Signal) {
	for part := range strings.SplitSeq(value, ",") {
		list = append(list, tdmReservation(part)...)
	}
	return list
}

// tdmReservation reads the value of tdm-reservation: 1 or 0.
func tdmReservation(value string) []Signal {
	s := Signal{Kind: SignalTDMReservation, Label: "tdm-reservation", Value: strings.Trim(trim(value), `"'`), Raw: trim(value),
		Draft: specTDMRep, Mode: ModeLegacy, Purpose: PurposeTDM, Preference: PreferenceUnstated}
	if s.Value != s.Raw {
		s.Notes |= NoteQuoted
	}
	switch s.Value {
	case "1":
		s.Preference = PreferenceRestrict
	case "0":
		s.Preference = PreferenceAllow
	default:
		s.Notes |= NoteValue
	}
	return []Signal{s}
}

// tdmPolicy reads the value of tdm-policy, a URL. What the policy permits is not
// read: it never lifts the reservation.
func tdmPolicy(value string) []Signal {
	s := Signal{Kind: SignalTDMPolicy, Label: "tdm-policy", Value: trim(value), Raw: value, Draft: specTDMRep,
		Mode: ModeLegacy, Purpose: PurposeTDM, Preference: PreferenceUnstated}
	if s.Value == "" {
		s.Notes |= NoteValue
	}
	return []Signal{s}
}

// license is a signal that names a licence. Its URL is recorded, never fetched, so
// that it states no preference.
func license(url, mediaType, raw string) Signal {
	s := Signal{Kind: SignalLicense, Label: "license", Value: url, Raw: raw, Draft: relLicense, Mode: ModeLegacy,
		Purpose: PurposeLicense, Preference: PreferenceUnstated}
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
			}
		}
		if hasLicense(rel) {
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
		if isWord(rel[i:end], name) && (i == 0 || isSpace(rel[i-1])) && (end == len(rel) || isSpace(rel[end])) {
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

// TagSignals are the page tags that speak of use, noai and noimageai, as signals
// for a token: they restrict training as well as input. What noimageai says of images
// is said of the response where that is one.
func TagSignals(tags []Tag, token string, image bool) (list []Signal) {
	for i := range tags {
		t := &tags[i]
		if rules[t.Rule].kind != KindUsage || !t.Binds() || !t.For(token) {
			continue
		}
		scope := ScopePage
		if t.Rule == RuleNoimageai && !image {
			scope = ScopeImages
		}
		for _, p := range [...]Purpose{PurposeTrainAI, PurposeAIInput} {
			list = append(list, Signal{Kind: SignalTag, Source: t.Source, Line: t.Line, Scope: scope, Purpose: p,
				Preference: PreferenceRestrict, Label: t.Word, Value: t.Value, Raw: t.Raw, Draft: t.Rule.Origin(), Mode: t.Mode,
				Place: t.Place, Notes: t.Notes})
		}
	}
	return list
}
