package resolve

import (
	"iter"
	"net/http"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// byDate holds captures by the precision of their dates, those of each in the order of
// compareInTime. A date that names a year is near to every second of it: who looks around
// a second must not look at all of the year for its sake.
type byDate []samePrecision

type samePrecision struct {
	precision facts.Precision
	captures  []*facts.Capture
	runs      []int32 // of each capture: the number of the run of equal answers in which it stands
}

func (d *byDate) add(c *facts.Capture) {
	i := slices.IndexFunc(*d, func(s samePrecision) bool { return s.precision == c.Precision })
	if i < 0 {
		i, *d = len(*d), append(*d, samePrecision{precision: c.Precision})
	}
	s := &(*d)[i]
	number := int32(0)
	if n := len(s.captures); n > 0 {
		if number = s.runs[n-1]; !answersAlike(s.captures[n-1], c) {
			number++
		}
	}
	s.captures, s.runs = append(s.captures, c), append(s.runs, number)
}

// answersAlike reports whether whatever answers like one of two captures answers like the other.
func answersAlike(a, b *facts.Capture) bool {
	status := statusOf(&a.Fetch)
	if status != statusOf(&b.Fetch) || a.Location != b.Location || status == http.StatusNotModified {
		return false
	}
	return status >= 300 || a.Flags&b.Flags&facts.FlagBodyKept != 0 && a.BodyDigest == b.BodyDigest &&
		a.PayloadDigest == b.PayloadDigest && (a.Flags^b.Flags)&facts.FlagDigestMismatch == 0
}

// forget leaves no captures but the memory for others, unless that is much.
func (d byDate) forget() {
	for i := range d {
		d[i].captures, d[i].runs = emptied(d[i].captures), emptied(d[i].runs)
	}
}

// from yields, in the order of compareInTime, the captures whose dates name some moment from
// micros on, and perhaps a few more before; of each precision up to the first at which
// stop is true.
func (d byDate) from(micros int64, stop func(*facts.Capture) bool) iter.Seq[*facts.Capture] {
	return d.without(never, micros, stop)
}

// without is like from. Where isCovered is true for a capture, it leaves out the rest of its run of equal answers.
func (d byDate) without(isCovered func(*facts.Capture) bool, micros int64, stop func(*facts.Capture) bool) iter.Seq[*facts.Capture] {
	return func(yield func(*facts.Capture) bool) {
		var memory [facts.PrecisionMicrosecond + 1]samePrecision
		rest := append(memory[:0], d...)
		for i, s := range rest {
			rest[i].drop(upTo(s.captures, micros-s.precision.Unit()-1))
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
			if isCovered(c) {
				next.drop(sort.Search(len(next.runs), func(i int) bool { return next.runs[i] > next.runs[0] }))
			} else {
				next.drop(1)
			}
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

// drop leaves out the first n captures.
func (s *samePrecision) drop(n int) { s.captures, s.runs = s.captures[n:], s.runs[n:] }

func (s *samePrecision) latest() *facts.Capture { return s.captures[len(s.captures)-1] }

func never(*facts.Capture) bool { return false }
