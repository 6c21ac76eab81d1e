package report

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
)

// Rows are encoded beside what makes them: each table has a goroutine, which takes
// them some at a time.
const (
	handedRows = 64 // rows handed over at once
	handedMost = 2  // of these, waiting
)

// tableWriter writes one result table.
type tableWriter[T any] struct {
	name string
	rows int64
	hand []T      // rows that are not yet handed over
	full chan []T // to the encoder
	used chan []T // back from it
	done chan struct{}
	err  error // of the encoder, when done is closed

	// What follows is the encoder's, until done is closed.
	file *os.File
	out  *encoder[T] // nil until the first row
}

// createTable starts NAME.parquet in dir.
func createTable[T any](dir, name string) (*tableWriter[T], error) {
	f, err := os.Create(filepath.Join(dir, tableFile(name)))
	if err != nil {
		return nil, err
	}
	t := &tableWriter[T]{
		name: name, file: f,
		full: make(chan []T, handedMost), used: make(chan []T, handedMost+1), done: make(chan struct{}),
	}
	go t.encodeAll()
	return t, nil
}

// encoder is made when it is first asked for: it takes a hundred kilobytes or two, and most
// tables of most audits have no row.
func (t *tableWriter[T]) encoder() *encoder[T] {
	if t.out == nil {
		t.out = newEncoder[T](t.file, filepath.Dir(t.file.Name()), t.name, handedRows)
	}
	return t.out
}

// add appends a row. An error of writing may show only at a later row, or at the end.
func (t *tableWriter[T]) add(row T) error {
	t.rows++
	t.hand = append(t.hand, row)
	if len(t.hand) < handedRows {
		return nil
	}
	return t.handOver()
}

// handOver passes the rows in hand to the encoder.
func (t *tableWriter[T]) handOver() error {
	select {
	case <-t.done:
		return t.err
	case t.full <- t.hand:
	}
	select {
	case t.hand = <-t.used:
	default:
		t.hand = make([]T, 0, handedRows)
	}
	return nil
}

// encodeAll encodes what is handed over, until there is no more of it or an error.
func (t *tableWriter[T]) encodeAll() {
	defer close(t.done)
	for rows := range t.full {
		if t.err = t.encoder().write(rows); t.err != nil {
			return
		}
		clear(rows)
		t.used <- rows[:0]
	}
}

// finish writes what is left and makes the file last.
func (t *tableWriter[T]) finish() error {
	err := t.handOver()
	close(t.full)
	<-t.done
	return errors.Join(cmp.Or(err, t.err), t.encoder().close(), t.file.Sync(), t.file.Close())
}

// abandon closes the file without completing it.
func (t *tableWriter[T]) abandon() {
	close(t.full)
	<-t.done
	t.file.Close()
}

func (t *tableWriter[T]) about() (name string, rows int64) { return t.name, t.rows }

// anyWriter writes a table of any row type.
type anyWriter interface {
	finish() error
	abandon()
	about() (name string, rows int64)
}
