package resolve

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/alitto/pond/v2"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/pack"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Bounds of one audit.
const (
	maxBeyond = 20_000          // hops followed beyond maxHops: each is a row, written and read again
	maxReread = int64(16 << 30) // bytes decompressed to read bodies again
)

// budget is what is left of what one audit may spend.
type budget struct {
	reread  int64         // bytes of maxReread
	beyond  int           // hops of maxBeyond
	cutOff  facts.Capture // the first whose hops were no longer followed for lack of budget, and their number
	cutOffs int
}

// share is what each of n ranges that have resolutions may spend, whatever the others do.
func (b *budget) share(n int) budget {
	return budget{reread: b.reread / int64(n), beyond: b.beyond / n}
}

// settle takes what a range has left of its share.
func (b *budget) settle(share, left *budget) {
	b.reread -= share.reread - left.reread
	b.beyond -= share.beyond - left.beyond
	if b.cutOffs == 0 {
		b.cutOff = left.cutOff
	}
	b.cutOffs += left.cutOffs
}

// Resolved is what all policy captures came to.
type Resolved struct {
	States   *run.SortedRows[State]
	Licences *run.SortedRows[State] // of licence documents, which pages of any origin name
	Marks    *run.SortedRows[Mark]  // of the records that redirects led to
	Leads    *run.SortedRows[Lead]  // redirects that may have led to others
	Robots   []int64                // captures of robots.txt in each bucket
	Bodies   string                 // path of the pack of those that were read again

	Originals *run.SortedRows[facts.Fetch] // of FindOriginals
}

const bodiesFile = "reread.pack"

// Options of Captures.
type Options struct {
	Dir     string         // of temporary files
	Ranges  int            // of buckets, the most in a round
	Rows    int64          // resolutions in a range; more only where there are Ranges of them
	Workers int            // ranges that are worked on at a time
	Crawler func() Crawler // makes one for each worker
}

// Captures follows all captures of policy that is read to their ends, and adds what
// it could not follow to issues. Each round is one pass over the policy captures of the hosts
// that resolutions have reached; there are as many as the longest chain of redirects and revisits
// has steps into another origin. A round goes by ranges of buckets, several at a time.
func Captures(ctx context.Context, s *facts.Reader, opt Options, issues *run.Sorter[facts.Issue]) (*Resolved, error) {
	path := filepath.Join(opt.Dir, bodiesFile)
	bodies, err := pack.Create(path)
	if err != nil {
		return nil, err
	}
	rs := &resolvers{
		shared: &shared{store: s, bodies: bodies, issues: issues},
		budget: budget{reread: maxReread, beyond: maxBeyond},
	}
	if err := rs.start(opt); err != nil {
		return nil, err
	}
	if err := rs.round(ctx, opt.Ranges, opt.Ranges, (*resolver).firstRound); err != nil {
		return nil, err
	}
	for {
		w, err := rs.gather(ctx)
		if err != nil {
			return nil, err
		}
		if w.count == 0 {
			break
		}
		n := int(min((w.count+opt.Rows-1)/opt.Rows, int64(opt.Ranges)))
		err = rs.round(ctx, n, w.ranges(n),
			func(r *resolver, ctx context.Context, from, to int) error { return r.nextRound(ctx, w, from, to) })
		if err = cmp.Or(err, w.resolutions.Remove()); err != nil {
			return nil, err
		}
	}
	if err := rs.noteCutOff(); err != nil {
		return nil, err
	}
	if err := bodies.Close(); err != nil {
		return nil, err
	}
	if _, err := s.AddPack(path); err != nil {
		return nil, err
	}
	return rs.resolved(ctx, path)
}

// resolvers are the resolvers of all workers.
type resolvers struct {
	*shared
	budget
	list   []*resolver
	free   chan *resolver
	rounds int
}

