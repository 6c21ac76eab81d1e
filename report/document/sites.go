package document

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const (
	maxSites   = 300     // rows of a table of sites
	maxDomains = 1 << 16 // held while they are ranked
	maxRules   = 1 << 12 // of one origin, counted apart
)

// site is what is counted of an origin or a registered domain. A map holds it without a pointer.
type site struct {
	origins                                       int64
	fetches, certain, probable, unproven, unknown int64
	first, last                                   int64 // first > last: no date is known
	rule                                          ruleCount
}

type namedSite struct {
	name string
	site
}

// ruleCount is a rule with its violations.
type ruleCount struct {
	rule, origin string
	count        int64
}

// siteOf is what is counted of an origin. rule forbade most.
func siteOf(row *report.HostRow, rule ruleCount) site {
	s := site{
		origins: 1, fetches: row.Fetches, certain: row.ViolationsCertain, probable: row.ViolationsProbable,
		unproven: row.Unproven(), unknown: row.Unknown, first: math.MaxInt64, last: math.MinInt64, rule: rule,
	}
	if row.FirstFetchTime != nil && row.LastFetchTime != nil {
		s.first, s.last = *row.FirstFetchTime, *row.LastFetchTime
	}
	return s
}

// join returns the sum of two.
func (s site) join(o site) site {
	if s.origins == 0 {
		return o
	}
	s.origins += o.origins
	s.fetches += o.fetches
	s.certain += o.certain
	s.probable += o.probable
	s.unproven += o.unproven
	s.unknown += o.unknown
	s.first, s.last = min(s.first, o.first), max(s.last, o.last)
	if o.rule.count > 0 && (s.rule.count == 0 || compareRules(o.rule, s.rule) < 0) {
		s.rule = o.rule
	}
	return s
}

// compareSites puts the sites with most violations first, then those with most that is unproven or
// unknown, then those with most fetches.
func compareSites(a, b namedSite) int {
	return cmp.Or(
		cmp.Compare(b.certain+b.probable, a.certain+a.probable), cmp.Compare(b.unproven, a.unproven),
		cmp.Compare(b.unknown, a.unknown), cmp.Compare(b.fetches, a.fetches), cmp.Compare(a.name, b.name),
	)
}

// domains are what is counted of registered domains.
type domains map[string]site

func (d domains) add(name string, s site) {
	sum, known := d[name]
	if !known {
		name = strings.Clone(name)
	}
	d[name] = sum.join(s)
}

func (d domains) ranked() (list []namedSite) {
	for name, s := range d {
		list = append(list, namedSite{name, s})
	}
	slices.SortFunc(list, compareSites)
	return list
}

// siteTally ranks sites in bounded memory. The violations of an origin come before its counts.
type siteTally struct {
	rules   ruleTally
	origins []namedSite // the first of the ranking
	domains domains     // nil once they are too many: see rankDomains
	total   int64       // origins
	pruned  bool        // some domains were forgotten
}

func newSiteTally() siteTally {
	return siteTally{rules: ruleTally{here: make(map[string]int64)}, domains: make(domains)}
}

// addHost counts an origin.
func (t *siteTally) addHost(row *report.HostRow) {
	t.total++
	o := namedSite{row.Origin, siteOf(row, t.rules.end(row.Origin))}
	if len(t.origins) < maxSites || compareSites(o, t.origins[maxSites-1]) < 0 {
		o.name = strings.Clone(o.name)
		t.origins = report.Rank(t.origins, maxSites, o, compareSites)
	}
	t.addDomain(domainOf(row.RegisteredDomain, row.HostName), o.site)
}

func (t *siteTally) addDomain(name string, s site) {
	if t.domains == nil {
		return
	}
	if t.domains.add(name, s); len(t.domains) >= maxDomains {
		t.domains = nil
	}
}

// join adds what another has counted of the origins that follow.
func (t *siteTally) join(o *siteTally) {
	t.total += o.total
	for _, s := range o.origins {
		t.origins = report.Rank(t.origins, maxSites, s, compareSites)
	}
	for _, r := range o.rules.first {
		t.rules.rank(r)
	}
	for name, s := range o.domains {
		t.addDomain(name, s)
	}
	if o.domains == nil {
		t.domains = nil
	}
}

