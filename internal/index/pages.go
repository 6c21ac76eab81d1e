package index

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/robotsaudit/robotsaudit/internal/archive/inflate"
	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
)

// Pages are decoded here and not by the Parquet library, because that makes buffers as large as a
// page header, a run length or compressed data say, without a limit: a file of some bytes could
// take all memory.

const (
	maxPage       = 64 << 20 // bytes of a page, compressed or not
	maxPageValues = 4 << 20
	maxPageHeader = 64 << 10
)

// damaged is an error about the content of a Parquet file.
func damaged(format string, a ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{parquetfile.ErrDamaged}, a...)...)
}

// page is a page of a column chunk. Its slices are valid until the next one is read.
type page struct {
	dictionary bool
	count      int // values, with nulls
	encoding   format.Encoding
	levels     []byte // definition levels, as RLE; nil in a required column
	values     []byte
}

// pageReader reads the pages of one column chunk after the other.
type pageReader struct {
	in       *bufio.Reader
	atOnce   int // bytes that are read at once; 0: few
	section  *io.SectionReader
	codec    format.CompressionCodec
	optional bool

	packed []byte // the data of the page, where it is not compressed
	plain  []byte
	*inflater
}

// inflater undoes compressions. Columns share one.
type inflater struct {
	compressed []byte
	gzip       *inflate.Reader
	zstd       *zstd.Decoder
}

// open starts on a column chunk.
func (r *pageReader) open(file io.ReaderAt, size int64, chunk *format.ColumnChunk) error {
	m := &chunk.MetaData
	start := m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	if start < 0 || m.TotalCompressedSize < 0 || start > size || m.TotalCompressedSize > size-start ||
		chunk.FilePath != "" {
		return damaged("a column chunk lies outside the file")
	}
	r.codec = m.Codec
	r.section = io.NewSectionReader(file, start, m.TotalCompressedSize)
	if r.in == nil {
		r.in = bufio.NewReaderSize(r.section, max(r.atOnce, maxPageHeader))
	}
	r.in.Reset(r.section)
	return nil
}

// next reads a page. It returns io.EOF at the end of the chunk.
func (r *pageReader) next() (page, error) {
	for {
		h, err := r.header()
		if err != nil {
			return page{}, err
		}
		packed, plain := int(h.CompressedPageSize), int(h.UncompressedPageSize)
		if packed < 0 || plain < 0 || packed > maxPage || plain > maxPage {
			return page{}, damaged("a page has more than %d bytes", maxPage)
		}
		body, err := r.body(packed)
		if err != nil {
			return page{}, err
		}
		if h.CRC != 0 && crc32.ChecksumIEEE(body) != uint32(h.CRC) {
			return page{}, damaged("the checksum of a page differs")
		}
		if h.Type == format.IndexPage {
			continue
		}
		return r.decode(h, body, plain)
	}
}

// body reads the data of a page.
func (r *pageReader) body(n int) ([]byte, error) {
	buffer := &r.compressed
	if r.codec == format.Uncompressed {
		buffer = &r.packed
	}
	_, err := io.ReadFull(r.in, sized(buffer, n))
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = damaged("a page ends behind its column chunk")
	}
	return *buffer, err
}

// header reads the header of a page.
func (r *pageReader) header() (*format.PageHeader, error) {
	for n := 4 << 10; ; n = maxPageHeader {
		b, err := r.in.Peek(n)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if len(b) == 0 {
			return nil, io.EOF
		}
		h, size, err := parsePageHeader(b)
		if err == nil {
			_, err = r.in.Discard(size)
			return h, err
		}
		if len(b) < n || n == maxPageHeader {
			return nil, damaged("a page header: %w", err)
		}
	}
}

func parsePageHeader(b []byte) (h *format.PageHeader, size int, err error) {
	defer recovered(&err)
	h = new(format.PageHeader)
	read := new(thrift.CompactProtocol).NewReaderFromBytes(b)
	err = thrift.NewDecoder(read).Decode(h)
	return h, read.BytesRead(), err
}

