package parquetfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// rowsOf reads all columns of a file that can be read.
func rowsOf(t testing.TB, content []byte) *Rows {
	t.Helper()
	f, err := Open(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var columns []*Column
	for i := range f.Columns {
		if c := &f.Columns[i]; c.Kind() != Unread {
			columns = append(columns, c)
		}
	}
	return f.Rows(columns, 100, 0)
}

// TestHostileFooter: what a footer claims costs little memory.
func TestHostileFooter(t *testing.T) {
	trailer := func(footer []byte) []byte {
		n := len(footer)
		return append(append([]byte("PAR1"), footer...), byte(n), byte(n>>8), byte(n>>16), byte(n>>24), 'P', 'A', 'R',
			'1')
	}
	// Field 1 is the version, 2 the schema, a list of structs, 3 the number of rows, 4 the row groups.
	for name, footer := range map[string][]byte{
		"a list of 2^31 columns":    {0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0},
		"a list of 2^63 row groups": {0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0},
		"lists in lists":            append(bytes.Repeat([]byte{0x19}, 1<<20), 0),
		"structs in structs":        bytes.Repeat([]byte{0x1c}, 1<<20),
		"a million columns": append(append([]byte{0x29, 0xfc, 0xc0, 0x84, 0x3d},
			bytes.Repeat([]byte{0x48, 1, 'a', 0}, 1_000_000)...), 0),
		"a chain of 9,000 groups": append(append([]byte{0x15, 2, 0x19, 0xfc, 0xa8, 0x46},
			bytes.Repeat([]byte{0x48, 1, 'a', 0x15, 2, 0}, 9000)...), 0x16, 0, 0x19, 0x0c, 0),
		"a text of 2^31 bytes": {0x48, 0xff, 0xff, 0xff, 0xff, 0x07},
		"nothing":              {},
	} {
		content := trailer(footer)
		bounded(t, name, 16<<20, func() {
			if _, err := Open(bytes.NewReader(content), int64(len(content))); err == nil {
				t.Errorf("%s: no error", name)
			}
		})
	}
}

// TestOwnFooter: tables of this program have footers longer than what is read of others.
func TestOwnFooter(t *testing.T) {
	meta := format.FileMetaData{
		Version: 1, Schema: []format.SchemaElement{{Name: "root"}}, KeyValueMetadata: make([]format.KeyValue, maxElements+1),
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		t.Fatal(err)
	}
	b := append([]byte(magic), footer...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), magic...)
	if _, err := Open(bytes.NewReader(b), int64(len(b))); err == nil {
		t.Error("of others: no error")
	}
	if _, err := OpenOwn(bytes.NewReader(b), int64(len(b))); err != nil {
		t.Error(err)
	}
}

// bounded fails if f allocates more than some bytes.
func bounded(t *testing.T, name string, limit uint64, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > limit {
		t.Errorf("%s: %d bytes allocated", name, n)
	}
}

// handmade writes a file of a column of URLs and one of times, whose first page is made by hand.
func handmade(t testing.TB, codec format.CompressionCodec, header format.PageHeader, data []byte) []byte {
	t.Helper()
	marshal := func(v any) []byte {
		b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	page := append(marshal(&header), data...)
	chunk := func(kind format.Type, name string) format.ColumnChunk {
		return format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: kind, PathInSchema: []string{name}, Codec: codec, NumValues: 1 << 40,
			TotalCompressedSize: int64(len(page)), DataPageOffset: 4,
			Encoding: []format.Encoding{format.Plain},
		}}
	}
	leaf := func(kind format.Type, name string) format.SchemaElement {
		return format.SchemaElement{Name: name, Type: thrift.New(kind), RepetitionType: thrift.New(format.Optional)}
	}
	footer := marshal(&format.FileMetaData{
		Version: 1, NumRows: 1000,
		Schema: []format.SchemaElement{
			{Name: "root", NumChildren: thrift.New(int32(2))},
			leaf(format.ByteArray, "url"), leaf(format.Int64, "time"),
		},
		RowGroups: []format.RowGroup{{
			NumRows: 1000,
			Columns: []format.ColumnChunk{chunk(format.ByteArray, "url"), chunk(format.Int64, "time")},
		}},
	})
	b := append([]byte("PAR1"), page...)
	b = append(b, footer...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), "PAR1"...)
}

