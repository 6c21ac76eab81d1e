package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/object/objecttest"
	"github.com/robotsaudit/robotsaudit/report/audittest"
)

// fileServer serves archives and counts the requests for their content, by name: requests for
// a first byte alone are not counted.
type fileServer struct {
	files  map[string][]byte
	ranges bool

	mu     sync.Mutex
	asked  map[string]int
	before func(w http.ResponseWriter, r *http.Request) // may be nil
}

func (s *fileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	content, ok := s.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.Header.Get("Range") != "bytes=0-0" {
		s.mu.Lock()
		s.asked[name]++
		s.mu.Unlock()
		if s.before != nil {
			s.before(w, r)
		}
	}
	if !s.ranges {
		r.Header.Del("Range")
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%s-%d"`, name, len(content)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// forget returns the requests so far, and counts anew.
func (s *fileServer) forget() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = make(map[string]int)
	return asked
}

// outputsOf are the files of an output folder but for the report.
func outputsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := audittest.Files(t, dir)
	delete(files, "report.html")
	return files
}

func sameResults(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, content := range want {
		if got[name] != content {
			i := 0
			for i < len(content) && i < len(got[name]) && content[i] == got[name][i] {
				i++
			}
			t.Errorf("%s differs at %d: %q, want %q", name, i, got[name][max(0, i-100):min(i+100, len(got[name]))],
				content[max(0, i-100):min(i+100, len(content))])
		}
	}
	if len(got) != len(want) || len(want) < 5 {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

// command runs the program in this process.
func command(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &out, &errs); int(code) != want {
		t.Fatalf("%q: exit code %d, want %d\n%s%s", args, code, want, &out, &errs)
	}
	return out.String(), errs.String()
}

// TestRemote has every command that reads archives read them from a web server, by URLs with a
// password and a signature: results equal the results of files, nothing shows the secrets, and what
// was read is not read again.
func TestRemote(t *testing.T) {
	dir := t.TempDir()
	server := &fileServer{files: make(map[string][]byte), asked: make(map[string]int), ranges: true}
	var local []string
	entries, err := filepath.Glob("../../testdata/warc/*.warc*")
	if err != nil || len(entries) == 0 {
		t.Fatal(err)
	}
	for _, path := range entries {
		b := readFile(t, path)
		server.files[filepath.Base(path)] = b
		local = append(local, path)
	}
	web := httptest.NewServer(server)
	defer web.Close()
	secret := func(url string) string {
		return strings.Replace(url, "http://", "http://us3r:p4ss@", 1) + "?X-Amz-Signature=s3cr3t"
	}
	var urls, list []string
	for _, path := range local {
		urls = append(urls, secret(web.URL+"/"+filepath.Base(path)))
		list = append(list, filepath.Base(path))
	}
	here, out := filepath.Join(dir, "local"), filepath.Join(dir, "out")
	command(t, 0, append([]string{"audit", "--quiet", "-o", here}, local...)...)
	var shown strings.Builder
	tell := func(want int, args ...string) string {
		stdout, stderr := command(t, want, args...)
		shown.WriteString(stdout + stderr)
		return stdout
	}
	tell(0, append([]string{"audit", "-o", out, "--log-format", "json"}, urls...)...)
	want := outputsOf(t, here)
	sameResults(t, outputsOf(t, out), want)
	server.forget()
	tell(0, append([]string{"audit", "-o", out}, urls...)...)
	if asked := server.forget(); len(asked) > 0 {
		t.Errorf("read again: %v", asked)
	}

	// Lists that lie on the server, with relative lines.
	server.files["list"] = []byte(strings.Join(list, "\n"))
	listed := filepath.Join(dir, "listed")
	tell(0, "audit", "-o", listed, "--base", web.URL, "@"+secret(web.URL+"/list"))
	sameResults(t, outputsOf(t, listed), want)

	// One record, and what verdicts rest on.
	record := tell(0, "explain", here, "1", "--record", "fetch")
	if got := tell(0, "explain", out, "1", "--record", "fetch"); got != record || record == "" {
		t.Errorf("a record: %d bytes, want %d", len(got), len(record))
	}
	tell(0, "explain", out, "1")
	for _, of := range []string{here, out} {
		tell(0, "evidence", of, "--to", of+".warc.gz")
	}
	bundle, _ := os.ReadFile(out + ".warc.gz")
	if expected, _ := os.ReadFile(here + ".warc.gz"); !bytes.Equal(bundle, expected) || len(bundle) == 0 {
		t.Errorf("bundle of %d bytes, want %d", len(bundle), len(expected))
	}

	// Mistakes.
	tell(1, "audit", "-o", filepath.Join(dir, "none"), secret(web.URL+"/none.warc.gz"))
	tell(2, "audit", "-o", out, "--s3-endpoint", "http://us3r:p4ss@localhost", "s3://bucket/")
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		shown.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"us3r", "p4ss", "s3cr3t"} {
		if i := strings.Index(shown.String(), secret); i >= 0 {
			t.Errorf("an output has %q: %q", secret, shown.String()[max(0, i-200):i+20])
		}
	}

	// A server that gives no ranges.
	server.ranges = false
	whole := filepath.Join(dir, "whole")
	tell(0, append([]string{"audit", "-o", whole}, urls...)...)
	got := outputsOf(t, whole)
	for _, of := range []map[string]string{got, want} {
		delete(of, "audit.json") // it records that a plain archive was a pipe: no place in it could be sought
	}
	sameResults(t, got, want)
	if got := tell(0, "explain", whole, "1", "--record", "fetch"); got != record {
		t.Errorf("a record without ranges: %d bytes, want %d", len(got), len(record))
	}
}

