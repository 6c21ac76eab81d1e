package weburl

import (
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// SameInIndex reports whether a URL of an index and a URL of a record are the same, but for how
// indexes write characters that no URI may hold.
func SameInIndex(row, record string) bool {
	plain := Escaped(row)
	return plain == Escaped(record) || plain == Escaped(fromLatin1(record))
}

// fromLatin1 takes bytes for Latin-1 and writes them as UTF-8.
func fromLatin1(s string) string {
	b := make([]rune, 0, len(s))
	for i := range len(s) {
		b = append(b, rune(s[i]))
	}
	return string(b)
}

// Escaped is a URL in the form of indexes that percent-encode characters that no URI
// may hold.
func Escaped(url string) string {
	return ascii.Escaped(url, func(c byte) bool { return c <= ' ' || c > '~' })
}

// Likeness is the common form of a URL and of its variants in indexes: some take bytes outside
// ASCII for Latin-1, some write an octet as an escape, or an escape as the octet.
func Likeness(url string) string {
	if !strings.ContainsFunc(url, func(c rune) bool { return c == '%' || c <= ' ' || c > '~' }) {
		return url
	}
	b := make([]byte, 0, len(url))
	for i := 0; i < len(url); i++ {
		c := url[i]
		if c == '%' && i+2 < len(url) {
			n, err := strconv.ParseUint(url[i+1:i+3], 16, 8)
			if i += 2; err != nil {
				continue
			}
			c = byte(n)
		}
		if c > ' ' && c <= '~' && c != '%' {
			b = append(b, c)
		}
	}
	return string(b)
}
