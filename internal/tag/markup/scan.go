// Package markup finds, in the HTML of a page, the elements that speak of its use.
//
// It is pure, and quick: most pages have no such element, and are hardly read.
//
//	found := scanner.Scan(page, charset, xml, more) // xml: it is XHTML; more: it goes on after this part
//
// Bytes after the first MaxScan are not looked at, so nobody need read them. Package tag says what speaks of use, and
// reads it.
package markup

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// Limits: every cap of the package.
const (
	// MaxScan is the number of bytes of a page that Scan looks at.
	MaxScan = 1 << 20

	maxPrescan = 1024     // bytes of a page in which its charset is looked for (HTML §13.2.3.2)
	maxKept    = 64 << 10 // bytes kept of all elements
	maxScript  = 32 << 10 // bytes kept of one script
)

func size(it *tag.Item) int { return len(it.Name) + len(it.Content) + len(it.Type) }

// A Scanner scans one page after the other in the same memory.
type Scanner struct {
	items  []tag.Item
	places []int // where they begin
}

// Scan finds the elements of a page that speak of its use: each meta whose name is known or whose content
// holds a word of the vocabulary, and each link to a licence. page is the decoded body or the beginning of
// it, charset the charset of its Content-Type, xml reports that this says XHTML, and more that the body goes on.
//
// It is a tokenizer and the part of the tree builder of the HTML standard that finds the end of the head
// (§13.2.6.4.1 to §13.2.6.4.6). After the head it knows no tree: it reports of metas there only that they are not in
// the head. The head is what it is in one of three readings: by a browser that runs no scripts, by one that does, and
// in the source, up to its end tag, whatever stands before that.
//
// Most pages hold no such element. So it first looks at every "<" that a meta or link could begin with, and
// only if one of those speaks of use does it read the page up to the last of them. The Items it returns are
// valid until the next page.
func (s *Scanner) Scan(page []byte, charset string, xml, more bool) tag.Found {
	f := s.scan(page, charset, xml, more)
	s.items = f.Items
	return f
}

func (s *Scanner) scan(page []byte, charset string, xml, more bool) tag.Found {
	f := tag.Found{Items: s.items[:0]}
	if len(page) > MaxScan {
		page, more = page[:MaxScan], true
	}
	f.Cut = more
	page = decode(page, charset)
	rsl := lastRSL(page)
	end := max(lastCandidate(page), rsl)
	if end == 0 && !more {
		return f
	}
	t := scanner{page: page, stop: end, head: more, scripts: rsl > 0, xml: xml, found: f, places: s.places[:0]}
	t.run()
	t.found.Open = more && t.isOpen()
	defer func() { s.places = t.places }()
	if t.isTwofold {
		other := scanner{page: page, stop: end, head: more, scripts: rsl > 0, scripting: true}
		other.run()
		t.found.Open = t.found.Open || more && other.isOpen()
		t.unite(&other)
	}
	return t.found
}

// unite adds what another reading of the page finds, and takes for its head what is in the head of either.
func (s *scanner) unite(other *scanner) {
	for i, it := range other.found.Items {
		at := other.places[i]
		n, isKnown := slices.BinarySearch(s.places, at)
		switch {
		case isKnown && it.Place.InHead() && !s.found.Items[n].Place.InHead():
			s.found.Items[n].Place = it.Place
		case isKnown:
		case len(s.places) >= tag.MaxItems || s.kept+size(&it) > maxKept:
			s.found.More = true
		default:
			s.found.Items, s.places = slices.Insert(s.found.Items, n, it), slices.Insert(s.places, n, at)
			s.kept += size(&it)
		}
	}
	s.found.More = s.found.More || other.found.More
}

