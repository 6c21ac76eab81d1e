package reading

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// smallArchive is the size up to which damage is tried byte by byte.
const smallArchive = 20 << 10

// identity is what no damage may make up.
type identity struct {
	entry, id, url string
	offset         int64
}

func identities(c *collected) map[identity]bool {
	m := make(map[identity]bool, len(c.fetches))
	for _, f := range c.fetches {
		m[identity{f.Entry, string(f.RecordID), f.URL, f.Offset}] = true
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

// specimen is an archive that is damaged in many ways.
type specimen struct {
	name    string
	archive []byte
	whole   *collected
	known   map[identity]bool
	first   int              // bytes before the records: of a dictionary
	begin   map[string]int64 // where the stored entries of a WACZ begin; of others: 0
	end     map[string]int64
}

func newSpecimen(t testing.TB, name string, archive []byte) *specimen {
	whole := read(t, archive)
	s := &specimen{
		name, archive, whole, identities(whole), 0,
		map[string]int64{"": 0},
		map[string]int64{"": int64(len(archive))},
	}
	if whole.result.Container == warc.ContainerZip.String() && whole.result.Refusal == "" {
		s.begin, s.end = make(map[string]int64), make(map[string]int64)
		for _, e := range entriesOf(t, archive) {
			if e.Method == zip.Store {
				s.begin[e.Name], s.end[e.Name] = e.offset, e.offset+e.packed
			}
		}
	}
	if bytes.HasPrefix(archive, dictionaryMagic) {
		s.first = 8 + int(binary.LittleEndian.Uint32(archive[4:]))
	}
	return s
}

// members reports whether each record of the archive is in members of its own.
func (s *specimen) members() bool { return recordMembers(s.whole) }

// plain reports whether records stand in the archive as they are.
func (s *specimen) plain() bool {
	c := s.whole.result.Container
	return c == "warc" || c == "arc"
}

func recordMembers(c *collected) bool {
	switch c.result.Container {
	case "warc.gz", "arc.gz", "warc.zst", "arc.zst":
		return true
	}
	return false
}

// eachSmallArchive calls f, in parallel, for the small archives of testdata and
// ../shared, and for one of each form made here.
func eachSmallArchive(t *testing.T, f func(t *testing.T, s *specimen)) {
	var all []*specimen
	add := func(name string, archive []byte) {
		if s := newSpecimen(t, name, archive); s.whole.result.Refusal == "" {
			all = append(all, s)
		}
	}
	for _, root := range []string{
		filepath.Join("..", "..", "testdata", "warc"),
		filepath.Join("..", "..", "..", "shared", "warc"),
	} {
		if _, err := os.Stat(root); err != nil {
			t.Logf("%s is absent", root)
			continue
		}
		for _, path := range archivesBelow(t, root, ".warc.gz", ".warc", ".arc", ".arc.gz", ".bz2", ".wacz") {
			archive, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive) > 0 && len(archive) < smallArchive && filepath.Base(path) != filepath.Base(bomb) {
				add(path, archive)
			}
		}
	}
	entries := warctest.Crawl(robotsBody)
	records := []string{
		warctest.ARCInfo(arcAgent),
		warctest.ARCRecord("http://h/robots.txt", "20240501120000", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody),
		warctest.ARCRecord("http://h/", "20240501120001", ok200),
	}
	var arcMembers, arcFrames []byte
	for _, r := range records {
		arcMembers, arcFrames = append(arcMembers, warctest.Gzip(r)...), append(arcFrames, warctest.ZstdFrame(t, r)...)
	}
	add("made.warc.zst", warctest.ZstdFrames(t, entries))
	add("dictionary.warc.zst",
		append(warctest.Skippable(0xd, warctest.Dictionary(t)),
			warctest.ZstdFrames(t, entries, zstd.WithEncoderDict(warctest.Dictionary(t)))...))
	add("made.arc", []byte(strings.Join(records, "")))
	add("made.arc.gz", arcMembers)
	add("made.arc.zst", arcFrames)
	add("stored.wacz", warctest.Zip(t, warctest.StoredEntry("archive/a.warc.gz", warctest.GzipMembers(entries...)),
		warctest.StoredEntry("archive/b.warc.gz", warctest.GzipMembers(entries[:3]...))))
	add("deflated.wacz", warctest.Zip(t, warctest.DeflatedEntry("archive/a.warc.gz", warctest.GzipMembers(entries...)),
		warctest.DeflatedEntry("archive/b.warc", warctest.Plain(entries...))))
	for _, s := range all {
		t.Run(filepath.Base(s.name), func(t *testing.T) {
			t.Parallel()
			f(t, s)
		})
	}
	t.Logf("%d archives", len(all))
}

// allDamage makes the tests of damage try that many places of each archive instead
// of a sample, or, if it is "all", every one of the small archives and 10,000 of
// the larger ones. That takes an hour.
const allDamage = "ROBOTSAUDIT_DAMAGE"

// sample is how many of n places are tried, usually.
func sample(t *testing.T, n, usual int) int {
	all := os.Getenv(allDamage)
	if places, err := strconv.Atoi(all); err == nil {
		return min(n, places)
	}
	switch {
	case all != "":
		return n
	case !longtest.Run():
		usual = max(1, usual/20)
	}
	return min(n, usual)
}

// places are the places among n to try.
func places(t *testing.T, n, usual int) []int {
	return rand.New(rand.NewPCG(1, uint64(n))).Perm(n)[:sample(t, n, usual)]
}

// lost returns a fetch of the whole archive that is missing in c although the
// bytes from..to do not touch it.
func (s *specimen) lost(c *collected, from, to int64) (identity, bool) {
	have := identities(c)
	for _, f := range s.whole.fetches {
		id := identity{f.Entry, string(f.RecordID), f.URL, f.Offset}
		start := s.begin[f.Entry] + f.Offset
		if !have[id] && (to <= start || start+f.Length <= from) {
			return id, true
		}
	}
	return identity{}, false
}

// checkCut cuts an archive at n. What stands before the cut is read, nothing else,
// and an issue names the place unless the cut falls between two records. Of a WACZ
// nothing is read then: its directory is at its end.
func (s *specimen) checkCut(t *testing.T, n int, ends map[int64]bool) {
	t.Helper()
	c := read(t, s.archive[:n])
	if id, bad := invented(c, s.known); bad {
		t.Fatalf("cut at %d: invented %+v", n, id)
	}
	if c.result.Lossy == 0 && !ends[int64(n)] {
		t.Fatalf("cut at %d: no issue; %d fetches of %d", n, len(c.fetches), len(s.whole.fetches))
	}
	if !s.members() && !s.plain() || c.result.Refusal != "" {
		return
	}
	if id, bad := s.lost(c, int64(n), int64(len(s.archive))); bad {
		t.Fatalf("cut at %d: lost %+v; issues %v", n, id, c.issues)
	}
	for _, i := range c.issues {
		if i.Kind.Lossy() && i.Offset > int64(n) {
			t.Fatalf("cut at %d: the issue is at %d", n, i.Offset)
		}
	}
}

func TestCutAnywhere(t *testing.T) {
	if !longtest.Run() {
		t.Skip("long, and of one archive each")
	}
	eachSmallArchive(t, func(t *testing.T, s *specimen) {
		if s.whole.result.Lossy > 0 {
			return
		}
		ends := s.boundaries(t)
		for _, n := range places(t, len(s.archive), 40) {
			s.checkCut(t, n, ends)
		}
	})
}

// boundaries are the places where an archive may end without anything missing:
// after a record's block, or anywhere in the line ends that follow it; after an
// empty member.
func (s *specimen) boundaries(t *testing.T) map[int64]bool {
	src := input.At(bytes.NewReader(s.archive), 0)
	form := warc.Sniff(src, nil)
	if form.Container == warc.ContainerGzip || form.Container == warc.ContainerZip {
		return nil // a stream that is cut has no checksum, a zip file no directory
	}
	ends := map[int64]bool{src.Position(): true}
	if form.Container == warc.ContainerMembers {
		for _, end := range emptyMembers(s.archive) {
			ends[end] = true
		}
	}
	r, err := form.Records(src, bytes.NewReader(s.archive))
	if err != nil {
		t.Fatalf("%v, %v", form, err)
	}
	for {
		rec, err := r.Next()
		if err != nil {
			return ends
		}
		start := rec.Offset
		n, err := r.Finish()
		if err != nil {
			return ends
		}
		ends[start+n] = true
		if form.Container == warc.ContainerPlain {
			for at := start + n; at > start && (s.archive[at-1] == '\r' || s.archive[at-1] == '\n'); at-- {
				ends[at-1] = true
			}
			ends[start] = true
		}
	}
}

// checkFlip changes one byte of an archive. In compressed ones nothing is read
// that was not there, and nothing is lost but the record hit. In plain ones no
// format reveals a changed letter, so places are compared, not URLs; and the
// bytes after a record that has lost its end are read if they prove themselves.
// Of a WACZ this holds for the bytes of its entries; where its own are damaged,
// entries are refused whole.
func (s *specimen) checkFlip(t *testing.T, n int, xor byte) {
	t.Helper()
	s.archive[n] ^= xor
	c := read(t, s.archive)
	s.archive[n] ^= xor
	wacz := s.whole.result.Container == warc.ContainerZip.String()
	switch {
	case s.plain():
		s.checkPlaces(t, c, n, xor)
		return
	case !s.members() && !wacz: // a stream, whose checksum speaks for all of it
		s.checkStream(t, c, n, xor)
		return
	}
	if id, bad := invented(c, s.known); bad && !(wacz && s.outside(n)) {
		t.Fatalf("byte %d ^ %#x: invented %+v; issues %v", n, xor, id, c.issues)
	}
	if len(c.fetches) < len(s.whole.fetches) && !s.namePlace(c.issues, int64(n)) &&
		(!s.outside(n) || c.result.Lossy == 0) {
		t.Fatalf("byte %d ^ %#x: no issue names the place: %v", n, xor, c.issues)
	}
	if s.whole.result.Lossy > 0 || s.outside(n) {
		return
	}
	if id, bad := s.lost(c, int64(n), int64(n)+1); bad {
		t.Fatalf("byte %d ^ %#x: lost %+v; issues %v", n, xor, id, c.issues)
	}
}

// checkStream makes sure that all fetches are as in the whole archive, and that a loss
// shows.
func (s *specimen) checkStream(t *testing.T, c *collected, n int, xor byte) {
	t.Helper()
	known := make(map[facts.Fetch]bool)
	for _, f := range s.whole.fetches {
		known[placeless(f)] = true
	}
	for _, f := range c.fetches {
		if !known[placeless(f)] {
			t.Fatalf("byte %d ^ %#x: invented %+v; issues %v", n, xor, f, c.issues)
		}
	}
	if len(c.fetches) < len(s.whole.fetches) && c.result.Lossy == 0 {
		t.Fatalf("byte %d ^ %#x: %d of %d fetches, and no issue: %v", n, xor, len(c.fetches), len(s.whole.fetches),
			c.issues)
	}
}

// placeless is a fetch without its place and trust: if damage hides the container, the same
// records are read in another way.
func placeless(f facts.Fetch) facts.Fetch {
	f.Offset, f.Length, f.Index, f.Trust, f.Flags = 0, 0, 0, facts.TrustChained, f.Flags&^facts.FlagStreamed
	return f
}

// checkPlaces makes sure that all fetches stand where there was a record.
func (s *specimen) checkPlaces(t *testing.T, c *collected, n int, xor byte) {
	if s.whole.result.Lossy > 0 {
		return
	}
	ends := s.boundaries(t)
	for _, f := range c.fetches {
		if !ends[f.Offset] {
			t.Fatalf("byte %d ^ %#x: invented %s at %d; issues %v", n, xor, f.URL, f.Offset, c.issues)
		}
	}
}

// outside reports whether the byte at n belongs to no record: it is that of a
// dictionary or of a zip file.
func (s *specimen) outside(n int) bool {
	if n < s.first {
		return true
	}
	for entry, begin := range s.begin {
		if begin <= int64(n) && int64(n) < s.end[entry] {
			return false
		}
	}
	return true
}

// namePlace reports whether an issue covers the byte at n.
func (s *specimen) namePlace(issues []facts.Issue, n int64) bool {
	return slices.ContainsFunc(issues, func(i facts.Issue) bool {
		at := n - s.begin[i.Entry]
		return i.Kind.Lossy() && (i.Offset < 0 || i.Offset <= at && (i.Length < 0 || at < i.Offset+i.Length))
	})
}

// A member's first byte made a zero is no padding: the issue begins with it.
func TestFlipToPadding(t *testing.T) {
	first := warctest.GzipMembers(warctest.Warcinfo("urn:i", "software: x\r\n"))
	s := newSpecimen(t, "", append(first, warctest.GzipMembers(warctest.Response("urn:1", "http://h/1", ok200))...))
	s.checkFlip(t, len(first), 0x1f)
}

// A wrong length of an extra field can lead right into the data of a later member, which
// is whole: that member is not the one that begins there, and what is between is not lost.
func TestExtraFieldIntoAnotherMember(t *testing.T) {
	entries := warctest.Crawl(robotsBody)
	var archive []byte
	var starts, data []int // of members, and of what they hold
	for _, e := range entries {
		m := warctest.Gzip(e.String())
		starts = append(starts, len(archive))
		archive = append(archive, m[:3]...)
		archive = append(archive, 1<<2)
		archive = append(archive, m[4:10]...)
		archive = append(archive, 2, 0, 'x', 'x')
		data = append(data, len(archive))
		archive = append(archive, m[10:]...)
	}
	s := newSpecimen(t, "", archive)
	if len(s.whole.issues) > 0 {
		t.Fatal(s.whole.issues)
	}
	for first := range starts {
		for later := first + 1; later < len(starts); later++ {
			at := starts[first] + 10
			binary.LittleEndian.PutUint16(archive[at:], uint16(data[later]-at-2))
			c := read(t, archive)
			if id, bad := invented(c, s.known); bad {
				t.Errorf("%d into %d: invented %+v", first, later, id)
			}
			if id, bad := s.lost(c, int64(at), int64(at)+2); bad || !s.namePlace(c.issues, int64(at)) {
				t.Errorf("%d into %d: lost %+v; issues %v", first, later, id, c.issues)
			}
			binary.LittleEndian.PutUint16(archive[at:], 2)
		}
	}
}

// The same of the size of a skippable frame, which can lead to the beginning of a later one.
func TestSkippableFrameOverOthers(t *testing.T) {
	extension := warctest.Skippable(3, []byte("between"))
	archive := warctest.ZstdFrames(t, warctest.Crawl(robotsBody)[:2])
	at := len(archive)
	archive = append(archive, extension...)
	var starts []int
	for _, e := range warctest.Crawl(robotsBody)[2:] {
		starts = append(starts, len(archive))
		archive = append(archive, warctest.ZstdFrame(t, e.String())...)
	}
	s := newSpecimen(t, "", append(archive, bytes.Repeat(extension, 20_000)...))
	for _, later := range starts[1:] {
		binary.LittleEndian.PutUint32(s.archive[at+4:], uint32(later-at-8))
		c := read(t, s.archive)
		if id, bad := s.lost(c, int64(at), int64(at)+1); bad || !s.namePlace(c.issues, int64(at)) {
			t.Errorf("to %d: lost %+v; issues %v", later, id, c.issues)
		}
	}
}

func TestFlipAnyByte(t *testing.T) {
	if !longtest.Run() {
		t.Skip("long, and of one archive each")
	}
	eachSmallArchive(t, func(t *testing.T, s *specimen) {
		for _, n := range places(t, len(s.archive), 40) {
			s.checkFlip(t, n, byte(1+rand.IntN(255)))
		}
	})
}

// The same at random places of larger archives of a member a record.
func TestDamageLargerArchives(t *testing.T) {
	n := sample(t, 10_000, 8)
	seed := rand.Uint64()
	t.Logf("%d flips and cuts in each, seed %d", n, seed)
	var paths []string
	for _, root := range []string{
		filepath.Join("..", "..", "testdata", "warc"),
		filepath.Join("..", "..", "..", "shared", "warc"),
	} {
		if _, err := os.Stat(root); err != nil {
			t.Logf("%s is absent", root)
			continue
		}
		paths = append(paths, archivesBelow(t, root, ".warc.gz", ".arc.gz", ".wacz")...)
	}
	for _, path := range paths {
		archive, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(archive) < smallArchive {
			continue
		}
		s := newSpecimen(t, path, archive)
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 0))
			ends := s.boundaries(t)
			for range n {
				s.checkFlip(t, rng.IntN(len(archive)), byte(1+rng.IntN(255)))
				s.checkCut(t, rng.IntN(len(archive)), ends)
			}
			t.Logf("%d flips and cuts of %d bytes", n, len(archive)) // at once, unlike what go test says of it
		})
	}
}

