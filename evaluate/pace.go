package evaluate

import (
	"container/list"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// TooSoon is a fetch that came sooner after the one before it than the robots.txt in
// force asked for.
type TooSoon struct {
	Gap      int64 // microseconds between the recorded dates
	Delay    int64 // microseconds that were asked for
	Line     int   // of the robots.txt
	Previous Visit
}

// Visit is the fetch before.
type Visit struct {
	Input   int32
	Entry   string
	Archive string // as facts.Fetch has it
	Offset  int64
	time    facts.Time
	url     string
}

// maxPaced bounds the crawlers of one origin whose pace is followed: the latest. So what is known
// at a moment depends on the fetches shortly before it alone.
const maxPaced = 1024

// pace follows how fast each crawler sends requests to one origin.
type pace struct {
	decider *decider
	last    map[string]*list.Element // by product token, of latest
	latest  *list.List               // of *paced: the crawlers, the one seen last first
}

// paced is the last visit of a crawler.
type paced struct {
	key string
	Visit
}

func (p *pace) newOrigin() { p.last, p.latest = make(map[string]*list.Element), list.New() }

// check finds where a fetch came too soon. Crawl-delay is no part of RFC 9309, and
// crawlers measure it from the start or from the end of a request. Every doubt is the
// crawler's: the gap is taken at its upper bound, the delay at the least of all copies
// that it may have used (§2.4), and fetches of robots.txt, and of what that redirects or
// may have redirected to, are left out.
func (p *pace) check(r *Result, tl *timeline) error {
	f := r.Fetch
	const unproven = facts.FlagForgeable | facts.FlagRefuted | facts.FlagMayBeNoFetch | facts.FlagHostMismatch
	if r.Agent == "" || r.Reason == words.RobotsTxtItself || r.Reason == words.UnsupportedScheme ||
		!f.Time().Known() || f.Flags&unproven != 0 {
		return nil
	}
	if weburl.PathQueryOf(f.Origin, f.URL) == "/robots.txt" {
		return nil
	}
	if len(tl.leads) > 0 {
		if s := p.decider.newSubject(f, r.Agent, tl, facts.Time{}); tl.leads.to(&s) != nil {
			return nil
		}
	}
	key := p.decider.keys.of(r.Agent)
	visit := Visit{f.Input, f.Entry, f.Archive, f.Offset, f.Time(), f.URL}
	known := p.knownOf(key)
	if known == nil {
		if len(p.last) == maxPaced {
			delete(p.last, p.latest.Remove(p.latest.Back()).(*paced).key)
		}
		p.last[key] = p.latest.PushFront(&paced{key, visit})
		return nil
	}
	if known.time.Micros == f.Micros && known.url == f.URL {
		return nil // a copy of a record without an id
	}
	last := known.Visit
	known.Visit = visit
	gap := max(f.Micros-last.time.Micros, 0) // rows of an index stand after all records of their second
	atMost := gap + min(f.Precision, last.time.Precision).Unit()
	if atMost > int64(maxWait/time.Microsecond) {
		return nil
	}
	delay, line, err := p.delay(r, tl)
	if err != nil || delay == 0 || atMost > delay {
		return err
	}
	r.TooSoon = &TooSoon{gap, delay, line, last}
	return nil
}

// knownOf returns the last visit of a crawler, which then is the one seen last; nil where none is known.
func (p *pace) knownOf(key string) *paced {
	e := p.latest.Front()
	if e == nil || e.Value.(*paced).key != key { // fetches of one crawler follow one another
		if e = p.last[key]; e == nil {
			return nil
		}
		p.latest.MoveToFront(e)
	}
	return e.Value.(*paced)
}

// maxWait is the longest delay that anybody is asked for (robots.Record.Delay).
const maxWait = 24 * time.Hour

// delay returns the least delay, in microseconds, that some copy of robots.txt which
// the crawler may have used requires, and the line that requires one in the governing copy.
func (p *pace) delay(r *Result, tl *timeline) (delay int64, line int, err error) {
	if r.Evidence != Fresh || r.Governing.Forgeable ||
		r.Notes&(words.NoteSameMoment|words.NoteOrderDoubt|words.NoteCoarseDate) != 0 {
		return 0, 0, nil
	}
	c := p.decider.crawlerOf(r.Fetch)
	delay, line, err = p.delayOf(r.Governing, c)
	if err != nil || delay == 0 {
		return 0, 0, err
	}
	for _, rival := range r.tied[1:] { // one of them may have been in force, and a failure requires nothing
		other, _, err := p.delayOf(rival, c)
		if err != nil {
			return 0, 0, err
		}
		delay = min(delay, other)
	}
	if tl.hasUnreadCopy(r.Fetch.Time()) { // it may require nothing
		return 0, 0, nil
	}
	s := p.decider.newSubject(r.Fetch, r.Agent, tl, facts.Time{})
	asked, cost := r.Governing, 0
	for copied := range tl.copies(&s, r.tied) {
		if cost++; cost > maxLooked {
			return 0, 0, nil
		}
		if !copied.isDefinite() && !s.isUnreadable(copied) || copied.isAlike(asked) {
			continue
		}
		asked = copied
		cost += copied.costOfAsking()
		other, _, err := p.delayOf(copied, c)
		if err != nil {
			return 0, 0, err
		}
		delay = min(delay, other)
	}
	if own := s.own; own != nil && !s.see(r.Governing).isOwn { // servers answer crawlers differently
		for _, older := range own.latestWith(kindDefinite, &s) {
			other, _, err := p.delayOf(older, c)
			if err != nil {
				return 0, 0, err
			}
			delay = min(delay, other)
		}
	}
	if s.isTooCostly() {
		return 0, 0, nil
	}
	return delay, line, nil
}

// longest returns the longest delay, in microseconds, that any file of a timeline requires.
func (p *pace) longest(tl *timeline) (longest int64, err error) {
	for _, st := range tl.all.states {
		if st.Outcome != words.OutcomeRules || !st.HasBody {
			continue
		}
		file, err := p.decider.files.get(st)
		if err != nil {
			return 0, err
		}
		file.readExtra()
		for _, d := range file.delays.list {
			longest = max(longest, d.micros)
		}
	}
	return longest, nil
}

// delayOf returns the delay that one capture requires of a crawler; 0 where there is none, or where
// the file is not known as a whole, or may be another one. For two tokens in one User-Agent, the
// smaller delay counts.
func (p *pace) delayOf(st *State, by crawler) (micros int64, line int, err error) {
	if st.Outcome != words.OutcomeRules || !st.HasBody || facts.Flags(st.BodyFlags)&facts.FlagBodyCut != 0 ||
		st.Mismatched || st.IsListed() || st.OtherTarget {
		return 0, 0, nil
	}
	file, err := p.decider.files.get(st)
	if err != nil || file.HTML {
		return 0, 0, err
	}
	micros, line = file.delay(by.token)
	if by.other != "" {
		if second, at := file.delay(by.other); second < micros {
			return second, at, nil
		}
	}
	return micros, line, nil
}
