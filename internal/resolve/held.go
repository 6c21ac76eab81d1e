package resolve

import (
	"cmp"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// maxWhole is how many captures of an origin may be held as they are: a resolution looks at many thousands at most,
// and the next one at nearly the same.
const maxWhole = 16 * maxLooks

// held are the captures of an origin, each by its number: a host may have been asked for its robots.txt every minute
// for years.
type held struct {
	limit   int              // maxWhole, but in tests
	whole   []*facts.Capture // by number; nil: it is packed alone
	recent  []int32          // the numbers of captures in whole
	packed  *run.Packed[facts.Capture]
	places  []int32                 // by number: where it is in packed; -1: nowhere
	changed map[*facts.Capture]bool // captures in whole that differ from packed
	micros  []int64                 // by number: the date
}

func newHeld() *held { return &held{limit: maxWhole, changed: make(map[*facts.Capture]bool)} }

// add adds a capture, and returns its number.
func (h *held) add(c *facts.Capture) int32 {
	number := int32(len(h.whole))
	h.whole, h.micros, h.places = append(h.whole, c), append(h.micros, c.Micros), append(h.places, -1)
	h.recent = append(h.recent, number)
	return number
}

// peek returns a capture that is looked at once, and not changed.
func (h *held) peek(number int32) *facts.Capture {
	if c := h.whole[number]; c != nil {
		return c
	}
	return h.packed.At(int(h.places[number]))
}

// at returns a capture. Until rest it is always the same pointer. Who changes it says so in changed.
func (h *held) at(number int32) *facts.Capture {
	if h.whole[number] == nil {
		c := *h.peek(number)
		h.whole[number] = &c
		h.recent = append(h.recent, number)
	}
	return h.whole[number]
}

// rest is called where nobody has a capture in hand. If many are in whole, it packs the new and the changed ones, and
// empties whole.
func (h *held) rest() {
	if len(h.recent) < h.limit {
		return
	}
	if h.packed == nil {
		h.packed = run.NewPacked[facts.Capture]()
	}
	for _, number := range h.recent {
		if c := h.whole[number]; h.places[number] < 0 || h.changed[c] {
			h.places[number] = int32(h.packed.Len())
			h.packed.Add(c)
		}
		h.whole[number] = nil
	}
	h.recent = h.recent[:0]
	clear(h.changed)
}

// upTo returns how many of list, which is in order of time, are dated micros or
// earlier.
func (h *held) upTo(list []int32, micros int64) int {
	return sort.Search(len(list), func(i int) bool { return h.micros[list[i]] > micros })
}

// compareInTime is facts.CompareInTime, by numbers.
func (h *held) compareInTime(a, b int32) int {
	if h.micros[a] != h.micros[b] {
		return cmp.Compare(h.micros[a], h.micros[b])
	}
	return facts.CompareInTime(&h.peek(a).Fetch, &h.peek(b).Fetch)
}
