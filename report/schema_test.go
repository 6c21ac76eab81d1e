package report

import (
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/evaluate/use"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/restriction"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report/layout"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const document = "../docs/SCHEMA.md"

// TestGeneratedColumns compares columns.json with the comments of the row types; -update
// writes it.
func TestGeneratedColumns(t *testing.T) {
	comments := make(map[string]map[string]string)
	for _, folder := range []string{".", "../evaluate"} { // which declares Counts
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if !strings.HasSuffix(name, "_test.go") {
				readComments(t, name, comments)
			}
		}
	}
	rows := make(map[string]bool)
	for _, table := range tables {
		for _, c := range columnsOf(table, nil) {
			rows[c.structName] = true
		}
	}
	maps.DeleteFunc(comments, func(name string, _ map[string]string) bool { return !rows[name] })
	b, err := json.MarshalIndent(comments, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want := string(b) + "\n"
	if *update {
		if err := os.WriteFile("columns.json", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		columnComments = []byte(want)
	}
	if diff := cmp.Diff(want, string(columnComments)); diff != "" {
		t.Errorf("columns.json is out of date; run go generate ./report (-want +got):\n%s", diff)
	}
}

// readComments adds the comments of the columns that a file declares.
func readComments(t *testing.T, name string, comments map[string]map[string]string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range fields.Fields.List {
			if f.Tag == nil || f.Doc == nil || !strings.Contains(f.Tag.Value, `parquet:"`) {
				continue
			}
			if comments[spec.Name.Name] == nil {
				comments[spec.Name.Name] = make(map[string]string)
			}
			comments[spec.Name.Name][f.Names[0].Name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
		}
		return true
	})
}

// block is a part of docs/SCHEMA.md that is generated: what is said of tables, columns and
// values has its place in the code.
var block = regexp.MustCompile(`(?s)<!-- (\w+): ?(.*?) -->\n.*?<!-- end -->`)

// TestGeneratedDocument compares docs/SCHEMA.md with the schema; -update writes its generated
// parts.
func TestGeneratedDocument(t *testing.T) {
	s, err := LoadSchema()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{"tables all": true, "joins all": true}
	for _, table := range s.Tables {
		missing["columns "+table.Name] = table.Name != "unproven" // which has the columns of violations
	}
	for name := range apart {
		missing["columns "+name] = true
	}
	missing["columns shared"], missing["words lists"] = true, true
	want := block.ReplaceAllStringFunc(string(b), func(part string) string {
		m := block.FindStringSubmatch(part)
		delete(missing, strings.TrimSpace(m[1]+" "+m[2]))
		return fmt.Sprintf("<!-- %s: %s -->\n%s<!-- end -->", m[1], m[2], generated(t, s, m[1], m[2]))
	})
	for what, is := range missing {
		if is {
			t.Errorf("docs/SCHEMA.md has no part for the %s", what)
		}
	}
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		b = []byte(want)
	}
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Errorf("docs/SCHEMA.md is out of date; run go generate ./report (-want +got):\n%s", diff)
	}
}

// apart are the columns that several tables share and that docs/SCHEMA.md describes once, by
// the struct that declares them.
var apart = map[string]string{
	"RobotsCitation":    "[Robots citation](#robots-citation)",
	"ContestedCitation": "[Contested citation](#contested-citation)",
	"Counts":            "[Counts](#counts)",
}

// usualOrder is the order of most tables, which the document states once.
const usualOrder = "origin, in the order of a hash of its host, then fetch_time"

