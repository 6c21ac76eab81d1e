package reading

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

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
	several := []warctest.Record{
		warctest.Response("urn:a", "http://h/a", ok200),
		warctest.Response("urn:b", "http://h/b", ok200),
	}
	archives := []warctest.ZipEntry{
		warctest.StoredEntry("archive/a.warc.gz", warctest.GzipMembers(several...)),
		warctest.StoredEntry("archive/b.warc", warctest.Plain(one(2)...)),
		warctest.DeflatedEntry("archive/c.warc", warctest.GzipMembers(one(3)...)), // gzip, and not named so
		warctest.DeflatedEntry("archive/d.warc.gz", warctest.Plain(one(4)...)),
		warctest.DeflatedEntry("archive/e.warc.zst", warctest.ZstdFrames(t, one(5))),
		warctest.StoredEntry("archive/f.arc.gz",
			[]byte(warctest.ARCInfo("")+warctest.ARCRecord("http://h/6", "20240501120000", ok200))),
		warctest.StoredEntry("elsewhere/g.bin", warctest.GzipMembers(one(7)...)),
		warctest.DeflatedEntry("archive/h.warc.gz", warctest.Gzip(string(warctest.Plain(several...)))),
	}
	others := []warctest.ZipEntry{
		warctest.StoredEntry("datapackage.json", []byte("{}")),
		warctest.StoredEntry("indexes/index.cdx.gz", warctest.Gzip("com,h)/ 2024 {}\n")),
		warctest.DeflatedEntry("pages/pages.jsonl", []byte(`{"format": "json-pages-1.0"}`)),
		warctest.StoredEntry("archive/", nil),
	}
	wacz := warctest.Zip(t, append(archives, others...)...)
	var urls, names []string
	for _, a := range archives {
		for _, url := range read(t, a.Content).urls() {
			urls, names = append(urls, url), append(names, a.Name)
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
					if f.Entry == a.Name && f.Flags&facts.FlagStreamed == 0 && i != 5 {
						if alone := read(t, a.Content[f.Offset:f.Offset+f.Length]); len(alone.fetches) != 1 ||
							alone.fetches[0].URL != f.URL {
							t.Errorf("%s %s at %d+%d reads as %v", a.Name, f.URL, f.Offset, f.Length, alone.urls())
						}
					}
				}
			}
			if got.result.Fetches != int64(len(urls)) || got.result.Records["response"] != 9 ||
				got.result.Records["arc"] != 1 {
				t.Errorf("%+v", got.result.InputStats)
			}
		})
	}
}

