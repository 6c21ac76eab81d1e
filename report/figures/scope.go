package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

const (
	maxCrawlers = 100 // rows of the table of crawlers
	maxInputs   = 300 // rows of the table of archives
	maxNamed    = 10  // names in a list of terms
)

// compareCrawlers puts the crawlers with most violations first, then those with most fetches.
func compareCrawlers(a, b *report.AgentRow) int {
	return cmp.Or(cmp.Compare(b.Violations(), a.Violations()), cmp.Compare(b.Fetches, a.Fetches),
		cmp.Compare(a.Agent, b.Agent))
}

// crawlerTally ranks crawlers.
type crawlerTally struct {
	first []*report.AgentRow
	total int64
}

func (t *crawlerTally) add(row *report.AgentRow) {
	t.total++
	kept := *row
	kept.Agent, kept.Claims = strings.Clone(row.Agent), nil
	if row.TimeToCompliance != nil {
		kept.TimeToCompliance = new(*row.TimeToCompliance)
	}
	for _, c := range row.Claims[:min(len(row.Claims), maxNamed)] {
		kept.Claims = append(kept.Claims, strings.Clone(prose.Clip(c, 60)))
	}
	t.first = insertRanked(t.first, maxCrawlers, &kept, compareCrawlers)
}

// table has the crawlers.
func (t *crawlerTally) table() document.Table {
	table := document.NewTable("crawlers", "Crawlers, by the product token of their User-Agent", "There are no fetches.",
		document.Words.Columns("Crawler", "Claims about robots.txt"),
		document.Number.Columns("Fetches", "Certain", "Probable", "Unproven", "Unknown"))
	table.Notes = []string{"A product token is the name by which robots.txt addresses a crawler. What a crawler claims about " +
		"robots.txt is the field robots of the archive’s warcinfo record. It is not trusted."}
	for _, c := range t.first {
		table.Add(prose.TokenName(c.Agent), cmp.Or(strings.Join(c.Claims, ", "), "nothing"), c.Fetches,
			c.ViolationsCertain, c.ViolationsProbable, c.Unproven(), c.Undecided())
	}
	table.LeaveOut(t.total-int64(len(t.first)), "table agent_stats")
	return table
}

// conduct is what the readers of access logs ask of crawlers: who asked for robots.txt, and who kept to it how soon.
func (t *crawlerTally) conduct() document.Table {
	table := document.NewTable("conduct-crawlers", "Crawlers, by the product token of their User-Agent",
		"There are no requests.", document.Words.Columns("Crawler"), document.Number.Columns("Requests", "Asked for robots.txt",
			"Certain", "Probable", "Violations after a change", "Longest after it", "Unproven", "Unknown", "Refused",
			"In its name from elsewhere"))
	table.Notes = []string{
		"A product token is the name by which robots.txt addresses a crawler. A change is a robots.txt that the crawler got, " +
			"and that differs from the one that it got before. Violations after " +
			"it are of what only the new one forbids; the longest time from getting it to such a violation says how late the " +
			"crawler complied. RFC 9309 lets a crawler use an older copy for 24 hours (section 2.4), but this one had the new.",
		"The columns Requests, Refused and In its name from elsewhere count requests of robots.txt, too. The server refused " +
			"with 401, 402, 403, 429 or 451, or with a challenge, which only the logs of Cloudflare show. Requests from elsewhere " +
			"came from an address that is not its operator’s, by --ranges.",
	}
	for _, c := range t.first {
		asked, late := document.Cell{Text: prose.Number(c.RobotsTxtItself), Number: c.RobotsTxtItself}, document.Cell{}
		if c.RobotsTxtItself == 0 && c.Fetches > 0 && c.Agent != "" {
			asked.Text = "never"
		}
		if c.TimeToCompliance != nil {
			late = document.Cell{Text: prose.Duration(*c.TimeToCompliance), Number: *c.TimeToCompliance}
		}
		table.Add(prose.TokenName(c.Agent), c.Fetches, asked, c.ViolationsCertain, c.ViolationsProbable,
			c.ViolationsAfterChange, late, c.Unproven(), c.Undecided(), c.Refused, c.Forged)
	}
	table.LeaveOut(t.total-int64(len(t.first)), "table agent_stats")
	return table
}

