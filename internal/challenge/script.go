package challenge

import "bytes"

// assigns reports whether a script sets a variable, or a property, of a name, and has a string that is
// text, unless that is "". Names in strings, comments and regular expressions are none.
func assigns(script []byte, name, text string) bool {
	var sets, holds bool
	var last byte // that was no white space, outside of comments
	for i := 0; i < len(script); {
		c := script[i]
		before := last
		if c > ' ' {
			last = c
		}
		switch {
		case c == '"' || c == '\'' || c == '`':
			end := endOfString(script, i)
			holds = holds || string(script[i+1:max(i+1, end-1)]) == text
			i = end
		case bytes.HasPrefix(script[i:], []byte("//")):
			i, last = behind(script, i, "\n"), before
		case bytes.HasPrefix(script[i:], []byte("/*")):
			i, last = behind(script, i+2, "*/"), before
		case c == '/' && !isNameByte(before) && before != ')' && before != ']': // no division
			i = endOfString(script, i)
		case isNameByte(c):
			end := i
			for end < len(script) && isNameByte(script[end]) {
				end++
			}
			sets = sets || string(script[i:end]) == name && isAssigned(script[end:])
			i = end
		default:
			i++
		}
		if sets && (holds || text == "") {
			return true
		}
	}
	return false
}

// endOfString returns the place after the string or regular expression that begins at i. A string ends with
// its line, unless it is in backticks.
func endOfString(script []byte, i int) int {
	quote := script[i]
	for i++; i < len(script); i++ {
		switch c := script[i]; {
		case c == '\\':
			i++
		case c == quote:
			return i + 1
		case c == '\n' && quote != '`':
			return i
		}
	}
	return len(script)
}

// behind returns the place after the next end, from i on.
func behind(script []byte, i int, end string) int {
	n := bytes.Index(script[i:], []byte(end))
	if n < 0 {
		return len(script)
	}
	return i + n + len(end)
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

func isAssigned(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 1 && rest[0] == '=' && rest[1] != '='
}
