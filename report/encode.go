package report

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/codec"
	"github.com/robotsaudit/robotsaudit/internal/fields"
)

// A row group ends at whichever of its limits comes first. Of those before it the footer
// is in memory, which has an entry for every page.
const (
	maxGroupRows  = 32_768
	maxGroupText  = 8 << 20  // bytes of strings
	maxDictionary = 16 << 10 // bytes where a column gives up its dictionary, with the page in hand
)

// Every column of every table holds the page in hand, in buffers that grow by doubling:
// a page that ends just below 32 KiB takes half of what one takes that ends just beyond.
// Values other than strings compress to next to nothing, however short the page is.
const (
	maxPage     = 28 << 10 // bytes
	maxPageRows = 2048     // of such values
)

// Keys of what the footer of every table says of itself.
const (
	SchemaVersionKey = "robotsaudit.schema_version"
	TableKey         = "robotsaudit.table" // its name
)

// pageCodec compresses the pages of all tables.
var pageCodec codec.Zstd

// encoder writes rows to a Parquet file, column by column: the library's own way of
// writing structs visits every optional field of every row by reflection, allocates, and
// writes some nulls as "" or 0 (parquet-go v0.32.0;
// github.com/parquet-go/parquet-go/issues/154).
type encoder[T any] struct {
	out     *parquet.GenericWriter[T]
	batch   []T // what columns read
	fields  []field
	writers []*parquet.ColumnWriter
	short   []*parquet.ColumnWriter  // those that end pages by maxPageRows
	values  []parquet.Value          // of a column of a batch; reused
	group   struct{ rows, text int } // of the row group in hand
}

// newEncoder returns an encoder of at most batch rows at a time. Nothing in the file
// depends on the clock or the machine: the same results are the same bytes.
func newEncoder[T any](out io.Writer, dir, table string, batch int) *encoder[T] {
	schema := parquet.SchemaOf(new(T))
	options := []parquet.WriterOption{
		&parquet.WriterConfig{CreatedBy: "robotsaudit version " + releaseOf(Version())},
		schema,
		parquet.Compression(&pageCodec),
		parquet.PageBufferSize(maxPage),
		parquet.ColumnPageBuffers(spillPool{dir}),
		parquet.DictionaryMaxBytes(maxDictionary),
		parquet.DataPageStatistics(false), // the column index has the bounds
		parquet.KeyValueMetadata(SchemaVersionKey, SchemaVersion),
		parquet.KeyValueMetadata(TableKey, table),
	}
	e := &encoder[T]{out: parquet.NewGenericWriter[T](out, options...), batch: make([]T, batch)}
	e.fields, e.writers = fieldsOf(schema, e.batch), e.out.ColumnWriters()
	for i, path := range schema.Columns() {
		if leaf, _ := schema.Lookup(path...); leaf.Node.Type().Kind() != parquet.ByteArray || leaf.Node.Encoding() == &parquet.RLEDictionary {
			e.short = append(e.short, e.writers[i])
		}
	}
	return e
}

// write writes at most as many rows as a batch has.
func (e *encoder[T]) write(rows []T) error {
	n := copy(e.batch, rows)
	if n == 0 { // the library takes the address of the first value
		return nil
	}
	for i, c := range e.fields {
		e.values = c.append(e.values[:0], n)
		if err := e.writeValues(e.writers[i]); err != nil {
			return err
		}
	}
	clear(e.batch)
	clear(e.values[:cap(e.values)]) // which refer to texts
	return e.endPages(n)
}

