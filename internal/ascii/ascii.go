// Package ascii compares words as protocols do: by ASCII letters in any case. Package
// strings would also take U+212A, the Kelvin sign, for a k.
package ascii

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
