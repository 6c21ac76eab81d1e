package results_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const archives = "../../testdata/warc"

func open(t testing.TB, dir string) *results.Results {
	t.Helper()
	r, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// collect reads a table, up to the first error.
func collect[R any](t *testing.T, r *results.Results, table report.TableOf[R]) (rows []R, err error) {
	for row, err := range results.Rows(t.Context(), r, table) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, *row)
	}
	return rows, nil
}

func TestOpenReadsAudit(t *testing.T) {
	dir := audittest.Audit(t, audittest.Everything, archives)
	want, err := os.ReadFile(filepath.Join(dir, report.AuditFile))
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	read := struct {
		*report.Audit
		Sums   struct{}             `json:"input_sums,omitzero"` // which the file lacks
		Inputs []*report.AuditInput `json:"inputs"`
	}{Audit: r.Audit()}
	for in, err := range r.Inputs() {
		if err != nil {
			t.Fatal(err)
		}
		read.Inputs = append(read.Inputs, in)
	}
	got, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain(t, want), plain(t, got)); diff != "" {
		t.Errorf("audit.json (-file +read):\n%s", diff)
	}
	if n := r.Audit().Inputs.Count(); n != int64(len(read.Inputs)) || n == 0 {
		t.Errorf("%d inputs are counted, and %d read", n, len(read.Inputs))
	}
	for range r.Inputs() {
		break // nothing follows
	}
}

func plain(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOpenRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		audit string // content of audit.json; "": there is none
		want  string
	}{
		"no audit.json": {"", "has no audit.json, so it holds no results of an audit; name the folder that has " +
			"them, or make the results with: robotsaudit audit INPUT... -o OUT"},
		"no JSON":        {"{", "is damaged (unexpected end of JSON input)"},
		"another tool's": {`{"tool": "x"}`, "is not that of an audit"},
		"older schema": {
			`{"tool": "robotsaudit", "schema_version": "1"}`,
			`have schema version "1", and this robotsaudit reads version 3; make the results with`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.audit != "" {
				write(t, filepath.Join(dir, report.AuditFile), []byte(tt.audit))
			}
			if _, err := results.Open(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := results.Open(filepath.Join(t.TempDir(), "none")); err == nil ||
		!strings.HasPrefix(err.Error(), "there is no folder ") {
		t.Error(err)
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Of some columns, these alone are read: others may be damaged.
func TestColumns(t *testing.T) {
	dir := audittest.Audit(t, audittest.Everything, archives)
	r := open(t, dir)
	all, err := collect(t, r, report.FetchesTable)
	if err != nil {
		t.Fatal(err)
	}
	damageColumn(t, filepath.Join(dir, "fetches.parquet"), "warc_record_id")
	var got, want []report.FetchRow
	for _, f := range all {
		want = append(want, report.FetchRow{
			FetchedURL: report.FetchedURL{URL: f.URL, FetchTime: f.FetchTime},
			Decision:   report.Decision{Reason: f.Reason},
		})
	}
	names := []string{"reason", "fetch_time", "url"}
	for row, err := range results.Rows(t.Context(), r, report.FetchesTable, names...) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, *row)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("%d rows (-rows +columns):\n%s", len(got), diff)
	}
	if _, err := collect(t, r, report.FetchesTable); err == nil ||
		!strings.Contains(err.Error(), "fetches.parquet: column warc_record_id: damaged: ") {
		t.Errorf("all columns: %v", err)
	}
	for range results.Rows(t.Context(), r, report.FetchesTable) { // ends early
		break
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range results.Rows(cancelled, r, report.FetchesTable, names...) {
		if err != context.Canceled {
			t.Error(err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a column that the table lacks was accepted")
		}
	}()
	results.Rows(t.Context(), r, report.FetchesTable, "url", "rule")
}

// damageColumn changes a byte in the middle of a column's first chunk.
func damageColumn(t *testing.T, path, column string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := parquet.OpenFile(f, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	leaf, _ := p.Schema().Lookup(column)
	meta := p.Metadata().RowGroups[0].Columns[leaf.ColumnIndex].MetaData
	b[meta.DataPageOffset+meta.TotalCompressedSize/2] ^= 0xff
	write(t, path, b)
}

// A table may be a folder of parts.
func TestParts(t *testing.T) {
	dir := audittest.Audit(t, audittest.Everything, archives)
	r := open(t, dir)
	want, err := collect(t, r, report.RobotsTable)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "robots.parquet")); err != nil {
		t.Fatal(err)
	}
	if _, err := collect(t, r, report.RobotsTable); err == nil ||
		!strings.HasPrefix(err.Error(), "the table robots is missing in ") {
		t.Error(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "robots"), 0o777); err != nil {
		t.Fatal(err)
	}
	part := func(number, from, to int) {
		writeRows(t, filepath.Join(dir, "robots", fmt.Sprintf("part-%05d.parquet", number)), "robots", want[from:to])
	}
	part(2, 7, len(want))
	part(0, 0, 7)
	part(1, 0, 0)
	got, err := collect(t, r, report.RobotsTable)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-one file +parts):\n%s", err, diff)
	}
	part(0, 0, 6)
	if _, err := collect(t, r, report.RobotsTable); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprintf("has %d rows, and audit.json says %d", len(want)-1, len(want))) {
		t.Errorf("a row less: %v", err)
	}
}

