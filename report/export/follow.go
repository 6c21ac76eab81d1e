package export

import (
	"fmt"
	"iter"
)

// place is what tells the fetches of an audit apart.
type place struct {
	URL      string `parquet:"url,delta"`
	Filename string `parquet:"warc_filename,dict"`
	Offset   int64  `parquet:"warc_record_offset,delta"`
	RecordID string `parquet:"warc_record_id,optional"`
}

// follower reads a table whose rows are in the order of fetches, in step with them.
type follower[T any] struct {
	table   string
	placeOf func(*T) *place
	pull    func() (*T, error, bool)
	stop    func()
	row     *T // the next one, once read; valid until the one after it is
}

func follow[T any](rows iter.Seq2[*T, error], table string, placeOf func(*T) *place) *follower[T] {
	f := &follower[T]{table: table, placeOf: placeOf}
	f.pull, f.stop = iter.Pull2(rows)
	return f
}

// peek returns the next row, which stays; nil at the end.
func (f *follower[T]) peek() (*T, error) {
	if f.row == nil {
		row, err, ok := f.pull()
		if !ok || err != nil {
			return nil, err
		}
		f.row = row
	}
	return f.row, nil
}

// next returns the next row if it is of the fetch at p, else nil.
func (f *follower[T]) next(p *place) (*T, error) {
	row, err := f.peek()
	if row == nil || err != nil || *f.placeOf(row) != *p {
		return nil, err
	}
	f.row = nil
	return row, nil
}

// one returns the next row, which must be of the fetch at p.
func (f *follower[T]) one(p *place) (*T, error) {
	row, err := f.next(p)
	if row == nil && err == nil {
		err = disagree(f.table, p)
	}
	return row, err
}

// end makes sure that no row is left.
func (f *follower[T]) end() error {
	row, err := f.peek()
	if row != nil && err == nil {
		err = disagree(f.table, f.placeOf(row))
	}
	return err
}

func disagree(table string, p *place) error {
	return fmt.Errorf("the tables fetches and %s of the audit do not agree on the record at %s:%d; audit again", table, p.Filename, p.Offset)
}
