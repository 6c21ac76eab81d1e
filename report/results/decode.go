package results

import (
	"context"
	"fmt"
	"io"
	"math"
	"reflect"

	"github.com/parquet-go/parquet-go/format"

	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
	"github.com/robotsaudit/robotsaudit/report"
)

// batchRows is how many rows are decoded at once, at most.
const batchRows = 64

// batch holds the rows that are decoded at once.
type batch[R any] struct {
	rows   []R
	fields []field
	part   *Part // that the rows to be yielded are in
}

// newBatch makes a batch of some columns.
func newBatch[R any](columns []report.Field, part *Part) *batch[R] {
	b := &batch[R]{rows: make([]R, batchRows), part: part}
	values := make([]reflect.Value, batchRows)
	for i := range b.rows {
		values[i] = reflect.ValueOf(&b.rows[i]).Elem()
	}
	for _, c := range columns {
		if c.Type.Kind() == reflect.Slice && c.Type.Elem().Kind() == reflect.Struct {
			b.fields = append(b.fields, structFields(values, c)...)
			continue
		}
		f := newField(values, c.Index)
		f.Field = c
		b.fields = append(b.fields, f)
	}
	return b
}

// eachOf yields the rows of a file. It returns their number, and whether more are asked for.
func (b *batch[R]) eachOf(
	ctx context.Context, path string, table tableSpec, yield func(*R, error) bool,
) (rows int64, more bool) {
	file, err := object.OpenCopy(path)
	if err != nil {
		yield(nil, err)
		return 0, false
	}
	defer file.Close()
	columns, fields, err := b.open(file, table)
	if err != nil {
		yield(nil, errorIn(path, err))
		return 0, false
	}
	for {
		n, err := columns.Next()
		if err == io.EOF {
			return rows, true
		}
		if err == nil {
			err = ctx.Err()
		} else {
			err = errorIn(path, err)
		}
		if err != nil {
			yield(nil, err)
			return rows, false
		}
		clear(b.rows)
		for i, v := range columns.Columns {
			clear(fields[i].elements)
			v.Each(fields[i].set)
		}
		for i := range n {
			if (b.part.IsZero() || b.part.has(&b.rows[i])) && !yield(&b.rows[i], nil) {
				return rows, false
			}
			rows++
		}
	}
}

// open opens a file of a table. It returns a reader of its columns, and the field of each.
func (b *batch[R]) open(file object.LocalFile, table tableSpec) (*parquetfile.Rows, []field, error) {
	f, err := table.open(file)
	if err != nil {
		return nil, nil, err
	}
	var columns []*parquetfile.Column
	var fields []field
	for _, field := range b.fields {
		c := f.Column(field.Name)
		if c == nil { // an earlier program wrote the file
			continue
		}
		if field.leaf != "" {
			c = f.Column(field.Name + ".list.element." + field.leaf)
		}
		isList := field.Type.Kind() == reflect.Slice
		if c == nil || c.Kind() == parquetfile.Unread || c.Type.Type.V != field.kind || c.IsList != isList {
			return nil, nil, damaged("the column %s is of another type", field.Name)
		}
		columns, fields = append(columns, c), append(fields, field)
	}
	return f.Rows(columns, batchRows, 0), fields, nil
}

// field is one field of the rows of a batch.
type field struct {
	report.Field
	kind format.Type // of the column
	// set sets the field of a row, which is zero, to a value of the column, or appends the value.
	set func(v *parquetfile.Values, row, value int)
	// of a field of structs in lists: its name, and how many it is set in
	leaf     string
	elements []int
}

// structFields are the fields of structs in a list.
func structFields(rows []reflect.Value, c report.Field) (fields []field) {
	for _, part := range report.FieldsOf(c.Type.Elem()) {
		f := field{Field: c, leaf: part.Name, elements: make([]int, len(rows))}
		f.kind = format.ByteArray
		if part.Type.Kind() == reflect.Int64 {
			f.kind = format.Int64
		}
		f.set = func(v *parquetfile.Values, row, value int) {
			list := rows[row].FieldByIndex(c.Index)
			if list.Len() == f.elements[row] {
				list.Set(reflect.Append(list, reflect.Zero(c.Type.Elem())))
			}
			set := list.Index(f.elements[row]).FieldByIndex(part.Index)
			if f.kind == format.Int64 {
				set.SetInt(v.Int(value))
			} else {
				set.SetString(textOf(v, value))
			}
			f.elements[row]++
		}
		fields = append(fields, f)
	}
	return fields
}

func newField(rows []reflect.Value, index []int) field {
	switch pointer := rows[0].FieldByIndex(index).Addr().Interface().(type) {
	case *string:
		fields := addresses[string](rows, index)
		last := "" // a string is made only where it differs from the one before: neighbours repeat
		return field{kind: format.ByteArray, set: func(v *parquetfile.Values, row, value int) {
			if b := v.Text(value); string(b) != last {
				last = string(b)
			}
			*fields[row] = last
		}}
	case *int32:
		return plain(addresses[int32](rows, index), format.Int32, intOf)
	case *int64:
		return plain(addresses[int64](rows, index), format.Int64, intOf)
	case *bool:
		return plain(addresses[bool](rows, index), format.Boolean, boolOf)
	case **string:
		return known(addresses[*string](rows, index), format.ByteArray, textOf)
	case **int16:
		return known(addresses[*int16](rows, index), format.Int32, intOf)
	case **int32:
		return known(addresses[*int32](rows, index), format.Int32, intOf)
	case **int64:
		return known(addresses[*int64](rows, index), format.Int64, intOf)
	case **float64:
		return known(addresses[*float64](rows, index), format.Double, doubleOf)
	case **bool:
		return known(addresses[*bool](rows, index), format.Boolean, boolOf)
	case *[]string:
		lists := addresses[[]string](rows, index)
		return field{kind: format.ByteArray, set: func(v *parquetfile.Values, row, value int) {
			*lists[row] = append(*lists[row], textOf(v, value))
		}}
	default:
		panic(fmt.Sprintf("results: no column is of type %T", pointer))
	}
}

func textOf(v *parquetfile.Values, value int) string { return string(v.Text(value)) }
func doubleOf(v *parquetfile.Values, value int) float64 {
	return math.Float64frombits(uint64(v.Int(value)))
}
func boolOf(v *parquetfile.Values, value int) bool { return v.Int(value) != 0 }

func intOf[F int16 | int32 | int64](v *parquetfile.Values, value int) F { return F(v.Int(value)) }

// plain is a field of other values.
func plain[F any](fields []*F, kind format.Type, of func(*parquetfile.Values, int) F) field {
	return field{kind: kind, set: func(v *parquetfile.Values, row, value int) { *fields[row] = of(v, value) }}
}

// known is a field of values that may be unknown.
func known[F any](fields []**F, kind format.Type, of func(*parquetfile.Values, int) F) field {
	return field{kind: kind, set: func(v *parquetfile.Values, row, value int) { *fields[row] = new(of(v, value)) }}
}

// addresses returns where a field of some rows lies. Its type is F, or a named one of F's kind.
func addresses[F any](rows []reflect.Value, index []int) []*F {
	p := make([]*F, len(rows))
	for i, row := range rows {
		p[i] = row.FieldByIndex(index).Addr().Convert(reflect.TypeFor[*F]()).Interface().(*F)
	}
	return p
}
