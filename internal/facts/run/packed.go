package run

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"sync"
	"unsafe"
)

// packedRows holds rows as bytes. A row begins with a bit for each field, set if it is not zero.
// Then come the fields that are not zero: integers as varints, texts after their lengths, and a
// text that equals the row before's as a reference. So a row takes a fraction of the memory of the
// struct, and keeps no other memory alive.
type packedRows[T any] struct {
	fields []field
	bits   []byte // zeros, one for each field
	texts  []byte // a bit for each field that is a text
	packed []byte // of the row that is packed
	before []byte // the row packed before, in chunks
	chunks [][]byte
	held   limit
}

// A chunk has chunkBytes. The first one has fewer, which is enough for few rows. A row that is longer
// than a chunk has one of its own.
const (
	firstChunk = 4 << 10
	chunkBytes = 32 << 10
)

// freeChunks are chunks that any Writer may fill.
var freeChunks = sync.Pool{New: func() any { return new([chunkBytes]byte) }}

// A packedRow is the place of a row: its bucket, a number that orders the rows of a bucket, the
// chunk, and the offset there. So rows are ordered by bucket, then by that number, then as they
// were added.
type packedRow uint64

// The widths of its parts. A row that does not begin a chunk ends in its first chunkBytes.
const (
	offsetBits = 15
	chunkBits  = 22
	groupBits  = 17 // there are at most maxRows groups
	placeBits  = chunkBits + offsetBits
)

func packedAt(bucket, chunk, offset int) packedRow {
	return packedRow(bucket)<<(groupBits+placeBits) | packedRow(chunk)<<offsetBits | packedRow(offset)
}

func (r packedRow) bucket() int { return int(r >> (groupBits + placeBits)) }
func (r packedRow) group() int  { return int(r>>placeBits) & (1<<groupBits - 1) }
func (r packedRow) chunk() int  { return int(r>>offsetBits) & (1<<chunkBits - 1) }
func (r packedRow) offset() int { return int(r & (1<<offsetBits - 1)) }

func (r packedRow) withGroup(n int) packedRow {
	return r&^((1<<groupBits-1)<<placeBits) | packedRow(n)<<placeBits
}

func newPackedRows[T any](l *layout[T]) *packedRows[T] {
	p := &packedRows[T]{bits: make([]byte, (len(l.fields)+7)/8), texts: make([]byte, (len(l.fields)+7)/8)}
	for i, f := range l.fields {
		var text *textField
		if f.kind == reflect.String || f.kind == reflect.Slice {
			text = new(textField)
			p.texts[i/8] |= 1 << (i % 8)
		}
		p.fields = append(p.fields, field{f.kind, f.offset, text})
	}
	return p
}

// reader returns other packedRows that unpack the rows of p, to which no more may be added.
func (p *packedRows[T]) reader(l *layout[T]) *packedRows[T] {
	r := newPackedRows(l)
	r.chunks = p.chunks
	for i, f := range r.fields {
		if f.text != nil {
			f.text.repeated = p.fields[i].text.repeated
		}
	}
	return r
}

// add packs a row.
func (p *packedRows[T]) add(row *T, bucket int) packedRow {
	dst := append(p.packed[:0], p.bits...)
	for i := range p.fields {
		f := &p.fields[i]
		at := unsafe.Add(unsafe.Pointer(row), f.offset)
		var n int64
		switch f.kind {
		case reflect.String, reflect.Slice:
			before := len(dst)
			if dst = f.text.pack(dst, p.before, textAt(f.kind, at)); len(dst) > before {
				dst[i/8] |= 1 << (i % 8)
			}
			continue
		case reflect.Bool, reflect.Uint8:
			n = int64(*(*uint8)(at))
		case reflect.Int8:
			n = int64(*(*int8)(at))
		case reflect.Int16:
			n = int64(*(*int16)(at))
		case reflect.Uint16:
			n = int64(*(*uint16)(at))
		case reflect.Int32:
			n = int64(*(*int32)(at))
		case reflect.Uint32:
			n = int64(*(*uint32)(at))
		default:
			n = *(*int64)(at)
		}
		if n != 0 {
			dst[i/8] |= 1 << (i % 8)
			dst = binary.AppendVarint(dst, n)
		}
	}
	return p.keep(dst, bucket)
}

// copy packs a row of other packedRows, as add would pack it.
func (p *packedRows[T]) copy(from *packedRows[T], r packedRow) packedRow {
	src := from.at(r)
	set := src[:len(p.bits)]
	src = src[len(set):]
	dst := append(p.packed[:0], set...)
	for i, b := range set {
		if p.before != nil {
			for gone := p.before[i] & p.texts[i] &^ b; gone != 0; gone &= gone - 1 {
				p.fields[8*i+bits.TrailingZeros8(gone)].text.forget()
			}
		}
		for ; b != 0; b &= b - 1 {
			n := 8*i + bits.TrailingZeros8(b)
			if text := p.fields[n].text; text != nil {
				var value string
				value, src = from.fields[n].text.unpack(src)
				dst = text.pack(dst, p.before, value)
				continue
			}
			width := 1
			for src[width-1] >= 0x80 {
				width++
			}
			dst, src = append(dst, src[:width]...), src[width:]
		}
	}
	return p.keep(dst, r.bucket())
}

