package parquetfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"
)

// Null stands for a time of INT96 that nobody can read.
const Null = math.MinInt64

// Values are the values of a column in the rows of a batch. In a list each element is one, and a list without
// any is a null.
type Values struct {
	*Column

	batch        levels
	size         int // values of the batch, with nulls
	first, known int // values of the page: the first of the batch, and the one after its last; without nulls

	pages  pageReader
	kind   format.Type
	width  int    // of a value of fixed length
	left   int64  // values of the chunk after the page in hand
	rows   int    // rows of the page in hand that were not yet read
	levels levels // of the page
	next   int    // value of the page after the batch, with nulls

	page, dictionary valueList
	isIndexed        bool     // the page has indexes of the dictionary
	indexes          []uint32 // of values of the page

	joined          []byte // the texts of a page that share beginnings
	shared, lengths []int64
}

// valueList are the values of a page or of a dictionary.
type valueList struct {
	numbers []int64
	spans   []span // of texts
	data    []byte // of texts, in a page valid until the next one
}

// levels mark the rows and the nulls among values.
type levels struct {
	repetitions []uint32 // 0 begins a row; empty: each does
	definitions []uint32 // other than the highest level is a null; empty: none is
}

// span is where a text lies in the data of its page.
type span struct{ from, to uint32 }

func newValues(c *Column, shared *inflater, atOnce int) *Values {
	v := &Values{Column: c, kind: c.Type.Type.V}
	if v.kind == format.FixedLenByteArray {
		v.width = int(c.Type.TypeLength.V)
	}
	v.pages = pageReader{repeated: c.IsList, optional: c.definition > 0, inflater: shared, atOnce: atOnce}
	return v
}

// Each calls f for each value that is not null: with the number of its row in the batch, and its own for Text or
// Int.
func (v *Values) Each(f func(v *Values, row, value int)) {
	row, value := -1, v.first
	for i := range v.size {
		if len(v.batch.repetitions) == 0 || v.batch.repetitions[i] == 0 {
			row++
		}
		if len(v.batch.definitions) == 0 || v.batch.definitions[i] == v.definition {
			f(v, row, value)
			value++
		}
	}
}

// Text returns a value, which is valid until the next batch.
func (v *Values) Text(value int) []byte {
	if v.isIndexed {
		s := v.dictionary.spans[v.indexes[value]]
		return v.dictionary.data[s.from:s.to]
	}
	s := v.page.spans[value]
	return v.page.data[s.from:s.to]
}

// Int returns a value: of a real number its bits, of a truth value 0 or 1, of a time of INT96 microseconds since
// 1970.
func (v *Values) Int(value int) int64 {
	if v.isIndexed {
		return v.dictionary.numbers[v.indexes[value]]
	}
	return v.page.numbers[value]
}

// open starts on a column chunk.
func (v *Values) open(f *File, chunk *format.ColumnChunk) error {
	if chunk.MetaData.Type != v.kind {
		return damaged("a column chunk is of another type")
	}
	v.left, v.rows = chunk.MetaData.NumValues, 0
	v.dictionary = valueList{numbers: v.dictionary.numbers[:0], spans: v.dictionary.spans[:0]}
	return v.pages.open(f.r, f.size, chunk)
}

// ready returns how many rows of the page in hand are left. It moves to the next page if there are
// none.
func (v *Values) ready() (int, error) {
	for v.rows == 0 {
		if v.left <= 0 {
			return 0, damaged("a column has fewer values than there are rows")
		}
		p, err := v.pages.next()
		if err == io.EOF {
			return 0, damaged("a column chunk ends before its last value")
		}
		if err != nil {
			return 0, err
		}
		if err := v.load(p); err != nil {
			return 0, err
		}
	}
	return v.rows, nil
}

