package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
)

const (
	topRows     = 10   // rows of a ranking
	maxKinds    = 1024 // different claims counted apart
	maxLossy    = 1 << 16
	maxShownLen = 60 // octets of a rule or URL shown
)

// Summary gathers what the terminal shows at the end of an audit. Its memory does
// not grow with the archives.
type Summary struct {
	matrix     [3][4]int64 // verdict × evidence
	unknown    map[string]int64
	claims     map[string]*evaluate.Counts
	agents     []ranked[evaluate.AgentStats]
	hosts      []ranked[evaluate.HostStats]
	rules      []ranked[ruleCount]
	here       map[ruleCount]int64 // rules violated on the origin in hand
	issueKinds map[string]int64
	issueCount int64
	lossy      map[string]string // inputs of which something was not read, with the first reason
	audit      *Audit
}

// ruleCount names what a violation was disallowed by.
type ruleCount struct{ origin, rule string }

// ranked is a row of a ranking.
type ranked[T any] struct {
	key   string // breaks ties
	count int64
	row   T
}

func newSummary() *Summary {
	return &Summary{
		unknown: make(map[string]int64), claims: make(map[string]*evaluate.Counts),
		here: make(map[ruleCount]int64), issueKinds: make(map[string]int64), lossy: make(map[string]string),
	}
}

// rank puts a row into a ranking of the topRows largest counts.
func rank[T any](list []ranked[T], r ranked[T]) []ranked[T] {
	if r.count == 0 {
		return list
	}
	i, _ := slices.BinarySearchFunc(list, r, func(a, b ranked[T]) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.key, b.key))
	})
	if i >= topRows {
		return list
	}
	list = slices.Insert(list, i, r)
	return list[:min(len(list), topRows)]
}

func (s *Summary) addResult(r *evaluate.Result) {
	s.matrix[r.Verdict][r.Evidence]++
	if r.Verdict == evaluate.Unknown {
		s.unknown[r.Reason.String()]++
	}
	claim := r.Fetch.Claim
	c := s.claims[claim]
	if c == nil && len(s.claims) < maxKinds {
		c = new(evaluate.Counts)
		s.claims[claim] = c
	}
	if c != nil {
		c.Add(r)
	}
	if r.IsViolation() {
		rule := "robots.txt unreachable (" + strconv.Itoa(int(r.Governing.FinalStatus)) + ")"
		if r.Rule != nil {
			rule = r.Rule.Text
		}
		s.here[ruleCount{r.Fetch.Origin, rule}]++
	}
}

// addHost ends an origin.
func (s *Summary) addHost(h *evaluate.HostStats) {
	s.hosts = rank(s.hosts, ranked[evaluate.HostStats]{h.Origin, h.ViolationsCertain + h.ViolationsProbable, *h})
	for rc, n := range s.here {
		s.rules = rank(s.rules, ranked[ruleCount]{rc.origin + " " + rc.rule, n, rc})
	}
	clear(s.here)
}

func (s *Summary) addAgent(a *evaluate.AgentStats) {
	s.agents = rank(s.agents, ranked[evaluate.AgentStats]{a.Agent, a.Fetches, *a})
}

func (s *Summary) addIssue(name string, i *ingest.Issue) {
	s.issueCount++
	s.issueKinds[i.Kind.String()]++
	if _, known := s.lossy[name]; !known && i.Kind.Lossy() && len(s.lossy) < maxLossy {
		s.lossy[name] = i.Kind.String() + ": " + i.Detail
	}
}

// Lossy reports whether some input could not be read wholly.
func (s *Summary) Lossy() bool { return len(s.lossy) > 0 }

// Violations returns the number of certain and probable violations.
func (s *Summary) Violations() int64 { return s.audit.Totals.Violations }

// Print writes the summary for a person to read.
func (s *Summary) Print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	p := printer{out: out}
	s.printInputs(&p)
	s.printMatrix(&p)
	s.printViolations(&p)
	s.printClaims(&p)
	s.printRankings(&p)
	s.printUnread(&p)
	if p.err != nil {
		return p.err
	}
	return out.Flush()
}

// printer writes lines and keeps the first error.
type printer struct {
	out *tabwriter.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format+"\n", args...)
	}
}

// heading ends the columns of the part before.
func (p *printer) heading(format string, args ...any) {
	p.line("")
	if p.err == nil {
		p.err = p.out.Flush()
	}
	p.line(format, args...)
}

func (s *Summary) printInputs(p *printer) {
	t := s.audit.Totals
	var size int64
	for _, in := range s.audit.Inputs {
		size += in.Size
	}
	p.line("Audited %s (%s): %s on %s, by the rules of profile %s.",
		plural(int64(len(s.audit.Inputs)), "archive"), Bytes(size), plural(t.Fetches, "fetch"),
		plural(t.Origins, "origin"), s.audit.Settings.Profile)
	p.line("%s of robots.txt: %s.", plural(outcomes(t.RobotsOutcomes), "capture"), outcomesText(t.RobotsOutcomes))
	if t.Duplicates > 0 {
		p.line("%s in more than one archive counted once.", plural(t.Duplicates, "record"))
	}
}

func outcomes(m map[string]int64) (n int64) {
	for _, v := range m {
		n += v
	}
	return n
}