// catalogues begin the sources of tokens that are lists of somebody else, where nobody reaches an operator.
var catalogues = []string{
	"https://github.com/", "https://crawlerdex.tn3w.dev/", "https://crawlerpolicy.com/", "https://darkvisitors.com/",
	"https://www.botsights.com/",
}

// operators names who runs some of the crawlers, and where the list of agents has an address of theirs.
func (t *crawlerTally) operators(of map[string]bool) string {
	var names []string
	for _, c := range t.first {
		if a, known := agents.Find(c.Agent); known && of[a.Token] && a.Operator != "" {
			name := a.Operator + " (" + a.Token
			if !slices.ContainsFunc(catalogues, func(c string) bool { return strings.HasPrefix(a.Source, c) }) {
				name += "; " + a.Source
			}
			names = append(names, name+")")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(few(names, maxNamedInAnswer), ", ")
}

const (
	maxForgedLogs  = 10
	maxForgedLines = 20 // of a log
)

// forgedTally are the places of forged requests: the first few of the first few logs.
type forgedTally []forgedLog

type forgedLog struct {
	file   string
	places []int64
	total  int64
}

func (t *forgedTally) add(file string, places []int64, total int64) {
	i := slices.IndexFunc(*t, func(l forgedLog) bool { return l.file == file })
	if i < 0 {
		if len(*t) >= maxForgedLogs { // counted, and not found again
			file, places = "", nil
		}
		if i = slices.IndexFunc(*t, func(l forgedLog) bool { return l.file == file }); i < 0 {
			i, *t = len(*t), append(*t, forgedLog{file: strings.Clone(file)})
		}
	}
	l := &(*t)[i]
	l.total += total
	l.places = append(l.places, places[:min(len(places), maxForgedLines-len(l.places))]...)
}

// total counts the requests.
func (t forgedTally) total() (n int64) {
	for _, l := range t {
		n += l.total
	}
	return n
}

// command finds the requests in the logs. The place of a line is its number where the log is compressed, and otherwise
// its offset.
func (t forgedTally) command() string {
	var list []string
	for _, l := range t {
		if l.file == "" || !prose.CanName(l.file) || len(l.file) > prose.MaxName {
			continue
		}
		file := prose.ShellWord(l.file)
		lines := "grep -ab '' " + file
		for _, of := range [...]struct{ ending, tool string }{{".gz", "gzip"}, {".bz2", "bzip2"}, {".zst", "zstd"}} {
			if strings.HasSuffix(l.file, of.ending) {
				lines = of.tool + " -dc " + file + " | grep -an ''"
			}
		}
		slices.Sort(l.places)
		places := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(l.places), "[]")), "|")
		list = append(list, fmt.Sprintf("%s | grep -aE '^(%s):'", lines, places))
	}
	return strings.Join(list, "; ")
}

// unnamed counts the fetches of pages by crawlers without a name.
func (t *crawlerTally) unnamed() int64 {
	for _, c := range t.first {
		if c.Agent == "" {
			return c.Fetches - c.RobotsTxtItself
		}
	}
	return 0
}

// names are the names of the first few crawlers that fetched anything but robots.txt.
func (t *crawlerTally) names() (names []string) {
	for _, c := range t.first {
		if c.Agent != "" && c.Fetches > c.RobotsTxtItself {
			names = append(names, prose.Clip(c.Agent, 60))
		}
	}
	return names
}

