package ingest

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// placesOf returns the issues' kinds and places.
func placesOf(c *collected) (places []string) {
	for _, i := range c.issues {
		places = append(places, fmt.Sprintf("%s %d+%d", i.Kind, i.Offset, i.Length))
	}
	return places
}

// trusts returns the fetches' URLs with their trust.
func trusts(c *collected) (all []string) {
	for _, f := range c.fetches {
		all = append(all, f.URL+" "+f.Trust.String())
	}
	return all
}

// Every layout of members gives the same records.
func TestMemberLayouts(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one archive each")
	}
	entries := []entry{warcinfoRecord("urn:i", "software: x\r\n")}
	for i := range 20 {
		entries = append(entries, response(fmt.Sprintf("urn:%d", i), fmt.Sprintf("http://h/%d", i), ok200+strings.Repeat(fmt.Sprint(i), i*40)))
	}
	all := string(plain(entries...))
	want := read(t, plain(entries...)).urls()
	if len(want) != 20 {
		t.Fatal(want)
	}
	extra := func(field string) []byte { // the first member gets an extra field
		m := gzipped(all[:1000])
		m[3] |= 4
		return slices.Concat(m[:10], []byte{byte(len(field)), 0}, []byte(field), m[10:], gzipped(all[1000:]))
	}
	layouts := map[string][]byte{
		"sl of 32 bits": extra("sl\x08\x00\xff\xff\xff\xff\x01\x00\x00\x00"),
		"sl of 64 bits": extra("sl\x10\x00\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00"),
		"LX":            extra("LX\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
		"RS":            extra("RS\x04\x00\x01\x00\x00\x00"),
	}
	const padding = 700
	for _, n := range []int{5, 100, 333, 1000, len(all)} {
		var b []byte
		for at := 0; at < len(all); at += n {
			b = append(b, gzipped(all[at:min(len(all), at+n)])...)
		}
		layouts[fmt.Sprintf("members of %d bytes", n)] = b
		layouts[fmt.Sprintf("members of %d bytes, padded", n)] = append(bytes.Clone(b), make([]byte, padding)...)
	}
	for i := range 3 {
		several := append(gzipped(string(plain(entries[:5+i]...))), members(entries[5+i:]...)...)
		layouts[fmt.Sprintf("%d in the first member", 5+i)] = several
	}
	for name, archive := range layouts {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "members of 5 ") { // a header in more than maxHeaderMembers members
				if c := read(t, archive); c.result.Lossy == 0 {
					t.Errorf("%v, no issue", c.urls())
				}
				return
			}
			for form, c := range map[string]*collected{"file": read(t, archive), "pipe": readPipe(t, archive)} {
				equal(t, form, c.urls(), want)
				equal(t, form+" issues", c.kinds(), nil)
				equal(t, form+" trust", slices.ContainsFunc(c.fetches, func(f facts.Fetch) bool { return f.Trust != facts.TrustChained }), false)
			}
			garbage := read(t, append(bytes.Clone(archive), "garbage"...))
			rest := len("garbage")
			if strings.HasSuffix(name, "padded") {
				rest += padding
			}
			equal(t, "before garbage", garbage.urls(), want)
			equal(t, "garbage", placesOf(garbage), []string{fmt.Sprintf("skipped_range %d+%d", len(archive)+len("garbage")-rest, rest)})
		})
	}
}

