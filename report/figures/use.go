package figures

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const (
	maxRestricted = 100 // sites listed with restrictions
	maxStatement  = 160 // bytes shown of a statement
)

// useTally counts fetches by the statements of pages and sites on publication and use. Those of a fetch come one
// after the other.
type useTally struct {
	restrictions map[restriction]int64
	sites        []restrictedSite
	siteCount    int64
	here         restrictedSite
	counted      map[string]place // the last fetch of here, by kind of restriction
	signals      map[signal]int64
	page         place
	preferences  map[string]string // of page, by purpose: what restricts wins over what allows
}

type place struct {
	file   string
	offset int64
}

type restriction struct{ purpose, kind, certainty string }

type restrictedSite struct {
	origin             string
	publication, usage int64
	statement          string // the first of the site
}

type signal struct{ purpose, preference string }

func newUseTally() useTally {
	return useTally{
		restrictions: make(map[restriction]int64), signals: make(map[signal]int64), counted: make(map[string]place),
		preferences: make(map[string]string),
	}
}

func (t *useTally) addSignal(row *report.UsageSignalRow) {
	if !row.Binds {
		return
	}
	if row.WARCRecordOffset != t.page.offset || row.WARCFilename != t.page.file {
		t.endPage()
		t.page = place{strings.Clone(row.WARCFilename), row.WARCRecordOffset}
	}
	if stated := t.preferences[row.Purpose]; stated != "restrict" && (stated != "allow" || row.Preference == "restrict") {
		t.preferences[strings.Clone(row.Purpose)] = strings.Clone(row.Preference)
	}
}

func (t *useTally) endPage() {
	for purpose, preference := range t.preferences {
		t.signals[signal{purpose, preference}]++
	}
	clear(t.preferences)
}

func (t *useTally) addRestriction(row *report.RestrictionRow) {
	t.restrictions[restriction{row.Purpose, row.Kind, row.Certainty}]++
	if row.Origin != t.here.origin {
		t.endSite()
		t.here.origin = strings.Clone(row.Origin)
	}
	if at := t.counted[row.Kind]; row.WARCRecordOffset != at.offset || row.WARCFilename != at.file {
		t.counted[strings.Clone(row.Kind)] = place{strings.Clone(row.WARCFilename), row.WARCRecordOffset}
		if row.Kind == "publication" {
			t.here.publication++
		} else {
			t.here.usage++
		}
	}
	if t.here.statement == "" && len(row.Statements) > 0 {
		t.here.statement = strings.Clone(prose.Clip(row.Statements[0], maxStatement))
	}
}

func (t *useTally) endSite() {
	s := t.here
	t.here = restrictedSite{}
	clear(t.counted)
	if s.publication+s.usage == 0 {
		return
	}
	t.siteCount++
	s.origin = prose.Clip(s.origin, prose.MaxName)
	t.rank(s)
}

func (t *useTally) rank(s restrictedSite) {
	t.sites = insertRanked(t.sites, maxRestricted, s, func(a, b restrictedSite) int {
		return cmp.Or(cmp.Compare(b.publication+b.usage, a.publication+a.usage), cmp.Compare(a.origin, b.origin))
	})
}

// join adds what another has counted of the origins that follow.
func (t *useTally) join(o *useTally) {
	t.end()
	o.end()
	facts.AddCounts(t.restrictions, o.restrictions)
	facts.AddCounts(t.signals, o.signals)
	t.siteCount += o.siteCount
	for _, s := range o.sites {
		t.rank(s)
	}
}

func (t *useTally) end() {
	t.endSite()
	t.endPage()
}

// section describes the statements of pages and sites.
func (t *useTally) section(a *report.Audit, part *results.Part) document.Section {
	t.end()
	s := document.Section{ID: "use", Heading: "Restrictions on publication and use", Intro: []string{
		"None of these is a violation of robots.txt: a page’s own statements are known only after it was fetched. " +
			"They concern what may be done with the copy.",
	}, Tables: []document.Table{pageTable(a, part)}}
	if len(a.Settings.Purposes) == 0 {
		s.Intro = append(s.Intro,
			"Restrictions on a purpose are listed if the audit names it: --purpose archive, index or train.")
	} else {
		s.Tables = append(s.Tables, t.restrictionTable(), t.siteTable())
	}
	s.Tables = append(s.Tables, t.signalTable())
	return s
}

