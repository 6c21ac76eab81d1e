// Package ascii reads letters and digits as protocols do. It compares words by ASCII letters in
// any case: package strings would also take U+212A, the Kelvin sign, for a k.
package ascii

// Hex has the value of each hexadecimal digit, and NotHex for all other bytes.
var Hex = func() (values [256]byte) {
	for c := range values {
		values[c] = NotHex
	}
	for i := range byte(16) {
		values["0123456789abcdef"[i]], values["0123456789ABCDEF"[i]] = i, i
	}
	return values
}()

// NotHex is in Hex for a byte that is no digit. A value with its bits is NotHex, too.
const NotHex = 0xff

// Lower returns s with ASCII letters in lower case. It leaves all other bytes as they are,
// also those that are no UTF-8.
func Lower(s string) string {
	for i := range len(s) {
		if s[i] != LowerByte(s[i]) {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = LowerByte(b[i])
			}
			return string(b)
		}
	}
	return s
}

// LowerByte returns a byte, in lower case if it is an ASCII letter.
func LowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// EqualFold reports whether two strings differ in the case of ASCII letters at most.
func EqualFold[T string | []byte](a T, b string) bool { return len(a) == len(b) && HasPrefixFold(a, b) }

// HasPrefixFold reports whether s begins with a prefix, in any case.
func HasPrefixFold[T string | []byte](s T, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if LowerByte(s[i]) != LowerByte(prefix[i]) {
			return false
		}
	}
	return true
}

// IsWord reports whether s is this word of lower-case letters, in any case.
func IsWord[T string | []byte](s T, word string) bool {
	if len(s) != len(word) {
		return false
	}
	for i := range len(word) {
		if s[i]|0x20 != word[i] {
			return false
		}
	}
	return true
}

// IsLetter reports whether a byte is a letter.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether a byte is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsSpace reports whether a byte is white space of HTML.
func IsSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// Escaped percent-encodes the bytes of s of which odd is true.
func Escaped(s string, odd func(byte) bool) string {
	const hex = "0123456789ABCDEF"
	var b []byte
	for i := range len(s) {
		c := s[i]
		switch {
		case odd(c):
			if b == nil {
				b = append(make([]byte, 0, 3*len(s)), s[:i]...)
			}
			b = append(b, '%', hex[c>>4], hex[c&0xf])
		case b != nil:
			b = append(b, c)
		}
	}
	if b == nil {
		return s
	}
	return string(b)
}