// decode undoes the compression of a page, and takes it apart.
func (r *pageReader) decode(h *format.PageHeader, body []byte, plain int) (p page, err error) {
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		d := &h.DictionaryPageHeader.V
		p = page{dictionary: true, count: int(d.NumValues), encoding: d.Encoding}
		p.values, err = r.uncompressed(body, plain)
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		d := &h.DataPageHeader.V
		p = page{count: int(d.NumValues), encoding: d.Encoding}
		if p.values, err = r.uncompressed(body, plain); err == nil && r.optional {
			if d.DefinitionLevelEncoding != format.RLE {
				return p, damaged("definition levels in the encoding %v are not read", d.DefinitionLevelEncoding)
			}
			p.levels, p.values, err = cutLevels(p.values)
		}
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		d := &h.DataPageHeaderV2.V
		p = page{count: int(d.NumValues), encoding: d.Encoding}
		repetition, definition := int(d.RepetitionLevelsByteLength), int(d.DefinitionLevelsByteLength)
		if repetition < 0 || definition < 0 || repetition > len(body) || definition > len(body)-repetition ||
			plain < repetition+definition {
			return p, damaged("levels are longer than their page")
		}
		if r.optional {
			p.levels = body[repetition:][:definition]
		}
		p.values = body[repetition+definition:]
		if !d.IsCompressed.Valid || d.IsCompressed.V {
			p.values, err = r.uncompressed(p.values, plain-repetition-definition)
		} else { // where it lies, columns may share
			r.plain = append(r.plain[:0], p.values...)
			p.values = r.plain
		}
	default:
		return p, damaged("a page of no known type")
	}
	if err == nil && (p.count < 0 || p.count > maxPageValues) {
		err = damaged("a page of %d values, of which at most %d are read", p.count, maxPageValues)
	}
	return p, err
}

// cutLevels takes the definition levels from the beginning of a page.
func cutLevels(b []byte) (levels, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, damaged("levels are longer than their page")
	}
	n := binary.LittleEndian.Uint32(b)
	if b = b[4:]; uint64(n) > uint64(len(b)) {
		return nil, nil, damaged("levels are longer than their page")
	}
	return b[:n], b[n:], nil
}

// uncompressed undoes the compression of data that must have n bytes without it.
func (r *pageReader) uncompressed(packed []byte, n int) ([]byte, error) {
	if r.codec == format.Uncompressed {
		return packed, nil
	}
	if n == 0 {
		return nil, nil
	}
	if err := r.inflate(sized(&r.plain, n), packed, r.codec); err != nil {
		return nil, damaged("a compressed page: %w", err)
	}
	return r.plain, nil
}

// inflate fills dst with what src contains, which must be exactly as much.
func (i *inflater) inflate(dst, src []byte, codec format.CompressionCodec) error {
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
			return errPageLength
		}
		_, err := snappy.Decode(dst, src)
		return err
	case format.Gzip:
		if i.gzip == nil {
			i.gzip = inflate.NewReader(nil)
		}
		i.gzip.Reset(bytes.NewReader(src))
		if err := i.gzip.NextMember(); err != nil {
			return err
		}
		return fill(dst, i.gzip)
	case format.Zstd:
		if i.zstd == nil {
			var err error
			if i.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecodeAllCapLimit(true)); err != nil {
				return err
			}
		}
		b, err := i.zstd.DecodeAll(src, dst[:0:len(dst)])
		if err == nil && len(b) != len(dst) {
			err = errPageLength
		}
		return err
	case format.Brotli:
		return fill(dst, brotli.NewReader(bytes.NewReader(src)))
	}
	return fmt.Errorf("the compression %s is not read; write the file with zstd, gzip or snappy",
		strings.ToLower(codec.String()))
}

var errPageLength = fmt.Errorf("its length is not that of its header")

// fill reads all of r, which must have as many bytes as dst.
func fill(dst []byte, r io.Reader) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return errPageLength
		}
		return err
	}
	var more [1]byte
	if n, err := r.Read(more[:]); n > 0 {
		return errPageLength
	} else if err != io.EOF {
		return err
	}
	return nil
}

