package report

import (
	"maps"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// HostRow is a row of host_stats: the fetches of one origin.
type HostRow struct {
	Origin           string `parquet:"origin,delta"`
	HostName         string `parquet:"url_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	// Earliest fetch. Null: no fetch has a date.
	FirstFetchTime *int64 `parquet:"first_fetch_time,optional,timestamp(microsecond)"`
	// Latest fetch. Null: no fetch has a date.
	LastFetchTime *int64 `parquet:"last_fetch_time,optional,timestamp(microsecond)"`
	evaluate.Counts
}

func (b *rowBuilder) hostRow(h *evaluate.HostStats) HostRow {
	site := b.siteOf(h.Origin, h.Origin)
	return HostRow{
		Origin: locator(h.Origin), HostName: site.host, RegisteredDomain: site.registered,
		FirstFetchTime: micros(h.First), LastFetchTime: micros(h.Last), Counts: h.Counts,
	}
}

// AgentRow is a row of agent_stats: the fetches of one product token, with what
// the archives' warcinfo records claim of its obedience.
type AgentRow struct {
	Agent string `parquet:"agent,optional,dict"`
	// What warcinfo records say of its obedience (`robots:`), at most 64.
	Claims []string `parquet:"claims,list"`
	// Requests in its name from addresses that are not its operator's (`forged_agent`).
	Forged int64 `parquet:"forged"`
	// [Longest time](#time-to-compliance) in seconds from a change of robots.txt to a violation of what is new in it.
	// Null: no such violation.
	TimeToCompliance *int64 `parquet:"time_to_compliance_seconds,optional"`
	evaluate.Counts
}

// AgentRowOf is the row of a product token.
func AgentRowOf(a *evaluate.AgentStats) AgentRow {
	row := AgentRow{Agent: text(a.Agent), Forged: a.Forged, Counts: a.Counts}
	if a.ViolationsAfterChange > 0 {
		row.TimeToCompliance = new(a.LongestAfterChange / facts.Second)
	}
	for _, claim := range slices.Sorted(maps.Keys(a.Claims)) {
		row.Claims = append(row.Claims, text(claim))
	}
	return row
}
