package report

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// column is a column as docs/SCHEMA.md describes it and as a table has it.
type column struct {
	Name, Type string
	Nullable   bool
}

func schemaDocument(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../docs/SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// section returns the part of a document from a heading to the next.
func section(t *testing.T, doc, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(doc, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("docs/SCHEMA.md has no %q", heading)
	}
	if end := strings.Index(rest, "\n#"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// documented reads the rows of the column tables in a section.
func documented(t *testing.T, doc, heading string) (columns []column) {
	t.Helper()
	for line := range strings.Lines(section(t, doc, heading)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[3] == "" {
			t.Errorf("%s: %s: what null means is missing", heading, cells[1])
		}
		columns = append(columns, column{strings.Trim(cells[1], "`"), cells[2], cells[3] != "no"})
	}
	return columns
}

// columnsOf lists a table's columns by what the files will say.
func columnsOf[T any](t *testing.T) (columns []column) {
	t.Helper()
	types := map[string]string{
		"BOOLEAN": "BOOLEAN",
		"STRING":  "STRING", "INT(16,true)": "INT16", "INT32": "INT32", "INT64": "INT64", "INT(32,true)": "INT32", "INT(64,true)": "INT64",
		"TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)": "TIMESTAMP",
	}
	for _, f := range parquet.SchemaOf(new(T)).Fields() {
		c := column{Name: f.Name(), Nullable: f.Optional()}
		if f.Leaf() {
			c.Type = types[f.Type().String()]
		} else if f.Type().String() == "LIST" {
			c.Type = "LIST of STRING"
		}
		if c.Type == "" {
			t.Errorf("%s has a type that docs/SCHEMA.md has no word for: %s", c.Name, f.Type())
		}
		columns = append(columns, c)
	}
	return columns
}

func TestDocumentDescribesEveryColumn(t *testing.T) {
	doc := schemaDocument(t)
	counts, citation := documented(t, doc, "### Counts"), documented(t, doc, "### Robots citation")
	violation := slices.Concat(documented(t, doc, "## violations and unproven"), citation, documented(t, doc, "### Contested citation"))
	tables := map[string]struct{ got, want []column }{
		"fetches":        {documented(t, doc, "## fetches"), columnsOf[FetchRow](t)},
		"violations":     {violation, columnsOf[ViolationRow](t)},
		"unproven":       {violation, columnsOf[ViolationRow](t)},
		"restrictions":   {append(documented(t, doc, "## restrictions"), citation...), columnsOf[RestrictionRow](t)},
		"crawl_delays":   {append(documented(t, doc, "## crawl_delays"), citation...), columnsOf[CrawlDelayRow](t)},
		"robots":         {documented(t, doc, "## robots"), columnsOf[RobotsRow](t)},
		"page_tags":      {documented(t, doc, "## page_tags"), columnsOf[PageTagRow](t)},
		"effective_tags": {documented(t, doc, "## effective_tags"), columnsOf[EffectiveTagsRow](t)},
		"usage_signals":  {documented(t, doc, "## usage_signals"), columnsOf[UsageSignalRow](t)},
		"tag_conflicts":  {documented(t, doc, "## tag_conflicts"), columnsOf[TagConflictRow](t)},
		"host_stats":     {append(documented(t, doc, "## host_stats"), counts...), columnsOf[HostRow](t)},
		"agent_stats":    {append(documented(t, doc, "## agent_stats"), counts...), columnsOf[AgentRow](t)},
		"exclusions":     {documented(t, doc, "## exclusions"), columnsOf[ExclusionRow](t)},
		"issues":         {documented(t, doc, "## issues"), columnsOf[IssueRow](t)},
		"group_verdicts": {documented(t, doc, "## group_verdicts"), columnsOf[GroupVerdictRow](t)},
		"robots_agents":  {documented(t, doc, "## robots_agents"), columnsOf[RobotsAgentRow](t)},
	}
	for _, name := range tableNames {
		if diff := cmp.Diff(tables[name].want, tables[name].got); diff != "" {
			t.Errorf("%s (-code +docs/SCHEMA.md):\n%s", name, diff)
		}
		if len(tables[name].want) == 0 || !strings.Contains(doc, "| [`"+name+"`](#") {
			t.Errorf("table %s is not in the list of tables", name)
		}
	}
	if len(tables) != len(tableNames) {
		t.Errorf("%d tables described, %d written", len(tables), len(tableNames))
	}
}

// values lists the table values of an enum that counts from 0, to its end.
func values[T ~uint8](name func(T) string) (list []string) {
	defer func() { _ = recover() }() // String of what is no value may panic
	for i := range 256 {
		s := name(T(i))
		if i > 0 && (s == "" || len(list) > 0 && s == name(0)) {
			break
		}
		list = append(list, s)
	}
	return list
}

func TestDocumentNamesEveryValue(t *testing.T) {
	doc := schemaDocument(t)
	enums := map[string][]string{
		"verdict":      values(evaluate.Verdict.String),
		"evidence":     values(evaluate.Evidence.String),
		"reason":       values(evaluate.Reason.String)[1:],
		"certainty":    values(evaluate.Certainty.String)[1:],
		"agent_source": values(evaluate.AgentSource.String),
		"agent_match":  values(evaluate.Match.String)[1:4],
		"outcome":      values(evaluate.Outcome.String),
		"record_type":  values(ingest.RecordType.String)[1:],
		"trust":        values(ingest.Trust.String),
		"issue kind":   values(ingest.IssueKind.String)[1:],
		"note":         (^evaluate.Notes(0)).Strings(),
		"remark":       values(robots.NoteKind.String)[1:],
		"restriction":  values(evaluate.RestrictionKind.String)[1:],
		"tags_from":    values(evaluate.PageSource.String)[1:],
		"conflict":     values(evaluate.ConflictKind.String)[1:],
		"rule":         values(tag.Rule.String)[1:],
		"purpose":      values(tag.Purpose.String)[1:],
		"preference":   values(tag.Preference.String),
		"source":       values(tag.Source.String)[1:],
		"protocol":     values(tag.SignalKind.String)[1:],
		"parse_mode":   values(tag.Mode.String)[1:],
		"scope":        values(tag.Scope.String)[1:],
	}
	least := map[string]int{"verdict": 3, "evidence": 4, "reason": 19, "certainty": 4, "agent_source": 4, "outcome": 6,
		"record_type": 4, "trust": 2, "issue kind": 25, "note": 21, "remark": 20,
		"restriction": 2, "tags_from": 2, "conflict": 4, "rule": 20, "purpose": 7, "preference": 3, "source": 7, "protocol": 6,
		"parse_mode": 3, "scope": 3}
	for _, enum := range slices.Sorted(maps.Keys(enums)) {
		if len(enums[enum]) < least[enum] {
			t.Errorf("%s: only %d values were found: %q", enum, len(enums[enum]), enums[enum])
		}
		for _, v := range enums[enum] {
			if !strings.Contains(doc, "`"+v+"`") {
				t.Errorf("docs/SCHEMA.md does not name the %s %q", enum, v)
			}
		}
	}
	for _, p := range robots.Profiles {
		if !strings.Contains(doc, "`"+p.String()+"`") {
			t.Errorf("docs/SCHEMA.md does not name the profile %q", p)
		}
	}
}

// Every field of audit.json is described, and nothing else.
func TestDocumentDescribesAudit(t *testing.T) {
	var want []string
	for f := range reflect.TypeFor[Audit]().Fields() {
		want = append(want, jsonFields("", f)...)
	}
	var got []string
	for line := range strings.Lines(section(t, schemaDocument(t), "## audit.json")) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "` |"); ok && strings.HasPrefix(line, "| `") {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit.json (-code +docs/SCHEMA.md):\n%s", diff)
	}
}

// jsonFields lists the paths of what a field holds.
func jsonFields(prefix string, f reflect.StructField) (paths []string) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	path := prefix + name
	if f.Type == reflect.TypeFor[evaluate.Counts]() {
		return []string{prefix + "*"}
	}
	typ := f.Type
	if typ.Kind() == reflect.Slice {
		typ, path = typ.Elem(), path+"[]"
	}
	if typ.Kind() != reflect.Struct {
		return []string{strings.TrimSuffix(path, "[]")}
	}
	for inner := range typ.Fields() {
		paths = append(paths, jsonFields(path+".", inner)...)
	}
	return paths
}

// Whatever can be unknown or unread is explained in words.
func TestGlossesAreComplete(t *testing.T) {
	doc := schemaDocument(t)
	for i, name := range values(ingest.IssueKind.String)[1:] {
		if issueGloss[ingest.IssueKind(i+1)] == "" {
			t.Errorf("issueGloss lacks %s", name)
		}
	}
	for i, name := range values(evaluate.Reason.String)[1:] {
		unknown := strings.Contains(doc, "| `"+name+"` | unknown |")
		if _, ok := unknownGloss[evaluate.Reason(i+1)]; ok != unknown {
			t.Errorf("%s: docs/SCHEMA.md says unknown: %t; unknownGloss has it: %t", name, unknown, ok)
		}
	}
	for i, name := range values(ingest.IssueKind.String)[1:] {
		lossy, _, _ := strings.Cut(section(t, doc, "## issues"), "Kinds that concern one record")
		if strings.Contains(lossy, "| `"+name+"` |") != ingest.IssueKind(i+1).Lossy() {
			t.Errorf("%s stands in the wrong table of docs/SCHEMA.md", name)
		}
	}
}
