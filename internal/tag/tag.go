// Package tag reads what a page says about its own use: Robots-Tag and
// X-Robots-Tag header fields and robots metas (draft-illyes-repext-03), and usage
// signals (AIPREF's Content-Usage, Content-Signal, RSL, TDMRep).
//
// It is pure: no I/O, no logging, no clock.
//
// Ingest keeps what might matter raw, so that it can be judged later for any
// product token without reading the archive again: header lines for which Keep is
// true, and of HTML what package markup finds in the decoded body, or the beginning of it
// (Found.Encode). Version is part of the facts' fingerprint.
//
// A revisit or 304 carries its original's tags; a field of its own replaces the
// original's field of that name (§3.1.4): see Inherit.
//
// Signals of a page come with its headers and metas. The signals of an origin come once
// for a robots.txt and a tdmrep.json, then per path.
//
// What a file or a page does not say, nobody may read as permission or as
// restriction: PreferenceUnstated.
package tag

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Limits: every cap of the package. What meets one is dropped, and a note or a
// field of the result says so.
const (
	// MaxLine is the number of bytes kept of one header line, and read of one
	// field or one meta's content. The draft asks for at least 8 KiB a field
	// (draft-illyes-repext-03 §3.1.1).
	MaxLine = 8 << 10
	// MaxItems is the number of metas, links and scripts kept of one page, and a sixteenth
	// of the tags and signals read of one page.
	MaxItems = 256

	maxTags     = 16 * MaxItems // tags of one page; signals of one page or file
	maxLines    = 1024          // policy header lines of one response
	maxPolicy   = 256 << 10     // bytes of them
	maxTDMFile  = 1 << 20       // bytes of a tdmrep.json
	maxLicence  = 256 << 10     // bytes of a licence document that is a file
	maxTextFile = 512 << 10     // bytes of an ai.txt in which lines are looked for
	nameSlack   = 64            // bytes that a kept header line may be longer than MaxLine
)

// Keep reports whether a response header line with this name and value is kept.
// Of Link fields only those are that speak of a licence (RSL 1.0).
func Keep(name, value []byte) bool {
	for i := range policyFields {
		if f := &policyFields[i]; f.header != nil && ascii.EqualFold(name, f.name) {
			return f.name != "link" || holds(value[:min(len(value), MaxLine)], "license")
		}
	}
	return false
}

// holds reports whether a word of letters, given in lower case, stands anywhere in b.
func holds(b []byte, word string) bool {
	for ; len(b) >= len(word); b = b[1:] {
		if ascii.IsWord(b[:len(word)], word) {
			return true
		}
	}
	return false
}

// A Source is the place of a tag or a signal.
type Source uint8

// The places.
const (
	_                Source = iota
	SourceRobotsTag         // draft-illyes-repext-03 §3.1.1
	SourceXRobotsTag        // §5.3
	SourceMeta              // §3.1.2
	SourceHeader
	SourceLink
	SourceRobotsTxt
	SourceTDMFile
	SourceScript
	SourceLicence
	SourceAITxt
)

// Sources is indexed by Source. Up to SourceMeta tags stand there, and signals at the others.
var Sources = []words.Word{
	0:                {Name: "unknown"},
	SourceRobotsTag:  {Name: "robots-tag", Meaning: "A Robots-Tag header field."},
	SourceXRobotsTag: {Name: "x-robots-tag", Meaning: "An X-Robots-Tag header field."},
	SourceMeta:       {Name: "meta", Meaning: "A meta element."},
	SourceHeader:     {Name: "header", Meaning: "Another header field."},
	SourceLink:       {Name: "link", Meaning: "A link element."},
	SourceRobotsTxt:  {Name: "robots.txt", Meaning: "The robots.txt that governs the fetch."},
	SourceTDMFile:    {Name: "tdmrep.json", Meaning: "The tdmrep.json captured last before the fetch."},
	SourceScript:     {Name: "script", Meaning: "A script element that holds a licence document."},
	SourceLicence: {
		Name: "license",
		Meaning: "A licence document that robots.txt or the page names, as captured at `file_warc_filename`, " +
			"`file_warc_record_offset`.",
	},
	SourceAITxt: {Name: "ai.txt", Meaning: "The ai.txt captured last before the fetch."},
}

func (s Source) String() string { return words.Name(Sources, s) }

// A Mode is the way in which a value was read.
type Mode uint8

