package robots

import (
	"testing"
	"time"
)

func TestCrawlDelay(t *testing.T) {
	for _, c := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"10", 10 * time.Second, true},
		{"0.5", 500 * time.Millisecond, true},
		{"0", 0, true},
		{"86400", 24 * time.Hour, true},
		{"86401", 0, false},
		{"-1", 0, false},
		{"NaN", 0, false},
		{"1e3", 0, false},
		{"0x10", 0, false},
		{"ten", 0, false},
		{"5s", 0, false},
		{"1.2.3", 0, false},
		{".", 0, false},
		{"", 0, false},
	} {
		if d, ok := CrawlDelay(c.value); ok != c.ok || ok && d != c.want.Microseconds() {
			t.Errorf("%s: %d %t, want %v %t", c.value, d, ok, c.want, c.ok)
		}
	}
}
