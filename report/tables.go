// Package report writes results: the tables in Parquet, audit.json, which commits
// them, and a summary to read.
//
// It does not know how verdicts are reached.
package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// maxRowGroup bounds the rows that a writer holds in memory.
const maxRowGroup = 50_000

// table writes one result table.
type table[T any] struct {
	file *os.File
	w    *parquet.GenericWriter[T]
	rows int64
	buf  []T
}

// createTable starts NAME.parquet in dir. Nothing in the file depends on the clock
// or the machine: the same results are the same octets.
func createTable[T any](dir, name string) (*table[T], error) {
	f, err := os.Create(filepath.Join(dir, name+".parquet"))
	if err != nil {
		return nil, err
	}
	w := parquet.NewGenericWriter[T](f,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.MaxRowsPerRowGroup(maxRowGroup),
		parquet.CreatedBy("robotsaudit", SchemaVersion, ""),
		parquet.KeyValueMetadata("robotsaudit.schema_version", SchemaVersion),
		parquet.KeyValueMetadata("robotsaudit.table", name),
	)
	return &table[T]{file: f, w: w, buf: make([]T, 0, 256)}, nil
}

// add appends a row. Rows reach the file some at a time.
func (t *table[T]) add(row T) error {
	t.rows++
	t.buf = append(t.buf, row)
	if len(t.buf) < cap(t.buf) {
		return nil
	}
	return t.flush()
}

func (t *table[T]) flush() error {
	_, err := t.w.Write(t.buf)
	clear(t.buf)
	t.buf = t.buf[:0]
	return err
}

func (t *table[T]) close() error {
	return errors.Join(t.flush(), t.w.Close(), t.file.Sync(), t.file.Close())
}

func (t *table[T]) count() int64 { return t.rows }

// closer is a table of any row type.
type closer interface {
	close() error
	count() int64
}

// optional returns nil for "", which the tables write as null.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// known returns nil, which the tables write as null, unless v is known.
func known[T any](v T, isKnown bool) *T {
	if !isKnown {
		return nil
	}
	return &v
}

// commaList joins names into one value; nil for none.
func commaList(names []string) *string { return optional(strings.Join(names, ",")) }

// tableNames lists the tables that an audit always writes.
var tableNames = []string{"fetches", "violations", "contested", "robots", "host_stats", "agent_stats", "issues"}

// whatIfNames lists the tables that are written only where other tokens are asked
// for.
var whatIfNames = []string{"group_verdicts", "robots_agents"}

func tableFile(name string) string { return fmt.Sprintf("%s.parquet", name) }
