package evidence

import (
	"strconv"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// selection picks disallowed fetches by what a user names.
type selection struct {
	names []string
	found []bool // parallel to names
}

func newSelection(names []string) *selection {
	return &selection{names, make([]bool, len(names))}
}

// has reports whether a fetch is named: by its URL, its record id, FILE:OFFSET or the number
// of its row in violations. Without any name all violations are.
func (s *selection) has(r *evaluate.Result, file string, row int64) bool {
	if len(s.names) == 0 {
		return r.IsViolation()
	}
	f := r.Fetch
	has := false
	for i, name := range s.names {
		switch name {
		case f.URL, recordid.Text(f.RecordID), "<" + recordid.Text(f.RecordID) + ">", file + ":" + strconv.FormatInt(f.Offset, 10):
		case strconv.FormatInt(row, 10):
			if !r.IsViolation() {
				continue
			}
		default:
			continue
		}
		s.found[i], has = true, true
	}
	return has
}

// missed returns the names that no disallowed fetch has.
func (s *selection) missed() (names []string) {
	for i, found := range s.found {
		if !found {
			names = append(names, s.names[i])
		}
	}
	return names
}
