package run

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"reflect"
	"strings"
)

// layout names the fields of a type of rows.
type layout struct {
	signature      string  // their names and kinds
	texts, numbers [][]int // for reflect.Value.FieldByIndex: fields of embedded structs are among them
}

func layoutOf[T any]() (*layout, error) {
	typ := reflect.TypeFor[T]()
	if typ.Kind() != reflect.Struct {
		return nil, fmt.Errorf("row type %v: not a struct", typ)
	}
	l := new(layout)
	var signature strings.Builder
	for _, f := range reflect.VisibleFields(typ) {
		if f.Anonymous && f.Type.Kind() == reflect.Struct || !f.IsExported() {
			continue
		}
		switch kind := f.Type.Kind(); {
		case kind == reflect.String:
			l.texts = append(l.texts, f.Index)
		case reflect.Bool <= kind && kind <= reflect.Uint64:
			l.numbers = append(l.numbers, f.Index)
		default:
			return nil, fmt.Errorf("row type %v: field %s cannot be written", typ, f.Name)
		}
		fmt.Fprintf(&signature, "%s %s\n", f.Name, f.Type.Kind())
	}
	l.signature = signature.String()
	return l, nil
}

// textsOf returns the texts of a row.
func (l *layout) textsOf(row any) (texts []*string) {
	for _, index := range l.texts {
		field := reflect.ValueOf(row).Elem().FieldByIndex(index).Addr()
		texts = append(texts, field.Convert(reflect.TypeFor[*string]()).Interface().(*string))
	}
	return texts
}

// numbersOf returns the other fields.
func (l *layout) numbersOf(row any) (numbers []reflect.Value) {
	for _, index := range l.numbers {
		numbers = append(numbers, reflect.ValueOf(row).Elem().FieldByIndex(index))
	}
	return numbers
}

// A codec writes or reads rows one after the other. A row is a bit for each field that differs from the row
// before, texts first, and the values of these fields: texts after their lengths, integers as varints.
type codec[T any] struct {
	row         T // that was written or read
	texts       []*string
	numbers     []reflect.Value
	lastTexts   []string // of the row before
	lastNumbers []int64
	same        []byte // no bit is set
}

func newCodec[T any](l *layout) *codec[T] {
	c := new(codec[T])
	c.texts, c.numbers = l.textsOf(&c.row), l.numbersOf(&c.row)
	c.lastTexts, c.lastNumbers = make([]string, len(c.texts)), make([]int64, len(c.numbers))
	c.same = make([]byte, (len(c.texts)+len(c.numbers)+7)/8)
	return c
}

// reset makes the next row the first one.
func (c *codec[T]) reset() {
	c.row = *new(T)
	clear(c.lastTexts)
	clear(c.lastNumbers)
}

// append appends a row.
func (c *codec[T]) append(dst []byte, row *T) []byte {
	c.row = *row
	start := len(dst)
	dst = append(dst, c.same...)
	for i, text := range c.texts {
		if *text != c.lastTexts[i] {
			dst[start+i/8] |= 1 << (i % 8)
			dst = binary.AppendUvarint(dst, uint64(len(*text)))
			dst = append(dst, *text...)
			c.lastTexts[i] = *text
		}
	}
	for i, v := range c.numbers {
		if n := number(v); n != c.lastNumbers[i] {
			bit := len(c.texts) + i
			dst[start+bit/8] |= 1 << (bit % 8)
			dst = binary.AppendVarint(dst, n)
			c.lastNumbers[i] = n
		}
	}
	return dst
}

// next sets row to the one that rows begin with, and returns the others. Texts are parts of rows.
func (c *codec[T]) next(rows string) string {
	set := rows[:len(c.same)]
	rows = rows[len(c.same):]
	for i := range len(set) {
		for b := set[i]; b != 0; b &= b - 1 {
			bit := 8*i + bits.TrailingZeros8(b)
			var n uint64
			n, rows = uvarint(rows)
			if bit < len(c.texts) {
				*c.texts[bit], rows = rows[:n], rows[n:]
			} else {
				setNumber(c.numbers[bit-len(c.texts)], int64(n>>1)^-int64(n&1)) // as binary.Varint has it
			}
		}
	}
	return rows
}

// uvarint is binary.Uvarint of a text, with the bytes after it.
func uvarint(s string) (n uint64, rest string) {
	for shift := 0; ; shift += 7 {
		b := s[0]
		s = s[1:]
		if n |= uint64(b&0x7f) << shift; b < 0x80 {
			return n, s
		}
	}
}

func number(v reflect.Value) int64 {
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return int64(v.Uint())
	case v.Bool():
		return 1
	}
	return 0
}

func setNumber(v reflect.Value, n int64) {
	switch {
	case v.CanInt():
		v.SetInt(n)
	case v.CanUint():
		v.SetUint(uint64(n))
	default:
		v.SetBool(n != 0)
	}
}
