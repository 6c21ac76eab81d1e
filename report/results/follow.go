package results

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
)

// Place identifies a fetch of an audit. Rows embed it.
type Place struct {
	Spot
	RecordID string `parquet:"warc_record_id,optional,delta"`
}

func (p *Place) isOf(f *Place) bool { return *p == *f }

// Spot is what identifies it, unless one compressed member holds several records of a URL. Rows embed it
// where neighbours differ in something else.
type Spot struct {
	URL      string `parquet:"url,delta"`
	Filename string `parquet:"warc_filename,dict"`
	Offset   int64  `parquet:"warc_record_offset,delta"`
}

func (s *Spot) isOf(f *Place) bool { return *s == f.Spot }
func (s *Spot) spot() *Spot        { return s }

// located is a row that embeds a Place or a Spot.
type located interface {
	isOf(f *Place) bool
	spot() *Spot
}

// A Follower reads a table whose rows are in the order of fetches, in step with them.
type Follower[T any] struct {
	table string
	pull  func() (*T, error, bool)
	stop  func()
	row   *T // the next one, once read; valid until the one after it is
}

// Follow begins to read a table. Rows of type T embed a Place or a Spot, unless Peek and Skip alone are called.
func Follow[T, R any](ctx context.Context, r *Results, table report.TableOf[R]) *Follower[T] {
	return FollowRows(Select[T](ctx, r, table), table.Name)
}

// FollowRows does the same with the rows of a table.
func FollowRows[T any](rows iter.Seq2[*T, error], table string) *Follower[T] {
	f := &Follower[T]{table: table}
	f.pull, f.stop = iter.Pull2(rows)
	return f
}

// Stop ends reading, wherever it is.
func (f *Follower[T]) Stop() { f.stop() }

// Peek returns the next row, which stays; nil at the end.
func (f *Follower[T]) Peek() (*T, error) {
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
func (f *Follower[T]) Skip() { f.row = nil }

// Next returns the next row if it is of the fetch at p, else nil.
func (f *Follower[T]) Next(p *Place) (*T, error) {
	row, err := f.Peek()
	if row == nil || err != nil || !any(row).(located).isOf(p) {
		return nil, err
	}
	f.row = nil
	return row, nil
}

// One returns the next row, which must be of the fetch at p.
func (f *Follower[T]) One(p *Place) (*T, error) {
	row, err := f.Next(p)
	if row == nil && err == nil {
		err = f.Disagrees(&p.Spot)
	}
	return row, err
}

// End makes sure that no row is left.
func (f *Follower[T]) End() error {
	row, err := f.Peek()
	if row != nil && err == nil {
		err = f.Disagrees(any(row).(located).spot())
	}
	return err
}

// Disagrees is the error of a table that has no row of the fetch at p, or one too many.
func (f *Follower[T]) Disagrees(p *Spot) error { return disagree(f.table, p) }

func disagree(table string, p *Spot) error {
	return fmt.Errorf("the tables fetches and %s of the audit do not agree on the record at %s:%d; audit again",
		table, p.Filename, p.Offset)
}

// Rules are the rules of disallowed fetches, which violations and unproven have, read in step with fetches.
type Rules struct{ violations, unproven *Follower[ruleRow] }

type ruleRow struct {
	Place
	Rule string `parquet:"rule,optional,dict"`
}

// FollowRules begins to read both tables.
func FollowRules(ctx context.Context, r *Results) *Rules {
	return &Rules{
		Follow[ruleRow](ctx, r, report.ViolationsTable), Follow[ruleRow](ctx, r, report.UnprovenTable),
	}
}

// Of returns the rule of the fetch at p, which has a certainty; "" for a fetch that has none.
func (x *Rules) Of(p *Place, certainty string) (string, error) {
	if certainty == "" {
		return "", nil
	}
	table := x.unproven
	if certainty == words.Certain.String() || certainty == words.Probable.String() {
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
