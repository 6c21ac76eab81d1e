package run

import (
	"cmp"
	"context"
	"sort"
)

// seek passes over the frames whose rows are all before the place that the reader begins at, which is
// in its first bucket. It reads few frames: it compares first rows, by halves.
func (r *fileReader[T]) seek() (err error) {
	begin := 0 // in that bucket
	for begin < len(r.frames) && int(r.frames[begin].First) <= r.from {
		begin++
	}
	n := sort.Search(begin, func(i int) bool {
		if err != nil || int(r.frames[i].First) < r.from {
			return err != nil
		}
		var first *T
		first, err = r.firstOf(i)
		return err != nil || !r.before(first)
	})
	r.frames = r.frames[max(n-1, 0):]
	return err
}

// firstOf returns the first row of the i-th frame that is not yet read. It is valid until another is
// read.
func (r *fileReader[T]) firstOf(i int) (*T, error) {
	if err := r.readFrame(i); err != nil {
		return nil, err
	}
	r.codec.next(r.rows)
	r.rows = ""
	return r.codec.changeable(), nil
}

// Sample calls f with rows of run files that divide all rows into about equal parts: the first row of
// each frame, or of every n-th so that there are most of them. The row is valid until f returns; its
// strings keep much memory in use.
func Sample[T any](ctx context.Context, paths []string, spec Spec[T], most int, f func(*T)) error {
	l, err := layoutOf[T]()
	if err != nil {
		return err
	}
	each := func(f func(*fileReader[T]) error) error {
		for _, path := range paths {
			r, err := openFile(source[T]{path: path}, spec, l, 0, Buckets)
			if err != nil {
				return err
			}
			err = cmp.Or(ctx.Err(), f(r))
			if r.close(); err != nil {
				return r.error(err)
			}
		}
		return nil
	}
	frames := 0
	if err := each(func(r *fileReader[T]) error { frames += len(r.frames); return nil }); err != nil {
		return err
	}
	step := max(1, (frames+most-1)/most)
	next := 0 // of the frames not yet read
	return each(func(r *fileReader[T]) error {
		for ; next < len(r.frames); next = step - 1 {
			row, err := r.firstOf(next)
			if err != nil {
				return err
			}
			f(row)
			r.frames = r.frames[next+1:]
		}
		next -= len(r.frames)
		return nil
	})
}
