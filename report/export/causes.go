package export

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// WriteCause writes the rows of tables that the report counts by a cause (figures.Causes) under "What to do", and
// returns how many there are. A text has their URLs, or else the names of inputs.
func WriteCause(ctx context.Context, w io.Writer, r *results.Results, cause string, format Format) (int64, error) {
	violation := func(v *report.ViolationRow) string { return v.URL }
	switch cause {
	case figures.CauseUnproven:
		return writeTable(w, format, results.Rows(ctx, r, report.UnprovenTable), nil, violation)
	case figures.CauseUnknown, figures.CauseForged:
		isOf := func(f *report.FetchRow) bool {
			if cause == figures.CauseForged {
				return f.Reason == words.ForgedAgent.String()
			}
			return f.Verdict == words.Unknown.String() && !words.IsOfNobody(f.Reason)
		}
		return writeTable(w, format, results.Rows(ctx, r, report.FetchesTable), isOf,
			func(f *report.FetchRow) string { return f.URL })
	case figures.CauseUse:
		return writeTable(w, format, results.Rows(ctx, r, report.RestrictionsTable), nil,
			func(x *report.RestrictionRow) string { return x.URL })
	case figures.CauseUnread:
		return writeTable(w, format, results.Rows(ctx, r, report.IssuesTable),
			func(i *report.IssueRow) bool { return figures.IsLossy(i.Kind) },
			func(i *report.IssueRow) string { return i.WARCFilename })
	}
	isOf := func(v *report.ViolationRow) bool {
		is, known := figures.IsWhy(cause, v)
		return is || !known && figures.CauseOf(v) == cause
	}
	return writeTable(w, format, results.Rows(ctx, r, report.ViolationsTable), isOf, violation)
}

// writeTable writes the wanted rows of a table; without wanted all. A text has their keys.
func writeTable[R any](w io.Writer, format Format, rows iter.Seq2[*R, error], wanted func(*R) bool,
	key func(*R) string,
) (n int64, err error) {
	dir, remove, err := durable.Temporary("")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	out := newRowWriter[R](w, format, dir)
	for row, err := range rows {
		switch {
		case err != nil:
			return n, err
		case wanted != nil && !wanted(row):
			continue
		case format == Text:
			_, err = io.WriteString(w, oneLine(key(row))+"\n")
		default:
			err = out.Write(row)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	if format == Text {
		return n, nil
	}
	return n, out.Close()
}
