// Package report writes results: the tables in Parquet, audit.json, which commits
// them, and a summary to read.
//
// It does not know how verdicts are reached.
package report

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/codec"
)

// A row group is in memory, compressed, until it is written. It ends at whichever comes
// first. Of those before it the footer is in memory, which has an entry for every page:
// groups are as large as what they hold allows.
const (
	maxGroupRows  = 32_768
	maxGroupText  = 8 << 20  // octets of strings
	maxDictionary = 16 << 10 // octets where a column gives up its dictionary, with the page in hand
	maxPage       = 32 << 10 // octets of a page: every column of every table holds one
	chunk         = 4 << 10  // octets of what a row group is kept in: every column of one has a chunk that is not full
)

// Rows are encoded beside what makes them: each table has a goroutine, which takes
// them some at a time.
const (
	handedRows = 32 // rows handed over at once
	handedMost = 2  // of these, waiting
)

// encodedRows is how many rows the encoder gets at once. Of three or more it writes some
// nulls as "" or 0: in a column of an optional field that is no pointer, n nulls, then n
// values, then nulls to the end of 64 rows (parquet-go v0.32.0;
// github.com/parquet-go/parquet-go/issues/154).
const encodedRows = 2

// bounded are the columns whose least and greatest values a reader may use to pass over
// pages: the rows of an origin are neighbours. In all others the bounds of a page
// are as good as those of the table, and the footer has two values a page for them.
var bounded = map[string]bool{
	"url": true, "url_host_name": true, "url_host_registered_domain": true, "origin": true, "fetch_time": true, "robots_id": true,
}

// groupBuffers hold the compressed pages of the row groups in hand.
var groupBuffers = parquet.NewChunkBufferPool(chunk)

// pageCodec compresses the pages of all tables.
var pageCodec codec.Zstd

// table writes one result table.
type table[T any] struct {
	name string
	rows int64
	hand []T      // rows that are not yet handed over
	full chan []T // to the encoder
	used chan []T // back from it
	done chan struct{}
	err  error // of the encoder, when done is closed

	// What follows is the encoder's, until done is closed.
	file  *os.File
	w     *parquet.GenericWriter[T] // nil until the first row
	texts []int                     // fields of T that hold strings
	group struct{ rows, text int }  // of the row group in hand
}

// createTable starts NAME.parquet in dir. Nothing in the file depends on the clock
// or the machine: the same results are the same octets.
func createTable[T any](dir, name string) (*table[T], error) {
	f, err := os.Create(filepath.Join(dir, tableFile(name)))
	if err != nil {
		return nil, err
	}
	t := &table[T]{
		name: name, file: f, texts: textFields[T](),
		full: make(chan []T, handedMost), used: make(chan []T, handedMost+1), done: make(chan struct{}),
	}
	go t.encodeAll()
	return t, nil
}

// writer is made when it is first asked for: it takes a hundred kilobytes or two, and most
// tables of most audits have no row.
func (t *table[T]) writer() *parquet.GenericWriter[T] {
	if t.w != nil {
		return t.w
	}
	options := []parquet.WriterOption{
		parquet.Compression(&pageCodec),
		parquet.PageBufferSize(maxPage),
		parquet.ColumnPageBuffers(groupBuffers),
		parquet.DictionaryMaxBytes(maxDictionary),
		parquet.CreatedBy("robotsaudit", SchemaVersion, ""),
		parquet.KeyValueMetadata("robotsaudit.schema_version", SchemaVersion),
		parquet.KeyValueMetadata("robotsaudit.table", t.name),
	}
	for _, column := range parquet.SchemaOf(new(T)).Columns() {
		if !bounded[column[0]] {
			options = append(options, parquet.SkipPageBounds(column...))
		}
	}
	t.w = parquet.NewGenericWriter[T](t.file, options...)
	return t.w
}

// textFields lists the fields of a row whose length the archives decide.
func textFields[T any]() []int {
	var fields []int
	row := reflect.TypeFor[T]()
	for i := range row.NumField() {
		switch row.Field(i).Type {
		case reflect.TypeFor[string](), reflect.TypeFor[*string](), reflect.TypeFor[[]string]():
			fields = append(fields, i)
		}
	}
	return fields
}

// add appends a row. An error of writing may show only at a later row, or at the end.
func (t *table[T]) add(row T) error {
	t.rows++
	t.hand = append(t.hand, row)
	if len(t.hand) < handedRows {
		return nil
	}
	return t.handOver()
}

// handOver passes the rows in hand to the encoder.
func (t *table[T]) handOver() error {
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
func (t *table[T]) encodeAll() {
	defer close(t.done)
	for rows := range t.full {
		if t.err = t.encode(rows); t.err != nil {
			return
		}
		clear(rows)
		t.used <- rows[:0]
	}
}

func (t *table[T]) encode(rows []T) error {
	for part := range slices.Chunk(rows, encodedRows) {
		if _, err := t.writer().Write(part); err != nil {
			return err
		}
		t.group.rows += len(part)
		for i := range part {
			t.group.text += t.textSize(&part[i])
		}
		if t.group.rows >= maxGroupRows || t.group.text >= maxGroupText {
			t.group.rows, t.group.text = 0, 0
			if err := t.w.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *table[T]) textSize(row *T) (size int) {
	v := reflect.ValueOf(row).Elem()
	for _, i := range t.texts {
		switch field := v.Field(i); field.Kind() {
		case reflect.String:
			size += field.Len()
		case reflect.Pointer:
			if !field.IsNil() {
				size += field.Elem().Len()
			}
		case reflect.Slice:
			for j := range field.Len() {
				size += field.Index(j).Len()
			}
		}
	}
	return size
}

// finish writes what is left and makes the file last.
func (t *table[T]) finish() error {
	err := t.handOver()
	close(t.full)
	<-t.done
	return errors.Join(cmp.Or(err, t.err), t.writer().Close(), t.file.Sync(), t.file.Close())
}

// abandon closes the file without completing it.
func (t *table[T]) abandon() {
	close(t.full)
	<-t.done
	t.file.Close()
}

func (t *table[T]) about() (name string, rows int64) { return t.name, t.rows }

// anyTable is a table of any row type.
type anyTable interface {
	finish() error
	abandon()
	about() (name string, rows int64)
}

// tableNames lists all tables; the last two are written only where other tokens
// are asked for.
var tableNames = []string{
	"fetches", "violations", "contested", "robots", "page_tags", "effective_tags", "usage_signals", "tag_conflicts",
	"host_stats", "agent_stats", "exclusions", "issues", "group_verdicts", "robots_agents",
}

func tableFile(name string) string { return name + ".parquet" }