// load decodes a page.
func (v *Values) load(p page) error {
	if p.dictionary {
		return v.loadDictionary(p)
	}
	if int64(p.count) > v.left {
		return damaged("a column has more values than its chunk says")
	}
	values, rows := p.count, p.count
	l := &v.levels
	if v.IsList {
		if err := decodeHybrid(sized(&l.repetitions, p.count), p.repetitions, 1); err != nil {
			return err
		}
		if rows = count(l.repetitions, 0); p.count > 0 && l.repetitions[0] != 0 {
			return damaged("a row begins in one page and ends in another")
		}
	}
	l.definitions = l.definitions[:0]
	if v.definition > 0 {
		width := uint(bits.Len32(v.definition))
		if err := decodeHybrid(sized(&l.definitions, p.count), p.definitions, width); err != nil {
			return err
		}
		if values = count(l.definitions, v.definition); values == p.count {
			l.definitions = l.definitions[:0]
		}
	}
	v.isIndexed = false
	if values > 0 {
		if err := v.loadValues(p, values); err != nil {
			return err
		}
	}
	v.left -= int64(p.count)
	v.rows, v.next, v.known = rows, 0, 0
	return nil
}

// count returns how many levels there are of one.
func count(levels []uint32, level uint32) (n int) {
	for _, l := range levels {
		if l == level {
			n++
		}
	}
	return n
}

// sized returns the first n elements of a slice that is made larger if need be.
func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	return *s
}

// plainDictionary is the encoding of dictionaries, and of indexes of them, in older files.
const plainDictionary = format.Encoding(2)

// loadDictionary decodes a dictionary.
func (v *Values) loadDictionary(p page) error {
	d := &v.dictionary
	if p.encoding != format.Plain && p.encoding != plainDictionary || len(d.spans) > 0 || len(d.numbers) > 0 {
		return damaged("a dictionary in the encoding %v, or a second one", p.encoding)
	}
	if v.Kind() == Numbers {
		return v.plainNumbers(d, p.values, p.count)
	}
	err := v.plainTexts(d, p.values, p.count)
	d.data = bytes.Clone(d.data)
	return err
}

// loadValues decodes the values of a page that are not null.
func (v *Values) loadValues(p page, n int) (err error) {
	switch p.encoding {
	case format.RLEDictionary, plainDictionary:
		if len(p.values) == 0 {
			return errFewer
		}
		v.isIndexed = true
		if err := decodeHybrid(sized(&v.indexes, n), p.values[1:], uint(p.values[0])); err != nil {
			return err
		}
		entries := uint32(max(len(v.dictionary.spans), len(v.dictionary.numbers)))
		for _, i := range v.indexes {
			if i >= entries {
				return damaged("a value is not in its dictionary")
			}
		}
		return nil
	case format.Plain:
		if v.Kind() == Texts {
			return v.plainTexts(&v.page, p.values, n)
		}
		return v.plainNumbers(&v.page, p.values, n)
	case format.DeltaBinaryPacked:
		if v.kind == format.Int32 || v.kind == format.Int64 {
			if _, err = decodeDelta(sized(&v.page.numbers, n), p.values); err == nil && v.kind == format.Int32 {
				for i, n := range v.page.numbers {
					v.page.numbers[i] = int64(int32(n))
				}
			}
			return err
		}
	case format.DeltaLengthByteArray:
		if v.kind == format.ByteArray {
			return v.deltaLengths(p.values, n)
		}
	case format.DeltaByteArray:
		if v.Kind() == Texts {
			return v.deltaTexts(p.values, n)
		}
	}
	return damaged("values in the encoding %v are not read here; write the column plain or with a dictionary",
		p.encoding)
}

