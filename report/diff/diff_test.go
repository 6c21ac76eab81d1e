package diff_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/diff"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// fetch describes a fetch of an audit in a word or two: a certainty with a rule, or a verdict.
type fetch struct {
	path  string
	id    string
	file  string
	state string
}

// audit writes results of fetches of http://a.example.
func audit(t *testing.T, profile string, fetches ...fetch) *results.Results {
	t.Helper()
	dir := t.TempDir()
	var rows []report.FetchRow
	violations, unproven := []report.ViolationRow{}, []report.ViolationRow{}
	a := report.Audit{
		Tool: "robotsaudit", SchemaVersion: report.SchemaVersion,
		Settings: report.Settings{Profile: profile},
	}
	for i, f := range fetches {
		word, rule, _ := strings.Cut(f.state, " ")
		row := report.FetchRow{Decision: report.Decision{Verdict: word, Evidence: "fresh", Reason: "r"}}
		row.URL, row.Origin, row.FetchTime = "http://a.example"+f.path, "http://a.example", new(int64(i)*1e6)
		row.WARCFilename, row.WARCRecordOffset, row.WARCRecordID = f.file, int64(i), f.id
		proof := report.ViolationRow{
			URL: row.URL, WARCFilename: row.WARCFilename, WARCRecordOffset: row.WARCRecordOffset,
			WARCRecordID: row.WARCRecordID, Rule: rule,
		}
		switch word {
		case "certain", "probable":
			row.Verdict, row.Certainty = "disallowed", word
			violations = append(violations, proof)
		case "possible", "contested":
			row.Verdict, row.Certainty = "disallowed", word
			unproven = append(unproven, proof)
		}
		rows = append(rows, row)
	}
	a.Totals.Fetches, a.Totals.Violations = int64(len(rows)), int64(len(violations))
	a.Tables = map[string]int64{
		"fetches": int64(len(rows)), "violations": int64(len(violations)),
		"unproven": int64(len(unproven)),
	}
	writeRows(t, dir, "fetches", rows)
	writeRows(t, dir, "violations", violations)
	writeRows(t, dir, "unproven", unproven)
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, report.AuditFile), b, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func writeRows[R any](t *testing.T, dir, table string, rows []R) {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[R](&b, parquet.KeyValueMetadata(report.SchemaVersionKey, report.SchemaVersion),
		parquet.KeyValueMetadata(report.TableKey, table))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, table+".parquet"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func compare(t *testing.T, old, new *results.Results) *diff.Changes {
	t.Helper()
	c, err := diff.Compare(t.Context(), old, new)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		before, after string // "": no such fetch
		want          string
	}{
		{"allowed", "certain /", "new"},
		{"unknown", "probable /", "new, unknown"},
		{"contested /", "certain /", "new"},
		{"", "certain /", "new, absent"},
		{"certain /", "allowed", "gone"},
		{"probable /", "unknown", "gone, unknown"},
		{"certain /", "possible /", "gone"},
		{"certain /", "", "not again, absent"},
		{"certain /", "probable /", "changed"},
		{"certain /a", "certain /b", "changed"},
		{"possible /", "contested /", "changed"},
		{"allowed", "possible /", "changed"},
		{"contested /", "allowed", "changed"},
		{"allowed", "unknown", "newly unknown"},
		{"possible /", "unknown", "newly unknown"},
		{"unknown", "allowed", "no longer unknown"},
		{"unknown", "contested /", "no longer unknown"},
		{"certain /", "certain /", ""},
		{"allowed", "allowed", ""},
		{"unknown", "unknown", ""},
		{"", "unknown", ""},
		{"allowed", "", ""},
	} {
		of := func(state string) (list []fetch) {
			if state != "" {
				list = []fetch{{path: "/x", id: "urn:1", state: state}}
			}
			return list
		}
		c := compare(t, audit(t, "rfc9309", of(tt.before)...), audit(t, "rfc9309", of(tt.after)...))
		var got []string
		for name, k := range map[string]diff.Kind{
			"new": c.NewViolations, "gone": c.GoneViolations, "changed": c.Changed, "newly unknown": c.NewlyUnknown,
			"no longer unknown": c.NoLongerUnknown, "not again": c.NotAgain,
		} {
			if k.Total == 0 {
				continue
			}
			switch {
			case k.Absent > 0:
				name += ", absent"
			case k.Unknown > 0 && name != "no longer unknown":
				name += ", unknown"
			}
			got = append(got, name)
			if l := k.List[0]; (l.Old == nil) != (tt.before == "") || (l.New == nil) != (tt.after == "") {
				t.Errorf("%q to %q: listed as %+v", tt.before, tt.after, l)
			}
		}
		if list := strings.Join(got, " and "); list != tt.want {
			t.Errorf("%q to %q: %q, want %q", tt.before, tt.after, list, tt.want)
		}
	}
}

