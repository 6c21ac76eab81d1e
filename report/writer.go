// Package report writes results: the tables in Parquet, audit.json, which commits
// them, and a summary to read.
//
// It does not know how verdicts are reached.
//
// One registry lists the tables: name, row type, what a row is, key, and whether an option is
// needed. The writer, docs/SCHEMA.md, 'robotsaudit schema' and the checks use it. The comment of a
// field documents its column. A field of another Go type needs a case in newColumnWriter.
//
// Tables are written to a private folder. They are renamed after the audit.json of the audit before
// was removed, and the new audit.json comes last: whoever finds it finds complete tables. Ranges
// that are decided at the same time write parts of their own, and Commit joins them: row groups are
// copied as they are, and only places in the file are written anew (joinFiles).
//
// Rows are encoded column by column, 64 at a time (encoder). A column holds the page in hand in a
// form that is near to its encoding, so a value costs an append, and one that equals the value
// before hardly more than a comparison. The schema, the encodings, the indexes and the footer are
// parquet-go's. Its own writers (v0.32.0) are not used, for three reasons. They keep the least and
// the greatest text of every page in full until the file ends: 4,000 fetches with URLs of 60 kB
// took half a gigabyte. When they leave bounds out, they state false ones (0, or an empty text),
// and readers that pass over pages by their bounds, as Spark and DataFusion do, lose rows. They
// take values in a general form, which takes twice as long (docs/bench/2026-11-24-index). Here only
// the columns of bounded have bounds, and those are true. A row group can be written only when it
// is complete. Until then its pages lie in a file in the private folder, so a table does not depend
// on how many rows its groups have.
package report

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/ranks"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

const temporary = ".robotsaudit-results" // folder inside the output folder that holds tables until they are whole

// Writer is an evaluate.Sink that writes the result tables of an output folder.
// They count once Commit has returned.
type Writer struct {
	rowBuilder
	dir    string
	tmp    string
	facts  *evaluate.Facts
	opt    evaluate.Options
	tables map[string]anyWriter // by name; empty once Commit or Abandon has closed them
	only   []string             // names of the tables that are written; nil: all
	tally  *tally
	parts  parts
}

// NewWriter starts the tables of an output folder, for facts that are evaluated with options.
func NewWriter(dir string, facts *evaluate.Facts, opt evaluate.Options) (*Writer, error) {
	opt.Profile = cmp.Or(opt.Profile, evaluate.RFC9309)
	tmp := filepath.Join(dir, temporary)
	if err := os.RemoveAll(tmp); err != nil {
		return nil, err
	}
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return nil, err
	}
	return newWriter(dir, tmp, facts, opt), nil
}

// newWriter starts the tables in a folder tmp.
func newWriter(dir, tmp string, facts *evaluate.Facts, opt evaluate.Options) *Writer {
	w := &Writer{
		rowBuilder: newRowBuilder(facts, opt.Profile.String()), dir: dir, tmp: tmp, facts: facts, opt: opt,
		tables: make(map[string]anyWriter), tally: newTally(),
	}
	for _, t := range tables {
		if !t.about().Optional || len(opt.Agents) > 0 {
			w.tables[t.about().Name] = t.create(tmp)
		}
	}
	return w
}

// Ranks is a ranking of domains: of ReadRanks.
type Ranks = ranks.List

// ReadRanks reads a ranking from a file of lines RANK,DOMAIN, as it stands or in gzip.
func ReadRanks(path string) (*Ranks, error) { return ranks.Read(path) }

// Rank gives hosts the strata of a ranking. It comes before all rows.
func (w *Writer) Rank(list *Ranks) { w.ranks = list }

// Only leaves out all tables but those named. It comes before all rows.
func (w *Writer) Only(names []string) {
	if w.only = names; names == nil {
		return
	}
	maps.DeleteFunc(w.tables, func(name string, t anyWriter) bool {
		if slices.Contains(names, name) {
			return false
		}
		t.abandon()
		return true
	})
}

// Abandon removes the files written. After Commit it does nothing.
func (w *Writer) Abandon() {
	w.drop()
	for _, p := range w.parts.of {
		p.drop()
	}
	os.RemoveAll(w.tmp)
}

