package export

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// list makes the entries of a list.
type list struct {
	results *results.Results
	options Options
	tokens  []string                 // of the audit, whose verdicts count
	dir     string                   // for temporary files
	fetches iter.Seq2[*entry, error] // nil: all, decided
	summary Summary
}

// item is a fetch, and the decision on it.
type item struct {
	report.Place
	SURTKey          string
	HostName         string
	RegisteredDomain string
	Origin           string
	Dated            bool
	Time             int64
	Status           int32 // -1: none
	Digest           string
	Length           int64
	ListID           string // of a row of a list of URLs
	decision
}

// decision is what becomes of a fetch, and why.
type decision struct {
	Fate  words.Fate
	Cause words.Cause
	Grounds
}

// rank orders the fetches of a group: the first decides for all of it. One that is no page does where there is
// no other.
func (d *decision) rank() int {
	rank := int(words.Drop-d.Fate)*len(words.Causes) + int(d.Cause)
	if d.Cause == words.NotAPage || d.Cause == words.StatusUnknown {
		rank += int(words.Drop) * len(words.Causes)
	}
	return rank
}

// entry makes a row of a list: some fetches with one key. The item gives the reason: it is the first of the
// lowest rank.
type entry struct {
	Key string
	counts
	sealed int64 // fetches of files that may carry a reservation inside
	item
}

// join adds an entry of the same key, which comes later.
func (e *entry) join(other *entry) {
	counts := counts{e.Fetches + other.Fetches, e.Dropped + other.Dropped, e.Kept + other.Kept}
	sealed := e.sealed + other.sealed
	if other.rank() < e.rank() {
		*e = *other
	}
	e.counts, e.sealed = counts, sealed
}

// makeList calls do with the list of an audit, whose temporary files go afterwards.
func makeList(r *results.Results, o Options, do func(*list) error) (err error) {
	tokens, err := o.Check(r)
	if err != nil {
		return err
	}
	dir, remove, err := durable.Temporary("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	return do(&list{results: r, options: o, tokens: tokens, dir: dir})
}

// entries yields the entries of the list: of records in the order of fetches, of others sorted by
// key. An entry is valid until the next step.
func (l *list) entries(ctx context.Context) iter.Seq2[*entry, error] {
	all := l.fetches
	if all == nil {
		all = l.decided(ctx)
	}
	if l.options.By != ByRecord {
		all = l.grouped(ctx, all)
	}
	return func(yield func(*entry, error) bool) {
		for e, err := range all {
			if err != nil {
				yield(nil, err)
				return
			}
			l.summary.Fates[e.Fate][e.Cause]++
			if e.Fate == words.Keep {
				l.summary.Sealed += e.sealed
			}
			if (e.Fate == l.options.List || l.options.List == words.NoFate) && !yield(e, nil) {
				return
			}
		}
	}
}

// byKey sorts entries by their keys; entries of one key stay in the order of fetches.
var byKey = specOf("entries", func(a, b *entry) int { return cmp.Compare(a.Key, b.Key) })

func specOf[T any](name string, compare func(a, b *T) int) run.Spec[T] {
	return run.Spec[T]{Name: name, Compare: compare, Bucket: func(*T) int { return 0 }, Held: 4 << 20}
}

// grouped joins the entries of one key.
func (l *list) grouped(ctx context.Context, entries iter.Seq2[*entry, error]) iter.Seq2[*entry, error] {
	return func(yield func(*entry, error) bool) {
		sorter := run.NewSorter(l.dir, byKey)
		keyed := func(yield func(*entry, error) bool) {
			for e, err := range entries {
				if err == nil {
					e.Key = e.key(l.options.By)
				}
				if !yield(e, err) {
					return
				}
			}
		}
		for e, err := range joined(keyed) { // neighbours: sites have many
			if err == nil {
				err = sorter.Add(*e)
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		joined(sorter.Sorted(ctx))(yield)
	}
}

// joined joins neighbours of one key.
func joined(entries iter.Seq2[*entry, error]) iter.Seq2[*entry, error] {
	return func(yield func(*entry, error) bool) {
		var inHand entry
		begun := false
		for e, err := range entries {
			if err != nil {
				yield(nil, err)
				return
			}
			switch {
			case begun && e.Key == inHand.Key:
				inHand.join(e)
				continue
			case begun && !yield(&inHand, nil):
				return
			}
			inHand, begun = *e, true
		}
		if begun {
			yield(&inHand, nil)
		}
	}
}
