package evaluate

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate/use"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// Origin is what is known of one origin's robots.txt in time. Any fetch can be decided by
// it, one that was never made, too.
type Origin struct {
	captures *verdict.Captures
	place    facts.Place
	resolved *Resolved
	timeline *verdict.Timeline
	deciding
}

// Origin loads one origin, by its name in results: scheme, host and port. Of one that the
// facts do not know, there are no captures.
func (r *Resolved) Origin(ctx context.Context, name string) (*Origin, error) {
	u, _ := weburl.Parse(name)
	here := facts.Place{Host: u.HostReversed(), Origin: name}
	bucket := run.BucketOf(here.Host)
	id, err := r.firstID(ctx, bucket)
	if err != nil {
		return nil, err
	}
	l := r.openTimelines(ctx, bucket, bucket+1)
	defer l.stop()
	if id, err = l.skipTo(here.Cut(), id); err != nil {
		return nil, err
	}
	o := &Origin{place: here, resolved: r, deciding: r.newDeciding()}
	o.captures = o.decider.NewCaptures()
	err = l.each(here, func(st *State) error {
		if !use.IsSiteFile(&st.State) {
			o.decider.Complete(st, id)
			id++
			o.captures.Add(st)
		}
		return nil
	}, func(_, _ *facts.LogEvent) error { return nil })
	if err != nil {
		return nil, err
	}
	o.timeline, err = l.load(here, o.captures, o.decider)
	return o, err
}

// Captures yields the captures of robots.txt by which fetches are decided, by time.
func (o *Origin) Captures() iter.Seq[*State] { return o.timeline.Captures() }

var errEnough = errors.New("no more fetches are asked for")

// Fetches yields the fetches of the origin in order, each record once. A fetch is valid until
// the next step; one that is decided by then is decided as it was in the audit.
func (o *Origin) Fetches(ctx context.Context) iter.Seq2[*Fetch, error] {
	return func(yield func(*Fetch, error) bool) {
		bucket := run.BucketOf(o.place.Host)
		fetches := facts.NewCursor(o.resolved.store.Fetches(ctx, facts.Buckets{From: bucket, To: bucket + 1}),
			facts.PlaceOf)
		defer fetches.Stop()
		err := eachRecord(fetches, o.place, o.timeline,
			func(_, _ *facts.Fetch) error { return nil },
			func(f *facts.Fetch) error {
				if !yield(f, nil) {
					return errEnough
				}
				return nil
			})
		if err != nil && err != errEnough {
			yield(nil, err)
		}
	}
}

// NewFetch describes a GET that no archive holds, to find what would have held for it.
func NewFetch(url, userAgent string, at time.Time) *Fetch {
	u, _ := weburl.Parse(url)
	f := &Fetch{
		HostReversed: u.HostReversed(), Origin: u.Origin(), URL: url, Micros: at.UnixMicro(),
		Precision: facts.PrecisionMicrosecond,
		Status:    -1, Millis: -1, Method: http.MethodGet, UserAgent: userAgent, UserAgentSource: facts.SourceRequest,
	}
	if !weburl.IsFetchScheme(u.Scheme) {
		f.Flags = facts.FlagUnsupportedScheme
	}
	return f
}

// Decide gives the verdict of robots.txt on a fetch of the origin. It does not read the statements
// of pages about their use, nor how fast fetches followed one another.
func (o *Origin) Decide(f *Fetch) (*Result, error) {
	r := new(Result)
	if err := o.decider.DecideFetch(&r.Finding, f, o.timeline); err != nil {
		return nil, err
	}
	return r, nil
}
