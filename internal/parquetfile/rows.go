package parquetfile

import (
	"fmt"
	"io"
)

// Rows decodes some columns of a file in step.
type Rows struct {
	Columns []*Values

	file       *File
	inflater   *inflater
	batch      int   // rows that are decoded at once, at most
	group, end int   // the next row group, and the one after the last
	left       int64 // rows of the row group in hand that were not decoded
}

// Rows returns a reader of some columns, each of a kind that is read. It decodes at most batch rows at once, and
// reads at least atOnce bytes of a column at a time; 0: as many as are good for a file on the disk.
func (f *File) Rows(columns []*Column, batch, atOnce int) *Rows {
	r := &Rows{file: f, inflater: new(inflater), batch: batch, end: len(f.Groups)}
	for _, c := range columns {
		r.Columns = append(r.Columns, newValues(c, r.inflater, atOnce))
	}
	return r
}

// Begin restricts the next rows to the row groups from one up to another.
func (r *Rows) Begin(from, to int) { r.group, r.end, r.left = from, to, 0 }

// Next decodes the next rows, and returns how many they are. It returns io.EOF after the last.
func (r *Rows) Next() (int, error) {
	for r.left == 0 {
		if r.group == r.end {
			return 0, io.EOF
		}
		g := &r.file.Groups[r.group]
		r.group++
		r.left = g.NumRows
		for _, v := range r.Columns {
			if err := v.open(r.file, &g.Columns[v.leaf]); err != nil {
				return 0, fmt.Errorf("column %s: %w", v.Name, err)
			}
		}
	}
	n := int(min(int64(r.batch), r.left))
	for _, v := range r.Columns {
		ready, err := v.ready()
		if err != nil {
			return 0, fmt.Errorf("column %s: %w", v.Name, err)
		}
		n = min(n, ready)
	}
	for _, v := range r.Columns {
		v.take(n)
	}
	r.left -= int64(n)
	return n, nil
}

// Pass passes over the rest of the row group in hand, and returns how many rows it has. So reading goes on after
// a damage.
func (r *Rows) Pass() (rows int64) {
	rows, r.left = r.left, 0
	return rows
}
