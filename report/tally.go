package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

const (
	topRows  = 5       // origins and rules in a summary
	topNames = 10      // crawlers and inputs in a summary
	maxNames = 1 << 10 // different claims counted apart
)

// tally counts, while results are written, what goes into the summary. Of parts, the fields that
// encoding/gob sees add up. Its memory does not grow with the archives.
type tally struct {
	Evidence    sums[evaluate.Verdict]
	Unknown     sums[evaluate.Reason]
	Claims      map[string]*evaluate.Counts
	agents      []NamedCounts
	agentCount  int
	Origins     []Numbers
	Rules       []Numbers
	here        map[string]int64 // violations of the origin in hand, by their rule
	WhatIf      WhatIf
	Exclusions  VerdictCounts
	Tags        sums[tag.Rule]    // fetches by rule that is effective for the crawler
	Signals     sums[tag.Purpose] // fetches by preference
	Restricted  sums[tag.Use]     // by kind
	issues      sums[words.IssueKind]
	issueCount  int64
	unread      []UnreadInput // the first of unreadCount
	unreadCount int64
	lastUnread  string
	Unnamed     Unnamed
	Ungoverned  []string // what-if tokens, where some fetch has no governing capture
}

func newTally() *tally {
	return &tally{
		Evidence: make(sums[evaluate.Verdict]), Unknown: make(sums[evaluate.Reason]),
		Claims: make(map[string]*evaluate.Counts),
		here:   make(map[string]int64), WhatIf: NewWhatIf(), Tags: make(sums[tag.Rule]),
		Signals:    make(sums[tag.Purpose]),
		Restricted: make(sums[tag.Use]), issues: make(sums[words.IssueKind]),
	}
}

// add adds the counts of another tally.
func (t *tally) add(o *tally) {
	t.Evidence.sum(o.Evidence)
	t.Unknown.sum(o.Unknown)
	for _, claim := range slices.Sorted(maps.Keys(o.Claims)) {
		t.claimCounts(claim).Sum(o.Claims[claim])
	}
	for _, r := range o.Origins {
		t.Origins = rankNumbers(t.Origins, r)
	}
	for _, r := range o.Rules {
		t.Rules = rankNumbers(t.Rules, r)
	}
	t.WhatIf.addAll(&o.WhatIf)
	t.Exclusions.Sum(o.Exclusions)
	t.Tags.sum(o.Tags)
	t.Signals.sum(o.Signals)
	t.Restricted.sum(o.Restricted)
	t.Unnamed.Captures += o.Unnamed.Captures
	t.Unnamed.Fetches += o.Unnamed.Fetches
	if t.Ungoverned == nil {
		t.Ungoverned = o.Ungoverned
	}
}

// sums are some numbers of each value of an enum.
type sums[K enum] map[K][maxNumbers]int64

const maxNumbers = int(tag.PreferenceRestrict) + 1

type enum interface {
	cmp.Ordered
	String() string
}

// add adds 1 to the i-th number of k.
func (s sums[K]) add(k K, i int) {
	numbers := s[k]
	numbers[i]++
	s[k] = numbers
}

func (s sums[K]) sum(o sums[K]) {
	for k, more := range o {
		numbers := s[k]
		for i, n := range more {
			numbers[i] += n
		}
		s[k] = numbers
	}
}

// row has some of the numbers of k.
func (s sums[K]) row(k K, columns ...int) Numbers {
	numbers, row := s[k], Numbers{Name: k.String()}
	for _, i := range columns {
		row.N = append(row.N, numbers[i])
	}
	return row
}

// list lists the rows of all values, sorted by value.
func (s sums[K]) list(columns ...int) (list []Numbers) {
	for _, k := range slices.Sorted(maps.Keys(s)) {
		list = append(list, s.row(k, columns...))
	}
	return list
}

func addCounts[K comparable](to, from map[K]int64) {
	for key, n := range from {
		to[key] += n
	}
}

// Rank puts a row into a ranking of the first n, after its equals.
func Rank[T any](list []T, n int, row T, compare func(a, b T) int) []T {
	i := sort.Search(len(list), func(i int) bool { return compare(list[i], row) > 0 })
	if i >= n {
		return list
	}
	list = slices.Insert(list, i, row)
	return list[:min(len(list), n)]
}

// rankNumbers ranks by the first number, unless it is 0.
func rankNumbers(list []Numbers, row Numbers) []Numbers {
	if row.N[0] == 0 {
		return list
	}
	return Rank(list, topRows, row, func(a, b Numbers) int {
		return cmp.Or(cmp.Compare(b.N[0], a.N[0]), cmp.Compare(a.Origin+" "+a.Name, b.Origin+" "+b.Name))
	})
}

// compareFetches puts the name with most fetches first.
func compareFetches(a, b NamedCounts) int {
	return cmp.Or(cmp.Compare(b.Fetches, a.Fetches), cmp.Compare(a.Name, b.Name))
}

func (t *tally) addRobots(r *evaluate.RobotsRecord) {
	if r.Type != facts.TypeLogLine && r.Agent() == "" {
		t.Unnamed.Captures++
	}
}

