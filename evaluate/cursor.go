package evaluate

import (
	"cmp"
	"iter"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/run"
)

// place is where an origin stands in the order of the facts.
type place struct{ host, origin string }

func placeOf(f *facts.Fetch) place { return place{f.HostReversed, f.Origin} }

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

// cursor reads a sorted sequence of rows origin by origin. The rows are read ahead, in
// a goroutine of their own.
type cursor[T any] struct {
	ahead *readAhead[T]
	rows  []T // that are read, after row
	at    func(*T) place
	row   *T // the next row, valid until the cursor advances; nil at the end
	here  place
	err   error
}

func newCursor[T any](seq iter.Seq2[*T, error], at func(*T) place) *cursor[T] {
	c := &cursor[T]{ahead: startReadAhead(seq), at: at}
	c.advance()
	return c
}

func (c *cursor[T]) advance() {
	if len(c.rows) == 0 {
		c.rows, c.err = c.ahead.next()
	}
	if len(c.rows) == 0 {
		c.row = nil
		return
	}
	c.row, c.rows = &c.rows[0], c.rows[1:]
	c.here = c.at(c.row)
}

// stop ends the reading.
func (c *cursor[T]) stop() { c.ahead.stop() }

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

// aheadRows is how many rows are read at a time, and how far ahead.
const aheadRows = 64

// readAhead reads rows in a goroutine.
type readAhead[T any] struct {
	full chan []T      // read, and empty at the end
	used chan []T      // to be filled again
	quit chan struct{} // closed: nobody reads on
	done chan struct{} // closed: the goroutine has ended
	last []T           // what next returned last
	err  error         // that ended the sequence; valid once full is closed
}

func startReadAhead[T any](seq iter.Seq2[*T, error]) *readAhead[T] {
	r := &readAhead[T]{
		full: make(chan []T), used: make(chan []T, 2),
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	go r.readAll(seq)
	return r
}

func (r *readAhead[T]) readAll(seq iter.Seq2[*T, error]) {
	defer close(r.done)
	defer close(r.full)
	var rows []T
	for row, err := range seq {
		if err != nil {
			r.err = err
			break
		}
		if rows = append(rows, *row); len(rows) < aheadRows {
			continue
		}
		if rows = r.pass(rows); rows == nil {
			return
		}
	}
	if len(rows) > 0 {
		r.pass(rows)
	}
}

// pass hands rows over, and returns an empty slice to fill; nil where nobody reads on.
func (r *readAhead[T]) pass(rows []T) []T {
	select {
	case r.full <- rows:
	case <-r.quit:
		return nil
	}
	select {
	case rows = <-r.used:
		return rows[:0]
	default:
		return make([]T, 0, aheadRows)
	}
}

// next returns the rows that come next, which are valid until it is called again; none
// at the end.
func (r *readAhead[T]) next() ([]T, error) {
	if r.last != nil {
		r.used <- r.last
	}
	rows, more := <-r.full
	if r.last = rows; !more {
		return nil, r.err
	}
	return rows, nil
}

func (r *readAhead[T]) stop() {
	close(r.quit)
	<-r.done
}