// domainOf names the registered domain of a host, or the host where there is none.
func domainOf(domain, host string) string { return report.Head(cmp.Or(domain, host), maxName) }

// rankDomains ranks domains that are too many to count at once: it finds those that may be among the first,
// forgetting others, and then counts the first from the beginning.
func (t *siteTally) rankDomains(ctx context.Context, res *results.Results) error {
	t.domains, t.pruned = make(domains), true
	for row, err := range results.Rows(ctx, res, report.HostStatsTable) {
		if err != nil {
			return err
		}
		t.domains.add(domainOf(row.RegisteredDomain, row.HostName), siteOf(row, ruleCount{}))
		if len(t.domains) >= maxDomains {
			ranked := t.domains.ranked()
			for _, d := range ranked[len(ranked)/4:] {
				delete(t.domains, d.name)
			}
		}
	}
	first := make(domains)
	ranked := t.domains.ranked()
	for _, d := range ranked[:min(len(ranked), maxSites)] {
		first[d.name] = site{}
	}
	t.domains = first
	rules := ruleTally{here: make(map[string]int64)}
	return eachOrigin(ctx, res, func(row any) {
		switch row := row.(type) {
		case *report.ViolationRow:
			if isViolation(row.Certainty) {
				rules.add(row)
			}
		case *report.HostRow:
			name, s := domainOf(row.RegisteredDomain, row.HostName), siteOf(row, rules.end(row.Origin))
			if _, kept := first[name]; kept {
				first.add(name, s)
			}
		}
	})
}

// ruleTally finds the rule that causes most violations of each origin. Findings come origin by origin.
type ruleTally struct {
	here  map[string]int64 // of the origin in hand
	first []ruleCount      // of all origins
}

const maxTopRules = 50

// add counts a violation.
func (t *ruleTally) add(row *report.ViolationRow) {
	rule := ruleOf(row)
	if _, seen := t.here[rule]; seen || len(t.here) < maxRules {
		t.here[rule]++
	}
}

// end ends the origin in hand, and returns the rule with most violations.
func (t *ruleTally) end(origin string) (most ruleCount) {
	for rule, n := range t.here {
		r := ruleCount{rule, origin, n}
		if most.count == 0 || compareRules(r, most) < 0 {
			most = r
		}
		t.rank(r)
	}
	clear(t.here)
	return most.clipped()
}

// clipped is a copy with short texts.
func (r ruleCount) clipped() ruleCount {
	return ruleCount{strings.Clone(Clip(r.rule, maxName)), strings.Clone(Clip(r.origin, maxName)), r.count}
}

func compareRules(a, b ruleCount) int {
	return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.origin, b.origin), cmp.Compare(a.rule, b.rule))
}

func (t *ruleTally) rank(r ruleCount) {
	if len(t.first) == maxTopRules && r.count < t.first[maxTopRules-1].count {
		return
	}
	t.first = report.Rank(t.first, maxTopRules, r.clipped(), compareRules)
}

// table lists the rules with most violations.
func (t *ruleTally) table() Table {
	table := NewTable("violations-rules", "Rules with most violations", "There are no violations.",
		Code.Columns("Rule", "Origin"), Number.Columns("Violations"))
	for _, r := range t.first {
		table.Add(r.rule, orNoOrigin(r.origin), r.count)
	}
	return table
}

// ruleOf names the rule or failure that forbade a fetch.
func ruleOf(row *report.ViolationRow) string {
	status := row.RobotsStatus
	switch {
	case row.Rule != "":
		return row.Rule
	case status == nil || value(row.RobotsHops) > 0:
		return "(robots.txt could not be had, which forbids everything)"
	case *status/100 == 5:
		return fmt.Sprintf("%d: RFC 9309 takes it as forbidding everything", *status)
	}
	return fmt.Sprintf("%d: the profile takes it as forbidding everything", *status)
}

// siteTable begins a table of sites, whose rows are made by cells.
func siteTable(id, caption string, names ...[]Column) Table {
	return NewTable(id, caption, "There are no fetches.", append(names,
		Number.Columns("Fetches", "Certain", "Probable", "Unproven", "Unknown"),
		Moment.Columns("First fetch", "Last fetch"), Code.Columns("Rule behind most violations"))...)
}

