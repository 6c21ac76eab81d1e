package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/run"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// Options of Run.
type Options struct {
	Profile    robots.Profile
	Crawler    string        // the crawler's own token, instead of the one derived from each User-Agent
	CrawlerMap CrawlerMap    // the same for some User-Agents; it has no say where Crawler is given
	Agents     []string      // tokens of the what-if; none: no what-if
	Uses       []tag.Use     // what for: restrictions that bind one of them are passed on
	Rate       bool          // pass on the fetches that came too soon; they are counted in any case
	AsOf       facts.Time    // the what-if and restrictions are judged at this moment, where it is known, not at each fetch's own
	Decided    *atomic.Int64 // counts the fetches decided; may be nil
}

// Totals is what Run counted.
type Totals struct {
	Counts
	RobotsByOutcome map[string]int64
	Duplicates      int64 // records left out because another input holds them too
	Origins         int64
	Captures        int64
	LogEvidence     int64 // log lines that stand for a robots.txt that could not be had
	Exclusions      int64
	First, Last     facts.Time // of the fetches; unknown where no date is
	AgentUnseen     bool       // no User-Agent holds Options.Crawler (RFC 9309 §2.2.1 SHOULD)
	IdleRules       CrawlerMap // rules of Options.CrawlerMap that gave no fetch its token
}

// Run resolves and decides all fetches of facts, and passes the results to sink.
func Run(ctx context.Context, set *Facts, opt Options, sink Sink) (*Totals, error) {
	dir, err := os.MkdirTemp(set.Dir, "tmp-evaluate-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := facts.NewReader(set, dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	issues := run.NewWriter(dir, facts.IssueRuns)
	e := newEvaluation(s, opt, sink, issues)
	res, err := resolve(ctx, s, e.decider, dir, issues)
	if err != nil {
		return nil, err
	}
	if res.originals, err = findOriginals(ctx, s, dir); err != nil {
		return nil, err
	}
	if err := e.decideAll(ctx, res); err != nil {
		return nil, err
	}
	if err := e.report(ctx, dir); err != nil {
		return nil, err
	}
	e.totals.IdleRules = e.decider.naming.idle()
	return &e.totals, nil
}

// evaluation decides all fetches, origin by origin.
type evaluation struct {
	store    *facts.Reader
	opt      Options
	sink     Sink
	decider  *decider
	whatIf   *whatIf // nil where nobody asks
	pages    pages
	pace     pace // of the origin in hand
	totals   Totals
	agents   map[string]*AgentStats
	lastID   int64
	crawlers seenCrawlers // of the origin in hand
	lines    lineTwins
	decided  Result                   // the fetch in hand
	issues   *run.Writer[facts.Issue] // found while evaluating
}

func newEvaluation(s *facts.Reader, opt Options, sink Sink, issues *run.Writer[facts.Issue]) *evaluation {
	e := &evaluation{
		store:   s,
		opt:     opt,
		sink:    sink,
		issues:  issues,
		decider: &decider{files: newFileCache(s, opt.Profile), naming: newNaming(&opt)},
		agents:  make(map[string]*AgentStats),
	}
	e.pages = pages{decider: e.decider, uses: opt.Uses, asOf: opt.AsOf, names: newMetaNames(opt.Agents)}
	if hasDistantRevisits(s.Set) {
		e.pages.originals = newOriginals()
	}
	e.pace.decider = e.decider
	e.totals.RobotsByOutcome = make(map[string]int64)
	e.totals.AgentUnseen = opt.Crawler != ""
	if len(opt.Agents) > 0 {
		e.whatIf = &whatIf{decider: e.decider, tokens: distinctTokens(opt.Agents), asOf: opt.AsOf, sink: sink}
	}
	return e
}

// hasDistantRevisits reports whether any fetch has the body of another.
func hasDistantRevisits(set *facts.Set) bool {
	return slices.ContainsFunc(set.Inputs, func(in facts.InputResult) bool { return in.Lent > 0 })
}

// distinctTokens sorts tokens and drops those that differ in case alone.
func distinctTokens(agents []string) []string {
	list := slices.Clone(agents)
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(agentKey(a), agentKey(b)), cmp.Compare(a, b)) })
	return slices.CompactFunc(list, func(a, b string) bool { return agentKey(a) == agentKey(b) })
}

