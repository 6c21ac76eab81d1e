package evaluate

import (
	"fmt"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Exclusion is a URL that robots.txt kept a crawler from, by its log, with
// the answer of the captures for the URL at that moment. The Fetch of its Result was
// never made.
type Exclusion struct {
	Event *facts.LogEvent
	Result
}

// stateOfEvent makes a state of a log line which reports that robots.txt could not be
// had. Its crawler is unknown, unless an option names it.
func stateOfEvent(ev *facts.LogEvent) *State {
	s := new(State)
	s.FinalStatus = -1
	s.Fetch = *fetchOf(ev, ev.Origin+"/robots.txt")
	s.Entry = ev.Entry
	s.Kind = facts.CaptureRobots
	s.Coarsest = ev.Precision
	s.ApplyAt(&s.Fetch)
	s.Settle(words.OutcomeUnreachable, words.Unreachable)
	return s
}

// fetchOf makes a fetch of what a log line says of a URL.
func fetchOf(ev *facts.LogEvent, url string) *facts.Fetch {
	return &facts.Fetch{
		HostReversed: ev.HostReversed, Origin: ev.Origin, URL: url, Micros: ev.Micros, Precision: ev.Precision,
		Input: ev.Input, Offset: ev.Offset, Length: ev.Length, Type: facts.TypeLogLine, Status: -1, Method: "GET",
		Millis: -1,
	}
}

// logGap is how near in time log lines add nothing to the first of them: a
// crawler gives up hundreds of pages for one robots.txt that it could not have.
const logGap = facts.Hour

// addsTo reports whether a log state adds to the state before it.
func addsTo(st, before *State) bool {
	return before == nil || before.Type != facts.TypeLogLine || st.Micros-before.Micros >= logGap
}

// seenCrawlers knows the product token that fetched from an origin, as long as
// it is one.
type seenCrawlers struct {
	token   string
	several bool
}

func (c *seenCrawlers) add(token string) {
	if token == c.token && token != "" { // as nearly always
		return
	}
	c.several = c.several || token == "" || c.token != "" && crawler.Key(c.token) != crawler.Key(token)
	if c.token == "" || token < c.token { // of spellings the first in the alphabet
		c.token = token
	}
}

// excluded judges the exclusions of an origin, once its fetches are decided.
func (e *evaluation) excluded(here facts.Place, l *timelines, tl *verdict.Timeline) error {
	return l.events.Each(here, func(ev *facts.LogEvent) error {
		if first := l.lines.first(ev); first != nil {
			return e.noteLineTwice(first, ev)
		}
		if ev.Kind != facts.EventExclusion {
			return nil
		}
		x := Exclusion{Event: ev}
		f := fetchOf(ev, ev.URL)
		f.Via, f.HopsFromSeed = ev.Via, ev.HopsFromSeed
		var agent string
		var source AgentSource
		switch {
		case e.opt.Crawler != "":
			agent, source = e.opt.Crawler, words.AgentFromOption
		case !e.crawlers.several && e.crawlers.token != "":
			agent, source = e.crawlers.token, words.AgentFromOrigin
		}
		if err := e.decider.DecideFor(&x.Finding, f, tl, agent, source); err != nil {
			return err
		}
		x.Certainty = NoCertainty // nothing was fetched
		e.totals.Exclusions++
		return e.sink.Exclusion(&x)
	})
}

// lineTwins finds equal log lines among neighbours: copies of a log, or
// of a part of it.
type lineTwins struct{ last facts.LogEvent }

// first returns the earlier line that equals ev, nil where there is none.
func (t *lineTwins) first(ev *facts.LogEvent) *facts.LogEvent {
	l := &t.last
	if l.Origin == ev.Origin && l.Kind == ev.Kind && l.Micros == ev.Micros && l.Precision == ev.Precision &&
		l.URL == ev.URL &&
		l.Reason == ev.Reason {
		return l
	}
	t.last = *ev
	return nil
}

func (e *evaluation) noteLineTwice(first, ev *facts.LogEvent) error {
	if e.begun {
		return nil
	}
	return e.issues.Add(facts.Issue{
		Input: ev.Input, Entry: ev.Entry, Offset: ev.Offset, Length: ev.Length, Kind: words.IssueDuplicateRecord,
		Detail: fmt.Sprintf("line %d says the same as line %d of %s", ev.Line, first.Line,
			e.store.Input(first.Input).Name),
		Action: "counted once",
	})
}
