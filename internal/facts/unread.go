package facts

import (
	"path"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/digest"
)

// Unread finds the captures of an origin's robots.txt that indexes list and no input holds. It
// receives first the captures that the inputs hold, in the order of the facts, and then the events
// of the origin in theirs.
type Unread struct {
	Times []Time // of these captures, by the second, in order

	index *indexed       // nil: there are no rows of indexes
	held  []robotsRecord // captures that inputs hold, with all copies
	none  []robotsRecord // records that are no captures
}

// robotsRecord is a record of robots.txt with which rows are compared.
type robotsRecord struct {
	sighting
	micros int64
}

// maxBeside is how many records of a second a row is compared with. It counts as another's beyond them.
const maxBeside = 256

// NewUnread returns an empty one.
func (r *Reader) NewUnread() Unread {
	if !r.index.any {
		return Unread{}
	}
	return Unread{index: &r.index}
}

// Hold takes a capture that an input holds.
func (u *Unread) Hold(c *Capture) {
	if u.index != nil && c.Kind == CaptureRobots && c.Time().Known() {
		u.held = append(u.held, robotsRecord{sightingOf(&c.Fetch), c.Micros})
	}
}

// Add takes an event.
func (u *Unread) Add(e *LogEvent) {
	t := e.Time().Truncate(PrecisionSecond)
	if !t.Known() {
		return
	}
	switch e.Kind {
	case EventRobotsNoCapture:
		u.none = append(u.none, robotsRecord{e.sighting(), e.Micros})
	case EventRobotsUnread:
		if n := len(u.Times); n > 0 && u.Times[n-1] == t {
			return
		}
		if row := e.sighting(); !u.isHeld(&row, t.Micros) && !u.isNone(&row, t.Micros) {
			u.Times = append(u.Times, t)
		}
	}
}

// isHeld reports whether a row may be a capture of its second that an input holds: nothing shows
// that it is another.
func (u *Unread) isHeld(row *sighting, from int64) bool {
	return slices.ContainsFunc(ofSecond(u.held, from),
		func(r robotsRecord) bool { return !u.index.isOther(&r.sighting, row) })
}

// isNone reports whether a row points to a record that is no capture: one at its offset, in the
// same second, from which nothing shows that it differs.
func (u *Unread) isNone(row *sighting, from int64) bool {
	return row.isPlaced() && slices.ContainsFunc(ofSecond(u.none, from), func(r robotsRecord) bool {
		return r.offset == row.offset && !u.index.isOther(&r.sighting, row)
	})
}

// ofSecond are the first of the records of a second. Of a coarse date, indexes have its first.
func ofSecond(records []robotsRecord, from int64) []robotsRecord {
	search := func(micros int64) int {
		return sort.Search(len(records), func(i int) bool { return records[i].micros >= micros })
	}
	n := search(from)
	return records[n:min(search(from+Second), n+maxBeside)]
}

// Clear forgets all that it received.
func (u *Unread) Clear() {
	u.Times, u.held, u.none = u.Times[:0], nil, nil
}

// isOther reports whether something shows that a row describes another record than one of the same
// robots.txt and second: the id, or else the status or the digest, unless the record stands at the
// row's place. Another place shows nothing: archives are written anew, in part, too, under the same
// name.
func (x *indexed) isOther(record, row *sighting) bool {
	switch {
	case record.id != "" && row.id != "":
		return !record.id.Is(row.id)
	case record.offset == row.offset && record.isPlaced() && row.isPlaced() && x.holds(record, path.Base(row.archive)):
		return false
	case record.status >= 0 && row.status >= 0 && record.status != row.status:
		return true
	}
	return digest.OfIndex(record.digest).Contradicts(digest.OfIndex(row.digest))
}
