package document

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const maxAgents = 300 // rows of the matrix

// access is the part of an origin that a crawler would have got.
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
	agents map[string]*agentAccess // by token
	counts report.TokenCounts
	groups *results.Follower[report.RobotsAgentRow]
	known  map[int64]bool // robots.txt whose groups are in counts
	start  string         // of the URL before: its scheme and authority
	origin string         // in hand
}

func (t *whatIfTally) read(ctx context.Context, res *results.Results) error {
	t.agents, t.counts, t.known = make(map[string]*agentAccess), report.NewTokenCounts(), make(map[int64]bool)
	if err := t.readNone(ctx, res); err != nil {
		return err
	}
	t.groups = results.Follow[report.RobotsAgentRow](ctx, res, report.RobotsAgentsTable)
	defer t.groups.Stop()
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
	for row, err := range results.Rows(ctx, res, report.RobotsAgentsTable) {
		switch {
		case err != nil:
			return err
		case row.RobotsID == 0:
			t.known[0] = true
			t.counts.Join(report.TokenGroup{}, row.Agent)
		case t.known[0]:
			return nil
		}
	}
	return nil
}

func (t *whatIfTally) add(row *groupVerdictRow) error {
	if start := startOf(row.URL); start != t.start {
		t.start = start
		if u, _ := weburl.Parse(row.URL); u.Origin() != t.origin {
			t.endOrigin()
			t.origin = u.Origin()
		}
	}
	if row.RobotsID != 0 && !t.known[row.RobotsID] {
		t.known[row.RobotsID] = true
		if err := t.readGroups(row.RobotsID); err != nil {
			return err
		}
	}
	if row.Reason != "robots_txt_itself" { // which is allowed to all
		t.counts.Add(report.TokenGroup{RobotsID: row.RobotsID, Group: int(row.Group)}, row.Verdict)
	}
	return nil
}

// readGroups reads which tokens the groups of a robots.txt govern.
func (t *whatIfTally) readGroups(id int64) error {
	for {
		row, err := t.groups.Peek()
		if row == nil || err != nil || row.RobotsID != id && row.RobotsID != 0 {
			return err
		}
		if row.RobotsID == id {
			t.counts.Join(report.TokenGroup{RobotsID: id, Group: int(row.Group)}, row.Agent)
		}
		t.groups.Skip()
	}
}

// endOrigin shares the counts of the origin in hand out to the tokens.
func (t *whatIfTally) endOrigin() {
	here := make(map[string]report.VerdictCounts)
	t.counts.EndOrigin(func(tokens []string, counts report.VerdictCounts) {
		for _, token := range tokens {
			sum := here[token]
			sum.Sum(counts)
			here[token] = sum
		}
	})
	for token, counts := range here {
		a := t.agents[token]
		if a == nil {
			a = new(agentAccess)
			t.agents[token] = a
		}
		if counts != (report.VerdictCounts{}) {
			a.origins[accessBy(&counts)]++
			a.verdicts.Sum(counts)
		}
	}
	clear(t.known)
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
func (t *whatIfTally) section(a *report.Audit) Section {
	s := Section{ID: "what-if", Heading: "Other crawlers", Intro: []string{
		"What these fetches would have been had another crawler made them, at the same moments, by the same " +
			"robots.txt. These are no violations.",
	}}
	if at := a.Settings.AsOf; !at.IsZero() {
		s.Intro = append(s.Intro, "They are judged as of "+asOfText(at)+".")
	}
	table := NewTable("what-if-agents", "Origins by the access that each crawler would have had, and fetches",
		"The audit asked about no other crawler: --agent TOKEN or --agents.", Words.Columns("Crawler"),
		Number.Columns("Full", "Partial", "None", "Unknown", "Fetches allowed", "Fetches disallowed", "Fetches unknown"))
	table.Notes = []string{"Full: each fetch from the origin allowed. None: each disallowed. Partial: some of both. " +
		"Unknown: some unknown, and the others not of both kinds."}
	order := slices.SortedFunc(maps.Keys(t.agents), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.agents[b].verdicts.Disallowed, t.agents[a].verdicts.Disallowed), cmp.Compare(a, b))
	})
	for _, name := range order[:min(len(order), maxAgents)] {
		x := t.agents[name]
		table.Add(Clip(name, maxName), x.origins[accessFull], x.origins[accessPartial], x.origins[accessNone],
			x.origins[accessUnknown], x.verdicts.Allowed, x.verdicts.Disallowed, x.verdicts.Unknown)
	}
	table.leaveOut(int64(len(order)-maxAgents), "tables group_verdicts and robots_agents")
	if slices.ContainsFunc(order, isControl) {
		table.Notes = append(table.Notes,
			"Tokens such as Google-Extended make no fetches: sites address them to say what other crawlers’ "+
				"fetches may be used for.")
	}
	s.Tables = []Table{table}
	return s
}
