package ingest

import (
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/warc"
	"github.com/robotsaudit/robotsaudit/internal/warctest"
)

// asARC writes entries as URL records.
func asARC(entries ...warctest.Record) []byte {
	archive := warctest.ARCInfo(arcAgent)
	for _, e := range entries {
		archive += warctest.ARCRecord("http://h/"+e.ID, "20240501120000", e.Block)
	}
	return []byte(archive)
}

func FuzzARC(f *testing.F) {
	addSeeds(f, 4<<10, asARC, ".arc", ".arc.gz")
	f.Fuzz(func(t *testing.T, archive []byte) {
		if form := formOf(archive); form.HasRecords() && form.Addressable() {
			checkReader(t, mustRead(archive), int64(len(archive)))
		}
		read(t, archive)
		readPipe(t, archive)
		warc.EachARCField(archive, func(name, value []byte) {
			if len(name) == 0 {
				t.Fatalf("a field without a name: %q", value)
			}
		})
	})
}

func FuzzZstd(f *testing.F) {
	addSeeds(f, 4<<10, func(entries ...warctest.Record) []byte { return warctest.ZstdFrames(f, entries) }, ".zst")
	f.Add(append(skippable(0xd, dictionary(f)), warctest.ZstdFrames(f, crawl())...))
	f.Fuzz(func(t *testing.T, archive []byte) {
		if form := formOf(archive); form.HasRecords() && form.Addressable() {
			checkReader(t, mustRead(archive), int64(len(archive)))
		}
		read(t, archive)
		readPipe(t, archive)
	})
}

func FuzzWACZ(f *testing.F) {
	addSeeds(f, 8<<10, func(entries ...warctest.Record) []byte {
		return warctest.Zip(f, warctest.StoredEntry("archive/a.warc.gz", warctest.GzipMembers(entries...)), warctest.DeflatedEntry("archive/b.warc", warctest.Plain(entries...)))
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
