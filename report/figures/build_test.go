package figures_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/diff"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/results"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const archives = "../../testdata/warc"

// everything are options that give rows to all tables.
func everything() evaluate.DecideOptions {
	options := audittest.Everything
	options.Profile = robots.RFC9309
	return options
}

func open(t testing.TB, dir string) *results.Results {
	t.Helper()
	r, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func build(t testing.TB, dir string, options figures.ReportOptions) *document.Document {
	t.Helper()
	return buildOf(t, open(t, dir), options)
}

// buildOf makes the report of results, of figures that the tables have.
func buildOf(t testing.TB, r *results.Results, options figures.ReportOptions) *document.Document {
	t.Helper()
	counted, err := figures.Read(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	d, err := figures.Build(t.Context(), r, counted, options)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Figures that are counted while an audit writes its tables, in however many ranges, are the figures of the tables.
func TestFiguresOfAuditAndTables(t *testing.T) {
	log := filepath.Join(t.TempDir(), "crawl.log")
	var lines strings.Builder
	for _, host := range []string{"wild.example", "down.example", "longest.example", "news.example", "no.example"} {
		for _, path := range []string{"/", "/paper.pdf"} {
			fmt.Fprintf(&lines, "2025-03-20T12:00:50.000Z -9998          - http://%s%s L http://via.example/ unknown #001 - - - -\n",
				host, path)
		}
	}
	if err := os.WriteFile(log, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, input := range []string{archives, "../../../shared/warc/real"} {
		if _, err := os.Stat(input); err != nil {
			t.Log("left out:", err)
			continue
		}
		options := everything()
		dir := audittest.Audit(t, options, input, log)
		facts, err := ingest.OpenFacts(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, options.RangeRows = range []int64{5, 40, 1 << 40} {
			w, err := report.NewWriter(dir, facts, options)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abandon()
			counted := figures.New(w.Inputs())
			w.Count(counted)
			totals, err := evaluate.Run(t.Context(), facts, options, w)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Commit(totals); err != nil {
				t.Fatal(err)
			}
			got, err := figures.Build(t.Context(), open(t, dir), counted, figures.ReportOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(build(t, dir, figures.ReportOptions{}), got); diff != "" {
				t.Errorf("%s in ranges of %d fetches (-tables +audit):\n%s", input, options.RangeRows, diff)
			}
		}
	}
}

// allFindings are those of a Document.
func allFindings(d *document.Document) []document.Finding {
	return slices.Concat(d.Section("violations").Findings.List, d.Section("unproven").Findings.List)
}

// encoded is a Document as JSON, with one version of the program.
func encoded(t *testing.T, d *document.Document) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(d); err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("robotsaudit "+report.Version()+";"), []byte("robotsaudit v1.2.3;"))
}

func TestGolden(t *testing.T) {
	dir := audittest.Audit(t, everything(), archives)
	before := audittest.Audit(t, everything(), filepath.Join(archives, "crawl-b-1.warc.gz"))
	changes, err := diff.Compare(t.Context(), open(t, before), open(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	options := figures.ReportOptions{
		Title: "Compliance of the test crawls", Operator: "Example Archive", Date: "2025-06-01", Changes: changes,
	}
	got := encoded(t, build(t, dir, options))
	if again := encoded(t, build(t, dir, options)); !bytes.Equal(got, again) {
		t.Error("the same tables give another report")
	}
	const golden = "../document/documenttest/document.json"
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Counts of the report agree with one another and with the audit.
func TestCountsAgree(t *testing.T) {
	dir := audittest.Audit(t, everything(), archives)
	totals := open(t, dir).Audit().Totals
	d := build(t, dir, figures.ReportOptions{})
	var classes, periods, byClaim, violations int64
	timeline := d.Section("timeline").Timeline
	for _, c := range d.Section("certainty").Classes {
		classes += c.Count
	}
	for _, p := range timeline.Periods {
		periods += p.Fetches
		violations += p.Violations
	}
	for _, c := range timeline.Counts {
		byClaim += c.Fetches
	}
	if classes != totals.Fetches || periods != totals.Fetches || byClaim != totals.Fetches ||
		violations != totals.Violations {
		t.Errorf("of %d fetches and %d violations: classes %d, periods %d (%d), claims %d", totals.Fetches,
			totals.Violations, classes, periods, violations, byClaim)
	}
	for _, table := range append(d.Section("sites").Tables, d.Section("scope").Tables...) {
		if len(table.Rows) == 0 { // it is in words
			continue
		}
		column := map[string]int{}
		for i, c := range table.Columns {
			column[c.Name] = i
		}
		fetches := int64(0)
		for _, row := range table.Rows {
			fetches += row[column["Fetches"]].Number
		}
		if fetches != totals.Fetches {
			t.Errorf("%s: %d of %d fetches", table.ID, fetches, totals.Fetches)
		}
	}
	unknown := int64(0)
	for _, row := range d.Section("unknown").Tables[0].Rows {
		unknown += row[1].Number
	}
	found, unproven := d.Section("violations").Findings.Total, d.Section("unproven").Findings.Total
	if unknown != totals.Unknown || found != totals.Violations || unproven != totals.Unproven {
		t.Errorf("%d unknown, %d violations, %d unproven, of %+v", unknown, found, unproven, totals)
	}
}

// Every excerpt has the line that its findings cite, marked, with the text of the rule.
func TestExcerptsShowTheRule(t *testing.T) {
	d := build(t, audittest.Audit(t, everything(), archives), figures.ReportOptions{})
	shown := 0
	for _, f := range allFindings(d) {
		e := d.Excerpts[f.Excerpt]
		if f.Line == 0 {
			if !strings.Contains(e.Missing, "status 50") {
				t.Errorf("%s: %q", f.Sentence, e.Missing)
			}
			continue
		}
		shown++
		found := false
		for _, l := range e.Lines {
			if l.Mark == document.MarkRule {
				found = l.Number == int(f.Line) &&
					strings.HasPrefix(strings.ReplaceAll(l.Text, "⟨0xE9⟩", "%E9"), f.Rule)
			}
		}
		if !found {
			t.Errorf("%s\n%+v", f.Sentence, e)
		}
	}
	if shown < 40 {
		t.Errorf("%d excerpts", shown)
	}
}

// The commands for a shell extract the records that the sentence is about.
func TestCommandsExtract(t *testing.T) {
	for _, tool := range []string{"sh", "dd", "gzip"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	d := build(t, audittest.Audit(t, everything(), archives), figures.ReportOptions{})
	tried := 0
	for i, f := range allFindings(d) {
		if i%4 > 0 {
			continue
		}
		for n, line := range f.Commands[len(f.Commands)-1].Values {
			sh := exec.Command("sh", "-c", line)
			sh.Dir = archives
			out, err := sh.Output()
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			want := []string{"WARC-Record-ID: <" + f.Records[n].ID + ">"}
			if n == 0 {
				want = append(want, f.URL, "WARC-Date: "+strings.NewReplacer(" UTC", "Z", " ", "T").Replace(f.Time))
			}
			for _, part := range want {
				if !bytes.Contains(out, []byte(part)) {
					t.Errorf("%s: no %s in\n%s", line, part, out)
				}
			}
			tried++
		}
	}
	if tried < 20 {
		t.Errorf("%d commands", tried)
	}
}

// TestCommandsOption has an archive whose name the program would take for the flag -o.
func TestCommandsOption(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(archives, "crawl-b-1.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "-out.warc.gz")
	if err := os.WriteFile(archive, content, 0o666); err != nil {
		t.Fatal(err)
	}
	d := build(t, audittest.Audit(t, everything(), archive), figures.ReportOptions{})
	if len(d.Section("violations").Findings.List) == 0 {
		t.Fatal("no violations")
	}
	for _, f := range d.Section("violations").Findings.List {
		if f.Commands != nil {
			t.Errorf("%v", f.Commands)
		}
	}
}

// A record of an archive that an index alone names is in no bundle, and its place no name of the tables.
func TestCommandsIndexed(t *testing.T) {
	row := filepath.Join(t.TempDir(), "own.cdxj")
	text := `example,wild)/paper.pdf 20250310060003 {"url": "http://wild.example/paper.pdf", "status": "200", "length": "99", "offset": "77", "filename": "other.warc.gz"}` + "\n"
	if err := os.WriteFile(row, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	d := build(t, audittest.Audit(t, evaluate.DecideOptions{Profile: robots.RFC9309, Crawler: "Wget"}, row,
		filepath.Join(archives, "crawl-b-1.warc.gz")), figures.ReportOptions{})
	for _, f := range d.Section("violations").Findings.List {
		if !strings.Contains(f.Sentence, "An index alone says that") {
			continue
		}
		want := []document.Term{
			{Name: "Explain it", Values: []string{"robotsaudit explain OUT other.warc.gz:77"}},
			{
				Name: "Read its records",
				Values: []string{
					"robotsaudit explain OUT other.warc.gz:77 --record robots",
				},
			},
			{
				Name:   "Extract it without this program",
				Values: []string{"dd if=crawl-b-1.warc.gz bs=1 skip=1997 count=509 | gzip -dc"},
			},
		}
		if diff := cmp.Diff(want, f.Commands); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if note := d.Section("sites").Tables[1].Notes[1]; note != "1 fetch of archives that are no input, reported by an index "+
			"or a list, counts in none." {
			t.Error(note)
		}
		if got := d.Section("scope").Terms[3].Values[0]; !strings.Contains(got, " of 1 archive and 1 index, ") {
			t.Error(got)
		}
		return
	}
	t.Error("no violation that an index tells of")
}

// Without the facts next to the tables the report is the same, except for the excerpts, which say so.
func TestWithoutFacts(t *testing.T) {
	dir := audittest.Audit(t, everything(), archives)
	with := build(t, dir, figures.ReportOptions{})
	if err := os.RemoveAll(filepath.Join(dir, facts.PrivateFolder)); err != nil {
		t.Fatal(err)
	}
	without := build(t, dir, figures.ReportOptions{})
	for i, e := range without.Excerpts {
		if e.Missing == "" || len(e.Lines) > 0 {
			t.Errorf("%+v", e)
		}
		without.Excerpts[i] = with.Excerpts[i]
	}
	if diff := cmp.Diff(with, without); diff != "" {
		t.Errorf("(-with +without):\n%s", diff)
	}
}

func TestChanges(t *testing.T) {
	all := open(t, audittest.Audit(t, evaluate.DecideOptions{Profile: robots.RFC9309}, archives))
	few := open(t, audittest.Audit(t, evaluate.DecideOptions{Profile: robots.RFC9309},
		filepath.Join(archives, "crawl-b-1.warc.gz")))
	changes, err := diff.Compare(t.Context(), few, all)
	if err != nil {
		t.Fatal(err)
	}
	d := buildOf(t, all, figures.ReportOptions{Changes: changes})
	if c := d.Section("changes"); c.Classes[0].Count != 20 ||
		c.Classes[0].Words != "20 fetches, besides 9 of URLs that violated before, at another moment" || len(c.Tables[0].Rows) != 20 {
		t.Errorf("%+v", c.Classes)
	}
	checkTexts(t, d)
}

// A report of archives without fetches is whole, and no list in it is null.
func TestEmptyAudit(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "empty.warc"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	d := build(t, audittest.Audit(t, everything(), dir), figures.ReportOptions{})
	checkTexts(t, d)
	if b := encoded(t, d); bytes.Contains(b, []byte("null")) {
		t.Errorf("null in\n%s", b)
	}
	if d.Answer.Sentence != "What could be read of these archives holds no fetch that robots.txt could forbid." ||
		len(d.Answer.Details) != 1 {
		t.Errorf("%+v", d.Answer)
	}
}

// checkTexts checks that every text of a Document is safe to place and bounded, and that every table
// has as many cells as columns.
func checkTexts(t *testing.T, d *document.Document) {
	t.Helper()
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem(), path)
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
			}
		case reflect.String:
			s := v.String()
			if !utf8.ValidString(s) || len(s) > 4096 ||
				strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%s: %d bytes: %.300q", path, len(s), s)
			}
		case reflect.Struct:
			if table, ok := v.Interface().(document.Table); ok {
				for _, row := range table.Rows {
					if len(row) != len(table.Columns) {
						t.Errorf("%s: %d cells", table.ID, len(row))
					}
				}
			}
			for i := range v.NumField() {
				walk(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		}
	}
	walk(reflect.ValueOf(d), "")
}

// The commands for a shell name files without a way out of their quotes.
func TestTextsAreSafe(t *testing.T) {
	dir := t.TempDir()
	const evil = "\u202e<script>alert(1)</script>'; rm -rf ~; '\x00\r\n\t`$(x)`|"
	writeHostile(t, dir, strings.Repeat(evil, 2))
	d := build(t, audittest.Audit(t, everything(), dir), figures.ReportOptions{Title: evil, Operator: evil, Date: evil})
	if d.Section("violations").Findings.Total != 2 {
		t.Errorf("%d violations", d.Section("violations").Findings.Total)
	}
	checkTexts(t, d)
	for _, f := range d.Section("violations").Findings.List {
		for _, c := range f.Commands {
			for _, line := range c.Values {
				if left := regexp.MustCompile(`'[^']*'|\\'`).ReplaceAllString(line, ""); strings.ContainsAny(left,
					"'`$;<>") {
					t.Errorf("%s", line)
				}
			}
		}
		if !f.Shortened || len(f.URL) > 600 ||
			!strings.Contains(d.Excerpts[f.Excerpt].Lines[1].Text, "⟨U+202E⟩<script>") {
			t.Errorf("%+v\n%+v", f, d.Excerpts[f.Excerpt])
		}
	}
}

// writeHostile writes an archive whose texts are hostile, under a name that is.
func writeHostile(t *testing.T, dir, evil string) {
	t.Helper()
	var b bytes.Buffer
	record := func(second int, kind, url, http, more string) {
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%08d-%s>\r\nWARC-Date: "+
			"2025-01-01T00:00:%02dZ\r\nWARC-Target-URI: %s\r\n%sContent-Type: application/http; "+
			"msgtype=%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, second, kind, second, url, more, kind, len(http), http)
	}
	header := strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(evil)
	exchange := func(second int, url, body string) {
		record(second, "response", url, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"+body, "")
		record(second, "request", url, fmt.Sprintf("GET / HTTP/1.1\r\nUser-Agent: EvilBot/1.0 %s\r\n\r\n", header),
			fmt.Sprintf("WARC-Concurrent-To: <urn:uuid:%08d-response>\r\n", second))
	}
	exchange(1, "http://evil.example/robots.txt",
		"User-agent: *\n# "+strings.ReplaceAll(evil, "\n", "")+"\nDisallow: /x"+strings.Repeat("*", 3000)+"\n")
	exchange(2, "http://evil.example/x"+strings.Repeat(header, 300), "")
	exchange(3, "http://evil.example/x/"+strings.Repeat("\xe9%", 40000), "")
	if err := os.WriteFile(filepath.Join(dir, "it's $(evil) `x`.warc"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
