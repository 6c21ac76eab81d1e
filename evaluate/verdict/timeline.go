package verdict

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/useragent"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file is what is known of one origin before any of its fetches is decided: the captures of its robots.txt
// (State) in time (timeline, line). leads.go has the redirects that may have led to others of its fetches.

// Timeline is what is known of one origin's robots.txt in time.
type Timeline struct {
	captures *Captures
	lines
	joined  map[ownKey]*line // of an agent, with captures without a User-Agent of its run; nil: there are none
	firsts  map[ownKey]int   // see firstOfRun
	marks   []resolve.Mark   // records that a robots.txt redirect led to, in order
	targets []*State         // of redirects of robots.txt: others than those that count, by time
	leads   leads            // redirects that may have led to others
	places  places           // of records that several archives hold
	unclear unclear          // lines of access logs that show no more than that robots.txt was served
	unread  []facts.Time     // of captures that indexes report and no input holds, in order
}

// Found is what archives and logs hold of one origin's robots.txt.
type Found struct {
	Captures *Captures
	Targets  []*State        // of redirects: others than those that count
	Marks    []resolve.Mark  // records that redirects led to, in order
	Leads    []*resolve.Lead // redirects that may have led to others: those to one URL by one crawler by their dates
	Unread   []facts.Time    // of captures that indexes report and no input holds, in order
}

// Timeline makes the timeline of an origin. No capture is added any more.
func (d *Decider) Timeline(found *Found) *Timeline {
	for _, st := range found.Targets {
		d.Complete(st, 0)
	}
	return newTimeline(found)
}

// Captures yields the captures that take part, by time.
func (tl *Timeline) Captures() iter.Seq[*State] {
	return func(yield func(*State) bool) {
		for _, st := range tl.all.each() {
			if !yield(st) {
				return
			}
		}
	}
}

// AddPlace remembers where another archive holds a fetch, and reports whether the timeline knew no such place before.
func (tl *Timeline) AddPlace(f, copied *facts.Fetch) (isFirst bool) {
	at := facts.SpotOf(f)
	_, known := tl.places[at]
	tl.places.add(at, place{Spot: facts.SpotOf(copied), isSerial: copied.Flags&facts.FlagSerial != 0})
	return !known
}

// ForgetPlaces forgets where other archives hold a fetch.
func (tl *Timeline) ForgetPlaces(f *facts.Fetch) { delete(tl.places, facts.SpotOf(f)) }

func newTimeline(found *Found) *Timeline {
	held, targets := found.Captures, found.Targets
	for _, st := range targets {
		held.addTwins(st)
	}
	for _, st := range targets {
		st.exchanges = exchangesOf(st, held.twins, held.decider.runs)
	}
	slices.SortFunc(targets, func(a, b *State) int { return facts.CompareInTime(&a.Fetch, &b.Fetch) })
	return &Timeline{
		captures: held, lines: *held.end(), marks: found.Marks,
		targets: slices.CompactFunc(targets,
			func(a, b *State) bool { return facts.SpotOf(&a.Fetch) == facts.SpotOf(&b.Fetch) }),
		leads: newLeads(found.Leads), places: maps.Clone(held.twins), unclear: held.unclear.inOrder(),
		unread: found.Unread,
	}
}

// unclear are the moments of lines of access logs that show no more than that robots.txt was served, by crawler, and
// all by anyone.
type unclear map[string][]int64

// anyone is the crawler of all. No fetch is by it.
const anyone = "\x01"

// with adds a line.
func (u unclear) with(st *State) unclear {
	if u == nil {
		u = make(unclear)
	}
	u[st.key] = append(u[st.key], st.Micros)
	u[anyone] = append(u[anyone], st.Micros)
	return u
}

func (u unclear) inOrder() unclear {
	for _, moments := range u {
		slices.Sort(moments)
	}
	return u
}

// any reports whether a crawler was served so between two moments.
func (u unclear) any(key string, from, to int64) bool {
	i, _ := slices.BinarySearch(u[key], from)
	return i < len(u[key]) && u[key][i] <= to
}

// kind selects captures for line.lastOf.
type kind uint8

const (
	kindDefinite kind = iota // shows something of its own
	kindAnswers              // definite or unreachable
	kindSuccess              // a 2xx
	kindLost                 // shows that the crawler had a copy, which the archive does not hold
	kinds
)

