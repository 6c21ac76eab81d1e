package report

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A row group ends at whichever limit comes first. What the file says of its row groups and their
// pages is in memory until the file is whole.
const (
	maxGroupRows = 32_768
	maxGroupText = 8 << 20 // bytes of strings
)

// errTooManyGroups: readers take the number of a row group for an int16.
var errTooManyGroups = fmt.Errorf("a table of more than %d row groups is too large for one file; audit in stages, "+
	"with more ranges: docs/SCALE.md",
	parquet.MaxRowGroups)

// Keys of the metadata in the footer of every table.
const (
	SchemaVersionKey = "robotsaudit.schema_version"
	TableKey         = "robotsaudit.table" // its name
)

// encoder writes rows to a Parquet file, column by column. The library makes the schema, the encodings
// and the footer. Pages are put together here, because the writers of the library (parquet-go v0.32.0)
// take twice as long and hold the bounds of all pages in full. Bounds that they are to leave out they
// write as 0 or "", and readers that trust these lose rows.
type encoder[T any] struct {
	file    *tablePages
	columns []columnWriter
	group   struct{ rows, text int } // of the row group in hand
	footer  format.FileMetaData
	failed  error // the first error: of what comes after it nothing is written
}

// newEncoder returns an encoder, which has temporary files in dir. Nothing in the file
// depends on the clock or the machine: the same results are the same bytes.
func newEncoder[T any](out io.Writer, dir, table string) *encoder[T] {
	schema := parquet.SchemaOf(new(T))
	file := newTablePages(out, dir)
	return &encoder[T]{file: file, columns: columnWriters[T](schema, file), footer: emptyFooter(schema, table)}
}

// emptyFooter is the footer of a table without rows.
func emptyFooter(schema *parquet.Schema, table string) format.FileMetaData {
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema,
		&parquet.WriterConfig{CreatedBy: "robotsaudit version " + releaseOf(Version())},
		parquet.KeyValueMetadata(SchemaVersionKey, SchemaVersion), parquet.KeyValueMetadata(TableKey, table))
	if err := w.Close(); err != nil {
		panic(err) // memory takes any file
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		panic(err) // the library reads what it writes
	}
	return *f.Metadata()
}

// write writes rows. A row group ends after the last of them, or goes on.
func (e *encoder[T]) write(rows []T) error {
	if e.failed == nil {
		e.failed = e.encode(rows)
	}
	return e.failed
}

func (e *encoder[T]) encode(rows []T) error {
	for _, c := range e.columns {
		text, err := c.write(unsafe.Pointer(unsafe.SliceData(rows)), len(rows))
		if err != nil {
			return err
		}
		e.group.text += text
	}
	if e.group.rows += len(rows); e.group.rows >= maxGroupRows || e.group.text >= maxGroupText {
		return e.endGroup()
	}
	return nil
}

// endGroup ends the row group and writes it.
func (e *encoder[T]) endGroup() error {
	if e.group.rows == 0 {
		return nil
	}
	if err := e.file.begin(); err != nil {
		return err
	}
	groups := &e.footer.RowGroups
	if len(*groups) == parquet.MaxRowGroups {
		return errTooManyGroups
	}
	group := format.RowGroup{NumRows: int64(e.group.rows), FileOffset: e.file.at, Ordinal: int16(len(*groups))}
	for _, c := range e.columns {
		chunk, err := c.endChunk()
		if err != nil {
			return err
		}
		group.TotalByteSize += chunk.MetaData.TotalUncompressedSize
		group.TotalCompressedSize += chunk.MetaData.TotalCompressedSize
		group.Columns = append(group.Columns, chunk)
	}
	e.file.waiting.reset()
	*groups = append(*groups, group)
	e.footer.NumRows += group.NumRows
	e.group.rows, e.group.text = 0, 0
	return nil
}

// close writes what is left, and the footer, unless an error came before.
func (e *encoder[T]) close() error {
	defer e.abandon()
	if e.failed != nil {
		return e.failed
	}
	if err := e.endGroup(); err != nil {
		return err
	}
	f := e.file
	if err := f.begin(); err != nil {
		return err
	}
	bounds := f.at
	offsets := bounds + int64(len(f.bounds))
	for i := range e.footer.RowGroups {
		for k := range e.footer.RowGroups[i].Columns {
			c := &e.footer.RowGroups[i].Columns[k]
			if c.ColumnIndexLength > 0 {
				c.ColumnIndexOffset = bounds
				bounds += int64(c.ColumnIndexLength)
			}
			c.OffsetIndexOffset = offsets
			offsets += int64(c.OffsetIndexLength)
		}
	}
	footer, err := encodeFooter(&e.footer)
	if err != nil {
		return err
	}
	for _, b := range [][]byte{f.bounds, f.offsets, footer} {
		if err := f.write(b); err != nil {
			return err
		}
	}
	return nil
}

