package parquetwriter

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
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

// read reads a table, each value as it stands in the file: the library gives a null of
// an embedded struct as 0.
func read[T any](t testing.TB, dir, name string) (list []T) {
	t.Helper()
	file, _ := open(t, filepath.Join(dir, name+".parquet"))
	reader := parquet.NewReader(file)
	fields := make(map[string][]int)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		column, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		fields[column] = f.Index
	}
	columns := reader.Schema().Columns()
	rows := make([]parquet.Row, 64)
	for {
		n, err := reader.ReadRows(rows)
		for _, values := range rows[:n] {
			var row T
			for _, v := range values {
				if index, ok := fields[columns[v.Column()][0]]; ok && !v.IsNull() {
					setValue(reflect.ValueOf(&row).Elem().FieldByIndex(index), v)
				}
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

func setValue(field reflect.Value, v parquet.Value) {
	switch {
	case field.Kind() == reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
		setValue(field.Elem(), v)
	case field.Kind() == reflect.Slice:
		field.Set(reflect.Append(field, reflect.ValueOf(v.Clone().String())))
	case field.Kind() == reflect.String:
		field.SetString(v.Clone().String())
	case field.Kind() == reflect.Bool:
		field.SetBool(v.Boolean())
	case field.Kind() == reflect.Float64:
		field.SetFloat(v.Double())
	default:
		field.SetInt(v.Int64())
	}
}

func open(t testing.TB, path string) (*os.File, int64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return f, info.Size()
}