// Zip files that lie, each followed by a good entry.
func TestHostileZip(t *testing.T) {
	good := warctest.StoredEntry("archive/z.warc.gz",
		warctest.GzipMembers(warctest.Response("urn:z", "http://h/z", ok200)))
	bad := warctest.StoredEntry("archive/a.warc.gz",
		warctest.GzipMembers(warctest.Response("urn:a", "http://h/a", ok200)))
	deflated := warctest.DeflatedEntry("archive/a.warc",
		warctest.Plain(warctest.Response("urn:a", "http://h/a", ok200)))
	directory := func(b []byte) int { return bytes.Index(b, []byte("PK\x01\x02")) }
	change := func(at int, value byte) func([]byte) []byte {
		return func(b []byte) []byte { b[directory(b)+at] = value; return b }
	}
	both := func(local, at int, value byte) func([]byte) []byte { // of the first entry
		return func(b []byte) []byte { b[local] = value; return change(at, value)(b) }
	}
	for name, c := range map[string]struct {
		entries []warctest.ZipEntry
		change  func([]byte) []byte
		urls    []string
		issues  []string
	}{
		"false checksum": {
			[]warctest.ZipEntry{bad, good},
			change(16, 0xff),
			[]string{"http://h/a", "http://h/z"},
			[]string{"bad_entry"},
		},
		"false checksum, deflated": {
			[]warctest.ZipEntry{deflated, good},
			change(16, 0xff),
			[]string{"http://h/z"},
			[]string{"bad_entry"},
		},
		"false size": {
			[]warctest.ZipEntry{bad, good},
			both(22, 24, 1),
			[]string{"http://h/z"},
			[]string{"bad_entry"},
		},
		"false size, deflated": {
			[]warctest.ZipEntry{deflated, good},
			change(24, 1),
			[]string{"http://h/a", "http://h/z"},
			[]string{"bad_entry"},
		},
		"encrypted": {
			[]warctest.ZipEntry{bad, good},
			both(6, 8, 1),
			[]string{"http://h/z"},
			[]string{"bad_entry"},
		},
		"another method": {
			[]warctest.ZipEntry{bad, good},
			both(8, 10, 93),
			[]string{"http://h/z"},
			[]string{"bad_entry"},
		},
		"another method, once": {
			[]warctest.ZipEntry{bad, good},
			change(10, 93),
			[]string{"http://h/a", "http://h/z"},
			[]string{"damaged_stream"},
		},
		"the same name": {
			[]warctest.ZipEntry{bad, bad, good},
			nil,
			[]string{"http://h/a", "http://h/z"},
			[]string{"bad_entry"},
		},
		"the same bytes": {
			[]warctest.ZipEntry{bad, warctest.StoredEntry("archive/b.warc.gz", bad.Content), good},
			func(b []byte) []byte {
				second := directory(b) + bytes.Index(b[directory(b)+4:], []byte("PK\x01\x02")) + 4
				binary.LittleEndian.PutUint32(b[second+42:], 0)
				return b
			},
			[]string{"http://h/a", "http://h/a", "http://h/z"},
			[]string{"damaged_stream"},
		},
		"text among archives": {
			[]warctest.ZipEntry{warctest.StoredEntry("archive/readme.txt", []byte("hello")), good},
			nil,
			[]string{"http://h/z"},
			[]string{"not_an_archive"},
		},
		"an empty archive": {
			[]warctest.ZipEntry{warctest.StoredEntry("archive/a.warc", nil), good},
			nil,
			[]string{"http://h/z"},
			[]string{"empty_file"},
		},
		"a deflated zip file": {
			[]warctest.ZipEntry{warctest.DeflatedEntry("a.wacz", warctest.Zip(t, bad)), good},
			nil,
			[]string{"http://h/z"},
			[]string{"unsupported_container"},
		},
		"a long name": {
			[]warctest.ZipEntry{warctest.StoredEntry(strings.Repeat("n", 5000), bad.Content), good},
			nil,
			[]string{"http://h/z"},
			[]string{"bad_entry"},
		},
		"no archive": {
			[]warctest.ZipEntry{warctest.StoredEntry("a.txt", []byte("hello"))},
			nil, nil,
			[]string{"not_an_archive"},
		},
		"nothing": {nil, nil, nil, []string{"not_an_archive"}},
		"cut short": {
			[]warctest.ZipEntry{bad, good},
			func(b []byte) []byte { return b[:len(b)-30] },
			[]string{"http://h/a", "http://h/z"},
			[]string{"damaged_stream"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			archive := warctest.Zip(t, c.entries...)
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
		"1.1": {`{"resources": [{"path": "archive/a.warc.gz", "hash": "sha256:` + sum + `"}]}`, nil},
		"1.1, wrong": {
			`{"resources": [{"path": "archive/a.warc.gz", "hash": "sha256:` + wrong + `"}]}`,
			[]string{"digest_mismatch archive/a.warc.gz"},
		},
		"1.0": {`{"resources": [{"path": "archive/a.warc.gz", "hashing": "sha256", "stats": {"hash": "` + sum +
			`"}}]}`, nil},
		"1.0, wrong": {`{"resources": [{"path": "archive/a.warc.gz", "hashing": "sha256", "stats": {"hash": "` +
			wrong + `"}}]}`, []string{"digest_mismatch archive/a.warc.gz"}},
		"other entry": {`{"resources": [{"path": "archive/b.warc.gz", "hash": "sha256:` + wrong + `"}]}`, nil},
		"not known": {
			`{"resources": [{"path": "archive/a.warc.gz", "hash": "crc:1"}]}`,
			[]string{"unknown_digest archive/a.warc.gz"},
		},
		"none":    {`{}`, nil},
		"no JSON": {`resources`, []string{"unknown_digest datapackage.json"}},
		"too long": {
			`{"resources": [` + strings.Repeat(" ", 8<<20) + `]}`,
			[]string{"unknown_digest datapackage.json"},
		},
	} {
		wacz := warctest.Zip(t, warctest.StoredEntry("archive/a.warc.gz", archive),
			warctest.DeflatedEntry("datapackage.json", []byte(c.json)))
		for _, verify := range []bool{true, false} {
			got := new(collected)
			if _, err := readSource(t.Context(), facts.Input{Path: "/a.wacz", Size: int64(len(wacz))},
				bytes.NewReader(wacz), 0, got, Options{Verify: verify}); err != nil {
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

// The title of a WACZ is that of a datapackage.json that is whole.
func TestPackageTitle(t *testing.T) {
	archive := warctest.StoredEntry("archive/a.warc.gz", warctest.GzipMembers(warctest.Response("urn:a", "http://h/a", ok200)))
	for json, want := range map[string][]string{
		`{"title": "Elections", "resources": 5}`: {"Elections"},
		`{"title": 5}`:                           nil,
		`{"title": "Elections"`:                  nil,
		`{"title": ""}`:                          nil,
	} {
		wacz := warctest.Zip(t, archive, warctest.StoredEntry("datapackage.json", []byte(json)))
		outer := warctest.Zip(t, archive, warctest.StoredEntry("a.wacz", wacz))
		damaged := bytes.Replace(wacz, []byte(`"title"`), []byte(`"titel"`), 1)
		for form, content := range map[string][]byte{"whole": wacz, "nested": outer, "damaged": damaged} {
			want := want
			if form == "damaged" {
				want = nil
			}
			result, err := readSource(t.Context(), facts.Input{Path: "/a.wacz", Size: int64(len(content))},
				bytes.NewReader(content), 0, new(collected), Options{})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, form+json, result.Titles, want)
		}
	}
}

// Many entries, and entries that inflate to much, take no memory.
func TestZipBombs(t *testing.T) {
	if !longtest.Run() {
		t.Skip("skipped: inflating gigabytes takes seconds")
	}
	header := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nContent-Length: 1000000000000\r\n\r\n"
	zeros := append([]byte(header), make([]byte, 300<<20)...)
	many := make([]warctest.ZipEntry, 20_000)
	for i := range many {
		many[i] = warctest.ZipEntry{
			Name:    fmt.Sprintf("archive/%d.warc", i),
			Content: warctest.Plain(warctest.Response(fmt.Sprint("urn:", i), "http://h/", ok200)),
		}
	}
	for name, c := range map[string]struct {
		archive []byte
		fetches int
		issue   string
	}{
		"zeros":          {warctest.Zip(t, warctest.DeflatedEntry("archive/a.warc", zeros)), 0, "truncated_record"},
		"many entries":   {warctest.Zip(t, many...), 20_000, ""},
		"long directory": {endlessDirectory(), 0, "damaged_stream"},
	} {
		t.Run(name, func(t *testing.T) {
			var got *collected
			peak := peakHeap(func() { got = read(t, c.archive) })
			t.Logf("%d bytes, heap %d MiB, issues %v", len(c.archive), peak>>20, got.kinds())
			// The fetches themselves take half of it, and the amount of garbage at the same time differs.
			if kinds := got.kinds(); peak > 250<<20 || len(got.fetches) != c.fetches || c.issue != "" &&
				(len(kinds) == 0 || kinds[0] != c.issue) {
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
