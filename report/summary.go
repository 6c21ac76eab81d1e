package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
)

const (
	topRows  = 5       // origins and rules shown
	topNames = 10      // claims, crawlers, other crawlers and inputs shown
	maxNames = 1 << 10 // different claims counted apart
	maxLabel = 40      // octets shown of a value from an archive, in a column of its own
	maxShown = 100     // and elsewhere
)

// Summary gathers what the terminal shows at the end of an audit. Its memory does
// not grow with the archives.
type Summary struct {
	matrix      [3][4]int64 // verdict × evidence
	unknown     map[evaluate.Reason]int64
	claims      map[string]*evaluate.Counts
	agents      []ranked[evaluate.AgentStats]
	agentCount  int
	hosts       []ranked[evaluate.HostStats]
	rules       []ranked[ruleCount]
	here        map[ruleCount]int64 // what violations of the origin in hand were disallowed by
	whatIf      whatIf
	exclusions  [3]int64 // by verdict
	pages       pageCounts
	issues      map[ingest.IssueKind]int64
	issueCount  int64
	lossy       []lossyInput // the first of lossyInputs
	lossyInputs int64
	lastLossy   string
	audit       *Audit // set by Writer.Commit
}

// ruleCount names what a violation was disallowed by.
type ruleCount struct{ origin, rule string }

// lossyInput is an input of which something could not be read, and the first
// reason.
type lossyInput struct {
	name, detail string
	kind         ingest.IssueKind
}

// ranked is a row of a ranking.
type ranked[T any] struct {
	key   string // breaks ties
	count int64
	row   T
}

func newSummary() *Summary {
	return &Summary{
		unknown: make(map[evaluate.Reason]int64), claims: make(map[string]*evaluate.Counts),
		here: make(map[ruleCount]int64), whatIf: newWhatIf(), pages: newPageCounts(), issues: make(map[ingest.IssueKind]int64),
	}
}

// rank puts a row into a ranking of the n largest counts.
func rank[T any](list []ranked[T], n int, r ranked[T]) []ranked[T] {
	if r.count == 0 {
		return list
	}
	i, _ := slices.BinarySearchFunc(list, r, func(a, b ranked[T]) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.key, b.key))
	})
	if i >= n {
		return list
	}
	list = slices.Insert(list, i, r)
	return list[:min(len(list), n)]
}

func (s *Summary) addResult(r *evaluate.Result) {
	s.matrix[r.Verdict][r.Evidence]++
	if r.Verdict == evaluate.Unknown {
		s.unknown[r.Reason]++
	}
	s.claimCounts(r.Fetch.Claim).Add(r)
	s.pages.add(r)
	if r.IsViolation() {
		s.here[ruleCount{r.Fetch.Origin, disallowedBy(r)}]++
	}
}

// otherClaims stands for the claims beyond maxNames.
const otherClaims = "(others)"

func (s *Summary) claimCounts(claim string) *evaluate.Counts {
	c := s.claims[claim]
	if c == nil && len(s.claims) >= maxNames {
		claim = otherClaims
		c = s.claims[claim]
	}
	if c == nil {
		c = new(evaluate.Counts)
		s.claims[strings.Clone(claim)] = c
	}
	return c
}

func disallowedBy(r *evaluate.Result) string {
	switch {
	case r.Rule != nil:
		return r.Rule.Text
	case r.Governing.FinalStatus >= 0:
		return fmt.Sprintf("robots.txt unreachable (status %d)", r.Governing.FinalStatus)
	}
	return "robots.txt unreachable"
}

// addHost ends an origin.
func (s *Summary) addHost(h *evaluate.HostStats) {
	s.hosts = rank(s.hosts, topRows, ranked[evaluate.HostStats]{h.Origin, h.ViolationsCertain + h.ViolationsProbable, *h})
	for rc, n := range s.here {
		s.rules = rank(s.rules, topRows, ranked[ruleCount]{rc.origin + " " + rc.rule, n, rc})
	}
	clear(s.here)
	s.whatIf.endOrigin()
}

func (s *Summary) addAgent(a *evaluate.AgentStats) {
	s.agents = rank(s.agents, topNames, ranked[evaluate.AgentStats]{a.Agent, a.Fetches, *a})
	s.agentCount++
}

// addIssue counts an issue. Those of an input come one after the other.
func (s *Summary) addIssue(name string, i *ingest.Issue) {
	s.issueCount++
	s.issues[i.Kind]++
	if !i.Kind.Lossy() || s.lossyInputs > 0 && s.lastLossy == name {
		return
	}
	s.lossyInputs++
	s.lastLossy = name
	if len(s.lossy) < topNames {
		s.lossy = append(s.lossy, lossyInput{name, i.Detail, i.Kind})
	}
}

// Lossy reports whether some input could not be read wholly.
func (s *Summary) Lossy() bool { return s.lossyInputs > 0 }

// Violations returns the number of certain and probable violations.
func (s *Summary) Violations() int64 { return s.audit.Totals.Violations }

