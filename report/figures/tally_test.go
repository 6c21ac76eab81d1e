package figures

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
)

// The most certain findings are kept, whatever the order in which they come and the parts that they come in.
func TestTimelineUnits(t *testing.T) {
	first := time.Date(2024, 2, 27, 23, 59, 59, 0, time.UTC)
	for _, test := range []struct {
		days, step  int
		unit        document.Unit
		start       string
		label       string
		second      string
		periods     int
		fetchesEach int64
	}{
		{3, 1, document.Day, "2024-02-27", "27 February 2024", "2024-02-28", 3, 1},
		{91, 1, document.Day, "2024-02-27", "27 February 2024", "2024-02-28", 91, 1},
		{100, 1, document.Week, "2024-02-26", "week of 26 February 2024", "2024-03-04", 15, 6},
		{2, 100, document.Week, "2024-02-26", "week of 26 February 2024", "2024-06-03", 2, 1},
		{365 * 4, 1, document.Month, "2024-02-01", "February 2024", "2024-03-01", 49, 3},
		{2, 365 * 20, document.Month, "2024-02-01", "February 2024", "2044-02-01", 2, 1},
		{365 * 40, 1, document.Year, "2024-01-01", "2024", "2025-01-01", 41, 309},
		{2, 365 * 2000, document.Year, "2024-01-01", "2024", "4022-01-01", 2, 1},
	} {
		tally := newTimelineTally()
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(test.days) {
			tally.addFetch(new(first.AddDate(0, 0, i*test.step).UnixMicro()), "obey", document.Tally{Fetches: 1, Violations: 1})
		}
		tally.addFetch(nil, "", document.Tally{Fetches: 2})
		tally.addChange(&report.RobotsRow{FetchTime: new(first.UnixMicro()), Origin: "http://a"})
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
		tally.addFetch(new(int64(0)), fmt.Sprintf("claim %02d", i), document.Tally{Fetches: 1})
	}
	tl := tally.timeline()
	if len(tl.Claims) != shownClaims || tl.Periods[0].Fetches != 100 ||
		!slices.Contains(tl.Claims, "all others") {
		t.Errorf("%d claims, %d fetches: %s", len(tl.Claims), tl.Periods[0].Fetches, tl.Claims)
	}
}

// Sites and rules are ranked in bounded memory, and rules across sites.
func TestSites(t *testing.T) {
	tally := newSiteTally()
	for i := range 2 * maxRules {
		row := report.HostRow{Origin: fmt.Sprintf("http://%d.example", i)}
		row.Fetches = 1
		if i%1000 == 0 {
			row.ViolationsCertain = int64(i)
			for range i / 1000 {
				tally.addViolation(&report.ViolationRow{Rule: "Disallow: /", AgentMatch: "any"})
			}
		}
		tally.addHost(&row)
	}
	if len(tally.sites) != maxSites || tally.total != 2*maxRules || len(tally.rules) != 1 {
		t.Errorf("%d sites and %d rules are held of %d", len(tally.sites), len(tally.rules), tally.total)
	}
	if first := tally.sites[0]; first.name != "http://32000.example" || first.ruled != 32 {
		t.Errorf("%+v", first)
	}
	want := ruled{fetches: 32 * 33 / 2, origins: 32, worst: originCount{"http://32000.example", 32}}
	if got := tally.rules[rule{byWhole, "Disallow: /"}]; got != want || tally.causes[byWhole] != want {
		t.Errorf("%+v, %+v", got, tally.causes)
	}
	for i := range maxRules {
		tally.addViolation(&report.ViolationRow{Rule: fmt.Sprint("Disallow: /", i), AgentMatch: "any"})
		tally.addHost(&report.HostRow{Origin: "http://a"})
	}
	if tally.rules != nil || tally.causes[byPath].fetches != maxRules {
		t.Errorf("%d rules are held, %+v", len(tally.rules), tally.causes)
	}
}

// A rule that binds some crawlers by name, and all others elsewhere, is two rules, each of which says whom it binds.
func TestRuleOfWhom(t *testing.T) {
	tally := newSiteTally()
	for i, match := range []string{"any", "any", "exact"} {
		tally.addViolation(&report.ViolationRow{Rule: "Disallow: /a", AgentMatch: match})
		tally.addHost(&report.HostRow{Origin: fmt.Sprint("http://", i)})
	}
	var got []string
	for _, r := range tally.ranked(func(rule) bool { return true }) {
		got = append(got, tally.where(r))
	}
	if want := []string{"2 sites, for all crawlers", "http://2, by name"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A token that stands in no request is not described as a crawler that fetches.
func TestControlTokens(t *testing.T) {
	for token, want := range map[string]int{"GPTBot": 1, "google-extended": 2} {
		got := whatIfSection([]agentAccess{{Agent: token}}, &report.Audit{}).Tables[0].Notes
		if len(got) != want {
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

// What a timeline comes to does not depend on the order of what it counts, nor on the parts that count it: a day
// counts in its own month.
func TestTimelineOrder(t *testing.T) {
	for _, days := range []int{60, 600, 3000, 50_000} {
		random := rand.New(rand.NewPCG(1, uint64(days)))
		var want *document.Timeline
		for parts := range 4 {
			tally := newTimelineTally()
			count := []*timelineTally{tally}
			for range parts {
				count = append(count, newTimelineTally())
			}
			for _, i := range random.Perm(500) {
				at := int64(i*days/500) * secondsPerDay * 1e6
				n := count[random.IntN(len(count))]
				n.addFetch(&at, fmt.Sprint("claim ", i%20), document.Tally{Fetches: 1, Unknown: 1})
				n.addChange(&report.RobotsRow{FetchTime: &at, RobotsID: int64(i), Origin: fmt.Sprint("http://", i%7)})
			}
			for _, part := range count[1:] {
				tally.join(part)
			}
			got := tally.timeline()
			if want == nil {
				want = got
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%d days, %d parts (-want +got):\n%s", days, parts, diff)
			}
			for _, p := range got.Periods {
				if got.Unit == document.Month && !strings.HasSuffix(p.Start, "-01") {
					t.Errorf("%+v", p)
				}
			}
		}
	}
}

// The owner of a site writes to the operators of those crawlers alone that a cause counts.
func TestOperatorsOfCause(t *testing.T) {
	tally, crawlers := newSiteTally(), new(crawlerTally)
	for match, agent := range map[string]string{"exact": "GPTBot", "any": "CCBot"} {
		row := report.ViolationRow{Rule: "Disallow: /a", AgentMatch: match}
		row.Agent = agent
		tally.addViolation(&row)
		crawlers.first = append(crawlers.first, &report.AgentRow{Agent: agent})
	}
	joined := newSiteTally()
	joined.join(&tally)
	if got := crawlers.operators(joined.by[byName]); got != ": OpenAI (GPTBot)" {
		t.Errorf("by name: %q", got)
	}
	if got := crawlers.operators(joined.by[byPath]); got != ": Common Crawl Foundation (CCBot)" {
		t.Errorf("by path: %q", got)
	}
}

// The first few crawlers are named, and what others have is counted.
func TestSharesOfCrawlers(t *testing.T) {
	crawlers := new(crawlerTally)
	for n, agent := range []string{"A", "B", "C", "D", "E"} {
		row := &report.AgentRow{Agent: agent}
		row.Fetches, row.ViolationsCertain = 9, int64(5-n)
		crawlers.first = append(crawlers.first, row)
	}
	if got, want := crawlers.shares(15, (*report.AgentRow).Violations), ": 5 by A, 4 by B, 3 by C and 3 by others"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
