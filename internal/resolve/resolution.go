package resolve

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// seek is what a resolution looks for.
type seek uint8

const (
	seekNothing  seek = iota
	seekHop           // a capture of a redirect's target, near in time
	seekOriginal      // the original that a revisit names, by URL and date or by its id
	seekDigest        // an original with the same URL and payload digest
	seekLatest        // the latest 2xx of the same URL, of a 304
	seekServed        // the version of the file that a line of an access log says was served
)

// resolution is a capture of policy on its way to what it came to. It
// carries all that the next step needs, so that a step is one merge of resolutions, sorted
// by the origin that they look in, with the captures of that origin.
type resolution struct {
	State
	Want          seek
	WantPlace     facts.Place
	WantKey       string // URL: origin and path
	WantTime      facts.Time
	CurURL        string // the record in hand
	CurTime       facts.Time
	CurSpot       facts.Spot
	CurUserAgent  string
	CurUnmodified bool
	CurChallenge  bool
	TooMany       bool
	Unled         bool // nothing shows that the redirects led the crawler to the record in hand

	// Of a record in hand that has an original:
	CurStatus   int16
	CurDigest   string
	CurRefersTo recordid.ID // recordid.Key
	CurTags     string      // entity tags that a 304 or its request names
	CurModified string      // the date of Last-Modified that they name

	looked int // captures that the step in hand looked at
}

func placeOf(res *resolution) facts.Place { return res.WantPlace }

// curCrawler is who got the record in hand.
func (res *resolution) curCrawler(who Crawler) string {
	return who(&facts.Fetch{UserAgent: res.CurUserAgent})
}

// isBefore reports whether a record stands before the one in hand: by its date, or, of
// one moment, by the order of their archive.
func (res *resolution) isBefore(c *facts.Capture) bool {
	gap := c.Time().MicrosSince(res.CurTime)
	at := facts.SpotOf(&c.Fetch)
	return gap < 0 || gap == 0 && at.SameRun(res.CurSpot) && at.Index < res.CurSpot.Index
}

// isNotAfter is isBefore, and includes records of one moment in other archives.
func (res *resolution) isNotAfter(c *facts.Capture) bool {
	gap := c.Time().MicrosSince(res.CurTime)
	at := facts.SpotOf(&c.Fetch)
	return gap < 0 || gap == 0 && (!at.SameRun(res.CurSpot) || at.Index < res.CurSpot.Index)
}

var resolutionRuns = run.Spec[resolution]{
	Name: "resolutions",
	Held: 4 << 20, // one Sorter has them; longer runs are merged once
	Compare: func(a, b *resolution) int {
		if c := a.WantPlace.CompareInBucket(b.WantPlace); c != 0 {
			return c
		}
		return facts.CompareFetches(&a.Fetch, &b.Fetch)
	},
	Bucket: func(res *resolution) int { return run.BucketOf(res.WantPlace.Host) },
}

const robotsPath = "/robots.txt"

// wantsPolicy reports whether all captures of the URL looked for are among the
// policy captures. A licence document's are. What a robots.txt leads to may be a page, too,
// unless it is another robots.txt or a tdmrep.json.
func (res *resolution) wantsPolicy() bool {
	switch facts.KindOfPath(strings.TrimPrefix(res.WantKey, res.WantPlace.Origin)) {
	case facts.CaptureRobots, facts.CaptureTDMRep:
		return true
	case facts.CaptureNone:
		return res.Kind == facts.CaptureRSL
	}
	return res.Kind != facts.CaptureRobots && res.Kind != facts.CaptureTarget
}

func (res *resolution) seekURL(s seek, u weburl.URL, t facts.Time) {
	res.Want, res.WantTime, res.WantKey = s, t, u.Key()
	res.WantPlace = facts.Place{Host: u.HostReversed(), Origin: u.Origin()}
}

// seekOriginal looks for the original of the revisit or 304 in hand: where it
// names one by URL and date, or by its id (WARC-Refers-To; WARC 1.0 §6.7 has nothing
// else), there.
func (res *resolution) seekOriginal(c *facts.Capture) {
	res.CurStatus, res.CurDigest, res.CurRefersTo = c.Status, statedDigest(&c.Fetch), c.RefersToID
	// what a 304 names itself goes before what its request names (RFC 9111 §4.3.4)
	res.CurTags = cmp.Or(entityTags(c.ETag), entityTags(c.IfNoneMatch))
	res.CurModified = cmp.Or(modifiedDate(c.LastModified), modifiedDate(c.IfModifiedSince))
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
		res.seekURL(seekLatest, u, res.CurTime)
	case digest.Key(res.CurDigest) == "": // none, or that of every empty payload
		res.giveUp(words.UnresolvedRevisit)
	default:
		res.seekURL(seekDigest, u, res.CurTime)
	}
}

// visited reports whether c is the capture that the resolution began with, or a redirect on
// the way led to it.
func (res *resolution) visited(c *facts.Capture) bool {
	return facts.SpotOf(&c.Fetch) == facts.SpotOf(&res.Fetch) || res.hasStep(StepHop, &c.Fetch)
}

// returns reports whether the redirect in hand leads to a URL that the resolution came by.
func (res *resolution) returns() bool {
	hops := res.HopList()
	to := keyOf(hops[len(hops)-1])
	return keyOf(res.URL) == to ||
		slices.ContainsFunc(hops[:len(hops)-1], func(hop string) bool { return keyOf(hop) == to })
}

func keyOf(url string) string {
	u, _ := weburl.Parse(url)
	return u.Key()
}

// hasNoContent reports whether a status means that there is no body (RFC 9110
// §15.3.5, §15.3.6).
func hasNoContent(status int16) bool {
	return status == http.StatusNoContent || status == http.StatusResetContent
}

// isHTTPResource reports whether f is a resource record of an HTTP URL, or a row with a body, which count
// like a 200.
func isHTTPResource(f *facts.Fetch) bool {
	return (f.Type == facts.TypeResource || f.Type == facts.TypeRow) && !isFTP(f.URL)
}

// statusOf returns the status as which a fetch counts.
func statusOf(f *facts.Fetch) int16 {
	if f.Status < 0 && isHTTPResource(f) {
		return http.StatusOK
	}
	return f.Status
}

func isFTP(url string) bool {
	u, _ := weburl.Parse(url)
	return u.Scheme == "ftp"
}

// endRules settles on a body.
func (res *resolution) endRules(c *facts.Capture) {
	switch {
	case res.CurChallenge, c.Flags&facts.FlagChallenge != 0:
		res.end(words.OutcomeUndefined, words.Challenge)
	case hasNoContent(c.Status):
		res.HasBody = false
		res.end(words.OutcomeRules, words.NoReason)
	case c.Flags&facts.FlagUndecodable != 0:
		res.end(words.OutcomeUndefined, words.Undecodable)
	case c.Truncated != "", c.Status == 206 && !showsWhole(c.ContentRange), endsEarly(c):
		res.end(words.OutcomePartial, words.Truncated)
	default:
		res.end(words.OutcomeRules, words.NoReason)
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
func (res *resolution) end(o words.Outcome, reason words.Reason) {
	res.Settle(o, reason)
	if res.TooMany {
		res.Outcome, res.Reason = words.OutcomeUnavailable, words.TooManyRedirects
	}
}

// giveUp settles a resolution whose next record the archive does not hold.
func (res *resolution) giveUp(reason words.Reason) {
	if res.end(words.OutcomeUnresolved, reason); res.Outcome == words.OutcomeUnresolved {
		res.GiveUp(reason)
	}
}
