package evaluate

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// places holds the other spots of records that several archives hold.
type places map[facts.Spot][]facts.Spot

// maxPlaces bounds the other spots of a record that are remembered: a few tell enough.
const maxPlaces = 32

// add remembers another spot of a record.
func (p places) add(first, other facts.Spot) {
	if len(p[first]) < maxPlaces && !slices.Contains(p[first], other) {
		p[first] = append(p[first], other)
	}
}

// relation says where a record stands to another of its moment: any archive that holds
// both tells.
func (p places) relation(at, to facts.Spot) relation {
	if len(p) == 0 || at.SameArchive(to) {
		return relationOf(at, to)
	}
	told := beside
	for _, a := range p.of(at) {
		for _, b := range p.of(to) {
			if r := relationOf(a, b); r == behind {
				return behind
			} else if r == before {
				told = before
			}
		}
	}
	return told
}

// of returns all spots of a record.
func (p places) of(first facts.Spot) []facts.Spot { return append([]facts.Spot{first}, p[first]...) }

// A relation says where a capture stands to a fetch in time.
type relation uint8

const (
	before relation = iota // beyond doubt
	beside                 // of the same moment, in another archive: counts as before
	behind                 // of the same moment, behind it in its archive: counts as after
	after
)

// relationOf says what the archive of both records tells.
func relationOf(p, q facts.Spot) relation {
	switch {
	case !p.SameArchive(q):
		return beside
	case p.Index < q.Index:
		return before
	}
	return behind
}