func (s *State) is(k kind) bool {
	switch k {
	case kindDefinite:
		return s.isDefinite()
	case kindAnswers:
		return s.Outcome != words.OutcomeUnresolved && s.Outcome != words.OutcomeUndefined
	case kindSuccess:
		return s.isSuccess()
	}
	return s.Outcome == words.OutcomeUnresolved && !s.isSuccess() &&
		(s.Reason == words.UnresolvedRevisit || s.FinalStatus/100 == 2)
}

// lateness is how long after its date a capture may count as after a fetch, or be in doubt.
func (s *State) lateness(runs *facts.Set) (micros int64) {
	micros = min(int64(s.Millis)*1000, maxTook) + min(s.Precision.Unit(), facts.Second)
	if s.ServerSeconds != 0 {
		slow := max(-runs.ClockOf(facts.SpotOf(&s.Fetch)), 0) * facts.Second
		micros = max(micros, min((s.ServerSeconds-s.Micros/1e6)*facts.Second, maxLate+slow)+(maxDrift+1)*facts.Second)
	}
	return micros
}

// places holds the other spots of records that several archives hold.
type places map[facts.Spot][]place

// add remembers another spot of a record, of so many as resolve does.
func (p places) add(first facts.Spot, other place) {
	if len(p[first]) < resolve.MaxPlaces && !slices.Contains(p[first], other) {
		p[first] = append(p[first], other)
	}
}

// State is a capture of a timeline: its outcome, and who made it.
type State struct {
	resolve.State
	ID        int64      // number in the order of the timelines, from 1
	agent     string     // product token of the crawler that made the capture
	bodyAgent string     // of the one that got the body applied
	key       string     // agent, comparable
	ofTwo     bool       // the User-Agent names a second crawler
	led       []answered // records that redirects led to and copies that 304s renew, in order

	ways []string // keys of the URLs that it redirects to; cutURL: one that was cut
	url  string   // key of its own, of a redirect's target

	exchanges []exchange // its own, and those that its redirects led to
}

// An answered record was got by a request of a crawler.
type answered struct {
	at        facts.Spot
	userAgent string
	key       string // of its token
	ofTwo     bool   // it names a second crawler
}

// itself returns the capture as such a record.
func (s *State) itself() answered {
	return answered{facts.SpotOf(&s.Fetch), s.UserAgent, s.key, s.ofTwo}
}

// last returns the record whose status counts.
func (s *State) last() answered {
	if len(s.led) == 0 {
		return s.itself()
	}
	return s.led[len(s.led)-1]
}

// isOf reports whether one crawler got all that a capture applies.
func (s *State) isOf(key string) bool {
	return s.key == key && !slices.ContainsFunc(s.led, func(r answered) bool { return r.key != key })
}

// BodyAgent returns the product token of the crawler that got the body applied; ""
// where none is known.
func (s *State) BodyAgent() string { return s.bodyAgent }

// Agent returns the product token of the crawler that made the capture; "" where
// none is known.
func (s *State) Agent() string { return s.agent }

// IsListed reports whether the capture is a row of a table, and no record ("Tables of robots.txt").
func (s *State) IsListed() bool { return s.Trust == facts.TrustListed }

// isRefusedLike reports whether two captures are refusals to one crawler, for any token.
func (s *State) isRefusedLike(other *State) bool {
	isOne := func(a, b answered) bool {
		return a.key == b.key && (a.key != "" || a.at.SameRun(b.at) && a.userAgent == b.userAgent)
	}
	return s.isRefusal() && other.isRefusal() && isOne(s.itself(), other.itself()) && isOne(s.last(), other.last())
}

// readAs applies the profiles' differences about a status:
// draft-koster-rep-08 §2.2.1.4 takes an undefined one as unreachable, Google 429.
func (s *State) readAs(p robots.Profile) {
	if p == robots.REP08 && s.Outcome == words.OutcomeUndefined && s.Reason == words.UndefinedStatus ||
		p == robots.Google && s.Reason == words.Unavailable && s.FinalStatus == 429 {
		s.Settle(words.OutcomeUnreachable, words.Unreachable)
	}
}

