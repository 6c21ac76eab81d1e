// Package robots reads robots.txt files and decides, for a product token and
// a path, whether the file allows the fetch, by which rule and why.
//
// It is pure: bytes in, facts out. It knows no file, no clock and no network,
// and nothing it is given makes it fail, for RFC 9309 §2.3.1.5 salvages every
// line that can be read.
//
// One parser and one matcher serve all profiles. The profiles differ only
// in a table, specs, below.
//
//	file := robots.Parse(body, robots.RFC9309)
//	group := file.For("ExampleBot")       // compiled once
//	decision := group.Match("/path?q=1")  // allocates nothing
//	notes := file.Notes()                 // what another reading may turn on
package robots

import (
	"fmt"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// A Profile is a reading of the Robots Exclusion Protocol. The zero value is
// unknown and reads as RFC9309.
type Profile uint8

const (
	_       Profile = iota
	RFC9309         // RFC 9309, and draft-koster-rep-12, which differs from it in words alone
	REP08           // draft-koster-rep-08
	Google          // Google's published parser and matcher

	Heritrix0   // the parsers of crawlers, which Crawlers describes
	Heritrix    //
	Browsertrix //
	Wget        //
	Nutch0      //
	Nutch       //
	StormCrawler0
	StormCrawler
	HTTrack
)

// Profiles lists the profiles by which files are audited.
var Profiles = [...]Profile{RFC9309, REP08, Google}

// profiles are the names of the profiles, and what each reads robots.txt as.
var profiles = [...]struct{ name, source string }{
	{name: "unknown"},
	RFC9309: {"rfc9309", "RFC 9309"},
	REP08:   {"rep-08", "draft-koster-rep-08"},
	Google:  {"google", "Google's published parser and matcher"},

	Heritrix0:     {"heritrix-3.9", "Heritrix before 3.10.0"},
	Heritrix:      {"heritrix", "Heritrix from 3.10.0"},
	Browsertrix:   {"browsertrix", "Browsertrix from 1.10 with --useRobots"},
	Wget:          {"wget", "GNU Wget"},
	Nutch0:        {"nutch-1.19", "Nutch 1.15 to 1.19 (crawler-commons before 1.4)"},
	Nutch:         {"nutch", "Nutch from 1.20 (crawler-commons from 1.4)"},
	StormCrawler0: {"stormcrawler-2", "StormCrawler 1.10 to 2.4 (crawler-commons before 1.4)"},
	StormCrawler:  {"stormcrawler", "StormCrawler from 3.0 (crawler-commons from 1.4)"},
	HTTrack:       {"httrack", "HTTrack from 3.50.3"},
}

func (p Profile) String() string {
	if int(p) < len(profiles) {
		return profiles[p].name
	}
	return profiles[0].name
}

// Source is what the profile reads robots.txt as: a text, or a program.
func (p Profile) Source() string { return profiles[p].source }

// profileNames lists the names of the profiles, for people.
func profileNames() string {
	var names []string
	for _, p := range Profiles {
		names = append(names, p.String())
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// ParseProfile returns the profile that s names. "rep-12" is another name of
// "rfc9309": between that draft and the RFC no sentence changed a verdict.
func ParseProfile(s string) (Profile, error) {
	if s == "rep-12" {
		return RFC9309, nil
	}
	for _, p := range Profiles {
		if s == p.String() {
			return p, nil
		}
	}
	return 0, fmt.Errorf("unknown profile %q: use %s", s, profileNames())
}

// ParseLimit is how many bytes of a body are parsed where the profile has a
// limit: the 500 kibibytes of RFC 9309 §2.5.
const ParseLimit = 512_000

// A spec holds the choices of one profile where the profiles differ.
type spec struct {
	// limit is how many bytes are parsed; 0 is all of them.
	limit int
	// lineLimit is how many bytes of a line are kept; 0 is all of them.
	lineLimit int
	// mode is how a token finds its groups; 0: in the crawler's own way, own.
	mode Mode
	own  nameMatcher

	// firstGlobal: of several `*` groups only the first governs.
	// draft-koster-rep-08 §2.2.1; RFC 9309 §2.2.1 combines them.
	firstGlobal bool
	// leniency is which keys are read as meant.
	leniency leniency
	// dropControl: a rule with a control byte is no rule. RFC 9309 §3.
	dropControl bool
	// selfAllowed: /robots.txt is implicitly allowed. RFC 9309 §2.2.2.
	selfAllowed bool
	// indexPage is which rules for an index page, as in `Allow: /x/index.html`, speak of its folder, `/x/`, too.
	indexPage indexPage
	// usageRules: a Content-Usage line ends the list of user-agent lines.
	usageRules bool
	// form is what is made of patterns and paths before they are compared.
	form normal.Form
	// cString: NUL ends a line.
	cString bool
	// marks is what becomes of a byte order mark.
	marks marks
	// blanks are what is trimmed off keys and values; "" is the white space of the grammar, WS.
	blanks string

	crawlerSpec
}

// A crawlerSpec holds the choices of the parsers of crawlers alone (crawler.go).
type crawlerSpec struct {
	lfOnly bool // CR ends no line
	// newlines are what ends a line besides CR and LF, each followed by "\n", which it is read as.
	newlines []string
	// keys are the spellings of the keys of rules, in place of the grammar's; white space may stand for the colon.
	keys      []spelling
	hashApart bool // "#" begins a comment only at the start of a line, or after white space
	tightKey  bool // no white space stands before the colon
	flushKey  bool // nor before the key
	dropTags  tags // tags of HTML are no text
	keepCut   bool // the line that the limit goes through is read
	ends      ends // what ends a list of user-agent lines, besides a rule
	cutStar   bool // one final star of a pattern is cut
	literal   bool // "*" and "$" are characters like any other
	first     bool // the first rule that matches decides
	empty     bool // an empty rule allows everything
	clears    bool // an empty rule drops the rules before it in its group
	floor     bool // of rules without a "*", the last in the alphabet at or before the path alone is tried
	leftmost  bool // what follows the last "*" is tried where it comes first alone
}

// A spelling is one of a key, in lower case.
type spelling struct {
	text string
	key  key
}

// tags is which files are read without what looks like a tag of HTML.
type tags uint8

const (
	tagsRead tags = iota // none
	tagsHTML             // those with a tag <html>, <head> or <body>
	tagsNone             // all
)

// indexPage is which rules for an index page speak of its folder, too.
type indexPage uint8

const (
	indexNone    indexPage = iota
	indexGoogle            // Allow, of what begins with /index.htm after the last slash
	indexCommons           // all of what ends in index.htm or index.html
)

// ends is what ends a list of user-agent lines, besides a rule.
type ends uint8

const (
	endsNone  ends = iota
	endsDelay      // a Crawl-delay
	endsAny        // any line with a key
	endsText       // any line with text, but for those whose key says that it is another's
)

// marks is what becomes of a byte order mark.
type marks uint8

const (
	marksRead  marks = iota // it is skipped, and a UTF-16 body is transcoded
	marksBytes              // its leading bytes are skipped, even where it is incomplete, as in Google's code
	marksUTF8               // that of UTF-8 is skipped
	marksText               // it is text
)

// A leniency is which keys are read as meant. Each reads all that the one before
// it reads.
type leniency uint8

const (
	readExact    leniency = iota // keys of the grammar, followed by a colon
	readTypos                    // keys in typos too, and keys whose colon is missing
	readPrefixes                 // those too that only begin like a record's name
)

var rfc9309 = spec{
	limit:       ParseLimit,
	mode:        ModeExact,
	dropControl: true,
	selfAllowed: true,
	form:        normal.RFC9309,
}

var specs = [...]spec{
	0:       rfc9309,
	RFC9309: rfc9309,
	REP08: {
		mode:        ModeExact,
		firstGlobal: true,
		leniency:    readTypos,
		selfAllowed: true,
		form:        normal.RFC9309,
	},
	Google: {
		lineLimit: googleLineLimit,
		mode:      ModeGoogle,
		leniency:  readPrefixes,
		indexPage: indexGoogle,
		cString:   true,
		marks:     marksBytes,
		blanks:    cBlanks,
	},
	Heritrix0:     heritrix(crawlerSpec{literal: true}),
	Heritrix:      heritrix(crawlerSpec{leftmost: true}),
	Browsertrix:   browsertrix,
	Wget:          wget,
	Nutch0:        commons0,
	Nutch:         commons,
	StormCrawler0: commons0,
	StormCrawler:  commons,
	HTTrack:       httrack,
}

// cBlanks is the white space of C.
const cBlanks = " \t\n\v\f\r"

// googleLineLimit is how many bytes of a line Google's parser keeps: eight
// times the longest URL of a once common browser, less the final NUL.
const googleLineLimit = 8*2083 - 1

// AllowsItself reports whether /robots.txt is implicitly allowed (RFC 9309 §2.2.2).
func (p Profile) AllowsItself() bool { return p.spec().selfAllowed }

// Mode is how a token finds its groups.
func (p Profile) Mode() Mode { return p.spec().mode }

func (p Profile) spec() *spec {
	if int(p) < len(specs) {
		return &specs[p]
	}
	return &specs[0]
}
