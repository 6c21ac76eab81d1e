package resolve

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/pack"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

const (
	maxHops     = 5  // RFC 9309 §2.3.1.2
	maxFollowed = 20 // hops followed in all, to record the final rules
)

// resolver follows robots captures through revisits and redirects. There is one for each
// worker, with what it leaves for all.
type resolver struct {
	*shared
	budget
	who      Crawler
	dir      string // of temporary files
	states   *run.Sorter[State]
	licences *run.Sorter[State]
	marks    *run.Sorter[Mark]
	leads    *run.Sorter[Lead]
	next     *run.Sorter[resolution]
	waiting  int64   // resolutions of next
	wanted   []bool  // buckets that they look in
	scanned  []bool  // those where they look for URLs that are no policy by their path
	robots   []int64 // captures of robots.txt that are settled, by bucket
}

// shared is what all resolvers use.
type shared struct {
	store  *facts.Reader
	guard  sync.Mutex
	bodies *pack.Writer             // bodies read again from the archives
	issues *run.Sorter[facts.Issue] // to be used by one at a time
}

// note adds an issue of a capture, whose reason is what follows from it.
func (s *shared) note(c *facts.Capture, kind words.IssueKind, reason words.Reason, format string, a ...any) error {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.issues.Add(c.Issue(kind, reason.String(), format, a...))
}

func (r *resolver) startRound(n int) {
	r.waiting, r.wanted, r.scanned = 0, make([]bool, run.Buckets), make([]bool, run.Buckets)
	spec := resolutionRuns
	spec.Name = fmt.Sprintf("resolutions%d", n)
	r.next = run.NewSorter(r.dir, spec)
}

// isFollowed reports whether what a capture came to matters: of all policy that is read.
func isFollowed(c *facts.Capture) bool {
	switch c.Kind {
	case facts.CaptureRobots:
		return true
	case facts.CaptureTDMRep, facts.CaptureAITxt, facts.CaptureRSL:
		return c.Method == http.MethodGet
	}
	return false
}

// firstRound starts every capture of a range of buckets that is followed, and settles those that need no other capture.
func (r *resolver) firstRound(ctx context.Context, from, to int) error {
	var records distinct
	var said reports
	var here facts.Place
	events := facts.NewCursor(r.store.Events(ctx, facts.Buckets{From: from, To: to}), (*facts.LogEvent).Place)
	defer events.Stop()
	res := new(resolution)
	start := func(c *facts.Capture, places []facts.Spot) error {
		if at := facts.PlaceOf(&c.Fetch); at != here {
			here, said = at, reports{}
			if err := events.Each(at, said.add); err != nil {
				return err
			}
		}
		line, isOne := said.of(c)
		if !isOne || !isFollowed(c) {
			return nil
		}
		*res = resolution{State: NewState(c)}
		res.addPlaces(places, line)
		r.take(res, c)
		return r.pass(res)
	}
	for c, err := range r.store.Captures(ctx, facts.Buckets{From: from, To: to}) {
		if err := cmp.Or(err, records.add(c, start)); err != nil {
			return err
		}
	}
	return records.end(start)
}

// openCaptures opens the captures of some buckets, and what indexes and logs report of captures of robots.txt there.
func (r *resolver) openCaptures(ctx context.Context, buckets facts.Buckets) (*facts.Cursor[facts.Capture],
	*facts.Cursor[facts.LogEvent],
) {
	captures := facts.NewCursor(r.store.Captures(ctx, buckets),
		func(c *facts.Capture) facts.Place { return facts.PlaceOf(&c.Fetch) })
	return captures, facts.NewCursor(r.store.Events(ctx, buckets), (*facts.LogEvent).Place)
}

