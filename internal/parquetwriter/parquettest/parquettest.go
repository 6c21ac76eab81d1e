// Package parquettest reads tables in tests, with parquet-go.
package parquettest

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

// Read reads a table, each value as it stands in the file: the library gives a null of
// an embedded struct as 0.
func Read[T any](t testing.TB, dir, name string) (list []T) {
	t.Helper()
	file, _ := Open(t, filepath.Join(dir, name+".parquet"))
	reader := parquet.NewReader(file)
	fields := fieldsOf(reflect.TypeFor[T]())
	columns := reader.Schema().Columns()
	rows := make([]parquet.Row, 64)
	for {
		n, err := reader.ReadRows(rows)
		for _, values := range rows[:n] {
			var row T
			element := 0 // of a list
			for _, v := range values {
				element++
				if v.RepetitionLevel() == 0 {
					element = 0
				}
				path := columns[v.Column()]
				index, ok := fields[path[0]]
				if !ok || v.IsNull() {
					continue
				}
				field := reflect.ValueOf(&row).Elem().FieldByIndex(index)
				if field.Kind() == reflect.Slice {
					if element == field.Len() {
						field.Set(reflect.Append(field, reflect.Zero(field.Type().Elem())))
					}
					field = field.Index(element)
				}
				if field.Kind() == reflect.Struct {
					field = field.FieldByIndex(fieldsOf(field.Type())[path[len(path)-1]])
				}
				setValue(field, v)
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

func fieldsOf(row reflect.Type) map[string][]int {
	fields := make(map[string][]int)
	for _, f := range reflect.VisibleFields(row) {
		column, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		fields[column] = f.Index
	}
	return fields
}

func setValue(field reflect.Value, v parquet.Value) {
	switch {
	case field.Kind() == reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
		setValue(field.Elem(), v)
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

// Open opens a file until the test ends.
func Open(t testing.TB, path string) (*os.File, int64) {
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
