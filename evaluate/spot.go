package evaluate

import (
	"cmp"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// A spot is the place of a record in the order of its archive: a file, or an entry of
// a WACZ.
type spot struct {
	input int32
	entry string
	index int64 // 0 where nothing tells: a line of a log
}

func spotOf(f *facts.Fetch) spot { return spot{f.Input, f.Entry, f.Index} }

// sameArchive reports whether the order of two records can be told.
func (p spot) sameArchive(q spot) bool {
	return p.input == q.input && p.index > 0 && q.index > 0 && p.entry == q.entry
}

// places holds the other spots of records that several archives hold.
type places map[spot][]spot

// maxPlaces bounds the other spots of a record that are remembered: a few tell enough.
const maxPlaces = 32

// add remembers another spot of a record.
func (p places) add(first, other spot) {
	if len(p[first]) < maxPlaces && !slices.Contains(p[first], other) {
		p[first] = append(p[first], other)
	}
}

// relation says where a record stands to another of its moment: any archive that holds
// both tells.
func (p places) relation(at, to spot) relation {
	if len(p) == 0 || at.sameArchive(to) {
		return at.relation(to)
	}
	told := beside
	for _, a := range p.of(at) {
		for _, b := range p.of(to) {
			if r := a.relation(b); r == behind {
				return behind
			} else if r == before {
				told = before
			}
		}
	}
	return told
}

// of returns all spots of a record.
func (p places) of(first spot) []spot { return append([]spot{first}, p[first]...) }

// relation says what the archive of both tells.
func (p spot) relation(q spot) relation {
	switch {
	case !p.sameArchive(q):
		return beside
	case p.index < q.index:
		return before
	}
	return behind
}

// archive returns the same for all records of one archive.
func (p spot) archive() spot { return spot{input: p.input, entry: p.entry} }

func (p spot) compare(q spot) int {
	return cmp.Or(cmp.Compare(p.input, q.input), cmp.Compare(p.entry, q.entry), cmp.Compare(p.index, q.index))
}

// compareInTime orders records by time, and those of one moment as they stand in their
// archive.
func compareInTime(a, b *facts.Fetch) int {
	return cmp.Or(cmp.Compare(a.Micros, b.Micros), cmp.Compare(a.Precision, b.Precision), spotOf(a).compare(spotOf(b)))
}

// A relation says where a capture stands to a fetch in time.
type relation uint8

const (
	before relation = iota // beyond doubt
	beside                 // of the same moment, in another archive: counts as before
	behind                 // of the same moment, behind it in its archive: counts as after
	after
)
