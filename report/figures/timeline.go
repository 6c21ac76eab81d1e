package figures

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

var units = map[document.Unit]struct {
	max     int           // periods that a timeline may have until its unit becomes coarser
	coarser document.Unit // "": none is
	days    int64         // of a period, at least
	layout  string        // of a period's name, by its first day
}{
	document.Day:   {92, document.Week, 1, "2 January 2006"},
	document.Week:  {156, document.Month, 7, "week of 2 January 2006"},
	document.Month: {400, document.Year, 28, "January 2006"},
	document.Year:  {400, "", 365, "2006"},
}

const (
	maxClaims       = 64 // that are counted apart: the first in the alphabet
	shownClaims     = 12 // with others
	maxMarkedSites  = 3
	otherClaims     = "other claims"
	byCrawler       = "\t" // begins what an access log's requests are counted by: no claim begins so
	secondsPerDay   = 24 * 3600
	daysBeforeEpoch = 3 // from the Monday before 1970-01-01
)

// timelineTally counts fetches by period and claim: by day, then by month, then by year, when there are too many.
// Weeks, which no month consists of, are made of days in the end. What it comes to does not depend on the order of
// what it counts.
type timelineTally struct {
	unit    document.Unit
	periods map[int64]*periodTally // by first day, counted from 1970
	claims  map[string]bool        // those counted apart
	undated int64
}

type periodTally struct {
	claims  groupTally
	changes int64
	sites   []markedSite // the first whose robots.txt changed
}

type markedSite struct {
	capture int64 // robots_id
	name    string
}

func newTimelineTally() *timelineTally {
	return &timelineTally{unit: document.Day, periods: make(map[int64]*periodTally), claims: make(map[string]bool)}
}

// addFetch counts a fetch.
func (t *timelineTally) addFetch(micros *int64, claim string, counts document.Tally) {
	if micros == nil {
		t.undated += counts.Fetches
		return
	}
	t.period(floorDiv(*micros/1e6, secondsPerDay)).claims.add(t.claim(claim), counts)
}

// claim returns the name that a claim is counted by.
func (t *timelineTally) claim(claim string) string {
	if t.claims[claim] {
		return claim
	}
	if len(t.claims) >= maxClaims && claim != otherClaims {
		last := slices.Max(slices.Collect(maps.Keys(t.claims)))
		if claim > last {
			return otherClaims
		}
		t.forget(last)
	}
	claim = strings.Clone(claim)
	if claim != otherClaims {
		t.claims[claim] = true
	}
	return claim
}

// addChange counts a capture of robots.txt that differs from the one before.
func (t *timelineTally) addChange(row *report.RobotsRow) {
	p := t.period(floorDiv(*row.FetchTime/1e6, secondsPerDay))
	p.changes++
	p.addSite(markedSite{row.RobotsID, strings.Clone(prose.Clip(row.Origin, prose.MaxName))})
}

func (p *periodTally) addSite(site markedSite) {
	known := slices.IndexFunc(p.sites, func(s markedSite) bool { return s.name == site.name })
	if known >= 0 {
		site.capture = min(site.capture, p.sites[known].capture)
		p.sites = slices.Delete(p.sites, known, known+1)
	}
	p.sites = insertRanked(p.sites, maxMarkedSites, site,
		func(a, b markedSite) int { return cmp.Compare(a.capture, b.capture) })
}

// period returns the period of a day.
func (t *timelineTally) period(day int64) *periodTally {
	for {
		first := start(day, t.unit)
		if p := t.periods[first]; p != nil {
			return p
		}
		switch {
		case t.unit == document.Day && len(t.periods) >= 7*units[document.Week].max: // more weeks than a timeline has
			t.coarsen(document.Month)
		case t.unit == document.Month && len(t.periods) >= units[document.Month].max:
			t.coarsen(document.Year)
		default:
			p := &periodTally{claims: make(groupTally)}
			t.periods[first] = p
			return p
		}
	}
}

// coarsen joins periods to longer ones.
func (t *timelineTally) coarsen(unit document.Unit) {
	days := t.periods
	t.unit, t.periods = unit, make(map[int64]*periodTally)
	t.addAll(days)
}

func (t *timelineTally) addAll(periods map[int64]*periodTally) {
	for day, from := range periods {
		to := t.period(day)
		for claim, counts := range from.claims {
			to.claims.add(t.claim(claim), *counts)
		}
		to.changes += from.changes
		for _, site := range from.sites {
			to.addSite(site)
		}
	}
}

// join adds what another has counted.
func (t *timelineTally) join(o *timelineTally) {
	t.undated += o.undated
	if o.unit != document.Day && t.unit != document.Year && t.unit != o.unit {
		t.coarsen(o.unit)
	}
	t.addAll(o.periods)
}

// start is the first day of the period that a day is in. Days are counted from 1970.
func start(day int64, unit document.Unit) int64 {
	switch unit {
	case document.Week: // a week begins on Monday
		return floorDiv(day+daysBeforeEpoch, 7)*7 - daysBeforeEpoch
	case document.Month:
		return day - int64(dateOf(day).Day()) + 1
	case document.Year:
		return day - int64(dateOf(day).YearDay()) + 1
	}
	return day
}

