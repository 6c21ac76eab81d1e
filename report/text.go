package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/internal/tag"
)

const (
	maxText = 2 << 10 // bytes kept of a value that an archive gives, but for names and URLs
	cutMark = "… (cut)"
)

// A column of text holds UTF-8: readers refuse the whole file for one byte that is
// none. Archives hold any bytes, so what is none is replaced, in two ways.

// locator makes a URL, a part of one, a file name or a rule valid: bytes that are
// no UTF-8 are percent-encoded. Rules match such a URL as they match the one
// recorded (RFC 9309 §2.2.2), and two names stay two.
func locator(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	const hex = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+16)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			b = append(b, '%', hex[s[0]>>4], hex[s[0]&0xf])
		} else {
			b = append(b, s[:n]...)
		}
		s = s[n:]
	}
	return string(b)
}

// text makes any other value valid, with U+FFFD for what is no UTF-8, and cuts it
// at its cap.
func text(s string) string {
	s = cut(s, maxText)
	if utf8.ValidString(s) { // far faster than what follows
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// ruleText is a rule as its file gives it, cut at its cap.
func ruleText(s string) string { return locator(cut(s, maxText)) }

// rawText is a tag or signal as written: the reader has cut it at its own cap.
func rawText(s string) string { return locator(cut(s, tag.MaxLine)) }

func cut(s string, n int) string {
	if len(s) > n {
		return Head(s, n) + cutMark
	}
	return s
}

// Head returns at most the first n bytes of s, and no part of a character.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for back := n; back > n-utf8.UTFMax && back > 0; back-- {
		if utf8.RuneStart(s[back]) {
			return s[:back]
		}
	}
	return s[:n] // no UTF-8
}

// known returns nil, which the tables write as null, unless v is known.
func known[T any](v T, isKnown bool) *T {
	if !isKnown {
		return nil
	}
	return new(v) // of v itself the address would be taken, and memory, where it is not known, too
}

// PlaceText names the place of a record in a file, or of a row, which has no length: in a compressed file its number.
func PlaceText(file string, offset, length int64) string {
	is := func(ending string) bool { return strings.HasSuffix(file, ending) }
	isArchive := strings.Contains(file, ".warc") || strings.Contains(file, ".arc")
	if length < 0 && !isArchive && slices.ContainsFunc([]string{".gz", ".bz2", ".zst"}, is) {
		return fmt.Sprintf("row %d", offset)
	}
	return fmt.Sprintf("offset %d", offset)
}