// nextRound takes the resolutions that look in a range of buckets one step further, and reads
// of the captures only those buckets that they look in. Targets that are no policy by their
// path are looked for among all fetches.
func (r *resolver) nextRound(ctx context.Context, w waiting, from, to int) error {
	captures, unread := r.openCaptures(ctx, facts.Buckets{From: from, To: to, Select: w.wanted})
	defer captures.Stop()
	defer unread.Stop()
	resolutions := facts.NewCursor(w.resolutions.Range(ctx, from, to), placeOf)
	defer resolutions.Stop()
	addFetches := func(*originCaptures) error { return nil }
	if slices.Contains(w.scanned[from:to], true) {
		fetches := facts.NewCursor(r.store.Fetches(ctx, facts.Buckets{From: from, To: to, Select: w.scanned}),
			facts.PlaceOf)
		defer fetches.Stop()
		ahead := facts.NewCursor(w.resolutions.Range(ctx, from, to), placeOf)
		defer ahead.Stop()
		addFetches = func(g *originCaptures) error { return g.addFetches(fetches, ahead) }
	}
	g := newOriginCaptures(r.store.NewUnread())
	for resolutions.Row != nil {
		if err := g.read(resolutions.Here, captures, unread); err != nil {
			return err
		}
		if err := addFetches(g); err != nil {
			return err
		}
		err := resolutions.Each(g.Place, func(res *resolution) error {
			g.rest()
			return r.follow(res, g)
		})
		if err != nil {
			return err
		}
	}
	return resolutions.Err
}

// goOn writes a resolution for the next round.
func (r *resolver) goOn(res *resolution) error {
	bucket := run.BucketOf(res.WantPlace.Host)
	r.wanted[bucket] = true
	r.waiting++
	r.scanned[bucket] = r.scanned[bucket] || !res.wantsPolicy()
	return r.next.Put(res)
}

// follow takes a resolution as far as origin g leads it.
func (r *resolver) follow(res *resolution, g *originCaptures) error {
	for res.Want != seekNothing && res.WantPlace == g.Place {
		if !res.wantsPolicy() && !g.scanned[res.WantKey] {
			break // the next round brings this URL's fetches along
		}
		if err := r.step(res, g); err != nil {
			return err
		}
	}
	return r.pass(res)
}

// pass writes a resolution where it goes on: to the states, or to the next round.
func (r *resolver) pass(res *resolution) error {
	switch {
	case res.Want != seekNothing:
		return r.goOn(res)
	case res.Kind == facts.CaptureRSL:
		return r.licences.Put(&res.State)
	case res.Kind == facts.CaptureRobots:
		r.robots[run.BucketOf(res.HostReversed)]++
	}
	return r.states.Put(&res.State)
}

// mayBeSameCrawler reports whether nothing speaks against it: some crawlers send a
// User-Agent with every request but those for robots.txt.
func (g *originCaptures) mayBeSameCrawler(who Crawler, res *resolution, c *facts.Capture) bool {
	a, b := who(&res.Fetch), who(&c.Fetch)
	return a == b || (a == "" || b == "") && slices.ContainsFunc(g.spots(c), func(at facts.Spot) bool {
		return at.SameRun(facts.SpotOf(&res.Fetch)) || slices.ContainsFunc(placesOf(res.CopyText), at.SameRun)
	})
}

// step looks for what the resolution wants in g, and takes it or gives up.
func (r *resolver) step(res *resolution, g *originCaptures) error {
	want := res.Want
	res.Want, res.looked = seekNothing, 0
	switch want {
	case seekHop:
		t := g.nearest(res, r.who)
		t.isOthers = t.isOthers || res.Unled
		if err := r.addLead(res, g, t); err != nil {
			return err
		}
		applied, isUnread := t, g.isUnreadNearer(res, t)
		if isUnread {
			applied = target{}
		}
		if err := r.addCopies(res, g, applied); err != nil {
			return err
		}
		if res.looked > maxLooks {
			return r.giveUpCrowd(res, g, words.UnresolvedRedirect)
		}
		if isUnread {
			res.giveUp(words.UnresolvedRedirect)
			return nil
		}
		return r.takeHop(res, g, t)
	case seekOriginal:
		c, what := g.original(res, r.who)
		switch {
		case res.looked > maxLooks:
			return r.giveUpCrowd(res, g, words.UnresolvedRevisit)
		case what == namesUnclear, what == namesOne && res.CurUnmodified && res.names(c) == different:
			res.giveUp(words.UnresolvedRevisit)
			res.addStep(StepRival, &c.Fetch)
		case what == namesOne:
			return r.takeOriginal(res, g, c)
		default:
			if what == namesOther {
				res.Mismatched = true
				res.addStep(StepNamed, &c.Fetch)
			}
			res.seekHere()
		}
	case seekDigest:
		return r.takeByDigest(res, g)
	case seekServed:
		return r.takeServed(res, g)
	case seekLatest:
		c, against := g.renewed(res, r.who)
		switch {
		case res.looked > maxLooks:
			return r.giveUpCrowd(res, g, words.UnresolvedRevisit)
		case c != nil && !g.isUnreadNewer(res, c):
			res.addStep(StepCopy, &c.Fetch)
			res.addPlacesOf(c, g)
			return r.keep(res, g, c, words.UnresolvedRevisit, func() { r.take(res, c) })
		}
		res.giveUp(words.UnresolvedRevisit)
		for _, c := range against {
			res.addStep(StepRival, &c.Fetch)
		}
	}
	return nil
}

