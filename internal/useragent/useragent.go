// Package useragent finds the product tokens of crawlers in User-Agent strings.
package useragent

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// Tokens finds the product token in a User-Agent string (RFC 9309
// §2.2.1). It is empty where the string names no crawler: a browser's, or none at
// all; only `*` groups then govern the fetch. other is the token of a second
// crawler that the string names, empty where there is none. A token holds no space,
// unless listed knows it: listed returns the name of several words that a text begins
// with, "" where there is none.
//
// RFC 9309 requires that the token be a substring of the User-Agent, but not where; so
// this follows what crawlers write. These name a crawler:
//
//   - what follows "compatible;", unless that is a browser or a system;
//   - the first product of a string in which no browser has a part, or that goes on
//     with a browser's string;
//   - a product with its owner's address after it, in any string, as in
//     "… Safari/537.36 Scoop/0.6.59 (+https://example.org)";
//   - after a browser's string, a name with a "+" before it: "+MyCrawler";
//   - a name that says bot, spider, crawler or the like, and the names of some
//     crawling software, such as HTTrack.
//
// The first of them in the string decides: products stand in the order of their
// significance (RFC 9110 §10.1.5). A product of another kind after a browser's
// string is as likely an app's or a browser's of a rare name, and no crawler.
//
// Another one after it is a second crawler, unless it describes the first: it is
// the software that the first one runs on ("archive.org_bot … Zeno/1.0"); one name
// begins with the other, so that both are of one crawler ("Googlebot-Image" and
// "Googlebot"); it stands in a sentence, or in a comment without saying that it is a
// crawler; or it stands after "like", which claims a likeness alone.
//
// Several User-Agents of one fetch stand on a line each: nobody knows which of them counts. If one of them names
// no crawler, none is known.
func Tokens(ua string, listed func(text string) string) (token, other string) {
	ua, more, _ := strings.Cut(ua, "\n")
	token, other = tokensOf(ua, listed)
	for more != "" {
		ua, more, _ = strings.Cut(more, "\n")
		name, second := tokensOf(ua, listed)
		switch {
		case token == "" || name == "":
			return "", ""
		case !ascii.EqualFold(name, token):
			second = name
		}
		other = cmp.Or(other, second)
	}
	return token, other
}

func tokensOf(ua string, listed func(text string) string) (token, other string) {
	s := splitUserAgent(ua)
	s.listed = listed
	for i := range s.parts {
		for name, product := range s.crawlers(i) {
			switch {
			case token == "" || generic[ascii.Lower(token)]:
				token = name
			case product && !software[ascii.Lower(name)] && !generic[ascii.Lower(name)] && !sameCrawler(token, name):
				return token, name
			}
		}
	}
	return token, ""
}

// sameCrawler reports whether two names are of one crawler: one is the other with more after it, such as
// "-Image".
func sameCrawler(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return ascii.HasPrefixFold(b, a) && (len(a) == len(b) || strings.IndexByte("-_. ", b[len(a)]) >= 0)
}

// userAgent is a User-Agent string in parts.
type userAgent struct {
	parts   []part
	browser bool // it names a browser or its engine
	listed  func(text string) string
}

// part is the text between two brackets, semicolons or commas.
type part struct {
	words   []string
	comment bool // within brackets
}

// splitUserAgent cuts a User-Agent string at brackets, semicolons and commas.
func splitUserAgent(ua string) *userAgent {
	s := new(userAgent)
	depth, start := 0, 0
	end := func(i int) {
		if words := strings.Fields(ua[start:i]); len(words) > 0 {
			s.parts = append(s.parts, part{words, depth > 0})
			s.browser = s.browser || slices.ContainsFunc(words, isBrowser)
		}
		start = i + 1
	}
	for i := range len(ua) {
		switch ua[i] {
		case '(', '[', '{':
			end(i)
			depth++
		case ')', ']', '}':
			end(i)
			depth = max(depth-1, 0)
		case ';', ',':
			end(i)
		}
	}
	end(len(ua))
	return s
}

