package verdict

import (
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// TestOrder: the order of a robots.txt, which is dated 0, and a fetch so many seconds later.
func TestOrder(t *testing.T) {
	at := func(seconds, millis int64) exchange {
		x := newExchange(facts.Time{Micros: seconds * facts.Second, Precision: facts.PrecisionSecond}, int32(millis))
		x.at.Index, x.at.isOrdered = 1, true
		return x
	}
	fetchAt := func(seconds, index, lead, server, clock int64) exchange {
		f := facts.Fetch{
			Micros: seconds * facts.Second, Precision: facts.PrecisionSecond, Index: index, Lead: lead * facts.Second,
			ServerSeconds: server,
		}
		x := newFetchExchange(&f, nil, nil)
		x.clock = clock
		return x
	}
	dated := at(1000, -1)
	dated.server = 1000
	slow := dated
	slow.clock = -60
	for name, c := range map[string]struct {
		a, b exchange
		want relation
	}{
		"in order":                 {at(1000, -1), fetchAt(1001, 2, 0, 0, 0), before},
		"dated later":              {at(1000, -1), fetchAt(999, 2, 0, 0, 0), after},
		"near, without an order":   {at(1000, -1), fetchAt(1002, 0, 0, 0, 0), maybeBefore},
		"far, without an order":    {at(1000, -1), fetchAt(1003, 0, 0, 0, 0), before},
		"of one moment, in order":  {at(1000, -1), fetchAt(1000, 2, 0, 0, 0), before},
		"of one moment, behind":    {at(1000, -1), fetchAt(1000, 1, 0, 0, 0), shownAfter},
		"recorded behind":          {at(1000, -1), fetchAt(1009, 1, 0, 0, 0), maybeBefore},
		"took longer":              {at(1000, 5000), fetchAt(1004, 2, 0, 0, 0), shownAfter},
		"took as long":             {at(1000, 4000), fetchAt(1004, 2, 0, 0, 0), maybeBefore},
		"asked for before":         {at(1000, -1), fetchAt(1009, 2, 10, 0, 0), shownAfter},
		"asked for in that second": {at(1000, -1), fetchAt(1009, 0, 9, 0, 0), maybeBefore},
		"asked for long before":    {at(1000, -1), fetchAt(1009, 2, 1201, 0, 0), maybeBefore},
		"answered before":          {dated, fetchAt(1004, 0, 0, 999, 0), shownAfter},
		"an old Date":              {dated, fetchAt(1100, 0, 0, 999, 0), before},
		"an old Date, and behind":  {dated, fetchAt(1100, 1, 0, 999, 0), shownAfter},
		"by clocks":                {at(1000, -1), fetchAt(1059, 0, 0, 0, 60), maybeBefore},
		"by clocks, far enough":    {at(1000, -1), fetchAt(1060, 0, 0, 0, 60), before},
		"by a slow clock":          {slow, fetchAt(1059, 0, 0, 0, 0), maybeBefore},
		"by clocks and Dates":      {dated, fetchAt(1020, 0, 0, 1020, 60), before},
	} {
		if got := order(&c.a, &c.b); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
