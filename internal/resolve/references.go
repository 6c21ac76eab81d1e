package resolve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// candidateOriginal is a fetch under a name that revisits give their originals: as a reference, a
// revisit under the name that it gives; as a candidate, a record under one of its own.
type candidateOriginal struct {
	facts.Fetch
	Key string // keyOfURL or keyOfID
}

func candidateRuns(name string) run.Spec[candidateOriginal] {
	return run.Spec[candidateOriginal]{
		Name: name,
		Compare: func(a, b *candidateOriginal) int {
			if c := cmp.Compare(a.Key, b.Key); c != 0 {
				return c
			}
			return facts.CompareFetches(&a.Fetch, &b.Fetch)
		},
		Bucket: func(k *candidateOriginal) int { return run.BucketOf(k.Key) },
	}
}

// place puts the rows of a key where others have the rows of an origin, for cursors.
func (k *candidateOriginal) place() facts.Place { return facts.Place{Host: k.Key} }

// keyOfURL names the records of a URL at a moment; "" where that names none. Of dates
// with fractions the second counts: original.fits looks closer. Coarser ones name
// only their like, so that all candidates of a key are found.
func keyOfURL(url string, t facts.Time) string {
	u, _ := weburl.Parse(url)
	if u.Host == "" || !t.Known() {
		return ""
	}
	t = t.Truncate(facts.PrecisionSecond)
	return hashKey(fmt.Appendf(nil, "url %d %d %s", t.Precision, t.Micros, u.Key()))
}

// keyOfID names the records of an id; "" where there is none.
func keyOfID(id recordid.ID) string {
	if id == "" {
		return ""
	}
	return hashKey(append([]byte("id "), id.Key()...))
}

func hashKey(name []byte) string {
	sum := sha256.Sum256(name)
	return string(sum[:16])
}

// keySet is a set of keys in bounded memory (a Bloom filter): it has all that were added,
// and a few others.
type keySet []uint64

// A keySet has bitsPerKey bits for each key, and a key sets keyBits of them: then it has one of
// 400 other keys. Beyond 34 million keys it has fewer, so that more records are sorted that
// nobody needs; what is found stays the same.
const (
	bitsPerKey = 16
	keyBits    = 4
	maxKeySet  = 64 << 20 // bytes
)

// newKeySet makes one for so many keys.
func newKeySet(keys int64) keySet {
	return make(keySet, min(max(keys, 1), 8*maxKeySet/bitsPerKey)*bitsPerKey/64+1)
}

func (s keySet) add(key string) {
	for _, bit := range s.bits(key) {
		s[bit/64] |= 1 << (bit % 64)
	}
}

