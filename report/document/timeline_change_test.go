package document

import "testing"

// A week goes to the month of its first day. A day in it may be of the next month.
func TestPeriodOfEveryDay(t *testing.T) {
	for first := range int64(40) {
		tally := newTimelineTally()
		for day := first; day < 20_000; day += 5 {
			tally.addChange(day*secondsPerDay*1e6, "http://a.example")
		}
	}
}
