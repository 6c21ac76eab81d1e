package parquetwriter

import (
	"bytes"
	"hash/crc32"
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A page ends once it has so many bytes or rows. Every column of every table holds one page, in
// buffers that grow by doubling: a page just below 32 KiB takes half as much memory as one just above.
// Values that repeat compress to next to nothing, however short the page is.
const (
	maxPage     = 28 << 10 // bytes
	maxPageRows = 4096
)

// How long a bound may be, in bytes: footers and indexes are in memory until the file is whole.
const (
	maxBound     = 1 << 10 // of a row group, which has none that is longer
	maxPageBound = 16      // of a page, which has another instead of one that is longer
)

// column is a column of a file: the page that is being filled, and what is known of its row group.
// Levels, as Parquet calls them, mark nulls and the beginnings of lists. They are 0 or 1, because no
// column nests any deeper.
type column struct {
	*shared
	leaf     parquet.LeafColumn
	optional bool
	add      func(first unsafe.Pointer, n int) error // the column of n rows

	encoded     encoded // the values of the page
	definitions []byte  // a level for each value or null, where there may be nulls or lists: 0 is null
	repetitions []byte  // a level for each value, in a column of lists: 0 begins a list
	rows        int

	chunk           chunk
	first           dictionaryPage        // nil: it has none
	index           parquet.ColumnIndexer // nil: no bounds in the file
	before          int                   // rows in pages
	text            int                   // bytes of strings of the row group
	least, greatest parquet.Value
}

// chunk is a column of a row group. The offsets of its pages are those at which they wait.
type chunk struct {
	meta          format.ColumnMetaData
	hasDictionary bool
	dictionary    format.PageLocation
	pages         []format.PageLocation
	bounds        []byte // its column index; nil: none
}

// shared is what a page is put together from, and where it waits. All columns use the same memory.
type shared struct {
	definitions, repetitions []byte // encoded
	values, compressed, page []byte
	header                   bytes.Buffer
	headers                  *thrift.Encoder // to header
	waiting                  spill           // pages of the row groups that are not in the file
}

// row begins a row, which is null unless its value is known. It returns known.
func (c *column) row(known bool) bool {
	c.rows++
	if c.optional {
		level := byte(0)
		if known {
			level = 1
		}
		c.definitions = append(c.definitions, level)
	}
	return known
}

// list begins a row that is a list of so many values.
func (c *column) list(values int) {
	c.rows++
	c.repetitions = append(c.repetitions, 0)
	c.definitions = append(c.definitions, byte(min(values, 1)))
	for range values - 1 {
		c.repetitions = append(c.repetitions, 1)
		c.definitions = append(c.definitions, 1)
	}
}

// endFull ends the page after the last row if its size in bytes makes it full.
func (c *column) endFull(size int) error {
	if size < maxPage {
		return nil
	}
	return c.endPage()
}

// endPage ends the page, which then waits until its row group is whole.
func (c *column) endPage() (err error) {
	if c.rows == 0 {
		return nil
	}
	s := c.shared
	if s.definitions, err = encodeLevels(s.definitions, c.definitions); err != nil {
		return err
	}
	if s.repetitions, err = encodeLevels(s.repetitions, c.repetitions); err != nil {
		return err
	}
	values, nulls := c.rows, 0
	if c.optional {
		values, nulls = len(c.definitions), bytes.Count(c.definitions, []byte{0})
	}
	c.count(values, nulls)
	var encoding format.Encoding
	if s.values, encoding, err = c.encoded.encode(s.values); err != nil {
		return err
	}
	header := format.PageHeader{Type: format.DataPageV2}
	header.DataPageHeaderV2.Set(format.DataPageHeaderV2{
		NumValues: int32(values), NumNulls: int32(nulls), NumRows: int32(c.rows), Encoding: encoding,
		DefinitionLevelsByteLength: int32(len(s.definitions)), RepetitionLevelsByteLength: int32(len(s.repetitions)),
		IsCompressed: thrift.New(true), Statistics: format.Statistics{NullCount: int64(nulls)},
	})
	place, err := c.makePage(&header, encoding)
	c.chunk.pages = append(c.chunk.pages, place)
	c.before += c.rows
	c.rows, c.definitions, c.repetitions = 0, c.definitions[:0], c.repetitions[:0]
	return err
}

func encodeLevels(dst, levels []byte) ([]byte, error) {
	if len(levels) == 0 { // the column has none
		return dst[:0], nil
	}
	return (&rle.Encoding{BitWidth: 1}).EncodeLevels(dst, levels)
}

// count adds a page to the statistics of its column.
func (c *column) count(values, nulls int) {
	c.chunk.meta.NumValues += int64(values)
	c.chunk.meta.Statistics.NullCount += int64(nulls)
	if c.index == nil {
		return
	}
	var least, greatest parquet.Value
	if values > nulls {
		least, greatest = c.encoded.bounds()
		compare := c.leaf.Node.Type().Compare
		if c.least.IsNull() || compare(least, c.least) < 0 {
			c.least = least
		}
		if c.greatest.IsNull() || compare(greatest, c.greatest) > 0 {
			c.greatest = greatest
		}
	}
	c.index.IndexPage(int64(values), int64(nulls), shorter(least, boundBelow), shorter(greatest, boundAbove))
}

// shorter is a bound of a page in place of one that may be too long.
func shorter(bound parquet.Value, instead func(string) string) parquet.Value {
	if bound.Kind() != parquet.ByteArray {
		return bound
	}
	return parquet.ByteArrayValue([]byte(instead(string(bound.ByteArray()))))
}

// boundBelow is not greater than s. It ends after a whole character of s: readers take bounds for UTF-8.
func boundBelow(s string) string {
	n := min(len(s), maxPageBound)
	for 0 < n && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// boundAbove is not less than s.
func boundAbove(s string) string {
	below := boundBelow(s)
	if below == s {
		return s
	}
	for above := below; above != ""; {
		r, n := utf8.DecodeLastRuneInString(above)
		above = above[:len(above)-n]
		switch {
		case r == utf8.MaxRune || n == 1 && r == utf8.RuneError: // no character is greater
		case r == 0xd7ff: // surrogates come next
			return above + "\ue000"
		default:
			return above + string(r+1)
		}
	}
	return below + "\xff" // greater than any UTF-8, and none itself
}

// makePage puts a page together: its header, its levels if it has some, and its compressed values.
func (c *column) makePage(header *format.PageHeader, encoding format.Encoding) (at format.PageLocation, err error) {
	s := c.shared
	if s.compressed, err = pageCodec.compress(s.compressed, s.values); err != nil {
		return at, err
	}
	levels, sum := len(s.repetitions)+len(s.definitions), uint32(0)
	parts := [][]byte{s.repetitions, s.definitions, s.compressed}
	for _, part := range parts {
		sum = crc32.Update(sum, crc32.IEEETable, part)
	}
	header.UncompressedPageSize = int32(levels + len(s.values))
	header.CompressedPageSize = int32(levels + len(s.compressed))
	header.CRC = int32(sum)
	s.header.Reset()
	if err := s.headers.Encode(header); err != nil {
		return at, err
	}
	s.page = append(s.page[:0], s.header.Bytes()...)
	for _, part := range parts {
		s.page = append(s.page, part...)
	}
	meta := &c.chunk.meta
	meta.TotalCompressedSize += int64(len(s.page))
	meta.TotalUncompressedSize += int64(s.header.Len()) + int64(header.UncompressedPageSize)
	stats := format.PageEncodingStats{PageType: header.Type, Encoding: encoding}
	i := slices.IndexFunc(meta.EncodingStats, func(s format.PageEncodingStats) bool {
		return s.PageType == stats.PageType && s.Encoding == stats.Encoding
	})
	if i < 0 {
		i, meta.EncodingStats = len(meta.EncodingStats), append(meta.EncodingStats, stats)
	}
	meta.EncodingStats[i].Count++
	at = format.PageLocation{
		Offset: s.waiting.size, CompressedPageSize: int32(len(s.page)), FirstRowIndex: int64(c.before),
	}
	return at, s.waiting.write(s.page)
}

// endChunk returns the column of the row group, whose pages wait. The next row group begins.
func (c *column) endChunk() (done chunk, err error) {
	if err := c.endPage(); err != nil {
		return done, err
	}
	if err := c.endDictionary(); err != nil {
		return done, err
	}
	c.describe()
	if c.index != nil {
		index := c.index.ColumnIndex()
		for i, null := range index.NullPages {
			if null { // the library has 0
				index.MinValues[i], index.MaxValues[i] = nil, nil
			}
		}
		if c.chunk.bounds, err = encode(&index); err != nil {
			return done, err
		}
		c.index.Reset()
	}
	done, c.chunk = c.chunk, chunk{}
	c.before, c.text = 0, 0
	c.least, c.greatest = parquet.Value{}, parquet.Value{}
	return done, nil
}

// endDictionary makes the page of the dictionary, which stands before all others.
func (c *column) endDictionary() (err error) {
	if c.first == nil {
		return nil
	}
	s, entries := c.shared, 0
	s.definitions, s.repetitions = s.definitions[:0], s.repetitions[:0]
	s.values, entries = c.first.take(s.values)
	header := format.PageHeader{Type: format.DictionaryPage}
	header.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: int32(entries), Encoding: format.Plain})
	c.chunk.hasDictionary = true
	c.chunk.dictionary, err = c.makePage(&header, format.Plain)
	return err
}

// describe completes the description of the row group in the footer.
func (c *column) describe() {
	meta := &c.chunk.meta
	meta.Type = format.Type(c.leaf.Node.Type().Kind())
	meta.PathInSchema = c.leaf.Path
	meta.Codec = format.Zstd
	used := uint64(0) // a bit for each encoding
	if c.optional {
		used |= 1 << format.RLE // of levels
	}
	for _, s := range meta.EncodingStats {
		used |= 1 << s.Encoding
	}
	for ; used != 0; used &= used - 1 {
		meta.Encoding = append(meta.Encoding, format.Encoding(bits.TrailingZeros64(used)))
	}
	least, greatest := c.least.Bytes(), c.greatest.Bytes()
	if !c.least.IsNull() && max(len(least), len(greatest)) <= maxBound {
		meta.Statistics.MinValue, meta.Statistics.MaxValue = least, greatest
	}
}
