package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// shown makes a value from an archive safe for a terminal, and short.
func shown(s string, limit int) string {
	if len(s) > limit {
		s = cut(s, limit) + "…"
	}
	q := strconv.Quote(locator(s))
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// number writes an integer with separators.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "ch") {
		return number(n) + " " + what + "es"
	}
	return number(n) + " " + what + "s"
}

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

// periodText tells from when to when fetches were made; nil is unknown.
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

// Bytes writes a size in the units that file sizes are told in.
func Bytes(n int64) string {
	if n < 1000 {
		return plural(n, "byte")
	}
	v, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB", "PB"} {
		v /= 1000
		if v < 999.95 { // which is shown as 1000.0
			break
		}
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}
