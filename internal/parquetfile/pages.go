package parquetfile

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
	"github.com/parquet-go/parquet-go/format"

	"github.com/robotsaudit/robotsaudit/internal/archive/inflate"
)

const (
	maxPage       = 64 << 20 // bytes of a page, compressed or not
	maxPageValues = 4 << 20
	maxPageHeader = 64 << 10
)

// page is a page of a column chunk. Its slices are valid until the next one is read.
type page struct {
	dictionary bool
	count      int // values, with nulls
	encoding   format.Encoding
	values     []byte

	repetitions, definitions []byte // levels, as RLE; nil in a column that has none
}

// pageReader reads the pages of one column chunk after the other.
type pageReader struct {
	in       *bufio.Reader
	atOnce   int // bytes that are read at once; 0: few
	codec    format.CompressionCodec
	repeated bool // there are repetition levels
	optional bool // there are definition levels

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
	if r.in == nil {
		r.in = bufio.NewReaderSize(nil, max(r.atOnce, maxPageHeader))
	}
	r.in.Reset(io.NewSectionReader(file, start, m.TotalCompressedSize))
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
		h := new(format.PageHeader)
		size, err := decodeThrift(b, h, maxElements)
		if err == nil {
			_, err = r.in.Discard(size)
			return h, err
		}
		if len(b) < n || n == maxPageHeader {
			return nil, damaged("a page header: %w", err)
		}
	}
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
		p.values, err = r.uncompressed(body, plain)
		if err == nil && r.repeated {
			p.repetitions, p.values, err = cutLevels(p.values, d.RepetitionLevelEncoding, "repetition")
		}
		if err == nil && r.optional {
			p.definitions, p.values, err = cutLevels(p.values, d.DefinitionLevelEncoding, "definition")
		}
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		d := &h.DataPageHeaderV2.V
		p = page{count: int(d.NumValues), encoding: d.Encoding}
		repetition, definition := int(d.RepetitionLevelsByteLength), int(d.DefinitionLevelsByteLength)
		if repetition < 0 || definition < 0 || repetition > len(body) || definition > len(body)-repetition ||
			plain < repetition+definition {
			return p, damaged("levels are longer than their page")
		}
		p.repetitions, p.definitions = body[:repetition], body[repetition:][:definition]
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

// cutLevels takes levels from the beginning of a page.
func cutLevels(b []byte, encoding format.Encoding, name string) (levels, rest []byte, err error) {
	if encoding != format.RLE {
		return nil, nil, damaged("%s levels in the encoding %v are not read", name, encoding)
	}
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
