package run

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// CountTexts calls f with the values of a text column of run files, and how many rows have each:
// a value again, as often as it is met. It reads no other column.
func CountTexts[T any](ctx context.Context, paths []string, spec Spec[T], column string, f func(value string, rows int64)) error {
	l, err := layoutOf[T]()
	if err != nil {
		return err
	}
	at := slices.Index(l.names, column)
	if at < 0 {
		return fmt.Errorf("%s have no column %s", spec.Name, column)
	}
	var c textCounter
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := openFile(source[T]{path: path}, spec, l, 0, Buckets)
		if err != nil {
			return err
		}
		err = r.guard(func() error {
			for _, group := range r.groups {
				chunks := group.ColumnChunks()
				if at >= len(chunks) {
					return fmt.Errorf("%w: no column %s in a row group", errDamaged, column)
				}
				c.open(chunks[at].Pages())
				if err := c.count(f); err != nil {
					return fmt.Errorf("%w: column %s: %w", errDamaged, column, err)
				}
			}
			return nil
		})
		_ = r.guard(func() error { c.close(); return nil }) // after a panic its pages may be in any state
		r.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// textCounter counts the values of pages.
type textCounter struct {
	byteArrays
	rows []int64 // by entry of a dictionary
}

func (c *textCounter) count(f func(string, int64)) error {
	for {
		n, err := c.ready()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if c.index == nil {
			c.countRepeated(n, f)
		} else {
			c.countEntries(n, f)
		}
		c.skip(n)
	}
}

// countRepeated counts values that are written out: neighbours repeat.
func (c *textCounter) countRepeated(n int, f func(string, int64)) {
	for from := 0; from < n; {
		value, to := string(c.value(from)), from+1
		for to < n && string(c.value(to)) == value {
			to++
		}
		f(value, int64(to-from))
		from = to
	}
}

// countEntries counts values that are entries of a dictionary.
func (c *textCounter) countEntries(n int, f func(string, int64)) {
	c.rows = slices.Grow(c.rows[:0], len(c.offsets))[:len(c.offsets)]
	clear(c.rows)
	for _, entry := range c.index[:n] {
		c.rows[entry]++
	}
	for entry, rows := range c.rows {
		if rows > 0 {
			f(string(c.value(entry)), rows)
		}
	}
}
