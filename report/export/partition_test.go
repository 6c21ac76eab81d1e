package export_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/export"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// pages are what each kind of input has of the site: path, status, and a header field.
var pages = []struct {
	path   string
	status int
	header string
}{
	{"/open", 200, ""},
	{"/shut/a", 200, ""},
	{"/noai", 200, "X-Robots-Tag: noai\r\n"},
	{"/hint", 200, "Content-Usage: train-ai=n;=\r\n"},
	{"/named/a", 200, ""},
	{"/moved", 301, ""},
	{"/gone", 404, ""},
}

// inputs writes an input of each kind, with robots.txt of the site in an archive next to it, and returns their folders.
func inputs(t *testing.T) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	date := func(n int) string { return fmt.Sprintf("2024-05-01T12:00:%02dZ", n) }
	var robots, records []warctest.Record
	var arc, cdx, cdxj, csv, lines strings.Builder
	arc.WriteString(warctest.ARCInfo(""))
	cdx.WriteString(" CDX N b a m s k r M S V g\n")
	csv.WriteString("id,url,date\n")
	type row struct {
		URL    string `parquet:"url"`
		Time   string `parquet:"fetch_time"`
		Status int16  `parquet:"fetch_status"`
	}
	var table []row
	for n, host := range []string{"a.example", "unknown.example"} {
		if n == 0 {
			r := warctest.Response("urn:robots", "http://"+host+"/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"+
				"User-agent: *\nDisallow: /shut\n\nUser-agent: CCBot\nDisallow: /named\nDisallow: /shut\n")
			r.Date = date(0)
			robots = append(robots, r)
			challenge := warctest.Response("urn:challenge", "http://c.example/robots.txt",
				"HTTP/1.1 202 Accepted\r\nContent-Type: text/html\r\nx-amzn-waf-action: challenge\r\n\r\n<html>")
			challenge.Date = date(0)
			robots = append(robots, challenge)
		}
		for i, p := range pages {
			url, at := "http://"+host+p.path, date(1+i)
			digits := strings.NewReplacer("-", "", "T", "", ":", "", "Z", "").Replace(at)
			http := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: text/html\r\n%s\r\nx", p.status, p.header)
			r := warctest.Response(fmt.Sprintf("urn:%d:%d", n, i), url, http)
			r.Date = at
			records = append(records, r)
			arc.WriteString(warctest.ARCRecord(url, digits, http))
			status := fmt.Sprint(p.status)
			if p.path == "/open" {
				status = "-"
			}
			fmt.Fprintf(&cdx, "%s%s %s %s text/html %s AAAA - - 10 %d moved.warc\n", host, p.path, digits, url, status, 100*i)
			fmt.Fprintf(&cdxj, "%s%s %s {\"url\":%q,\"mime\":\"text/html\",\"status\":%q,\"offset\":\"%d\",\"length\":\"10\",\"filename\":\"moved.warc\"}\n",
				host, p.path, digits, url, status, 100*i)
			fmt.Fprintf(&csv, "row %d.%d,%s,%s\n", n, i, url, at)
			fmt.Fprintf(&lines, `{"id":"row %d.%d","url":%q,"date":%q}`+"\n", n, i, url, at)
			table = append(table, row{url, at, int16(p.status)})
		}
	}
	challenged := warctest.Response("urn:c", "http://c.example/x", "HTTP/1.1 200 OK\r\n\r\nx")
	challenged.Date = date(1)
	resource := warctest.Record{Type: "resource", ID: "urn:resource", URL: "http://a.example/resource", Date: date(9), Block: "x"}
	with := write("robots.warc", warctest.Plain(robots...))
	var parquetFile strings.Builder
	if err := parquet.Write(&parquetFile, table); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{
		"warc": {with, write("pages.warc", warctest.Plain(append(records, challenged, resource)...))},
		"arc":  {with, write("pages.arc", []byte(arc.String()))},
		"wacz": {with, write("pages.wacz", warctest.Zip(t, warctest.StoredEntry("archive/data.warc", warctest.Plain(records...)),
			warctest.StoredEntry("datapackage.json", []byte("{}"))))},
		"cdx":            {with, write("pages.cdx", []byte(cdx.String()))},
		"cdxj":           {with, write("pages.cdxj", []byte(cdxj.String()))},
		"table":          {with, write("pages.parquet", []byte(parquetFile.String()))},
		"list":           {with, write("pages.csv", []byte(csv.String()))},
		"list of JSON":   {with, write("pages.jsonl", []byte(lines.String()))},
		"without files":  {write("alone.csv", []byte(csv.String()))},
		"list and pages": {with, write("more.warc", warctest.Plain(records...)), write("more.csv", []byte(csv.String()))},
	}
}

