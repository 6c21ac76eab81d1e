package report

import (
	"fmt"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// RobotsRow is a row of robots: one robots capture and what it came to.
type RobotsRow struct {
	// Number in this output folder, from 1.
	RobotsID    int64  `parquet:"robots_id"`
	Origin      string `parquet:"origin,delta"`
	URL         string `parquet:"url,delta"`
	HostName    string `parquet:"url_host_name,delta"`
	FetchTime   *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
	FetchStatus *int16 `parquet:"fetch_status,optional"`
	RecordType  string `parquet:"record_type,dict" values:"record_type"`
	// Content-Type without parameters, as sent. It decides nothing. Null: not sent.
	ContentMIMEType  string `parquet:"content_mime_type,optional,dict"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset"`
	WARCRecordLength int64  `parquet:"warc_record_length"`
	WARCRecordID     string `parquet:"warc_record_id,optional,delta"`
	Agent            string `parquet:"agent,optional,dict"`
	Trust            string `parquet:"trust,dict" values:"trust"`
	// What the capture means, redirects and revisits followed.
	Outcome string `parquet:"outcome,dict" values:"outcome"`
	// Why it has that outcome. Null: outcome `rules`.
	Reason string `parquet:"reason,optional,dict" values:"reason"`
	// Targets of the redirects followed, in order.
	HopURLs []string `parquet:"hop_urls,list"`
	// HTTP status at the end of the redirects. Null: not known.
	FinalStatus *int16 `parquet:"final_status,optional"`
	// Date of the record that holds the body. Null: no body.
	BodyTime *int64 `parquet:"body_time,optional,timestamp(microsecond)"`
	// Product token of the crawler that got the body. Null: no body, or not known.
	BodyAgent string `parquet:"body_agent,optional,dict"`
	// Input that holds the body. Null: no body.
	BodyFilename string `parquet:"body_warc_filename,optional,dict"`
	// Its offset, in bytes: see Places. Null: no body.
	BodyOffset *int64 `parquet:"body_warc_record_offset,optional"`
	// Its WARC-Record-ID. Null: no body, or not recorded.
	BodyRecordID string `parquet:"body_warc_record_id,optional,delta"`
	// `sha256:` and hexadecimal digits, of the decoded body. Null: no body.
	BodyDigest string `parquet:"body_digest,optional,dict"`
	// Size of the decoded body in bytes. Null: no body.
	BodySize *int64 `parquet:"body_size,optional"`
	// Number of groups in the file. Null: not parsed.
	Groups *int32 `parquet:"groups,optional"`
	// Number of rules in the file. Null: not parsed.
	Rules *int32 `parquet:"rules,optional"`
	// Number of remarks on the file. Null: not parsed.
	NoteCount *int32 `parquet:"note_count,optional"`
	// The first 100 remarks on the file: `line N: KIND: TEXT`.
	Notes []string `parquet:"notes,list" values:"remark"`
}

const maxNotes = 100 // remarks kept of one robots.txt

func (b *rowBuilder) robotsRow(r *evaluate.RobotsRecord) RobotsRow {
	c := b.cite(r.State)
	row := RobotsRow{
		RobotsID:         c.RobotsID,
		Origin:           locator(r.Origin),
		URL:              c.RobotsURL,
		HostName:         b.siteOf(r.Origin, r.URL).host,
		FetchTime:        c.RobotsTime,
		FetchStatus:      c.RobotsStatus,
		RecordType:       r.Type.String(),
		ContentMIMEType:  text(r.MIMEType),
		WARCFilename:     c.RobotsFilename,
		WARCRecordOffset: r.Offset,
		WARCRecordLength: c.RobotsLength,
		WARCRecordID:     c.RobotsRecordID,
		Agent:            c.RobotsAgent,
		Trust:            r.Trust.String(),
		Outcome:          c.RobotsOutcome,
		FinalStatus:      status(r.FinalStatus),
		BodyTime:         c.RobotsBodyTime,
		BodyAgent:        c.RobotsBodyAgent,
		BodyFilename:     c.RobotsBodyFile,
		BodyOffset:       c.RobotsBodyOffset,
		BodyRecordID:     c.RobotsBodyRecordID,
		BodyDigest:       c.RobotsBodyDigest,
		BodySize:         known(r.BodySize, r.HasBody),
	}
	if r.Outcome != words.OutcomeRules {
		row.Reason = r.Reason.String()
	}
	for _, hop := range r.HopList() {
		row.HopURLs = append(row.HopURLs, locator(hop))
	}
	if r.Parsed {
		row.Groups, row.Rules, row.NoteCount = new(int32(r.Groups)), new(int32(r.Rules)), new(int32(len(r.Notes)))
		for _, n := range r.Notes[:min(len(r.Notes), maxNotes)] {
			row.Notes = append(row.Notes, text(fmt.Sprintf("line %d: %s: %s", n.Line, n.Kind, n.Text)))
		}
	}
	return row
}
