package resolve

import (
	"cmp"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// A Mark is a record that a robots.txt redirect led to. Its fetch is always allowed:
// that record, not that URL.
type Mark struct {
	HostReversed string
	Origin       string
	Micros       int64
	URL          string
	RecordID     recordid.ID
	Type         facts.RecordType
	Status       int16
	Input        int32 // with Offset: of a record without an id
	Entry        string
	Offset       int64
}

// MarkOf makes the mark of a record, the same for every copy of it.
func MarkOf(f *facts.Fetch) Mark {
	m := Mark{
		HostReversed: f.HostReversed, Origin: f.Origin, Micros: f.Micros, URL: f.URL, RecordID: f.RecordID,
		Type: f.Type, Status: f.Status,
	}
	if f.RecordID == "" {
		m.Input, m.Entry, m.Offset = f.Input, f.Entry, f.Offset
	}
	return m
}

// CompareMarks is the order of the marks of one bucket.
func CompareMarks(a, b Mark) int {
	if c := a.Place().CompareInBucket(b.Place()); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.Micros, b.Micros),
		cmp.Compare(a.URL, b.URL),
		cmp.Compare(a.RecordID, b.RecordID),
		cmp.Compare(a.Type, b.Type),
		cmp.Compare(a.Status, b.Status),
		cmp.Compare(a.Input, b.Input),
		cmp.Compare(a.Entry, b.Entry),
		cmp.Compare(a.Offset, b.Offset),
	)
}

var markRuns = run.Spec[Mark]{
	Name:    "marks",
	Held:    4 << 20,
	Compare: func(a, b *Mark) int { return CompareMarks(*a, *b) },
	Bucket:  func(m *Mark) int { return run.BucketOf(m.HostReversed) },
}

// Place is that of the record's origin.
func (m *Mark) Place() facts.Place { return facts.Place{Host: m.HostReversed, Origin: m.Origin} }

// A Lead is a redirect of robots.txt that may have led to another GET of its target, in the hour after it,
// than to the one that counts.
type Lead struct {
	HostReversed string
	Origin       string
	Key          string // of the target's URL
	Crawler      string
	URL          string // of the redirect
	Time         facts.Time
	TargetTime   facts.Time // of what counts as the target; of the redirect where nothing after it does
	IsOthers     bool       // another page led to what counts as the target
	Spot         facts.Spot // of the capture of robots.txt that it began with
	Offset       int64      // of that one; -1: it is in another archive
	CopyText     string     // its: see State.Twins
	StepText     string     // from there to what counts as the target
}

// Place is that of the target's origin.
func (l *Lead) Place() facts.Place { return facts.Place{Host: l.HostReversed, Origin: l.Origin} }

// Spots has the same in all archives that hold it.
func (l *Lead) Spots() []facts.Spot { return append(placesOf(l.CopyText), l.Spot) }

// Steps returns the records that the capture led to, up to what counts as the target.
func (l *Lead) Steps() []Step { return stepsOf(l.StepText) }

// MayShare reports whether the redirect came within an hour after another to that URL, by that crawler.
func (l *Lead) MayShare(before *Lead) bool {
	return l.Key == before.Key && l.Crawler == before.Crawler && l.Time.MicrosSince(before.Time) <= facts.Hour
}

var leadRuns = run.Spec[Lead]{
	Name: "leads",
	Compare: func(a, b *Lead) int {
		if c := a.Place().CompareInBucket(b.Place()); c != 0 {
			return c
		}
		return cmp.Or(
			cmp.Compare(a.Key, b.Key),
			cmp.Compare(a.Crawler, b.Crawler),
			cmp.Compare(a.Time.Micros, b.Time.Micros),
			cmp.Compare(a.Time.Precision, b.Time.Precision),
			cmp.Compare(a.TargetTime.Micros, b.TargetTime.Micros),
			cmp.Compare(a.TargetTime.Precision, b.TargetTime.Precision),
			a.Spot.Compare(b.Spot),
			cmp.Compare(a.StepText, b.StepText),
			cmp.Compare(a.URL, b.URL),
		)
	},
	Bucket: func(l *Lead) int { return run.BucketOf(l.HostReversed) },
}
