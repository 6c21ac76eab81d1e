package reading

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// readOn reads an archive with idle cores, in parts of an odd size.
func readOn(t testing.TB, archive []byte, workers int, partSize int64) *collected {
	t.Helper()
	c := new(collected)
	in := facts.Input{Path: "/archive", Name: "archive", Size: int64(len(archive))}
	told := 0
	opt := Options{Cores: warc.NewCores(workers), PartSize: partSize, Progress: func(n int) { told += n }}
	opt.Cores.Acquire() // as a task does
	var err error
	if c.result, err = readSource(t.Context(), in, bytes.NewReader(archive), 0, c, opt); err != nil {
		t.Fatalf("error on damage: %v", err)
	}
	if told > 2*len(archive)+readBuffer {
		t.Errorf("progress was told of %d bytes of %d", told, len(archive))
	}
	return c
}

// sameOn compares what cores make of an archive with what one makes.
func sameOn(t *testing.T, name string, archive []byte, partSizes ...int64) {
	t.Helper()
	want := read(t, archive)
	for _, size := range partSizes {
		for _, workers := range []int{1, 2, 5} {
			if diff := cmp.Diff(want, readOn(t, archive, workers, size), cmp.AllowUnexported(collected{})); diff != "" {
				t.Fatalf("%s, %d workers, parts of %d (-one core +several):\n%.2000s", name, workers, size, diff)
			}
		}
	}
}

// TestReadAhead reads archives of all kinds with idle cores, damaged ones too.
func TestReadAhead(t *testing.T) {
	small := smallRecords(60, silentFetch)
	page := func(n int) warctest.Record {
		return warctest.Response(fmt.Sprintf("urn:%d", n), fmt.Sprintf("http://h/%d", n),
			"HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("<p>page</p>\n", n))
	}
	robots := warctest.Response("urn:r", "http://h/robots.txt",
		"HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("User-agent: *\nDisallow: /\n", 20_000))
	damaged := bytes.Clone(small)
	for at := 20_000; at < len(damaged); at += 17_000 {
		damaged[at] ^= 0x10
	}
	several := warctest.Gzip(page(1).String() + page(20_000).String() + robots.String())
	for name, archive := range map[string][]byte{
		"small": small,
		"large": warctest.GzipMembers(page(1), page(20_000), robots, page(3), page(40_000), page(5)),
		"padded": bytes.Join([][]byte{
			warctest.GzipMembers(page(1), page(2)), make([]byte, 3000),
			warctest.GzipMembers(page(3), robots), make([]byte, 70),
		}, nil),
		"several a member": bytes.Join([][]byte{
			warctest.GzipMembers(page(1)), several, several,
			warctest.GzipMembers(page(2)),
		}, nil),
		"cut":            small[:len(small)-100],
		"damaged":        damaged,
		"bytes inserted": append(append(bytes.Clone(small[:70_000]), "damage"...), small[70_000:]...),
		"nothing behind": append(bytes.Clone(small), "nothing"...),
		"empty members":  bytes.Join([][]byte{warctest.Gzip(""), small, warctest.Gzip(""), small}, nil),
	} {
		sameOn(t, name, archive, 1, 1000, 4097, 12_000, 30_000)
	}
}

// TestReadAheadOfForgery begins parts at every place that looks like a member. A
// stored block holds whole members that never were members of the archive.
func TestReadAheadOfForgery(t *testing.T) {
	inner := warctest.GzipMembers(
		warctest.Response("urn:forged", "http://victim/robots.txt",
			"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n"),
		warctest.Response("urn:forged2", "http://victim/", ok200))
	var stored bytes.Buffer
	w, _ := gzip.NewWriterLevel(&stored, gzip.NoCompression)
	w.Write([]byte(warctest.Response("urn:page", "http://attacker/",
		"HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat(string(inner), 5)).String()))
	w.Close()
	own := bytes.Join([][]byte{
		warctest.GzipMembers(warctest.Warcinfo("urn:info", "a: b\r\n")), stored.Bytes(),
		warctest.GzipMembers(warctest.Response("urn:last", "http://last/", ok200)),
	}, nil)
	sameOn(t, "own", own, 1)
	for _, url := range readOn(t, own, 4, 1).urls() {
		if strings.Contains(url, "victim") {
			t.Error("forged", url)
		}
	}
	// The reading ahead did come upon them: else nothing has been tested.
	found := 0
	inside := mustRead(own[bytes.Index(own, inner):])
	for {
		if _, err := inside.Next(); err != nil {
			break
		}
		if _, err := inside.Finish(); err != nil {
			break
		}
		found++
	}
	if found < 2 {
		t.Errorf("%d members inside the page", found)
	}
	shared, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "warc", "hard", "other", "forged-boundary.warc.gz"))
	if err != nil {
		t.Skip("no archives in ../../shared/warc")
	}
	sameOn(t, "forged-boundary", shared, 1, 100)
}
