package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/use"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Decide decides the fetches between two cuts, and passes the results to sink. Ranges may be decided
// at the same time; their results, one range after the other, are the results of all. Three things come
// once for each range: the token groups that no capture governs (robots ID 0), the counts of an origin
// that several ranges share, and the token groups that govern fetches of such an origin in several of them.
func (r *Resolved) Decide(ctx context.Context, from, to Cut, sink Sink) (*Totals, error) {
	if from.Bucket < 0 || from.Compare(to) > 0 || to.Compare(facts.BeforeBucket(Buckets)) > 0 {
		return nil, fmt.Errorf("decide from %+v to %+v: there are %d buckets", from, to, Buckets)
	}
	totals := &Totals{RobotsByOutcome: make(map[string]int64)}
	if from == to {
		return totals, nil
	}
	id, err := r.firstID(ctx, from.Bucket)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(r.dir, "range-*")
	if err != nil {
		return nil, err
	}
	e := r.newEvaluation(sink, totals, run.NewSorter(dir, facts.IssueRuns))
	e.nextID = id
	if e.policies, err = r.newPolicyReader(ctx, e.files); err != nil {
		return nil, err
	}
	e.from, e.to = from, to
	if err := e.decideAll(ctx); err != nil {
		return nil, err
	}
	totals.used = e.who.Used()
	return totals, totals.takeIssues(dir, e.issues)
}

// evaluation decides the fetches of a range, origin by origin.
type evaluation struct {
	*Resolved
	from, to Cut
	// fetches of the origin in hand lie before from, too: an earlier range reports what is to be reported once
	begun  bool
	sink   Sink
	totals *Totals
	issues *run.Sorter[facts.Issue] // found while deciding
	nextID int64                    // of states
	deciding
	whatIf    *verdict.WhatIf    // nil where it is not wanted
	policies  *policyReader      // nil where it is not wanted
	originals *resolve.Originals // nil where no fetch has the body of another
	use       *use.Reader
	crawlers  seenCrawlers // of the origin in hand
	decided   Result       // the fetch in hand
	counts    Counts       // of one crawler's fetches of the origin in hand, not yet added to others
	counted   *AgentStats  // of that crawler
}

func (r *Resolved) newEvaluation(sink Sink, totals *Totals, issues *run.Sorter[facts.Issue]) *evaluation {
	d, opt := r.newDeciding(), &r.opt
	e := &evaluation{Resolved: r, sink: sink, totals: totals, issues: issues, deciding: d}
	said := use.Options{Uses: opt.Uses, Agents: opt.Agents}
	said.Since, said.At = opt.AsOf.span()
	e.use = use.NewReader(r.store, d.files, r.licences, said)
	if r.store.Totals.Borrowed > 0 {
		e.originals = resolve.NewOriginals()
	}
	if len(opt.Agents) > 0 {
		e.whatIf = &verdict.WhatIf{
			Tokens: DistinctTokens(opt.Agents), AsOf: opt.AsOf.moment(), Verdict: sink.GroupVerdict,
			Asker: sink.RobotsAgent,
		}
	}
	return e
}

func (e *evaluation) decideAll(ctx context.Context) (err error) {
	buckets := facts.Between(e.from, e.to)
	l := e.openTimelines(ctx, buckets.From, buckets.To)
	defer l.stop()
	if e.nextID, err = l.skipTo(e.from, e.nextID); err != nil {
		return err
	}
	fetches := facts.NewCursor(e.store.FetchesCounting(ctx, buckets, &e.totals.Joined), facts.PlaceOf)
	defer fetches.Stop()
	elsewhere := facts.NewCursor(e.res.Originals.Range(ctx, buckets.From, buckets.To), facts.PlaceOf)
	defer elsewhere.Stop()
	if e.originals != nil {
		e.originals.Elsewhere = elsewhere
	}
	for e.begun = e.from.IsInside(); ; e.begun = false {
		here, more := l.next()
		if fetches.Row != nil && (!more || fetches.Here.Compare(here) < 0) {
			here, more = fetches.Here, true
		}
		if e.begun {
			here, more = e.from.Place, true
		}
		if !more || here.Cut().Compare(e.to) >= 0 {
			return cmp.Or(fetches.Err, l.err(), elsewhere.Err)
		}
		if err := e.decideOrigin(ctx, here, l, fetches); err != nil {
			return err
		}
	}
}

