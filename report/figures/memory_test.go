package figures_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/figures"
)

// Bounds of the memory that each input takes, in bytes.
const (
	maxToRead   = 300 // until it is read
	maxToDecide = 300 // what is known of it while its fetches are decided, and in the report
)

// Memory grows with the inputs by what is known of each, and by no more: the inputs of audit.json, for instance, are
// never held together.
func TestMemoryOfInputs(t *testing.T) {
	const few, many = 300, 1200 // the report lists the first 300
	toRead, toDecide := memoryOfInputs(t, few)
	moreToRead, moreToDecide := memoryOfInputs(t, many)
	for _, held := range []struct {
		what        string
		bytes, most int64
	}{{"to read", moreToRead - toRead, maxToRead}, {"to decide", moreToDecide - toDecide, maxToDecide}} {
		n := held.bytes / (many - few)
		t.Logf("%s: %d bytes an input", held.what, n)
		if n > held.most {
			t.Errorf("%s: %d bytes an input, more than %d", held.what, n, held.most)
		}
	}
}

// memoryOfInputs is what n inputs take before they are read, and while they are decided and reported.
func memoryOfInputs(t *testing.T, n int) (toRead, toDecide int64) {
	folder := t.TempDir()
	for i := range n {
		archive := warctest.Plain(
			warctest.Warcinfo(fmt.Sprintf("urn:uuid:00000000-0000-4000-8000-%012d", i), fmt.Sprintf("software: Crawler/1.0"+
				"\r\nhostname: h%d\r\nip: 10.0.0.%d\r\noperator: o\r\nisPartOf: weekly\r\n", i%9, i%250)),
			warctest.Response(fmt.Sprintf("urn:uuid:00000000-0000-4000-8001-%012d", i), "http://a.example/",
				"HTTP/1.1 200 OK\r\n\r\nx"),
		)
		name := fmt.Sprintf("CRAWL-20260115000000-%06d-crawler.example.org.warc", i)
		if err := os.WriteFile(filepath.Join(folder, name), archive, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	toRead = live(func() any {
		inputs, _ := ingest.Expand(t.Context(), []string{folder}, ingest.ExpandOptions{})
		return inputs
	})
	dir := audittest.Audit(t, evaluate.DecideOptions{}, folder)
	toDecide = live(func() any {
		facts, err := ingest.OpenFacts(dir)
		if err != nil {
			t.Fatal(err)
		}
		w, err := report.NewWriter(t.TempDir(), facts, evaluate.DecideOptions{})
		if err != nil {
			t.Fatal(err)
		}
		results := open(t, dir)
		counted := figures.New(w.Inputs())
		d, err := figures.Build(t.Context(), results, counted, figures.ReportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return []any{facts, w, results, counted, d}
	})
	return toRead, toDecide
}

// live is the size of what make returns.
func live(make func() any) int64 {
	size := func() int64 {
		runtime.GC()
		runtime.GC() // pools are emptied by the second
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := size()
	held := make()
	after := size()
	runtime.KeepAlive(held)
	return after - before
}
