package evidence

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/report/audittest"
)

const testdata = "../../testdata/warc"

var rfc9309 = evaluate.DecideOptions{Profile: robots.RFC9309}

// write writes a bundle, which must prove all that is in it.
func write(t *testing.T, out string, what ...string) (path string, b *Bundle) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "bundle.warc.gz")
	b, err := Write(context.Background(), Options{Dir: out, To: path, What: what})
	if err != nil {
		t.Fatal(err)
	}
	if b.Violations == 0 || b.Proven != b.Violations || b.Lacking > 0 {
		t.Fatalf("%d of %d proven, %d left out: %+v", b.Proven, b.Violations, b.Lacking, b.Unproven)
	}
	return path, b
}

// TestChangedBytes: of a bundle in which one byte was changed, either Verify refuses it, or
// nothing of any record was changed.
func TestChangedBytes(t *testing.T) {
	changes := 1000
	if !longtest.Run() {
		changes = 50
	}
	path, _ := write(t, audittest.Audit(t, rfc9309, testdata))
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content := contentOf(bundle)
	random := rand.New(rand.NewPCG(1, 2))
	refused, harmless := 0, 0
	for range changes {
		changed := bytes.Clone(bundle)
		at := random.IntN(len(changed))
		changed[at] ^= byte(1 + random.IntN(255))
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		v, err := Verify(context.Background(), path, nil)
		var refusal *RefusedError
		switch {
		case errors.As(err, &refusal):
			refused++
		case err != nil:
			t.Errorf("byte %d: %v", at, err)
		case v.Proven != v.Violations || !bytes.Equal(contentOf(changed), content):
			t.Errorf("byte %d: %d of %d proven, of other content", at, v.Proven, v.Violations)
		default:
			harmless++
		}
	}
	t.Logf("%d refused, %d changed nothing cited", refused, harmless)
	if refused < changes*9/10 {
		t.Errorf("only %d of %d refused", refused, changes)
	}
}

// contentOf is the content of a bundle, decompressed; nil if it cannot be.
func contentOf(bundle []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(bundle))
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return content
}

