package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/pack"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// site is an archive of one response for each of the hosts, and a robots.txt.
func site(hosts ...string) string {
	var b strings.Builder
	for _, h := range hosts {
		b.Write(warctest.GzipMembers(warctest.Response("urn:"+h, "http://"+h+"/", ok200),
			warctest.Response("urn:robots:"+h, "http://"+h+"/robots.txt",
				"HTTP/1.1 200 OK\r\n\r\n# "+h+"\n"+robotsBody)))
	}
	return b.String()
}

// ingestAll ingests what args name into out and returns the facts and what was done.
func ingestAll(t *testing.T, args ...string) (*facts.Set, *Progress, []string) {
	t.Helper()
	inputs, failures := Expand(t.Context(), args, ExpandOptions{})
	var warnings []string
	opt := ReadOptions{
		Dir: "out", Workers: 2, Progress: new(Progress), Failed: failures,
		Warn: func(m string) { warnings = append(warnings, m) },
	}
	if err := Ingest(t.Context(), inputs, opt); err != nil {
		t.Fatal(err)
	}
	facts, err := OpenFacts("out")
	if err != nil {
		t.Fatal(err)
	}
	return facts, opt.Progress, warnings
}

// rows reads the fetches of all tasks with the names of their inputs, in order.
func rows(t *testing.T, set *facts.Set) []string {
	t.Helper()
	var all []string
	for _, task := range set.Tasks {
		var paths []string
		for _, name := range task.Fetches {
			paths = append(paths, task.Path(name))
		}
		for f, err := range run.Merge(t.Context(), paths, facts.FetchRuns, run.MergeOptions[facts.Fetch]{}) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, set.Input(task.Global[f.Input]).Name+" "+f.URL)
		}
	}
	slices.Sort(all)
	return all
}

func names(facts *facts.Set) (names []string) {
	for _, in := range facts.Inputs() {
		names = append(names, in.Name)
	}
	return names
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), "inputs-") {
			names = append(names, e.Name())
		}
	}
	return names
}

func factsDir() string {
	return filepath.Join("out", facts.PrivateFolder, facts.FolderName(reading.Plain.Fingerprint()))
}

func TestIngest(t *testing.T) {
	tree(t, map[string]string{"in/a.warc.gz": site("a1", "a2"), "in/b.warc.gz": site("b")})
	set, progress, warnings := ingestAll(t, "in")
	equal(t, "rows", rows(t, set), []string{
		"a.warc.gz http://a1/", "a.warc.gz http://a1/robots.txt", "a.warc.gz http://a2/",
		"a.warc.gz http://a2/robots.txt",
		"b.warc.gz http://b/", "b.warc.gz http://b/robots.txt",
	})
	results := resultsOf(t, set)
	if n := set.Totals.Fetches; n != 6 || results[0].Robots != 2 || results[0].Container != "warc.gz" {
		t.Errorf("%d fetches, inputs %+v", n, results)
	}
	if progress.InputsRead.Load() != 2 || progress.InputsKept.Load() != 0 ||
		progress.BytesRead.Load() != progress.BytesTotal.Load() || len(warnings) != 0 {
		t.Errorf("progress %+v, warnings %q", progress, warnings)
	}

	// The bodies lie in the pack, under their digests.
	task := set.Tasks[0]
	bodies, err := pack.Open(task.PackPath())
	if err != nil {
		t.Fatal(err)
	}
	defer bodies.Close()
	seen := 0
	for c, err := range run.Merge(t.Context(), []string{task.Path(task.Captures[0])}, facts.CaptureRuns,
		run.MergeOptions[facts.Capture]{}) {
		if err != nil {
			t.Fatal(err)
		}
		ref := pack.Ref{Offset: c.BodyOffset, Size: c.BodySize}
		copy(ref.Digest[:], c.BodyDigest)
		body, err := bodies.Get(ref)
		host := strings.TrimPrefix(c.Origin, "http://")
		if want := "# " + host + "\n" + robotsBody; err != nil || string(body) != want {
			t.Errorf("body of %s: %q, %v", c.URL, body, err)
		}
		seen++
	}
	if seen != 3 {
		t.Errorf("%d captures", seen)
	}
}