// isBrowser reports whether a word is a browser's product: a name and a version, so
// that "Links" or "Line" may be a word of a sentence.
func isBrowser(word string) bool {
	name, _, versioned := strings.Cut(ascii.Lower(word), "/")
	return browsers[name] && versioned || name == "msie" || name == "khtml"
}

// crawlers yields the crawlers that part i names. product separates names that stand for themselves from
// words of a sentence.
func (s *userAgent) crawlers(i int) func(yield func(name string, product bool) bool) {
	return func(yield func(name string, product bool) bool) {
		claim, product := s.claim(i)
		if claim != "" && !yield(claim, product) {
			return
		}
		words := s.parts[i].words
		for j, word := range words {
			if isAddress(word) || j > 0 && ascii.EqualFold(words[j-1], "like") {
				continue
			}
			if name, _ := productName(word); saysCrawler(name) && !slices.Contains(strings.Fields(claim), name) &&
				!yield(name, s.isProduct(i, j)) {
				return
			}
		}
	}
}

// isProduct reports whether word j of part i is a product: outside of comments every
// word is, inside what stands alone but for its version or an address.
func (s *userAgent) isProduct(i, j int) bool {
	p := &s.parts[i]
	if !p.comment || len(p.words) == 1 || strings.Contains(p.words[j], "/") {
		return true
	}
	return j == 0 && (IsVersion(p.words[1]) || isAddress(p.words[1]))
}

// claim returns the product that part i puts forward as a crawler's by its place, if
// any.
func (s *userAgent) claim(i int) (name string, product bool) {
	if i > 0 {
		if before := s.parts[i-1].words; ascii.EqualFold(before[len(before)-1], "compatible") {
			return s.unlessPlatform(s.parts[i].words), true
		}
	}
	if s.parts[i].comment {
		return s.claimInComment(i)
	}
	if own := s.leading(); i == 0 && len(own) > 0 && !slices.ContainsFunc(own, isBrowser) {
		return s.unlessPlatform(own), true
	}
	words := s.parts[i].words
	words = words[max(lastOf(words, browsers), lastOf(words, platforms))+1:]
	if len(words) == 0 {
		return "", false
	}
	versioned, owned := strings.Contains(words[0], "/"), s.hasAddress(i)
	if !s.browser && versioned || owned || len(words[0]) > 1 && words[0][0] == '+' {
		name = s.unlessPlatform(words)
	}
	return name, versioned && owned
}

// claimInComment returns a product with an address after it.
func (s *userAgent) claimInComment(i int) (name string, product bool) {
	words := s.parts[i].words
	if !strings.Contains(words[0], "/") || lastOf(words, browsers) >= 0 || !s.hasAddress(i) {
		return "", false
	}
	name = s.unlessPlatform(words)
	return name, saysCrawler(name)
}

// leading returns the words at the beginning that are the client's own: the words before "Mozilla/5.0", and
// also the words after it if no browser has a part in the string.
func (s *userAgent) leading() []string {
	words := s.parts[0].words
	switch n := slices.IndexFunc(words, isMozilla); {
	case n > 0:
		return words[:n]
	case !s.browser:
		return words[n+1:]
	}
	return nil
}

func isMozilla(word string) bool { return ascii.HasPrefixFold(word, "mozilla/") }

// hasAddress reports whether an address stands in part i or after it. For a part of a comment it looks in
// the next part of that comment; for others in the next part or in all of the comment after them. It stops
// at another crawler, because the address would be that crawler's.
func (s *userAgent) hasAddress(i int) bool {
	if slices.ContainsFunc(s.parts[i].words, isAddress) {
		return true
	}
	for j := i + 1; j < len(s.parts); j++ {
		p := &s.parts[j]
		switch first := p.words[0]; {
		case j > i+1 && (!p.comment || s.parts[i].comment), s.parts[i].comment && !p.comment,
			ascii.EqualFold(first, "compatible"), saysCrawler(nameOf(first)):
			return false
		case slices.ContainsFunc(p.words, isAddress):
			return true
		}
	}
	return false
}

