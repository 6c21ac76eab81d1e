package ingest

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/warctest"
)

// zipped is an entry to be written.
type zipped struct {
	name    string
	content []byte
	deflate bool
}

func zipFileOf(t testing.TB, entries ...zipped) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Store}
		if e.deflate {
			h.Method = zip.Deflate
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// entries returns the entries of the fetches, in order.
func (c *collected) entries() (names []string) {
	for _, f := range c.fetches {
		names = append(names, f.Entry)
	}
	return names
}

// Every archive in a WACZ is read, whatever its form and name, and its offsets are
// those in the entry.
func TestWACZ(t *testing.T) {
	one := func(n int) []warctest.Record {
		return []warctest.Record{warctest.Response(fmt.Sprint("urn:", n), fmt.Sprint("http://h/", n), ok200)}
	}
	several := []warctest.Record{warctest.Response("urn:a", "http://h/a", ok200), warctest.Response("urn:b", "http://h/b", ok200)}
	archives := []zipped{
		{"archive/a.warc.gz", warctest.GzipMembers(several...), false},
		{"archive/b.warc", warctest.Plain(one(2)...), false},
		{"archive/c.warc", warctest.GzipMembers(one(3)...), true}, // gzip, and not named so
		{"archive/d.warc.gz", warctest.Plain(one(4)...), true},
		{"archive/e.warc.zst", warctest.ZstdFrames(t, one(5)), true},
		{"archive/f.arc.gz", []byte(warctest.ARCInfo("") + warctest.ARCRecord("http://h/6", "20240501120000", ok200)), false},
		{"elsewhere/g.bin", warctest.GzipMembers(one(7)...), false},
		{"archive/h.warc.gz", warctest.Gzip(string(warctest.Plain(several...))), true},
	}
	others := []zipped{{"datapackage.json", []byte("{}"), false}, {"indexes/index.cdx.gz", warctest.Gzip("com,h)/ 2024 {}\n"), false},
		{"pages/pages.jsonl", []byte(`{"format": "json-pages-1.0"}`), true}, {"archive/", nil, false}}
	wacz := zipFileOf(t, append(archives, others...)...)
	var urls, names []string
	for _, a := range archives {
		for _, url := range read(t, a.content).urls() {
			urls, names = append(urls, url), append(names, a.name)
		}
	}
	for form, got := range map[string]*collected{"file": read(t, wacz), "pipe": readPipe(t, wacz)} {
		t.Run(form, func(t *testing.T) {
			if got.result.Container != "wacz" || got.result.Refusal != "" || len(got.result.Fingerprint) != 16 {
				t.Errorf("%+v", got.result)
			}
			equal(t, "issues", got.kinds(), nil)
			equal(t, "urls", got.urls(), urls)
			equal(t, "entries", got.entries(), names)
			for i, a := range archives {
				for _, f := range got.fetches {
					if f.Entry == a.name && f.Flags&facts.FlagStreamed == 0 && i != 5 {
						if alone := read(t, a.content[f.Offset:f.Offset+f.Length]); len(alone.fetches) != 1 || alone.fetches[0].URL != f.URL {
							t.Errorf("%s %s at %d+%d reads as %v", a.name, f.URL, f.Offset, f.Length, alone.urls())
						}
					}
				}
			}
			if got.result.Fetches != int64(len(urls)) || got.result.Records["response"] != 9 || got.result.Records["arc"] != 1 {
				t.Errorf("%+v", got.result.InputStats)
			}
		})
	}
}

// Bodies are found again in stored and in deflated entries.
func TestRereadEntry(t *testing.T) {
	target := warctest.Response("urn:t", "http://h/target", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody)
	first := warctest.Response("urn:f", "http://h/first", "HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("padding ", 100_000))
	wacz := zipFileOf(t, zipped{"archive/a.warc.gz", warctest.GzipMembers(first, target), false}, zipped{"archive/b.warc", warctest.Plain(first, target), true},
		zipped{"archive/c.warc.gz", warctest.GzipMembers(target, first), true}, zipped{"archive/d.warc.zst", append(skippable(0xd, dictionary(t)), warctest.ZstdFrames(t, []warctest.Record{first, target})...), false})
	path := filepath.Join(t.TempDir(), "a.wacz")
	if err := os.WriteFile(path, wacz, 0o666); err != nil {
		t.Fatal(err)
	}
	inputs, _ := Expand([]string{path})
	found := 0
	for _, f := range readFile(t, path).fetches {
		if f.URL != "http://h/target" {
			continue
		}
		body, err := reread(inputs[0], &facts.Capture{Fetch: f})
		if err != nil || string(body) != robotsBody {
			t.Errorf("%s: %q, %v", f.Entry, body, err)
		}
		found++
		f.Entry = "archive/none.warc.gz"
		if _, err := reread(inputs[0], &facts.Capture{Fetch: f}); err == nil {
			t.Error("an entry that is not there was read")
		}
	}
	if found != 4 {
		t.Errorf("%d targets", found)
	}
}

// Zip files that lie, each with a good entry behind.
func TestHostileZip(t *testing.T) {
	good := zipped{"archive/z.warc.gz", warctest.GzipMembers(warctest.Response("urn:z", "http://h/z", ok200)), false}
	bad := zipped{"archive/a.warc.gz", warctest.GzipMembers(warctest.Response("urn:a", "http://h/a", ok200)), false}
	deflated := zipped{"archive/a.warc", warctest.Plain(warctest.Response("urn:a", "http://h/a", ok200)), true}
	directory := func(b []byte) int { return bytes.Index(b, []byte("PK\x01\x02")) }
	change := func(at int, value byte) func([]byte) []byte {
		return func(b []byte) []byte { b[directory(b)+at] = value; return b }
	}
	for name, c := range map[string]struct {
		entries []zipped
		change  func([]byte) []byte
		urls    []string
		issues  []string
	}{
		"false checksum":           {[]zipped{bad, good}, change(16, 0xff), []string{"http://h/a", "http://h/z"}, []string{"bad_entry"}},
		"false checksum, deflated": {[]zipped{deflated, good}, change(16, 0xff), []string{"http://h/z"}, []string{"bad_entry"}},
		"false size":               {[]zipped{bad, good}, change(24, 1), []string{"http://h/z"}, []string{"bad_entry"}},
		"false size, deflated":     {[]zipped{deflated, good}, change(24, 1), []string{"http://h/a", "http://h/z"}, []string{"bad_entry"}},
		"encrypted":                {[]zipped{bad, good}, change(8, 1), []string{"http://h/z"}, []string{"bad_entry"}},
		"another method":           {[]zipped{bad, good}, change(10, 93), []string{"http://h/z"}, []string{"bad_entry"}},
		"the same name":            {[]zipped{bad, bad, good}, nil, []string{"http://h/a", "http://h/z"}, []string{"bad_entry"}},
		"the same bytes": {[]zipped{bad, {"archive/b.warc.gz", bad.content, false}, good}, func(b []byte) []byte {
			second := directory(b) + bytes.Index(b[directory(b)+4:], []byte("PK\x01\x02")) + 4
			binary.LittleEndian.PutUint32(b[second+42:], 0)
			return b
		}, []string{"http://h/a", "http://h/a", "http://h/z"}, []string{"damaged_stream"}},
		"text among archives": {[]zipped{{"archive/readme.txt", []byte("hello"), false}, good}, nil, []string{"http://h/z"}, []string{"not_an_archive"}},
		"an empty archive":    {[]zipped{{"archive/a.warc", nil, false}, good}, nil, []string{"http://h/z"}, []string{"empty_file"}},
		"a zip file":          {[]zipped{{"a.wacz", zipFileOf(t, bad), false}, good}, nil, []string{"http://h/z"}, []string{"unsupported_container"}},
		"a long name":         {[]zipped{{strings.Repeat("n", 5000), bad.content, false}, good}, nil, []string{"http://h/z"}, []string{"bad_entry"}},
		"no archive":          {[]zipped{{"a.txt", []byte("hello"), false}}, nil, nil, []string{"not_an_archive"}},
		"nothing":             {nil, nil, nil, []string{"not_an_archive"}},
		"cut short":           {[]zipped{bad, good}, func(b []byte) []byte { return b[:len(b)-30] }, []string{"http://h/a", "http://h/z"}, []string{"damaged_stream"}},
	} {
		t.Run(name, func(t *testing.T) {
			archive := zipFileOf(t, c.entries...)
			if c.change != nil {
				archive = c.change(archive)
			}
			got := read(t, archive)
			equal(t, "urls", got.urls(), c.urls)
			equal(t, "issues", got.kinds(), c.issues)
			if len(c.issues) > 0 && got.result.Lossy == 0 {
				t.Error("no issue is lossy")
			}
			equal(t, "urls of a pipe", readPipe(t, archive).urls(), c.urls)
		})
	}
}

// TestPackageDigests: with all digests verified, those that datapackage.json gives
// of entries are, too.
func TestPackageDigests(t *testing.T) {
	archive := warctest.GzipMembers(warctest.Response("urn:a", "http://h/a", ok200))
	sum := fmt.Sprintf("%x", sha256.Sum256(archive))
	wrong := strings.Repeat("0", len(sum))
	for name, c := range map[string]struct {
		json   string
		issues []string
	}{
		"1.1":         {`{"resources": [{"path": "archive/a.warc.gz", "hash": "sha256:` + sum + `"}]}`, nil},
		"1.1, wrong":  {`{"resources": [{"path": "archive/a.warc.gz", "hash": "sha256:` + wrong + `"}]}`, []string{"digest_mismatch archive/a.warc.gz"}},
		"1.0":         {`{"resources": [{"path": "archive/a.warc.gz", "hashing": "sha256", "stats": {"hash": "` + sum + `"}}]}`, nil},
		"1.0, wrong":  {`{"resources": [{"path": "archive/a.warc.gz", "hashing": "sha256", "stats": {"hash": "` + wrong + `"}}]}`, []string{"digest_mismatch archive/a.warc.gz"}},
		"other entry": {`{"resources": [{"path": "archive/b.warc.gz", "hash": "sha256:` + wrong + `"}]}`, nil},
		"not known":   {`{"resources": [{"path": "archive/a.warc.gz", "hash": "crc:1"}]}`, []string{"unknown_digest archive/a.warc.gz"}},
		"none":        {`{}`, nil},
		"no JSON":     {`resources`, []string{"unknown_digest datapackage.json"}},
		"too long":    {`{"resources": [` + strings.Repeat(" ", maxPackage) + `]}`, []string{"unknown_digest datapackage.json"}},
	} {
		wacz := zipFileOf(t, zipped{"archive/a.warc.gz", archive, false}, zipped{"datapackage.json", []byte(c.json), true})
		for _, verify := range []bool{true, false} {
			got := new(collected)
			if _, err := readSource(facts.Input{Path: "/a.wacz", Size: int64(len(wacz))}, bytes.NewReader(wacz), 0, got, &readOptions{verify: verify}); err != nil {
				t.Fatal(err)
			}
			var issues []string
			for _, i := range got.issues {
				issues = append(issues, i.Kind.String()+" "+i.Entry)
			}
			if want := c.issues; verify {
				equal(t, name, issues, want)
			} else if len(issues) > 0 {
				t.Errorf("%s, not verified: %q", name, issues)
			}
			if len(got.fetches) != 1 {
				t.Errorf("%s: %d fetches", name, len(got.fetches))
			}
		}
	}
}

// Many entries, and entries that inflate to much, take no memory.
func TestZipBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: inflating gigabytes takes seconds")
	}
	header := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nContent-Length: 1000000000000\r\n\r\n"
	zeros := append([]byte(header), make([]byte, 300<<20)...)
	many := make([]zipped, 20_000)
	for i := range many {
		many[i] = zipped{name: fmt.Sprintf("archive/%d.warc", i), content: warctest.Plain(warctest.Response(fmt.Sprint("urn:", i), "http://h/", ok200))}
	}
	for name, c := range map[string]struct {
		archive []byte
		fetches int
		issue   string
	}{
		"zeros":          {zipFileOf(t, zipped{"archive/a.warc", zeros, true}), 0, "truncated_record"},
		"many entries":   {zipFileOf(t, many...), 20_000, ""},
		"long directory": {endlessDirectory(), 0, "damaged_stream"},
	} {
		t.Run(name, func(t *testing.T) {
			var got *collected
			peak := peakHeap(func() { got = read(t, c.archive) })
			t.Logf("%d bytes, heap %d MiB, issues %v", len(c.archive), peak>>20, got.kinds())
			if kinds := got.kinds(); peak > 150<<20 || len(got.fetches) != c.fetches || c.issue != "" && (len(kinds) == 0 || kinds[0] != c.issue) {
				t.Errorf("%d MiB of heap, %d fetches, issues %v", peak>>20, len(got.fetches), kinds)
			}
		})
	}
}

