package robotsaudit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		"names no output folder":         {Inputs: []string{archive}},
		"Options.Inputs name no archive": {Dir: dir},
		"no such file or folder":         {Inputs: []string{"nothing.warc.gz"}, Dir: dir},
		`unknown purpose "sell"`:         {Inputs: []string{archive}, Dir: dir, Purposes: []string{"sell"}},
		"leave out the version":          {Inputs: []string{archive}, Dir: dir, Agents: []string{"GPTBot/1.0"}},
		"rfc1":                           {Inputs: []string{archive}, Dir: dir, Profile: "rfc1"},
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
