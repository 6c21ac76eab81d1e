package ingest

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/warctest"
)

// zipForm is a way of writing zip files that archive/zip does not have.
type zipForm struct {
	described bool // the sizes stand behind an entry alone
	unsigned  bool // without a signature
	wide      bool // sizes and offsets have 64 bits
	comment   string
}

// of writes the entries.
func (f zipForm) of(t testing.TB, entries ...zipped) []byte {
	t.Helper()
	le := binary.LittleEndian
	size := func(b []byte, n int) []byte {
		if f.wide {
			return le.AppendUint64(b, uint64(n))
		}
		return le.AppendUint32(b, uint32(n))
	}
	var file, directory []byte
	for _, e := range entries {
		packed, method, flags := e.content, zip.Store, uint16(0)
		if e.deflate {
			var b bytes.Buffer
			w, _ := flate.NewWriter(&b, flate.BestCompression)
			w.Write(e.content)
			w.Close()
			packed, method = b.Bytes(), zip.Deflate
		}
		if f.described {
			flags = zipDescribed
		}
		crc, header := crc32.ChecksumIEEE(e.content), len(file)
		common := func(b []byte, known bool) []byte {
			b = le.AppendUint16(le.AppendUint16(append(b, 45, 0), flags), method)
			b = append(b, 0, 0, 0, 0) // the time
			switch {
			case !known:
				b = append(b, make([]byte, 12)...)
			case f.wide:
				b = append(le.AppendUint32(b, crc), bytes.Repeat([]byte{0xff}, 8)...)
			default:
				b = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, crc), uint32(len(packed))), uint32(len(e.content)))
			}
			return le.AppendUint16(b, uint16(len(e.name)))
		}
		var localExtra, directoryExtra []byte
		if f.wide {
			sizes := le.AppendUint64(le.AppendUint64(nil, uint64(len(e.content))), uint64(len(packed)))
			directoryExtra = slices.Concat([]byte{1, 0, 24, 0}, le.AppendUint64(slices.Clone(sizes), uint64(header)))
			if !f.described {
				localExtra = slices.Concat([]byte{1, 0, 16, 0}, sizes)
			}
		}
		file = le.AppendUint16(common(append(file, zipLocalHeader...), !f.described), uint16(len(localExtra)))
		file = slices.Concat(file, []byte(e.name), localExtra, packed)
		if f.described {
			if !f.unsigned {
				file = append(file, zipDescriptor...)
			}
			file = size(size(le.AppendUint32(file, crc), len(packed)), len(e.content))
		}
		directory = le.AppendUint16(common(append(directory, zipDirectory+"\x2d\x00"...), true), uint16(len(directoryExtra)))
		directory = append(directory, make([]byte, 10)...)
		if f.wide {
			directory = le.AppendUint32(directory, zip64Elsewhere)
		} else {
			directory = le.AppendUint32(directory, uint32(header))
		}
		directory = slices.Concat(directory, []byte(e.name), directoryExtra)
	}
	start := len(file)
	file = append(file, directory...)
	count := uint16(len(entries))
	if f.wide {
		at := len(file)
		file = append(le.AppendUint64(append(file, zipEnd64...), zipEnd64Size-12), 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		file = le.AppendUint64(le.AppendUint64(file, uint64(count)), uint64(count))
		file = le.AppendUint64(le.AppendUint64(file, uint64(len(directory))), uint64(start))
		file = append(le.AppendUint64(append(file, zipEnd64Locator+"\x00\x00\x00\x00"...), uint64(at)), 1, 0, 0, 0)
	}
	file = le.AppendUint16(le.AppendUint16(append(file, zipEnd+"\x00\x00\x00\x00"...), count), count)
	if f.wide {
		file = append(file, bytes.Repeat([]byte{0xff}, 8)...)
	} else {
		file = le.AppendUint32(le.AppendUint32(file, uint32(len(directory))), uint32(start))
	}
	return append(le.AppendUint16(file, uint16(len(f.comment))), f.comment...)
}

var zipForms = map[string]zipForm{
	"sizes before":              {},
	"sizes before, a comment":   {comment: strings.Repeat("a comment ", 30)},
	"64 bits":                   {wide: true},
	"sizes behind":              {described: true},
	"sizes behind, no mark":     {described: true, unsigned: true},
	"sizes behind, 64 bits":     {described: true, wide: true, comment: "of an archive"},
	"64 bits, behind, unmarked": {described: true, wide: true, unsigned: true},
}

