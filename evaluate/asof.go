package evaluate

import (
	"fmt"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// AsOf is a moment or a day. As that of an evaluation it is when the what-if and restrictions are judged; the zero
// value means at each fetch's own time.
type AsOf struct {
	time  time.Time // in UTC, to the microsecond; of a day its beginning
	isDay bool
}

// AsOfMoment is a moment, to the microsecond.
func AsOfMoment(t time.Time) AsOf { return AsOf{time: t.UTC().Truncate(time.Microsecond)} }

// AsOfDay is the whole day in UTC that a moment lies in.
func AsOfDay(t time.Time) AsOf { return AsOf{t.UTC().Truncate(24 * time.Hour), true} }

// ParseAsOf reads what String writes: a date, or an RFC 3339 date-time. The years are 1 to 9999.
func ParseAsOf(s string) (AsOf, error) {
	if t, err := time.Parse(time.DateOnly, s); err == nil && !t.IsZero() {
		return AsOfDay(t), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if year := t.UTC().Year(); err != nil || t.IsZero() || year < 1 || year > 9999 {
		return AsOf{}, fmt.Errorf("%q is no date", s)
	}
	return AsOfMoment(t), nil
}

// IsZero reports whether no moment and no day is given.
func (a AsOf) IsZero() bool { return a.time.IsZero() }

// First is the moment, or the first one of the day.
func (a AsOf) First() time.Time { return a.time }

// Last is the moment, or the last one of the day, to the microsecond.
func (a AsOf) Last() time.Time {
	if a.isDay {
		return a.time.Add(24*time.Hour - time.Microsecond)
	}
	return a.time
}

// String returns a day as 2025-03-01, and a moment as 2025-03-01T12:00:00Z. The zero value is "".
func (a AsOf) String() string {
	switch {
	case a.IsZero():
		return ""
	case a.isDay:
		return a.time.Format(time.DateOnly)
	}
	return a.time.Format(time.RFC3339Nano)
}

// MarshalText writes String.
func (a AsOf) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads it.
func (a *AsOf) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAsOf(string(text))
	return err
}

// moment is the date that captures are compared with; unknown where none is given.
func (a AsOf) moment() facts.Time {
	switch {
	case a.IsZero():
		return facts.Time{}
	case a.isDay:
		return facts.Time{Micros: a.time.UnixMicro(), Precision: facts.PrecisionDay}
	}
	return facts.Time{Micros: a.time.UnixMicro(), Precision: facts.PrecisionMicrosecond}
}

// span is the time from which to which restrictions are judged; zero where none is given.
func (a AsOf) span() (since, at time.Time) {
	if a.isDay {
		return a.time, a.time.AddDate(0, 0, 1)
	}
	return a.time, a.time
}
