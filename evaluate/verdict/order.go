package verdict

import (
	"math"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
)

// This file orders two exchanges in time ("Received before").

// A relation is the order of two exchanges in time: where the first stands to the second.
type relation uint8

const (
	before relation = iota // beyond doubt
	// counts as before, in doubt: same moment in another archive, too near without an order, or something speaks
	// against its date
	maybeBefore
	// same date or earlier, but the order in an archive, a duration or Date fields show that it ended later
	shownAfter
	after // dated later
)

const (
	// The longest duration, and the longest delay by a Date field, that are believed. Longer ones leave a doubt alone.
	// Heritrix ends a fetch after 20 minutes.
	maxTook, maxLate = 20 * 60 * facts.Second, 10 * 60 * facts.Second
	maxDrift         = 5                // seconds between two clocks that are taken as equal
	minApart         = 3 * facts.Second // between two dates, where nothing else shows the order
	maxStep          = facts.Hour       // by which a clock was put back, as the order of records and Date fields show
)

// An exchange is a request with its answer, as a record states it: an interval of time, and places in archives. It is
// made once of each record.
type exchange struct {
	time  facts.Time // when it began, or when it ended: crawlers differ
	begun facts.Time // its earliest beginning
	ended facts.Time // the earliest end by its duration, as exact as its time
	until int64      // the latest end by its duration
	since int64      // its earliest beginning, though it is too early to be believed
	clock int64      // by how many seconds the clock was fast that dated it; 0: nothing shows that it was off

	isTimed bool // a duration is stated
	isLong  bool // and too long to be believed
	isLine  bool // of an access log
	asOf    bool // a moment that is asked about: nothing but its time counts

	answered int64 // when the server answered, in seconds, by its Date field; 0: it has none
	server   int64 // answered, if it may count without an order

	at     place
	others []place // other archives that hold the record
}

// A place is one of a record in an archive.
type place struct {
	facts.Spot
	isSerial  bool // of a fetch: the archive is that of a crawler that makes one after the other
	isOrdered bool // of a capture: the records of its run stand in the order in which the exchanges ended
}

// newExchange is an exchange of a date and a duration; -1: none is stated.
func newExchange(t facts.Time, millis int32) exchange {
	x := exchange{time: t, begun: t, ended: t, until: math.MinInt64, isTimed: millis >= 0, since: t.Micros}
	if took := int64(millis) * 1000; took > 0 {
		x.until = t.Latest() + took // what the date's last digit is worth, included
		if x.isLong = took > maxTook; !x.isLong {
			x.ended = facts.Time{Micros: t.Micros + took, Precision: facts.PrecisionMicrosecond}.Truncate(t.Precision)
		}
	}
	return x
}

// exchangesOf are the exchanges whose content a capture applies: its own, and those that its redirects led to. The
// latters' Date fields are of other servers.
func exchangesOf(st *State, places places, runs *facts.Set) []exchange {
	ordered := func(at place) place {
		run := runs.CrawlRunOf(at.Spot)
		at.isOrdered = run != nil && !run.Unordered
		return at
	}
	of := func(step *resolve.Step) exchange {
		x := newExchange(step.Time, step.Millis)
		x.clock = runs.ClockOf(step.Spot)
		x.at = ordered(place{Spot: step.Spot})
		for _, other := range places[step.Spot] {
			x.others = append(x.others, ordered(other))
		}
		return x
	}
	itself := st.Itself()
	list := []exchange{of(&itself)}
	if st.Kind == facts.CaptureRobots {
		list[0].server = st.ServerSeconds
	}
	if st.Hops > 0 {
		applied := st.Applied()
		for i := range applied[1:] {
			list = append(list, of(&applied[i+1]))
		}
	}
	return list
}

