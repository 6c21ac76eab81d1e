package robots

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// This file is how crawlers read robots.txt by parsers of their own. Each is rfc9309 but for a set of choices: see
// specs. scripts/check/readings.py compares them with the parsers.

// Crawlers lists the profiles that are the parsers of crawlers.
var Crawlers = [...]Profile{
	Heritrix0, Heritrix, Browsertrix, Wget, Nutch0, Nutch, StormCrawler0, StormCrawler, Scrapy0, Scrapy, Urllib0,
	Urllib, HTTrack0, HTTrack, Brozzler,
}

// A Crawler is software that reads robots.txt in its own way. The zero value is none.
type Crawler struct {
	Profile  Profile
	Software string // as people call it, with its version where that is known: "Wget 1.21.3"
}

// crawlers are the names of software in warcinfo records and User-Agents, each with the first version of a profile and
// the first that is no longer of it. What has no name here is no word of an archive: its flag is not recorded.
var crawlers = [...]struct {
	name, people string
	from, to     version
	profile      Profile
}{
	{"heritrix/", "Heritrix ", version{3, 4}, version{3, 10}, Heritrix0},
	{"heritrix/", "Heritrix ", version{3, 10}, version{4}, Heritrix},
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

// ParseCrawler returns the crawler whose profile has a name.
func ParseCrawler(name string) (Crawler, error) {
	var names []string
	for _, p := range Crawlers {
		if p.String() == name {
			return Crawler{p, p.Source()}, nil
		}
		names = append(names, p.String())
	}
	return Crawler{}, fmt.Errorf("unknown crawler %q: use auto, none, %s", name, strings.Join(names, ", "))
}

// ReadsUserAgent reports whether the profile looks for groups by the whole User-Agent, not by a token.
func (p Profile) ReadsUserAgent() bool {
	return p.spec().mode == modeListed || p.isScrapy() || p == Brozzler
}

func (p Profile) isScrapy() bool { return p == Scrapy0 || p == Scrapy }

func (p Profile) isHTTrack() bool { return p == HTTrack0 || p == HTTrack }

// FollowsRedirects reports whether the crawler follows all redirects of robots.txt, up to a number. Heritrix and
// HTTrack take one for no rules, and StormCrawler has releases that follow none to other hosts.
func (p Profile) FollowsRedirects() bool {
	return p.spec().mode != modeListed && !p.isStormCrawler() && !p.isHTTrack()
}

func (p Profile) isStormCrawler() bool { return p == StormCrawler0 || p == StormCrawler }

// OnError returns what the crawler may fetch where robots.txt has a status 4xx or 5xx: all or nothing. known is false
// where its settings or its release decide, or it puts off the answer.
func (p Profile) OnError(status int) (allowed, known bool) {
	isCommons := p == Nutch0 || p == Nutch || p.isStormCrawler()
	switch {
	case p == Urllib0 || p == Urllib: // by RobotFileParser.read; programs may have a way of their own
		return status/100 == 4 && status != 401 && status != 403, true
	case p.isScrapy(), p.isHTTrack(): // it reads the body, whatever the status
		return false, false
	case status/100 == 4:
		return true, !isCommons || status != 429
	case isCommons:
		return false, p == StormCrawler
	}
	return true, true
}

// As returns the file as another profile reads it; nil where the parser fails.
func (f *File) As(p Profile) *File {
	if p == Urllib0 && !utf8.Valid(f.body) {
		return nil
	}
	return p.spec().parse(f.body)
}

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
	{"rules before all user-agent lines are for all crawlers", func(s *spec) { s.headless = false }},
	{"it looks for its group by another name", func(s *spec) { s.mode = ModeExact }},
	{"of several groups for all crawlers it obeys the first", func(s *spec) { s.firstGlobal = false }},
	{"an empty line ends a group", func(s *spec) { s.gapEnds = false }},
	{"a group without rules is none", func(s *spec) { s.bareNone = false }},
	{"other lines than rules end a list of user-agent lines", func(s *spec) { s.ends = endsNone }},
	{"the rule decides that matches the most of the path, not the longest", func(s *spec) { s.span = false }},
	{"it fails, and allows, where two rules of one length match", func(s *spec) { s.written = false }},
	{"it compares rules and paths in another form", func(s *spec) { s.form = normal.RFC9309 }},
	{"it reads the line that its limit goes through", func(s *spec) { s.keepCut = false }},
	{"it reads another share of the file", func(s *spec) { s.limit = ParseLimit }},
	{"it takes a byte order mark for text", func(s *spec) { s.marks = marksRead }},
	{"it leaves out bytes that are no UTF-8", func(s *spec) { s.dropBytes = false }},
	{"it knows other white space", func(s *spec) { s.blanks = "" }},
	{"a carriage return ends no line", func(s *spec) { s.lfOnly = false }},
	{"a # begins a comment only after white space", func(s *spec) { s.hashApart = false }},
	{"white space before a colon makes a line void", func(s *spec) { s.tightKey = false }},
	{"white space before a key makes a line void", func(s *spec) { s.flushKey = false }},
	{"it knows no Allow", func(s *spec) { s.noAllow = false }},
	{"it takes many rules for none", func(s *spec) { s.maxRules = 0 }},
	{"it reads misspelt keys, and lines without a colon", func(s *spec) { s.keys, s.oneWord = nil, false }},
	{"a rule for an index page is for its folder, too", func(s *spec) { s.indexPage = indexNone }},
	{"it takes a final $ for a character, too", func(s *spec) { s.dollar = false }},
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

// heritrix is the parser of Heritrix 3: org.archive.modules.net.Robotstxt and RobotsDirectives.
func heritrix(differences crawlerSpec) spec {
	differences.tightKey, differences.dropTags, differences.cutStar = true, tagsNone, true
	differences.floor, differences.ends = true, endsDelay
	return spec{
		limit: ParseLimit, mode: modeListed, form: normal.Raw, marks: marksText, blanks: javaBlanks,
		crawlerSpec: differences,
	}
}

// browsertrix is robots-parser 3.0.1, an npm package, which Browsertrix gives the first 100,000 bytes.
var browsertrix = spec{
	limit: 100_000, mode: modePlain, form: normal.URI, marks: marksUTF8, blanks: jsBlanks,
	crawlerSpec: crawlerSpec{keepCut: true, ends: endsAny, bareNone: true},
}

// wget is src/res.c of GNU Wget.
var wget = spec{
	mode: modeWget, form: normal.Decoded, marks: marksText, blanks: cBlanks,
	crawlerSpec: crawlerSpec{lfOnly: true, hashApart: true, literal: true, first: true, empty: true},
}

// commons is crawlercommons.robots.SimpleRobotRulesParser from 1.4, without its limit on Crawl-delay.
var commons = spec{
	mode: modeToken, selfAllowed: true, form: normal.Escaped, indexPage: indexCommons, blanks: javaBlanks,
	crawlerSpec: crawlerSpec{
		dropTags: tagsHTML, leftmost: true,
		newlines: []string{"\u0085", "\n", "\u2028", "\n", "\u2029", "\n"},
		keys: spellings("user-agent useragent useg-agent ser-agent users-agent user_agent user-agnet user-agents",
			"disallow desallow dissallow dissalow disalow dssalow dsallow diasllow disallaw diallow disallows disllow"),
	},
}

// protego is Protego from 0.7.0, a package of PyPI, as Scrapy uses it; protego0 is that of 0.3.1 to 0.6.2.
var (
	protego = spec{
		mode: modeLongestWord, selfAllowed: true, form: normal.Quoted, indexPage: indexProtego, marks: marksText,
		blanks: pyBlanks,
		crawlerSpec: crawlerSpec{
			ends: endsAny, dollar: true, newlines: pyNewlines, keys: protegoKeys(keyUnknown), dropBytes: true,
		},
	}
	protego0 = spec{
		mode: modeLongest, form: normal.QuotedPath, indexPage: indexProtego, marks: marksText, blanks: pyBlanks,
		crawlerSpec: crawlerSpec{
			ends: endsAny, dollar: true, newlines: pyNewlines, keys: protegoKeys(keyExtra), firstColon: true,
			dropBytes: true,
		},
	}
)

// httrack is robots_parse and checkrobots of HTTrack's src/htsrobots.c.
func httrack(s spec) spec {
	s.selfAllowed, s.marks, s.blanks, s.cString, s.lineLimit = true, marksText, cBlanks, true, 1022
	s.newlines, s.tightKey, s.flushKey = []string{"\r", ""}, true, true
	return s
}

// protegoKeys are the keys of Protego. site is what the keys mean that speak of the whole site.
func protegoKeys(site key) []spelling {
	keys := spellings("user-agent useragent user_agent", "disallow dissallow dissalow disalow diasllow disallaw")
	for _, text := range [...]string{
		"crawl-delay", "crawl delay", "request-rate", "request rate", "visit-time", "visit time",
	} {
		keys = append(keys, spelling{text, keyExtra})
	}
	for _, text := range [...]string{"sitemap", "sitemaps", "site-map", "host"} {
		keys = append(keys, spelling{text, site})
	}
	return keys
}

// commons0 is the parser of 0.10 to 1.3.
var commons0 = spec{
	mode: modePrefix, selfAllowed: true, form: normal.URLEncoded, blanks: javaBlanks,
	crawlerSpec: crawlerSpec{
		dropTags: tagsHTML, leftmost: true, ends: endsText, clears: true, newlines: commons.newlines,
		keys: append(spellings("user-agent useragent useg-agent ser-agent", "disallow desallow dissalow dssalow dsallow"),
			spelling{crawlDelay, keyExtra}, spelling{"crawl delay", keyExtra},
			spelling{"sitemap", keyUnknown}, spelling{"host", keyUnknown}, spelling{"no-index", keyUnknown},
			spelling{"request-rate", keyUnknown}, spelling{"visit-time", keyUnknown},
			spelling{"robot-version", keyUnknown}, spelling{"comment", keyUnknown}, spelling{"http", keyUnknown}),
	},
}

// urllib0 is urllib.robotparser of Python before 3.13.8, and urllib is that from 3.13.14, 3.14.5 and 3.15 on.
var (
	urllib0 = spec{
		mode: modeFirst, firstGlobal: true, form: normal.Parsed, marks: marksText, blanks: pyBlanks,
		crawlerSpec: crawlerSpec{
			newlines: pyNewlines, ends: endsRates, bareNone: true, gapEnds: true,
			literal: true, first: true, empty: true,
		},
	}
	urllib = spec{
		mode: modeWithin, selfAllowed: true, form: normal.Requoted, marks: marksText, blanks: pyBlanks,
		crawlerSpec: crawlerSpec{newlines: pyNewlines, ends: endsRates, span: true},
	}
)

// brozzler is reppy 0.3.4, a package of PyPI, as Brozzler patches it from 1.5.3 on.
var brozzler = spec{
	mode: modeShared, selfAllowed: true, form: normal.Rooted, blanks: pyBlanks,
	crawlerSpec: crawlerSpec{
		newlines: pyNewlines, ends: endsAny, dropBytes: true, oneWord: true, headless: true, written: true,
	},
}

// spellings are those of user-agent and disallow in a list, with "_" for a space in them, and that of allow.
func spellings(userAgent, disallow string) []spelling {
	list := []spelling{{"allow", keyAllow}}
	for _, text := range strings.Fields(userAgent) {
		list = append(list, spelling{strings.ReplaceAll(text, "_", " "), keyUserAgent})
	}
	for _, text := range strings.Fields(disallow) {
		list = append(list, spelling{text, keyDisallow})
	}
	return list
}

// hasTagOfHTML reports whether there is a tag by which crawler-commons knows HTML.
func hasTagOfHTML(text string) bool {
	for {
		_, after, found := strings.Cut(text, "<")
		if !found {
			return false
		}
		text = after
		for _, tag := range [...]string{"html", "head", "body"} {
			if ascii.HasPrefixFold(text, tag) && strings.HasPrefix(strings.TrimLeft(text[len(tag):], cBlanks), ">") {
				return true
			}
		}
	}
}

const (
	// javaBlanks is what Java's String.trim cuts.
	javaBlanks = "\x00\x01\x02\x03\x04\x05\x06\a\b\t\n\v\f\r\x0e\x0f" +
		"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "
	// pyBlanks is what Python's str.strip cuts.
	pyBlanks = cBlanks + "\x1c\x1d\x1e\x1f\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008" +
		"\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
	// jsBlanks is what ECMAScript's String.prototype.trim cuts.
	jsBlanks = cBlanks + "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
		"\u2028\u2029\u202f\u205f\u3000\ufeff"
)

// pyNewlines are what Python's str.splitlines ends a line at, besides CR and LF.
var pyNewlines = []string{
	"\v", "\n", "\f", "\n", "\x1c", "\n", "\x1d", "\n", "\x1e", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n",
}

// listed fills in the names as Heritrix has them. The first name decides that stands anywhere in the User-Agent, which
// keeps its case. Rules go to the group of the last user-agent line, shared with the lines before it unless either
// is known already; an empty name stands in every User-Agent. With reppy, the first name of a list of user-agent lines
// says which rules all of them have, and the User-Agent is in lower case.
func (f *File) listed(n *names) {
	type record struct {
		members []int
		ruled   bool
	}
	var global, all, current *record // all: of the empty name, and no name after it counts
	known := make(map[string]*record)
	isShared := f.spec.mode == modeShared
	if isShared {
		global = new(record)
		if len(f.groups) > 0 && (len(f.agents) == 0 || f.agents[0].group > 0) {
			global.members = []int{0}
		}
	}
	var order []int // agents
	for i := range f.agents {
		a := &f.agents[i]
		name := ascii.Lower(f.valueOf(a))
		before := known[name]
		if name == "*" {
			before = global
		}
		switch {
		case isShared && i > 0 && f.agents[i-1].group == a.group:
		case isShared && before != nil, before != nil && before.ruled:
			current = before
		case isShared, current == nil, current.ruled:
			current = new(record)
		}
		if name == "*" {
			global = current
		} else {
			if known[name] == nil && all == nil && name != "" {
				order = append(order, i)
			}
			known[name] = current
			if all = known[""]; all != nil {
				n.global.agents = []int{i}
			}
		}
		isLast := i+1 == len(f.agents) || f.agents[i+1].group != a.group
		if isLast && f.groups[a.group].ruled {
			current.members, current.ruled = append(current.members, int(a.group)), true
		}
	}
	for _, i := range order {
		name := f.valueOf(&f.agents[i])
		n.add(named{name: name, members: known[ascii.Lower(name)].members, agents: []int{i}})
	}
	if all = known[""]; all != nil {
		n.global.members = all.members
	} else if global != nil {
		n.global.members = global.members
	}
}

// prefixes fills in the names as crawler-commons had them before 1.4: several on a line, each with its first group.
func (f *File) prefixes(n *names) {
	for i := range f.agents {
		a := &f.agents[i]
		for name := range strings.FieldsFuncSeq(f.valueOf(a), func(r rune) bool { return strings.ContainsRune(" \t,", r) }) {
			one := named{name: name, members: []int{int(a.group)}, agents: []int{i}}
			switch {
			case name != "*" && n.at(name) < 0:
				n.add(one)
			case name == "*" && n.global.members == nil:
				n.global = one
			}
		}
	}
}

// withoutTags drops what looks like a tag of HTML, within a line: "<", at least a byte, and the next ">".
func withoutTags(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i:]
		switch end := strings.IndexAny(text, ">\r\n"); {
		case end > 1 && text[end] == '>':
			text = text[end+1:]
		case end > 0: // the line has no other tag, or this is none
			b.WriteString(text[:end])
			text = text[end:]
		default:
			b.WriteString(text)
			return b.String()
		}
	}
}

