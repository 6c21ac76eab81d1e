package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/pack"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/run"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

const (
	maxHops     = 5               // RFC 9309 §2.3.1.2
	maxFollowed = 20              // hops followed in all, to record the final rules
	maxBeyond   = 20_000          // hops followed beyond maxHops in one audit: each is a row, written and read again
	maxReread   = int64(16 << 30) // bytes decompressed to read bodies again, in one audit
)

// seek is what a resolution looks for.
type seek uint8

const (
	seekNothing  seek = iota
	seekHop           // a capture of a redirect's target, near in time
	seekOriginal      // the original that a revisit names, by URL and date or by its id
	seekDigest        // an original with the same URL and payload digest
	seekLatest        // the latest 2xx of the same URL, of a 304
)

// resolution is a capture of robots.txt or tdmrep.json on its way to what it came to. It
// carries all that the next step needs, so that a step is one merge of resolutions, sorted
// by the origin that they look in, with the captures of that origin.
type resolution struct {
	State
	Want          seek            `parquet:"want"`
	WantHost      string          `parquet:"want_host,dict"` // reversed
	WantOrigin    string          `parquet:"want_origin,dict"`
	WantKey       string          `parquet:"want_key"` // URL: origin and path
	WantMicros    int64           `parquet:"want_time"`
	WantPrecision facts.Precision `parquet:"want_precision"`
	CurURL        string          `parquet:"cur_url"` // the record in hand
	CurMicros     int64           `parquet:"cur_time"`
	CurPrecision  facts.Precision `parquet:"cur_precision"`
	CurStatus     int16           `parquet:"cur_status"`
	CurDigest     string          `parquet:"cur_digest"`
	CurUnmodified bool            `parquet:"cur_unmodified"`
	CurRefersTo   string          `parquet:"cur_refers_to"` // record id
	CurInput      int32           `parquet:"cur_input"`
	CurEntry      string          `parquet:"cur_entry,dict"`
	CurIndex      int64           `parquet:"cur_index"`
	CurTags       string          `parquet:"cur_tags"`     // entity tags that a 304 or its request names
	CurModified   string          `parquet:"cur_modified"` // dates of Last-Modified that they name, each on a line
	Visited       string          `parquet:"visited"`      // records, as " input:offset "
	VisitedURLs   string          `parquet:"visited_urls"` // hashes of their URLs
	TooMany       bool            `parquet:"too_many"`

	looked int // captures that the step in hand looked at
}

func (res *resolution) place() facts.Place {
	return facts.Place{Host: res.WantHost, Origin: res.WantOrigin}
}
func (res *resolution) wantTime() facts.Time {
	return facts.Time{Micros: res.WantMicros, Precision: res.WantPrecision}
}
func (res *resolution) curTime() facts.Time {
	return facts.Time{Micros: res.CurMicros, Precision: res.CurPrecision}
}
func (res *resolution) curSpot() facts.Spot {
	return facts.Spot{Input: res.CurInput, Entry: res.CurEntry, Index: res.CurIndex}
}

// isBefore reports whether a record stands before the one in hand: by its date, or, of
// one moment, by the order of their archive.
func (res *resolution) isBefore(c *facts.Capture) bool {
	gap := c.Time().MicrosSince(res.curTime())
	at := facts.SpotOf(&c.Fetch)
	return gap < 0 || gap == 0 && at.SameArchive(res.curSpot()) && at.Index < res.CurIndex
}

// isNotAfter is the same, and includes records of one moment in other archives.
func (res *resolution) isNotAfter(c *facts.Capture) bool {
	gap := c.Time().MicrosSince(res.curTime())
	at := facts.SpotOf(&c.Fetch)
	return gap < 0 || gap == 0 && (!at.SameArchive(res.curSpot()) || at.Index < res.CurIndex)
}

var resolutionRuns = run.Spec[resolution]{
	Name: "resolutions",
	Held: 4 << 20, // one Sorter has them; longer runs are merged once
	Compare: func(a, b *resolution) int {
		if c := a.place().Compare(b.place()); c != 0 {
			return c
		}
		return facts.CompareFetches(&a.Fetch, &b.Fetch)
	},
	Bucket: func(res *resolution) int { return run.BucketOf(res.WantHost) },
	Size: func(res *resolution) int {
		return 1024 + len(res.URL) + len(res.HopURLs) + len(res.WantKey) + len(res.Visited)
	},
}

