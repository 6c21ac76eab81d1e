package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

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

// number writes an integer with separators.
func number(n int64) string { return humanize.Comma(n) }

// Count writes a number of things: 1 fetch, 2,000 fetches.
func Count(n int64, what string) string { return english.Plural(int(n), what, "") }

// Bytes writes a size in the units of file sizes: 6.18 MB.
func Bytes(n int64) string { return humanize.BytesN(uint64(n), 3) }

// percent never rounds something to nothing, nor nearly all to all.
func percent(share *float64) string {
	switch {
	case share == nil:
		return ""
	case *share > 0 && *share < 0.0005:
		return " (< 0.1 %)"
	case *share < 1 && *share >= 0.9995:
		return " (> 99.9 %)"
	}
	return fmt.Sprintf(" (%.1f %%)", 100**share)
}

// periodText states from when to when fetches were made; nil is unknown.
func periodText(first, last *time.Time) string {
	switch {
	case first == nil || last == nil:
		return "without a date"
	case first.Equal(*last):
		return "at " + momentText(*first)
	}
	return "from " + momentText(*first) + " to " + momentText(*last)
}

func momentText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
