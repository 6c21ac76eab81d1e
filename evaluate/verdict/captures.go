package verdict

import (
	"cmp"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
)

// This file holds the captures of an origin: a host may have been asked for its robots.txt every minute for years.

// maxWhole bounds the captures that are held as they are. If an origin has more, all are packed, and a decision unpacks
// the captures that it looks at: about maxLooked at most.
const maxWhole = 4 * maxLooked

// Captures are the captures of an origin's robots.txt.
type Captures struct {
	Undated int // how many have no date: they take no part

	decider *Decider
	limit   int     // how many are held whole: maxWhole, but in tests
	twins   places  // of records that several archives hold
	unclear unclear // see there

	whole       []*State                 // all captures; nil: there are more than limit
	packed      *run.Packed[packedState] // all captures, if there are more
	micros      []int64                  // the date of each packed capture
	unpacked    map[int32]*State         // packed captures that at has returned since the last rest
	lines       lines
	isUnordered bool // the packed captures did not come by time, and lines lacks some
}

type packedState struct {
	resolve.State
	ID int64
}

// lines has the captures by time: in one line all of them, and a line for each crawler.
type lines struct {
	all     *line
	byAgent map[string]*line // by lower-cased product token; "" where none is known
}

func (c *Captures) newLines() lines { return lines{newLine(c), make(map[string]*line)} }

func (l *lines) add(number int, st *State) {
	own := l.byAgent[st.key]
	if own == nil {
		own = newLine(l.all.of)
		l.byAgent[st.key] = own
	}
	l.all.add(number, st)
	own.add(number, st)
}

// NewCaptures holds no capture yet.
func (d *Decider) NewCaptures() *Captures {
	return &Captures{decider: d, limit: maxWhole, twins: make(places)}
}

// Add adds a capture that Complete has completed. Nearly all come by time.
func (c *Captures) Add(st *State) {
	c.addTwins(st)
	switch {
	case !st.Time().Known():
		c.Undated++
	case st.Unclear:
		c.unclear = c.unclear.with(st)
	case c.packed != nil:
		c.pack(st)
	case len(c.whole) < c.limit:
		c.whole = append(c.whole, st)
	default:
		c.packed, c.unpacked, c.lines = run.NewPacked[packedState](), make(map[int32]*State), c.newLines()
		c.sortWhole()
		for _, st := range append(c.whole, st) {
			c.pack(st)
		}
		c.whole = nil
	}
}

func (c *Captures) addTwins(st *State) {
	for first, other := range st.Twins() {
		c.twins.add(first, place{Spot: other})
	}
}

func (c *Captures) sortWhole() {
	slices.SortStableFunc(c.whole, func(a, b *State) int { return facts.CompareInTime(&a.Fetch, &b.Fetch) })
}

func (c *Captures) pack(st *State) {
	last := c.lines.all.last
	c.isUnordered = c.isUnordered || last != nil && facts.CompareInTime(&last.Fetch, &st.Fetch) > 0
	if !c.isUnordered {
		c.lines.add(c.packed.Len(), st)
	}
	c.packed.Add(&packedState{st.State, st.ID})
	c.micros = append(c.micros, st.Micros)
}

// end returns the captures, once all are added.
func (c *Captures) end() *lines {
	switch {
	case c.packed == nil:
		c.sortWhole()
		c.lines = c.newLines()
		for i, st := range c.whole {
			st.exchanges = exchangesOf(st, c.twins, c.decider.runs)
			c.lines.add(i, st)
		}
	case c.isUnordered:
		c.lines = c.newLines()
		for _, i := range c.order() {
			c.lines.add(i, c.unpack(i))
		}
	}
	for key, own := range c.lines.byAgent {
		if own.len() == c.lines.all.len() {
			c.lines.byAgent[key] = c.lines.all // of most origins
		}
	}
	return &c.lines
}

// order has the numbers of the packed captures, by time.
func (c *Captures) order() []int {
	order := make([]int, len(c.micros))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if n := cmp.Compare(c.micros[a], c.micros[b]); n != 0 || a == b {
			return n
		}
		return facts.CompareInTime(&c.packed.At(a).Fetch, &c.packed.At(b).Fetch)
	})
	return order
}

// unpack makes the i-th packed capture anew.
func (c *Captures) unpack(i int) *State {
	row := c.packed.At(i)
	st := &State{State: row.State}
	c.decider.Complete(st, row.ID)
	st.exchanges = exchangesOf(st, c.twins, c.decider.runs)
	return st
}

// at returns the i-th packed capture. Until rest, it is always the same pointer.
func (c *Captures) at(i int32) *State {
	st := c.unpacked[i]
	if st == nil {
		st = c.unpack(int(i))
		c.unpacked[i] = st
	}
	return st
}

// rest is called between decisions. It forgets what was unpacked, if that is much.
func (c *Captures) rest() {
	if len(c.unpacked) > c.limit {
		clear(c.unpacked)
	}
}
