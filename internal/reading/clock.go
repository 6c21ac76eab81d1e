package reading

import (
	"cmp"
	"hash/crc32"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// dates are by how many seconds the dates of a run's records were later than what servers said. Of many, every second
// is kept, every fourth, and so on.
type dates struct {
	kept    []dateOff
	skipped int
	every   int // less 1
}

type dateOff struct {
	index, seconds int64
	host           uint32
}

func (d *dates) add(host string, index, seconds int64) {
	if d.skipped < d.every {
		d.skipped++
		return
	}
	d.kept, d.skipped = append(d.kept, dateOff{index, seconds, crc32.ChecksumIEEE([]byte(host))}), 0
	if len(d.kept) == maxDates {
		for i := range maxDates / 2 {
			d.kept[i] = d.kept[2*i]
		}
		d.kept, d.every = d.kept[:maxDates/2], 2*d.every+1
	}
}

// clocks are how far the clock was off: the median, and where it was set in between, that of each part. None where too
// few servers show it, and where it was right.
func (d *dates) clocks() []facts.Clock {
	slices.SortFunc(d.kept, func(a, b dateOff) int { return cmp.Compare(a.index, b.index) })
	whole, known := medianOf(d.kept)
	if !known {
		return nil
	}
	aside := 0
	for _, x := range d.kept {
		if distance(x.seconds, whole) > maxOff/2 {
			aside++
		}
	}
	if aside < minDates/2 && distance(whole, 0) <= maxOff { // as nearly always
		return nil
	}
	// A step is where the dates on both sides lie apart, and the fewest are nearer to those of the other side.
	var clocks []facts.Clock
	fewest := minDates
	for i := minDates; i <= len(d.kept)-minDates; i++ {
		before, isBefore := medianOf(d.kept[:i])
		after, isAfter := medianOf(d.kept[i:])
		if !isBefore || !isAfter || distance(before, after) <= maxOff ||
			!isMostly(d.kept[:i], before) || !isMostly(d.kept[i:], after) {
			continue
		}
		wrong := 0
		for j, x := range d.kept {
			isLate := distance(x.seconds, after) < distance(x.seconds, before)
			if isLate != (j >= i) {
				wrong++
			}
		}
		if wrong < fewest {
			fewest, clocks = wrong, []facts.Clock{{Seconds: before}, {From: d.kept[i].index, Seconds: after}}
		}
	}
	if clocks == nil && distance(whole, 0) > maxOff {
		clocks = []facts.Clock{{Seconds: whole}}
	}
	return clocks
}

// medianOf is the median of dates, if they are enough, of enough hosts.
func medianOf(list []dateOff) (seconds int64, known bool) {
	var hosts []uint32
	off := make([]int64, 0, len(list))
	for _, x := range list {
		off = append(off, x.seconds)
		if len(hosts) < minHosts && !slices.Contains(hosts, x.host) {
			hosts = append(hosts, x.host)
		}
	}
	if len(list) < minDates || len(hosts) < minHosts {
		return 0, false
	}
	slices.Sort(off)
	return off[len(off)/2], true
}

// isMostly reports whether most dates show a clock: else servers whose own clocks are off stand behind one another.
func isMostly(list []dateOff, seconds int64) bool {
	near := 0
	for _, x := range list {
		if distance(x.seconds, seconds) <= maxOff {
			near++
		}
	}
	return 2*near > len(list)
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
