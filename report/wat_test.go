package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// A WAT shows whose tags they are, and nothing for certain; with its archive it adds no fetch.
func TestWAT(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + `<meta name="robots" content="noindex">`
	var robots []byte
	for _, r := range []warctest.Record{
		warctest.Response("urn:r", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /x\n"),
		warctest.Request("urn:s", "http://h/robots.txt", "bot/1", "WARC-Concurrent-To: <urn:r>"),
	} {
		robots = append(robots, warctest.Gzip(strings.Replace(r.String(), "T12:", "T11:", 1))...)
	}
	options := audittest.Everything
	options.Uses = []evaluate.Use{tag.UseIndex}
	pages := warctest.GzipMembers(warctest.Response("urn:a", "http://h/x", page),
		warctest.Request("urn:q", "http://h/x", "bot/1", "WARC-Concurrent-To: <urn:a>"))
	told := func(kind, id, more, payload string) warctest.Record {
		return warctest.Record{
			Type: "metadata", ID: "urn:told:" + id, URL: "http://h/x",
			Fields: []string{"Content-Type: application/json"}, Block: fmt.Sprintf(
				`{"Container":{"Filename":"moved.warc.gz","Offset":"0","Gzip-Metadata":{"Deflate-Length":"9"}},"Envelope":{"WARC-Header-Metadata":{"WARC-Type":%q,`+
					`"WARC-Date":"2024-05-01T12:00:00Z","WARC-Record-ID":"<%s>","WARC-Target-URI":"http://h/x"%s},"Payload-Metadata":{%s}}}`, kind, id, more, payload),
		}
	}
	wat := warctest.GzipMembers(
		told("response", "urn:a", "",
			`"HTTP-Response-Metadata":{"Response-Message":{"Status":"200","Version":"HTTP/1.1","Reason":"OK"},"Entity-Length":"38",`+
				`"Headers":{"Content-Type":"text/html"},"HTML-Metadata":{"Head":{"Metas":[{"name":"robots","content":"noindex"}]}}}`),
		told("request", "urn:q", `,"WARC-Concurrent-To":"<urn:a>"`,
			`"HTTP-Request-Metadata":{"Request-Message":{"Method":"GET","Path":"/x","Version":"HTTP/1.1"},"Headers":{"User-Agent":"bot/1","Host":"h"}}`))

	said := func(archives map[string][]byte) (rows []string) {
		t.Helper()
		in := t.TempDir()
		for name, content := range archives {
			if err := os.WriteFile(filepath.Join(in, name), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r, err := results.Open(audittest.Audit(t, options, in))
		if err != nil {
			t.Fatal(err)
		}
		for f, err := range results.Rows(t.Context(), r, report.FetchesTable) {
			if err != nil {
				t.Fatal(err)
			}
			if f.URL == "http://h/x" {
				rows = append(rows, fmt.Sprintf("fetch %s %s %q %s %s", f.RecordType, f.Certainty, f.TagsFrom, f.Agent,
					f.WARCFilename))
			}
		}
		for x, err := range results.Rows(t.Context(), r, report.RestrictionsTable) {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, fmt.Sprintf("%s %s", x.Kind, x.Certainty))
		}
		slices.Sort(rows)
		return slices.Compact(rows)
	}
	probable, certain := evaluate.Probable.String(), evaluate.Certain.String()
	record := []string{"fetch response " + certain + ` "" bot pages.warc.gz`, "publication " + certain}
	for _, c := range []struct {
		archives map[string][]byte
		want     []string
	}{
		{
			map[string][]byte{"robots.warc.gz": robots, "pages.warc.wat.gz": wat},
			[]string{"fetch indexed " + probable + ` "wat" bot moved.warc.gz`, "publication " + probable},
		},
		{map[string][]byte{"robots.warc.gz": robots, "pages.warc.gz": pages}, record},
		{map[string][]byte{"robots.warc.gz": robots, "pages.warc.gz": pages, "pages.warc.wat.gz": wat}, record},
	} {
		if diff := cmp.Diff(c.want, said(c.archives)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}
