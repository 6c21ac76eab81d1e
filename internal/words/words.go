// Package words is the registry of what verdicts are made of: each verdict, reason, note, class of certainty,
// outcome and kind of issue stands here once, with all that is said of it. Reports, explanations, the schema and
// the tables of docs/SEMANTICS.md are made of it.
//
// It is pure data, and knows no other package.
package words

import (
	"slices"
	"strings"
)

// A Word is a value of a column of the tables, with what is said of it. Texts are Markdown.
type Word struct {
	Name    string // as in the tables
	Meaning string // one sentence or two
	More    string // what the schema adds
	Section string // the heading of its section in Document; "" where none mentions it
	Effect  Effect
	Settle  string // what would settle a doubt, or decide what is unknown
	But     string // of a note that keeps a finding from being a violation: how a sentence that accuses goes on
}

// Effect is what a reason makes of a verdict, and what a note means for the class of a disallowed fetch
// ("The four classes").
type Effect uint8

// The effects.
const (
	NoEffect       Effect = iota
	GivesAllowed          // of a reason
	GivesForbids          // of a reason: disallowed
	GivesEither           // of a reason: allowed or disallowed
	GivesUnknown          // of a reason
	Doubt                 // of a note: probable at most
	Unproven              // possible at most
	AllowingCopy          // contested: a copy that the crawler may have used, or the site itself, allows the fetch
	OpenReading           // contested: a reading that the specifications leave open allows it
	FetchesMissing        // of a kind of issue: bytes could not be read, so that fetches may be missing
)

func (e Effect) String() string {
	return [...]string{
		GivesAllowed: "allowed", GivesForbids: "disallowed", GivesEither: "allowed or disallowed",
		GivesUnknown: "unknown",
		Doubt:        "probable at most", Unproven: "possible at most", AllowingCopy: "contested",
		OpenReading:    "contested",
		FetchesMissing: "fetches may be missing",
	}[e]
}

// Document returns the file in docs that has a section.
func Document(section string) string {
	switch section {
	case "Indexes and lists", "Verified records", "Tables of robots.txt", "Access logs":
		return "FORMATS.md"
	case "Names among other words":
		return "crawlers.md"
	case "What-if and as-of":
		return "SCHEMA.md"
	}
	return "SEMANTICS.md"
}

// Name returns the name of one of a list of words; that of the first for what the list does not have.
func Name[T ~uint8](list []Word, v T) string {
	if int(v) < len(list) {
		return list[v].Name
	}
	return list[0].Name
}

// Parse is the opposite of Name; 0 for a name that the list does not have.
func Parse[T ~uint8](list []Word, name string) T {
	return T(max(0, slices.IndexFunc(list, func(w Word) bool { return w.Name == name })))
}

// Names lists the names of the words in a set, a bit each.
func Names[T ~uint8 | ~uint32 | ~uint64](list []Word, set T) (names []string) {
	for i := range list {
		if set>>i&1 != 0 {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// ParseNames is the opposite of Names. It leaves out names that the list does not have.
func ParseNames[T ~uint8 | ~uint32 | ~uint64](list []Word, names []string) (set T) {
	for i := range list {
		if slices.Contains(names, list[i].Name) {
			set |= 1 << i
		}
	}
	return set
}

// Find returns the word of a name; an empty one if the list has none.
func Find(list []Word, name string) Word {
	for i := range list {
		if list[i].Name == name {
			return list[i]
		}
	}
	return Word{}
}

// Brief is the first clause of a meaning, to stand within a line.
func (w Word) Brief() string {
	s := strings.TrimSuffix(w.Meaning, ".")
	for _, end := range [...]string{" (", ": ", "; ", ". "} {
		s, _, _ = strings.Cut(s, end)
	}
	if s == "" {
		return ""
	}
	return strings.ToLower(s[:1]) + s[1:]
}
