package results

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
	"github.com/robotsaudit/robotsaudit/report"
)

// tableSpec is the required form of a table's files.
type tableSpec struct {
	name    string
	columns []report.Field
}

// named are the columns that have one of some names.
func (t tableSpec) named(names []string) []report.Field {
	return slices.DeleteFunc(slices.Clone(t.columns),
		func(c report.Field) bool { return !slices.Contains(names, c.Name) })
}

// open opens a file of the table.
func (t tableSpec) open(file object.LocalFile) (*parquetfile.File, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := parquetfile.OpenOwn(file, info.Size())
	if err != nil {
		return nil, err
	}
	if v, _ := f.Lookup(report.SchemaVersionKey); v != report.SchemaVersion {
		return nil, damaged("schema version %q, unlike %s", v, report.AuditFile)
	}
	if name, _ := f.Lookup(report.TableKey); name != t.name {
		return nil, damaged("it holds the table %q", name)
	}
	return f, t.check(f)
}

// check compares the columns of a file with the columns of the table. An earlier program of this schema
// version knew fewer, and a later one may know more; where both seems true, a name was damaged.
func (t tableSpec) check(f *parquetfile.File) error {
	lacking, common := "", 0
	for _, c := range t.columns {
		switch {
		case f.Column(c.Name) != nil:
			common++
		case !c.Optional && c.Type.Kind() != reflect.Slice:
			return damaged("it has no column %s", c.Name)
		default:
			lacking = c.Name
		}
	}
	if lacking != "" && len(f.Columns) > common {
		return damaged("it has no column %s, and one that is not known", lacking)
	}
	return nil
}

func damaged(format string, a ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{parquetfile.ErrDamaged}, a...)...)
}

// errorIn is an error about the file at a path.
func errorIn(path string, err error) error {
	if errors.Is(err, parquetfile.ErrDamaged) {
		return fmt.Errorf("%s: %w; make the results anew with 'robotsaudit evaluate' or 'robotsaudit audit'", path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}
