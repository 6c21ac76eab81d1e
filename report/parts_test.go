package report_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/report/audittest"
)

// TestParts: many ranges have the rows of one, and are the same bytes however many are decided
// at a time.
func TestParts(t *testing.T) {
	t.Parallel()
	opt := audittest.Everything
	one := audittest.Audit(t, opt, "../testdata/warc")
	opt.RangeRows, opt.Workers = 2, 1
	dir := audittest.Audit(t, opt, "../testdata/warc")
	for name, table := range audittest.Files(t, one) {
		if filepath.Ext(name) != ".parquet" {
			if audittest.Files(t, dir)[name] != table {
				t.Errorf("many ranges: another %s", name)
			}
			continue
		}
		want, groups := rowsOf(t, filepath.Join(one, name))
		got, more := rowsOf(t, filepath.Join(dir, name))
		if name == "robots_agents.parquet" { // tokens that no capture governs come last
			slices.Sort(want)
			slices.Sort(got)
		}
		if !slices.Equal(got, want) {
			t.Errorf("many ranges: other rows in %s", name)
		}
		if name == "fetches.parquet" && (groups != 1 || more < 5) {
			t.Errorf("%s has %d row groups, and of many ranges %d", name, groups, more)
		}
	}
	want := audittest.Files(t, dir)
	workers := []int{2, 3, 8}
	if !longtest.Run() { // minutes under the race detector
		workers = workers[1:2]
	}
	for _, opt.Workers = range workers {
		got := audittest.Files(t, audittest.Audit(t, opt, "../testdata/warc"))
		if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
			t.Fatalf("%d at a time: other files", opt.Workers)
		}
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%d at a time: other bytes in %s", opt.Workers, name)
			}
		}
	}
}

// rowsOf reads a table, row group by row group, by the page index, too.
func rowsOf(t *testing.T, path string) (rows []string, groups int) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range f.RowGroups() {
		r := group.Rows()
		batch := make([]parquet.Row, group.NumRows())
		half := group.NumRows() / 2
		if err := r.SeekToRow(half); err != nil {
			t.Fatal(err)
		}
		n, _ := r.ReadRows(batch[half:])
		if err := r.SeekToRow(0); err != nil {
			t.Fatal(err)
		}
		m, _ := r.ReadRows(batch[:half])
		if int64(n+m) != group.NumRows() {
			t.Fatalf("%s: %d rows of %d", path, n+m, group.NumRows())
		}
		for _, row := range batch {
			rows = append(rows, fmt.Sprintf("%+v", row))
		}
		r.Close()
	}
	return rows, len(f.RowGroups())
}
