package robotsaudit

import (
	"context"
	"iter"
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
	Rule           string   // the deciding line of robots.txt
	Grounds        []Ground // why the class is what it is, the strongest first, at most eight
	CopiesAsked    int      // other copies of robots.txt that were asked whether they allow the fetch
	RobotsURL      string   // of the capture of robots.txt that governs
	RobotsRecordID string   // of the record that holds it
}

// A Ground is a reason for the class of a finding. docs/SCHEMA.md explains the words.
type Ground = report.Ground

// Violations yields the certain and the probable violations, in the order of the table.
func (r *Results) Violations(ctx context.Context) iter.Seq2[Finding, error] {
	return each(results.Rows(ctx, r.tables, report.ViolationsTable, moreColumns...), violationFinding)
}

// Unproven yields the disallowed fetches that are no violation for sure: the possible and the contested.
func (r *Results) Unproven(ctx context.Context) iter.Seq2[Finding, error] {
	return each(results.Rows(ctx, r.tables, report.UnprovenTable, moreColumns...), violationFinding)
}

// Fetches yields every captured fetch, with the verdict for the crawler that made it.
func (r *Results) Fetches(ctx context.Context) iter.Seq2[Finding, error] {
	return each(results.Rows(ctx, r.tables, report.FetchesTable, columns...), fetchFinding)
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

// columns are in all tables of findings, moreColumns only in violations and unproven.
var (
	columns = []string{
		"url", "origin", "fetch_time", "fetch_method", "fetch_status", "agent", "verdict", "certainty", "evidence",
		"reason",
		"notes", "rule_line", "warc_filename", "warc_record_offset", "warc_record_length", "warc_record_id",
	}
	moreColumns = append([]string{"rule", "robots_url", "robots_warc_record_id", "grounds", "copies_asked"}, columns...)
)

func fetchFinding(row *report.FetchRow) Finding {
	f := Finding{
		URL: row.URL, Origin: row.Origin, Method: row.FetchMethod, Crawler: row.Agent, Verdict: row.Verdict,
		Certainty: row.Certainty, Evidence: row.Evidence, Reason: row.Reason, RuleLine: int(row.RuleLine),
		Archive: row.WARCFilename, Offset: row.WARCRecordOffset, Length: row.WARCRecordLength,
		RecordID: row.WARCRecordID, Notes: row.Notes,
	}
	if row.FetchTime != nil {
		f.Time = time.UnixMicro(*row.FetchTime).UTC()
	}
	if row.FetchStatus != nil {
		f.Status = int(*row.FetchStatus)
	}
	return f
}

func violationFinding(row *report.ViolationRow) Finding {
	f := fetchFinding(new(row.Fetch()))
	f.Rule, f.RobotsURL, f.RobotsRecordID = row.Rule, row.RobotsURL, row.RobotsRecordID
	f.Grounds, f.CopiesAsked = row.Grounds, int(row.CopiesAsked)
	return f
}
