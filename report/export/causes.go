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

// WriteCause writes the rows of tables that the report counts by a cause (figures.Causes) under "What to do", or what
// holds their fetches, and returns how many rows it wrote. A text has their URLs, or the names of inputs.
func WriteCause(
	ctx context.Context, w io.Writer, r *results.Results, cause string, by By, format Format,
) (int64, error) {
	switch cause {
	case figures.CauseUnproven:
		return writeTable(ctx, w, by, format, results.Rows(ctx, r, report.UnprovenTable), nil, forbidden)
	case figures.CauseUnknown, figures.CauseForged:
		isOf := func(f *report.FetchRow) bool {
			if cause == figures.CauseForged {
				return f.Reason == words.ForgedAgent.String()
			}
			return f.Verdict == words.Unknown.String() && !words.IsOfNobody(f.Reason)
		}
		return writeTable(ctx, w, by, format, results.Rows(ctx, r, report.FetchesTable), isOf, undecided)
	case figures.CauseUse:
		return writeTable(ctx, w, by, format, results.Rows(ctx, r, report.RestrictionsTable), nil, restricted)
	case figures.CauseUnread:
		return writeTable(ctx, w, by, format, results.Rows(ctx, r, report.IssuesTable),
			func(i *report.IssueRow) bool { return figures.IsLossy(i.Kind) },
			func(i *report.IssueRow) (report.FetchRow, decision) {
				return report.FetchRow{FetchedURL: report.FetchedURL{URL: i.WARCFilename}}, decision{}
			})
	}
	isOf := func(v *report.ViolationRow) bool {
		is, known := figures.IsWhy(cause, v)
		return is || !known && figures.CauseOf(v) == cause
	}
	return writeTable(ctx, w, by, format, results.Rows(ctx, r, report.ViolationsTable), isOf, forbidden)
}

// forbidden, undecided and restricted are the fetch of a row, and what the lists make of it.
func forbidden(v *report.ViolationRow) (report.FetchRow, decision) {
	f := report.FetchRow{SURTKey: v.SURTKey}
	f.URL, f.HostName, f.RegisteredDomain, f.Origin = v.URL, v.HostName, v.RegisteredDomain, v.Origin
	f.FetchTime, f.WARCFilename, f.WARCRecordOffset, f.WARCRecordID = v.FetchTime, v.WARCFilename, v.WARCRecordOffset,
		v.WARCRecordID
	return f, because(words.CauseDisallowed, Grounds{
		Detail: v.Reason, Agent: v.Agent, Rule: v.Rule, RuleLine: v.RuleLine, RobotsID: v.RobotsID,
	})
}

func undecided(f *report.FetchRow) (report.FetchRow, decision) {
	return *f, because(words.RobotsUnknown, Grounds{
		Detail: f.Reason, Agent: f.Agent, RuleLine: f.RuleLine, RobotsID: f.RobotsID,
	})
}

func restricted(x *report.RestrictionRow) (report.FetchRow, decision) {
	grounds := Grounds{Detail: x.Kind, Purpose: x.Purpose}
	if len(x.Statements) > 0 {
		grounds.Statement = x.Statements[0]
	}
	row := report.FetchRow{FetchedURL: x.FetchedURL, RecordPlace: x.RecordPlace}
	return row, because(words.CauseRestricted, grounds)
}

func because(cause words.Cause, grounds Grounds) decision {
	grounds.Reason = cause.String()
	return decision{cause.Fate(), cause, grounds}
}

// writeTable writes the wanted rows of a table; without wanted all. By something else than records, it writes
// what holds their fetches.
func writeTable[R any](ctx context.Context, w io.Writer, by By, format Format, rows iter.Seq2[*R, error],
	wanted func(*R) bool, fetchOf func(*R) (report.FetchRow, decision),
) (n int64, err error) {
	dir, remove, err := durable.Temporary("")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	each := func(do func(*R) error) error {
		for row, err := range rows {
			if err == nil && (wanted == nil || wanted(row)) {
				err = do(row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if by != ByRecord {
		l := &list{options: Options{By: by}, dir: dir}
		l.fetches = func(_ context.Context, do func(*entry) error) error {
			var last report.Place // a fetch has a restriction for each purpose
			return each(func(row *R) error {
				f, why := fetchOf(row)
				e := l.entryOf(&f, &why)
				if e.Place == last {
					return nil
				}
				last = e.Place
				return do(&e)
			})
		}
		err := l.write(ctx, w, format)
		return l.summary.Total(), err
	}
	out := newRowWriter[R](w, format, dir)
	err = each(func(row *R) error {
		n++
		if format == Text {
			f, _ := fetchOf(row)
			return writeLine(w, f.URL)
		}
		return out.Write(row)
	})
	if err != nil {
		return n, err
	}
	return n, out.Close()
}
