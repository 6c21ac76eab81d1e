package reading

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

const readBuffer = 64 << 10 // bytes that are read at once

const robotsBody = "User-agent: *\nDisallow: /private/\n"

// collected is a sink that keeps everything.
type collected struct {
	fetches  []facts.Fetch
	captures []facts.Capture
	bodies   []string
	issues   []facts.Issue
	events   []facts.LogEvent
	others   []facts.Fetch
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
func (c *collected) Other(f *facts.Fetch) error    { c.others = append(c.others, *f); return nil }

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
	return readBy(t, archive, Options{})
}

func readBy(t testing.TB, archive []byte, opt Options) *collected {
	t.Helper()
	c := new(collected)
	in := facts.Input{Path: "/archive", Name: "archive", Size: int64(len(archive))}
	var err error
	if c.result, err = readSource(t.Context(), in, bytes.NewReader(archive), 0, c, opt); err != nil {
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
	if c.result, err = readSource(t.Context(), facts.Input{Path: facts.Stdin, Name: facts.Stdin}, src, 0, c,
		Options{}); err != nil {
		t.Fatalf("error on damage: %v", err)
	}
	return c
}

// sharedArchives returns the paths below ../shared/warc that end in one of the
// endings; the test is skipped where that folder is absent.
func sharedArchives(t testing.TB, endings ...string) []string {
	t.Helper()
	root := filepath.Join("..", "..", "..", "shared", "warc")
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

func inputAt(t testing.TB, path string) facts.Input {
	t.Helper()
	in, err := facts.FindInput(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	in.Name = filepath.Base(path)
	return in
}