func (rs *resolvers) start(opt Options) error {
	rs.free = make(chan *resolver, opt.Workers)
	for range min(opt.Workers, opt.Ranges) {
		dir, err := os.MkdirTemp(opt.Dir, "resolve-*")
		if err != nil {
			return err
		}
		r := &resolver{shared: rs.shared, who: opt.Crawler(), dir: dir, robots: make([]int64, run.Buckets)}
		r.states, r.marks = run.NewSorter(dir, stateRuns), run.NewSorter(dir, markRuns)
		r.leads, r.licences = run.NewSorter(dir, leadRuns), run.NewSorter(dir, licenceRuns)
		rs.list = append(rs.list, r)
		rs.free <- r
	}
	return nil
}

// round has f called for n ranges of buckets, busy of them with resolutions.
func (rs *resolvers) round(ctx context.Context, n, busy int,
	f func(r *resolver, ctx context.Context, from, to int) error,
) error {
	rs.rounds++
	for _, r := range rs.list {
		r.startRound(rs.rounds)
	}
	pool := pond.NewPool(len(rs.list))
	defer pool.StopAndWait()
	group := pool.NewGroupContext(ctx)
	share, left := rs.share(busy), make([]budget, n)
	for i := range n {
		group.SubmitErr(func() error {
			r := <-rs.free
			defer func() { rs.free <- r }()
			r.budget = share
			err := f(r, group.Context(), i*run.Buckets/n, (i+1)*run.Buckets/n)
			left[i] = r.budget
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i := range left {
		rs.settle(&share, &left[i])
	}
	return nil
}

// waiting is what a round has left for the next.
type waiting struct {
	count           int64
	wanted, scanned []bool
	resolutions     *run.SortedRows[resolution]
}

// ranges returns how many of n ranges of buckets have resolutions.
func (w *waiting) ranges(n int) (busy int) {
	for i := range n {
		if slices.Contains(w.wanted[i*run.Buckets/n:(i+1)*run.Buckets/n], true) {
			busy++
		}
	}
	return busy
}

// gather puts together what the resolvers have left for the next round.
func (rs *resolvers) gather(ctx context.Context) (w waiting, err error) {
	w.wanted, w.scanned = make([]bool, run.Buckets), make([]bool, run.Buckets)
	for _, r := range rs.list {
		w.count += r.waiting
		for i := range run.Buckets {
			w.wanted[i], w.scanned[i] = w.wanted[i] || r.wanted[i], w.scanned[i] || r.scanned[i]
		}
	}
	err = together(ctx, rs, &w.resolutions, func(r *resolver) *run.Sorter[resolution] { return r.next })
	return w, err
}

// together puts together the rows that all resolvers have of a kind.
func together[T any](ctx context.Context, rs *resolvers, to **run.SortedRows[T],
	of func(*resolver) *run.Sorter[T],
) (err error) {
	var sorters []*run.Sorter[T]
	for _, r := range rs.list {
		sorters = append(sorters, of(r))
	}
	*to, err = run.Together(ctx, sorters)
	return err
}

func (rs *resolvers) resolved(ctx context.Context, bodies string) (res *Resolved, err error) {
	res = &Resolved{Robots: make([]int64, run.Buckets), Bodies: bodies}
	for _, r := range rs.list {
		for bucket, n := range r.robots {
			res.Robots[bucket] += n
		}
	}
	err = cmp.Or(
		together(ctx, rs, &res.States, func(r *resolver) *run.Sorter[State] { return r.states }),
		together(ctx, rs, &res.Licences, func(r *resolver) *run.Sorter[State] { return r.licences }),
		together(ctx, rs, &res.Marks, func(r *resolver) *run.Sorter[Mark] { return r.marks }),
		together(ctx, rs, &res.Leads, func(r *resolver) *run.Sorter[Lead] { return r.leads }))
	return res, err
}

// noteCutOff reports how many captures had no more hops followed for maxBeyond.
func (rs *resolvers) noteCutOff() error {
	if rs.cutOffs == 0 {
		return nil
	}
	return rs.note(&rs.cutOff, words.IssueLimitReached, words.TooManyRedirects,
		"more than %d redirects beyond the fifth of a robots.txt: %d captures redirect further, which is not followed",
		maxBeyond, rs.cutOffs)
}
