package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// TestNightly audits a folder on thirty nights. Each day an archive is added, one is changed,
// and one is removed: the night reads the two, and its results equal the results of an audit
// that reads all.
func TestNightly(t *testing.T) {
	dir := t.TempDir()
	archives := filepath.Join(dir, "archives")
	if err := os.Mkdir(archives, 0o777); err != nil {
		t.Fatal(err)
	}
	path := func(n int) string { return filepath.Join(archives, fmt.Sprintf("crawl-%03d.warc.gz", n)) }
	write := func(n, version int) int64 {
		b := nightlyArchive(n, version)
		writeFile(t, path(n), b)
		changed := time.Unix(1_700_000_000+int64(version), 0) // whatever the clock's steps
		if err := os.Chtimes(path(n), changed, changed); err != nil {
			t.Fatal(err)
		}
		return int64(len(b))
	}
	const first = 12
	for n := range first {
		write(n, 0)
	}
	audit := func(out string) (summary struct {
		Read  int64 `json:"inputs_read"`
		Kept  int64 `json:"inputs_kept"`
		Bytes int64 `json:"bytes_read"`
	},
	) {
		_, stderr := command(t, 0, "audit", archives, "-o", out, "--prune", "--log-format", "json", "--agents", "GPTBot")
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		last := lines[len(lines)-1]
		if err := json.Unmarshal([]byte(last), &summary); err != nil || !strings.Contains(last, `"event":"summary"`) {
			t.Fatalf("%v: last line %q", err, last)
		}
		return summary
	}
	out := filepath.Join(dir, "out")
	if s := audit(out); s.Read != first {
		t.Fatalf("first: %+v", s)
	}
	for night := range 30 {
		size := write(first+night, night+1)   // added
		size += write(night+first/2, night+1) // changed: one of long ago, or of a night before
		if err := os.Remove(path(night)); err != nil {
			t.Fatal(err)
		}
		s := audit(out)
		if s.Read != 2 || s.Kept != first-2 || s.Bytes != size {
			t.Errorf("night %d: read %d archives, %d bytes of %d, kept %d", night, s.Read, s.Bytes, size, s.Kept)
		}
		if !longtest.Run() && night%10 != 9 {
			continue
		}
		fresh := filepath.Join(dir, fmt.Sprintf("fresh-%d", night))
		audit(fresh)
		sameFiles(t, out, fresh)
	}
}

// TestNewViolations audits a folder to which an archive is added every night for a month. One night
// brings a violation: that night ends with exit code 10, however often it is run, and no other.
func TestNewViolations(t *testing.T) {
	dir := t.TempDir()
	archives, out := filepath.Join(dir, "archives"), filepath.Join(dir, "out")
	if err := os.Mkdir(archives, 0o777); err != nil {
		t.Fatal(err)
	}
	night := func(want usage.ExitCode, args ...string) string {
		t.Helper()
		args = append([]string{"audit", archives, "-o", out, "--fail-on", "new-violations", "--quiet"}, args...)
		_, stderr := command(t, int(want), args...)
		return stderr
	}
	add := func(name string, path string) {
		t.Helper()
		var records []warctest.Record
		for minute, path := range []string{"/robots.txt", path} {
			id, url, date := "urn:"+name+path, "http://host.example"+path, fmt.Sprintf("2024-05-01T12:%02d:00Z", minute)
			records = append(records,
				warctest.Record{
					Type: "response", ID: id, URL: url, Date: date,
					Block: "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private/\n",
				},
				warctest.Record{
					Type: "request", ID: id + "q", URL: url, Date: date, Fields: []string{"WARC-Concurrent-To: <" + id + ">"},
					Block: "GET " + path + " HTTP/1.1\r\nHost: host.example\r\nUser-Agent: CCBot/2.0\r\n\r\n",
				})
		}
		writeFile(t, filepath.Join(archives, name+".warc"), warctest.Plain(records...))
	}
	add("first", "/private/first") // which the baseline has
	night(usage.ExitDone)
	night(usage.ExitDone)
	for n := 1; n <= 30; n++ {
		name, path, want := fmt.Sprintf("night-%02d", n), fmt.Sprintf("/page/%d", n), usage.ExitDone
		if n == 12 {
			path, want = "/private/12", usage.ExitViolations
		}
		add(name, path)
		if !longtest.Run() && n%4 != 0 { // read the night after
			continue
		}
		if n == 12 || n == 20 { // a night that fails, and is run again
			night(usage.ExitUsage, "--metrics", filepath.Join(dir, "none", "run.prom"))
		}
		stderr := night(want)
		again := night(want)
		if got := strings.Count(stderr, "new violation, "); got != int(want/usage.ExitViolations) {
			t.Errorf("night %d names %d new violations\n%s", n, got, stderr)
		}
		if again != stderr {
			t.Errorf("night %d, again:\n%s\nat first:\n%s", n, again, stderr)
		}
	}
	metrics := filepath.Join(dir, "run.prom")
	night(usage.ExitDone, "--metrics", metrics)
	if b, err := os.ReadFile(metrics); err != nil || !strings.Contains(string(b), "\nrobotsaudit_new_violations 0\n") {
		t.Errorf("%v, metrics:\n%s", err, b)
	}
}

// sameFiles compares the results in two output folders, byte for byte.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(b, "[^.]*.*"))
	if err != nil || len(names) < 10 {
		t.Fatalf("%v, results %q", err, names)
	}
	for _, name := range names {
		want := readFile(t, name)
		got, err := os.ReadFile(filepath.Join(a, filepath.Base(name)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs (%v)", filepath.Base(name), err)
		}
	}
}

// nightlyArchive is an archive of some pages of a site that others have, too, and of its own.
func nightlyArchive(n, version int) []byte {
	var b []byte
	for _, host := range []string{"shared.example", fmt.Sprintf("own-%d.example", n)} {
		add := func(path, body string) {
			id, url := fmt.Sprintf("urn:%d:%d:%s%s", n, version, host, path), "http://"+host+path
			for _, r := range []warctest.Record{
				warctest.Response(id, url, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"+body),
				warctest.Request(id+":request", url, "CCBot/2.0", "WARC-Concurrent-To: <"+id+">"),
			} {
				day := fmt.Sprintf("2024-05-%02dT", 1+n%28)
				b = append(b, warctest.Gzip(strings.Replace(r.String(), "2024-05-01T", day, 1))...)
			}
		}
		add("/robots.txt", fmt.Sprintf("User-agent: *\nDisallow: /private/%d\n", n%3))
		for page := range 4 {
			add(fmt.Sprintf("/private/%d", page), fmt.Sprintf("page %d", version))
		}
	}
	return b
}
