package ingest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// collected is a sink that keeps everything.
type collected struct {
	fetches  []facts.Fetch
	captures []facts.Capture
	bodies   []string
	issues   []facts.Issue
	events   []facts.LogEvent
	result   facts.InputResult
}

func (c *collected) Fetch(f *facts.Fetch) error { c.fetches = append(c.fetches, *f); return nil }
func (c *collected) Capture(x *facts.Capture, body []byte) error {
	c.captures = append(c.captures, *x)
	c.bodies = append(c.bodies, string(body))
	return nil
}
func (c *collected) Issue(i facts.Issue) error     { c.issues = append(c.issues, i); return nil }
func (c *collected) Event(e *facts.LogEvent) error { c.events = append(c.events, *e); return nil }

// kinds returns the kinds of the issues in order.
func (c *collected) kinds() []string {
	var kinds []string
	for _, i := range c.issues {
		kinds = append(kinds, i.Kind.String())
	}
	return kinds
}

// urls returns the URLs of the fetches in order.
func (c *collected) urls() []string {
	var urls []string
	for _, f := range c.fetches {
		urls = append(urls, f.URL)
	}
	return urls
}

// read reads an archive in memory as if it were a file.
func read(t testing.TB, archive []byte) *collected {
	t.Helper()
	c := new(collected)
	in := facts.Input{Path: "/archive", Name: "archive", Size: int64(len(archive))}
	var err error
	if c.result, err = readSource(in, bytes.NewReader(archive), 0, c, nil); err != nil {
		t.Fatalf("error on damage: %v", err)
	}
	return c
}

// readPipe reads an archive from a pipe that yields odd numbers of bytes.
func readPipe(t testing.TB, archive []byte) *collected {
	t.Helper()
	c := new(collected)
	var err error
	src := iotest.HalfReader(bytes.NewReader(archive))
	if c.result, err = readSource(facts.Input{Path: facts.Stdin, Name: facts.Stdin}, src, 0, c, nil); err != nil {
		t.Fatalf("error on damage: %v", err)
	}
	return c
}

// entry is a record to be written.
type entry struct {
	kind, id, url string
	fields        []string // further header lines
	block         string
}

func (e entry) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n", e.kind)
	if e.id != "" {
		fmt.Fprintf(&b, "WARC-Record-ID: <%s>\r\n", e.id)
	}
	if e.url != "" {
		fmt.Fprintf(&b, "WARC-Target-URI: %s\r\n", e.url)
	}
	for _, f := range e.fields {
		fmt.Fprintf(&b, "%s\r\n", f)
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s\r\n\r\n", len(e.block), e.block)
	return b.String()
}

func response(id, url, block string, fields ...string) entry {
	return entry{kind: "response", id: id, url: url, fields: fields, block: block}
}

func requestRecord(id, url, agent string, fields ...string) entry {
	return entry{kind: "request", id: id, url: url, fields: fields,
		block: "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: " + agent + "\r\n\r\n"}
}

func warcinfoRecord(id, block string) entry { return entry{kind: "warcinfo", id: id, block: block} }

// plain writes records one after the other.
func plain(entries ...entry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		b.WriteString(e.String())
	}
	return b.Bytes()
}

// members writes each record as a gzip member.
func members(entries ...entry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		b.Write(gzipped(e.String()))
	}
	return b.Bytes()
}

func gzipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.Bytes()
}

// sharedArchives returns the paths below ../shared/warc that end in one of the
// endings; the test is skipped where that folder is absent.
func sharedArchives(t testing.TB, endings ...string) []string {
	t.Helper()
	root := filepath.Join("..", "..", "shared", "warc")
	if _, err := os.Stat(root); err != nil {
		t.Skip("skipped: ../shared/warc is absent")
	}
	return archivesBelow(t, root, endings...)
}

func archivesBelow(t testing.TB, root string, endings ...string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		for _, ending := range endings {
			if strings.HasSuffix(path, ending) {
				paths = append(paths, path)
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func equal[T any](t *testing.T, what string, got, want T, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
