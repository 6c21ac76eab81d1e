package evidence

import (
	"strconv"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// selection picks disallowed fetches by the user's names for them.
type selection struct {
	names []selected
	drop  bool // without any name: all disallowed fetches, not violations alone
}

type selected struct {
	text  string
	fetch facts.Name
	row   int64 // of violations, from 1; else 0
	found bool
}

func newSelection(names []string, drop bool) *selection {
	s := &selection{drop: drop}
	for _, text := range names {
		row, _ := strconv.ParseInt(text, 10, 64)
		s.names = append(s.names, selected{text: text, fetch: facts.ParseName(text), row: row})
	}
	return s
}

// has reports whether a fetch is named: by its URL, its record id, FILE:OFFSET or the number
// of its row in violations. Without any name all violations are, or all disallowed fetches.
func (s *selection) has(r *evaluate.Result, filename func(*facts.Fetch) string, row int64) bool {
	if len(s.names) == 0 {
		return s.drop || r.IsViolation()
	}
	has := false
	for i := range s.names {
		name := &s.names[i]
		if name.fetch.Fits(r.Fetch, filename) || name.row == row && r.IsViolation() {
			name.found, has = true, true
		}
	}
	return has
}

// missed returns the names that no disallowed fetch has.
func (s *selection) missed() (names []string) {
	for i := range s.names {
		if !s.names[i].found {
			names = append(names, s.names[i].text)
		}
	}
	return names
}
