package reading

import (
	"bytes"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// TestListForms: lists and tables in other forms than lines of text, and what is said of files that are none.
func TestListForms(t *testing.T) {
	const csv = "url,time\nhttps://a.example/x,2024-05-01\nhttps://a.example/y,2024-05-01\n"
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(csv)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	z.Write([]byte(csv))
	z.Close()
	const logged = `192.0.2.1 - - [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 3`
	list, table := facts.Input{List: true}, facts.Input{RobotsList: true}
	for name, c := range map[string]struct {
		in      facts.Input
		text    string
		fetches int64
		refusal string
	}{
		"CSV":                   {list, csv, 2, ""},
		"UTF-16":                {list, utf16, 2, ""},
		"zstd":                  {list, packed.String(), 2, ""},
		"a JSON array":          {list, "[\n{\"url\": \"https://a.example/x\",\n\"time\": \"2024-05-01\"}\n, {\"URL\": \"https://a.example/y\", \"date\": \"2024\"}]", 2, ""},
		"Dolma":                 {list, `{"id": "1", "metadata": {"url": "https://a.example/x", "date_download": "2024-05-01"}}`, 1, ""},
		"DCLM":                  {list, `{"url": "https://a.example/x", "metadata": {"WARC-Date": "2024-05-01T00:00:00Z"}}`, 1, ""},
		"OSCAR":                 {list, `{"warc_headers": {"warc-target-uri": "https://a.example/x", "warc-date": "2024-05-01T00:00:00Z"}}`, 1, ""},
		"two":                   {list, `{"url": "https://a.example/x", "date": "2024", "metadata": {"url": "https://b.example/"}}`, 0, ""},
		"a log":                 {facts.Input{}, logged + "\n", 0, "it is an access log: name it by --access-log"},
		"a log as a list":       {list, logged + "\n", 0, "it is an access log: name it by --access-log"},
		"robots.txt as a table": {table, "User-agent: *\nDisallow: /\n", 0, "it is a robots.txt itself: 'robotsaudit match"},
		"robots.txt":            {facts.Input{}, "User-agent: *\nDisallow: /\n", 0, "for --robots"},
		"a workbook":            {table, "PK\x03\x04xl", 0, "Excel workbook; write it as Parquet, as by DuckDB: COPY"},
		"lz4":                   {facts.Input{}, "\x04\"M\x18xyz", 0, "lz4 -d"},
		"anything":              {list, "\x01\x02\x03", 0, `it begins with "\x01\x02\x03"`},
	} {
		c.in.Path, c.in.Name, c.in.Size = "/list", "list", int64(len(c.text))
		got, err := readSource(t.Context(), c.in, bytes.NewReader([]byte(c.text)), 0, new(collected), Options{})
		if err != nil || got.Fetches != c.fetches || !strings.Contains(got.Refusal, c.refusal) || (got.Refusal == "") != (c.refusal == "") {
			t.Errorf("%s: %d fetches, %q, %v", name, got.Fetches, got.Refusal, err)
		}
	}
}
