package tag

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// Inherit returns the policy header lines that hold for a revisit or 304: its
// original's, but where the response has a field of that name itself, its own
// (draft-illyes-repext-03 §3.1.4, RFC 9111 §4.3.4).
func Inherit(original, own string) string {
	if own == "" {
		return original
	}
	replaced := map[string]bool{}
	for line := range strings.SplitSeq(own, "\n") {
		replaced[fieldName(line)] = true
	}
	lines := []string{own}
	for line := range strings.SplitSeq(original, "\n") {
		if line != "" && !replaced[fieldName(line)] {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func fieldName(line string) string {
	name, _, _ := strings.Cut(line, ":")
	return ascii.Lower(trim(name))
}
