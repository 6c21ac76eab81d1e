package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
)

const (
	topRows  = 5       // origins and rules shown
	topNames = 10      // claims, crawlers, other crawlers and inputs shown
	maxNames = 1 << 10 // different claims counted apart
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
	anonymous   struct{ fetches, captures int64 } // of crawlers whose token is not known
	audit       *Audit                            // set by Writer.Commit
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

func (s *Summary) addRobots(r *evaluate.RobotsRecord) {
	if r.Type != ingest.LogLine && r.Agent() == "" {
		s.anonymous.captures++
	}
}

func (s *Summary) addResult(r *evaluate.Result) {
	s.matrix[r.Verdict][r.Evidence]++
	if r.Verdict == evaluate.Unknown {
		s.unknown[r.Reason]++
	}
	s.claimCounts(r.Fetch.Claim).Add(r)
	if r.Agent == "" && r.Reason != evaluate.RobotsTxtItself {
		s.anonymous.fetches++
	}
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

// addVerdict counts a what-if verdict. What is allowed to all is left out.
func (s *Summary) addVerdict(robotsID int64, v *evaluate.GroupVerdict) {
	if v.Reason != evaluate.RobotsTxtItself {
		s.whatIf.add(team{robotsID, v.Group}, v.Verdict)
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
func (s *Summary) addIssue(row *IssueRow, kind ingest.IssueKind) {
	s.issueCount++
	s.issues[kind]++
	if !kind.Lossy() || s.lossyInputs > 0 && s.lastLossy == row.WARCFilename {
		return
	}
	s.lossyInputs++
	s.lastLossy = row.WARCFilename
	if len(s.lossy) < topNames {
		s.lossy = append(s.lossy, lossyInput{row.WARCFilename, row.Detail, kind})
	}
}

// Lossy reports whether some input could not be read wholly.
func (s *Summary) Lossy() bool { return s.lossyInputs > 0 }

// Violations returns the number of certain and probable violations.
func (s *Summary) Violations() int64 { return s.audit.Totals.Violations }
