package evaluate

import (
	"cmp"
	"iter"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/run"
)

// place is where an origin stands in the order of the facts.
type place struct{ host, origin string }

func placeOf(f *ingest.Fetch) place { return place{f.HostReversed, f.Origin} }

func (p place) compare(q place) int {
	if p == q {
		return 0
	}
	return cmp.Or(
		cmp.Compare(run.BucketOf(p.host), run.BucketOf(q.host)),
		cmp.Compare(p.host, q.host),
		cmp.Compare(p.origin, q.origin),
	)
}

// cursor reads a sorted sequence of rows origin by origin.
type cursor[T any] struct {
	pull func() (*T, error, bool)
	stop func()
	at   func(*T) place
	row  *T // the next row; nil at the end
	here place
	err  error
}

func newCursor[T any](seq iter.Seq2[*T, error], at func(*T) place) *cursor[T] {
	c := &cursor[T]{at: at}
	c.pull, c.stop = iter.Pull2(seq)
	c.advance()
	return c
}

func (c *cursor[T]) advance() {
	row, err, ok := c.pull()
	if err != nil {
		c.err = err
	}
	if !ok || err != nil {
		c.row = nil
		return
	}
	c.row, c.here = row, c.at(row)
}

// skipTo skips the rows of origins before p.
func (c *cursor[T]) skipTo(p place) {
	for c.row != nil && c.here.compare(p) < 0 {
		c.advance()
	}
}

// each calls f for the rows of origin p, past which the cursor then stands.
func (c *cursor[T]) each(p place, f func(*T) error) error {
	c.skipTo(p)
	for c.row != nil && c.here == p {
		if err := f(c.row); err != nil {
			return err
		}
		c.advance()
	}
	return c.err
}

// maxTwins bounds the records of one id, URL and time that are told apart.
const maxTwins = 32

// twins finds the copies of a record among rows in the order of the facts, where
// all rows of one id, URL and time are neighbours.
type twins []ingest.Fetch

// first returns the row before of which f is a copy, nil where there is none.
func (t *twins) first(f *ingest.Fetch) *ingest.Fetch {
	if list := *t; len(list) > 0 && !(list[0].RecordID == f.RecordID && list[0].Micros == f.Micros && list[0].URL == f.URL) {
		*t = list[:0]
	}
	for i := range *t {
		if first := &(*t)[i]; sameRecord(first, f) {
			return first
		}
	}
	if f.RecordID != "" && len(*t) < maxTwins {
		*t = append(*t, *f)
	}
	return nil
}

// sameRecord reports whether two rows are copies of one record: the same id, URL
// and time are not enough, for there are writers that use an id twice.
func sameRecord(a, b *ingest.Fetch) bool {
	return a.RecordID != "" && a.RecordID == b.RecordID && a.Micros == b.Micros && a.Precision == b.Precision &&
		a.URL == b.URL && a.Type == b.Type && a.Status == b.Status && a.PayloadDigest == b.PayloadDigest &&
		a.Location == b.Location
}
