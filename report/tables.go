package report

import "reflect"

// SchemaVersion is written to the footer of every table and to audit.json. Within a version
// columns are only ever added, and added columns are nullable.
const SchemaVersion = "3"

// The result tables. Each table is described here, each column in the comment of its field: the writer, the
// command schema, docs/SCHEMA.md, package results and the checks in scripts all go by these.
// docs/ARCHITECTURE.md explains how to add one.
var (
	FetchesTable = TableOf[FetchRow]{Table{
		Name: "fetches", Key: recordKey, Order: fetchOrder,
		Doc: "One row per captured exchange for an http, https or ftp URL, with the verdict for the crawler that made it. " +
			"Responses of other schemes that have a host have a row, too.",
	}}
	ViolationsTable = TableOf[ViolationRow]{Table{
		Name: "violations", Key: recordKey, Order: fetchOrder,
		Doc: "One row per certain or probable violation of robots.txt, with all its proof.",
	}}
	UnprovenTable = TableOf[ViolationRow]{Table{
		Name: "unproven", Key: recordKey, Order: fetchOrder,
		Doc: "One row per disallowed fetch that is no violation as far as these archives show: possible or contested.",
	}}
	RestrictionsTable = TableOf[RestrictionRow]{Table{
		Name: "restrictions", Key: append([]string{"kind", "purpose"}, recordKey...), Order: fetchOrder,
		With: []string{"--purpose"},
		Doc: "One row per fetch, purpose and kind of restriction: what the page or its site states against that " +
			"purpose. No violations.",
	}}
	RobotsTable = TableOf[RobotsRow]{Table{
		Name: "robots", Key: []string{"robots_id"}, Order: "robots_id",
		Doc: "One row per capture of /robots.txt, with its outcome, and per log line that reports that robots.txt " +
			"could not be fetched.",
	}}
	PoliciesTable = TableOf[PolicyRow]{Table{
		Name: "robots_policies", Key: []string{"robots_id", "agent"},
		Order: "robots_id, then agent: `*` first, then in the alphabet, in any case",
		Doc: "One row per capture of /robots.txt and product token: what it means for that token, whether or not " +
			"it governs a fetch.",
	}}
	PageTagsTable = TableOf[PageTagRow]{Table{
		Name: "page_tags", Order: fetchOrder,
		Doc: "One row per rule that a page states for itself, in a Robots-Tag or X-Robots-Tag field or in a meta element.",
	}}
	EffectiveTagsTable = TableOf[EffectiveTagsRow]{Table{
		Name: "effective_tags", Key: append([]string{"agent"}, recordKey...), Order: fetchOrder,
		Doc: "One row per page and product token that its tags name: the rules in effect for that token.",
	}}
	UsageSignalsTable = TableOf[UsageSignalRow]{Table{
		Name: "usage_signals", Order: fetchOrder,
		Doc: "One row per fetch and statement on its use that holds for it, made by the page or its origin.",
	}}
	TagConflictsTable = TableOf[TagConflictRow]{Table{
		Name: "tag_conflicts", Order: fetchOrder,
		Doc: "One row per contradiction between statements on the use of a fetch, for the crawler that made it. " +
			"The restriction holds.",
	}}
	HostStatsTable = TableOf[HostRow]{Table{
		Name: "host_stats", Key: []string{"origin"}, Order: "origin, in the order of fetches",
		Doc: "One row per origin, with counts of its fetches. URLs whose origin could not be read share rows with " +
			"an empty one.",
	}}
	AgentStatsTable = TableOf[AgentRow]{Table{
		Name: "agent_stats", Key: []string{"agent"}, Order: "agent",
		Doc: "One row per product token, in any letter case, with counts of its fetches. Tokens beyond the first " +
			"65,536 in the alphabet share the row (others).",
	}}
	ExclusionsTable = TableOf[ExclusionRow]{Table{
		Name: "exclusions", Key: []string{"warc_filename", "log_line"},
		Order: "origin, in the order of fetches, then log_time",
		Doc: "One row per URL that a crawler left out because of robots.txt, as its log reports, with the verdict " +
			"by the captures. No fetches.",
	}}
	IssuesTable = TableOf[IssueRow]{Table{
		Name: "issues", Order: "warc_filename, in the order of inputs, then offset",
		Doc: "One row per problem: something in the archives that could not be read or trusted.",
	}}
	GroupVerdictsTable = TableOf[GroupVerdictRow]{Table{
		Name: "group_verdicts", Key: append([]string{"robots_id", "group"}, recordKey...), Order: fetchOrder,
		With: whatIfOptions, Optional: true,
		Doc: "One row per fetch and group of its robots.txt that decides for some what-if token: the verdict for " +
			"all tokens that robots_agents maps to the group.",
	}}
	RobotsAgentsTable = TableOf[RobotsAgentRow]{Table{
		Name: "robots_agents", Key: []string{"robots_id", "agent"},
		Order: "origin, in the order of fetches; rows of robots_id 0 anywhere", With: whatIfOptions, Optional: true,
		Doc: "One row per capture of robots.txt and what-if token: the group that governs the token.",
	}}
)

