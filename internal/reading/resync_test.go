package reading

import (
	"bytes"
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
	if !longtest.Run() {
		t.Skip("long, and of one archive each")
	}
	entries := []warctest.Record{warctest.Warcinfo("urn:i", "software: x\r\n")}
	for i := range 20 {
		entries = append(entries,
			warctest.Response(fmt.Sprintf("urn:%d", i), fmt.Sprintf("http://h/%d", i),
				ok200+strings.Repeat(fmt.Sprint(i), i*40)))
	}
	all := string(warctest.Plain(entries...))
	want := read(t, warctest.Plain(entries...)).urls()
	if len(want) != 20 {
		t.Fatal(want)
	}
	extra := func(field string) []byte { // the first member gets an extra field
		m := warctest.Gzip(all[:1000])
		m[3] |= 4
		return slices.Concat(m[:10], []byte{byte(len(field)), 0}, []byte(field), m[10:], warctest.Gzip(all[1000:]))
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
			b = append(b, warctest.Gzip(all[at:min(len(all), at+n)])...)
		}
		layouts[fmt.Sprintf("members of %d bytes", n)] = b
		layouts[fmt.Sprintf("members of %d bytes, padded", n)] = append(bytes.Clone(b), make([]byte, padding)...)
	}
	for i := range 3 {
		several := append(warctest.Gzip(string(warctest.Plain(entries[:5+i]...))),
			warctest.GzipMembers(entries[5+i:]...)...)
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
				equal(t, form+" trust", slices.ContainsFunc(c.fetches,
					func(f facts.Fetch) bool { return f.Trust != facts.TrustChained }), false)
			}
			garbage := read(t, append(bytes.Clone(archive), "garbage"...))
			rest := len("garbage")
			if strings.HasSuffix(name, "padded") {
				rest += padding
			}
			equal(t, "before garbage", garbage.urls(), want)
			equal(t, "garbage", placesOf(garbage),
				[]string{fmt.Sprintf("skipped_range %d+%d", len(archive)+len("garbage")-rest, rest)})
		})
	}
}

// After one damaged member the others count, with the lower trust; so does what
// lies between two if it names the file's own warcinfo.
func TestResyncMembers(t *testing.T) {
	named := "WARC-Warcinfo-ID: <urn:i>"
	record := func(i int, fields ...string) []byte {
		return warctest.GzipMembers(warctest.Response(fmt.Sprintf("urn:%d", i), fmt.Sprintf("http://h/%d", i), ok200,
			fields...))
	}
	damaged := func(b []byte) []byte { b[len(b)-6] ^= 1; return b }
	head := warctest.GzipMembers(warctest.Warcinfo("urn:i", ""))
	at := len(head) + len(record(1))
	one := slices.Concat(head, record(1), damaged(record(2)), record(3), record(4))
	got := read(t, one)
	equal(t, "one damage", trusts(got), []string{"http://h/1 chained", "http://h/3 resynced", "http://h/4 resynced"})
	place := fmt.Sprintf("%d+%d", at, len(record(2)))
	equal(t, "issues", placesOf(got), []string{fmt.Sprintf("damaged_member %d+-1", at), "skipped_range " + place})

	two := func(fields ...string) []byte {
		return slices.Concat(head, damaged(record(1)), record(2, fields...), record(3, fields...), damaged(record(4)),
			record(5, fields...))
	}
	equal(t, "two, named", trusts(read(t, two(named))),
		[]string{"http://h/2 resynced", "http://h/3 resynced", "http://h/5 resynced"})
	equal(t, "two, not named", trusts(read(t, two())), []string{"http://h/5 resynced"})
	equal(t, "two, others named", trusts(read(t, two("WARC-Warcinfo-ID: <urn:j>"))), []string{"http://h/5 resynced"})

	// Of a file that is cut inside a page, what the page holds is no chain.
	inner := record(9)
	page := stored(warctest.Response("urn:p", "http://h/p", "HTTP/1.1 200 OK\r\n\r\n"+string(inner)+"xxxx").String())
	cut := bytes.Index(page, inner) + len(inner)
	equal(t, "cut page", trusts(read(t, slices.Concat(head, record(1), page[:cut]))), []string{"http://h/1 chained"})
	equal(t, "damage and a cut page", trusts(read(t, slices.Concat(head, damaged(record(1)), record(2), page[:cut]))),
		nil)
}

