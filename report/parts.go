package report

import (
	"cmp"
	"sync"

	"github.com/robotsaudit/robotsaudit/evaluate"
)

// parts are the ranges of buckets whose rows are not yet in the tables. Ranges are decided at the same time,
// and end in any order; the tables take their rows in the order of ranges.
//
// Ranges let all cores decide. They take a tenth more CPU, because each opens all facts: 8.0 s in place of 7.3
// for 357,000 fetches of 7,136 origins with a what-if, in as much memory.
type parts struct {
	guard sync.Mutex
	of    map[int]*Writer // by range
	ended map[int]bool
	next  int // the range that the tables take next
}

// Part starts the part of the n-th range. Its rows wait in temporary files until the tables take them.
func (w *Writer) Part(n int) (evaluate.Sink, error) {
	w.parts.guard.Lock()
	defer w.parts.guard.Unlock()
	p := w.another(w.tmp, true)
	p.isPart = true
	w.parts.of[n] = p
	return p, nil
}

// Done ends a part. The tables take all parts that have ended, up to the first one that has not.
func (w *Writer) Done(n int) (err error) {
	w.parts.guard.Lock()
	p := w.parts.of[n]
	w.parts.guard.Unlock()
	for _, t := range p.tables {
		err = cmp.Or(err, t.end())
	}
	w.parts.guard.Lock()
	defer w.parts.guard.Unlock()
	for w.parts.ended[n] = err == nil; err == nil && w.parts.ended[w.parts.next]; w.parts.next++ {
		err = w.take(w.parts.of[w.parts.next])
		delete(w.parts.of, w.parts.next)
	}
	return err
}

// take adds the rows and the counts of a part.
func (w *Writer) take(p *Writer) (err error) {
	for name, t := range p.tables {
		err = cmp.Or(err, w.tables[name].take(t))
	}
	if w.ungoverned == nil {
		w.ungoverned = p.ungoverned
	}
	if w.counter != nil {
		w.counter.Join(p.counter)
	}
	return err
}
