package document

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const maxAgents = 300 // rows of the matrix

// access is what a crawler would have got of an origin.
type access int

const (
	accessFull access = iota
	accessPartial
	accessNone
	accessUnknown
	accesses
)

// agentAccess counts origins and fetches for a crawler asked about.
type agentAccess struct {
	origins  [accesses]int64
	verdicts report.VerdictCounts
}

// accessBy is what verdicts on the fetches of an origin come to: partial as soon as both are there;
// full and none only if nothing is unknown.
func accessBy(v *report.VerdictCounts) access {
	switch {
	case v.Allowed > 0 && v.Disallowed > 0:
		return accessPartial
	case v.Unknown > 0:
		return accessUnknown
	case v.Disallowed > 0:
		return accessNone
	}
	return accessFull
}

type groupKey struct {
	robots int64
	group  int32
}

type groupVerdictRow struct {
	URL      string `parquet:"url"`
	RobotsID int64  `parquet:"robots_id"`
	Group    int32  `parquet:"group"`
	Verdict  string `parquet:"verdict"`
	Reason   string `parquet:"reason"`
}

// whatIfTally goes through group_verdicts and robots_agents together: the tokens of a robots.txt stand
// where its first verdict does.
type whatIfTally struct {
	tokens  []string       // asked about, in the order in which they are met
	numbers map[string]int // of tokens
	agents  []agentAccess  // by number of token

	next    func() (*report.RobotsAgentRow, error, bool)
	row     *report.RobotsAgentRow // the next of robots_agents; nil: the end
	rosters map[string][]int

	start   string // of the URL before: its scheme and authority
	origin  string // in hand
	here    map[groupKey]*report.VerdictCounts
	members map[groupKey][]int // numbers of tokens that a group governs
	known   map[int64]bool     // robots.txt whose groups are in members
}

func (t *whatIfTally) read(ctx context.Context, res *results.Results) error {
	t.numbers, t.rosters = make(map[string]int), make(map[string][]int)
	t.here, t.members, t.known = make(map[groupKey]*report.VerdictCounts), make(map[groupKey][]int), make(map[int64]bool)
	if err := t.readNone(ctx, res); err != nil {
		return err
	}
	next, stop := iter.Pull2(results.Rows(ctx, res, report.RobotsAgentsTable))
	defer stop()
	t.next = next
	if err := t.advance(); err != nil {
		return err
	}
	for row, err := range results.Select[groupVerdictRow](ctx, res, report.GroupVerdictsTable) {
		if err == nil {
			err = t.add(row)
		}
		if err != nil {
			return err
		}
	}
	t.endOrigin()
	return nil
}

// readNone reads the tokens that no robots.txt governs: of robots_id 0, whose rows stand anywhere,
// one after the other.
func (t *whatIfTally) readNone(ctx context.Context, res *results.Results) error {
	t.known[0] = true
	for row, err := range results.Rows(ctx, res, report.RobotsAgentsTable) {
		key := groupKey{}
		switch {
		case err != nil:
			return err
		case row.RobotsID == 0:
			t.members[key] = append(t.members[key], t.token(row.Agent))
		case t.members[key] != nil:
			return nil
		}
	}
	return nil
}

// advance reads the next row of robots_agents that is of a robots.txt.
func (t *whatIfTally) advance() error {
	for {
		row, err, more := t.next()
		if !more {
			t.row = nil
			return nil
		}
		if t.row = row; err != nil || row.RobotsID != 0 {
			return err
		}
	}
}

func (t *whatIfTally) add(row *groupVerdictRow) error {
	if start := startOf(row.URL); start != t.start {
		t.start = start
		if u, _ := weburl.Parse(row.URL); u.Origin() != t.origin {
			t.endOrigin()
			t.origin = u.Origin()
		}
	}
	if !t.known[row.RobotsID] {
		t.known[row.RobotsID] = true
		if err := t.readGroups(row.RobotsID); err != nil {
			return err
		}
	}
	if row.Reason == "robots_txt_itself" { // allowed to all
		return nil
	}
	key := groupKey{row.RobotsID, row.Group}
	v := t.here[key]
	if v == nil {
		v = new(report.VerdictCounts)
		t.here[key] = v
	}
	*v.Of(row.Verdict)++
	return nil
}

