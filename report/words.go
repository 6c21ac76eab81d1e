package report

import (
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Shown makes a value from an archive safe for a terminal, and short.
func Shown(s string, limit int) string {
	if len(s) > limit {
		s = Head(s, limit) + "…"
	}
	q := strconv.Quote(locator(s))
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// Count writes a number of things: 1 fetch, 2,000 fetches.
func Count(n int64, what string) string { return english.Plural(int(n), what, "") }

// Bytes writes a size in the units of file sizes: 6.18 MB.
func Bytes(n int64) string { return humanize.BytesN(uint64(n), 3) }