// pageTable counts fetches by the statements on them. Of a part, rows do not show some of them.
func pageTable(a *report.Audit, part *results.Part) document.Table {
	t := &a.Totals
	table := document.NewTable("use-pages", "Fetches by what was said of them", "",
		document.Words.Columns("What was said"), document.Number.Columns("Fetches"))
	whole := func(what string, n int64) {
		if part.IsZero() {
			table.Add(what, n)
		}
	}
	whole("A page tag that binds somebody (noindex and the like)", t.Tagged)
	whole("Tags that restrict publication, for the crawler", t.PublicationRestricted)
	whole("Tags or signals that restrict some use", t.UsageRestricted)
	table.Add("A statement without force that hints at a restriction of some use", t.Hinted)
	whole("A usage signal (Content-Usage, Content-Signal, TDMRep, a licence, noai)", t.Signalled)
	whole("Statements that contradict each other; the restriction holds", t.Conflicting)
	table.Add("Some tags may be missing: no record was read, a revisit has no original, a page cannot be read",
		t.TagsUnknown)
	whole("A policy file: ai.txt. Disallow-Training alone is read", t.PolicyFiles)
	return table
}

func (t *useTally) restrictionTable() document.Table {
	table := document.NewTable("use-restrictions", "Restrictions by purpose", "Nothing restricts the purposes asked about.",
		document.Words.Columns("Purpose", "What is restricted", "How sure"), document.Number.Columns("Fetches"))
	table.Notes = []string{"Certain: the record itself says so. Probable: a doubt remains, or the site alone says so."}
	inOrder := func(a, b restriction) int {
		return cmp.Or(cmp.Compare(a.purpose, b.purpose), cmp.Compare(a.kind, b.kind),
			cmp.Compare(a.certainty, b.certainty))
	}
	for _, k := range slices.SortedFunc(maps.Keys(t.restrictions), inOrder) {
		table.Add(meaning(tag.Uses, k.purpose), meaning(tag.Kinds, k.kind), prose.Visible(k.certainty),
			t.restrictions[k])
	}
	return table
}

func (t *useTally) siteTable() document.Table {
	table := document.NewTable("use-sites", "Sites with most restricted fetches", "No site has any.", document.Code.Columns("Site"),
		document.Number.Columns("Publication", "Use"), document.Code.Columns("First statement"))
	for _, s := range t.sites {
		table.Add(prose.OrNoOrigin(s.origin), s.publication, s.usage, s.statement)
	}
	table.LeaveOut(t.siteCount-int64(len(t.sites)), "table restrictions")
	return table
}

func (t *useTally) signalTable() document.Table {
	table := document.NewTable("use-signals", "Fetches by the usage signals that bind, by purpose",
		"No page or site states a usage signal that binds.",
		document.Words.Columns("Purpose"), document.Number.Columns("Restricted", "Allowed", "Unstated"))
	table.Notes = []string{"A fetch counts once for a purpose, whatever the number of statements; where one restricts, it " +
		"is restricted."}
	for _, p := range t.purposes() {
		table.Add(meaning(tag.Purposes, p), t.signals[signal{p, "restrict"}], t.signals[signal{p, "allow"}],
			t.signals[signal{p, "unstated"}])
	}
	return table
}

// purposes are those that signals speak of.
func (t *useTally) purposes() (list []string) {
	for k := range t.signals {
		list = append(list, k.purpose)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// meaning returns the meaning of a value of a column: its first sentence.
func meaning(list []words.Word, value string) string {
	text, _, _ := strings.Cut(prose.PlainMarkdown(words.Find(list, value).Meaning), ". ")
	return cmp.Or(strings.TrimSuffix(text, "."), prose.Visible(value))
}