// A body that holds whole records, compressed and not: the classic forgery. One
// wrong bit in the length 9000 makes it 1000, where they stand. Whatever bit it
// is, they are never records of the archive.
func TestForgedRecordInABody(t *testing.T) {
	forged := warctest.Response("urn:forged", "http://victim.example/robots.txt",
		"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n").String()
	body := fmt.Sprintf("%-1000s\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n") + forged + forged +
		string(warctest.Gzip(forged)) + forged
	body += strings.Repeat("\n", 9000-len(body))
	first := stored(warctest.Response("urn:1", "http://h/1", body).String())
	for name, archive := range map[string][]byte{
		"first record": slices.Concat(first, warctest.GzipMembers(warctest.Response("urn:2", "http://h/2", ok200))),
		"second record": slices.Concat(warctest.GzipMembers(warctest.Warcinfo("urn:i", "software: x\r\n")), first,
			warctest.GzipMembers(warctest.Response("urn:2", "http://h/2", ok200))),
	} {
		known := identities(read(t, archive))
		if len(known) != 2 {
			t.Fatalf("%s: %v", name, known)
		}
		for _, n := range places(t, 400*8, 400) {
			damaged := bytes.Clone(archive)
			damaged[n/8] ^= 1 << (n % 8)
			if id, bad := invented(read(t, damaged), known); bad {
				t.Fatalf("%s, bit %d: invented %+v", name, n, id)
			}
		}
	}
}

