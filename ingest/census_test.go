package ingest

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Why a count differs from the census, which scanned for record headers and took
// whatever followed.
const (
	noLength    = "no usable Content-Length in a plain file: nothing says where the record ends; the census took the header alone"
	cutRecord   = "the block is shorter than its Content-Length: the file ends inside the record, which the census counted"
	shortMember = "the member, whole by its checksum, holds 3 octets less than Content-Length says; the census counted the record"
	inWACZ      = "the census did not look into zip files; counted by unzip and a scan of what is in them"
	wrongLength = "Content-Length is wrong in a plain file: what follows is no proven boundary; the census scanned on"
)

// differences from the census, by file: what is read instead, and why.
var differences = map[string]struct {
	records map[string]int64
	reason  string
}{
	"hard/cdx-writer/date_resolution_microsecond.warc.gz": {nil, shortMember},
	"hard/cdx-writer/date_resolution_nanosecond.warc.gz":  {nil, shortMember},

	"hard/jhove/invalid-warcfile-fields-empty.warc":                                {nil, noLength},
	"hard/jhove/invalid-warcfile-fields-invalidformat.warc":                        {nil, noLength},
	"hard/jhove/invalid-warcfile-fields-missing.warc":                              {nil, noLength},
	"hard/jhove/invalid-warcfile-lonely-continuation.warc":                         {nil, noLength},
	"hard/jhove/invalid-warcfile-lonely-monkeys.warc":                              {nil, noLength},
	"hard/jhove/invalid-warcfile-lonely-request-response-resource-conversion.warc": {nil, noLength},
	"hard/jhove/invalid-warcfile-lonely-revisit.warc":                              {nil, noLength},
	"hard/jhove/invalid-warcfile-lonely-warcinfo-metadata.warc":                    {nil, noLength},
	"hard/jhove/invalid-warcheaderfieldpolicy-1.warc":                              {nil, noLength},
	"hard/jhove/invalid-warcheaderversion-21.warc":                                 {nil, noLength},
	"hard/jhove/invalid-warcrecord-1.warc":                                         {nil, noLength},

	"hard/jhove/invalid-warcheaderfieldpolicy-3.warc":  {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-4.warc":  {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-5.warc":  {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-6.warc":  {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-7.warc":  {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-8.warc":  {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-11.warc": {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-12.warc": {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-13.warc": {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-14.warc": {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-15.warc": {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-16.warc": {nil, cutRecord},
	"hard/jhove/invalid-warcheaderfieldpolicy-17.warc": {nil, cutRecord},

	"hard/warcio/example-space-in-url.arc":            {map[string]int64{"arcinfo": 1}, "the line ends of the block were changed: it is shorter than its Content-Length, and the file ends inside it; the census counted it"},
	"hard/other/after.wacz":                           {map[string]int64{"request": 2, "response": 6, "warcinfo": 1}, inWACZ},
	"hard/other/before.wacz":                          {map[string]int64{"request": 2, "response": 6, "warcinfo": 1}, inWACZ},
	"hard/other/example.com.wacz":                     {map[string]int64{"request": 2, "response": 6, "warcinfo": 1}, inWACZ},
	"hard/other/valid_example_1.wacz":                 {map[string]int64{"request": 1, "response": 1, "warcinfo": 2}, inWACZ},
	"real/warcbench-test-crawl.wacz":                  {map[string]int64{"request": 11, "response": 11, "warcinfo": 1}, inWACZ},
	"hard/jhove/invalid-warcrecord-3.warc":            {map[string]int64{"response": 1}, wrongLength},
	"hard/jhove/valid-warcfile-upper-lower-case.warc": {map[string]int64{"warcinfo": 1, "response": 4}, "neither WARC-Type nor the version has a case (WARC 1.1 §4): the census counts RESPONSE apart, and not what begins with warc/"},
	"hard/other/forged-boundary.warc.gz":              {map[string]int64{"response": 2}, "the census has no counts for it"},
}

// TestCensus reads every archive of ../shared/warc and compares the records by
// type with what an independent scan counted.
func TestCensus(t *testing.T) {
	root := filepath.Join("..", "..", "shared", "warc")
	archives := sharedArchives(t, "")
	counted := readCensus(t, filepath.Join(root, "census.jsonl"))
	compared := 0
	for _, path := range archives {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		if name == "census.jsonl" || name == "hard/slyrz/bench.warc.bz2" { // see TestBzip2Bomb
			continue
		}
		c := readFile(t, path)
		if c.result.Fetches != int64(len(c.fetches)) || c.result.Issues != int64(len(c.issues)) {
			t.Errorf("%s: counted %d fetches, %d issues of %d, %d", name, c.result.Fetches, c.result.Issues, len(c.fetches), len(c.issues))
		}
		if c.result.Refusal != "" {
			if len(c.issues) != 1 || !c.issues[0].Kind.Lossy() || len(c.fetches) != 0 {
				t.Errorf("%s: refused with %v", name, c.kinds())
			}
			continue
		}
		want, different := counted[name], differences[name]
		if different.reason != "" {
			if maps.Equal(want, different.records) {
				t.Errorf("%s agrees with the census; drop its entry", name)
			}
			want = different.records
			if strings.Contains(different.reason, "Content-Length") && c.result.Lossy == 0 {
				t.Errorf("%s: records are missing, and no issue says so", name)
			}
		}
		if len(want)+len(c.result.Records) > 0 && !cmp.Equal(want, c.result.Records) {
			t.Errorf("%s (%s): %v, want %v; issues %v", name, c.result.Container, c.result.Records, want, c.kinds())
		}
		compared++
	}
	if compared < 100 {
		t.Errorf("only %d archives were read", compared)
	}
}

// Counts that are told to people, and that no change may move unnoticed.
func TestRealArchives(t *testing.T) {
	sharedArchives(t)
	for name, want := range map[string]struct{ fetches, robots, lossy int64 }{
		"aut-example.warc.gz":                    {261, 38, 0}, // 299 responses, 38 of them dns:
		"warcbench-fb.warc.gz":                   {3, 1, 0},
		"iipc-IAH-urls-wget.warc.gz":             {16, 2, 0},
		"commoncrawl-2020-fifteen-pages.warc.gz": {16, 0, 0},
		"commoncrawl-2024-whirlwind.warc.gz":     {1, 0, 0},
	} {
		r := readFile(t, filepath.Join("..", "..", "shared", "warc", "real", name)).result
		if r.Fetches != want.fetches || r.Robots != want.robots || r.Lossy != want.lossy {
			t.Errorf("%s: %d fetches, %d robots captures, %d lossy issues, want %v", name, r.Fetches, r.Robots, r.Lossy, want)
		}
	}
}

// 1.8 KB that become 537 MB: bounded memory, bounded time.
func TestBzip2Bomb(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: half a gigabyte of bzip2 takes seconds")
	}
	sharedArchives(t)
	start := time.Now()
	peak := peakHeap(func() {
		c := readFile(t, filepath.Join("..", "..", "shared", "warc", "hard", "slyrz", "bench.warc.bz2"))
		if n := c.result.Records["resource"]; n != 23 {
			t.Errorf("%d records, want 23; issues %v", n, c.kinds())
		}
	})
	t.Logf("%v, heap %d MiB", time.Since(start), peak>>20)
	if peak > 100<<20 {
		t.Errorf("%d MiB of heap", peak>>20)
	}
}

// peakHeap returns the largest heap seen while f ran, above that before it.
func peakHeap(f func()) (peak uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	<-done
	return peak - min(peak, before)
}

func readFile(t testing.TB, path string) *collected {
	t.Helper()
	inputs, failures := Expand([]string{path})
	if len(failures) > 0 {
		t.Fatal(failures[0])
	}
	c := new(collected)
	var err error
	if c.result, err = readInput(inputs[0], 0, c, nil, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

func readCensus(t testing.TB, path string) map[string]map[string]int64 {
	f, err := os.Open(path)
	if err != nil {
		t.Skip("skipped: ../shared/warc/census.jsonl is absent")
	}
	defer f.Close()
	counted := make(map[string]map[string]int64)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct {
			File    string
			Records map[string]int64
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if n, ok := line.Records["arc-rec"]; ok {
			delete(line.Records, "arc-rec")
			line.Records[kindARC] = n
		}
		counted[line.File] = line.Records
	}
	return counted
}
