package parquetwriter

import (
	"cmp"
	"encoding/binary"
	"math"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// maxDictionary is how many bytes of values make a dictionary full. The page in which it fills up is
// the last that uses it.
const maxDictionary = 16 << 10

// values are the values of a page, without its nulls, in a form that is near to that in the file.
type values[V any] interface {
	add(V) (size int) // about how many bytes the page has then
	encoded
}

// encoded are values of any type.
type encoded interface {
	// encode returns the values as they stand in a page, in the buffer if they fit there, and forgets
	// them.
	encode(buffer []byte) ([]byte, format.Encoding, error)
	// bounds returns the least and the greatest value, of a column with bounds in the file. It resets them.
	bounds() (least, greatest parquet.Value)
}

// dictionaryPage makes the page that holds the entries of a dictionary.
type dictionaryPage interface {
	// take returns the entries as they stand in the page, and their number, and forgets them.
	take(buffer []byte) (page []byte, entries int)
}

func newTexts(c *column) values[string] {
	var v values[string]
	switch encodingOf(c) {
	case format.RLEDictionary:
		v = newDictionary(c, putText, new(prefixedTexts))
	case format.DeltaByteArray:
		v = new(prefixedTexts)
	default:
		v = new(lengthTexts)
	}
	return withBounds(c, v, func(s string) parquet.Value { return parquet.ByteArrayValue([]byte(s)) })
}

func newInt32s(c *column, deltas bool) values[int32] {
	put := func(b []byte, n int32) []byte { return binary.LittleEndian.AppendUint32(b, uint32(n)) }
	return withBounds(c, newIntegers(c, put, new(delta.BinaryPackedEncoding).EncodeInt32, deltas), parquet.Int32Value)
}

func newInt64s(c *column, deltas bool) values[int64] {
	put := func(b []byte, n int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(n)) }
	return withBounds(c, newIntegers(c, put, new(delta.BinaryPackedEncoding).EncodeInt64, deltas), parquet.Int64Value)
}

func newDoubles(c *column) values[float64] {
	put := func(b []byte, n float64) []byte {
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(n))
	}
	return withBounds(c, values[float64](&plainValues[float64]{put: put}), parquet.DoubleValue)
}

func newBools(c *column) values[bool] {
	v := new(bools)
	c.encoded, c.index = v, nil // they have no bounds
	return v
}

// newIntegers returns values in the encoding of their tag: plain, with a dictionary before, or differences. deltas:
// differences where there is no dictionary, whatever the tag.
func newIntegers[V int32 | int64](c *column, put func([]byte, V) []byte, encode func([]byte, []V) ([]byte, error),
	deltas bool,
) values[V] {
	var v values[V] = &plainValues[V]{put: put}
	if deltas || encodingOf(c) == format.DeltaBinaryPacked {
		v = &deltaNumbers[V]{encoded: encode}
	}
	if encodingOf(c) == format.RLEDictionary {
		v = newDictionary(c, put, v)
	}
	return v
}

// encodingOf is the encoding in the tag of a field.
func encodingOf(c *column) format.Encoding {
	if e := c.leaf.Node.Encoding(); e != nil {
		return e.Encoding()
	}
	return format.Plain
}

// withBounds makes v the values of a column. Their bounds are followed if the file has them.
func withBounds[V cmp.Ordered](c *column, v values[V], value func(V) parquet.Value) values[V] {
	if c.index != nil {
		v = &boundedValues[V]{values: v, value: value}
	}
	c.encoded = v
	return v
}

// boundedValues follows the least and the greatest value of a page.
type boundedValues[V cmp.Ordered] struct {
	values[V]
	value           func(V) parquet.Value
	some            bool
	least, greatest V
}

func (b *boundedValues[V]) add(v V) int {
	switch {
	case !b.some:
		b.some, b.least = true, own(v)
		b.greatest = b.least
	case v < b.least:
		b.least = own(v)
	case v > b.greatest:
		b.greatest = own(v)
	}
	return b.values.add(v)
}

func (b *boundedValues[V]) bounds() (least, greatest parquet.Value) {
	b.some = false
	return b.value(b.least), b.value(b.greatest)
}

// own is a copy of a value that keeps nothing else in memory: a string may be part of a large one.
func own[V any](v V) V {
	if s, ok := any(v).(string); ok {
		return any(strings.Clone(s)).(V)
	}
	return v
}

// boundless is part of values that do not follow their bounds.
type boundless struct{}

func (boundless) bounds() (least, greatest parquet.Value) { return least, greatest }

// plainValues is values one after the other.
type plainValues[V any] struct {
	boundless
	put func([]byte, V) []byte
	b   []byte
}

func putText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

func (p *plainValues[V]) add(v V) int {
	p.b = p.put(p.b, v)
	return len(p.b)
}

func (p *plainValues[V]) encode(buffer []byte) ([]byte, format.Encoding, error) {
	buffer = append(buffer[:0], p.b...)
	p.b = p.b[:0]
	return buffer, format.Plain, nil
}

