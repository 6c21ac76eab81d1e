package resolve

import (
	"cmp"
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// originCaptures is what one origin holds that resolutions may look for: its policy captures
// and, where asked for, other fetches.
type originCaptures struct {
	facts.Place
	*held
	byURL     map[string]*urlCaptures     // by listKey
	scanned   map[string]bool             // URLs whose fetches are all here
	unread    facts.Unread                // captures of robots.txt that indexes list and no input holds
	lines     []servedLine                // of access logs that say that robots.txt was served
	copies    map[facts.Spot][]facts.Spot // of records that several archives hold: the other places
	durations map[facts.Spot]Step         // of captures: the line of a log that states how long it took
	followed  map[facts.Spot]bool         // captures that are followed as copies of one origin's robots.txt
	copiesOf  facts.Place                 // that origin
	versions  []version                   // of its robots.txt: see findVersions; nil: not asked for yet
	sightings []seen                      // of versions, in the order of their time

	isSmallNoted bool // an issue says that a line is smaller than its version
}

// urlCaptures is the captures of one URL, so ordered that nobody has to look at all of
// them: a host may have been asked for its robots.txt every minute for years.
type urlCaptures struct {
	of       *held               // what the numbers are of
	all      []int32             // by time, of one moment in the order of their archive
	isFound  bool                // the crawlers are, and what follows is filled in
	astray   byDate              // GETs that another host answered, which the request named
	everyone askings             // all other GETs
	crawler  string              // who made them all, if one did
	crawlers map[string]*askings // by crawler, if there are several
	// those that may lend their body, by payload digest; made when first asked for
	originals map[string][]int32
	named     map[string][]int32 // originals by keyOfID; made when first asked for
	crowded   bool               // a resolution looked here at more than it may; there is an issue
}

func newOriginCaptures(unread facts.Unread) *originCaptures {
	return &originCaptures{
		held: newHeld(), unread: unread, byURL: make(map[string]*urlCaptures), scanned: make(map[string]bool),
		copies: make(map[facts.Spot][]facts.Spot), followed: make(map[facts.Spot]bool),
		durations: make(map[facts.Spot]Step),
	}
}

// begin forgets an origin for the next.
func (g *originCaptures) begin(p facts.Place) {
	g.unread.Clear()
	*g = *newOriginCaptures(g.unread)
	g.Place = p
}

// hold takes a capture, and the other places of its record. Of lines of access logs, nothing but the size is looked
// for.
func (g *originCaptures) hold(c *facts.Capture, places []facts.Spot) error {
	if c.Type == facts.TypeAccessLog {
		isServed := c.Kind == facts.CaptureRobots && isDatedGet(c) && c.Status == http.StatusOK
		if size, isSized := c.PayloadBytes(); isServed {
			g.lines = append(g.lines, servedLine{c.Time(), size, isSized})
		}
		return nil
	}
	kept := *c
	kept.PolicyHeaders, kept.Metas, kept.Via = "", "", viaKey(kept.Via) // may be long, and are not needed
	g.rest()
	s, number := g.ofURL(listKey(g.keyOf(c.URL), c.Type)), g.add(&kept)
	s.all = append(s.all, number)
	if len(places) > 0 {
		g.copies[facts.SpotOf(&c.Fetch)] = places
	}
	return nil
}

// distinct finds the copies of records among captures in the order of the facts.
type distinct struct {
	seen  facts.Duplicates
	twins []placed // the captures of one id, URL and time
}

// A placed capture is one with the other places of its record.
type placed struct {
	facts.Capture
	places []facts.Spot
}

// MaxPlaces bounds the other places of a record that are remembered: a few are enough. Each redirect that
// leads to the record takes them along.
const MaxPlaces = 32

// add takes the next capture. If that has another id, URL or time, it passes on the captures before.
func (d *distinct) add(c *facts.Capture, pass func(*facts.Capture, []facts.Spot) error) error {
	content := c.Fetch
	if content.PayloadDigest == "" && !c.IsCut() {
		content.PayloadDigest = c.BodyDigest
	}
	first := d.seen.First(&content)
	if first == nil {
		if d.seen.Alone() {
			if err := d.end(pass); err != nil {
				return err
			}
		}
		d.twins = append(d.twins, placed{Capture: *c})
		return nil
	}
	at := facts.SpotOf(first)
	i := slices.IndexFunc(d.twins, func(p placed) bool { return facts.SpotOf(&p.Fetch) == at })
	if i >= 0 {
		twin := &d.twins[i]
		twin.places = addPlace(twin.places, at, facts.SpotOf(&c.Fetch))
		twin.Millis = max(twin.Millis, c.Millis) // an archive may have lost the metadata record
	}
	return nil
}

// end passes on the captures that add has kept.
func (d *distinct) end(pass func(*facts.Capture, []facts.Spot) error) error {
	for i := range d.twins {
		if err := pass(&d.twins[i].Capture, d.twins[i].places); err != nil {
			return err
		}
	}
	clear(d.twins)
	d.twins = d.twins[:0]
	return nil
}

// addPlace adds the place of a copy to the other places of a record.
func addPlace(places []facts.Spot, at, copied facts.Spot) []facts.Spot {
	if at != copied && len(places) < MaxPlaces && !slices.Contains(places, copied) {
		places = append(places, copied)
	}
	return places
}

// isNewCopy reports whether a capture is not yet followed as a copy of the robots.txt of a resolution's
// origin. Resolutions of one origin follow one another.
func (g *originCaptures) isNewCopy(res *resolution, c *facts.Capture) bool {
	if of := facts.PlaceOf(&res.Fetch); of != g.copiesOf {
		g.copiesOf = of
		clear(g.followed)
	}
	at := facts.SpotOf(&c.Fetch)
	if g.followed[at] {
		return false
	}
	g.followed[at] = true
	return true
}

// spots returns the places of a capture in all archives that hold it.
func (g *originCaptures) spots(c *facts.Capture) []facts.Spot {
	at := facts.SpotOf(&c.Fetch)
	return append([]facts.Spot{at}, g.copies[at]...)
}

// listKey is the key of a URL, for records or for rows of tables.
func listKey(url string, of facts.RecordType) string {
	if of == facts.TypeRow {
		return "row " + url
	}
	return url
}

// wanted returns the captures of the URL that a resolution looks for: records for a record, and rows for a row. A table
// by somebody else shows nothing of what a crawler got.
func (g *originCaptures) wanted(res *resolution) *urlCaptures {
	return g.ofURL(listKey(res.WantKey, res.Type))
}

// ofURL returns the captures of a listKey, none where there are none.
func (g *originCaptures) ofURL(key string) *urlCaptures {
	s := g.byURL[key]
	if s == nil {
		s = &urlCaptures{of: g.held}
		g.byURL[key] = s
	}
	return s
}

// read reads the captures of an origin, and then what indexes and logs report of captures of its robots.txt.
func (g *originCaptures) read(p facts.Place, captures *facts.Cursor[facts.Capture],
	events *facts.Cursor[facts.LogEvent],
) error {
	g.begin(p)
	var records distinct
	err := captures.Each(p, func(c *facts.Capture) error {
		g.unread.Hold(c)
		return records.add(c, g.hold)
	})
	if err := cmp.Or(err, records.end(g.hold)); err != nil {
		return err
	}
	var said reports
	err = events.Each(p, func(e *facts.LogEvent) error {
		g.unread.Add(e)
		return said.add(e)
	})
	g.index(&said)
	return err
}

// reports are what a log, and records that are no captures, say of the captures of an origin's robots.txt.
type reports struct {
	none map[recordid.ID]int64 // when records are dated that are no captures
	took []facts.LogEvent      // how long captures took, in order of time
}

func (r *reports) add(e *facts.LogEvent) error {
	switch {
	case e.Kind == facts.EventRobotsTook:
		r.took = append(r.took, *e)
	case e.Kind == facts.EventRobotsNoCapture && e.RecordID != "":
		if r.none == nil {
			r.none = make(map[recordid.ID]int64)
		}
		r.none[e.RecordID] = e.Micros
	}
	return nil
}

// of gives a capture the duration that a line of crawl.log states for its URL, status and beginning, and returns the
// place of that line. A copy that lost its request is no capture if another one shows a HEAD.
func (r *reports) of(c *facts.Capture) (line Step, isCapture bool) {
	if at, isNone := r.none[c.RecordID]; isNone && at == c.Micros && c.Kind == facts.CaptureRobots &&
		c.UserAgentSource != facts.SourceRequest {
		return line, false
	}
	if len(r.took) == 0 || c.Type != facts.TypeResponse && c.Type != facts.TypeRevisit {
		return line, true
	}
	from := c.Time().Truncate(facts.PrecisionSecond).Micros
	n := sort.Search(len(r.took), func(i int) bool { return r.took[i].Micros >= from })
	for ; n < len(r.took) && r.took[n].Micros < from+facts.Second; n++ {
		e := &r.took[n]
		isIt := c.Status == e.Status && c.Time().MicrosSince(e.Time()) == 0 && keyOf(c.URL) == keyOf(e.URL)
		if isIt && c.Millis < e.Millis {
			c.Millis = e.Millis
			line = Step{
				Kind: stepLine, Spot: facts.Spot{Input: e.Input, Entry: e.Entry, Index: e.Offset}, Offset: e.Length,
			}
		}
	}
	return line, true
}

// unreadOf returns the times of captures in indexes alone, of the URL that a resolution looks for.
func (g *originCaptures) unreadOf(res *resolution) []facts.Time {
	if len(g.unread.Times) == 0 || res.WantKey != g.Origin+robotsPath {
		return nil
	}
	return g.unread.Times
}

// unreadNear returns those nearest to a moment: the latest before it, and the earliest at or after it. Those
// that do not exist have no known time.
func (g *originCaptures) unreadNear(res *resolution, t facts.Time) (before, after facts.Time) {
	times := g.unreadOf(res)
	n := sort.Search(len(times), func(i int) bool { return times[i].MicrosSince(t) >= 0 })
	if n > 0 {
		before = times[n-1]
	}
	if n < len(times) {
		after = times[n]
	}
	return before, after
}

// isUnreadNearer reports whether an index lists a capture, which no input holds, that is nearer to
// the redirect in hand than its target.
func (g *originCaptures) isUnreadNearer(res *resolution, found target) bool {
	hop := res.WantTime
	before, after := g.unreadNear(res, hop)
	if !found.found {
		found = target{}
	}
	switch {
	case after.Known() && after.MicrosSince(hop) <= facts.Hour &&
		(!found.follows || found.capture != nil && after.MicrosSince(found.capture.Time()) <= 0):
		return true
	case found.follows || !before.Known() || before.MicrosSince(hop) < -facts.Day:
		return false
	}
	return found.capture == nil || before.MicrosSince(found.capture.Time()) >= 0
}

// isUnreadNewer reports whether an index lists a capture, which no input holds, between a copy and
// the 304 in hand that names no validator of it.
func (g *originCaptures) isUnreadNewer(res *resolution, c *facts.Capture) bool {
	if res.namesValidator() && res.names(c) == same {
		return false
	}
	times, t := g.unreadOf(res), res.WantTime
	n := sort.Search(len(times), func(i int) bool { return times[i].MicrosSince(t) > 0 })
	return n > 0 && times[n-1].MicrosSince(c.Time()) >= 0
}

// index makes the captures findable by URL, once they are all here.
func (g *originCaptures) index(said *reports) {
	for _, s := range g.byURL {
		if len(said.none) > 0 || len(said.took) > 0 {
			s.all = slices.DeleteFunc(s.all, func(i int32) bool {
				g.rest()
				c := g.at(i)
				line, isOne := said.of(c)
				if line != (Step{}) {
					g.durations[facts.SpotOf(&c.Fetch)], g.changed[c] = line, true
				}
				return !isOne
			})
		}
		s.sort()
	}
}

// keyOf returns the key of a URL of the origin.
func (g *originCaptures) keyOf(url string) string {
	if rest, ok := strings.CutPrefix(url, g.Origin); ok && rest == robotsPath { // as most are
		return url
	}
	return keyOf(url)
}

// sort fills in what follows from all.
func (s *urlCaptures) sort() {
	slices.SortFunc(s.all, s.of.compareInTime)
	*s = urlCaptures{of: s.of, all: s.all}
}

// maxLooks bounds the captures of a URL that one step of a resolution looks at. A host may have
// answered so often in one moment, at the precision of its dates: then nobody knows which
// answer a redirect or a revisit means.
const maxLooks = 1000

// look counts a capture that the step in hand looks at. The step fails after maxLooks.
func (res *resolution) look() bool {
	res.looked++
	return res.looked <= maxLooks
}

// askings are the GETs of a URL that have a date.
type askings struct {
	all       byDate
	successes byDate             // those with a 2xx
	validated map[string][]int32 // successes by validator, as validatorsOf has them; by time

	// of the last of successes: most have the validators of the one before
	etag, modified string
	validators     []string
}

func (a *askings) add(of *held, i int32) {
	a.all.add(of, i)
	c := of.peek(i)
	if statusOf(&c.Fetch)/100 != 2 {
		return
	}
	a.successes.add(of, i)
	if a.validated == nil || a.etag != c.ETag || a.modified != c.LastModified {
		a.etag, a.modified, a.validators = c.ETag, c.LastModified, validatorsOf(c)
	}
	for _, v := range a.validators {
		if a.validated == nil {
			a.validated = make(map[string][]int32)
		}
		a.validated[v] = append(a.validated[v], i)
	}
}

// A Crawler identifies crawlers: it returns the same for all fetches that one made, and ""
// where none is known.
type Crawler func(*facts.Fetch) string

// by returns the askings of a crawler, and everyone's.
func (s *urlCaptures) by(who Crawler, key string) (own, everyone *askings) {
	if !s.isFound {
		s.findCrawlers(who)
	}
	if own = s.crawlers[key]; s.crawlers == nil && s.crawler == key {
		own = &s.everyone
	}
	if own == nil {
		own = new(askings)
	}
	return own, &s.everyone
}

func (s *urlCaptures) findCrawlers(who Crawler) {
	several := false
	for _, i := range s.all {
		c := s.of.peek(i)
		if !isDatedGet(c) {
			continue
		}
		if isAstray(c) {
			s.astray.add(s.of, i)
			continue
		}
		key := who(&c.Fetch)
		several = several || s.isFound && key != s.crawler
		s.isFound, s.crawler = true, key
		s.everyone.add(s.of, i)
	}
	s.isFound = true
	if !several {
		return
	}
	s.crawlers = make(map[string]*askings)
	for _, i := range s.all {
		c := s.of.peek(i)
		if !isDatedGet(c) || isAstray(c) {
			continue
		}
		key := who(&c.Fetch)
		if s.crawlers[key] == nil {
			s.crawlers[key] = new(askings)
		}
		s.crawlers[key].add(s.of, i)
	}
}

// isAstray reports whether the request named another host than the URL does: another host answered.
func isAstray(c *facts.Capture) bool { return c.Flags&facts.FlagHostMismatch != 0 }

func isDatedGet(c *facts.Capture) bool {
	isGet := c.Method == http.MethodGet || c.Method == "" && c.IsIndexed() // then nobody knows
	return isGet && c.Time().Known()
}

// addFetches adds the fetches of the URLs that resolutions look for and that are no
// policy by their path.
func (g *originCaptures) addFetches(fetches *facts.Cursor[facts.Fetch], seeking *facts.Cursor[resolution]) error {
	err := seeking.Each(g.Place, func(res *resolution) error {
		if !res.wantsPolicy() {
			g.scanned[res.WantKey] = true
		}
		return nil
	})
	if err != nil || len(g.scanned) == 0 {
		return err
	}
	captures := make(map[string][]int32) // of a URL: all behind the second of the fetch in hand
	for key := range g.scanned {
		captures[key] = g.ofURL(key).all
	}
	var second int64
	// The captures of the second. One of them may be the fetch in hand: it shows whether the body is in the pack.
	known := make(map[Mark]int32)
	err = fetches.Each(g.Place, func(f *facts.Fetch) error {
		key := keyOf(f.URL)
		if !g.scanned[key] {
			return nil
		}
		g.rest()
		if at := f.Time().Truncate(facts.PrecisionSecond).Micros; at != second {
			second = at
			clear(known)
		}
		list := captures[key]
		n := g.upTo(list, second+facts.Second-1)
		for _, i := range list[:n] {
			known[MarkOf(&g.peek(i).Fetch)] = i
		}
		captures[key] = list[n:]
		if i, isKnown := known[MarkOf(f)]; isKnown {
			c := g.peek(i)
			if at := facts.SpotOf(&c.Fetch); facts.SameRecord(&c.Fetch, f) {
				g.copies[at] = addPlace(g.copies[at], at, facts.SpotOf(f))
			}
			return nil
		}
		c := &facts.Capture{Fetch: *f, Kind: facts.CaptureTarget}
		c.PolicyHeaders, c.Metas, c.Via = "", "", viaKey(c.Via)
		s, i := g.ofURL(key), g.add(c)
		known[MarkOf(f)] = i
		s.all = append(s.all, i)
		return nil
	})
	for key := range g.scanned {
		g.ofURL(key).sort()
	}
	return err
}
