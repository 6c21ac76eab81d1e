package report

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/parquetwriter/parquettest"
)

// Every string in every table is UTF-8: readers refuse files where one is not.
func TestStringsAreUTF8(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, true)
	paths, _ := filepath.Glob(filepath.Join(dir, "*.parquet"))
	if len(paths) != len(tables) {
		t.Fatalf("%d tables of %d", len(paths), len(tables))
	}
	for _, path := range paths {
		f, _ := parquettest.Open(t, path)
		r := parquet.NewReader(f)
		rows := make([]parquet.Row, 16)
		for n, err := 1, error(nil); n > 0 && err == nil; {
			n, err = r.ReadRows(rows)
			for _, row := range rows[:n] {
				for _, v := range row {
					if v.Kind() == parquet.ByteArray && !utf8.Valid(v.ByteArray()) {
						t.Errorf("%s, column %d: %q", filepath.Base(path), v.Column(), v.ByteArray())
					}
				}
			}
		}
	}
}

func TestAddFailsWhenTheFileDoes(t *testing.T) {
	w, _ := fill(t, t.TempDir(), false)
	defer w.Abandon()
	if err := os.Mkdir(filepath.Join(w.tmp, FetchesTable.File()), 0o777); err != nil {
		// it is opened with the first rows
		t.Fatal(err)
	}
	r := testResults()[0]
	for range 10 * handedRows {
		if w.Result(&r) != nil {
			return
		}
	}
	t.Error("rows were written to a file that cannot be opened")
}
