package facts

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	at := func(s string, p Precision) Time {
		u, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return Time{u.UnixMicro(), p}
	}
	const none = PrecisionNone
	for _, c := range []struct {
		in        string
		want      Time
		zoned, ok bool
	}{
		{"2024", at("2024-01-01T00:00:00Z", PrecisionYear), true, true},
		{"2024-03", at("2024-03-01T00:00:00Z", PrecisionMonth), true, true},
		{"2024-03-05", at("2024-03-05T00:00:00Z", PrecisionDay), true, true},
		{"202403", at("2024-03-01T00:00:00Z", PrecisionMonth), false, true},
		{"20240305", at("2024-03-05T00:00:00Z", PrecisionDay), false, true},
		{"2024-03-05T06Z", at("2024-03-05T06:00:00Z", PrecisionHour), true, true},
		{"2024-03-05T06:07Z", at("2024-03-05T06:07:00Z", PrecisionMinute), true, true},
		{"2024-03-05T06:07:08Z", at("2024-03-05T06:07:08Z", PrecisionSecond), true, true},
		{" 2024-03-05t06:07:08z ", at("2024-03-05T06:07:08Z", PrecisionSecond), true, true},
		{"2024-03-05T06:07:08.1Z", at("2024-03-05T06:07:08.1Z", PrecisionSecond+1), true, true},
		{"2024-03-05T06:07:08.123456Z", at("2024-03-05T06:07:08.123456Z", PrecisionMicrosecond), true, true},
		{"2024-03-05T06:07:08.123456789Z", at("2024-03-05T06:07:08.123456Z", PrecisionMicrosecond), true, true},
		{"2024-03-05T06:07:08,5Z", at("2024-03-05T06:07:08.5Z", PrecisionSecond+1), true, true},
		{"2024-03-05T06:07:08+02:00", at("2024-03-05T04:07:08Z", PrecisionSecond), true, true},
		{"2024-03-05T06:07:08-0130", at("2024-03-05T07:37:08Z", PrecisionSecond), true, true},
		{"2024-03-05T06+05:30", at("2024-03-05T01:00:00Z", PrecisionHour), true, true},
		{"2024-03-05+05:30", at("2024-03-05T00:00:00Z", PrecisionDay), true, true},
		{"2024-03-05T06:07:08", at("2024-03-05T06:07:08Z", PrecisionSecond), false, true},
		{"2024-03-05 06:07:08", at("2024-03-05T06:07:08Z", PrecisionSecond), false, true},
		{"20240305060708", at("2024-03-05T06:07:08Z", PrecisionSecond), false, true},
		{"2024030506", at("2024-03-05T06:00:00Z", PrecisionHour), false, true},
		{"2024-02-29T00:00:00Z", at("2024-02-29T00:00:00Z", PrecisionSecond), true, true},
		{"2016-12-31T23:59:60Z", at("2016-12-31T23:59:59Z", PrecisionSecond), true, true},
		{"2016-12-31T23:59:60.25Z", at("2016-12-31T23:59:59.99Z", PrecisionSecond+2), true, true},
		{"0001-01-01T00:00:00Z", at("0001-01-01T00:00:00Z", PrecisionSecond), true, true},

		{"", Time{0, none}, false, false},
		{"yesterday", Time{0, none}, false, false},
		{"202", Time{0, none}, false, false},
		{"0000-01-01T00:00:00Z", Time{0, none}, false, false},
		{"2024-13-01T00:00:00Z", Time{0, none}, false, false},
		{"2024-00-01T00:00:00Z", Time{0, none}, false, false},
		{"2023-02-29T00:00:00Z", Time{0, none}, false, false},
		{"2024-04-31", Time{0, none}, false, false},
		{"2024-03-05T24:00:00Z", Time{0, none}, false, false},
		{"2024-03-05T06:60:00Z", Time{0, none}, false, false},
		{"2024-03-05T06:07:61Z", Time{0, none}, false, false},
		{"2024-03-05T06:07:08+24:00", Time{0, none}, false, false},
		{"2024-03-05T06:07:08+02:60", Time{0, none}, false, false},
		{"2024-03-05T06:07:08+2", Time{0, none}, false, false},
		{"2024-03-05T06:07:08ZZ", Time{0, none}, false, false},
		{"2024-03-05T06:07:08 GMT", Time{0, none}, false, false},
		{"2024-3-5", Time{0, none}, false, false},
		{"2024-03-", Time{0, none}, false, false},
		{"-2024-03-05", Time{0, none}, false, false},
		{"202403050607089", Time{0, none}, false, false}, // 15 digits
	} {
		got, zoned, ok := ParseDate(c.in)
		if got != c.want || zoned != c.zoned || ok != c.ok {
			t.Errorf("parseDate(%q) = %v %v %v, %v %v, want %v %v, %v %v",
				c.in, got.UTC(), got.Precision, got.Micros, zoned, ok, c.want.UTC(), c.want.Precision, c.zoned, c.ok)
		}
	}
}

