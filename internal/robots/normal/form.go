package normal

import (
	"strings"
	"unicode/utf8"
)

// A Form is what is made of patterns and paths before they are compared.
type Form uint8

const (
	Google     Form = iota // patterns are normalised, and no escape is decoded
	RFC9309                // both are normalised: RFC 9309 §2.2.2
	Raw                    // neither is
	URI                    // patterns become what ECMAScript's encodeURI makes of them; escapes are upper-case
	Escaped                // both are normalised, and what no URI holds raw is encoded
	URLEncoded             // all escapes are decoded, "+" is a space, and what is no UTF-8 is U+FFFD
	Decoded                // escapes but %2F are decoded, a path ends at its query, a pattern begins at the root
	Mirrored               // paths are decoded as HTTrack does
)

// Path returns what a recorded path is compared as.
func (f Form) Path(path string) string {
	switch {
	case f == Escaped, f > Raw && strings.ContainsAny(path, "%?+"):
		return f.rewrite(path, true)
	case f != RFC9309 || Is(path):
		return path
	}
	return string(Append(nil, path))
}

// Pattern returns what the value of a rule is compared as.
func (f Form) Pattern(value string) string {
	switch {
	case f > Raw:
		return f.rewrite(value, false)
	case f == Raw || isNormalPattern(value):
		return value
	}
	unreserves := f == RFC9309
	dst := make([]byte, 0, 3*len(value))
	for i := 0; i < len(value); {
		b := value[i]
		switch v, ok := Escape(value, i); {
		case ok && unreserves && Unreserved[v]:
			dst = append(dst, v)
			i += 3
		case ok:
			dst = AppendEscape(dst, v)
			i += 3
		case b >= 0x80 || b == '$' && unreserves && i < len(value)-1:
			dst = AppendEscape(dst, b)
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
func isNormalPattern(value string) bool {
	i := plainLength(value)
	for i < len(value) && (value[i] == '*' || value[i] == '$' && i == len(value)-1) {
		i++
		i += plainLength(value[i:])
	}
	return i == len(value)
}

// rewrite is what a path, or else a pattern, is compared as.
func (f Form) rewrite(s string, isPath bool) string {
	switch f {
	case Mirrored:
		return mirrored(s, isPath)
	case URLEncoded:
		return formDecode(s, isPath)
	}
	switch path, query, _ := strings.Cut(s, "?"); {
	case f == Escaped:
	case isPath && (f == Decoded || query == ""): // an empty query is none
		s = path
	case f == Decoded && s != "" && s[0] != '/':
		s = "/" + s
	}
	dst := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); i++ {
		b := s[i]
		switch v, ok := Escape(s, i); {
		case ok && f == Decoded && v != '/':
			dst = append(dst, v)
			i += 2
		case ok && f == Escaped && Unreserved[v]:
			dst = append(dst, v)
			i += 2
		case ok && f != Decoded:
			dst = AppendEscape(dst, v)
			i += 2
		case f == URI && !isPath && !uriBytes[b],
			f == Escaped && (!pathBytes[b] || isPath && (b == '*' || b == '$')):
			dst = AppendEscape(dst, b)
		default:
			dst = append(dst, b)
		}
	}
	return string(dst)
}

// formDecode is rewrite for URLEncoded.
func formDecode(s string, isPath bool) string {
	switch {
	case AreEscapes(s):
	case isPath:
		return "/"
	default:
		return s
	}
	var dst []byte
	for i := 0; i < len(s); i++ {
		switch v, ok := Escape(s, i); {
		case ok:
			dst = append(dst, v)
			i += 2
		case s[i] == '+':
			dst = append(dst, ' ')
		case s[i] >= utf8.RuneSelf: // it reads US-ASCII
			dst = utf8.AppendRune(dst, utf8.RuneError)
		default:
			dst = append(dst, s[i])
		}
	}
	return string([]rune(string(dst)))
}

// AreEscapes reports whether each "%" begins an escape.
func AreEscapes(s string) bool {
	for i := range len(s) {
		if _, ok := Escape(s, i); s[i] == '%' && !ok {
			return false
		}
	}
	return true
}

// mirrored is rewrite for Mirrored. Before a query it decodes what is unreserved, a space, "(", ")" and "+", and what
// is UTF-8.
func mirrored(s string, isPath bool) string {
	if !isPath {
		return s
	}
	path, _, _ := strings.Cut(s, "?")
	dst := make([]byte, 0, len(s))
	for i := 0; i < len(path); i++ {
		var b [utf8.UTFMax]byte
		n := 0
		for v, ok := Escape(path, i); ok && n < len(b); v, ok = Escape(path, i+3*n) {
			b[n] = v
			n++
		}
		_, size := utf8.DecodeRune(b[:n])
		if size > 1 || n > 0 && (Unreserved[b[0]] || strings.IndexByte(" ()+", b[0]) >= 0) {
			i += 3*size - 1
		} else {
			b[0], size = path[i], 1
		}
		dst = append(dst, b[:size]...)
	}
	return string(dst) + s[len(path):]
}

// uriBytes are the bytes that encodeURI leaves, and "%"; pathBytes those that crawler-commons leaves.
var (
	uriBytes  = withUnreserved(";,/?:@&=+$!*'()#%")
	pathBytes = withUnreserved(";,/?:@&=+$!*'()\\")
)

func withUnreserved(more string) (t [256]bool) {
	for b := range t {
		t[b] = Unreserved[b] || strings.IndexByte(more, byte(b)) >= 0
	}
	return t
}
