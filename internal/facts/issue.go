package facts

import (
	"cmp"
	"fmt"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Issue is something in an archive that could not be read or trusted, and what
// was done about it.
type Issue struct {
	Input    int32
	Entry    string // of a WACZ
	Offset   int64  // bytes from the start; -1: the input or entry as a whole
	Length   int64  // bytes concerned; -1 where unknown
	RecordID recordid.ID
	Kind     words.IssueKind
	Detail   string
	Action   string
}

// Issue is one of a record.
func (f *Fetch) Issue(kind words.IssueKind, action, format string, a ...any) Issue {
	return Issue{f.Input, f.Entry, f.Offset, f.Length, f.RecordID, kind, fmt.Sprintf(format, a...), action}
}

// compareIssues orders issues by place.
func compareIssues(a, b *Issue) int {
	return cmp.Or(
		cmp.Compare(a.Input, b.Input),
		cmp.Compare(a.Entry, b.Entry),
		cmp.Compare(a.Offset, b.Offset),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.RecordID, b.RecordID),
		cmp.Compare(a.Detail, b.Detail),
	)
}
