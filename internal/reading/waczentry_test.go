package reading

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// deflatedCrawl is a WACZ with one deflated entry, of n members with pages of random
// bytes, each longer than matches reach.
func deflatedCrawl(t testing.TB, n int) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(11, 12))
	entries := []warctest.Record{warctest.Warcinfo("urn:i", "software: x\r\n")}
	for i := range n {
		page := make([]byte, 33_000+random.IntN(10_000))
		for k := range page {
			page[k] = byte(random.Uint32())
		}
		entries = append(entries,
			warctest.Response(fmt.Sprint("urn:", i), fmt.Sprint("http://h/", i), ok200+string(page)))
	}
	return warctest.Zip(t, warctest.DeflatedEntry("archive/a.warc.gz", warctest.GzipMembers(entries...)))
}

// placed is an entry of a zip file, and where its bytes are.
type placed struct {
	*zip.File
	offset, packed int64
}

// entriesOf lists the entries of a zip file.
func entriesOf(t testing.TB, file []byte) (list []placed) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		offset, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, placed{f, offset, int64(f.CompressedSize64)})
	}
	return list
}

// TestDeflatedEntryDamage: if the data of a deflated entry can no longer be decoded, what stands
// before the damage counts, and the rest is reported as lost.
func TestDeflatedEntryDamage(t *testing.T) {
	const pages = 20
	file := deflatedCrawl(t, pages)
	whole := read(t, file)
	known := identities(whole)
	e := entriesOf(t, file)[0]
	if len(whole.fetches) != pages || len(whole.issues) > 0 {
		t.Fatalf("%d fetches, issues %v", len(whole.fetches), whole.issues)
	}
	for _, tenth := range []int{0, 1, 5, 8} {
		damaged := bytes.Clone(file)
		clear(damaged[e.offset+int64(tenth)*e.packed/10:][:70_000])
		got := read(t, damaged)
		if id, bad := invented(got, known); bad {
			t.Errorf("after %d tenths: invented %+v", tenth, id)
		}
		if n := len(got.fetches); n < pages*tenth/10-1 {
			t.Errorf("after %d tenths: %d fetches", tenth, n)
		}
		if !slices.Contains(got.kinds(), "bad_entry") || got.result.Lossy == 0 {
			t.Errorf("after %d tenths: issues %v", tenth, got.issues)
		}
	}
}

// TestPlainEntryDamage: of a deflated entry of uncompressed records that does not match its
// checksum none counts, as a letter of a header may be another; of a stored one all are
// doubtful.
func TestPlainEntryDamage(t *testing.T) {
	entries := []warctest.Record{
		warctest.Warcinfo("urn:i", ""), warctest.Response("urn:1", "http://h/aaaa", ok200),
		warctest.Response("urn:2", "http://h/2", ok200),
	}
	for _, deflate := range []bool{true, false} {
		file := warctest.Zip(t, warctest.ZipEntry{
			Name: "archive/a.warc", Content: warctest.Plain(entries...),
			Deflate: deflate,
		}, warctest.StoredEntry("archive/b.warc.gz",
			warctest.GzipMembers(warctest.Response("urn:z", "http://h/z", ok200))))
		want := read(t, file).urls()
		e := entriesOf(t, file)[0]
		for bit := int64(0); bit < e.packed*8; bit += 11 {
			damaged := bytes.Clone(file)
			damaged[e.offset+bit/8] ^= 1 << (bit % 8)
			got := read(t, damaged)
			if deflate && got.result.Lossy == 0 { // a bit that changes nothing
				equal(t, "fetches", got.urls(), want)
				continue
			}
			if n := len(got.fetches); n == 0 || got.fetches[n-1].URL != "http://h/z" || deflate && n > 1 ||
				got.result.Lossy == 0 {
				t.Fatalf("bit %d, deflated %v: %v, issues %v", bit, deflate, got.urls(), got.kinds())
			}
			for _, f := range got.fetches[:len(got.fetches)-1] {
				if f.Trust != facts.TrustResynced {
					t.Fatalf("bit %d: %s is %v", bit, f.URL, f.Trust)
				}
			}
		}
	}
}

// TestLogEntryDamage: no line of a log counts that does not match the zip file's checksum.
func TestLogEntryDamage(t *testing.T) {
	log := []byte(`{"url":"http://host/","reason":"robotsTxt","ts":"2024-05-01T12:00:00Z","depth":0,"seedId":0,"retry":0}` + "\n")
	for _, deflate := range []bool{false, true} {
		file := warctest.Zip(t, warctest.StoredEntry("archive/a.warc.gz",
			warctest.GzipMembers(warctest.Response("urn:1", "http://h/1", ok200))),
			warctest.ZipEntry{Name: wacz.SkippedPages, Content: log, Deflate: deflate})
		if got := read(t, file); len(got.events) != 1 || len(got.issues) > 0 {
			t.Fatalf("%d events, issues %v", len(got.events), got.issues)
		}
		e := entriesOf(t, file)[1]
		if e.Method == zip.Store {
			file[e.offset+int64(bytes.Index(log, []byte("host")))] ^= 1
		} else {
			file[e.offset+e.packed/2] ^= 1
		}
		got := read(t, file)
		if len(got.events) > 0 {
			t.Errorf("deflated %v: %+v", deflate, got.events)
		}
		equal(t, "issues", got.kinds(), []string{"bad_entry"})
	}
}
