package warc

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// fuzzedBytes is the longest seed. Longer ones slow the fuzzer down.
const fuzzedBytes = 4 << 10

// addSeeds gives a fuzz target small archives made here, and the archives in testdata
// with these endings.
func addSeeds(f *testing.F, write func(...warctest.Record) []byte, endings ...string) {
	page := warctest.Response("urn:1", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n")
	f.Add(write(page))
	f.Add(write(warctest.Warcinfo("urn:i", "software: x\r\n"), warctest.Digested(page),
		warctest.Record{Type: "revisit", URL: "http://h/"}))
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "warc", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		named := slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(path, ending) })
		if seed, err := os.ReadFile(path); named && err == nil && len(seed) <= fuzzedBytes {
			f.Add(seed)
		}
	}
}

// writeARC writes blocks as URL records after a version block.
func writeARC(records ...warctest.Record) []byte {
	archive := warctest.ARCInfo(`<arcmetadata xmlns:arc="http://archive.org/arc/1.0/"><arc:software>crawler</arc:software></arcmetadata>`)
	for _, r := range records {
		archive += warctest.ARCRecord("http://h/"+r.ID, "20240501120000", r.Block)
	}
	return []byte(archive)
}

// checkReader reads everything: records lie one after the other within size, and a
// reader ends with io.EOF or a damage that names a place and a reason.
func checkReader(t *testing.T, r Reader, size int64) {
	t.Helper()
	end := int64(0)
	for n := int64(0); ; n++ {
		if n > size {
			t.Fatal("more records than bytes")
		}
		rec, err := r.Next()
		if err == nil {
			if rec.ContentLength < 0 || rec.Type != TypeARC && rec.Type != TypeARCInfo && !isWARC([]byte(rec.Version)) {
				t.Fatalf("record %+v", rec)
			}
			io.CopyN(io.Discard, rec.Block, n%7) // some of the block, as readers of records do
			var length int64
			if length, err = r.Finish(); err == nil {
				if rec.Offset < 0 || length <= 0 || rec.Offset+length > size {
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
		var d *Damage
		if !errors.As(err, &d) {
			t.Fatalf("%v is neither damage nor the end", err)
		}
		if d.Offset < 0 || d.Offset > size || d.Kind.String() == "unknown" || d.Detail == "" {
			t.Fatalf("damage %+v in %d bytes", d, size)
		}
		if !d.More {
			return
		}
	}
}

// FuzzMembers reads gzip members, whatever the first bytes are.
func FuzzMembers(f *testing.F) {
	addSeeds(f, warctest.GzipMembers, ".warc.gz")
	f.Fuzz(func(t *testing.T, archive []byte) {
		at := bytes.NewReader(archive)
		checkReader(t, newMemberReader(gzipCodec{}, warcFraming{}, input.At(at, 0), at), int64(len(archive)))
	})
}

// FuzzPlain reads uncompressed records. One that counts is followed by another, or by
// the end of the file.
func FuzzPlain(f *testing.F) {
	addSeeds(f, warctest.Plain, ".warc")
	f.Fuzz(func(t *testing.T, archive []byte) {
		at := bytes.NewReader(archive)
		checkReader(t, newPlainReader(warcFraming{}, input.At(at, 0), at), int64(len(archive)))
	})
}

// FuzzARC reads ARC records, uncompressed and in gzip members.
func FuzzARC(f *testing.F) {
	addSeeds(f, writeARC, ".arc")
	f.Fuzz(func(t *testing.T, archive []byte) {
		at := bytes.NewReader(archive)
		checkReader(t, newPlainReader(arcFraming{}, input.At(at, 0), at), int64(len(archive)))
		packed := warctest.Gzip(string(archive))
		at.Reset(packed)
		checkReader(t, newMemberReader(gzipCodec{}, arcFraming{}, input.At(at, 0), at), int64(len(packed)))
		EachARCField(archive, func(name, value []byte) {
			if len(name) == 0 {
				t.Fatalf("a field without a name: %q", value)
			}
		})
	})
}

// FuzzSniff reads the form that Sniff recognises, from a file and as a stream. Zstd
// frames and bzip2 are among the seeds.
func FuzzSniff(f *testing.F) {
	addSeeds(f, func(records ...warctest.Record) []byte { return warctest.ZstdFrames(f, records) }, ".zst", ".warc.gz",
		".arc.gz")
	addSeeds(f, func(records ...warctest.Record) []byte { return warctest.Gzip(string(warctest.Plain(records...))) })
	addSeeds(f, warctest.Plain)
	f.Fuzz(func(t *testing.T, archive []byte) {
		at := bytes.NewReader(archive)
		src := input.At(at, 0)
		form := Sniff(src, nil)
		if !form.HasRecords() {
			return
		}
		stream := form
		r, err := form.Records(src, at)
		if err != nil {
			t.Fatal(err)
		}
		size := int64(1 << 40) // offsets refer to the decompressed stream
		if form.Addressable() {
			size = int64(len(archive))
		}
		checkReader(t, r, size)
		if r, err := stream.Stream(input.At(at, 0)); err == nil {
			checkReader(t, r, 1<<40)
		}
	})
}