func (t *tally) addResult(r *evaluate.Result) {
	t.Evidence.add(r.Verdict, int(r.Evidence))
	if r.Verdict == evaluate.Unknown {
		t.Unknown.add(r.Reason, 0)
	}
	t.claimCounts(r.Fetch.Claim).Add(r)
	if r.Agent == "" && r.Reason != words.RobotsTxtItself {
		t.Unnamed.Fetches++
	}
	for i := range r.Restrictions {
		t.Restricted.add(r.Restrictions[i].Purpose, int(r.Restrictions[i].Kind))
	}
	if r.Page != nil {
		t.addPage(r.Page)
	}
	if r.IsViolation() {
		t.here[disallowedBy(r)]++
	}
}

// addPage counts the statements on the use of a fetch.
func (t *tally) addPage(p *evaluate.Page) {
	for _, rule := range p.Own.Rules() {
		if rule.Restricts() {
			t.Tags.add(rule, 0)
		}
	}
	if len(p.Signals) == 0 {
		return
	}
	var signals []tag.Signal
	for i := range p.Signals {
		signals = append(signals, p.Signals[i].Signal)
	}
	for purpose := tag.PurposeAutomated; purpose < tag.PurposeLicense; purpose++ {
		if slices.ContainsFunc(signals, func(s tag.Signal) bool { return s.Purpose == purpose && s.Binds() }) {
			t.Signals.add(purpose, int(tag.Prefers(signals, purpose)))
		}
	}
}

// otherClaims stands for the claims beyond maxNames.
const otherClaims = "(others)"

func (t *tally) claimCounts(claim string) *evaluate.Counts {
	c := t.Claims[claim]
	if c == nil && len(t.Claims) >= maxNames {
		claim = otherClaims
		c = t.Claims[claim]
	}
	if c == nil {
		c = new(evaluate.Counts)
		t.Claims[strings.Clone(claim)] = c
	}
	return c
}

// addVerdict counts a what-if verdict. What is allowed to all is left out.
func (t *tally) addVerdict(robotsID int64, v *evaluate.GroupVerdict) {
	if v.Reason != words.RobotsTxtItself {
		t.WhatIf.Add(TokenGroup{robotsID, v.Group}, v.Verdict.String())
	}
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
func (t *tally) addHost(h *evaluate.HostStats) {
	t.Origins = rankNumbers(t.Origins, Numbers{Name: h.Origin, N: []int64{h.Violations(), h.Fetches}})
	for rule, n := range t.here {
		t.Rules = rankNumbers(t.Rules, Numbers{rule, h.Origin, []int64{n}})
	}
	clear(t.here)
	t.WhatIf.EndOrigin()
}

func (t *tally) addAgent(a *evaluate.AgentStats) {
	if a.Fetches > 0 {
		t.agents = Rank(t.agents, topNames, NamedCounts{a.Agent, a.Counts}, compareFetches)
	}
	t.agentCount++
}

// addIssue counts an issue. Those of an input come one after the other.
func (t *tally) addIssue(row *IssueRow, kind words.IssueKind) {
	t.issueCount++
	t.issues.add(kind, 0)
	if !kind.Lossy() || t.unreadCount > 0 && t.lastUnread == row.WARCFilename {
		return
	}
	t.unreadCount++
	t.lastUnread = row.WARCFilename
	if len(t.unread) < topNames {
		t.unread = append(t.unread, UnreadInput{row.WARCFilename, row.Kind, row.Detail})
	}
}

// summary returns the counts, together with their audit.
func (t *tally) summary(a *Audit) *Summary {
	s := &Summary{
		Audit: a, Unknown: t.Unknown.list(0), Rules: t.Rules, Origins: t.Origins,
		Agents: t.agents, AgentCount: t.agentCount, Unnamed: t.Unnamed, WhatIf: t.WhatIf.Ranking(),
		Exclusions: t.Exclusions,
		Tags:       t.Tags.list(0), Signals: t.Signals.list(int(tag.PreferenceRestrict), int(tag.PreferenceAllow)),
		Restrictions: t.Restricted.list(int(evaluate.RestrictsPublication), int(evaluate.RestrictsUsage)),
		Unread:       t.unread,
	}
	for claim, c := range t.Claims {
		s.Claims = append(s.Claims, NamedCounts{claim, *c})
	}
	slices.SortFunc(s.Claims, compareFetches)
	slices.SortStableFunc(s.Unknown, func(a, b Numbers) int { return cmp.Compare(b.N[0], a.N[0]) })
	for _, v := range []evaluate.Verdict{evaluate.Allowed, evaluate.Disallowed, evaluate.Unknown} {
		row := t.Evidence.row(v, int(evaluate.Fresh), int(evaluate.Stale), int(evaluate.Later), int(words.None))
		s.Verdicts = append(s.Verdicts, row)
	}
	for _, kind := range slices.Sorted(maps.Keys(t.issues)) {
		if !kind.Lossy() {
			s.Noted = append(s.Noted, t.issues.row(kind, 0))
		}
	}
	return s
}
