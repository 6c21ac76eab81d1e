package document

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const (
	maxSites   = 300     // rows of a table of sites
	maxDomains = 1 << 16 // held while they are ranked
	maxRules   = 1 << 12 // of one origin, counted apart
)

// site is an origin or a registered domain.
type site struct {
	name        string
	origins     int64
	first, last *int64
	evaluate.Counts
	rule ruleCount // that forbade most
}

// ruleCount is a rule with its violations.
type ruleCount struct {
	rule, origin string
	count        int64
}

func (s *site) add(row *report.HostRow) {
	s.origins++
	s.Sum(&row.Counts)
	if first := row.FirstFetchTime; first != nil && (s.first == nil || *first < *s.first) {
		s.first = first
	}
	if last := row.LastFetchTime; last != nil && (s.last == nil || *last > *s.last) {
		s.last = last
	}
}

// compareSites puts the sites with most violations first, then those with most that is unproven or
// unknown, then those with most fetches.
func compareSites(a, b *site) int {
	if c := cmp.Or(
		cmp.Compare(b.Violations(), a.Violations()), cmp.Compare(b.Unproven(), a.Unproven()),
		cmp.Compare(b.Unknown, a.Unknown),
		cmp.Compare(b.Fetches, a.Fetches),
	); c != 0 {
		return c
	}
	return cmp.Compare(a.name, b.name)
}

// siteTally ranks sites in bounded memory.
type siteTally struct {
	origins []*site          // the first of the ranking
	domains map[string]*site // pruned to those that may be among the first
	total   int64            // origins
	pruned  bool             // some domains were forgotten
}

// addHost counts an origin.
func (t *siteTally) addHost(row *report.HostRow) {
	t.total++
	o := site{name: row.Origin}
	o.add(row)
	t.origins = report.Rank(t.origins, maxSites, &o, compareSites)
	name := domainOf(row.RegisteredDomain, row.HostName)
	d := t.domains[name]
	if d == nil {
		d = &site{name: strings.Clone(name)}
		t.domains[d.name] = d
	}
	d.add(row)
	if len(t.domains) >= maxDomains {
		t.prune()
	}
}

// prune forgets all but the first quarter of the domains, which is many more than are shown.
func (t *siteTally) prune() {
	t.pruned = true
	ranked := slices.SortedFunc(maps.Values(t.domains), compareSites)
	for _, d := range ranked[len(ranked)/4:] {
		delete(t.domains, d.name)
	}
}

// domainOf names the registered domain of a host, or the host where there is none.
func domainOf(domain, host string) string { return report.Head(cmp.Or(domain, host), maxName) }

// read reads the table host_stats.
func (t *siteTally) read(ctx context.Context, res *results.Results) error {
	t.domains = make(map[string]*site)
	err := results.Each(ctx, res, report.HostStatsTable, t.addHost)
	if t.pruned && err == nil { // what was counted of a domain before it was forgotten is missing
		return t.recount(ctx, res)
	}
	return err
}

// recount counts the first domains again, from the beginning.
func (t *siteTally) recount(ctx context.Context, res *results.Results) error {
	kept := make(map[string]*site)
	ranked := slices.SortedFunc(maps.Values(t.domains), compareSites)
	for _, d := range ranked[:min(len(ranked), maxSites)] {
		kept[d.name] = &site{name: d.name}
	}
	t.domains = kept
	return results.Each(ctx, res, report.HostStatsTable, func(row *report.HostRow) {
		if d := kept[domainOf(row.RegisteredDomain, row.HostName)]; d != nil {
			d.add(row)
		}
	})
}

// ruleTally finds the rule that causes most violations of each origin. Findings come origin by origin.
type ruleTally struct {
	origin, domain string // in hand: domain as domainOf names it
	here           map[string]int64
	origins        map[string]*site // those that are shown
	domains        map[string]*site
	first          []ruleCount // of all origins
}

const maxTopRules = 50

func newRuleTally(sites *siteTally) *ruleTally {
	t := &ruleTally{here: make(map[string]int64), origins: make(map[string]*site), domains: sites.domains}
	for _, o := range sites.origins {
		t.origins[o.name] = o
	}
	return t
}

// add counts a violation.
func (t *ruleTally) add(origin, domain, rule string) {
	if origin != t.origin {
		t.end()
		t.origin, t.domain = origin, domain
	}
	if _, seen := t.here[rule]; seen || len(t.here) < maxRules {
		t.here[rule]++
	}
}

// end ends the origin in hand.
func (t *ruleTally) end() {
	most := ruleCount{}
	for rule, n := range t.here {
		r := ruleCount{rule, t.origin, n}
		if compareRules(r, most) < 0 {
			most = r
		}
		t.rank(r)
	}
	clear(t.here)
	if most.count == 0 {
		return
	}
	most.rule, most.origin = Clip(most.rule, maxName), Clip(most.origin, maxName)
	if s := t.origins[t.origin]; s != nil {
		s.rule = most
	}
	if s := t.domains[t.domain]; s != nil && compareRules(most, s.rule) < 0 {
		s.rule = most
	}
}

func compareRules(a, b ruleCount) int {
	return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.origin, b.origin), cmp.Compare(a.rule, b.rule))
}

func (t *ruleTally) rank(r ruleCount) {
	if len(t.first) == maxTopRules && r.count < t.first[maxTopRules-1].count {
		return
	}
	r.rule, r.origin = Clip(r.rule, maxName), Clip(r.origin, maxName)
	t.first = report.Rank(t.first, maxTopRules, r, compareRules)
}

// table lists the rules with most violations.
func (t *ruleTally) table() Table {
	table := NewTable("violations-rules", "Rules with most violations", "There are no violations.",
		Code.Columns("Rule", "Origin"), Number.Columns("Violations"))
	for _, r := range t.first {
		table.Add(orUnreachable(r.rule), orNoOrigin(r.origin), r.count)
	}
	return table
}

// orUnreachable names the rule or failure that forbade a fetch.
func orUnreachable(rule string) string {
	if rule == "" {
		return "(robots.txt could not be had)"
	}
	return rule
}

// siteTable begins a table of sites, whose rows are made by cells.
func siteTable(id, caption string, names ...[]Column) Table {
	return NewTable(id, caption, "There are no fetches.", append(names,
		Number.Columns("Fetches", "Certain", "Probable", "Unproven", "Unknown"),
		Moment.Columns("First fetch", "Last fetch"), Code.Columns("Rule behind most violations"))...)
}

// cells are a row of a table of sites, after the cells that name the site.
func (s *site) cells(names ...any) []any {
	rule := ""
	if s.rule.count > 0 {
		rule = fmt.Sprintf("%s (%s)", orUnreachable(s.rule.rule), plural(s.rule.count, "time"))
	}
	return append(names, s.Fetches, s.ViolationsCertain, s.ViolationsProbable, s.Unproven(), s.Unknown,
		moment(s.first), moment(s.last), rule)
}

// tables are the tables of domains and of origins.
func (t *siteTally) tables() []Table {
	domains := siteTable("sites-domains", "By registered domain", Code.Columns("Domain"), Number.Columns("Origins"))
	ranked := slices.SortedFunc(maps.Values(t.domains), compareSites)
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