// isDefinite reports whether a capture shows something of its own that holds on: a file, a
// part of one, or that there is none. An unreachable server shows nothing about the file.
func (s *State) isDefinite() bool {
	return s.Outcome.HasRules() || s.Outcome == words.OutcomeUnavailable
}

// isSuccess reports whether a capture got a file, or would have if the archive held it
// in a form that can be read (RFC 9309 §2.3.1.1).
func (s *State) isSuccess() bool {
	return s.Outcome.HasRules() || s.Reason == words.Undecodable || s.Reason == words.Challenge ||
		s.Outcome == words.OutcomeUnresolved && s.Status/100 == 2
}

// isAlike reports whether two captures answer every question alike. Most hosts
// serve the same file every time. The answer of a redirect to an unreachable server depends on when that
// was found unreachable.
func (s *State) isAlike(other *State) bool {
	const cut = uint32(facts.FlagBodyCut)
	if s.Outcome == words.OutcomeUnreachable && (s.StepText != "" || other.StepText != "") {
		return false
	}
	if (s.isRefusal() || other.isRefusal()) && !s.isRefusedLike(other) {
		return false
	}
	return s.HopURLs == other.HopURLs && s.Outcome == other.Outcome && s.HasBody == other.HasBody &&
		s.Mismatched == other.Mismatched && s.IsListed() == other.IsListed() && s.OtherTarget == other.OtherTarget &&
		(!s.HasBody || s.BodyDigest == other.BodyDigest && s.BodyFlags&cut == other.BodyFlags&cut)
}

// Complete gives a capture its ID, who made it, and the profile's reading of it.
func (d *Decider) Complete(st *State, id int64) {
	st.ID = id
	by := d.who.CrawlerOf(&st.Fetch)
	st.agent, st.key, st.ofTwo = by.Token, crawler.Key(by.Token), by.Other != ""
	st.bodyAgent = d.who.CrawlerOf(&facts.Fetch{UserAgent: st.BodyUserAgent, UserAgentSource: st.BodyAgentSource}).Token
	if st.IsListed() { // an option names the crawler of the archives, not whoever made a table
		st.agent, _ = useragent.Tokens(st.UserAgent, agents.Leading)
		st.bodyAgent, _ = useragent.Tokens(st.BodyUserAgent, agents.Leading)
		st.key = cmp.Or(crawler.Key(st.agent), keyOfTable)
	}
	for _, step := range st.Led() {
		by := d.who.CrawlerOf(&facts.Fetch{UserAgent: step.UserAgent})
		st.led = append(st.led, answered{step.Spot, step.UserAgent, d.who.Key(by.Token), by.Other != ""})
	}
	for _, url := range st.HopList() {
		if u, _ := weburl.Parse(url); strings.HasSuffix(url, "…") {
			st.ways = append(st.ways, cutURL)
		} else {
			st.ways = append(st.ways, u.Key())
		}
	}
	if st.Kind == facts.CaptureTarget {
		u, _ := weburl.Parse(st.URL)
		st.url = u.Key()
	}
	st.readAs(d.files.Profile())
	if st.Outcome == words.OutcomeUnreachable && st.StepText != "" {
		applied := st.Applied()
		if applied[len(applied)-1].Time.MicrosSince(st.Time()) < 0 {
			st.GiveUp(words.UnresolvedRedirect) // a failure from before the redirect is no copy of its target
		}
	}
}

// keyOfTable is the crawler of the rows of tables that name none. No fetch is by it.
const keyOfTable = "\x00"

// cutURL stands for any URL to which a capture redirects, since no more than its beginning was kept.
const cutURL = "…"

// hasUnread reports whether an index reports a capture that no input holds, at or before a moment, and late by isLate.
// isLate is monotonic: once true, it stays true.
func (tl *Timeline) hasUnread(isLate func(facts.Time) bool, until facts.Time) bool {
	n := sort.Search(len(tl.unread), func(i int) bool { return isLate(tl.unread[i]) })
	return n < len(tl.unread) && until.MicrosSince(tl.unread[n]) >= 0
}

// hasUnreadCopy reports whether an index reports a copy that a crawler may have used at a moment, and
// no input holds it.
func (tl *Timeline) hasUnreadCopy(at facts.Time) bool {
	return tl.hasUnread(func(t facts.Time) bool { return at.MicrosSince(t) <= facts.Day }, at)
}