// Print writes the summary for a person to read, once the tables are committed.
func (s *Summary) Print(w io.Writer) error {
	var p page
	s.printInputs(&p)
	s.printMatrix(&p)
	s.printViolations(&p)
	s.printShares(&p)
	s.printClaims(&p)
	s.printWhatIf(&p)
	s.printPages(&p)
	s.printRankings(&p)
	s.printUnread(&p)
	p.endColumns()
	_, err := io.WriteString(w, p.text.String())
	return err
}

func (s *Summary) printInputs(p *page) {
	t := s.audit.Totals
	var size int64
	for _, in := range s.audit.Inputs {
		size += in.Size
	}
	p.line("Audited %s (%s): %s on %s, by the rules of profile %s.",
		plural(int64(len(s.audit.Inputs)), "archive"), Bytes(size), plural(t.Fetches, "fetch"),
		plural(t.Origins, "origin"), s.audit.Settings.Profile)
	p.line("robots.txt was captured %s%s.", plural(total(t.RobotsOutcomes), "time"), outcomesText(t.RobotsOutcomes))
	if t.LogEvidence > 0 {
		p.line("Logs tell %s that it could not be had.", plural(t.LogEvidence, "time"))
	}
	if t.Exclusions > 0 {
		p.line("Logs name %s that robots.txt kept a crawler from: by the captures %s disallowed, %s allowed, %s unknown.",
			plural(t.Exclusions, "URL"), number(s.exclusions[evaluate.Disallowed]), number(s.exclusions[evaluate.Allowed]),
			number(s.exclusions[evaluate.Unknown]))
	}
	if t.Duplicates > 0 {
		p.line("Of %s the archives hold another copy; each was counted once.", plural(t.Duplicates, "record"))
	}
}

func total(m map[string]int64) (n int64) {
	for _, v := range m {
		n += v
	}
	return n
}

func outcomesText(m map[string]int64) string {
	var parts []string
	for _, o := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, o+" "+number(m[o]))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; outcomes: " + strings.Join(parts, ", ")
}

func (s *Summary) printMatrix(p *page) {
	p.columns("Verdicts, by evidence", "fresh", "stale", "later", "none", "total")
	for _, v := range []evaluate.Verdict{evaluate.Allowed, evaluate.Disallowed, evaluate.Unknown} {
		r := s.matrix[v]
		p.row(v.String(), number(r[evaluate.Fresh]), number(r[evaluate.Stale]), number(r[evaluate.Later]),
			number(r[evaluate.None]), number(r[0]+r[1]+r[2]+r[3]))
	}
	p.endColumns()
	p.line("  fresh: robots.txt captured at most 24 h before the fetch; stale: longer before; later: within")
	p.line("  24 h after; none: not at all, or not needed (fetches of robots.txt itself are allowed)")
}

func (s *Summary) printViolations(p *page) {
	t := s.audit.Totals
	p.heading("Violations: what robots.txt disallowed to the very crawler that fetched it")
	p.noted("certain", number(t.ViolationsCertain), "on fresh evidence of the crawler's own, and no copy it may have used allows it")
	p.noted("probable", number(t.ViolationsProbable), "on weaker evidence, or the crawler's name is not known")
	p.noted("together", number(t.Violations), "")
	p.heading("Counted apart: no violations")
	p.noted("contested", number(t.Contested), "disallowed, but a copy the crawler may have used, or another reading, allows it")
	p.noted("possible", number(t.Possible), "disallowed, but nothing shows that this crawler was told in time")
	p.noted("unknown", number(t.Unknown), "")
	for _, reason := range slices.Sorted(maps.Keys(s.unknown)) {
		p.noted("  "+reason.String(), number(s.unknown[reason]), unknownGloss[reason])
	}
}

func (s *Summary) printShares(p *page) {
	t := s.audit.Totals
	p.heading("Disallowed: %s of %s with a known verdict%s;", number(t.Disallowed), plural(t.Allowed+t.Disallowed, "fetch"),
		percent(t.DisallowedShareOfKnown))
	p.line("%s of all %s%s if every unknown one is counted as disallowed.", number(t.Disallowed+t.Unknown),
		number(t.Fetches), percent(t.DisallowedOrUnknownShare))
	p.line("robots.txt is a request, not an authorization (RFC 9309 §1): disallowed does not mean illegal.")
}

func (s *Summary) printClaims(p *page) {
	columns := []string{"fetches", "certain", "probable", "contested", "unknown"}
	p.columns("Claim (robots: of warcinfo), and finding", columns...)
	claims := s.rankedClaims()
	for _, c := range claims[:min(len(claims), topNames)] {
		p.row(cmp.Or(shown(c.key, maxLabel), "(no claim)"), countsText(c.row)...)
	}
	p.more(len(claims))
	p.columns("Crawlers, by product token", columns...)
	for _, a := range s.agents {
		p.row(cmp.Or(shown(a.key, maxLabel), "(none known)"), countsText(&a.row.Counts)...)
	}
	p.more(s.agentCount)
}

