package parquetwriter

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
)

// columnsOf are the columns of a row type, in the order of its schema.
func columnsOf(row reflect.Type, schema *parquet.Schema, bounded map[string]bool, s *shared) (columns []*column) {
	fields := make(map[string]reflect.StructField)
	for _, f := range reflect.VisibleFields(row) {
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		f.Offset = 0 // in the row
		for i := range f.Index {
			f.Offset += row.FieldByIndex(f.Index[:i+1]).Offset
		}
		fields[name] = f
	}
	for i, path := range schema.Columns() {
		leaf, _ := schema.Lookup(path...)
		leaf.Path = path // of a list, the library has "element" alone
		c := &column{shared: s, leaf: leaf, optional: leaf.MaxDefinitionLevel > 0}
		if bounded[path[0]] || i == 0 { // the library reads the indexes of all columns from that of the first on
			c.index = leaf.Node.Type().NewColumnIndexer(0) // bounds are short
		}
		f := fields[path[0]]
		c.takeFrom(f.Type, f.Offset, row.Size())
		columns = append(columns, c)
	}
	return columns
}

// takeFrom has the column take its values from a field of rows that have a size.
func (c *column) takeFrom(field reflect.Type, offset, size uintptr) {
	switch zero := reflect.Zero(field).Interface().(type) {
	case string:
		take(c, offset, size, newTexts(c), c.textOrNull)
	case int32:
		take(c, offset, size, newInt32s(c, false), orNull[int32](c))
	case int64:
		take(c, offset, size, newInt64s(c, false), orNull[int64](c))
	case bool:
		take(c, offset, size, newBools(c), orNull[bool](c))
	case *string:
		take(c, offset, size, newTexts(c), func(s *string) (string, bool) {
			if s == nil {
				return "", false
			}
			c.text += len(*s)
			return *s, true
		})
	case *int16:
		take(c, offset, size, newInt32s(c, false), func(n *int16) (int32, bool) {
			if n == nil {
				return 0, false
			}
			return int32(*n), true
		})
	case *int32: // measures and times, of which the library's tags can state no differences
		take(c, offset, size, newInt32s(c, true), pointed[int32])
	case *int64:
		take(c, offset, size, newInt64s(c, true), pointed[int64])
	case *float64:
		take(c, offset, size, newDoubles(c), pointed[float64])
	case *bool:
		take(c, offset, size, newBools(c), pointed[bool])
	case []string:
		takeLists(c, offset, size, newTexts(c), func(s string) { c.text += len(s) })
	case []int64:
		takeLists(c, offset, size, newInt64s(c, true), func(int64) {})
	default:
		panic(fmt.Sprintf("no column can be of type %T", zero)) // a mistake in a row type, and any use of it shows it
	}
}

// take has a column take its values from the field at an offset. valueOf returns a value, or that it is null.
func take[F, V any](c *column, offset, size uintptr, page values[V], valueOf func(F) (v V, known bool)) {
	c.add = func(first unsafe.Pointer, n int) error {
		for i := range uintptr(n) {
			v, known := valueOf(*(*F)(unsafe.Add(first, i*size+offset)))
			if !c.row(known) {
				continue
			}
			if err := c.endFull(page.add(v)); err != nil {
				return err
			}
		}
		return nil
	}
}

func takeLists[V any](c *column, offset, size uintptr, page values[V], count func(V)) {
	c.add = func(first unsafe.Pointer, n int) error {
		for i := range uintptr(n) {
			bytes, list := 0, *(*[]V)(unsafe.Add(first, i*size+offset))
			c.list(len(list))
			for _, v := range list {
				count(v)
				bytes = page.add(v)
			}
			if err := c.endFull(bytes); err != nil {
				return err
			}
		}
		return nil
	}
}

func (c *column) textOrNull(s string) (string, bool) {
	c.text += len(s)
	return s, !c.optional || s != ""
}

func orNull[V comparable](c *column) func(V) (V, bool) {
	var zero V
	return func(v V) (V, bool) { return v, !c.optional || v != zero }
}

func pointed[V any](p *V) (v V, known bool) {
	if p == nil {
		return v, false
	}
	return *p, true
}