// endPages ends pages, or the row group, after n rows more.
func (e *encoder[T]) endPages(n int) error {
	before := e.group.rows / maxPageRows
	if e.group.rows += n; e.group.rows >= maxGroupRows || e.group.text >= maxGroupText {
		e.group.rows, e.group.text = 0, 0
		return e.out.Flush()
	}
	if e.group.rows/maxPageRows == before {
		return nil
	}
	for _, w := range e.short {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// writeValues writes the values of a column. The library ends a page between calls alone:
// values of more than a page are written row by row.
func (e *encoder[T]) writeValues(w *parquet.ColumnWriter) error {
	text := 0
	for i := range e.values {
		if v := &e.values[i]; v.Kind() == parquet.ByteArray {
			text += len(v.ByteArray())
		}
	}
	e.group.text += text
	if text <= maxPage {
		_, err := w.WriteRowValues(e.values)
		return err
	}
	for rest := e.values; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].RepetitionLevel() > 0 {
			n++
		}
		if _, err := w.WriteRowValues(rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

func (e *encoder[T]) close() error { return e.out.Close() }

// field takes one field out of the rows of a batch.
type field interface {
	// append appends the values of the first n rows, with their levels.
	append(values []parquet.Value, n int) []parquet.Value
}

// fieldsOf returns the fields of rows in the order of the columns of a schema.
func fieldsOf[T any](schema *parquet.Schema, rows []T) (fields []field) {
	indexes := make(map[string][]int)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		indexes[name] = f.Index
	}
	batch := make([]reflect.Value, len(rows))
	for i := range rows {
		batch[i] = reflect.ValueOf(&rows[i]).Elem()
	}
	for _, path := range schema.Columns() {
		leaf, _ := schema.Lookup(path...)
		fields = append(fields, newField(batch, indexes[path[0]], leaf.MaxDefinitionLevel))
	}
	return fields
}

func newField(rows []reflect.Value, index []int, most int) field {
	switch pointer := rows[0].FieldByIndex(index).Addr().Interface().(type) {
	case *string:
		return &textField{fields.Addresses[string](rows, index), most}
	case *int32:
		return newPlain(rows, index, most, parquet.Int32Value)
	case *int64:
		return newPlain(rows, index, most, parquet.Int64Value)
	case *bool:
		return newPlain(rows, index, most, parquet.BooleanValue)
	case **string:
		return newKnown(rows, index, most, textValue)
	case **int16:
		return newKnown(rows, index, most, int16Value)
	case **int32:
		return newKnown(rows, index, most, parquet.Int32Value)
	case **int64:
		return newKnown(rows, index, most, parquet.Int64Value)
	case **float64:
		return newKnown(rows, index, most, parquet.DoubleValue)
	case **bool:
		return newKnown(rows, index, most, parquet.BooleanValue)
	case *[]string:
		return &listField{fields.Addresses[[]string](rows, index), most}
	default:
		panic(fmt.Sprintf("no column can be of type %T", pointer)) // a mistake in a row type, and any use of it shows it
	}
}

// textValue refers to s, and copies nothing.
func textValue(s string) parquet.Value {
	return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s))) // which is read only
}

func int16Value(n int16) parquet.Value { return parquet.Int32Value(int32(n)) }

// textField is of strings. One that is optional has null for "".
type textField struct {
	fields []*string
	most   int // the definition level of what is no null
}

func (c *textField) append(values []parquet.Value, n int) []parquet.Value {
	if c.most == 0 {
		for _, f := range c.fields[:n] {
			values = append(values, textValue(*f))
		}
		return values
	}
	for _, f := range c.fields[:n] {
		if *f == "" {
			values = append(values, parquet.Value{})
			continue
		}
		values = append(values, textValue(*f).Level(0, c.most, 0))
	}
	return values
}

// plainField is of other values. One that is optional has null for the zero value.
type plainField[F comparable] struct {
	fields []*F
	most   int
	value  func(F) parquet.Value
}

func newPlain[F comparable](rows []reflect.Value, index []int, most int, value func(F) parquet.Value) field {
	return &plainField[F]{fields.Addresses[F](rows, index), most, value}
}

func (c *plainField[F]) append(values []parquet.Value, n int) []parquet.Value {
	var zero F
	for _, f := range c.fields[:n] {
		if c.most > 0 && *f == zero {
			values = append(values, parquet.Value{})
			continue
		}
		values = append(values, c.value(*f).Level(0, c.most, 0))
	}
	return values
}

// knownField is of values of which any may be unknown, which is null.
type knownField[F any] struct {
	fields []**F
	most   int
	value  func(F) parquet.Value
}

func newKnown[F any](rows []reflect.Value, index []int, most int, value func(F) parquet.Value) field {
	return &knownField[F]{fields.Addresses[*F](rows, index), most, value}
}

func (c *knownField[F]) append(values []parquet.Value, n int) []parquet.Value {
	for _, f := range c.fields[:n] {
		if *f == nil {
			values = append(values, parquet.Value{})
			continue
		}
		values = append(values, c.value(**f).Level(0, c.most, 0))
	}
	return values
}

// listField is of lists of strings.
type listField struct {
	fields []*[]string
	most   int
}

func (c *listField) append(values []parquet.Value, n int) []parquet.Value {
	for _, f := range c.fields[:n] {
		if len(*f) == 0 {
			values = append(values, parquet.Value{})
		}
		for i, s := range *f {
			values = append(values, textValue(s).Level(min(i, 1), c.most, 0))
		}
	}
	return values
}
