package document

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/report"
)

// Limits of a Document on texts.
const (
	maxURL   = 160 // bytes
	maxName  = 200 // of an origin, a file, a rule, a token
	maxAgent = 200 // of a User-Agent
)

// number writes an integer with separators.
func number(n int64) string { return humanize.Comma(n) }

// percent never rounds something to nothing, nor nearly all to all.
func percent(part, whole int64) string {
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

// ofWhole is a percentage in brackets, or nothing where there is no whole.
func ofWhole(part, whole int64) string {
	if whole == 0 {
		return ""
	}
	return " (" + percent(part, whole) + ")"
}

// list joins words: "a, b and c".
func list(words []string) string { return english.WordSeries(words, "and") }

// isAre is the verb for a number of things.
func isAre(n int64, one, many string) string {
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

func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// moment writes a time for a table: it sorts as text. Fractions of a second are written if there are any.
func moment(micros *int64) string {
	if micros == nil {
		return ""
	}
	return timeOf(*micros).Format("2006-01-02 15:04:05.999999") + " UTC"
}

// day writes the day of a time for a table.
func day(micros *int64) string {
	if micros == nil {
		return ""
	}
	return timeOf(*micros).Format(time.DateOnly)
}

// onDay writes a time for a sentence.
func onDay(micros int64) string {
	return "On " + timeOf(micros).Format("2 January 2006 at 15:04:05.999999") + " UTC"
}

// value returns the value at a pointer, or zero.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// insertRanked puts a row into a ranking of the first n, after its equals.
func insertRanked[T any](list []T, n int, row T, compare func(a, b T) int) []T {
	i := sort.Search(len(list), func(i int) bool { return compare(list[i], row) > 0 })
	if i >= n {
		return list
	}
	list = slices.Insert(list, i, row)
	return list[:min(len(list), n)]
}

// plural writes a number of things.
func plural(n int64, what string) string { return report.Count(n, what) }

// orNoOrigin names an origin.
func orNoOrigin(origin string) string {
	if origin == "" {
		return "(no readable origin)"
	}
	return origin
}

// plainMarkdown takes the marks of code out of a text of docs/SCHEMA.md.
func plainMarkdown(s string) string { return codeMarks.Replace(s) }

var codeMarks = strings.NewReplacer("`", "", "'", "’")

// Capital begins a text with a capital letter, but for robots.txt, which keeps its own.
func Capital(s string) string {
	if s == "" || strings.HasPrefix(s, "robots.txt") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// asOfText is a day or a moment in words.
func asOfText(at evaluate.AsOf) string {
	if day, moment, ok := strings.Cut(at.String(), "T"); ok {
		return day + " " + strings.TrimSuffix(moment, "Z") + " UTC"
	}
	return at.String() + " (all of that day, UTC)"
}
