package facts

import (
	"strings"
	"time"
)

// Precision is how exactly a record's date is given. Two times are compared at
// the coarser of their precisions. The zero value means that there is no usable
// date at all.
type Precision uint8

// PrecisionNone to PrecisionSecond name the units; a fraction of n digits
// (1 to 6; further digits are cut) is PrecisionSecond + n.
const (
	PrecisionNone Precision = iota
	PrecisionYear
	PrecisionMonth
	PrecisionDay
	PrecisionHour
	PrecisionMinute
	PrecisionSecond
	PrecisionMicrosecond = PrecisionSecond + 6
)

// Time is a moment in UTC with the precision of the archive.
type Time struct {
	Micros    int64 // microseconds since 1970-01-01T00:00:00Z, meaningless without a Precision
	Precision Precision
}

// Known reports whether there is a usable date.
func (t Time) Known() bool { return t.Precision != PrecisionNone }

// UTC returns the moment as a time.Time.
func (t Time) UTC() time.Time { return time.UnixMicro(t.Micros).UTC() }

// Add returns the moment that lies some microseconds after t, at the same precision.
func (t Time) Add(micros int64) Time { return Time{t.Micros + micros, t.Precision} }

// Truncate returns t at precision p, if p is coarser than t's own.
func (t Time) Truncate(p Precision) Time {
	if p >= t.Precision {
		return t
	}
	u := t.UTC()
	switch {
	case p == PrecisionNone:
		return Time{}
	case p <= PrecisionDay:
		month, day := time.January, 1
		if p >= PrecisionMonth {
			month = u.Month()
		}
		if p == PrecisionDay {
			day = u.Day()
		}
		return Time{time.Date(u.Year(), month, day, 0, 0, 0, 0, time.UTC).UnixMicro(), p}
	}
	return Time{floorTo(t.Micros, units[p]), p}
}

// floorTo rounds down to a multiple of unit, for times before 1970 too.
func floorTo(v, unit int64) int64 {
	r := v % unit
	if r < 0 {
		r += unit
	}
	return v - r
}

// MicrosSince returns t - u in microseconds at the coarser of their precisions.
// It is no time.Duration, which ends at 292 years.
func (t Time) MicrosSince(u Time) int64 {
	p := min(t.Precision, u.Precision)
	return t.Truncate(p).Micros - u.Truncate(p).Micros
}

// dateFields are the parts of a date in order, with their digits and bounds.
var dateFields = [...]struct{ digits, low, high int }{
	{4, 1, 9999}, {2, 1, 12}, {2, 1, 31}, {2, 0, 23}, {2, 0, 59}, {2, 0, 60},
}

// ParseDate reads a WARC-Date: W3C-DTF from the year to nanoseconds (WARC 1.1
// §5.4), with or without a zone, and the 4 to 14 digits of ARC and CDX dates.
// zoned is false where no zone was written: UTC is then assumed. W3C-DTF has none
// where it gives no time of day. ok is false for a date that is missing, malformed or impossible.
func ParseDate(s string) (t Time, zoned, ok bool) {
	s = strings.TrimSpace(s)
	part := [6]int{0, 1, 1, 0, 0, 0}
	precision := PrecisionNone
	rest := s
	written := true // with its separators
	for i, f := range dateFields {
		next, ok := cutSeparator(rest, i)
		if !ok {
			break
		}
		v, ok := leadingDigits(next, f.digits)
		if !ok {
			if next != rest {
				return Time{}, false, false // a separator with nothing after it
			}
			break
		}
		if v < f.low || v > f.high {
			return Time{}, false, false
		}
		written = written && (i == 0 || next != rest)
		part[i], rest, precision = v, next[f.digits:], Precision(i+1)
	}
	if precision == PrecisionNone {
		return Time{}, false, false
	}
	micros, digits, rest := parseFraction(rest, precision)
	offset, zoned, ok := parseZone(rest)
	if !ok {
		return Time{}, false, false
	}
	switch precision {
	case PrecisionYear, PrecisionMonth, PrecisionDay:
		offset, zoned = 0, zoned || written // a zone means nothing for a day without a time
	case PrecisionHour:
		offset = offset.Truncate(time.Hour)
	}
	// A leap second is the last moment of its minute to everybody else's clock.
	if part[5] == 60 {
		part[5], micros = 59, Second-units[int(PrecisionSecond)+digits]
	}
	d := time.Date(part[0], time.Month(part[1]), part[2], part[3], part[4], part[5], 0, time.UTC)
	if d.Day() != part[2] {
		return Time{}, false, false // 31 February
	}
	return Time{d.Add(-offset).UnixMicro() + micros, precision + Precision(digits)}, zoned, true
}

