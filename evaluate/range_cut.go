package evaluate

import (
	"cmp"
	"context"

	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// maxCuts is how many places are known at which ranges may begin: more make ranges more alike.
const maxCuts = 32 * Buckets

// Cut returns the n-th of the cuts, from 0, that divide all fetches into so many ranges, of facts
// that OpenResolved has opened. Ranges have about equally many fetches: a large origin is
// divided, too.
func (r *Resolved) Cut(n, ranges int) Cut {
	switch {
	case n == ranges:
		return facts.BeforeBucket(Buckets)
	case n == 0 || len(r.cuts) == 0:
		return facts.BeforeBucket(0)
	}
	return r.cuts[n*len(r.cuts)/ranges]
}

// findCuts finds the places at which ranges may begin.
func (r *Resolved) findCuts(ctx context.Context) (err error) {
	r.cuts, err = r.store.Cuts(ctx, maxCuts)
	return cmp.Or(err, r.keepWhole(ctx))
}

// keepWhole leaves no cut inside of an origin with exclusions: all of its fetches are needed to know
// who made them.
func (r *Resolved) keepWhole(ctx context.Context) error {
	i := 0
	for ev, err := range r.store.Events(ctx, facts.Buckets{}) {
		if err != nil {
			return err
		}
		if ev.Kind != facts.EventExclusion {
			continue
		}
		whole := ev.Place().Cut()
		for ; i < len(r.cuts) && r.cuts[i].Origin().Compare(whole) <= 0; i++ {
			if r.cuts[i].Origin() == whole {
				r.cuts[i] = whole
			}
		}
	}
	return nil
}

// remember reads what the fetches from e.from on depend on in earlier fetches of their origin:
// the originals of revisits.
func (e *evaluation) remember(ctx context.Context, tl *verdict.Timeline) (err error) {
	originals := e.originals
	const allTime = 10_000 * 366 * facts.Day
	for back := facts.Hour / 6; err == nil && originals != nil; back *= 3 {
		originals.Forget()
		err = e.eachBefore(ctx, back, tl, func(f *facts.Fetch) error { originals.Remember(f); return nil })
		if originals.Full || back > allTime {
			break
		}
	}
	return err
}

// eachBefore calls f with the fetches of the so many microseconds before e.from, in its origin.
func (e *evaluation) eachBefore(
	ctx context.Context, micros int64, tl *verdict.Timeline, f func(*facts.Fetch) error,
) error {
	fetches := facts.NewCursor(e.store.Fetches(ctx, facts.Between(e.from.Earlier(micros), e.from)), facts.PlaceOf)
	defer fetches.Stop()
	return eachRecord(fetches, e.from.Place, tl, func(_, _ *facts.Fetch) error { return nil }, f)
}
