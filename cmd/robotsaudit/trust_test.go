package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
)

// trusting audits by what indexes tell.
func trusting(t *testing.T, args ...string) (dir string) {
	t.Helper()
	return audittest.AuditRead(t, ingest.Options{TrustIndex: true}, evaluate.Options{}, args...)
}

// TestTrustIndexAgreesWithArchives: the verdicts of archives that are read by an index are those of
// the archives read as a whole. What was not read to its end is probable at most, and says so.
func TestTrustIndexAgreesWithArchives(t *testing.T) {
	shared := archivesIn(t, "../../../shared/warc/real")
	if len(shared) == 0 {
		t.Log("../shared/warc/real is not there: its archives are skipped")
	}
	packages, err := filepath.Glob("../../../shared/warc/*/*.wacz")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../../../shared/warc/*/*/*.wacz")
	if err != nil {
		t.Fatal(err)
	}
	archives := slices.Concat(archivesIn(t, "../../testdata/warc"), shared, packages, more)
	partly := 0
	for _, path := range archives {
		index := filepath.Join(t.TempDir(), "index.cdxj")
		if err := os.WriteFile(index, indexOfArchive(t, path), 0o666); err != nil {
			t.Fatal(err)
		}
		args := []string{path, index}
		if strings.HasSuffix(path, ".wacz") || testing.Short() && strings.Contains(path, "/shared/") {
			args = args[:1]
		}
		whole := fetchesOf(t, audittest.Audit(t, evaluate.Options{}, args...))
		partly += compareTrusting(t, path, whole, fetchesOf(t, trusting(t, args...)))
	}
	t.Logf("%d archives, %d fetches read in part", len(archives), partly)
	if len(shared) > 0 && !testing.Short() && partly < 80 {
		t.Errorf("%d fetches read in part", partly)
	}
}

// indexOfArchive is an index of an archive, as 'records --format cdxj' writes it.
func indexOfArchive(t *testing.T, path string) []byte {
	t.Helper()
	inputs, failures := ingest.Expand([]string{path})
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	var lines bytes.Buffer
	out := cdxjRecords{w: &lines}
	_, err := ingest.List(t.Context(), inputs[0], ingest.ListOptions{Digests: true, Issue: func(*ingest.Issue) error { return nil }}, func(r *ingest.Listed) error {
		out.print(inputs[0], r) // a record without a date has no line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines.Bytes()
}

// compareTrusting compares the fetches of an archive that was read as a whole with those of the same,
// read by its index, and counts those that were read in part.
func compareTrusting(t *testing.T, what string, whole, got map[string]report.FetchRow) (partly int) {
	t.Helper()
	if len(got) != len(whole) {
		t.Errorf("%s: %d fetches, %d read as a whole", what, len(got), len(whole))
	}
	for key, want := range whole {
		f := got[key]
		if f.Trust == "indexed" && f.RecordType != "indexed" {
			partly++
			if f.Certainty == "certain" || f.Certainty == "probable" && !strings.Contains(fmt.Sprint(f.Notes), "indexed") {
				t.Errorf("%s: %s %s, with notes %v", what, key, f.Certainty, f.Notes)
			}
			if want.Certainty == "certain" {
				want.Certainty = "probable"
			}
		} else if f.Trust != want.Trust {
			t.Errorf("%s: %s has trust %s, read as a whole %s", what, key, f.Trust, want.Trust)
		}
		if f.Verdict != want.Verdict || f.Reason != want.Reason || f.Certainty != want.Certainty || f.Evidence != want.Evidence || f.TagsFrom != want.TagsFrom ||
			f.Tags != want.Tags || f.RecordType != want.RecordType || f.WARCRecordLength != want.WARCRecordLength {
			t.Errorf("%s: %s\n got %+v\nwant %+v", what, key, f, want)
		}
	}
	return partly
}

// TestTrustIndexOfServer: what an index lets be left out of large records is not transferred.
func TestTrustIndexOfServer(t *testing.T) {
	r := rand.NewChaCha8([32]byte{1})
	film := make([]byte, 8<<20)
	r.Read(film)
	records := []warctest.Record{warctest.Response("urn:r", "http://h.example/robots.txt", "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /film\n")}
	for i := range 3 {
		url := fmt.Sprintf("http://h.example/film/%d", i)
		records = append(records, warctest.Request(fmt.Sprint("urn:q", i), url, "bot/1"),
			warctest.Response(fmt.Sprint("urn:", i), url, "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"+string(film), fmt.Sprintf("WARC-Concurrent-To: <urn:q%d>", i)))
	}
	archive := filepath.Join(t.TempDir(), "films.warc.gz")
	if err := os.WriteFile(archive, warctest.GzipMembers(records...), 0o666); err != nil {
		t.Fatal(err)
	}
	index := indexOfArchive(t, archive)
	path := filepath.Join(t.TempDir(), "films.cdxj")
	if err := os.WriteFile(path, index, 0o666); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	entry := warctest.StoredEntry("archive/films.warc.gz", content)
	files := map[string][]byte{"films.warc.gz": content, "films.wacz": warctest.Zip(t, entry, warctest.StoredEntry("indexes/index.cdxj", index))}
	var sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(&counted{w, &sent}, r, "", time.Time{}, bytes.NewReader(files[strings.TrimPrefix(r.URL.Path, "/")]))
	}))
	defer server.Close()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		args := []string{server.URL + "/" + name}
		if name == "films.warc.gz" {
			args = append(args, path)
		}
		sent.Store(0)
		whole := fetchesOf(t, audittest.Audit(t, evaluate.Options{}, args...))
		all := sent.Swap(0)
		partly := compareTrusting(t, name, whole, fetchesOf(t, trusting(t, args...)))
		t.Logf("%s: %d bytes of %d", name, sent.Load(), all)
		if partly != 3 || sent.Load() > all/2 {
			t.Errorf("%s: %d records read in part, %d bytes sent, %d of all", name, partly, sent.Load(), all)
		}
	}
}

