package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// TestCheckForms: of every form of WARC that github.com/slyrz/warc can be given it
// is asked, and sees the records that we see; of the others it is not.
func TestCheckForms(t *testing.T) {
	entries := crawl()
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
		"i.warc.zst": append(skippable(0xd, dictionary(t)), warctest.ZstdFrames(t, entries)...),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), archive, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var paths []string
	for name := range asked {
		paths = append(paths, filepath.Join(dir, name))
	}
	inputs, failures := Expand(paths)
	if len(failures) > 0 {
		t.Fatal(failures)
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
	if testing.Short() {
		t.Skip("long, and of one archive")
	}
	path := filepath.Join(t.TempDir(), "a.warc")
	if err := os.WriteFile(path,
		warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
			"HTTP/1.1 200\r\nContent-Encoding: gzip, gzip\r\n\r\n"+nestedZeros(),
			"WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")), 0o666); err != nil {
		t.Fatal(err)
	}
	inputs, _ := Expand([]string{path})
	var kinds []string
	peak := peakHeap(func() {
		err := Check(context.Background(), inputs, CheckOptions{Workers: 1}, func(c *Checked) error {
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
