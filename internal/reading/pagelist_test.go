package reading

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

const pageListHead = `{"format":"json-pages-1.0","id":"pages","title":"All Pages"}` + "\n"

// pageWord describes whether a fetch is a page and a seed, by the facts.
func pageWord(f *facts.Fetch) string {
	word := "?"
	switch {
	case f.Flags&facts.FlagPage != 0:
		word = "page"
	case f.Flags&facts.FlagPagesListed != 0:
		word = "other"
	}
	switch {
	case f.Flags&facts.FlagSeed != 0:
		word += " seed"
	case f.Flags&(facts.FlagSeedKnown|facts.FlagDiscovery) != 0:
		word += " no seed"
	}
	return word
}

func (c *collected) pageWords() (words []string) {
	for i := range c.fetches {
		words = append(words, c.fetches[i].URL[len("https://h"):]+" "+pageWord(&c.fetches[i]))
	}
	return words
}

// Listed pages of a WACZ are distinguished from what they pulled in, wherever the lists
// stand in the zip file. A metadata record knows better what was a seed.
func TestPageLists(t *testing.T) {
	archive := warctest.StoredEntry("archive/a.warc.gz", warctest.GzipMembers(
		warctest.Response("urn:1", "https://h/", ok200), warctest.Response("urn:2", "https://h/style.css", ok200),
		warctest.Response("urn:3", "https://h/next?q", ok200), warctest.Response("urn:4", "https://h/described", ok200),
		metadataRecord("urn:5", "https://h/described", "hopsFromSeed: L\r\n", "WARC-Refers-To: <urn:4>")))

	lines := pageListHead + `{"id":"1","url":"https://h/","title":"T","ts":"2025-04-04T21:25:28Z","seed":true,"depth":0}` + "\n" +
		`{"id":"2","url":"https://h/described","seed":true}` + "\n" + `{"url":"file:///screenshot.png"}` + "\n"
	more := pageListHead + `{"url":"https://h/next?q#part","ts":"2025-04-04T21:25:28Z","depth":1,"text":"` +
		strings.Repeat("x", 1<<20) + "\"}\n"
	seeds, extra := warctest.StoredEntry("pages/pages.jsonl",
		[]byte(lines)), warctest.DeflatedEntry("pages/extraPages.jsonl", []byte(more))
	for name, c := range map[string]struct {
		entries []warctest.ZipEntry
		want    []string
		issues  []string
	}{
		"before": {
			[]warctest.ZipEntry{seeds, extra, archive},
			[]string{"/ page seed", "/style.css other", "/next?q page no seed", "/described page no seed"},
			nil,
		},
		"behind": {
			[]warctest.ZipEntry{archive, extra, seeds},
			[]string{"/ page seed", "/style.css other", "/next?q page no seed", "/described page no seed"},
			nil,
		},
		"none": {
			[]warctest.ZipEntry{archive},
			[]string{"/ ?", "/style.css ?", "/next?q ?", "/described ? no seed"},
			nil,
		},
		"no fetches": {
			[]warctest.ZipEntry{
				archive,
				warctest.StoredEntry("pages/pages.jsonl", []byte(pageListHead+`{"url":"file:///a"}`)),
			},
			[]string{"/ ?", "/style.css ?", "/next?q ?", "/described ? no seed"},
			nil,
		},
		"no seeds": {
			[]warctest.ZipEntry{extra, archive},
			[]string{"/ other", "/style.css other", "/next?q page", "/described other no seed"},
			nil,
		},
		"a bad line": {
			[]warctest.ZipEntry{
				warctest.StoredEntry("pages/pages.jsonl", []byte(lines+"{\"url\":5}\n[]\n{}\n")),
				archive,
			},
			[]string{"/ page seed", "/style.css ?", "/next?q ?", "/described page no seed"},
			[]string{"bad_log_line", "bad_log_line", "bad_log_line"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			wacz := warctest.Zip(t, c.entries...)
			for _, got := range []*collected{read(t, wacz), readPipe(t, wacz)} {
				equal(t, "fetches", got.pageWords(), c.want)
				equal(t, "issues", got.kinds(), c.issues)
				if len(got.events) > 0 || got.result.Fetches != 4 {
					t.Errorf("%d events, %d fetches", len(got.events), got.result.Fetches)
				}
			}
		})
	}
}

// Of a list that is damaged, or too long, what it names is a page; what it does not
// name may have been in the rest.
func TestPageListsCut(t *testing.T) {
	archive := warctest.StoredEntry("archive/a.warc.gz",
		warctest.GzipMembers(warctest.Response("urn:1", "https://h/0", ok200),
			warctest.Response("urn:2", "https://h/x", ok200)))
	want := []string{"/0 page", "/x ?"}
	list := []byte(pageListHead)
	for i := range maxPages + 1 {
		list = fmt.Appendf(list, "{\"url\":\"https://h/%d\"}\n", i)
	}
	got := read(t, warctest.Zip(t, warctest.DeflatedEntry("pages/pages.jsonl", list), archive))
	equal(t, "fetches", got.pageWords(), want)
	equal(t, "issues", got.kinds(), []string{"limit_reached"})

	short := []byte(pageListHead + `{"url":"https://h/0"}` + "\n")
	for _, name := range []string{"pages/pages.jsonl", wacz.SkippedPages} {
		damaged := warctest.Zip(t, warctest.StoredEntry(name, short), archive)
		damaged[strings.Index(string(damaged), "All Pages")] ^= 1
		got = read(t, damaged)
		equal(t, name, got.kinds(), []string{"bad_entry"})
		if name != wacz.SkippedPages {
			equal(t, "fetches", got.pageWords(), want)
		}
	}
}

// Every page in the lists of real WACZ is flagged, or has no record.
func TestRealPageLists(t *testing.T) {
	for name, want := range map[string]int{
		"real/warcbench-test-crawl.wacz": 1, "hard/other/valid_example_1.wacz": 1, "hard/other/before.wacz": 1,
		"hard/other/after.wacz": 1, "hard/other/example.com.wacz": 1,
	} {
		path := filepath.Join("..", "..", "..", "shared", "warc", name)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("%s is absent", path)
		}
		pages, others := 0, 0
		for _, f := range readFile(t, path).fetches {
			switch {
			case f.Flags&facts.FlagPage != 0:
				pages++
			case f.Flags&facts.FlagPagesListed != 0:
				others++
			default:
				t.Errorf("%s: nothing is said of %s", name, f.URL)
			}
		}
		if pages != want {
			t.Errorf("%s: %d pages, want %d; %d others", name, pages, want, others)
		}
	}
}

func FuzzPageList(f *testing.F) {
	f.Add([]byte(`{"url":"https://h/a","seed":true}`))
	f.Add([]byte(pageListHead))
	f.Fuzz(func(t *testing.T, line []byte) {
		l := &pageList{seeds: make(map[pageKey]bool)}
		if fault := l.add(line); fault != "" && len(l.seeds) > 0 || fault == "" && !json.Valid(line) {
			t.Errorf("%q: %q, %d pages", line, fault, len(l.seeds))
		}
	})
}