// targetURL is a URL that a resolution looks for, and that is no policy by its path.
type targetURL struct {
	HostReversed string `parquet:"host_reversed,dict"`
	Origin       string `parquet:"origin,dict"`
	Key          string `parquet:"key"`
}

func (t *targetURL) place() facts.Place { return facts.Place{Host: t.HostReversed, Origin: t.Origin} }

var targetRuns = run.Spec[targetURL]{
	Name:    "targets",
	Compare: func(a, b *targetURL) int { return a.place().Compare(b.place()) },
	Bucket:  func(t *targetURL) int { return run.BucketOf(t.HostReversed) },
	Size:    func(t *targetURL) int { return 64 + len(t.Key) },
}

// mark is a record that a robots.txt redirect led to. Its fetch is always allowed:
// that record, not that URL.
type mark struct {
	HostReversed string           `parquet:"host_reversed,dict"`
	Origin       string           `parquet:"origin,dict"`
	Micros       int64            `parquet:"time"`
	URL          string           `parquet:"url"`
	RecordID     string           `parquet:"record_id"`
	Type         facts.RecordType `parquet:"type"`
	Status       int16            `parquet:"status"`
	Input        int32            `parquet:"input"` // with Offset: of a record without an id
	Entry        string           `parquet:"entry,dict"`
	Offset       int64            `parquet:"offset"`
}

// markOf makes the mark of a record, the same for every copy of it.
func markOf(f *facts.Fetch) mark {
	m := mark{HostReversed: f.HostReversed, Origin: f.Origin, Micros: f.Micros, URL: f.URL, RecordID: f.RecordID,
		Type: f.Type, Status: f.Status}
	if f.RecordID == "" {
		m.Input, m.Entry, m.Offset = f.Input, f.Entry, f.Offset
	}
	return m
}

var markRuns = run.Spec[mark]{
	Name: "marks",
	Compare: func(a, b *mark) int {
		if c := a.place().Compare(b.place()); c != 0 {
			return c
		}
		return cmp.Or(
			cmp.Compare(a.Micros, b.Micros),
			cmp.Compare(a.URL, b.URL),
			cmp.Compare(a.RecordID, b.RecordID),
			cmp.Compare(a.Type, b.Type),
			cmp.Compare(a.Status, b.Status),
			cmp.Compare(a.Input, b.Input),
			cmp.Compare(a.Entry, b.Entry),
			cmp.Compare(a.Offset, b.Offset),
		)
	},
	Bucket: func(m *mark) int { return run.BucketOf(m.HostReversed) },
	Size:   func(m *mark) int { return 128 + len(m.URL) },
}

func (m *mark) place() facts.Place { return facts.Place{Host: m.HostReversed, Origin: m.Origin} }

// copied is another place of a policy capture. Of a record that several archives hold,
// each of them may show in which order it and others came.
type copied struct {
	HostReversed string `parquet:"host_reversed,dict"`
	Origin       string `parquet:"origin,dict"`
	FirstInput   int32  `parquet:"first_input"` // the place that stands for all
	FirstEntry   string `parquet:"first_entry,dict"`
	FirstIndex   int64  `parquet:"first_index"`
	Input        int32  `parquet:"input"`
	Entry        string `parquet:"entry,dict"`
	Index        int64  `parquet:"index"`
}

func (c *copied) place() facts.Place { return facts.Place{Host: c.HostReversed, Origin: c.Origin} }
func (c *copied) first() facts.Spot {
	return facts.Spot{Input: c.FirstInput, Entry: c.FirstEntry, Index: c.FirstIndex}
}
func (c *copied) spot() facts.Spot { return facts.Spot{Input: c.Input, Entry: c.Entry, Index: c.Index} }

var copiedRuns = run.Spec[copied]{
	Name: "copies",
	Compare: func(a, b *copied) int {
		return cmp.Or(a.place().Compare(b.place()), a.first().Compare(b.first()), a.spot().Compare(b.spot()))
	},
	Bucket: func(c *copied) int { return run.BucketOf(c.HostReversed) },
	Size:   func(*copied) int { return 96 },
}

