package console

import (
	"fmt"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/report"
)

// Progress fits into any terminal, the more important first.
func TestProgressFits(t *testing.T) {
	count := func(n int64) func() int64 { return func() int64 { return n } }
	g := Gauge{"reading", count(123_456_789), count(98_765_432_100), report.Bytes, "bytes"}
	for width, want := range map[int]string{
		200: "reading: 0 % of 98.8 GB, 2h13m10s left, 12.3 MB/s",
		48:  "reading: 0 % of 98.8 GB, 2h13m10s left",
		30:  "reading: 0 % of 98.8 GB",
		12:  "",
	} {
		if got := g.line(10*time.Second, width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
	if got, want := g.line(1e5*time.Second,
		60), "reading: 0 % of 98.8 GB, more than a day left, 1.23 kB/s"; got != want {
		t.Errorf("slow: %q, want %q", got, want)
	}
	g = Gauge{"deciding", count(5), count(0), func(n int64) string { return fmt.Sprint(n) }, "fetches"}
	if got, want := g.line(time.Second, 48), "deciding: 5, 5/s"; got != want {
		t.Errorf("no total: %q, want %q", got, want)
	}
}
