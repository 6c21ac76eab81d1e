package ingest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/warc"
	"github.com/robotsaudit/robotsaudit/internal/warctest"
)

// addSeeds gives a fuzz target small archives made here, and those of testdata
// and ../shared that are there.
func addSeeds(f *testing.F, largest int, wrap func(...warctest.Record) []byte, endings ...string) {
	a := warctest.Response("urn:1", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody)
	b := warctest.Request("urn:2", "http://h/robots.txt", "bot/1", "WARC-Concurrent-To: <urn:1>")
	f.Add(wrap(a))
	f.Add(wrap(warctest.Warcinfo("urn:i", "software: x\r\n"), a, b, warctest.Record{Type: "revisit", URL: "http://h/"}))
	for _, root := range []string{filepath.Join("..", "testdata", "warc"), filepath.Join("..", "..", "shared", "warc")} {
		if _, err := os.Stat(root); err != nil {
			continue
		}
		for _, path := range archivesBelow(f, root, endings...) {
			if seed, err := os.ReadFile(path); err == nil && len(seed) < largest && filepath.Base(path) != "bench.warc.bz2" {
				f.Add(seed)
			}
		}
	}
}

// checkReader reads everything: records lie one behind the other within size, a
// reader ends, and what ends it is io.EOF or a damage that names a place.
func checkReader(t *testing.T, r warc.Reader, size int64) {
	end := int64(0)
	for n := int64(0); ; n++ {
		if n > size {
			t.Fatalf("more records than bytes")
		}
		rec, err := r.Next()
		if err == nil {
			if rec.ContentLength < 0 || rec.Type != warc.TypeARC && rec.Type != warc.TypeARCInfo && !beginsWARC([]byte(rec.Version)) {
				t.Fatalf("record %+v", rec)
			}
			io.CopyN(io.Discard, rec.Block, n%7) // some of the block, as the committer does
			var length int64
			if length, err = r.Finish(); err == nil {
				if rec.Offset < 0 || length <= 0 || size >= 0 && rec.Offset+length > size {
					t.Fatalf("record at %d+%d of %d", rec.Offset, length, size)
				}
				if !rec.Streamed && rec.Offset+length < end {
					t.Fatalf("record at %d+%d, after one that ends at %d", rec.Offset, length, end)
				}
				end = rec.Offset + length
				continue
			}
		}
		if err == io.EOF {
			return
		}
		var d *warc.Damage
		if !errors.As(err, &d) {
			t.Fatalf("%v is neither damage nor the end", err)
		}
		if d.Offset < 0 || size >= 0 && d.Offset > size || !issueKinds[d.Kind].Lossy() || d.Detail == "" {
			t.Fatalf("damage %+v in %d bytes", d, size)
		}
		if !d.More {
			return
		}
	}
}

func FuzzMemberReader(f *testing.F) {
	addSeeds(f, 4<<10, warctest.GzipMembers, ".warc.gz")
	f.Fuzz(func(t *testing.T, archive []byte) {
		if formOf(archive).Container == warc.ContainerMembers {
			checkReader(t, mustRead(archive), int64(len(archive)))
		}
		read(t, archive)
	})
}

func FuzzPlainReader(f *testing.F) {
	addSeeds(f, 4<<10, warctest.Plain, ".warc")
	f.Fuzz(func(t *testing.T, archive []byte) {
		if formOf(archive).Container == warc.ContainerPlain {
			checkReader(t, mustRead(archive), int64(len(archive)))
		}
		// A record that counts is followed by another, or by the end.
		c := read(t, archive)
		for _, x := range c.fetches {
			if end := x.Offset + x.Length; c.result.Container == "warc" && end < int64(len(archive)) && !beginsWARC(archive[end:]) {
				t.Fatalf("the record at %d+%d is followed by %.9q", x.Offset, x.Length, archive[end:])
			}
		}
	})
}

func FuzzStreamReader(f *testing.F) {
	addSeeds(f, 4<<10, warctest.Plain, ".warc", ".bz2", ".warc.gz")
	f.Fuzz(func(t *testing.T, archive []byte) {
		form := formOf(archive)
		if !form.HasRecords() {
			return
		}
		r, err := form.Stream(warc.SourceAt(bytes.NewReader(archive), 0))
		if err != nil {
			return
		}
		checkReader(t, r, 1<<40)
		// slyrz/warc and the project's own framing agree on plain archives.
		// What a file's own proofs repair, a pipe cannot.
		own, piped := read(t, archive), readPipe(t, archive)
		if own.result.Container == "warc" && own.result.Lossy == 0 && piped.result.Lossy == 0 {
			equal(t, "fetches", piped.fetches, own.fetches, apartFromPlace, cmpopts.IgnoreFields(facts.Fetch{}, "Trust"))
		}
	})
}

// One byte changed, or all behind it lost: nothing is invented.
func FuzzDamage(f *testing.F) {
	addSeeds(f, 300, warctest.GzipMembers, ".warc.gz")
	f.Fuzz(func(t *testing.T, archive []byte) {
		whole := read(t, archive)
		if !recordMembers(whole) || whole.result.Lossy > 0 || len(archive) > 4<<10 {
			return // a change may mend what is damaged
		}
		known := identities(whole)
		step := 1
		if testing.Short() {
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
	return warc.Sniff(warc.SourceAt(bytes.NewReader(archive), 0), isCrawlLog)
}

// mustRead reads an archive in memory.
func mustRead(archive []byte) warc.Reader {
	form := formOf(archive)
	r, err := form.Records(warc.SourceAt(bytes.NewReader(archive), 0), bytes.NewReader(archive))
	if err != nil {
		panic(err)
	}
	return r
}
