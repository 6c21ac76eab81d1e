// Package parquetwriter writes rows of structs to Parquet files: in bounded memory, as the same bytes
// for the same rows, and with bounds that are true. It knows nothing of the tables that it writes.
//
// The schema, the encodings, the indexes and the footer are parquet-go's. Its writers (v0.32.0) are not
// used, for four reasons:
//
//   - They write nulls as zeros: of "", "a", "", "" in an optional field, the last two come back as texts. Batches
//     that end before such rows, or pointers, are written right. But an audit of an index then takes 1.11 to 1.24
//     times the CPU, and by single rows 1.4 times.
//   - They state bounds that are false. Where they are to leave bounds out, they write 0 or an empty
//     text, and readers that pass over pages by their bounds, as Spark and DataFusion do, lose rows.
//     Here only the columns of Options.Bounded have bounds. Of a long text, a page has a short one below
//     or above it, and a row group none.
//   - They keep the least and the greatest text of every page in full until the file ends: 4,000 rows
//     with URLs of 60 kB took half a gigabyte.
//   - They take values in a general form, which takes 1.6 times as long.
//     Here a column holds the page in hand in a form that is near to its encoding, so a value costs an
//     append, and one that equals the value before hardly more than a comparison. Fields are read at
//     their offset in the struct, without reflection.
//
// A row group can be written only when it is complete. Until then its pages wait in a temporary file,
// so memory does not depend on how many rows a row group has.
//
// Rows may also be gathered in parts, at the same time, for a file that has them in the order of the parts. A
// part's row groups wait in its temporary file until the file takes them: only places in the file are
// counted anew. So any number of goroutines make the same bytes.
package parquetwriter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A row group ends at whichever limit comes first. What the file says of its row groups and their
// pages is in memory until the file is whole.
const (
	maxGroupRows = 32_768
	maxGroupText = 8 << 20 // bytes of strings

	checkedRows = 64 // limits are looked at after so many
)

// errTooManyGroups is the error of a file that is too large: readers take the number of a row group for an int16.
var errTooManyGroups = fmt.Errorf("a Parquet file can't have more than %d row groups", parquet.MaxRowGroups)

const magic = "PAR1"

// Options describe a file.
type Options struct {
	CreatedBy string
	Metadata  map[string]string
	// Columns with the least and the greatest value of each page in the file. Others have no bounds.
	Bounded map[string]bool
	Dir     string // for temporary files
}

// A Writer writes rows of type T: structs whose exported fields have the tags of parquet-go. A field is
// a string, bool, int32 or int64, a pointer to one of these, to an int16 or a float64, or a list. Its elements are
// strings, int64s, or structs of these. In an optional column, null is nil, or the zero value of a field that is no
// pointer.
type Writer[T any] struct{ writer }

// New starts a file.
func New[T any](out io.Writer, o Options) *Writer[T] {
	schema := parquet.SchemaOf(new(T))
	w := &Writer[T]{writer{out: out, footer: emptyFooter(schema, &o)}}
	w.shared.waiting.dir = o.Dir
	w.shared.headers = thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&w.shared.header))
	w.columns = columnsOf(reflect.TypeFor[T](), schema, o.Bounded, &w.shared)
	return w
}

// NewPart starts a part of a file, for Append.
func NewPart[T any](o Options) *Writer[T] { return New[T](nil, o) }

// Write writes a row. After an error, the file stays without a footer.
func (w *Writer[T]) Write(row *T) error { return w.WriteAll(unsafe.Slice(row, 1)) }

// WriteAll writes rows, faster than one by one.
func (w *Writer[T]) WriteAll(rows []T) error {
	for len(rows) > 0 && w.failed == nil {
		n := min(len(rows), checkedRows-w.rows%checkedRows)
		w.failed = w.write(unsafe.Pointer(&rows[0]), n)
		rows = rows[n:]
	}
	return w.failed
}

// Append ends the row group in hand, and takes over the rows of a part.
func (w *Writer[T]) Append(part *Writer[T]) error {
	if w.failed == nil {
		w.failed = w.append(&part.writer)
	}
	return w.failed
}

// writer is a Writer of rows of any type.
type writer struct {
	out     io.Writer // nil: it is a part
	at      int64     // bytes written
	columns []*column
	shared  shared
	rows    int        // of the row group in hand
	waiting []rowGroup // of a part

	footer          format.FileMetaData
	bounds, offsets []byte // the column indexes and offset indexes, which follow all row groups
	failed          error  // the first error: of what comes after it nothing is written
}

// rowGroup is a row group whose pages wait.
type rowGroup struct {
	rows   int
	chunks []chunk
}

// emptyFooter is the footer of a file without rows.
func emptyFooter(schema *parquet.Schema, o *Options) format.FileMetaData {
	var b bytes.Buffer
	config := &parquet.WriterConfig{CreatedBy: o.CreatedBy, KeyValueMetadata: o.Metadata}
	if err := parquet.NewWriter(&b, schema, config).Close(); err != nil {
		panic(err) // memory takes any file
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		panic(err) // the library reads what it writes
	}
	return *f.Metadata()
}