// Where one checksum covers many records, none of them counts unless it matches: a digest
// does not cover a header, and a second record of the same URL and date is a copy of the
// first one in the stream.
func TestFlipAnyByteOfAStream(t *testing.T) {
	padding := strings.Repeat("\n", 140<<10) // more than a block of zstd
	var records []warctest.Record
	for n, path := range []string{"robots.txt", "a", "b"} {
		id, url := fmt.Sprintf("urn:uuid:%08d-0000-4000-8000-000000000000", n), "http://h/"+path
		records = append(records, warctest.Digested(warctest.Response(id, url, ok200)),
			warctest.Digested(warctest.Request(fmt.Sprint("urn:q", n), url, "bot/1", "WARC-Concurrent-To: <"+id+">")),
			warctest.Digested(metadataRecord(fmt.Sprint("urn:m", n), url, "fetchTimeMs: 5",
				"WARC-Concurrent-To: <"+id+">")))
	}
	records = append(records, warctest.Digested(warctest.Record{
		Type: "revisit", ID: "urn:r", URL: "http://h/a", Block: "HTTP/1.1 200 OK\r\n\r\n",
		Fields: []string{
			"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
			"WARC-Refers-To: <urn:1>",
		},
	}))
	stream := string(warctest.Plain(records...))
	long := string(warctest.Plain(append(records[:3:3],
		append([]warctest.Record{warctest.Digested(warctest.Response("urn:long", "http://h/long", ok200+padding))},
			records[3:]...)...)...))
	bzip2, err := base64.StdEncoding.DecodeString(warctest.Bzip2Archive)
	if err != nil {
		t.Fatal(err)
	}
	for name, archive := range map[string][]byte{
		"gzip": warctest.Gzip(stream), "stored gzip": stored(stream),
		"a member of many": append(warctest.GzipMembers(warctest.Warcinfo("urn:i", "")), warctest.Gzip(stream)...),
		"zstd":             warctest.ZstdFrame(t, stream), "long zstd": warctest.ZstdFrame(t, long),
		"two zstd frames": append(warctest.ZstdFrame(t, stream), warctest.ZstdFrame(t, stream)...), "bzip2": bzip2,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpecimen(t, name, archive)
			if s.whole.result.Lossy > 0 || len(s.whole.fetches) < 4 {
				t.Fatal(s.whole.urls(), s.whole.issues)
			}
			for _, n := range places(t, 8*len(archive), 200) {
				archive[n/8] ^= 1 << (n % 8)
				s.checkStream(t, read(t, archive), n/8, 1<<(n%8))
				archive[n/8] ^= 1 << (n % 8)
			}
		})
	}
}