// endlessDirectory is a zip file whose directory has a million entries.
func endlessDirectory() []byte {
	one := append([]byte("PK\x01\x02"), make([]byte, 42)...)
	one[28] = 1 // length of the name
	one = append(one, 'n')
	b := bytes.Repeat(one, 1_000_000)
	size := len(b)
	b = append(append([]byte("PK\x03\x04"), make([]byte, 26)...), b...)
	b = append(b, "PK\x05\x06\x00\x00\x00\x00"...)
	b = binary.LittleEndian.AppendUint16(b, 1_000_000&0xffff)
	b = binary.LittleEndian.AppendUint16(b, 1_000_000&0xffff)
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	b = binary.LittleEndian.AppendUint32(b, 30)
	return append(b, 0, 0)
}

// TestInflatedAt: inflatedAt reads at random what the entry holds.
func TestInflatedAt(t *testing.T) {
	content := make([]byte, 3<<20)
	for i := range content {
		content[i] = byte(i * i >> 8)
	}
	archive := zipFileOf(t, zipped{"a", content, true})
	list, err := openZip(bytes.NewReader(archive), int64(len(archive)))
	if err != nil || list.entries[0].CRC32 != crc32.ChecksumIEEE(content) {
		t.Fatal(err)
	}
	at := list.entries[0].at()
	for _, place := range [][2]int{{0, 10}, {5, 100_000}, {2 << 20, 300_000}, {2<<20 - 1000, 2000}, {0, 1}, {3<<20 - 5, 5}} {
		p := make([]byte, place[1])
		n, err := at.ReadAt(p, int64(place[0]))
		if err != nil || n != len(p) || !bytes.Equal(p, content[place[0]:place[0]+place[1]]) {
			t.Errorf("at %v: %d bytes, %v", place, n, err)
		}
	}
	if n, err := at.ReadAt(make([]byte, 10), 3<<20-4); n != 4 || err == nil {
		t.Errorf("at the end: %d, %v", n, err)
	}
	for range maxRewinds {
		at.ReadAt(make([]byte, 1), 3<<20-1)
		at.ReadAt(make([]byte, 1), 0)
	}
	if _, err := at.ReadAt(make([]byte, 1), 3<<20-1); err == nil {
		if _, err = at.ReadAt(make([]byte, 1), 0); err == nil {
			t.Error("rewinds without end")
		}
	}
}
