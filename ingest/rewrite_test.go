package ingest

import (
	"fmt"
	"iter"
	"os"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// dump lists all facts of an output folder.
func dump(t *testing.T, set *facts.Set) (all []string) {
	t.Helper()
	for _, in := range resultsOf(t, set) {
		all = append(all, fmt.Sprintf("input %+v", in))
	}
	r, err := facts.NewReader(set, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx := t.Context()
	list(t, &all, "fetch", r.Fetches(ctx, facts.Buckets{}), nil)
	list(t, &all, "capture", r.Captures(ctx, facts.Buckets{}), func(c *facts.Capture) string {
		body, err := r.Body(c)
		if err != nil {
			t.Fatal(err)
		}
		c.Pack, c.BodyOffset = 0, 0 // these are a task's own
		return string(body)
	})
	list(t, &all, "issue", r.Issues(ctx, nil), nil)
	list(t, &all, "event", r.Events(ctx, facts.Buckets{}), nil)
	list(t, &all, "revisit", r.Unsorted(ctx, facts.RevisitRuns, func(t *facts.Task) []string { return t.Revisits }),
		nil)
	return all
}

func list[T any](t *testing.T, all *[]string, kind string, rows iter.Seq2[*T, error], more func(*T) string) {
	t.Helper()
	n := 0
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		if more != nil {
			text = more(row)
		}
		*all = append(*all, fmt.Sprintf("%s %+v %s", kind, *row, text))
		n++
	}
	if n == 0 {
		t.Errorf("no row of %s", kind)
	}
}

// mixed is an archive with facts of every kind but log events, some like those in others.
func mixed(name string) string {
	damaged := warctest.GzipMembers(warctest.Response("urn:lost:"+name, "http://lost/", ok200))
	damaged[len(damaged)/2] ^= 1
	revisit := warctest.Response("urn:revisit:"+name, "http://same/page", "HTTP/1.1 200 OK\r\n\r\n",
		"WARC-Refers-To: <urn:elsewhere>",
		"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
	revisit.Type = "revisit"
	return site("same", name) + string(damaged) + string(warctest.GzipMembers(revisit)) + site("z-"+name)
}

const skipped = "2024-05-01T12:00:00.000Z -9998 - http://%s/private - - unknown #001 - - - - -\n"

// TestRewrittenFacts: what is kept of a task is what reading its archives again would give.
func TestRewrittenFacts(t *testing.T) {
	all := make(map[string]string)
	for _, name := range []string{"a", "b", "c", "d"} {
		all["in/"+name+".warc.gz"] = mixed(name)
		all["in/"+name+"/crawl.log"] = fmt.Sprintf(skipped, name) + "no line of a log\n"
	}
	tree(t, all)
	ingestAll(t, "in")
	for _, name := range []string{"in/a.warc.gz", "in/c.warc.gz", "in/c/crawl.log"} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	kept, progress, warnings := ingestAll(t, "in")
	if progress.InputsRead.Load() != 0 || progress.InputsKept.Load() != 5 || len(warnings) > 0 {
		t.Errorf("read %d, kept %d, warnings %q", progress.InputsRead.Load(), progress.InputsKept.Load(), warnings)
	}
	got := dump(t, kept)
	if err := os.RemoveAll("out"); err != nil {
		t.Fatal(err)
	}
	fresh, _, _ := ingestAll(t, "in")
	equal(t, "facts", got, dump(t, fresh))
}

// TestSmallTasksAreJoined: after many runs of one archive more there are few tasks, with the
// facts of all.
func TestSmallTasksAreJoined(t *testing.T) {
	files := make(map[string]string)
	for i := range manySmall {
		name := fmt.Sprintf("%03d", i)
		files["in/"+name+".warc.gz"] = mixed(name)
	}
	files["in/crawl.log"] = fmt.Sprintf(skipped, "same")
	tree(t, files)
	all, _ := Expand(t.Context(), []string{"in"}, ExpandOptions{})
	for i := range all {
		opt := ReadOptions{Dir: "out", Workers: 1, Add: true}
		if err := Ingest(t.Context(), all[i:i+1], opt); err != nil {
			t.Fatal(err)
		}
	}
	many, err := OpenFacts("out")
	if err != nil {
		t.Fatal(err)
	}
	if len(many.Tasks) != 2 || int(many.Totals.Count) != manySmall+1 {
		t.Errorf("%d tasks, %d inputs", len(many.Tasks), int(many.Totals.Count))
	}
	got := dump(t, many)
	if err := os.RemoveAll("out"); err != nil {
		t.Fatal(err)
	}
	fresh, _, _ := ingestAll(t, "in")
	equal(t, "facts", got, dump(t, fresh))
}

// Facts that turn out to be damaged as they are copied are made again.
func TestDamagedFactsAreNotRewritten(t *testing.T) {
	tree(t, map[string]string{
		"in/a.warc.gz": mixed("a"), "in/b.warc.gz": mixed("b"),
		"in/crawl.log": fmt.Sprintf(skipped, "a"),
	})
	set, _, _ := ingestAll(t, "in")
	if err := os.WriteFile(set.Tasks[0].PackPath(), []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove("in/b.warc.gz"); err != nil {
		t.Fatal(err)
	}
	kept, progress, warnings := ingestAll(t, "in")
	if progress.InputsRead.Load() != 2 || len(warnings) != 1 || len(names(kept)) != 2 {
		t.Errorf("read %d, warnings %q, inputs %q", progress.InputsRead.Load(), warnings, names(kept))
	}
}
