package robots

import "strings"

// TokenFromUserAgent finds the product token in a User-Agent string. ok is
// false where the string names no crawler: a browser's, or none at all. Only
// `*` groups then govern the fetch.
//
// RFC 9309 §2.2.1 asks that the token be a substring of the User-Agent, but
// not where; so this follows what crawlers write. In order: what follows
// "compatible;" unless that is a browser; the first product of a string that
// is no browser's; a product followed by its own address; a name that says
// bot, spider or crawler.
func TokenFromUserAgent(ua string) (token string, ok bool) {
	parts := splitUserAgent(ua)
	for _, find := range [...]func([]string) string{afterCompatible, firstProduct, withAddress, selfDescribed} {
		if token = find(parts); token != "" {
			return token, true
		}
	}
	return "", false
}

// splitUserAgent cuts a User-Agent string at parentheses and semicolons.
func splitUserAgent(ua string) []string {
	parts := strings.FieldsFunc(ua, func(r rune) bool {
		return r == '(' || r == ')' || r == ';' || r == '[' || r == ']' || r == '{' || r == '}' || r == ','
	})
	n := 0
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			parts[n] = p
			n++
		}
	}
	return parts[:n]
}

// afterCompatible returns the product that a crawler gives itself out as:
// "compatible; ExampleBot/1.0".
func afterCompatible(parts []string) string {
	for i, p := range parts[:max(len(parts)-1, 0)] {
		if last := p[strings.LastIndexByte(p, ' ')+1:]; equalFold(last, "compatible") {
			if name := productName(parts[i+1]); name != "" && !isPlatform(name) {
				return name
			}
		}
	}
	return ""
}

// withAddress returns a product that an address follows:
// "(ExampleBot/1.0; +https://example.com/bot)".
func withAddress(parts []string) string {
	for i, p := range parts[:max(len(parts)-1, 0)] {
		if !isAddress(parts[i+1]) {
			continue
		}
		if name := productName(p); name != "" && !isPlatform(name) && strings.Contains(p, "/") && !hasBrowser(p) {
			return name
		}
	}
	return ""
}

// selfDescribed returns a product whose name says what it is.
func selfDescribed(parts []string) string {
	for _, p := range parts {
		for _, word := range strings.Fields(p) {
			if isAddress(word) {
				break
			}
			name := productName(word)
			for _, sign := range [...]string{"bot", "spider", "crawl", "archiver", "slurp", "heritrix"} {
				if strings.Contains(lower(name), sign) && !isPlatform(name) {
					return name
				}
			}
		}
	}
	return ""
}

// firstProduct returns the product that a string which is no browser's begins
// with; where that is Mozilla, what comes next.
func firstProduct(parts []string) string {
	for _, p := range parts {
		if hasBrowser(p) {
			return ""
		}
	}
	if len(parts) == 0 {
		return ""
	}
	first := parts[0]
	if rest, ok := strings.CutPrefix(first, "Mozilla/"); ok {
		_, first, _ = strings.Cut(rest, " ")
	}
	if name := productName(first); !isPlatform(name) {
		return name
	}
	return ""
}

// productName returns the name at the beginning of a part: its words up to a
// version, an address or a "/". Words with a "!" are no part of it, as in
// "Yahoo! Slurp".
func productName(part string) string {
	if isAddress(part) {
		return ""
	}
	name, _, _ := strings.Cut(part, "/")
	name = strings.TrimLeft(name, "'\"")
	var words []string
	for _, word := range strings.Fields(name) {
		if word[0] == '+' || isVersion(word) || isAddress(word) {
			break
		}
		word, _, cut := strings.Cut(word, "+")
		word = strings.TrimRight(word, "'\":-")
		if word != "" && !strings.ContainsAny(word, "!@") {
			words = append(words, word)
		}
		if cut {
			break
		}
	}
	return strings.Join(words, " ")
}

// isVersion reports whether word is a version number: "1.0", "v2".
func isVersion(word string) bool {
	if len(word) > 1 && toLower(word[0]) == 'v' {
		word = word[1:]
	}
	return word != "" && '0' <= word[0] && word[0] <= '9' && strings.Trim(word, "0123456789.") == ""
}

// isAddress reports whether part is where a crawler's owner can be reached.
func isAddress(part string) bool {
	part = lower(strings.TrimLeft(part, "+ "))
	return strings.HasPrefix(part, "http:") || strings.HasPrefix(part, "https:") ||
		strings.HasPrefix(part, "www.") || strings.HasPrefix(part, "mailto:") ||
		strings.Contains(part, "@") && !strings.Contains(part, " ")
}

// hasBrowser reports whether a part names a browser or its engine.
func hasBrowser(part string) bool {
	for _, word := range strings.Fields(part) {
		name, _, _ := strings.Cut(word, "/")
		if browsers[lower(name)] {
			return true
		}
	}
	return false
}

// isPlatform reports whether a name is a browser's, an engine's, a system's or
// another word that browsers put into their User-Agent.
func isPlatform(name string) bool {
	first, _, _ := strings.Cut(lower(name), " ")
	return first == "" || browsers[first] || platforms[first] || strings.HasPrefix(first, "rv:") ||
		first[0] == '.'
}

var browsers = set("applewebkit", "blackberry", "brave", "camino", "chrome", "chromium", "crios",
	"dillo", "dolfin", "edg", "edga", "edge", "edgios", "elinks", "epiphany", "firefox", "fxios",
	"galeon", "gecko", "headlesschrome", "iceweasel", "k-meleon", "khtml", "konqueror", "links",
	"lynx", "maxthon", "midori", "msie", "navigator", "netfront", "netscape", "netsurf",
	"obigo", "opera", "opr", "palemoon", "phantomjs", "presto", "profile", "puffin", "qqbrowser",
	"safari", "samsungbrowser", "seamonkey", "silk", "trident", "ucbrowser", "up.browser",
	"up.link", "vivaldi", "w3m", "webkit", "whale", "yabrowser")

var platforms = set("android", "build", "compatible", "cpu", "cros", "dalvik", "freebsd", "intel",
	"ios", "ipad", "iphone", "ipod", "like", "linux", "mac", "macintosh", "mobile", "mozilla",
	"openbsd", "playstation", "ppc", "slcc1", "slcc2", "sunos", "sv1", "symbianos", "tablet",
	"ubuntu", "u", "version", "win64", "windows", "wow64", "x11", "x64", "x86_64")

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
