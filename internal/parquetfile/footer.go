package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of the footers of files that others wrote. The library makes a slice as long as a list
// says it is, and follows nested values as deep as they go, so both are checked first.
const (
	maxFooter         = 64 << 20
	maxFooterElements = 1 << 19 // of all lists together
	maxFooterDepth    = 32
	maxColumns        = 10_000 // and groups of columns
	maxColumnDepth    = 64
)

// OpenForeign reads the footer of a file that another program wrote, which may be made to exhaust
// memory.
func OpenForeign(r io.ReaderAt, size int64) (f *parquet.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	if err := checkFooterSize(r, size); err != nil {
		return nil, err
	}
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	return open(r, size)
}

// checkFooter refuses a footer whose values would not fit into memory.
func checkFooter(r io.ReaderAt, size int64) error {
	var trailer [8]byte
	if _, err := r.ReadAt(trailer[:], size-int64(len(trailer))); err != nil && err != io.EOF {
		return err
	}
	if magic := string(trailer[4:]); magic == "PARE" {
		return errors.New("it is encrypted")
	} else if magic != "PAR1" {
		return fmt.Errorf("%w: it does not end as a Parquet file; it may be cut short", ErrDamaged)
	}
	length := int64(binary.LittleEndian.Uint32(trailer[:]))
	if length > maxFooter {
		return fmt.Errorf("its footer has %d bytes, of which at most %d are read", length, maxFooter)
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-int64(len(trailer))-length); err != nil && err != io.EOF {
		return err
	}
	c := compact{b: footer}
	c.fields(0)
	if c.err != nil {
		return fmt.Errorf("%w: its footer %w", ErrDamaged, c.err)
	}
	return checkSchema(footer)
}

// checkSchema refuses a schema of too many columns, or too deep: the library keeps the path of each.
func checkSchema(footer []byte) error {
	var file struct {
		Schema []format.SchemaElement `thrift:"2"`
	}
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(footer)).Decode(&file); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if n := len(file.Schema); n > maxColumns {
		return fmt.Errorf("it has %d columns, of which at most %d are read", n, maxColumns)
	}
	var open []int32 // children that are still to come, of each group around
	for i := range file.Schema {
		if len(open) > maxColumnDepth {
			return fmt.Errorf("its columns are nested more than %d levels deep", maxColumnDepth)
		}
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			open[len(open)-1]--
		}
		if n := file.Schema[i].NumChildren; n.Valid && n.V > 0 {
			open = append(open, n.V)
		}
	}
	return nil
}

// compact walks over values of Thrift's compact protocol.
type compact struct {
	b        []byte // behind what was passed
	elements uint64
	err      error
}

// Types of values in the compact protocol.
const (
	typeStop = iota
	typeTrue
	typeFalse
	typeByte
	typeI16
	typeI32
	typeI64
	typeDouble
	typeBinary
	typeList
	typeSet
	typeMap
	typeStruct
)

var (
	errFooterEnds  = errors.New("ends in the middle of a value")
	errFooterType  = errors.New("has a value of no known type")
	errFooterLists = fmt.Errorf("has lists of more than %d elements", maxFooterElements)
	errFooterDepth = fmt.Errorf("has values more than %d levels deep", maxFooterDepth)
)

func (c *compact) pass(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.err, c.b = errFooterEnds, nil
		return nil
	}
	passed := c.b[:n]
	c.b = c.b[n:]
	return passed
}

func (c *compact) byte() byte {
	if b := c.pass(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *compact) varint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.err, c.b = errFooterEnds, nil
		return 0
	}
	c.b = c.b[n:]
	return v
}

// fields passes the fields of a struct.
func (c *compact) fields(depth int) {
	if depth > maxFooterDepth {
		c.err = errFooterDepth
	}
	for c.err == nil {
		head := c.byte()
		if head == typeStop {
			return
		}
		if head>>4 == 0 { // no difference to the number of the field before, but a number
			c.varint()
		}
		if t := head & 0xf; t != typeTrue && t != typeFalse {
			c.value(t, depth)
		}
	}
}

// value passes a value.
func (c *compact) value(t byte, depth int) {
	switch t {
	case typeTrue, typeFalse, typeByte:
		c.pass(1)
	case typeI16, typeI32, typeI64:
		c.varint()
	case typeDouble:
		c.pass(8)
	case typeBinary:
		c.pass(c.varint())
	case typeList, typeSet:
		head := c.byte()
		n := uint64(head >> 4)
		if n == 0xf {
			n = c.varint()
		}
		c.list(n, depth+1, head&0xf)
	case typeMap:
		if n := c.varint(); n > 0 {
			head := c.byte()
			c.list(n, depth+1, head>>4, head&0xf)
		}
	case typeStruct:
		c.fields(depth + 1)
	default:
		c.err = errFooterType
	}
}

// list passes n elements, each of values of some types.
func (c *compact) list(n uint64, depth int, types ...byte) {
	switch c.elements += n; {
	case depth > maxFooterDepth:
		c.err = errFooterDepth
	case n > maxFooterElements || c.elements > maxFooterElements:
		c.err = errFooterLists
	}
	for ; n > 0 && c.err == nil; n-- {
		for _, t := range types {
			c.value(t, depth)
		}
	}
}