// drop closes the tables that are not complete.
func (w *Writer) drop() {
	for _, t := range w.tables {
		t.abandon()
	}
	clear(w.tables)
}

// Result writes a fetch, and the rows that it has in other tables.
func (w *Writer) Result(r *evaluate.Result) error {
	w.tally.addResult(r)
	var err error
	if fetches := FetchesTable.writer(w); fetches != nil { // else there is no need to make the row
		err = fetches.add(w.fetchRow(r))
	}
	switch {
	case r.IsViolation():
		err = cmp.Or(err, ViolationsTable.add(w, w.violationRow(r)))
	case r.IsUnproven():
		err = cmp.Or(err, UnprovenTable.add(w, w.violationRow(r)))
	}
	for i := range r.Restrictions {
		err = cmp.Or(err, RestrictionsTable.add(w, w.restrictionRow(r, &r.Restrictions[i])))
	}
	if r.TooSoon != nil {
		err = cmp.Or(err, CrawlDelaysTable.add(w, w.crawlDelayRow(r)))
	}
	if err == nil && r.Page != nil {
		err = w.page(r)
	}
	return err
}

// page writes the statements on the use of a fetch.
func (w *Writer) page(r *evaluate.Result) (err error) {
	p := r.Page
	for i := range p.Tags {
		err = cmp.Or(err, PageTagsTable.add(w, w.pageTagRow(r, &p.Tags[i])))
	}
	for i := range p.Sets {
		err = cmp.Or(err, EffectiveTagsTable.add(w, w.effectiveRow(r, &p.Sets[i])))
	}
	for i := range p.Signals {
		err = cmp.Or(err, UsageSignalsTable.add(w, w.signalRow(r, &p.Signals[i])))
	}
	for i := range p.Conflicts {
		err = cmp.Or(err, TagConflictsTable.add(w, w.conflictRow(r, &p.Conflicts[i])))
	}
	return err
}

// Robots writes a robots capture.
func (w *Writer) Robots(r *evaluate.RobotsRecord) error {
	w.tally.addRobots(r)
	return RobotsTable.add(w, w.robotsRow(r))
}

// Policies writes the policies of a robots capture.
func (w *Writer) Policies(p *evaluate.Policies) error {
	return w.eachPolicy(p, func(row PolicyRow) error { return PoliciesTable.add(w, row) })
}

// GroupVerdict writes a what-if verdict.
func (w *Writer) GroupVerdict(v *evaluate.GroupVerdict) error {
	w.tally.addVerdict(robotsID(v.Governing), v)
	return GroupVerdictsTable.add(w, w.groupVerdictRow(v))
}

// RobotsAgent writes that a group of a robots capture governs a token.
func (w *Writer) RobotsAgent(robotsID int64, group int, agent string) error {
	w.tally.WhatIf.here.Join(TokenGroup{robotsID, group}, agent)
	return RobotsAgentsTable.add(w, RobotsAgentRow{robotsID, int32(group), text(agent)})
}

// Host writes an origin's counts. The origin's results are all written.
func (w *Writer) Host(h *evaluate.HostStats) error {
	w.tally.addHost(h)
	return HostStatsTable.add(w, w.hostRow(h))
}

// Agent writes a product token's counts.
func (w *Writer) Agent(a *evaluate.AgentStats) error {
	w.tally.addAgent(a)
	return AgentStatsTable.add(w, agentRow(a))
}

// Exclusion writes a URL that a log states was not fetched.
func (w *Writer) Exclusion(x *evaluate.Exclusion) error {
	*w.tally.Exclusions.Of(x.Verdict.String())++
	return ExclusionsTable.add(w, w.exclusionRow(x))
}

// Issue writes an issue.
func (w *Writer) Issue(i *evaluate.Issue) error {
	return w.issue(w.issueRow(i), i.Kind)
}

// failures writes the inputs that could not be read at all.
func (w *Writer) failures() (err error) {
	for _, f := range w.facts.Failures {
		err = cmp.Or(err, w.issue(failureRow(f), words.IssueUnreadable))
	}
	return err
}

func (w *Writer) issue(row IssueRow, kind words.IssueKind) error {
	w.tally.addIssue(&row, kind)
	return IssuesTable.add(w, row)
}
