package ingest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// smallArchive is the size up to which damage is tried octet by octet.
const smallArchive = 20 << 10

// identity is what no damage may make up.
type identity struct {
	id, url string
	offset  int64
}

func identities(c *collected) map[identity]bool {
	m := make(map[identity]bool, len(c.fetches))
	for _, f := range c.fetches {
		m[identity{f.RecordID, f.URL, f.Offset}] = true
	}
	return m
}

// invented returns a fetch of c that is not among the known ones.
func invented(c *collected, known map[identity]bool) (identity, bool) {
	for id := range identities(c) {
		if !known[id] {
			return id, true
		}
	}
	return identity{}, false
}

// eachSmallArchive calls f for the small archives of testdata and ../shared.
func eachSmallArchive(t *testing.T, f func(t *testing.T, name string, archive []byte), endings ...string) {
	roots := []string{filepath.Join("..", "testdata", "warc"), filepath.Join("..", "..", "shared", "warc")}
	for _, root := range roots {
		if _, err := os.Stat(root); err != nil {
			t.Logf("%s is absent", root)
			continue
		}
		for _, path := range archivesBelow(t, root, endings...) {
			archive, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bomb := filepath.Base(path) == "bench.warc.bz2"
			if len(archive) > 0 && len(archive) < smallArchive && !bomb {
				f(t, path, archive)
			}
		}
	}
}

// recordMembers reports whether an archive is one of a member a record.
func recordMembers(c *collected) bool { return c.result.Container == containerMembers.String() }