// floors finds, of the rules without a "*" that allow and of those that forbid, the last in the alphabet that is not
// after a path: Heritrix tries that one alone.
type floors struct {
	plain [2][]*matcher // sorted by text
	wild  []*matcher
}

func newFloors(rules []matcher) *floors {
	var f floors
	for i := range rules {
		m, kind := &rules[i], 0
		switch {
		case m.wild() || m.anchored:
			f.wild = append(f.wild, m)
			continue
		case m.allow():
			kind = 1
		}
		f.plain[kind] = append(f.plain[kind], m)
	}
	for _, list := range f.plain {
		slices.SortFunc(list, func(a, b *matcher) int { return strings.Compare(a.text, b.text) })
	}
	return &f
}

// best is that of matchers.
func (f *floors) best(path string) (best *matcher, cost int) {
	if len(f.wild) > maxTried(path) {
		return nil, tooCostly
	}
	for _, list := range f.plain {
		n, _ := slices.BinarySearchFunc(list, path, func(m *matcher, path string) int {
			if m.text <= path {
				return -1
			}
			return 1
		})
		if n > 0 && strings.HasPrefix(path, list[n-1].text) && (best == nil || list[n-1].rank > best.rank) {
			best = list[n-1]
		}
	}
	h := head(path)
	for _, m := range f.wild {
		if (best == nil || m.rank > best.rank) && m.matches(path, h) {
			best = m
		}
	}
	return best, costOf(len(f.wild), path)
}