// generated is the text of a generated part.
func generated(t *testing.T, s *Schema, kind, name string) string {
	var b strings.Builder
	switch kind {
	case "tables":
		b.WriteString("| table | a row | key |\n|---|---|---|\n")
		for _, table := range s.Tables {
			name := "`" + table.Name + "`"
			if slices.Contains(Set(VerdictsSet), table.Name) {
				name += " •"
			}
			doc := strings.TrimPrefix(table.Doc, "One row per ")
			if table.With != nil {
				doc += " With `" + strings.Join(table.With, "` or `") + "`."
			}
			key := ""
			if table.Key != nil {
				key = named(table.Key)
			}
			b.WriteString(empty(fmt.Sprintf("| %s | %s | %s |\n", name, doc, key)))
		}
	case "joins":
		b.WriteString("| columns | lead to | but |\n|---|---|---|\n")
		for _, j := range joins {
			to := "`" + j.Table + "`"
			if !slices.Equal(j.To, j.Columns) {
				to = named(j.To) + " of " + to
			}
			b.WriteString(empty(fmt.Sprintf("| %s | %s | %s |\n", named(j.Columns), to, j.But)))
		}
	case "words":
		return wordTable(name)
	case "columns":
		if table, ok := s.Find(name); ok && table.Order != usualOrder {
			b.WriteString(strings.Join(layout.Wrap("Sorted by "+table.Order+".", 100), "\n") + "\n\n")
		}
		var columns, also []Column
		var places []string
		shared := sharedColumns(s)
		for _, c := range columnsNamed(t, s, name) {
			place := apart[c.structName]
			switch {
			case place != "" && c.structName != name:
				if !slices.Contains(places, place) {
					places = append(places, place)
				}
			case name != "shared" && slices.Contains(shared, columnRow(c)):
				also = append(also, c)
			default:
				columns = append(columns, c)
			}
		}
		isCount := name == "Counts" // all are INT64, and never null
		if isCount {
			b.WriteString("| column | meaning |\n|---|---|\n")
		} else {
			b.WriteString("| column | type | null | meaning |\n|---|---|---|---|\n")
		}
		var cited []string // columns of robots
		for len(columns) > 0 {
			n := alike(columns)
			row := columnRow(columns[:n]...)
			switch {
			case isCited(s, &columns[0]):
				cited = append(cited, columnNames(columns[:n])...)
			case isCount:
				b.WriteString(strings.Replace(row, " | INT64 || ", " | ", 1))
			default:
				b.WriteString(row)
			}
			columns = columns[n:]
		}
		if cited != nil {
			null, prefix := columnsNamed(t, s, name)[1].Null, citations[name]
			fmt.Fprintf(&b, "| %s || %s | As in [robots](#robots), without `%s`. |\n", named(cited), null, prefix)
		}
		if also != nil {
			places = append([]string{sharedText(t, s, also)}, places...)
		}
		for _, place := range places {
			b.WriteString("| … ||| " + place + " |\n")
		}
	default:
		t.Errorf("docs/SCHEMA.md has a part of an unknown kind: %s", kind)
	}
	return b.String()
}

// named lists columns. The place of a record has a name of its own.
func named(columns []string) string {
	return "`" + strings.ReplaceAll(strings.Join(columns, ", "), "warc_filename, warc_record_offset", "place") + "`"
}

// alike is the number of the first columns that share a row: the place of another record, and columns whose meanings
// differ in the last word of their names alone.
func alike(columns []Column) int {
	first, n := &columns[0], 1
	if prefix, ok := strings.CutSuffix(first.Name, "_"+recordPlace[0]); ok {
		for _, name := range recordPlace[1:] {
			if n < len(columns) && columns[n].Name == prefix+"_"+name {
				n++
			}
		}
		return n
	}
	for n < len(columns) && columns[n].Type == first.Type && columns[n].Null == first.Null &&
		pattern(&columns[n]) == pattern(first) {
		n++
	}
	return n
}

// recordPlace are the columns for the place of a record, which the document describes once.
var recordPlace = []string{"warc_filename", "warc_record_offset", "warc_record_length", "warc_record_id"}

