package index

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// column reads a column of a Parquet file, page by page. Values are numbers or texts.
type column struct {
	pages pageReader
	leaf  *parquet.Column
	kind  format.Type
	width int // of a value of fixed length
	text  bool
	unit  unit
	local bool // times are of no known zone
	uuid  bool // texts of 16 bytes are UUIDs

	left  int64 // values of the chunk after the page in hand
	rows  int   // rows of the page in hand that were not yet read
	nulls []uint32
	next  int // value of the page

	entries []string // of the dictionary of the chunk
	amounts []int64
	indexed bool     // the page has indexes of the dictionary
	indexes []uint32 // of values of the page
	numbers []int64
	spans   []span // of the texts of the page
	data    []byte // of the page, valid until the next one
	lengths []int64
}

// span is where a text lies in the data of its page.
type span struct{ from, to uint32 }

// unit is the unit of a time given as a number.
type unit uint8

const (
	unitNone unit = iota
	unitMillis
	unitMicros
	unitNanos
	unitDays
	unitInt96
)

// newColumn returns a reader of a leaf column, nil if it is of a type that no field has.
func newColumn(leaf *parquet.Column, text bool) *column {
	if !leaf.Leaf() || leaf.MaxRepetitionLevel() > 0 || leaf.MaxDefinitionLevel() > 1 {
		return nil
	}
	c := &column{leaf: leaf, kind: format.Type(leaf.Type().Kind()), text: text}
	c.pages.optional = leaf.MaxDefinitionLevel() == 1
	switch c.kind {
	case format.ByteArray:
		c.text = true
	case format.FixedLenByteArray:
		c.text, c.width = true, leaf.Type().Length()
	case format.Int32, format.Int64, format.Int96:
		if text {
			return nil
		}
	default:
		return nil
	}
	c.unit, c.local = unitOf(leaf.Type(), c.kind), isLocal(leaf.Type())
	return c
}

// another returns a reader of the same column that has read nothing.
func (c *column) another() *column {
	other := &column{
		leaf: c.leaf, kind: c.kind, width: c.width, text: c.text, unit: c.unit, local: c.local,
		uuid: c.uuid,
	}
	other.pages.optional = c.pages.optional
	return other
}

// unitOf returns the unit of the numbers in a column.
func unitOf(t parquet.Type, kind format.Type) unit {
	if kind == format.Int96 {
		return unitInt96
	}
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.DateType:
			return unitDays
		case *format.TimestampType:
			switch l.Unit.Value.(type) {
			case *format.MilliSeconds:
				return unitMillis
			case *format.MicroSeconds:
				return unitMicros
			case *format.NanoSeconds:
				return unitNanos
			}
		}
	}
	if converted := t.ConvertedType(); converted != nil {
		switch *converted {
		case deprecated.Date:
			return unitDays
		case deprecated.TimestampMillis:
			return unitMillis
		case deprecated.TimestampMicros:
			return unitMicros
		}
	}
	return unitNone
}

// isLocal reports whether a column declares that its times are not adjusted to UTC.
func isLocal(t parquet.Type) bool {
	logical := t.LogicalType()
	if logical == nil {
		return false
	}
	stamp, ok := logical.Value.(*format.TimestampType)
	return ok && !stamp.IsAdjustedToUTC
}

// open starts on a column chunk.
func (c *column) open(file io.ReaderAt, size int64, chunk *format.ColumnChunk) error {
	if chunk.MetaData.Type != c.kind {
		return damaged("a column chunk is of another type")
	}
	c.left, c.rows = chunk.MetaData.NumValues, 0
	c.entries, c.amounts = nil, c.amounts[:0]
	return c.pages.open(file, size, chunk)
}

// ready returns how many rows of the page in hand are left. It moves to the next page if there are
// none.
func (c *column) ready() (int, error) {
	for c.rows == 0 {
		if c.left <= 0 {
			return 0, damaged("a column has fewer values than there are rows")
		}
		p, err := c.pages.next()
		if err == io.EOF {
			return 0, damaged("a column chunk ends before its last value")
		}
		if err != nil {
			return 0, err
		}
		if err := c.load(p); err != nil {
			return 0, err
		}
	}
	return c.rows, nil
}

