package report

import (
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// IssueRow is a row of issues: something that could not be read or trusted.
type IssueRow struct {
	// Input, or the argument that names none.
	WARCFilename string `parquet:"warc_filename,dict"`
	// Where it is, in bytes: see Places. Null: concerns the whole input.
	Offset *int64 `parquet:"offset,optional"`
	// How many bytes it concerns. Null: not known.
	Length *int64 `parquet:"length,optional"`
	// Record concerned. Null: none, or not recorded.
	RecordID string `parquet:"warc_record_id,optional,delta"`
	// What kind of problem it is.
	Kind string `parquet:"kind,dict" values:"lossy_issue,record_issue"`
	// What was found.
	Detail string `parquet:"detail"`
	// What was done about it.
	Action string `parquet:"action,dict"`
}

func issueRow(name string, i *facts.Issue) IssueRow {
	return IssueRow{
		WARCFilename: name, Offset: known(i.Offset, i.Offset >= 0), Length: known(i.Length, i.Length >= 0),
		RecordID: text(i.RecordID.String()), Kind: i.Kind.String(), Detail: text(i.Detail), Action: text(i.Action),
	}
}