// decideOrigin decides the fetches of an origin, and the fetches that logs exclude.
func (e *evaluation) decideOrigin(ctx context.Context, here facts.Place, l *timelines,
	fetches *facts.Cursor[facts.Fetch],
) error {
	e.newOrigin()
	tl, err := e.loadTimeline(here, l)
	if err == nil && e.begun {
		err = e.remember(ctx, tl)
	}
	if err != nil {
		return err
	}
	host := &HostStats{Origin: here.Origin, Begun: e.begun, Unfinished: here.Cut() == e.to.Origin() && e.to.IsInside()}
	err = eachRecord(fetches, here, tl, e.noteDuplicate, func(f *facts.Fetch) error {
		return e.decideFetch(f, tl, host)
	})
	if err != nil {
		return err
	}
	e.addCounts(host)
	if err := e.excluded(here, l, tl); err != nil || host.Fetches == 0 && !host.Begun && !host.Unfinished {
		return err
	}
	if !e.begun {
		e.totals.Origins++
	}
	return e.sink.Host(host)
}

func (e *evaluation) newOrigin() {
	if e.whatIf != nil {
		e.whatIf.NewOrigin(e.decider)
	}
	e.files.NewOrigin()
	if e.originals != nil {
		e.originals.Forget()
	}
	if e.begun {
		e.use.NewOrigin(nil)
	} else {
		e.use.NewOrigin(e.issues)
	}
	e.crawlers = seenCrawlers{}
}

// loadTimeline reads the timeline of an origin, and passes its states to the sink.
func (e *evaluation) loadTimeline(here facts.Place, l *timelines) (*verdict.Timeline, error) {
	captures := e.decider.NewCaptures()
	err := l.each(here, func(st *State) error {
		if use.IsSiteFile(&st.State) {
			return e.use.AddFile(&st.State)
		}
		e.decider.Complete(st, e.nextID)
		e.nextID++
		captures.Add(st)
		if e.begun {
			return nil
		}
		return e.reportState(st)
	}, e.noteLineTwice)
	if err != nil {
		return nil, err
	}
	return l.load(here, captures, e.decider)
}

func (e *evaluation) reportState(st *State) error {
	rec := RobotsRecord{State: st}
	if st.HasBody {
		file, err := e.files.Get(&st.State)
		if err != nil {
			return err
		}
		rec.Parsed, rec.Groups, rec.Rules, rec.Notes = true, file.Groups, file.Rules, file.Notes()
		if err := use.NoteBroken(e.issues, &st.Fetch, file.Usage().Signals); err != nil {
			return err
		}
	}
	if st.Type == facts.TypeLogLine {
		e.totals.LogEvidence++
	} else {
		e.totals.Captures++
		e.totals.RobotsByOutcome[st.Outcome.String()]++
	}
	if err := e.sink.Robots(&rec); err != nil || e.policies == nil || st.Type == facts.TypeLogLine {
		return err
	}
	return e.policies.pass(st, e.sink, e.issues)
}

func (e *evaluation) noteDuplicate(first, f *facts.Fetch) error {
	e.totals.Duplicates++
	return e.issues.Add(f.Issue(words.IssueDuplicateRecord, "counted once", "the same record as at %d of %s",
		first.Offset, e.filename(first)))
}

