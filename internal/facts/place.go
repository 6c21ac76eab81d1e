package facts

import (
	"cmp"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// Place is where an origin stands in the order of the facts.
type Place struct{ Host, Origin string }

// PlaceOf returns the place of a fetch's origin.
func PlaceOf(f *Fetch) Place { return Place{f.HostReversed, f.Origin} }

// Compare orders places as the facts are ordered.
func (p Place) Compare(q Place) int {
	if p == q {
		return 0
	}
	if c := cmp.Compare(run.BucketOf(p.Host), run.BucketOf(q.Host)); c != 0 {
		return c
	}
	return p.CompareInBucket(q)
}

// CompareInBucket orders places of one bucket.
func (p Place) CompareInBucket(q Place) int {
	if c := cmp.Compare(p.Host, q.Host); c != 0 {
		return c
	}
	return cmp.Compare(p.Origin, q.Origin)
}

// A Spot is the place of a record in the order of its archive: a file, or an entry of
// a WACZ.
type Spot struct {
	Input int32
	Entry string
	Index int64 // 0 where nothing shows it: a line of a log
	Run   int32 // number of the crawler's run in the archive; 0: none is known
}

// SpotOf returns the spot of a fetch's record.
func SpotOf(f *Fetch) Spot { return Spot{f.Input, f.Entry, f.Index, f.Run} }

// SameRun reports whether two records stand in one archive, and are of one run. Their places then
// show an order; between runs, places show only how the file was put together.
func (p Spot) SameRun(q Spot) bool {
	return p.Input == q.Input && p.Index > 0 && q.Index > 0 && p.Run == q.Run && p.Entry == q.Entry
}

// InRun returns the same for all records of one run in one archive.
func (p Spot) InRun() Spot { return Spot{Input: p.Input, Entry: p.Entry, Run: p.Run} }

// Compare orders spots; within one archive, in its order.
func (p Spot) Compare(q Spot) int {
	return cmp.Or(cmp.Compare(p.Input, q.Input), cmp.Compare(p.Entry, q.Entry), cmp.Compare(p.Index, q.Index))
}

// CompareInTime orders records by time, and records of the same moment as they stand in
// their archive.
func CompareInTime(a, b *Fetch) int {
	return cmp.Or(cmp.Compare(a.Micros, b.Micros), cmp.Compare(a.Precision, b.Precision), SpotOf(a).Compare(SpotOf(b)))
}