// scope states what was audited.
func (b *builder) scope() document.Section {
	a := b.audit
	var tables []document.Table
	if !a.Inputs.AreLogs() {
		tables = append(tables, b.crawlers.table())
		if a.Inputs.Logs > 0 {
			tables = append(tables, b.crawlers.conduct())
		}
	}
	tables = append(tables, b.inputTable())
	names := func(list []string) []string { return []string{cmp.Or(strings.Join(few(list, maxNamed), ", "), "none")} }
	section := document.Section{
		ID: "scope", Heading: "What was audited",
		Terms: []document.Term{
			document.NewTerm("Period", b.period()),
			document.NewTerm("Crawlers known by name", names(b.crawlers.names())...),
			document.NewTerm("Collections", names(b.names)...),
			document.NewTerm("Fetches", b.fetchesText()...),
			document.NewTerm("robots.txt", append([]string{b.capturesText()}, b.exclusionsText(&a.Totals)...)...),
			document.NewTerm("Program", fmt.Sprintf("%s %s; tables of schema version %s", a.Tool, prose.Visible(a.Version),
				prose.Visible(a.SchemaVersion))),
			document.NewTerm("Settings", b.settings()...),
		},
		Tables: tables,
	}
	return section
}

// few are the first names of a list, and how many more there are.
func few(names []string, n int) []string {
	if len(names) <= n {
		return names
	}
	return append(slices.Clone(names[:n]), fmt.Sprintf("and %s more", prose.Number(int64(len(names)-n))))
}

func (b *builder) period() string {
	first, last := b.audit.Totals.FirstFetchTime, b.audit.Totals.LastFetchTime
	if first == nil || last == nil {
		return "No fetch has a date."
	}
	const layout = "2 January 2006"
	if from, to := first.UTC().Format(layout), last.UTC().Format(layout); from != to {
		return from + " to " + to + " (UTC)"
	}
	return first.UTC().Format(layout) + " (UTC)"
}

// fetchesText counts the fetches, and those that no record shows.
func (b *builder) fetchesText() []string {
	t := &b.audit.Totals
	of := "of"
	if !b.part.IsZero() {
		of = "in this part of an audit of"
	}
	text := []string{fmt.Sprintf("%s %s %s, on %s. A site is an origin: a scheme, a host and a port, for which one "+
		"robots.txt speaks (RFC 9309, section 2.3).", withoutRobots(t, b.audit.Inputs.Noun()), of, &b.audit.Inputs,
		report.Count(t.Origins, "site"))}
	if words := verificationText(&t.Verification); words != "" {
		text = append(text, words)
	}
	if t.Indexed > 0 {
		text = append(text, fmt.Sprintf("An index or a list of URLs alone reports %s: their records were not read, "+
			"and violations among them are at most probable.", report.Count(t.Indexed, b.audit.Inputs.Noun())))
	}
	return text
}

// verificationText says in words what became of the records that an index reports; "" where none is suspected.
func verificationText(v *evaluate.Verification) string {
	if v.Suspected == 0 {
		return ""
	}
	if v.Untried == v.Suspected {
		return "Suspected violations that an index reports: " + prose.Number(v.Suspected) + ". --verify reads their records."
	}
	text := "Suspected violations that an index reports: " + prose.Number(v.Suspected) + ". Their records: " +
		prose.Number(v.Verified) + " verified"
	for _, c := range []struct {
		n    int64
		what string
	}{{v.Refuted, "not where the index says"}, {v.Unread, "could not be read"}, {v.Untried, "not looked for"}} {
		if c.n > 0 {
			text += ", " + prose.Number(c.n) + " " + c.what
		}
	}
	return text + "."
}

// exclusionsText counts the URLs that a crawler left out by its log, and what robots.txt says of them.
func (f *Figures) exclusionsText(t *report.Totals) []string {
	if t.Exclusions == 0 {
		return nil
	}
	text := "Logs name " + report.Count(t.Exclusions, "URL") + " that robots.txt kept a crawler from"
	if n := f.exclusions; total(n) == t.Exclusions {
		text += fmt.Sprintf(": by the captures, %s disallowed, %s allowed, %s unknown", prose.Number(n["disallowed"]),
			prose.Number(n["allowed"]), prose.Number(n["unknown"]))
	}
	return []string{text + " (table exclusions)."}
}

