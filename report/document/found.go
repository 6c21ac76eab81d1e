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

// found is a row of violations or unproven that a report keeps. The texts and columns that it shows are kept alone.
type found struct {
	report.ViolationRow

	Row      int64 // number in the table, from 1
	ShortURL string
	Cut      bool // ShortURL is not all of the URL
	Cited    citedCapture
}

// has reports whether the verdict has a note.
func (f *found) has(note string) bool {
	return f.Notes != "" && slices.Contains(strings.Split(f.Notes, ","), note)
}

// clip makes long texts short before the row is kept: a URL may have 64 KiB, thousands of times. What no report
// shows goes.
func (f *found) clip() {
	f.ShortURL, f.Cut = clipMiddle(f.URL, maxURL)
	f.URL = strings.Clone(report.Head(f.URL, 2*maxURL))
	f.RobotsURL = Clip(f.RobotsURL, maxName)
	f.Origin = Clip(f.Origin, maxName)
	f.UserAgent = Clip(f.UserAgent, maxAgent)
	f.Claim = Clip(f.Claim, maxName)
	f.Via = Clip(f.Via, maxURL)
	f.Rule = Clip(f.Rule, maxName)
	f.SURTKey, f.HostName, f.RegisteredDomain, f.HostNameReversed, f.Protocol = "", "", "", "", ""
	f.Path, f.Query, f.FetchRedirect, f.ContentMIMEType, f.ContentTruncated = "", nil, "", "", ""
}

// certainties, the most certain first.
var certainties = []string{"certain", "probable", "contested", "possible"}

// rank orders findings: the more certain first, by class, then by the number of doubts, then by the time between
// capture and fetch, then by place in the table.
type rank struct {
	class, doubts int
	distance      uint64
	row           int64
}

func rankOf(row *report.ViolationRow, number int64) rank {
	doubts := 0
	if row.Notes != "" {
		doubts = 1 + strings.Count(row.Notes, ",")
	}
	return rank{slices.Index(certainties, row.Certainty), doubts, distance(row.RobotsAge), number}
}

func (r rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(r.class, o.class), cmp.Compare(r.doubts, o.doubts), cmp.Compare(r.distance, o.distance),
		cmp.Compare(r.row, o.row))
}

func (f *found) rank() rank { return rankOf(&f.ViolationRow, f.Row) }

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
		cmp.Compare(a.Row, b.Row),
	)
}

// selection keeps the most certain of many findings.
type selection struct {
	rows  []*found // fewer than a quarter beyond the limit
	limit int
	bound *rank // of the last of the most certain, once there are more: what comes after it is not kept
	total int64
}

// add offers the next row of the table, which is valid during the call. cite completes what is kept of it.
func (s *selection) add(row *report.ViolationRow, cite func(*found)) {
	s.total++
	if s.bound != nil && rankOf(row, s.total).compare(*s.bound) >= 0 {
		return
	}
	f := &found{ViolationRow: *row, Row: s.total}
	f.clip()
	cite(f)
	if s.rows = append(s.rows, f); len(s.rows) >= s.limit+s.limit/4 {
		s.cut()
	}
}

// cut forgets the rows beyond the limit.
func (s *selection) cut() {
	if len(s.rows) > s.limit {
		slices.SortFunc(s.rows, func(a, b *found) int { return a.rank().compare(b.rank()) })
		s.rows = slices.Delete(s.rows, s.limit, len(s.rows))
		s.bound = new(s.rows[s.limit-1].rank())
	}
}

// sorted are the rows kept, in the order of reading.
func (s *selection) sorted() []*found {
	s.cut()
	return slices.SortedFunc(slices.Values(s.rows), compareReading)
}
