package reading

import (
	"archive/zip"
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// Why a count differs from the census, which scanned for record headers and took
// whatever followed. In all of these we are right.
const (
	noLength    = "no usable Content-Length in a plain file: nothing says where the record ends, so it does not count; the census took the header alone"
	cutRecord   = "the block is shorter than its Content-Length: the file ends inside the record, which so does not count; the census counted it"
	noCounts    = "the census has no counts for this file; ours are its two gzip members, of which each is a record; what stands inside a page is none"
	inWACZ      = "the census has no counts for zip files; ours are those of unzip, zcat and grep"
	wrongLength = "Content-Length is wrong in a plain file: what follows is no proven boundary; the census scanned on"
)

// differences from the census: who is right, and why.
var differences = map[string]string{
	"hard/jhove/invalid-warcfile-fields-empty.warc":                                noLength,
	"hard/jhove/invalid-warcfile-fields-invalidformat.warc":                        noLength,
	"hard/jhove/invalid-warcfile-fields-missing.warc":                              noLength,
	"hard/jhove/invalid-warcfile-lonely-continuation.warc":                         noLength,
	"hard/jhove/invalid-warcfile-lonely-monkeys.warc":                              noLength,
	"hard/jhove/invalid-warcfile-lonely-request-response-resource-conversion.warc": noLength,
	"hard/jhove/invalid-warcfile-lonely-revisit.warc":                              noLength,
	"hard/jhove/invalid-warcfile-lonely-warcinfo-metadata.warc":                    noLength,
	"hard/jhove/invalid-warcheaderfieldpolicy-1.warc":                              noLength,
	"hard/jhove/invalid-warcheaderversion-21.warc":                                 noLength,
	"hard/jhove/invalid-warcrecord-1.warc":                                         noLength,

	"hard/jhove/invalid-warcheaderfieldpolicy-3.warc":  cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-4.warc":  cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-5.warc":  cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-6.warc":  cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-7.warc":  cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-8.warc":  cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-11.warc": cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-12.warc": cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-13.warc": cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-14.warc": cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-15.warc": cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-16.warc": cutRecord,
	"hard/jhove/invalid-warcheaderfieldpolicy-17.warc": cutRecord,

	"hard/warcio/example-space-in-url.arc": "the line ends of the block were changed: it is shorter than " +
		"its length says, and the file ends inside it; the census counted it",
	"hard/other/after.wacz":                inWACZ,
	"hard/other/before.wacz":               inWACZ,
	"hard/other/example.com.wacz":          inWACZ,
	"hard/other/valid_example_1.wacz":      inWACZ + " (its .warc is gzip)",
	"real/warcbench-test-crawl.wacz":       inWACZ,
	"hard/jhove/invalid-warcrecord-3.warc": wrongLength,
	"hard/jhove/valid-warcfile-upper-lower-case.warc": "neither WARC-Type nor the version has a case (WARC 1.1 " +
		"§4): the census counts RESPONSE apart, and not what begins with warc/",
	"hard/other/forged-boundary.warc.gz": noCounts,
}

// bomb is the archive that TestBzip2Bomb reads.
const bomb = "hard/slyrz/bench.warc.bz2"

var update = flag.Bool("update", false, "rewrite testdata/census.txt")

// census is the table of what every archive of ../shared/warc holds.
var census = filepath.Join("testdata", "census.txt")

const censusHead = `What is read in ../shared/warc: of each archive, and of each archive in a WACZ, its
form, the records by type, fetches, robots.txt captures, and issues by kind. Where an
independent scan (census.jsonl there) counted otherwise, who is right and why.
Compared, and written with -update, by TestCensus.
`

// TestCensus reads every archive of ../shared/warc and compares what is found with
// the table, and the records by type with what an independent scan counted.
func TestCensus(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "warc")
	archives := sharedArchives(t, "")
	counted := readCensus(t, filepath.Join(root, "census.jsonl"))
	if *update && !longtest.Run() {
		t.Fatal("-update needs the long form")
	}
	table := []string{censusHead}
	want := readTable(t)
	for _, path := range archives {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		if name == "census.jsonl" || name == bomb && !*update { // see TestBzip2Bomb
			continue
		}
		c := readFile(t, path)
		if c.result.Fetches != int64(len(c.fetches)) || c.result.Issues != int64(len(c.issues)) {
			t.Errorf("%s: counted %d fetches, %d issues of %d, %d", name, c.result.Fetches, c.result.Issues,
				len(c.fetches), len(c.issues))
		}
		if c.result.Refusal != "" && (len(c.issues) != 1 || !c.issues[0].Kind.Lossy() || len(c.fetches) != 0) {
			t.Errorf("%s: refused with %v", name, c.kinds())
		}
		got := name + "\n" + c.summary() + entrySummaries(t, path, c) + againstCensus(t, name, c, counted[name])
		table = append(table, got)
		if !*update {
			equal(t, name, got, want[name])
			delete(want, name)
		}
	}
	if *update {
		writeTable(t, table)
		return
	}
	delete(want, bomb)
	for name := range want {
		t.Errorf("%s is in the table, and not in ../shared/warc", name)
	}
}

