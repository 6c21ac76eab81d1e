package main

import (
	"bytes"
	"encoding/base32"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// requests counts the requests to a server, by the last part of its objects' names, and by kind: "list";
// "head" and "first", the first byte, for the attributes of an object alone; "get".
type requests struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]map[string]int
}

// countRequests serves what a handler serves, and counts.
func countRequests(t *testing.T, handler http.Handler) *requests {
	t.Helper()
	q := new(requests)
	q.forget()
	q.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, kind := objectOf(r), strings.ToLower(r.Method)
		switch {
		case r.URL.Query().Has("list-type"):
			name, kind = "", "list"
		case r.Header.Get("Range") == "bytes=0-0":
			kind = "first"
		}
		q.mu.Lock()
		if q.asked[name] == nil {
			q.asked[name] = make(map[string]int)
		}
		q.asked[name][kind]++
		q.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(q.Close)
	return q
}

func objectOf(r *http.Request) string { return r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:] }

// forget returns what was asked so far, a line for each object, and counts anew.
func (q *requests) forget() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(q.asked)) {
		fmt.Fprintf(&text, "%s %v\n", name, q.asked[name])
	}
	q.asked = make(map[string]map[string]int)
	return text.String()
}

func (q *requests) total() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, kinds := range q.asked {
		for _, times := range kinds {
			n += times
		}
	}
	return n
}