// The ways.
const (
	_ Mode = iota
	ModeStructured
	ModeLegacy
	ModeMeta
	ModeXML
)

// Modes is indexed by Mode.
var Modes = []words.Word{
	0:              {Name: "unknown"},
	ModeStructured: {Name: "structured", Meaning: "As a structured field (RFC 9651)."},
	ModeLegacy:     {Name: "legacy", Meaning: "As `bot: rule, rule`."},
	ModeMeta:       {Name: "meta", Meaning: "As the content of a meta element."},
	ModeXML:        {Name: "xml", Meaning: "As a licence document (RSL)."},
}

func (m Mode) String() string { return words.Name(Modes, m) }

// A Tag is one rule that a page states for itself.
type Tag struct {
	Source Source
	Line   int    // from 1: the header line among those kept, or the meta among those kept
	Agent  string // the product token as written; "" for everybody
	Rule   Rule
	Word   string // the rule's word in lower case; what stands there where it is unknown
	Value  string // "50" of "max-snippet:50"
	Raw    string // the member as written
	Mode   Mode
	Place  Place // of a meta
	Notes  Notes

	count  int64     // of a formCount rule; -1 for without limit
	until  time.Time // of a formDate rule
	surely time.Time // when that has passed whatever zone and time of day were meant
	valid  bool      // the value is one that the rule has
}

// Global reports whether the tag is for everybody.
func (t *Tag) Global() bool { return t.Agent == "" }

// Until is the date of unavailable_after, from which the rule binds; ok is false where
// it can't be read. A date without a time of day is its beginning.
func (t *Tag) Until() (date time.Time, ok bool) { return t.until, !t.until.IsZero() }

// Binds reports whether the tag is one of the initial HTML's head or of a header
// field, and not denied: others are recorded only (draft-illyes-repext-03 §4).
func (t *Tag) Binds() bool {
	return (t.Source != SourceMeta || t.Place.InHead()) && t.Notes&NoteFalse == 0
}

// For reports whether the tag is for a product token: its own, that of its family, or everybody's
// (draft-illyes-repext-03 §3.1.1).
func (t *Tag) For(token string) bool {
	return t.Agent == "" || t.names(token) || slices.ContainsFunc(agents.Family(token), t.names)
}

// names reports whether the tag has this very token. A version after a "/" is no part of one.
func (t *Tag) names(token string) bool {
	agent, _, _ := strings.Cut(t.Agent, "/")
	return ascii.Lower(trim(agent)) == ascii.Lower(token)
}

func newTag(word, value string) Tag {
	t := Tag{Rule: findRule(word), Word: ascii.Lower(word), Value: value, valid: true}
	if !isASCII(word) || !isASCII(value) {
		t.Notes |= NoteNonASCII
	}
	switch rules[t.Rule].form {
	case formNone:
		t.valid = value == "" || t.Rule == RuleUnknown
		if t.Rule != RuleUnknown && denies(value) {
			t.Notes |= NoteFalse
		}
	case formCount:
		t.count, t.valid = parseCount(value)
	case formImage:
		v := ascii.Lower(value)
		t.valid = v == "none" || v == "standard" || v == "large"
	case formDate:
		t.setDate(value)
	}
	if !t.valid {
		t.Notes |= NoteValue
	}
	return t
}

// setDate reads the value of a formDate rule.
func (t *Tag) setDate(value string) {
	var zoned bool
	if t.until, zoned, t.valid = parseDate(value); !t.valid {
		return
	}
	t.surely = t.until
	if !zoned {
		t.Notes |= NoteZone
		t.surely = t.surely.Add(westernmost)
	}
	if !hasClock(value) {
		t.surely = t.surely.Add(wholeDay)
	}
}

// denies reports whether the value of a rule that has none says that it does not hold:
// "noindex: false". With any other value it does.
func denies(value string) bool {
	switch ascii.Lower(value) {
	case "0", "?0", "false", "no", "off":
		return true
	}
	return false
}

// permits reports whether the value of a statement on use, in another form than its protocol has, is a plain yes.
func permits(value string) bool {
	switch ascii.Lower(value) {
	case "1", "?1", "true", "y", "yes", "on", "allow":
		return true
	}
	return false
}

// parseCount reads a number that is at least -1. What is larger than any page is
// no limit to it, but stays a number.
func parseCount(s string) (int64, bool) {
	if s == "-1" {
		return -1, true
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 64)
	return int64(min(n, 1<<53)), err == nil || n > 0 // of what is larger still, n is the greatest
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