// Fetches are known by record ID and URL wherever they lie, and without an ID by their place.
func TestIdentity(t *testing.T) {
	old := audit(t, "rfc9309",
		fetch{"/moved", "urn:1", "a.warc", "certain /"},
		fetch{"/placed", "", "a.arc", "certain /"},
		fetch{"/renamed", "", "b.arc", "certain /"},
		fetch{"/one", "urn:same", "a.warc", "allowed"},
		fetch{"/other", "urn:same", "a.warc", "allowed"},
		fetch{"/twice", "urn:2", "a.warc", "allowed"},
		fetch{"/twice", "urn:2", "a.warc", "allowed"},
	)
	new := audit(t, "google",
		fetch{"/moved", "urn:1", "z.warc", "certain /"},
		fetch{"/placed", "", "a.arc", "certain /"},
		fetch{"/renamed", "", "c.arc", "certain /"},
		fetch{"/other", "urn:same", "a.warc", "allowed"},
		fetch{"/twice", "urn:2", "a.warc", "allowed"},
		fetch{"/twice", "urn:2", "a.warc", "unknown"},
	)
	c := compare(t, old, new)
	if c.Common != 5 || c.OnlyOld != 2 || c.OnlyNew != 1 || c.NewViolations.Total != 0 || c.Repeated != 1 ||
		c.AgainForbidden.Absent != 1 || c.NewlyUnknown.Total != 1 {
		t.Errorf("%+v", c)
	}
	if diff := cmp.Diff([]diff.Difference{{Name: "profile", Old: "rfc9309", New: "google"}}, c.Settings); diff != "" {
		t.Error(diff)
	}
	if got := c.AgainForbidden.List[0]; got.WARCFilename != "b.arc" || got.FetchTime.UnixMicro() != 2e6 ||
		got.Old.Rule != "/" {
		t.Errorf("%+v", got)
	}
}

// What violated before is not new at another moment, and counts by what became of its URL.
func TestAgain(t *testing.T) {
	c := compare(t,
		audit(t, "rfc9309", fetch{"/allowed", "urn:1", "a.warc", "certain /"}, fetch{"/forbidden", "urn:2", "a.warc", "certain /"},
			fetch{"/unknown", "urn:3", "a.warc", "probable /"}, fetch{"/gone", "urn:4", "a.warc", "certain /"},
			fetch{"/otherwise", "urn:5", "a.warc", "certain /"}, fetch{"/new", "urn:6", "a.warc", "allowed"}),
		audit(t, "rfc9309", fetch{"/allowed", "urn:7", "a.warc", "allowed"}, fetch{"/forbidden", "urn:8", "a.warc", "allowed"},
			fetch{"/forbidden", "urn:9", "a.warc", "certain /"}, fetch{"/unknown", "urn:10", "a.warc", "unknown"},
			fetch{"/otherwise", "urn:5", "a.warc", "allowed"}, fetch{"/new", "urn:11", "a.warc", "certain /"}))
	for _, k := range c.Kinds() {
		want := map[string]string{
			"new": "/new", "again-allowed": "/allowed", "again-forbidden": "/forbidden", "again-unknown": "/unknown",
			"not-again": "/gone", "gone": "/otherwise",
		}[k.ID]
		var got string
		for _, change := range k.List {
			got += strings.TrimPrefix(change.URL, "http://a.example")
		}
		if got != want || k.Total != int64(len(k.List)) {
			t.Errorf("%s: %d, %s, want %s", k.ID, k.Total, got, want)
		}
	}
	if c.Repeated != 1 {
		t.Errorf("%d violate again", c.Repeated)
	}
}