// giveUpCrowd settles a resolution that would have to look at too many captures of one URL. An
// issue reports it, one for each URL and round.
func (r *resolver) giveUpCrowd(res *resolution, g *originCaptures, reason words.Reason) error {
	res.giveUp(reason)
	s := g.wanted(res)
	if s.crowded {
		return nil
	}
	s.crowded = true
	return r.note(&res.Capture, words.IssueLimitReached, reason,
		"more than %d captures of %.200s may be what this one, and perhaps others, refer to", maxLooks, res.WantKey)
}

// takeHop goes on with the capture of a redirect's target. Its fetch is always allowed
// where the same crawler made it at or after the redirect, unless another page led to it.
func (r *resolver) takeHop(res *resolution, g *originCaptures, t target) error {
	c := t.capture
	if t.astray != nil && res.Kind == facts.CaptureRobots && !res.Unled {
		if err := r.marks.Add(MarkOf(&t.astray.Fetch)); err != nil {
			return err
		}
	}
	switch {
	case c == nil && (t.found || !res.returns()):
		res.giveUp(words.UnresolvedRedirect)
		return nil
	case c == nil || res.visited(c): // a loop; its dates may be out of order
		res.Settle(words.OutcomeUnavailable, words.TooManyRedirects)
		return nil
	}
	res.Unled = !t.follows || t.isOthers || !g.mayBeSameCrawler(r.who, res, c)
	if res.Kind == facts.CaptureRobots && !res.Unled {
		if err := r.marks.Add(MarkOf(&c.Fetch)); err != nil {
			return err
		}
	}
	res.FinalStatus = c.Status
	res.addStep(StepHop, &c.Fetch)
	res.addPlacesOf(c, g)
	if t.rival != nil {
		res.OtherTarget = true
		res.addStep(StepRival, &t.rival.Fetch)
	}
	return r.keep(res, g, c, words.UnresolvedRedirect, func() {
		if !res.TooMany {
			res.ApplyAt(&c.Fetch)
		}
		r.take(res, c)
	})
}

// Bounds of what is followed for one capture of robots.txt, besides the target of its redirect that counts.
const (
	maxCopies  = 64           // captures of the target's URL that are followed
	maxScanned = 3 * maxLooks // those that are compared with it
)

// addCopies follows the captures of a redirect's target that differ from the one
// that counts: a crawler that used one of them may have been allowed what that one disallows (RFC 9309 §2.4).
// They are states of the origin that redirects, of kind facts.CaptureTarget. Captures of more than a day
// before or after the capture of robots.txt are no copies of its time.
func (r *resolver) addCopies(res *resolution, g *originCaptures, t target) error {
	if res.Kind != facts.CaptureRobots || !res.Time().Known() {
		return nil
	}
	at, looked, added := res.Time(), 0, 0
	isLate := func(c *facts.Capture) bool { return c.Micros > at.Micros+facts.Day+at.Precision.Unit() }
	_, everyone := g.wanted(res).by(r.who, "")
	isCovered := func(c *facts.Capture) bool { // two 304s may renew two copies
		return t.capture != nil && c.Status != http.StatusNotModified && answersLike(t.capture, c)
	}
	for c := range everyone.all.merge(onward, at.Micros-facts.Day, isCovered, isLate) {
		if looked++; looked > maxScanned || added == maxCopies {
			res.OtherTarget = true // one of the others may allow
			return nil
		}
		gap := c.Time().MicrosSince(at)
		if c == t.capture || gap < -facts.Day || gap > facts.Day || c.IsIndexed() || isCovered(c) ||
			!g.isNewCopy(res, c) {
			continue
		}
		added++
		other := &resolution{State: NewState(c)}
		other.addPlaces(g.copies[facts.SpotOf(&c.Fetch)], g.durations[facts.SpotOf(&c.Fetch)])
		other.HostReversed, other.Origin, other.Kind, other.Hops = res.HostReversed, res.Origin, facts.CaptureTarget,
			res.Hops
		if err := r.keep(other, g, c, words.UnresolvedRedirect, func() { r.take(other, c) }); err != nil {
			return err
		}
		if err := r.follow(other, g); err != nil {
			return err
		}
	}
	return nil
}

