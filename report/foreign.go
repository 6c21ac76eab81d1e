package report

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// Foreign names the first file in an output folder that bears the name of a table or of
// audit.json, and is not one: another program's, which Commit would replace. "": there is
// none.
func Foreign(dir string) (string, error) {
	for _, t := range tables {
		name := t.about().Name
		for _, path := range append(partsOf(dir, name), filepath.Join(dir, tableFile(name))) {
			own, err := isTable(path)
			if err != nil {
				return "", err
			}
			if !own {
				return filepath.Rel(dir, path)
			}
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, AuditFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var a struct {
		SchemaVersion string `json:"schema_version"`
	}
	if json.Unmarshal(b, &a) != nil || a.SchemaVersion == "" {
		return AuditFile, nil
	}
	return "", nil
}

// isTable reports whether a file is a table of any version, or not there.
func isTable(path string) (own bool, err error) {
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
	defer func() {
		if recover() != nil { // the library, of a file that is none
			own = false
		}
	}()
	table, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return false, nil
	}
	_, own = table.Lookup(SchemaVersionKey)
	return own, nil
}
