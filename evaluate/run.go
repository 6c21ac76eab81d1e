package evaluate

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/run"
)

// Options of Run.
type Options struct {
	Profile      Profile
	Crawler      string        // the crawler's own token, instead of the one derived from each User-Agent
	CrawlerMap   CrawlerMap    // the same for some User-Agents; it has no say where Crawler is given
	Agents       []string      // tokens of the what-if; none: no what-if
	Uses         []Use         // what for: restrictions that bind one of them are passed on
	Rate         bool          // pass on the fetches that came too soon; they are counted in any case
	Policies     PolicyTokens  // whom each robots.txt is asked for, for Sink.Policies
	PolicyBodies bool          // pass on what the files hold, too
	AsOf         time.Time     // the what-if and restrictions are judged at this moment, unless it is zero, not at each fetch's own
	Decided      *atomic.Int64 // counts the fetches decided; may be nil
}

// asOf is AsOf, to the microsecond; unknown where it is zero.
func (o *Options) asOf() facts.Time {
	if o.AsOf.IsZero() {
		return facts.Time{}
	}
	return facts.Time{Micros: o.AsOf.UnixMicro(), Precision: facts.PrecisionMicrosecond}
}

// Run resolves and decides all fetches of facts, and passes the results to sink.
func Run(ctx context.Context, set *Facts, opt Options, sink Sink) (*Totals, error) {
	r, err := Resolve(ctx, set, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	totals, err := r.Decide(ctx, 0, Buckets, sink)
	if err != nil {
		return nil, err
	}
	return r.Finish(ctx, sink, totals)
}

// Buckets is the number of shares that origins are spread over. Fetches are decided by
// ranges of buckets.
const Buckets = run.Buckets
