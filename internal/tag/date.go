package tag

import (
	"strconv"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// parseDate reads the date of unavailable_after, which Google accepts in "widely
// adopted formats, including RFC 822, RFC 850 and ISO 8601". zoned is false where
// the date names no time zone that is known here: UTC is then assumed. A year in UTC
// before 1 or after 9999 is no date: few readers of tables know such.
func parseDate(s string) (t time.Time, zoned, ok bool) {
	if len(s) > 64 {
		return time.Time{}, false, false
	}
	read := parseWords
	if s = trim(s); len(s) >= 10 && s[4] == '-' {
		read = parseISO
	}
	t, zoned, ok = read(s)
	if ok = ok && 1 <= t.Year() && t.Year() <= 9999; !ok {
		return time.Time{}, false, false
	}
	return t, zoned, true
}

// westernmost is how much later than in UTC it can be midnight somewhere: a date
// without a zone has passed everywhere only then.
const westernmost = 12 * time.Hour

// wholeDay is how much later than at its beginning a date without a time of day has
// passed, if its end was meant.
const wholeDay = 24 * time.Hour

// hasClock reports whether a date names a time of day: it holds a colon that is not that
// of an offset (+02:00).
func hasClock(s string) bool {
	for i := range len(s) {
		if s[i] == ':' && (i < 3 || s[i-3] != '+' && s[i-3] != '-') {
			return true
		}
	}
	return false
}

func parseISO(s string) (t time.Time, zoned, ok bool) {
	for _, layout := range [...]string{
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00",
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z0700", "2006-01-02Z07:00",
		"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), strings.Contains(layout, "Z"), true
		}
	}
	// An ISO date and time with the name of a zone.
	if i := strings.LastIndexByte(s, ' '); i >= len("2006-01-02") {
		if offset, ok := zoneOffset(s[i+1:]); ok {
			t, _, ok := parseISO(s[:i])
			return t.Add(-offset), true, ok
		}
	}
	return time.Time{}, false, false
}

// parseWords reads a date in words: "Fri, 25 Jun 2010 15:00:00 PST", "Friday,
// 25-Jun-10 15:00:00 GMT", "25 Jun 2010 15:00:00 +0200", "Jun 25, 2010".
func parseWords(s string) (t time.Time, zoned, ok bool) {
	var month time.Month
	var clock, offset time.Duration
	day, year, parts := 0, -1, 0
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		if parts++; parts > 8 {
			return time.Time{}, false, false
		}
		if d, m, y, dashed := dashedDate(f); dashed {
			day, month, year = d, m, y
			continue
		}
		n, digits := number(f)
		switch {
		case (f[0] == '+' || f[0] == '-') && len(f) == len("+02:00") && f[3] == ':' && !zoned:
			if offset, zoned = zoneOffset(f[:3] + f[4:]); !zoned {
				return time.Time{}, false, false
			}
		case ascii.Lower(f) == "am" || ascii.Lower(f) == "pm":
			if clock, ok = twelveHours(clock, ascii.Lower(f) == "pm"); !ok {
				return time.Time{}, false, false
			}
		case strings.IndexByte(f, ':') > 0:
			if clock, ok = parseClock(f); !ok {
				return time.Time{}, false, false
			}
		case digits && day == 0 && len(f) <= 2:
			day = n
		case digits && year < 0:
			year = fullYear(n, len(f))
		case monthOf(f) != 0 && month == 0:
			month = monthOf(f)
		case isWeekday(f) && month == 0:
		default:
			if zoned {
				return time.Time{}, false, false
			}
			if offset, zoned = zoneOffset(f); !zoned && (len(f) > 5 || digits || f[0] == '+' || f[0] == '-') {
				return time.Time{}, false, false
			}
		}
	}
	if day == 0 || month == 0 || year < 0 {
		return time.Time{}, false, false
	}
	t = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day {
		return time.Time{}, false, false
	}
	return t.Add(clock - offset), zoned, true
}

// dashedDate reads "25-Jun-10" of RFC 850.
func dashedDate(f string) (day int, month time.Month, year int, ok bool) {
	d, rest, _ := strings.Cut(f, "-")
	m, y, found := strings.Cut(rest, "-")
	day, okDay := number(d)
	year, okYear := number(y)
	month = monthOf(m)
	return day, month, fullYear(year, len(y)), found && okDay && okYear && month != 0
}

// fullYear gives a year of two digits its century: RFC 850 leaves it open, and
// robots tags are no older than 1994.
func fullYear(n, digits int) int {
	if digits > 2 {
		return n
	}
	if n < 70 {
		return 2000 + n
	}
	return 1900 + n
}

func parseClock(f string) (time.Duration, bool) {
	h, rest, _ := strings.Cut(f, ":")
	m, s, seconds := strings.Cut(rest, ":")
	hours, ok1 := number(h)
	minutes, ok2 := number(m)
	second, ok3 := 0, true
	if seconds {
		second, ok3 = number(s)
	}
	if !ok1 || !ok2 || !ok3 || hours > 24 || minutes > 59 || second > 60 {
		return 0, false
	}
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + time.Duration(second)*time.Second, true
}

// twelveHours is a time of day with AM or PM.
func twelveHours(clock time.Duration, pm bool) (time.Duration, bool) {
	if clock < time.Hour || clock >= 13*time.Hour {
		return 0, false
	}
	clock %= 12 * time.Hour
	if pm {
		clock += 12 * time.Hour
	}
	return clock, true
}

// number reads at most four digits.
func number(s string) (n int, ok bool) {
	v, err := strconv.ParseUint(s, 10, 16)
	return int(v), err == nil && len(s) <= 4
}

func monthOf(s string) time.Month {
	const abbreviated = "jan feb mar apr may jun jul aug sep oct nov dec "
	if s = ascii.Lower(s); len(s) < 3 || len(s) > len("september") {
		return 0
	}
	i := strings.Index(abbreviated, s[:3]+" ")
	if i < 0 {
		return 0
	}
	month := time.Month(i/4 + 1)
	if !strings.HasPrefix(ascii.Lower(month.String()), strings.TrimSuffix(s, ".")) && s != "sept" {
		return 0
	}
	return month
}

func isWeekday(s string) bool {
	s = ascii.Lower(s)
	for d := time.Sunday; d <= time.Saturday; d++ {
		if full := ascii.Lower(d.String()); len(s) >= 3 && strings.HasPrefix(full, s) {
			return true
		}
	}
	return false
}

// zoneOffset returns the offset of a zone: that of RFC 822 §5.1, a few European
// names, or ±hhmm.
func zoneOffset(s string) (time.Duration, bool) {
	if len(s) == 5 && (s[0] == '+' || s[0] == '-') {
		n, ok := number(s[1:])
		d := time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute
		if s[0] == '-' {
			d = -d
		}
		return d, ok
	}
	hours, ok := zones[ascii.Lower(s)]
	return time.Duration(hours) * time.Hour, ok
}

var zones = map[string]int{
	"ut": 0, "utc": 0, "gmt": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
	"pst": -8, "pdt": -7, "bst": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3,
}
