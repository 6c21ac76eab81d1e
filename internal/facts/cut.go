package facts

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// A Cut divides fetches, in their order: it lies before a bucket, before an origin, or amid the
// fetches of an origin, where a second begins.
type Cut struct {
	Bucket int
	Place  Place // zero: before all of the bucket
	Micros int64 // where the second begins; uncut: before all of the origin
}

const uncut = math.MinInt64

// BeforeBucket is the cut before a bucket.
func BeforeBucket(bucket int) Cut { return Cut{Bucket: bucket, Micros: uncut} }

// Cut is the cut before an origin.
func (p Place) Cut() Cut { return Cut{run.BucketOf(p.Host), p, uncut} }

// Origin is the cut before the origin that c lies in.
func (c Cut) Origin() Cut {
	c.Micros = uncut
	return c
}

// IsInside reports whether fetches of one origin lie on both sides.
func (c Cut) IsInside() bool { return c.Micros != uncut }

// Earlier is the cut so many microseconds, or up to a second more, before one that is inside of an
// origin.
func (c Cut) Earlier(micros int64) Cut {
	c.Micros = floorTo(c.Micros-micros, Second)
	return c
}

// Compare orders cuts as the facts are ordered.
func (c Cut) Compare(d Cut) int {
	return cmp.Or(cmp.Compare(c.Bucket, d.Bucket), cmp.Compare(c.Place.Host, d.Place.Host),
		cmp.Compare(c.Place.Origin, d.Place.Origin), cmp.Compare(c.Micros, d.Micros))
}

// follows reports whether c lies after a fetch of its bucket. In the order of the facts, rows of
// one second are neighbours, whatever their precision.
func (c Cut) follows(f *Fetch) bool {
	return cmp.Or(cmp.Compare(f.HostReversed, c.Place.Host), cmp.Compare(f.Origin, c.Place.Origin),
		cmp.Compare(f.Micros, c.Micros)) < 0
}

// Between selects the rows between two cuts, the lesser one first.
func Between(from, to Cut) Buckets {
	b := Buckets{From: from.Bucket, To: to.Bucket, from: from}
	if from != BeforeBucket(from.Bucket) {
		b.before = from.follows
	}
	if to != BeforeBucket(to.Bucket) {
		b.To++
		b.behind = func(f *Fetch) bool { return !to.follows(f) }
	}
	return b
}

// Cuts returns at most so many cuts, in order, between which lie about equally many fetches. One
// inside of an origin has some before it, and some between it and another such cut.
func (r *Reader) Cuts(ctx context.Context, most int) ([]Cut, error) {
	var cuts []Cut
	paths, _ := r.files(func(t *Task) []string { return t.Fetches })
	err := run.Sample(ctx, paths, FetchRuns, most, func(f *Fetch) {
		here := Place{strings.Clone(f.HostReversed), strings.Clone(f.Origin)}
		cuts = append(cuts, Cut{run.BucketOf(here.Host), here, floorTo(f.Micros, Second)})
	})
	slices.SortFunc(cuts, Cut.Compare)
	first := BeforeBucket(-1) // in the origin
	for i, c := range cuts {
		if c.Origin() != first.Origin() {
			first = c
		}
		if c == first {
			cuts[i] = c.Origin()
		}
	}
	return cuts, err
}
