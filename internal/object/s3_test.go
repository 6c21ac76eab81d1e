//go:build !wasip1

package object_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/object/objecttest"
	"github.com/robotsaudit/robotsaudit/report/audittest"
)

// store starts a store and has the process use it.
func store(t *testing.T, before func(http.ResponseWriter, *http.Request) bool) *objecttest.Store {
	t.Helper()
	object.Hurry(t)
	s := objecttest.NewStore(t, before)
	if err := object.Configure(object.Options{S3Endpoint: s.URL}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { object.Configure(object.Options{}) })
	return s
}

// faulty fails every second request of each object, in turn with 503, a reset and 500.
type faulty struct {
	mu       sync.Mutex
	asked    map[string]int
	requests int
}

func (f *faulty) before(w http.ResponseWriter, r *http.Request) bool {
	f.mu.Lock()
	f.requests++
	n := f.asked[r.URL.Path]
	f.asked[r.URL.Path]++
	f.mu.Unlock()
	switch n % 6 {
	case 0:
		w.WriteHeader(http.StatusServiceUnavailable)
	case 2:
		hangUp(w)
	case 4:
		w.WriteHeader(http.StatusInternalServerError)
	default:
		return false
	}
	return true
}

// short cuts answers to some bytes, under headers that promise all.
func short(s3 http.Handler, w http.ResponseWriter, r *http.Request, n int) {
	rec := httptest.NewRecorder()
	s3.ServeHTTP(rec, r)
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", fmt.Sprint(rec.Body.Len()))
	w.WriteHeader(rec.Code)
	w.Write(rec.Body.Bytes()[:min(n, rec.Body.Len())])
	http.NewResponseController(w).Flush()
}

