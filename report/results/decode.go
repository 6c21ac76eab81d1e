package results

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
	"github.com/robotsaudit/robotsaudit/report"
)

// Rows are decoded column by column, some at a time. The library's own way to structs gives
// the nulls of embedded structs as zeros, and takes several times as long.

const batchRows = 64

// columnSpec is a field of a row type, and the column that it is filled from.
type columnSpec struct {
	name     string
	index    []int // of the field
	typ      reflect.Type
	kind     parquet.Kind
	list     bool
	nullable bool
}

// columnsOf lists the columns of R.
func columnsOf[R any]() (specs []columnSpec) {
	schema := parquet.SchemaOf(new(R))
	for _, f := range report.FieldsOf(reflect.TypeFor[R]()) {
		leaf, _ := leafOf(schema, f.Name)
		specs = append(specs, columnSpec{
			name: f.Name, index: f.Index, typ: f.Type, kind: leaf.Node.Type().Kind(), list: leaf.MaxRepetitionLevel > 0,
			nullable: leaf.MaxDefinitionLevel > 0,
		})
	}
	return specs
}

// selectColumns lists those columns of a table that T has.
func selectColumns[T any](table []columnSpec) []columnSpec {
	specs := columnsOf[T]()
	for _, s := range specs {
		if !slices.ContainsFunc(table, func(c columnSpec) bool { return c.name == s.name && c.typ == s.typ }) {
			panic(fmt.Sprintf("results: the table has no column %s of type %v", s.name, s.typ))
		}
	}
	return specs
}

// leafOf finds the leaf of a column, which for a list lies deeper.
func leafOf(schema *parquet.Schema, name string) (leaf parquet.LeafColumn, ok bool) {
	for _, path := range schema.Columns() {
		if path[0] == name {
			return schema.Lookup(path...)
		}
	}
	return leaf, false
}

// batch holds the rows that are decoded at once.
type batch[T any] struct {
	rows    []T
	columns []*column
}

func newBatch[T any](specs []columnSpec) *batch[T] {
	b := &batch[T]{rows: make([]T, batchRows)}
	values := make([]reflect.Value, batchRows)
	for i := range b.rows {
		values[i] = reflect.ValueOf(&b.rows[i]).Elem()
	}
	for _, s := range specs {
		b.columns = append(b.columns,
			&column{columnSpec: s, field: newField(values, s.index), buffer: make([]parquet.Value, batchRows)})
	}
	return b
}

// eachOf yields the rows of a file. It returns their number, and whether more are asked for.
func (b *batch[T]) eachOf(
	ctx context.Context, path string, table tableSpec, yield func(*T, error) bool,
) (rows int64, more bool) {
	f, err := openTable(path, table)
	if err != nil {
		yield(nil, err)
		return 0, false
	}
	defer f.close()
	defer f.guard(b.close)
	for _, group := range f.parquet.RowGroups() {
		err := f.guard(func() error { return b.open(f.parquet.Schema(), group) })
		for left := group.NumRows(); left > 0 && err == nil; {
			n := int(min(batchRows, left))
			if err = cmp.Or(ctx.Err(), f.guard(func() error { return b.read(n) })); err != nil {
				break
			}
			for i := range n {
				if !yield(&b.rows[i], nil) {
					return rows, false
				}
				rows++
			}
			left -= int64(n)
		}
		if err == nil {
			err = f.guard(b.end)
		}
		if err != nil {
			yield(nil, err)
			return rows, false
		}
	}
	return rows, true
}

// open starts on a row group.
func (b *batch[T]) open(schema *parquet.Schema, group parquet.RowGroup) error {
	chunks := group.ColumnChunks()
	for _, c := range b.columns {
		c.close()
		leaf, ok := leafOf(schema, c.name)
		switch {
		case !ok: // an earlier program wrote the file
			continue
		case leaf.Node.Type().Kind() != c.kind || leaf.MaxRepetitionLevel > 0 != c.list:
			return fmt.Errorf("%w: the column %s is of another type", parquetfile.ErrDamaged, c.name)
		case leaf.ColumnIndex >= len(chunks):
			return fmt.Errorf("%w: a row group has no column %s", parquetfile.ErrDamaged, c.name)
		}
		c.values = parquet.NewColumnChunkValueReader(chunks[leaf.ColumnIndex])
	}
	return nil
}

// read decodes the next n rows.
func (b *batch[T]) read(n int) error {
	clear(b.rows)
	for _, c := range b.columns {
		if c.values == nil {
			continue
		}
		if err := c.read(n); err != nil {
			return fmt.Errorf("%w: column %s: %w", parquetfile.ErrDamaged, c.name, err)
		}
	}
	return nil
}

// end ends a row group: no column may have values left.
func (b *batch[T]) end() error {
	for _, c := range b.columns {
		if c.values == nil {
			continue
		}
		if _, err := c.peek(); err == nil {
			return fmt.Errorf("%w: the column %s has more values than there are rows", parquetfile.ErrDamaged, c.name)
		} else if err != io.EOF {
			return fmt.Errorf("%w: column %s: %w", parquetfile.ErrDamaged, c.name, err)
		}
	}
	return nil
}