// writeRows writes a table with the library's own writer.
func writeRows[R any](t *testing.T, path, table string, rows []R, options ...parquet.WriterOption) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := parquet.NewGenericWriter[R](f, append(options,
		parquet.KeyValueMetadata(report.SchemaVersionKey,
			report.SchemaVersion), parquet.KeyValueMetadata(report.TableKey, table))...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Files of an earlier program lack columns that were added since. What is wrong with a file is
// said of it.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, report.AuditFile),
		[]byte(`{"tool": "robotsaudit", "schema_version": "3", "tables": {"robots_agents": 1, "issues": 1}}`))
	r := open(t, dir)
	type issue struct {
		WARCFilename string `parquet:"warc_filename"`
		Kind         string `parquet:"kind"`
		Detail       string `parquet:"detail"`
		Action       string `parquet:"action"`
	}
	path := filepath.Join(dir, "issues.parquet")
	writeRows(t, path, "issues", []issue{{WARCFilename: "a", Kind: "bad_url"}})
	got, err := collect(t, r, report.IssuesTable)
	if diff := cmp.Diff([]report.IssueRow{{WARCFilename: "a", Kind: "bad_url"}}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if rows, err := collect(t, r, report.GroupVerdictsTable); len(rows) > 0 || err != nil {
		t.Errorf("a table that was not written: %v, %v", rows, err)
	}
	type wrong struct {
		issue
		Offset string `parquet:"offset"`
	}
	writeRows(t, path, "issues", []wrong{{}})
	refused(t, r, "damaged: the column offset is of another type")
	writeRows(t, path, "issues", []struct {
		Kind string `parquet:"kind"`
	}{{}})
	refused(t, r, "damaged: it has no column warc_filename")
	writeRows(t, path, "robots", []issue{{}})
	refused(t, r, `damaged: it holds the table "robots"`)
	writeRows(t, path, "issues", []issue{{}}, parquet.KeyValueMetadata(report.SchemaVersionKey, "1"))
	write(t, path, []byte("PAR1"))
	refused(t, r, "damaged: unexpected EOF")
}

func refused(t *testing.T, r *results.Results, want string) {
	t.Helper()
	if _, err := collect(t, r, report.IssuesTable); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want one with %q", err, want)
	}
}

// A changed byte or a lost end is an error or changes nothing, and no panic.
func TestDamage(t *testing.T) {
	dir := audittest.Audit(t, audittest.Everything, archives)
	r := open(t, dir)
	want, err := collect(t, r, report.RobotsTable)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "robots.parquet")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	damages := 1000
	if !longtest.Run() {
		damages = 100
	}
	found := 0
	for i := range damages {
		damaged := append([]byte(nil), b...)
		at := random.IntN(len(b))
		if i%10 == 0 {
			damaged = damaged[:at]
		} else {
			damaged[at] ^= byte(1 + random.IntN(255))
		}
		write(t, path, damaged)
		rows, err := collect(t, r, report.RobotsTable)
		if err != nil {
			found++
			continue
		}
		if !reflect.DeepEqual(want, rows) {
			t.Errorf("damage %d at %d of %d was not seen:\n%s", i, at, len(b), cmp.Diff(want, rows))
		}
	}
	if found < damages/2 {
		t.Errorf("only %d of %d damages were seen", found, damages)
	}
}
