package report

import (
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// CrawlDelayRow is a row of crawl_delays: a fetch that came sooner after the one
// before it than robots.txt asks for. It is no violation.
type CrawlDelayRow struct {
	FetchedURL
	RecordPlace
	Agent       string `parquet:"agent,dict"`
	AgentSource string `parquet:"agent_source,dict" values:"agent_source"`
	// Milliseconds between the dates of the fetch before and of this one.
	Gap int64 `parquet:"gap_ms"`
	// Milliseconds that robots.txt requires. If the crawler may have used several copies, the smallest
	// delay.
	Delay int64 `parquet:"delay_ms"`
	// Line that requires it, in the robots.txt cited.
	Line int32 `parquet:"line"`
	// Input that holds the fetch before.
	PreviousFilename string `parquet:"previous_warc_filename,dict"`
	// Where its record begins, in bytes.
	PreviousOffset int64 `parquet:"previous_warc_record_offset"`
	// Age of the robots.txt cited in seconds, see Age. Null: no date.
	RobotsAge *int64 `parquet:"robots_age_seconds,optional"`
	RobotsCitation
}

func (b *rowBuilder) crawlDelayRow(r *evaluate.Result) CrawlDelayRow {
	soon := r.TooSoon
	return CrawlDelayRow{
		FetchedURL:  b.fetchedURL(r.Fetch),
		RecordPlace: b.recordPlace(r.Fetch),
		Agent:       text(r.Agent),
		AgentSource: r.AgentSource.String(),
		Gap:         soon.Gap / 1000,
		Delay:       soon.Delay / 1000,
		Line:        int32(soon.Line),
		PreviousFilename: b.archive(&facts.Fetch{
			Input: soon.Previous.Input, Entry: soon.Previous.Entry, Archive: soon.Previous.Archive,
		}),
		PreviousOffset: soon.Previous.Offset,
		RobotsAge:      new(r.Age),
		RobotsCitation: b.cite(r.Governing),
	}
}