// newFetchExchange is the exchange of a fetch. Its Date field counts near its own time alone, by its clock or as it is.
func newFetchExchange(f *facts.Fetch, others []place, runs *facts.Set) exchange {
	x := newExchange(f.Time(), -1)
	x.at = place{Spot: facts.SpotOf(f), isSerial: f.Flags&facts.FlagSerial != 0}
	x.others, x.isLine, x.clock = others, f.Trust == facts.TrustLogged, runs.ClockOf(x.at.Spot)
	if f.Lead > 0 {
		x.since = f.Micros - f.Lead
		if x.isLine || f.Lead <= maxTook {
			x.begun = x.time.Add(-f.Lead)
		}
	}
	isNear := func(drift int64) bool { return drift >= -maxDrift && drift <= maxDrift }
	if f.Precision >= facts.PrecisionSecond {
		x.answered = f.ServerSeconds
	}
	if drift := x.answered - f.Micros/1e6; isNear(drift) || isNear(drift+x.clock) {
		x.server = x.answered
	}
	return x
}

// lateness is how long before a fetch a capture may be dated that counts as after it, beyond the captures' own.
func (x *exchange) lateness() (micros int64) {
	if x.answered != 0 && !x.asOf {
		micros = min(max(x.time.Micros-x.answered*facts.Second, 0), maxStep)
	}
	return max(micros, max(x.clock, 0)*facts.Second) + x.time.Micros - x.since
}

// order returns where the exchange of a capture stands to that of a fetch in time: by their dates, and by what else
// the archives show of the two.
func order(a, b *exchange) relation {
	gap := b.time.MicrosSince(a.time)
	switch {
	case gap < 0:
		return after
	case b.asOf:
		return before
	}
	distance := b.begun.MicrosSince(a.ended)
	shown := before
	switch {
	case distance < 0:
		shown = shownAfter
	case a.until > b.since, b.since < b.begun.Micros && a.time.Micros > b.since:
		shown = maybeBefore
	}
	switch placed := orderOfPlaces(a, b, gap == 0); {
	case gap == 0 && !a.isLong && shown != shownAfter: // the order says more than a date that is cut
		shown = placed
	case gap > 0 && placed == shownAfter: // recorded after the fetch, although it is dated before
		if shown = max(shown, maybeBefore); b.answered != 0 && a.server > b.answered && gap <= maxStep {
			return shownAfter // and so say the Date fields, however far the clock was off
		}
	case gap == 0, distance < minApart && !a.isTimed && !b.isLine:
		shown = max(shown, placed)
	}
	return max(shown, orderByClocks(a, b, gap))
}

// orderByClocks is the order in which the server answered the two requests. A cache may have sent an old Date: so that
// of the fetch counts only near its own date. One of robots.txt that is later comes from no cache. Without the Date
// fields of both, the clocks that dated them may be so far apart that the order is in doubt.
func orderByClocks(a, b *exchange, gap int64) relation {
	apart := b.clock - a.clock
	switch {
	case a.server == 0 || b.server == 0:
		if apart > maxDrift && apart*facts.Second > gap {
			return maybeBefore
		}
		return before
	case a.server <= b.server:
		return before
	case a.server-a.time.Micros/1e6+a.clock > maxLate/facts.Second:
		return maybeBefore
	}
	return shownAfter
}

// orderOfPlaces is the order in which archives hold the two records, in a run of both. One archive that shows that the
// fetch came first is enough. Of two moments, only a run counts whose records are ordered.
func orderOfPlaces(a, b *exchange, isOneMoment bool) relation {
	found := maybeBefore
	for i := range len(a.others) + 1 {
		for j := range len(b.others) + 1 {
			at, to := a.placeAt(i), b.placeAt(j)
			switch {
			case !at.SameRun(to.Spot), !isOneMoment && !at.isOrdered:
			case at.Index >= to.Index:
				return shownAfter
			default:
				found = before
			}
		}
	}
	return found
}

func (x *exchange) placeAt(i int) *place {
	if i == 0 {
		return &x.at
	}
	return &x.others[i-1]
}

// provesOrder reports whether the order in which the records of two exchanges of one moment stand in an archive is
// that in which they were made: in that of a crawler that makes one after the other.
func provesOrder(a, b *exchange) bool {
	for i := range len(a.others) + 1 {
		for j := range len(b.others) + 1 {
			if to := b.placeAt(j); to.isSerial && a.placeAt(i).SameRun(to.Spot) {
				return true
			}
		}
	}
	return false
}