// resolver follows robots captures through revisits and redirects.
type resolver struct {
	store   *facts.Reader
	who     *decider // tells crawlers apart
	dir     string
	states  *run.Sorter[State]
	marks   *run.Sorter[mark]
	copies  *run.Sorter[copied]
	next    *run.Sorter[resolution]
	targets *run.Sorter[targetURL] // that resolutions of next look for
	wanted  []bool                 // buckets that resolutions of next look in
	scanned []bool                 // those where they look for URLs that are no policy by their path
	bodies  *pack.Writer           // bodies read again from the archives
	issues  *run.Writer[facts.Issue]
	round   int
	reread  int64 // bytes of maxReread that are left

	beyond  int           // hops of maxBeyond that are left
	cutOff  facts.Capture // the first of which no more hops were followed for that, and their number
	cutOffs int
}

// resolved is what resolve leaves for decide.
type resolved struct {
	states    *run.Sorter[State]
	marks     *run.Sorter[mark]
	copies    *run.Sorter[copied]
	originals *run.Sorter[facts.Fetch]
}

// resolve follows all robots captures to their ends. Each round is one pass over the policy
// captures of the hosts that resolutions have come to; there are as many as the longest chain of
// redirects and revisits has steps into another origin.
func resolve(ctx context.Context, s *facts.Reader, who *decider, dir string, issues *run.Writer[facts.Issue]) (*resolved, error) {
	bodies, err := pack.Create(filepath.Join(dir, "reread.pack"))
	if err != nil {
		return nil, err
	}
	r := &resolver{store: s, who: who, dir: dir, bodies: bodies, issues: issues, reread: maxReread, beyond: maxBeyond}
	r.states = run.NewSorter(dir, stateRuns)
	r.marks = run.NewSorter(dir, markRuns)
	r.copies = run.NewSorter(dir, copiedRuns)
	if err := r.firstRound(ctx); err != nil {
		return nil, err
	}
	for slices.Contains(r.wanted, true) {
		if err := r.nextRound(ctx); err != nil {
			return nil, err
		}
	}
	return r.finish()
}

func (r *resolver) finish() (*resolved, error) {
	if err := r.noteCutOff(); err != nil {
		return nil, err
	}
	if err := r.bodies.Close(); err != nil {
		return nil, err
	}
	if _, err := r.store.AddPack(filepath.Join(r.dir, "reread.pack")); err != nil {
		return nil, err
	}
	return &resolved{states: r.states, marks: r.marks, copies: r.copies}, nil
}

// noteCopy remembers that another archive holds a capture, too.
func (r *resolver) noteCopy(first, c *facts.Fetch) error {
	return r.copies.Add(copied{
		HostReversed: c.HostReversed, Origin: c.Origin,
		FirstInput: first.Input, FirstEntry: first.Entry, FirstIndex: first.Index, Input: c.Input, Entry: c.Entry, Index: c.Index,
	})
}

func (r *resolver) startRound() {
	r.round++
	r.wanted, r.scanned = make([]bool, run.Buckets), make([]bool, run.Buckets)
	spec := resolutionRuns
	spec.Name = fmt.Sprintf("resolutions%d", r.round)
	r.next = run.NewSorter(r.dir, spec)
	targets := targetRuns
	targets.Name = fmt.Sprintf("targets%d", r.round)
	r.targets = run.NewSorter(r.dir, targets)
}

// isFollowed reports whether what a capture came to matters: of robots.txt and of
// tdmrep.json.
func isFollowed(c *facts.Capture) bool {
	return c.Kind == facts.CaptureRobots || c.Kind == facts.CaptureTDMRep && c.Method == http.MethodGet
}

// firstRound starts every capture that is followed, and finishes those that need no
// other origin.
func (r *resolver) firstRound(ctx context.Context) error {
	r.startRound()
	captures := facts.NewCursor(r.store.Captures(ctx, facts.Buckets{}, r.noteCopy), func(c *facts.Capture) facts.Place { return facts.PlaceOf(&c.Fetch) })
	defer captures.Stop()
	g, res := newOriginCaptures(), new(resolution)
	for captures.Row != nil {
		g.begin(captures.Here)
		if err := captures.Each(g.Place, g.add); err != nil {
			return err
		}
		g.index()
		for _, c := range g.captures {
			if !isFollowed(c) {
				continue
			}
			*res = resolution{State: newState(c)}
			r.take(res, c)
			if err := r.follow(res, g); err != nil {
				return err
			}
		}
	}
	return captures.Err
}

