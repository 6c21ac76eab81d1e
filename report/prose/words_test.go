package prose

import "testing"

func TestDuration(t *testing.T) {
	for seconds, want := range map[int64]string{
		0: "less than a second", 1: "1 second", 59: "59 seconds", 60: "1 minute", 119: "1 minute and 59 seconds",
		3601: "1 hour", 86399: "23 hours and 59 minutes",
		86400: "1 day", 4060706: "46 days and 23 hours",
	} {
		if got := Duration(seconds); got != want {
			t.Errorf("%d: %s, want %s", seconds, got, want)
		}
	}
}
