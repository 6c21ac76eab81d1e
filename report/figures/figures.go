// Package figures counts what an audit found. It puts the counts into the words of the compliance report
// (Build) and of the summary on a terminal (WriteText).
//
// The same tables and options give the same Document. There is no clock in it.
//
// A report holds counts and rankings of bounded size and the most certain findings: 5,000 violations
// and 1,000 unproven ones. HTML shows as many of them as fit into about 3 MB, Markdown into 1 MiB,
// and both say what they leave out.
package figures

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/finding"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Figures are what a report counts and keeps of an audit, whatever its size: counts, rankings and the most certain
// findings. They are of the rows of the result tables: of an audit in hand, whose report.Writer passes its rows to
// Add, or of tables (Read). Both give equal figures.
type Figures struct {
	// WhatIf counts what other crawlers would have been allowed.
	WhatIf accessTally

	part       *results.Part
	inputs     inputs
	captures   finding.Captures
	sites      siteTally
	violations finding.Selection
	unproven   finding.Selection
	settles    finding.Doubts
	failed     int64 // certain violations of a robots.txt that could not be had
	why        whyTally
	timeline   *timelineTally
	unknown    *unknownTally
	byInput    []document.Tally // shared with parts; the first: of noInput
	kinds      groupTally
	use        useTally
	crawlers   crawlerTally
	forged     forgedTally
	issues     issueTally
	evidence   map[verdict]int64 // fetches
	exclusions map[string]int64  // URLs that logs name, by verdict
	unnamed    int64             // captures of robots.txt by no crawler that is known by name
	hosts      hostTally         // of rows of tables of robots.txt
}

// Findings that a Document holds; the tables have all.
const (
	maxViolations = 5000
	maxUnproven   = 1000
)

type verdict struct{ verdict, evidence string }

// New returns figures of nothing, for inputs of some names.
func New(names []string) *Figures {
	in := inputs{seed: maphash.MakeSeed(), byName: make([]named, len(names))}
	for i, name := range names {
		in.byName[i] = named{maphash.String(in.seed, name), int32(i)}
	}
	slices.SortFunc(in.byName, func(a, b named) int { return cmp.Compare(a.hash, b.hash) })
	return in.figures(make([]document.Tally, len(names)+1))
}

func (in inputs) figures(byInput []document.Tally) *Figures {
	return &Figures{
		part: new(results.Part), inputs: in, sites: newSiteTally(), violations: finding.Selection{Limit: maxViolations},
		unproven: finding.Selection{Limit: maxUnproven}, settles: make(finding.Doubts), timeline: newTimelineTally(),
		unknown: newUnknownTally(), byInput: byInput, kinds: make(groupTally), use: newUseTally(),
		WhatIf: newAccessTally(), evidence: make(map[verdict]int64), exclusions: make(map[string]int64),
	}
}

// Add counts the next row of a table: a pointer to it, which is valid during the call. Of an origin, captures of
// robots.txt come first, and its row of host_stats last.
func (f *Figures) Add(row any) {
	switch row := row.(type) {
	case *report.RobotsRow: // findings may cite captures that are not in the part
		changed, isKept := f.captures.Add(row), f.part.Keeps(row.HostName, row.FetchTime, row.Agent)
		if isKept {
			f.unknown.addCapture(row)
		}
		if isKept && changed {
			f.timeline.addChange(row)
		}
		if row.RecordType == facts.TypeRow.String() {
			f.hosts.add(row.HostName)
		}
		if isKept && row.Agent == "" && row.RecordType != facts.TypeLogLine.String() &&
			row.RecordType != facts.TypeRow.String() {
			f.unnamed++
		}
	case *report.FetchRow:
		f.addFetch(row)
	case *report.ViolationRow:
		s := &f.unproven
		if words.IsViolation(row.Certainty) {
			f.sites.addViolation(row)
			f.why.add(row)
			failed := words.Names(words.GroundWords, words.GroundFailed)[0]
			if row.Certainty == words.Certain.String() && slices.Contains(row.GroundWords(), failed) {
				f.failed++
			}
			s = &f.violations
		} else {
			f.settles.Add(row)
		}
		s.Add(row, f.captures.Cite)
	case *report.HostRow:
		f.sites.addHost(row)
		f.WhatIf.endOrigin()
	case *report.RobotsAgentRow:
		f.WhatIf.addToken(tokenGroup{row.RobotsID, row.Group}, row.Agent)
	case *report.GroupVerdictRow:
		if row.Reason != words.RobotsTxtItself.String() { // which is allowed to all
			f.WhatIf.addFetch(tokenGroup{row.RobotsID, row.Group}, row.Verdict)
		}
	case *report.RestrictionRow:
		f.use.addRestriction(row)
	case *report.UsageSignalRow:
		f.use.addSignal(row)
	case *report.AgentRow:
		f.crawlers.add(row)
	case *report.ExclusionRow:
		f.exclusions[strings.Clone(row.Verdict)]++
	case *report.IssueRow:
		f.issues.add(row)
	}
}