func (b *batch[T]) close() error {
	for _, c := range b.columns {
		c.close()
	}
	return nil
}

// column reads a column of a row group into a field of the rows of a batch.
type column struct {
	columnSpec
	field  field
	values parquet.ColumnChunkValueReader // nil: the file lacks the column
	buffer []parquet.Value
	ahead  []parquet.Value // of the buffer, not yet used
}

// peek returns the next value, which stays; at the end io.EOF.
func (c *column) peek() (*parquet.Value, error) {
	if len(c.ahead) == 0 {
		n, err := c.values.ReadValues(c.buffer)
		if n == 0 {
			return nil, err
		}
		c.ahead = c.buffer[:n]
	}
	return &c.ahead[0], nil
}

// read sets the field of the first n rows, which are zero.
func (c *column) read(n int) error {
	for i := range n {
		if err := c.take(i); err == io.EOF {
			return io.ErrUnexpectedEOF
		} else if err != nil {
			return err
		}
		for c.list && c.repeats() {
			if err := c.take(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// take puts the next value into row i.
func (c *column) take(i int) error {
	v, err := c.peek()
	if err != nil {
		return err
	}
	if !v.IsNull() {
		c.field.set(i, v)
	}
	c.ahead = c.ahead[1:]
	return nil
}

// repeats reports whether the next value belongs to the same row as the one before. An error
// shows when it is taken.
func (c *column) repeats() bool {
	v, err := c.peek()
	return err == nil && v.RepetitionLevel() > 0 || err != nil && err != io.EOF
}

func (c *column) close() {
	if v := c.values; v != nil {
		c.values, c.ahead = nil, nil
		v.Close()
	}
}

// field is one field of the rows of a batch.
type field interface {
	// set sets the field of row i, or appends to it. The value is valid until then.
	set(i int, v *parquet.Value)
}

func newField(rows []reflect.Value, index []int) field {
	switch pointer := rows[0].FieldByIndex(index).Addr().Interface().(type) {
	case *string:
		return &textField{fields: addresses[string](rows, index)}
	case *int32:
		return &plainField[int32]{addresses[int32](rows, index), int32Of}
	case *int64:
		return &plainField[int64]{addresses[int64](rows, index), int64Of}
	case *bool:
		return &plainField[bool]{addresses[bool](rows, index), boolOf}
	case **string:
		return &knownField[string]{addresses[*string](rows, index), textOf}
	case **int16:
		return &knownField[int16]{addresses[*int16](rows, index), int16Of}
	case **int32:
		return &knownField[int32]{addresses[*int32](rows, index), int32Of}
	case **int64:
		return &knownField[int64]{addresses[*int64](rows, index), int64Of}
	case **float64:
		return &knownField[float64]{addresses[*float64](rows, index), doubleOf}
	case **bool:
		return &knownField[bool]{addresses[*bool](rows, index), boolOf}
	case *[]string:
		return &listField{addresses[[]string](rows, index)}
	default:
		panic(fmt.Sprintf("results: no column is of type %T", pointer))
	}
}

func textOf(v *parquet.Value) string    { return string(v.ByteArray()) }
func doubleOf(v *parquet.Value) float64 { return v.Double() }
func int16Of(v *parquet.Value) int16    { return int16(v.Int32()) }
func int32Of(v *parquet.Value) int32    { return v.Int32() }
func int64Of(v *parquet.Value) int64    { return v.Int64() }
func boolOf(v *parquet.Value) bool      { return v.Boolean() }

// textField is of strings. It makes one only where it differs from the one before:
// neighbours repeat.
type textField struct {
	fields []*string
	last   string
}

func (f *textField) set(i int, v *parquet.Value) {
	if b := v.ByteArray(); string(b) != f.last {
		f.last = string(b)
	}
	*f.fields[i] = f.last
}

// plainField is of other values.
type plainField[F any] struct {
	fields []*F
	value  func(*parquet.Value) F
}

func (f *plainField[F]) set(i int, v *parquet.Value) { *f.fields[i] = f.value(v) }

// knownField is of values that may be unknown.
type knownField[F any] struct {
	fields []**F
	value  func(*parquet.Value) F
}

func (f *knownField[F]) set(i int, v *parquet.Value) { *f.fields[i] = new(f.value(v)) }

// listField is of lists of strings.
type listField struct{ fields []*[]string }

func (f *listField) set(i int, v *parquet.Value) { *f.fields[i] = append(*f.fields[i], textOf(v)) }

// addresses returns where a field of some rows lies. Its type is F, or a named one of F's kind.
func addresses[F any](rows []reflect.Value, index []int) []*F {
	p := make([]*F, len(rows))
	for i, row := range rows {
		p[i] = row.FieldByIndex(index).Addr().Convert(reflect.TypeFor[*F]()).Interface().(*F)
	}
	return p
}