func TestIngestResumes(t *testing.T) {
	tree(t, map[string]string{"in/a.warc.gz": site("a"), "in/b.warc.gz": site("b")})
	first, _, _ := ingestAll(t, "in")

	again, progress, _ := ingestAll(t, "in")
	if progress.InputsRead.Load() != 0 || progress.InputsKept.Load() != 2 {
		t.Errorf("unchanged: %d read", progress.InputsRead.Load())
	}
	equal(t, "rows", rows(t, again), rows(t, first))

	// An added archive is all that is read.
	if err := os.WriteFile("in/c.warc.gz", []byte(site("c")), 0o666); err != nil {
		t.Fatal(err)
	}
	added, progress, _ := ingestAll(t, "in")
	if progress.InputsRead.Load() != 1 || progress.InputsKept.Load() != 2 || len(added.Tasks) != 2 {
		t.Errorf("added: %d read, %d tasks", progress.InputsRead.Load(), len(added.Tasks))
	}
	equal(t, "names", names(added), []string{"a.warc.gz", "b.warc.gz", "c.warc.gz"})

	// A changed archive is read again, and none of those that share its task.
	if err := os.WriteFile("in/a.warc.gz", []byte(site("changed")), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes("in/a.warc.gz", time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	changed, progress, _ := ingestAll(t, "in")
	if progress.InputsRead.Load() != 1 || progress.InputsKept.Load() != 2 {
		t.Errorf("changed: %d read", progress.InputsRead.Load())
	}
	if got := rows(t, changed); len(got) != 6 || got[0] != "a.warc.gz http://changed/" {
		t.Errorf("rows %q", got)
	}

	// A removed archive is gone from the facts, and its task from the disk.
	if err := os.Remove("in/a.warc.gz"); err != nil {
		t.Fatal(err)
	}
	removed, progress, _ := ingestAll(t, "in")
	if progress.InputsRead.Load() != 0 || progress.InputsKept.Load() != 2 {
		t.Errorf("removed: %d read", progress.InputsRead.Load())
	}
	equal(t, "names", names(removed), []string{"b.warc.gz", "c.warc.gz"})
	if got := entries(t, factsDir()); len(got) != len(removed.Tasks) {
		t.Errorf("on disk %q", got)
	}
}

func TestIngestDropsWhatAnInterruptedRunLeft(t *testing.T) {
	tree(t, map[string]string{
		"in/a.warc.gz": site("a"),
		filepath.Join(factsDir(), "tmp-task-1/fetches-0.parquet"): "half",
		filepath.Join(factsDir(), "task-2/fetches-0.parquet"):     "a task without a manifest",
		filepath.Join(factsDir(), "task-3/manifest.json"):         "{ broken",
	})
	facts, _, _ := ingestAll(t, "in")
	if got := entries(t, factsDir()); len(got) != 1 || len(facts.Tasks) != 1 {
		t.Errorf("on disk %q", got)
	}
}

func TestIngestOfAnotherFingerprint(t *testing.T) {
	tree(t, map[string]string{
		"in/a.warc.gz": site("a"),
		"out/.robotsaudit/facts-v1-000000000000/task-1/manifest.json": "{}",
	})
	_, progress, warnings := ingestAll(t, "in")
	if progress.InputsRead.Load() != 1 || len(warnings) != 1 || !strings.Contains(warnings[0], "read again") {
		t.Errorf("%d read, warnings %q", progress.InputsRead.Load(), warnings)
	}
	if got := entries(t, "out/.robotsaudit"); !slices.Equal(got,
		[]string{facts.FolderName(reading.Plain.Fingerprint()), facts.PlanFile}) {
		t.Errorf("on disk %q", got)
	}
	if err := os.WriteFile("out/.robotsaudit/plan.json", []byte(`{"fingerprint":"000000000000"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFacts("out"); err == nil || !strings.Contains(err.Error(), "another version") ||
		!strings.HasSuffix(err.Error(), "audit INPUT... -o out") {
		t.Errorf("error %v", err)
	}
}

// An input that fails is left out, is not marked done, and is read when it can be.
func TestIngestWithoutTheFailing(t *testing.T) {
	tree(t, map[string]string{"a.warc.gz": site("a"), "b.warc.gz": site("b"), "c.warc.gz": site("c")})
	inputs, failures := Expand(t.Context(), []string{"a.warc.gz", "b.warc.gz", "c.warc.gz", "missing.warc"}, ExpandOptions{})
	if err := os.Remove("b.warc.gz"); err != nil {
		t.Fatal(err)
	}
	if err := Ingest(t.Context(), inputs, ReadOptions{Dir: "out", Workers: 1, Failed: failures}); err != nil {
		t.Fatal(err)
	}
	set, err := OpenFacts("out")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "names", names(set), []string{"a.warc.gz", "c.warc.gz"})
	equal(t, "failures", set.Failures, []facts.Failure{
		{Name: "b.warc.gz", Reason: syscall.ENOENT.Error(), Path: inputs[1].Path},
		{Name: "missing.warc", Reason: "no such file or folder; check the path"},
	})
	equal(t, "rows", rows(t, set),
		[]string{
			"a.warc.gz http://a/", "a.warc.gz http://a/robots.txt", "c.warc.gz http://c/",
			"c.warc.gz http://c/robots.txt",
		})

	if err := os.WriteFile("b.warc.gz", []byte(site("b")), 0o666); err != nil {
		t.Fatal(err)
	}
	set, progress, _ := ingestAll(t, "a.warc.gz", "b.warc.gz", "c.warc.gz")
	if progress.InputsRead.Load() != 1 || len(set.Failures) != 0 || set.Totals.Fetches != 6 {
		t.Errorf("%d read, failures %v, %d fetches", progress.InputsRead.Load(), set.Failures, set.Totals.Fetches)
	}
}

// Inputs that fail cost one more reading of the others, however many they are.
func TestManyFailingInputsAreFoundAtOnce(t *testing.T) {
	const n = 60
	files := make(map[string]string)
	var args []string
	for i := range n {
		name := fmt.Sprintf("%02d.warc.gz", i)
		files[name] = site(fmt.Sprintf("h%d", i))
		args = append(args, name)
	}
	tree(t, files)
	inputs, _ := Expand(t.Context(), args, ExpandOptions{})
	readable := int64(0)
	for i, in := range inputs {
		switch i % 3 {
		case 0:
			readable += in.Size
		case 1:
			if err := os.Remove(in.Path); err != nil {
				t.Fatal(err)
			}
		case 2: // which is read to its end before that shows
			if err := os.Chtimes(in.Path, time.Time{}, time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
			readable += in.Size
		}
	}
	progress := new(Progress)
	if err := Ingest(t.Context(), inputs, ReadOptions{Dir: "out", Workers: 1, Progress: progress}); err != nil {
		t.Fatal(err)
	}
	facts, err := OpenFacts("out")
	if err != nil {
		t.Fatal(err)
	}
	if len(facts.Failures) != 2*n/3 || facts.Totals.Count != n/3 || facts.Totals.Fetches != 2*n/3 {
		t.Errorf("%d failures, %d inputs, %d fetches", len(facts.Failures), facts.Totals.Count, facts.Totals.Fetches)
	}
	if got := progress.BytesRead.Load(); got > 2*readable {
		t.Errorf("%d bytes read of %d that can be", got, readable)
	}
}

// A file that grows while it is read is no evidence yet.
func TestIngestOfAChangingFile(t *testing.T) {
	tree(t, map[string]string{"a.warc.gz": site("a")})
	inputs, _ := Expand(t.Context(), []string{"a.warc.gz"}, ExpandOptions{})
	f, err := os.OpenFile("a.warc.gz", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, site("more"))
	f.Close()
	if err := Ingest(t.Context(), inputs, ReadOptions{Dir: "out", Workers: 1}); err != nil {
		t.Fatal(err)
	}
	facts, err := OpenFacts("out")
	if err != nil {
		t.Fatal(err)
	}
	if facts.Totals.Count != 0 || len(facts.Failures) != 1 ||
		!strings.Contains(facts.Failures[0].Reason, "changed while") {
		t.Errorf("%d inputs, failures %v", facts.Totals.Count, facts.Failures)
	}
}

// Standard input is read once: not kept, and not lost when another input fails.
func TestIngestStandardInput(t *testing.T) {
	tree(t, map[string]string{"b.warc.gz": site("b")})
	inputs, _ := Expand(t.Context(), []string{"-", "b.warc.gz"}, ExpandOptions{})
	if err := os.Remove("b.warc.gz"); err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"one", "two"} {
		opt := ReadOptions{Dir: "out", Workers: 1, Stdin: strings.NewReader(site(host))}
		if err := Ingest(t.Context(), inputs, opt); err != nil {
			t.Fatal(err)
		}
		facts, err := OpenFacts("out")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "rows", rows(t, facts), []string{"- http://" + host + "/", "- http://" + host + "/robots.txt"})
		if len(facts.Failures) != 1 || resultsOf(t, facts)[0].Container != "warc.gz" {
			t.Errorf("failures %v, results %v", facts.Failures, resultsOf(t, facts))
		}
	}
}

func TestIngestInterrupted(t *testing.T) {
	tree(t, map[string]string{"a.warc.gz": site("a")})
	inputs, _ := Expand(t.Context(), []string{"a.warc.gz"}, ExpandOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Ingest(ctx, inputs, ReadOptions{Dir: "out", Workers: 1}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if _, err := OpenFacts("out"); err == nil ||
		!strings.Contains(err.Error(), "holds nothing that was read from archives") {
		t.Errorf("error %v", err)
	}
	facts, _, _ := ingestAll(t, "a.warc.gz")
	if facts.Totals.Fetches != 2 {
		t.Errorf("%d fetches", facts.Totals.Fetches)
	}
}

// Of a task that is interrupted among many archives, those that were read are kept.
func TestIngestKeepsTheFirstOfATask(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 1000
	for i := range n {
		name := fmt.Sprintf("%04d", i)
		if err := os.WriteFile(name+".warc.gz", []byte(site(name+".example")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inputs, _ := Expand(t.Context(), []string{"."}, ExpandOptions{})
	ctx, interrupt := context.WithCancel(t.Context())
	opt := ReadOptions{Dir: "out", Workers: 1, Progress: new(Progress)}
	go func() {
		for opt.Progress.BytesRead.Load() == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		interrupt()
	}()
	if err := Ingest(ctx, inputs, opt); err != context.Canceled {
		t.Fatalf("%v, want %v", err, context.Canceled)
	}
	set, progress, _ := ingestAll(t, ".")
	if kept := progress.InputsKept.Load(); kept == 0 || kept >= n {
		t.Errorf("%d of %d inputs were kept", kept, n)
	}
	if got := len(resultsOf(t, set)); got != n {
		t.Errorf("%d inputs, want %d", got, n)
	}
}

func TestLock(t *testing.T) {
	tree(t, nil)
	release, err := Lock("out")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock("out"); err == nil || !strings.Contains(err.Error(), "in use by another") {
		t.Errorf("error %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	release, err = Lock("out")
	if err != nil {
		t.Fatal(err)
	}
	release()
	if err := os.WriteFile("file", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock("file/out"); err == nil ||
		!strings.Contains(err.Error(), "cannot be made ("+syscall.ENOTDIR.Error()+")") {
		t.Errorf("error %v", err)
	}
}

func TestGroup(t *testing.T) {
	in := func(path string, size int64) facts.Input { return facts.Input{Path: path, Size: size} }
	var small []facts.Input
	for range taskInputs + 1 {
		small = append(small, in("s", 1))
	}
	for name, c := range map[string]struct {
		in   []facts.Input
		want []int
	}{
		"none":           {nil, nil},
		"small together": {[]facts.Input{in("a", 1), in("b", 2)}, []int{2}},
		"a large one":    {[]facts.Input{in("a", 1), in("b", 2*taskBytes), in("c", 1), in("d", 1)}, []int{1, 1, 2}},
		"up to the size": {[]facts.Input{in("a", taskBytes/2), in("b", taskBytes/2), in("c", 1)}, []int{2, 1}},
		"many":           {small, []int{taskInputs, 1}},
		"standard input": {[]facts.Input{in(facts.Stdin, 0), in("a", 1), in("b", 1)}, []int{1, 2}},
	} {
		var got []int
		for _, task := range group(c.in) {
			got = append(got, len(task))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: tasks of %v, want %v", name, got, c.want)
		}
	}
}