// TestUnclearOriginals: a revisit of which two records may be the original is decided from a bundle as from its
// archives, which takes both, wherever they lie.
func TestUnclearOriginals(t *testing.T) {
	const url, date = "http://h.example/p", "2024-05-01T11:00:00Z"
	digest := "WARC-Payload-Digest: sha1:" + base32.StdEncoding.EncodeToString(sumOf("page"))
	page := func(id, header string) warctest.Record {
		r := warctest.Response(id, url, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+header+"\r\npage", digest)
		r.Date = date
		return r
	}
	for _, origin := range []string{"http://h.example", "http://elsewhere.example"} {
		tdm := warctest.Response("urn:t", origin+"/.well-known/tdmrep.json",
			"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"+`[{"location": "/p", "tdm-reservation": 1}]`)
		revisit := warctest.Response("urn:r", origin+"/p", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", digest,
			"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
			"WARC-Refers-To-Target-URI: "+url, "WARC-Refers-To-Date: "+date)
		revisit.Type, revisit.Date = "revisit", "2024-05-01T13:00:00Z"
		archive := filepath.Join(t.TempDir(), "a.warc")
		records := warctest.Plain(page("urn:a", "X-Robots-Tag: noai\r\n"), page("urn:b", ""), tdm, revisit)
		if err := os.WriteFile(archive, records, 0o666); err != nil {
			t.Fatal(err)
		}
		train := evaluate.DecideOptions{Profile: robots.RFC9309, Uses: []evaluate.Use{tag.UseTrain}}
		b, err := Write(t.Context(), Options{
			Dir: audittest.Audit(t, train, archive), To: filepath.Join(t.TempDir(), "b.warc.gz"),
			Drop: true, Purposes: []string{"train"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if b.Violations != 2 || b.Proven != 2 { // of the first page and the revisit
			t.Errorf("%s: %d of %d proven, want 2 of 2: %+v", origin, b.Proven, b.Violations, b.Unproven)
		}
	}
}

// TestTwoRequests: what two requests claim is decided from a bundle as from its archive.
func TestTwoRequests(t *testing.T) {
	const url = "http://h/x"
	file := warctest.Response("urn:f", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n")
	file.Date = "2024-05-01T11:00:00Z"
	page := warctest.Response("urn:r", url, "HTTP/1.1 200 OK\r\n\r\npage")
	ask := func(id, agent string) warctest.Record {
		return warctest.Request(id, url, agent, "WARC-Concurrent-To: <urn:r>")
	}
	archive := filepath.Join(t.TempDir(), "a.warc")
	records := warctest.Plain(warctest.Warcinfo("urn:i", "software: Wget/1.25.0\r\n"),
		file, warctest.Request("urn:q", file.URL, "TestBot/1.0", "WARC-Concurrent-To: <urn:f>"),
		ask("urn:1", "TestBot/1.0"), page, ask("urn:2", "OtherBot/1.0"))
	if err := os.WriteFile(archive, records, 0o666); err != nil {
		t.Fatal(err)
	}
	path, b := write(t, audittest.Audit(t, rfc9309, archive))
	if b.Violations != 1 || b.Proven != 1 {
		t.Errorf("%d of %d proven, want 1 of 1: %+v", b.Proven, b.Violations, b.Unproven)
	}
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"", `"second_request":2,`} {
		changed := edited(t, splitMembers(t, bundle), `"second_request":6,`, change)
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Verify(t.Context(), path, nil)
		if err == nil || !strings.Contains(err.Error(), "second_request of record 5 is the record with the index 6") {
			t.Errorf("with %q: %v", change, err)
		}
	}
}

func sumOf(text string) []byte {
	sum := sha1.Sum([]byte(text))
	return sum[:]
}

// TestContainers: the records of an archive are the same in a bundle whatever it is compressed
// with, and each of these bundles proves the same.
func TestContainers(t *testing.T) {
	plain, err := os.ReadFile(filepath.Join(testdata, "crawl-b-2.warc"))
	if err != nil {
		t.Fatal(err)
	}
	records := recordsOf(t, plain)
	forms := map[string][]byte{
		"plain.warc":      plain,
		"members.warc.gz": gzipped(records...),
		"stream.warc.gz":  gzipped(string(plain)),
		"three.warc.gz":   gzipped(inThrees(records)...),
		"halves.warc.gz":  gzipped(inHalves(records)...),
		"frame.warc.zst":  zstandard(t, string(plain)),
		"frames.warc.zst": zstandard(t, records...),
		"stored.wacz":     zipped(t, zip.Store, "archive/data.warc", plain),
		"deflated.wacz":   zipped(t, zip.Deflate, "archive/data.warc.gz", gzipped(records...)),
	}
	var want []string
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		archive := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(archive, forms[name], 0o666); err != nil {
			t.Fatal(err)
		}
		path, b := write(t, audittest.Audit(t, rfc9309, archive))
		got := bundled(t, path)
		if want == nil {
			want = got
		}
		if b.Proven != 6 || !slices.Equal(got, want) {
			t.Errorf("%s: %d findings proven by %d records, of other content than in the form before", name, b.Proven,
				len(got))
		}
		for i, record := range got {
			if !slices.Contains(records, record) {
				t.Errorf("%s: record %d is not in the archive as it stands", name, i+1)
			}
		}
	}
}

// TestMembersAreCopied: a gzip member that holds one record stands in the bundle byte for byte.
func TestMembersAreCopied(t *testing.T) {
	archive := filepath.Join(testdata, "crawl-b-1.warc.gz")
	path, _ := write(t, audittest.Audit(t, rfc9309, archive))
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	members := splitMembers(t, bundle)[1:]
	for i, m := range members {
		if !bytes.Contains(whole, m) {
			t.Errorf("member %d of %d is not in the archive", i+1, len(members))
		}
	}
}

// TestRefusals: a bundle that lacks a record, has one too many, or in which records were
// exchanged or made anew, is refused, and the record is named.
func TestRefusals(t *testing.T) {
	path, _ := write(t, audittest.Audit(t, rfc9309, filepath.Join(testdata, "crawl-b-1.warc.gz")))
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	members := splitMembers(t, bundle)
	join := func(parts ...[][]byte) []byte { return bytes.Join(slices.Concat(parts...), nil) }
	third := string(unzipped(t, members[3]))
	for _, c := range []struct {
		name   string
		bundle []byte
		reason string
	}{
		{"without the last", join(members[:len(members)-1]), "it ends before the end of record "},
		{"without the third", join(members[:3], members[4:]), "record 3 (response urn:uuid:"},
		{"one too many", join(members, members[3:4]), "bytes stand after its"},
		{"exchanged", join(members[:3], members[4:5], members[3:4], members[5:]), "record 3 (response urn:uuid:"},
		{"one letter", join(members[:3], [][]byte{gzipped(strings.Replace(third, "Disallow", "Disallov", 1))},
			members[4:]), "record 3 (response urn:uuid:7aee49c8-e044-467d-b26b-03a2b1a976e3, at 1997 of " +
			"crawl-b-1.warc.gz) was changed"},
		{
			"more behind a record", join(members[:3], [][]byte{gzipped(third + "Allow: /")}, members[4:]),
			"record 3 (response urn:uuid:",
		},
		{"without a manifest", join(members[1:]), "its first record is no manifest"},
		{"cut", bundle[:len(bundle)-1], "it ends before the end of record "},
		{"cut in its manifest", bundle[:len(members[0])-1], "it ends before the end of its manifest"},
		{"empty", nil, "it does not begin with a gzip member"},
		{
			"a manifest with another ID", relabelled(t, members, "<urn:uuid:", "<urn:uuid:0"),
			`the header around it is not of it: "WARC-Record-ID: <urn:uuid:0`,
		},
		{
			"a manifest with another digest", relabelled(t, members, "Digest: sha256:", "Digest: sha256:0"),
			"its manifest was changed: its digest is sha256:",
		},
		{"a manifest of no date", relabelled(t, members, "Date: 2", "Date: x"), `its manifest has the date "x`},
		{
			"a manifest of before its records", forged("2025-03-10T06:00:00Z", manifestOf(t, members), members[1:]),
			`its manifest is dated "2025-03-10T06:00:00Z", and cites a record of 2025`,
		},
		{
			"of another format", edited(t, members, formatName, "robotsaudit-evidence/9"),
			`it is of format "robotsaudit-evidence/9"`,
		},
		{"a record out of order", edited(t, members, `{"number":2,`, `{"number":9,`), "record 9 is out of order"},
		{
			"an archive out of range", edited(t, members, `{"number":2,"archive":0`, `{"number":2,"archive":7`),
			"is out of order",
		},
		{"a negative size", edited(t, members, `"size":959`, `"size":-9`), "is out of order"},
		{"an unknown form", edited(t, members, `"form":"warc"`, `"form":"../x"`), `an archive of form "../x"`},
		{
			"an unknown field", edited(t, members, `"form":"warc"`, `"from":"warc"`),
			`its manifest is damaged at line 3: a key that is unknown`,
		},
		{"a key in other letters", edited(t, members, `"form":"warc"`, `"Form":"warc"`), "is spelt otherwise"},
		{
			"a key twice", edited(t, members, `"size":959`, `"size":959,"size":959`),
			`its manifest is damaged at line 6: a key that is unknown, stands twice`,
		},
		{"a key in two spellings", edited(t, members, `"size":959`, `"SIZE":1,"size":959`), "is spelt otherwise"},
		{
			"a key of a finding twice",
			edited(t, members, `"verdict":"disallowed"`, `"verdict":"allowed","verdict":"disallowed"`),
			"stands twice",
		},
		{
			"a key of a citation twice", edited(t, members, `"role":"fetch"`, `"role":"copy","role":"fetch"`),
			"stands twice",
		},
		{
			"a list in the head", edited(t, members, `"settings":`, `"records":[],"settings":`),
			"a key that is unknown",
		},
		{"null", edited(t, members, `"size":959`, `"size":null`), "a null"},
		{"half a character", edited(t, members, `"form":"warc"`, `"entry":"\udc00","form":"warc"`), "not Unicode"},
		{"not UTF-8", edited(t, members, `"form":"warc"`, "\"entry\":\"\xff\",\"form\":\"warc\""), "not Unicode"},
		{"two values in a line", edited(t, members, `"form":"warc",`, `"form":"warc"},{`), "after top-level value"},
		{"more behind the end", edited(t, members, "\n]}\n", "\n]}\n]}\n"), "it ends too early or too late"},
		{
			"a list that ends early", edited(t, members, "\n],\n\"records\"", "\n]}\n\"records\""),
			"it ends too early or too late",
		},
		{
			"another type", edited(t, members, `"type":"response"`, `"type":"resource"`),
			`record 3 (resource urn:uuid:7aee49c8-e044-467d-b26b-03a2b1a976e3, at 1997 of crawl-b-1.warc.gz) is not what the manifest says: its type is "response", not "resource"`,
		},
		{
			"another id", edited(t, members, `"record_id":"urn:uuid:7a`, `"record_id":"urn:uuid:8a`),
			`its record_id is "urn:uuid:7aee`,
		},
		{"another URL", edited(t, members, `"url":"http://wild.example/robots.txt","date"`,
			`"url":"http://tame.example/robots.txt","date"`), `its url is "http://wild.example/robots.txt"`},
		{
			"another date", edited(t, members, `"date":"2025-03-10T06:00:01Z"`, `"date":"2025-03-10T06:00:09Z"`),
			`its date is "2025-03-10T06:00:01Z", not "2025-03-10T06:00:09Z"`,
		},
		{"wrapped", edited(t, members, "},\n{\"number\":2,", ",\"wrapped\":true},\n{\"number\":2,"), "wrapped"},
		{"a negative offset", edited(t, members, `"offset":1997`, `"offset":-5`), "has a negative number"},
		{"an index again", edited(t, members, `{"number":2,"archive":0,"index":4`,
			`{"number":2,"archive":0,"index":1`), "has the index 1, after 1"},
		{
			"another request", edited(t, members, `"request":4`, `"request":6`),
			"request of record 3 is the record with the index 4, not 6",
		},
		{
			"no request", edited(t, members, `"request":4,`, ``),
			"request of record 3 is the record with the index 4, not 0",
		},
		{
			"a segment", edited(t, members, `"request":4,"warcinfo":1`, `"request":4,"warcinfo":1,"continues":1`),
			"continues of record 3 is the record with the index 0, not 1",
		},
		{"a row again", edited(t, members, `"row":2`, `"row":1`), "row 1 of \"violations\" stands after row 1"},
		{
			"a record cited that is not there",
			edited(t, members, `{"number":3,"role":"governing"}`, `{"number":99999,"role":"governing"}`),
			"there is no record 99999",
		},
		{
			"a record that is not there",
			edited(t, members, `[{"number":5,"role":"fetch"}`, `[{"number":500,"role":"fetch"}`),
			"there is no record 500",
		},
		{
			"a finding without a fetch",
			edited(t, members, `[{"number":5,"role":"fetch"}`, `[{"number":5,"role":"copy"}`),
			"a finding without its fetch",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(path, c.bundle, 0o666); err != nil {
				t.Fatal(err)
			}
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			t.Setenv("TMP", tmp) // of Windows, which removes no open file
			v, err := Verify(t.Context(), path, nil)
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			var refusal *RefusedError
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%v %v, want %q", v, err, c.reason)
			}
		})
	}
}