// rankedClaims lists the claims, those of most fetches first.
func (s *Summary) rankedClaims() (list []ranked[*evaluate.Counts]) {
	for claim, c := range s.claims {
		list = rank(list, len(s.claims), ranked[*evaluate.Counts]{claim, c.Fetches, c})
	}
	return list
}

func countsText(c *evaluate.Counts) []string {
	return []string{number(c.Fetches), number(c.ViolationsCertain), number(c.ViolationsProbable), number(c.Contested),
		number(c.Unknown)}
}

func (s *Summary) printWhatIf(p *page) {
	list := s.whatIf.ranking()
	if len(list) == 0 {
		return
	}
	p.columns("Other crawlers would have been", "allowed", "disallowed", "unknown")
	for _, a := range list[:min(len(list), topNames)] {
		c := a.verdictCounts
		p.row(shown(a.agent, maxLabel), number(c[evaluate.Allowed]), number(c[evaluate.Disallowed]), number(c[evaluate.Unknown]))
	}
	p.more(len(list))
}

func (s *Summary) printRankings(p *page) {
	if len(s.hosts) == 0 {
		return
	}
	p.columns("Origins with most violations", "violations", "fetches")
	for _, h := range s.hosts {
		p.row(cmp.Or(shown(h.key, maxLabel), "(none)"), number(h.count), number(h.row.Fetches))
	}
	p.columns("Rules with most violations", "violations")
	for _, r := range s.rules {
		p.noted(shown(r.row.rule, maxLabel), number(r.count), shown(r.row.origin, maxShown))
	}
}

func (s *Summary) printUnread(p *page) {
	var noted []ingest.IssueKind
	for _, k := range slices.Sorted(maps.Keys(s.issues)) {
		if !k.Lossy() {
			noted = append(noted, k)
		}
	}
	if s.lossyInputs == 0 {
		p.heading("Every archive was read to its end.")
	} else {
		p.heading("Not wholly read: %s. Fetches may be missing.", plural(s.lossyInputs, "input"))
		for _, in := range s.lossy {
			p.line("  %s %s", shown(in.name, maxShown), issueGloss[in.kind])
			p.line("    %s: %s", in.kind, shown(in.detail, maxShown))
		}
		p.more(int(s.lossyInputs))
	}
	if len(noted) == 0 {
		return
	}
	p.heading("Noted in reading (table issues)")
	for _, k := range noted {
		p.noted(k.String(), number(s.issues[k]), issueGloss[k])
	}
}

// page lays out lines and columns: labels left, numbers right, remarks last.
type page struct {
	text strings.Builder
	rows [][]string // of the columns in hand
}

// columns begins columns, under a heading and names.
func (p *page) columns(heading string, names ...string) {
	p.line("")
	p.rows = append(p.rows, append([]string{heading}, names...))
}

// row adds a row of columns: a label and numbers.
func (p *page) row(label string, numbers ...string) {
	p.rows = append(p.rows, append([]string{"  " + label}, numbers...))
}

// remark marks a cell as one of words.
const remark = "\t"

// noted adds a row of a label, a number and words about it.
func (p *page) noted(label, number, words string) { p.row(label, number, remark+words) }

// more says that a list of n was cut at topNames.
func (p *page) more(n int) {
	if n > topNames {
		p.line("  and %s more", number(int64(n-topNames)))
	}
}

// line ends the columns in hand and writes a line.
func (p *page) line(format string, args ...any) {
	p.endColumns()
	fmt.Fprintf(&p.text, format+"\n", args...)
}

func (p *page) heading(format string, args ...any) {
	p.line("")
	p.line(format, args...)
}

// endColumns writes the rows gathered, each column as wide as its widest cell.
func (p *page) endColumns() {
	var widths []int
	for _, row := range p.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range p.rows {
		var b strings.Builder
		for i, cell := range row {
			words, isRemark := strings.CutPrefix(cell, remark)
			switch {
			case i == 0:
				fmt.Fprintf(&b, "%-*s", widths[0], cell)
			case isRemark:
				b.WriteString("  " + words)
			default:
				fmt.Fprintf(&b, "  %*s", widths[i], cell)
			}
		}
		p.text.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	p.rows = nil
}

// shown makes a value from an archive safe for a terminal, and short.
func shown(s string, limit int) string {
	if len(s) > limit {
		s = cut(s, limit) + "…"
	}
	q := strconv.Quote(locator(s))
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// number writes an integer with separators.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "ch") {
		return number(n) + " " + what + "es"
	}
	return number(n) + " " + what + "s"
}

func percent(share *float64) string {
	if share == nil {
		return ""
	}
	return fmt.Sprintf(" (%.1f %%)", 100**share)
}

// Bytes writes a size in the units that file sizes are told in.
func Bytes(n int64) string {
	if n < 1000 {
		return plural(n, "byte")
	}
	v, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB", "PB"} {
		v /= 1000
		if v < 999.95 { // which is shown as 1000.0
			break
		}
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}
