package report

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// joinFiles makes one Parquet file of the rows of several, which have the same columns and some
// rows each. It copies row groups as they are. A file is its row groups, the column indexes and
// the offset indexes of all their columns, and the footer. Of these, offset indexes and
// footer say where in the file something is.
func joinFiles(path string, parts []string) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	j := &joiner{out: out}
	if err := j.write([]byte(magic)); err != nil {
		return err
	}
	// Each section has the sections of all parts, one after the other.
	for _, section := range []func(*tablePart) error{j.rowGroups, j.columnIndexes, j.offsetIndexes} {
		for i, part := range parts {
			if err := j.with(i, part, section); err != nil {
				return fmt.Errorf("join %s: %w", part, err)
			}
		}
	}
	return j.footer()
}

const magic = "PAR1"

type joiner struct {
	out    *os.File
	at     int64 // bytes written
	groups int   // of rows
	parts  []*tablePart
}

// tablePart is one file of several that are joined.
type tablePart struct {
	file  *os.File // while it is read
	meta  *format.FileMetaData
	shift int64 // by how much its row groups stand further on
}

// with opens the i-th file for f. Its footer is read once, and changes as f goes.
func (j *joiner) with(i int, path string, f func(*tablePart) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if i == len(j.parts) {
		info, err := file.Stat()
		if err != nil {
			return err
		}
		p, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			return err
		}
		j.parts = append(j.parts, &tablePart{meta: p.Metadata()})
	}
	j.parts[i].file = file
	return f(j.parts[i])
}

func (j *joiner) write(b []byte) error {
	n, err := j.out.Write(b)
	j.at += int64(n)
	return err
}

// copy copies a range of a file.
func (j *joiner) copy(p *tablePart, from, to int64) error {
	if _, err := p.file.Seek(from, io.SeekStart); err != nil {
		return err
	}
	n, err := io.CopyN(j.out, p.file, to-from)
	j.at += n
	return err
}

// first is the first column of a file, which has both indexes: they begin the sections.
func (p *tablePart) first() *format.ColumnChunk { return &p.meta.RowGroups[0].Columns[0] }

// columns yields the columns of all row groups.
func (p *tablePart) columns(yield func(*format.ColumnChunk) bool) {
	for i := range p.meta.RowGroups {
		for k := range p.meta.RowGroups[i].Columns {
			if !yield(&p.meta.RowGroups[i].Columns[k]) {
				return
			}
		}
	}
}

func (j *joiner) rowGroups(p *tablePart) error {
	if j.groups += len(p.meta.RowGroups); j.groups > parquet.MaxRowGroups {
		return errTooManyGroups
	}
	p.shift = j.at - int64(len(magic))
	for i := range p.meta.RowGroups {
		p.meta.RowGroups[i].FileOffset += p.shift
	}
	for c := range p.columns {
		for _, at := range []*int64{
			&c.FileOffset, &c.MetaData.DataPageOffset, &c.MetaData.IndexPageOffset,
			&c.MetaData.DictionaryPageOffset,
		} {
			if *at != 0 {
				*at += p.shift
			}
		}
	}
	return j.copy(p, int64(len(magic)), p.first().ColumnIndexOffset)
}

func (j *joiner) columnIndexes(p *tablePart) error {
	from, begin := p.first().ColumnIndexOffset, j.at
	err := j.copy(p, from, p.first().OffsetIndexOffset)
	for c := range p.columns {
		if c.ColumnIndexLength > 0 {
			c.ColumnIndexOffset += begin - from
		}
	}
	return err
}

func (j *joiner) offsetIndexes(p *tablePart) error {
	for c := range p.columns {
		b := make([]byte, c.OffsetIndexLength)
		if _, err := p.file.ReadAt(b, c.OffsetIndexOffset); err != nil {
			return err
		}
		var index format.OffsetIndex
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), b, &index); err != nil {
			return err
		}
		for i := range index.PageLocations {
			index.PageLocations[i].Offset += p.shift
		}
		b, err := encode(&index)
		if err != nil {
			return err
		}
		c.OffsetIndexOffset, c.OffsetIndexLength = j.at, int32(len(b))
		if err := j.write(b); err != nil {
			return err
		}
	}
	return nil
}

func (j *joiner) footer() error {
	all := *j.parts[0].meta
	for _, p := range j.parts[1:] {
		all.RowGroups = append(slices.Clip(all.RowGroups), p.meta.RowGroups...)
		all.NumRows += p.meta.NumRows
	}
	for i := range all.RowGroups {
		all.RowGroups[i].Ordinal = int16(i)
	}
	b, err := encodeFooter(&all)
	if err != nil {
		return err
	}
	return j.write(b)
}

// encodeFooter is the footer of a file, with what follows it.
func encodeFooter(meta *format.FileMetaData) ([]byte, error) {
	b, err := encode(meta)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)))
	return append(b, magic...), err
}

// encode writes a part of a Parquet file's description of itself.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&b)).Encode(v)
	return b.Bytes(), err
}
