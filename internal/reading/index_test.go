package reading

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// indexes are the Index of each fetch by its URL, in each entry.
func indexes(c *collected) map[string]int64 {
	m := make(map[string]int64)
	for _, f := range c.fetches {
		m[f.Entry+f.URL] = f.Index
	}
	return m
}

// TestIndex: the index of a fetch is the number of its record in the file, whatever that is
// wrapped in, and whenever the fetch found its request.
func TestIndex(t *testing.T) {
	var list []warctest.Record
	want := make(map[string]int64)
	add := func(e warctest.Record) { list = append(list, e) }
	fetch := func(e warctest.Record) {
		add(e)
		want[e.URL] = int64(len(list))
	}
	add(warctest.Warcinfo("urn:i", "software: x\r\n"))
	for i := range 40 {
		id, url := fmt.Sprintf("urn:%d", i), fmt.Sprintf("http://h/%d", i)
		switch i % 4 {
		case 0: // the request follows at once
			fetch(warctest.Response(id, url, ok200))
			add(warctest.Request(id+"q", url, "bot/1"))
		case 1: // the request follows much later, so that later fetches are done before
			fetch(warctest.Response(id, url, ok200))
		case 2:
			add(warctest.Request(id+"q", url, "bot/1"))
			fetch(warctest.Record{Type: "revisit", ID: id, URL: url, Block: "HTTP/1.1 304 x\r\n\r\n"})
			add(warctest.Request(id+"p", fmt.Sprintf("http://h/%d", i-1), "bot/1",
				fmt.Sprintf("WARC-Concurrent-To: <urn:%d>", i-1)))
		case 3:
			add(warctest.Record{Type: "metadata", ID: id + "m", URL: url})
			fetch(warctest.Record{Type: "resource", ID: id, URL: url, Block: "x"})
		}
	}
	archive := warctest.Plain(list...)
	all := forms(t, split(t, archive))
	all["frames"] = func() *collected { return read(t, warctest.ZstdFrames(t, list)) }
	for _, size := range []int64{1, 1000, 4097} {
		all[fmt.Sprint("parts of ", size)] = func() *collected {
			return readOn(t, warctest.GzipMembers(list...), 3,
				size)
		}
	}
	for name, read := range all {
		equal(t, name, indexes(read()), want)
	}

	// Each entry of a WACZ counts by itself.
	inEntries := make(map[string]int64)
	for url, n := range want {
		inEntries["archive/a.warc"+url], inEntries["archive/b.warc.gz"+url] = n, n
	}
	got := read(t, warctest.Zip(t, warctest.DeflatedEntry("archive/a.warc", archive),
		warctest.StoredEntry("archive/b.warc.gz", warctest.GzipMembers(list...))))
	equal(t, "WACZ", indexes(got), inEntries)

	arc := warctest.ARCInfo("") + warctest.ARCRecord("http://h/1", "20240501120000", ok200) +
		warctest.ARCRecord("dns:h", "20240501120000", "x") + warctest.ARCRecord("http://h/2", "20240501120000", ok200)
	equal(t, "ARC", indexes(read(t, []byte(arc))), map[string]int64{"http://h/1": 2, "http://h/2": 4})

	// After damage the order stays.
	cut := warctest.GzipMembers(list...)
	cut[len(cut)/2] ^= 0x55
	fetches := read(t, cut).fetches
	slices.SortFunc(fetches, func(a, b facts.Fetch) int { return cmp.Compare(a.Offset, b.Offset) })
	if len(fetches) < len(want)/2 {
		t.Errorf("behind damage: %d fetches", len(fetches))
	}
	for i := 1; i < len(fetches); i++ {
		if fetches[i].Index <= fetches[i-1].Index {
			t.Errorf("behind damage: %s has %d after %d", fetches[i].URL, fetches[i].Index, fetches[i-1].Index)
		}
	}
}

// TestOthers: of records that are no fetches, those are kept whose rows in an index look like fetches.
func TestOthers(t *testing.T) {
	post := warctest.Request("urn:q", "http://h/robots.txt", "bot/1")
	post.Block = "POST /robots.txt HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n\r\n{}"
	got := read(t, warctest.Plain(
		warctest.Warcinfo("urn:i", "software: x\r\n"),
		warctest.Response("urn:p", "http://h/p", ok200), warctest.Request("urn:r", "http://h/p", "bot/1"),
		post,
		warctest.Record{Type: "conversion", ID: "urn:c", URL: "https://h/c", Block: "x"},
		warctest.Record{Type: "conversion", ID: "urn:d", URL: "dns:h", Block: "x"},
		warctest.Record{
			Type: "metadata", ID: "urn:m", URL: "http://h/m", Block: "x",
			Fields: []string{"Content-Type: text/plain"},
		},
		warctest.Record{
			Type: "metadata", ID: "urn:n", URL: "http://h/n", Block: "via: http://h/\r\n",
			Fields: []string{"Content-Type: application/warc-fields"},
		},
	))
	var urls []string
	for _, f := range got.others {
		urls = append(urls, f.URL)
		if f.Type != facts.TypeOther || f.Origin == "" || !f.Time().Known() || f.Offset <= 0 || f.Index <= 1 {
			t.Errorf("%+v", f)
		}
	}
	equal(t, "others", urls, []string{"http://h/robots.txt", "https://h/c", "http://h/m"})
	if len(got.fetches) != 1 || got.result.Others != 3 || len(got.events) != 1 ||
		got.events[0].Kind != facts.EventRobotsNoCapture {
		t.Errorf("%d fetches, %d others, events %v", len(got.fetches), got.result.Others, got.events)
	}
}
