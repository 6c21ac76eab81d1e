package results

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
)

// counted yields the rows of a table that is counted from the fetches of a part. nil: the table is read.
func counted(ctx context.Context, r *Results, table string) any {
	switch {
	case r.part.IsZero():
	case table == report.HostStatsTable.Name:
		return r.hostRows(ctx)
	case table == report.AgentStatsTable.Name:
		return r.agentRows(ctx)
	}
	return nil
}

// countTotals makes the totals of audit.json the ones of the part.
func (r *Results) countTotals(ctx context.Context) error {
	whole := &r.audit.Totals
	t := report.Totals{
		RobotsOutcomes: make(map[string]int64), Issues: whole.Issues, InputsNotWhollyRead: whole.InputsNotWhollyRead,
	}
	var host report.HostRow // of all fetches
	for f, err := range r.countedFetches(ctx) {
		if err != nil {
			return err
		}
		if t.Origins == 0 || f.Origin != host.Origin {
			t.Origins++
			host.Origin = f.Origin
		}
		f.addTo(&host)
		if f.RecordType == facts.TypeIndexed.String() {
			t.Indexed++
		}
	}
	t.Counts = host.Counts
	t.FirstFetchTime, t.LastFetchTime = timeOf(host.FirstFetchTime), timeOf(host.LastFetchTime)
	t.Complete()
	for row, err := range RowsIfWritten(ctx, r, report.RobotsTable, "record_type", "outcome") {
		switch {
		case err != nil:
			return err
		case row.RecordType == facts.TypeLogLine.String():
			t.LogEvidence++
		default:
			t.RobotsOutcomes[strings.Clone(row.Outcome)]++
		}
	}
	for _, err := range RowsIfWritten(ctx, r, report.ExclusionsTable, "log_line") {
		if err != nil {
			return err
		}
		t.Exclusions++
	}
	r.audit.Totals = t
	return nil
}

func timeOf(micros *int64) *time.Time {
	if micros == nil {
		return nil
	}
	return new(time.UnixMicro(*micros).UTC())
}

// hostRows counts the fetches of each origin, in the order of fetches.
func (r *Results) hostRows(ctx context.Context) iter.Seq2[*report.HostRow, error] {
	return func(yield func(*report.HostRow, error) bool) {
		var host *report.HostRow
		for f, err := range r.countedFetches(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if host != nil && f.Origin != host.Origin {
				if !yield(host, nil) {
					return
				}
				host = nil
			}
			if host == nil {
				host = &report.HostRow{Origin: f.Origin, HostName: f.HostName, RegisteredDomain: f.RegisteredDomain}
			}
			f.addTo(host)
		}
		if host != nil {
			yield(host, nil)
		}
	}
}

// agentRows counts the fetches of each product token, in the order of tokens.
func (r *Results) agentRows(ctx context.Context) iter.Seq2[*report.AgentRow, error] {
	return func(yield func(*report.AgentRow, error) bool) {
		var agents evaluate.AgentTable
		for f, err := range r.countedFetches(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			agents.Add(f.Agent, f.Claim, &f.Counts)
		}
		for _, a := range agents.Sorted() {
			if !yield(new(report.AgentRowOf(a)), nil) {
				return
			}
		}
	}
}

// countedFetch is a fetch, and what it adds to counts.
type countedFetch struct {
	report.FetchRow
	evaluate.Counts
}

// addTo adds a fetch to the row of an origin.
func (f *countedFetch) addTo(host *report.HostRow) {
	host.Sum(&f.Counts)
	widen(host, f.FetchTime)
}

// widen makes the time of an origin's fetches hold another one, if it is known.
func widen(host *report.HostRow, micros *int64) {
	if micros == nil {
		return
	}
	if host.FirstFetchTime == nil {
		host.FirstFetchTime, host.LastFetchTime = new(*micros), new(*micros)
	}
	*host.FirstFetchTime, *host.LastFetchTime = min(*host.FirstFetchTime, *micros), max(*host.LastFetchTime, *micros)
}

// columnsToCount are the columns of fetches that counts need.
var columnsToCount = withPlace[report.FetchRow]([]string{
	"origin", "url_host_name", "url_host_registered_domain", "fetch_time", "record_type", "payload_bytes", "payload_bytes_decoded",
	"modality",
	"refusal", "agent", "claim", "verdict", "evidence", "reason", "certainty", "notes", "tags_from", "hints",
})

// countedFetches yields the fetches of the part. One is valid until the next step.
func (r *Results) countedFetches(ctx context.Context) iter.Seq2[*countedFetch, error] {
	return func(yield func(*countedFetch, error) bool) {
		restrictions := FollowRows(RowsIfWritten(ctx, r, report.RestrictionsTable,
			withPlace[report.RestrictionRow]([]string{"kind"})...), "restrictions")
		defer restrictions.Stop()
		var f countedFetch
		for row, err := range Rows(ctx, r, report.FetchesTable, columnsToCount...) {
			if err == nil {
				f = countedFetch{FetchRow: *row}
				f.count()
				err = f.countRestrictions(restrictions)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&f, nil) {
				return
			}
		}
	}
}

// RowsIfWritten is Rows, but yields none where the audit left the table out.
func RowsIfWritten[R any](ctx context.Context, r *Results, table report.TableOf[R], names ...string,
) iter.Seq2[*R, error] {
	if _, written := r.audit.Tables[table.Name]; !written {
		return func(func(*R, error) bool) {}
	}
	return Rows(ctx, r, table, names...)
}

// count counts the fetch by its row.
func (f *countedFetch) count() {
	size := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n + 1
	}
	f.Counts.AddCountable(&evaluate.Countable{
		Verdict:     words.Parse[evaluate.Verdict](words.Verdicts, f.Verdict),
		Reason:      words.Parse[evaluate.Reason](words.Reasons, f.Reason),
		Evidence:    words.Parse[evaluate.Evidence](words.Evidences, f.Evidence),
		Certainty:   words.Parse[evaluate.Certainty](words.Certainties, f.Certainty),
		Notes:       words.ParseNames[evaluate.Notes](words.NoteWords, f.Notes),
		Refusal:     words.Parse[evaluate.Refusal](evaluate.Refusals, f.Refusal),
		Modality:    words.Parse[evaluate.Modality](evaluate.Modalities, f.Modality),
		PayloadSize: size(f.Content.PayloadBytes), DecodedSize: size(f.Content.PayloadBytesDecoded),
		TagsUnknown: f.TagsFrom == evaluate.PageUnknown.String(), Hinted: f.Hints != "",
	})
}

// countRestrictions counts the restrictions of the fetch.
func (f *countedFetch) countRestrictions(restrictions *Follower[report.RestrictionRow]) error {
	for {
		row, err := restrictions.Next(f.Place())
		if row == nil || err != nil {
			return err
		}
		f.AddRestriction(row.Kind == evaluate.RestrictsPublication.String())
	}
}
