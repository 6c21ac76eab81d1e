package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestJoinOne: a table that is joined of one file is that file, of two row groups.
func TestJoinOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newTable[RobotsAgentRow](dir, "one")
	for i := range maxGroupRows + 1 {
		if err := w.add(RobotsAgentRow{RobotsID: int64(i), Agent: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.finish(true); err != nil {
		t.Fatal(err)
	}
	one, joined := filepath.Join(dir, "one.parquet"), filepath.Join(dir, "joined")
	if err := joinFiles(joined, []string{one}); err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile(one)
	if got, err := os.ReadFile(joined); err != nil || len(want) == 0 || !bytes.Equal(got, want) {
		t.Errorf("%d bytes of %d, or others: %v", len(got), len(want), err)
	}
}

// TestJoinTooMany has one row group more than a file may have.
func TestJoinTooMany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := WriteTable(dir, RobotsAgentsTable,
		func(yield func(*RobotsAgentRow, error) bool) { yield(new(RobotsAgentRow), nil) }); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(dir, "joined"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	j := &joiner{out: out, groups: parquet.MaxRowGroups - 1}
	for i, want := range []error{nil, errTooManyGroups} {
		if err := j.with(i, filepath.Join(dir, RobotsAgentsTable.File()), j.rowGroups); err != want {
			t.Errorf("part %d: %v", i, err)
		}
	}
}
