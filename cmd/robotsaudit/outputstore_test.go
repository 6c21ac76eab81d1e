package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/object/objecttest"
)

// newStore starts an object store, and has the process use it.
func newStore(t *testing.T) *objecttest.Store {
	t.Helper()
	store := objecttest.NewStore(t, nil)
	t.Setenv("AWS_ENDPOINT_URL", store.URL)
	return store
}

// staged audits in stages, from facts in one place into another.
func staged(t *testing.T, facts, out string, ranges int, plan ...string) {
	t.Helper()
	command(t, 0, append([]string{"plan", "--shards", "2", "--facts", facts, "--quiet"}, plan...)...)
	for i := range 2 {
		command(t, 0, "ingest", "--shard", fmt.Sprintf("%d/2", i), "--facts", facts, "--quiet")
	}
	command(t, 0, "resolve", "--facts", facts, "--quiet")
	for i := range ranges {
		command(t, 0, "decide", "--buckets", fmt.Sprintf("%d/%d", i, ranges), "--facts", facts, "-o", out, "--quiet")
	}
	said, _ := command(t, 0, "finish", "-o", out)
	if !strings.Contains(said, "Written to "+out+": report.html, ") {
		t.Errorf("finish says:\n%s", said)
	}
}

// TestOutputInStore audits in stages into a store: report.html equals the report of an audit in a folder,
// and the commands that read results give the same for both.
func TestOutputInStore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an output in a folder, with facts in a store, takes symbolic links, which few may make on Windows")
	}
	held := newStore(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	one := filepath.Join(dir, "one")
	asked := []string{"../../testdata/warc", "--agents", "GPTBot", "--purpose", "train"}
	command(t, 0, append([]string{"audit", "-o", one, "--quiet"}, asked...)...)
	want := readFile(t, filepath.Join(one, "report.html"))
	for facts, out := range map[string]string{
		"s3://bucket/facts":         "s3://bucket/out",
		filepath.Join(dir, "facts"): "s3://bucket/out-of-folder",
		"s3://bucket/others":        filepath.Join(dir, "out"),
	} {
		staged(t, facts, out, 3, asked...)
		read := func(name string) string {
			if !object.IsRemote(out) {
				b := readFile(t, filepath.Join(out, name))
				return string(b)
			}
			o, err := held.GetObject("bucket", strings.TrimPrefix(out, "s3://bucket/")+"/"+name, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Contents.Close()
			b, err := io.ReadAll(o.Contents)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		if read("report.html") != string(want) {
			t.Errorf("facts in %s: report.html differs", facts)
		}
		command(t, 0, "report", out+"/", "--title", "Another")
		if !strings.Contains(read("report.html"), "Another") {
			t.Error("report wrote no other report.html")
		}
		for _, args := range [][]string{
			{"report", "OUT", "--markdown", "-"},
			{"report", "OUT", "--html", "-", "--against", "OUT"},
			{"explain", "OUT", "1"},
			{"export", "OUT", "drop", "--purpose", "train", "--by", "url", "--format", "txt"},
			{"diff", "OUT", "OUT"},
			{"evidence", "OUT", "--to", filepath.Join(dir, "bundle.warc.gz")},
			{"explain", "OUT", "1", "--record", "robots"},
		} {
			of := func(output string) string {
				var these []string
				for _, a := range args {
					these = append(these, strings.ReplaceAll(a, "OUT", output))
				}
				said, _ := command(t, 0, these...)
				return strings.ReplaceAll(said, output, "OUT")
			}
			got, want := of(out), of(one)
			if got != want {
				t.Errorf("%q of a store:\n%s\nwant\n%s", args, got, want)
			}
		}
		form := filepath.Join(dir, "form")
		command(t, 0, "report", out, "--eu-summary", form)
		if said, err := os.ReadFile(filepath.Join(form, "summary.md")); !bytes.Contains(said, []byte("; with content: 175 (Q")) {
			t.Errorf("--eu-summary of %s: %v\n%.2000s", out, err, said)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "tmp")); err != nil || len(left) > 0 {
		t.Errorf("left in $TMPDIR: %v, %v", left, err)
	}
	out := filepath.Join(dir, "out") // whose facts are in the store
	tests := []struct {
		code int
		args []string
		want string
	}{
		{
			1,
			[]string{"evaluate", out},
			"are in s3://bucket/others, where explain, evidence and report alone read them",
		},
		{1, []string{"report", "s3://bucket/none"}, "s3://bucket/none has no audit.json"},
		{
			2,
			[]string{"report", "https://example.org/out"},
			"results are read from a folder, or from s3://BUCKET/PREFIX",
		},
		{
			2,
			[]string{"audit", "../../testdata/warc", "-o", "s3://bucket/out"},
			"an audit in stages alone writes to a store",
		},
	}
	denying := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request,
	) {
		w.WriteHeader(http.StatusForbidden)
	}))
	defer denying.Close()
	denied := []string{"--s3-endpoint", denying.URL}
	for code, args := range map[int][]string{
		1: append([]string{"explain", out, "1"}, denied...),
		0: append([]string{"report", out, "--markdown", filepath.Join(dir, "report.md")}, denied...),
	} {
		if _, said := command(t, code, args...); !strings.Contains(said,
			"facts in s3://bucket/others: access is denied (403") {
			t.Errorf("%q: %s", args, said)
		}
	}
	for _, test := range tests {
		if _, said := command(t, test.code, test.args...); !strings.Contains(said, test.want) {
			t.Errorf("%q: %s", test.args, said)
		}
	}
}

// TestRangeReadsItsShare: of facts in a store, a range of buckets reads what it decides and no more.
func TestRangeReadsItsShare(t *testing.T) {
	newStore(t)
	list := filepath.Join(t.TempDir(), "list.csv")
	var rows strings.Builder
	rows.WriteString("url,time\n")
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		fmt.Fprintf(&rows, "http://%x.example/%016x%016x,2025-03-01T12:00:00Z\n", r.IntN(5000), r.Uint64(), r.Uint64())
	}
	writeFile(t, list, []byte(rows.String()))
	const facts = "s3://bucket/facts"
	command(t, 0, "plan", "--urls", list, "--shards", "1", "--facts", facts, "--quiet")
	command(t, 0, "ingest", "--shard", "0/1", "--facts", facts, "--quiet")
	command(t, 0, "resolve", "--facts", facts, "--quiet")
	var size int64
	for e, err := range object.List(t.Context(), facts+"/shards/") {
		if err != nil {
			t.Fatal(err)
		}
		size += e.Size
	}
	_, before := object.Traffic()
	command(t, 0, "decide", "--buckets", "3/64", "--facts", facts, "-o", "s3://bucket/out", "--quiet")
	_, after := object.Traffic()
	if read := after - before; size < 3<<20 || read > size/4 {
		t.Errorf("a range of 64 reads %d bytes of %d", read, size)
	}
}