// keep appends the bytes of a row to the chunks.
func (p *packedRows[T]) keep(dst []byte, bucket int) packedRow {
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
	return packedAt(bucket, last, at)
}

// at returns the bytes of a row, and of the rows after it in its chunk.
func (p *packedRows[T]) at(r packedRow) []byte { return p.chunks[r.chunk()][r.offset():] }

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

// unpack sets a row to one of p. Its texts point into the chunks: valid until reset.
func (p *packedRows[T]) unpack(row *T, r packedRow) { p.unpackNext(row, p.at(r)) }

// unpackNext sets a row to the one that src begins with, and returns the others. Rows
// that another packedRows has added are unpacked in that order, from the first after
// its reset; this one is reset then, too.
func (p *packedRows[T]) unpackNext(row *T, src []byte) []byte {
	*row = *new(T)
	set := src[:len(p.bits)]
	src = src[len(p.bits):]
	for i, b := range set {
		for ; b != 0; b &= b - 1 {
			f := &p.fields[8*i+bits.TrailingZeros8(b)]
			at := unsafe.Add(unsafe.Pointer(row), f.offset)
			if f.text != nil {
				var value string
				if value, src = f.text.unpack(src); f.kind == reflect.String {
					*(*string)(at) = value
				} else {
					*(*[]byte)(at) = unsafe.Slice(unsafe.StringData(value), len(value))
				}
				continue
			}
			u, width := uvarint(src)
			src = src[width:]
			n := int64(u>>1) ^ -int64(u&1) // as binary.Varint has it
			switch f.kind {
			case reflect.Bool, reflect.Int8, reflect.Uint8:
				*(*int8)(at) = int8(n)
			case reflect.Int16, reflect.Uint16:
				*(*int16)(at) = int16(n)
			case reflect.Int32, reflect.Uint32:
				*(*int32)(at) = int32(n)
			default:
				*(*int64)(at) = n
			}
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
		if f.text != nil {
			f.text.reset()
		}
	}
	p.before, p.held = nil, limit{}
}

// A field is a field of rows.
type field struct {
	kind   reflect.Kind
	offset uintptr    // in the row
	text   *textField // nil: it is a number
}

// textAt is the value of a field that is a text.
func textAt(kind reflect.Kind, at unsafe.Pointer) string {
	if kind == reflect.String {
		return *(*string)(at)
	}
	return viewString(*(*[]byte)(at))
}

// uvarint is binary.Uvarint; most numbers are a byte.
func uvarint(src []byte) (uint64, int) {
	if b := src[0]; b < 0x80 {
		return uint64(b), 1
	}
	return binary.Uvarint(src)
}

// textField packs the texts of a field: twice their length, and their bytes; or, where a text
// equals the row before's, twice its place in repeated, plus one.
type textField struct {
	repeated []string // in chunks
	last     string   // text of the row before: of repeated if to is 0; or the text unpacked last
	from, to int      // else where its bytes are in the row before
}

// pack appends a text to dst, which holds the fields before it, unless it is empty. before is the
// whole row that was packed before.
func (f *textField) pack(dst, before []byte, value string) []byte {
	if len(value) == 0 {
		f.forget()
		return dst
	}
	if last := f.current(before); value == last {
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

// current is the text of the row that was packed last.
func (f *textField) current(row []byte) string {
	if f.to > 0 {
		return viewString(row[f.from:f.to])
	}
	return f.last
}

// forget notes that the row before has no text.
func (f *textField) forget() {
	if f.last != "" || f.to > 0 {
		f.last, f.to = "", 0
	}
}

// unpack returns the text that src begins with, and the bytes after it.
func (f *textField) unpack(src []byte) (string, []byte) {
	n, width := uvarint(src)
	src = src[width:]
	if n&1 == 1 {
		if n>>1 == uint64(len(f.repeated)) { // the first time
			f.repeated = append(f.repeated, f.last)
		}
		f.last = f.repeated[n>>1]
	} else {
		f.last, src = viewString(src[:n>>1]), src[n>>1:]
	}
	return f.last, src
}

func (f *textField) reset() {
	clear(f.repeated)
	f.repeated, f.last, f.to = f.repeated[:0], "", 0
}

// viewString makes a string of b, which must not change while the string is in use.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// limit counts rows and bytes.
type limit struct{ rows, bytes int }

func (l *limit) add(bytes int) {
	l.rows++
	l.bytes += bytes
}

func (l *limit) reached(bytes int) bool { return l.rows >= maxRows || l.bytes >= bytes }