func (f *Figures) addFetch(row *report.FetchRow) {
	counts := document.Tally{Fetches: 1}
	switch {
	case words.IsViolation(row.Certainty):
		counts.Violations = 1
	case row.Verdict == words.Unknown.String() && !words.IsOfNobody(row.Reason):
		counts.Unknown = 1
		f.unknown.addFetch(row.Origin, row.Reason)
	}
	f.evidence[verdict{row.Verdict, row.Evidence}]++
	claim := row.Claim
	if row.RecordType == facts.TypeAccessLog.String() {
		claim = byCrawler + row.Agent
	}
	f.timeline.addFetch(row.FetchTime, claim, counts)
	f.kinds.add(kindOf(row.IsSeed, row.IsPage, row.HopsFromSeed), counts)
	if row.Reason == words.ForgedAgent.String() {
		f.forged.add(row.WARCFilename, []int64{row.WARCRecordOffset}, 1)
	}
	in, _ := f.inputs.of(row.WARCFilename)
	f.byInput[in+1].AddAtOnce(counts)
}

// Part returns figures of a range of origins.
func (f *Figures) Part() report.Counter {
	part := f.inputs.figures(f.byInput)
	part.violations, part.unproven = f.violations.After(), f.unproven.After()
	return part
}

// Join adds the figures of the range that follows.
func (f *Figures) Join(part report.Counter) {
	o := part.(*Figures)
	f.sites.join(&o.sites)
	f.failed += o.failed
	for _, l := range o.forged {
		f.forged.add(l.file, l.places, l.total)
	}
	for cause, n := range o.why {
		f.why[cause] += n
	}
	f.violations.Join(&o.violations)
	f.unproven.Join(&o.unproven)
	facts.AddCounts(f.settles, o.settles)
	f.timeline.join(o.timeline)
	f.unknown.join(o.unknown)
	for kind, counts := range o.kinds {
		f.kinds.add(kind, *counts)
	}
	f.use.join(&o.use)
	f.WhatIf.join(&o.WhatIf)
	facts.AddCounts(f.evidence, o.evidence)
	facts.AddCounts(f.exclusions, o.exclusions)
	f.unnamed += o.unnamed
	f.hosts.join(&o.hosts)
}

// hostTally counts hosts, whose rows follow one another.
type hostTally struct {
	n           int64
	first, last string
}

func (t *hostTally) add(host string) {
	if host != t.last || t.n == 0 {
		t.join(&hostTally{1, strings.Clone(host), strings.Clone(host)})
	}
}

func (t *hostTally) join(o *hostTally) {
	switch {
	case o.n == 0:
		return
	case t.n == 0:
		t.first = o.first
	case t.last == o.first: // a range began in the host
		t.n--
	}
	t.n, t.last = t.n+o.n, o.last
}

// inputs finds the inputs that hold records. Names would take more memory than their hashes, by as many bytes as
// they have.
type inputs struct {
	seed    maphash.Seed
	byName  []named // by hash
	nowhere string  // the folder of the last file that no input holds: of an index, most are in one
}

type named struct {
	hash  uint64 // of the name
	input int32
}

func (n named) compare(hash uint64) int { return cmp.Compare(n.hash, hash) }

const noInput = -1 // holds the archives that only an index names