// addLead remembers a redirect of robots.txt if there are several GETs that it may have led to: a crawler
// with several connections need not have followed it by the nearest.
func (r *resolver) addLead(res *resolution, g *originCaptures, t target) error {
	isSerial := res.Flags&facts.FlagSerial != 0 && !t.isOthers && !(t.found && t.capture == nil)
	at := res.WantTime
	if res.Time().MicrosSince(at) > 0 { // it led to nothing that was got before
		at = res.Time()
	}
	if res.Kind != facts.CaptureRobots || res.wantsPolicy() || isSerial || !g.hasOther(res, t, at, r.who) {
		return nil
	}
	lead := Lead{
		HostReversed: res.WantPlace.Host, Origin: res.WantPlace.Origin, Key: res.WantKey, Crawler: r.who(&res.Fetch),
		URL: res.CurURL, Time: at, TargetTime: at, IsOthers: t.isOthers, Spot: facts.SpotOf(&res.Fetch),
		Offset: res.Itself().Offset, CopyText: res.CopyText,
	}
	way := State{StepText: res.StepText}
	for _, c := range t.candidates {
		way.addStep(StepHop, &c.Fetch)
		if t.follows && c.Time().MicrosSince(at) > 0 {
			lead.TargetTime = c.Time()
		}
	}
	lead.StepText = way.StepText
	return r.leads.Add(lead)
}

// takeByDigest goes on with the nearest record that has the digest of the revisit, and whose body has it.
// One that cannot be read ends the search: keep has given the resolution up.
func (r *resolver) takeByDigest(res *resolution, g *originCaptures) (err error) {
	var found *facts.Capture
	isRead := true
	g.byDigest(res, func(c *facts.Capture) bool {
		isRead = false
		err = r.keep(res, g, c, words.UnresolvedRevisit, func() { isRead = true })
		isAltered := c.Flags&facts.FlagDigestMismatch != 0
		if isRead && !isAltered {
			found = c
		}
		return isRead && isAltered
	})
	switch {
	case err != nil, !isRead:
		return err
	case res.looked > maxLooks:
		return r.giveUpCrowd(res, g, words.UnresolvedRevisit)
	case found != nil:
		return r.takeOriginal(res, g, found)
	}
	res.giveUp(words.UnresolvedRevisit)
	return nil
}

// takeOriginal goes on with the original of a revisit, under the revisit's own
// status where it has one.
func (r *resolver) takeOriginal(res *resolution, g *originCaptures, c *facts.Capture) error {
	if res.CurUnmodified {
		res.addStep(StepCopy, &c.Fetch)
		res.addPlacesOf(c, g)
	} else {
		res.addStep(StepOriginal, &c.Fetch)
	}
	return r.keep(res, g, c, words.UnresolvedRevisit, func() {
		if res.CurUnmodified && res.names(c) == different { // a page, whose validators are read only now
			res.giveUp(words.UnresolvedRevisit)
			return
		}
		if res.FinalStatus < 0 {
			res.FinalStatus = c.Status
		}
		res.takeBody(c)
		r.byStatus(res, c)
	})
}

// keep makes sure that the body of c is at hand, where it will be needed, or the validators of a 304, and
// that its record was read to its end, before it goes on.
func (r *resolver) keep(res *resolution, g *originCaptures, c *facts.Capture, failure words.Reason,
	goOn func(),
) error {
	needed := c.Type != facts.TypeRevisit && !hasNoContent(c.Status) &&
		(c.Status/100 == 2 || c.Flags&facts.FlagHTTPHead == 0)
	// of what was read as a page, nothing is kept: neither its body nor the validators of a 304
	hasValidators := c.Status == http.StatusNotModified && c.Type == facts.TypeResponse
	if c.Flags&facts.FlagBodyKept != 0 || !needed && !hasValidators {
		goOn()
		return nil
	}
	body, err := r.readAgain(c)
	if err != nil {
		res.giveUp(failure)
		return r.note(c, words.IssueBodyNotKept, failure, "%v; it is needed for %.200s", err, res.URL)
	}
	g.changed[c] = true
	if !needed { // its validators are known now
		goOn()
		return nil
	}
	r.guard.Lock()
	ref, err := r.bodies.Put(body)
	r.guard.Unlock()
	if err != nil {
		return err
	}
	c.Flags |= facts.FlagBodyKept
	c.BodyDigest, c.BodyOffset, c.BodySize = string(ref.Digest[:]), ref.Offset, ref.Size
	c.Pack = int32(len(r.store.Tasks))
	goOn()
	return nil
}

