package records

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// TestCheckForms: of every form of WARC that github.com/slyrz/warc can be given it
// is asked, and sees the records that we see; of the others it is not.
func TestCheckForms(t *testing.T) {
	entries := warctest.Crawl(robotsBody)
	dir := t.TempDir()
	asked := map[string]bool{
		"a.wacz": false, "b.arc": false, "c.txt": false, "d.warc": true, "e.warc.gz": true, "f.warc.gz": true,
		"g.warc.zst": true,
		"h.warc.zst": true, "i.warc.zst": true,
	}
	for name, archive := range map[string][]byte{
		"a.wacz": warctest.Zip(t, warctest.StoredEntry("archive/a.warc.gz", warctest.GzipMembers(entries...)),
			warctest.DeflatedEntry("archive/b.warc", []byte("no archive"))),
		"b.arc": []byte(warctest.ARCInfo("") + warctest.ARCRecord("http://h/", "20240501120000", ok200)),
		"c.txt": []byte("no archive"), "d.warc": warctest.Plain(entries...),
		"e.warc.gz": warctest.GzipMembers(entries...), "f.warc.gz": warctest.Gzip(string(warctest.Plain(entries...))),
		"g.warc.zst": warctest.ZstdFrames(t, entries),
		"h.warc.zst": warctest.ZstdFrame(t, string(warctest.Plain(entries...))),
		"i.warc.zst": append(warctest.Skippable(0xd, warctest.Dictionary(t)), warctest.ZstdFrames(t, entries)...),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), archive, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var paths []string
	for name := range asked {
		paths = append(paths, filepath.Join(dir, name))
	}
	var inputs []facts.Input
	for _, path := range slices.Sorted(slices.Values(paths)) {
		inputs = append(inputs, inputAt(t, path))
	}
	var told, names []string
	err := Check(context.Background(), inputs, CheckOptions{Workers: 3, VerifyDigests: true}, func(c *Checked) error {
		names = append(names, c.Name)
		o := c.SecondOpinion
		if o.Asked != asked[c.Name] || o.Stopped != "" || o.Asked && o.Records != int64(len(entries)) {
			t.Errorf("%s: %+v", c.Name, o)
		}
		for issue, err := range c.Issues {
			if err != nil {
				return err
			}
			told = append(told, fmt.Sprintf("%s %q %s", c.Name, issue.Entry, issue.Kind))
		}
		return nil
	})
	if err != nil || len(names) != len(asked) || !slices.IsSorted(names) {
		t.Errorf("%v, %v", err, names)
	}
	equal(t, "issues", told, []string{`a.wacz "archive/b.warc" not_an_archive`, `c.txt "" not_an_archive`})
}

// TestCheckBomb: a header without end, a body without end: neither reader holds it.
func TestCheckBomb(t *testing.T) {
	if !longtest.Run() {
		t.Skip("long, and of one archive")
	}
	path := filepath.Join(t.TempDir(), "a.warc")
	if err := os.WriteFile(path,
		warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
			"HTTP/1.1 200\r\nContent-Encoding: gzip, gzip\r\n\r\n"+warctest.NestedZeros(),
			"WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")), 0o666); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	peak := warctest.PeakHeap(func() {
		err := Check(context.Background(), []facts.Input{inputAt(t, path)}, CheckOptions{Workers: 1},
			func(c *Checked) error {
				for issue := range c.Issues {
					kinds = append(kinds, issue.Kind.String())
				}
				return nil
			})
		if err != nil {
			t.Error(err)
		}
	})
	equal(t, "issues", kinds, []string{"body_cut", "digest_mismatch", "undeclared_binary"})
	if peak > 64<<20 {
		t.Errorf("%d MiB of heap", peak>>20)
	}
}

const (
	robotsBody = "User-agent: *\nDisallow: /private/\n"
	ok200      = "HTTP/1.1 200 OK\r\n\r\nbody"
)

func inputAt(t testing.TB, path string) facts.Input {
	t.Helper()
	in, err := facts.FindInput(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	in.Name = filepath.Base(path)
	return in
}

func equal[T any](t *testing.T, what string, got, want T, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
