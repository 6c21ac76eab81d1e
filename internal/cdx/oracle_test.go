package cdx

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestOracle reads what other programs wrote. scripts/check/index.py has them write it.
func TestOracle(t *testing.T) {
	folder := os.Getenv("ROBOTSAUDIT_INDEXES")
	if folder == "" {
		t.Skip("ROBOTSAUDIT_INDEXES is not set: scripts/check/run index sets it")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.rows"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d indexes: %v", len(paths), err)
	}
	for _, path := range paths {
		path = strings.TrimSuffix(path, ".rows")
		t.Run(filepath.Base(path), func(t *testing.T) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			format := Sniff(content[:min(len(content), sniffBytes)], "")
			if format == None {
				t.Fatal("it is not told")
			}
			compare := func(name string, content []byte) {
				got, faults := read(t, format, content, FormatOptions{})
				diff := cmp.Diff(expectedRows(t, path+".rows"), got, cmpopts.IgnoreFields(Row{}, "At", "BadStatus"))
				if diff != "" {
					t.Errorf("%s: faults %.500v\n%.3000s", name, faults, diff)
				}
			}
			compare("as written", content)
			if format != Parquet {
				compare("compressed", gz(string(content)))
			}
		})
	}
}

// expectedRows are the rows that another program reads from an index.
func expectedRows(t *testing.T, path string) (rows []Row) {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		row := noRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}