// abandon removes temporary files.
func (e *encoder[T]) abandon() { e.file.waiting.close() }

// A columnWriter takes one field out of rows, and writes it.
type columnWriter interface {
	// write takes the field of n rows, and returns how many bytes of strings that were.
	write(rows unsafe.Pointer, n int) (text int, err error)
	// endChunk ends the row group in hand.
	endChunk() (format.ColumnChunk, error)
}

// place is where a field of a row is.
type place struct{ offset, size uintptr } // the size of a row

// at is a field of the i-th row.
func at[F any](rows unsafe.Pointer, p place, i int) *F {
	return (*F)(unsafe.Add(rows, uintptr(i)*p.size+p.offset))
}

// columnWriters are the writers of all columns of a schema, in its order.
func columnWriters[T any](schema *parquet.Schema, file *tablePages) (columns []columnWriter) {
	fields := make(map[string]reflect.StructField)
	row := reflect.TypeFor[T]()
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
		c := &column{leaf: leaf, optional: leaf.MaxDefinitionLevel > 0, file: file}
		if bounded[path[0]] || i == 0 { // the library reads the indexes of all columns from that of the first on
			c.index = leaf.Node.Type().NewColumnIndexer(0) // bounds are short
		}
		f := fields[path[0]]
		columns = append(columns, newColumnWriter(c, reflect.Zero(f.Type).Interface(), place{f.Offset, row.Size()}))
	}
	return columns
}

func newColumnWriter(c *column, zero any, p place) columnWriter {
	switch zero.(type) {
	case string:
		return &textWriter{c, p, newTexts(c)}
	case int32:
		return &plainWriter[int32]{c, p, newInt32s(c)}
	case int64:
		return &plainWriter[int64]{c, p, newInt64s(c)}
	case bool:
		return &plainWriter[bool]{c, p, newBools(c)}
	case *string:
		return &knownWriter[string, string]{c, p, same[string], newTexts(c)}
	case *int16:
		return &knownWriter[int16, int32]{c, p, func(n int16) int32 { return int32(n) }, newInt32s(c)}
	case *int32:
		return &knownWriter[int32, int32]{c, p, same[int32], newInt32s(c)}
	case *int64:
		return &knownWriter[int64, int64]{c, p, same[int64], newInt64s(c)}
	case *float64:
		return &knownWriter[float64, float64]{c, p, same[float64], newDoubles(c)}
	case *bool:
		return &knownWriter[bool, bool]{c, p, same[bool], newBools(c)}
	case []string:
		return &listWriter{c, p, newTexts(c)}
	default:
		panic(fmt.Sprintf("no column can be of type %T", zero)) // a mistake in a row type, and any use of it shows it
	}
}

func same[V any](v V) V { return v }

// textWriter writes strings. In an optional column, "" is null.
type textWriter struct {
	*column
	place
	values values[string]
}

func (w *textWriter) write(rows unsafe.Pointer, n int) (text int, err error) {
	for i := range n {
		s := *at[string](rows, w.place, i)
		if !w.row(!w.optional || s != "") {
			continue
		}
		text += len(s)
		if err := w.endFull(w.values.add(s)); err != nil {
			return 0, err
		}
	}
	return text, w.endRows()
}

// plainWriter writes other values. In an optional column, the zero value is null.
type plainWriter[V comparable] struct {
	*column
	place
	values values[V]
}

func (w *plainWriter[V]) write(rows unsafe.Pointer, n int) (text int, err error) {
	var zero V
	for i := range n {
		v := *at[V](rows, w.place, i)
		if !w.row(!w.optional || v != zero) {
			continue
		}
		if err := w.endFull(w.values.add(v)); err != nil {
			return 0, err
		}
	}
	return 0, w.endRows()
}

// knownWriter writes the values at pointers. nil is null.
type knownWriter[F, V any] struct {
	*column
	place
	value  func(F) V
	values values[V]
}

func (w *knownWriter[F, V]) write(rows unsafe.Pointer, n int) (text int, err error) {
	for i := range n {
		f := *at[*F](rows, w.place, i)
		if !w.row(f != nil) {
			continue
		}
		if s, ok := any(f).(*string); ok {
			text += len(*s)
		}
		if err := w.endFull(w.values.add(w.value(*f))); err != nil {
			return 0, err
		}
	}
	return text, w.endRows()
}

// listWriter writes lists of strings.
type listWriter struct {
	*column
	place
	values values[string]
}

func (w *listWriter) write(rows unsafe.Pointer, n int) (text int, err error) {
	for i := range n {
		size, list := 0, *at[[]string](rows, w.place, i)
		w.list(len(list))
		for _, s := range list {
			text += len(s)
			size = w.values.add(s)
		}
		if err := w.endFull(size); err != nil {
			return 0, err
		}
	}
	return text, w.endRows()
}
