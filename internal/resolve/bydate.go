package resolve

import (
	"iter"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// byDate holds captures by the precision of their dates, those of each in the order of
// compareInTime. A date that names a year is near to every second of it: who looks around
// a second must not look at all of the year for its sake.
type byDate []samePrecision

type samePrecision struct {
	precision facts.Precision
	captures  []*facts.Capture
}

func (d *byDate) add(c *facts.Capture) {
	i := slices.IndexFunc(*d, func(s samePrecision) bool { return s.precision == c.Precision })
	if i < 0 {
		i, *d = len(*d), append(*d, samePrecision{precision: c.Precision})
	}
	(*d)[i].captures = append((*d)[i].captures, c)
}

// forget leaves no captures but the memory for others, unless that is much.
func (d byDate) forget() {
	for i := range d {
		d[i].captures = emptied(d[i].captures)
	}
}

// from yields, in the order of compareInTime, the captures whose dates name some moment from
// micros on, and perhaps a few more before; of each precision up to the first at which
// stop is true.
func (d byDate) from(micros int64, stop func(*facts.Capture) bool) iter.Seq[*facts.Capture] {
	return func(yield func(*facts.Capture) bool) {
		var memory [facts.PrecisionMicrosecond + 1]samePrecision
		rest := append(memory[:0], d...)
		for i, s := range rest {
			rest[i].captures = s.captures[upTo(s.captures, micros-s.precision.Unit()-1):]
		}
		for {
			var next *samePrecision
			for i := range rest {
				s := &rest[i]
				switch {
				case len(s.captures) == 0:
				case stop(s.captures[0]):
					s.captures = nil
				case next == nil || facts.CompareInTime(&s.captures[0].Fetch, &next.captures[0].Fetch) < 0:
					next = s
				}
			}
			if next == nil {
				return
			}
			c := next.captures[0]
			next.captures = next.captures[1:]
			if !yield(c) {
				return
			}
		}
	}
}

// backFrom yields those dated micros or earlier in the opposite order, likewise.
func (d byDate) backFrom(micros int64, stop func(*facts.Capture) bool) iter.Seq[*facts.Capture] {
	return func(yield func(*facts.Capture) bool) {
		var memory [facts.PrecisionMicrosecond + 1]samePrecision
		rest := append(memory[:0], d...)
		for i, s := range rest {
			rest[i].captures = s.captures[:upTo(s.captures, micros)]
		}
		for {
			var next *samePrecision
			for i := range rest {
				s := &rest[i]
				switch {
				case len(s.captures) == 0:
				case stop(s.latest()):
					s.captures = nil
				case next == nil || facts.CompareInTime(&s.latest().Fetch, &next.latest().Fetch) > 0:
					next = s
				}
			}
			if next == nil {
				return
			}
			c := next.latest()
			next.captures = next.captures[:len(next.captures)-1]
			if !yield(c) {
				return
			}
		}
	}
}

func (s *samePrecision) latest() *facts.Capture { return s.captures[len(s.captures)-1] }

func never(*facts.Capture) bool { return false }
