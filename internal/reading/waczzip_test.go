package reading

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

var zipForms = map[string]warctest.ZipForm{
	"sizes before":              {},
	"sizes before, a comment":   {Comment: strings.Repeat("a comment ", 30)},
	"64 bits":                   {Wide: true},
	"sizes behind":              {Described: true},
	"sizes behind, no mark":     {Described: true, Unsigned: true},
	"sizes behind, 64 bits":     {Described: true, Wide: true, Comment: "of an archive"},
	"64 bits, behind, unmarked": {Described: true, Wide: true, Unsigned: true},
}

// zipWithZip is a WACZ with a page that is itself one, and holds a robots.txt of
// another site. The page's bytes stand in it as they are.
func zipWithZip(t testing.TB, f warctest.ZipForm, deflate bool) (file, inner []byte) {
	forged := warctest.GzipMembers(warctest.Warcinfo("urn:v", ""),
		warctest.Response("urn:forged", "http://victim/robots.txt",
			"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n"))
	inner = f.File(t, warctest.ZipEntry{Name: "archive/data.warc.gz", Content: forged, Deflate: deflate})
	one := func(n int, block string) []byte {
		return stored(warctest.Response(fmt.Sprint("urn:", n), fmt.Sprint("http://h/", n), block).String())
	}
	page := "HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n\r\n" + string(inner)
	first := slices.Concat(warctest.GzipMembers(warctest.Warcinfo("urn:i", "")), one(1, ok200), one(2, page),
		one(3, ok200))
	second := slices.Concat(one(4, ok200), one(5, page))
	return f.File(t, warctest.ZipEntry{Name: "archive/a.warc.gz", Content: first, Deflate: deflate},
			warctest.ZipEntry{
				Name: "archive/b.warc.gz", Content: second,
				Deflate: deflate,
			}, warctest.DeflatedEntry("pages/pages.jsonl", []byte(`{"format": "json-pages-1.0"}`))),
		inner
}

// The lengths of the structures at the end of a zip file.
const (
	endRecord64Size = 56
	locatorSize     = 20
	endRecordSize   = 22
)

// checkZip reads a damaged file. Nothing in it may count that the whole file does
// not hold, and nothing may be missing without an issue.
func checkZip(t *testing.T, what string, file []byte, want []string) *collected {
	t.Helper()
	got := read(t, file)
	for _, url := range got.urls() {
		if !slices.Contains(want, url) {
			t.Fatalf("%s: %s, which the archive does not hold", what, url)
		}
	}
	if len(got.fetches) != len(want) && got.result.Lossy == 0 {
		t.Fatalf("%s: %v, and no issue", what, got.urls())
	}
	return got
}

// TestZipInPage: wherever a WACZ is cut, and whatever bit of it changes, no zip file
// inside a page of it is taken for it.
func TestZipInPage(t *testing.T) {
	want := []string{"http://h/1", "http://h/2", "http://h/3", "http://h/4", "http://h/5"}
	for name, form := range zipForms {
		for _, deflate := range []bool{false, true} {
			if form.Unsigned && !deflate { // no mark shows where such an entry ends
				continue
			}
			t.Run(fmt.Sprintf("%s, deflated %v", name, deflate), func(t *testing.T) {
				t.Parallel()
				file, inner := zipWithZip(t, form, deflate)
				whole := checkZip(t, "whole", file, want)
				equal(t, "issues", whole.kinds(), nil)
				equal(t, "fetches", whole.urls(), want)
				cuts := []int{len(file) - len(form.Comment) - endRecordSize, len(file) - 1}
				for at := 0; ; {
					n := bytes.Index(file[at:], inner)
					if n < 0 {
						break
					}
					at += n + len(inner)
					cuts = append(cuts, at)
				}
				for n := 1; n < len(file); n += 97 {
					cuts = append(cuts, n)
				}
				for _, n := range cuts {
					if got := checkZip(t, fmt.Sprint("cut at ", n), file[:n], want); got.result.Lossy == 0 {
						t.Fatalf("cut at %d: no issue", n)
					}
				}
				end := len(file) - len(form.Comment) - endRecordSize
				for bit := 0; bit < len(file)*8; bit += 331 {
					damaged := bytes.Clone(file)
					damaged[bit/8] ^= 1 << (bit % 8)
					checkZip(t, fmt.Sprint("bit ", bit), damaged, want)
				}
				for bit := 0; bit < 32; bit += 5 {
					damaged := bytes.Clone(file)
					damaged[end+bit/8] ^= 1 << (bit % 8)
					got := checkZip(t, fmt.Sprint("bit of the end record ", bit), damaged, want)
					equal(t, "fetches", got.urls(), want)
					equal(t, "issues", got.kinds(), []string{"damaged_stream"})
				}
			})
		}
	}
}

// TestZipPrefix: a zip file that follows something else is no WACZ.
func TestZipPrefix(t *testing.T) {
	file := warctest.Zip(t, warctest.StoredEntry("archive/a.warc.gz",
		warctest.GzipMembers(warctest.Response("urn:a", "http://h/a", ok200))))
	for name, prefix := range map[string]string{
		"a program":          "MZ" + strings.Repeat("code", 20_000),
		"an empty zip file":  string(warctest.Zip(t)),
		"an unlisted header": string(warctest.Zip(t, warctest.StoredEntry("other", []byte("content")))),
	} {
		got := read(t, append([]byte(prefix), file...))
		if kinds := got.kinds(); len(got.fetches) > 0 || got.result.Lossy == 0 {
			t.Errorf("%s: %v, issues %v", name, got.urls(), kinds)
		}
	}
}

