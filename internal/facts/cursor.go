package facts

import "iter"

// A Cursor reads a sorted sequence of rows origin by origin.
type Cursor[T any] struct {
	Row  *T    // the next row, valid until the cursor advances; nil at the end
	Here Place // of Row
	Err  error // that ended the sequence

	next func() (*T, error, bool)
	stop func()
	at   func(*T) Place
}

// NewCursor returns a cursor at the first row of seq. at returns the place of a row.
func NewCursor[T any](seq iter.Seq2[*T, error], at func(*T) Place) *Cursor[T] {
	c := &Cursor[T]{at: at}
	c.next, c.stop = iter.Pull2(seq)
	c.Advance()
	return c
}

// Advance goes on to the next row.
func (c *Cursor[T]) Advance() {
	if c.Err == nil {
		c.Row, c.Err, _ = c.next()
	}
	if c.Err != nil {
		c.Row = nil
	}
	if c.Row != nil {
		c.Here = c.at(c.Row)
	}
}

// Stop ends the reading.
func (c *Cursor[T]) Stop() { c.stop() }

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
