package markup

import (
	"bytes"
	"html"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// attributes are the attributes of a meta or link element that matter, as bytes of the page.
type attributes struct {
	name, content   []byte // of a meta
	rel, href, kind []byte // of a link; kind is its type
	seen            uint8  // a bit each: of several the first counts
}

// read reads the attributes of a tag; i is where its name ends. It returns the place after the tag. ok is
// false if the page ends within it: then there is no tag (HTML §13.2.5.32 and on, eof-in-tag).
func (a *attributes) read(page []byte, i int) (after int, ok bool) {
	*a = attributes{}
	for {
		var key, value []byte
		if key, value, i, ok = nextAttribute(page, i); key == nil {
			return i, ok
		}
		a.keep(key, value)
	}
}

// nextAttribute reads the next attribute from i on, and returns the place after it. key is nil if there is
// none; ok then reports whether the tag ends.
func nextAttribute(page []byte, i int) (key, value []byte, after int, ok bool) {
	for i < len(page) && (isSpace(page[i]) || page[i] == '/') {
		i++
	}
	if i >= len(page) {
		return nil, nil, i, false
	}
	if page[i] == '>' {
		return nil, nil, i + 1, true
	}
	start := i
	for i++; i < len(page) && !endsKey.has(page[i]); i++ {
	}
	key = page[start:i]
	i = skipSpace(page, i)
	if i >= len(page) {
		return nil, nil, i, false
	}
	if page[i] != '=' {
		return key, nil, i, true
	}
	if i = skipSpace(page, i+1); i >= len(page) {
		return nil, nil, i, false
	}
	switch c := page[i]; c {
	case '>':
		return key, nil, i, true
	case '"', '\'':
		i++
		n := bytes.IndexByte(page[i:], c)
		if n < 0 {
			return nil, nil, len(page), false
		}
		return key, page[i : i+n], i + n + 1, true
	}
	start = i
	for i < len(page) && !isSpace(page[i]) && page[i] != '>' {
		i++
	}
	if i >= len(page) {
		return nil, nil, i, false
	}
	return key, page[start:i], i, true
}

func skipSpace(page []byte, i int) int {
	for i < len(page) && isSpace(page[i]) {
		i++
	}
	return i
}

func (a *attributes) keep(key, value []byte) {
	var to *[]byte
	var bit uint8
	switch {
	case ascii.IsWord(key, "name"):
		to, bit = &a.name, 1
	case ascii.IsWord(key, "content"):
		to, bit = &a.content, 2
	case ascii.IsWord(key, "rel"):
		to, bit = &a.rel, 4
	case ascii.IsWord(key, "href"):
		to, bit = &a.href, 8
	case ascii.IsWord(key, "type"):
		to, bit = &a.kind, 16
	default:
		return
	}
	if a.seen&bit == 0 {
		a.seen |= bit
		*to = value
	}
}

// maxElementName is how many bytes are read of a meta's name, and of a link's
// relations.
const maxElementName = 256

// glance reports whether a meta or link may speak of use. It reads no more than its name or its relations;
// of repeated ones the first counts. i is where the name of the tag ends, after is how far it looked.
func glance(page []byte, i int, link bool) (may bool, after int) {
	for {
		key, value, next, _ := nextAttribute(page, i)
		switch {
		case key == nil:
			return false, next
		case link && ascii.IsWord(key, "rel"):
			return mayLicense(value), next
		case !link && ascii.IsWord(key, "name"):
			return mayName(value), next
		}
		i = next
	}
}

// maySpeak reports whether the element may speak of use, by its name or its relations. It spares the others, which
// most are, copies of their attributes.
func (a *attributes) maySpeak(link bool) bool {
	if link {
		return mayLicense(a.rel)
	}
	return mayName(a.name)
}

// mayLicense is tag.MayLicense of the beginning of a link's relations.
func mayLicense(rel []byte) bool { return tag.MayLicense(rel[:min(len(rel), maxElementName)]) }

// mayName is tag.MayName of the beginning of a meta's name.
func mayName(name []byte) bool { return tag.MayName(name[:min(len(name), maxElementName)]) }

func (a *attributes) item(link bool) tag.Item {
	if link {
		return tag.NewLink(attributeText(a.rel, maxElementName), attributeText(a.href, tag.MaxLine+1),
			attributeText(a.kind, 256))
	}
	return tag.NewMeta(attributeText(a.name, maxElementName), attributeText(a.content, tag.MaxLine+1))
}

// attributeText is an attribute's value with its character references decoded, of
// at most limit bytes before decoding.
func attributeText(value []byte, limit int) string {
	value = value[:min(len(value), limit)]
	if bytes.IndexByte(value, '&') < 0 && bytes.IndexByte(value, '\r') < 0 && bytes.IndexByte(value, 0) < 0 {
		return string(value)
	}
	s := string(value)
	if strings.IndexByte(s, '\r') >= 0 { // HTML §13.2.3.5, normalising newlines
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	s = strings.ReplaceAll(s, "\x00", "\uFFFD") // HTML §13.2.5.36
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		n := referenceLen(s)
		b.WriteString(decodeReference(s[:n], s[n:]))
		s = s[n:]
	}
}

// referenceLen is the length of what may be a character reference at the beginning
// of s: "&", letters and digits, or "#" and a number, and a ";" where there is one.
func referenceLen(s string) int {
	n := 1
	if n < len(s) && s[n] == '#' {
		n++
		hex := n < len(s) && s[n]|0x20 == 'x'
		if hex {
			n++
		}
		for n < len(s) && (ascii.IsDigit(s[n]) || hex && isHexDigit(s[n])) {
			n++
		}
	} else {
		for n < len(s) && isAlnum(s[n]) {
			n++
		}
	}
	if n < len(s) && s[n] == ';' {
		n++
	}
	return n
}

func isHexDigit(c byte) bool { return ascii.Hex[c] != ascii.NotHex }

func isAlnum(c byte) bool { return ascii.IsDigit(c) || ascii.IsLetter(c) }

// decodeReference decodes a character reference of an attribute. A named one that
// lacks its ";" is none before "=", a letter or a digit (HTML §13.2.5.73), as in
// "?a=b&copy=1". One of more than 40 bytes is none. A numeric one needs digits but no ";" (HTML
// §13.2.5.75 to §13.2.5.80): package html sees both otherwise in the shortest ones.
func decodeReference(ref, rest string) string {
	if len(ref) > 40 && ref[1] != '#' {
		return ref
	}
	if len(ref) > 1 && ref[1] == '#' {
		number := strings.TrimSuffix(ref, ";")
		if !isHexDigit(number[len(number)-1]) {
			return ref
		}
		return html.UnescapeString(number + ";")
	}
	text := html.UnescapeString(ref)
	if text == ref || ref == "&semi;" {
		return text
	}
	if ref[len(ref)-1] != ';' && rest != "" && rest[0] == '=' {
		return ref
	}
	// Only a beginning of it was a reference: what is left of it ends the text.
	if last := text[len(text)-1]; isAlnum(last) || last == ';' {
		return ref
	}
	return text
}
