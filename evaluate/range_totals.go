package evaluate

import (
	"cmp"
	"maps"
	"slices"
	"unsafe"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// Totals is what was counted: of a range, or of all.
type Totals struct {
	Counts
	RobotsByOutcome map[string]int64
	Duplicates      int64 // records left out because another input holds them too
	Joined          int64 // rows of indexes and lists that report a fetch which is counted already
	Origins         int64
	Captures        int64
	LogEvidence     int64 // log lines that stand for a robots.txt that could not be had
	Exclusions      int64
	Verification    Verification
	First, Last     facts.Time // of the fetches; unknown where no date is
	AgentUnseen     bool       // no User-Agent holds DecideOptions.Crawler (RFC 9309 §2.2.1 SHOULD); of all alone
	IdleRules       CrawlerMap // rules of DecideOptions.CrawlerMap that gave no fetch its token; of all alone

	crawlerSeen bool     // some User-Agent holds DecideOptions.Crawler
	used        []bool   // rules of DecideOptions.CrawlerMap that gave a token
	issues      []string // paths of runs of issues
	agents      AgentTable
}

func (t *Totals) add(o *Totals) {
	t.Counts.Sum(&o.Counts)
	for outcome, n := range o.RobotsByOutcome {
		t.RobotsByOutcome[outcome] += n
	}
	t.Duplicates += o.Duplicates
	t.Joined += o.Joined
	t.Origins += o.Origins
	t.Captures += o.Captures
	t.LogEvidence += o.LogEvidence
	t.Exclusions += o.Exclusions
	facts.Sum(&t.Verification, &o.Verification)
	widen(&t.First, &t.Last, o.First)
	widen(&t.First, &t.Last, o.Last)
	t.crawlerSeen = t.crawlerSeen || o.crawlerSeen
	t.used = slices.Grow(t.used, len(o.used))[:max(len(t.used), len(o.used))]
	for i, used := range o.used {
		t.used[i] = t.used[i] || used
	}
	t.issues = append(t.issues, o.issues...)
	t.agents.add(&o.agents)
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

// counters is the number of Counts' fields. All are int64.
const counters = unsafe.Sizeof(Counts{}) / unsafe.Sizeof(int64(0))

// Sum adds other counts.
func (c *Counts) Sum(o *Counts) {
	to, from := (*[counters]int64)(unsafe.Pointer(c)), (*[counters]int64)(unsafe.Pointer(o))
	for i, n := range from {
		to[i] += n
	}
}

// Violations counts the certain and the probable violations.
func (c *Counts) Violations() int64 { return c.ViolationsCertain + c.ViolationsProbable }

// Unproven counts the disallowed fetches that are no violation for sure.
func (c *Counts) Unproven() int64 { return c.Possible + c.Contested }

// Undecided counts the fetches with an unknown verdict that a crawler is known to have made.
func (c *Counts) Undecided() int64 { return c.Unknown - c.NoCrawler }

// An archive could name a new product token, or claim, in every request.
const (
	maxAgents   = 65536 // product tokens counted apart: the first in the alphabet
	otherAgents = "(others)"
	maxClaims   = 64 // claims of a token that are kept: the first in the alphabet
)

// AgentTable counts the fetches of each product token, and of all tokens beyond maxAgents
// together. Which tokens these are depends on the tokens alone, so tables of ranges add up
// to the table of all.
type AgentTable struct {
	limit  int                    // "0" stands for maxAgents
	byKey  map[string]*AgentStats // and a few more, until they are cut
	others *AgentStats

	last    *AgentStats // that was asked for last, by lastKey
	lastKey string
}

// of returns the counts that a token's fetches go to. Of spellings that differ in case
// the first in the alphabet stands for all.
func (t *AgentTable) of(token, key string) *AgentStats {
	if t.last == nil || key != t.lastKey {
		if t.byKey == nil {
			t.byKey = make(map[string]*AgentStats)
		}
		if t.byKey[key] == nil {
			if limit := cmp.Or(t.limit, maxAgents); len(t.byKey) > limit+limit/4 {
				t.cut()
			}
			t.byKey[key] = newAgentStats(token)
		}
		t.last, t.lastKey = t.byKey[key], key
	}
	t.last.Agent = min(t.last.Agent, token)
	return t.last
}

// Add counts fetches of a token, for which a warcinfo record claims something.
func (t *AgentTable) Add(token, claim string, counts *Counts) {
	a := t.of(token, crawler.Key(token))
	a.Sum(counts)
	a.claim(claim)
}

// cut adds the counts of the tokens beyond the limit to others.
func (t *AgentTable) cut() {
	limit := cmp.Or(t.limit, maxAgents)
	if len(t.byKey) <= limit {
		return
	}
	if t.others == nil {
		t.others = newAgentStats(otherAgents)
	}
	for _, key := range slices.Sorted(maps.Keys(t.byKey))[limit:] {
		t.others.add(t.byKey[key])
		delete(t.byKey, key)
	}
	t.last = nil
}

func (t *AgentTable) add(o *AgentTable) {
	for key, a := range o.byKey {
		t.of(a.Agent, key).add(a)
	}
	if o.others != nil {
		if t.others == nil {
			t.others = newAgentStats(otherAgents)
		}
		t.others.add(o.others)
	}
}

// Sorted returns the counts by token.
func (t *AgentTable) Sorted() []*AgentStats {
	t.cut()
	list := slices.Collect(maps.Values(t.byKey))
	if t.others != nil {
		list = append(list, t.others)
	}
	slices.SortFunc(list, func(a, b *AgentStats) int { return cmp.Compare(crawler.Key(a.Agent), crawler.Key(b.Agent)) })
	return list
}

func newAgentStats(token string) *AgentStats {
	return &AgentStats{Agent: token, Claims: make(map[string]bool)}
}

func (a *AgentStats) add(o *AgentStats) {
	a.Counts.Sum(&o.Counts)
	a.Forged += o.Forged
	a.LongestAfterChange = max(a.LongestAfterChange, o.LongestAfterChange)
	for claim := range o.Claims {
		a.claim(claim)
	}
}

func (a *AgentStats) claim(claim string) {
	if claim == "" || a.Claims[claim] {
		return
	}
	if len(a.Claims) == maxClaims {
		last := slices.Max(slices.Collect(maps.Keys(a.Claims)))
		if claim > last {
			return
		}
		delete(a.Claims, last)
	}
	a.Claims[claim] = true
}