// dictionary is values as the numbers of their entries. Once it is full, rest takes the values.
type dictionary[V comparable] struct {
	boundless
	numbers map[V]int32
	entries []V
	first   plainValues[V] // the entries, as the file has them
	page    []int32
	last    int32 // number of the value before
	rest    values[V]
	full    bool
}

func newDictionary[V comparable](c *column, put func([]byte, V) []byte, rest values[V]) *dictionary[V] {
	d := &dictionary[V]{numbers: make(map[V]int32), first: plainValues[V]{put: put}, rest: rest}
	c.first = d
	return d
}

func (d *dictionary[V]) add(v V) int {
	if d.full {
		return d.rest.add(v)
	}
	if len(d.entries) == 0 || v != d.entries[d.last] { // most values are that of the row before
		n, ok := d.numbers[v]
		if !ok {
			n = int32(len(d.entries))
			v = own(v)
			d.numbers[v], d.entries = n, append(d.entries, v)
			d.first.add(v)
		}
		d.last = n
	}
	d.page = append(d.page, d.last)
	return max(4*len(d.page), len(d.first.b))
}

func (d *dictionary[V]) encode(buffer []byte) ([]byte, format.Encoding, error) {
	if d.full {
		return d.rest.encode(buffer)
	}
	buffer = appendNumbers(buffer[:0], d.page)
	d.page, d.full = d.page[:0], len(d.first.b) > maxDictionary
	return buffer, format.RLEDictionary, nil
}

func (d *dictionary[V]) take(buffer []byte) ([]byte, int) {
	entries := len(d.entries)
	clear(d.numbers)
	clear(d.entries)
	d.entries, d.last, d.full = d.entries[:0], 0, false
	buffer, _, _ = d.first.encode(buffer)
	return buffer, entries
}

// lengthTexts is the lengths of strings, and then the strings one after the other.
type lengthTexts struct {
	boundless
	lengths []int32
	b       []byte
}

func (t *lengthTexts) add(s string) int {
	t.lengths, t.b = append(t.lengths, int32(len(s))), append(t.b, s...)
	return 4*len(t.lengths) + len(t.b)
}

func (t *lengthTexts) encode(buffer []byte) ([]byte, format.Encoding, error) {
	buffer, err := new(delta.BinaryPackedEncoding).EncodeInt32(buffer, t.lengths)
	buffer = append(buffer, t.b...)
	t.lengths, t.b = t.lengths[:0], t.b[:0]
	return buffer, format.DeltaLengthByteArray, err
}

// prefixedTexts is strings without the beginning that they share with the one before.
type prefixedTexts struct {
	lengthTexts
	last     []byte
	prefixes []int32
	suffixes []byte // encoded
}

func (t *prefixedTexts) add(s string) int {
	n := 0
	if string(t.last) == s {
		n = len(s)
	}
	for n < len(s) && n < len(t.last) && s[n] == t.last[n] {
		n++
	}
	t.last, t.prefixes = append(t.last[:n], s[n:]...), append(t.prefixes, int32(n))
	return 4*len(t.prefixes) + t.lengthTexts.add(s[n:])
}

func (t *prefixedTexts) encode(buffer []byte) (_ []byte, _ format.Encoding, err error) {
	if buffer, err = new(delta.BinaryPackedEncoding).EncodeInt32(buffer, t.prefixes); err != nil {
		return buffer, 0, err
	}
	t.suffixes, _, err = t.lengthTexts.encode(t.suffixes)
	t.last, t.prefixes = t.last[:0], t.prefixes[:0]
	return append(buffer, t.suffixes...), format.DeltaByteArray, err
}

// deltaNumbers is integers that the file has as differences.
type deltaNumbers[V int32 | int64] struct {
	boundless
	encoded func(buffer []byte, n []V) ([]byte, error)
	n       []V
}

func (d *deltaNumbers[V]) add(n V) int {
	d.n = append(d.n, n)
	return int(unsafe.Sizeof(n)) * len(d.n)
}

func (d *deltaNumbers[V]) encode(buffer []byte) ([]byte, format.Encoding, error) {
	buffer, err := d.encoded(buffer, d.n)
	d.n = d.n[:0]
	return buffer, format.DeltaBinaryPacked, err
}

// bools is a bit for each value.
type bools struct {
	boundless
	n int
	b []byte
}

func (t *bools) add(v bool) int {
	if t.n%8 == 0 {
		t.b = append(t.b, 0)
	}
	if v {
		t.b[t.n/8] |= 1 << (t.n % 8)
	}
	t.n++
	return len(t.b)
}

func (t *bools) encode(buffer []byte) ([]byte, format.Encoding, error) {
	buffer = append(buffer[:0], t.b...)
	t.n, t.b = 0, t.b[:0]
	return buffer, format.Plain, nil
}
