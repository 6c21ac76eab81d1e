package results

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/report"
)

// errDamaged is wrapped by every error about the content of a table's file.
var errDamaged = errors.New("damaged")

// tableFile is one open file of a table.
type tableFile struct {
	path    string
	file    *os.File
	parquet *parquet.File
}

// readAhead is what a column reads of its file at a time; pages go past the buffer.
const readAhead = 512

// tableSpec is what a table's files must be.
type tableSpec struct {
	name    string
	columns []columnSpec
}

// openTable opens a file of a table.
func openTable(path string, table tableSpec) (*tableFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &tableFile{path: path, file: file}
	if err := f.guard(func() error { return f.readFooter(table) }); err != nil {
		f.file.Close()
		return nil, err
	}
	return f, nil
}

func (f *tableFile) close() { f.file.Close() }

func (f *tableFile) readFooter(table tableSpec) error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	if err := checkFooterSize(f.file, info.Size()); err != nil {
		return err
	}
	f.parquet, err = parquet.OpenFile(f.file, info.Size(),
		parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(readAhead))
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if v, _ := f.parquet.Lookup(report.SchemaVersionKey); v != report.SchemaVersion {
		return fmt.Errorf("%w: schema version %q, unlike %s", errDamaged, v, report.AuditFile)
	}
	if name, _ := f.parquet.Lookup(report.TableKey); name != table.name {
		return fmt.Errorf("%w: it holds the table %q", errDamaged, name)
	}
	return table.check(f.parquet.Schema())
}

// check compares the columns of a file with those of the table. An earlier program of this
// schema version knew fewer, and a later one may know more; where both seems true, a name was
// damaged.
func (t tableSpec) check(schema *parquet.Schema) error {
	lacking, common := "", 0
	for _, c := range t.columns {
		_, ok := leafOf(schema, c.name)
		switch {
		case ok:
			common++
		case !c.nullable:
			return fmt.Errorf("%w: it has no column %s", errDamaged, c.name)
		default:
			lacking = c.name
		}
	}
	if lacking != "" && len(schema.Fields()) > common {
		return fmt.Errorf("%w: it has no column %s, and one that is not known", errDamaged, lacking)
	}
	return nil
}

// checkFooterSize refuses a footer longer than its file before memory is allocated for it.
func checkFooterSize(file io.ReaderAt, size int64) error {
	const trailer = 8 // footer length, magic
	var b [trailer]byte
	if size < trailer {
		return fmt.Errorf("%w: %w", errDamaged, io.ErrUnexpectedEOF)
	}
	if _, err := file.ReadAt(b[:], size-trailer); err != nil {
		return err
	}
	if int64(binary.LittleEndian.Uint32(b[:])) > size-trailer {
		return fmt.Errorf("%w: its footer is longer than the file", errDamaged)
	}
	return nil
}

// guard adds the path to errors, and turns panics of the Parquet library on damaged files
// into errors.
func (f *tableFile) guard(read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", f.path, err)
		}
	}()
	return read()
}
