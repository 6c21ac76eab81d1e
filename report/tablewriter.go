package report

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
)

// Rows are encoded concurrently with their making: each table has a goroutine, which takes them some at a
// time.
const (
	handedRows = 64 // rows handed over at once
	handedMost = 2  // of these, waiting
)

// tableWriter writes one result table.
type tableWriter[T any] struct {
	name string
	path string
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

// newTable is the writer of NAME.parquet in dir.
func newTable[T any](dir, name string) *tableWriter[T] {
	t := &tableWriter[T]{
		name: name, path: filepath.Join(dir, tableFile(name)),
		full: make(chan []T, handedMost), used: make(chan []T, handedMost+1), done: make(chan struct{}),
	}
	go t.encodeAll()
	return t
}

// open makes the file and the encoder when they are first needed: an encoder takes a hundred
// kilobytes or two, and most tables of most audits have no row.
func (t *tableWriter[T]) open() (err error) {
	if t.out != nil {
		return nil
	}
	if t.file, err = os.Create(t.path); err != nil {
		return err
	}
	t.out = newEncoder[T](t.file, filepath.Dir(t.path), t.name)
	return nil
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
		if t.err = t.encode(rows); t.err != nil {
			return
		}
		clear(rows)
		t.used <- rows[:0]
	}
}

func (t *tableWriter[T]) encode(rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	if err := t.open(); err != nil {
		return err
	}
	return t.out.write(rows)
}

// finish writes what is left. A whole table has a file without rows, too.
func (t *tableWriter[T]) finish(whole bool) error {
	err := t.handOver()
	close(t.full)
	<-t.done
	if err = cmp.Or(err, t.err); err == nil && whole {
		err = t.open()
	}
	if t.file == nil {
		return err
	}
	return errors.Join(err, t.out.close(), t.file.Close())
}

// abandon closes the file without completing it.
func (t *tableWriter[T]) abandon() {
	close(t.full)
	<-t.done
	if t.file != nil {
		t.out.abandon()
		t.file.Close()
	}
}

func (t *tableWriter[T]) about() (name string, rows int64) { return t.name, t.rows }

// anyWriter writes a table of any row type.
type anyWriter interface {
	finish(whole bool) error
	abandon()
	about() (name string, rows int64)
}
