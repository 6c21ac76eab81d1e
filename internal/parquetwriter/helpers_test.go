package parquetwriter

import (
	"os"
	"path/filepath"
	"testing"
)

// agentRow is a narrow row.
type agentRow struct {
	ID    int64  `parquet:"robots_id"`
	Group int32  `parquet:"group"`
	Agent string `parquet:"agent,dict"`
}

// testOptions bound the columns that random rows have in common.
func testOptions(dir string) Options {
	return Options{
		CreatedBy: "test", Metadata: map[string]string{"of": "test"}, Dir: dir,
		Bounded: map[string]bool{
			"url": true, "url_host_name": true, "url_host_registered_domain": true, "origin": true, "fetch_time": true,
			"robots_id": true,
		},
	}
}

// write writes NAME.parquet in dir.
func write[T any](t testing.TB, dir, name string, rows []T) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, name+".parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := New[T](f, testOptions(dir))
	for i := range rows {
		if err := w.Write(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
