// Package report writes results: the tables in Parquet, audit.json, which commits
// them, and a summary to read.
//
// It does not know how verdicts are reached.
package report

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/codec"
)

// A row group is in memory, compressed, until it is written. It ends at whichever comes
// first. Of those before it the footer is in memory, which has an entry for every page:
// groups are as large as what they hold allows.
const (
	maxGroupRows  = 65_536
	maxGroupText  = 8 << 20  // octets of strings
	maxDictionary = 64 << 10 // octets where a column gives up its dictionary, with the page in hand
	maxPage       = 16 << 10 // octets of a page: every column of every table holds one
)

// maxBatch is how many rows the encoder gets at once. Of three or more it writes some
// nulls as "" or 0: in a column of an optional field that is no pointer, n nulls, then n
// values, then nulls to the end of 64 rows (parquet-go v0.32.0;
// github.com/parquet-go/parquet-go/issues/154).
const maxBatch = 2

// pageCodec compresses the pages of all tables.
var pageCodec codec.Zstd

// table writes one result table.
type table[T any] struct {
	name  string
	file  *os.File
	w     *parquet.GenericWriter[T]
	texts []int // fields of T that hold strings
	rows  int64
	batch []T
	group struct{ rows, text int } // of the row group in hand
}

// createTable starts NAME.parquet in dir. Nothing in the file depends on the clock
// or the machine: the same results are the same octets.
func createTable[T any](dir, name string) (*table[T], error) {
	f, err := os.Create(filepath.Join(dir, tableFile(name)))
	if err != nil {
		return nil, err
	}
	w := parquet.NewGenericWriter[T](f,
		parquet.Compression(&pageCodec),
		parquet.PageBufferSize(maxPage),
		parquet.DictionaryMaxBytes(maxDictionary),
		parquet.CreatedBy("robotsaudit", SchemaVersion, ""),
		parquet.KeyValueMetadata("robotsaudit.schema_version", SchemaVersion),
		parquet.KeyValueMetadata("robotsaudit.table", name),
	)
	return &table[T]{name: name, file: f, w: w, texts: textFields[T](), batch: make([]T, 0, maxBatch)}, nil
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

// add appends a row. Rows reach the file some at a time.
func (t *table[T]) add(row T) error {
	t.rows++
	t.batch = append(t.batch, row)
	t.group.rows++
	t.group.text += t.textSize(&t.batch[len(t.batch)-1])
	switch {
	case t.group.rows >= maxGroupRows || t.group.text >= maxGroupText:
		return t.endGroup()
	case len(t.batch) == maxBatch:
		return t.encode()
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

// encode hands the batch to the encoder.
func (t *table[T]) encode() error {
	_, err := t.w.Write(t.batch)
	clear(t.batch)
	t.batch = t.batch[:0]
	return err
}

// endGroup writes the row group in hand.
func (t *table[T]) endGroup() error {
	t.group.rows, t.group.text = 0, 0
	if err := t.encode(); err != nil {
		return err
	}
	return t.w.Flush()
}

// finish writes what is left and makes the file last.
func (t *table[T]) finish() error {
	return errors.Join(t.encode(), t.w.Close(), t.file.Sync(), t.file.Close())
}

// abandon closes the file without completing it.
func (t *table[T]) abandon() { t.file.Close() }

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
