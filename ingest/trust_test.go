package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// noise is text that hardly compresses.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz012345"[r.IntN(32)]
	}
	return string(b)
}

func answer(kind, body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", kind, len(body), body)
}

// longRecords are fetches of which most are not needed, and those of policy.
var longRecords = []warctest.Record{
	warctest.Warcinfo("urn:i", "software: x/1\r\n"),
	warctest.Response("urn:0", "http://h/robots.txt", "HTTP/1.1 301 x\r\nLocation: /policy\r\n\r\n"+noise(40<<10)),
	warctest.Response("urn:1", "http://h/policy", answer("text/plain", robotsBody+"#"+noise(90<<10))),
	warctest.Request("urn:q", "http://h/page", "bot/1"),
	warctest.Response("urn:2", "http://h/page", answer("text/html", `<meta name="robots" content="noarchive"></head>`+noise(300<<10)), "WARC-Concurrent-To: <urn:q>"),
	warctest.Response("urn:3", "http://h/%E4/film", answer("video/mp4", noise(700<<10))),
	warctest.Response("urn:4", "http://h/small", answer("text/html", "x")),
	{Type: "resource", ID: "urn:5", URL: "http://h/r", Fields: []string{"Content-Type: image/png"}, Block: noise(80 << 10)},
	warctest.Metadata("urn:m", "http://h/r", "via: http://h/\r\n"+noise(60<<10), "WARC-Concurrent-To: <urn:5>"),
	warctest.Response("urn:6", "http://h/last", answer("image/png", noise(50<<10))),
}

// leavable are the URLs of longRecords whose rest no one needs.
var leavable = []string{"http://h/page", "http://h/%E4/film", "http://h/r", "http://h/last"}

// indexRow is a line of CDXJ.
type indexRow struct {
	url, time      string
	offset, length int64
}

func (r indexRow) String() string {
	return fmt.Sprintf(`h)/ %s {"url": %q, "status": "200", "filename": "a.warc.gz", "offset": "%d", "length": "%d"}`+"\n", r.time, r.url, r.offset, r.length)
}

// indexOf are the rows of an index of an archive.
func indexOf(t *testing.T, archive []byte) (rows []indexRow) {
	for _, f := range read(t, archive).fetches {
		rows = append(rows, indexRow{f.URL, "20240501120000", f.Offset, f.Length})
	}
	return rows
}

func cdxj(rows []indexRow) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.String())
	}
	return b.String()
}

