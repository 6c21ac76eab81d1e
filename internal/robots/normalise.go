package robots

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

const upperHex = "0123456789ABCDEF"

// unreserved are the characters that a percent-encoded form equals: RFC 3986
// §2.3.
var unreserved = func() (t [256]bool) {
	for b := range t {
		t[b] = 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' ||
			b == '-' || b == '.' || b == '_' || b == '~'
	}
	return t
}()

// escape reports the byte that s[i:] encodes where it begins with a
// percent-encoded byte.
func escape(s string, i int) (b byte, ok bool) {
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
		if v, ok := escape(s, i); ok {
			return unit{v, !unreserved[v], 3}
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

// isNormal reports whether path is its own normal form, as most are.
func isNormal(path string) bool {
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

// appendNormal appends the normal form of path to dst.
func appendNormal(dst []byte, path string) []byte {
	for i := 0; i < len(path); {
		u := unitAt(path, i)
		i += u.width
		if u.encoded {
			dst = appendEscape(dst, u.b)
		} else {
			dst = append(dst, u.b)
		}
	}
	return dst
}

// appendEscape appends b percent-encoded.
func appendEscape(dst []byte, b byte) []byte {
	return append(dst, '%', upperHex[b>>4], upperHex[b&0xF])
}

// normalisesTo reports whether want is the normal form of path.
func normalisesTo(path, want string) bool {
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

// NormalPath returns the form of a recorded path in which the profile
// compares it with patterns.
func (p Profile) NormalPath(path string) string { return p.spec().normalPath(path) }

func (s *spec) normalPath(path string) string {
	switch {
	case s.form >= formQuotedPath && s.form <= formFolded, s.form > formRaw && strings.ContainsAny(path, "%?+"):
		return s.form.rewrite(path, true)
	case s.form != formRFC || isNormal(path):
		return path
	}
	return string(appendNormal(nil, path))
}

// pattern returns the normal form of a rule's value.
func (s *spec) pattern(value string) string {
	switch {
	case s.form == formFolded && s.literal:
		return s.form.rewrite(withoutStars(value), false)
	case s.form > formRaw:
		return s.form.rewrite(value, false)
	case s.form == formRaw || s.isNormalPattern(value):
		return value
	}
	unreserves := s.form == formRFC
	dst := make([]byte, 0, 3*len(value))
	for i := 0; i < len(value); {
		b := value[i]
		switch v, ok := escape(value, i); {
		case ok && unreserves && unreserved[v]:
			dst = append(dst, v)
			i += 3
		case ok:
			dst = appendEscape(dst, v)
			i += 3
		case b >= 0x80 || b == '$' && unreserves && i < len(value)-1:
			dst = appendEscape(dst, b)
			i++
		default:
			dst = append(dst, b)
			i++
		}
	}
	return string(dst)
}

// isNormalPattern reports whether a rule's value is its own normal form for
// sure: nothing but stars and a final "$" in it is not plain.
func (s *spec) isNormalPattern(value string) bool {
	i := plainLength(value)
	for i < len(value) && (value[i] == '*' || value[i] == '$' && i == len(value)-1) {
		i++
		i += plainLength(value[i:])
	}
	return i == len(value)
}
