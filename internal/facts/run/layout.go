package run

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// layout maps what is packed to the fields of T.
type layout[T any] struct {
	signature string        // the names and types of the fields
	fields    []layoutField // embedded structs' fields too
}

// layoutField is the place of a field in a row.
type layoutField struct {
	name   string
	kind   reflect.Kind
	offset uintptr
}

func layoutOf[T any]() (*layout[T], error) {
	typ := reflect.TypeFor[T]()
	if typ.Kind() != reflect.Struct {
		return nil, fmt.Errorf("row type %v: not a struct", typ)
	}
	l := new(layout[T])
	var signature strings.Builder
	for _, f := range reflect.VisibleFields(typ) {
		if f.Anonymous && f.Type.Kind() == reflect.Struct || !f.IsExported() {
			continue
		}
		if !isPacked(f.Type) {
			return nil, fmt.Errorf("row type %v: field %s cannot be packed", typ, f.Name)
		}
		l.fields = append(l.fields, layoutField{f.Name, f.Type.Kind(), offsetOf(typ, f.Index)})
		fmt.Fprintf(&signature, "%s %s\n", f.Name, f.Type.Kind())
	}
	l.signature = signature.String()
	return l, nil
}

// offsetOf is where in a struct of type t a field lies.
func offsetOf(t reflect.Type, index []int) (offset uintptr) {
	for _, i := range index {
		f := t.Field(i)
		offset += f.Offset
		t = f.Type
	}
	return offset
}

// texts returns the numbers of the fields of these names, which are strings, and at most so many.
func (l *layout[T]) texts(names []string, most int) ([]int, error) {
	if len(names) > most {
		return nil, fmt.Errorf("row type %v: a group of more than %d fields", reflect.TypeFor[T](), most)
	}
	var numbers []int
	for _, name := range names {
		i := slices.IndexFunc(l.fields, func(f layoutField) bool { return f.name == name })
		if i < 0 || l.fields[i].kind != reflect.String {
			return nil, fmt.Errorf("row type %v: no string %s", reflect.TypeFor[T](), name)
		}
		numbers = append(numbers, i)
	}
	return numbers, nil
}

// isPacked reports whether values of a type are packed.
func isPacked(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String,
		reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Uint64:
		return true
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Uint8
	}
	return false
}
