package document

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/report"
)

// The most certain findings are kept, whatever the order in which they come.
func TestSelection(t *testing.T) {
	const kept = 60
	s := selection{limit: kept}
	var all []*found
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		f := &found{
			Certainty: certainties[random.IntN(2)],
			Notes:     []string{"", "coarse_date", "coarse_date,partial"}[random.IntN(3)],
			Age:       new(int64(random.IntN(500) - 50)), FetchTime: new(int64(random.IntN(100))),
		}
		s.add(f)
		all = append(all, f)
	}
	slices.SortFunc(all, compareCertainty)
	want := all[:kept]
	slices.SortFunc(want, compareReading)
	got := s.sorted()
	if s.total != 1000 || len(got) != kept {
		t.Fatalf("%d of %d", len(got), s.total)
	}
	for i := range got {
		if got[i].row != want[i].row {
			t.Errorf("%d: row %d, want %d", i, got[i].row, want[i].row)
		}
	}
	if last := got[kept-1]; last.Certainty != "certain" || last.Notes != "" {
		t.Errorf("%+v", last)
	}
}

// A timeline has days, weeks, months or years, by its length; nothing is lost on the way.
func TestTimelineUnits(t *testing.T) {
	first := time.Date(2024, 2, 27, 23, 59, 59, 0, time.UTC)
	for _, test := range []struct {
		days, step  int
		unit        Unit
		start       string
		label       string
		second      string
		periods     int
		fetchesEach int64
	}{
		{3, 1, Day, "2024-02-27", "27 February 2024", "2024-02-28", 3, 1},
		{91, 1, Day, "2024-02-27", "27 February 2024", "2024-02-28", 91, 1},
		{100, 1, Week, "2024-02-26", "week of 26 February 2024", "2024-03-04", 15, 6},
		{2, 100, Week, "2024-02-26", "week of 26 February 2024", "2024-06-03", 2, 1},
		{365 * 4, 1, Month, "2024-02-01", "February 2024", "2024-03-01", 49, 3},
		{2, 365 * 20, Month, "2024-02-01", "February 2024", "2044-02-01", 2, 1},
		{365 * 40, 1, Year, "2024-01-01", "2024", "2025-01-01", 41, 309},
		{2, 365 * 2000, Year, "2024-01-01", "2024", "4022-01-01", 2, 1},
	} {
		tally := newTimelineTally()
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(test.days) {
			tally.addFetch(new(first.AddDate(0, 0, i*test.step).UnixMicro()), "obey", Tally{1, 1, 0})
		}
		tally.addFetch(nil, "", Tally{Fetches: 2})
		tally.addChange(first.UnixMicro(), "http://a")
		tl := tally.timeline()
		if tl.Unit != test.unit || len(tl.Periods) != test.periods ||
			tl.Undated != "2 fetches have no usable date and are not shown." {
			t.Errorf("%d days: %s, %d periods, %s", test.days, tl.Unit, len(tl.Periods), tl.Undated)
			continue
		}
		var fetches, violations int64
		for _, p := range tl.Periods {
			fetches, violations = fetches+p.Fetches, violations+p.Violations
		}
		if p := tl.Periods[0]; fetches != int64(test.days) || violations != fetches || p.Start != test.start ||
			p.Label != test.label || p.Fetches != test.fetchesEach ||
			p.Mark != "robots.txt changed 1 time: http://a" || tl.Periods[1].Start != test.second {
			t.Errorf("%d days: %d fetches, %d violations, %+v, then %s", test.days, fetches, violations, p,
				tl.Periods[1].Start)
		}
	}
}

// Claims beyond the few that are counted apart count as others.
func TestTimelineClaims(t *testing.T) {
	tally := newTimelineTally()
	for i := range 100 {
		tally.addFetch(new(int64(0)), fmt.Sprintf("claim %02d", i), Tally{Fetches: 1})
	}
	tl := tally.timeline()
	if len(tl.Claims) != maxClaims+1 || tl.Periods[0].Fetches != 100 ||
		!slices.Contains(tl.Claims, "says something else") {
		t.Errorf("%d claims, %d fetches: %s", len(tl.Claims), tl.Periods[0].Fetches, tl.Claims)
	}
}

// Sites are ranked in bounded memory.
func TestSites(t *testing.T) {
	tally := siteTally{domains: make(map[string]*site)}
	for i := range 3 * maxDomains {
		row := report.HostRow{Origin: fmt.Sprintf("http://%d.example", i), HostName: fmt.Sprintf("%d.example", i)}
		row.Fetches = 1
		if i%1000 == 0 {
			row.ViolationsCertain, row.RegisteredDomain = int64(i), "often.example"
		}
		tally.addHost(&row)
	}
	if len(tally.domains) > maxDomains || len(tally.origins) > maxSites || !tally.pruned {
		t.Errorf("%d domains and %d origins are held", len(tally.domains), len(tally.origins))
	}
	if d := tally.domains["often.example"]; d == nil || d.origins != (3*maxDomains+999)/1000 {
		t.Errorf("%+v", d)
	}
	if first := tally.origins[0]; first.name != "http://196000.example" {
		t.Errorf("%+v", first)
	}
}

func TestAccess(t *testing.T) {
	for v, want := range map[[3]int64]access{
		{1, 0, 0}: accessFull, {0, 1, 0}: accessNone, {1, 1, 0}: accessPartial, {1, 1, 1}: accessPartial,
		{1, 0, 1}: accessUnknown, {0, 1, 1}: accessUnknown, {0, 0, 1}: accessUnknown,
	} {
		if got := accessBy(&report.VerdictCounts{Allowed: v[0], Disallowed: v[1], Unknown: v[2]}); got != want {
			t.Errorf("%+v: %d", v, got)
		}
	}
}

// A token that stands in no request is not described as a crawler that fetches.
func TestControlTokens(t *testing.T) {
	for token, want := range map[string]int{"GPTBot": 1, "google-extended": 2} {
		tally := whatIfTally{agents: map[string]*agentAccess{token: new(agentAccess)}}
		if got := tally.section(&report.Audit{}).Tables[0].Notes; len(got) != want {
			t.Errorf("%s: %q", token, got)
		}
	}
}

func TestKinds(t *testing.T) {
	yes, no, hops := new(true), new(false), func(s string) *string { return &s }
	for _, test := range []struct {
		seed, page *bool
		hops       *string
		want       string
	}{
		{yes, yes, hops(""), kindSeed},
		{no, nil, hops("LE"), kindEmbed},
		{nil, yes, nil, kindPage},
		{nil, no, nil, kindNoPage},
		{no, nil, hops("LL"), kindLinked},
		{nil, nil, nil, kindUntold},
	} {
		if got := kindOf(test.seed, test.page, test.hops); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

// A week goes to the month of its first day. A day in it may be of the next month.
func TestPeriodOfEveryDay(t *testing.T) {
	for first := range int64(40) {
		tally := newTimelineTally()
		for day := first; day < 20_000; day += 5 {
			tally.addChange(day*secondsPerDay*1e6, "http://a.example")
		}
	}
}