// load decodes a page.
func (c *column) load(p page) error {
	if p.dictionary {
		return c.loadDictionary(p)
	}
	if int64(p.count) > c.left {
		return damaged("a column has more values than its chunk says")
	}
	values := p.count
	c.nulls = c.nulls[:0]
	if c.pages.optional {
		levels := sized(&c.nulls, p.count)
		if err := decodeHybrid(levels, p.levels, 1); err != nil {
			return err
		}
		values = 0
		for _, l := range levels {
			values += int(l)
		}
		if values == p.count {
			c.nulls = c.nulls[:0]
		}
	}
	c.indexed = false
	if values > 0 {
		if err := c.loadValues(p, values); err != nil {
			return err
		}
	}
	c.left -= int64(p.count)
	c.rows, c.next = p.count, 0
	return nil
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
func (c *column) loadDictionary(p page) error {
	if p.encoding != format.Plain && p.encoding != plainDictionary || c.entries != nil || len(c.amounts) > 0 {
		return damaged("a dictionary in the encoding %v, or a second one", p.encoding)
	}
	if !c.text {
		return c.plainNumbers(sized(&c.amounts, c.bounded(p)), p.values)
	}
	if err := c.plainTexts(p.values, p.count); err != nil {
		return err
	}
	all := string(c.data)
	c.entries = make([]string, p.count)
	for i, s := range c.spans {
		c.entries[i] = all[s.from:s.to]
	}
	return nil
}

// bounded is the number of numbers of a plain page, at most as many as its bytes could be.
func (c *column) bounded(p page) int { return min(p.count, len(p.values)/4+1) }

// loadValues decodes the values of a page that are not null.
func (c *column) loadValues(p page, n int) (err error) {
	switch p.encoding {
	case format.RLEDictionary, plainDictionary:
		if len(p.values) == 0 {
			return damaged("a page has fewer values than its header says")
		}
		c.indexed = true
		if err := decodeHybrid(sized(&c.indexes, n), p.values[1:], uint(p.values[0])); err != nil {
			return err
		}
		entries := uint32(max(len(c.entries), len(c.amounts)))
		for _, i := range c.indexes {
			if i >= entries {
				return damaged("a value is not in its dictionary")
			}
		}
		return nil
	case format.Plain:
		if c.text {
			return c.plainTexts(p.values, n)
		}
		if n > c.bounded(p) {
			return damaged("a page has fewer values than its header says")
		}
		return c.plainNumbers(sized(&c.numbers, n), p.values)
	case format.DeltaBinaryPacked:
		if !c.text && c.kind != format.Int96 {
			if _, err = decodeDelta(sized(&c.numbers, n), p.values); err == nil && c.kind == format.Int32 {
				for i, v := range c.numbers {
					c.numbers[i] = int64(int32(v))
				}
			}
			return err
		}
	case format.DeltaLengthByteArray:
		if c.kind == format.ByteArray {
			return c.deltaLengths(p.values, n)
		}
	case format.DeltaByteArray:
		if c.text {
			return c.deltaTexts(p.values, n)
		}
	}
	return damaged("values in the encoding %v are not read here; write the column plain or with a dictionary",
		p.encoding)
}

// plainNumbers decodes numbers one after the other.
func (c *column) plainNumbers(dst []int64, b []byte) error {
	size := map[format.Type]int{format.Int32: 4, format.Int64: 8, format.Int96: 12}[c.kind]
	if len(b) < len(dst)*size {
		return damaged("a page has fewer values than its header says")
	}
	switch c.kind {
	case format.Int32:
		for i := range dst {
			dst[i] = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case format.Int64:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
	case format.Int96:
		for i := range dst {
			dst[i] = int96Micros(b[12*i:])
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
		return NoTime
	}
	return (int64(julian)-epoch)*day + int64(nanos/1000)
}

// plainTexts finds n texts, each after its length or of fixed length.
func (c *column) plainTexts(b []byte, n int) error {
	if n > len(b)/max(c.width, 1)+1 {
		return damaged("a page has fewer values than its header says")
	}
	c.data = b
	spans := sized(&c.spans, n)
	at := uint64(0)
	for i := range spans {
		size := uint64(c.width)
		if c.kind == format.ByteArray {
			if at+4 > uint64(len(b)) {
				return damaged("a page has fewer values than its header says")
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
func (c *column) deltaLengths(b []byte, n int) (err error) {
	if c.data, err = decodeDelta(sized(&c.lengths, n), b); err != nil {
		return err
	}
	at := int64(0)
	for i, length := range c.lengths {
		if length < 0 || length > int64(len(c.data))-at {
			return damaged("a value is longer than its page")
		}
		sized(&c.spans, n)[i] = span{uint32(at), uint32(at + length)}
		at += length
	}
	return nil
}

// deltaTexts makes n texts of the beginnings that they share with those before, and their ends.
func (c *column) deltaTexts(b []byte, n int) error {
	shared := make([]int64, n)
	b, err := decodeDelta(shared, b)
	if err != nil {
		return err
	}
	if b, err = decodeDelta(sized(&c.lengths, n), b); err != nil {
		return err
	}
	var data []byte
	last := 0
	for i, length := range c.lengths {
		if length < 0 || length > int64(len(b)) || shared[i] < 0 || shared[i] > int64(len(data)-last) {
			return damaged("a value is longer than its page")
		}
		if len(data)+int(shared[i])+int(length) > maxPage {
			return damaged("a page has more than %d bytes", maxPage)
		}
		from := len(data)
		data = append(append(data, data[last:last+int(shared[i])]...), b[:length]...)
		b = b[length:]
		sized(&c.spans, n)[i] = span{uint32(from), uint32(len(data))}
		last = from
	}
	c.data = data
	return nil
}

// skip passes n rows of the page in hand, and returns which of its values they have. If some rows
// are null, nulls has a zero for each of them.
func (c *column) skip(n int) (from, to int, nulls []uint32) {
	from, to = c.next, c.next+n
	if len(c.nulls) > 0 {
		nulls, c.nulls = c.nulls[:n:n], c.nulls[n:]
		to = from
		for _, present := range nulls {
			to += int(present)
		}
	}
	c.next = to
	c.rows -= n
	return from, to, nulls
}

// texts sets the next rows, at most as many as are ready. Of a null it makes "".
func (c *column) texts(dst []string) {
	from, to, nulls := c.skip(len(dst))
	var all string
	base := uint32(0)
	if from < to && !c.indexed { // one string for all: each value is a part of it
		base = c.spans[from].from
		all = string(c.data[base:c.spans[to-1].to])
	}
	for i := range dst {
		if nulls != nil && nulls[i] == 0 {
			dst[i] = ""
			continue
		}
		if c.indexed {
			dst[i] = c.entries[c.indexes[from]]
		} else {
			s := c.spans[from]
			dst[i] = all[s.from-base : s.to-base]
		}
		from++
	}
	if c.uuid {
		uuidTexts(dst)
	}
}

// ints sets the next rows, at most as many as are ready. Of a null it makes NoTime.
func (c *column) ints(dst []int64) {
	from, _, nulls := c.skip(len(dst))
	for i := range dst {
		switch {
		case nulls != nil && nulls[i] == 0:
			dst[i] = NoTime
			continue
		case c.indexed:
			dst[i] = c.amounts[c.indexes[from]]
		default:
			dst[i] = c.numbers[from]
		}
		from++
	}
}

// uuidTexts are the texts of UUIDs in bytes.
func uuidTexts(dst []string) {
	const prefix, size = "urn:uuid:", len("urn:uuid:01234567-89ab-cdef-0123-456789abcdef")
	buf := make([]byte, 0, size*len(dst))
	for _, s := range dst {
		if len(s) != 16 {
			continue
		}
		var id [16]byte
		copy(id[:], s)
		buf = hex.AppendEncode(append(buf, prefix...), id[:4])
		buf = hex.AppendEncode(append(buf, '-'), id[4:6])
		buf = hex.AppendEncode(append(buf, '-'), id[6:8])
		buf = hex.AppendEncode(append(buf, '-'), id[8:10])
		buf = hex.AppendEncode(append(buf, '-'), id[10:])
	}
	all := string(buf)
	for i, s := range dst {
		if len(s) == 16 {
			dst[i], all = all[:size], all[size:]
		}
	}
}

// setTime sets the time of a row to a number of a column.
func (c *column) setTime(row *Row, v int64) (fault string) {
	row.NoZone = c.local
	switch {
	case v == NoTime:
		return ""
	case c.unit == unitMillis:
		if v > math.MaxInt64/1000 || v < math.MinInt64/1000 {
			return "its time is out of range"
		}
		row.Micros = v * 1000
	case c.unit == unitMicros, c.unit == unitInt96:
		row.Micros = v
	case c.unit == unitNanos:
		row.Micros = v / 1000
		if v%1000 < 0 {
			row.Micros--
		}
	case c.unit == unitDays:
		row.Time = time.Unix(v*24*60*60, 0).UTC().Format(time.DateOnly)
	default:
		digits := strconv.FormatInt(v, 10)
		if !isCDXTime(digits) {
			return noUnit
		}
		row.Time = digits
	}
	return ""
}