// nextRound takes the resolutions one step further, and reads of the captures only those
// buckets that they look in. Targets that are no policy by their path are looked for
// among all fetches.
func (r *resolver) nextRound(ctx context.Context) error {
	wanted, scanned, sorted, targets := r.wanted, r.scanned, r.next, r.targets
	r.startRound()
	captures := facts.NewCursor(r.store.Captures(ctx, facts.Buckets{Select: wanted}, nil), func(c *facts.Capture) facts.Place { return facts.PlaceOf(&c.Fetch) })
	defer captures.Stop()
	resolutions := facts.NewCursor(sorted.Sorted(ctx), (*resolution).place)
	defer resolutions.Stop()
	fetches := facts.NewCursor(r.store.Fetches(ctx, facts.Buckets{Select: scanned}), facts.PlaceOf)
	defer fetches.Stop()
	sought := facts.NewCursor(targets.Sorted(ctx), (*targetURL).place)
	defer sought.Stop()
	g := newOriginCaptures()
	for resolutions.Row != nil {
		g.begin(resolutions.Here)
		if err := captures.Each(g.Place, g.add); err != nil {
			return err
		}
		g.index()
		if err := g.addFetches(fetches, sought); err != nil {
			return err
		}
		if err := resolutions.Each(g.Place, func(res *resolution) error { return r.follow(res, g) }); err != nil {
			return err
		}
	}
	return resolutions.Err
}

// goOn writes a resolution for the next round.
func (r *resolver) goOn(res *resolution) error {
	bucket := run.BucketOf(res.WantHost)
	r.wanted[bucket] = true
	if !res.wantsPolicy() {
		r.scanned[bucket] = true
		if err := r.targets.Add(targetURL{res.WantHost, res.WantOrigin, res.WantKey}); err != nil {
			return err
		}
	}
	return r.next.Add(*res)
}

// wantsPolicy reports whether all captures of the URL looked for are among the
// policy captures.
func (res *resolution) wantsPolicy() bool {
	path := strings.TrimPrefix(res.WantKey, res.WantOrigin)
	return path == "/robots.txt" || path == "/.well-known/tdmrep.json"
}

// follow takes a resolution as far as origin g leads it, and writes it where it goes
// on: to the states, or to the next round.
func (r *resolver) follow(res *resolution, g *originCaptures) error {
	for res.Want != seekNothing && res.place() == g.Place {
		if !res.wantsPolicy() && !g.complete(res.WantKey) {
			break // the next round brings this URL's fetches along
		}
		if err := r.step(res, g); err != nil {
			return err
		}
	}
	if res.Want == seekNothing {
		return r.states.Add(res.State)
	}
	return r.goOn(res)
}

// sameCrawler reports whether the crawler whose capture the resolution began with got c.
func (r *resolver) sameCrawler(res *resolution, c *facts.Capture) bool {
	return r.who.keyOf(&res.Fetch) == r.who.keyOf(&c.Fetch)
}

// mayBeSameCrawler reports whether nothing speaks against it: some crawlers send a
// User-Agent with every request but those for robots.txt.
func (r *resolver) mayBeSameCrawler(res *resolution, c *facts.Capture) bool {
	a, b := r.who.keyOf(&res.Fetch), r.who.keyOf(&c.Fetch)
	return a == b || (a == "" || b == "") && facts.SpotOf(&res.Fetch).SameArchive(facts.SpotOf(&c.Fetch))
}

