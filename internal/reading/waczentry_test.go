package reading

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
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

// TestDeflatedEntryResumes: if the data of a deflated entry can no longer be decoded, what
// follows the damage is read, in its place, with the lower trust.
func TestDeflatedEntryResumes(t *testing.T) {
	const pages, erased = 60, 70_000 // more than a block
	file := deflatedCrawl(t, pages)
	whole := read(t, file)
	known := identities(whole)
	e := entriesOf(t, file)[0]
	if len(whole.fetches) != pages || len(whole.issues) > 0 {
		t.Fatalf("%d fetches, issues %v", len(whole.fetches), whole.issues)
	}
	for _, at := range []int64{e.packed / 10, e.packed / 2, e.packed * 8 / 10} {
		damaged := bytes.Clone(file)
		clear(damaged[e.offset+at:][:erased])
		got := read(t, damaged)
		what := fmt.Sprintf("at %d of %d", at, e.packed)
		if id, bad := invented(got, known); bad {
			t.Errorf("%s: invented %+v", what, id)
		}
		if lost := pages - len(got.fetches); lost > 8 {
			t.Errorf("%s: %d fetches lost; issues %v", what, lost, got.issues)
		}
		if last := got.fetches[len(got.fetches)-1]; last.URL != fmt.Sprint("http://h/", pages-1) ||
			last.Trust != facts.TrustResynced {
			t.Errorf("%s: ends with %s, %v", what, last.URL, last.Trust)
		}
		told := slices.ContainsFunc(got.issues, func(i facts.Issue) bool {
			return i.Kind == words.IssueBadEntry && strings.Contains(i.Detail, "read on from the block")
		})
		if !told || got.result.Lossy == 0 {
			t.Errorf("%s: issues %v", what, got.issues)
		}
	}
}

// TestDeflatedEntryTwoDamages: what stands between two damages is lost, what follows
// the second is not.
func TestDeflatedEntryTwoDamages(t *testing.T) {
	const pages = 60
	file := deflatedCrawl(t, pages)
	e := entriesOf(t, file)[0]
	known := identities(read(t, file))
	for _, at := range []int64{e.packed / 5, e.packed / 2} {
		clear(file[e.offset+at:][:70_000])
	}
	got := read(t, file)
	if id, bad := invented(got, known); bad {
		t.Errorf("invented %+v", id)
	}
	if n := len(got.fetches); n < pages/2 || got.fetches[n-1].URL != fmt.Sprint("http://h/", pages-1) ||
		got.result.Lossy == 0 {
		t.Errorf("%d fetches, issues %v", n, got.issues)
	}
}

// TestDeflatedEntryEnds: an entry with a block that claims to be the last is read to
// its end; as its content matches its checksum, nothing is lost.
func TestDeflatedEntryEnds(t *testing.T) {
	file := deflatedCrawl(t, 20)
	file[entriesOf(t, file)[0].offset] ^= 1
	got := read(t, file)
	if len(got.fetches) != 20 || len(got.issues) != 0 {
		t.Errorf("%d fetches, issues %v", len(got.fetches), got.issues)
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
