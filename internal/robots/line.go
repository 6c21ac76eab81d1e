package robots

import "strings"

// A key is what a line's key says it is.
type key uint8

const (
	keyUnknown key = iota
	keyUserAgent
	keyAllow
	keyDisallow
	keyExtra // a record of recordKeys
)

// typos are the misspelt keys that Google reads as meant; draft-koster-rep-08
// §2.2 asks for leniency, and this is the list of those seen.
var typos = [...]struct {
	text string
	key  key
}{
	{"useragent", keyUserAgent},
	{"user agent", keyUserAgent},
	{"dissallow", keyDisallow},
	{"dissalow", keyDisallow},
	{"disalow", keyDisallow},
	{"diasllow", keyDisallow},
	{"disallaw", keyDisallow},
}

// recordKeys are the other records whose values are kept (RFC 9309 §2.2.4).
var recordKeys = [...]string{
	"crawl-delay", "request-rate", "visit-time", "sitemap", "host", "clean-param",
	"content-signal", "content-usage", "license", "noindex",
}

// A line is a key-value pair of the file.
type line struct {
	at    int    // where text begins in the file's text
	text  string // trimmed, without comment
	value string
	key   key
	extra string // the record's canonical key, where key is keyExtra

	misspelt bool // the key is one of typos, or longer than the record's name
	noColon  bool // white space stands where the colon should
}

// split reads a line. ok is false where it holds nothing but comment and white
// space.
func (l *line) split(s *spec, raw rawLine) (ok bool) {
	*l = line{}
	text := raw.text
	if raw.hash >= 0 {
		text = text[:raw.hash]
	}
	l.text = s.trimLeft(text)
	l.at = raw.at + len(text) - len(l.text)
	l.text = s.trimRight(l.text)
	switch {
	case raw.colon >= 0:
		l.value = s.trim(text[raw.colon+1:])
		l.key, l.extra, l.misspelt = s.classify(s.trim(text[:raw.colon]))
	case l.text == "":
		return false
	default:
		l.splitAtSpace(s)
	}
	return true
}

// splitAtSpace reads a line that has no colon. Only what is exactly two words,
// the first of them a known key, is read as a record that lacks its colon; the
// key counts where the profile is lenient.
func (l *line) splitAtSpace(s *spec) {
	i := 0
	for i < len(l.text) && l.text[i] != ' ' && l.text[i] != '\t' {
		i++
	}
	if i == len(l.text) {
		return
	}
	name, value := l.text[:i], s.trim(l.text[i+1:])
	if strings.IndexByte(value, ' ') >= 0 || strings.IndexByte(value, '\t') >= 0 {
		return
	}
	k, extra, misspelt := s.classify(name)
	if k == keyUnknown && !misspelt {
		return
	}
	l.noColon = true
	if s.lenient {
		l.value, l.key, l.extra, l.misspelt = value, k, extra, misspelt
	}
}

// plainKey returns the key that stands at text[at] if it is one of the
// protocol's, in any case, with its colon directly after it, and where its
// value begins. Eight octets are compared at once.
func plainKey(text string, at int) (k key, value int) {
	const (
		// Setting this bit puts a letter into lower case, and makes a letter
		// of nothing else.
		lowerCase = 0x2020202020202020
		hyphen    = 0x0000002000000000 // there, in "user-age"
	)
	if len(text)-at < 12 {
		return keyUnknown, 0
	}
	switch w := word(text[at:]); {
	case w|lowerCase == disallowWord && text[at+8] == ':':
		return keyDisallow, at + 9
	case w|lowerCase&^hyphen == userAgeWord &&
		toLower(text[at+8]) == 'n' && toLower(text[at+9]) == 't' && text[at+10] == ':':
		return keyUserAgent, at + 11
	case (w|lowerCase)<<24 == allowWord && text[at+5] == ':':
		return keyAllow, at + 6
	}
	return keyUnknown, 0
}

var (
	disallowWord = word("disallow")
	userAgeWord  = word("user-age")
	allowWord    = word("allow   ") << 24
)

// classify finds out what a key means in this profile. misspelt is true also
// where the profile does not accept the misspelling; the key is then unknown.
func (s *spec) classify(name string) (k key, extra string, misspelt bool) {
	switch len(name) {
	case len("allow"):
		if equalFold(name, "allow") {
			return keyAllow, "", false
		}
	case len("disallow"):
		if equalFold(name, "disallow") {
			return keyDisallow, "", false
		}
	case len("user-agent"):
		if equalFold(name, "user-agent") {
			return keyUserAgent, "", false
		}
	}
	for _, extra := range &recordKeys {
		if equalFold(name, extra) {
			return keyExtra, extra, false
		}
	}
	k = s.misspelt(name)
	if !s.lenient && k != keyUnknown {
		return keyUnknown, "", true
	}
	return k, "", k != keyUnknown
}

// misspelt returns what a misspelt key means, or keyUnknown.
func (s *spec) misspelt(name string) key {
	means := equalFold
	if s.keyPrefix {
		means = hasPrefixFold
		switch {
		case means(name, "user-agent"):
			return keyUserAgent
		case means(name, "allow"):
			return keyAllow
		case means(name, "disallow"):
			return keyDisallow
		}
	}
	for i := range typos {
		if means(name, typos[i].text) {
			return typos[i].key
		}
	}
	return keyUnknown
}

// trim cuts the white space of the grammar (WS, RFC 9309 §2.2) off both ends,
// or C's where the profile reads lines as C strings.
func (s *spec) trim(text string) string { return s.trimRight(s.trimLeft(text)) }

func (s *spec) trimLeft(text string) string {
	for text != "" && s.isSpace(text[0]) {
		text = text[1:]
	}
	return text
}

func (s *spec) trimRight(text string) string {
	for text != "" && s.isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func (s *spec) isSpace(b byte) bool {
	return b == ' ' || b == '\t' || s.cString && isCSpace(b)
}

func isCSpace(b byte) bool {
	return b == ' ' || '\t' <= b && b <= '\r'
}

// equalFold reports whether s is lower, a lower-case ASCII string, in any case.
// strings.EqualFold would also take U+017F for an "s".
func equalFold(s, lower string) bool {
	return len(s) == len(lower) && hasPrefixFold(s, lower)
}

func hasPrefixFold(s, lower string) bool {
	if len(s) < len(lower) {
		return false
	}
	for i := 0; i < len(lower); i++ {
		if toLower(s[i]) != lower[i] {
			return false
		}
	}
	return true
}

func toLower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