// decodeHybrid fills dst with values of some bits each, in runs of one value or packed (the RLE
// encoding of Parquet).
func decodeHybrid(dst []uint32, src []byte, width uint) error {
	if width > 32 {
		return damaged("values of %d bits", width)
	}
	if width == 0 {
		clear(dst)
		return nil
	}
	mask := uint64(1)<<width - 1
	for i := 0; i < len(dst); {
		head, n := binary.Uvarint(src)
		if n <= 0 {
			return damaged("a page has fewer values than its header says")
		}
		src = src[n:]
		left := uint64(len(dst) - i)
		if head&1 == 0 {
			size := int(width+7) / 8
			if len(src) < size {
				return damaged("a page has fewer values than its header says")
			}
			var value [4]byte
			copy(value[:], src[:size])
			src = src[size:]
			v := uint32(uint64(binary.LittleEndian.Uint32(value[:])) & mask)
			run := dst[i : i+int(min(head>>1, left))]
			for j := range run {
				run[j] = v
			}
			i += len(run)
			continue
		}
		groups := min(head>>1, left/8+1) // of eight values
		run := dst[i : i+int(min(groups*8, left))]
		size := min(int(groups)*int(width), len(src))
		if len(run)*int(width) > size*8 {
			return damaged("a page has fewer values than its header says")
		}
		unpack(run, src[:size], width, mask)
		src = src[size:]
		i += len(run)
	}
	return nil
}

// unpack reads values of some bits each, the lowest first.
func unpack(dst []uint32, src []byte, width uint, mask uint64) {
	at := uint(0)
	for i := range dst {
		b := src[min(at/8, uint(len(src))):]
		if len(b) >= 8 {
			dst[i] = uint32(binary.LittleEndian.Uint64(b) >> (at % 8) & mask)
		} else {
			var tail [8]byte
			copy(tail[:], b)
			dst[i] = uint32(binary.LittleEndian.Uint64(tail[:]) >> (at % 8) & mask)
		}
		at += width
	}
}

// decodeDelta fills dst with integers of the encoding DELTA_BINARY_PACKED, and returns the
// bytes after them.
func decodeDelta(dst []int64, src []byte) (rest []byte, err error) {
	short := damaged("a page has fewer values than its header says")
	uvarint := func() uint64 {
		v, n := binary.Uvarint(src)
		if n <= 0 {
			src, err = nil, short
			return 0
		}
		src = src[n:]
		return v
	}
	varint := func() int64 {
		v := uvarint()
		return int64(v>>1) ^ -int64(v&1)
	}
	block, minis, total, value := uvarint(), uvarint(), uvarint(), varint()
	switch {
	case err != nil:
		return nil, err
	case total != uint64(len(dst)):
		return nil, damaged("a page has %d values, and its header says %d", total, len(dst))
	case minis == 0 || block > 1<<20 || block%minis != 0 || block/minis%8 != 0 || block == 0:
		return nil, damaged("delta blocks of a wrong size")
	}
	if len(dst) == 0 {
		return src, nil
	}
	dst[0] = value
	for i := 1; i < len(dst); {
		least := varint()
		if err != nil || uint64(len(src)) < minis {
			return nil, short
		}
		widths := src[:minis]
		src = src[minis:]
		for _, width := range widths {
			if i == len(dst) {
				break // blocks that are not needed have a width and no data
			}
			perMini := int(block / minis)
			size := perMini * int(width) / 8
			if width > 64 || len(src) < size {
				return nil, short
			}
			mini := src[:size]
			src = src[size:]
			for j := 0; j < perMini && i < len(dst); j++ {
				value += least + int64(bitsAt(mini, uint(j)*uint(width), uint(width)))
				dst[i] = value
				i++
			}
		}
	}
	return src, nil
}

// bitsAt returns up to 64 bits from a place.
func bitsAt(b []byte, at, width uint) uint64 {
	if width == 0 {
		return 0
	}
	var window [16]byte
	copy(window[:], b[at/8:])
	v := binary.LittleEndian.Uint64(window[:]) >> (at % 8)
	if at%8 > 0 {
		v |= binary.LittleEndian.Uint64(window[8:]) << (64 - at%8)
	}
	return v & (^uint64(0) >> (64 - width))
}
