package diff

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// fetch is what is compared of a fetch, as package run keeps it.
type fetch struct {
	URL       string
	Origin    string
	Dated     bool
	Time      int64
	Filename  string
	Offset    int64
	RecordID  string
	Agent     string
	Verdict   string
	Certainty string
	Evidence  string
	Reason    string
	Rule      string
	RuleLine  int32
}

// compareKeys orders fetches by what they are known by.
func compareKeys(a, b *fetch) int {
	if c := cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.RecordID, b.RecordID)); c != 0 || a.RecordID != "" {
		return c
	}
	return comparePlaces(a, b)
}

func comparePlaces(a, b *fetch) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
}

// sorted are fetches in the order of their keys. Those of one key, which only a faulty archive
// has, are in the order of their places.
var sorted = run.Spec[fetch]{
	Name:    "fetches",
	Compare: func(a, b *fetch) int { return cmp.Or(compareKeys(a, b), comparePlaces(a, b)) },
	Bucket:  bucketOf,
	Held:    4 << 20,
}

func bucketOf(f *fetch) int { return run.BucketOf(f.URL) }

func (f *fetch) state() *State {
	if f == nil {
		return nil
	}
	return &State{Verdict: f.Verdict, Certainty: f.Certainty, Evidence: f.Evidence, Reason: f.Reason, Rule: f.Rule, RuleLine: f.RuleLine}
}

// clone is a fetch whose texts keep nothing else in memory.
func (f *fetch) clone() *fetch {
	if f == nil {
		return nil
	}
	c := *f
	for _, s := range []*string{
		&c.URL, &c.Origin, &c.Filename, &c.RecordID, &c.Agent, &c.Verdict, &c.Certainty, &c.Evidence, &c.Reason, &c.Rule,
	} {
		*s = strings.Clone(*s)
	}
	return &c
}

// sortFetches adds the fetches of an audit to s.
func sortFetches(ctx context.Context, r *results.Results, s *run.Sorter[fetch]) error {
	violations := newProofs(ctx, r, report.ViolationsTable)
	defer violations.stop()
	unproven := newProofs(ctx, r, report.UnprovenTable)
	defer unproven.stop()
	for row, err := range results.Select[fetchRow](ctx, r, report.FetchesTable) {
		if err != nil {
			return err
		}
		f := row.fetch()
		switch after := f.state(); {
		case after.isViolation():
			err = violations.add(&f)
		case f.Certainty != "":
			err = unproven.add(&f)
		}
		if err = cmp.Or(err, s.Add(f)); err != nil {
			return err
		}
	}
	return cmp.Or(violations.end(), unproven.end())
}

// fetchRow are the columns of fetches that are compared.
type fetchRow struct {
	URL       string `parquet:"url,delta"`
	Origin    string `parquet:"origin,delta"`
	FetchTime *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
	place
	Agent string `parquet:"agent,optional,dict"`
	report.Decision
	Certainty string `parquet:"certainty,optional,dict"`
	RuleLine  int32  `parquet:"rule_line,optional"`
}

// place are the columns of where a record lies.
type place struct {
	Filename string `parquet:"warc_filename,dict"`
	Offset   int64  `parquet:"warc_record_offset,delta"`
	RecordID string `parquet:"warc_record_id,optional"`
}

func (r *fetchRow) fetch() fetch {
	f := fetch{
		URL: r.URL, Origin: r.Origin, Filename: r.Filename, Offset: r.Offset, RecordID: r.RecordID, Agent: r.Agent,
		Verdict: r.Verdict, Certainty: r.Certainty, Evidence: r.Evidence, Reason: r.Reason, RuleLine: r.RuleLine,
	}
	if r.FetchTime != nil {
		f.Dated, f.Time = true, *r.FetchTime
	}
	return f
}

// proofRow are the columns of violations and unproven that fetches lacks.
type proofRow struct {
	URL string `parquet:"url,delta"`
	place
	Rule string `parquet:"rule,optional,dict"`
}

// proofs are the rows of violations or unproven, which are in the order of fetches.
type proofs struct {
	table string
	next  func() (*proofRow, error, bool)
	stop  func()
}

func newProofs(ctx context.Context, r *results.Results, table report.TableOf[report.ViolationRow]) *proofs {
	p := &proofs{table: table.Name}
	p.next, p.stop = iter.Pull2(results.Select[proofRow](ctx, r, table))
	return p
}

// add adds to a disallowed fetch what its row has beyond fetches.
func (p *proofs) add(f *fetch) error {
	row, err, ok := p.next()
	if err != nil {
		return err
	}
	if !ok || row.URL != f.URL || row.place != (place{f.Filename, f.Offset, f.RecordID}) {
		return p.mismatch(f.Filename, f.Offset)
	}
	f.Rule = row.Rule
	return nil
}

// end makes sure that no row is left.
func (p *proofs) end() error {
	row, err, ok := p.next()
	if err != nil || !ok {
		return err
	}
	return p.mismatch(row.Filename, row.Offset)
}

func (p *proofs) mismatch(filename string, offset int64) error {
	return fmt.Errorf("the tables fetches and %s of an audit do not agree on the record at %s:%d; audit again", p.table, filename, offset)
}