// spans are rules of which the one decides that matches the most of a path.
type spans struct {
	literals // without a "*"
	rules    []matcher
	wild     []*matcher
	written  bool // as in crawlerSpec
}

func newSpans(rules []matcher, written bool) *spans {
	s := spans{rules: rules, written: written}
	var plain []keyed
	for i := range rules {
		if m := &rules[i]; m.wild() || m.whole {
			s.wild = append(s.wild, m)
		} else {
			plain = append(plain, keyed{m.text, uint32(i)})
		}
	}
	s.literals = newLiterals(plain, rules)
	return &s
}

// best is that of matchers.
func (s *spans) best(path string) (best *matcher, cost int) {
	if len(s.wild) > maxTried(path) {
		return nil, tooCostly
	}
	var highest uint64
	if best = s.literals.best(path, s.rules); best != nil {
		highest = best.rank
	}
	h := head(path)
	for _, m := range s.wild {
		if !m.matches(path, h) {
			continue
		}
		r := m.rank
		if !s.written {
			length := len(path)
			if !m.whole {
				last := m.text[strings.LastIndexByte(m.text, '*')+1:]
				length = strings.LastIndex(path, last) + len(last)
			}
			r = rank(length, m.allow(), m.order())
		} else if best != nil && r>>(orderBits+1) == highest>>(orderBits+1) &&
			(m.text != best.text || m.anchored != best.anchored) {
			return nil, costOf(len(s.wild), path)
		}
		if r > highest {
			best, highest = m, r
		}
	}
	return best, costOf(len(s.wild), path)
}
