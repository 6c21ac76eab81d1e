package figures

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

const (
	maxSites  = 300     // rows of the table of sites
	maxHere   = 1 << 12 // rules of one origin, counted apart
	maxRules  = 1 << 14 // rules of all origins, counted apart
	maxRanked = 50      // rules that are listed of a cause
)

// site is what is counted of an origin.
type site struct {
	name                                          string
	fetches, certain, probable, unproven, unknown int64
	first, last                                   *int64
	rule                                          rule // forbade most
	ruled                                         int64
}

// compareSites puts the sites with most violations first, then those with most that is unproven or
// unknown, then those with most fetches.
func compareSites(a, b site) int {
	return cmp.Or(
		cmp.Compare(b.certain+b.probable, a.certain+a.probable), cmp.Compare(b.unproven, a.unproven),
		cmp.Compare(b.unknown, a.unknown), cmp.Compare(b.fetches, a.fetches), cmp.Compare(a.name, b.name),
	)
}

// rule is what forbids fetches: a line of robots.txt, or the failure of one.
type rule struct {
	by   prohibition
	text string
}

// ruled counts the violations of a rule on all origins.
type ruled struct {
	fetches, origins int64
	worst            originCount
}

func (r ruled) join(o ruled) ruled {
	if compareCounts(o.worst, r.worst) < 0 {
		r.worst = o.worst
	}
	return ruled{r.fetches + o.fetches, r.origins + o.origins, r.worst}
}

// siteTally ranks sites and rules in bounded memory. The violations of an origin come before its counts.
type siteTally struct {
	here   map[rule]int64 // violations of the origin in hand
	sites  []site         // the first of the ranking
	total  int64          // origins
	rules  map[rule]ruled // of all origins; nil: they are too many
	causes [prohibitions]ruled
	by     [prohibitions]map[string]bool // tokens of the agents list that have violations
}

func newSiteTally() siteTally {
	t := siteTally{here: make(map[rule]int64), rules: make(map[rule]ruled)}
	for by := range t.by {
		t.by[by] = make(map[string]bool)
	}
	return t
}

// addViolation counts a violation.
func (t *siteTally) addViolation(row *report.ViolationRow) {
	r := rule{prohibitionOf(row), ruleOf(row)}
	if a, known := agents.Find(row.Agent); known {
		t.by[r.by][a.Token] = true
	}
	if _, seen := t.here[r]; seen || len(t.here) < maxHere {
		t.here[r]++
	}
}

// addHost ends the origin in hand.
func (t *siteTally) addHost(row *report.HostRow) {
	s := site{
		name: strings.Clone(prose.Clip(row.Origin, prose.MaxName)), fetches: row.Fetches,
		certain: row.ViolationsCertain, probable: row.ViolationsProbable,
		unproven: row.Unproven(), unknown: row.Undecided(),
	}
	if row.FirstFetchTime != nil && row.LastFetchTime != nil {
		s.first, s.last = new(*row.FirstFetchTime), new(*row.LastFetchTime)
	}
	var causes [prohibitions]int64
	for r, n := range t.here {
		r.text = strings.Clone(prose.Clip(r.text, prose.MaxName))
		if n > s.ruled || n == s.ruled && r.text < s.rule.text {
			s.rule, s.ruled = r, n
		}
		causes[r.by] += n
		t.addRule(r, ruled{n, 1, originCount{s.name, n}})
	}
	for by, n := range causes {
		if n > 0 {
			t.causes[by] = t.causes[by].join(ruled{n, 1, originCount{s.name, n}})
		}
	}
	clear(t.here)
	t.total++
	t.sites = insertRanked(t.sites, maxSites, s, compareSites)
}

func (t *siteTally) addRule(r rule, counts ruled) {
	if t.rules == nil {
		return
	}
	if t.rules[r] = t.rules[r].join(counts); len(t.rules) > maxRules {
		t.rules = nil
	}
}

// join adds what another has counted of the origins that follow.
func (t *siteTally) join(o *siteTally) {
	t.total += o.total
	for _, s := range o.sites {
		t.sites = insertRanked(t.sites, maxSites, s, compareSites)
	}
	for r, counts := range o.rules {
		t.addRule(r, counts)
	}
	if o.rules == nil {
		t.rules = nil
	}
	for by := range t.causes {
		t.causes[by] = t.causes[by].join(o.causes[by])
		maps.Copy(t.by[by], o.by[by])
	}
}

// ranked are the rules of a cause, the one with most violations first.
func (t *siteTally) ranked(wanted func(rule) bool) (list []rule) {
	for r := range t.rules {
		if wanted(r) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b rule) int {
		return cmp.Or(cmp.Compare(t.rules[b].fetches, t.rules[a].fetches), cmp.Compare(a.text, b.text),
			cmp.Compare(a.by, b.by))
	})
	return list
}

// where names the sites of a rule, and tells it apart from another of the same text.
func (t *siteTally) where(r rule) string {
	n := t.rules[r]
	on := report.Count(n.origins, "site")
	if n.origins == 1 {
		on = prose.OrNoOrigin(n.worst.origin)
	}
	if r.by == byName {
		return on + ", by name"
	}
	if _, named := t.rules[rule{byName, r.text}]; named {
		return on + ", for all crawlers"
	}
	return on
}