// tables lists the result tables in the order in which they are documented.
var tables = []anyTable{
	FetchesTable, ViolationsTable, UnprovenTable, RestrictionsTable, RobotsTable, PoliciesTable,
	PageTagsTable, EffectiveTagsTable, UsageSignalsTable, TagConflictsTable, HostStatsTable, AgentStatsTable,
	ExclusionsTable, IssuesTable, GroupVerdictsTable, RobotsAgentsTable,
}

// Sets of tables: what --tables calls several of them.
const (
	VerdictsSet = "verdicts" // what verdicts need, and report.html, which is made of them
	AllSet      = "all"
)

var verdictTables = []anyTable{
	FetchesTable, ViolationsTable, UnprovenTable, RestrictionsTable, RobotsTable, UsageSignalsTable,
	HostStatsTable, AgentStatsTable, IssuesTable, GroupVerdictsTable, RobotsAgentsTable,
}

// Set returns the names of the tables in a set; nil where there is no set of that name.
func Set(name string) []string {
	switch name {
	case VerdictsSet:
		return namesOf(verdictTables)
	case AllSet:
		return namesOf(tables)
	}
	return nil
}

// formerTables lists tables that audits of earlier versions wrote. They go with the
// audit that they belong to.
var formerTables = []string{"contested"}

var (
	recordKey     = []string{"warc_filename", "warc_record_offset"}
	whatIfOptions = []string{"--agents"}
)

const fetchOrder = "origin, in the order of a hash of its host, then fetch_time"

// Table describes a result table.
type Table struct {
	Name string `json:"name"`
	Doc  string `json:"meaning"` // what a row is: "One row per …"
	// columns that identify a row, but for records in one gzip member; nil: none do
	Key      []string `json:"key,omitempty"`
	Order    string   `json:"sorted_by"`      // in words
	With     []string `json:"with,omitempty"` // options; without any of these it has no rows
	Optional bool     `json:"optional"`       // without those options it is not written at all
}

// File is the table's file in an output folder.
func (t Table) File() string { return tableFile(t.Name) }

func tableFile(name string) string { return name + ".parquet" }

// TableOf is a table with rows of type T, each a struct with a field per column.
type TableOf[T any] struct{ Table }

func (t TableOf[T]) about() *Table         { return &t.Table }
func (t TableOf[T]) rowType() reflect.Type { return reflect.TypeFor[T]() }
func (t TableOf[T]) create(dir string, isPart bool) anyWriter {
	return &tableWriter[T]{name: t.Name, dir: dir, isPart: isPart}
}

// writer is the writer of the table in w, nil where w leaves it out.
func (t TableOf[T]) writer(w *Writer) *tableWriter[T] {
	table, _ := w.tables[t.Name].(*tableWriter[T])
	return table
}

// add writes a row. Where w leaves the table out, it is counted alone.
func (t TableOf[T]) add(w *Writer, row T) error {
	if table := t.writer(w); table != nil {
		return table.add(row)
	}
	if w.counter != nil {
		counted, ok := w.counted.(*T) // else each row is allocated
		if !ok {
			counted = new(T)
			w.counted = counted
		}
		*counted = row
		w.counter.Add(counted)
	}
	return nil
}

// anyTable is a table with rows of any type.
type anyTable interface {
	about() *Table
	rowType() reflect.Type
	create(dir string, isPart bool) anyWriter
}

// TableNames lists the result tables, those too that only some audits have.
func TableNames() []string { return namesOf(tables) }

func namesOf(tables []anyTable) (names []string) {
	for _, t := range tables {
		names = append(names, t.about().Name)
	}
	return names
}
