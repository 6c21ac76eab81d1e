// Package prose writes numbers, times, names and texts from archives as parts of sentences, cells
// and command lines. What it writes of a text from an archive can be seen, and is short.
package prose

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/report"
)

// Limits of a Document on texts.
const (
	MaxURL  = 160 // bytes
	MaxName = 200 // of an origin, a file, a rule, a token
)

// Number writes an integer with separators.
func Number(n int64) string { return humanize.Comma(n) }

// Percent never rounds something to nothing, nor nearly all to all.
func Percent(part, whole int64) string {
	share := float64(part) / float64(whole)
	switch {
	case whole == 0:
		return ""
	case part > 0 && share < 0.0005:
		return "less than 0.1 %"
	case part < whole && share >= 0.9995:
		return "more than 99.9 %"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// OfWhole is a percentage in brackets, or nothing where there is no whole.
func OfWhole(part, whole int64) string {
	if whole == 0 {
		return ""
	}
	return " (" + Percent(part, whole) + ")"
}

// List joins words: "a, b and c".
func List(words []string) string { return english.WordSeries(words, "and") }

// IsAre is the verb for a number of things.
func IsAre(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Duration writes seconds in the two largest units, rounded down.
func Duration(seconds int64) string {
	units := []struct {
		name    string
		seconds int64
	}{{"day", 24 * 3600}, {"hour", 3600}, {"minute", 60}, {"second", 1}}
	for i, u := range units {
		if n := seconds / u.seconds; n > 0 {
			words := report.Count(n, u.name)
			if i+1 < len(units) {
				if rest := seconds % u.seconds / units[i+1].seconds; rest > 0 {
					words += " and " + report.Count(rest, units[i+1].name)
				}
			}
			return words
		}
	}
	return "less than a second"
}

func TimeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// Moment writes a time for a table: it sorts as text. Fractions of a second are written if there are any.
func Moment(micros *int64) string {
	if micros == nil {
		return ""
	}
	return TimeOf(*micros).Format("2006-01-02 15:04:05.999999") + " UTC"
}

// Day writes the day of a time for a table.
func Day(micros *int64) string {
	if micros == nil {
		return ""
	}
	return TimeOf(*micros).Format(time.DateOnly)
}

// OnDay writes a time for a sentence.
func OnDay(micros int64) string {
	return "On " + TimeOf(micros).Format("2 January 2006 at 15:04:05.999999") + " UTC"
}

// Value returns the value at a pointer, or zero.
func Value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// OrNoOrigin names an origin.
func OrNoOrigin(origin string) string { return cmp.Or(origin, "(no readable origin)") }

// PlainMarkdown takes the marks of code out of a text of docs/SCHEMA.md.
func PlainMarkdown(s string) string { return codeMarks.Replace(s) }

var codeMarks = strings.NewReplacer("`", "", "'", "’")

// Capital begins a text with a capital letter, but for robots.txt, which keeps its own.
func Capital(s string) string {
	if s == "" || strings.HasPrefix(s, "robots.txt") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// AsOfText is a day or a moment in words.
func AsOfText(at evaluate.AsOf) string {
	if day, moment, ok := strings.Cut(at.String(), "T"); ok {
		return day + " " + strings.TrimSuffix(moment, "Z") + " UTC"
	}
	return at.String() + " (all of that day, UTC)"
}

// OrUnknown names a crawler.
func OrUnknown(agent string) string {
	return cmp.Or(Clip(agent, MaxName), "a crawler that is not known by name")
}

// TokenName names a crawler in a table.
func TokenName(agent string) string { return cmp.Or(Clip(agent, MaxName), "not known by name") }
