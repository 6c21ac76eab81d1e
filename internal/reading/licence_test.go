package reading

import (
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// Licence documents are known by their media type, or as XML by their root element, and never by their URL.
func TestLicenceDocuments(t *testing.T) {
	const document = `<?xml version="1.0"?><!-- x --><rsl xmlns="https://rslstandard.org/rsl"></rsl>`
	gz := warctest.Encode(t, "gzip", document)
	for name, c := range map[string]struct {
		head, body string
		is         bool
	}{
		"by its type": {
			"200 OK\r\nContent-Type: Application/RSL+xml; charset=utf-8\r\n", "anything",
			true,
		},
		"by its root": {"200 OK\r\nContent-Type: text/xml\r\n", document, true},
		"in a coding": {"200 OK\r\nContent-Type: application/xml\r\nContent-Encoding: gzip\r\n", gz, true},
		"with a prefix": {
			"200 OK\r\nContent-Type: application/xml\r\n",
			`<r:rsl xmlns:r="https://rslstandard.org/rsl"/>`, true,
		},
		"in another namespace": {
			"200 OK\r\nContent-Type: application/xml\r\n",
			`<rsl><a xmlns="https://rslstandard.org/rsl"/></rsl>`, false,
		},
		"in a feed": {
			"200 OK\r\nContent-Type: application/xml\r\n",
			`<rss xmlns:rsl="https://rslstandard.org/rsl"><rsl:content/></rss>`, false,
		},
		"behind 8 KiB": {
			"200 OK\r\nContent-Type: application/xml\r\n",
			`<!--` + strings.Repeat("x", firstLicence) + `-->` + document, false,
		},
		"not found":  {"404 Not Found\r\nContent-Type: application/rsl+xml\r\n", document, false},
		"by its URL": {"200 OK\r\nContent-Type: text/plain\r\n", document, false},
		"that is no XML": {
			"200 OK\r\nContent-Type: application/xml\r\n", "https://rslstandard.org/rsl <<<",
			false,
		},
		"a page that speaks of it": {"200 OK\r\nContent-Type: text/html\r\n", document, false},
	} {
		block := "HTTP/1.1 " + c.head + "\r\n" + c.body
		got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/license.xml", block)))
		is := len(got.captures) == 1 && got.captures[0].Kind == facts.CaptureRSL &&
			got.captures[0].Flags&facts.FlagBodyKept != 0
		if is != c.is || len(got.fetches) != 1 {
			t.Errorf("%s: %v, want %v", name, is, c.is)
		}
	}
}

// The digests of a licence document are compared, though only the end of its HTTP head reveals it as one.
func TestDigestOfALicenceDocument(t *testing.T) {
	block := "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n" + `<rsl xmlns="https://rslstandard.org/rsl">` +
		strings.Repeat("<content/>", 5000) + `</rsl>`
	for hashed, flag := range map[string]facts.Flags{block: 0, block + "x": facts.FlagDigestMismatch} {
		got := read(t, warctest.GzipMembers(warctest.Response("urn:1", "http://h/x", block,
			labelled("WARC-Block-Digest", "sha1", hashed))))
		if len(got.captures) != 1 || got.captures[0].Flags&facts.FlagDigestMismatch != flag {
			t.Errorf("%d captures, want flag %b", len(got.captures), flag)
		}
	}
}
