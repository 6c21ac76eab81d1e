package robotsaudit

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Results are what an audit came to, in its output folder. They may be read by several goroutines.
type Results struct{ tables *results.Results }

// Open opens the results in an output folder, of Audit or of the command.
func Open(dir string) (*Results, error) {
	tables, err := results.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Results{tables}, nil
}

// Tables gives access to all columns of all tables, and to audit.json.
func (r *Results) Tables() *results.Results { return r.tables }

// Totals are counts over all archives.
func (r *Results) Totals() report.Totals { return r.tables.Audit().Totals }

// A Finding is a captured fetch, and what robots.txt said of it. docs/SCHEMA.md explains the words.
type Finding struct {
	URL     string
	Origin  string    // scheme, host and port
	Time    time.Time // of the fetch; zero: not known
	Method  string
	Status  int    // HTTP status; 0: none could be read
	Crawler string // product token; "": not known

	Verdict   string   // allowed, disallowed or unknown
	Certainty string   // certain, probable, possible or contested; "": not disallowed
	Evidence  string   // how near to the fetch the governing capture of robots.txt lies
	Reason    string   // what the verdict rests on
	Notes     []string // remarks on the verdict
	RuleLine  int      // of robots.txt, from 1; 0: no rule decided

	Archive  string // that holds the record
	Offset   int64  // of the record, in bytes
	Length   int64  // of the record, in bytes; -1 if an index does not state it
	RecordID string // urn:uuid:…; "": not recorded

	// Of Violations and Unproven alone:
	Rule           string // the deciding line of robots.txt
	RobotsURL      string // of the capture of robots.txt that governs
	RobotsRecordID string // of the record that holds it
}

// Violations yields the certain and the probable violations, in the order of the table.
func (r *Results) Violations(ctx context.Context) iter.Seq2[Finding, error] {
	return each(results.Select[violationColumns](ctx, r.tables, report.ViolationsTable), (*violationColumns).finding)
}

// Unproven yields the disallowed fetches that are no violation for sure: the possible and the contested.
func (r *Results) Unproven(ctx context.Context) iter.Seq2[Finding, error] {
	return each(results.Select[violationColumns](ctx, r.tables, report.UnprovenTable), (*violationColumns).finding)
}

// Fetches yields every captured fetch, with the verdict for the crawler that made it.
func (r *Results) Fetches(ctx context.Context) iter.Seq2[Finding, error] {
	return each(results.Select[fetchColumns](ctx, r.tables, report.FetchesTable), (*fetchColumns).finding)
}

// An Issue is something in an input that could not be read or trusted.
type Issue struct {
	Archive  string
	Offset   int64  // in bytes; -1: it concerns the whole input
	RecordID string // urn:uuid:…; "": no record, or one without an ID
	Kind     string // docs/SCHEMA.md lists them
	Detail   string // what was found
	Action   string // what was done about it
}

// Issues yields what could not be read or trusted, inputs that are not there included.
func (r *Results) Issues(ctx context.Context) iter.Seq2[Issue, error] {
	return each(results.Rows(ctx, r.tables, report.IssuesTable), func(row *report.IssueRow) Issue {
		i := Issue{
			Archive: row.WARCFilename, Offset: -1, RecordID: row.RecordID, Kind: row.Kind, Detail: row.Detail,
			Action: row.Action,
		}
		if row.Offset != nil {
			i.Offset = *row.Offset
		}
		return i
	})
}

// each makes something of each row. An error is the last that it yields.
func each[T, R any](rows iter.Seq2[*R, error], of func(*R) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			var t T
			if err == nil {
				t = of(row)
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

// fetchColumns are the columns that all tables of findings have.
type fetchColumns struct {
	URL       string `parquet:"url"`
	Origin    string `parquet:"origin"`
	Time      *int64 `parquet:"fetch_time"`
	Method    string `parquet:"fetch_method"`
	Status    *int16 `parquet:"fetch_status"`
	Crawler   string `parquet:"agent"`
	Verdict   string `parquet:"verdict"`
	Certainty string `parquet:"certainty"`
	Evidence  string `parquet:"evidence"`
	Reason    string `parquet:"reason"`
	Notes     string `parquet:"notes"`
	RuleLine  int32  `parquet:"rule_line"`
	Archive   string `parquet:"warc_filename"`
	Offset    int64  `parquet:"warc_record_offset"`
	Length    int64  `parquet:"warc_record_length"`
	RecordID  string `parquet:"warc_record_id"`
}

func (c *fetchColumns) finding() Finding {
	f := Finding{
		URL: c.URL, Origin: c.Origin, Method: c.Method, Crawler: c.Crawler, Verdict: c.Verdict, Certainty: c.Certainty,
		Evidence: c.Evidence,
		Reason:   c.Reason, RuleLine: int(c.RuleLine), Archive: c.Archive, Offset: c.Offset, Length: c.Length,
		RecordID: c.RecordID,
	}
	if c.Time != nil {
		f.Time = time.UnixMicro(*c.Time).UTC()
	}
	if c.Status != nil {
		f.Status = int(*c.Status)
	}
	if c.Notes != "" {
		f.Notes = strings.Split(c.Notes, ",")
	}
	return f
}

// violationColumns are those that violations and unproven have besides.
type violationColumns struct {
	fetchColumns
	Rule           string `parquet:"rule"`
	RobotsURL      string `parquet:"robots_url"`
	RobotsRecordID string `parquet:"robots_warc_record_id"`
}

func (c *violationColumns) finding() Finding {
	f := c.fetchColumns.finding()
	f.Rule, f.RobotsURL, f.RobotsRecordID = c.Rule, c.RobotsURL, c.RobotsRecordID
	return f
}
