package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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
// encoding/gob sees add up. Its memory does not
// grow with the archives.
type tally struct {
	Evidence    [3][4]int64 // by verdict and evidence
	Unknown     map[evaluate.Reason]int64
	Claims      map[string]*evaluate.Counts
	lastClaim   string // with lastCounts: that was asked for last
	lastCounts  *evaluate.Counts
	agents      []ranked[NamedCounts]
	agentCount  int
	Origins     []ranked[OriginCount]
	Rules       []ranked[RuleCount]
	here        map[string]int64 // what violations of the origin in hand were disallowed by
	WhatIf      whatIf
	Exclusions  VerdictCounts
	Tags        map[tag.Rule]int64                                 // fetches by rule that is effective for the crawler
	Signals     map[tag.Purpose]*[tag.PreferenceRestrict + 1]int64 // fetches by preference
	Restricted  map[tag.Use]map[evaluate.RestrictionKind]int64
	issues      map[words.IssueKind]int64
	issueCount  int64
	unread      []UnreadInput // the first of unreadCount
	unreadCount int64
	lastUnread  string
	Unnamed     Unnamed
}

func newTally() *tally {
	return &tally{
		Unknown: make(map[evaluate.Reason]int64), Claims: make(map[string]*evaluate.Counts), here: make(map[string]int64),
		WhatIf: newWhatIf(), Tags: make(map[tag.Rule]int64), Signals: make(map[tag.Purpose]*[tag.PreferenceRestrict + 1]int64),
		Restricted: make(map[tag.Use]map[evaluate.RestrictionKind]int64), issues: make(map[words.IssueKind]int64),
	}
}

// add adds what another tally has counted of results.
func (t *tally) add(o *tally) {
	for verdict, n := range o.Evidence {
		for evidence, n := range n {
			t.Evidence[verdict][evidence] += n
		}
	}
	addCounts(t.Unknown, o.Unknown)
	for _, claim := range slices.Sorted(maps.Keys(o.Claims)) {
		t.claimCounts(claim).Sum(o.Claims[claim])
	}
	for _, r := range o.Origins {
		t.Origins = rank(t.Origins, topRows, r)
	}
	for _, r := range o.Rules {
		t.Rules = rank(t.Rules, topRows, r)
	}
	t.WhatIf.addAll(&o.WhatIf)
	t.Exclusions.Sum(o.Exclusions)
	addCounts(t.Tags, o.Tags)
	for purpose, n := range o.Signals {
		if t.Signals[purpose] == nil {
			t.Signals[purpose] = new([tag.PreferenceRestrict + 1]int64)
		}
		for preference, n := range n {
			t.Signals[purpose][preference] += n
		}
	}
	for use, n := range o.Restricted {
		if t.Restricted[use] == nil {
			t.Restricted[use] = make(map[evaluate.RestrictionKind]int64)
		}
		addCounts(t.Restricted[use], n)
	}
	t.Unnamed.Captures += o.Unnamed.Captures
	t.Unnamed.Fetches += o.Unnamed.Fetches
}

func addCounts[K comparable](to, from map[K]int64) {
	for key, n := range from {
		to[key] += n
	}
}

// ranked is a row of a ranking.
type ranked[T any] struct {
	Key   string // breaks ties
	Count int64
	Row   T
}