// What is listed is bounded, and the same from both ends; what is counted is everything.
func TestManyChanges(t *testing.T) {
	const many = 2*diff.MaxListed + 500
	var after []fetch
	for i := range many {
		certainty := "probable /"
		if i%5 == 0 {
			certainty = "certain /"
		}
		after = append(after, fetch{fmt.Sprintf("/%d", i), fmt.Sprintf("urn:%d", i*7919%many), "a.warc", certainty})
	}
	c := compare(t, audit(t, "rfc9309"), audit(t, "rfc9309", after...))
	list := c.NewViolations.List
	if c.NewViolations.Total != many || len(list) != diff.MaxListed || c.OnlyNew != many {
		t.Errorf("%d of %d listed, only in the new one %d", len(list), c.NewViolations.Total, c.OnlyNew)
	}
	for i, l := range list { // certain ones by time, then probable ones
		want := int64(i) * 5e6
		if i >= many/5 {
			want = int64(i-many/5)*5/4*1e6 + 1e6
		}
		if l.FetchTime.UnixMicro() != want {
			t.Fatalf("the change listed at %d is of %v, want %d", i, l.FetchTime, want)
		}
	}
	if diff := cmp.Diff([]diff.OriginChanges{{Origin: "http://a.example", NewViolations: many}},
		c.Origins); diff != "" {
		t.Error(diff)
	}
}

// Tables that do not belong together are refused.
func TestTablesDisagree(t *testing.T) {
	a := audit(t, "rfc9309", fetch{"/a", "urn:1", "a.warc", "certain /"}, fetch{"/b", "urn:2", "a.warc", "certain /"})
	b := audit(t, "rfc9309", fetch{"/b", "urn:2", "a.warc", "certain /"}, fetch{"/a", "urn:1", "a.warc", "certain /"})
	if err := os.Rename(filepath.Join(b.Dir(), "violations.parquet"),
		filepath.Join(a.Dir(), "violations.parquet")); err != nil {
		t.Fatal(err)
	}
	if _, err := diff.Compare(t.Context(), a, audit(t, "rfc9309")); err == nil ||
		!strings.Contains(err.Error(),
			"the tables fetches and violations of the audit do not agree on the record at a.warc:0") {
		t.Error(err)
	}
}

// An audit does not differ from itself, and two that differ do so in the same way whichever is
// the older.
func TestArchives(t *testing.T) {
	const archives = "../../testdata/warc/"
	all := audittest.Audit(t, audittest.Everything, archives)
	some := audittest.Audit(t, audittest.Everything, archives+"crawl-a-1.warc.gz", archives+"crawl-b-1.warc.gz",
		archives+"crawl-c-1.warc.gz")
	a, err := results.Open(all)
	if err != nil {
		t.Fatal(err)
	}
	b, err := results.Open(some)
	if err != nil {
		t.Fatal(err)
	}
	if c := compare(t, a, a); c.OriginCount != 0 || c.Common != a.Audit().Totals.Fetches || c.OnlyOld+c.OnlyNew != 0 {
		t.Errorf("an audit differs from itself: %+v", c)
	}
	more, fewer := compare(t, b, a), compare(t, a, b)
	gone := func(c *diff.Changes) int64 {
		return c.GoneViolations.Total + c.NotAgain.Total + c.AgainAllowed.Total + c.AgainForbidden.Total +
			c.AgainUnknown.Total
	}
	if more.NewViolations.Total == 0 || more.NewViolations.Total+more.Repeated != gone(fewer) ||
		more.OnlyNew != fewer.OnlyOld ||
		more.Changed.Total != fewer.Changed.Total || more.NewlyUnknown.Total != fewer.NoLongerUnknown.Total {
		t.Errorf("%+v\n%+v", more, fewer)
	}
	if got, want := more.NewViolations.Total+more.Repeated-gone(more),
		a.Audit().Totals.Violations-b.Audit().Totals.Violations; got != want {
		t.Errorf("%d violations more by the comparison, %d by the audits", got, want)
	}
}
