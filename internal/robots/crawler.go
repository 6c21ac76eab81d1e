package robots

import (
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// This file is how crawlers read robots.txt by parsers of their own. Each is rfc9309 but for a set of choices, in a
// file of its own. scripts/check/readings.py compares them with the parsers.

// A Crawler is software that reads robots.txt in its own way. The zero value is none.
type Crawler struct {
	Profile  Profile
	Software string // as people call it, with its version where that is known: "Wget 1.21.3"
}

// crawlers are the names of software in warcinfo records and User-Agents, each with the first version of a profile and
// the first that is no longer of it.
var crawlers = [...]struct {
	name, people string
	from, to     version
	profile      Profile
}{
	{"heritrix/", "Heritrix ", version{3, 4}, version{3, 10}, Heritrix0},
	{"heritrix/", "Heritrix ", version{3, 10}, version{4}, Heritrix},
	{"browsertrix-crawler ", "Browsertrix ", version{1, 10}, version{2}, Browsertrix},
	{"wget/", "Wget ", version{1}, version{2}, Wget},
	{"crawler-commons ", "crawler-commons ", version{1, 5}, version{2}, Nutch}, // 1.4-SNAPSHOT may be of before
	{"crawler-commons ", "crawler-commons ", version{0, 11}, version{1, 4}, Nutch0},
	{"stormcrawler ", "StormCrawler ", version{3}, version{4}, StormCrawler},
	{"stormcrawler ", "StormCrawler ", version{1, 10}, version{2, 5}, StormCrawler0},
	{"nutch ", "Nutch ", version{1, 20}, version{2}, Nutch},
	{"nutch ", "Nutch ", version{1, 15}, version{1, 20}, Nutch0},
	{"nutch-", "Nutch ", version{1, 20}, version{2}, Nutch},
	{"nutch-", "Nutch ", version{1, 15}, version{1, 20}, Nutch0},
	{"httrack/", "HTTrack ", version{3, 51}, version{4}, HTTrack},
}

type version [2]int

// CrawlerOf returns the crawler that a warcinfo record names as its software, or a User-Agent.
func CrawlerOf(software string) Crawler {
	for _, c := range crawlers {
		before, after, found := strings.Cut(ascii.Lower(software), c.name)
		if !found || before != "" && 'a' <= before[len(before)-1] && before[len(before)-1] <= 'z' {
			continue
		}
		number := strings.TrimRight(after[:len(after)-len(strings.TrimLeft(after, "0123456789."))], ".")
		major, minor, _ := strings.Cut(number, ".")
		minor, _, _ = strings.Cut(minor, ".")
		var v version
		v[0], _ = strconv.Atoi(major)
		v[1], _ = strconv.Atoi(minor)
		if slices.Compare(v[:], c.from[:]) >= 0 && slices.Compare(v[:], c.to[:]) < 0 {
			return Crawler{c.profile, c.people + number}
		}
	}
	return Crawler{}
}

// ReadsUserAgent reports whether the profile looks for groups by the whole User-Agent, not by a token.
func (p Profile) ReadsUserAgent() bool { return p == Heritrix0 || p == Heritrix }

// FollowsRedirects reports whether the crawler follows all redirects of robots.txt, up to a number. Heritrix and
// HTTrack take one for no rules, and StormCrawler has releases that follow none to other hosts.
func (p Profile) FollowsRedirects() bool {
	return !p.ReadsUserAgent() && !p.isStormCrawler() && p != HTTrack
}

func (p Profile) isStormCrawler() bool { return p == StormCrawler0 || p == StormCrawler }

// OnError returns what the crawler may fetch where robots.txt has a status 4xx or 5xx: all or nothing. known is false
// where its settings or its release decide, or it puts off the answer.
func (p Profile) OnError(status int) (allowed, known bool) {
	isCommons := p == Nutch0 || p == Nutch || p.isStormCrawler()
	switch {
	case p == HTTrack: // it reads the body, whatever the status
		return false, false
	case status/100 == 4:
		return true, !isCommons || status != 429
	case isCommons:
		return false, p == StormCrawler
	}
	return true, true
}

// As returns the file as another profile reads it.
func (f *File) As(p Profile) *File { return p.spec().parse(f.body) }

// A difference is one of the choices in which the parser of a crawler differs from RFC 9309.
type difference struct {
	text   string // of the crawler
	revert func(*spec)
}

var crawlerDifferences = [...]difference{
	{"it knows no wildcards", func(s *spec) { s.literal = false }},
	{"an empty rule makes those before it void", func(s *spec) { s.clears = false }},
	{"an empty rule allows everything", func(s *spec) { s.empty = false }},
	{"the first rule that matches decides, not the longest", func(s *spec) { s.first = false }},
	{
		"of rules without a wildcard it tries one alone, the last in the alphabet that is not after the path",
		func(s *spec) { s.floor = false },
	},
	{"it tries what follows the last wildcard where it comes first alone", func(s *spec) { s.leftmost = false }},
	{"it ignores a rule that is a star alone", func(s *spec) { s.cutStar = false }},
	{"it looks for its group by another name", func(s *spec) { s.mode, s.own = ModeExact, nil }},
	{"other lines than rules end a list of user-agent lines", func(s *spec) { s.ends = endsNone }},
	{"it compares rules and paths in another form", func(s *spec) { s.form = normal.RFC9309 }},
	{"it reads the line that its limit goes through", func(s *spec) { s.keepCut = false }},
	{"it reads another share of the file", func(s *spec) { s.limit = ParseLimit }},
	{"it takes a byte order mark for text", func(s *spec) { s.marks = marksRead }},
	{"it knows other white space", func(s *spec) { s.blanks = "" }},
	{"a carriage return ends no line", func(s *spec) { s.lfOnly = false }},
	{"a # begins a comment only after white space", func(s *spec) { s.hashApart = false }},
	{"white space before a colon makes a line void", func(s *spec) { s.tightKey = false }},
	{"white space before a key makes a line void", func(s *spec) { s.flushKey = false }},
	{"it reads misspelt keys, and lines without a colon", func(s *spec) { s.keys = nil }},
	{"a rule for an index page is for its folder, too", func(s *spec) { s.indexPage = indexNone }},
	{"it knows other ends of lines", func(s *spec) { s.newlines = nil }},
	{"it drops what looks like a tag of HTML", func(s *spec) { s.dropTags = tagsRead }},
	{"/robots.txt can be forbidden", func(s *spec) { s.selfAllowed = true }},
	{"control bytes do not make a rule void", func(s *spec) { s.dropControl = true }},
}

// Difference says in which choice a crawler's own parser differs from RFC 9309 so that it answers otherwise: without
// that choice alone it would not. "": no single one. agent is what the parser was asked for, token the product token.
func (f *File) Difference(p Profile, agent, token, path string) string {
	answer := func(s *spec) bool {
		if s.mode == ModeExact {
			return s.parse(f.body).For(token).Match(path).Allowed
		}
		return s.parse(f.body).For(agent).Match(path).Allowed
	}
	own := answer(p.spec())
	for _, d := range crawlerDifferences {
		s := *p.spec()
		if d.revert(&s); answer(&s) != own {
			return d.text
		}
	}
	return ""
}