// ruleOf names the rule or failure that forbade a fetch.
func ruleOf(row *report.ViolationRow) string {
	status := row.RobotsStatus
	switch {
	case row.Rule != "":
		return row.Rule
	case status == nil || prose.Value(row.RobotsHops) > 0:
		return "No robots.txt could be had: RFC 9309 takes it as forbidding everything"
	case *status/100 == 5:
		return fmt.Sprintf("%d: RFC 9309 takes it as forbidding everything", *status)
	}
	return fmt.Sprintf("%d: the profile takes it as forbidding everything", *status)
}

// table lists the sites.
func (t *siteTally) table() document.Table {
	table := document.NewTable("sites-origins", "Sites", "There are no fetches.", document.Code.Columns("Site"),
		document.Number.Columns("Fetches", "Certain", "Probable", "Unproven", "Unknown"),
		document.Moment.Columns("First fetch", "Last fetch"), document.Code.Columns("Rule behind most violations"))
	for _, s := range t.sites {
		rule := s.rule.text
		if all := s.certain + s.probable; s.ruled < all {
			rule += fmt.Sprintf(" (%s of %s)", prose.Number(s.ruled), prose.Number(all))
		}
		table.Add(s.link(), s.fetches, s.certain, s.probable, s.unproven, s.unknown, prose.Day(s.first),
			prose.Day(s.last), rule)
	}
	table.LeaveOut(t.total-int64(len(t.sites)), "table host_stats")
	return table
}

// link is a cell with the site's name, which leads to its findings.
func (s *site) link() document.Cell {
	c := document.Cell{Text: prose.OrNoOrigin(s.name)}
	switch {
	case s.certain+s.probable > 0:
		c.Link = "violations"
	case s.unproven > 0:
		c.Link = "unproven"
	}
	return c
}

// groupTally counts fetches by something that they have in common; by several things with tabs between their names.
type groupTally map[string]*document.Tally

const maxGroups = 300

func (g groupTally) add(name string, counts document.Tally) {
	v := g[name]
	if v == nil {
		v = new(document.Tally)
		g[name] = v
	}
	v.Add(counts)
}

// sorted are the names, the one with most violations first, and then the one with most fetches.
func (g groupTally) sorted() []string {
	return slices.SortedFunc(maps.Keys(g), func(a, b string) int {
		return cmp.Or(cmp.Compare(g[b].Violations, g[a].Violations), cmp.Compare(g[b].Fetches, g[a].Fetches),
			cmp.Compare(a, b))
	})
}

// table lists the groups.
func (g groupTally) table(id, caption string, names ...string) document.Table {
	t := document.NewTable(id, caption, "There are no fetches.",
		document.Words.Columns(names...), document.Number.Columns("Fetches", "Violations", "Unknown"))
	sorted := g.sorted()
	for _, name := range sorted[:min(len(sorted), maxGroups)] {
		var row []any
		for cell := range strings.SplitSeq(name, "\t") {
			row = append(row, cell)
		}
		t.Add(append(row, g[name].Fetches, g[name].Violations, g[name].Unknown)...)
	}
	t.LeaveOut(int64(len(sorted)-maxGroups), "table fetches")
	return t
}

// collections are what the archives' places and warcinfo records say that an input belongs to. Where no such record
// names a collection, the title of a WACZ does.
func collections(in *report.AuditInput) (names []string) {
	if in.Container == "wacz" {
		names = append(names, "WACZ "+prose.Clip(in.Name, prose.MaxName))
	} else if folder := path.Dir(in.Name); folder != "." {
		names = append(names, "folder "+prose.Clip(folder, prose.MaxName))
	} else {
		names = append(names, "in no subfolder")
	}
	for _, c := range in.Crawls {
		if name := "isPartOf " + prose.Clip(c.IsPartOf, prose.MaxName); c.IsPartOf != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 1 {
		return names
	}
	for _, title := range in.Titles {
		names = append(names, "title "+prose.Clip(title, prose.MaxName))
	}
	return names
}

// claims are what the warcinfo records of an input claim of its obedience to robots.txt.
func claims(in *report.AuditInput) string {
	var list []string
	for _, c := range in.Crawls {
		if claim := prose.Clip(c.Robots, 60); claim != "" && !slices.Contains(list, claim) {
			list = append(list, claim)
		}
	}
	return cmp.Or(strings.Join(few(list, maxNamed), ", "), "nothing")
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
	case prose.Value(seed):
		return kindSeed
	case strings.HasSuffix(prose.Value(hops), hopOfEmbeds):
		return kindEmbed
	case prose.Value(page):
		return kindPage
	case page != nil:
		return kindNoPage
	case prose.Value(hops) != "":
		return kindLinked
	}
	return kindUntold
}

// insertRanked puts a row into a ranking of the first n, after its equals.
func insertRanked[T any](list []T, n int, row T, compare func(a, b T) int) []T {
	i := sort.Search(len(list), func(i int) bool { return compare(list[i], row) > 0 })
	if i >= n {
		return list
	}
	list = slices.Insert(list, i, row)
	return list[:min(len(list), n)]
}