// counted counts what a server sends.
type counted struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.sent.Add(int64(n))
	return n, err
}

// TestTrustIndexOfRedirectTarget: what a robots.txt redirects to is compared with its checksum, even
// where it stands before the redirect and was read in part.
func TestTrustIndexOfRedirectTarget(t *testing.T) {
	const rules, robots, page = "http://h/rules", "http://h/robots.txt", "http://h/page"
	request := func(url string) string { return warctest.Request("urn:q"+url, url, "bot/1").String() }
	response := func(url, block string) string {
		return warctest.Response("urn:"+url, url, block, "WARC-Concurrent-To: <urn:q"+url+">").String()
	}
	target := warctest.GzipStored(response(rules, "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow:\n#"+strings.Repeat("a comment ", 10000)))
	for name, c := range map[string]struct {
		from, to string
		want     string
	}{
		"whole":                       {"", "", "allowed no_matching_rule"},
		"a damaged status":            {"HTTP/1.1 200", "HTTP/1.1 500", "unknown unresolved_redirect"},
		"damage of what was left out": {"comment \r\n\r\n", "comment?\r\n\r\n", "unknown unresolved_redirect"},
	} {
		archive := slices.Concat(warctest.Gzip(request(rules)), bytes.Replace(target, []byte(c.from), []byte(c.to), 1), warctest.Gzip(request(robots)),
			warctest.Gzip(response(robots, "HTTP/1.1 301 Moved\r\nLocation: "+rules+"\r\n\r\n")), warctest.Gzip(request(page)), warctest.Gzip(response(page, "HTTP/1.1 200 OK\r\n\r\n")))
		path := filepath.Join(t.TempDir(), "a.warc.gz")
		index := filepath.Join(t.TempDir(), "a.cdxj")
		if err := os.WriteFile(path, archive, 0o666); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf(`h)/rules 20240501120000 {"url": %q, "status": "200", "filename": "a.warc.gz", "offset": "%d", "length": "%d"}`+"\n",
			rules, len(warctest.Gzip(request(rules))), len(target))
		if err := os.WriteFile(index, []byte(line), 0o666); err != nil {
			t.Fatal(err)
		}
		for key, f := range fetchesOf(t, trusting(t, path, index)) {
			if got := f.Verdict + " " + f.Reason; strings.HasSuffix(key, page) && got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
	}
}