// TestForgedFindings: a manifest that says other things than the records is not proven, and
// what differs is said.
func TestForgedFindings(t *testing.T) {
	path, b := write(t, audittest.Audit(t, rfc9309, filepath.Join(testdata, "crawl-b-1.warc.gz")),
		"http://wild.example/paper.pdf")
	if b.Violations != 1 {
		t.Fatal(b.Violations)
	}
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	members := splitMembers(t, bundle)
	for _, c := range []struct{ old, with, reason string }{
		{`"certainty":"certain"`, `"certainty":"probable"`, `certainty is "certain", not "probable"`},
		{`"rule_line":`, `"rule_line":1`, `rule_line is "`},
		{
			`"url":"http://wild.example/paper.pdf","origin"`, `"url":"http://tame.example/","origin"`,
			`url is "http://wild.example/paper.pdf", not "http://tame.example/"`,
		},
		{`"profile":"rfc9309"`, `"profile":"rfc9309","crawler":"OtherBot"`, `agent is "OtherBot"`},
		{
			`[{"number":5,"role":"fetch"}`, `[{"number":3,"role":"fetch"}`,
			"the bundle shows the verdict allowed (robots_txt_itself)",
		},
		{`[{"number":5,"role":"fetch"}`, `[{"number":4,"role":"fetch"}`, "the bundle does not show it"},
		{`"table":"violations"`, `"table":"unproven"`, "it is one of the table violations, not \"unproven\""},
		{
			`,{"number":3,"role":"governing"}`, ``,
			"it rests on the records [{5 fetch} {3 governing}], and the manifest cites [{5 fetch}]",
		},
		{`{"number":3,"role":"governing"}`, `{"number":3,"role":"copy"}`, "cites [{5 fetch} {3 copy}]"},
		{`{"number":3,"role":"governing"}`, `{"number":2,"role":"governing"}`, "cites [{5 fetch} {2 governing}]"},
		{
			`{"number":3,"role":"governing"}`, `{"number":3,"role":"governing"},{"number":1,"role":"copy"}`,
			"cites [{5 fetch} {3 governing} {1 copy}]",
		},
	} {
		if err := os.WriteFile(path, edited(t, members, c.old, c.with), 0o666); err != nil {
			t.Fatal(err)
		}
		v, err := Verify(t.Context(), path, nil)
		if err != nil {
			t.Errorf("%s: %v", c.with, err)
			continue
		}
		if v.Proven != 0 || len(v.Unproven) != 1 || !strings.Contains(v.Unproven[0].Reason, c.reason) {
			t.Errorf("%s: %+v, want %q", c.with, v.Unproven, c.reason)
		}
	}
}

