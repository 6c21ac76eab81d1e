package report

import (
	"bytes"
	"hash/crc32"
	"io"
	"math/bits"
	"slices"
	"unicode/utf8"

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

// bounded are the columns with the least and the greatest value of each page in the file, so that readers
// can skip pages: the rows of an origin are neighbours. In other columns a page has nearly the bounds of
// the table, and the file has none.
var bounded = map[string]bool{
	"url": true, "url_host_name": true, "url_host_registered_domain": true, "origin": true, "fetch_time": true,
	"robots_id": true,
}

// How long a bound may be, in bytes: footers and indexes are in memory until the file is whole.
const (
	maxBound     = 1 << 10 // of a row group, which has none that is longer
	maxPageBound = 16      // of a page, which has another instead of one that is longer
)

// pageCodec compresses the pages of all tables.
var pageCodec pageZstd

// column is a column of a table: the page that is being filled, and what is known of its row group.
// Levels, as Parquet calls them, mark nulls and the beginnings of lists. They are 0 or 1, because no
// column nests any deeper.
type column struct {
	leaf     parquet.LeafColumn
	optional bool
	file     *tablePages

	encoded     encoded // the values of the page
	definitions []byte  // a level for each value or null, where there may be nulls or lists: 0 is null
	repetitions []byte  // a level for each value, in a column of lists: 0 begins a list
	rows        int

	dictionary      dictionaryPage        // nil: it has none
	index           parquet.ColumnIndexer // nil: no bounds in the file
	places          []format.PageLocation // of its pages among those that wait
	meta            format.ColumnMetaData
	before          int // rows in pages
	least, greatest parquet.Value
}

// tablePages is the file of a table, and the state that its columns share.
type tablePages struct {
	out             io.Writer
	at              int64  // bytes written
	waiting         spill  // pages of the row group that is not whole yet
	bounds, offsets []byte // the column indexes and offset indexes, which follow all row groups

	// What a page is put together from. All columns use the same memory.
	definitions, repetitions []byte // encoded
	values, compressed, page []byte
	header                   bytes.Buffer
	headers                  *thrift.Encoder // to header
}

func newTablePages(out io.Writer, dir string) *tablePages {
	f := &tablePages{out: out, waiting: spill{dir: dir}}
	f.headers = thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&f.header))
	return f
}

func (f *tablePages) write(b []byte) error {
	n, err := f.out.Write(b)
	f.at += int64(n)
	return err
}