// decode drops a byte order mark and turns UTF-16 into UTF-8, where the mark, the Content-Type or the first
// tag shows that it is; a meta can't declare it (HTML §13.2.3.2). In ISO-2022-JP, also if a meta declares
// it, the bytes of characters that would be markup are hidden. Other encodings are read as they are. In all
// that are in use, markup and the words of the vocabulary have the bytes of ASCII, and nothing else has the
// bytes of quotation marks and angle brackets.
func decode(page []byte, charset string) []byte {
	start := skipSpace16(page)
	switch charset = ascii.Lower(charset); {
	case bytes.HasPrefix(page, []byte("\xEF\xBB\xBF")):
		return page[3:]
	case bytes.HasPrefix(page, []byte("\xFE\xFF")):
		return []byte(robots.FromUTF16(page[2:], true))
	case bytes.HasPrefix(page, []byte("\xFF\xFE")):
		return []byte(robots.FromUTF16(page[2:], false))
	case charset == "utf-16be" && holdsNUL(page):
		return []byte(robots.FromUTF16(page, true))
	case utf16Names[charset] && holdsNUL(page):
		return []byte(robots.FromUTF16(page, false))
	case len(start) >= 4 && start[0] == 0 && start[1] == '<' && start[2] == 0:
		return []byte(robots.FromUTF16(page, true))
	case len(start) >= 4 && start[0] == '<' && start[1] == 0 && start[3] == 0:
		return []byte(robots.FromUTF16(page, false))
	case charset == "iso-2022-jp" || saysISO2022(page[:min(len(page), maxPrescan)]):
		return hideISO2022(page)
	}
	return page
}

// utf16Names are the labels of UTF-16 in little-endian order (WHATWG Encoding §4.2).
var utf16Names = map[string]bool{
	"utf-16": true, "utf-16le": true, "unicode": true, "ucs-2": true, "iso-10646-ucs-2": true,
	"csunicode": true, "unicodefeff": true,
}

// holdsNUL reports whether the beginning of a page may be UTF-16: markup then holds a
// NUL every other byte. Servers say so of pages that are none.
func holdsNUL(page []byte) bool { return bytes.IndexByte(page[:min(len(page), maxPrescan)], 0) >= 0 }

// skipSpace16 drops white space in UTF-16 of either order.
func skipSpace16(page []byte) []byte {
	for len(page) >= 2 && page[0]^page[1] != 0 && page[0]&page[1] == 0 && isSpace(page[0]|page[1]) {
		page = page[2:]
	}
	return page
}

// saysISO2022 reports whether the beginning of a page names the charset.
func saysISO2022(page []byte) bool {
	return bytes.Contains(page, []byte("2022-jp")) || bytes.Contains(page, []byte("2022-JP"))
}

// hideISO2022 sets the high bit of the bytes of two-byte characters, which makes them EUC-JP. They are
// between 0x21 and 0x7E, and could be read as a quotation mark or an angle bracket. Escape sequences mark
// where they begin and end (WHATWG Encoding §12.2).
func hideISO2022(page []byte) []byte {
	page = bytes.Clone(page)
	double := false
	for i := 0; i < len(page); i++ {
		switch c := page[i]; {
		case c == 0x1B && i+2 < len(page):
			double = page[i+1] == '$' && (page[i+2] == '@' || page[i+2] == 'B')
			i += 2
		case c == '\n':
			double = false
		case double && c > ' ':
			page[i] = c | 0x80
		}
	}
	return page
}

// lastRSL returns the end of the last "rsl+xml" in any case, with which the type of a script that holds
// a licence document ends; 0 where there is none.
func lastRSL(page []byte) (end int) {
	for i := 0; ; i++ {
		n := bytes.IndexByte(page[i:], '+')
		if n < 0 {
			return end
		}
		if i += n; i >= 3 && len(page)-i > 3 && ascii.IsWord(page[i-3:i], "rsl") && ascii.IsWord(page[i+1:i+4], "xml") {
			end = i + 4
		}
	}
}

// lastCandidate returns the end of the last "<" followed by "meta" or "link" whose
// attributes speak of use, wherever it stands; 0 where there is none. Every element
// that Scan can find is one of those, for where a tag begins, what is before it
// does not change how it is read.
func lastCandidate(page []byte) (end int) {
	var t attributes
	work := 0
	for i := 0; ; {
		n := nextMetaOrLink(page[i:])
		if n < 0 {
			return end
		}
		i += n + 1
		link := page[i]|0x20 == 'l'
		may, after := glance(page, i+4, link)
		if may {
			var ok bool
			after, ok = t.read(page, i+4)
			if ok && t.item(link).Speaks() {
				end = i + 1
			}
		}
		// Tags that never end would be read again and again.
		if work += after - i; work > 2*len(page) {
			return len(page)
		}
	}
}

const (
	stride  = 32 // bytes that are compared at once
	maxRun  = 16 // strides in a row, at most
	farAway = 64 // bytes between two "<" that make text of a page, not markup
)