// Behind one damaged member the others count, with the lower trust; so does what
// lies between two if it names the file's own warcinfo.
func TestResyncMembers(t *testing.T) {
	named := "WARC-Warcinfo-ID: <urn:i>"
	record := func(i int, fields ...string) []byte {
		return members(response(fmt.Sprintf("urn:%d", i), fmt.Sprintf("http://h/%d", i), ok200, fields...))
	}
	damaged := func(b []byte) []byte { b[len(b)-6] ^= 1; return b }
	head := members(warcinfoRecord("urn:i", ""))
	at := len(head) + len(record(1))
	one := slices.Concat(head, record(1), damaged(record(2)), record(3), record(4))
	got := read(t, one)
	equal(t, "one damage", trusts(got), []string{"http://h/1 chained", "http://h/3 resynced", "http://h/4 resynced"})
	place := fmt.Sprintf("%d+%d", at, len(record(2)))
	equal(t, "issues", placesOf(got), []string{fmt.Sprintf("damaged_member %d+-1", at), "skipped_range " + place})

	two := func(fields ...string) []byte {
		return slices.Concat(head, damaged(record(1)), record(2, fields...), record(3, fields...), damaged(record(4)), record(5, fields...))
	}
	equal(t, "two, named", trusts(read(t, two(named))), []string{"http://h/2 resynced", "http://h/3 resynced", "http://h/5 resynced"})
	equal(t, "two, not named", trusts(read(t, two())), []string{"http://h/5 resynced"})
	equal(t, "two, others named", trusts(read(t, two("WARC-Warcinfo-ID: <urn:j>"))), []string{"http://h/5 resynced"})

	// Of a file that is cut inside a page, what the page holds is no chain.
	inner := record(9)
	page := stored(response("urn:p", "http://h/p", "HTTP/1.1 200 OK\r\n\r\n"+string(inner)+"xxxx").String())
	cut := bytes.Index(page, inner) + len(inner)
	equal(t, "cut page", trusts(read(t, slices.Concat(head, record(1), page[:cut]))), []string{"http://h/1 chained"})
	equal(t, "damage and a cut page", trusts(read(t, slices.Concat(head, damaged(record(1)), record(2), page[:cut]))), nil)
}

// digested adds the block digest of a record.
func digested(e entry) entry {
	sum := sha1.Sum([]byte(e.block))
	e.fields = append(slices.Clone(e.fields), "WARC-Block-Digest: sha1:"+base32.StdEncoding.EncodeToString(sum[:]))
	return e
}

// In plain files digests prove where records end.
func TestRepairPlain(t *testing.T) {
	forged := digested(response("urn:forged", "http://victim/", ok200)).String()
	page := "HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("p", 80) + "\r\n\r\n" + forged + strings.Repeat("q", 900)
	a, b, c := response("urn:1", "http://h/1", page), response("urn:2", "http://h/2", ok200), response("urn:3", "http://h/3", ok200)
	plainOf := func(change func(string) string, entries ...entry) []byte {
		return []byte(change(string(plain(append([]entry{warcinfoRecord("urn:i", "")}, entries...)...))))
	}
	same := func(s string) string { return s }
	length := fmt.Sprintf("Content-Length: %d\r\n", len(page))
	short := fmt.Sprintf("Content-Length: %d\r\n", 19+80)
	replace := func(old, new string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, old) {
				t.Fatalf("no %q", old)
			}
			return strings.Replace(s, old, new, 1)
		}
	}
	named := func(e entry) entry {
		e.fields = append(slices.Clone(e.fields), "WARC-Warcinfo-ID: <urn:i>")
		return e
	}
	all := []string{"http://h/1 chained", "http://h/2 chained", "http://h/3 chained"}
	repaired := []string{"http://h/1 resynced", "http://h/2 chained", "http://h/3 chained"}
	noLastBlock := func(s string) string { return s[:strings.LastIndex(s, "HTTP/1.1")] }
	for name, x := range map[string]struct {
		archive      []byte
		want, issues []string
	}{
		"cut behind a header":   {plainOf(noLastBlock, digested(a), digested(b)), all[:1], []string{"truncated_record"}},
		"whole":                 {plainOf(same, digested(a), digested(b), digested(c)), all, nil},
		"a length too small":    {plainOf(replace(length, short), digested(a), digested(b), c), repaired, []string{"bad_content_length"}},
		"a length too large":    {plainOf(replace(length, "Content-Length: 99999\r\n"), digested(a), digested(b), c), repaired, []string{"bad_content_length"}},
		"no length":             {plainOf(replace(length, "Content-Lengtx: 1\r\n"), digested(a), digested(b), c), repaired, []string{"bad_content_length"}},
		"another block":         {plainOf(replace("pppp", "pppx"), digested(a), digested(b), c), all, []string{"digest_mismatch"}},
		"a wrong digest":        {plainOf(replace("sha1:", "sha1:A"), digested(a), digested(b), c), all, nil},
		"a wrong record end":    {plainOf(replace("q\r\n\r\n", "q\r\n\rx"), a, b, c), all, nil},
		"a wrong version":       {plainOf(replace("q\r\n\r\nWARC", "q\r\n\r\nXARC"), a, b, c), []string{all[0], all[2]}, []string{"bad_record_header"}},
		"own records":           {plainOf(replace(length, "Content-Length: 5\r\n"), a, named(b), named(c)), []string{"http://h/2 resynced", "http://h/3 resynced"}, []string{"bad_record_end", "skipped_range"}},
		"an own one, a foreign": {plainOf(replace(length, "Content-Length: 5\r\n"), a, named(b), c), []string{"http://h/2 resynced"}, []string{"bad_record_end", "skipped_range", "skipped_range"}},
		"an own one, proven":    {plainOf(replace(length, "Content-Length: 5\r\n"), a, named(digested(b)), c), []string{"http://h/2 resynced", "http://h/3 resynced"}, []string{"bad_record_end", "skipped_range"}},
		"none is surely own":    {plainOf(replace(length, "Content-Length: 5\r\n"), a, digested(b), digested(c)), []string{"http://h/2 resynced", "http://h/3 resynced"}, []string{"bad_record_end", "skipped_range"}},
		"one before is own":     {plainOf(replace(length, "Content-Length: 5\r\n"), named(b), a, digested(c)), []string{"http://h/2 chained"}, []string{"bad_record_end", "skipped_range"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, x.archive)
			equal(t, "fetches", trusts(got), x.want)
			equal(t, "issues", got.kinds(), x.issues)
		})
	}
}