// TestHostilePages: what a page claims costs little memory, and neither do compressed zeros.
func TestHostilePages(t *testing.T) {
	zeros := make([]byte, 64<<20)
	bombs := map[format.CompressionCodec][]byte{}
	for codec, c := range map[format.CompressionCodec]compress.Codec{
		format.Gzip:   &parquet.Gzip,
		format.Snappy: &parquet.Snappy, format.Zstd: &parquet.Zstd, format.Brotli: &parquet.Brotli,
	} {
		b, err := c.Encode(nil, zeros)
		if err != nil {
			t.Fatal(err)
		}
		bombs[codec] = b
	}
	v1 := func(values int32, encoding format.Encoding) thrift.Null[format.DataPageHeader] {
		return thrift.New(format.DataPageHeader{
			NumValues: values, Encoding: encoding,
			DefinitionLevelEncoding: format.RLE,
		})
	}
	const most = math.MaxInt32
	levels := []byte{6, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x0f, 1} // a run of 2^31 values
	type page struct {
		codec  format.CompressionCodec
		header format.PageHeader
		data   []byte
	}
	pages := map[string]page{
		"a compressed size of 2^31": {
			format.Gzip,
			format.PageHeader{CompressedPageSize: most, UncompressedPageSize: 10, DataPageHeader: v1(1, format.Plain)},
			nil,
		},
		"a size of 2^31": {
			format.Gzip,
			format.PageHeader{CompressedPageSize: 10, UncompressedPageSize: most, DataPageHeader: v1(1, format.Plain)},
			levels,
		},
		"a negative size": {
			format.Uncompressed,
			format.PageHeader{CompressedPageSize: -1, UncompressedPageSize: -1, DataPageHeader: v1(1, format.Plain)},
			nil,
		},
		"2^31 values": {
			format.Uncompressed,
			format.PageHeader{
				CompressedPageSize: 10, UncompressedPageSize: 10,
				DataPageHeader: v1(most, format.RLEDictionary),
			},
			levels,
		},
		"negative values": {
			format.Uncompressed,
			format.PageHeader{CompressedPageSize: 10, UncompressedPageSize: 10, DataPageHeader: v1(-1, format.Plain)},
			levels,
		},
		"a dictionary of 2^31": {
			format.Uncompressed,
			format.PageHeader{
				Type: format.DictionaryPage, CompressedPageSize: 10, UncompressedPageSize: 10,
				DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: most}),
			},
			levels,
		},
		"levels of a negative size": {
			format.Uncompressed,
			format.PageHeader{
				Type: format.DataPageV2, CompressedPageSize: 10, UncompressedPageSize: 10,
				DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{NumValues: 1, DefinitionLevelsByteLength: -5}),
			},
			levels,
		},
		"no header": {
			format.Uncompressed,
			format.PageHeader{CompressedPageSize: 10, UncompressedPageSize: 10},
			levels,
		},
		"a run of 2^31 values": {
			format.Uncompressed,
			format.PageHeader{CompressedPageSize: 10, UncompressedPageSize: 10, DataPageHeader: v1(5, format.Plain)},
			levels,
		},
	}
	for codec, b := range bombs {
		pages["a bomb of "+codec.String()] = page{
			codec,
			format.PageHeader{
				CompressedPageSize: int32(len(b)), UncompressedPageSize: 100,
				DataPageHeader: v1(1, format.Plain),
			},
			b,
		}
	}
	for name, p := range pages {
		content := handmade(t, p.codec, p.header, p.data)
		bounded(t, name, 32<<20, func() {
			r := rowsOf(t, content)
			if _, err := r.Next(); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %v", name, err)
			}
			if n := r.Pass(); n != 1000 {
				t.Errorf("%s: %d rows passed", name, n)
			}
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("%s: then %v", name, err)
			}
		})
	}
}

// TestSharedInflater: the values of a page stay while another column is read, also if some of its
// pages are not compressed.
func TestSharedInflater(t *testing.T) {
	shared := new(inflater)
	readers := make([]pageReader, 2)
	var pages [2]page
	for i := range readers {
		content := handmade(t, format.Gzip,
			format.PageHeader{
				Type: format.DataPageV2, CompressedPageSize: 4, UncompressedPageSize: 4,
				DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{NumValues: 1, IsCompressed: thrift.New(false)}),
			},
			[]byte(fmt.Sprint("000", i)))
		f, err := Open(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		readers[i].inflater = shared
		if err := readers[i].open(f.r, f.size, &f.Groups[0].Columns[0]); err != nil {
			t.Fatal(err)
		}
		if pages[i], err = readers[i].next(); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(pages[0].values); got != "0000" {
		t.Errorf("the first page has %q", got)
	}
}

// TestHybrid: runs that claim more than a page has are cut, and packed values of every width
// are read.
func TestHybrid(t *testing.T) {
	dst := make([]uint32, 10)
	if err := decodeHybrid(dst, []byte{0xfe, 0xff, 0xff, 0xff, 0x0f, 3}, 2); err != nil || dst[9] != 3 {
		t.Errorf("a long run: %v, %v", dst, err)
	}
	if err := decodeHybrid(dst, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1}, 32); err == nil {
		t.Error("many packed values: no error")
	}
	if err := decodeHybrid(dst, []byte{4, 1}, 1); err == nil {
		t.Error("too few values: no error")
	}
	for width := uint(1); width <= 32; width++ {
		packed := make([]byte, 2*width)
		want := make([]uint32, 16)
		for i := range want {
			want[i] = uint32((uint64(i)*2654435761 + 12345) & (1<<width - 1))
			for bit := range width {
				if at := uint(i)*width + bit; want[i]>>bit&1 == 1 {
					packed[at/8] |= 1 << (at % 8)
				}
			}
		}
		got := make([]uint32, 16)
		if err := decodeHybrid(got, append([]byte{2<<1 | 1}, packed...), width); err != nil || !cmp.Equal(got, want) {
			t.Errorf("width %d: %v, not %v: %v", width, got, want, err)
		}
	}
}
