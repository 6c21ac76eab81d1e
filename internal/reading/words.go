package reading

// nearest returns the known word that an unknown one differs from by so many letters at
// most, changed, left out or put in.
func nearest(unknown string, letters int, known ...string) (word string, ok bool) {
	for _, word := range known {
		if withinEdits(unknown, word, letters) {
			return word, true
		}
	}
	return "", false
}

// withinEdits reports whether n changed, missing or additional bytes make b of a.
func withinEdits(a, b string, n int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	switch {
	case len(a) == 0, len(b) == 0:
		return len(a)+len(b) <= n
	case n == 0:
		return false
	}
	return withinEdits(a[1:], b[1:], n-1) || withinEdits(a[1:], b, n-1) || withinEdits(a, b[1:], n-1)
}
