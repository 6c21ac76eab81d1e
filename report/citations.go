package report

import (
	"encoding/hex"

	"github.com/robotsaudit/robotsaudit/evaluate"
)

// RobotsCitation are the columns for the robots.txt capture that a row rests on, and for the source of the
// body that was applied.
type RobotsCitation struct {
	// The capture, in `robots`: its redirects are in `hop_urls` there. Null: no capture.
	RobotsID int64 `parquet:"robots_id,optional"`
	// Its URL. Null: no capture.
	RobotsURL string `parquet:"robots_url,optional,delta"`
	// Its outcome. Null: no capture.
	RobotsOutcome string `parquet:"robots_outcome,optional,dict" values:"outcome"`
	// Date of the capture: by it the capture governs. Null: no capture.
	RobotsTime *int64 `parquet:"robots_time,optional,timestamp(microsecond)"`
	// HTTP status of the capture itself. Null: not known.
	RobotsStatus *int16 `parquet:"robots_status,optional"`
	// Redirects followed from it. Null: no capture.
	RobotsHops *int32 `parquet:"robots_hops,optional"`
	// Product token of the crawler that made it. Null: not known.
	RobotsAgent string `parquet:"robots_agent,optional,dict"`
	// Input that holds it. Null: no capture.
	RobotsFilename string `parquet:"robots_warc_filename,optional,dict"`
	// Its offset, in bytes: see Places. Null: no capture.
	RobotsOffset *int64 `parquet:"robots_warc_record_offset,optional"`
	// Length of the record in bytes. Null: no capture.
	RobotsLength int64 `parquet:"robots_warc_record_length,optional"`
	// Its WARC-Record-ID. Null: not recorded.
	RobotsRecordID string `parquet:"robots_warc_record_id,optional,dict"`
	// Date of the record that holds the body. Null: no body.
	RobotsBodyTime *int64 `parquet:"robots_body_time,optional,timestamp(microsecond)"`
	// Product token of the crawler that got the body. Null: no body, or not known.
	RobotsBodyAgent string `parquet:"robots_body_agent,optional,dict"`
	// Input that holds it. Null: no body.
	RobotsBodyFile string `parquet:"robots_body_warc_filename,optional,dict"`
	// Its offset, in bytes: see Places. Null: no body.
	RobotsBodyOffset *int64 `parquet:"robots_body_warc_record_offset,optional"`
	// Length of the record in bytes. Null: no body.
	RobotsBodyLength int64 `parquet:"robots_body_warc_record_length,optional"`
	// Its WARC-Record-ID. Null: no body, or not recorded.
	RobotsBodyRecordID string `parquet:"robots_body_warc_record_id,optional,dict"`
	// `sha256:` and hexadecimal digits, of the decoded body. Null: no body.
	RobotsBodyDigest string `parquet:"robots_body_digest,optional,dict"`
}

// ContestedCitation are the columns for the copy of robots.txt that allows a contested fetch.
type ContestedCitation struct {
	// The copy, in `robots`. Null: no copy allows, or it is of a redirect's target.
	ContestedRobotsID int64 `parquet:"contested_robots_id,optional"`
	// `rules`, or `unavailable`, which allows everything. Null: no copy allows.
	ContestedOutcome string `parquet:"contested_outcome,optional,dict" values:"outcome"`
	// Its date. Null: no copy allows.
	ContestedTime *int64 `parquet:"contested_time,optional,timestamp(microsecond)"`
	// Product token of the crawler that made it. Null: no copy, or not known.
	ContestedAgent string `parquet:"contested_agent,optional,dict"`
	// Input that holds it. Null: no copy allows.
	ContestedFilename string `parquet:"contested_warc_filename,optional,dict"`
	// Its offset, in bytes: see Places. Null: no copy allows.
	ContestedOffset *int64 `parquet:"contested_warc_record_offset,optional"`
	// Length of the record in bytes. Null: no copy allows.
	ContestedLength int64 `parquet:"contested_warc_record_length,optional"`
	// Its WARC-Record-ID. Null: no copy, or not recorded.
	ContestedRecordID string `parquet:"contested_warc_record_id,optional,dict"`
	// Input that holds its body. Null: no body.
	ContestedBodyFile string `parquet:"contested_body_warc_filename,optional,dict"`
	// Its offset, in bytes: see Places. Null: no body.
	ContestedBodyOffset *int64 `parquet:"contested_body_warc_record_offset,optional"`
	// As `robots_body_digest`. Null: no body.
	ContestedBodyDigest string `parquet:"contested_body_digest,optional,dict"`
}

// cited is a robots.txt capture with its citation. Neighbouring rows mostly cite the
// same one.
type cited struct {
	state    *evaluate.State
	citation RobotsCitation
}

// cite fills in the robots.txt capture that a row rests on, and the source of its body.
func (b *rowBuilder) cite(s *evaluate.State) RobotsCitation {
	if b.cited.state == s {
		return b.cited.citation
	}
	c := RobotsCitation{
		RobotsID:       s.ID,
		RobotsURL:      locator(s.URL),
		RobotsOutcome:  s.Outcome.String(),
		RobotsTime:     micros(s.Time()),
		RobotsStatus:   status(s.Status),
		RobotsHops:     new(s.Hops),
		RobotsAgent:    text(s.Agent()),
		RobotsFilename: b.filename(s.Input, s.Entry),
		RobotsOffset:   new(s.Offset),
		RobotsLength:   s.Length,
		RobotsRecordID: text(s.RecordID.String()),
	}
	if s.HasBody {
		c.RobotsBodyTime, c.RobotsBodyAgent = micros(s.BodyTime), text(s.BodyAgent())
		c.RobotsBodyFile, c.RobotsBodyOffset = b.filename(s.BodyInput, s.BodyEntry), new(s.BodyRecordOffset)
		c.RobotsBodyLength, c.RobotsBodyRecordID = s.BodyRecordLength, text(s.BodyRecordID.String())
		c.RobotsBodyDigest = "sha256:" + hex.EncodeToString([]byte(s.BodyDigest))
	}
	b.cited = cited{s, c}
	return c
}