func TestTimeTruncate(t *testing.T) {
	full, _, _ := ParseDate("1969-07-20T20:17:40.987654Z") // before 1970: rounds down, not towards zero
	for _, c := range []struct {
		p    Precision
		want string
	}{
		{PrecisionYear, "1969-01-01T00:00:00Z"},
		{PrecisionMonth, "1969-07-01T00:00:00Z"},
		{PrecisionDay, "1969-07-20T00:00:00Z"},
		{PrecisionHour, "1969-07-20T20:00:00Z"},
		{PrecisionMinute, "1969-07-20T20:17:00Z"},
		{PrecisionSecond, "1969-07-20T20:17:40Z"},
		{PrecisionSecond + 1, "1969-07-20T20:17:40.9Z"},
		{PrecisionSecond + 3, "1969-07-20T20:17:40.987Z"},
		{PrecisionMicrosecond, "1969-07-20T20:17:40.987654Z"},
	} {
		got := full.Truncate(c.p)
		if s := got.UTC().Format(time.RFC3339Nano); s != c.want || got.Precision != c.p {
			t.Errorf("Truncate(%d) = %s at %d, want %s", c.p, s, got.Precision, c.want)
		}
	}
	coarse := full.Truncate(PrecisionMonth)
	if coarse.Truncate(PrecisionSecond) != coarse {
		t.Error("Truncate made a time finer")
	}
	if full.Truncate(PrecisionNone).Known() {
		t.Error("Truncate to no precision leaves a known time")
	}
}

func TestMicrosSince(t *testing.T) {
	const day, minute = 86_400_000_000, 60_000_000
	for _, c := range []struct {
		t, u string
		want int64
	}{
		{"2024-03-05T12:00:30Z", "2024-03-05T12:00:00Z", 30_000_000},
		{"2024-03-05T12:00:30Z", "2024-03-05T12:00Z", 0},
		{"2024-03-05T12:01:30Z", "2024-03-05T12:00Z", minute},
		{"2024-03-05T23:59:59Z", "2024-03-05", 0},
		{"2024-03-05", "2024-03-05T23:59:59Z", 0},
		{"2024-03-06", "2024-03-05T23:59:59Z", day},
		{"2024-12-31T23:59:59.999999Z", "2024", 0},
		{"2025", "2024-12-31T23:59:59Z", 366 * day},
		{"2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z", 0},
		{"9999-12-31T00:00:00Z", "0001-01-01T00:00:00Z", 3_652_058 * day}, // more than a time.Duration holds
	} {
		a, _, ok := ParseDate(c.t)
		b, _, ok2 := ParseDate(c.u)
		if got := a.MicrosSince(b); got != c.want || !ok || !ok2 {
			t.Errorf("%s since %s: %d, want %d", c.t, c.u, got, c.want)
		}
		if back := b.MicrosSince(a); back != -c.want {
			t.Errorf("%s since %s: %d, want %d", c.u, c.t, back, -c.want)
		}
	}
}

func FuzzParseDate(f *testing.F) {
	for _, s := range []string{
		"2024", "2024-02-29T23:59:60.123456789+01:30", "20240229235960", "2024-02-30",
		"2024-01-01T00Z", "0001-01-01T00:00:00+23:59", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, zoned, ok := ParseDate(s)
		if !ok {
			if got != (Time{}) || zoned {
				t.Fatalf("%q: %+v, zoned %v, but not ok", s, got, zoned)
			}
			return
		}
		if !got.Known() || got.Precision > PrecisionMicrosecond {
			t.Fatalf("%q: precision %d", s, got.Precision)
		}
		if got.MicrosSince(got) != 0 {
			t.Fatalf("%q is not its own moment", s)
		}
		// A time is a whole number of its own units, so that equal times are equal numbers.
		finer := Time{Micros: got.Micros, Precision: PrecisionMicrosecond + 1}
		if again := finer.Truncate(got.Precision); again != got {
			t.Fatalf("%q: %v at %d, floored %v", s, got.UTC(), got.Precision, again.UTC())
		}
		for p := PrecisionNone + 1; p <= got.Precision; p++ {
			coarse := got.Truncate(p)
			if coarse.Precision != p || coarse.Micros > got.Micros || coarse.Truncate(p) != coarse ||
				got.MicrosSince(coarse) != 0 {
				t.Fatalf("%q at %d: %v", s, p, coarse.UTC())
			}
		}
	})
}
