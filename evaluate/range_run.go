package evaluate

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/alitto/pond/v2"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// DecideOptions of Run.
type DecideOptions struct {
	Profile    Profile
	Crawler    string       // the crawler's own token, instead of the one derived from each User-Agent
	CrawlerMap CrawlerMap   // the own tokens of some User-Agents; it has no effect where Crawler is given
	Agents     []string     // tokens of the what-if; none: no what-if
	Uses       []Use        // what for: restrictions that bind one of them are passed on
	Policies   PolicyTokens // whom each robots.txt is asked for, for Sink.Policies
	// the what-if and restrictions are judged then, unless it is zero, not at each fetch's own time
	AsOf    AsOf
	Decided *atomic.Int64 // counts the fetches decided; may be nil
	Workers int           // ranges of buckets that are decided at a time; 0: as many as there are cores
	// about how many fetches are a range; 0: 10,000. Where row groups of tables end depends on it
	RangeRows int64
}

// Parts is a Sink that takes the results of ranges of buckets apart, several at a time.
type Parts interface {
	Sink
	// Part returns the sink of the n-th range, from 0. The results of all parts, one after the
	// other, are the results of one sink. Each part receives the token groups that no capture
	// governs once. Part and Done may be called at any time, from any goroutine.
	Part(n int) (Sink, error)
	// Done ends the n-th part.
	Done(n int) error
}

// Run resolves and decides all fetches of facts, and passes the results to sink: range by
// range, where there are many and sink is of Parts. The ranges depend on the facts alone.
func Run(ctx context.Context, set *Facts, opt DecideOptions, sink Sink) (*Totals, error) {
	r, err := Resolve(ctx, set, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	parts, several := sink.(Parts)
	n := r.ranges()
	if !several || n == 1 {
		totals, err := r.Decide(ctx, r.Cut(0, 1), r.Cut(1, 1), sink)
		if err != nil {
			return nil, err
		}
		return r.Finish(ctx, sink, totals)
	}
	totals, err := r.decideParts(ctx, n, parts)
	if err != nil {
		return nil, err
	}
	return r.Finish(ctx, sink, totals...)
}

// Ranges of buckets are of so many fetches, as hosts are spread evenly, and so many at most:
// each opens the runs of all facts, and ends a row group of each table. A fifth of them would take a fifth more CPU.
const (
	rangeRows = 50_000
	maxRanges = 32
)

// ranges returns the number of ranges that the buckets are decided in.
func (r *Resolved) ranges() int {
	n := r.store.Totals.Fetches / r.opt.RangeRows
	return int(min(max(n, 1), maxRanges))
}

func (r *Resolved) workers() int {
	if r.opt.Workers > 0 {
		return r.opt.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// decideParts decides n ranges, some at a time.
func (r *Resolved) decideParts(ctx context.Context, n int, sink Parts) ([]*Totals, error) {
	pool := pond.NewPool(r.workers())
	defer pool.StopAndWait()
	group := pool.NewGroupContext(ctx)
	totals := make([]*Totals, n)
	for i := range n {
		group.SubmitErr(func() error {
			part, err := sink.Part(i)
			if err != nil {
				return err
			}
			totals[i], err = r.Decide(group.Context(), facts.BeforeBucket(i*Buckets/n),
				facts.BeforeBucket((i+1)*Buckets/n), part)
			return errors.Join(err, sink.Done(i))
		})
	}
	return totals, group.Wait()
}

// Buckets is the number of shares that origins are spread over. Fetches are decided by
// ranges of buckets.
const Buckets = run.Buckets