// noteCopies says which inputs are copies of others: their records without an id are
// counted once. Those with one are noted one by one.
func (e *evaluation) noteCopies() error {
	set := e.store.Set
	for i := range set.Inputs {
		original, copied := set.Copies[int32(i)]
		if !copied {
			continue
		}
		in := &set.Inputs[i]
		e.totals.Duplicates += in.Unnamed
		if err := e.issues.Add(facts.Issue{
			Input: int32(i), Offset: -1, Length: in.Size, Kind: facts.IssueDuplicateRecord, Action: "counted once",
			Detail: fmt.Sprintf("%d fetches without a WARC-Record-ID are those of %s, the bytes of which are the same", in.Unnamed, set.Inputs[original].Name),
		}); err != nil {
			return err
		}
	}
	return nil
}

func (e *evaluation) decideAll(ctx context.Context, res *resolved) error {
	if err := e.noteCopies(); err != nil {
		return err
	}
	states := newCursor(res.states.Sorted(ctx), func(s *State) place { return placeOf(&s.Fetch) })
	defer states.stop()
	marks := newCursor(res.marks.Sorted(ctx), (*mark).place)
	defer marks.stop()
	copies := newCursor(res.copies.Sorted(ctx), (*copied).place)
	defer copies.stop()
	fetches := newCursor(e.store.Fetches(ctx, facts.Buckets{}), placeOf)
	defer fetches.stop()
	events := newCursor(e.store.Events(ctx, facts.Buckets{}), placeOfEvent)
	defer events.stop()
	elsewhere := newCursor(res.originals.Sorted(ctx), placeOf)
	defer elsewhere.stop()
	if e.pages.originals != nil {
		e.pages.originals.elsewhere = elsewhere
	}
	for fetches.row != nil || events.row != nil {
		if err := e.decideOrigin(fetches, states, marks, copies, events); err != nil {
			return err
		}
	}
	return cmp.Or(fetches.err, states.err, marks.err, copies.err, events.err, elsewhere.err)
}

// decideOrigin decides the fetches of the next origin, and what logs say was not
// fetched from it.
func (e *evaluation) decideOrigin(
	fetches *cursor[facts.Fetch], states *cursor[State], marks *cursor[mark], copies *cursor[copied], events *cursor[facts.LogEvent],
) error {
	here := fetches.here
	if fetches.row == nil || events.row != nil && events.here.compare(here) < 0 {
		here = events.here
	}
	e.newOrigin()
	tl, err := e.loadTimeline(here, states, marks, events)
	if err != nil {
		return err
	}
	err = copies.each(here, func(c *copied) error {
		tl.places.add(c.first(), c.spot())
		return nil
	})
	if err != nil {
		return err
	}
	host := &HostStats{Origin: here.origin}
	e.crawlers = seenCrawlers{}
	if err := e.decideFetches(fetches, here, tl, host); err != nil {
		return err
	}
	if err := e.excluded(here, events, tl, e.crawlers); err != nil || host.Fetches == 0 {
		return err
	}
	e.totals.Origins++
	return e.sink.Host(host)
}

