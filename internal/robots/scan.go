package robots

import "math/bits"

// What is looked for in most bytes of a file is looked for in eight at once.
// An byte of a word is marked by its highest bit; above the first byte marked
// the marks may be wrong, and what the other bits are is left to highs.

// One in each byte of a word, and the highest bit in each.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// word returns the first eight bytes of s, the first the lowest.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// less marks the bytes of w that are less than n, which is at most 128.
func less(w, n uint64) uint64 { return (w - ones*n) &^ w }

// equal marks the bytes of w that are b.
func equal(w, b uint64) uint64 { return less(w^ones*b, 1) }

// firstMarked returns the number of the first byte marked.
func firstMarked(marks uint64) int { return bits.TrailingZeros64(marks) / 8 }

// lineEnd returns where the line of text[at] ends: at LF, at CR or at the end
// of the text (RFC 9309 §2.2).
func lineEnd(text string, at int) int {
	for ; at+8 <= len(text); at += 8 {
		w := word(text[at:])
		if marks := (equal(w, '\n') | equal(w, '\r')) & highs; marks != 0 {
			return at + firstMarked(marks)
		}
	}
	for at < len(text) && text[at] != '\n' && text[at] != '\r' {
		at++
	}
	return at
}

// nextLine returns where the next line begins after one that ends at end. CR LF
// is one line ending.
func nextLine(text string, end int) int {
	if end+1 < len(text) && text[end] == '\r' && text[end+1] == '\n' {
		return end + 2
	}
	return end + 1
}

// valueEnd returns where the value that text[at] is in ends at the latest: at a
// comment, a line ending or another control byte, or at the end of the text.
func valueEnd(text string, at int) int {
	for at+8 <= len(text) {
		w := word(text[at:])
		marks := (less(w, ' ') | equal(w, '#')) & highs
		if marks == 0 {
			at += 8
			continue
		}
		at += firstMarked(marks)
		if text[at] != '\t' {
			return at
		}
		at++
	}
	for at < len(text) && text[at] != '#' && !isControl(text[at]) {
		at++
	}
	return at
}