func dateOf(day int64) time.Time { return time.Unix(day*secondsPerDay, 0).UTC() }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// label names a period.
func label(day int64, unit document.Unit) string { return dateOf(day).Format(units[unit].layout) }

// span is the number of periods from the first to the last.
func (t *timelineTally) span() int {
	days := slices.Sorted(maps.Keys(t.periods))
	if len(days) == 0 {
		return 0
	}
	return int((days[len(days)-1]-days[0])/units[t.unit].days) + 1
}

// section shows the counts.
func (t *timelineTally) section(ofLogs bool) document.Section {
	tl, by := t.timeline(), " by "+string(t.unit)+", in UTC, by what the crawler’s warcinfo record claims about robots.txt, "+
		"which is no proof"
	if tl.By = "The crawler’s claim"; ofLogs {
		tl.By, by = document.ByCrawler, " by "+string(t.unit)+" and crawler, in UTC"
	}
	return document.Section{ID: "timeline", Heading: "Over time", Timeline: tl, Intro: []string{
		"Fetches" + by + ". A mark says that a capture of robots.txt differs from the one before of its origin.",
	}}
}

// ranked lists the claims, those with most violations first, and then those with most fetches. Where they are more than
// are shown, the last become others.
func (t *timelineTally) ranked() []string {
	sums := make(groupTally)
	for _, p := range t.periods {
		for claim, counts := range p.claims {
			sums.add(claim, *counts)
		}
	}
	claims := slices.DeleteFunc(sums.sorted(), func(c string) bool { return c == otherClaims })
	if len(claims) > shownClaims || len(claims) == shownClaims && sums[otherClaims] != nil {
		for _, last := range claims[shownClaims-1:] {
			t.forget(last)
		}
		return append(claims[:shownClaims-1], otherClaims)
	}
	if sums[otherClaims] != nil {
		claims = append(claims, otherClaims)
	}
	return claims
}

// forget counts a claim among the others.
func (t *timelineTally) forget(claim string) {
	delete(t.claims, claim)
	for _, p := range t.periods {
		if counts := p.claims[claim]; counts != nil {
			delete(p.claims, claim)
			p.claims.add(otherClaims, *counts)
		}
	}
}

// timeline returns the counts.
func (t *timelineTally) timeline() *document.Timeline {
	days := t.periods
	for max(len(t.periods), t.span()) > units[t.unit].max && units[t.unit].coarser != "" {
		t.unit, t.periods = units[t.unit].coarser, make(map[int64]*periodTally)
		t.addAll(days)
	}
	tl := &document.Timeline{
		Unit: t.unit, What: "Fetches", Periods: []document.Period{}, Claims: []string{}, Counts: []document.ClaimCount{},
	}
	claims := t.ranked()
	for _, claim := range claims {
		tl.Claims = append(tl.Claims, claimName(claim))
	}
	starts := slices.Sorted(maps.Keys(t.periods))
	if left := len(starts) - units[t.unit].max; left > 0 {
		starts = starts[left:]
		tl.More = fmt.Sprintf("%s before %s are left out.", report.Count(int64(left), string(t.unit)), label(starts[0], t.unit))
	}
	for i, day := range starts {
		p := t.periods[day]
		period := document.Period{
			Start: dateOf(day).Format("2006-01-02"), Label: label(day, t.unit), Changes: p.changes, Mark: p.mark(),
		}
		for n, claim := range claims {
			if counts := p.claims[claim]; counts != nil {
				period.Add(*counts)
				tl.Counts = append(tl.Counts, document.ClaimCount{Period: i, Claim: n, Tally: *counts})
			}
		}
		tl.Periods = append(tl.Periods, period)
	}
	if t.undated > 0 {
		tl.Undated = fmt.Sprintf("%s %s no usable date and %s not shown.", report.Count(t.undated, "fetch"),
			prose.IsAre(t.undated, "has", "have"), prose.IsAre(t.undated, "is", "are"))
	}
	return tl
}

// claimName names a claim in a sentence.
func claimName(claim string) string {
	if crawler, ok := strings.CutPrefix(claim, byCrawler); ok {
		return prose.TokenName(crawler)
	}
	switch claim {
	case "":
		return "says nothing of robots.txt"
	case otherClaims:
		return "all others"
	}
	return "says “robots: " + prose.Clip(claim, 60) + "”"
}

// mark states that robots.txt changed.
func (p *periodTally) mark() string {
	if p.changes == 0 {
		return ""
	}
	var names []string
	for _, s := range p.sites {
		names = append(names, s.name)
	}
	words := "robots.txt changed " + report.Count(p.changes, "time") + ": " + strings.Join(names, ", ")
	if p.changes > int64(len(p.sites)) && len(p.sites) == maxMarkedSites {
		words += " and others"
	}
	return words
}
