package export

import (
	"cmp"
	"context"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// list makes the entries of a list.
type list struct {
	results *results.Results
	options Options
	tokens  []string // of the audit, whose verdicts count
	dir     string   // for temporary files
	fetches entries  // of the list by records
	summary Summary
}

// entries calls do for each entry, which is valid during the call, until that returns an error.
type entries func(ctx context.Context, do func(*entry) error) error

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

// each calls do for the entries of the list: of records in the order of fetches, of others sorted by key.
func (l *list) each(ctx context.Context, do func(*entry) error) error {
	all := l.fetches
	if l.options.By != ByRecord {
		all = l.grouped
	}
	return all(ctx, func(e *entry) error {
		l.summary.Fates[e.Fate][e.Cause]++
		if e.Fate == words.Keep {
			l.summary.Sealed += e.sealed
		}
		if e.Fate == l.options.List || l.options.List == words.NoFate {
			return do(e)
		}
		return nil
	})
}

// byKey sorts entries by their keys; entries of one key stay in the order of fetches.
var byKey = run.Spec[entry]{
	Name:    "entries",
	Compare: func(a, b *entry) int { return cmp.Compare(a.Key, b.Key) },
	Bucket:  func(*entry) int { return 0 },
	Held:    4 << 20,
}

// grouped calls do for the entries of the fetches with one key, joined.
func (l *list) grouped(ctx context.Context, do func(*entry) error) error {
	sorter := run.NewSorter(l.dir, byKey)
	neighbours := joiner{do: func(e *entry) error { return sorter.Add(*e) }} // sites have many
	err := l.fetches(ctx, func(e *entry) error {
		e.Key = e.key(l.options.By)
		return neighbours.add(e)
	})
	if err := cmp.Or(err, neighbours.end()); err != nil {
		return err
	}
	all := joiner{do: do}
	for e, err := range sorter.Sorted(ctx) {
		if err == nil {
			err = all.add(e)
		}
		if err != nil {
			return err
		}
	}
	return all.end()
}

// joiner joins neighbours of one key.
type joiner struct {
	do     func(*entry) error // takes what is joined
	inHand entry
	begun  bool
}

func (j *joiner) add(e *entry) error {
	if j.begun && e.Key == j.inHand.Key {
		j.inHand.join(e)
		return nil
	}
	err := j.end()
	j.inHand, j.begun = *e, true
	return err
}

func (j *joiner) end() error {
	if !j.begun {
		return nil
	}
	return j.do(&j.inHand)
}
