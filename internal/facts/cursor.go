package facts

import "iter"

// A Cursor reads a sorted sequence of rows origin by origin. The rows are read ahead, in
// a goroutine of their own.
type Cursor[T any] struct {
	Row  *T    // the next row, valid until the cursor advances; nil at the end
	Here Place // of Row
	Err  error // that ended the sequence

	ahead *readAhead[T]
	rows  []T // that are read, after Row
	at    func(*T) Place
}

// NewCursor returns a cursor at the first row of seq. at returns the place of a row.
func NewCursor[T any](seq iter.Seq2[*T, error], at func(*T) Place) *Cursor[T] {
	c := &Cursor[T]{ahead: startReadAhead(seq), at: at}
	c.Advance()
	return c
}

// Advance goes on to the next row.
func (c *Cursor[T]) Advance() {
	if len(c.rows) == 0 {
		c.rows, c.Err = c.ahead.next()
	}
	if len(c.rows) == 0 {
		c.Row = nil
		return
	}
	c.Row, c.rows = &c.rows[0], c.rows[1:]
	c.Here = c.at(c.Row)
}

// Stop ends the reading.
func (c *Cursor[T]) Stop() { c.ahead.stop() }

// SkipTo skips the rows of origins before p.
func (c *Cursor[T]) SkipTo(p Place) {
	for c.Row != nil && c.Here.Compare(p) < 0 {
		c.Advance()
	}
}

// Each calls f for the rows of origin p, past which the cursor then stands.
func (c *Cursor[T]) Each(p Place, f func(*T) error) error {
	c.SkipTo(p)
	for c.Row != nil && c.Here == p {
		if err := f(c.Row); err != nil {
			return err
		}
		c.Advance()
	}
	return c.Err
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
