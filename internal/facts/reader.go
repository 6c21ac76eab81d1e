package facts

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts/pack"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// A Reader reads the facts of all tasks of a Set as one. Rows have the numbers that the
// Set gives their inputs.
type Reader struct {
	*Set
	tmp   string         // folder for temporary files
	packs []*pack.Reader // by task; then those that AddPack opened
	index indexed        // the properties of inputs for rows of indexes
}

// NewReader opens the facts of a Set. Merges of many runs put their temporary files in tmp.
func NewReader(set *Set, tmp string) (*Reader, error) {
	r := &Reader{Set: set, tmp: tmp}
	var err error
	if r.index, err = newIndexed(set); err != nil {
		return nil, err
	}
	for i := range set.Tasks {
		if len(set.Tasks[i].Captures) == 0 {
			r.packs = append(r.packs, nil) // there are no bodies to read
		} else if _, err := r.AddPack(set.Tasks[i].PackPath()); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// AddPack opens one more pack of bodies, and returns its number: Capture.Pack of a capture
// whose body lies there. The first pack that is added has the number of the tasks.
func (r *Reader) AddPack(path string) (int32, error) {
	p, err := pack.Open(path)
	if err != nil {
		return 0, err
	}
	r.packs = append(r.packs, p)
	return int32(len(r.packs) - 1), nil
}

// Close closes the packs.
func (r *Reader) Close() {
	for _, p := range r.packs {
		if p != nil {
			p.Close()
		}
	}
}

// Buckets selects rows by their buckets. The zero value selects all.
type Buckets struct {
	From, To int    // From ≤ bucket < To; both zero mean all
	Select   []bool // selects the true ones; nil means all

	from           Cut               // of Between
	before, behind func(*Fetch) bool // of Between, for fetches alone: run.MergeOptions
}

// files lists the runs of all tasks and, for each, its task.
func (r *Reader) files(names func(*Task) []string) (paths []string, tasks []int) {
	for i := range r.Tasks {
		t := &r.Tasks[i]
		for _, name := range names(t) {
			paths, tasks = append(paths, t.Path(name)), append(tasks, i)
		}
	}
	return paths, tasks
}

// number gives an input of a task the Set's number.
func (r *Reader) number(input *int32, task int) { *input = r.Tasks[task].Global[*input] }

// isCopied reports whether a record without an ID lies in a copy of an input. Duplicates
// finds copies of records with an ID.
func (r *Reader) isCopied(f *Fetch) bool {
	if f.RecordID != "" {
		return false
	}
	_, copied := r.Copies[f.Input]
	return copied
}

// Fetches yields fetches in order. Copies of a record are neighbours; records without an ID
// are left out in inputs that are copies of others, and rows of indexes whose record, or an
// equal row, came before.
func (r *Reader) Fetches(ctx context.Context, buckets Buckets) iter.Seq2[*Fetch, error] {
	return r.FetchesCounting(ctx, buckets, new(int64))
}

// FetchesCounting does the same, and counts in joined the rows of indexes that it leaves out.
func (r *Reader) FetchesCounting(ctx context.Context, buckets Buckets, joined *int64) iter.Seq2[*Fetch, error] {
	all := r.allFetches(ctx, buckets)
	if !r.index.any && !r.index.others {
		return all
	}
	return func(yield func(*Fetch, error) bool) {
		j := joiner{indexed: &r.index}
		if err := r.recallCoarse(ctx, &j, buckets.from); err != nil {
			yield(nil, err)
			return
		}
		h := heldFetches{yield: yield}
		for f, err := range all {
			if (err != nil || j.begin(f)) && !h.release() {
				return
			}
			joins := err == nil && j.isJoined(f)
			if err == nil && f.Type == TypeOther {
				j.learn(f)
				continue
			}
			if err == nil && len(j.spoken) > 0 {
				f.Languages = cmp.Or(f.Languages, j.spoken[made{f.RecordID.Key(), f.URL}])
			}
			switch {
			case err != nil || f.Trust == TrustVerified:
			case f.Flags&(FlagRefuted|FlagUnread) == 0 && joins:
				*joined++
			case f.Flags&(FlagRefuted|FlagUnread) != 0 && !joins: // the row itself will be left out for it
				*joined--
			}
			switch {
			case joins:
				h.name(j.first, f.ListIDs)
			case err == nil && r.index.named:
				if !h.hold(f, j.last) {
					return
				}
			case !yield(f, err):
				return
			}
		}
		h.release()
	}
}

// heldFetches wait for the rows of lists of URLs that report the same fetches: these get their names.
type heldFetches struct {
	yield func(*Fetch, error) bool
	list  []Fetch
	seen  []int // of each, the index into joiner.seen
	bytes int
}

// maxHeld bounds the bytes of the fetches that wait. Names of rows after those beyond are lost.
const maxHeld = 4 << 20

// hold adds a fetch. It reports false if no more are asked for.
func (h *heldFetches) hold(f *Fetch, seen int) bool {
	const fixed = 512
	size := fixed + len(f.URL) + len(f.PolicyHeaders) + len(f.Metas) + len(f.ListIDs)
	if h.bytes += size; h.bytes > maxHeld {
		if !h.release() {
			return false
		}
		h.bytes = size
	}
	h.list, h.seen = append(h.list, *f), append(h.seen, seen)
	return true
}

// name adds names to the fetch that joiner.seen has at an index.
func (h *heldFetches) name(seen int, ids string) {
	if at, found := slices.BinarySearch(h.seen, seen); found && ids != "" {
		h.list[at].AddListIDs(ids)
	}
}

// release yields the fetches that wait. It reports false if no more are asked for.
func (h *heldFetches) release() bool {
	for i := range h.list {
		if !h.yield(&h.list[i], nil) {
			return false
		}
	}
	h.list, h.seen, h.bytes = h.list[:0], h.seen[:0], 0
	return true
}

// recallCoarse reads the fetches of coarse dates that stand before a cut inside of an origin: rows
// after it may be the same fetches.
func (r *Reader) recallCoarse(ctx context.Context, j *joiner, cut Cut) error {
	if !r.index.any || !r.index.coarse || !cut.IsInside() || cut.Place == (Place{}) {
		return nil
	}
	for f, err := range r.allFetches(ctx, Between(cut.Origin(), cut)) {
		if err != nil {
			return err
		}
		j.begin(f)
		j.isJoined(f)
	}
	return nil
}

func (r *Reader) allFetches(ctx context.Context, buckets Buckets) iter.Seq2[*Fetch, error] {
	paths, tasks := r.files(func(t *Task) []string { return t.Fetches })
	all := run.Merge(ctx, paths, FetchRuns, run.MergeOptions[Fetch]{
		From: buckets.From, To: buckets.To, Select: buckets.Select, Before: buckets.before, Behind: buckets.behind,
		TmpDir: r.tmp,
		Prepare: func(file int, f *Fetch) {
			r.number(&f.Input, tasks[file])
			r.index.credit(f)
		},
	})
	if len(r.Copies) == 0 {
		return all
	}
	return without(all, r.isCopied)
}

func without[T any](all iter.Seq2[*T, error], isLeftOut func(*T) bool) iter.Seq2[*T, error] {
	return madeOf(all, func(row *T) *T {
		if isLeftOut(row) {
			return nil
		}
		return row
	})
}

// Unsorted yields the fetches of runs, one run after the other, with all copies. names
// selects the runs of a task.
func (r *Reader) Unsorted(
	ctx context.Context, spec run.Spec[Fetch], names func(*Task) []string,
) iter.Seq2[*Fetch, error] {
	paths, tasks := r.files(names)
	return func(yield func(*Fetch, error) bool) {
		for i, path := range paths {
			opt := run.MergeOptions[Fetch]{Prepare: func(_ int, f *Fetch) { r.number(&f.Input, tasks[i]) }}
			merged := run.Merge(ctx, []string{path}, spec, opt)
			for f, err := range without(merged, func(f *Fetch) bool { return f.Type == TypeOther }) {
				if !yield(f, err) || err != nil {
					return
				}
			}
		}
	}
}

// UserAgents calls f with the User-Agents of fetches and how many have each: the same again, as
// often as it is met, in no order.
func (r *Reader) UserAgents(ctx context.Context, f func(userAgent string, fetches int64)) error {
	for i := range r.Tasks {
		t := &r.Tasks[i]
		for _, a := range t.UserAgents {
			f(string(a.UserAgent), a.Fetches)
		}
		if len(t.UserAgents) > 0 {
			continue
		}
		for row, err := range r.Unsorted(ctx, FetchRuns, func(of *Task) []string {
			if of == t {
				return t.Fetches
			}
			return nil
		}) {
			if err != nil {
				return err
			}
			f(row.UserAgent, 1)
		}
	}
	return nil
}

// Captures yields policy captures in order. Copies of a record are neighbours, as in Fetches.
func (r *Reader) Captures(ctx context.Context, buckets Buckets) iter.Seq2[*Capture, error] {
	return without(r.allCaptures(ctx, buckets), func(c *Capture) bool { return r.isCopied(&c.Fetch) })
}

// allCaptures yields policy captures in order, with all copies.
func (r *Reader) allCaptures(ctx context.Context, buckets Buckets) iter.Seq2[*Capture, error] {
	paths, tasks := r.files(func(t *Task) []string { return t.Captures })
	return run.Merge(ctx, paths, CaptureRuns, run.MergeOptions[Capture]{
		From: buckets.From, To: buckets.To, Select: buckets.Select, TmpDir: r.tmp,
		Prepare: func(file int, c *Capture) {
			r.number(&c.Input, tasks[file])
			c.Pack = int32(tasks[file])
		},
	})
}

// Events yields the events of crawlers' logs, in order.
func (r *Reader) Events(ctx context.Context, buckets Buckets) iter.Seq2[*LogEvent, error] {
	paths, tasks := r.files(func(t *Task) []string { return t.Events })
	return run.Merge(ctx, paths, eventRuns, run.MergeOptions[LogEvent]{
		From: buckets.From, To: buckets.To, Select: buckets.Select, TmpDir: r.tmp,
		Prepare: func(file int, e *LogEvent) { r.number(&e.Input, tasks[file]) },
	})
}

// Issues yields issues in order of input and place: the issues that ingest noted, and the
// runs of issues at more, which have the Set's numbers already.
func (r *Reader) Issues(ctx context.Context, more []string) iter.Seq2[*Issue, error] {
	paths, tasks := r.files(func(t *Task) []string { return t.Issues })
	return run.Merge(ctx, append(paths, more...), IssueRuns, run.MergeOptions[Issue]{
		TmpDir: r.tmp,
		Prepare: func(file int, i *Issue) {
			if file < len(tasks) {
				r.number(&i.Input, tasks[file])
			}
		},
	})
}

// Body reads the body of a capture.
func (r *Reader) Body(c *Capture) ([]byte, error) {
	return r.packs[c.Pack].Get(c.bodyRef())
}

func (c *Capture) bodyRef() pack.Ref {
	ref := pack.Ref{Offset: c.BodyOffset, Size: c.BodySize}
	copy(ref.Digest[:], c.BodyDigest)
	return ref
}
