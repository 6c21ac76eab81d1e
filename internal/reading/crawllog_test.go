package reading

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// logLine is one as Heritrix 3 writes it.
func logLine(time, status, url, begin string) string {
	return fmt.Sprintf("%s %5s %10s %s LE http://h/ unknown #042 %s - - 3t\n", time, status, "-", url, begin)
}

const at = "2024-05-01T12:00:00.123Z"

func eventTexts(c *collected) (list []string) {
	for _, e := range c.events {
		kind := map[facts.EventKind]string{
			facts.EventExclusion:         "exclusion",
			facts.EventRobotsUnreachable: "unreachable",
			facts.EventRobotsTook:        fmt.Sprintf("took %d", e.Millis),
		}[e.Kind]
		list = append(list, fmt.Sprintf("%d %s %s %s %s", e.Line, kind, e.Reason, e.URL,
			e.Time().UTC().Format("15:04:05.000")))
	}
	return list
}

func TestCrawlLog(t *testing.T) {
	log := logLine(at, "200", "http://h/", "20240501115959000+12") +
		logLine(at, "-9998", "http://h/private", "-") +
		"\n" +
		logLine(at, "-61", "https://h:8443/page", "-") +
		logLine(at, "-2", "http://h/robots.txt", "20240501115958000+2000") +
		logLine(at, "-8", "http://h/robots.txt?x", "-") +
		logLine(at, "-2", "http://h/page", "-") +
		logLine(at, "404", "http://h/robots.txt", "20240501115958000+2") +
		logLine(at, "-404", "http://h/robots.txt", "20240501115958000+2") +
		logLine(at, "-5", "http://h/robots.txt", "-") +
		logLine(at, "-9998", "dns:h", "-") +
		logLine("20240501120000123", "-9998", "http://i/old", "-") +
		logLine(at, "-9998", "http:///x", "-") +
		"garbage\n" +
		logLine(at, "-9998", "http://h/"+strings.Repeat("x", warc.MaxURL), "-") +
		logLine(at, "-9998", "http://h/"+strings.Repeat("x", rowreading.MaxLogLine), "-") +
		strings.TrimSuffix(logLine(at, "-1", "ftp://f/robots.txt", "-"), "\n")
	want := []string{
		"2 exclusion -9998 http://h/private 12:00:00.123",
		"4 unreachable -61 https://h:8443/page 12:00:00.123",
		"5 unreachable -2 http://h/robots.txt 11:59:58.000",
		"8 took 2 404 http://h/robots.txt 11:59:58.000",
		"12 exclusion -9998 http://i/old 12:00:00.123",
		"17 unreachable -1 ftp://f/robots.txt 12:00:00.123",
	}
	for name, archive := range map[string][]byte{
		"plain": []byte(log), "gzip": warctest.Gzip(log),
		"zstd": []byte(warctest.Encode(t, "zstd", log)), "crlf": []byte(strings.ReplaceAll(log, "\n", "\r\n")),
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, archive)
			equal(t, "events", eventTexts(got), want)
			equal(t, "issues", got.kinds(), []string{"bad_log_line", "bad_log_line", "bad_log_line", "bad_log_line"})
			if got.result.Container != "crawl.log" || len(got.fetches) != 0 || got.result.Events != 6 ||
				got.result.Fingerprint == "" {
				t.Errorf("%+v, %d fetches", got.result, len(got.fetches))
			}
			e := got.events[0]
			if e.Via != "http://h/" || e.HopsFromSeed != "LE" || e.Origin != "http://h" {
				t.Errorf("%+v", e)
			}
			if name == "plain" {
				if line := log[e.Offset : e.Offset+e.Length]; line != logLine(at, "-9998", "http://h/private", "-") {
					t.Errorf("the place is that of %q", line)
				}
			}
		})
	}
}