// summary is a line of what an archive holds.
func (c *collected) summary() string {
	issues := make(map[string]int64)
	for _, kind := range c.kinds() {
		issues[kind]++
	}
	r := &c.result
	return fmt.Sprintf("  %s: %s; fetches %d, robots %d; issues: %s\n", r.Container, tally(r.Records), r.Fetches,
		r.Robots, tally(issues))
}

// tally lists counts by name.
func tally(counts map[string]int64) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}

// entrySummaries are the lines of the archives in a WACZ, read as files of their
// own: together they hold what the WACZ does.
func entrySummaries(t *testing.T, path string, whole *collected) (lines string) {
	if whole.result.Container != warc.ContainerZip.String() || whole.result.Refusal != "" {
		return ""
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var sum facts.InputStats
	sum.Records = make(map[string]int64)
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, wacz.ArchiveFolder) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		c := read(t, content)
		lines += "  " + f.Name + c.summary()[1:]
		sum.Add(&c.result.InputStats)
	}
	for i := range sum.Runs {
		sum.Runs[i].Entry = whole.result.Runs[i].Entry
	}
	sum.Titles = whole.result.Titles // of datapackage.json: TestPackageTitle
	equal(t, path+": the entries together", sum, whole.result.InputStats)
	return lines
}

// againstCensus compares with the independent scan. It returns the line of the
// table that explains a difference, if there is one.
func againstCensus(t *testing.T, name string, c *collected, counted map[string]int64) string {
	reason := differences[name]
	differ := len(counted)+len(c.result.Records) > 0 && !maps.Equal(counted, c.result.Records)
	switch {
	case !differ && reason != "":
		t.Errorf("%s agrees with the census; drop its entry", name)
	case differ && reason == "":
		t.Errorf("%s: %v, the census counts %v; who is right? Issues %v", name, c.result.Records, counted, c.kinds())
	case differ && strings.Contains(reason, "does not count") && c.result.Lossy == 0:
		t.Errorf("%s: records are missing, and no issue says so", name)
	case differ:
		return fmt.Sprintf("  census: %s: %s\n", tally(counted), reason)
	}
	return ""
}

// readTable reads the table: its paragraphs by their first lines.
func readTable(t *testing.T) map[string]string {
	b, err := os.ReadFile(census)
	if err != nil && !*update {
		t.Fatal(err)
	}
	table := make(map[string]string)
	for _, paragraph := range strings.Split(string(b), "\n\n")[1:] {
		name, _, _ := strings.Cut(paragraph, "\n")
		table[name] = strings.TrimSuffix(paragraph, "\n") + "\n"
	}
	return table
}

func writeTable(t *testing.T, paragraphs []string) {
	if err := os.MkdirAll(filepath.Dir(census), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(census, []byte(strings.Join(paragraphs, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Counts that are published, and that no change may move unnoticed.
func TestRealArchives(t *testing.T) {
	sharedArchives(t)
	for name, want := range map[string]struct{ fetches, robots, lossy int64 }{
		"aut-example.warc.gz":                    {261, 38, 0}, // 299 responses, 38 of them dns:
		"warcbench-fb.warc.gz":                   {3, 1, 0},
		"iipc-IAH-urls-wget.warc.gz":             {16, 2, 0},
		"commoncrawl-2020-fifteen-pages.warc.gz": {16, 0, 0},
		"commoncrawl-2024-whirlwind.warc.gz":     {1, 0, 0},
	} {
		r := readFile(t, filepath.Join("..", "..", "..", "shared", "warc", "real", name)).result
		if r.Fetches != want.fetches || r.Robots != want.robots || r.Lossy != want.lossy {
			t.Errorf("%s: %d fetches, %d robots captures, %d lossy issues, want %v", name, r.Fetches, r.Robots,
				r.Lossy, want)
		}
	}
}

// 1.8 KB that become 537 MB: bounded memory, bounded time.
func TestBzip2Bomb(t *testing.T) {
	if !longtest.Run() {
		t.Skip("skipped: half a gigabyte of bzip2 takes seconds")
	}
	sharedArchives(t)
	start := time.Now()
	peak := peakHeap(func() {
		c := readFile(t, filepath.Join("..", "..", "..", "shared", "warc", filepath.FromSlash(bomb)))
		equal(t, "table", bomb+"\n"+c.summary(), readTable(t)[bomb])
	})
	t.Logf("%v, heap %d MiB", time.Since(start), peak>>20)
	if peak > 100<<20 {
		t.Errorf("%d MiB of heap", peak>>20)
	}
}

func readFile(t testing.TB, path string) *collected {
	t.Helper()
	c := new(collected)
	var err error
	if c.result, err = Read(t.Context(), inputAt(t, path), 0, c, nil, Options{}); err != nil {
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
			line.Records[warc.TypeARC] = n
		}
		counted[line.File] = line.Records
	}
	return counted
}
