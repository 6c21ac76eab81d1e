// Package audittest audits archives in tests, and reads what comes of it.
package audittest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/report"
)

// Everything are options that give rows to all tables.
var Everything = evaluate.DecideOptions{
	Agents: []string{"GPTBot"}, Uses: []tag.Use{tag.UseArchive, tag.UseTrain},
}

// Audit audits archives and returns the output folder.
func Audit(t testing.TB, options evaluate.DecideOptions, args ...string) (dir string) {
	t.Helper()
	return auditRead(t, ingest.ReadOptions{}, options, args...)
}

// auditRead is Audit of archives that are read in another way. Files named robots.jsonl are tables of robots.txt.
func auditRead(t testing.TB, reading ingest.ReadOptions, options evaluate.DecideOptions, args ...string) (dir string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir = t.TempDir()
	var opt ingest.ExpandOptions
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		isTable := strings.HasSuffix(arg, "robots.jsonl")
		if isTable {
			opt.Robots = append(opt.Robots, arg)
		}
		return isTable
	})
	inputs, failures := ingest.Expand(t.Context(), args, opt)
	if len(inputs) == 0 || len(failures) > 0 {
		t.Fatal(inputs, failures)
	}
	release, err := ingest.Lock(dir)
	must(err)
	defer func() { must(release()) }()
	reading.Dir, reading.Workers = dir, 1
	must(ingest.Ingest(t.Context(), inputs, reading))
	facts, err := ingest.OpenFacts(dir)
	must(err)
	w, err := report.NewWriter(dir, facts, options)
	must(err)
	defer w.Abandon()
	totals, err := evaluate.Run(t.Context(), facts, options, w)
	must(err)
	_, err = w.Commit(totals)
	must(err)
	return dir
}

// Files are the files of an output folder, by name.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}