// step looks for what the resolution wants in g, and takes it or gives up.
func (r *resolver) step(res *resolution, g *originCaptures) error {
	want := res.Want
	res.Want, res.looked = seekNothing, 0
	switch want {
	case seekHop:
		t := g.nearest(res, r.who.keyOf)
		if res.looked > maxLooked {
			return r.giveUpCrowd(res, g, UnresolvedRedirect)
		}
		return r.takeHop(res, t)
	case seekOriginal:
		c, contradicted := g.original(res, r.who.keyOf)
		switch {
		case res.looked > maxLooked:
			return r.giveUpCrowd(res, g, UnresolvedRevisit)
		case c != nil && res.CurUnmodified && res.names(c) == different:
			res.giveUp(UnresolvedRevisit)
		case c != nil:
			return r.takeOriginal(res, c)
		case contradicted:
			res.giveUp(UnresolvedRevisit)
		default:
			res.seekHere()
		}
	case seekDigest:
		c := g.byDigest(res)
		switch {
		case res.looked > maxLooked:
			return r.giveUpCrowd(res, g, UnresolvedRevisit)
		case c != nil:
			return r.takeOriginal(res, c)
		}
		res.giveUp(UnresolvedRevisit)
	case seekLatest:
		c := g.renewed(res, r.who.keyOf)
		switch {
		case res.looked > maxLooked:
			return r.giveUpCrowd(res, g, UnresolvedRevisit)
		case c != nil:
			return r.keep(res, c, UnresolvedRevisit, func() { r.take(res, c) })
		}
		res.giveUp(UnresolvedRevisit)
	}
	return nil
}

// giveUpCrowd settles a resolution that would have to look at too many captures of one URL. An
// issue says so, one for each URL and round.
func (r *resolver) giveUpCrowd(res *resolution, g *originCaptures, reason Reason) error {
	res.giveUp(reason)
	s := g.ofURL(res.WantKey)
	if s.crowded {
		return nil
	}
	s.crowded = true
	return r.issues.Add(facts.Issue{
		Input: res.Input, Entry: res.Entry, Offset: res.Offset, Length: res.Length, RecordID: res.RecordID, Kind: facts.IssueLimitReached,
		Detail: fmt.Sprintf("more than %d captures of %.200s may be what this one, and perhaps others, refer to", maxLooked, res.WantKey),
		Action: reason.String(),
	})
}

// takeHop goes on with the capture of a redirect's target. Its fetch is always allowed
// where the same crawler made it at or after the redirect.
func (r *resolver) takeHop(res *resolution, t target) error {
	c := t.capture
	switch {
	case c == nil && (t.found || !strings.Contains(res.VisitedURLs, hashKey([]byte(res.WantKey)))):
		res.giveUp(UnresolvedRedirect)
		return nil
	case c == nil || res.visited(c): // a loop; its dates may be out of order
		res.settle(OutcomeUnavailable, TooManyRedirects)
		return nil
	}
	if res.Kind == facts.CaptureRobots && t.follows && r.mayBeSameCrawler(res, c) {
		if err := r.marks.Add(markOf(&c.Fetch)); err != nil {
			return err
		}
	}
	res.FinalStatus = c.Status
	return r.keep(res, c, UnresolvedRedirect, func() {
		res.applyAt(&c.Fetch)
		r.take(res, c)
	})
}

// takeOriginal goes on with the original of a revisit, under the revisit's own
// status where it has one.
func (r *resolver) takeOriginal(res *resolution, c *facts.Capture) error {
	return r.keep(res, c, UnresolvedRevisit, func() {
		if res.FinalStatus < 0 {
			res.FinalStatus = c.Status
		}
		res.OthersContent = res.OthersContent || res.CurUnmodified && !r.sameCrawler(res, c)
		res.takeBody(c)
		r.byStatus(res, c)
	})
}

// keep makes sure that the body of c is at hand, where it will be needed, before
// it goes on.
func (r *resolver) keep(res *resolution, c *facts.Capture, failure Reason, goOn func()) error {
	needed := c.Type != facts.TypeRevisit && !hasNoContent(c.Status) && (c.Status/100 == 2 || c.Flags&facts.FlagHTTPHead == 0)
	if c.Flags&facts.FlagBodyKept != 0 || !needed {
		goOn()
		return nil
	}
	body, err := r.readAgain(c)
	if err != nil {
		res.giveUp(failure)
		return r.issues.Add(facts.Issue{
			Input: c.Input, Entry: c.Entry, Offset: c.Offset, Length: c.Length, RecordID: c.RecordID, Kind: facts.IssueBodyNotKept,
			Detail: fmt.Sprintf("%v; it is needed for %.200s", err, res.URL), Action: failure.String(),
		})
	}
	ref, err := r.bodies.Put(body)
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
		return nil, fmt.Errorf("more than %d GB would have to be read again for bodies that were not kept", maxReread>>30)
	}
	r.reread -= cost
	return r.store.Reread(r.store.Inputs[c.Input].Input, c)
}