// unlessPlatform returns the name that words begin with, "" where that is a
// browser's or a system's.
func (s *userAgent) unlessPlatform(words []string) string {
	if len(words) == 0 {
		return ""
	}
	if first := ascii.Lower(nameOf(words[0])); browsers[first] || platforms[first] || strings.HasPrefix(first, "rv:") {
		return ""
	}
	const most = 8 // more than a listed name has
	if name := s.listed(strings.TrimLeft(strings.Join(words[:min(most, len(words))], " "), beforeName)); name != "" {
		return name
	}
	return leadingName(words)
}

// beforeName is what may stand before a name.
const beforeName = "+'\"*#.:=-"

// leadingName returns one word for the name that words begin with, up to a version,
// an address or a "/": the one that says bot or the like, else the first, so that
// "ArchiveTeam ArchiveBot/1.0" is ArchiveBot and "Screaming Frog SEO Spider/19.1"
// Screaming. Words that end in "!" are no part of it, as in "Yahoo! Slurp".
func leadingName(words []string) string {
	first := ""
	for _, word := range words {
		if isAddress(word) || IsVersion(word) {
			break
		}
		name, ends := productName(word)
		if saysCrawler(name) {
			return name
		}
		if first == "" && !strings.HasSuffix(name, "!") {
			first = name
		}
		if ends {
			break
		}
	}
	return first
}

// nameOf is the first return value of productName.
func nameOf(word string) string {
	name, _ := productName(word)
	return name
}

// productName returns the name in a word of the form "Name/version". ends reports
// whether the product ends with the word.
func productName(word string) (name string, ends bool) {
	name = strings.TrimLeft(word, beforeName)
	if i := strings.IndexAny(name, "/+*#:="); i >= 0 {
		name, ends = name[:i], true
	}
	name = strings.TrimRight(name, "'\".-@")
	// "trendictionbot0.5.0"
	if bare := strings.TrimRight(name, "0123456789."); bare != "" && IsVersion(name[len(bare):]) &&
		strings.Contains(name[len(bare):], ".") {
		return strings.TrimRight(bare, "-_"), true
	}
	return name, ends
}

// saysCrawler reports whether a name contains a word such as bot.
func saysCrawler(name string) bool {
	name = ascii.Lower(name)
	switch {
	case software[name], known[name]:
		return true
	case generic[name], name == "", name[0] == '_', strings.HasPrefix(name, "cubot"): // Cubot makes phones
		return false
	}
	for _, sign := range [...]string{"bot", "spider", "crawl", "archiver", "slurp", "heritrix"} {
		if strings.Contains(name, sign) {
			return true
		}
	}
	return false
}

// IsVersion reports whether word is a version number: "1.0", "v2", "3.0x".
func IsVersion(word string) bool {
	if len(word) > 1 && ascii.LowerByte(word[0]) == 'v' {
		word = word[1:]
	}
	return word != "" && '0' <= word[0] && word[0] <= '9' && len(strings.TrimLeft(word, "0123456789.")) <= 1
}

// isAddress reports whether a word is where a crawler's owner can be reached: a URL
// or an e-mail address.
func isAddress(word string) bool {
	word = ascii.Lower(strings.TrimLeft(word, "+-'\"<"))
	for _, start := range [...]string{"http:", "https:", "www.", "mailto:"} {
		if strings.HasPrefix(word, start) {
			return true
		}
	}
	_, domain, ok := strings.Cut(strings.TrimRight(word, "'\">."), "@")
	top := domain[strings.LastIndexByte(domain, '.')+1:]
	return ok && len(top) >= 2 && len(top) < len(domain) && strings.Trim(top, "abcdefghijklmnopqrstuvwxyz") == ""
}

