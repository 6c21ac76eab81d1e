package reading

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

const metaPage = `<html><head><meta name="robots" content="noindex"></head><body>hello</body></html>`

// The head of a page whose record is shorter than declared may have held more.
func TestPageCutShort(t *testing.T) {
	whole := warctest.Response("urn:1", "http://h/",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<head><title>x</title>").String()
	got := read(t, warctest.Gzip(strings.TrimSuffix(whole, "e>\r\n\r\n")))
	equal(t, "issues", got.kinds(), []string{"truncated_record"})
	if found, ok := tag.Decode(got.fetches[0].Metas); !ok || !found.Open {
		t.Errorf("kept %+v (%t)", found, ok)
	}
}

// What ingest keeps of pages, whatever they are wrapped in.
func TestPagesKeepTheirMetas(t *testing.T) {
	page := func(fields, body string) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n" + fields + "\r\n" + body
	}
	chunked := func(s string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(s), s) }
	late := "<head><script>" + strings.Repeat("x", 300<<10) + `</script><meta name=googlebot content=nosnippet></head>`
	endless := "<head><!--" + strings.Repeat("x", 2<<20)
	const known, open, kept = "", "open", "robots=noindex"
	for name, c := range map[string]struct{ block, want string }{
		"plain":     {page("", metaPage), kept},
		"chunked":   {page("Transfer-Encoding: chunked\r\n", chunked(metaPage)), kept},
		"dechunked": {page("Transfer-Encoding: chunked\r\n", metaPage), kept},
		"gzip":      {page("Content-Encoding: gzip\r\n", warctest.Encode(t, "gzip", metaPage)), kept},
		"deflate": {
			page("Content-Encoding: deflate\r\n", warctest.Encode(t, "zlib", metaPage)),
			kept,
		},
		"brotli, chunked": {page("Content-Encoding: br\r\nTransfer-Encoding: chunked\r\n",
			chunked(warctest.Encode(t, "br", metaPage))), kept},
		"gzip, cut off": {page("Content-Encoding: gzip\r\n",
			warctest.Encode(t, "gzip", metaPage+strings.Repeat("y", 1000))[:90]), kept},
		"decoded, header left in":   {page("Content-Encoding: gzip\r\n", metaPage), kept},
		"coding that nobody knows":  {page("Content-Encoding: rot13\r\n", "\x00\x01\x02\x80"), open},
		"gzip that nobody declared": {page("", warctest.Encode(t, "gzip", metaPage)), open},
		"no type, HTML":             {"HTTP/1.1 200 OK\r\n\r\n" + metaPage, kept},
		"no type, text":             {"HTTP/1.1 200 OK\r\n\r\nhello " + metaPage, known},
		"HTTP/0.9":                  {metaPage, kept},
		"an image":                  {"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n" + metaPage, known},
		"zstd that nobody declared": {page("", warctest.Encode(t, "zstd", metaPage)), open},
		"br not undone, as is said": {page("X-Crawler-Content-Encoding: br\r\n",
			warctest.Encode(t, "br", strings.Repeat(metaPage, 3)+late[20:900])), open},
		"damaged gzip": {page("Content-Encoding: gzip\r\n",
			"\x00"+warctest.Encode(t, "gzip", metaPage)[1:]), open},
		"damaged gzip, no type": {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x00" +
			warctest.Encode(t, "gzip", metaPage)[1:], open},
		"emptied": {page("Content-Length: 548\r\n", ""), open},
		"emptied, by Nutch": {page("X-Crawler-Content-Encoding: br\r\nX-Crawler-Content-Length: "+
			"548\r\nContent-Length: 0\r\n", ""), open},
		"emptied, with its coding": {page("Content-Encoding: br\r\nContent-Length: 548\r\n", ""), open},
		"empty":                    {page("Content-Length: 0\r\n", ""), known},
		"empty under its coding": {page("X-Crawler-Content-Encoding: gzip\r\nX-Crawler-Content-Length: 20\r\n",
			""), known},
		"a redirect without its body": {"HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Type: " +
			"text/html\r\nContent-Length: 548\r\n\r\n", known},
		"cut within its head":         {page("Content-Length: 548\r\n", "<head><title>"), open},
		"cut behind its head":         {page("X-Crawler-Content-Length: 548\r\n", metaPage), kept},
		"cut behind a head without":   {page("Content-Length: 548\r\n", "<head></head><body>"), known},
		"an image called a page":      {page("", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), known},
		"no metas":                    {page("", "<head></head><body>"), known},
		"long page without metas":     {page("", "<head></head><body>"+strings.Repeat("<p>z", 100<<10)), known},
		"head longer than the first":  {page("", late), "googlebot=nosnippet"},
		"head longer than the second": {page("", strings.Repeat(" ", 200<<10)+late), "googlebot=nosnippet"},
		"head without an end":         {page("", endless), open},
		"UTF-16 by header": {"HTTP/1.1 200 OK\r\nContent-Type: text/html;a=b; Charset=\"UTF-16\"\r\n\r\n" +
			strings.ReplaceAll("\x01"+metaPage, "", "\x00")[1:], kept},
		"an error page": {"HTTP/1.1 404 Gone\r\nContent-Type: text/html\r\n\r\n" + metaPage, kept},
		"xhtml, empty element": {"HTTP/1.1 200 OK\r\nContent-Type: application/xhtml+xml\r\n\r\n<head><title/>" +
			metaPage, kept},
		"type without its semicolon": {"HTTP/1.1 200 OK\r\nContent-Type: text/html charset=utf-8\r\n\r\n<html>" +
			metaPage, kept},
		"two types in one field": {"HTTP/1.1 200 OK\r\nContent-Type: text/html, text/html; charset=x\r\n\r\n<html>" +
			metaPage, kept},
		"no media type":              {"HTTP/1.1 200 OK\r\nContent-Type: html\r\n\r\n<html>" + metaPage, kept},
		"type not known":             {"HTTP/1.1 200 OK\r\nContent-Type: */*\r\n\r\n<html>" + metaPage, kept},
		"no media type, and no HTML": {"HTTP/1.1 200 OK\r\nContent-Type: html\r\n\r\nx" + metaPage, known},
		"xhtml, upper case":          {"HTTP/1.1 200 OK\r\nContent-Type: Application/XHTML+xml\r\n\r\n" + metaPage, kept},
	} {
		got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/", c.block),
			warctest.Response("urn:2", "http://h/2", page("", metaPage))))
		if len(got.fetches) != 2 {
			t.Fatalf("%s: %d fetches", name, len(got.fetches))
		}
		found, ok := tag.Decode(got.fetches[0].Metas)
		text := ""
		for _, it := range found.Items {
			text += it.Name + "=" + it.Content
		}
		if found.Open {
			text += open
		}
		if !ok || text != c.want {
			t.Errorf("%s: kept %q (%t), want %q", name, text, ok, c.want)
		}
	}
}

