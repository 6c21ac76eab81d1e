package document

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
)

// Findings that a Document holds; the tables have all.
const (
	maxViolations = 5000
	maxUnproven   = 1000
)

// found holds the columns of violations or unproven that are read.
type found struct {
	URL         string `parquet:"url"`
	Origin      string `parquet:"origin"`
	Host        string `parquet:"url_host_name"`
	Domain      string `parquet:"url_host_registered_domain"`
	FetchTime   *int64 `parquet:"fetch_time"`
	Method      string `parquet:"fetch_method"`
	Status      *int16 `parquet:"fetch_status"`
	RecordType  string `parquet:"record_type"`
	Digest      string `parquet:"content_digest"`
	File        string `parquet:"warc_filename"`
	Offset      int64  `parquet:"warc_record_offset"`
	Length      int64  `parquet:"warc_record_length"`
	RecordID    string `parquet:"warc_record_id"`
	Agent       string `parquet:"agent"`
	AgentSource string `parquet:"agent_source"`
	UserAgent   string `parquet:"user_agent"`
	Claim       string `parquet:"claim"`
	Evidence    string `parquet:"evidence"`
	Reason      string `parquet:"reason"`
	Certainty   string `parquet:"certainty"`
	Notes       string `parquet:"notes"`
	Profile     string `parquet:"profile"`
	AgentMatch  string `parquet:"agent_match"`
	Rule        string `parquet:"rule"`
	RuleLine    int32  `parquet:"rule_line"`
	GroupLine   int32  `parquet:"group_line"`
	Age         *int64 `parquet:"robots_age_seconds"`
	Via         string `parquet:"via"`
	report.RobotsCitation
	report.ContestedCitation

	row      int64 // number in the table, from 1
	shortURL string
	cut      bool // shortURL is not all of the URL
	cited    citedCapture
}

// has reports whether the verdict has a note.
func (f *found) has(note string) bool {
	return f.Notes != "" && slices.Contains(strings.Split(f.Notes, ","), note)
}

// doubts counts the notes that are doubts.
func (f *found) doubts() int {
	if f.Notes == "" {
		return 0
	}
	return 1 + strings.Count(f.Notes, ",")
}

// clip makes long texts short before the row is kept: a URL may have 64 KiB, thousands of times.
func (f *found) clip() {
	f.shortURL, f.cut = clipMiddle(f.URL, maxURL)
	f.URL = strings.Clone(report.Head(f.URL, 2*maxURL))
	f.RobotsURL = Clip(f.RobotsURL, maxName)
	f.Origin = Clip(f.Origin, maxName)
	f.UserAgent = Clip(f.UserAgent, maxAgent)
	f.Claim = Clip(f.Claim, maxName)
	f.Via = Clip(f.Via, maxURL)
	f.Rule = Clip(f.Rule, maxName)
}

// certainties, the most certain first.
var certainties = []string{"certain", "probable", "contested", "possible"}

// compareCertainty puts the more certain finding first: by class, then by the number of doubts, then by the
// time between capture and fetch, then by place in the table.
func compareCertainty(a, b *found) int {
	return cmp.Or(
		cmp.Compare(slices.Index(certainties, a.Certainty), slices.Index(certainties, b.Certainty)),
		cmp.Compare(a.doubts(), b.doubts()),
		cmp.Compare(distance(a.Age), distance(b.Age)),
		cmp.Compare(a.row, b.row),
	)
}

// distance is how far from the fetch a capture lies; unknown is farthest.
func distance(age *int64) uint64 {
	switch {
	case age == nil:
		return 1 << 63
	case *age < 0:
		return uint64(-*age)
	}
	return uint64(*age)
}

// compareReading is the order in which findings are read: by class, then time, then place.
func compareReading(a, b *found) int {
	return cmp.Or(
		cmp.Compare(slices.Index(certainties, a.Certainty), slices.Index(certainties, b.Certainty)),
		cmp.Compare(value(a.FetchTime), value(b.FetchTime)),
		cmp.Compare(a.row, b.row),
	)
}

// selection keeps the most certain of many findings.
type selection struct {
	rows  []*found // fewer than twice the limit; once cut, the first of them are sorted and the most certain so far
	limit int
	isCut bool
	total int64
}

// add offers the next row of the table, which is valid until the next call.
func (s *selection) add(row *found) {
	s.total++
	row.row = s.total
	if s.isCut && compareCertainty(row, s.rows[s.limit-1]) >= 0 {
		return
	}
	kept := *row
	kept.clip()
	if s.rows = append(s.rows, &kept); len(s.rows) == 2*s.limit {
		s.cut()
	}
}

// cut forgets the rows beyond the limit.
func (s *selection) cut() {
	if len(s.rows) > s.limit {
		slices.SortFunc(s.rows, compareCertainty)
		s.rows, s.isCut = slices.Delete(s.rows, s.limit, len(s.rows)), true
	}
}

// sorted are the rows kept, in the order of reading.
func (s *selection) sorted() []*found {
	s.cut()
	return slices.SortedFunc(slices.Values(s.rows), compareReading)
}
