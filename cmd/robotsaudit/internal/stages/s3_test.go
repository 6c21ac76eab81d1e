package stages_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/stages"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/object/objecttest"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
)

// TestStore audits in stages in an object store that fails now and then, and whose answers to
// writes are lost now and then. Every task runs twice at once.
func TestStore(t *testing.T) {
	var store *objecttest.Store
	var requests atomic.Int64
	store = objecttest.NewStore(t, func(w http.ResponseWriter, r *http.Request) bool {
		switch n := requests.Add(1); {
		case n%40 == 0:
		case n%7 == 0 && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, ".json"): // done, but not reported
			store.ServeHTTP(httptest.NewRecorder(), r)
		default:
			return false
		}
		w.WriteHeader(http.StatusInternalServerError)
		return true
	})
	if err := object.Configure(object.Options{S3Endpoint: store.URL, UserAgent: "test"}); err != nil {
		t.Fatal(err)
	}
	defer object.Configure(object.Options{})

	archives := "../../../../testdata/warc"
	one := audittest.Audit(t, everything(), archives)
	s := planned(t, "s3://bucket/facts", 2, everything(), archives)
	s.into("s3://bucket/some/out/")
	s.ingested(2)
	s.decided(2, 3)
	s.ok(1, s.finish)

	out := t.TempDir()
	for e, err := range object.List(t.Context(), "s3://bucket/some/out/") {
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(out, filepath.FromSlash(e.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := object.Download(t.Context(), e.Path, e.Info, path); err != nil {
			t.Fatal(err)
		}
	}
	compare(t, "in a store", one, out, tables(t, one))
	if left := must(filepath.Glob(filepath.Join(out, ".robotsaudit", "parts-*", "*", "*.parquet")))(t); len(left) > 0 {
		t.Error(left)
	}
	if err := s.facts.Remove(t.Context(), "shards/00001.json"); err != nil {
		t.Fatal(err)
	}
	if err := s.finish(); err == nil || !strings.Contains(err.Error(), "these are not read: 1") {
		t.Error(err)
	}
	if _, err := s.out.Read(t.Context(), report.AuditFile); err != nil {
		t.Error(err)
	}
	if _, err := stages.OpenStore("https://example.org/facts"); err == nil {
		t.Error("a web server is no store")
	}
}
