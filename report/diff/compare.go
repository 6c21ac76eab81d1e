package diff

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Compare compares two audits, or the same part of both. Where the old one has no fetch of the period of the new, it is
// not cut by it. It sorts the fetches of both in temporary files, so its memory
// does not grow with them.
func Compare(ctx context.Context, old, new *results.Results) (_ *Changes, err error) {
	dir, remove, err := durable.Temporary("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	c := &comparison{origins: run.NewSorter(dir, originRuns)}
	if part := *new.Part(); !part.IsZero() && old.Audit().Totals.Fetches == 0 {
		part.Since, part.Until = evaluate.AsOf{}, evaluate.AsOf{}
		if old, err = old.Whole().Limit(ctx, part); err != nil {
			return nil, err
		}
		text := part.String()
		c.changes.OldPart = &text
	}
	c.changes.Old, c.changes.New = sideOf(old.Name(), old.Audit()), sideOf(new.Name(), new.Audit())
	c.changes.Part = new.Part().String()
	c.changes.Settings = compareSettings(old.Audit(), new.Audit())
	if err := eachPair(ctx, dir, old, new, sortFetches, c.add); err != nil {
		return nil, err
	}
	for _, list := range c.changes.Kinds() {
		list.sort()
		list.List = append([]Change{}, list.List...) // [] in JSON, never null
	}
	return &c.changes, c.countOrigins(ctx)
}

// eachPair sorts the fetches of both audits in files in dir, and pairs them.
func eachPair(ctx context.Context, dir string, old, new *results.Results,
	sort func(context.Context, *results.Results, *run.Sorter[fetch]) error,
	pair func(before, after *fetch, url *summary) error,
) error {
	before, after := run.NewSorter(dir, sortedAs("old")), run.NewSorter(dir, sortedAs("new"))
	if err := sort(ctx, old, before); err != nil {
		return err
	}
	if err := sort(ctx, new, after); err != nil {
		return err
	}
	rowsBefore, err := before.Finish(ctx)
	if err != nil {
		return err
	}
	defer rowsBefore.Remove()
	rowsAfter, err := after.Finish(ctx)
	if err != nil {
		return err
	}
	defer rowsAfter.Remove()
	all := func(rows *run.SortedRows[fetch]) iter.Seq2[*fetch, error] { return rows.Range(ctx, 0, run.Buckets) }
	ahead := lookahead{old: newPulled(all(rowsBefore)), new: newPulled(all(rowsAfter))}
	defer ahead.old.stop()
	defer ahead.new.stop()
	return merge(all(rowsBefore), all(rowsAfter), func(before, after *fetch) error {
		if err := ahead.reach(cmp.Or(before, after).URL); err != nil {
			return err
		}
		return pair(before, after, &ahead.summary)
	})
}

// summary is what the audits have of a URL.
type summary struct {
	violated                    bool // by the old audit
	fetched, forbidden, unknown bool // by the new one, at least once
}

// lookahead sums up a URL before its fetches are compared, which it reads a second time: one URL may have millions.
type lookahead struct {
	old, new *pulled
	url      string
	begun    bool
	summary
}

// reach sums up the URL that comes next, unless it is in hand.
func (l *lookahead) reach(url string) error {
	if l.begun && url == l.url {
		return nil
	}
	l.url, l.begun, l.summary = strings.Clone(url), true, summary{}
	for ; l.old.row != nil && l.old.row.URL == url; l.old.next() {
		l.violated = l.violated || l.old.row.isViolation()
	}
	for ; l.new.row != nil && l.new.row.URL == url; l.new.next() {
		verdict := words.Parse[words.Verdict](words.Verdicts, l.new.row.Verdict)
		l.fetched = true
		l.forbidden = l.forbidden || verdict == words.Disallowed
		l.unknown = l.unknown || verdict == words.Unknown
	}
	return cmp.Or(l.old.err, l.new.err)
}

// pulled has the next row of several; nil: there is none.
type pulled struct {
	row  *fetch
	err  error
	pull func() (*fetch, error, bool)
	stop func()
}

func newPulled(rows iter.Seq2[*fetch, error]) *pulled {
	p := new(pulled)
	p.pull, p.stop = iter.Pull2(rows)
	p.next()
	return p
}

func (p *pulled) next() { p.row, p.err, _ = p.pull() }

// merge pairs the fetches of both sides that have one key; nil stands for none.
func merge(old, new iter.Seq2[*fetch, error], pair func(before, after *fetch) error) error {
	before, after := newPulled(old), newPulled(new)
	defer before.stop()
	defer after.stop()
	for before.row != nil || after.row != nil {
		a, b := before.row, after.row
		switch order := compareSides(a, b); {
		case order < 0:
			b = nil
		case order > 0:
			a = nil
		}
		if err := pair(a, b); err != nil {
			return err
		}
		if a != nil {
			before.next()
		}
		if b != nil {
			after.next()
		}
		if err := cmp.Or(before.err, after.err); err != nil {
			return err
		}
	}
	return cmp.Or(before.err, after.err)
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
func (c *comparison) add(before, after *fetch, url *summary) error {
	switch {
	case before == nil:
		c.changes.OnlyNew++
	case after == nil:
		c.changes.OnlyOld++
	default:
		c.changes.Common++
	}
	k := kindOf(before.state(), after.state(), url)
	if k == same {
		if before == nil && after.isViolation() {
			c.changes.Repeated++
		}
		return nil
	}
	before, after = before.clone(), after.clone()
	was, is := before.state(), after.state()
	f, other := after, was
	if k >= againForbidden && k <= goneViolation {
		f, other = before, is
	}
	list := c.changes.Kinds()[k]
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
		*list[len(list)-1].counts()[row.Kind]++
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
