package evaluate

import (
	"context"
	"fmt"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// Question names a fetch to be explained.
type Question struct {
	What  string    // its URL, its WARC-Record-ID, or its place: FILE:OFFSET as in the tables
	At    time.Time // when it was made; zero: not said. Of a URL that was not fetched then: when it would have been
	Uses  []Use     // what for: what the page and its site state against it is shown
	Agent string    // product token of another crawler, to find what held for it; "": the one that made the fetch

	Among func(*Sighting) bool // the fetches that may be meant; nil: all
}

// Sighting is a fetch that fits a question.
type Sighting struct {
	URL    string
	Time   Moment
	Agent  string // product token of the crawler
	Record ExplainedRecord
}

// AmbiguousError means that several fetches fit.
type AmbiguousError struct {
	What    string
	Fetches []Sighting // the first of them
	Total   int
}

func (e *AmbiguousError) Error() string { return fmt.Sprintf("%d fetches fit %q", e.Total, e.What) }

// NotFoundError means that no fetch fits.
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
	name := facts.ParseName(q.What)
	at := momentOf(q.At)
	found := new(findings)
	who := crawler.NewNames(r.opt.Crawler, r.opt.CrawlerMap)
	var seen facts.Duplicates
	var last facts.Spot
	for f, err := range r.store.Fetches(ctx, name.Buckets()) {
		if err != nil {
			return nil, err
		}
		first := seen.First(f)
		if first == nil {
			first = f
		}
		if facts.SpotOf(first) == last || !name.Fits(f, r.filename) ||
			q.Among != nil && !q.Among(r.sighting(who, first)) {
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
		return nil, r.ambiguous(who, q, found)
	case found.total == 0 && (!name.IsURL || !at.Known()):
		return nil, &NotFoundError{q.What, name.IsURL, q.At}
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

func (r *Resolved) ambiguous(who *crawler.Names, q *Question, found *findings) error {
	e := &AmbiguousError{What: q.What, Total: found.total}
	for i := range found.fetches {
		e.Fetches = append(e.Fetches, *r.sighting(who, &found.fetches[i]))
	}
	return e
}

func (r *Resolved) sighting(who *crawler.Names, f *facts.Fetch) *Sighting {
	return &Sighting{f.URL, Moment{f.Time()}, who.CrawlerOf(f).Token, r.recordOf(f)}
}
