package ingest

import (
	"os"
	"path/filepath"
	"testing"
)

// TestIndexCases reads indexes that came out wrong: how many rows are fetches, how many are none, and
// how many faults there are.
func TestIndexCases(t *testing.T) {
	dir := filepath.Join("..", "..", "shared", "cases", "index")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("skipped: ../shared/cases is absent")
	}
	for name, want := range map[string][3]int64{
		"all.cdx":           {3, 4, 0},
		"min-first.cdx":     {2, 0, 1},
		"min-third.cdx":     {2, 0, 1},
		"cc-all.cdxj":       {1, 3, 0},
		"c10-zipnum.cdx.gz": {6, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			inputs, failures := Expand(t.Context(), []string{filepath.Join(dir, name)}, ExpandOptions{})
			if len(failures) > 0 {
				t.Fatal(failures[0])
			}
			if err := Ingest(t.Context(), inputs, ReadOptions{Dir: out, Workers: 1}); err != nil {
				t.Fatal(err)
			}
			set, err := OpenFacts(out)
			if err != nil {
				t.Fatal(err)
			}
			in := resultsOf(t, set)[0]
			if got := [3]int64{in.Records["indexed"], in.Records["none"], in.Issues}; got != want {
				t.Errorf("%d fetches, %d other rows and %d issues (%s), not %d", got[0], got[1], got[2], in.Refusal,
					want)
			}
		})
	}
}