// take makes c the record in hand: it settles the resolution or says what it needs.
func (r *resolver) take(res *resolution, c *facts.Capture) {
	res.CurURL, res.CurMicros, res.CurPrecision = c.URL, c.Micros, c.Precision
	res.CurStatus, res.CurDigest, res.CurRefersTo = c.Status, c.PayloadDigest, c.RefersToID
	res.CurInput, res.CurEntry, res.CurIndex = c.Input, c.Entry, c.Index
	res.CurTags, res.CurModified = entityTags(c.IfNoneMatch)+entityTags(c.ETag), modifiedDates(c.LastModified, c.IfModifiedSince)
	res.Visited += string(appendVisit(nil, c))
	u, _ := weburl.Parse(c.URL)
	res.VisitedURLs += hashKey([]byte(urlKey(u)))
	res.OthersContent = res.OthersContent || !r.sameCrawler(res, c)
	res.takeBody(c)
	res.CurUnmodified = c.Status == 304 || c.Type == facts.TypeRevisit && c.Profile == facts.RevisitNotModified
	switch {
	case res.CurUnmodified:
		res.seekOriginal(c)
	case c.Type == facts.TypeRevisit && (c.Status < 0 || c.Status/100 == 2 && !hasNoContent(c.Status)):
		res.seekOriginal(c)
	default:
		r.byStatus(res, c)
	}
}

// appendVisit appends what Visited has of a record.
func appendVisit(b []byte, c *facts.Capture) []byte {
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(c.Input), 10)
	b = append(b, ':')
	b = strconv.AppendInt(b, c.Index, 10)
	b = append(b, ':')
	b = strconv.AppendQuote(b, c.Entry)
	return append(b, ' ')
}

func (res *resolution) visited(c *facts.Capture) bool {
	var mark [64]byte // most are shorter
	return strings.Contains(res.Visited, string(appendVisit(mark[:0], c)))
}

// byStatus settles a resolution by the record's status, or follows its redirect. See
// docs/SEMANTICS.md, "What one robots capture says".
func (r *resolver) byStatus(res *resolution, c *facts.Capture) {
	switch status := c.Status; {
	case c.Flags&facts.FlagHTTPHead == 0 && c.Type != facts.TypeRevisit:
		if c.BodySize == 0 && !isHTTPResource(c) { // no status line and no payload
			res.end(OutcomeUndefined, UndefinedStatus)
			return
		}
		res.endRules(c)
	case status/100 == 2:
		res.endRules(c)
	case status/100 == 3 && c.Location != "" && status != 304:
		r.hop(res, c.Location)
	case status/100 == 4, status == 550 && isFTP(c.URL):
		res.end(OutcomeUnavailable, Unavailable)
	case status/100 == 5:
		res.end(OutcomeUnreachable, Unreachable)
	default:
		res.end(OutcomeUndefined, UndefinedStatus)
	}
}

// hasNoContent reports whether a status says that there is no body (RFC 9110
// §15.3.5, §15.3.6).
func hasNoContent(status int16) bool {
	return status == http.StatusNoContent || status == http.StatusResetContent
}

// isHTTPResource reports whether c is a resource record of an HTTP URL, which counts
// like a 200.
func isHTTPResource(c *facts.Capture) bool { return c.Type == facts.TypeResource && !isFTP(c.URL) }

func isFTP(url string) bool {
	u, _ := weburl.Parse(url)
	return u.Scheme == "ftp"
}

// endRules settles on a body.
func (res *resolution) endRules(c *facts.Capture) {
	switch {
	case hasNoContent(c.Status):
		res.HasBody = false
		res.end(OutcomeRules, reasonNone)
	case c.Flags&facts.FlagUndecodable != 0:
		res.end(OutcomeUndefined, Undecodable)
	case c.Truncated != "", c.Status == 206 && !showsWhole(c.ContentRange), endsEarly(c):
		res.end(OutcomePartial, Truncated)
	default:
		res.end(OutcomeRules, reasonNone)
	}
}