// A stream that was cut short is right up to there, with the lower trust.
func TestCutStream(t *testing.T) {
	var records []warctest.Record
	for n := range 50 {
		records = append(records,
			warctest.Response(fmt.Sprint("urn:", n), fmt.Sprint("http://h/", n),
				ok200+fmt.Sprintf("%x", sha1.Sum([]byte{byte(n)}))))
	}
	archive := warctest.Gzip(string(warctest.Plain(records...)))
	got := read(t, archive[:len(archive)*2/3])
	if len(got.fetches) < 20 || got.fetches[0].Trust != facts.TrustResynced {
		t.Errorf("%d fetches, the first %v", len(got.fetches), got.fetches[0].Trust)
	}
	equal(t, "issues", got.kinds(), []string{"truncated_record"})
}

// A file that ends in a record's line ends has lost nothing but may have been cut there. Where
// no checksum confirms that end, that is an issue.
func TestCutInTheLastLineEnds(t *testing.T) {
	whole := string(warctest.Plain(warctest.Response("urn:1", "http://h/1", ok200),
		warctest.Response("urn:2", "http://h/2", "HTTP/1.0 302 \r\n\r\n")))
	for _, left := range []int{0, 1, 2, 3, 4} {
		archive := whole[:len(whole)-4+left]
		want := []string{"truncated_record"}
		if left == 4 {
			want = nil
		}
		for form, got := range map[string]*collected{
			"file": read(t, []byte(archive)),
			"pipe": readPipe(t, []byte(archive)),
		} {
			equal(t, fmt.Sprint(form, ", urls with ", left), got.urls(), []string{"http://h/1", "http://h/2"})
			equal(t, fmt.Sprint(form, ", issues with ", left), got.kinds(), want)
		}
		equal(t, fmt.Sprint("gzip, issues with ", left), read(t, warctest.Gzip(archive)).kinds(), nil)
	}
}

