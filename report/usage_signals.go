package report

import (
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// UsageSignalRow is a row of usage_signals: a statement on the use of what was
// fetched, by the page or its origin.
type UsageSignalRow struct {
	URL              string `parquet:"url,delta"`
	FetchTime        *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	// Protocol of the statement.
	Protocol string `parquet:"protocol,dict" values:"protocol"`
	// Where the statement stands.
	Source string `parquet:"source,dict" values:"tag_source,signal_source"`
	// From 1: the line of robots.txt or ai.txt, the entry of tdmrep.json, which of the licence
	// documents that are named and captured, else as in `page_tags`.
	Line int32 `parquet:"line"`
	// First user-agent line of its group. Null: not of a group.
	GroupLine int32 `parquet:"group_line,optional"`
	// What the statement is about.
	Scope string `parquet:"scope,dict" values:"scope"`
	// Pattern of the paths. Null: scope is not `path`.
	Path string `parquet:"path,optional,dict"`
	// Use that the statement is about.
	Purpose string `parquet:"purpose,dict" values:"signal_purpose"`
	// What the statement says of that use.
	Preference string `parquet:"preference,dict" values:"preference"`
	// Key, in lower case.
	Label string `parquet:"label,dict"`
	// Value as written, without parameters. Null: none.
	Value string `parquet:"value,optional,dict"`
	// The member as written, at most 8 KiB.
	Raw string `parquet:"raw,dict"`
	// Draft or specification that has the label. Null: label not known.
	Draft string `parquet:"draft,optional,dict"`
	// How the statement was read.
	ParseMode string `parquet:"parse_mode,dict" values:"parse_mode"`
	// The meta, link or script element stands in the head of the page as it was sent. Null: no such
	// element.
	InHead *bool `parquet:"in_head,optional"`
	// Whether the statement binds: one outside the head, or outside any group, does not.
	Binds bool `parquet:"binds"`
	// The capture that says so, in `robots`. Null: source is not `robots.txt`.
	RobotsID int64 `parquet:"robots_id,optional"`
	// Input that holds the file that states it (`tdmrep.json`, `license`, `ai.txt`). Null: another source.
	FileFilename string `parquet:"file_warc_filename,optional,dict"`
	// Its offset, in bytes: see Places. Null: another source.
	FileOffset *int64 `parquet:"file_warc_record_offset,optional"`
	// What was wrong with the statement, joined by commas. Null: nothing.
	Notes string `parquet:"notes,optional,dict" values:"tag_note"`
}

func (b *rowBuilder) signalRow(r *evaluate.Result, s *evaluate.Signal) UsageSignalRow {
	row := UsageSignalRow{
		URL:              locator(r.Fetch.URL),
		FetchTime:        micros(r.Fetch.Time()),
		WARCFilename:     b.archive(r.Fetch),
		WARCRecordOffset: r.Fetch.Offset,
		Protocol:         s.Kind.String(),
		Source:           s.Source.String(),
		Line:             int32(s.Line),
		GroupLine:        int32(s.Group),
		Scope:            s.Scope.String(),
		Path:             ruleText(s.Path),
		Purpose:          s.Purpose.String(),
		Preference:       s.Preference.String(),
		Label:            text(s.Label),
		Value:            text(s.Value),
		Raw:              rawText(s.Raw),
		Draft:            s.Draft,
		ParseMode:        s.Mode.String(),
		InHead:           known(s.Place.InHead(), s.Place != 0),
		Binds:            s.Binds(),
		Notes:            s.Notes.String(),
	}
	if s.Source == tag.SourceRobotsTxt {
		row.RobotsID = robotsID(r.Governing)
	}
	if f := s.File; f != nil {
		row.FileFilename, row.FileOffset = b.filename(f.Input, f.Entry), new(f.Offset)
	}
	return row
}

// TagConflictRow is a row of tag_conflicts: a contradiction in the statements on a
// fetch's use.
type TagConflictRow struct {
	URL              string `parquet:"url,delta"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	Agent            string `parquet:"agent,optional,dict"`
	// What contradicts what.
	Kind string `parquet:"kind,dict" values:"conflict"`
	// The contradictions, as `effective_tags.conflicts`; the tags; or the purpose.
	Detail   string `parquet:"detail,dict"`
	RobotsID int64  `parquet:"robots_id,optional"`
}

func (b *rowBuilder) conflictRow(r *evaluate.Result, c *evaluate.Conflict) TagConflictRow {
	return TagConflictRow{
		URL: locator(r.Fetch.URL), WARCFilename: b.archive(r.Fetch), WARCRecordOffset: r.Fetch.Offset,
		Agent: text(r.Agent), Kind: c.Kind.String(), Detail: text(c.Detail), RobotsID: robotsID(r.Governing),
	}
}
