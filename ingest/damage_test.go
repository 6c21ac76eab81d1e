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

// allDamage makes the tests of damage try every place, for minutes, not a sample.
const allDamage = "ROBOTSAUDIT_DAMAGE"

// budget gives places of n, at most limit of them, or all.
func budget(t *testing.T, n, limit int) []int {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	places := rng.Perm(n)
	switch {
	case os.Getenv(allDamage) != "":
		return places
	case testing.Short():
		limit /= 10
	}
	return places[:min(n, limit)]
}

// lost returns a fetch of the whole archive that is missing in c although hit does
// not say that the damage is in its place.
func lost(whole, c *collected, hit func(from, to int64) bool) (identity, bool) {
	have := identities(c)
	for _, f := range whole.fetches {
		id := identity{f.RecordID, f.URL, f.Offset}
		if !have[id] && !hit(f.Offset, f.Offset+f.Length) {
			return id, true
		}
	}
	return identity{}, false
}

// checkCut cuts an archive at n. What stands before the cut is read, nothing else,
// and an issue names the place unless the cut falls between two records.
func checkCut(t *testing.T, name string, archive []byte, n int, whole *collected, ends map[int64]bool) {
	t.Helper()
	c := read(t, archive[:n])
	if id, bad := invented(c, identities(whole)); bad {
		t.Fatalf("%s cut at %d: invented %+v", name, n, id)
	}
	if c.result.Lossy == 0 && !ends[int64(n)] {
		t.Fatalf("%s cut at %d: no issue; %d fetches of %d", name, n, len(c.fetches), len(whole.fetches))
	}
	if !whole.addressable() {
		return
	}
	if id, bad := lost(whole, c, func(_, to int64) bool { return to > int64(n) }); bad {
		t.Fatalf("%s cut at %d: lost %+v; issues %v", name, n, id, c.issues)
	}
	for _, i := range c.issues {
		if i.Kind.Lossy() && i.Offset > int64(n) {
			t.Fatalf("%s cut at %d: the issue is at %d", name, n, i.Offset)
		}
	}
}

// addressable reports whether the fetches have their true places.
func (c *collected) addressable() bool {
	return c.result.Container == containerMembers.String() || c.result.Container == containerPlain.String()
}

func TestCutAnywhere(t *testing.T) {
	archives, cuts := 0, 0
	eachSmallArchive(t, func(t *testing.T, name string, archive []byte) {
		whole := read(t, archive)
		if whole.result.Refusal != "" || whole.result.Lossy > 0 {
			return
		}
		ends := boundaries(t, archive)
		archives++
		for _, n := range budget(t, len(archive), 80) {
			cuts++
			checkCut(t, name, archive, n, whole, ends)
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

// checkFlip changes one octet of an archive. In compressed ones nothing is read
// that was not there, and nothing is lost but the record hit. In plain ones a
// changed letter is what no format reveals, so places are compared, not URLs; and
// what stands behind a record that has lost its end is read if it proves itself.
func checkFlip(t *testing.T, name string, archive []byte, n int, xor byte, whole *collected) {
	t.Helper()
	damaged := bytes.Clone(archive)
	damaged[n] ^= xor
	start := time.Now()
	c := read(t, damaged)
	if d := time.Since(start); d > 5*time.Second {
		t.Fatalf("%s, octet %d: %v", name, n, d)
	}
	if whole.result.Container == containerPlain.String() {
		places := make(map[int64]bool)
		for _, f := range whole.fetches {
			places[f.Offset] = true
		}
		for _, f := range c.fetches {
			if !places[f.Offset] && whole.result.Lossy == 0 {
				t.Fatalf("%s, octet %d ^ %#x: invented %s at %d; issues %v", name, n, xor, f.URL, f.Offset, c.issues)
			}
		}
	}
	if !recordMembers(whole) {
		return
	}
	if id, bad := invented(c, identities(whole)); bad {
		t.Fatalf("%s, octet %d ^ %#x: invented %+v; issues %v", name, n, xor, id, c.issues)
	}
	hit := func(from, to int64) bool { return from <= int64(n) && int64(n) < to }
	if id, bad := lost(whole, c, hit); bad && whole.result.Lossy == 0 {
		t.Fatalf("%s, octet %d ^ %#x: lost %+v; issues %v", name, n, xor, id, c.issues)
	}
	if len(c.fetches) < len(whole.fetches) && !namePlace(c.issues, int64(n)) {
		t.Fatalf("%s, octet %d ^ %#x: no issue names the place: %v", name, n, xor, c.issues)
	}
}

// namePlace reports whether an issue says that the octet at n was not read.
func namePlace(issues []Issue, n int64) bool {
	return slices.ContainsFunc(issues, func(i Issue) bool {
		return i.Kind.Lossy() && (i.Offset < 0 || i.Offset <= n && (i.Length < 0 || n < i.Offset+i.Length))
	})
}

func TestFlipAnyOctet(t *testing.T) {
	archives, flips := 0, 0
	eachSmallArchive(t, func(t *testing.T, name string, archive []byte) {
		whole := read(t, archive)
		if whole.result.Refusal != "" {
			return
		}
		archives++
		for _, n := range budget(t, len(archive), 80) {
			flips++
			checkFlip(t, name, archive, n, byte(1+rand.IntN(255)), whole)
		}
	}, ".warc.gz", ".warc", ".bz2")
	t.Logf("%d flips in %d archives", flips, archives)
}

// The same at random places of larger archives of a member a record.
func TestDamageLargerArchives(t *testing.T) {
	n := 10
	switch {
	case os.Getenv(allDamage) != "":
		n = 10_000
	case testing.Short():
		n = 3
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	var paths []string
	for _, root := range []string{filepath.Join("..", "testdata", "warc"), filepath.Join("..", "..", "shared", "warc", "real")} {
		if _, err := os.Stat(root); err != nil {
			t.Logf("%s is absent", root)
			continue
		}
		paths = append(paths, archivesBelow(t, root, ".warc.gz")...)
	}
	for _, path := range paths {
		archive, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole := read(t, archive)
		if !recordMembers(whole) || len(archive) < smallArchive {
			continue
		}
		ends := boundaries(t, archive)
		for range n {
			checkFlip(t, path, archive, rng.IntN(len(archive)), byte(1+rng.IntN(255)), whole)
			checkCut(t, path, archive, rng.IntN(len(archive)), whole, ends)
		}
	}
	t.Logf("%d flips and cuts in each of %d archives, seed %d", n, len(paths), seed)
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
