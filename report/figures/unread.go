package figures

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const (
	maxUnread = 200 // archives with problems that are listed
	maxDetail = 330 // characters of what is said of one
)

// issueTally counts issues. Those of an archive come one after the other.
type issueTally struct {
	kinds  map[string]int64
	unread []unreadArchive // the first of archives
	total  int64           // archives with something that could not be read
	file   string          // the last of them

	zoneless     int64  // inputs with times without a time zone
	zonelessFile string // the last of them
}

// unreadArchive is an archive with something that could not be read, and the first problems.
type unreadArchive struct {
	file, kind string // kind: of the first
	first      []problem
	offset     *int64 // of the first
	problems   int64
}

type problem struct{ kind, detail string }

// shownPlaces is how many of the problems of an archive are shown.
const shownPlaces = 3

func (t *issueTally) add(row *report.IssueRow) {
	if t.kinds == nil {
		t.kinds = make(map[string]int64)
	}
	t.kinds[row.Kind]++
	if row.Kind == words.IssueDateWithoutZone.String() && (t.zoneless == 0 || row.WARCFilename != t.zonelessFile) {
		t.zoneless++
		t.zonelessFile = strings.Clone(row.WARCFilename)
	}
	if IsLossy(row.Kind) {
		t.addUnread(row)
	}
}

// IsLossy reports whether fetches may be missing for an issue of a kind.
func IsLossy(kind string) bool { return words.Find(words.Issues, kind).Effect == words.FetchesMissing }

func (t *issueTally) addUnread(row *report.IssueRow) {
	if t.total == 0 || row.WARCFilename != t.file {
		t.total++
		t.file = strings.Clone(row.WARCFilename)
		if len(t.unread) < maxUnread {
			t.unread = append(t.unread,
				unreadArchive{file: prose.Clip(t.file, prose.MaxName), kind: row.Kind, offset: row.Offset})
		}
	}
	if t.total > maxUnread {
		return
	}
	in, n := &t.unread[t.total-1], int64(1)
	if _, err := fmt.Sscanf(row.Detail, words.MoreRows, &n); err != nil && len(in.first) < shownPlaces {
		in.first = append(in.first, problem{row.Kind, strings.Clone(prose.Clip(row.Detail, maxDetail))})
	}
	in.problems += n
}

// section lists what could not be read, and what was noted.
func (t *issueTally) section(a *report.Audit, part *results.Part) document.Section {
	archives := document.NewTable("unread-archives", "Inputs that could not be wholly read", "Every input was wholly read.",
		document.Code.Columns("File"), document.Number.Columns("Problems"), document.Words.Columns("The first", "Detail"),
		document.Number.Columns("At byte"))
	for _, u := range t.unread {
		var details []string
		for _, p := range u.first {
			details = append(details, p.detail)
		}
		archives.Add(u.file, u.problems, issueText(u.kind), strings.Join(details, "; "), u.offset)
	}
	archives.LeaveOut(t.total-int64(len(t.unread)), "table issues")
	s := document.Section{ID: "unread", Heading: "What could not be read", Tables: []document.Table{archives, t.kindTable()}}
	if !part.IsZero() {
		s.Intro = append(s.Intro, "This section is of the whole audit.")
	}
	if a.Totals.Duplicates > 0 {
		s.Intro = append(s.Intro,
			fmt.Sprintf("Of %s the archives hold another copy; each was counted once.",
				report.Count(a.Totals.Duplicates, "record")))
	}
	return s
}

func (t *issueTally) kindTable() document.Table {
	kinds := document.NewTable("unread-kinds", "All that was noted, by kind", "Nothing was noted.",
		document.Words.Columns("What"), document.Number.Columns("Times"), document.Words.Columns("Fetches may be missing"))
	missing := func(kind string) string {
		if IsLossy(kind) {
			return "yes"
		}
		return "no"
	}
	names := slices.SortedFunc(maps.Keys(t.kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(missing(b), missing(a)), cmp.Compare(t.kinds[b], t.kinds[a]), cmp.Compare(a, b))
	})
	for _, k := range names {
		kinds.Add(issueText(k), t.kinds[k], missing(k))
	}
	return kinds
}

// issueText describes a kind of issue.
func issueText(kind string) string { return cmp.Or(report.IssueText(kind), prose.Visible(kind)) }
