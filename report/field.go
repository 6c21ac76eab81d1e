package report

import (
	"reflect"
	"strings"
)

// A Field is a column of a row type, as its parquet tag describes it.
type Field struct {
	Name   string
	IsTime bool // microseconds
	reflect.StructField

	Optional bool // null where it is zero
}

// FieldsOf lists the columns of a row type.
func FieldsOf(row reflect.Type) (fields []Field) {
	for _, f := range reflect.VisibleFields(row) {
		name, options, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		if name != "" { // else it is an embedded struct, whose fields come next
			isTime, optional := strings.Contains(options, "timestamp("), strings.Contains(options, "optional")
			fields = append(fields, Field{name, isTime, f, optional})
		}
	}
	return fields
}

// Value is the value of a row in the column; false: null.
func (f *Field) Value(row reflect.Value) (reflect.Value, bool) {
	v := row.FieldByIndex(f.Index)
	switch {
	case f.Optional && v.IsZero():
		return v, false
	case v.Kind() == reflect.Pointer:
		return v.Elem(), true
	}
	return v, true
}
