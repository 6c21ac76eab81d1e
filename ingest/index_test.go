package ingest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

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
	var list []entry
	want := make(map[string]int64)
	add := func(e entry) { list = append(list, e) }
	fetch := func(e entry) {
		add(e)
		want[e.url] = int64(len(list))
	}
	add(warcinfoRecord("urn:i", "software: x\r\n"))
	for i := range 40 {
		id, url := fmt.Sprintf("urn:%d", i), fmt.Sprintf("http://h/%d", i)
		switch i % 4 {
		case 0: // the request stands right behind
			fetch(response(id, url, ok200))
			add(requestRecord(id+"q", url, "bot/1"))
		case 1: // the request stands far behind, so that later fetches are done before
			fetch(response(id, url, ok200))
		case 2:
			add(requestRecord(id+"q", url, "bot/1"))
			fetch(entry{kind: "revisit", id: id, url: url, block: "HTTP/1.1 304 x\r\n\r\n"})
			add(requestRecord(id+"p", fmt.Sprintf("http://h/%d", i-1), "bot/1", fmt.Sprintf("WARC-Concurrent-To: <urn:%d>", i-1)))
		case 3:
			add(entry{kind: "metadata", id: id + "m", url: url})
			fetch(entry{kind: "resource", id: id, url: url, block: "x"})
		}
	}
	archive := plain(list...)
	all := forms(t, split(t, archive))
	all["frames"] = func() *collected { return read(t, frames(t, list)) }
	for _, size := range []int64{1, 1000, 4097} {
		all[fmt.Sprint("parts of ", size)] = func() *collected { return readOn(t, members(list...), 3, size) }
	}
	for name, read := range all {
		equal(t, name, indexes(read()), want)
	}

	// Each entry of a WACZ counts by itself.
	inEntries := make(map[string]int64)
	for url, n := range want {
		inEntries["archive/a.warc"+url], inEntries["archive/b.warc.gz"+url] = n, n
	}
	got := read(t, zipFileOf(t, zipped{"archive/a.warc", archive, true}, zipped{"archive/b.warc.gz", members(list...), false}))
	equal(t, "WACZ", indexes(got), inEntries)

	arc := arcInfo("") + arcRecord("http://h/1", "20240501120000", ok200) + arcRecord("dns:h", "20240501120000", "x") + arcRecord("http://h/2", "20240501120000", ok200)
	equal(t, "ARC", indexes(read(t, []byte(arc))), map[string]int64{"http://h/1": 2, "http://h/2": 4})

	// Behind damage the order stays.
	cut := members(list...)
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