func TestSniffCrawlLog(t *testing.T) {
	good := logLine(at, "200", "http://h/", "-")
	for text, want := range map[string]bool{
		good: true, "the end of a line\n" + good: true, strings.TrimSuffix(good, "\n"): true,
		"": false, "x\ny\n" + good: false,
		strings.Replace(good, "#042", "042", 1):   false,
		strings.Replace(good, "2024", "late", 1):  false,
		strings.Replace(good, "  200", "ok", 1):   false,
		strings.Replace(good, "http:", "http", 1): false,
		at + " 200 5 http://h/\n":                 false,
	} {
		if got := rowreading.IsCrawlLog([]byte(text)); got != want {
			t.Errorf("isCrawlLog(%q) = %t", text, got)
		}
	}
}

func TestSkippedPages(t *testing.T) {
	got := new(collected)
	a := facts.NewAccount(3, "reports/skippedPages.jsonl", got)
	log := `{"format":"json-pages-1.0","id":"skipped","title":"Skipped Pages","reason":"robotsTxt"}
{"url":"https://h/private","seedUrl":"https://h/","depth":1,"reason":"robotsTxt","ts":"2025-06-01T10:00:00.250Z"}
{"url":"https://h/far","seedUrl":"https://h/","depth":9,"reason":"pageLimit"}
{"url":"https://h/undated","reason":"robotsTxt"}
{"url":5,"reason":"robotsTxt"}
not json
{"url":"mailto:x","reason":"robotsTxt"}
`
	if err := rowreading.ReadLog(a, rowreading.ParseSkippedPage, strings.NewReader(log)); err != nil {
		t.Fatal(err)
	}
	equal(t, "events", eventTexts(got), []string{
		"2 exclusion robotsTxt https://h/private 10:00:00.250",
		"4 exclusion robotsTxt https://h/undated 00:00:00.000",
	})
	equal(t, "issues", got.kinds(), []string{"bad_log_line", "bad_log_line"})
	if e := got.events[1]; e.Time().Known() || e.Input != 3 || e.Entry != "reports/skippedPages.jsonl" {
		t.Errorf("%+v", e)
	}
	if i := got.issues[0]; i.Entry != "reports/skippedPages.jsonl" || i.Offset <= 0 ||
		!strings.HasPrefix(i.Detail, "line 5: ") {
		t.Errorf("%+v", i)
	}
}

// A log of nothing but damage, or that ends within its compression, is reported in few
// rows.
func TestDamagedLogs(t *testing.T) {
	good := logLine(at, "-9998", "http://h/p", "-")
	got := read(t, []byte(good+strings.Repeat("x\n", 5*rowreading.MaxFaults)))
	if len(got.events) != 1 || len(got.issues) != rowreading.MaxFaults+1 ||
		got.issues[rowreading.MaxFaults].Detail != fmt.Sprintf("%d more lines", 4*rowreading.MaxFaults) {
		t.Errorf("%d events, %d issues", len(got.events), len(got.issues))
	}
	whole := warctest.Gzip(strings.Repeat(good, 3000))
	got = read(t, whole[:len(whole)-20])
	if len(got.issues) != 1 || got.issues[0].Kind != words.IssueDamagedStream || len(got.events) == 0 {
		t.Errorf("%d events, issues %v", len(got.events), got.kinds())
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte(logLine(at, "-9998", "http://h/p", "-")), false)
	f.Add([]byte(logLine(at, "-61", "http://[::1]:8/", "20240501115958000+2")), false)
	f.Add([]byte(`{"url":"https://h/","reason":"robotsTxt","ts":"2025"}`), true)
	f.Fuzz(func(t *testing.T, log []byte, pages bool) {
		parse := rowreading.LineParser(rowreading.ParseCrawlLog)
		if pages {
			parse = rowreading.ParseSkippedPage
		}
		got := new(collected)
		if err := rowreading.ReadLog(facts.NewAccount(0, "", got), parse, bufio.NewReader(bytes.NewReader(log))); err != nil {
			t.Fatal(err)
		}
		for _, e := range got.events {
			if e.Offset < 0 || e.Offset+e.Length > int64(len(log)) || e.Origin == "" || e.Line < 1 {
				t.Errorf("%+v", e)
			}
		}
	})
}
