package report

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
)

// Foreign names the first file in an output folder that bears the name of a table, of audit.json
// or of report.html, and is not one: another program's, which Commit would replace. "": there is
// none.
func Foreign(dir string) (string, error) {
	for _, path := range Files(dir) {
		isOwn := isTable
		switch filepath.Base(path) {
		case AuditFile:
			isOwn = has(`"tool": "robotsaudit"`)
		case HTMLFile:
			isOwn = has(`<meta name="generator" content="robotsaudit">`)
		}
		if own, err := isAbsentOr(isOwn, path); err != nil {
			return "", err
		} else if !own {
			return filepath.Rel(dir, path)
		}
	}
	return "", nil
}

// Files are the paths of all that results may be written to in an output folder.
func Files(dir string) (files []string) {
	for _, t := range tables {
		files = append(append(files, partsOf(dir, t.about().Name)...), filepath.Join(dir, t.about().File()))
	}
	return append(files, filepath.Join(dir, AuditFile), filepath.Join(dir, HTMLFile))
}

// isAbsentOr reports whether a file is not there, or is regular and of the kind that isOwn knows.
func isAbsentOr(isOwn func(f *os.File, size int64) (bool, error), path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	return isOwn(f, info.Size())
}

// has returns a function that looks for a mark near the beginning of a file.
func has(mark string) func(f *os.File, _ int64) (bool, error) {
	return func(f *os.File, _ int64) (bool, error) {
		head, err := io.ReadAll(io.LimitReader(f, 1<<10))
		return bytes.Contains(head, []byte(mark)), err
	}
}

// isTable reports whether a file is a table of any version.
func isTable(f *os.File, size int64) (own bool, _ error) {
	table, err := parquetfile.OpenOwn(f, size)
	if err == nil {
		_, own = table.Lookup(SchemaVersionKey)
	}
	return own, nil
}
