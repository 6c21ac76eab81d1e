package report

import (
	"cmp"
	"io"
)

// A RowWriter writes rows of any type to a Parquet file, as the result tables are written: in
// bounded memory, and the same rows as the same bytes. A row is a struct of exported fields with
// parquet tags, of the types that row types of the tables have.
type RowWriter[T any] struct {
	out  *encoder[T]
	rows []T // not yet encoded
}

// NewRowWriter starts a file. Its footer says that it is of the table; dir is for temporary files.
func NewRowWriter[T any](w io.Writer, dir, table string) *RowWriter[T] {
	return &RowWriter[T]{out: newEncoder[T](w, dir, table)}
}

// Write writes a row.
func (w *RowWriter[T]) Write(row T) error {
	w.rows = append(w.rows, row)
	if len(w.rows) < handedRows {
		return nil
	}
	return w.encode()
}

func (w *RowWriter[T]) encode() error {
	err := w.out.write(w.rows)
	clear(w.rows)
	w.rows = w.rows[:0]
	return err
}

// Close writes what is left, and the footer. It does not close the file. After an error of Write it
// returns that error, and removes temporary files.
func (w *RowWriter[T]) Close() error {
	return cmp.Or(w.encode(), w.out.close())
}