// readTrusting reads an archive, by what an index beside it tells. Its name in tables is another.
func readTrusting(t *testing.T, archive []byte, index string) *collected {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string][]byte{"a.warc.gz": archive, "a.cdxj": []byte(index)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inputs, failures := Expand([]string{dir})
	if len(inputs) != 2 || len(failures) > 0 {
		t.Fatal(inputs, failures)
	}
	trusted, err := readIndexBounds(t.Context(), dir, inputs)
	if err != nil {
		t.Fatal(err)
	}
	defer trusted.close()
	c := new(collected)
	for _, in := range inputs {
		if in.Name == "a.warc.gz" {
			c.result, err = readInput(in, 0, c, nil, &readOptions{trust: trusted})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// unread are the URLs of records that were not read to their ends.
func (c *collected) unread() (urls []string) {
	for _, f := range c.fetches {
		if f.Trust == facts.TrustIndexed {
			urls = append(urls, f.URL)
		}
	}
	return urls
}

// but compares facts but for what a record that was read in part lacks.
var but = cmpopts.IgnoreFields(facts.Fetch{}, "Trust")

// sameFacts compares what was read by an index with what is read without.
func sameFacts(t *testing.T, what string, got *collected, archive []byte) {
	t.Helper()
	want := read(t, archive)
	equal(t, what+": fetches", got.fetches, want.fetches, but)
	equal(t, what+": captures", got.captures, want.captures)
	equal(t, what+": bodies", got.bodies, want.bodies)
	equal(t, what+": fingerprint", got.result.Fingerprint, want.result.Fingerprint)
	equal(t, what+": digests", got.result.Digests, want.result.Digests)
	others := slices.DeleteFunc(got.issues, func(i facts.Issue) bool { return i.Kind == words.IssueWrongIndex })
	equal(t, what+": issues", others, want.issues, cmpopts.EquateEmpty())
}

// By an index, the rest of records is left out that nobody needs. All else is as without it.
func TestTrustIndex(t *testing.T) {
	archive := warctest.GzipMembers(longRecords...)
	rows := indexOf(t, archive)
	got := readTrusting(t, archive, cdxj(rows))
	equal(t, "read in part", got.unread(), leavable)
	equal(t, "counted", got.result.Partial, int64(len(leavable)))
	sameFacts(t, "all", got, archive)

	// Rows that stand twice, or lack a length, or are of another archive.
	other := strings.ReplaceAll(cdxj(rows[2:]), "a.warc.gz", "ba.warc.gz") + strings.ReplaceAll(cdxj(rows), "a.warc.gz", "folder/a.warc.gz")
	shortened := slices.Clone(rows)
	shortened[2].length = 0
	shortened[2].url += "?"
	got = readTrusting(t, archive, cdxj(rows[:2])+cdxj(shortened[2:])+cdxj(rows[3:])+other)
	equal(t, "in part, of some rows", got.unread(), leavable[1:])
	sameFacts(t, "some rows", got, archive)

	got = readTrusting(t, archive, other)
	equal(t, "in part, of another archive", got.unread(), nil)

	// Damage where nothing is left out is found as ever, behind it all is read.
	damaged := bytes.Clone(archive)
	damaged[rows[4].offset+rows[4].length/2] ^= 0x55 // the small one
	got = readTrusting(t, damaged, cdxj(rows))
	equal(t, "in part, before damage", got.unread(), leavable[:2])
	sameFacts(t, "damage", got, damaged)

	// Policy of which only a part is kept is read as a whole all the same.
	long := warctest.GzipMembers(warctest.Response("urn:1", "http://h/robots.txt", answer("text/plain", strings.Repeat("#\n", 5<<20))))
	got = readTrusting(t, long, cdxj(indexOf(t, long)))
	equal(t, "in part, of a long robots.txt", got.unread(), nil)

	// What is left out is not seen.
	unseen := bytes.Clone(archive)
	unseen[rows[3].offset+rows[3].length/2] ^= 0x55
	got = readTrusting(t, unseen, cdxj(rows))
	equal(t, "in part, unseen damage", got.unread(), leavable)
}

// Records that share members, or that are not what their length says, are read as without an index.
func TestTrustIndexOfOtherLayouts(t *testing.T) {
	joined := warctest.Gzip(longRecords[4].String() + longRecords[5].String())
	film := longRecords[5].String()
	parted := slices.Concat(warctest.Gzip(film[:9000]), warctest.Gzip(film[9000:]))
	long := warctest.Gzip(film + strings.Repeat("\r\n", 9))
	archive := slices.Concat(warctest.GzipMembers(longRecords[:4]...), joined, parted, long, warctest.GzipMembers(longRecords[6:]...))
	rows := slices.CompactFunc(indexOf(t, archive), func(a, b indexRow) bool { return a.offset == b.offset })
	got := readTrusting(t, archive, cdxj(rows))
	equal(t, "in part", got.unread(), []string{"http://h/r", "http://h/last"})
	equal(t, "issues", got.kinds(), nil)
	sameFacts(t, "layouts", got, archive)
}

// What an index tells and is not so ends the trust: the archive is read as without it.
func TestWrongIndex(t *testing.T) {
	forged := warctest.GzipMembers(warctest.Response("urn:f", "http://h/robots.txt", answer("text/plain", "User-agent: *\nDisallow: /\n")))
	film := answer("video/mp4", noise(80<<10)+string(forged)+noise(80<<10))
	archive := slices.Concat(warctest.GzipMembers(longRecords[:5]...), warctest.GzipStored(warctest.Response("urn:3", "http://h/%E4/film", film).String()),
		warctest.GzipMembers(longRecords[6:]...))
	begin := int64(bytes.Index(archive, forged))
	for _, c := range []struct {
		what   string
		change func(rows []indexRow) []indexRow
		detail string
		unread []string // in spite of it
	}{
		{"no record begins there", func(r []indexRow) []indexRow { r[3].offset++; r[3].length--; return r }, "where none begins", leavable[:1]},
		{"too short", func(r []indexRow) []indexRow { r[3].length -= 9; return r }, "it ends at", leavable[:1]},
		{"before what was read", func(r []indexRow) []indexRow { r[3].length = 30; return r }, "it ends at", leavable[:1]},
		{"too long", func(r []indexRow) []indexRow { r[6].length += 9; return r }, "it ends at", leavable[:3]},
		{"overlap", func(r []indexRow) []indexRow { r[3].length += 9; return r }, "another one begins at", leavable[:1]},
		{"into a page", func(r []indexRow) []indexRow { r[3].length = begin - r[3].offset; return r }, "it ends at", leavable[:1]},
		{"whole records", func(r []indexRow) []indexRow { r[3].length += r[4].length; return slices.Delete(r, 4, 5) }, "it ends at", leavable[:1]},
		{"beyond the end", func(r []indexRow) []indexRow { r[6].length = 1 << 40; return r }, "it ends at", leavable[:3]},
		{"beyond all numbers", func(r []indexRow) []indexRow { r[6].length = 1<<63 - 1; return r }, "", leavable[:3]},
		{"not there", func(r []indexRow) []indexRow { return append(r, indexRow{"http://h/x", "20240501120000", 1 << 40, 7}) }, "where none begins", leavable},
		{"another URL", func(r []indexRow) []indexRow { r[3].url = "http://h/private"; return r }, "another URL", leavable[:1]},
		{"another time", func(r []indexRow) []indexRow { r[3].time = "20240501120001"; return r }, "another time", leavable[:1]},
		{"another URL of robots.txt", func(r []indexRow) []indexRow { r[0].url = "http://h/private"; return r }, "another URL", nil},
		{"two records at once", func(r []indexRow) []indexRow { other := r[3]; other.url += "x"; return slices.Insert(r, 3, other) }, "another one begins at", leavable[:1]},
	} {
		got := readTrusting(t, archive, cdxj(c.change(indexOf(t, archive))))
		equal(t, c.what+": read in part", got.unread(), c.unread)
		switch {
		case c.detail == "": // no row at all
		case !slices.Equal(got.kinds(), []string{"wrong_index"}):
			t.Errorf("%s: issues %v", c.what, got.issues)
		case !strings.Contains(got.issues[0].Detail, c.detail):
			t.Errorf("%s: %s", c.what, got.issues[0].Detail)
		}
		sameFacts(t, c.what, got, archive)
	}
}

// A record whose date cannot be read, and so cannot be compared with the index, is read as a whole:
// the date may be damaged.
func TestTrustIndexOfDamagedDate(t *testing.T) {
	film := warctest.GzipStored(longRecords[5].String())
	around := [2][]byte{warctest.GzipMembers(longRecords[:5]...), warctest.GzipMembers(longRecords[6:]...)}
	rows := indexOf(t, slices.Concat(around[0], film, around[1]))
	damaged := slices.Concat(around[0], bytes.Replace(film, []byte("2024-05-01T"), []byte("2024-05-0?T"), 1), around[1])
	got := readTrusting(t, damaged, cdxj(rows))
	equal(t, "in part", got.unread(), leavable[:1])
	sameFacts(t, "damaged date", got, damaged)
}

// Whatever an index says, the facts are the same.
func TestAnyIndex(t *testing.T) {
	archive := warctest.GzipMembers(longRecords...)
	right := indexOf(t, archive)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		rows := slices.Clone(right)
		for range 1 + r.IntN(3) {
			row := &rows[r.IntN(len(rows))]
			switch other := right[r.IntN(len(right))]; r.IntN(6) {
			case 0:
				row.offset = r.Int64N(int64(len(archive)))
			case 1:
				row.length = r.Int64N(int64(len(archive)))
			case 2:
				row.length += int64(r.IntN(21) - 10)
			case 3:
				row.url = other.url
			case 4:
				row.offset = other.offset
			case 5:
				row.length = other.offset + other.length - row.offset
			}
		}
		sameFacts(t, fmt.Sprint(n, rows), readTrusting(t, archive, cdxj(rows)), archive)
	}
}

// In a WACZ its own index is trusted, and nothing but that.
func TestTrustIndexOfWACZ(t *testing.T) {
	archive := warctest.GzipMembers(longRecords...)
	index := []byte(cdxj(indexOf(t, archive)))
	entry := warctest.StoredEntry("archive/a.warc.gz", archive)
	for _, c := range []struct {
		what    string
		content []byte
		unread  []string
	}{
		{"index", warctest.Zip(t, warctest.StoredEntry("indexes/index.cdxj", index), entry), leavable},
		{"compressed", warctest.Zip(t, entry, warctest.StoredEntry("indexes/index.cdx.gz", warctest.Gzip(string(index)))), leavable},
		{"deflated", warctest.Zip(t, entry, warctest.DeflatedEntry("indexes/index.cdxj", index)), leavable},
		{"deflated archive", warctest.Zip(t, warctest.DeflatedEntry("archive/a.warc.gz", archive), warctest.StoredEntry("indexes/index.cdxj", index)), nil},
		{"elsewhere", warctest.Zip(t, entry, warctest.StoredEntry("index.cdxj", index)), nil},
		{"of another archive", warctest.Zip(t, warctest.StoredEntry("archive/b.warc.gz", archive), warctest.StoredEntry("indexes/index.cdxj", index)), nil},
	} {
		trusted, err := newIndexBounds(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		got := new(collected)
		in := facts.Input{Path: "/a.wacz", Name: "a.wacz", Size: int64(len(c.content))}
		if got.result, err = readSource(in, bytes.NewReader(c.content), 0, got, &readOptions{tmp: t.TempDir(), trust: trusted}); err != nil {
			t.Fatal(err)
		}
		equal(t, c.what+": in part", got.unread(), c.unread)
		sameFacts(t, c.what, got, c.content)
	}
}