// decideFetches decides the fetches of an origin. Copies of a record follow it: it is
// decided once all its places are known.
func (e *evaluation) decideFetches(fetches *cursor[facts.Fetch], here place, tl *timeline, host *HostStats) error {
	var seen facts.Duplicates
	var held facts.Fetch
	isHeld, placed := false, false
	decide := func() error {
		if !isHeld {
			return nil
		}
		err := e.decideFetch(&held, tl, host)
		if placed { // nobody asks again, unless it is a policy capture
			delete(tl.places, spotOf(&held))
		}
		isHeld, placed = false, false
		return err
	}
	err := fetches.each(here, func(f *facts.Fetch) error {
		if first := seen.First(f); first != nil {
			if at := spotOf(first); at == spotOf(&held) {
				_, known := tl.places[at]
				placed = placed || !known
				tl.places.add(at, spotOf(f))
			}
			return e.noteDuplicate(first, f)
		}
		if err := decide(); err != nil {
			return err
		}
		held, isHeld = *f, true
		return nil
	})
	if err != nil {
		return err
	}
	return decide()
}

// newOrigin forgets what was known of the origin before.
func (e *evaluation) newOrigin() {
	if e.whatIf != nil {
		e.whatIf.newOrigin()
	}
	e.decider.files.newOrigin()
	e.pace.last = make(map[string]Visit)
	if e.pages.originals != nil {
		e.pages.originals.forget()
	}
	e.pages.tdm = &tdmLine{store: e.store, issues: e.issues}
}

func (e *evaluation) noteDuplicate(first, f *facts.Fetch) error {
	e.totals.Duplicates++
	return e.issues.Add(facts.Issue{
		Input: f.Input, Entry: f.Entry, Offset: f.Offset, Length: f.Length, RecordID: f.RecordID, Kind: facts.IssueDuplicateRecord,
		Detail: fmt.Sprintf("the same record as at %d of %s", first.Offset, e.filename(first)),
		Action: "counted once",
	})
}

// filename names the archive that holds a record.
func (e *evaluation) filename(f *facts.Fetch) string {
	name := e.store.Inputs[f.Input].Name
	if f.Entry != "" {
		name += "/" + f.Entry
	}
	return name
}

func (e *evaluation) decideFetch(f *facts.Fetch, tl *timeline, host *HostStats) error {
	r := &e.decided // a new one for each would be a tenth of all that is allocated
	if err := e.decider.decide(r, f, tl); err != nil {
		return err
	}
	if err := e.pages.read(r); err != nil {
		return err
	}
	if err := e.pace.check(r, tl); err != nil {
		return err
	}
	e.count(r, host)
	if !e.opt.Rate {
		r.TooSoon = nil
	}
	if err := e.sink.Result(r); err != nil {
		return err
	}
	if e.opt.Decided != nil {
		e.opt.Decided.Add(1)
	}
	if e.whatIf == nil {
		return nil
	}
	return e.whatIf.decide(r, tl)
}

func (e *evaluation) count(r *Result, host *HostStats) {
	e.crawlers.add(r.Agent)
	agent := e.agentStats(r)
	for _, c := range []*Counts{&e.totals.Counts, &host.Counts, &agent.Counts} {
		c.Add(r)
	}
	widen(&host.First, &host.Last, r.Fetch.Time())
	widen(&e.totals.First, &e.totals.Last, r.Fetch.Time())
	if e.totals.AgentUnseen && containsFold(r.Fetch.UserAgent, e.opt.Crawler) {
		e.totals.AgentUnseen = false
	}
}

// widen makes the time between first and last hold t, if it is known.
func widen(first, last *facts.Time, t facts.Time) {
	if !t.Known() {
		return
	}
	if !first.Known() || t.Micros < first.Micros {
		*first = t
	}
	if !last.Known() || t.Micros > last.Micros {
		*last = t
	}
}

