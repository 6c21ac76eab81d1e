package evaluate

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
)

// places holds the other spots of records that several archives hold.
type places map[facts.Spot][]spot

// A spot is one of a record.
type spot struct {
	facts.Spot
	serial bool // of a fetch: its archive is that of a crawler that makes one after the other
}

// add remembers another spot of a record, of so many as resolve does.
func (p places) add(first facts.Spot, other spot) {
	if len(p[first]) < resolve.MaxPlaces && !slices.Contains(p[first], other) {
		p[first] = append(p[first], other)
	}
}

// relation says where a record stands to another of its moment: any archive that holds
// both shows it.
func (p places) relation(at, to facts.Spot) relation {
	if len(p[at]) == 0 && len(p[to]) == 0 {
		return relationOf(at, to)
	}
	found := maybeBefore
	for _, a := range p.of(at) {
		for _, b := range p.of(to) {
			if r := relationOf(a.Spot, b.Spot); r == shownAfter {
				return shownAfter
			} else if r == before {
				found = before
			}
		}
	}
	return found
}

// proves reports whether the order in which a capture and a fetch of its moment stand in an archive is
// that in which they were made: in that of a serial crawler. serial says whether the fetch's first is one.
func (p places) proves(at, to facts.Spot, serial bool) bool {
	if len(p[at]) == 0 && len(p[to]) == 0 {
		return serial && at.SameRun(to)
	}
	for _, b := range p.of(to) {
		isSerial := b.serial || b.Spot == to && serial
		for _, a := range p.of(at) {
			if isSerial && a.SameRun(b.Spot) {
				return true
			}
		}
	}
	return false
}

// any reports whether is holds for places of two records, in any of the archives that hold both.
func (p places) any(at, to facts.Spot, is func(a, b facts.Spot) bool) bool {
	if len(p[at]) == 0 && len(p[to]) == 0 {
		return is(at, to)
	}
	for _, a := range p.of(at) {
		for _, b := range p.of(to) {
			if is(a.Spot, b.Spot) {
				return true
			}
		}
	}
	return false
}

// of returns all spots of a record.
func (p places) of(first facts.Spot) []spot { return append([]spot{{Spot: first}}, p[first]...) }

// A relation says where a capture stands to a fetch in time.
type relation uint8

const (
	before      relation = iota // beyond doubt
	maybeBefore                 // counts as before, in doubt: of the same moment in another archive, or something speaks against its date
	shownAfter                  // dated no later, and counts as after: of the same moment and later in its archive, or shown to have ended after it
	after                       // dated later
)

// relationOf is the relation of two records in the archive of both.
func relationOf(p, q facts.Spot) relation {
	switch {
	case !p.SameRun(q):
		return maybeBefore
	case p.Index < q.Index:
		return before
	}
	return shownAfter
}