// In plain files digests prove where records end.
func TestRepairPlain(t *testing.T) {
	forged := warctest.Digested(warctest.Response("urn:forged", "http://victim/", ok200)).String()
	page := "HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("p", 80) + "\r\n\r\n" + forged + strings.Repeat("q", 900)
	a, b, c := warctest.Response("urn:1", "http://h/1", page), warctest.Response("urn:2", "http://h/2",
		ok200), warctest.Response("urn:3", "http://h/3", ok200)
	plainOf := func(change func(string) string, entries ...warctest.Record) []byte {
		return []byte(change(string(warctest.Plain(append([]warctest.Record{warctest.Warcinfo("urn:i", "")},
			entries...)...))))
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
	named := func(e warctest.Record) warctest.Record {
		e.Fields = append(slices.Clone(e.Fields), "WARC-Warcinfo-ID: <urn:i>")
		return e
	}
	all := []string{"http://h/1 chained", "http://h/2 chained", "http://h/3 chained"}
	repaired := []string{"http://h/1 resynced", "http://h/2 chained", "http://h/3 chained"}
	noLastBlock := func(s string) string { return s[:strings.LastIndex(s, "HTTP/1.1")] }
	for name, x := range map[string]struct {
		archive      []byte
		want, issues []string
	}{
		"cut behind a header": {
			plainOf(noLastBlock, warctest.Digested(a), warctest.Digested(b)), all[:1],
			[]string{"truncated_record"},
		},
		"whole": {
			plainOf(same, warctest.Digested(a), warctest.Digested(b), warctest.Digested(c)), all,
			nil,
		},
		"a length too small": {
			plainOf(replace(length, short), warctest.Digested(a), warctest.Digested(b), c),
			repaired,
			[]string{"bad_content_length"},
		},
		"a length too large": {plainOf(replace(length, "Content-Length: 99999\r\n"), warctest.Digested(a),
			warctest.Digested(b), c), repaired, []string{"bad_content_length"}},
		"no length": {plainOf(replace(length, "Content-Lengtx: 1\r\n"), warctest.Digested(a),
			warctest.Digested(b), c), repaired, []string{"bad_content_length"}},
		"another block": {
			plainOf(replace("pppp", "pppx"), warctest.Digested(a), warctest.Digested(b), c), all,
			[]string{"digest_mismatch"},
		},
		"a wrong digest": {
			plainOf(replace("sha1:", "sha1:A"), warctest.Digested(a), warctest.Digested(b), c),
			all, nil,
		},
		"a wrong record end": {plainOf(replace("q\r\n\r\n", "q\r\n\rx"), a, b, c), all, nil},
		"a wrong version": {
			plainOf(replace("q\r\n\r\nWARC", "q\r\n\r\nXARC"), a, b, c),
			[]string{all[0], all[2]},
			[]string{"bad_record_header"},
		},
		"own records": {
			plainOf(replace(length, "Content-Length: 5\r\n"), a, named(b), named(c)),
			[]string{"http://h/2 resynced", "http://h/3 resynced"},
			[]string{"bad_record_end", "skipped_range"},
		},
		"an own one, a foreign": {
			plainOf(replace(length, "Content-Length: 5\r\n"), a, named(b), c),
			[]string{"http://h/2 resynced"},
			[]string{"bad_record_end", "skipped_range", "skipped_range"},
		},
		"an own one, proven": {
			plainOf(replace(length, "Content-Length: 5\r\n"), a, named(warctest.Digested(b)), c),
			[]string{"http://h/2 resynced", "http://h/3 resynced"},
			[]string{"bad_record_end", "skipped_range"},
		},
		"none is surely own": {
			plainOf(replace(length, "Content-Length: 5\r\n"), a, warctest.Digested(b),
				warctest.Digested(c)),
			[]string{"http://h/2 resynced", "http://h/3 resynced"},
			[]string{"bad_record_end", "skipped_range"},
		},
		"one before is own": {
			plainOf(replace(length, "Content-Length: 5\r\n"), named(b), a, warctest.Digested(c)),
			[]string{"http://h/2 chained"},
			[]string{"bad_record_end", "skipped_range"},
		},
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
	inner := warctest.Digested(warctest.Response("urn:forged", "http://victim/robots.txt",
		"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n")).String()
	page := fmt.Sprintf("%-1000s\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n") + inner + string(warctest.Gzip(inner)) + inner
	page += strings.Repeat("\n", 9000-len(page))
	entries := []warctest.Record{
		warctest.Warcinfo("urn:i", ""),
		warctest.Digested(warctest.Response("urn:1", "http://h/1", page)),
		warctest.Digested(warctest.Response("urn:2", "http://h/2", ok200)),
	}
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
	} else if !longtest.Run() {
		step, sharedStep = 61, 1403
	}
	archive := warctest.Plain(entries...)
	check("plain", archive, 0, bytes.Index(archive, []byte(page[:40]))+100, step)
	check("plain, the page's end", archive, bytes.LastIndex(archive, []byte("\n\n\n")), len(archive), step)

	path := filepath.Join("..", "..", "..", "shared", "warc", "hard", "other", "forged-boundary.warc.gz")
	shared, err := os.ReadFile(path)
	if err != nil {
		t.Skip("skipped: ../shared/warc is absent")
	}
	check("forged-boundary", shared, 0, len(shared), sharedStep)
	inside := gunzip(t, shared)
	check("forged-boundary, plain", inside, 0, len(inside), sharedStep)
}
