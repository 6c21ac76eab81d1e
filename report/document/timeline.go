package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Periods that a timeline may have until its unit becomes coarser, and claims that are counted apart.
var maxPeriods = map[Unit]int{Day: 92, Week: 156, Month: 400, Year: 400}

var coarser = map[Unit]Unit{Day: Week, Week: Month, Month: Year}

const (
	maxClaims       = 12
	maxMarkedSites  = 3
	otherClaims     = "other claims"
	secondsPerDay   = 24 * 3600
	daysBeforeEpoch = 3 // from the Monday before 1970-01-01
)

// timelineTally counts fetches by period and claim. It begins with days; when they are too many, or
// in the end lie too far apart for a chart, it counts weeks, then months, then years.
type timelineTally struct {
	unit    Unit
	periods map[int64]*periodTally // by first day, counted from 1970
	claims  map[string]bool        // those counted apart
	undated int64
}

type periodTally struct {
	claims  groupTally
	changes int64
	sites   []string // some whose robots.txt changed
}

func newTimelineTally() *timelineTally {
	return &timelineTally{unit: Day, periods: make(map[int64]*periodTally), claims: make(map[string]bool)}
}

// addFetch counts a fetch.
func (t *timelineTally) addFetch(micros *int64, claim string, counts Tally) {
	if micros == nil {
		t.undated += counts.Fetches
		return
	}
	if !t.claims[claim] && len(t.claims) >= maxClaims {
		claim = otherClaims
	}
	t.claims[claim] = true
	t.period(*micros).claims.add(claim, counts)
}

// addChange counts a capture of robots.txt that differs from the one before.
func (t *timelineTally) addChange(micros int64, origin string) {
	p := t.period(micros)
	p.changes++
	p.addSite(Clip(origin, maxName))
}

func (p *periodTally) addSite(site string) {
	if len(p.sites) < maxMarkedSites && !slices.Contains(p.sites, site) {
		p.sites = append(p.sites, site)
	}
}

// period returns the period of a moment.
func (t *timelineTally) period(micros int64) *periodTally {
	day := floorDiv(micros/1e6, secondsPerDay)
	for {
		if p := t.periods[start(day, t.unit)]; p != nil {
			return p
		}
		if len(t.periods) < maxPeriods[t.unit] || coarser[t.unit] == "" {
			p := &periodTally{claims: make(groupTally)}
			t.periods[start(day, t.unit)] = p
			return p
		}
		t.coarsen()
	}
}

// coarsen joins periods to longer ones.
func (t *timelineTally) coarsen() {
	t.unit = coarser[t.unit]
	days := slices.Sorted(maps.Keys(t.periods))
	joined := make(map[int64]*periodTally)
	for _, day := range days {
		from, to := t.periods[day], joined[start(day, t.unit)]
		if to == nil {
			joined[start(day, t.unit)] = from
			continue
		}
		for claim, counts := range from.claims {
			to.claims.add(claim, *counts)
		}
		to.changes += from.changes
		for _, site := range from.sites {
			to.addSite(site)
		}
	}
	t.periods = joined
}

// start is the first day of the period that a day is in. Days are counted from 1970.
func start(day int64, unit Unit) int64 {
	date := time.Unix(day*secondsPerDay, 0).UTC()
	switch unit {
	case Week: // a week begins on Monday
		return floorDiv(day+daysBeforeEpoch, 7)*7 - daysBeforeEpoch
	case Month:
		return day - int64(date.Day()) + 1
	case Year:
		return day - int64(date.YearDay()) + 1
	}
	return day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// label names a period.
func label(day int64, unit Unit) string {
	date := time.Unix(day*secondsPerDay, 0).UTC()
	switch unit {
	case Week:
		return "week of " + date.Format("2 January 2006")
	case Month:
		return date.Format("January 2006")
	case Year:
		return date.Format("2006")
	}
	return date.Format("2 January 2006")
}

// span is the number of periods from the first to the last.
func (t *timelineTally) span() int {
	days := slices.Sorted(maps.Keys(t.periods))
	if len(days) == 0 {
		return 0
	}
	return int((days[len(days)-1]-days[0])/daysOf[t.unit]) + 1
}

// daysOf is the least number of days of a period.
var daysOf = map[Unit]int64{Day: 1, Week: 7, Month: 28, Year: 365}

// section shows the counts.
func (t *timelineTally) section() Section {
	tl := t.timeline()
	return Section{ID: "timeline", Heading: "Over time", Timeline: tl, Intro: []string{fmt.Sprintf(
		"Fetches by %s, in UTC, by what the crawler’s warcinfo record claims about robots.txt, which is no proof. "+
			"A mark says that a capture of robots.txt differs from the one before of its origin.", tl.Unit)}}
}

// timeline returns the counts.
func (t *timelineTally) timeline() *Timeline {
	for t.span() > maxPeriods[t.unit] && coarser[t.unit] != "" {
		t.coarsen()
	}
	tl := &Timeline{Unit: t.unit, Periods: []Period{}, Claims: []string{}, Counts: []ClaimCount{}}
	claims := slices.Sorted(maps.Keys(t.claims))
	for _, claim := range claims {
		tl.Claims = append(tl.Claims, claimName(claim))
	}
	days := slices.Sorted(maps.Keys(t.periods))
	if left := len(days) - maxPeriods[t.unit]; left > 0 {
		days = days[left:]
		tl.More = fmt.Sprintf("%s before %s are left out.", plural(int64(left), string(t.unit)), label(days[0], t.unit))
	}
	for i, day := range days {
		p := t.periods[day]
		period := Period{
			Start: time.Unix(day*secondsPerDay, 0).UTC().Format("2006-01-02"), Label: label(day, t.unit),
			Changes: p.changes, Mark: p.mark(),
		}
		for n, claim := range claims {
			if counts := p.claims[claim]; counts != nil {
				period.add(*counts)
				tl.Counts = append(tl.Counts, ClaimCount{i, n, *counts})
			}
		}
		tl.Periods = append(tl.Periods, period)
	}
	if t.undated > 0 {
		tl.Undated = fmt.Sprintf("%s %s no usable date and %s not shown.", plural(t.undated, "fetch"),
			isAre(t.undated, "has", "have"), isAre(t.undated, "is", "are"))
	}
	return tl
}

// claimName names a claim in a sentence.
func claimName(claim string) string {
	switch claim {
	case "":
		return "says nothing of robots.txt"
	case otherClaims:
		return "says something else"
	}
	return "says “robots: " + Clip(claim, 60) + "”"
}

// mark states that robots.txt changed.
func (p *periodTally) mark() string {
	if p.changes == 0 {
		return ""
	}
	words := "robots.txt changed " + plural(p.changes, "time") + ": " + strings.Join(p.sites, ", ")
	if p.changes > int64(len(p.sites)) && len(p.sites) == maxMarkedSites {
		words += " and others"
	}
	return words
}
