package resolve

import (
	"iter"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// renewed finds the copy that a 304 confirms: the 2xx of the URL at or before
// it which has the entity tag, or else the date of modification, that the 304 or its
// request names; where they name none, the latest. Its crawler's own copies go before
// others'. It is nil where the latest copy contradicts what is named, or no copy has it, or
// archives hold several of one moment that differ: then against are these.
func (g *originCaptures) renewed(res *resolution, who Crawler) (found *facts.Capture, against []*facts.Capture) {
	captures := g.wanted(res)
	key := res.curCrawler(who)
	own, everyone := captures.by(who, key)
	isOwn := func(c *facts.Capture) bool { return res.canRenew(c) }
	isOthers := func(c *facts.Capture) bool { return res.canRenew(c) && who(&c.Fetch) != key }
	end := res.CurTime.Micros + res.CurTime.Precision.Unit()
	var latest *facts.Capture
	for _, of := range [...]struct {
		*askings
		may func(*facts.Capture) bool
	}{{own, isOwn}, {everyone, isOthers}} {
		if latest == nil {
			latest = res.latest(of.successes.backFrom(end, never), of.may)
			if latest == nil {
				continue
			}
			m := res.momentOf(latest, of.successes, of.may)
			is := func(a agreement) func(*facts.Capture) bool {
				return func(c *facts.Capture) bool { return res.names(c) == a }
			}
			switch {
			case is(different)(m.chosen), slices.ContainsFunc(m.others, is(different)):
				return nil, append(m.others, m.chosen)
			case !res.namesValidator(), is(same)(m.chosen) && !slices.ContainsFunc(m.others, is(unsaid)):
				return m.agreed(res.CurSpot), m.candidates()
			}
		}
		isNamed := func(c *facts.Capture) bool { return of.may(c) && res.names(c) == same }
		if c := res.latestNamed(g.held, of.askings, isNamed); c != nil {
			m := res.momentOf(c, of.successes, isNamed)
			return m.agreed(res.CurSpot), m.candidates()
		}
	}
	return nil, nil
}

// latestNamed returns the latest capture that has a validator which the 304 in hand names.
func (res *resolution) latestNamed(g *held, of *askings, may func(*facts.Capture) bool) (found *facts.Capture) {
	for _, v := range res.namedValidators() {
		list := of.validated[v]
		list = list[:g.upTo(list, res.CurTime.Micros+res.CurTime.Precision.Unit())]
		if c := res.latest(g.backward(list), may); c != nil && (found == nil || c.Micros > found.Micros) {
			found = c
		}
	}
	return found
}

// canRenew reports whether a 2xx can be what the 304 in hand renews.
func (res *resolution) canRenew(c *facts.Capture) bool {
	return res.isNotAfter(c) && !res.visited(c)
}

// latest returns the first capture of a list, which begins with the latest, that the 304 in
// hand may renew.
func (res *resolution) latest(list iter.Seq[*facts.Capture], may func(*facts.Capture) bool) *facts.Capture {
	for c := range list {
		if !res.look() || may(c) {
			return c
		}
	}
	return nil
}

func (h *held) backward(list []int32) iter.Seq[*facts.Capture] {
	return func(yield func(*facts.Capture) bool) {
		for _, i := range slices.Backward(list) {
			if !yield(h.at(i)) {
				return
			}
		}
	}
}

// momentOf returns the captures of c's moment that the 304 in hand may renew: the last in each archive.
func (res *resolution) momentOf(c *facts.Capture, list byDate, may func(*facts.Capture) bool) nearby {
	m := nearby{isBack: true}
	m.add(c)
	for o := range list.backFrom(c.Micros+c.Precision.Unit(), m.isBefore) {
		if !res.look() {
			break
		}
		if o != c && may(o) {
			m.add(o)
		}
	}
	return m
}
