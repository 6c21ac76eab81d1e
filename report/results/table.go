package results

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
	"github.com/robotsaudit/robotsaudit/report"
)

// tableFile is one open file of a table.
type tableFile struct {
	path    string
	file    object.LocalFile
	parquet *parquet.File
}

// tableSpec is the required form of a table's files.
type tableSpec struct {
	name    string
	columns []columnSpec
}

// openTable opens a file of a table.
func openTable(path string, table tableSpec) (*tableFile, error) {
	file, err := object.OpenCopy(path)
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
	var err error
	if f.parquet, err = parquetfile.Open(f.file); err != nil {
		return err
	}
	if v, _ := f.parquet.Lookup(report.SchemaVersionKey); v != report.SchemaVersion {
		return fmt.Errorf("%w: schema version %q, unlike %s", parquetfile.ErrDamaged, v, report.AuditFile)
	}
	if name, _ := f.parquet.Lookup(report.TableKey); name != table.name {
		return fmt.Errorf("%w: it holds the table %q", parquetfile.ErrDamaged, name)
	}
	return table.check(f.parquet.Schema())
}

// check compares the columns of a file with the columns of the table. An earlier program of this schema
// version knew fewer, and a later one may know more; where both seems true, a name was damaged.
func (t tableSpec) check(schema *parquet.Schema) error {
	lacking, common := "", 0
	for _, c := range t.columns {
		_, ok := leafOf(schema, c.name)
		switch {
		case ok:
			common++
		case !c.nullable:
			return fmt.Errorf("%w: it has no column %s", parquetfile.ErrDamaged, c.name)
		default:
			lacking = c.name
		}
	}
	if lacking != "" && len(schema.Fields()) > common {
		return fmt.Errorf("%w: it has no column %s, and one that is not known", parquetfile.ErrDamaged, lacking)
	}
	return nil
}

func (f *tableFile) guard(read func() error) error {
	err := parquetfile.Guard(f.path, read)
	if errors.Is(err, parquetfile.ErrDamaged) {
		return fmt.Errorf("%w; make the results anew with 'robotsaudit evaluate' or 'robotsaudit audit'", err)
	}
	return err
}
