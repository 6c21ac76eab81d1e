package reading

import (
	"fmt"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// TestClocks: ten Dates of three hosts show a clock; where it was set, each part has its own.
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		name         string
		count, hosts int
		off          func(i int) int64
		want         []facts.Clock
	}{
		{"right", 300, 3, func(i int) int64 { return int64(i % 3) }, nil},
		{"fast", 10, 3, func(int) int64 { return 60 }, []facts.Clock{{Seconds: 60}}},
		{"fast and long", 5000, 3, func(int) int64 { return 60 }, []facts.Clock{{Seconds: 60}}},
		{"too few", 9, 3, func(int) int64 { return 60 }, nil},
		{"of two hosts", 90, 2, func(int) int64 { return 60 }, nil},
		{"a third is old", 90, 3, func(i int) int64 { return int64(i%3) / 2 * 9000 }, nil},
		{"slow, and most of the last servers' clocks are off, each by another time", 25, 25, func(i int) int64 {
			if i < 9 || i > 19 {
				return -21
			}
			return int64(70 * i)
		}, []facts.Clock{{Seconds: -21}}},
		{"set", 60, 3, func(i int) int64 {
			if i < 40 {
				return 900
			}
			return 0
		}, []facts.Clock{{Seconds: 900}, {From: 40}}},
	} {
		var d dates
		for i := range c.count {
			d.add(fmt.Sprint(i%c.hosts), int64(i), c.off(i))
		}
		equal(t, c.name, d.clocks(), c.want)
	}
}