// capturesText counts the captures of robots.txt by outcome.
func (b *builder) capturesText() string {
	total, parts := int64(0), []string(nil)
	for _, o := range [][2]string{
		{"rules", "with a file"},
		{"partial", "with a part of a file"},
		{"unavailable", "not available (status 4xx, or too many redirects): everything is allowed"},
		{"unreachable", "not reachable (status 5xx and the like): everything is forbidden"},
		{"unresolved", "unresolved (the " + b.audit.Inputs.Sources() + " lack what it refers to)"},
		{"undefined", "undefined (a status or a coding that says nothing)"},
	} {
		if n := b.audit.Totals.RobotsOutcomes[o[0]]; n > 0 {
			total += n
			parts = append(parts, prose.Number(n)+" "+o[1])
		}
	}
	text := "captured " + report.Count(total, "time")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, "; ")
	}
	return text
}

// verdictSettings names the options that shape verdicts, and the first rules of --crawler @FILE.
func verdictSettings(s *report.Settings, crawlers int) []string {
	words := []string{"Profile " + prose.Visible(s.Profile)}
	if p, err := robots.ParseProfile(s.Profile); err == nil {
		words[0] += ": robots.txt is read by " + p.Source() + "."
	}
	if s.Crawler != "" {
		words = append(words, "All fetches and captures count as those of "+prose.Clip(s.Crawler, prose.MaxName)+" (--crawler).")
	}
	for _, line := range few(s.CrawlerMap, crawlers) {
		words = append(words, "Crawler by User-Agent (--crawler): "+prose.Clip(line, prose.MaxName))
	}
	if !s.AsOf.IsZero() {
		words = append(words, "Other crawlers and restrictions are judged as of "+prose.AsOfText(s.AsOf)+" (--as-of).")
	}
	return words
}

// settings names the options that shape the results.
func (b *builder) settings() []string {
	s := b.audit.Settings
	words := verdictSettings(&s, maxNamed)
	if len(s.Purposes) > 0 {
		words = append(words, fmt.Sprintf("Restrictions are looked for on %s %s (--purpose).",
			prose.IsAre(int64(len(s.Purposes)), "the purpose", "the purposes"), prose.Visible(prose.List(s.Purposes))))
	}
	if len(s.Agents) > 0 {
		words = append(words, fmt.Sprintf("%s other %s asked about (--agents).", prose.Number(int64(len(s.Agents))),
			prose.IsAre(int64(len(s.Agents)), "crawler is", "crawlers are")))
	}
	return append(words, "Registered domains: "+prose.Visible(s.PublicSuffixList))
}

// digestText names the content of an archive.
func digestText(in *report.AuditInput) string {
	switch {
	case in.SHA256 != nil:
		return "sha256:" + prose.Visible(*in.SHA256)
	case in.Fingerprint == "":
		return "none: nothing was read"
	}
	return "fingerprint " + prose.Visible(in.Fingerprint)
}

// inputTable lists the archives.
func (b *builder) inputTable() document.Table {
	table := document.NewTable("inputs", "Archives", "No archive was read.", document.Code.Columns("File"),
		document.Number.Columns("Bytes"),
		document.Words.Columns("Form"), document.Number.Columns("Fetches", "Captures of robots.txt"),
		document.Code.Columns("SHA-256 or fingerprint"))
	if b.audit.Inputs.Unhashed > 0 {
		table.Notes = []string{
			"A fingerprint shows whether an archive is still the same. It is made of the checksums and lengths of its " +
				"compressed records, of the headers of its records, or of the rows of an index. For a SHA-256, audit " +
				"with --digest-inputs.",
		}
	}
	if !b.part.IsZero() {
		table.Notes = append(table.Notes, "Archives are listed with all that they hold.")
	}
	for _, in := range b.firstInputs {
		table.Add(prose.Clip(in.Name, prose.MaxName), in.Size, prose.Visible(in.Container), in.Fetches, in.Robots,
			digestText(in))
	}
	table.LeaveOut(b.audit.Inputs.Count()-maxInputs, "audit.json")
	return table
}
