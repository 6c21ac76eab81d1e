package reading

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
)

// addSeeds gives a fuzz target small archives made here, and the ones in testdata
// and ../shared that are there.
func addSeeds(f *testing.F, largest int, wrap func(...warctest.Record) []byte, endings ...string) {
	a := warctest.Response("urn:1", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody)
	b := warctest.Request("urn:2", "http://h/robots.txt", "bot/1", "WARC-Concurrent-To: <urn:1>")
	f.Add(wrap(a))
	f.Add(wrap(warctest.Warcinfo("urn:i", "software: x\r\n"), a, b, warctest.Record{Type: "revisit", URL: "http://h/"}))
	for _, root := range []string{
		filepath.Join("..", "..", "testdata", "warc"),
		filepath.Join("..", "..", "..", "shared", "warc"),
	} {
		if _, err := os.Stat(root); err != nil {
			continue
		}
		for _, path := range archivesBelow(f, root, endings...) {
			if seed, err := os.ReadFile(path); err == nil && len(seed) < largest &&
				filepath.Base(path) != "bench.warc.bz2" {
				f.Add(seed)
			}
		}
	}
}

// asARC writes entries as URL records.
func asARC(entries ...warctest.Record) []byte {
	archive := warctest.ARCInfo(arcAgent)
	for _, e := range entries {
		archive += warctest.ARCRecord("http://h/"+e.ID, "20240501120000", e.Block)
	}
	return []byte(archive)
}

// FuzzRead reads an archive of any form as a file and as a pipe.
func FuzzRead(f *testing.F) {
	addSeeds(f, 4<<10, warctest.Plain, ".warc", ".bz2")
	addSeeds(f, 4<<10, warctest.GzipMembers, ".warc.gz")
	addSeeds(f, 4<<10, asARC, ".arc", ".arc.gz")
	addSeeds(f, 4<<10, func(entries ...warctest.Record) []byte { return warctest.ZstdFrames(f, entries) }, ".zst")
	f.Add(append(warctest.Skippable(0xd, warctest.Dictionary(f)),
		warctest.ZstdFrames(f, warctest.Crawl(robotsBody))...))
	f.Fuzz(func(t *testing.T, archive []byte) {
		own, piped := read(t, archive), readPipe(t, archive)
		if own.result.Container != "warc" {
			return
		}
		// A record that counts is followed by another, or by the end.
		for _, x := range own.fetches {
			if end := x.Offset + x.Length; end < int64(len(archive)) && !beginsWARC(archive[end:]) {
				t.Fatalf("the record at %d+%d is followed by %.9q", x.Offset, x.Length, archive[end:])
			}
		}
		// slyrz/warc and the project's own framing agree on plain archives.
		// What a file's own proofs repair, a pipe cannot.
		if own.result.Lossy == 0 && piped.result.Lossy == 0 {
			equal(t, "fetches", piped.fetches, own.fetches, apartFromPlace,
				cmpopts.IgnoreFields(facts.Fetch{}, "Trust"))
		}
	})
}

func FuzzWACZ(f *testing.F) {
	addSeeds(f, 8<<10, func(entries ...warctest.Record) []byte {
		return warctest.Zip(f, warctest.StoredEntry("archive/a.warc.gz", warctest.GzipMembers(entries...)),
			warctest.DeflatedEntry("archive/b.warc", warctest.Plain(entries...)))
	}, ".wacz")
	f.Fuzz(func(t *testing.T, archive []byte) {
		for _, x := range read(t, archive).fetches {
			if x.Offset < 0 || x.Length <= 0 {
				t.Fatalf("%s at %d+%d of %q", x.URL, x.Offset, x.Length, x.Entry)
			}
		}
		readPipe(t, archive)
	})
}

// One byte changed, or all after it lost: nothing is invented.
func FuzzDamage(f *testing.F) {
	addSeeds(f, 300, warctest.GzipMembers, ".warc.gz")
	f.Fuzz(func(t *testing.T, archive []byte) {
		whole := read(t, archive)
		if !recordMembers(whole) || whole.result.Lossy > 0 || len(archive) > 4<<10 {
			return // a change may mend what is damaged
		}
		known := identities(whole)
		step := 1
		if !longtest.Run() {
			step = 13
		}
		for n := 0; n < len(archive); n += step {
			if id, bad := invented(read(t, archive[:n]), known); bad {
				t.Fatalf("cut at %d: invented %+v", n, id)
			}
			damaged := bytes.Clone(archive)
			damaged[n] ^= byte(1 << (n % 8))
			if id, bad := invented(read(t, damaged), known); bad {
				t.Fatalf("byte %d: invented %+v", n, id)
			}
		}
	})
}

func beginsWARC(b []byte) bool { return len(b) >= 5 && bytes.EqualFold(b[:5], []byte("WARC/")) }

func formOf(archive []byte) warc.Form {
	return warc.Sniff(input.At(bytes.NewReader(archive), 0), rowreading.IsCrawlLog)
}

// mustRead reads an archive in memory.
func mustRead(archive []byte) warc.Reader {
	form := formOf(archive)
	r, err := form.Records(input.At(bytes.NewReader(archive), 0), bytes.NewReader(archive))
	if err != nil {
		panic(err)
	}
	return r
}
