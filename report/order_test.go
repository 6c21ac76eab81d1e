package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/parquetwriter/parquettest"
)

// The tables of real archives have the keys and the order that the schema states.
func TestTablesHaveTheirKeyAndOrder(t *testing.T) {
	dir := auditArchives(t, 2)
	for _, table := range tables {
		about := table.about()
		rows := readColumns(t, filepath.Join(dir, about.File()))
		keys := make(map[string]bool)
		for _, row := range rows {
			var key []string
			for _, column := range about.Key {
				key = append(key, fmt.Sprintf("%+v", row[column]))
			}
			if about.Key != nil && keys[strings.Join(key, " ")] {
				t.Errorf("%s: two rows have the key %q", about.Name, key)
			}
			keys[strings.Join(key, " ")] = true
		}
		if strings.HasPrefix(about.Order, "origin,") && len(rows) > 0 && rows[0]["origin"].Kind() == parquet.ByteArray {
			inOriginOrder(t, about.Name, rows)
		}
		if column := about.Order; len(rows) > 0 && rows[0][column].Kind() >= 0 {
			if !slices.IsSortedFunc(rows,
				func(a, b map[string]parquet.Value) int { return compareValues(a[column], b[column]) }) {
				t.Errorf("%s is not sorted by %s", about.Name, column)
			}
		}
	}
}

// inOriginOrder checks that rows of one origin stand together, in the order of time.
func inOriginOrder(t *testing.T, name string, rows []map[string]parquet.Value) {
	t.Helper()
	seen := make(map[string]bool)
	before := ""
	var last int64
	for i, row := range rows {
		origin, at := row["origin"].String(), row["fetch_time"].Int64()
		if origin != before || i == 0 {
			if seen[origin] {
				t.Errorf("%s: rows of %s do not stand together", name, origin)
			}
			seen[origin], before, last = true, origin, 0
		}
		if at < last {
			t.Errorf("%s: rows of %s are not sorted by time", name, origin)
		}
		last = at
	}
}

func compareValues(a, b parquet.Value) int {
	if a.Kind() == parquet.ByteArray || b.Kind() == parquet.ByteArray {
		return strings.Compare(a.String(), b.String())
	}
	return int(min(1, max(-1, a.Int64()-b.Int64())))
}

// readColumns reads the rows of a file, by the names of its columns.
func readColumns(t *testing.T, path string) (list []map[string]parquet.Value) {
	t.Helper()
	file, _ := parquettest.Open(t, path)
	reader := parquet.NewReader(file)
	columns := reader.Schema().Columns()
	rows := make([]parquet.Row, 64)
	for {
		n, err := reader.ReadRows(rows)
		for _, values := range rows[:n] {
			row := make(map[string]parquet.Value)
			for _, v := range values {
				row[columns[v.Column()][0]] = v.Clone()
			}
			list = append(list, row)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			return list
		}
	}
}