// zipWithZip is a WACZ with a page that is itself one, and holds a robots.txt of
// another site. The page's bytes stand in it as they are.
func zipWithZip(t testing.TB, f zipForm, deflate bool) (file, inner []byte) {
	forged := warctest.GzipMembers(warctest.Warcinfo("urn:v", ""), warctest.Response("urn:forged", "http://victim/robots.txt", "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n"))
	inner = f.of(t, zipped{"archive/data.warc.gz", forged, deflate})
	one := func(n int, block string) []byte {
		return stored(warctest.Response(fmt.Sprint("urn:", n), fmt.Sprint("http://h/", n), block).String())
	}
	page := "HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n\r\n" + string(inner)
	first := slices.Concat(warctest.GzipMembers(warctest.Warcinfo("urn:i", "")), one(1, ok200), one(2, page), one(3, ok200))
	second := slices.Concat(one(4, ok200), one(5, page))
	return f.of(t, zipped{"archive/a.warc.gz", first, deflate}, zipped{"archive/b.warc.gz", second, deflate}, zipped{"pages/pages.jsonl", []byte(`{"format": "json-pages-1.0"}`), true}), inner
}

// checkZip reads a damaged file, of which nothing may count that the whole one does
// not hold, and nothing be missing without an issue.
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
			if form.unsigned && !deflate { // no mark shows where such an entry ends
				continue
			}
			t.Run(fmt.Sprintf("%s, deflated %v", name, deflate), func(t *testing.T) {
				t.Parallel()
				file, inner := zipWithZip(t, form, deflate)
				whole := checkZip(t, "whole", file, want)
				equal(t, "issues", whole.kinds(), nil)
				equal(t, "fetches", whole.urls(), want)
				cuts := []int{len(file) - len(form.comment) - zipEndSize, len(file) - 1}
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
				end := len(file) - len(form.comment) - zipEndSize
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

// TestZipPrefix: a file with a zip file behind something else is no WACZ.
func TestZipPrefix(t *testing.T) {
	file := zipFileOf(t, zipped{"archive/a.warc.gz", warctest.GzipMembers(warctest.Response("urn:a", "http://h/a", ok200)), false})
	for name, prefix := range map[string]string{
		"a program":          "MZ" + strings.Repeat("code", 20_000),
		"an empty zip file":  string(zipFileOf(t)),
		"an unlisted header": string(zipFileOf(t, zipped{"other", []byte("content"), false})),
	} {
		got := read(t, append([]byte(prefix), file...))
		if kinds := got.kinds(); len(got.fetches) > 0 || got.result.Lossy == 0 {
			t.Errorf("%s: %v, issues %v", name, got.urls(), kinds)
		}
	}
}

// TestZipUnlisted: an entry that the directory leaves out is read, and told.
func TestZipUnlisted(t *testing.T) {
	for name, form := range zipForms {
		var all []zipped
		for i := range 3 {
			all = append(all, zipped{fmt.Sprintf("archive/%d.warc.gz", i), warctest.GzipMembers(warctest.Response(fmt.Sprint("urn:", i), fmt.Sprint("http://h/", i), ok200)), true})
		}
		file := form.of(t, all...)
		start := bytes.Index(file, []byte(zipDirectory))
		one := bytes.Index(file[start+1:], []byte(zipDirectory)) + 1
		at := bytes.LastIndex(file, []byte(zipEnd))
		for i := range 3 {
			less := slices.Concat(file[:start+i*one], file[start+(i+1)*one:])
			at := at - one
			if form.wide { // the sizes and offsets of 64 bits
				at64 := at - zipLocatorSize - zipEnd64Size
				binary.LittleEndian.PutUint64(less[at64+40:], uint64(2*one))
				binary.LittleEndian.PutUint64(less[at-zipLocatorSize+8:], uint64(at64))
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

// TestZipNames: a letter that differs between the two names of an entry is told.
func TestZipNames(t *testing.T) {
	const name = "archive/a.warc.gz"
	file := zipFileOf(t, zipped{name, warctest.GzipMembers(warctest.Response("urn:a", "http://h/a", ok200)), false})
	file[bytes.LastIndex(file, []byte(name))] ^= 1
	got := read(t, file)
	equal(t, "entries", got.entries(), []string{name})
	equal(t, "issues", got.kinds(), []string{"damaged_stream"})
}

// TestZipDescriptors: looking for descriptors takes one pass, however many things
// look like one, and finds those that lie over the end of a buffer.
func TestZipDescriptors(t *testing.T) {
	form := zipForm{described: true}
	for _, n := range []int{0, 1, readBuffer - 20, readBuffer - 3, readBuffer - 1, readBuffer, 8 << 20} {
		content := bytes.Repeat([]byte(zipDescriptor), n/4+1)[:n]
		file := form.of(t, zipped{"a", content, false}, zipped{"b", content, false})
		z := zipScanner{at: bytes.NewReader(file), size: int64(len(file))}
		entries, end, err := z.walk()
		if err != nil || len(entries) != 2 || !bytes.HasPrefix(file[end:], []byte(zipDirectory)) {
			t.Errorf("%d bytes: %d entries to %d, %v", n, len(entries), end, err)
			continue
		}
		for _, e := range entries {
			if got, err := io.ReadAll(e.open()); !bytes.Equal(got, content) || err != nil || e.endless {
				t.Errorf("%d bytes: %d read, %v", n, len(got), err)
			}
		}
	}
}
