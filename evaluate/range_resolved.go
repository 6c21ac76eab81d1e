package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/parsed"
	"github.com/robotsaudit/robotsaudit/evaluate/use"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Resolved is facts with what each capture of policy came to: all that
// deciding needs. Ranges of buckets are decided independently of one another.
type Resolved struct {
	opt    DecideOptions
	store  *facts.Reader
	dir    string       // of temporary files
	remove func() error // it
	totals Totals       // of resolving

	res      *resolve.Resolved
	licences use.Licences     // that are read
	made     crawler.Software // the archives

	policies struct { // the tokens that each robots.txt is asked for
		sync.Mutex
		known  bool
		tokens []string
	}

	cuts []Cut // of findCuts

	numbering sync.Mutex
	firstIDs  []int64 // of the states of each bucket; nil until a range needs them
}

// Resolve finds out what the policy captures of facts came to. Close ends the use of the
// result.
func Resolve(ctx context.Context, set *Facts, opt DecideOptions) (*Resolved, error) {
	return newResolved(set, opt, func(r *Resolved) error { return r.resolve(ctx) })
}

// newResolved opens facts, and has resolve fill in what their captures came to.
func newResolved(set *Facts, opt DecideOptions, resolve func(*Resolved) error) (*Resolved, error) {
	dir, remove, err := set.MakeTemporary()
	if err != nil {
		return nil, err
	}
	opt.Profile = cmp.Or(opt.Profile, RFC9309)
	opt.RangeRows = cmp.Or(opt.RangeRows, rangeRows)
	r := &Resolved{opt: opt, dir: dir, remove: remove}
	if r.store, err = facts.NewReader(set, dir); err == nil {
		r.made, err = crawler.FindSoftware(set)
	}
	if err == nil {
		err = resolve(r)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close removes the temporary files.
func (r *Resolved) Close() error {
	if r.store != nil {
		r.store.Close()
	}
	return r.remove()
}

func (r *Resolved) resolve(ctx context.Context) error {
	issues := run.NewSorter(r.dir, facts.IssueRuns)
	var names []*crawler.Names
	res, err := resolve.Captures(ctx, r.store, resolve.Options{
		Dir: r.dir, Ranges: r.ranges(), Workers: r.workers(),
		Rows: r.opt.RangeRows,
		Crawler: func() resolve.Crawler {
			who := crawler.NewNames(r.opt.Crawler, r.opt.CrawlerMap)
			names = append(names, who)
			return who.KeyOf
		},
	}, issues)
	if err != nil {
		return err
	}
	if res.Originals, err = resolve.FindOriginals(ctx, r.store, r.dir); err != nil {
		return err
	}
	r.res = res
	if err := r.readLicences(ctx, issues); err != nil {
		return err
	}
	if err := r.noteCopies(ctx, issues); err != nil {
		return err
	}
	for _, who := range names {
		r.totals.add(&Totals{used: who.Used()})
	}
	return r.totals.takeIssues(r.dir, issues)
}

// noteCopies reports which inputs are copies of others: their records without an ID are
// counted once. Records with one are noted one by one.
func (r *Resolved) noteCopies(ctx context.Context, issues *run.Sorter[facts.Issue]) error {
	if len(r.store.Copies) == 0 {
		return nil
	}
	i := int32(-1)
	for in, err := range r.store.Results(ctx) {
		if err != nil {
			return err
		}
		i++
		original, copied := r.store.Copies[i]
		if !copied {
			continue
		}
		r.totals.Duplicates += in.Unnamed
		if err := issues.Add(facts.Issue{
			Input: i, Offset: -1, Length: in.Size, Kind: words.IssueDuplicateRecord, Action: "counted once",
			Detail: fmt.Sprintf("%d fetches without a WARC-Record-ID are also in %s, whose bytes are equal",
				in.Unnamed, r.store.Input(original).Name),
		}); err != nil {
			return err
		}
	}
	return nil
}

// readLicences reads which licence documents there are. issues may be nil.
func (r *Resolved) readLicences(ctx context.Context, issues *run.Sorter[facts.Issue]) (err error) {
	r.licences, err = use.ReadLicences(r.res.Licences.Range(ctx, 0, Buckets), issues)
	return err
}

// deciding is a decider, with the caches that it shares with other readers of the same fetches.
type deciding struct {
	decider *verdict.Decider
	files   *parsed.Cache
	who     *crawler.Names
}

func (r *Resolved) newDeciding() deciding {
	d := deciding{
		files: parsed.NewCache(r.store, r.opt.Profile), who: crawler.NewNames(r.opt.Crawler, r.opt.CrawlerMap),
	}
	d.decider = verdict.NewDecider(r.store.Set, d.files, d.who, &r.made)
	return d
}

// firstID returns the ID of the first state of a bucket's timelines. States have their IDs
// in the order of the timelines, whatever is decided first.
func (r *Resolved) firstID(ctx context.Context, bucket int) (int64, error) {
	if bucket == 0 {
		return 1, nil
	}
	r.numbering.Lock()
	defer r.numbering.Unlock()
	if r.firstIDs == nil {
		ids, err := r.number(ctx)
		if err != nil {
			return 0, err
		}
		r.firstIDs = ids
	}
	return r.firstIDs[bucket], nil
}

// number counts the states of all timelines, and returns the first ID of each bucket. Only
// where logs report robots.txt, too, have the states to be read.
func (r *Resolved) number(ctx context.Context) ([]int64, error) {
	first := make([]int64, Buckets)
	next := int64(1)
	if !slices.ContainsFunc(r.store.Tasks, func(t facts.Task) bool { return len(t.Events) > 0 }) {
		for bucket, n := range r.res.Robots {
			first[bucket] = next
			next += n
		}
		return first, nil
	}
	l := r.openTimelines(ctx, 0, Buckets)
	defer l.stop()
	for bucket := range first {
		first[bucket] = next
		for here, more := l.next(); more && run.BucketOf(here.Host) == bucket; here, more = l.next() {
			n, err := l.count(here)
			if err != nil {
				return nil, err
			}
			next += n
		}
	}
	return first, l.err()
}

// Finish adds up what all ranges, which together are all buckets, came to, and passes to
// sink what is known only then: the counts of product tokens, and all issues.
func (r *Resolved) Finish(ctx context.Context, sink Sink, ranges ...*Totals) (*Totals, error) {
	sum := Totals{RobotsByOutcome: make(map[string]int64)}
	for _, t := range append(ranges, &r.totals) {
		sum.add(t)
	}
	isAnyRecord := sum.Fetches > r.store.Totals.Indexed-sum.Joined // indexes and lists have no User-Agent
	sum.AgentUnseen = r.opt.Crawler != "" && !sum.crawlerSeen && isAnyRecord
	if r.opt.Crawler == "" {
		sum.IdleRules = r.opt.CrawlerMap.Without(sum.used)
	}
	for _, a := range sum.agents.Sorted() {
		if err := sink.Agent(a); err != nil {
			return nil, err
		}
	}
	for issue, err := range r.store.Issues(ctx, sum.issues) {
		if err != nil {
			return nil, err
		}
		if err := sink.Issue(issue); err != nil {
			return nil, err
		}
	}
	return &sum, nil
}

// takeIssues ends a writer of issues in dir, whose files then belong to t.
func (t *Totals) takeIssues(dir string, issues *run.Sorter[facts.Issue]) error {
	names, err := issues.Close()
	for _, name := range names {
		t.issues = append(t.issues, filepath.Join(dir, name))
	}
	return err
}
