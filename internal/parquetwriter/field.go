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
	fields := fieldsOf(row)
	for i, path := range schema.Columns() {
		leaf, _ := schema.Lookup(path...)
		leaf.Path = path // of a list, the library has "element" alone
		c := &column{shared: s, leaf: leaf, optional: leaf.MaxDefinitionLevel > 0}
		if bounded[path[0]] || i == 0 { // the library reads the indexes of all columns from that of the first on
			c.index = leaf.Node.Type().NewColumnIndexer(0) // bounds are short
		}
		f := fields[path[0]]
		if f.Type.Kind() == reflect.Slice {
			c.takeLists(f.Type.Elem(), elements{list: f.Offset, row: row.Size()})
		} else {
			c.takeFrom(f.Type, f.Offset, row.Size())
		}
		columns = append(columns, c)
	}
	return columns
}

// fieldsOf are the fields of a struct by the names of their columns. Their offsets are those in the struct.
func fieldsOf(row reflect.Type) map[string]reflect.StructField {
	fields := make(map[string]reflect.StructField)
	for _, f := range reflect.VisibleFields(row) {
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		f.Offset = 0
		for i := range f.Index {
			f.Offset += row.FieldByIndex(f.Index[:i+1]).Offset
		}
		fields[name] = f
	}
	return fields
}

// takeFrom has the column take its values from a field of rows that have a size.
func (c *column) takeFrom(field reflect.Type, offset, size uintptr) {
	switch reflect.Zero(field).Interface().(type) {
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
	default:
		panicOf(field)
	}
}

// panicOf ends a program with a mistake in a row type, which any use of it shows.
func panicOf(field reflect.Type) { panic(fmt.Sprintf("no column can be of type %s", field)) }

// takeLists has the column take its values from elements of lists.
func (c *column) takeLists(element reflect.Type, e elements) {
	e.size = element.Size()
	if element.Kind() == reflect.Struct {
		f := fieldsOf(element)[c.leaf.Path[len(c.leaf.Path)-1]]
		element, e.at = f.Type, f.Offset
	}
	switch reflect.Zero(element).Interface().(type) {
	case string:
		takeLists(c, e, newTexts(c), func(s string) { c.text += len(s) })
	case int64:
		takeLists(c, e, newInt64s(c, true), func(int64) {})
	default:
		panicOf(element)
	}
}

// elements says where the elements of lists lie, or a field of theirs.
type elements struct {
	list, row uintptr // where the list lies in its row, and how long a row is
	at, size  uintptr // where the field lies in its element, and how long an element is
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

func takeLists[V any](c *column, e elements, page values[V], count func(V)) {
	c.add = func(first unsafe.Pointer, n int) error {
		for i := range uintptr(n) {
			bytes, list := 0, *(*[]byte)(unsafe.Add(first, i*e.row+e.list)) // as long as any list there
			c.list(len(list))
			for k := range uintptr(len(list)) {
				v := *(*V)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(list)), k*e.size+e.at))
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