// columnNames are the names of columns that share a row; a whole place has a short one.
func columnNames(columns []Column) (names []string) {
	if len(columns) == len(recordPlace) {
		if prefix, ok := strings.CutSuffix(columns[0].Name, "filename"); ok {
			return []string{prefix + "…"}
		}
	}
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// citations are the structs that cite a row of robots, with what stands before the names of its columns.
var citations = map[string]string{"RobotsCitation": "robots_", "ContestedCitation": "contested_"}

// isCited reports whether a column of a citation is one of robots.
func isCited(s *Schema, c *Column) bool {
	prefix := citations[c.structName]
	name, ok := strings.CutPrefix(c.Name, prefix)
	robots, _ := s.Find("robots")
	return prefix != "" && ok && name != "robots_id" && slices.Contains(columnNames(robots.Columns), name)
}

// pattern is the meaning of a column with … in place of the last words of its name.
func pattern(c *Column) string {
	_, last, ok := strings.Cut(c.Name, "_")
	if !ok {
		last = c.Name
	}
	return strings.NewReplacer("`"+last+"`", "…", " "+last+".", " ….").Replace(c.Meaning)
}

// columnRow is the line of a column, or of several that are alike. That it is text or a
// time, and that it is never null, need no words.
func columnRow(columns ...Column) string {
	first := columns[0]
	typ, meaning := first.Type, first.Meaning
	if typ == "STRING" || typ == "TIMESTAMP" && strings.HasSuffix(first.Name, "_time") {
		typ = ""
	}
	typ = strings.TrimSuffix(typ, " of STRING")
	if len(columns) > 1 && columns[1].Type == first.Type {
		meaning = pattern(&first)
	}
	cell := strings.NewReplacer("|", `\|`).Replace
	return empty(fmt.Sprintf("| %s | %s | %s | %s |\n", named(columnNames(columns)), typ, cell(first.Null), cell(meaning)))
}

// empty takes the blanks out of empty cells.
func empty(row string) string {
	return strings.NewReplacer("|  |  |", "|||", "|  |", "||").Replace(row)
}

// sharedText names shared columns, or those that are left out.
func sharedText(t *testing.T, s *Schema, shared []Column) string {
	var names, others []string
	for _, c := range shared {
		names = append(names, c.Name)
	}
	for _, c := range columnsNamed(t, s, "shared") {
		if !slices.Contains(names, c.Name) {
			others = append(others, c.Name)
		}
	}
	if len(others) < len(names) {
		return "the [shared columns](#shared-columns), without " + named(others)
	}
	return "[shared](#shared-columns): " + named(names)
}

// sharedColumns are the lines that the tables of several structs have alike.
func sharedColumns(s *Schema) (shared []string) {
	seen, names := make(map[string]bool), make(map[string]bool)
	for _, table := range s.Tables {
		if table.Name == "unproven" { // it has the columns of violations
			continue
		}
		for _, c := range table.Columns {
			row := columnRow(c)
			if seen[row] && apart[c.structName] == "" && !names[c.Name] {
				shared, names[c.Name] = append(shared, row), true
			}
			seen[row] = true
		}
	}
	return shared
}

// columnsNamed are the columns of a table, of a struct that tables share, or those that tables share.
func columnsNamed(t *testing.T, s *Schema, name string) (columns []Column) {
	if name == "shared" {
		shared := sharedColumns(s)
		for _, table := range s.Tables {
			for _, c := range table.Columns {
				if i := slices.Index(shared, columnRow(c)); i >= 0 && apart[c.structName] == "" {
					columns = append(columns, c)
					shared = slices.Delete(shared, i, i+1)
				}
			}
		}
		return columns
	}
	if table, ok := s.Find(name); ok {
		return table.Columns
	}
	for _, table := range s.Tables {
		for _, c := range table.Columns {
			if c.structName == name {
				columns = append(columns, c)
			}
		}
		if columns != nil {
			return columns
		}
	}
	t.Errorf("docs/SCHEMA.md names %q, which is neither a table nor a struct of columns", name)
	return nil
}

var speaksOfUnit = regexp.MustCompile(`(?i)\b(bytes|seconds|milliseconds)\b`)

// Every table and column is described, and what null means wherever it can be.
func TestSchemaIsComplete(t *testing.T) {
	s, err := LoadSchema()
	if err != nil {
		t.Fatal(err)
	}
	for i, table := range s.Tables {
		if !strings.HasPrefix(table.Doc, "One row per ") || !strings.HasSuffix(table.Doc, ".") || table.Order == "" {
			t.Errorf("%s: %q, sorted by %q", table.Name, table.Doc, table.Order)
		}
		for _, key := range table.Key {
			if !slices.ContainsFunc(table.Columns, func(c Column) bool { return c.Name == key }) {
				t.Errorf("%s has no column %s, which is of its key", table.Name, key)
			}
		}
		var got, want []string
		for _, c := range table.Columns {
			got = append(got, c.Name)
			if c.Meaning == "" || !strings.HasSuffix(c.Meaning, ".") || c.Nullable != (c.Null != "") ||
				!slices.ContainsFunc(s.Types, func(t Type) bool { return t.Name == c.Type }) {
				t.Errorf("%s: %+v is not fully described", table.Name, c)
			}
			if c.valueLists != nil && c.Values == nil {
				t.Errorf("%s.%s: there are no values %q", table.Name, c.Name, c.valueLists)
			}
			if strings.Contains(c.Meaning, "joined by commas") != (c.Separator != "") {
				t.Errorf("%s.%s: %q, with separator %q", table.Name, c.Name, c.Meaning, c.Separator)
			}
			if speaksOfUnit.MatchString(c.Meaning) && c.Type != "STRING" && c.Type != "TIMESTAMP" && c.Unit == "" {
				t.Errorf("%s.%s has no unit: %s", table.Name, c.Name, c.Meaning)
			}
		}
		for k, f := range parquet.SchemaOf(reflect.New(tables[i].rowType()).Interface()).Fields() {
			if want = append(want, f.Name()); table.Columns[k].Nullable != f.Optional() {
				t.Errorf("%s.%s: the file has it nullable: %v", table.Name, f.Name(), f.Optional())
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-file +schema):\n%s", table.Name, diff)
		}
	}
}

// enumValues lists the table values of an enum that counts from 0, to its end.
func enumValues[T ~uint8](name func(T) string) (list []string) {
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

// The values described are those that the code has.
func TestValuesAreThoseOfTheCode(t *testing.T) {
	var profiles []string
	for _, p := range robots.Profiles {
		profiles = append(profiles, p.String())
	}
	code := map[string][]string{
		"record_type":       enumValues(facts.RecordType.String)[1:facts.TypeOther],
		"trust":             enumValues(facts.Trust.String),
		"profile":           profiles,
		"ground":            groundNames(),
		"remark":            enumValues(robots.NoteKind.String)[1:],
		"restriction":       enumValues(evaluate.RestrictionKind.String)[1:],
		"purpose":           enumValues(tag.Use.String)[1:],
		"modality":          enumValues(evaluate.Modality.String)[1:],
		"refusal":           enumValues(evaluate.Refusal.String)[1:],
		"hint":              enumValues(tag.Use.String)[1:],
		"tags_from":         enumValues(evaluate.PageSource.String)[1:],
		"conflict":          enumValues(use.ConflictKind.String)[1:],
		"rule":              enumValues(tag.Rule.String),
		"tag_note":          strings.Split((^tag.Notes(0)).String(), ","),
		"tag_contradiction": strings.Split((^tag.Conflicts(0)).String(), ","),
		"signal_purpose":    enumValues(tag.Purpose.String), // labels may be unknown
		"preference":        enumValues(tag.Preference.String)[1:],
		"protocol":          enumValues(tag.SignalKind.String)[1:],
		"parse_mode":        enumValues(tag.Mode.String)[1:],
		"scope":             enumValues(tag.Scope.String)[1:],

		"group_kind":          enumValues(evaluate.GroupKind.String)[1:],
		"policy_restriction":  classNames(restriction.None, restriction.Partial, restriction.Full),
		"restriction_longpre": classNames(restriction.None, restriction.Some, restriction.All),
		"restriction_liu":     classNames(restriction.None, restriction.Partial, restriction.Full),
		"restriction_cc":      classNames(restriction.DisallowAll, restriction.AllowAll, restriction.AllowPart),
		"capture_cc":          captureClasses(),
	}
	described := make(map[string][]string)
	for list, values := range valuesOf {
		for _, v := range values {
			described[list] = append(described[list], v.Name)
			if v.Meaning == "" {
				t.Errorf("%s of %s has no meaning", v.Name, list)
			}
		}
	}
	sources := slices.Concat(described["tag_source"], described["signal_source"])
	if diff := cmp.Diff(enumValues(tag.Source.String)[1:], sources); diff != "" {
		t.Errorf("sources (-code +described):\n%s", diff)
	}
	for _, list := range []string{
		"verdict", "evidence", "reason", "certainty", "note", "agent_source", "agent_match", "outcome", "lossy_issue",
		"record_issue",
	} {
		delete(described, list) // they are made of the code
	}
	delete(described, "tag_source")
	delete(described, "signal_source")
	for list, values := range described {
		if diff := cmp.Diff(slices.Sorted(slices.Values(code[list])),
			slices.Sorted(slices.Values(values))); diff != "" {
			t.Errorf("%s (-code +described):\n%s", list, diff)
		}
	}
	if len(code) != len(described) {
		t.Errorf("lists of the code: %q", slices.Sorted(maps.Keys(code)))
	}
}

// groundNames are the words that bear on a class, and the failure of robots.txt.
func groundNames() []string {
	all := words.Contests | words.Disproofs | words.Doubts | words.GroundFailed
	return words.Names(words.GroundWords, all)
}

func classNames(classes ...restriction.Class) (names []string) {
	for _, c := range classes {
		names = append(names, c.String())
	}
	return names
}

// captureClasses are those that statuses have.
func captureClasses() (names []string) {
	for status := 100; status < 1000; status++ {
		if name := restriction.CCCapture(status); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Every field of audit.json is described, and nothing else.
func TestDocumentDescribesAudit(t *testing.T) {
	b, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(b), "\n## audit.json\n")
	if !ok {
		t.Fatal("docs/SCHEMA.md does not describe audit.json")
	}
	part, _, _ = strings.Cut(part, "\n## ")
	var want []string
	for f := range reflect.TypeFor[Audit]().Fields() {
		want = append(want, jsonFields("", f)...)
	}
	var got []string
	within := "" // the object of the row before
	for line := range strings.Lines(part) {
		names, _, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "` |")
		if !ok || !strings.HasPrefix(line, "| `") {
			continue
		}
		all := strings.Split(names, "`, `") // the others have the path of the first
		if strings.HasPrefix(all[0], ".") {
			all[0] = within + all[0]
		}
		within, _, _ = strings.Cut(all[0], ".")
		path := all[0][:strings.LastIndex(all[0], ".")+1]
		for i, name := range all {
			if i > 0 {
				name = path + name
			}
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
	if typ == reflect.TypeFor[Inputs]() {
		typ, path = reflect.TypeFor[[]AuditInput](), "inputs"
	}
	if typ.Kind() == reflect.Slice {
		typ, path = typ.Elem(), path+"[]"
	}
	if typ.Kind() != reflect.Struct || typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return []string{strings.TrimSuffix(path, "[]")}
	}
	for inner := range typ.Fields() {
		paths = append(paths, jsonFields(path+".", inner)...)
	}
	return paths
}