func (s keySet) has(key string) bool {
	for _, bit := range s.bits(key) {
		if s[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return key != ""
}

// bits are the bits of a key, which is a hash.
func (s keySet) bits(key string) (bits [keyBits]uint64) {
	for i := range bits {
		if 4*i+4 <= len(key) {
			bits[i] = uint64(binary.LittleEndian.Uint32([]byte(key[4*i:]))) % uint64(64*len(s))
		}
	}
	return bits
}

// originalRuns are runs of revisits with their originals' statements about use in place of
// their own, and the step to the original as Location.
var originalRuns = run.Spec[facts.Fetch]{
	Name: "originals", Compare: facts.FetchRuns.Compare, Bucket: facts.FetchRuns.Bucket,
}

// finder finds the originals of revisits that refer to records elsewhere: in
// another origin, later in time, anywhere by id. A set of what they name picks
// candidates from all fetches, in one pass; both are then sorted by name and merged.
type finder struct {
	store     *facts.Reader
	dir       string
	named     keySet
	byURL     bool // some revisit names a URL and a date
	byID      bool // some revisit names an id alone
	originals *run.Sorter[facts.Fetch]
}

// FindOriginals returns rows of originalRuns. Where no revisit refers to a record elsewhere
// it reads nothing.
func FindOriginals(ctx context.Context, s *facts.Reader, dir string) (*run.SortedRows[facts.Fetch], error) {
	originals := run.NewSorter(dir, originalRuns)
	if !slices.ContainsFunc(s.Tasks, func(t facts.Task) bool { return len(t.Revisits) > 0 }) {
		return originals.Finish(ctx)
	}
	f := &finder{store: s, dir: dir, named: newKeySet(s.Totals.Borrowed), originals: originals}
	references, err := f.references(ctx)
	if err != nil {
		return nil, err
	}
	records, err := f.candidates(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.join(ctx, references, records); err != nil {
		return nil, err
	}
	return originals.Finish(ctx)
}

// references writes revisits under the names that they give.
func (f *finder) references(ctx context.Context) (*run.Sorter[candidateOriginal], error) {
	w := run.NewSorter(f.dir, candidateRuns("references"))
	for r, err := range f.store.Unsorted(ctx, facts.RevisitRuns, func(t *facts.Task) []string { return t.Revisits }) {
		if err != nil {
			return nil, err
		}
		k := candidateOriginal{Fetch: *r}
		if r.RefersToURL != "" && r.RefersToDate().Known() {
			k.Key = keyOfURL(r.RefersToURL, r.RefersToDate())
			f.byURL = true
		} else {
			k.Key = keyOfID(r.RefersToID)
			f.byID = true
		}
		if k.Key == "" {
			continue
		}
		f.named.add(k.Key)
		k.PolicyHeaders, k.Metas, k.Via, k.Location = "", "", "", "" // may be long, and are not needed
		if err := w.Add(k); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// candidates writes the records that bear a name which some revisit gives.
func (f *finder) candidates(ctx context.Context) (*run.Sorter[candidateOriginal], error) {
	w := run.NewSorter(f.dir, candidateRuns("candidates"))
	add := func(r *facts.Fetch, key string) error {
		if !f.named.has(key) {
			return nil
		}
		k := candidateOriginal{*r, key}
		k.Via, k.Location = "", ""
		return w.Add(k)
	}
	for r, err := range f.store.Unsorted(ctx, facts.FetchRuns, func(t *facts.Task) []string { return t.Fetches }) {
		if err != nil {
			return nil, err
		}
		if !hasOwnBody(r) {
			continue
		}
		if f.byURL && r.Flags&facts.FlagURLCut == 0 {
			err = add(r, keyOfURL(r.URL, r.Time()))
		}
		if err == nil && f.byID {
			err = add(r, keyOfID(r.RecordID))
		}
		if err != nil {
			return nil, err
		}
	}
	f.named = nil
	return w, nil
}

// join writes, for each reference with a known original, the original's statements.
func (f *finder) join(ctx context.Context, references, records *run.Sorter[candidateOriginal]) error {
	refs := facts.NewCursor(references.Sorted(ctx), (*candidateOriginal).place)
	defer refs.Stop()
	borrowed := facts.NewCursor(records.Sorted(ctx), (*candidateOriginal).place)
	defer borrowed.Stop()
	for refs.Row != nil {
		here := refs.Here
		var c candidates
		if err := borrowed.Each(here, c.add); err != nil {
			return err
		}
		err := refs.Each(here, func(k *candidateOriginal) error {
			o := c.original(&k.Fetch)
			if o == nil {
				return nil
			}
			r := k.Fetch
			r.PolicyHeaders, r.Metas, r.MIMEType, r.Flags = o.Headers, o.Metas, o.MimeType, o.Flags
			steps := appendStep(nil, Step{Kind: StepOriginal, Spot: o.at})
			if o.rival != (facts.Spot{}) {
				steps = appendStep(steps, Step{Kind: StepOriginal, Spot: o.rival})
			}
			r.Location = string(steps)
			return f.originals.Add(r)
		})
		if err != nil {
			return err
		}
	}
	return cmp.Or(refs.Err, borrowed.Err)
}

// maxCandidates bounds the records of one name that are distinguished, by kind and
// statements. Where there are more, all revisits that give the name are without an original.
const maxCandidates = 8

// candidates are the records of one name, equal ones once: copies add nothing.
type candidates struct {
	list []candidate
	more bool
}

type candidate struct {
	original
	url string
}

func (c *candidates) add(k *candidateOriginal) error {
	one := candidate{originalOf(&k.Fetch), keyOf(k.URL)}
	isCopy := func(other candidate) bool {
		other.at = one.at
		return other == one
	}
	switch {
	case slices.ContainsFunc(c.list, isCopy):
	case len(c.list) == maxCandidates:
		c.more = true
	default:
		c.list = append(c.list, one)
	}
	return nil
}

// original finds the one that a revisit refers to.
func (c *candidates) original(f *facts.Fetch) *original {
	if c.more {
		return unclear(&c.list[0].original, &c.list[1].original)
	}
	chosen, url := choice{revisit: f}, keyOf(f.RefersToURL)
	for i := range c.list {
		if one := &c.list[i]; f.RefersToURL == "" || one.url == url {
			chosen.consider(&one.original)
		}
	}
	return chosen.original()
}
