package diff

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Compare compares two audits, or the same part of both. It sorts the fetches of both in temporary files, so its memory
// does not grow with them.
func Compare(ctx context.Context, old, new *results.Results) (_ *Changes, err error) {
	dir, remove, err := durable.Temporary("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	c := &comparison{origins: run.NewSorter(dir, originRuns)}
	c.changes.Old, c.changes.New = sideOf(old.Name(), old.Audit()), sideOf(new.Name(), new.Audit())
	c.changes.Part = new.Part().String()
	c.changes.Settings = compareSettings(old.Audit(), new.Audit())
	if err := eachPair(ctx, dir, old, new, sortFetches, c.add); err != nil {
		return nil, err
	}
	for k := range same {
		list := c.changes.kind(k)
		list.sort()
		list.List = append([]Change{}, list.List...) // [] in JSON, never null
	}
	return &c.changes, c.countOrigins(ctx)
}

// eachPair sorts the fetches of both audits in files in dir, and pairs them.
func eachPair(ctx context.Context, dir string, old, new *results.Results,
	sort func(context.Context, *results.Results, *run.Sorter[fetch]) error, pair func(before, after *fetch) error,
) error {
	before, after := run.NewSorter(dir, sortedAs("old")), run.NewSorter(dir, sortedAs("new"))
	if err := sort(ctx, old, before); err != nil {
		return err
	}
	if err := sort(ctx, new, after); err != nil {
		return err
	}
	return merge(before.Sorted(ctx), after.Sorted(ctx), pair)
}

// merge pairs the fetches of both sides that have one key; nil stands for none.
func merge(old, new iter.Seq2[*fetch, error], pair func(before, after *fetch) error) error {
	nextOld, stopOld := iter.Pull2(old)
	defer stopOld()
	nextNew, stopNew := iter.Pull2(new)
	defer stopNew()
	before, errOld, _ := nextOld()
	after, errNew, _ := nextNew()
	for before != nil || after != nil {
		if err := cmp.Or(errOld, errNew); err != nil {
			return err
		}
		a, b := before, after
		switch order := compareSides(before, after); {
		case order < 0:
			b = nil
		case order > 0:
			a = nil
		}
		if err := pair(a, b); err != nil {
			return err
		}
		if a != nil {
			before, errOld, _ = nextOld()
		}
		if b != nil {
			after, errNew, _ = nextNew()
		}
	}
	return cmp.Or(errOld, errNew)
}

// compareSides orders the fetches of both sides: a side without one comes last.
func compareSides(before, after *fetch) int {
	switch {
	case before == nil:
		return 1
	case after == nil:
		return -1
	}
	return cmp.Or(cmp.Compare(bucketOf(before), bucketOf(after)), compareKeys(before, after))
}

// comparison is a Compare in hand.
type comparison struct {
	changes Changes
	origins *run.Sorter[originChange]
}

// add compares the states of a fetch in both audits; nil: it has no such fetch.
func (c *comparison) add(before, after *fetch) error {
	switch {
	case before == nil:
		c.changes.OnlyNew++
	case after == nil:
		c.changes.OnlyOld++
	default:
		c.changes.Common++
	}
	k := kindOf(before.state(), after.state())
	if k == same {
		return nil
	}
	before, after = before.clone(), after.clone()
	was, is := before.state(), after.state()
	f, other := after, was
	if k == goneViolation {
		f, other = before, is
	}
	list := c.changes.kind(k)
	list.Total++
	if other == nil {
		list.Absent++
	} else if other.isUnknown() {
		list.Unknown++
	}
	list.add(changeOf(f, was, is))
	return c.origins.Add(originChange{Origin: f.Origin, Kind: uint8(k)})
}

func changeOf(f *fetch, was, is *State) Change {
	change := Change{
		URL: f.URL, Origin: f.Origin, Agent: f.Agent,
		WARCFilename: f.Filename, WARCRecordOffset: f.Offset, WARCRecordID: f.RecordID, Old: was, New: is,
	}
	if f.Dated {
		change.FetchTime = new(time.UnixMicro(f.Time).UTC())
	}
	return change
}

// add lists a change, if it is among the first of those so far.
func (k *Kind) add(c Change) {
	k.List = append(k.List, c)
	if len(k.List) == 2*MaxListed {
		k.sort()
	}
}

// sort orders the changes listed, and drops those beyond MaxListed.
func (k *Kind) sort() {
	slices.SortFunc(k.List, compareChanges)
	if len(k.List) > MaxListed {
		clear(k.List[MaxListed:])
		k.List = k.List[:MaxListed]
	}
}

func compareChanges(a, b Change) int {
	return cmp.Or(
		cmp.Compare(a.rank(), b.rank()),
		cmp.Compare(a.Origin, b.Origin),
		cmp.Compare(a.micros(), b.micros()),
		cmp.Compare(a.URL, b.URL),
		cmp.Compare(a.WARCFilename, b.WARCFilename),
		cmp.Compare(a.WARCRecordOffset, b.WARCRecordOffset),
		cmp.Compare(a.WARCRecordID, b.WARCRecordID),
	)
}

// rank is the order of certainty, by the audit by which the fetch is the more certain violation.
func (c *Change) rank() int {
	rank := len(words.Certainties)
	for _, s := range []*State{c.Old, c.New} {
		if s != nil && s.Certainty != "" {
			rank = min(rank, int(words.Parse[words.Certainty](words.Certainties, s.Certainty)))
		}
	}
	return rank
}

// micros is the time of a change; those without one come last.
func (c *Change) micros() int64 {
	if c.FetchTime == nil {
		return 1<<63 - 1
	}
	return c.FetchTime.UnixMicro()
}

// originChange is one change of an origin.
type originChange struct {
	Origin string
	Kind   uint8
}

var originRuns = run.Spec[originChange]{
	Name:    "origins",
	Compare: func(a, b *originChange) int { return cmp.Compare(a.Origin, b.Origin) },
	Bucket:  func(o *originChange) int { return run.BucketOf(o.Origin) },
	Held:    1 << 20,
}

// countOrigins counts the changes of each origin, and lists those with most.
func (c *comparison) countOrigins(ctx context.Context) error {
	list := []OriginChanges{}
	cut := func() {
		slices.SortFunc(list, func(a, b OriginChanges) int {
			return cmp.Or(cmp.Compare(b.NewViolations, a.NewViolations), cmp.Compare(b.total(), a.total()),
				cmp.Compare(a.Origin, b.Origin))
		})
		list = list[:min(len(list), MaxListed)]
	}
	for row, err := range c.origins.Sorted(ctx) {
		if err != nil {
			return err
		}
		if c.changes.OriginCount == 0 || list[len(list)-1].Origin != row.Origin {
			if len(list) == 2*MaxListed {
				cut()
			}
			list = append(list, OriginChanges{Origin: strings.Clone(row.Origin)})
			c.changes.OriginCount++
		}
		*list[len(list)-1].count(kind(row.Kind))++
	}
	cut()
	c.changes.Origins = list
	return nil
}

// compareSettings lists the differing settings that shape verdicts, under the names of audit.json.
func compareSettings(old, new *report.Audit) []Difference {
	list := []Difference{}
	before, after := &old.Settings, &new.Settings
	for _, d := range []Difference{
		{"version", old.Version, new.Version},
		{"profile", before.Profile, after.Profile},
		{"crawler", before.Crawler, after.Crawler},
		{"crawler_map", strings.Join(before.CrawlerMap, "; "), strings.Join(after.CrawlerMap, "; ")},
		{"public_suffix_list", before.PublicSuffixList, after.PublicSuffixList},
		{"facts_fingerprint", before.FactsFingerprint, after.FactsFingerprint},
	} {
		if d.Old != d.New {
			list = append(list, d)
		}
	}
	return list
}
