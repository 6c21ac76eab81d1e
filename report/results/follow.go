package results

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
)

// placed is a row of a fetch.
type placed interface{ Place() report.Place }

// placeColumns are the columns of places. A table may lack the last.
var placeColumns = []string{"url", "warc_filename", "warc_record_offset", "warc_record_id"}

// withPlace adds to names of columns those of the places that rows have.
func withPlace[R any](names []string) []string {
	for _, c := range report.FieldsOf(reflect.TypeFor[R]()) {
		if slices.Contains(placeColumns, c.Name) && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// A Follower reads a table whose rows are in the order of fetches, in step with them.
type Follower[R any] struct {
	table string
	pull  func() (*R, error, bool)
	stop  func()
	row   *R // the next one, once read; valid until the one after it is
}

// Follow begins to read columns of a table, and the places of its rows; without names, all columns.
func Follow[R any](ctx context.Context, r *Results, table report.TableOf[R], names ...string) *Follower[R] {
	if names != nil {
		names = withPlace[R](names)
	}
	return FollowRows(Rows(ctx, r, table, names...), table.Name)
}

// FollowRows does the same with the rows of a table.
func FollowRows[R any](rows iter.Seq2[*R, error], table string) *Follower[R] {
	f := &Follower[R]{table: table}
	f.pull, f.stop = iter.Pull2(rows)
	return f
}

// Stop ends reading, wherever it is.
func (f *Follower[R]) Stop() { f.stop() }

// Peek returns the next row, which stays; nil at the end.
func (f *Follower[R]) Peek() (*R, error) {
	if f.row == nil {
		row, err, ok := f.pull()
		if !ok || err != nil {
			return nil, err
		}
		f.row = row
	}
	return f.row, nil
}

// Skip passes over the next row, which Peek has returned.
func (f *Follower[R]) Skip() { f.row = nil }

// Next returns the next row if it is of the fetch at p, else nil.
func (f *Follower[R]) Next(p report.Place) (*R, error) {
	row, err := f.Peek()
	if row == nil || err != nil || any(row).(placed).Place() != p {
		return nil, err
	}
	f.row = nil
	return row, nil
}

// One returns the next row, which must be of the fetch at p.
func (f *Follower[R]) One(p report.Place) (*R, error) {
	row, err := f.Next(p)
	if row == nil && err == nil {
		err = f.Disagrees(p)
	}
	return row, err
}

// End makes sure that no row is left.
func (f *Follower[R]) End() error {
	row, err := f.Peek()
	if row != nil && err == nil {
		err = f.Disagrees(any(row).(placed).Place())
	}
	return err
}

// Disagrees is the error of a table that has no row of the fetch at p, or one too many.
func (f *Follower[R]) Disagrees(p report.Place) error { return disagree(f.table, p) }

func disagree(table string, p report.Place) error {
	return fmt.Errorf("the tables fetches and %s of the audit do not agree on the record at %s:%d; audit again",
		table, p.Filename, p.Offset)
}

// EachGroup passes on the rows of a capture in robots_agents, which come next, except for those of robots_id 0.
func EachGroup(agents *Follower[report.RobotsAgentRow], robotsID int64, do func(*report.RobotsAgentRow)) error {
	for {
		row, err := agents.Peek()
		if row == nil || err != nil || row.RobotsID != robotsID && row.RobotsID != 0 {
			return err
		}
		if row.RobotsID != 0 {
			do(row)
		}
		agents.Skip()
	}
}

// Rules are the rules of disallowed fetches, which violations and unproven have, read in step with fetches.
type Rules struct {
	violations, unproven *Follower[report.ViolationRow]
}

// FollowRules begins to read both tables.
func FollowRules(ctx context.Context, r *Results) *Rules {
	return &Rules{Follow(ctx, r, report.ViolationsTable, "rule"), Follow(ctx, r, report.UnprovenTable, "rule")}
}

// Of returns the rule of the fetch at p, which has a certainty; "" for a fetch that has none.
func (x *Rules) Of(p report.Place, certainty string) (string, error) {
	if certainty == "" {
		return "", nil
	}
	table := x.unproven
	if words.IsViolation(certainty) {
		table = x.violations
	}
	row, err := table.One(p)
	if err != nil {
		return "", err
	}
	return row.Rule, nil
}

// Stop ends reading.
func (x *Rules) Stop() {
	x.violations.Stop()
	x.unproven.Stop()
}

// End makes sure that no row is left.
func (x *Rules) End() error { return cmp.Or(x.violations.End(), x.unproven.End()) }