// rank puts a row into a ranking of the n largest counts.
func rank[T any](list []ranked[T], n int, r ranked[T]) []ranked[T] {
	if r.Count == 0 {
		return list
	}
	i, _ := slices.BinarySearchFunc(list, r, func(a, b ranked[T]) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
	if i >= n {
		return list
	}
	list = slices.Insert(list, i, r)
	return list[:min(len(list), n)]
}

// rowsOf are the rows of a ranking.
func rowsOf[T any](list []ranked[T]) []T {
	rows := make([]T, 0, len(list))
	for _, r := range list {
		rows = append(rows, r.Row)
	}
	return rows
}

func (t *tally) addRobots(r *evaluate.RobotsRecord) {
	if r.Type != facts.TypeLogLine && r.Agent() == "" {
		t.Unnamed.Captures++
	}
}

func (t *tally) addResult(r *evaluate.Result) {
	t.Evidence[r.Verdict][r.Evidence]++
	if r.Verdict == evaluate.Unknown {
		t.Unknown[r.Reason]++
	}
	t.claimCounts(r.Fetch.Claim).Add(r)
	if r.Agent == "" && r.Reason != words.RobotsTxtItself {
		t.Unnamed.Fetches++
	}
	for i := range r.Restrictions {
		f := &r.Restrictions[i]
		if t.Restricted[f.Purpose] == nil {
			t.Restricted[f.Purpose] = make(map[evaluate.RestrictionKind]int64)
		}
		t.Restricted[f.Purpose][f.Kind]++
	}
	if r.Page != nil {
		t.addPage(r.Page)
	}
	if r.IsViolation() {
		t.here[disallowedBy(r)]++
	}
}

// addPage counts what was said of the use of a fetch.
func (t *tally) addPage(p *evaluate.Page) {
	for _, rule := range p.Own.Rules() {
		if rule.Restricts() {
			t.Tags[rule]++
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
		if !slices.ContainsFunc(signals, func(s tag.Signal) bool { return s.Purpose == purpose && s.Binds() }) {
			continue
		}
		if t.Signals[purpose] == nil {
			t.Signals[purpose] = new([tag.PreferenceRestrict + 1]int64)
		}
		t.Signals[purpose][tag.Prefers(signals, purpose)]++
	}
}

// otherClaims stands for the claims beyond maxNames.
const otherClaims = "(others)"

func (t *tally) claimCounts(claim string) *evaluate.Counts {
	if t.lastCounts != nil && claim == t.lastClaim {
		return t.lastCounts
	}
	c := t.Claims[claim]
	if c == nil && len(t.Claims) >= maxNames {
		claim = otherClaims
		c = t.Claims[claim]
	}
	if c == nil {
		c = new(evaluate.Counts)
		t.Claims[strings.Clone(claim)] = c
	}
	t.lastClaim, t.lastCounts = strings.Clone(claim), c
	return c
}

// addVerdict counts a what-if verdict. What is allowed to all is left out.
func (t *tally) addVerdict(robotsID int64, v *evaluate.GroupVerdict) {
	if v.Reason != words.RobotsTxtItself {
		t.WhatIf.add(tokenGroup{robotsID, v.Group}, v.Verdict)
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
	n := h.Violations()
	t.Origins = rank(t.Origins, topRows, ranked[OriginCount]{h.Origin, n, OriginCount{h.Origin, n, h.Fetches}})
	for rule, n := range t.here {
		t.Rules = rank(t.Rules, topRows, ranked[RuleCount]{h.Origin + " " + rule, n, RuleCount{rule, h.Origin, n}})
	}
	clear(t.here)
	t.WhatIf.endOrigin()
}

func (t *tally) addAgent(a *evaluate.AgentStats) {
	t.agents = rank(t.agents, topNames, ranked[NamedCounts]{a.Agent, a.Fetches, NamedCounts{a.Agent, a.Counts}})
	t.agentCount++
}

// addIssue counts an issue. Those of an input come one after the other.
func (t *tally) addIssue(row *IssueRow, kind words.IssueKind) {
	t.issueCount++
	t.issues[kind]++
	if !kind.Lossy() || t.unreadCount > 0 && t.lastUnread == row.WARCFilename {
		return
	}
	t.unreadCount++
	t.lastUnread = row.WARCFilename
	if len(t.unread) < topNames {
		t.unread = append(t.unread, UnreadInput{row.WARCFilename, row.Kind, row.Detail})
	}
}

// summary is what was counted, beside the audit that it is of.
func (t *tally) summary(a *Audit) *Summary {
	s := &Summary{
		Audit: a, Unknown: t.rankedReasons(), Rules: rowsOf(t.Rules), Origins: rowsOf(t.Origins), Claims: t.rankedClaims(),
		Agents: rowsOf(t.agents), AgentCount: t.agentCount, Unnamed: t.Unnamed, WhatIf: t.WhatIf.ranking(), Exclusions: t.Exclusions,
		Unread: t.unread,
	}
	for _, v := range []evaluate.Verdict{evaluate.Allowed, evaluate.Disallowed, evaluate.Unknown} {
		n := t.Evidence[v]
		s.Verdicts = append(s.Verdicts, VerdictEvidence{v.String(), n[evaluate.Fresh], n[evaluate.Stale], n[evaluate.Later], n[words.None]})
	}
	for _, rule := range slices.Sorted(maps.Keys(t.Tags)) {
		s.Tags = append(s.Tags, NameCount{rule.String(), t.Tags[rule]})
	}
	for _, purpose := range slices.Sorted(maps.Keys(t.Signals)) {
		n := t.Signals[purpose]
		s.Signals = append(s.Signals, SignalCount{purpose.String(), n[tag.PreferenceRestrict], n[tag.PreferenceAllow]})
	}
	for _, use := range slices.Sorted(maps.Keys(t.Restricted)) {
		n := t.Restricted[use]
		s.Restrictions = append(s.Restrictions, RestrictionCounts{use.String(), n[evaluate.RestrictsPublication], n[evaluate.RestrictsUsage]})
	}
	for _, kind := range slices.Sorted(maps.Keys(t.issues)) {
		s.Issues = append(s.Issues, IssueCount{kind.String(), kind.Lossy(), t.issues[kind]})
	}
	return s
}

func (t *tally) rankedReasons() (list []NameCount) {
	reasons := slices.SortedFunc(maps.Keys(t.Unknown), func(a, b evaluate.Reason) int {
		return cmp.Or(cmp.Compare(t.Unknown[b], t.Unknown[a]), cmp.Compare(a, b))
	})
	for _, reason := range reasons {
		list = append(list, NameCount{reason.String(), t.Unknown[reason]})
	}
	return list
}

func (t *tally) rankedClaims() []NamedCounts {
	var list []ranked[NamedCounts]
	for claim, c := range t.Claims {
		list = rank(list, len(t.Claims), ranked[NamedCounts]{claim, c.Fetches, NamedCounts{claim, *c}})
	}
	return rowsOf(list)
}
