package robots

import "strings"

// shortPiece is how many bytes strings.Index finds in linear time: it may compare
// that many at each place of the text, as it does in a few machine words. Of longer
// ones it can be made to compare nearly all bytes at each place.
const shortPiece = 63

// find returns the first place of piece in text, or -1, in time linear in both
// lengths whatever they hold.
func find(text, piece string) int {
	switch {
	case len(piece) > len(text):
		return -1
	case len(piece) > shortPiece:
		return findLong(text, piece)
	}
	i := strings.Index(text, piece)
	if i < 0 {
		count(len(text))
	} else {
		count(i + len(piece))
	}
	return i
}

// findLong is find by the two-way algorithm of Crochemore and Perrin (1991). It
// splits the piece where a match on the right says most of how far to move on after
// a mismatch: at a critical factorisation. It looks at less than two bytes of the
// text for each that it moves on, and needs no memory.
func findLong(text, piece string) int {
	split, period := factorise(piece)
	steps := 4 * len(piece)
	last := len(text) - len(piece)
	periodic := piece[:split] == piece[period:min(period+split, len(piece))]
	if !periodic {
		period = max(split, len(piece)-split) + 1
	}
	known := 0 // how many first bytes are known to match, after a move by a period
	for at := 0; at <= last; {
		i := max(split, known)
		for i < len(piece) && piece[i] == text[at+i] {
			i++
		}
		steps += i - max(split, known) + 1
		if i < len(piece) {
			at += i - split + 1
			known = 0
			continue
		}
		i = split
		for i > known && piece[i-1] == text[at+i-1] {
			i--
		}
		steps += split - i + 1
		if i <= known {
			count(steps)
			return at
		}
		at += period
		if periodic {
			known = len(piece) - period
		}
	}
	count(steps)
	return -1
}

// factorise returns a critical factorisation of a piece and the period of its right
// part: the shorter of its greatest suffixes, by either order of the bytes.
func factorise(piece string) (split, period int) {
	split, period = greatestSuffix(piece, 0)
	if s, p := greatestSuffix(piece, 0xFF); s > split {
		return s, p
	}
	return split, period
}

// greatestSuffix returns where the greatest suffix of s begins and its period, bytes
// being compared after an exclusive or with flip: 0xFF turns their order round. It
// compares no more than twice as many bytes as s has.
func greatestSuffix(s string, flip byte) (start, period int) {
	period = 1
	for next, matched := 1, 0; next+matched < len(s); {
		switch a, b := s[next+matched]^flip, s[start+matched]^flip; {
		case a == b:
			if matched++; matched == period {
				next, matched = next+period, 0
			}
		case a < b:
			next, matched = next+matched+1, 0
			period = next - start
		default:
			start, next = next, next+1
			matched, period = 0, 1
		}
	}
	return start, period
}

// counter, which only tests set, is told how many bytes matching looks at.
var counter func(bytes int)

func count(bytes int) {
	if counter != nil {
		counter(bytes)
	}
}
