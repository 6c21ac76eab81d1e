package run

import (
	"fmt"
	"reflect"
	"strings"
)

// layout maps what is packed to the fields of T.
type layout[T any] struct {
	signature string  // the names and types of the fields
	fields    [][]int // embedded structs' fields too
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
		l.fields = append(l.fields, f.Index)
		fmt.Fprintf(&signature, "%s %s\n", f.Name, f.Type.Kind())
	}
	l.signature = signature.String()
	return l, nil
}

// isPacked reports whether newField knows a type.
func isPacked(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String,
		reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Uint8
	}
	return false
}