// The checksum of one stream around all records comes after them. In a pipe, too,
// it is compared before any of them counts, and the space on the disk is given back.
func TestDamagedStreamFromAPipe(t *testing.T) {
	records := warctest.Crawl(robotsBody)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 100 { // more than is read to find the form
		body := make([]byte, 1000)
		for j := range body {
			body[j] = byte(random.Uint32())
		}
		records = append(records,
			warctest.Response(fmt.Sprint("urn:", i), fmt.Sprint("http://h/of/", i), ok200+string(body)))
	}
	for name, archive := range map[string][]byte{
		"gzip":   warctest.Gzip(string(warctest.Plain(warctest.Crawl(robotsBody)...))),
		"zstd":   warctest.ZstdFrame(t, string(warctest.Plain(records...))),
		"frames": warctest.ZstdFrames(t, warctest.Crawl(robotsBody)),
	} {
		t.Run(name, func(t *testing.T) { checkPipes(t, archive) })
	}
}

func checkPipes(t *testing.T, archive []byte) {
	known := make(map[string]bool)
	for _, url := range read(t, archive).urls() {
		known[url] = true
	}
	tmp := t.TempDir()
	for _, n := range places(t, 8*len(archive), 100) {
		damaged := bytes.Clone(archive)
		damaged[n/8] ^= 1 << (n % 8)
		got, want := new(collected), read(t, damaged)
		result, err := readSource(t.Context(), facts.Input{Path: facts.Stdin, Name: facts.Stdin},
			bytes.NewReader(damaged), 0, got, Options{Tmp: tmp})
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range got.urls() {
			if !known[url] {
				t.Fatalf("bit %d: invented %s", n, url)
			}
		}
		if len(got.fetches) != len(want.fetches) || result.Container != want.result.Container ||
			!slices.Equal(got.kinds(), want.kinds()) {
			t.Fatalf("bit %d: %d fetches of a %s, issues %v; from a file %d of a %s, %v", n, len(got.fetches),
				result.Container, got.kinds(), len(want.fetches), want.result.Container, want.kinds())
		}
	}
	if left, err := os.ReadDir(tmp); len(left) > 0 || err != nil {
		t.Errorf("%v are left, %v", left, err)
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
	two := string(warctest.Plain(warctest.Response("urn:1", "http://h/1", ok200),
		warctest.Response("urn:2", "http://h/2", ok200)))
	whole := append(warctest.GzipMembers(warctest.Warcinfo("urn:i", "")), warctest.Gzip(two)...)
	got := read(t, whole)
	equal(t, "urls", got.urls(), []string{"http://h/1", "http://h/2"})
	start := int64(len(warctest.GzipMembers(warctest.Warcinfo("urn:i", ""))))
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

// TestLossShows: a record that its header no longer declares a fetch is an issue
// that means loss.
func TestLossShows(t *testing.T) {
	whole := warctest.Response("urn:1", "http://h/1", ok200,
		"Content-Type: application/http; msgtype=response").String()
	next := warctest.Response("urn:2", "http://h/2", ok200).String()
	replaced := func(old, new string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(whole, old, new, 1)
	}
	for name, damaged := range map[string]string{
		"a letter of the type":     replaced("WARC-Type: response", "WARC-Type: resxonse"),
		"two letters":              replaced("WARC-Type: response", "WARC-Type: rfsponsd"),
		"a letter less":            replaced("WARC-Type: response", "WARC-Type: respnse"),
		"another type, a response": replaced("WARC-Type: response", "WARC-Type: exchange"),
		"another type, a media type": strings.Replace(replaced("WARC-Type: response", "WARC-Type: exchange"),
			"HTTP/1.1 200", "HTXP/1.1 200", 1),
		"the name of the type": replaced("WARC-Type", "WARC-Tyqe"),
		"the name of the URL":  replaced("WARC-Target-URI", "WARC-Tbrget-URI"),
		"the scheme":           replaced("http://h/1", "ht|p://h/1"),
		"the host":             replaced("http://h/1", "http:?/h/1"),
	} {
		for form, archive := range map[string]string{
			"plain":   damaged + next,
			"members": string(warctest.Gzip(damaged)) + string(warctest.Gzip(next)),
		} {
			got := read(t, []byte(archive))
			equal(t, name+", "+form, got.urls(), []string{"http://h/2"})
			if got.result.Lossy == 0 {
				t.Errorf("%s, %s: no lossy issue in %v", name, form, got.kinds())
			}
		}
	}
	for _, kind := range []string{"revisit", "resource"} {
		lost := warctest.Record{Type: kind, ID: "urn:3", URL: "hvtp://h/3", Block: ok200}
		equal(t, "the scheme of a "+kind, read(t, warctest.Plain(lost)).kinds(), []string{"no_target_uri"})
		lost.URL = "screenshot:http://h/3"
		equal(t, "another scheme of a "+kind, read(t, warctest.Plain(lost)).kinds(), nil)
	}
	equal(t, "two letters of a type without HTTP",
		read(t, warctest.Plain(warctest.Record{Type: "metbdbta", ID: "urn:3", Block: "via: x"})).kinds(),
		[]string{"bad_record_header"})
	future := warctest.Record{Type: "screenshot", ID: "urn:3", URL: "http://h/3", Block: "PNG"}
	equal(t, "a type of the future", read(t, warctest.Plain(future)).kinds(), nil)
}

// TestJoinedHeaders: a deletion that leaves parts of two headers as one shows, and no
// fetch has the URL of one record and the body of another where that can be seen.
func TestJoinedHeaders(t *testing.T) {
	one := func(n int) string {
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:%d>\r\nWARC-Date: "+
			"2024-05-01T12:00:0%dZ\r\nWARC-Target-URI: http://h%d/\r\n"+
			"Content-Type: application/http\r\nWARC-Block-Digest: sha1:%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", n,
			n, n,
			strings.Repeat("X", n), len(ok200), ok200)
	}
	a, b, c := one(1), one(2), one(3)
	for name, x := range map[string]struct {
		from, to string // of the first record up to, of the second one from
		urls     []string
	}{
		"behind the version":  {"WARC-Type", "WARC/1.0", []string{"http://h3/"}},
		"behind the id":       {"WARC-Date", "WARC-Record-ID", []string{"http://h2/", "http://h3/"}},
		"behind the date":     {"WARC-Target", "WARC-Record-ID", []string{"http://h3/"}},
		"behind the URL":      {"Content-Type", "WARC-Type", []string{"http://h3/"}},
		"the URL alone twice": {"Content-Type", "WARC-Target", []string{"http://h1/", "http://h3/"}},
		"the digest twice":    {"Content-Length", "WARC-Block-Digest", []string{"http://h1/", "http://h3/"}},
		"in the type":         {"sponse", "WARC/1.0", []string{"http://h3/"}},
	} {
		joined := a[:strings.Index(a, x.from)] + b[strings.Index(b, x.to):] + c
		for form, got := range map[string]*collected{
			"file": read(t, []byte(joined)),
			"pipe": readPipe(t, []byte(joined)),
		} {
			equal(t, name+", "+form, got.urls(), x.urls)
			if got.result.Lossy == 0 {
				t.Errorf("%s, %s: no lossy issue in %v", name, form, got.kinds())
			}
		}
	}
	// Of two types the first may be that of a lost record: a request is no fetch by it.
	request := strings.Replace(b, "WARC-Type: response", "WARC-Type: request", 1)
	joined := a[:strings.Index(a, "WARC-Record-ID")] + request[strings.Index(request, "WARC-Type"):] + c
	got := read(t, []byte(joined))
	equal(t, "two types", got.urls(), []string{"http://h3/"})
	equal(t, "two types: issues", got.kinds(), []string{"bad_record_header"})
	// Where a checksum covers the header, a field that stands twice is its writer's.
	member := warctest.Gzip(strings.Replace(a, "Content-Type",
		"WARC-Type: request\r\nWARC-Record-ID: <urn:9>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type", 1))
	equal(t, "a member", read(t, member).kinds(), []string{"repeated_field"})
	equal(t, "a member", read(t, member).urls(), []string{"http://h1/"})
}

// emptyMembers returns where gzip members end that hold nothing.
func emptyMembers(archive []byte) (ends []int64) {
	src := bytes.NewReader(archive)
	in, err := gzip.NewReader(src)
	for ; err == nil; err = in.Reset(src) {
		in.Multistream(false)
		n, err := io.Copy(io.Discard, in)
		if err != nil {
			break
		}
		if n == 0 {
			ends = append(ends, int64(len(archive)-src.Len()))
		}
	}
	return ends
}

// dictionaryMagic begins the frame of a dictionary.
var dictionaryMagic = []byte{0x5d, 0x2a, 0x4d, 0x18}
