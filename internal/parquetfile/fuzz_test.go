package parquetfile

import (
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// FuzzPage decodes any bytes as a page, in every encoding.
func FuzzPage(f *testing.F) {
	f.Add([]byte{3, 1, 2, 3}, int32(1), uint8(0))
	f.Add([]byte{0x80, 1, 4, 3, 2, 0, 0, 0, 0, 0}, int32(3), uint8(5))
	f.Fuzz(func(t *testing.T, values []byte, count int32, encoding uint8) {
		if count < 0 || count > 1000 {
			return
		}
		for _, kind := range []format.Type{
			format.ByteArray, format.FixedLenByteArray, format.Int32, format.Int64,
			format.Int96, format.Boolean, format.Double,
		} {
			column := Column{Type: &format.SchemaElement{Type: thrift.New(kind), TypeLength: thrift.New(int32(3))}}
			for _, levels := range [][]byte{nil, {0xfe, 7, 1}, {3, 0x55, 3, 0x55}} {
				for _, column.IsList = range []bool{false, true} {
					column.definition = 0
					if levels != nil {
						column.definition = 1
					}
					v := newValues(&column, nil, 0)
					v.left = int64(count)
					v.dictionary = valueList{numbers: []int64{1}, spans: []span{{0, 1}}, data: []byte("a")}
					if v.load(page{
						count: int(count), encoding: format.Encoding(encoding % 10), values: values,
						definitions: levels, repetitions: levels,
					}) == nil {
						for v.rows > 0 {
							v.take((v.rows + 1) / 2)
							if v.Kind() == Texts {
								v.Each(func(v *Values, _, value int) { v.Text(value) })
							} else {
								v.Each(func(v *Values, _, value int) { v.Int(value) })
							}
						}
					}
				}
			}
		}
	})
}