// cells are a row of a table of sites, after the cells that name the site.
func (s *site) cells(names ...any) []any {
	var first, last *int64
	if s.first <= s.last {
		first, last = &s.first, &s.last
	}
	rule := ""
	if s.rule.count > 0 {
		rule = fmt.Sprintf("%s (%s)", s.rule.rule, plural(s.rule.count, "time"))
	}
	return append(names, s.fetches, s.certain, s.probable, s.unproven, s.unknown, moment(first), moment(last), rule)
}

// tables are the tables of domains and of origins.
func (t *siteTally) tables() []Table {
	domains := siteTable("sites-domains", "By registered domain", Code.Columns("Domain"), Number.Columns("Origins"))
	ranked := t.domains.ranked()
	for _, d := range ranked[:min(len(ranked), maxSites)] {
		domains.Add(d.cells(orNoOrigin(Visible(d.name)), d.origins)...)
	}
	domains.leaveOut(int64(len(ranked)-maxSites), "table host_stats")
	if t.pruned && domains.More == "" {
		domains.More = "and many more: table host_stats"
	}
	origins := siteTable("sites-origins", "By origin", Code.Columns("Origin"))
	origins.Notes = []string{
		"An origin is a scheme, a host and a port: what one robots.txt speaks for (RFC 9309, section 2.3).",
	}
	for _, o := range t.origins {
		origins.Add(o.cells(orNoOrigin(Clip(o.name, maxName)))...)
	}
	origins.leaveOut(t.total-int64(len(t.origins)), "table host_stats")
	return []Table{domains, origins}
}

// groupTally counts fetches by something that they have in common.
type groupTally map[string]*Tally

const maxGroups = 300

func (g groupTally) add(name string, counts Tally) {
	v := g[name]
	if v == nil {
		v = new(Tally)
		g[name] = v
	}
	v.add(counts)
}

// table lists the groups, the one with most violations first.
func (g groupTally) table(id, caption, name string) Table {
	t := NewTable(id, caption, "There are no fetches.",
		Words.Columns(name), Number.Columns("Fetches", "Violations", "Unknown"))
	names := slices.SortedFunc(maps.Keys(g), func(a, b string) int {
		return cmp.Or(cmp.Compare(g[b].Violations, g[a].Violations), cmp.Compare(g[b].Fetches, g[a].Fetches),
			cmp.Compare(a, b))
	})
	for _, name := range names[:min(len(names), maxGroups)] {
		t.Add(name, g[name].Fetches, g[name].Violations, g[name].Unknown)
	}
	t.leaveOut(int64(len(names)-maxGroups), "table fetches")
	return t
}

// collections are what the archives' places and warcinfo records say that an input belongs to.
func collections(in *report.AuditInput) (names []string) {
	if in.Container == "wacz" {
		names = append(names, "WACZ "+Clip(in.Name, maxName))
	} else if folder := path.Dir(in.Name); folder != "." {
		names = append(names, "folder "+Clip(folder, maxName))
	} else {
		names = append(names, "archives in no subfolder")
	}
	for _, c := range in.Crawls {
		if name := "isPartOf " + Clip(c.IsPartOf, maxName); c.IsPartOf != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Kinds of fetches, as far as the archives show them.
const (
	kindSeed    = "Seeds"
	kindEmbed   = "Embeds: images, scripts and the like"
	kindPage    = "Pages"
	kindNoPage  = "Not listed as a page: embeds, robots.txt, targets of redirects"
	kindLinked  = "Found by links, redirects and the like"
	kindUntold  = "The archive does not show it"
	hopOfEmbeds = "E"
)

// kindOf is the kind of a fetch.
func kindOf(seed, page *bool, hops *string) string {
	switch {
	case value(seed):
		return kindSeed
	case strings.HasSuffix(value(hops), hopOfEmbeds):
		return kindEmbed
	case value(page):
		return kindPage
	case page != nil:
		return kindNoPage
	case value(hops) != "":
		return kindLinked
	}
	return kindUntold
}
