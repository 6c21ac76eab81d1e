package run

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"sync"
	"unsafe"

	"github.com/robotsaudit/robotsaudit/internal/fields"
)

// packedRows holds rows as bytes: which fields are not zero, a bit for each, and these: integers as
// varints, texts behind their length, and a text that the row before has, too, as a reference to
// what is held already. So a row is a fraction of its size as a struct, and keeps no memory of
// others alive.
type packedRows[T any] struct {
	row    *T // the one that fields pack, and unpack into
	fields []field
	bits   []byte // zeros, one for each field
	packed []byte // of the row that is packed
	before []byte // the row packed before, in chunks
	chunks [][]byte
	held   limit
}

// A chunk has so many bytes, the first one fewer: it is all that few rows take. A longer
// row has one of its own.
const (
	firstChunk = 4 << 10
	chunkBytes = 32 << 10
)

// freeChunks are for any Writer: while one fills, another has just been emptied.
var freeChunks = sync.Pool{New: func() any { return new([chunkBytes]byte) }}

// A packedRow says where a row lies: its bucket, the chunk, and the offset there. So rows
// are ordered by bucket, and in a bucket as they were added.
type packedRow uint64

func packedAt(bucket, chunk, offset int) packedRow {
	return packedRow(bucket)<<54 | packedRow(chunk)<<32 | packedRow(offset)
}

func (r packedRow) bucket() int { return int(r >> 54) }
func (r packedRow) chunk() int  { return int(r>>32) & (1<<22 - 1) }
func (r packedRow) offset() int { return int(r & (1<<32 - 1)) }

func newPackedRows[T any](l *layout[T]) *packedRows[T] {
	p := &packedRows[T]{row: new(T)}
	value := reflect.ValueOf(p.row).Elem()
	for _, index := range l.fields {
		p.fields = append(p.fields, newField(value, index))
	}
	p.bits = make([]byte, (len(p.fields)+7)/8)
	return p
}

// reader returns one that unpacks the rows of p, to which no more are added.
func (p *packedRows[T]) reader(l *layout[T]) *packedRows[T] {
	r := newPackedRows(l)
	r.chunks = p.chunks
	for i, f := range r.fields {
		f.share(p.fields[i])
	}
	return r
}

// add packs the row of p, and empties it.
func (p *packedRows[T]) add(bucket int) packedRow {
	dst := append(p.packed[:0], p.bits...)
	for i, f := range p.fields {
		before := len(dst)
		if dst = f.pack(dst, p.before); len(dst) > before {
			dst[i/8] |= 1 << (i % 8)
		}
	}
	p.packed = dst
	if cap(dst) > chunkBytes {
		p.packed = nil
	}
	p.held.add(len(dst))
	p.makeRoom(len(dst))
	last := len(p.chunks) - 1
	at := len(p.chunks[last])
	p.chunks[last] = append(p.chunks[last], dst...)
	p.before = p.chunks[last][at:]
	*p.row = *new(T)
	return packedAt(bucket, last, at)
}

// makeRoom has the last chunk take n bytes.
func (p *packedRows[T]) makeRoom(n int) {
	last := len(p.chunks) - 1
	switch {
	case last >= 0 && n <= cap(p.chunks[last])-len(p.chunks[last]):
	case n > chunkBytes:
		p.chunks = append(p.chunks, make([]byte, 0, n))
	case last < 0 && n <= firstChunk:
		p.chunks = append(p.chunks, make([]byte, 0, firstChunk))
	default:
		p.chunks = append(p.chunks, freeChunks.Get().(*[chunkBytes]byte)[:0])
	}
}

// unpack sets the row of p, whose texts are those of the chunks: valid until reset.
func (p *packedRows[T]) unpack(r packedRow) *T {
	p.unpackNext(p.chunks[r.chunk()][r.offset():])
	return p.row
}

// unpackNext sets the row of p to the one that src begins with, and returns the others. Rows
// that another packedRows has added are unpacked in that order, from the first after
// its reset; this one is reset then, too.
func (p *packedRows[T]) unpackNext(src []byte) []byte {
	*p.row = *new(T)
	set := src[:len(p.bits)]
	src = src[len(p.bits):]
	for i, b := range set {
		for ; b != 0; b &= b - 1 {
			src = p.fields[8*i+bits.TrailingZeros8(b)].unpack(src)
		}
	}
	return src
}

// reset forgets all rows.
func (p *packedRows[T]) reset() {
	for _, chunk := range p.chunks {
		if cap(chunk) == chunkBytes {
			freeChunks.Put((*[chunkBytes]byte)(chunk[:chunkBytes]))
		}
	}
	clear(p.chunks)
	p.chunks = p.chunks[:0]
	for _, f := range p.fields {
		f.reset()
	}
	p.before, p.held = nil, limit{}
	*p.row = *new(T)
}