// begin writes the beginning of every file.
func (f *tablePages) begin() error {
	if f.at > 0 {
		return nil
	}
	return f.write([]byte(magic))
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

// endRows ends the page if the number of its rows makes it full.
func (c *column) endRows() error {
	if c.rows < maxPageRows {
		return nil
	}
	return c.endPage()
}

// endPage ends the page, which then waits until its row group is whole.
func (c *column) endPage() (err error) {
	if c.rows == 0 {
		return nil
	}
	f := c.file
	if f.definitions, err = encodeLevels(f.definitions, c.definitions); err != nil {
		return err
	}
	if f.repetitions, err = encodeLevels(f.repetitions, c.repetitions); err != nil {
		return err
	}
	values, nulls := c.rows, 0
	if c.optional {
		values, nulls = len(c.definitions), bytes.Count(c.definitions, []byte{0})
	}
	c.count(values, nulls)
	var encoding format.Encoding
	if f.values, encoding, err = c.encoded.encode(f.values); err != nil {
		return err
	}
	if f.compressed, err = pageCodec.Encode(f.compressed, f.values); err != nil {
		return err
	}
	header := format.PageHeader{Type: format.DataPageV2}
	header.DataPageHeaderV2.Set(format.DataPageHeaderV2{
		NumValues: int32(values), NumNulls: int32(nulls), NumRows: int32(c.rows), Encoding: encoding,
		DefinitionLevelsByteLength: int32(len(f.definitions)), RepetitionLevelsByteLength: int32(len(f.repetitions)),
		IsCompressed: thrift.New(true), Statistics: format.Statistics{NullCount: int64(nulls)},
	})
	if err := c.makePage(&header, encoding); err != nil {
		return err
	}
	c.places = append(c.places, format.PageLocation{
		Offset: f.waiting.size, CompressedPageSize: int32(len(f.page)), FirstRowIndex: int64(c.before),
	})
	c.before += c.rows
	c.rows, c.definitions, c.repetitions = 0, c.definitions[:0], c.repetitions[:0]
	return f.waiting.write(f.page)
}

func encodeLevels(dst, levels []byte) ([]byte, error) {
	if len(levels) == 0 { // the column has none
		return dst[:0], nil
	}
	return (&rle.Encoding{BitWidth: 1}).EncodeLevels(dst, levels)
}

// count adds a page to the statistics of its column.
func (c *column) count(values, nulls int) {
	c.meta.NumValues += int64(values)
	c.meta.Statistics.NullCount += int64(nulls)
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
func (c *column) makePage(header *format.PageHeader, encoding format.Encoding) error {
	f := c.file
	parts := [][]byte{f.repetitions, f.definitions, f.compressed}
	levels, sum := len(f.repetitions)+len(f.definitions), uint32(0)
	for _, part := range parts {
		sum = crc32.Update(sum, crc32.IEEETable, part)
	}
	header.UncompressedPageSize = int32(levels + len(f.values))
	header.CompressedPageSize = int32(levels + len(f.compressed))
	header.CRC = int32(sum)
	f.header.Reset()
	if err := f.headers.Encode(header); err != nil {
		return err
	}
	f.page = append(f.page[:0], f.header.Bytes()...)
	for _, part := range parts {
		f.page = append(f.page, part...)
	}
	c.meta.TotalCompressedSize += int64(len(f.page))
	c.meta.TotalUncompressedSize += int64(f.header.Len()) + int64(header.UncompressedPageSize)
	stats := format.PageEncodingStats{PageType: header.Type, Encoding: encoding}
	for i := range c.meta.EncodingStats {
		if s := &c.meta.EncodingStats[i]; s.PageType == stats.PageType && s.Encoding == stats.Encoding {
			s.Count++
			return nil
		}
	}
	stats.Count = 1
	c.meta.EncodingStats = append(c.meta.EncodingStats, stats)
	return nil
}

// endChunk writes the pages of the row group to the file, and notes their indexes. The next row group
// begins.
func (c *column) endChunk() (chunk format.ColumnChunk, err error) {
	if err := c.endPage(); err != nil {
		return chunk, err
	}
	if err := c.writeDictionary(); err != nil {
		return chunk, err
	}
	c.meta.DataPageOffset = c.file.at
	if err := c.writePages(); err != nil {
		return chunk, err
	}
	c.describe()
	chunk.MetaData = c.meta
	if c.index != nil {
		index := c.index.ColumnIndex()
		for i, null := range index.NullPages {
			if null { // the library has 0
				index.MinValues[i], index.MaxValues[i] = nil, nil
			}
		}
		b, err := encode(&index)
		if err != nil {
			return chunk, err
		}
		c.file.bounds, chunk.ColumnIndexLength = append(c.file.bounds, b...), int32(len(b))
		c.index.Reset()
	}
	b, err := encode(&format.OffsetIndex{PageLocations: c.places})
	if err != nil {
		return chunk, err
	}
	c.file.offsets, chunk.OffsetIndexLength = append(c.file.offsets, b...), int32(len(b))
	c.meta, c.places, c.before = format.ColumnMetaData{}, c.places[:0], 0
	c.least, c.greatest = parquet.Value{}, parquet.Value{}
	return chunk, nil
}

// writeDictionary writes the page of the dictionary, which stands before all others.
func (c *column) writeDictionary() (err error) {
	if c.dictionary == nil {
		return nil
	}
	f, entries := c.file, 0
	f.definitions, f.repetitions = f.definitions[:0], f.repetitions[:0]
	f.values, entries = c.dictionary.take(f.values)
	if f.compressed, err = pageCodec.Encode(f.compressed, f.values); err != nil {
		return err
	}
	header := format.PageHeader{Type: format.DictionaryPage}
	header.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: int32(entries), Encoding: format.Plain})
	if err := c.makePage(&header, format.Plain); err != nil {
		return err
	}
	c.meta.DictionaryPageOffset = f.at
	return f.write(f.page)
}

// writePages moves the pages from where they wait to the file.
func (c *column) writePages() error {
	f := c.file
	for i := range c.places {
		p := &c.places[i]
		f.page = slices.Grow(f.page[:0], int(p.CompressedPageSize))[:p.CompressedPageSize]
		if err := f.waiting.read(f.page, p.Offset); err != nil {
			return err
		}
		p.Offset = f.at
		if err := f.write(f.page); err != nil {
			return err
		}
	}
	return nil
}

// describe completes the description of the row group in the footer.
func (c *column) describe() {
	c.meta.Type = format.Type(c.leaf.Node.Type().Kind())
	c.meta.PathInSchema = c.leaf.Path
	c.meta.Codec = format.Zstd
	used := uint64(0) // a bit for each encoding
	if c.optional {
		used |= 1 << format.RLE // of levels
	}
	for _, s := range c.meta.EncodingStats {
		used |= 1 << s.Encoding
	}
	for ; used != 0; used &= used - 1 {
		c.meta.Encoding = append(c.meta.Encoding, format.Encoding(bits.TrailingZeros64(used)))
	}
	least, greatest := c.least.Bytes(), c.greatest.Bytes()
	if !c.least.IsNull() && max(len(least), len(greatest)) <= maxBound {
		c.meta.Statistics.MinValue, c.meta.Statistics.MaxValue = least, greatest
	}
}
