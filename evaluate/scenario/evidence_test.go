package scenario

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/robotsaudit/robotsaudit/report/evidence"
)

// others are crawlers whose verdicts bundles prove, too.
var others = []string{"TestBot", "OtherBot", "GPTBot", "CCBot", "Googlebot", "Foo"}

// proveLists bundles what lists drop for other crawlers and for each purpose: all of it is proven.
func proveLists(t *testing.T, out string) {
	to := filepath.Join(t.TempDir(), "lists.warc.gz")
	b, err := evidence.Write(t.Context(), evidence.Options{
		Dir: out, To: to, Drop: true, Agents: others, Purposes: []string{"archive", "index", "train"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if b.Violations != b.Proven {
		t.Errorf("%d of %d proven: %+v", b.Proven, b.Violations, b.Unproven)
	}
}

// prove bundles the records that each disallowed fetch rests on, alone, and the records of all
// fetches together: a bundle proves its fetches. lacks: an index may list captures of robots.txt
// that no archive holds. Findings that these may refute are left out.
func prove(t *testing.T, out string, disallowed []string, lacks bool) {
	if len(disallowed) == 0 {
		return
	}
	bundles := [][]string{disallowed}
	if len(disallowed) > 1 {
		for _, name := range disallowed {
			bundles = append(bundles, []string{name})
		}
	}
	for i, what := range bundles {
		to := filepath.Join(t.TempDir(), fmt.Sprintf("%d.warc.gz", i))
		b, err := evidence.Write(t.Context(), evidence.Options{Dir: out, To: to, What: what})
		if err != nil {
			t.Fatal(err)
		}
		if b.Proven+b.Lacking != int64(len(what)) || b.Lacking > 0 && !lacks || b.Violations != b.Proven {
			t.Errorf("%d of %d proven: %+v", b.Proven, len(what), b.Unproven)
		}
	}
}