func outcomesText(m map[string]int64) string {
	var parts []string
	for _, o := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, number(m[o])+" "+o)
	}
	if len(parts) == 0 {
		return "none in these archives"
	}
	return strings.Join(parts, ", ")
}

func (s *Summary) printMatrix(p *printer) {
	p.heading("Verdicts by evidence (how long before the fetch robots.txt was captured)")
	p.line("\tfresh\tstale\tlater\tnone\ttotal\t")
	p.line("\t≤ 24 h\tolder\tafter\t\t\t")
	for _, v := range []evaluate.Verdict{evaluate.Allowed, evaluate.Disallowed, evaluate.Unknown} {
		row := s.matrix[v]
		p.line("  %s\t%s\t%s\t%s\t%s\t%s\t", v, number(row[evaluate.Fresh]), number(row[evaluate.Stale]),
			number(row[evaluate.Later]), number(row[evaluate.None]), number(row[0]+row[1]+row[2]+row[3]))
	}
}

func (s *Summary) printViolations(p *printer) {
	t := s.audit.Totals
	p.heading("Violations: fetches disallowed by robots.txt to the crawler that made them")
	p.line("  certain\t%s\t", number(t.ViolationsCertain))
	p.line("  probable\t%s\t", number(t.ViolationsProbable))
	p.line("  together\t%s\t", number(t.Violations))
	p.heading("Counted apart, no violations")
	p.line("  contested\t%s\t", number(t.Contested))
	p.line("  disallowed, evidence over 30 days old\t%s\t", number(t.DisallowedStale))
	p.line("  unknown\t%s\t", number(t.Unknown))
	for _, reason := range slices.Sorted(maps.Keys(s.unknown)) {
		p.line("    %s\t%s\t", reason, number(s.unknown[reason]))
	}
	known := t.Allowed + t.Disallowed
	p.heading("Disallowed: %s of %s fetches with a known verdict%s; %s of all %s if every unknown one counted as disallowed%s.",
		number(t.Disallowed), number(known), percent(t.DisallowedShareOfKnown),
		number(t.Disallowed+t.Unknown), number(t.Fetches), percent(t.DisallowedOrUnknownShare))
	p.line("robots.txt is a request, not an authorization (RFC 9309 §1): disallowed does not mean illegal.")
}

func (s *Summary) printClaims(p *printer) {
	p.heading("What the archives claim of the crawl (warcinfo robots:), and what was found")
	p.line("  claim\tfetches\tcertain\tprobable\tcontested\tunknown\t")
	for _, claim := range slices.Sorted(maps.Keys(s.claims)) {
		c := s.claims[claim]
		p.line("  %s\t%s\t%s\t%s\t%s\t%s\t", cmp.Or(shown(claim), "(no claim)"), number(c.Fetches),
			number(c.ViolationsCertain), number(c.ViolationsProbable), number(c.Contested), number(c.Unknown))
	}
	p.heading("Crawlers (product token)")
	p.line("  token\tfetches\tcertain\tprobable\tcontested\tunknown\t")
	for _, a := range s.agents {
		p.line("  %s\t%s\t%s\t%s\t%s\t%s\t", cmp.Or(shown(a.row.Agent), "(none known)"), number(a.row.Fetches),
			number(a.row.ViolationsCertain), number(a.row.ViolationsProbable), number(a.row.Contested), number(a.row.Unknown))
	}
}

func (s *Summary) printRankings(p *printer) {
	if len(s.hosts) == 0 {
		return
	}
	p.heading("Origins with most violations")
	for _, h := range s.hosts {
		p.line("%s\t of %s fetches\t %s\t", number(h.count), number(h.row.Fetches), shown(h.row.Origin))
	}
	p.heading("What they were disallowed by")
	for _, r := range s.rules {
		p.line("%s\t %s\t %s\t", number(r.count), shown(r.row.rule), shown(r.row.origin))
	}
}

func (s *Summary) printUnread(p *printer) {
	if s.issueCount == 0 {
		p.heading("Every archive was read to its end.")
		return
	}
	if len(s.lossy) == 0 {
		p.heading("Every archive was read to its end. Noted in the table issues: %s.", kindsText(s.issueKinds))
		return
	}
	p.heading("Not wholly read: %s; fetches may be missing", plural(int64(len(s.lossy)), "input"))
	names := slices.Sorted(maps.Keys(s.lossy))
	for _, name := range names[:min(len(names), topRows)] {
		p.line("  %s: %s", name, shown(s.lossy[name]))
	}
	if len(names) > topRows {
		p.line("  and %s more", number(int64(len(names)-topRows)))
	}
	p.line("All in the table issues: %s.", kindsText(s.issueKinds))
}

func kindsText(kinds map[string]int64) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		parts = append(parts, number(kinds[k])+" "+k)
	}
	return strings.Join(parts, ", ")
}

// shown makes a value from an archive safe and short enough for a terminal.
func shown(s string) string {
	if len(s) > maxShownLen {
		s = s[:maxShownLen] + "…"
	}
	q := strconv.Quote(strings.ToValidUTF8(s, "\uFFFD"))
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
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	v, i := float64(n), 0
	for v >= 1000 && i < len(units)-1 {
		v, i = v/1000, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}
