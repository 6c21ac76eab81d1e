package resolve

import (
	"net/http"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// A target is the capture of what a redirect leads to; nil where the archive holds none.
type target struct {
	capture    *facts.Capture
	follows    bool             // it was got at or after the redirect
	found      bool             // there is one; without a capture nobody knows which
	isOthers   bool             // by its archive, another page led to it, or nothing shows that the redirects did
	candidates []*facts.Capture // what it was found among
	rival      *facts.Capture   // differs, and nothing shows which of the two was got for the redirect
	astray     *facts.Capture   // what the crawler got in place of a capture, from another host
}

// nearest finds the capture that a redirect led to: the nearest within an hour after,
// else the latest within a day before, the crawler's own in either window before any
// other's. Crawlers follow within the second at which dates are given, so one of the
// same moment counts as after, unless its place in the archive shows that it came
// before. A server may well redirect a URL to itself once: only where nothing else is
// near does the redirect lead back to a record already visited, which is a loop. Where
// archives hold several of the moment that differ, nobody knows which it was. Nor does anybody if the
// crawler went astray before: another host answered it.
func (g *originCaptures) nearest(res *resolution, who Crawler) target {
	key := who(&res.Fetch)
	own, everyone := g.wanted(res).by(who, key)
	list := among{own.all, anyone}
	if key == "" {
		list = among{everyone.all, func(c *facts.Capture) bool { return g.mayBeSameCrawler(who, res, c) }}
	}
	t := res.nearest(list)
	if !t.found {
		list = among{everyone.all, anyone}
		t = res.nearest(list)
	}
	astray := g.astray(res, who)
	switch {
	case astray != nil && (t.capture == nil || !t.follows || facts.CompareInTime(&astray.Fetch, &t.capture.Fetch) < 0):
		return target{found: true, astray: astray}
	case !t.found || t.capture == nil || res.looked > maxLooks:
	case astray != nil && astray.Time().MicrosSince(t.capture.Time()) == 0:
		t.rival = astray
	default:
		t.rival = res.rival(list, t.capture)
	}
	return t
}

// astray finds the first answer within an hour after the redirect that its crawler got for the target's URL from
// another host. The crawler may have taken it for the rules of the origin in hand; no other crawler got it.
func (g *originCaptures) astray(res *resolution, who Crawler) *facts.Capture {
	t := res.WantTime
	isLate := func(c *facts.Capture) bool { return c.Micros > t.Micros+facts.Hour+t.Precision.Unit() }
	for c := range g.wanted(res).astray.from(t.Micros, isLate) {
		if !res.look() {
			break
		}
		gap := c.Time().MicrosSince(t)
		if gap <= facts.Hour && !res.isBefore(c) && !res.visited(c) && g.mayBeSameCrawler(who, res, c) {
			return c
		}
	}
	return nil
}

// among is the captures that a redirect may have led to: a list by some crawlers.
type among struct {
	byDate
	isBy func(*facts.Capture) bool
}

func anyone(*facts.Capture) bool { return true }

// nearest looks among the captures of one crawler, or of all, outwards from the redirect.
//
// If the archive states that another page led to the nearest, a capture that it states
// the redirect led to goes first.
func (res *resolution) nearest(list among) target {
	t := res.WantTime
	var led, after nearby
	before := nearby{isBack: true}
	var visited *facts.Capture
	from := redirect{url: res.CurURL}
	isLate := func(c *facts.Capture) bool {
		isFound := led.isBehind(c) || after.isBehind(c) &&
			(from.via(after.chosen) != viaOther || res.looked > maxLooks/2)
		return isFound || c.Micros > t.Micros+facts.Hour+t.Precision.Unit()
	}
	for c := range list.from(t.Micros, isLate) {
		if !res.look() {
			break
		}
		switch gap := c.Time().MicrosSince(t); {
		case gap > facts.Hour || res.isBefore(c) || !list.isBy(c):
		case !res.visited(c):
			after.addNearer(c, res.CurSpot)
			if from.via(c) == viaRedirect {
				led.addNearer(c, res.CurSpot)
			}
		case gap > 0:
			visited = c
		}
	}
	if led.chosen != nil {
		after = led
	}
	if after.chosen != nil {
		return target{
			capture: after.agreed(res.CurSpot), follows: true, found: true,
			isOthers: from.via(after.chosen) == viaOther, candidates: after.candidates(),
		}
	}
	isEarly := func(c *facts.Capture) bool {
		return c.Micros < t.Micros-facts.Day-c.Precision.Unit() || before.isBefore(c)
	}
	for c := range list.backFrom(t.Micros+t.Precision.Unit(), isEarly) {
		if !res.look() {
			break
		}
		gap := c.Time().MicrosSince(t)
		if gap >= -facts.Day && gap <= 0 && (res.isBefore(c) || res.visited(c)) && list.isBy(c) {
			before.add(c)
		}
	}
	if before.chosen != nil {
		return target{capture: before.agreed(res.CurSpot), found: true, candidates: before.candidates()}
	}
	return target{capture: visited}
}

// rival finds a capture that differs from the target, and that the crawler may have got
// for the redirect instead. A crawler with several connections writes records in the order in
// which they end. So any capture of the moment of the redirect, and any of the moment of the target,
// may be the one. If the target itself may have come before the redirect, so may the nearest after it.
func (res *resolution) rival(list among, target *facts.Capture) *facts.Capture {
	hop, here := res.WantTime, facts.SpotOf(&target.Fetch)
	from := redirect{url: res.CurURL}
	isLed := from.via(target) == viaRedirect
	mayPrecede := target.Time().MicrosSince(hop) == 0 &&
		(target.Flags&facts.FlagSerial == 0 || !here.SameRun(res.CurSpot))
	next := target.Time()
	isLate := func(c *facts.Capture) bool {
		last := max(hop.Micros+hop.Precision.Unit(), next.Micros+next.Precision.Unit())
		if mayPrecede && next == target.Time() {
			last = max(last, hop.Micros+hop.Precision.Unit()+facts.Hour)
		}
		return c.Micros > last
	}
	for c := range list.from(min(hop.Micros, target.Micros), isLate) {
		if c == target || res.visited(c) || !list.isBy(c) || isLed && from.via(c) != viaRedirect {
			continue
		}
		gap, at := c.Time().MicrosSince(hop), facts.SpotOf(&c.Fetch)
		isBeside := c.Flags&facts.FlagSerial == 0 &&
			(c.Time().MicrosSince(target.Time()) == 0 && at.SameRun(here) || gap == 0 && at.SameRun(res.CurSpot))
		if mayPrecede && gap > 0 && gap <= facts.Hour {
			if next == target.Time() {
				next = c.Time()
			}
			isBeside = isBeside || c.Time().MicrosSince(next) == 0
		}
		if isBeside && !answersLike(target, c) {
			return c
		}
	}
	return nil
}

// hasOther reports whether there is another GET of the URL of a target near enough for a redirect to have
// led to it: the one in hand, followed at hop, or one that was made in the hour after it.
func (g *originCaptures) hasOther(res *resolution, t target, hop facts.Time, who Crawler) bool {
	_, everyone := g.wanted(res).by(who, "")
	isLate := func(c *facts.Capture) bool { return c.Time().MicrosSince(hop) > 2*facts.Hour }
	for c := range everyone.all.from(hop.Micros, isLate) {
		if c.Time().MicrosSince(hop) >= 0 && !(c == t.capture && t.follows && !t.isOthers) {
			return true
		}
	}
	return false
}

// A via is the page that led to a record, as the archive states it.
type via uint8

const (
	viaRedirect via = iota // the redirect
	viaUnknown
	viaOther // another page
)

// A redirect is asked which records it led to.
type redirect struct {
	url string
	key string // as viaKey has it; made when first asked for
}

func (r *redirect) via(c *facts.Capture) via {
	if c.Via == "" {
		return viaUnknown
	}
	if r.key == "" {
		r.key = viaKey(r.url)
	}
	if c.Via == r.key {
		return viaRedirect
	}
	return viaOther
}

// viaKey names the page that led to a record as nearest compares it; "" where that is not known.
func viaKey(via string) string {
	if via == "" {
		return ""
	}
	return hashKey([]byte(keyOf(via)))
}

// nearby are captures of one moment, the nearest by their dates. In one archive, the order of
// records shows which is the nearest.
type nearby struct {
	isBack bool // they are looked for backwards, from the latest on
	chosen *facts.Capture
	others []*facts.Capture                               // of the same moment, in other archives
	first  [facts.PrecisionMicrosecond + 1]*facts.Capture // of each precision
}

// disputed returns one in another archive that differs from the one chosen; nil: none does.
func (m *nearby) disputed() *facts.Capture {
	i := slices.IndexFunc(m.others, func(c *facts.Capture) bool { return !answersLike(m.chosen, c) })
	if i < 0 {
		return nil
	}
	return m.others[i]
}

// agreed returns the capture chosen, one in an archive before others; nil where archives differ.
func (m *nearby) agreed(here facts.Spot) *facts.Capture {
	if m.disputed() != nil {
		return nil
	}
	isHere := func(c *facts.Capture) bool { return facts.SpotOf(&c.Fetch).SameRun(here) }
	if i := slices.IndexFunc(m.others, isHere); i >= 0 && !isHere(m.chosen) {
		return m.others[i]
	}
	return m.chosen
}

func (m *nearby) candidates() []*facts.Capture {
	if other := m.disputed(); other != nil {
		return []*facts.Capture{m.chosen, other}
	}
	return []*facts.Capture{m.chosen}
}

// add takes a capture that is no nearer by its date than those added before.
func (m *nearby) add(c *facts.Capture) {
	switch {
	case m.isFarther(c):
		return
	case m.chosen == nil:
		m.chosen = c
	default:
		m.put(c)
	}
	if m.first[c.Precision] == nil {
		m.first[c.Precision] = c
	}
}

// put takes one of the moment. Of those in one archive it keeps the nearest.
func (m *nearby) put(c *facts.Capture) {
	at := facts.SpotOf(&c.Fetch)
	// rows are in no order
	isBeside := func(o *facts.Capture) bool { return !c.IsIndexed() && facts.SpotOf(&o.Fetch).SameRun(at) }
	kept := &m.chosen
	if !isBeside(m.chosen) {
		i := slices.IndexFunc(m.others, isBeside)
		if i < 0 {
			m.others = append(m.others, c)
			return
		}
		kept = &m.others[i]
	}
	if (c.Index > (*kept).Index) == m.isBack {
		*kept = c
	}
}

// isFarther reports whether the date of one that was added is nearer than that of c. Of coarse dates, that
// may be another one than the chosen.
func (m *nearby) isFarther(c *facts.Capture) bool {
	return slices.ContainsFunc(m.first[:],
		func(f *facts.Capture) bool { return f != nil && f.Time().MicrosSince(c.Time()) != 0 })
}

// addNearer does the same; of two of one moment, one that stands in the archive of the
// redirect goes before one in another.
func (m *nearby) addNearer(c *facts.Capture, here facts.Spot) {
	isHere := facts.SpotOf(&c.Fetch).SameRun(here)
	switch {
	case m.chosen == nil || isHere == facts.SpotOf(&m.chosen.Fetch).SameRun(here):
		m.add(c)
	case isHere && !m.isFarther(c):
		m.chosen, m.others = c, nil
	}
}

// isBehind reports whether c and all that are dated later are of a later moment.
func (m *nearby) isBehind(c *facts.Capture) bool {
	return m.chosen != nil && c.Micros > m.chosen.Micros+m.chosen.Precision.Unit()
}

// isBefore reports whether c and all of its precision that are dated earlier are of an
// earlier moment.
func (m *nearby) isBefore(c *facts.Capture) bool {
	return m.chosen != nil && c.Micros < m.chosen.Micros-c.Precision.Unit()
}

// answersLike reports whether a server that was asked twice gave one answer.
func answersLike(a, b *facts.Capture) bool {
	status := statusOf(&a.Fetch)
	if status != statusOf(&b.Fetch) || a.Location != b.Location || a.ETag != b.ETag &&
		status == http.StatusNotModified {
		return false
	}
	return status >= 300 || haveOneBody(a, b) ||
		b.Flags&facts.FlagDigestMismatch == 0 && sharePayload(&a.Fetch, b.PayloadDigest)
}

// haveOneBody reports whether two captures hold the same body. A revisit holds none: its record is empty.
func haveOneBody(a, b *facts.Capture) bool {
	return hasOwnBody(&a.Fetch) && hasOwnBody(&b.Fetch) && a.Flags&b.Flags&facts.FlagBodyKept != 0 &&
		a.BodyDigest == b.BodyDigest
}