// TestFormerBundle: a bundle of the format's first version verifies, and is what is made now but for the
// version of the program and the facts.
func TestFormerBundle(t *testing.T) {
	v, err := Verify(t.Context(), "testdata/format-1.warc.gz", nil)
	if err != nil || v.Proven != 4 || v.Violations != 4 || v.Uncited != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestWrappers: the header around an ARC record or a line of a log is that of the record.
func TestWrappers(t *testing.T) {
	bundle, err := os.ReadFile("testdata/format-1.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	members := splitMembers(t, bundle)
	path := filepath.Join(t.TempDir(), "bundle.warc.gz")
	for _, c := range []struct {
		record   int
		old, new string
	}{
		{15, "WARC-Target-URI: http://arc.example/robots.txt", "WARC-Target-URI: http://arc.example/"},
		{15, "WARC-Date: 2024-05-01T11:00:00Z", "WARC-Date: 2024-05-01T10:00:00Z"},
		{15, "WARC-Type: conversion", "WARC-Type: response"},
		{15, "\r\nContent-Length", "\r\nX: y\r\nContent-Length"},
		{1, "WARC-Date: 2024-05-01T12:00:00Z", "WARC-Date: 2024-05-01T11:00:00Z"},
	} {
		record := string(unzipped(t, members[c.record]))
		if !strings.Contains(record, c.old) {
			t.Fatalf("record %d does not hold %q: %q", c.record, c.old, record)
		}
		changed := slices.Clone(members)
		changed[c.record] = gzipped(strings.Replace(record, c.old, c.new, 1))
		if err := os.WriteFile(path, bytes.Join(changed, nil), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(t.Context(), path, nil); err == nil ||
			!strings.Contains(err.Error(), "the header around it is not of it") {
			t.Errorf("%q: %v", c.new, err)
		}
	}
}

// TestFields: what no record proves is said to be claimed.
func TestFields(t *testing.T) {
	proven, claimed := Fields()
	for _, c := range []struct{ got, want string }{
		{
			strings.Join(proven, "\n"),
			"format\narchives[]: form\nrecords[]: number, type, record_id, url, date, size, sha256, wrapped, " +
				"request, second_request, metadata, warcinfo, continues\n" +
				"violations[]: table, finding, records",
		},
		{
			strings.Join(claimed, "\n"),
			"version\nsettings: profile, agents, purposes, crawler, crawler_map, public_suffix_list, facts_fingerprint\n" +
				"archives[]: name, entry, container, size, fingerprint, forgeable, unordered, voices\nrecords[]: archive, " +
				"index, offset, length, resynced, clock\nviolations[]: row",
		},
	} {
		if c.got != c.want {
			t.Errorf("%s\nwant\n%s", c.got, c.want)
		}
	}
}

// TestBombs: what swells in a bundle takes no room on the disk. Only what must be written uncompressed
// does, and has a bound.
func TestBombs(t *testing.T) {
	bundle, err := os.ReadFile("testdata/format-1.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	members := splitMembers(t, bundle)
	manifest := manifestOf(t, members)
	const size, date = 32 << 20, "2024-05-01T12:00:00Z"
	repeated := func(line string) string {
		return strings.Replace(manifest, line, strings.Repeat(line, size/len(line)), 1)
	}
	lines := strings.SplitAfter(manifest, "\n")
	last := lines[len(lines)-3]
	line := strings.Repeat("x", size)
	long := strings.NewReplacer(`"length":116`, fmt.Sprintf(`"length":%d`, size), `"size":116`,
		fmt.Sprintf(`"size":%d`,
			size), "f016d5bf850fb5c2f15d2468e3e5c3983ab835b390b328aa9bcdd308f6adab43",
		fmt.Sprintf("%x", sha256.Sum256([]byte(line)))).Replace(manifest)
	wrapped := record{Type: "log", Archive: 0}
	for _, c := range []struct {
		name   string
		bundle []byte
		reason string
	}{
		{"archives", forged(date, repeated(lines[2]), members[1:]), "it lists too many archives"},
		{"records", forged(date, repeated(lines[8]), members[1:]), "record 1 is out of order"},
		{"findings", forged(date,
			strings.Replace(manifest, last, strings.Repeat(strings.TrimSuffix(last, "\n")+",\n", size/len(last))+last,
				1), members[1:]), "stands after row"},
		{"a log", forged(date, long,
			append([][]byte{gzipped(string(wrapped.wrapper(date, size)) + line + "\r\n\r\n")}, members[2:]...)), ""},
	} {
		path, tmp := filepath.Join(t.TempDir(), "bundle.warc.gz"), t.TempDir()
		if err := os.WriteFile(path, c.bundle, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := verify(t.Context(), path, tmp, nil)
		if c.reason == "" && err != nil || c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("%s: %v", c.name, err)
		}
		written := int64(0)
		err = filepath.Walk(tmp, func(_ string, info os.FileInfo, err error) error {
			written += info.Size()
			return err
		})
		if err != nil || written > 1<<20 {
			t.Errorf("%s: a bundle of %d bytes writes %d: %v", c.name, len(c.bundle), written, err)
		}
	}
	u, err := newUnpacker(t.TempDir(), []archive{{Form: formWARC, Forgeable: true}}, date)
	if err != nil {
		t.Fatal(err)
	}
	defer u.close()
	u.plain = 10
	if err := u.begin(); err == nil || !strings.Contains(err.Error(), "bundle fewer findings at a time") {
		t.Error(err)
	}
}

// edited is a bundle with a change in its manifest.
func edited(t *testing.T, members [][]byte, old, with string) []byte {
	t.Helper()
	header, manifest, _ := strings.Cut(string(unzipped(t, members[0])), "\r\n\r\n")
	if !strings.Contains(manifest, old) {
		t.Fatalf("the manifest does not hold %s", old)
	}
	h, _ := warc.ReadHeader([]byte(header+"\r\n\r\n"), false)
	return forged(h.Date, strings.TrimSuffix(strings.Replace(manifest, old, with, 1), "\r\n\r\n"), members[1:])
}

// relabelled is a bundle with a change in the header of its manifest's record.
func relabelled(t *testing.T, members [][]byte, old, with string) []byte {
	t.Helper()
	record := string(unzipped(t, members[0]))
	return bytes.Join(append([][]byte{gzipped(strings.Replace(record, old, with, 1))}, members[1:]...), nil)
}

func manifestOf(t *testing.T, members [][]byte) string {
	t.Helper()
	_, manifest, _ := strings.Cut(strings.TrimSuffix(string(unzipped(t, members[0])), "\r\n\r\n"), "\r\n\r\n")
	return manifest
}

// forged is a bundle with another manifest, in a record that is right.
func forged(date, manifest string, records [][]byte) []byte {
	sum := sha256.Sum256([]byte(manifest))
	header := manifestHeader(date, sum[:], int64(len(manifest)))
	return bytes.Join(append([][]byte{gzipped(string(header) + manifest + "\r\n\r\n")}, records...), nil)
}

// bundled returns the records of a bundle.
func bundled(t *testing.T, path string) (records []string) {
	t.Helper()
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range splitMembers(t, bundle)[1:] {
		records = append(records, string(unzipped(t, m)))
	}
	return records
}

// splitMembers cuts a file into its gzip members.
func splitMembers(t *testing.T, file []byte) (members [][]byte) {
	t.Helper()
	for len(file) > 0 {
		src := bytes.NewReader(file)
		r, err := gzip.NewReader(src)
		if err != nil {
			t.Fatal(err)
		}
		r.Multistream(false)
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatal(err)
		}
		n := len(file) - src.Len()
		members, file = append(members, file[:n]), file[n:]
	}
	return members
}

func unzipped(t *testing.T, member []byte) []byte {
	t.Helper()
	content := contentOf(member)
	if content == nil {
		t.Fatal("a member cannot be read")
	}
	return content
}

// recordsOf cuts an uncompressed archive into its records.
func recordsOf(t *testing.T, archive []byte) (records []string) {
	t.Helper()
	begins := regexp.MustCompile(`(?m)^WARC/1\.[01]\r\n`).FindAllIndex(archive, -1)
	for i, at := range begins {
		end := len(archive)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		records = append(records, string(archive[at[0]:end]))
	}
	if len(records) < 30 {
		t.Fatalf("%d records", len(records))
	}
	return records
}

// inThrees joins records, three at a time.
func inThrees(records []string) (members []string) {
	for three := range slices.Chunk(records, 3) {
		members = append(members, strings.Join(three, ""))
	}
	return members
}

// inHalves cuts each record in two.
func inHalves(records []string) (members []string) {
	for _, r := range records {
		members = append(members, r[:100], r[100:])
	}
	return members
}

// gzipped makes a gzip member of each text.
func gzipped(members ...string) []byte {
	var b bytes.Buffer
	for _, m := range members {
		w := gzip.NewWriter(&b)
		io.WriteString(w, m) // to memory: no error
		w.Close()
	}
	return b.Bytes()
}

// zstandard makes a frame of each text.
func zstandard(t *testing.T, frames ...string) (b []byte) {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames {
		b = w.EncodeAll([]byte(f), b)
	}
	return b
}

// zipped makes a zip file of one entry.
func zipped(t *testing.T, method uint16, name string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(content) // to memory: no error
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestUnreadableArchive: an archive that cannot be read is not said to be missing.
func TestUnreadableArchive(t *testing.T) {
	const name = "crawl-b-1.warc.gz"
	content, err := os.ReadFile(filepath.Join(testdata, name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	out := audittest.Audit(t, rfc9309, path)
	if err := errors.Join(os.Remove(path), os.Symlink(path, path)); err != nil {
		t.Skip("skipped: no symbolic links here")
	}
	b, err := Write(t.Context(), Options{Dir: out, To: filepath.Join(t.TempDir(), "bundle.warc.gz")})
	if err != nil {
		t.Fatal(err)
	}
	if want := path + " cannot be read ("; len(b.Missing) != 1 || !strings.HasPrefix(b.Missing[0].Reason, want) {
		t.Errorf("%+v, want %s", b.Missing, want)
	}
}

// TestChangedArchive: what rests on an archive whose content has changed since the audit is left
// out, and the archive is named; what other archives prove is written.
func TestChangedArchive(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"crawl-b-1.warc.gz", "crawl-c-1.warc.gz"} {
		content, err := os.ReadFile(filepath.Join(testdata, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := audittest.Audit(t, rfc9309, dir)
	_, whole := write(t, out)
	changed := filepath.Join(dir, "crawl-b-1.warc.gz")
	content, err := os.ReadFile(changed)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(changed, content, 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := Write(t.Context(), Options{Dir: out, To: filepath.Join(t.TempDir(), "bundle.warc.gz")})
	if err != nil {
		t.Fatal(err)
	}
	const reason = "its content is not what it was when it was audited"
	if len(b.Missing) != 1 || b.Missing[0].Name != "crawl-b-1.warc.gz" || b.Missing[0].Reason != reason ||
		b.Missing[0].Affected != b.Lacking {
		t.Errorf("%+v, %d left out", b.Missing, b.Lacking)
	}
	if b.Proven != b.Violations || b.Proven == 0 || b.Lacking == 0 || b.Proven+b.Lacking != whole.Proven {
		t.Errorf("%d of %d proven, %d left out, of %d before", b.Proven, b.Violations, b.Lacking, whole.Proven)
	}
}
