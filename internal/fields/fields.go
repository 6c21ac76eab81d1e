// Package fields finds the fields of rows by reflection, once for many values: whoever fills or
// reads rows column by column keeps their addresses.
package fields

import "reflect"

// Addresses returns the addresses of a field of rows. Its type is F, or a named one of F's kind.
func Addresses[F any](rows []reflect.Value, index []int) []*F {
	p := make([]*F, len(rows))
	for i, row := range rows {
		p[i] = Address[F](row, index)
	}
	return p
}

// Address returns the address of a field of one row.
func Address[F any](row reflect.Value, index []int) *F {
	return row.FieldByIndex(index).Addr().Convert(reflect.TypeFor[*F]()).Interface().(*F)
}