// nextMetaOrLink returns the place of the next "<" before "meta" or "link", -1 if there is none. In text
// bytes.IndexByte is fastest. Where a "<" comes every few bytes it is faster to compare many places at
// once, in runs that grow while no meta or link is found.
func nextMetaOrLink(page []byte) int {
	le := binary.LittleEndian
	for i, run := 0, 0; ; {
		n := bytes.IndexByte(page[i:], '<')
		if n < 0 {
			return -1
		}
		i += n
		if len(page)-i < stride+1 {
			return lastMetaOrLink(page, i)
		}
		if n >= farAway || run == 0 { // what begins an element of text, and what ended the one before
			if isMetaOrLink(page[i+1:]) {
				return i
			}
			if metaOrLink(le.Uint64(page[i:]), le.Uint64(page[i+1:]))&high != 0 {
				if n := firstMetaOrLink(page[i:]); n >= 0 {
					return i + n
				}
			}
			i += 8
			if run /= 2; n < farAway {
				run = 1
			}
			continue
		}
		end := min(i+run*stride+1, len(page))
		run = min(2*run+1, maxRun)
		rest := page[i:end]
		for ; len(rest) > stride; rest = rest[stride:] {
			b := (*[stride + 1]byte)(rest)
			w := metaOrLink(le.Uint64(b[0:]), le.Uint64(b[1:]))
			w |= metaOrLink(le.Uint64(b[8:]), le.Uint64(b[9:]))
			w |= metaOrLink(le.Uint64(b[16:]), le.Uint64(b[17:]))
			w |= metaOrLink(le.Uint64(b[24:]), le.Uint64(b[25:]))
			if w&high == 0 {
				continue
			}
			at := end - len(rest)
			if n := firstMetaOrLink(page[at:]); n >= 0 {
				return at + n
			}
		}
		i = end - len(rest)
	}
}

// varies are the bits in which the letters L and M, in both cases, differ. They begin
// the names of few other elements.
const varies = ('l' ^ 'm') | ('a' ^ 'A')

const ones, high = 0x0101010101010101, 0x8080808080808080 // a byte's lowest and highest bit, eight times

// metaOrLink compares eight bytes, and the byte after each, at once. The highest bit of a byte is set where
// it is a "<" before one of those letters, and perhaps in later bytes; the other bits mean nothing.
func metaOrLink(here, behind uint64) uint64 {
	differs := (here ^ '<'*ones) | ((behind | varies*ones) ^ 'm'*ones)
	return (differs - ones) &^ differs
}

// firstMetaOrLink looks at the places that metaOrLink finds in the first bytes of
// page.
func firstMetaOrLink(page []byte) int {
	le := binary.LittleEndian
	for k := 0; k < stride; k += 8 {
		for w := metaOrLink(le.Uint64(page[k:]), le.Uint64(page[k+1:])) & high; w != 0; w &= w - 1 {
			if i := k + bits.TrailingZeros64(w)/8; page[i] == '<' && isMetaOrLink(page[i+1:]) {
				return i
			}
		}
	}
	return -1
}

// lastMetaOrLink is nextMetaOrLink byte by byte, from i on.
func lastMetaOrLink(page []byte, i int) int {
	for ; i < len(page); i++ {
		if page[i] == '<' && isMetaOrLink(page[i+1:]) {
			return i
		}
	}
	return -1
}

// isMetaOrLink reports whether one of the two names stands at the beginning.
func isMetaOrLink(b []byte) bool {
	if len(b) <= len("meta") {
		return false
	}
	const meta, link = 'm' | 'e'<<8 | 't'<<16 | 'a'<<24, 'l' | 'i'<<8 | 'n'<<16 | 'k'<<24
	name := binary.LittleEndian.Uint32(b) | 0x20202020 // in lower case
	return (name == meta || name == link) && endsName.has(b[len("meta")])
}

// hasName reports whether a tag name, and nothing more, stands at the beginning.
func hasName(b []byte, name string) bool {
	return len(b) > len(name) && ascii.IsWord(b[:len(name)], name) && endsName.has(b[len(name)])
}

// byteSet is a set of bytes below 64.
type byteSet uint64

const (
	space    byteSet = 1<<' ' | 1<<'\n' | 1<<'\t' | 1<<'\r' | 1<<'\f' // white space of HTML
	endsName         = space | 1<<'/' | 1<<'>'                        // bytes that end a tag's name
	endsKey          = endsName | 1<<'='                              // bytes that end an attribute's name
)

func (s byteSet) has(c byte) bool { return s>>c&1 != 0 }

// isSpace reports whether a byte is white space of HTML.
func isSpace(c byte) bool { return space.has(c) }