// archives are the archives of the repository, by name, and of ../shared if it is
// there.
func archives(t *testing.T) string {
	dir := t.TempDir()
	for _, from := range []string{"../../testdata/warc", "../../../shared/warc/real"} {
		if _, err := os.Stat(from); err != nil {
			t.Logf("skipped: %s is not here", from)
			continue
		}
		err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.Contains(e.Name(), ".warc") &&
				!strings.Contains(e.Name(), ".wacz") && !strings.Contains(e.Name(), ".arc") {
				return err
			}
			if info, err := e.Info(); err != nil || info.Size() > 3<<20 {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, e.Name()), b, 0o666)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func compare(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s differs: %d bytes, want %d", name, len(got[name]), len(content))
		}
	}
	if len(got) != len(want) || len(want) < 10 {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

// TestAuditOfStore audits archives in a store that fails every other request, breaks connections
// and sends less than it promises: every output equals the output for the same files on the
// disk.
func TestAuditOfStore(t *testing.T) {
	local := archives(t)
	var held *objecttest.Store
	f := faulty{asked: make(map[string]int)}
	held = store(t, func(w http.ResponseWriter, r *http.Request) bool {
		if f.before(w, r) {
			return true
		}
		if r.Method == http.MethodGet && r.Header.Get("Range") != "" {
			short(held, w, r, 100<<10)
			return true
		}
		return false
	})
	object.Small()
	entries, err := os.ReadDir(local)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(local, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		held.Put(t, "crawl/"+e.Name(), b)
	}
	held.Put(t, "crawl/readme.txt", []byte("no archive"))
	want := audittest.Files(t, audittest.Audit(t, audittest.Everything, local))
	audited := audittest.Audit(t, audittest.Everything, "s3://bucket/crawl/")
	facts, err := ingest.OpenFacts(audited)
	if err != nil || len(facts.Failures) > 0 {
		t.Error(err, facts.Failures)
	}
	got := audittest.Files(t, audited)
	compare(t, got, want)
	for name, content := range got {
		if strings.Contains(content, objecttest.KeyID) || strings.Contains(content, objecttest.Secret) {
			t.Errorf("%s has credentials", name)
		}
	}
	if f.requests < 2*len(entries) {
		t.Errorf("only %d requests", f.requests)
	}
}

// TestStoreExpands finds objects by prefix, by name, and by lists that may lie in a store, too.
func TestStoreExpands(t *testing.T) {
	held := store(t, nil)
	for _, key := range []string{"a/1.warc.gz", "a/b/2.warc", "a/b/", "a/notes.txt", "a/crawl.log", "c d.wacz"} {
		held.Put(t, key, []byte(key))
	}
	held.Put(t, "list.txt", []byte("# a comment\na/b/2.warc\ns3://bucket/a/1.warc.gz\nmissing.warc\n"))
	held.Put(t, "empty.txt", nil)
	tests := []struct {
		base, arg string
		want      string // name=path of inputs
		fault     string
	}{
		{"", "s3://bucket/a/", "1.warc.gz=s3://bucket/a/1.warc.gz b/2.warc=s3://bucket/a/b/2.warc " +
			"crawl.log=s3://bucket/a/crawl.log", ""},
		{"", "s3://bucket", "a/1.warc.gz=s3://bucket/a/1.warc.gz a/b/2.warc=s3://bucket/a/b/2.warc " +
			"a/crawl.log=s3://bucket/a/crawl.log c d.wacz=s3://bucket/c d.wacz", ""},
		{"", "s3://bucket/c d.wacz", "c d.wacz=s3://bucket/c d.wacz", ""},
		{
			"s3://bucket/", "@s3://bucket/list.txt",
			"s3://bucket/a/1.warc.gz=s3://bucket/a/1.warc.gz a/b/2.warc=s3://bucket/a/b/2.warc",
			"missing.warc: there is no such object",
		},
		{"s3://bucket/", "@s3://bucket/empty.txt", "", "the list names no archive"},
		{"", "s3://bucket/a", "", "s3://bucket/a: there is no such object"},
		{"", "s3://bucket/none/", "", "s3://bucket/none/: no object below it"},
		{"", "s3://nobucket/", "", "cannot be listed"},
		{"", "s3:///key", "", "write s3://BUCKET/KEY"},
	}
	for _, test := range tests {
		inputs, failures := ingest.Expand(t.Context(), []string{test.arg}, ingest.ExpandOptions{Base: test.base})
		var got []string
		for _, in := range inputs {
			if in.Size == 0 || in.Version == "" {
				t.Errorf("%s: %+v", test.arg, in)
			}
			got = append(got, in.Name+"="+in.Path)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, want %q", test.arg, got, test.want)
		}
		switch {
		case test.fault == "" && len(failures) > 0:
			t.Errorf("%s: %v", test.arg, failures)
		case test.fault != "" && (len(failures) != 1 || !strings.Contains(failures[0].Error(), test.fault)):
			t.Errorf("%s: %v, want %q", test.arg, failures, test.fault)
		}
	}
}

// TestStoreChanges replaces an object while it is read: the input fails, and nothing of it counts.
// The store does not know conditions.
func TestStoreChanges(t *testing.T) {
	archive, err := os.ReadFile("../../testdata/warc/crawl-b-2.warc")
	if err != nil {
		t.Fatal(err)
	}
	var held *objecttest.Store
	n := 0
	held = store(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			return false
		}
		if n++; n == 1 {
			short(held, w, r, 5000)
			held.Put(t, "a.warc", bytes.Replace(archive, []byte("Disallow"), []byte("disallow"), 1))
			return true
		}
		return false
	})
	object.Small()
	held.Put(t, "a.warc", archive)
	inputs, failures := ingest.Expand(t.Context(), []string{"s3://bucket/a.warc"}, ingest.ExpandOptions{})
	if len(inputs) != 1 {
		t.Fatal(failures)
	}
	dir := t.TempDir()
	if err := ingest.Ingest(t.Context(), inputs, ingest.ReadOptions{Dir: dir, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	facts, err := ingest.OpenFacts(dir)
	if err != nil {
		t.Fatal(err)
	}
	if facts.Totals.Count != 0 || len(facts.Failures) != 1 ||
		!strings.Contains(facts.Failures[0].Reason, "changed while it was read") {
		t.Errorf("%d inputs, failures %+v", facts.Totals.Count, facts.Failures)
	}
}

// TestSlowRefusal: what a store answers to a write counts, however long the write took.
func TestSlowRefusal(t *testing.T) {
	requests := 0
	store(t, func(w http.ResponseWriter, r *http.Request) bool {
		requests++
		time.Sleep(100 * time.Millisecond)
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	object.Stall(20 * time.Millisecond)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := object.Put(t.Context(), file, "s3://bucket/a"); err == nil ||
		!strings.Contains(err.Error(), "access is denied") || requests != 1 {
		t.Errorf("after %d requests: %v", requests, err)
	}
}
