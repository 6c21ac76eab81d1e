package robotsaudit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const archive = "testdata/warc/crawl-b-1.warc.gz"

// Audit gives the results that the tables hold, and leaves a whole output folder.
func TestAudit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	missing := filepath.Join(t.TempDir(), "missing.warc.gz")
	res, err := Audit(t.Context(),
		Options{Inputs: []string{archive, missing}, Dir: dir, Purposes: []string{"train"}, Agents: []string{"GPTBot"}})
	if err != nil {
		t.Fatal(err)
	}
	totals := res.Totals()
	classes, verdicts := make(map[string]int64), make(map[string]int64)
	for f, err := range res.Fetches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		classes[f.Certainty]++
		verdicts[f.Verdict]++
		if f.URL == "" || f.Time.IsZero() || !strings.HasPrefix(f.RecordID, "urn:uuid:") {
			t.Fatalf("%+v", f)
		}
	}
	if verdicts["allowed"] != totals.Allowed || verdicts["unknown"] != totals.Unknown {
		t.Error(verdicts, totals)
	}
	violations := 0
	for f, err := range res.Violations(t.Context()) {
		if violations++; err != nil || f.Verdict != "disallowed" || f.RobotsURL == "" {
			t.Error(err, f)
		}
	}
	if int64(violations) != totals.Violations || classes["certain"]+classes["probable"] != totals.Violations ||
		violations == 0 {
		t.Error(violations, classes)
	}
	unreadable := false
	for i, err := range res.Issues(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		unreadable = unreadable || i.Kind == "unreadable" && i.Archive == missing && i.Offset == -1
	}
	if !unreadable {
		t.Error("no issue names an input that is not there")
	}
	if _, err := os.Stat(filepath.Join(dir, "report.html")); err != nil {
		t.Error(err)
	}
	for _, err := range res.Unproven(t.Context()) {
		if err != nil {
			t.Error(err)
		}
	}
	robots := 0
	for row, err := range results.Rows(t.Context(), res.Tables(), report.RobotsTable) {
		if robots++; err != nil || row.URL == "" {
			t.Error(err, row)
		}
	}
	if robots == 0 {
		t.Error("no capture of robots.txt")
	}
}

// What Audit cannot do, it says before it makes anything.
func TestAuditRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for want, opt := range map[string]Options{
		"names no output folder": {Inputs: []string{archive}},
		"Options name no input":  {Dir: dir},
		"no such file or folder": {Inputs: []string{"nothing.warc.gz"}, Dir: dir},
		`unknown purpose "sell"`: {Inputs: []string{archive}, Dir: dir, Purposes: []string{"sell"}},
		"leave out the version":  {Inputs: []string{archive}, Dir: dir, Agents: []string{"GPTBot/1.0"}},
		"rfc1":                   {Inputs: []string{archive}, Dir: dir, Profile: "rfc1"},
	} {
		if _, err := Audit(t.Context(), opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Audit(ended, Options{Inputs: []string{archive}, Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("an audit that ended early has results")
	}
	if err := os.WriteFile(filepath.Join(dir, "audit.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Audit(t.Context(), Options{Inputs: []string{archive}, Dir: dir}); err == nil ||
		!strings.Contains(err.Error(), "was not written by robotsaudit") {
		t.Error(err)
	}
}

// A list of URLs and an access log are judged by a table of robots.txt.
func TestAuditTables(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	robots := write("robots.jsonl", `{"url":"https://a.example/robots.txt","time":"2024-05-01T00:00:00Z","status":200,`+
		`"body":"User-agent: *\nDisallow: /x"}`+"\n")
	for name, opt := range map[string]Options{
		"list": {URLs: []string{write("urls.jsonl", `{"url":"https://a.example/x","time":"2024-05-01T12:00:00Z"}`+"\n")}},
		"log": {
			AccessLogs: []string{write("access.log", `192.0.2.1 - - [01/May/2024:12:00:00 +0000] "GET /x HTTP/1.1" 200 5 `+
				`"-" "GPTBot/1.0"`+"\n")},
			AccessLog: ingest.AccessLog{Sites: []string{"https://a.example"}},
		},
	} {
		opt.Robots, opt.Dir = []string{robots}, filepath.Join(dir, name)
		res, err := Audit(t.Context(), opt)
		if err != nil {
			t.Fatal(name, err)
		}
		if totals := res.Totals(); totals.Disallowed != 1 {
			t.Errorf("%s: %+v", name, totals)
		}
	}
}