// endsEarly reports whether a body breaks off before all that has to be parsed of
// it (RFC 9309 §2.5): what is missing may forbid more.
func endsEarly(c *facts.Capture) bool {
	return c.Flags&facts.FlagBodyCut != 0 && c.BodySize < robots.ParseLimit
}

// showsWhole reports whether a Content-Range is that of the whole representation,
// "bytes 0-99/100" (RFC 9110 §14.4).
func showsWhole(contentRange string) bool {
	var from, to, size int64
	n, err := fmt.Sscanf(strings.ToLower(contentRange), "bytes %d-%d/%d", &from, &to, &size)
	return err == nil && n == 3 && from == 0 && to == size-1
}

// end settles a resolution, unless it went through too many redirects: then the file
// is unavailable, whatever stood at the end (RFC 9309 §2.3.1.2).
// Rules that stood there are recorded.
func (res *resolution) end(o Outcome, reason Reason) {
	res.settle(o, reason)
	if res.TooMany {
		res.Outcome, res.Reason = OutcomeUnavailable, TooManyRedirects
	}
}

// giveUp settles a resolution whose next record the archive does not hold.
func (res *resolution) giveUp(reason Reason) { res.end(OutcomeUnresolved, reason) }

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

// noteCutOff says of how many captures no more hops were followed for maxBeyond.
func (r *resolver) noteCutOff() error {
	if r.cutOffs == 0 {
		return nil
	}
	c := &r.cutOff
	return r.issues.Add(facts.Issue{
		Input: c.Input, Entry: c.Entry, Offset: c.Offset, Length: c.Length, RecordID: c.RecordID, Kind: facts.IssueLimitReached,
		Detail: fmt.Sprintf("more than %d redirects beyond the fifth of a robots.txt: those of %d captures are not followed further", maxBeyond, r.cutOffs),
		Action: TooManyRedirects.String(),
	})
}

// hop follows a redirect from the record in hand.
func (r *resolver) hop(res *resolution, location string) {
	target := weburl.Resolve(res.CurURL, location)
	u, _ := weburl.Parse(target)
	res.Hops++
	res.HopURLs = strings.TrimPrefix(res.HopURLs+"\n"+cutHop(target), "\n")
	res.TooMany = res.TooMany || res.Hops > maxHops
	if u.Host == "" || !weburl.IsFetchScheme(u.Scheme) || res.Hops > maxFollowed || !res.curTime().Known() {
		res.giveUp(UnresolvedRedirect)
		return
	}
	if res.TooMany && !r.goesBeyond(res) {
		res.giveUp(UnresolvedRedirect)
		return
	}
	res.seekURL(seekHop, u, res.curTime())
}

func (res *resolution) seekURL(s seek, u weburl.URL, t facts.Time) {
	res.Want, res.WantMicros, res.WantPrecision = s, t.Micros, t.Precision
	res.WantHost, res.WantOrigin, res.WantKey = u.HostReversed(), u.Origin(), urlKey(u)
}

// seekOriginal looks for the original of the revisit or 304 in hand: where it
// names one by URL and date, or by its id (WARC-Refers-To; WARC 1.0 §6.7 has nothing
// else), there.
func (res *resolution) seekOriginal(c *facts.Capture) {
	date := c.RefersToDate()
	if !date.Known() && c.RefersToID == "" {
		res.seekHere()
		return
	}
	url := c.RefersToURL
	if url == "" {
		url = c.URL
	}
	u, _ := weburl.Parse(url)
	res.seekURL(seekOriginal, u, date)
}

// seekHere looks for the original among the captures of the same URL.
func (res *resolution) seekHere() {
	u, _ := weburl.Parse(res.CurURL)
	switch {
	case res.CurUnmodified:
		res.seekURL(seekLatest, u, res.curTime())
	case digest.Key(res.CurDigest) == "": // none, or that of every empty payload
		res.giveUp(UnresolvedRevisit)
	default:
		res.seekURL(seekDigest, u, res.curTime())
	}
}

func urlKey(u weburl.URL) string { return u.Origin() + u.PathQuery() }