// plainNumbers decodes n numbers, one after the other.
func (v *Values) plainNumbers(to *valueList, b []byte, n int) error {
	size := map[format.Type]int{format.Boolean: 1, format.Int32: 32, format.Int96: 96}[v.kind]
	if size == 0 {
		size = 64
	}
	if len(b) < (n*size+7)/8 {
		return errFewer
	}
	dst := sized(&to.numbers, n)
	switch v.kind {
	case format.Boolean:
		for i := range dst {
			dst[i] = int64(b[i/8] >> (i % 8) & 1)
		}
	case format.Int32:
		for i := range dst {
			dst[i] = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case format.Int96:
		for i := range dst {
			dst[i] = int96Micros(b[12*i:])
		}
	default:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	return nil
}

// int96Micros returns the time of the type that Impala and older Sparks write: nanoseconds of the
// day, and the number of the Julian day.
func int96Micros(b []byte) int64 {
	const epoch = 2440588 // the Julian day of 1970-01-01
	const day = 24 * 60 * 60 * 1_000_000
	nanos, julian := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	if nanos > day*1000 || julian > 10_000_000 {
		return Null
	}
	return (int64(julian)-epoch)*day + int64(nanos/1000)
}

// plainTexts finds n texts, each after its length or of fixed length.
func (v *Values) plainTexts(to *valueList, b []byte, n int) error {
	if n > len(b)/max(v.width, 1)+1 {
		return errFewer
	}
	to.data = b
	spans := sized(&to.spans, n)
	at := uint64(0)
	for i := range spans {
		size := uint64(v.width)
		if v.kind == format.ByteArray {
			if at+4 > uint64(len(b)) {
				return errFewer
			}
			size = uint64(binary.LittleEndian.Uint32(b[at:]))
			at += 4
		}
		if at+size > uint64(len(b)) {
			return damaged("a value is longer than its page")
		}
		spans[i] = span{uint32(at), uint32(at + size)}
		at += size
	}
	return nil
}

// deltaLengths finds n texts after a list of their lengths.
func (v *Values) deltaLengths(b []byte, n int) (err error) {
	if v.page.data, err = decodeDelta(sized(&v.lengths, n), b); err != nil {
		return err
	}
	spans, at := sized(&v.page.spans, n), int64(0)
	for i, length := range v.lengths {
		if length < 0 || length > int64(len(v.page.data))-at {
			return damaged("a value is longer than its page")
		}
		spans[i] = span{uint32(at), uint32(at + length)}
		at += length
	}
	return nil
}

// deltaTexts makes n texts of the beginnings that they share with those before, and their ends.
func (v *Values) deltaTexts(b []byte, n int) error {
	b, err := decodeDelta(sized(&v.shared, n), b)
	if err != nil {
		return err
	}
	if b, err = decodeDelta(sized(&v.lengths, n), b); err != nil {
		return err
	}
	spans, data, last := sized(&v.page.spans, n), v.joined[:0], 0
	for i, length := range v.lengths {
		shared := v.shared[i]
		if length < 0 || length > int64(len(b)) || shared < 0 || shared > int64(len(data)-last) {
			return damaged("a value is longer than its page")
		}
		if len(data)+int(shared+length) > maxPage {
			return damaged("a page has more than %d bytes", maxPage)
		}
		from := len(data)
		data = append(append(data, data[last:last+int(shared)]...), b[:length]...)
		b = b[length:]
		spans[i] = span{uint32(from), uint32(len(data))}
		last = from
	}
	v.page.data, v.joined = data, data
	return nil
}

// take makes the next rows, at most as many as are ready, the batch.
func (v *Values) take(rows int) {
	v.rows -= rows
	from, end := v.next, v.next+rows
	v.batch = levels{}
	if page := v.levels.repetitions; v.IsList {
		for end = from; end < len(page) && (page[end] > 0 || rows > 0); end++ {
			if page[end] == 0 {
				rows--
			}
		}
		v.batch.repetitions = page[from:end]
	}
	v.first, v.known = v.known, v.known+end-from
	if len(v.levels.definitions) > 0 {
		v.batch.definitions = v.levels.definitions[from:end]
		v.known = v.first + count(v.batch.definitions, v.definition)
	}
	v.next, v.size = end, end-from
}
