package run

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// layout names the fields of a type of rows.
type layout struct {
	signature string  // their names and kinds
	fields    [][]int // for reflect.Value.FieldByIndex: fields of structs in it are among them
}

var layouts sync.Map // *layout by type: small audits would spend a tenth of their time on them

func layoutOf[T any]() (*layout, error) {
	typ := reflect.TypeFor[T]()
	if known, ok := layouts.Load(typ); ok {
		return known.(*layout), nil
	}
	if typ.Kind() != reflect.Struct {
		return nil, fmt.Errorf("row type %v: not a struct", typ)
	}
	l := new(layout)
	if err := l.add(typ, "", nil); err != nil {
		return nil, err
	}
	layouts.Store(typ, l)
	return l, nil
}

// add adds the fields of a struct, also of those in it.
func (l *layout) add(typ reflect.Type, within string, index []int) error {
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, at := within+f.Name, append(slices.Clip(index), i)
		switch kind := f.Type.Kind(); {
		case kind == reflect.Struct && f.Anonymous:
			if err := l.add(f.Type, within, at); err != nil {
				return err
			}
		case !f.IsExported():
		case kind == reflect.Struct:
			if err := l.add(f.Type, name+".", at); err != nil {
				return err
			}
		case kind != reflect.String && (kind < reflect.Bool || kind > reflect.Uint64):
			return fmt.Errorf("row type %v: field %s cannot be written", typ, name)
		default:
			l.fields = append(l.fields, at)
			l.signature += fmt.Sprintf("%s %s\n", name, kind)
		}
	}
	return nil
}

// A codec writes or reads rows one after the other. A row is its difference from another, the base: its marks, a bit
// for each field that differs, and the values of these fields: texts after their lengths, integers as varints. The
// first base is the empty row.
type codec[T any] struct {
	row     T // that was written or read
	base    T // of the rows that are read, unless row is that
	copied  T // of row
	isBase  bool
	texts   fields[string]
	columns []column // all, texts first
	bits    []bit    // the field of each bit
	same    string   // the difference of a row from itself
}

// The marks of a row are its first bits.
const (
	isBase   = 1 << iota // the rows after it are differences from it
	isHidden             // it is a base alone, and no row
	marks    = iota
)

// A column has the fields of a row that are of one kind.
type column interface {
	add(field reflect.Value) // if it is of that kind
	len() int
	// append writes the fields that differ from the base, and sets their bits, from bit on, in dst[start:].
	// They are the base's from now on, where rebases is true.
	append(dst []byte, start, bit int, rebases bool) []byte
	read(i int, rows string) (rest string) // the i-th field
	rebase()                               // makes the row the base of those that are written
	reset()                                // makes the empty row that
}

type bit struct {
	column
	field int
}

// fields are a column.
type fields[V comparable] struct {
	at   []*V // in codec.row
	base []V
	put  func(dst []byte, v V) []byte
	take func(rows string) (v V, rest string)
}

func (f *fields[V]) add(field reflect.Value) {
	if field.Kind() == reflect.TypeFor[V]().Kind() {
		f.at = append(f.at, field.Addr().Convert(reflect.TypeFor[*V]()).Interface().(*V))
		f.base = append(f.base, *new(V))
	}
}

func (f *fields[V]) len() int { return len(f.at) }

func (f *fields[V]) append(dst []byte, start, bit int, rebases bool) []byte {
	for i, at := range f.at {
		if *at != f.base[i] {
			dst[start+(bit+i)/8] |= 1 << ((bit + i) % 8)
			if dst = f.put(dst, *at); rebases {
				f.base[i] = *at
			}
		}
	}
	return dst
}

func (f *fields[V]) read(i int, rows string) (rest string) {
	*f.at[i], rest = f.take(rows)
	return rest
}

func (f *fields[V]) rebase() {
	for i, at := range f.at {
		f.base[i] = *at
	}
}

func (f *fields[V]) reset() { clear(f.base) }

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64
}

func integers[N integer]() column {
	return &fields[N]{
		put: func(dst []byte, n N) []byte { return binary.AppendVarint(dst, int64(n)) },
		take: func(rows string) (N, string) {
			n, rest := uvarint(rows)
			return N(int64(n>>1) ^ -int64(n&1)), rest // as binary.Varint has it
		},
	}
}

func newCodec[T any](l *layout) *codec[T] {
	c := new(codec[T])
	c.texts = fields[string]{
		put: func(dst []byte, text string) []byte {
			return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
		},
		take: func(rows string) (text, rest string) {
			n, rest := uvarint(rows)
			return rest[:n], rest[n:]
		},
	}
	flags := &fields[bool]{
		put:  func(dst []byte, v bool) []byte { return append(dst, map[bool]byte{true: 1}[v]) },
		take: func(rows string) (v bool, rest string) { return rows[0] != 0, rows[1:] },
	}
	lists := [...]column{
		&c.texts, flags, integers[int](), integers[int8](), integers[int16](), integers[int32](), integers[int64](),
		integers[uint](), integers[uint8](), integers[uint16](), integers[uint32](), integers[uint64](),
	}
	row := reflect.ValueOf(&c.row).Elem()
	for _, index := range l.fields {
		field := row.FieldByIndex(index)
		for _, list := range lists {
			list.add(field)
		}
	}
	for _, list := range lists {
		for i := range list.len() {
			c.bits = append(c.bits, bit{list, i})
		}
		if list.len() > 0 {
			c.columns = append(c.columns, list)
		}
	}
	c.same = strings.Repeat("\x00", (marks+len(c.bits)+7)/8)
	return c
}

// reset makes the empty row the base.
func (c *codec[T]) reset() {
	c.row, c.isBase = *new(T), true
	for _, list := range c.columns {
		list.reset()
	}
}

// append appends a row, and its marks.
func (c *codec[T]) append(dst []byte, row *T, marked byte) []byte {
	c.row = *row
	start, at := len(dst), marks
	dst = append(dst, c.same...)
	dst[start] = marked
	for _, list := range c.columns {
		dst = list.append(dst, start, at, marked&isBase != 0)
		at += list.len()
	}
	return dst
}

// rebase makes row the base of those that are written.
func (c *codec[T]) rebase() {
	for _, list := range c.columns {
		list.rebase()
	}
}

// next sets row to the first one that rows hold, and returns the others. Texts are parts of rows.
func (c *codec[T]) next(rows string) string {
	set := rows[:len(c.same)]
	rows = rows[len(c.same):]
	isBase, first := set[0]&isBase != 0, set[0]&^(1<<marks-1)
	switch {
	case !c.isBase:
		c.row = c.base
	case !isBase: // several rows may differ from it
		c.base = c.row
	}
	c.isBase = isBase
	for i := range len(set) {
		b := set[i]
		if i == 0 {
			b = first
		}
		for ; b != 0; b &= b - 1 {
			n := 8*i + bits.TrailingZeros8(b) - marks
			if n >= len(c.texts.at) {
				rows = c.bits[n].read(c.bits[n].field, rows)
				continue
			}
			var size uint64
			size, rows = uvarint(rows)
			*c.texts.at[n], rows = rows[:size], rows[size:]
		}
	}
	if set[0]&isHidden != 0 {
		return c.next(rows)
	}
	return rows
}

func (c *codec[T]) changeable() *T {
	if !c.isBase {
		return &c.row
	}
	c.copied = c.row
	return &c.copied
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
