package ingest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// A file given under two names is a copy of itself where records have no ids to identify
// it; one that differs in a byte of a page, which no checksum of a plain archive
// covers, is another.
func TestCopies(t *testing.T) {
	arc := warctest.ARCInfo(arcAgent) +
		warctest.ARCRecord("http://h/robots.txt", "20240501120000", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody)
	other := strings.Replace(arc, "Disallow", "disallow", 1)
	if arc == other {
		t.Fatal("no byte differs")
	}
	dir, out := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{
		"a.arc": arc, "b.arc": other, "c.arc": arc, "d.arc.gz": string(warctest.Gzip(arc)), "e.arc": other,
		"f.arc":  arc,
		"g.warc": string(warctest.Plain(warctest.Response("urn:1", "http://h/", ok200))),
		"h.warc": string(warctest.Plain(warctest.Response("urn:1", "http://h/", ok200))),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inputs, _ := Expand(t.Context(), []string{dir}, ExpandOptions{})
	for range 2 { // the second time all tasks are there already
		if err := Ingest(context.Background(), inputs, ReadOptions{Dir: out, Workers: 1}); err != nil {
			t.Fatal(err)
		}
		facts, err := OpenFacts(out)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for i, original := range facts.Copies {
			got[facts.Input(i).Name] = facts.Input(original).Name
		}
		want := map[string]string{"c.arc": "a.arc", "e.arc": "b.arc", "f.arc": "a.arc"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
