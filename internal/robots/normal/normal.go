// Package normal has the forms in which the patterns and the paths of robots.txt are compared: that of RFC 9309
// §2.2.2, in which bytes have one encoding, and those that the parsers of crawlers make of them.
package normal

import (
	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

const upperHex = "0123456789ABCDEF"

// Unreserved are the characters that a percent-encoded form equals: RFC 3986
// §2.3.
var Unreserved = func() (t [256]bool) {
	for b := range t {
		t[b] = 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' ||
			b == '-' || b == '.' || b == '_' || b == '~'
	}
	return t
}()

// Escape reports the byte that s[i:] encodes where it begins with a
// percent-encoded byte.
func Escape(s string, i int) (b byte, ok bool) {
	if i+2 >= len(s) || s[i] != '%' {
		return 0, false
	}
	hi, lo := ascii.Hex[s[i+1]], ascii.Hex[s[i+2]]
	if hi|lo == ascii.NotHex {
		return 0, false
	}
	return hi<<4 | lo, true
}

// A unit is what some bytes of a path become for comparison: either the
// byte b, or b percent-encoded. It stands for width bytes of the original.
type unit struct {
	b       byte
	encoded bool
	width   int
}

// unitAt normalises the unit of a URI that begins at s[i] (RFC 9309 §2.2.2):
// unreserved characters are decoded, other escapes take upper-case digits,
// bytes outside ASCII are encoded, and so are "*" and "$", since the pattern
// matches them only in that form (§2.2.3, figure 6). Reserved bytes stay as
// they are: encoding them all, as a sentence of §2.2.2 has it, would equate
// what RFC 3986 §2.2 holds apart.
func unitAt(s string, i int) unit {
	b := s[i]
	switch {
	case b == '%':
		if v, ok := Escape(s, i); ok {
			return unit{v, !Unreserved[v], 3}
		}
	case b >= 0x80 || b == '*' || b == '$':
		return unit{b, true, 1}
	}
	return unit{b, false, 1}
}

// plainLength returns how many of the first bytes of path are their own
// normal form for sure: they hold no "%", "*", "$" and no byte outside ASCII.
func plainLength(path string) (n int) {
	for n < len(path) && path[n]|1 != '%' && path[n] != '*' && path[n] < 0x80 { // "$"|1 is "%"
		n++
	}
	return n
}

// Is reports whether path is its own normal form, as most are.
func Is(path string) bool {
	for i := plainLength(path); i < len(path); i += plainLength(path[i:]) {
		u := unitAt(path, i)
		if u.encoded && (u.width == 1 || path[i+1] != upperHex[u.b>>4] || path[i+2] != upperHex[u.b&0xF]) ||
			!u.encoded && u.width == 3 {
			return false
		}
		i += u.width
	}
	return true
}

// Append appends the normal form of path to dst.
func Append(dst []byte, path string) []byte {
	for i := 0; i < len(path); {
		u := unitAt(path, i)
		i += u.width
		if u.encoded {
			dst = AppendEscape(dst, u.b)
		} else {
			dst = append(dst, u.b)
		}
	}
	return dst
}

// AppendEscape appends b percent-encoded.
func AppendEscape(dst []byte, b byte) []byte {
	return append(dst, '%', upperHex[b>>4], upperHex[b&0xF])
}

// Becomes reports whether want is the normal form of path.
func Becomes(path, want string) bool {
	n := 0
	for i := 0; i < len(path); n++ {
		u := unitAt(path, i)
		if u.encoded || n == len(want) || u.b != want[n] {
			return false
		}
		i += u.width
	}
	return n == len(want)
}