// TestRemoteIndexes: indexes and archives of robots.txt give the same results from a folder,
// below a prefix of a store, and by lists that mean them from a folder, a server or a store.
func TestRemoteIndexes(t *testing.T) {
	type row struct {
		URL      string    `parquet:"url"`
		Time     time.Time `parquet:"fetch_time,timestamp(millisecond)"`
		Status   int16     `parquet:"fetch_status"`
		Filename string    `parquet:"warc_filename"`
		Offset   int32     `parquet:"warc_record_offset"`
		Length   int32     `parquet:"warc_record_length"`
	}
	noon := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	var table bytes.Buffer
	w := parquet.NewGenericWriter[row](&table, parquet.Compression(&parquet.Gzip))
	if _, err := w.Write([]row{{
		"http://h/private", noon, 200, "crawl-data/CC-MAIN-2024-51/segments/1/warc/a.warc.gz",
		7, 8,
	}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	robots := warctest.GzipMembers(
		warctest.Request("urn:q", "http://h/robots.txt", "ExampleBot/1.0"),
		warctest.Response("urn:r", "http://h/robots.txt",
			"HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\nUser-agent: *\nDisallow: /\n"),
	)
	files := map[string][]byte{
		"robotstxt/a.warc.gz": robots,
		"table/crawl=CC-MAIN-2024-51/subset=warc/part-00000-1.c000.gz.parquet": table.Bytes(),
		"index/cdx-00000.gz": warctest.Gzip(`h)/b 20240501120000 {"url": "http://h/b", "status": "200", "filename": "b.warc.gz", "offset": "1", "length": "2"}` + "\n"),
		"index/all.cdxj":     []byte(`h)/c 20240501120000 {"url": "http://h/c", "status": "200", "filename": "c.warc.gz", "offset": "1", "length": "2"}` + "\n"),
	}
	dir := t.TempDir()
	store := objecttest.NewStore(t, nil)
	var lines []string
	for name, content := range files {
		path := filepath.Join(dir, "in", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, content)
		store.Put(t, "in/"+name, content)
		lines = append(lines, name)
	}
	list := filepath.Join(dir, "all.paths.gz")
	writeFile(t, list, warctest.Gzip(strings.Join(lines, "\n")))
	web := httptest.NewServer(&fileServer{files: files, asked: make(map[string]int), ranges: true})
	defer web.Close()
	folder := filepath.Join(dir, "in")
	command(t, 0, "audit", "--quiet", "-o", filepath.Join(dir, "out"), folder)
	want := outputsOf(t, filepath.Join(dir, "out"))
	if !strings.Contains(want["audit.json"], `"fetches": 4`) {
		t.Fatalf("from the folder:\n%s", want["audit.json"])
	}
	for name, args := range map[string][]string{
		"prefix":      {"s3://bucket/in/", "--s3-endpoint", store.URL, "--s3-anonymous"},
		"list-store":  {list, "--base", "s3://bucket/in/", "--s3-endpoint", store.URL, "--s3-anonymous"},
		"list-server": {list, "--base", web.URL},
		"list-folder": {list, "--base", folder},
	} {
		out := filepath.Join(dir, name)
		command(t, 0, append([]string{"audit", "--quiet", "-o", out}, args...)...)
		sameResults(t, outputsOf(t, out), want)
	}
}

// TestVerifyRemote verifies an index by archives on a web server: with one request a record, and what
// was read before an interruption is not read again.
func TestVerifyRemote(t *testing.T) {
	dir := t.TempDir()
	archive, places := archiveOfPages()
	server := &fileServer{
		files: map[string][]byte{"a/pages.warc.gz": archive}, asked: make(map[string]int),
		ranges: true,
	}
	web := httptest.NewServer(server)
	defer web.Close()
	var lines bytes.Buffer
	for n, at := range places {
		fmt.Fprintf(&lines, `h)/ 20240501120000 {"url": "http://h/p%d", "status": "200", "length": "%d", "offset": "%d", "filename": "a/pages.warc.gz"}`+"\n", n, at[1], at[0])
	}
	index, robots := writeFile(t, filepath.Join(dir, "index.cdxj"), lines.Bytes()), writeFile(t,
		filepath.Join(dir, "robots.warc.gz"), robotsOfPages("T11:00:00Z"))
	writeFile(t, filepath.Join(dir, "here/a/pages.warc.gz"), archive)
	args := func(out, base string) []string {
		return []string{
			"audit", "-o", filepath.Join(dir, out), index, robots, "--verify", "--base", base, "--workers",
			"2",
		}
	}
	command(t, 0, args("local", filepath.Join(dir, "here"))...)
	want := outputsOf(t, filepath.Join(dir, "local"))
	if !strings.Contains(want["audit.json"], `"verified": 20`) {
		t.Error(want["audit.json"])
	}

	_, told := command(t, 0, args("whole", web.URL+"/")...)
	sameResults(t, outputsOf(t, filepath.Join(dir, "whole")), want)
	if n := server.forget()["a/pages.warc.gz"]; n != 1+len(places) ||
		!strings.Contains(told, fmt.Sprintf("; %d requests, ", n+1)) {
		// the beginning and each record, and one for its size
		t.Errorf("%d requests\n%s", n, told)
	}

	ctx, cancel := context.WithCancel(t.Context())
	server.before = func(http.ResponseWriter, *http.Request) {
		if server.asked["a/pages.warc.gz"] == 11 {
			cancel()
			time.Sleep(50 * time.Millisecond)
		}
	}
	if code := run(ctx, args("stopped", web.URL), strings.NewReader(""), io.Discard, io.Discard); code != 130 {
		t.Errorf("exit code %d", code)
	}
	server.before = nil
	server.forget()
	command(t, 0, args("stopped", web.URL)...)
	sameResults(t, outputsOf(t, filepath.Join(dir, "stopped")), want)
	if n := server.forget()["a/pages.warc.gz"]; n < 2 || n > 1+len(places)-9 {
		t.Errorf("%d requests after an interruption", n)
	}
}

// TestPlanOfSecrets: a plan refuses URLs with a password or a signature before any request to their server.
func TestPlanOfSecrets(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request,
	) {
		t.Errorf("asked for %s", r.URL.Path)
	}))
	defer web.Close()
	dir := t.TempDir()
	list, facts := writeFile(t, filepath.Join(dir, "list"), []byte("a.warc.gz\n")), filepath.Join(dir, "facts")
	withPassword := strings.Replace(web.URL, "http://", "http://us3r:p4ss@", 1)
	for _, args := range [][]string{
		{withPassword + "/a.warc.gz"},
		{web.URL + "/b.warc.gz?s3cr3t"},
		{"--urls", withPassword + "/a.csv"},
		{"@" + list, "--base", withPassword},
	} {
		_, told := command(t, 2, append([]string{"plan", "--shards", "1", "--facts", facts}, args...)...)
		if !strings.Contains(told, "has a user, password or query, which are never written down") {
			t.Errorf("%q: %s", args, told)
		}
	}
	if _, err := os.Stat(facts); err == nil {
		t.Error("a plan was made")
	}
}
