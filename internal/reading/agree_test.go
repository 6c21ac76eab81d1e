package reading

import (
	"bytes"
	"compress/bzip2"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/gzip"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// apartFromPlace compares facts without what depends on the container.
var apartFromPlace = cmpopts.IgnoreFields(facts.Fetch{}, "Offset", "Length", "Flags")

// forms returns the same records in every container that can be made here.
func forms(t *testing.T, records [][]byte) map[string]func() *collected {
	all := bytes.Join(records, nil)
	var each, two bytes.Buffer
	for i, r := range records {
		each.Write(warctest.Gzip(string(r)))
		if i%2 == 0 {
			two.Write(warctest.Gzip(string(bytes.Join(records[i:min(i+2, len(records))], nil))))
		}
	}
	padded := append(bytes.Clone(each.Bytes()), make([]byte, 512)...)
	empty := slices.Concat(warctest.Gzip(""), each.Bytes(), warctest.Gzip("\r\n"))
	withLF := bytes.Join(records, []byte("\n\n"))
	return map[string]func() *collected{
		"members":               func() *collected { return read(t, each.Bytes()) },
		"members, padded":       func() *collected { return read(t, padded) },
		"members, some empty":   func() *collected { return read(t, empty) },
		"two records a member":  func() *collected { return read(t, two.Bytes()) },
		"plain":                 func() *collected { return read(t, all) },
		"plain, more line ends": func() *collected { return read(t, withLF) },
		"gzip stream":           func() *collected { return read(t, warctest.Gzip(string(all))) },
		"pipe of members":       func() *collected { return readPipe(t, each.Bytes()) },
		"pipe of plain":         func() *collected { return readPipe(t, all) },
		"pipe of a gzip stream": func() *collected { return readPipe(t, warctest.Gzip(string(all))) },
	}
}

// split cuts plain records apart.
func split(t *testing.T, archive []byte) (records [][]byte) {
	t.Helper()
	r := mustRead(archive)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return records
		}
		if err != nil {
			t.Fatal(err)
		}
		n, err := r.Finish()
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, archive[rec.Offset:rec.Offset+n])
	}
}

// The same records give the same facts whatever they are wrapped in.
func TestContainersAgree(t *testing.T) {
	archives := map[string][]byte{
		"made here": warctest.Plain(
			warctest.Warcinfo("urn:i", "software: x\r\nhttp-header-user-agent: info/1\r\n"),
			warctest.Request("urn:q", "http://h/robots.txt", "bot/1"),
			warctest.Response("urn:1", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody,
				"WARC-Concurrent-To: <urn:q>", "WARC-Concurrent-To: <urn:x>"),
			warctest.Response("urn:2", "http://h/",
				"HTTP/1.1 301 Moved\r\nLocation: /x\r\nX-Robots-Tag: noindex\r\n\r\n"),
			warctest.Record{Type: "metadata", ID: "urn:m"},
			warctest.Record{
				Type: "revisit", ID: "urn:3", URL: "http://h/2",
				Block: "HTTP/1.1 304 Not Modified\r\n\r\n",
			},
		),
	}
	for _, path := range []string{
		"../../testdata/warc/crawl-b-2.warc", "../../../shared/warc/hard/warcio/example.warc",
		"../../../shared/warc/hard/jhove/invalid-warcrecord-2.warc",
		"../../../shared/warc/hard/warcio-js/redirect.warc",
	} {
		if b, err := os.ReadFile(filepath.FromSlash(path)); err == nil {
			archives[path] = b
		} else {
			t.Logf("%s is absent", path)
		}
	}
	for _, path := range []string{
		"../../testdata/warc/crawl-c-3.warc.gz", "../../../shared/warc/real/warcbench-fb.warc.gz",
		"../../../shared/warc/real/iipc-IAH-urls-wget.warc.gz",
	} {
		if b, err := os.ReadFile(filepath.FromSlash(path)); err == nil {
			archives[path] = gunzip(t, b)
		} else {
			t.Logf("%s is absent", path)
		}
	}
	for name, archive := range archives {
		records := split(t, archive)
		want := read(t, archive)
		if len(want.fetches) == 0 || want.result.Lossy > 0 {
			t.Fatalf("%s: %d fetches, issues %v", name, len(want.fetches), want.kinds())
		}
		for form, read := range forms(t, records) {
			t.Run(name+" as "+form, func(t *testing.T) {
				got := read()
				equal(t, "fetches", got.fetches, want.fetches, apartFromPlace)
				equal(t, "captures", got.captures, want.captures, apartFromPlace)
				equal(t, "bodies", got.bodies, want.bodies)
				equal(t, "issues", got.kinds(), want.kinds())
				equal(t, "counts", got.result.InputStats, want.result.InputStats)
				for i, f := range got.fetches {
					if streamed := got.result.Container != "warc" &&
						got.result.Container != "warc.gz"; f.Flags&^facts.FlagStreamed != want.fetches[i].Flags ||
						streamed != (f.Flags&facts.FlagStreamed != 0) {
						t.Errorf("flags %b of %s in %s", f.Flags, f.URL, got.result.Container)
					}
				}
			})
		}
	}
}

// The same file as it came in three forms.
func TestBzip2Agrees(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "warc", "hard", "slyrz")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("skipped: ../shared/warc is absent")
	}
	want := readFile(t, filepath.Join(dir, "test.warc"))
	b, err := os.ReadFile(filepath.Join(dir, "test.warc.bz2"))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(b)))
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]*collected{
		"bzip2": read(t, b), "pipe of bzip2": readPipe(t, b), "what is inside": read(t, plain),
		"gzip": readFile(t, filepath.Join(dir, "test.warc.gz")),
	} {
		if got.result.Records["resource"] != 10 {
			t.Errorf("%s: %v", name, got.result.Records)
		}
		equal(t, name, got.issues, want.issues, cmpopts.IgnoreFields(facts.Issue{}, "Offset", "Length"))
	}
}

func gunzip(t *testing.T, b []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}