// loadTimeline reads the resolved captures and marks of an origin, and what logs say
// of its robots.txt. The cursor of the logs then stands at the origin's exclusions.
func (e *evaluation) loadTimeline(
	here place, states *cursor[State], marks *cursor[mark], events *cursor[facts.LogEvent],
) (*timeline, error) {
	var list []*State
	add := func(st *State) error {
		e.lastID++
		st.ID = e.lastID
		st.agent, _ = e.decider.agentOf(&st.Fetch)
		st.bodyAgent, _ = e.decider.agentOf(&facts.Fetch{UserAgent: st.BodyUserAgent, UserAgentSource: st.BodyAgentSource})
		st.readAs(e.opt.Profile)
		list = append(list, st)
		return e.reportState(st)
	}
	// addEvents adds the log lines before a moment.
	addEvents := func(until *State) error {
		for events.row != nil && events.here == here && events.row.Kind == facts.EventRobotsUnreachable {
			if until != nil && events.row.Micros >= until.Micros {
				return nil
			}
			if err := e.addEvent(events.row, list, add); err != nil {
				return err
			}
			events.advance()
		}
		return events.err
	}
	events.skipTo(here)
	err := states.each(here, func(s *State) error {
		st := *s
		if st.Kind == facts.CaptureTDMRep {
			return e.pages.tdm.add(&st)
		}
		if err := addEvents(&st); err != nil {
			return err
		}
		return add(&st)
	})
	if err == nil {
		err = addEvents(nil)
	}
	if err != nil {
		return nil, err
	}
	marked := make(map[mark]bool)
	err = marks.each(here, func(m *mark) error {
		marked[*m] = true
		return nil
	})
	return newTimeline(list, marked), err
}

// addEvent adds a log line to a timeline, if it says more than the last of list.
func (e *evaluation) addEvent(ev *facts.LogEvent, list []*State, add func(*State) error) error {
	if first := e.lines.first(ev); first != nil {
		return e.noteLineTwice(first, ev)
	}
	var last *State
	if len(list) > 0 {
		last = list[len(list)-1]
	}
	if st := stateOfEvent(ev); st.Time().Known() && st.tells(last) {
		e.totals.LogEvidence++
		return add(st)
	}
	return nil
}

func (e *evaluation) reportState(st *State) error {
	rec := RobotsRecord{State: st}
	if st.HasBody {
		file, err := e.decider.files.get(st)
		if err != nil {
			return err
		}
		rec.Parsed, rec.Groups, rec.Rules, rec.Notes = true, file.Groups, file.Rules, file.Notes()
	}
	if st.Type != facts.TypeLogLine {
		e.totals.Captures++
		e.totals.RobotsByOutcome[st.Outcome.String()]++
	}
	return e.sink.Robots(&rec)
}

// maxAgents bounds the product tokens counted apart; the rest are counted under
// otherAgents. An archive could name a new one in every request.
const (
	maxAgents   = 65536
	otherAgents = "(others)"
	maxClaims   = 64
)

func (e *evaluation) agentStats(r *Result) *AgentStats {
	name := r.Agent
	key := e.decider.keys.of(name)
	a := e.agents[key]
	if a == nil && len(e.agents) >= maxAgents {
		name, key = otherAgents, agentKey(otherAgents)
		a = e.agents[key]
	}
	if a == nil {
		a = &AgentStats{Agent: name, Claims: make(map[string]bool)}
		e.agents[key] = a
	}
	// Of spellings that differ in case the first in the alphabet stands for all.
	a.Agent = min(a.Agent, name)
	if claim := r.Fetch.Claim; claim != "" && len(a.Claims) < maxClaims {
		a.Claims[claim] = true
	}
	return a
}

// report passes on what is known only at the end.
func (e *evaluation) report(ctx context.Context, dir string) error {
	for _, key := range slices.Sorted(maps.Keys(e.agents)) {
		if err := e.sink.Agent(e.agents[key]); err != nil {
			return err
		}
	}
	own, err := e.issues.Close()
	if err != nil {
		return err
	}
	for issue, err := range e.store.Issues(ctx, inFolder(dir, own)) {
		if err != nil {
			return err
		}
		if err := e.sink.Issue(issue); err != nil {
			return err
		}
	}
	return nil
}

func inFolder(dir string, names []string) []string {
	paths := make([]string, len(names))
	for i, n := range names {
		paths[i] = filepath.Join(dir, n)
	}
	return paths
}
