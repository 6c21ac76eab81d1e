package document_test

import (
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/report/document/documenttest"
)

// The sample fills every field that is not a count, so that a renderer tested with it has
// placed all of them.
func TestSampleIsComplete(t *testing.T) {
	filled := make(map[string]bool)
	fields(reflect.ValueOf(*documenttest.Sample()), filled)
	for name, is := range filled {
		if !is {
			t.Errorf("%s is nowhere filled", name)
		}
	}
}

// fields notes which fields of a value, and of what it holds, are filled somewhere.
func fields(v reflect.Value, filled map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fields(v.Elem(), filled)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fields(v.Index(i), filled)
		}
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			panic("no UTF-8")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			key := v.Type().Name() + "." + f.Name
			filled[key] = filled[key] || !v.Field(i).IsZero()
			fields(v.Field(i), filled)
		}
	}
}
