package figures

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const maxAgents = 300 // rows of the matrix

// readWhatIf goes through group_verdicts and robots_agents together: the tokens of a robots.txt stand
// where its first verdict does.
func (f *Figures) readWhatIf(ctx context.Context, res *results.Results) error {
	r := whatIfReader{figures: f}
	if err := r.readNone(ctx, res.Whole()); err != nil {
		return err
	}
	r.groups = results.Follow(ctx, res.Whole(), report.RobotsAgentsTable)
	defer r.groups.Stop()
	err := results.InStep(ctx, res, report.GroupVerdictsTable, r.add, "url", "robots_id", "group", "verdict", "reason")
	f.WhatIf.endOrigin()
	return err
}

type whatIfReader struct {
	figures *Figures
	groups  *results.Follower[report.RobotsAgentRow]
	known   map[int64]bool // robots.txt whose groups are in figures
	start   string         // of the URL before: its scheme and authority
	origin  string         // in hand
}

// readNone reads the tokens that no robots.txt governs: of robots_id 0, whose rows stand anywhere,
// one after the other.
func (r *whatIfReader) readNone(ctx context.Context, res *results.Results) error {
	read := false
	for row, err := range results.Rows(ctx, res, report.RobotsAgentsTable) {
		switch {
		case err != nil:
			return err
		case row.RobotsID == 0:
			read = true
			r.figures.WhatIf.addToken(tokenGroup{}, row.Agent)
		case read:
			return nil
		}
	}
	return nil
}

func (r *whatIfReader) add(row *report.GroupVerdictRow, kept bool) error {
	if start := startOf(row.URL); start != r.start {
		r.start = start
		if u, _ := weburl.Parse(row.URL); u.Origin() != r.origin {
			r.figures.WhatIf.endOrigin()
			r.origin, r.known = u.Origin(), make(map[int64]bool)
		}
	}
	if row.RobotsID != 0 && !r.known[row.RobotsID] {
		r.known[row.RobotsID] = true
		err := results.EachGroup(r.groups, row.RobotsID, func(a *report.RobotsAgentRow) { r.figures.Add(a) })
		if err != nil {
			return err
		}
	}
	if kept {
		r.figures.Add(row)
	}
	return nil
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

// whatIfSection is the matrix of crawlers and access.
func whatIfSection(agents []agentAccess, a *report.Audit) document.Section {
	s := document.Section{ID: "what-if", Heading: "Other crawlers", Intro: []string{
		"What these fetches would have been had another crawler made them, at the same moments, by the same " +
			"robots.txt. These are no violations.",
	}}
	if at := a.Settings.AsOf; !at.IsZero() {
		s.Intro = append(s.Intro, "They are judged as of "+prose.AsOfText(at)+".")
	}
	table := document.NewTable("what-if-agents", "Origins by the access that each crawler would have had, and fetches",
		"The audit asked about no other crawler: --agents TOKEN, or --agents ai.", document.Words.Columns("Crawler"),
		document.Number.Columns("Full", "Partial", "None", "Unknown", "Fetches allowed", "Fetches disallowed", "Fetches unknown"))
	table.Notes = []string{"Full: each fetch from the origin allowed. None: each disallowed. Partial: some of both. " +
		"Unknown: some unknown, and the others not of both kinds."}
	order := slices.SortedFunc(slices.Values(agents), func(a, b agentAccess) int {
		return cmp.Or(cmp.Compare(b.Disallowed, a.Disallowed), cmp.Compare(a.Agent, b.Agent))
	})
	for _, x := range order[:min(len(order), maxAgents)] {
		table.Add(prose.Clip(x.Agent, prose.MaxName), x.Origins[accessFull], x.Origins[accessPartial],
			x.Origins[accessNone], x.Origins[accessUnknown], x.Allowed, x.Disallowed, x.Unknown)
	}
	table.LeaveOut(int64(len(order)-maxAgents), "tables group_verdicts and robots_agents")
	if slices.ContainsFunc(order, func(x agentAccess) bool { return isControl(x.Agent) }) {
		table.Notes = append(table.Notes,
			"Tokens such as Google-Extended make no fetches: sites address them to say what other crawlers’ "+
				"fetches may be used for.")
	}
	s.Tables = []document.Table{table}
	return s
}
