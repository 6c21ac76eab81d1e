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
	maxReread   = int64(16 << 30) // octets decompressed to read bodies again, in one audit
	hour        = int64(3600e6)
	day         = 24 * hour
)

// seek is what a chase looks for.
type seek uint8

const (
	seekNothing  seek = iota
	seekHop           // a capture of a redirect's target, near in time
	seekOriginal      // the original that a revisit names, by URL and date or by its id
	seekDigest        // an original with the same URL and payload digest
	seekLatest        // the latest 2xx of the same URL, of a 304
)

// chase is a capture of robots.txt or tdmrep.json on its way to what it came to. It
// carries all that the next step needs, so that a step is one merge of chases, sorted
// by the origin that they look in, with the captures of that origin.
type chase struct {
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

func (ch *chase) place() place { return place{ch.WantHost, ch.WantOrigin} }
func (ch *chase) wantTime() facts.Time {
	return facts.Time{Micros: ch.WantMicros, Precision: ch.WantPrecision}
}
func (ch *chase) curTime() facts.Time {
	return facts.Time{Micros: ch.CurMicros, Precision: ch.CurPrecision}
}
func (ch *chase) curSpot() spot { return spot{ch.CurInput, ch.CurEntry, ch.CurIndex} }

// isBefore reports whether a record stands before the one in hand: by its date, or, of
// one moment, by the order of their archive.
func (ch *chase) isBefore(c *facts.Capture) bool {
	gap := c.Time().MicrosSince(ch.curTime())
	at := spotOf(&c.Fetch)
	return gap < 0 || gap == 0 && at.sameArchive(ch.curSpot()) && at.index < ch.CurIndex
}

// isNotAfter is the same, and includes records of one moment in other archives.
func (ch *chase) isNotAfter(c *facts.Capture) bool {
	gap := c.Time().MicrosSince(ch.curTime())
	at := spotOf(&c.Fetch)
	return gap < 0 || gap == 0 && (!at.sameArchive(ch.curSpot()) || at.index < ch.CurIndex)
}

var chaseRuns = run.Spec[chase]{
	Name: "chases",
	Held: 4 << 20, // one Sorter has them; longer runs are merged once
	Compare: func(a, b *chase) int {
		if c := a.place().compare(b.place()); c != 0 {
			return c
		}
		return facts.CompareFetches(&a.Fetch, &b.Fetch)
	},
	Bucket: func(ch *chase) int { return run.BucketOf(ch.WantHost) },
	Size:   func(ch *chase) int { return 1024 + len(ch.URL) + len(ch.HopURLs) + len(ch.WantKey) + len(ch.Visited) },
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
		if c := a.place().compare(b.place()); c != 0 {
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

func (m *mark) place() place { return place{m.HostReversed, m.Origin} }

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

func (c *copied) place() place { return place{c.HostReversed, c.Origin} }
func (c *copied) first() spot  { return spot{c.FirstInput, c.FirstEntry, c.FirstIndex} }
func (c *copied) spot() spot   { return spot{c.Input, c.Entry, c.Index} }

var copiedRuns = run.Spec[copied]{
	Name: "copies",
	Compare: func(a, b *copied) int {
		return cmp.Or(a.place().compare(b.place()), a.first().compare(b.first()), a.spot().compare(b.spot()))
	},
	Bucket: func(c *copied) int { return run.BucketOf(c.HostReversed) },
	Size:   func(*copied) int { return 96 },
}

// resolver follows robots captures through revisits and redirects.
type resolver struct {
	store   *store
	who     *decider // tells crawlers apart
	dir     string
	states  *run.Sorter[State]
	marks   *run.Sorter[mark]
	copies  *run.Sorter[copied]
	next    *run.Sorter[chase]
	wanted  []bool       // buckets that chases of next look in
	scanned []bool       // those where they look for URLs that are no policy by their path
	bodies  *pack.Writer // bodies read again from the archives
	issues  *run.Writer[facts.Issue]
	round   int
	reread  int64 // octets of maxReread that are left

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
// captures of the hosts that chases have come to; there are as many as the longest chain of
// redirects and revisits has steps into another origin.
func resolve(ctx context.Context, s *store, who *decider, dir string, issues *run.Writer[facts.Issue]) (*resolved, error) {
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
	reread, err := pack.Open(filepath.Join(r.dir, "reread.pack"))
	if err != nil {
		return nil, err
	}
	r.store.packs = append(r.store.packs, reread)
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
	spec := chaseRuns
	spec.Name = fmt.Sprintf("chases%d", r.round)
	r.next = run.NewSorter(r.dir, spec)
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
	captures := newCursor(r.store.captures(ctx, nil, r.noteCopy), func(c *facts.Capture) place { return placeOf(&c.Fetch) })
	defer captures.stop()
	g := newGroup()
	for captures.row != nil {
		g.begin(captures.here)
		if err := captures.each(g.place, g.add); err != nil {
			return err
		}
		g.index()
		for i := range g.captures {
			c := &g.captures[i]
			if !isFollowed(c) {
				continue
			}
			ch := chase{State: newState(c)}
			r.take(&ch, c)
			if err := r.follow(&ch, g); err != nil {
				return err
			}
		}
	}
	return captures.err
}

// nextRound takes the chases one step further, and reads of the captures only those
// buckets that they look in. Targets that are no policy by their path are looked for
// among all fetches.
func (r *resolver) nextRound(ctx context.Context) error {
	wanted, scanned, sorted := r.wanted, r.scanned, r.next
	r.startRound()
	captures := newCursor(r.store.captures(ctx, wanted, nil), func(c *facts.Capture) place { return placeOf(&c.Fetch) })
	defer captures.stop()
	chases := newCursor(sorted.Sorted(ctx), (*chase).place)
	defer chases.stop()
	fetches := newCursor(r.store.fetches(ctx, scanned), placeOf)
	defer fetches.stop()
	g, here := newGroup(), []chase(nil)
	for chases.row != nil {
		g.begin(chases.here)
		here = emptied(here)
		if err := chases.each(g.place, func(ch *chase) error { here = append(here, *ch); return nil }); err != nil {
			return err
		}
		if err := captures.each(g.place, g.add); err != nil {
			return err
		}
		g.index()
		if err := g.addFetches(fetches, here); err != nil {
			return err
		}
		for i := range here {
			if err := r.follow(&here[i], g); err != nil {
				return err
			}
		}
	}
	return chases.err
}

// goOn writes a chase for the next round.
func (r *resolver) goOn(ch *chase) error {
	bucket := run.BucketOf(ch.WantHost)
	r.wanted[bucket] = true
	r.scanned[bucket] = r.scanned[bucket] || !ch.wantsPolicy()
	return r.next.Add(*ch)
}

// wantsPolicy reports whether all captures of the URL looked for are among the
// policy captures.
func (ch *chase) wantsPolicy() bool {
	path := strings.TrimPrefix(ch.WantKey, ch.WantOrigin)
	return path == "/robots.txt" || path == "/.well-known/tdmrep.json"
}

// follow takes a chase as far as origin g leads it, and writes it where it goes
// on: to the states, or to the next round.
func (r *resolver) follow(ch *chase, g *group) error {
	for ch.Want != seekNothing && ch.place() == g.place {
		if !ch.wantsPolicy() && !g.complete(ch.WantKey) {
			break // the next round brings this URL's fetches along
		}
		if err := r.step(ch, g); err != nil {
			return err
		}
	}
	if ch.Want == seekNothing {
		return r.states.Add(ch.State)
	}
	return r.goOn(ch)
}

// sameCrawler reports whether the crawler whose capture the chase began with got c.
func (r *resolver) sameCrawler(ch *chase, c *facts.Capture) bool {
	return r.who.keyOf(&ch.Fetch) == r.who.keyOf(&c.Fetch)
}

// mayBeSameCrawler reports whether nothing speaks against it: some crawlers send a
// User-Agent with every request but those for robots.txt.
func (r *resolver) mayBeSameCrawler(ch *chase, c *facts.Capture) bool {
	a, b := r.who.keyOf(&ch.Fetch), r.who.keyOf(&c.Fetch)
	return a == b || (a == "" || b == "") && spotOf(&ch.Fetch).sameArchive(spotOf(&c.Fetch))
}

// step looks for what the chase wants in g, and takes it or gives up.
func (r *resolver) step(ch *chase, g *group) error {
	want := ch.Want
	ch.Want, ch.looked = seekNothing, 0
	switch want {
	case seekHop:
		t := g.nearest(ch, r.who.keyOf)
		if ch.looked > maxLooked {
			return r.giveUpCrowd(ch, g, UnresolvedRedirect)
		}
		return r.takeHop(ch, t)
	case seekOriginal:
		c, contradicted := g.original(ch, r.who.keyOf)
		switch {
		case ch.looked > maxLooked:
			return r.giveUpCrowd(ch, g, UnresolvedRevisit)
		case c != nil && ch.CurUnmodified && ch.names(c) == different:
			ch.giveUp(UnresolvedRevisit)
		case c != nil:
			return r.takeOriginal(ch, c)
		case contradicted:
			ch.giveUp(UnresolvedRevisit)
		default:
			ch.seekHere()
		}
	case seekDigest:
		c := g.byDigest(ch)
		switch {
		case ch.looked > maxLooked:
			return r.giveUpCrowd(ch, g, UnresolvedRevisit)
		case c != nil:
			return r.takeOriginal(ch, c)
		}
		ch.giveUp(UnresolvedRevisit)
	case seekLatest:
		c := g.renewed(ch, r.who.keyOf)
		switch {
		case ch.looked > maxLooked:
			return r.giveUpCrowd(ch, g, UnresolvedRevisit)
		case c != nil:
			return r.keep(ch, c, UnresolvedRevisit, func() { r.take(ch, c) })
		}
		ch.giveUp(UnresolvedRevisit)
	}
	return nil
}

// giveUpCrowd settles a chase that would have to look at too many captures of one URL. An
// issue says so, one for each URL and round.
func (r *resolver) giveUpCrowd(ch *chase, g *group, reason Reason) error {
	ch.giveUp(reason)
	s := g.shelf(ch.WantKey)
	if s.crowded {
		return nil
	}
	s.crowded = true
	return r.issues.Add(facts.Issue{
		Input: ch.Input, Entry: ch.Entry, Offset: ch.Offset, Length: ch.Length, RecordID: ch.RecordID, Kind: facts.IssueLimitReached,
		Detail: fmt.Sprintf("more than %d captures of %.200s may be what this one, and perhaps others, refer to", maxLooked, ch.WantKey),
		Action: reason.String(),
	})
}

// takeHop goes on with the capture of a redirect's target. Its fetch is always allowed
// where the same crawler made it at or after the redirect.
func (r *resolver) takeHop(ch *chase, t target) error {
	c := t.capture
	switch {
	case c == nil && (t.found || !strings.Contains(ch.VisitedURLs, hashKey([]byte(ch.WantKey)))):
		ch.giveUp(UnresolvedRedirect)
		return nil
	case c == nil || ch.visited(c): // a loop; its dates may be out of order
		ch.settle(OutcomeUnavailable, TooManyRedirects)
		return nil
	}
	if ch.Kind == facts.CaptureRobots && t.follows && r.mayBeSameCrawler(ch, c) {
		if err := r.marks.Add(markOf(&c.Fetch)); err != nil {
			return err
		}
	}
	ch.FinalStatus = c.Status
	return r.keep(ch, c, UnresolvedRedirect, func() {
		ch.applyAt(&c.Fetch)
		r.take(ch, c)
	})
}

// takeOriginal goes on with the original of a revisit, under the revisit's own
// status where it has one.
func (r *resolver) takeOriginal(ch *chase, c *facts.Capture) error {
	return r.keep(ch, c, UnresolvedRevisit, func() {
		if ch.FinalStatus < 0 {
			ch.FinalStatus = c.Status
		}
		ch.OthersContent = ch.OthersContent || ch.CurUnmodified && !r.sameCrawler(ch, c)
		ch.takeBody(c)
		r.byStatus(ch, c)
	})
}

// keep makes sure that the body of c is at hand, where it will be needed, before
// it goes on.
func (r *resolver) keep(ch *chase, c *facts.Capture, failure Reason, goOn func()) error {
	needed := c.Type != facts.TypeRevisit && !hasNoContent(c.Status) && (c.Status/100 == 2 || c.Flags&facts.FlagHTTPHead == 0)
	if c.Flags&facts.FlagBodyKept != 0 || !needed {
		goOn()
		return nil
	}
	body, err := r.readAgain(c)
	if err != nil {
		ch.giveUp(failure)
		return r.issues.Add(facts.Issue{
			Input: c.Input, Entry: c.Entry, Offset: c.Offset, Length: c.Length, RecordID: c.RecordID, Kind: facts.IssueBodyNotKept,
			Detail: fmt.Sprintf("%v; it is needed for %.200s", err, ch.URL), Action: failure.String(),
		})
	}
	ref, err := r.bodies.Put(body)
	if err != nil {
		return err
	}
	c.Flags |= facts.FlagBodyKept
	c.BodyDigest, c.BodyOffset, c.BodySize = string(ref.Digest[:]), ref.Offset, ref.Size
	c.Pack = int32(len(r.store.facts.Tasks))
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
	return r.store.facts.Reread(r.store.facts.Inputs[c.Input].Input, c)
}

// take makes c the record in hand: it settles the chase or says what it needs.
func (r *resolver) take(ch *chase, c *facts.Capture) {
	ch.CurURL, ch.CurMicros, ch.CurPrecision = c.URL, c.Micros, c.Precision
	ch.CurStatus, ch.CurDigest, ch.CurRefersTo = c.Status, c.PayloadDigest, c.RefersToID
	ch.CurInput, ch.CurEntry, ch.CurIndex = c.Input, c.Entry, c.Index
	ch.CurTags, ch.CurModified = entityTags(c.IfNoneMatch)+entityTags(c.ETag), modifiedDates(c.LastModified, c.IfModifiedSince)
	ch.Visited += string(appendVisit(nil, c))
	u, _ := weburl.Parse(c.URL)
	ch.VisitedURLs += hashKey([]byte(urlKey(u)))
	ch.OthersContent = ch.OthersContent || !r.sameCrawler(ch, c)
	ch.takeBody(c)
	ch.CurUnmodified = c.Status == 304 || c.Type == facts.TypeRevisit && c.Profile == facts.RevisitNotModified
	switch {
	case ch.CurUnmodified:
		ch.seekOriginal(c)
	case c.Type == facts.TypeRevisit && (c.Status < 0 || c.Status/100 == 2 && !hasNoContent(c.Status)):
		ch.seekOriginal(c)
	default:
		r.byStatus(ch, c)
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

func (ch *chase) visited(c *facts.Capture) bool {
	var mark [64]byte // most are shorter
	return strings.Contains(ch.Visited, string(appendVisit(mark[:0], c)))
}

// byStatus settles a chase by the record's status, or follows its redirect. See
// docs/SEMANTICS.md, "What one robots capture says".
func (r *resolver) byStatus(ch *chase, c *facts.Capture) {
	switch status := c.Status; {
	case c.Flags&facts.FlagHTTPHead == 0 && c.Type != facts.TypeRevisit:
		if c.BodySize == 0 && !isHTTPResource(c) { // no status line and no payload
			ch.end(OutcomeUndefined, UndefinedStatus)
			return
		}
		ch.endRules(c)
	case status/100 == 2:
		ch.endRules(c)
	case status/100 == 3 && c.Location != "" && status != 304:
		r.hop(ch, c.Location)
	case status/100 == 4, status == 550 && isFTP(c.URL):
		ch.end(OutcomeUnavailable, Unavailable)
	case status/100 == 5:
		ch.end(OutcomeUnreachable, Unreachable)
	default:
		ch.end(OutcomeUndefined, UndefinedStatus)
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
func (ch *chase) endRules(c *facts.Capture) {
	switch {
	case hasNoContent(c.Status):
		ch.HasBody = false
		ch.end(OutcomeRules, reasonNone)
	case c.Flags&facts.FlagUndecodable != 0:
		ch.end(OutcomeUndefined, Undecodable)
	case c.Truncated != "", c.Status == 206 && !showsWhole(c.ContentRange), endsEarly(c):
		ch.end(OutcomePartial, Truncated)
	default:
		ch.end(OutcomeRules, reasonNone)
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

// end settles a chase, unless it went through too many redirects: then the file
// is unavailable, whatever stood at the end (RFC 9309 §2.3.1.2).
// Rules that stood there are recorded.
func (ch *chase) end(o Outcome, reason Reason) {
	ch.settle(o, reason)
	if ch.TooMany {
		ch.Outcome, ch.Reason = OutcomeUnavailable, TooManyRedirects
	}
}

// giveUp settles a chase whose next record the archive does not hold.
func (ch *chase) giveUp(reason Reason) { ch.end(OutcomeUnresolved, reason) }

// goesBeyond reports whether a chase that has made too many hops already may make another.
func (r *resolver) goesBeyond(ch *chase) bool {
	if r.beyond > 0 {
		r.beyond--
		return true
	}
	if r.cutOffs == 0 {
		r.cutOff = ch.Capture
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
func (r *resolver) hop(ch *chase, location string) {
	target := weburl.Resolve(ch.CurURL, location)
	u, _ := weburl.Parse(target)
	ch.Hops++
	ch.HopURLs = strings.TrimPrefix(ch.HopURLs+"\n"+cutHop(target), "\n")
	ch.TooMany = ch.TooMany || ch.Hops > maxHops
	if u.Host == "" || !weburl.IsFetchScheme(u.Scheme) || ch.Hops > maxFollowed || !ch.curTime().Known() {
		ch.giveUp(UnresolvedRedirect)
		return
	}
	if ch.TooMany && !r.goesBeyond(ch) {
		ch.giveUp(UnresolvedRedirect)
		return
	}
	ch.seekURL(seekHop, u, ch.curTime())
}

func (ch *chase) seekURL(s seek, u weburl.URL, t facts.Time) {
	ch.Want, ch.WantMicros, ch.WantPrecision = s, t.Micros, t.Precision
	ch.WantHost, ch.WantOrigin, ch.WantKey = u.HostReversed(), u.Origin(), urlKey(u)
}

// seekOriginal looks for the original of the revisit or 304 in hand: where it
// names one by URL and date, or by its id (WARC-Refers-To; WARC 1.0 §6.7 has nothing
// else), there.
func (ch *chase) seekOriginal(c *facts.Capture) {
	date := c.RefersToDate()
	if !date.Known() && c.RefersToID == "" {
		ch.seekHere()
		return
	}
	url := c.RefersToURL
	if url == "" {
		url = c.URL
	}
	u, _ := weburl.Parse(url)
	ch.seekURL(seekOriginal, u, date)
}

// seekHere looks for the original among the captures of the same URL.
func (ch *chase) seekHere() {
	u, _ := weburl.Parse(ch.CurURL)
	switch {
	case ch.CurUnmodified:
		ch.seekURL(seekLatest, u, ch.curTime())
	case digest.Key(ch.CurDigest) == "": // none, or that of every empty payload
		ch.giveUp(UnresolvedRevisit)
	default:
		ch.seekURL(seekDigest, u, ch.curTime())
	}
}

func urlKey(u weburl.URL) string { return u.Origin() + u.PathQuery() }
