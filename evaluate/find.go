package evaluate

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/run"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// Question names a fetch to be explained.
type Question struct {
	What  string    // its URL, its WARC-Record-ID, or its place: FILE:OFFSET as in the tables
	At    time.Time // when it was made; zero: not said. Of a URL that was not fetched then: when it would have been
	Agent string    // product token of another crawler, to ask what held for it; "": the one that made the fetch
}

// Sighting is a fetch that fits a question.
type Sighting struct {
	URL    string
	Time   Moment
	Agent  string // product token of the crawler
	Record ExplainedRecord
}

// AmbiguousError says that several fetches fit.
type AmbiguousError struct {
	What    string
	Fetches []Sighting // the first of them
	Total   int
}

func (e *AmbiguousError) Error() string { return fmt.Sprintf("%d fetches fit %q", e.Total, e.What) }

// NotFoundError says that no fetch fits.
type NotFoundError struct {
	What  string
	IsURL bool
	At    time.Time // zero: not said
}

func (e *NotFoundError) Error() string { return fmt.Sprintf("no fetch fits %q", e.What) }

// maxSightings bounds the fetches that are kept of those that fit.
const maxSightings = 20

// findings are the fetches that fit a question.
type findings struct {
	fetches []facts.Fetch // the first of them
	total   int
	others  int // that would fit at other times
}

// only returns the one fetch that fits; nil where there is none.
func (l *findings) only() *facts.Fetch {
	if l.total != 1 {
		return nil
	}
	return &l.fetches[0]
}

// find looks for the one fetch that a question names. Of a URL and a time at which it was not
// fetched there is none.
func (r *Resolved) find(ctx context.Context, q *Question) (*findings, error) {
	m := newNameMatcher(r, q.What)
	at := momentOf(q.At)
	found := new(findings)
	var seen facts.Duplicates
	var last facts.Spot
	for f, err := range r.store.Fetches(ctx, m.buckets()) {
		if err != nil {
			return nil, err
		}
		first := seen.First(f)
		if first == nil {
			first = f
		}
		if facts.SpotOf(first) == last || !m.fits(f) {
			continue
		}
		last = facts.SpotOf(first)
		if at.Known() && (!f.Time().Known() || f.Time().MicrosSince(at) != 0) {
			found.others++
			continue
		}
		if found.total++; found.total <= maxSightings {
			found.fetches = append(found.fetches, *first)
		}
	}
	switch {
	case found.total > 1:
		return nil, r.ambiguous(q, found)
	case found.total == 0 && (!m.isURL || !at.Known()):
		return nil, &NotFoundError{q.What, m.isURL, q.At}
	}
	return found, nil
}

// momentOf is a time that a user gives: to the second, unless it has a fraction.
func momentOf(t time.Time) facts.Time {
	switch {
	case t.IsZero():
		return facts.Time{}
	case t.Nanosecond() == 0:
		return facts.Time{Micros: t.UnixMicro(), Precision: facts.PrecisionSecond}
	}
	return facts.Time{Micros: t.UnixMicro(), Precision: facts.PrecisionMicrosecond}
}

func (r *Resolved) ambiguous(q *Question, found *findings) error {
	d := r.newDecider()
	e := &AmbiguousError{What: q.What, Total: found.total}
	for i := range found.fetches {
		f := &found.fetches[i]
		agent, _ := d.agentOf(f)
		e.Fetches = append(e.Fetches, Sighting{f.URL, Moment{f.Time()}, agent, ExplainedRecord{
			File: r.filename(f), Offset: f.Offset, Length: f.Length, Number: f.Index, ID: recordid.Text(f.RecordID),
		}})
	}
	return e
}

// nameMatcher compares fetches with what a user wrote.
type nameMatcher struct {
	resolved *Resolved
	isURL    bool
	key      string // of the URL: origin and path
	bucket   int    // of its host
	id       string
	file     string
	offset   int64 // -1: what was written is no place
}

func newNameMatcher(r *Resolved, what string) *nameMatcher {
	m := &nameMatcher{resolved: r, offset: -1}
	if u, _ := weburl.Parse(what); strings.Contains(what, "://") && u.Host != "" {
		m.isURL, m.key, m.bucket = true, plainText(u.Key()), run.BucketOf(u.HostReversed())
		return m
	}
	m.id = strings.TrimSuffix(strings.TrimPrefix(what, "<"), ">")
	if i := strings.LastIndexByte(what, ':'); i > 0 {
		if n, err := strconv.ParseInt(what[i+1:], 10, 64); err == nil && n >= 0 {
			m.file, m.offset = plainText(filepath.ToSlash(what[:i])), n
		}
	}
	return m
}

// buckets are those that hold what is looked for.
func (m *nameMatcher) buckets() facts.Buckets {
	if m.isURL {
		return facts.Buckets{From: m.bucket, To: m.bucket + 1}
	}
	return facts.Buckets{}
}

func (m *nameMatcher) fits(f *facts.Fetch) bool {
	switch {
	case m.isURL:
		u, _ := weburl.Parse(f.URL)
		return plainText(u.Key()) == m.key
	case f.Offset == m.offset && plainText(m.resolved.filename(f)) == m.file:
		return true
	}
	return f.RecordID != "" && recordid.Text(f.RecordID) == m.id
}

// plainText percent-encodes bytes outside ASCII: the tables do so with what is no UTF-8, and
// people copy it from there.
func plainText(s string) string {
	if !slices.ContainsFunc([]byte(s), func(c byte) bool { return c >= 0x80 }) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c >= 0x80 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
