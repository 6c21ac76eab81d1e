package diff

import (
	"cmp"
	"context"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// fetch holds the compared fields of a fetch, as package run keeps it.
type fetch struct {
	report.Place
	Origin string
	Dated  bool
	Time   int64
	Agent  string
	State
}

// compareKeys orders fetches by their keys.
func compareKeys(a, b *fetch) int {
	if c := cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.RecordID, b.RecordID)); c != 0 || a.RecordID != "" {
		return c
	}
	return comparePlaces(a, b)
}

func comparePlaces(a, b *fetch) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
}

// sortedAs are fetches in the order of their keys, in files of a name. Those of one key, which only a faulty archive
// has, are in the order of their places.
func sortedAs(name string) run.Spec[fetch] {
	return run.Spec[fetch]{
		Name:    name,
		Compare: func(a, b *fetch) int { return cmp.Or(compareKeys(a, b), comparePlaces(a, b)) },
		Bucket:  bucketOf,
		Held:    4 << 20,
	}
}

func bucketOf(f *fetch) int { return run.BucketOf(f.URL) }

func (f *fetch) state() *State {
	if f == nil {
		return nil
	}
	return &f.State
}

// clone is a fetch whose texts keep nothing else in memory.
func (f *fetch) clone() *fetch {
	if f == nil {
		return nil
	}
	c := *f
	for _, s := range []*string{
		&c.URL, &c.Origin, &c.Filename, &c.RecordID, &c.Agent, &c.Verdict, &c.Certainty, &c.Evidence, &c.Reason,
		&c.Rule,
	} {
		*s = strings.Clone(*s)
	}
	return &c
}

// sortFetches adds the fetches of an audit to s.
func sortFetches(ctx context.Context, r *results.Results, s *run.Sorter[fetch]) error {
	rules := results.FollowRules(ctx, r)
	defer rules.Stop()
	for row, err := range results.Rows(ctx, r, report.FetchesTable, compared...) {
		if err != nil {
			return err
		}
		rule, err := rules.Of(row.Place(), row.Certainty)
		if err != nil {
			return err
		}
		if err := s.Add(fetchOf(row, rule)); err != nil {
			return err
		}
	}
	return rules.End()
}

// sortViolations adds the violations of an audit to s.
func sortViolations(ctx context.Context, r *results.Results, s *run.Sorter[fetch]) error {
	for row, err := range results.Rows(ctx, r, report.ViolationsTable, append(compared, "rule")...) {
		if err != nil {
			return err
		}
		if err := s.Add(fetchOf(new(row.Fetch()), row.Rule)); err != nil {
			return err
		}
	}
	return nil
}

// compared are the columns that are compared.
var compared = []string{
	"url", "warc_filename", "warc_record_offset", "warc_record_id", "origin", "fetch_time", "agent", "verdict", "evidence",
	"reason", "certainty", "rule_line",
}

func fetchOf(row *report.FetchRow, rule string) fetch {
	return fetch{
		Place: row.Place(), Origin: row.Origin, Dated: row.FetchTime != nil, Time: prose.Value(row.FetchTime),
		Agent: row.Agent,
		State: State{row.Verdict, row.Certainty, row.Evidence, row.Reason, rule, row.RuleLine},
	}
}
