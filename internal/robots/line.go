package robots

import (
	"cmp"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// A key is the meaning of a line's key.
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
var typos = [...]spelling{
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
	crawlDelay, requestRate, "visit-time", "sitemap", "host", "clean-param",
	"content-signal", "content-signals", contentUsage, "license", "noindex",
}

const (
	contentUsage = "content-usage"
	crawlDelay   = "crawl-delay"
	requestRate  = "request-rate"
)

// rivalKeys are more of them. They begin like a record of the protocol, and Google's parser takes them for that.
var rivalKeys = [...]string{"disallowaitraining", "allowaitraining", "disallow-training"}

// A line is a line of the file as the profile reads it.
type line struct {
	number int    // from 1
	raw    string // without its ending
	text   string // trimmed, without comment; empty where nothing else is left
	at     int    // where text begins in the file's text
	value  string
	key    key
	extra  string // the canonical key of a record of another protocol; of rivalKeys whatever key is

	hasKey   bool     // something stands before a colon
	misspelt bool     // the key is one of typos, or longer than the record's name
	noColon  bool     // white space stands where the colon should
	needs    leniency // the leniency that reading a key of the protocol here takes
}

// lines yields all lines, numbered. Each is there until the next.
func (f *File) lines(yield func(*line) bool) {
	var l line
	for at, end, number := 0, 0, 1; at < len(f.text); number++ {
		l, end = f.lineAt(at)
		l.number = number
		if !yield(&l) {
			return
		}
		at = end + 1
		if strings.HasPrefix(f.text[end:], "\r\n") { // one line ending
			at++
		}
	}
}

// Lines yields the number and the text of each line that is parsed, decoded and without its ending.
func (f *File) Lines(yield func(number int, text string) bool) {
	f.lines(func(l *line) bool { return yield(l.number, l.raw) })
}

// lineAt reads the line that begins at f.text[at], and returns where it ends: at LF, at CR or at the
// end of the text (RFC 9309 §2.2).
func (f *File) lineAt(at int) (l line, end int) {
	s := f.spec
	for end = at; end < len(f.text) && f.text[end] != '\n' && (f.text[end] != '\r' || s.lfOnly); end++ {
	}
	l.raw = f.text[at:end]
	if s.cString {
		l.raw, _, _ = strings.Cut(l.raw[:min(len(l.raw), s.lineLimit)], "\x00")
	}
	text := s.withoutComment(l.raw)
	l.text = strings.TrimLeft(text, s.white())
	l.at = at + len(text) - len(l.text)
	l.text = strings.TrimRight(l.text, s.white())
	if s.keys != nil {
		l.readSpelling(s)
	} else if name, value, ok := strings.Cut(l.text, ":"); ok {
		l.value = s.trim(value)
		isFlush := strings.HasPrefix(l.raw, name) || !s.flushKey
		if key := s.trim(name); isFlush && (key == name || !s.tightKey) {
			l.hasKey = key != ""
			l.readKey(s, key)
		}
	} else {
		l.splitAtSpace(s)
	}
	return l, end
}

// withoutComment cuts the comment off a line.
func (s *spec) withoutComment(raw string) string {
	for i := range len(raw) {
		if raw[i] == '#' && (!s.hashApart || i == 0 || isCSpace(raw[i-1])) {
			return raw[:i]
		}
	}
	return raw
}

// readSpelling reads a line by the profile's own keys.
func (l *line) readSpelling(s *spec) {
	for i := range s.keys {
		k := &s.keys[i]
		if !ascii.HasPrefixFold(l.text, k.text) {
			continue
		}
		rest := l.text[len(k.text):]
		value, isAfterColon := strings.CutPrefix(strings.TrimLeft(rest, " \t"), ":")
		isAfterSpace := len(value) < len(rest)
		if isAfterColon || isAfterSpace {
			l.key, l.value, l.hasKey = k.key, s.trim(value), k.key != keyUnknown
			return
		}
	}
	l.hasKey = strings.Contains(l.text, ":") || s.ends == endsText && l.text != ""
}

// readKey finds the meaning of a key in this profile. A misspelling of typos is
// noted also where the profile does not accept it; the key is then unknown.
func (l *line) readKey(s *spec, name string) {
	l.key, l.extra, l.needs = classify(name)
	l.misspelt = l.needs != readExact && l.needs <= max(s.leniency, readTypos)
	if l.needs > s.leniency {
		l.key = keyUnknown
	}
	for _, rival := range &rivalKeys {
		if l.needs == readPrefixes && ascii.EqualFold(name, rival) {
			l.extra = rival
		}
	}
}

// splitAtSpace reads a line that has no colon. Only what is exactly two words,
// the first of them a known key, is read as a record that lacks its colon; the
// key counts where the profile is lenient.
func (l *line) splitAtSpace(s *spec) {
	i := strings.IndexAny(l.text, " \t")
	if i < 0 {
		return
	}
	name, value := l.text[:i], s.trim(l.text[i+1:])
	if strings.ContainsAny(value, " \t") {
		return
	}
	k, extra, spelling := classify(name)
	if k == keyUnknown {
		return
	}
	needs := max(spelling, readTypos)
	if k != keyExtra {
		l.needs = needs
	}
	l.noColon = needs <= max(s.leniency, readTypos)
	if needs <= s.leniency {
		l.value, l.key, l.extra, l.misspelt = value, k, extra, spelling != readExact
	}
}

// IsKey reports whether a word is the key of a line of robots.txt in some reading: misspelt, or with more
// after it.
func IsKey(word string) bool {
	k, _, _ := classify(word)
	return k != keyUnknown
}

// classify finds the meaning of a key, and the leniency that this reading takes.
func classify(name string) (k key, extra string, needs leniency) {
	switch {
	case ascii.EqualFold(name, "allow"):
		return keyAllow, "", readExact
	case ascii.EqualFold(name, "disallow"):
		return keyDisallow, "", readExact
	case ascii.EqualFold(name, "user-agent"):
		return keyUserAgent, "", readExact
	}
	for _, extra := range &recordKeys {
		if ascii.EqualFold(name, extra) {
			return keyExtra, extra, readExact
		}
	}
	for i := range typos {
		if ascii.EqualFold(name, typos[i].text) {
			return typos[i].key, "", readTypos
		}
	}
	if k = keyBegun(name); k != keyUnknown {
		return k, "", readPrefixes
	}
	return keyUnknown, "", readExact
}

// keyBegun returns the key that a name begins with, misspelt or not.
func keyBegun(name string) key {
	switch {
	case ascii.HasPrefixFold(name, "user-agent"):
		return keyUserAgent
	case ascii.HasPrefixFold(name, "allow"):
		return keyAllow
	case ascii.HasPrefixFold(name, "disallow"):
		return keyDisallow
	}
	for i := range typos {
		if ascii.HasPrefixFold(name, typos[i].text) {
			return typos[i].key
		}
	}
	return keyUnknown
}

// trim cuts white space off both ends.
func (s *spec) trim(text string) string { return strings.Trim(text, s.white()) }

// white is the white space of the profile, by default that of the grammar (WS, RFC 9309 §2.2).
func (s *spec) white() string { return cmp.Or(s.blanks, " \t") }

func isCSpace(b byte) bool {
	return b == ' ' || '\t' <= b && b <= '\r'
}

// hasControl reports whether a text holds a control byte that the grammar keeps out of a rule (RFC 9309 §2.2). A tab is
// the grammar's white space, and its ABNF admits DEL.
func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' })
}