// readGroups reads which tokens the groups of a robots.txt govern.
func (t *whatIfTally) readGroups(id int64) error {
	groups := make(map[int32][]int)
	for t.row != nil && t.row.RobotsID == id {
		groups[t.row.Group] = append(groups[t.row.Group], t.token(t.row.Agent))
		if err := t.advance(); err != nil {
			return err
		}
	}
	for group, tokens := range groups { // most files of the web have the same few rosters
		key := fmt.Sprint(tokens)
		if t.rosters[key] == nil {
			t.rosters[key] = tokens
		}
		t.members[groupKey{id, group}] = t.rosters[key]
	}
	return nil
}

// token is the number of a token.
func (t *whatIfTally) token(name string) int {
	n, seen := t.numbers[name]
	if !seen {
		n = len(t.tokens)
		name = strings.Clone(name)
		t.numbers[name] = n
		t.tokens, t.agents = append(t.tokens, name), append(t.agents, agentAccess{})
	}
	return n
}

// endOrigin shares the counts of the origin in hand out to the tokens.
func (t *whatIfTally) endOrigin() {
	byToken := make(map[int]*report.VerdictCounts)
	for key, v := range t.here {
		for _, n := range t.members[key] {
			if byToken[n] == nil {
				byToken[n] = new(report.VerdictCounts)
			}
			byToken[n].Sum(*v)
		}
	}
	for n, v := range byToken {
		t.agents[n].origins[accessBy(v)]++
		t.agents[n].verdicts.Sum(*v)
	}
	clear(t.here)
	clear(t.rosters)
	none := t.members[groupKey{}]
	clear(t.members)
	clear(t.known)
	t.members[groupKey{}], t.known[0] = none, true
}

// startOf is the scheme and authority of a URL as it is written: URLs that begin alike have one origin.
func startOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	end := strings.IndexAny(rest, `/?#\`)
	if end < 0 {
		return url
	}
	return url[:len(url)-len(rest)+end]
}

// isControl reports whether a token stands in no request.
func isControl(token string) bool {
	a, known := agents.Find(token)
	return known && a.Requests == agents.RequestsNever
}

// section is the matrix of crawlers and access.
func (t *whatIfTally) section(a *report.Audit) Tables {
	s := Tables{Section: Section{ID: "what-if", Heading: "Other crawlers", Intro: []string{
		"What these fetches would have been had another crawler made them, at the same moments, by the same robots.txt. These are no violations.",
	}}}
	if at := a.Settings.AsOf; !at.IsZero() {
		s.Intro = append(s.Intro, "They are judged as of "+asOfText(at)+".")
	}
	table := Table{
		ID: "what-if-agents", Rows: [][]Cell{}, Caption: "Origins by the access that each crawler would have had, and fetches",
		Columns: []Column{
			{"Crawler", Words},
			{"Full", Number},
			{"Partial", Number},
			{"None", Number},
			{"Unknown", Number},
			{"Fetches allowed", Number},
			{"Fetches disallowed", Number},
			{"Fetches unknown", Number},
		},
		Empty: "The audit asked about no other crawler: --agent TOKEN or --agents.",
		Notes: []string{"Full: each fetch from the origin allowed. None: each disallowed. Partial: some of both. Unknown: some unknown, and the others not of both kinds."},
	}
	order := slices.SortedFunc(maps.Keys(t.numbers), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.agents[t.numbers[b]].verdicts.Disallowed, t.agents[t.numbers[a]].verdicts.Disallowed), cmp.Compare(a, b))
	})
	for _, name := range order[:min(len(order), maxAgents)] {
		x := t.agents[t.numbers[name]]
		table.Rows = append(table.Rows, []Cell{
			{Text: clip(name, maxName)},
			count(x.origins[accessFull]), count(x.origins[accessPartial]), count(x.origins[accessNone]), count(x.origins[accessUnknown]),
			count(x.verdicts.Allowed), count(x.verdicts.Disallowed), count(x.verdicts.Unknown),
		})
	}
	table.leaveOut(int64(len(order)-maxAgents), "tables group_verdicts and robots_agents")
	if slices.ContainsFunc(order, isControl) {
		table.Notes = append(table.Notes, "Tokens such as Google-Extended make no fetches: sites address them to say what other crawlers’ fetches may be used for.")
	}
	s.Tables = []Table{table}
	return s
}
