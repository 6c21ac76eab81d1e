package records

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// fetches is a sink for fetches.
type fetches struct {
	facts.Discard
	list []facts.Fetch
}

func (c *fetches) Fetch(f *facts.Fetch) error { c.list = append(c.list, *f); return nil }

func fetchesOf(t *testing.T, in facts.Input) []facts.Fetch {
	t.Helper()
	var c fetches
	if _, err := reading.Read(t.Context(), in, 0, &c, nil, reading.Options{}); err != nil {
		t.Fatal(err)
	}
	return c.list
}

const robotsTxt = "User-agent: *\nDisallow: /private/\n"

// Body finds a body by file and offset, in streams too, if the record there is the
// one meant.
func TestBody(t *testing.T) {
	body := func(s string) string { return "HTTP/1.1 200 OK\r\nContent-Range: bytes 0-1/2\r\n\r\n" + s }
	one, two := warctest.Response("urn:1", "http://h/1", body("one")), warctest.Response("urn:2", "http://h/2",
		body("two"))
	both := string(warctest.Plain(one, two))
	files := map[string]string{
		"a.warc.gz": string(warctest.GzipMembers(one, two)),
		"b.warc":    both,
		// two records in one member
		"c.warc.gz":  string(warctest.Gzip(warctest.Warcinfo("urn:i", "").String())) + string(warctest.Gzip(both)),
		"d.warc.gz":  string(warctest.Gzip(both)),
		"e.warc.zst": string(warctest.ZstdFrame(t, both)),
		"f.arc.gz": string(warctest.Gzip(warctest.ARCInfo("") +
			warctest.ARCRecord("http://h/1", "20240501120000", body("one")) +
			warctest.ARCRecord("http://h/1", "20240501120001", body("two")))),
		"g.wacz": string(warctest.Zip(t, warctest.DeflatedEntry("archive/a.warc.gz", warctest.Gzip(both)))),
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.warc.gz", "b.warc", "c.warc.gz", "d.warc.gz", "e.warc.zst", "f.arc.gz", "g.wacz"} {
		if err := os.WriteFile(name, []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
		in := inputAt(t, name)
		list := fetchesOf(t, in)
		if streamed := list[0].Flags&facts.FlagStreamed != 0; streamed != (name[0] > 'c') {
			t.Errorf("%s: streamed: %t", name, streamed)
		}
		for i, want := range []string{"one", "two"} {
			x := &facts.Capture{Fetch: list[i]}
			got, err := Body(in, x)
			if string(got) != want || err != nil || x.ContentRange != "bytes 0-1/2" || x.Flags&facts.FlagBodyKept == 0 {
				t.Errorf("%s: %q, %v, %+v", name, got, err, x)
			}
			if cost := x.RereadCost(); cost < x.Length || name[0] > 'c' && cost != x.Offset+x.Length {
				t.Errorf("%s: a cost of %d at %d+%d", name, cost, x.Offset, x.Length)
			}
			later := x.Fetch
			later.Micros += 7e6
			if got, err := Body(in, &facts.Capture{Fetch: later}); err == nil {
				t.Errorf("%s: found %q, of another time", name, got)
			}
		}
		wrong := &facts.Capture{Fetch: list[1]}
		wrong.Offset = list[0].Offset + 3
		if got, err := Body(in, wrong); err == nil {
			t.Errorf("%s: found %q between records", name, got)
		}
		if err := os.Chtimes(name, time.Time{}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		if _, err := Body(in, &facts.Capture{Fetch: list[0]}); err == nil ||
			!strings.Contains(err.Error(), "changed") {
			t.Errorf("%s: a changed file: %v", name, err)
		}
	}
}

// Bodies are found again in stored and in deflated entries.
func TestBodyOfEntry(t *testing.T) {
	target := warctest.Response("urn:t", "http://h/target", "HTTP/1.1 200 OK\r\n\r\n"+robotsTxt)
	first := warctest.Response("urn:f", "http://h/first", "HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("padding ", 100_000))
	wacz := warctest.Zip(t, warctest.StoredEntry("archive/a.warc.gz", warctest.GzipMembers(first, target)),
		warctest.DeflatedEntry("archive/b.warc",
			warctest.Plain(first, target)),
		warctest.DeflatedEntry("archive/c.warc.gz",
			warctest.GzipMembers(target, first)),
		warctest.StoredEntry("archive/d.warc.zst",
			append(warctest.Skippable(0xd, warctest.Dictionary(t)),
				warctest.ZstdFrames(t, []warctest.Record{first, target})...)))
	wacz = warctest.Zip(t, warctest.StoredEntry("crawl.wacz", wacz), warctest.StoredEntry("archive/z.warc", warctest.Plain(target)))
	path := filepath.Join(t.TempDir(), "a.wacz")
	if err := os.WriteFile(path, wacz, 0o666); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range fetchesOf(t, inputAt(t, path)) {
		if f.URL != "http://h/target" {
			continue
		}
		body, err := Body(inputAt(t, path), &facts.Capture{Fetch: f})
		if err != nil || string(body) != robotsTxt {
			t.Errorf("%s: %q, %v", f.Entry, body, err)
		}
		found++
		f.Entry = "archive/none.warc.gz"
		if _, err := Body(inputAt(t, path), &facts.Capture{Fetch: f}); err == nil {
			t.Error("an entry that is not there was read")
		}
	}
	if found != 5 {
		t.Errorf("%d targets", found)
	}
}

// A record in the middle of a bzip2 stream is read again from the stream's start.
func TestBodyInBzip2(t *testing.T) {
	archive, err := base64.StdEncoding.DecodeString(warctest.Bzip2Archive)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.warc.bz2")
	if err := os.WriteFile(path, archive, 0o666); err != nil {
		t.Fatal(err)
	}
	list := fetchesOf(t, inputAt(t, path))
	for i, f := range list {
		body, err := Body(inputAt(t, path), &facts.Capture{Fetch: f})
		if err != nil || !strings.Contains(string(body), "Disallow") {
			t.Errorf("%d: %q, %v", i, body, err)
		}
	}
	if len(list) != 4 {
		t.Errorf("%d fetches", len(list))
	}
}