// An answer to HEAD has the Content-Length of the page, which was not asked for.
func TestHeadHasNoPage(t *testing.T) {
	for method, want := range map[string]bool{"GET": true, "HEAD": false} {
		got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/",
			"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 548\r\n\r\n"),
			warctest.Record{Type: "request", URL: "http://h/", Block: method + " / HTTP/1.1\r\nHost: h\r\n\r\n"}))
		if found, _ := tag.Decode(got.fetches[0].Metas); found.Open != want {
			t.Errorf("%s: kept %+v", method, found)
		}
	}
}

// Nothing after the head of a page is read, and nothing at all of what is no
// page.
func TestPagesAreReadNoFurtherThanNeeded(t *testing.T) {
	for _, c := range []struct {
		mime string
		most int
	}{{"text/html", pagePrefixes[0]}, {"image/png", 0}} {
		counted := &readCounter{r: strings.NewReader("<head></head><body>" + strings.Repeat("x", 4<<20))}
		x := &exchange{}
		x.MIMEType = c.mime
		if x.mayBePage() {
			if _, err := new(extractor).scanPage(&draft{record: new(warc.Record), exchange: x}, &httpmsg.Head{},
				counted); err != nil {
				t.Fatal(err)
			}
		}
		if counted.n > c.most || x.Metas != "" {
			t.Errorf("%s: %d bytes read, at most %d needed; kept %q", c.mime, counted.n, c.most, x.Metas)
		}
	}
}

type readCounter struct {
	r io.Reader
	n int
}

func (c *readCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}