// readAgain reads the body of a record again from its archive. In a stream it costs
// all that comes before, so there is a bound on it.
func (r *resolver) readAgain(c *facts.Capture) ([]byte, error) {
	cost := c.RereadCost()
	if cost > r.reread {
		return nil, fmt.Errorf("more than %d GB would have to be read again for bodies that were not kept",
			maxReread>>30)
	}
	r.reread -= cost
	return r.store.Reread(r.store.Input(c.Input), c)
}

// take makes c the record in hand: it settles the resolution or notes what it needs.
func (r *resolver) take(res *resolution, c *facts.Capture) {
	res.CurURL, res.CurTime, res.CurSpot, res.CurUserAgent = c.URL, c.Time(), facts.SpotOf(&c.Fetch), c.UserAgent
	res.takeBody(c)
	res.CurChallenge = c.Flags&facts.FlagChallenge != 0
	res.CurUnmodified = c.Status == 304 || c.Type == facts.TypeRevisit && c.Profile == facts.RevisitNotModified
	switch {
	case c.Type == facts.TypeAccessLog && (c.Status == http.StatusOK || res.CurUnmodified):
		u, _ := weburl.Parse(c.URL)
		res.seekURL(seekServed, u, c.Time())
	case res.CurUnmodified:
		res.seekOriginal(c)
	case c.Type == facts.TypeRevisit && (c.Status < 0 || c.Status/100 == 2 && !hasNoContent(c.Status)):
		res.seekOriginal(c)
	default:
		r.byStatus(res, c)
	}
}

// byStatus settles a resolution by the record's status, or follows its redirect. See
// docs/SEMANTICS.md, "What one robots capture says".
func (r *resolver) byStatus(res *resolution, c *facts.Capture) {
	switch status := c.Status; {
	case c.Flags&facts.FlagHTTPHead == 0 && c.Type != facts.TypeRevisit:
		if c.BodySize == 0 && !isHTTPResource(&c.Fetch) { // no status line and no payload
			res.end(words.OutcomeUndefined, words.UndefinedStatus)
			return
		}
		res.endRules(c)
	case status/100 == 2:
		res.endRules(c)
	case status/100 == 3 && c.Location != "" && status != 304:
		r.hop(res, c.Location)
	case status/100 == 4, status == 550 && isFTP(c.URL):
		res.end(words.OutcomeUnavailable, words.Unavailable)
	case status/100 == 5:
		res.end(words.OutcomeUnreachable, words.Unreachable)
	default:
		res.end(words.OutcomeUndefined, words.UndefinedStatus)
	}
}

// goesBeyond reports whether a resolution that has made too many hops already may make another.
func (r *resolver) goesBeyond(res *resolution) bool {
	if r.beyond > 0 {
		r.beyond--
		return true
	}
	if r.cutOffs == 0 {
		r.cutOff = res.Capture
	}
	r.cutOffs++
	return false
}

// hop follows a redirect from the record in hand.
func (r *resolver) hop(res *resolution, location string) {
	target := weburl.Resolve(res.CurURL, location)
	u, _ := weburl.Parse(target)
	res.Hops++
	res.HopURLs = strings.TrimPrefix(res.HopURLs+"\n"+cutHop(target), "\n")
	res.TooMany = res.TooMany || res.Hops > maxHops
	if u.Host == "" || !weburl.IsFetchScheme(u.Scheme) || res.Hops > maxFollowed || !res.CurTime.Known() {
		res.giveUp(words.UnresolvedRedirect)
		return
	}
	if res.TooMany && !r.goesBeyond(res) {
		res.giveUp(words.UnresolvedRedirect)
		return
	}
	res.seekURL(seekHop, u, res.CurTime)
}