// TestRequests counts what reading an object takes. docs/bench/2026-11-29-stages has these figures; -v shows them.
func TestRequests(t *testing.T) {
	held := newStore(t)
	store := countRequests(t, gofakes3.New(held).Server())
	t.Setenv("AWS_ENDPOINT_URL", store.URL)
	random := rand.NewChaCha8([32]byte{})
	noise := func(size int) []byte {
		b := make([]byte, size)
		random.Read(b)
		return b
	}
	page := func(n int) warctest.Record {
		return warctest.Response(fmt.Sprintf("urn:uuid:00000000-0000-4000-8000-%012d", n),
			fmt.Sprintf("http://h/%d", n), "HTTP/1.1 200 OK\r\n\r\n"+string(noise(3<<20)))
	}
	archive := warctest.GzipMembers(page(1), page(2))
	entry := func(name string) warctest.ZipEntry { return warctest.StoredEntry("archive/"+name+".warc.gz", archive) }
	const line = `h)/ 20240501120000 {"url": "http://h/p%d", "status": "200", "length": "%d", "offset": "%d", "filename": "elsewhere/pages.warc.gz"}` + "\n"
	var text, suspected bytes.Buffer
	for n := range 20_000 {
		fmt.Fprintf(&text, line, n, n, n)
	}
	pages, places := archiveOfPages()
	for n, at := range places {
		fmt.Fprintf(&suspected, line, n, at[1], at[0])
	}
	files := map[string][]byte{
		"archives/a.warc.gz": archive,
		"indexes/a.cdxj":     text.Bytes(), "indexes/part-0.gz.parquet": tableOfNoise(t, noise),
		"one/a.wacz": warctest.Zip(t, entry("a")), "two/a.wacz": warctest.Zip(t, entry("a"), entry("b")),
		"suspected/a.cdxj": suspected.Bytes(), "suspected/robots.warc.gz": robotsOfPages("T11:00:00Z"),
		"elsewhere/pages.warc.gz": pages,
	}
	for name, content := range files {
		if _, err := held.PutObject("bucket", name, nil, bytes.NewReader(content), int64(len(content)),
			nil); err != nil {
			t.Fatal(err)
		}
	}
	web := countRequests(t, &fileServer{files: files, asked: make(map[string]int), ranges: true})
	facts := filepath.Join(t.TempDir(), "facts")
	ask := func(code int, args ...string) (asked, said string) {
		if args[0] == "audit" {
			args = append(args, "-o", filepath.Join(t.TempDir(), "out"))
		}
		_, said = command(t, code, append(args, "--log-format", "json")...)
		if n := store.total() + web.total(); args[0] == "audit" &&
			!strings.Contains(said, fmt.Sprintf(`"requests":%d}`, n)) {
			t.Errorf("%q: %d requests\n%s", args, n, said)
		}
		return store.forget() + web.forget(), said
	}
	for _, test := range []struct{ name, args, want string }{
		{"below a prefix", "audit s3://bucket/archives/", " map[list:1]\na.warc.gz map[get:1]\n"},
		{"named", "audit s3://bucket/archives/a.warc.gz", "a.warc.gz map[get:1 head:1]\n"},
		{"of a web server", "audit " + web.URL + "/archives/a.warc.gz", "a.warc.gz map[first:2 get:1]\n"},
		{"planned", "plan s3://bucket/archives/a.warc.gz --shards 1 --facts " + facts, "a.warc.gz map[head:1]\n"},
		{"of a shard", "ingest --shard 0/1 --facts " + facts, "a.warc.gz map[get:1]\n"},
		{
			"planned, of a web server", "plan " + web.URL + "/archives/a.warc.gz --shards 1 --facts " + facts + "2",
			"a.warc.gz map[first:1]\n",
		},
		{"of a shard, of a web server", "ingest --shard 0/1 --facts " + facts + "2", "a.warc.gz map[first:1 get:1]\n"},
		{"index as text", "audit s3://bucket/indexes/a.cdxj", "a.cdxj map[get:6 head:1]\n"},
		// with the sizes of parquet-go
		{"index in Parquet", "audit s3://bucket/indexes/part-0.gz.parquet", "part-0.gz.parquet map[get:15 head:1]\n"},
		{"WACZ with an archive", "audit s3://bucket/one/a.wacz", "a.wacz map[get:8 head:1]\n"},
		{"WACZ with two", "audit s3://bucket/two/a.wacz", "a.wacz map[get:10 head:1]\n"},
		{
			"20 records verified", "audit s3://bucket/suspected/ --verify --base s3://bucket",
			" map[list:1]\na.cdxj map[get:2]\npages.warc.gz map[get:21 head:1]\nrobots.warc.gz map[get:1]\n",
		},
	} {
		got, _ := ask(0, strings.Fields(test.args)...)
		if t.Logf("%s:\n%s", test.name, got); got != test.want {
			t.Errorf("%s, want:\n%s", test.name, test.want)
		}
	}

	// An object that has changed since it was planned shows when it is read.
	const key = "archives/a.warc.gz"
	facts = filepath.Join(t.TempDir(), "facts")
	ask(0, "plan", "s3://bucket/"+key, "--shards", "1", "--facts", facts)
	if _, err := held.PutObject("bucket", key, nil, bytes.NewReader(pages), int64(len(pages)), nil); err != nil {
		t.Fatal(err)
	}
	if got, said := ask(1, "ingest", "--shard", "0/1", "--facts", facts); got != "a.warc.gz map[get:1 head:1]\n" ||
		!strings.Contains(said, "has changed since it was planned") {
		t.Errorf("%s\n%s", got, said)
	}
}

// tableOfNoise is an index like Common Crawl's, in two row groups.
func tableOfNoise(t *testing.T, noise func(int) []byte) []byte {
	type row struct {
		URL      string    `parquet:"url"`
		Time     time.Time `parquet:"fetch_time,timestamp(millisecond)"`
		Status   int16     `parquet:"fetch_status"`
		Digest   string    `parquet:"content_digest"`
		Other    string    `parquet:"url_path"`
		Filename string    `parquet:"warc_filename,dict"`
		Offset   int32     `parquet:"warc_record_offset"`
		Length   int32     `parquet:"warc_record_length"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.Compression(&parquet.Gzip))
	for group := range 2 {
		rows := make([]row, 60_000)
		for n := range rows {
			x := noise(32)
			rows[n] = row{
				fmt.Sprintf("http://h/%d/%x", group, x[:8]), time.UnixMilli(1714564800000 + int64(x[9])<<8),
				200, base32.StdEncoding.EncodeToString(x[10:30]), fmt.Sprintf("/%x",
					x), "a.warc.gz", int32(n) << 8, int32(x[31]) << 8,
			}
		}
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
