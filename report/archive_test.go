package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/parquetwriter/parquettest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// auditArchives audits testdata/warc.
func auditArchives(t *testing.T, workers int) (dir string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir = t.TempDir()
	inputs, failures := ingest.Expand(t.Context(), []string{"../testdata/warc"}, ingest.ExpandOptions{})
	if len(inputs) == 0 || len(failures) > 0 {
		t.Fatal(inputs, failures)
	}
	release, err := ingest.Lock(dir)
	must(err)
	defer func() { must(release()) }()
	must(ingest.Ingest(t.Context(), inputs, ingest.ReadOptions{Dir: dir, Workers: workers}))
	facts, err := ingest.OpenFacts(dir)
	must(err)
	opt := evaluate.DecideOptions{Agents: []string{"GPTBot"}, Uses: []tag.Use{tag.UseArchive, tag.UseTrain}}
	w, err := NewWriter(dir, facts, opt)
	must(err)
	defer w.Abandon()
	totals, err := evaluate.Run(t.Context(), facts, opt, w)
	must(err)
	_, err = w.Commit(totals)
	must(err)
	return dir
}

// The tables and audit.json of real archives are one set of numbers, and
// every disallowed fetch is in one of the four classes.
func TestArchivesAgree(t *testing.T) {
	dir := auditArchives(t, 1)
	var a Audit
	b, err := os.ReadFile(filepath.Join(dir, AuditFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &a); err != nil {
		t.Fatal(err)
	}
	fetches := make(map[string]int64) // by verdict, certainty and reason
	for _, f := range parquettest.Read[FetchRow](t, dir, "fetches") {
		fetches[f.Verdict]++
		fetches["certainty "+f.Certainty]++
		fetches["reason "+f.Reason]++
		if (f.Certainty != "") != (f.Verdict == "disallowed") {
			t.Errorf("%s is %s, with certainty %q", f.URL, f.Verdict, f.Certainty)
		}
	}
	for _, table := range []string{"violations", "unproven"} {
		for _, row := range parquettest.Read[ViolationRow](t, dir, table) {
			fetches[table]++
			fetches[table+" "+row.Certainty]++
			if row.RobotsID == 0 || row.RobotsAge == nil ||
				(row.RobotsBodyDigest != "") != (row.RobotsBodyTime != nil) {
				t.Errorf("%s: %s does not prove itself: %+v", table, row.URL, row.RobotsCitation)
			}
		}
	}
	for _, row := range parquettest.Read[RestrictionRow](t, dir, "restrictions") {
		fetches["restrictions "+row.Kind]++
	}
	c := a.Totals
	for what, want := range map[string]int64{
		"allowed": c.Allowed, "disallowed": c.Disallowed, "unknown": c.Unknown,
		"reason robots_txt_itself": c.RobotsTxtItself,
		"disallowed ":              c.ViolationsCertain + c.ViolationsProbable + c.Possible + c.Contested,
		"violations":               c.Violations, "violations certain": c.ViolationsCertain,
		"violations probable": c.ViolationsProbable,
		"certainty certain":   c.ViolationsCertain, "certainty probable": c.ViolationsProbable,
		"unproven": c.Unproven, "unproven possible": c.Possible, "unproven contested": c.Contested,
		"certainty possible": c.Possible, "certainty contested": c.Contested,
		"restrictions publication": c.RestrictionsPublication, "restrictions usage": c.RestrictionsUsage,
	} {
		if got := fetches[strings.TrimSpace(what)]; got != want || want == 0 {
			t.Errorf("%s: %d in the tables, %d in audit.json", what, got, want)
		}
	}
	if c.Decidable != c.Fetches-c.RobotsTxtItself || c.Decidable == c.Fetches {
		t.Errorf("robots.txt could decide %d of %d fetches, %d are of itself", c.Decidable, c.Fetches,
			c.RobotsTxtItself)
	}
}

// Tables do not depend on how many archives were read at a time.
func TestArchivesAreTheSameBytes(t *testing.T) {
	one := auditArchives(t, 1)
	four := auditArchives(t, 4)
	files := func(dir string) map[string]string {
		list := make(map[string]string)
		for _, path := range []string{AuditFile, "*.parquet"} {
			names, _ := filepath.Glob(filepath.Join(dir, path))
			for _, name := range names {
				b, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				list[filepath.Base(name)] = string(b)
			}
		}
		return list
	}
	first, second := files(one), files(four)
	if len(first) != len(tables)+1 || len(second) != len(first) {
		t.Errorf("%d and %d files", len(first), len(second))
	}
	for name := range first {
		if first[name] != second[name] {
			t.Errorf("%s differs between one worker and four", name)
		}
	}
}
