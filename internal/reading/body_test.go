package reading

import (
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// Bodies that nobody can read are distinguished from parts and from texts (semantics §2).
func TestUndecodable(t *testing.T) {
	gz, long := warctest.Encode(t, "gzip", robotsBody), warctest.Encode(t, "gzip",
		strings.Repeat(robotsBody, 10)+"Disallow: /last\n")
	const whole, part, undecodable = facts.FlagHTTPHead | facts.FlagBodyKept,
		facts.FlagHTTPHead | facts.FlagBodyKept | facts.FlagBodyCut,
		facts.FlagHTTPHead | facts.FlagBodyKept | facts.FlagUndecodable
	for name, c := range map[string]struct {
		head   string
		stored string
		flags  facts.Flags
		issues []string
	}{
		"text": {"", robotsBody, whole, nil},
		"gzip": {"Content-Encoding: gzip\r\n", gz, whole, nil},
		"an unknown coding": {
			"Content-Encoding: dcz\r\n",
			"\x5e\x2a\x4d\x18\x20\x00\x00\x00" + warctest.Encode(t, "zstd", robotsBody),
			undecodable | facts.FlagFalseEncoding,
			[]string{"false_encoding"},
		},
		"an unknown coding, of text": {
			"Content-Encoding: utf-8\r\n", robotsBody, whole | facts.FlagFalseEncoding,
			[]string{"false_encoding"},
		},
		"an unknown coding, of no text": {
			"Content-Encoding: mystery\r\n", strings.Repeat("\x80\x9f\xc1\xfe", 9),
			undecodable | facts.FlagFalseEncoding,
			[]string{"false_encoding"},
		},
		"gzip, of text": {
			"Content-Encoding: gzip\r\n", robotsBody, whole | facts.FlagFalseEncoding,
			[]string{"false_encoding"},
		},
		"gzip, of nothing": {"Content-Encoding: gzip\r\n", "", whole, nil},
		"gzip damaged at its first byte": {
			"Content-Encoding: gzip\r\n", "\x00" + gz[1:],
			undecodable | facts.FlagFalseEncoding,
			[]string{"false_encoding"},
		},
		"gzip damaged in its header": {
			"Content-Encoding: gzip\r\n", gz[:2] + "\x07" + gz[3:],
			undecodable | facts.FlagFalseEncoding,
			[]string{"false_encoding"},
		},
		"gzip damaged in the midst": {
			"Content-Encoding: gzip\r\n", long[:60] + "\xff\xff\xff" + long[63:], part,
			[]string{"body_cut"},
		},
		"gzip whose checksum is wrong": {
			"Content-Encoding: gzip\r\n", gz[:len(gz)-8] + "xxxx" + gz[len(gz)-4:],
			part,
			[]string{"body_cut"},
		},
		"gzip cut short": {"Content-Encoding: gzip\r\n", gz[:len(gz)-9], part, []string{"body_cut"}},
		"zstd declared as br": {
			"Content-Encoding: br\r\n", warctest.Encode(t, "zstd", robotsBody),
			undecodable | facts.FlagFalseEncoding,
			[]string{"false_encoding"},
		},
		"gzip undeclared": {
			"", gz, undecodable | facts.FlagUndeclaredGzip,
			[]string{"undeclared_gzip"},
		},
		"gzip twice, declared once": {
			"Content-Encoding: gzip\r\n", warctest.Encode(t, "gzip", gz), undecodable,
			[]string{"undeclared_binary"},
		},
		"zstd undeclared": {
			"", warctest.Encode(t, "zstd", robotsBody), undecodable,
			[]string{"undeclared_binary"},
		},
		"UTF-16 without a mark": {
			"", warctest.UTF16LE(robotsBody), undecodable,
			[]string{"undeclared_binary"},
		},
		"UTF-16 with a mark": {"", "\xff\xfe" + warctest.UTF16LE(robotsBody), whole, nil},
		"an icon":            {"", "\x00\x00\x01\x00\x03\x00", undecodable, []string{"undeclared_binary"}},
		"br that the crawler says undone": {
			"X-Crawler-Content-Encoding: br\r\n",
			warctest.Encode(t, "br", strings.Repeat("Disallow: /abc/def?x=*&y\n", 9)+gz), undecodable,
			[]string{"undeclared_binary"},
		},
	} {
		got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
			"HTTP/1.1 200 OK\r\n"+c.head+"\r\n"+c.stored)))
		if got.captures[0].Flags != c.flags {
			t.Errorf("%s: flags %b, want %b", name, got.captures[0].Flags, c.flags)
		}
		equal(t, name, got.kinds(), c.issues)
	}
}

// A body that has not all bytes of its Content-Length is a part, also where the crawler has
// written another one in its place.
func TestPartOfABody(t *testing.T) {
	got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
		"HTTP/1.1 200 OK\r\nX-Crawler-Content-Length: 548\r\nContent-Length: 34\r\n\r\n"+robotsBody)))
	equal(t, "issues", got.kinds(), []string{"body_cut"})
	if got.captures[0].Flags&facts.FlagBodyCut == 0 {
		t.Error("a part is taken for the whole file")
	}
}

// Challenges are known by a header field, or by the beginning of a page, as it is decoded; policy files and
// pages alike, whatever the status.
func TestChallengesAreFlagged(t *testing.T) {
	const page = `<!doctype html><html><head><script id="anubis_version" type="application/json">"v1"</script><script id="anubis_challenge" type="application/json">{}</script></head></html>`
	const quoted = `<!doctype html><html><body><code>&lt;script id="anubis_version"&gt;&lt;script id="anubis_challenge"&gt;</code></body></html>`
	for name, c := range map[string]struct {
		block string
		want  bool
	}{
		"a page": {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page, true},
		"coded": {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n" +
			warctest.Encode(t, "gzip", page), true},
		"chunked": {"HTTP/1.1 403 No\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n" +
			warctest.Chunked(page), true},
		"before much": {"HTTP/1.1 503 No\r\nContent-Type: text/html\r\n\r\n" + page +
			strings.Repeat("<p>x</p>", firstPage), true},
		"no media type": {"HTTP/1.1 200 OK\r\n\r\n" + page, true},
		"a field":       {"HTTP/1.1 403 No\r\nCF-Mitigated: challenge\r\n\r\n", true},
		"a field, 202":  {"HTTP/1.1 202 Accepted\r\nx-amzn-waf-action: challenge\r\n\r\n", true},
		"another field": {"HTTP/1.1 403 No\r\nServer: cloudflare\r\nCF-RAY: 1\r\n\r\n", false},
		"a quotation":   {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + quoted, false},
		"of an interim": {
			"HTTP/1.1 103 Early Hints\r\nCF-Mitigated: challenge\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx",
			false,
		},
		"text": {"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n# " + page, false},
		// as it stands
		"another encoding": {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br\r\n\r\n" + page, true},
	} {
		for _, url := range []string{"http://h/page", "http://h/robots.txt", "http://h/ai.txt"} {
			got := read(t, warctest.Plain(warctest.Response("urn:1", url, c.block)))
			if is := got.fetches[0].Flags&facts.FlagChallenge != 0; is != c.want {
				t.Errorf("%s, %s: %t", name, url, is)
			}
		}
	}
}