// No bit that changes makes a record of what a page holds: not in members, nor in
// plain files whose records have digests.
func TestForgeryByAnyBit(t *testing.T) {
	inner := digested(response("urn:forged", "http://victim/robots.txt", "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n")).String()
	page := fmt.Sprintf("%-1000s\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n") + inner + string(gzipped(inner)) + inner
	page += strings.Repeat("\n", 9000-len(page))
	entries := []entry{warcinfoRecord("urn:i", ""), digested(response("urn:1", "http://h/1", page)), digested(response("urn:2", "http://h/2", ok200))}
	check := func(name string, archive []byte, from, to, step int) {
		whole := read(t, archive)
		places := make(map[int64]bool)
		for _, f := range whole.fetches {
			places[f.Offset] = true
		}
		for n := from * 8; n < to*8; n += step {
			damaged := bytes.Clone(archive)
			damaged[n/8] ^= 1 << (n % 8)
			for _, f := range read(t, damaged).fetches {
				if !places[f.Offset] || strings.Contains(f.URL, "victim") {
					t.Fatalf("%s, bit %d: %s at %d", name, n, f.URL, f.Offset)
				}
			}
		}
	}
	step, sharedStep := 7, 161 // odd, so that all eight bits have their turn
	if os.Getenv(allDamage) != "" {
		step, sharedStep = 1, 1
	} else if testing.Short() {
		step, sharedStep = 61, 1403
	}
	archive := plain(entries...)
	check("plain", archive, 0, bytes.Index(archive, []byte(page[:40]))+100, step)
	check("plain, the page's end", archive, bytes.LastIndex(archive, []byte("\n\n\n")), len(archive), step)

	path := filepath.Join("..", "..", "shared", "warc", "hard", "other", "forged-boundary.warc.gz")
	shared, err := os.ReadFile(path)
	if err != nil {
		t.Skip("skipped: ../shared/warc is absent")
	}
	check("forged-boundary", shared, 0, len(shared), sharedStep)
	inside := gunzip(t, shared)
	check("forged-boundary, plain", inside, 0, len(inside), sharedStep)
}
