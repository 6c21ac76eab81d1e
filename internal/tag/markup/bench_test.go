package markup

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// benchPage is a page of the size and shape that pages have: a head with metas,
// links and scripts, and about 100 KB of body.
func benchPage(extra string) []byte {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\"><head>\n<meta charset=\"utf-8\">\n<title>A page &amp; its " +
		"head</title>\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"description\" " +
		"content=\"What all of it is about\">\n")
	for range 10 {
		b.WriteString("<meta property=\"og:title\" content=\"A page and its head\"><link rel=\"stylesheet\" " +
			"href=\"/static/style.css?v=12345\" type=\"text/css\">\n")
	}
	b.WriteString(extra + "<script>" + strings.Repeat("var a = b < c ? d : e; f(\"<p>\");\n", 60) +
		"</script></head>\n<body class=\"home page\">\n")
	for range 400 {
		b.WriteString("<div class=\"item\" id=\"item-1\"><a href=\"https://www.example.com/path/to/page\" title=\"A " +
			"title\">A link</a>\n" +
			"<p>Some words of text that stand between the tags of a page, as long as a sentence is.</p><img " +
			"src=\"/i/1.png\" alt=\"\"></div>\n")
	}
	b.WriteString("</body></html>\n")
	return b.Bytes()
}

const benchMetas = `<meta name="robots" content="noindex, max-image-preview:large"><meta name="googlebot" content="noarchive">` + "\n"

// otherMetas are elements that do not speak of use, as many as large sites have.
const otherMetas = `<meta charset="utf-8"><meta http-equiv="X-UA-Compatible" content="IE=edge"><meta name="google-site-verification" content="a1b2c3">
<meta name="twitter:card" content="summary"><meta name="theme-color" content="#fff"><meta name='csrf-token' content='abc/def=='>
<link rel="preload" as="font" type="font/woff2" href="/f.woff2" crossorigin><link rel="alternate" hreflang="de" href="https://example.com/de/">
<link rel="shortcut icon" href="/favicon.ico"><link href="https://example.com/" rel=canonical />
`

func BenchmarkScan(b *testing.B) {
	for name, page := range map[string][]byte{
		"without": benchPage(""),
		"with":    benchPage(benchMetas),
		"others":  benchPage(strings.Repeat(otherMetas, 12)),
		"text":    bytes.Repeat([]byte("<p>"+strings.Repeat("A sentence of text. ", 40)+"</p>\n"), 120),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				Scan(page, "", false)
			}
		})
		b.Run(name+"/x-net-html", func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				z := html.NewTokenizer(bytes.NewReader(page))
				for z.Next() != html.ErrorToken {
				}
				if z.Err() != io.EOF {
					b.Fatal(z.Err())
				}
			}
		})
		b.Run(name+"/less-than", func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				for rest := page; ; {
					n := bytes.IndexByte(rest, '<')
					if n < 0 {
						break
					}
					rest = rest[n+1:]
				}
			}
		})
	}
}
