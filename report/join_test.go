package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
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