// budget gives places of n, at most limit of them. FuzzDamage tries the others.
func budget(t *testing.T, n, limit int) []int {
	if testing.Short() {
		limit /= 10
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	places := rng.Perm(n)
	return places[:min(n, limit)]
}

// An archive cut anywhere yields nothing that the whole one does not, and an
// issue names the place unless the cut falls between two records.
func TestCutAnywhere(t *testing.T) {
	archives, cuts := 0, 0
	eachSmallArchive(t, func(t *testing.T, name string, archive []byte) {
		whole := read(t, archive)
		if whole.result.Refusal != "" || whole.result.Lossy > 0 {
			return
		}
		known, ends := identities(whole), boundaries(t, archive)
		archives++
		for _, n := range budget(t, len(archive), 80) {
			cuts++
			c := read(t, archive[:n])
			if id, bad := invented(c, known); bad {
				t.Fatalf("%s cut at %d: invented %+v", name, n, id)
			}
			if len(c.fetches) > len(known) {
				t.Fatalf("%s cut at %d: %d fetches of %d", name, n, len(c.fetches), len(known))
			}
			if c.result.Lossy == 0 && !ends[int64(n)] {
				t.Fatalf("%s cut at %d: no issue; %d fetches of %d", name, n, len(c.fetches), len(known))
			}
			for _, i := range c.issues {
				if i.Kind.Lossy() && i.Offset > int64(n) {
					t.Fatalf("%s cut at %d: the issue is at %d", name, n, i.Offset)
				}
			}
		}
	}, ".warc.gz", ".warc")
	t.Logf("%d cuts of %d archives", cuts, archives)
}

// boundaries are the places where an archive may end without anything missing:
// behind a record's block, or anywhere in the line ends that follow it.
func boundaries(t *testing.T, archive []byte) map[int64]bool {
	src := sourceAt(bytes.NewReader(archive), 0)
	form := sniff(src)
	if form.container == containerGzip {
		return nil // a stream that is cut has no checksum
	}
	r, err := form.reader(src, bytes.NewReader(archive))
	if err != nil {
		t.Fatalf("%v, %v", form, err)
	}
	ends := make(map[int64]bool)
	for {
		rec, err := r.next()
		if err != nil {
			return ends
		}
		start := rec.offset
		n, err := r.finish()
		if err != nil {
			return ends
		}
		ends[start+n] = true
		if form.container == containerPlain {
			for at := start + n; at > start && (archive[at-1] == '\r' || archive[at-1] == '\n'); at-- {
				ends[at-1] = true
			}
			ends[start] = true
		}
	}
}

// Nothing that one wrong octet makes of a compressed archive is believed: its
// checksums tell. In plain files a changed letter is what no format reveals, but
// nothing panics or hangs.
func TestFlipAnyOctet(t *testing.T) {
	archives, flips := 0, 0
	eachSmallArchive(t, func(t *testing.T, name string, archive []byte) {
		whole := read(t, archive)
		if whole.result.Refusal != "" {
			return
		}
		known := identities(whole)
		archives++
		for _, n := range budget(t, len(archive), 80) {
			flips++
			damaged := bytes.Clone(archive)
			damaged[n] ^= byte(1 + rand.IntN(255))
			start := time.Now()
			c := read(t, damaged)
			if d := time.Since(start); d > 5*time.Second {
				t.Fatalf("%s, octet %d: %v", name, n, d)
			}
			if !recordMembers(whole) {
				continue
			}
			if id, bad := invented(c, known); bad {
				t.Fatalf("%s, octet %d ^ %#x: invented %+v", name, n, damaged[n]^archive[n], id)
			}
			if len(c.fetches) < len(whole.fetches) && c.result.Lossy == 0 {
				t.Fatalf("%s, octet %d ^ %#x: fetches are missing, and no issue says so", name, n, damaged[n]^archive[n])
			}
		}
	}, ".warc.gz", ".warc", ".bz2")
	t.Logf("%d flips in %d archives", flips, archives)
}

// A body that holds whole records, compressed and not: the classic forgery. One
// wrong bit in the length 9000 makes it 1000, where they stand. Whatever bit it
// is, they are never records of the archive.
func TestForgedRecordInABody(t *testing.T) {
	forged := response("urn:forged", "http://victim.example/robots.txt", "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n").String()
	body := fmt.Sprintf("%-1000s\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n") + forged + forged + string(gzipped(forged)) + forged
	body += strings.Repeat("\n", 9000-len(body))
	first := stored(response("urn:1", "http://h/1", body).String())
	for name, archive := range map[string][]byte{
		"first record":  slices.Concat(first, members(response("urn:2", "http://h/2", ok200))),
		"second record": slices.Concat(members(warcinfoRecord("urn:i", "software: x\r\n")), first, members(response("urn:2", "http://h/2", ok200))),
	} {
		known := identities(read(t, archive))
		if len(known) != 2 {
			t.Fatalf("%s: %v", name, known)
		}
		for n := range 400 * 8 {
			damaged := bytes.Clone(archive)
			damaged[n/8] ^= 1 << (n % 8)
			if id, bad := invented(read(t, damaged), known); bad {
				t.Fatalf("%s, bit %d: invented %+v", name, n, id)
			}
		}
	}
}

// stored is a gzip member without compression.
func stored(s string) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
	w.Write([]byte(s))
	w.Close()
	return b.Bytes()
}

// Records that share a member count if the member is whole.
func TestForgedSecondRecordInAMember(t *testing.T) {
	two := string(plain(response("urn:1", "http://h/1", ok200), response("urn:2", "http://h/2", ok200)))
	whole := append(members(warcinfoRecord("urn:i", "")), gzipped(two)...)
	got := read(t, whole)
	equal(t, "urls", got.urls(), []string{"http://h/1", "http://h/2"})
	start := int64(len(members(warcinfoRecord("urn:i", ""))))
	for _, f := range got.fetches {
		if f.Offset != start || f.Length != int64(len(whole))-start {
			t.Errorf("%s at %d+%d, want the member's %d+%d", f.URL, f.Offset, f.Length, start, int64(len(whole))-start)
		}
	}
	// Neither record counts if the member's checksum is wrong.
	whole[len(whole)-6] ^= 1
	got = read(t, whole)
	equal(t, "urls", got.urls(), nil)
	equal(t, "issues", got.kinds(), []string{"damaged_member", "skipped_range"})
}
