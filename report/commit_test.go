package report

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSameResultsAreTheSameBytes(t *testing.T) {
	written := func() map[string]string {
		dir := t.TempDir()
		writeAll(t, dir, true)
		return listing(t, dir)
	}
	first := written()
	if len(first) != len(tables)+1 {
		t.Errorf("the folder holds %q", slices.Sorted(maps.Keys(first)))
	}
	for range 3 {
		if diff := cmp.Diff(first, written()); diff != "" {
			t.Fatalf("files differ:\n%s", diff)
		}
	}
}

// An audit without what-if removes the what-if tables of the one before, and any audit
// those that only earlier versions wrote, and the report of the one before.
func TestCommitReplaces(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, true)
	for _, name := range []string{"contested.parquet", HTMLFile, SignatureFile} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w, _ := writeAll(t, dir, false)
	for _, name := range []string{
		"group_verdicts.parquet", "robots_agents.parquet", "contested.parquet", HTMLFile,
		SignatureFile, temporary,
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	before := listing(t, dir)
	w.Abandon()
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("Abandon after Commit changed the folder:\n%s", diff)
	}
}

// A failure while the tables are written leaves the audit before as it was, and
// nothing else.
func TestFailureLeavesThePreviousAudit(t *testing.T) {
	for name, spoil := range map[string]func(*Writer){
		"table cannot be written":  func(w *Writer) { os.Mkdir(filepath.Join(w.tmp, HostStatsTable.File()), 0o777) },
		"audit cannot be written":  func(w *Writer) { os.Mkdir(filepath.Join(w.tmp, AuditFile), 0o777) },
		"folder vanishes":          func(w *Writer) { os.RemoveAll(w.tmp) },
		"abandoned before the end": nil,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeAll(t, dir, true)
			before := listing(t, dir)
			w, totals := fill(t, dir, false)
			if spoil != nil {
				spoil(w)
				if _, err := w.Commit(totals); err == nil {
					t.Error("Commit returned no error")
				}
			}
			w.Abandon()
			if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
				t.Errorf("the folder changed (-before +after):\n%s", diff)
			}
		})
	}
}

// A failure while the tables are moved leaves no audit.json: nothing counts.
func TestFailureInMovingLeavesNoAudit(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, false)
	w, totals := fill(t, dir, false)
	// A folder that is not empty stands where the last table goes.
	if err := os.Remove(filepath.Join(dir, "issues.parquet")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "issues.parquet", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(totals); err == nil {
		t.Error("Commit returned no error")
	}
	w.Abandon()
	if _, err := os.Stat(filepath.Join(dir, AuditFile)); !os.IsNotExist(err) {
		t.Errorf("audit.json is still there: %v", err)
	}
}

func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}
