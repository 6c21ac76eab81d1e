// Package report writes results: the tables in Parquet, and audit.json, which commits them.
//
// It does not know how verdicts are reached.
//
// One registry lists the tables: name, row type, what a row is, key, and whether an option is
// needed. The writer, docs/SCHEMA.md, 'robotsaudit schema' and the checks use it. The comment of a
// field documents its column. A field of another Go type needs a case in package parquetwriter.
//
// Tables are written to a private folder. They are renamed after the audit.json of the audit before
// was removed, and the new audit.json comes last: whoever finds it finds complete tables. Ranges
// that are decided at the same time write parts of their own, which the tables take in the order of
// ranges: package parquetwriter explains how.
package report

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
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
	opt    evaluate.DecideOptions
	tables map[string]anyWriter // by name; empty once Commit or Abandon has closed them
	isPart bool                 // of a range: others may report the ungoverned tokens, too
	parts  parts

	issues, unread int64    // and inputs with something that could not be read
	lastUnread     string   // the last such input
	ungoverned     []string // what-if tokens that parts report, where some fetch has no governing capture

	counter Counter // nil: nothing counts the rows
	counted any     // the last row that was counted alone; reused
}

// A Counter counts the rows of tables while they are written.
type Counter interface {
	// Add counts a row: a pointer to it, which is valid during the call.
	Add(row any)
	// Part returns a counter of the rows of a range of origins, which Join adds. Ranges are joined in order.
	Part() Counter
	Join(part Counter)
}

// NewWriter starts the tables of an output folder, for facts that are evaluated with options.
func NewWriter(dir string, facts *evaluate.Facts, opt evaluate.DecideOptions) (*Writer, error) {
	tmp := filepath.Join(dir, temporary)
	if err := os.RemoveAll(tmp); err != nil {
		return nil, err
	}
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return nil, err
	}
	w := newWriter(tmp, facts, opt, false)
	w.dir = dir
	return w, nil
}

// newWriter starts the tables in a folder tmp. Rows of waiting ones are for the tables of another Writer.
func newWriter(tmp string, facts *evaluate.Facts, opt evaluate.DecideOptions, waiting bool) *Writer {
	opt.Profile = cmp.Or(opt.Profile, evaluate.RFC9309)
	w := &Writer{
		rowBuilder: rowBuilder{facts: facts, profile: opt.Profile.String()}, tmp: tmp, facts: facts, opt: opt,
		tables: make(map[string]anyWriter),
		parts:  parts{of: make(map[int]*Writer), ended: make(map[int]bool)},
	}
	for _, t := range tables {
		if !t.about().Optional || len(opt.Agents) > 0 {
			w.tables[t.about().Name] = t.create(tmp, waiting)
		}
	}
	return w
}

// Only leaves out all tables but those named. It comes before all rows.
func (w *Writer) Only(names []string) {
	if names != nil {
		maps.DeleteFunc(w.tables, func(name string, _ anyWriter) bool { return !slices.Contains(names, name) })
	}
}

// Count passes all rows that are written to a counter, in their order. It comes before all rows.
func (w *Writer) Count(c Counter) {
	w.counter = c
	for _, t := range w.tables {
		t.count(c)
	}
}

// Inputs are the names of the inputs, in the order of audit.json.
func (w *Writer) Inputs() []string {
	names := make([]string, 0, w.facts.Totals.Count)
	for _, in := range w.facts.Inputs() {
		names = append(names, locator(in.Name))
	}
	return names
}

// another starts the same tables in another folder.
func (w *Writer) another(tmp string, waiting bool) *Writer {
	o := newWriter(tmp, w.facts, w.opt, waiting)
	maps.DeleteFunc(o.tables, func(name string, _ anyWriter) bool { return w.tables[name] == nil })
	if w.counter != nil {
		o.Count(w.counter.Part())
	}
	return o
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
	var err error
	if isWritten := FetchesTable.writer(w) != nil; isWritten || w.counter != nil { // else nobody needs the row
		row := w.fetchRow(r)
		if isWritten { // else nobody needs the key
			row.SURTKey = locator(w.surt.Key(r.Fetch.Origin, r.Fetch.URL))
		}
		err = FetchesTable.add(w, row)
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
func (w *Writer) Robots(r *evaluate.RobotsRecord) error { return RobotsTable.add(w, w.robotsRow(r)) }

// Policies writes the policies of a robots capture.
func (w *Writer) Policies(p *evaluate.Policies) error {
	return w.eachPolicy(p, func(row PolicyRow) error { return PoliciesTable.add(w, row) })
}

// GroupVerdict writes a what-if verdict.
func (w *Writer) GroupVerdict(v *evaluate.GroupVerdict) error {
	return GroupVerdictsTable.add(w, w.groupVerdictRow(v))
}

// RobotsAgent writes that a group of a robots capture governs a token.
func (w *Writer) RobotsAgent(robotsID int64, group int, agent string) error {
	row := RobotsAgentRow{robotsID, int32(group), text(agent)}
	if !w.isPart || robotsID != 0 {
		return RobotsAgentsTable.add(w, row)
	}
	w.ungoverned = append(w.ungoverned, agent)
	if w.counter != nil {
		w.counter.Add(&row)
	}
	return nil
}

// Host writes an origin's counts. The origin's results are all written.
func (w *Writer) Host(h *evaluate.HostStats) error { return HostStatsTable.add(w, w.hostRow(h)) }

// Agent writes a product token's counts.
func (w *Writer) Agent(a *evaluate.AgentStats) error { return AgentStatsTable.add(w, AgentRowOf(a)) }

// Exclusion writes a URL that a log states was not fetched.
func (w *Writer) Exclusion(x *evaluate.Exclusion) error {
	return ExclusionsTable.add(w, w.exclusionRow(x))
}

// Issue writes an issue.
func (w *Writer) Issue(i *evaluate.Issue) error { return w.issue(w.filename(i.Input, i.Entry), i) }

// failures writes the inputs that could not be read at all.
func (w *Writer) failures() (err error) {
	for _, f := range w.facts.Failures {
		err = cmp.Or(err, w.issue(locator(f.Name), &facts.Issue{
			Offset: -1, Length: -1, Kind: words.IssueUnreadable, Detail: f.Reason, Action: "not read",
		}))
	}
	return err
}

func (w *Writer) issue(filename string, i *facts.Issue) error {
	w.issues++
	// the issues of an input come one after the other
	if i.Kind.Lossy() && (w.unread == 0 || w.lastUnread != filename) {
		w.unread++
		w.lastUnread = filename
	}
	return IssuesTable.add(w, issueRow(filename, i))
}