// cutSeparator drops the separator before date field i, which ARC dates lack.
func cutSeparator(s string, i int) (rest string, ok bool) {
	if i == 0 || s == "" {
		return s, s != ""
	}
	const separators = "\x00--T::"
	if s[0] == separators[i] || i == 3 && (s[0] == ' ' || s[0] == 't') {
		return s[1:], true
	}
	return s, s[0] >= '0' && s[0] <= '9'
}

func leadingDigits(s string, n int) (v int, ok bool) {
	if len(s) < n {
		return 0, false
	}
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		v = v*10 + int(s[i]-'0')
	}
	return v, true
}

// parseFraction reads the fraction of a second, and keeps six digits.
func parseFraction(s string, p Precision) (micros int64, digits int, rest string) {
	if p != PrecisionSecond || len(s) < 2 || s[0] != '.' && s[0] != ',' {
		return 0, 0, s
	}
	i := 1
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		if digits < 6 {
			micros = micros*10 + int64(s[i]-'0')
			digits++
		}
	}
	return micros * units[int(PrecisionSecond)+digits], digits, s[i:]
}

// parseZone reads "", Z or ±hh[:]mm at the end of a date.
func parseZone(s string) (offset time.Duration, zoned, ok bool) {
	switch {
	case s == "":
		return 0, false, true
	case s == "Z" || s == "z":
		return 0, true, true
	case s[0] != '+' && s[0] != '-':
		return 0, false, false
	}
	sign := time.Duration(1)
	if s[0] == '-' {
		sign = -1
	}
	digits := strings.Replace(s[1:], ":", "", 1)
	hours, ok := leadingDigits(digits, 2)
	if !ok || hours > 23 {
		return 0, false, false
	}
	minutes := 0
	if len(digits) > 2 {
		if minutes, ok = leadingDigits(digits[2:], 2); !ok || minutes > 59 || len(digits) > 4 {
			return 0, false, false
		}
	}
	return sign * (time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute), true, true
}

// ParseARCDate reads the date of an ARC record, which is UTC: YYYYMMDDhhmmss, or
// less of it. Of 15 to 17 digits the last ones are a fraction whose unit nobody
// knows. Of more the day alone is certain: there are writers that put digits
// between the day and the hour. exact is false where digits were left out.
func ParseARCDate(s string) (t Time, exact, ok bool) {
	exact = len(s) <= 14
	switch {
	case s == "" || strings.Trim(s, "0123456789") != "":
		return Time{}, exact, false
	case len(s) > 17:
		s = s[:8]
	case len(s) > 14:
		s = s[:14]
	}
	t, _, ok = ParseDate(s)
	return t, exact, ok
}

// Lengths of time in microseconds.
const (
	Second = int64(1e6)
	Hour   = int64(3600e6)
	Day    = 24 * Hour
)

// units are the lengths of what dates of the precisions name, at most, in microseconds: of a fraction, what its last
// digit is worth.
var units = [...]int64{
	Second, 366 * Day, 31 * Day, Day, Hour, Hour / 60, Second, Second / 10, Second / 100, 1000, 100, 10, 1,
}

// Unit returns the length of what a date of a precision names, at most, in microseconds: of a fraction, a second.
func (p Precision) Unit() int64 { return max(units[p], Second) }

// Latest returns the last moment, in microseconds, that a date may stand for.
func (t Time) Latest() int64 {
	return t.Micros + units[t.Precision]
}
