package resolve

import (
	"iter"
	"net/http"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// byDate holds captures by the precision of their dates, each list in the order of
// compareInTime. A date that names a year is near to every second of it: a search around
// a second must not look at all of the year for its sake.
type byDate []samePrecision

type samePrecision struct {
	precision facts.Precision
	of        *held // what the numbers are of
	captures  []int32
	runs      []int32 // of each capture: the number of the run of equal answers in which it stands
}

func (d *byDate) add(of *held, number int32) {
	c := of.peek(number)
	i := slices.IndexFunc(*d, func(s samePrecision) bool { return s.precision == c.Precision })
	if i < 0 {
		i, *d = len(*d), append(*d, samePrecision{precision: c.Precision, of: of})
	}
	s := &(*d)[i]
	alike := int32(0)
	if n := len(s.captures); n > 0 {
		if alike = s.runs[n-1]; !answersAlike(of.peek(s.captures[n-1]), c) {
			alike++
		}
	}
	s.captures, s.runs = append(s.captures, number), append(s.runs, alike)
}

// answersAlike reports whether whatever answers like one of two captures answers like the other.
func answersAlike(a, b *facts.Capture) bool {
	status := statusOf(&a.Fetch)
	if status != statusOf(&b.Fetch) || a.Location != b.Location || status == http.StatusNotModified {
		return false
	}
	return status >= 300 || haveOneBody(a, b) &&
		a.PayloadDigest == b.PayloadDigest && (a.Flags^b.Flags)&facts.FlagDigestMismatch == 0
}

// An order is that in which captures are passed.
type order int

const (
	onward order = 1 // as time goes
	back   order = -1
)

// from yields, in the order of compareInTime, the captures whose dates name some moment from
// micros on, and perhaps a few more before; of each precision up to the first at which
// stop is true.
func (d byDate) from(micros int64, stop func(*facts.Capture) bool) iter.Seq[*facts.Capture] {
	return d.merge(onward, micros, never, stop)
}

// backFrom yields those dated micros or earlier in the opposite order, likewise.
func (d byDate) backFrom(micros int64, stop func(*facts.Capture) bool) iter.Seq[*facts.Capture] {
	return d.merge(back, micros, never, stop)
}

// merge yields the captures of all precisions in one order. Onward, where isCovered is true for a capture, it
// leaves out the rest of its run of equal answers.
func (d byDate) merge(o order, micros int64, isCovered, stop func(*facts.Capture) bool) iter.Seq[*facts.Capture] {
	return func(yield func(*facts.Capture) bool) {
		var memory [facts.PrecisionMicrosecond + 1]samePrecision
		rest := append(memory[:0], d...)
		for i := range rest {
			rest[i].begin(o, micros)
		}
		for {
			var next *samePrecision
			for i := range rest {
				s := &rest[i]
				switch {
				case len(s.captures) == 0:
				case stop(s.first(o)):
					s.captures = nil
				case next == nil || int(o)*facts.CompareInTime(&s.first(o).Fetch, &next.first(o).Fetch) < 0:
					next = s
				}
			}
			if next == nil {
				return
			}
			c := next.first(o)
			next.take(o, isCovered(c))
			if !yield(c) {
				return
			}
		}
	}
}

// begin leaves out the captures before all that are asked for.
func (s *samePrecision) begin(o order, micros int64) {
	if o == back {
		s.captures = s.captures[:s.of.upTo(s.captures, micros)]
		return
	}
	n := s.of.upTo(s.captures, micros-s.precision.Unit()-1)
	s.captures, s.runs = s.captures[n:], s.runs[n:]
}

func (s *samePrecision) first(o order) *facts.Capture {
	if o == back {
		return s.of.at(s.captures[len(s.captures)-1])
	}
	return s.of.at(s.captures[0])
}

// take leaves out the first capture, or onward the whole of its run.
func (s *samePrecision) take(o order, run bool) {
	if o == back {
		s.captures = s.captures[:len(s.captures)-1]
		return
	}
	n := 1
	if run {
		n = sort.Search(len(s.runs), func(i int) bool { return s.runs[i] > s.runs[0] })
	}
	s.captures, s.runs = s.captures[n:], s.runs[n:]
}

func never(*facts.Capture) bool { return false }
