package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report/finding"
)

// selection picks findings by what is asked for, and by the user's names for their fetches.
type selection struct {
	names    []selected
	drop     bool     // what lists drop, not violations alone
	agents   []string // whose verdicts count, not the crawler's own
	purposes []string // what pages and origins state against these counts, too
}

type selected struct {
	text  string
	fetch facts.Name
	row   int64  // of violations, from 1; else 0
	id    string // of a finding, as reports name it; else ""
	found bool
}

func newSelection(o *Options) *selection {
	s := &selection{drop: o.Drop, agents: o.Agents, purposes: o.Purposes}
	for _, text := range o.What {
		row, _ := strconv.ParseInt(text, 10, 64)
		id, _ := finding.ParseName(text)
		s.names = append(s.names, selected{text: text, fetch: facts.ParseName(text), row: row, id: id})
	}
	return s
}

// has reports whether a finding on a fetch is asked for. Fetches are named by URL, record ID, FILE:OFFSET, the
// name of their finding or the number of their row in violations.
func (s *selection) has(f *found, filename func(*facts.Fetch) string) bool {
	switch {
	case isListed(f.table):
	case len(s.agents) > 0, !s.drop && len(s.names) == 0 && f.table != tableViolations:
		return false
	}
	if len(s.names) == 0 {
		return true
	}
	has := false
	for i := range s.names {
		name := &s.names[i]
		if name.fetch.Fits(f.fetch, filename) || f.table == tableViolations && name.row == f.row ||
			name.id != "" && name.id == idOf(f.fetch, filename) {
			name.found, has = true, true
		}
	}
	return has
}

// idOf is the ID that reports give the finding on a fetch.
func idOf(f *facts.Fetch, filename func(*facts.Fetch) string) string {
	record := cmp.Or(f.RecordID.String(), fmt.Sprintf("%s:%d", filename(f), f.Offset))
	return finding.ID(record, f.Origin, f.Time().Micros)
}

// missed returns the names that no finding has.
func (s *selection) missed() (names []string) {
	for i := range s.names {
		if !s.names[i].found {
			names = append(names, s.names[i].text)
		}
	}
	return names
}

// found is a finding of an audit on a fetch.
type found struct {
	table   string
	row     int64 // in the table; of restrictions and verdicts for other crawlers: of the fetch in fetches
	fetch   *facts.Fetch
	finding func() BundleFinding // most are not asked for
	others  []evaluate.Ground    // of the verdict for other crawlers
}

// isListed reports whether lists alone ask for the findings of a table.
func isListed(table string) bool { return table == tableRestrictions || table == tableGroupVerdicts }

// finder is a Sink that makes the findings on each fetch. The result of a fetch stays until that of the next.
type finder struct {
	evaluate.NoSink
	agents []string                   // whose verdicts are asked for
	found  func(*found) error         // takes what was found
	rows   map[string]int64           // the last ones, by table
	result *evaluate.Result           // of the fetch in hand
	groups map[int64]map[int][]string // by capture of robots.txt: tokens by group
	origin string                     // of the captures
}

// Result finds that a fetch was disallowed, and what its page and origin state against the purposes asked for.
func (s *finder) Result(r *evaluate.Result) error {
	s.result = r
	s.rows[tableFetches]++
	if r.Verdict == evaluate.Disallowed {
		table := tableUnproven
		if r.IsViolation() {
			table = tableViolations
		}
		s.rows[table]++
		f := found{table, s.rows[table], r.Fetch, func() BundleFinding { return FindingOf(r) }, nil}
		if err := s.found(&f); err != nil {
			return err
		}
	}
	for i := range r.Restrictions {
		restriction := &r.Restrictions[i]
		finding := func() BundleFinding {
			x := FindingOf(r)
			x.Certainty, x.Restricts = restriction.Certainty.String(), restriction.Kind.String()
			x.Purpose = restriction.Purpose.String()
			for _, statement := range restriction.Statements {
				x.Statements = append(x.Statements, statement.String())
			}
			return x
		}
		if err := s.found(&found{tableRestrictions, s.rows[tableFetches], r.Fetch, finding, nil}); err != nil {
			return err
		}
	}
	return nil
}

// RobotsAgent notes the tokens of a group.
func (s *finder) RobotsAgent(robotsID int64, group int, agent string) error {
	if s.origin != s.result.Fetch.Origin {
		s.origin, s.groups = s.result.Fetch.Origin, make(map[int64]map[int][]string)
	}
	if s.groups[robotsID] == nil {
		s.groups[robotsID] = make(map[int][]string)
	}
	s.groups[robotsID][group] = append(s.groups[robotsID][group], agent)
	return nil
}

// GroupVerdict finds that a fetch would have been disallowed to other crawlers: to the first of a group.
func (s *finder) GroupVerdict(v *evaluate.GroupVerdict) error {
	if v.Verdict != evaluate.Disallowed {
		return nil
	}
	tokens := s.groups[v.Governing.ID][v.Group]
	i := slices.IndexFunc(s.agents, func(token string) bool { return slices.Contains(tokens, token) })
	if i < 0 {
		return nil
	}
	finding := func() BundleFinding {
		return answerOf(v.Fetch, s.agents[i], words.AgentFromOption, v.Evidence, &v.Answer, v.Governing)
	}
	return s.found(&found{tableGroupVerdicts, s.rows[tableFetches], v.Fetch, finding, v.Grounds})
}