// of finds the input of a file that holds a record, and in a WACZ the entry.
func (in *inputs) of(file string) (n int, entry string) {
	name := file
	for name != in.nowhere {
		hash := maphash.String(in.seed, name)
		if i, found := slices.BinarySearchFunc(in.byName, hash, named.compare); found {
			return int(in.byName[i].input), strings.TrimPrefix(strings.TrimPrefix(file, name), "/")
		}
		slash := strings.LastIndexByte(name, '/')
		if slash < 0 {
			in.nowhere = strings.Clone(file[:max(0, strings.LastIndexByte(file, '/'))])
			break
		}
		name = name[:slash]
	}
	return noInput, ""
}

// Read counts what the tables of an audit, or of a part, hold.
func Read(ctx context.Context, res *results.Results) (*Figures, error) {
	var names []string
	for in, err := range res.Inputs() {
		if err != nil {
			return nil, err
		}
		names = append(names, in.Name)
	}
	f := New(names)
	f.part = res.Part()
	if err := eachOrigin(ctx, res, f.Add); err != nil {
		return nil, err
	}
	err := cmp.Or(
		add(f, results.Rows(ctx, res, report.FetchesTable, "origin", "fetch_time", "warc_filename", "warc_record_offset",
			"record_type", "agent", "claim", "verdict", "reason", "certainty", "evidence", "hops_from_seed", "is_seed", "is_page")),
		add(f, results.Rows(ctx, res, report.RestrictionsTable)),
		results.InStep(ctx, res, report.UsageSignalsTable, func(row *report.UsageSignalRow, kept bool) error {
			if kept {
				f.Add(row)
			}
			return nil
		}, "purpose", "preference", "binds", "warc_filename", "warc_record_offset"),
		add(f, results.Rows(ctx, res, report.AgentStatsTable)),
		add(f, results.Rows(ctx, res, report.IssuesTable)),
		add(f, results.RowsIfWritten(ctx, res, report.ExclusionsTable)),
	)
	if err != nil {
		return nil, err
	}
	return f, f.readWhatIf(ctx, res)
}

func add[R any](f *Figures, rows iter.Seq2[*R, error]) error {
	for row, err := range rows {
		if err != nil {
			return err
		}
		f.Add(row)
	}
	return nil
}

// eachOrigin passes on captures, findings, and counts of origins, in the order of Figures.Add.
func eachOrigin(ctx context.Context, res *results.Results, add func(row any)) error {
	captures := results.Follow(ctx, res.Whole(), report.RobotsTable)
	defer captures.Stop()
	var findings []*results.Follower[report.ViolationRow]
	for _, table := range []report.TableOf[report.ViolationRow]{report.ViolationsTable, report.UnprovenTable} {
		f := results.Follow(ctx, res, table)
		defer f.Stop()
		findings = append(findings, f)
	}
	for host, err := range results.Rows(ctx, res, report.HostStatsTable) {
		if err != nil {
			return err
		}
		is := func(row *report.ViolationRow) bool { return row.Origin == host.Origin }
		if host.Violations()+host.Unproven() > 0 { // the captures that they cite are there
			here := false
			if err := pass(captures, add, func(row *report.RobotsRow) bool {
				more := !here || row.Origin == host.Origin
				here = here || row.Origin == host.Origin
				return more
			}); err != nil {
				return err
			}
		}
		for _, f := range findings {
			if err := pass(f, add, is); err != nil {
				return err
			}
		}
		add(host)
	}
	all := func(*report.RobotsRow) bool { return true }
	if err := pass(captures, add, all); err != nil {
		return err
	}
	for _, f := range findings {
		if row, err := f.Peek(); row != nil || err != nil {
			return cmp.Or(err, fmt.Errorf("the tables of %s do not agree on the origin %s; audit again", res.Name(),
				prose.Visible(row.Origin)))
		}
	}
	return nil
}

// pass passes rows on while they are the ones wanted.
func pass[R any](rows *results.Follower[R], add func(row any), wanted func(*R) bool) error {
	for {
		row, err := rows.Peek()
		if row == nil || err != nil || !wanted(row) {
			return err
		}
		add(row)
		rows.Skip()
	}
}
