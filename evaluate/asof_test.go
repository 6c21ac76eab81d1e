package evaluate

import (
	"fmt"
	"testing"
	"time"
)

func TestParseAsOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"2025-03-01", "2025-03-01"},
		{"2025-03-01T12:00:00Z", "2025-03-01T12:00:00Z"},
		{"2025-03-01T00:00:00Z", "2025-03-01T00:00:00Z"}, // a moment, and no day
		{"2025-03-01T01:02:03.1234567+01:00", "2025-03-01T00:02:03.123456Z"},
		{"0001-01-02", "0001-01-02"},
		{"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
		{"", ""},
		{"2025", ""},
		{"2025-02-30", ""},
		{"2025-03-01T12:00:00", ""},
		{"0001-01-01", ""},
		{"0001-01-01T00:00:00+01:00", ""},
		{"9999-12-31T23:59:59-01:00", ""},
		{"today", ""},
	} {
		at, err := ParseAsOf(c.text)
		if at.String() != c.want || (err == nil) != (c.want != "") || at.IsZero() != (c.want == "") {
			t.Errorf("%q: %q, %v; want %q", c.text, at, err, c.want)
		}
		text, _ := at.MarshalText()
		var again AsOf
		if err == nil && (again.UnmarshalText(text) != nil || again != at) {
			t.Errorf("%q becomes %q", at, again)
		}
	}
	now := time.Date(2025, 3, 1, 23, 30, 0, 0, time.FixedZone("", -3600))
	if day, moment := AsOfDay(now), AsOfMoment(now); day.String() != "2025-03-02" ||
		moment.String() != "2025-03-02T00:30:00Z" {
		t.Errorf("%v is on %v, at %v", now, day, moment)
	}
}

// A busy day costs little, however many captures it has: equal captures one
// after the other count once.
func TestAsOfBusyDay(t *testing.T) {
	t.Parallel()
	x := rec{url: home + "/p", at: "-25h"}
	for name, c := range map[string]struct {
		last string // body of the last capture
		want string
	}{
		"all alike":      {closed, "disallowed fresh rule"},
		"one is another": {open, "unknown fresh changed_between"},
		"another body":   {closed + "# other\n", "disallowed fresh rule"},
	} {
		a := archive{x}
		for i := range 3 * maxLooked {
			a = append(a, robotsTxt(fmt.Sprintf("%ds", -11*3600+i), closed))
		}
		a = append(a, robotsTxt("+11h", c.last))
		s, _ := evaluateFacts(t, makeFacts(t, 1, a), DecideOptions{Agents: []string{"GPTBot"}, AsOf: AsOfDay(noon)})
		for group, got := range s.groups[x.recordID()] {
			if got != c.want {
				t.Errorf("%s: group %d: %s, want %s", name, group, got, c.want)
			}
		}
		if len(s.groups[x.recordID()]) != 1 {
			t.Errorf("%s: %v", name, s.groups)
		}
	}
}