// Contacts returns where the owner of a client can be reached, by its User-Agent: URLs and e-mail addresses, in one
// form.
func Contacts(ua string) (contacts []string) {
	for _, p := range splitUserAgent(ua).parts {
		for _, word := range p.words {
			if !isAddress(word) {
				continue
			}
			word = strings.Trim(ascii.Lower(word), "+-'\"<>./")
			for _, start := range [...]string{"http://", "https://", "mailto:", "www."} {
				word = strings.TrimPrefix(word, start)
			}
			contacts = append(contacts, word)
		}
	}
	return contacts
}

// lastOf returns the index of the last word that names a product of a set, -1 where
// none does.
func lastOf(words []string, products map[string]bool) int {
	for i := len(words) - 1; i >= 0; i-- {
		if name, _, _ := strings.Cut(words[i], "/"); products[ascii.Lower(name)] {
			return i
		}
	}
	return -1
}

// Browsers, their engines, and apps that show pages.
var browsers = set("alohabrowser", "applewebkit", "avast", "avg", "basilisk", "blackberry", "brave", "camino",
	"ccleaner", "chrome", "chrome-lighthouse", "chromium", "coc_coc_browser", "crios", "crmo", "ddg", "dillo",
	"dolfin", "duckduckgo", "ecosia", "edg", "edga", "edge", "edgios", "edgw", "electron", "elinks", "epiphany",
	"fban", "fbav", "firefox", "focus", "fxios", "galeon", "gecko", "goanna", "gsa", "headlesschrome", "headlessedg",
	"huaweibrowser", "icecat", "iceweasel", "instagram", "k-meleon", "khtml", "klar", "konqueror", "kindle",
	"librewolf", "line", "linkedinapp", "links", "lynx", "maxthon", "micromessenger", "midori", "miuibrowser",
	"mqqbrowser", "msie", "navigator", "netfront", "netscape", "netsurf", "obigo", "oculusbrowser", "opera", "opios",
	"opr", "opt", "opx", "palemoon", "phantomjs", "presto", "profile", "puffin", "qqbrowser", "qtwebengine",
	"qtwebkit", "quark", "safari", "sailfishbrowser", "samsungbrowser", "seamonkey", "silk", "sleipnir", "snapchat",
	"sogoumobilebrowser", "trident", "twitter", "ucbrowser", "ucweb", "up.browser", "up.link", "vivaldi", "w3m",
	"waterfox", "webkit", "webview", "whale", "yabrowser", "yowser")

// Systems, devices and other words that browsers put into their User-Agent.
var platforms = set("android", "bonecho", "build", "compatible", "configuration", "cpu", "cros", "dalvik", "darwin",
	"debian", "docomo", "fedora", "freebsd", "gnu", "i686", "intel", "ios", "ipad", "iphone", "ipod", "j-phone",
	"kddi", "like", "linux", "mac", "macintosh", "mobile", "mozilla", "netbsd", "nettype", "openbsd", "os/2",
	"playstation", "ppc", "slcc1", "slcc2", "softbank", "sunos", "sv1", "symbianos", "tablet", "ubuntu", "u",
	"unknown", "version", "vodafone", "webos", "win64", "windows", "wow64", "x11", "x64", "x86_64")

// Crawling software whose name may be the only one that a crawler gives itself.
// After another crawler's name it is the software that this one runs on.
var software = set("archivebox", "browsertrix", "browsertrix-crawler", "brozzler", "crau", "grab-site", "heritrix",
	"httrack", "monolith", "nutch", "nutchcvs", "scoop", "scrapy", "sitesucker", "squidwarc", "stormcrawler",
	"webcopier", "wget", "wget2", "wpull", "zeno")

// Crawlers whose name doesn't say so, and that borrow a browser's string without
// another sign.
var known = set("bingpreview", "facebookcatalog", "facebookexternalhit", "manus-user")

// Words for crawlers in general, which name none.
var generic = set("bot", "bots", "crawl", "crawler", "crawlers", "crawling", "crawls", "robot", "robots", "spider",
	"spiders", "web-crawler", "webcrawler", "webspider", "chatbot")

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