func (e *evaluation) decideFetch(f *facts.Fetch, tl *verdict.Timeline, host *HostStats) error {
	r := &e.decided // a new one for each would be a tenth of all that is allocated
	if err := e.decider.DecideFetch(&r.Finding, f, tl); err != nil {
		return err
	}
	if err := e.readUse(r); err != nil {
		return err
	}
	e.count(r, host)
	if err := e.sink.Result(r); err != nil {
		return err
	}
	if e.opt.Decided != nil {
		e.opt.Decided.Add(1)
	}
	if e.whatIf == nil {
		return nil
	}
	return e.whatIf.DecideGroups(&r.Finding)
}

// readUse adds what the answer to a fetch is, and what is said of its use.
func (e *evaluation) readUse(r *Result) (err error) {
	s, originals := resolve.StatementsOf(r.Fetch), [2]Spot{}
	if e.originals != nil {
		s, originals = e.originals.StatementsFor(r.Fetch)
	}
	r.Refusal = refusalOf(r.Fetch, s.IsChallenge())
	r.Modality = modalityOf(cmp.Or(r.Fetch.DetectedType, r.Fetch.MIMEType))
	r.Page, r.Restrictions, err = e.use.Read(&r.Finding, s, originals)
	if err != nil || r.Page == nil {
		return err
	}
	return use.NoteBroken(e.issues, r.Fetch, r.Page.Stated())
}

func (e *evaluation) count(r *Result, host *HostStats) {
	e.crawlers.add(r.Agent)
	key := e.who.Key(r.Agent)
	if key != e.totals.agents.lastKey {
		e.addCounts(host)
	}
	if r.Fetch.Flags&facts.FlagForged != 0 {
		e.addCounts(host)
		claimed := e.who.Claimed(r.Fetch)
		e.totals.agents.of(claimed, e.who.Key(claimed)).Forged++
	}
	e.counted = e.totals.agents.of(r.Agent, key)
	e.counted.claim(r.Fetch.Claim)
	e.counted.LongestAfterChange = max(e.counted.LongestAfterChange, r.AfterChange)
	e.counts.Add(r)
	e.totals.Verification.count(r)
	widen(&host.First, &host.Last, r.Fetch.Time())
	widen(&e.totals.First, &e.totals.Last, r.Fetch.Time())
	if e.opt.Crawler != "" && !e.totals.crawlerSeen {
		e.totals.crawlerSeen = crawler.IsNamed(r.Fetch.UserAgent, e.opt.Crawler)
	}
}

// addCounts adds what was counted of one crawler's fetches to the counts that they are part of.
func (e *evaluation) addCounts(host *HostStats) {
	if e.counts.Fetches == 0 {
		return
	}
	for _, c := range []*Counts{&e.totals.Counts, &host.Counts, &e.counted.Counts} {
		c.Sum(&e.counts)
	}
	e.counts = Counts{}
}

// eachRecord calls f with the fetches of an origin, each record once: copies follow a record
// in the order of the facts, so all places of one are known when f is called. It calls
// duplicate for the copies.
func eachRecord(
	fetches *facts.Cursor[facts.Fetch], here facts.Place, tl *verdict.Timeline,
	duplicate func(first, f *facts.Fetch) error,
	f func(*facts.Fetch) error,
) error {
	var seen facts.Duplicates
	var held facts.Fetch
	isHeld, placed := false, false
	pass := func() error {
		if !isHeld {
			return nil
		}
		err := f(&held)
		if placed { // it is not needed again, unless it is a policy capture
			tl.ForgetPlaces(&held)
		}
		isHeld, placed = false, false
		return err
	}
	err := fetches.Each(here, func(row *facts.Fetch) error {
		if first := seen.First(row); first != nil {
			if facts.SpotOf(first) == facts.SpotOf(&held) {
				placed = tl.AddPlace(first, row) || placed
			}
			return duplicate(first, row)
		}
		if err := pass(); err != nil {
			return err
		}
		held, isHeld = *row, true
		return nil
	})
	if err != nil {
		return err
	}
	return pass()
}