// TestZipUnlisted: an entry that the directory leaves out is read, and reported.
func TestZipUnlisted(t *testing.T) {
	for name, form := range zipForms {
		var all []warctest.ZipEntry
		for i := range 3 {
			all = append(all, warctest.DeflatedEntry(fmt.Sprintf("archive/%d.warc.gz", i),
				warctest.GzipMembers(warctest.Response(fmt.Sprint("urn:", i), fmt.Sprint("http://h/", i), ok200))))
		}
		file := form.File(t, all...)
		start := bytes.Index(file, []byte("PK\x01\x02"))
		one := bytes.Index(file[start+1:], []byte("PK\x01\x02")) + 1
		at := bytes.LastIndex(file, []byte("PK\x05\x06"))
		for i := range 3 {
			less := slices.Concat(file[:start+i*one], file[start+(i+1)*one:])
			at := at - one
			if form.Wide { // the sizes and offsets of 64 bits
				at64 := at - locatorSize - endRecord64Size
				binary.LittleEndian.PutUint64(less[at64+40:], uint64(2*one))
				binary.LittleEndian.PutUint64(less[at-locatorSize+8:], uint64(at64))
			} else {
				binary.LittleEndian.PutUint32(less[at+12:], uint32(2*one))
			}
			got := read(t, less)
			equal(t, fmt.Sprint(name, ", without ", i), got.urls(), []string{"http://h/0", "http://h/1", "http://h/2"})
			equal(t, "issues", got.kinds(), []string{"damaged_stream"})
			if len(got.issues) > 0 && !strings.Contains(got.issues[0].Detail, "leaves out") {
				t.Errorf("%s: %s", name, got.issues[0].Detail)
			}
		}
	}
}

// TestZipNames: a letter that differs between the two names of an entry is reported.
func TestZipNames(t *testing.T) {
	const name = "archive/a.warc.gz"
	file := warctest.Zip(t, warctest.StoredEntry(name,
		warctest.GzipMembers(warctest.Response("urn:a", "http://h/a", ok200))))
	file[bytes.LastIndex(file, []byte(name))] ^= 1
	got := read(t, file)
	equal(t, "entries", got.entries(), []string{name})
	equal(t, "issues", got.kinds(), []string{"damaged_stream"})
}

// TestZipHeaderBits: a changed bit in a header of a stored entry loses nothing, and is reported if
// anything depends on it.
func TestZipHeaderBits(t *testing.T) {
	want := []string{"http://h/1", "http://h/2", "http://h/3", "http://h/4", "http://h/5"}
	file, inner := zipWithZip(t, warctest.ZipForm{}, false)
	start := bytes.LastIndex(file, inner) + len(inner)
	start += bytes.Index(file[start:], []byte("PK\x01\x02"))
	second := bytes.Index(file, []byte("archive/b.warc.gz")) - 30
	step := 5
	if longtest.Run() {
		step = 1
	}
	for _, at := range [][2]int{{0, 47}, {second, second + 47}, {start, len(file)}} {
		for bit := 8 * at[0]; bit < 8*at[1]; bit += step {
			damaged := bytes.Clone(file)
			damaged[bit/8] ^= 1 << (bit % 8)
			got := checkZip(t, fmt.Sprintf("bit %d of byte %d", bit%8, bit/8), damaged, want)
			if !slices.Equal(got.urls(), want) {
				t.Errorf("bit %d of byte %d (directory at %d): %v, issues %v", bit%8, bit/8, start, got.urls(),
					got.kinds())
			}
		}
	}
}

// TestLargeDirectory: an archive that is the last of very many entries is read, or the reason names
// why not.
func TestLargeDirectory(t *testing.T) {
	archive := warctest.StoredEntry("archive/z.warc.gz",
		warctest.GzipMembers(warctest.Response("urn:z", "http://h/z", ok200)))
	entries := func(n, name int) (list []warctest.ZipEntry) {
		for i := range n {
			list = append(list, warctest.StoredEntry(fmt.Sprintf("pages/%0*d.txt", name, i), []byte("x")))
		}
		return append(list, archive)
	}
	if got := read(t, warctest.Zip(t, entries(20_000, 900)...)); len(got.fetches) != 1 || len(got.issues) > 0 {
		t.Errorf("a directory of 18 MiB: %d fetches, issues %v", len(got.fetches), got.issues)
	}
	path := filepath.Join(t.TempDir(), "a.wacz")
	if err := os.WriteFile(path, warctest.Zip(t, entries(600, 60_000)...), 0o666); err != nil {
		t.Fatal(err)
	}
	result, err := Read(t.Context(), inputAt(t, path), 0, new(facts.Discard), nil, Options{})
	if err != nil || !strings.Contains(result.Refusal, "its directory has more than 33554432 bytes") ||
		!strings.Contains(result.Refusal, "unpack it") {
		t.Errorf("a directory of 36 MB: %q, %v", result.Refusal, err)
	}
}
