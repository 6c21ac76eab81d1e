package report

import (
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// RestrictionRow is a row of restrictions: what a page or its origin says against a
// purpose of the audit. It is no violation.
type RestrictionRow struct {
	// What is restricted.
	Kind string `parquet:"kind,dict" values:"restriction"`
	// `certain`: the record itself says so; `probable`: a doubt remains.
	Certainty string `parquet:"certainty,dict" values:"certainty"`
	// The `--purpose` that is restricted.
	Purpose string `parquet:"purpose,dict" values:"purpose"`
	// What restricts it, at most 16: `SOURCE LINE: TEXT`, as `header 1: tdm-reservation: 1`.
	Statements []string `parquet:"statements,list"`
	TagsFrom   string   `parquet:"tags_from,optional,dict" values:"tags_from"`
	FetchedURL
	FetchStatus *int16 `parquet:"fetch_status,optional"`
	RecordPlace
	CrawlerToken
	// Input that holds the tdmrep.json, or the first licence document, that restricts. Null: neither does.
	FileFilename string `parquet:"file_warc_filename,optional,dict"`
	// Its offset, in bytes: see Places. Null: neither does.
	FileOffset *int64 `parquet:"file_warc_record_offset,optional"`
	RobotsCitation
}

// restrictionRow cites robots.txt, and tdmrep.json or a licence document, where they are among what restricts.
func (b *rowBuilder) restrictionRow(r *evaluate.Result, restriction *evaluate.Restriction) RestrictionRow {
	row := RestrictionRow{
		Kind:         restriction.Kind.String(),
		Certainty:    restriction.Certainty.String(),
		Purpose:      restriction.Purpose.String(),
		TagsFrom:     r.Page.From.String(),
		FetchedURL:   b.fetchedURL(r.Fetch),
		FetchStatus:  status(r.Fetch.Status),
		RecordPlace:  b.recordPlace(r.Fetch),
		CrawlerToken: crawlerToken(r),
	}
	for _, statement := range restriction.Statements {
		row.Statements = append(row.Statements, text(statement.String()))
		if statement.Source == tag.SourceRobotsTxt {
			row.RobotsCitation = b.cite(r.Governing)
		}
		if f := r.Page.FileOf(&statement); f != nil && row.FileOffset == nil {
			row.FileFilename, row.FileOffset = b.filename(f.Input, f.Entry), new(f.Offset)
		}
	}
	return row
}