// TestPartition: of each kind of input and with all options, every fetch of a page is in exactly one of the lists, in
// the order of fetches, with a reason of the registry. So is every group.
func TestPartition(t *testing.T) {
	seen := make(map[string]bool)
	for kind, args := range inputs(t) {
		r, err := results.Open(audittest.Audit(t, evaluate.DecideOptions{
			Agents: []string{"CCBot", "GPTBot"}, Uses: []tag.Use{tag.UseTrain, tag.UseIndex},
		}, args...))
		if err != nil {
			t.Fatal(err)
		}
		var fetches []string
		for _, f := range readAll(t, r, report.FetchesTable) {
			if f.Reason != words.RobotsTxtItself.String() {
				fetches = append(fetches, fmt.Sprint(f.WARCFilename, f.WARCRecordOffset, f.URL))
			}
		}
		if len(fetches) < 2*len(pages) {
			t.Errorf("%s: %d fetches of pages", kind, len(fetches))
		}
		openPage := "keep allowed"
		switch kind {
		case "cdx", "cdxj":
			openPage = "undecided status_unknown"
		case "without files":
			openPage = "undecided robots_unknown"
		}
		if got := fateOfPage(t, r, "http://a.example/open"); got != openPage {
			t.Errorf("%s: the page without a word against it is in %s, want %s", kind, got, openPage)
		}
		var reasons [][]string
		for _, reason := range export.UndecidedReasons() {
			reasons = append(reasons, []string{reason + "=keep"}, []string{reason + "=drop"})
		}
		for _, agents := range [][]string{nil, {"GPTBot", "CCBot"}} {
			for _, purposes := range [][]string{nil, {"train", "index"}} {
				decisions := [][]string{nil, {"all=drop", "tags_unknown=keep"}}
				if agents == nil && purposes != nil {
					decisions = append(decisions, reasons...)
				}
				for _, decided := range decisions {
					o := export.Options{
						By: export.ByRecord, Agents: agents, Purposes: purposes, Decide: choices(t, decided...),
					}
					name := fmt.Sprint(kind, ": ", agents, purposes, decided)
					var all, ids []string
					for _, o.List = range lists {
						var list []string
						for _, row := range rowsOf(t, r, o) {
							list = append(list, fmt.Sprint(row["warc_filename"], row["warc_record_offset"], row["url"]))
							if id, ok := row["id"].(string); ok && strings.HasPrefix(id, "row ") {
								ids = append(ids, id)
							}
							cause := words.CauseOf(row["reason"].(string))
							if cause == words.NoCause || fateOf(o.Decide, cause) != o.List {
								t.Errorf("%s: %v is listed to %s for %q", name, row["url"], o.List, row["reason"])
							}
							seen[cause.String()] = true
						}
						if !isInOrder(list, fetches) {
							t.Errorf("%s: the list %s is in another order than fetches", name, o.List)
						}
						all = append(all, list...)
					}
					if slices.Sort(all); !slices.Equal(all, slices.Sorted(slices.Values(fetches))) {
						t.Errorf("%s: the lists have %d rows, for %d fetches of pages:\n%s", name, len(all), len(fetches),
							strings.Join(all, "\n"))
					}
					if isList := slices.Contains([]string{"list", "list of JSON", "without files", "list and pages"}, kind); isList &&
						!slices.Equal(slices.Sorted(slices.Values(ids)), rowIDs()) || !isList && len(ids) > 0 {
						t.Errorf("%s: the ids %s come back", name, ids)
					}
					if len(decided) != 1 {
						checkGroups(t, name, r, o)
					}
				}
			}
		}
	}
	for c := range words.Causes {
		if cause := words.Cause(c); !seen[cause.String()] && cause != words.NoCause {
			t.Errorf("no fetch is listed for %s", cause)
		}
	}
}

// rowIDs are the ids of the rows in lists of URLs.
func rowIDs() (ids []string) {
	for n := range 2 {
		for i := range pages {
			ids = append(ids, fmt.Sprintf("row %d.%d", n, i))
		}
	}
	return ids
}

// fateOf is what a cause makes of a fetch.
func fateOf(c export.Choices, cause words.Cause) words.Fate {
	if fate := c[cause]; fate != words.NoFate {
		return fate
	}
	return cause.Fate()
}

// fateOfPage is the list of a URL and the reason, without any options.
func fateOfPage(t *testing.T, r *results.Results, url string) (found string) {
	t.Helper()
	for _, fate := range lists {
		for _, row := range rowsOf(t, r, export.Options{By: export.ByURL, List: fate}) {
			if row["url"] == url {
				found += fmt.Sprint(fate, " ", row["reason"])
			}
		}
	}
	return found
}

// isInOrder reports whether a list is in the order of another, which has all of it.
func isInOrder(list, of []string) bool {
	for _, s := range of {
		if len(list) > 0 && list[0] == s {
			list = list[1:]
		}
	}
	return len(list) == 0
}

// checkGroups: each group is in one list, and the summary counts the rows.
func checkGroups(t *testing.T, name string, r *results.Results, o export.Options) {
	t.Helper()
	for _, o.By = range []export.By{export.ByURL, export.ByOrigin} {
		var all []string
		var total int64
		for _, o.List = range lists {
			var out strings.Builder
			summary, err := export.Write(t.Context(), &out, r, o, export.Text)
			if err != nil {
				t.Fatal(err)
			}
			list := slices.Collect(strings.Lines(out.String()))
			if total = summary.Total(); summary.Count(o.List) != int64(len(list)) {
				t.Errorf("%s, by %s: %d rows to %s, and the summary counts %d", name, o.By, len(list), o.List,
					summary.Count(o.List))
			}
			all = append(all, list...)
		}
		if slices.Sort(all); len(slices.Compact(all)) != int(total) {
			t.Errorf("%s, by %s: %d groups in %d rows", name, o.By, total, len(all))
		}
	}
}