// write writes n rows, up to the next look at limits, column by column.
func (w *writer) write(first unsafe.Pointer, n int) error {
	for _, c := range w.columns {
		if err := c.add(first, n); err != nil {
			return err
		}
	}
	if w.rows += n; w.rows%checkedRows > 0 {
		return nil
	}
	text := 0
	for _, c := range w.columns {
		if c.rows >= maxPageRows {
			if err := c.endPage(); err != nil {
				return err
			}
		}
		text += c.text
	}
	if w.rows >= maxGroupRows || text >= maxGroupText {
		return w.endGroup()
	}
	return nil
}

// endGroup ends the row group in hand. Its pages go to the file, or wait on.
func (w *writer) endGroup() error {
	if w.rows == 0 {
		return nil
	}
	group := rowGroup{rows: w.rows}
	for _, c := range w.columns {
		chunk, err := c.endChunk()
		if err != nil {
			return err
		}
		group.chunks = append(group.chunks, chunk)
	}
	w.rows = 0
	if w.out == nil {
		w.waiting = append(w.waiting, group)
		return nil
	}
	err := w.place(&group, &w.shared.waiting)
	w.shared.waiting.reset()
	return err
}

// place writes a row group whose pages wait.
func (w *writer) place(g *rowGroup, pages *spill) error {
	if err := w.begin(); err != nil {
		return err
	}
	groups := &w.footer.RowGroups
	if len(*groups) == parquet.MaxRowGroups {
		return errTooManyGroups
	}
	group := format.RowGroup{NumRows: int64(g.rows), FileOffset: w.at, Ordinal: int16(len(*groups))}
	for i := range g.chunks {
		chunk, err := w.placeChunk(&g.chunks[i], pages)
		if err != nil {
			return err
		}
		group.TotalByteSize += chunk.MetaData.TotalUncompressedSize
		group.TotalCompressedSize += chunk.MetaData.TotalCompressedSize
		group.Columns = append(group.Columns, chunk)
	}
	*groups = append(*groups, group)
	w.footer.NumRows += group.NumRows
	return nil
}

func (w *writer) placeChunk(c *chunk, pages *spill) (placed format.ColumnChunk, err error) {
	if c.hasDictionary {
		c.meta.DictionaryPageOffset = w.at
		if err := w.placePage(&c.dictionary, pages); err != nil {
			return placed, err
		}
	}
	c.meta.DataPageOffset = w.at
	for i := range c.pages {
		if err := w.placePage(&c.pages[i], pages); err != nil {
			return placed, err
		}
	}
	offsets, err := encode(&format.OffsetIndex{PageLocations: c.pages})
	if err != nil {
		return placed, err
	}
	w.bounds, w.offsets = append(w.bounds, c.bounds...), append(w.offsets, offsets...)
	placed.MetaData = c.meta
	placed.ColumnIndexLength, placed.OffsetIndexLength = int32(len(c.bounds)), int32(len(offsets))
	return placed, nil
}

// placePage moves a page from where it waits to the file.
func (w *writer) placePage(p *format.PageLocation, pages *spill) (err error) {
	b := &w.shared.page
	if *b, err = pages.read(*b, p.Offset, int(p.CompressedPageSize)); err != nil {
		return err
	}
	p.Offset = w.at
	return w.put(*b)
}

func (w *writer) put(b []byte) error {
	n, err := w.out.Write(b)
	w.at += int64(n)
	return err
}

// begin writes the beginning of every file.
func (w *writer) begin() error {
	if w.at > 0 {
		return nil
	}
	return w.put([]byte(magic))
}

// End ends a part: of all that it holds, only the places of its pages stay in memory.
func (w *writer) End() error {
	if w.failed == nil {
		w.failed = w.endGroup()
	}
	if w.failed == nil {
		w.failed = w.shared.waiting.flush()
	}
	w.shared.waiting.memory = nil
	w.columns, w.shared = nil, shared{waiting: w.shared.waiting}
	return w.failed
}

func (w *writer) append(part *writer) error {
	defer part.Abandon()
	if err := w.endGroup(); err != nil {
		return err
	}
	if err := part.End(); err != nil {
		return err
	}
	for i := range part.waiting {
		if err := w.place(&part.waiting[i], &part.shared.waiting); err != nil {
			return err
		}
	}
	return nil
}

// Close writes what is left, and the footer. It does not close the file. After an error of Write it
// returns that error, and removes temporary files.
func (w *writer) Close() error {
	defer w.Abandon()
	if w.failed == nil {
		w.failed = w.end()
	}
	return w.failed
}

func (w *writer) end() error {
	if err := w.endGroup(); err != nil {
		return err
	}
	if err := w.begin(); err != nil {
		return err
	}
	bounds := w.at
	offsets := bounds + int64(len(w.bounds))
	for i := range w.footer.RowGroups {
		for k := range w.footer.RowGroups[i].Columns {
			c := &w.footer.RowGroups[i].Columns[k]
			if c.ColumnIndexLength > 0 {
				c.ColumnIndexOffset = bounds
				bounds += int64(c.ColumnIndexLength)
			}
			c.OffsetIndexOffset = offsets
			offsets += int64(c.OffsetIndexLength)
		}
	}
	footer, err := encode(&w.footer)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	for _, b := range [][]byte{w.bounds, w.offsets, append(footer, magic...)} {
		if err := w.put(b); err != nil {
			return err
		}
	}
	return nil
}

// Abandon removes temporary files.
func (w *writer) Abandon() { w.shared.waiting.close() }

// encode writes a part of a Parquet file's description of itself.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&b)).Encode(v)
	return b.Bytes(), err
}