// A field packs one field of a row.
type field interface {
	// pack appends the field's value to dst, which holds the fields before it, unless it is zero.
	// before is the whole row that was packed before.
	pack(dst, before []byte) []byte
	// unpack sets the field, which is zero, from the bytes that src begins with, and returns the
	// others.
	unpack(src []byte) []byte
	// share takes over what unpacking needs of the same field of another packedRows.
	share(other field)
	reset()
}

// newField returns the one for a field of row, whose type isPacked knows.
func newField(row reflect.Value, index []int) field {
	switch row.Type().FieldByIndex(index).Type.Kind() {
	case reflect.Bool:
		return boolField{fields.Address[bool](row, index)}
	case reflect.Int8:
		return intField[int8]{fields.Address[int8](row, index)}
	case reflect.Int16:
		return intField[int16]{fields.Address[int16](row, index)}
	case reflect.Int32:
		return intField[int32]{fields.Address[int32](row, index)}
	case reflect.Int64:
		return intField[int64]{fields.Address[int64](row, index)}
	case reflect.Uint8:
		return intField[uint8]{fields.Address[uint8](row, index)}
	case reflect.Uint16:
		return intField[uint16]{fields.Address[uint16](row, index)}
	case reflect.Uint32:
		return intField[uint32]{fields.Address[uint32](row, index)}
	case reflect.Uint64:
		return intField[uint64]{fields.Address[uint64](row, index)}
	case reflect.String:
		return &textField[string]{value: fields.Address[string](row, index), view: viewString}
	default:
		return &textField[[]byte]{value: fields.Address[[]byte](row, index), view: viewBytes}
	}
}

type boolField struct{ value *bool }

func (f boolField) pack(dst, _ []byte) []byte {
	if *f.value {
		return append(dst, 1)
	}
	return dst
}

func (f boolField) unpack(src []byte) []byte {
	*f.value = true
	return src[1:]
}

func (f boolField) share(field) {}
func (f boolField) reset()      {}

// intField packs integers as signed ones with the same bits.
type intField[F integer] struct{ value *F }

func (f intField[F]) pack(dst, _ []byte) []byte {
	if *f.value == 0 {
		return dst
	}
	return binary.AppendVarint(dst, int64(*f.value))
}

func (f intField[F]) unpack(src []byte) []byte {
	n, width := uvarint(src)
	*f.value = F(int64(n>>1) ^ -int64(n&1)) // as binary.Varint has it
	return src[width:]
}

func (f intField[F]) share(field) {}
func (f intField[F]) reset()      {}

// uvarint is binary.Uvarint; most numbers are a byte.
func uvarint(src []byte) (uint64, int) {
	if b := src[0]; b < 0x80 {
		return uint64(b), 1
	}
	return binary.Uvarint(src)
}

// textField packs texts: twice their length, and their bytes; or, where a text is that of
// the row before, twice its place in repeated, plus one.
type textField[F string | []byte] struct {
	value    *F
	view     func([]byte) F
	repeated []F // in chunks
	last     F   // what the row before has: of repeated if to is 0; or what was unpacked last
	from, to int // else where its bytes are in the row before
}

func (f *textField[F]) pack(dst, before []byte) []byte {
	value, last := *f.value, f.last
	if len(value) == 0 {
		f.last, f.to = *new(F), 0
		return dst
	}
	if f.to > 0 {
		last = f.view(before[f.from:f.to])
	}
	if string(value) == string(last) {
		if f.to > 0 {
			f.repeated = append(f.repeated, last)
			f.last, f.to = last, 0
		}
		return binary.AppendUvarint(dst, uint64(len(f.repeated)-1)<<1|1)
	}
	dst = binary.AppendUvarint(dst, uint64(len(value))<<1)
	f.from, f.to = len(dst), len(dst)+len(value)
	return append(dst, value...)
}

func (f *textField[F]) unpack(src []byte) []byte {
	n, width := uvarint(src)
	src = src[width:]
	if n&1 == 1 {
		if n>>1 == uint64(len(f.repeated)) { // the first time
			f.repeated = append(f.repeated, f.last)
		}
		f.last = f.repeated[n>>1]
	} else {
		f.last, src = f.view(src[:n>>1:n>>1]), src[n>>1:]
	}
	*f.value = f.last
	return src
}

func (f *textField[F]) share(other field) { f.repeated = other.(*textField[F]).repeated }

func (f *textField[F]) reset() {
	clear(f.repeated)
	f.repeated, f.last, f.to = f.repeated[:0], *new(F), 0
}

// viewString makes a string of b, which must not change while the string is in use.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func viewBytes(b []byte) []byte { return b }

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// limit counts rows and bytes.
type limit struct{ rows, bytes int }

func (l *limit) add(bytes int) {
	l.rows++
	l.bytes += bytes
}

func (l *limit) reached(bytes int) bool { return l.rows >= maxRows || l.bytes >= bytes }
