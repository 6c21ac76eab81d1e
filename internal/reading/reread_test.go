package reading

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// A failure of the disk is the input's failure, at whatever place it comes, and
// never taken for the end of the archive.
func TestReadErrors(t *testing.T) {
	broken := errors.New("input/output error")
	archives := map[string][]byte{
		"members": warctest.GzipMembers(warctest.Response("urn:1", "http://h/robots.txt", ok200),
			warctest.Response("urn:2", "http://h/2", ok200)),
		"plain": warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt", ok200),
			warctest.Response("urn:2", "http://h/2", ok200)),
		"stream": warctest.Gzip(string(warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt", ok200),
			warctest.Response("urn:2", "http://h/2", ok200)))),
	}
	for name, archive := range archives {
		for n := 0; n <= len(archive); n++ {
			for _, path := range []string{"/archive", facts.Stdin} {
				src := io.MultiReader(strings.NewReader(string(archive[:n])), &once{broken})
				_, err := readSource(t.Context(), facts.Input{Path: path, Size: int64(len(archive))}, struct {
					io.Reader
					io.ReaderAt
				}{src, strings.NewReader(string(archive))}, 0, new(collected), Options{})
				if !input.IsReadError(err) || !errors.Is(err, broken) {
					t.Fatalf("%s %s, failing after %d bytes: %v", name, path, n, err)
				}
			}
		}
	}
}

// once is a reader that fails once, and then claims to be at its end.
type once struct{ err error }

func (o *once) Read([]byte) (n int, err error) {
	err = cmp.Or(o.err, io.EOF)
	o.err = nil
	return 0, err
}

// Reread finds a body by file and offset, in streams too, if the record there is the
// one meant.
func TestReread(t *testing.T) {
	body := func(s string) string { return "HTTP/1.1 200 OK\r\nContent-Range: bytes 0-1/2\r\n\r\n" + s }
	one, two := warctest.Response("urn:1", "http://h/1", body("one")), warctest.Response("urn:2", "http://h/2",
		body("two"))
	both := string(warctest.Plain(one, two))
	files := map[string]string{
		"a.warc.gz": string(warctest.GzipMembers(one, two)),
		"b.warc":    both,
		// two records in one member
		"c.warc.gz":  string(warctest.Gzip(warctest.Warcinfo("urn:i", "").String())) + string(warctest.Gzip(both)),
		"d.warc.gz":  string(warctest.Gzip(both)),
		"e.warc.zst": string(warctest.ZstdFrame(t, both)),
		"f.arc.gz": string(warctest.Gzip(warctest.ARCInfo("") +
			warctest.ARCRecord("http://h/1", "20240501120000", body("one")) +
			warctest.ARCRecord("http://h/1", "20240501120001", body("two")))),
		"g.wacz": string(warctest.Zip(t, warctest.DeflatedEntry("archive/a.warc.gz", warctest.Gzip(both)))),
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.warc.gz", "b.warc", "c.warc.gz", "d.warc.gz", "e.warc.zst", "f.arc.gz", "g.wacz"} {
		if err := os.WriteFile(name, []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
		in := inputAt(t, name)
		c := new(collected)
		if _, err := Read(t.Context(), in, 0, c, nil, Options{}); err != nil {
			t.Fatal(err)
		}
		if streamed := c.fetches[0].Flags&facts.FlagStreamed != 0; streamed != (name[0] > 'c') {
			t.Errorf("%s: streamed: %t", name, streamed)
		}
		for i, want := range []string{"one", "two"} {
			x := &facts.Capture{Fetch: c.fetches[i]}
			got, err := Reread(in, x)
			if string(got) != want || err != nil || x.ContentRange != "bytes 0-1/2" || x.Flags&facts.FlagBodyKept == 0 {
				t.Errorf("%s: %q, %v, %+v", name, got, err, x)
			}
			if cost := x.RereadCost(); cost < x.Length || name[0] > 'c' && cost != x.Offset+x.Length {
				t.Errorf("%s: a cost of %d at %d+%d", name, cost, x.Offset, x.Length)
			}
			later := x.Fetch
			later.Micros += 7e6
			if got, err := Reread(in, &facts.Capture{Fetch: later}); err == nil {
				t.Errorf("%s: found %q, of another time", name, got)
			}
		}
		wrong := &facts.Capture{Fetch: c.fetches[1]}
		wrong.Offset = c.fetches[0].Offset + 3
		if got, err := Reread(in, wrong); err == nil {
			t.Errorf("%s: found %q between records", name, got)
		}
		if err := os.Chtimes(name, time.Time{}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		if _, err := Reread(in, &facts.Capture{Fetch: c.fetches[0]}); err == nil ||
			!strings.Contains(err.Error(), "changed") {
			t.Errorf("%s: a changed file: %v", name, err)
		}
	}
}
