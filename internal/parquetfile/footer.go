package parquetfile

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of a footer. The library makes a slice as long as a list says it is, and follows nested values as deep
// as they go.
const (
	maxFooter      = 64 << 20
	maxElements    = 1 << 19 // of all lists together
	maxDepth       = 32
	maxColumns     = 10_000 // and groups of columns
	maxColumnDepth = 64
	maxMemberName  = 1024 // bytes of the names of groups in which a member is

	// maxRowsPerByte is how many rows a file may have for each of its bytes. Runs of one value, or of none,
	// cost nothing there.
	maxRowsPerByte = 256
)

// openFooter sets what the footer of a file says.
func openFooter(f *File, footer []byte, maxElements int) (*File, error) {
	var meta format.FileMetaData
	size, err := decodeThrift(footer, &meta, maxElements)
	if err != nil {
		return nil, damaged("its footer: %w", err)
	}
	if meta.EncryptionAlgorithm.Value != nil {
		return nil, errors.New("it is encrypted")
	}
	if size < len(footer) {
		return nil, damaged("its footer has %d bytes after its end", len(footer)-size)
	}
	leaves, err := f.openSchema(meta.Schema)
	if err != nil {
		return nil, err
	}
	for i := range meta.RowGroups {
		g := &meta.RowGroups[i]
		if n := len(g.Columns); n != leaves {
			return nil, damaged("a row group has %d columns, and the schema %d", n, leaves)
		}
		if g.NumRows < 0 || g.NumRows > f.size*maxRowsPerByte-f.NumRows {
			return nil, damaged("more rows than its %d bytes can have", f.size)
		}
		f.NumRows += g.NumRows
	}
	f.Groups, f.metadata = meta.RowGroups, meta.KeyValueMetadata
	return f, nil
}

// openSchema finds the columns of a schema, and returns how many leaves it has.
func (f *File) openSchema(schema []format.SchemaElement) (leaves int, err error) {
	if n := len(schema); n > maxColumns {
		return 0, fmt.Errorf("it has %d columns, of which at most %d are read", n, maxColumns)
	}
	type group struct {
		name       string // with a dot behind; "": it is the whole, or has no Members
		children   int32  // still to come
		repetition int
		definition uint32
	}
	var around []group
	for i := range schema {
		e := &schema[i]
		for len(around) > 0 && around[len(around)-1].children <= 0 {
			around = around[:len(around)-1]
		}
		g := group{children: e.NumChildren.V}
		if i > 0 {
			if len(around) == 0 {
				return 0, damaged("its schema has columns that belong to no group")
			}
			parent := &around[len(around)-1]
			parent.children--
			g.repetition, g.definition = parent.repetition, parent.definition
			switch e.RepetitionType.V {
			case format.Repeated:
				g.repetition++
				g.definition++
			case format.Optional:
				g.definition++
			}
			if len(around) == 1 {
				f.Columns = append(f.Columns, Column{Name: e.Name, IsNested: !e.Type.Valid})
			}
			if e.Type.Valid {
				c := &f.Columns[len(f.Columns)-1]
				if c.Type == nil {
					c.Type, c.leaf, c.IsList = e, leaves, g.repetition > 0
					c.repetition, c.definition = g.repetition, g.definition
				}
				if parent.name != "" {
					f.Members = append(f.Members, Column{
						Name: parent.name + e.Name, Type: e, IsList: g.repetition > 0,
						leaf: leaves, repetition: g.repetition, definition: g.definition,
					})
				}
				leaves++
				continue
			}
			if isTop := len(around) == 1; (isTop || parent.name != "") && len(parent.name)+len(e.Name) < maxMemberName {
				g.name = parent.name + e.Name + "."
			}
		}
		if around = append(around, g); len(around) > maxColumnDepth {
			return 0, fmt.Errorf("its columns are nested more than %d levels deep", maxColumnDepth)
		}
	}
	for _, g := range around {
		if g.children > 0 {
			return 0, damaged("its schema ends before its last column")
		}
	}
	return leaves, nil
}

// decodeThrift decodes a value in Thrift's compact protocol, and returns how many bytes it has. What it
// decodes may share memory with them.
func decodeThrift(b []byte, value any, maxElements int) (size int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	r := &thriftReader{BytesReader: new(thrift.CompactProtocol).NewReaderFromBytes(b), elements: maxElements}
	err = thrift.NewDecoder(r).Decode(value)
	return r.BytesRead(), err
}

// thriftReader reads values of Thrift's compact protocol, and refuses those that would not fit into memory.
type thriftReader struct {
	thrift.BytesReader
	around   []int32 // structs still to come, of each list and struct around
	elements int     // that all lists still to come may have
}

var (
	errFooterLists = fmt.Errorf("it has lists of more than %d elements", maxElements)
	errFooterDepth = fmt.Errorf("it has values more than %d levels deep", maxDepth)
	errFooterType  = errors.New("it has a value of a type that Parquet does not use")
)

// ReadField is called for each field of a struct, and for its end.
func (r *thriftReader) ReadField() (thrift.Field, error) {
	f, err := r.BytesReader.ReadField()
	switch last := len(r.around) - 1; {
	case err != nil:
	case f.Type == thrift.STRUCT:
		return f, r.enter(1)
	case f.Type == thrift.STOP && last >= 0:
		if r.around[last]--; r.around[last] == 0 {
			r.around = r.around[:last]
		}
	}
	return f, err
}

// enter begins one or more structs.
func (r *thriftReader) enter(n int32) error {
	if r.around = append(r.around, n); len(r.around) > maxDepth {
		return errFooterDepth
	}
	return nil
}

// ReadList is called at the beginning of a list.
func (r *thriftReader) ReadList() (thrift.List, error) {
	l, err := r.BytesReader.ReadList()
	if err != nil {
		return l, err
	}
	if r.elements -= int(l.Size); r.elements < 0 {
		return l, errFooterLists
	}
	switch l.Type {
	case thrift.LIST, thrift.SET, thrift.MAP:
		return l, errFooterType
	case thrift.STRUCT:
		if l.Size > 0 {
			return l, r.enter(l.Size)
		}
	}
	return l, nil
}

// ReadSet is never called for a file of Parquet as it is specified, and neither is ReadMap.
func (r *thriftReader) ReadSet() (thrift.Set, error) { return thrift.Set{}, errFooterType }

func (r *thriftReader) ReadMap() (thrift.Map, error) { return thrift.Map{}, errFooterType }

// Discard passes bytes, which the decoder does with values that it does not know.
func (r *thriftReader) Discard(n int) (int, error) {
	return r.BytesReader.(interface{ Discard(int) (int, error) }).Discard(n)
}
