package agents

import "strings"

// Nearest returns the name that somebody may have meant who wrote a word: one that differs in case,
// spaces, hyphens and underscores alone, or else in one letter, two if the word is long. Of several
// the nearest counts, and of equals the first. ok is false where there is none.
func Nearest(word string, names []string) (name string, ok bool) {
	word = fold(word)
	best := mistakes(len(word)) + 1
	for _, n := range names {
		if d := distance(word, fold(n)); d < best {
			name, ok, best = n, true, d
		}
	}
	return name, ok
}

// mistakes is how many letters of a word may be wrong: of a short one, any other is soon as near.
func mistakes(length int) int {
	switch {
	case length < 4:
		return 0
	case length < 8:
		return 1
	}
	return 2
}

// fold returns the form in which words are compared.
func fold(word string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(word))
}

// distance counts the letters to insert, delete or replace, and the neighbours to exchange, to make
// one word the other.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			row[j+1] = min(cost, row[j]+1, last[j+1]+1)
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
