package run

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/robotsaudit/robotsaudit/internal/fields"
	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
)

// A column reads the values of one column, page by page, into one field of a
// batch of rows.
type column interface {
	// open starts on the pages of a column chunk.
	open(parquet.Pages)
	// ready returns how many values are left in the page. It moves to the
	// next page if there are none, and returns io.EOF at the end of the
	// chunk.
	ready() (int, error)
	// read sets the field of the first n rows, n ≤ ready.
	read(n int)
	close()
}

// newColumn returns the reader for a field of the rows of a batch, nil if the
// field's type is unsupported.
func newColumn(rows []reflect.Value, field []int) column {
	typ := rows[0].Type().FieldByIndex(field).Type
	switch typ.Kind() {
	case reflect.Bool:
		return &boolColumn{dst: fields.Addresses[bool](rows, field)}
	case reflect.Int8:
		return newInts32[int8](rows, field)
	case reflect.Int16:
		return newInts32[int16](rows, field)
	case reflect.Int32:
		return newInts32[int32](rows, field)
	case reflect.Int64:
		return newInts64[int64](rows, field)
	case reflect.Uint8:
		return newInts32[uint8](rows, field)
	case reflect.Uint16:
		return newInts32[uint16](rows, field)
	case reflect.Uint32:
		return newInts32[uint32](rows, field)
	case reflect.Uint64:
		return newInts64[uint64](rows, field)
	case reflect.String:
		return &stringColumn{dst: fields.Addresses[string](rows, field)}
	case reflect.Slice:
		if typ.Elem().Kind() == reflect.Uint8 {
			return &bytesColumn{dst: fields.Addresses[[]byte](rows, field)}
		}
	}
	return nil
}

// pageReader holds one decoded page of a column chunk.
type pageReader struct {
	pages parquet.Pages
	page  parquet.Page
	left  int // values not yet read
}

func (r *pageReader) open(pages parquet.Pages) {
	r.close()
	r.pages = pages
}

// load replaces the page with the next one that has values.
func (r *pageReader) load() error {
	for r.left == 0 {
		r.release()
		page, err := r.pages.ReadPage()
		if err != nil {
			return err
		}
		r.page = page
		if page.NumNulls() != 0 {
			return fmt.Errorf("%w: nulls in a required column", parquetfile.ErrDamaged)
		}
		r.left = int(page.NumValues())
	}
	return nil
}

func (r *pageReader) release() {
	if page := r.page; page != nil {
		r.page, r.left = nil, 0
		parquet.Release(page)
	}
}

func (r *pageReader) close() {
	r.release()
	if pages := r.pages; pages != nil {
		r.pages = nil
		pages.Close()
	}
}

// values returns the values of the page, or, if there is a dictionary, those
// of the dictionary and each row's index among them.
func (r *pageReader) values() (values encoding.Values, indexes []int32) {
	values = r.page.Data()
	if dictionary := r.page.Dictionary(); dictionary != nil {
		return dictionary.Page().Data(), values.Int32()
	}
	return values, nil
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// intColumn reads integers stored as P into fields of type F. Unsigned values
// are stored as signed ones with the same bits.
type intColumn[P int32 | int64, F integer] struct {
	pageReader
	dst    []*F
	unpack func(*encoding.Values) []P
	words  []P     // the values left, or those of the dictionary
	index  []int32 // of the values left, if there is a dictionary
}

func newInts32[F integer](rows []reflect.Value, field []int) column {
	return &intColumn[int32, F]{dst: fields.Addresses[F](rows, field), unpack: (*encoding.Values).Int32}
}

func newInts64[F integer](rows []reflect.Value, field []int) column {
	return &intColumn[int64, F]{dst: fields.Addresses[F](rows, field), unpack: (*encoding.Values).Int64}
}

func (c *intColumn[P, F]) ready() (int, error) {
	if c.left > 0 {
		return c.left, nil
	}
	if err := c.load(); err != nil {
		return 0, err
	}
	values, index := c.values()
	c.words, c.index = c.unpack(&values), index
	return c.left, nil
}

func (c *intColumn[P, F]) read(n int) {
	if c.index != nil {
		for i, entry := range c.index[:n] {
			*c.dst[i] = F(c.words[entry])
		}
		c.index = c.index[n:]
	} else {
		for i, word := range c.words[:n] {
			*c.dst[i] = F(word)
		}
		c.words = c.words[n:]
	}
	c.left -= n
}

type boolColumn struct {
	pageReader
	dst    []*bool
	reader parquet.ValueReader
	buffer [batchRows]parquet.Value
}

func (c *boolColumn) ready() (int, error) {
	if c.left > 0 {
		return c.left, nil
	}
	if err := c.load(); err != nil {
		return 0, err
	}
	c.reader = c.page.Values()
	return c.left, nil
}

func (c *boolColumn) read(n int) {
	for i := 0; i < n; {
		// A page in memory has no error but io.EOF, and left says when.
		k, _ := c.reader.ReadValues(c.buffer[:n-i])
		for _, value := range c.buffer[:k] {
			*c.dst[i] = value.Boolean()
			i++
		}
	}
	c.left -= n
}

// byteArrays reads the values of a byte array column: value i is
// data[offsets[i]:offsets[i+1]].
type byteArrays struct {
	pageReader
	data    []byte
	offsets []uint32 // of the values left, or of the dictionary
	index   []int32  // of the values left, if there is a dictionary
}

func (c *byteArrays) ready() (int, error) {
	if c.left > 0 {
		return c.left, nil
	}
	if err := c.load(); err != nil {
		return 0, err
	}
	values, index := c.values()
	c.data, c.offsets = values.ByteArray()
	c.index = index
	return c.left, nil
}

// value returns value i, which is valid as long as the page.
func (c *byteArrays) value(i int) []byte {
	from, to := c.offsets[i], c.offsets[i+1]
	return c.data[from:to:to]
}

// skip moves past n values.
func (c *byteArrays) skip(n int) {
	if c.index != nil {
		c.index = c.index[n:]
	} else {
		c.offsets = c.offsets[n:]
	}
	c.left -= n
}

// stringColumn makes a string only where it differs from the one before, or,
// with a dictionary, once per entry: neighbours in sorted rows repeat.
type stringColumn struct {
	byteArrays
	dst        []*string
	last       string
	dictionary parquet.Dictionary
	entries    []string // of the dictionary, made when first seen
}

func (c *stringColumn) read(n int) {
	if c.index != nil {
		c.useDictionary(c.page.Dictionary())
		for i, entry := range c.index[:n] {
			if c.entries[entry] == "" {
				c.entries[entry] = string(c.value(int(entry)))
			}
			*c.dst[i] = c.entries[entry]
		}
	} else {
		for i := range n {
			if value := c.value(i); string(value) != c.last {
				c.last = string(value)
			}
			*c.dst[i] = c.last
		}
	}
	c.skip(n)
}

func (c *stringColumn) useDictionary(d parquet.Dictionary) {
	if c.dictionary != d {
		c.dictionary = d
		clear(c.entries)
		c.entries = slices.Grow(c.entries[:0], d.Len())[:d.Len()]
	}
}

// bytesColumn sets fields to slices of the page.
type bytesColumn struct {
	byteArrays
	dst []*[]byte
}

func (c *bytesColumn) read(n int) {
	for i := range n {
		entry := i
		if c.index != nil {
			entry = int(c.index[i])
		}
		*c.dst[i] = c.value(entry)
	}
	c.skip(n)
}
