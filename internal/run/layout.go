package run

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// layout maps the columns of a run file to the fields of T.
type layout[T any] struct {
	schema *parquet.Schema
	names  []string // of the columns, in file order
	fields [][]int  // field of T for each column, embedded structs' fields too
	bytes  [][]int  // the fields that are []byte
}

func layoutOf[T any]() (l *layout[T], err error) {
	typ := reflect.TypeFor[T]()
	defer func() {
		// parquet.SchemaOf panics on tags that it can't read.
		if p := recover(); p != nil {
			l, err = nil, fmt.Errorf("row type %v: %v", typ, p)
		}
	}()
	if typ.Kind() != reflect.Struct {
		return nil, fmt.Errorf("row type %v: not a struct", typ)
	}
	l = &layout[T]{schema: parquet.SchemaOf(new(T))}
	fields := make(map[string][]int)
	for _, f := range reflect.VisibleFields(typ) {
		fields[columnName(f)] = f.Index
	}
	row := []reflect.Value{reflect.New(typ).Elem()}
	for _, node := range l.schema.Fields() {
		i, ok := fields[node.Name()]
		if !ok || !node.Leaf() || !node.Required() {
			return nil, fmt.Errorf("row type %v: column %q is not a required plain field", typ, node.Name())
		}
		if newColumn(row, i) == nil {
			return nil, fmt.Errorf("row type %v: column %q has an unsupported type", typ, node.Name())
		}
		l.names = append(l.names, node.Name())
		l.fields = append(l.fields, i)
		if typ.FieldByIndex(i).Type.Kind() == reflect.Slice {
			l.bytes = append(l.bytes, i)
		}
	}
	return l, nil
}

func columnName(f reflect.StructField) string {
	if name, _, _ := strings.Cut(f.Tag.Get("parquet"), ","); name != "" {
		return name
	}
	return f.Name
}

// columns returns readers that set the fields of rows.
func (l *layout[T]) columns(rows []T) []column {
	values := make([]reflect.Value, len(rows))
	for i := range rows {
		values[i] = reflect.ValueOf(&rows[i]).Elem()
	}
	columns := make([]column, len(l.fields))
	for i, field := range l.fields {
		columns[i] = newColumn(values, field)
	}
	return columns
}

// cloneBytes gives row its own copies of its []byte fields, taken from arena,
// which it returns.
func (l *layout[T]) cloneBytes(row *T, arena []byte) []byte {
	v := reflect.ValueOf(row).Elem()
	for _, i := range l.bytes {
		start := len(arena)
		arena = append(arena, v.FieldByIndex(i).Bytes()...)
		v.FieldByIndex(i).SetBytes(arena[start:len(arena):len(arena)])
	}
	return arena
}
