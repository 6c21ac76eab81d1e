package evaluate

import (
	"container/list"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
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
	deciding
	last   map[string]*list.Element // by product token, of latest
	latest *list.List               // of *paced: the crawlers, the one seen last first
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
func (p *pace) check(r *verdict.Finding) (*TooSoon, error) {
	f := r.Fetch
	const unproven = facts.FlagForgeable | facts.FlagRefuted | facts.FlagMayBeNoFetch | facts.FlagHostMismatch
	if r.Agent == "" || r.Reason == words.RobotsTxtItself || r.Reason == words.UnsupportedScheme ||
		!f.Time().Known() || f.Flags&unproven != 0 {
		return nil, nil
	}
	if weburl.PathQueryOf(f.Origin, f.URL) == "/robots.txt" {
		return nil, nil
	}
	if r.MayBeTarget() {
		return nil, nil
	}
	key := p.who.Key(r.Agent)
	visit := Visit{f.Input, f.Entry, f.Archive, f.Offset, f.Time(), f.URL}
	known := p.knownOf(key)
	if known == nil {
		if len(p.last) == maxPaced {
			delete(p.last, p.latest.Remove(p.latest.Back()).(*paced).key)
		}
		p.last[key] = p.latest.PushFront(&paced{key, visit})
		return nil, nil
	}
	if known.time.Micros == f.Micros && known.url == f.URL {
		return nil, nil // a copy of a record without an id
	}
	last := known.Visit
	known.Visit = visit
	gap := max(f.Micros-last.time.Micros, 0) // rows of an index stand after all records of their second
	atMost := gap + min(f.Precision, last.time.Precision).Unit()
	if atMost > int64(maxWait/time.Microsecond) {
		return nil, nil
	}
	delay, line, err := p.delay(r)
	if err != nil || delay == 0 || atMost > delay {
		return nil, err
	}
	return &TooSoon{gap, delay, line, last}, nil
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
func (p *pace) delay(r *verdict.Finding) (delay int64, line int, err error) {
	if r.Evidence != Fresh || r.Governing.Forgeable ||
		r.Notes&(words.NoteSameMoment|words.NoteOrderDoubt|words.NoteCoarseDate) != 0 {
		return 0, 0, nil
	}
	by := p.who.CrawlerOf(r.Fetch)
	delay, line, err = p.delayOf(r.Governing, by)
	if err != nil || delay == 0 {
		return 0, 0, err
	}
	isKnown, err := r.EachInForce(func(st *State) error {
		other, _, err := p.delayOf(st, by)
		delay = min(delay, other)
		return err
	})
	if err != nil || !isKnown { // one that is not known may require nothing
		return 0, 0, err
	}
	return delay, line, nil
}

// longest returns the longest delay, in microseconds, that any file of a timeline requires.
func (p *pace) longest(tl *verdict.Timeline) (longest int64, err error) {
	for _, st := range tl.Captures() {
		if st.Outcome != words.OutcomeRules || !st.HasBody {
			continue
		}
		file, err := p.files.Get(&st.State)
		if err != nil {
			return 0, err
		}
		longest = max(longest, file.LongestDelay())
	}
	return longest, nil
}

// delayOf returns the delay that one capture requires of a crawler; 0 where there is none, or where
// the file is not known as a whole, or may be another one. For two tokens in one User-Agent, the
// smaller delay counts.
func (p *pace) delayOf(st *State, by crawler.Identity) (micros int64, line int, err error) {
	if st.Outcome != words.OutcomeRules || !st.HasBody || facts.Flags(st.BodyFlags)&facts.FlagBodyCut != 0 ||
		st.Mismatched || st.IsListed() || st.OtherTarget {
		return 0, 0, nil
	}
	file, err := p.files.Get(&st.State)
	if err != nil || file.HTML {
		return 0, 0, err
	}
	micros, line = file.Delay(by.Token)
	if by.Other != "" {
		if second, at := file.Delay(by.Other); second < micros {
			return second, at, nil
		}
	}
	return micros, line, nil
}
