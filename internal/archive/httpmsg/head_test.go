package httpmsg

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/tag"
)

func TestParseStatus(t *testing.T) {
	for line, want := range map[string]int16{
		"HTTP/1.1 200 OK":        200,
		"HTTP/1.1 200":           200,
		"HTTP/1.0  404 Not":      404,
		"HTTP/2 200":             200,
		"HTTP/3 301":             301,
		"http/1.1 503 x":         503,
		"HTTP/1.1 0 none":        0,
		"HTTP/1.1 000":           0,
		"HTTP/1.1 99 short":      99,
		"HTTP/1.1 999 Denied":    999,
		"HTTP/1.1 1000 too long": -1,
		"HTTP/1.1 -61":           -1,
		"HTTP/1.1 2oo OK":        -1,
		"HTTP/1.1 OK":            -1,
		"HTTP/1.1":               -1,
		"HTTP/1.1 ":              -1,
		"":                       -1,
	} {
		if got := parseStatus([]byte(line)); got != want {
			t.Errorf("parseStatus(%q) = %d, want %d", line, got, want)
		}
	}
}

func TestParseResponseHead(t *testing.T) {
	h := ParseResponse([]byte("HTTP/1.1 301 Moved\r\n"+
		"LOCATION: /there\r\nLocation: /elsewhere\r\n"+
		"Content-Type: text/plain;\r\n charset=utf-8\r\n"+
		"no colon in this line\r\n"+
		"Content-Encoding: gzip, identity\r\ncontent-encoding: BR\r\n"+
		"Transfer-Encoding: Chunked\r\n"+
		"Content-Range: bytes 0-1/2\r\nDate: Wed, 01 May 2024 12:00:00 GMT\r\n"+
		"\r\nX-Robots-Tag: in the body\r\n"), tag.Keep, nil)
	want := Head{
		Status: 301, Location: "/there /elsewhere", ContentType: "text/plain; charset=utf-8",
		contentEncoding: []string{"gzip", "br"}, transferEncoding: []string{"chunked"}, Repeated: []string{"location"},
		ContentRange: "bytes 0-1/2", Date: "Wed, 01 May 2024 12:00:00 GMT",
	}
	if diff := cmp.Diff(want, h, cmp.AllowUnexported(Head{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPolicyHeaderLines(t *testing.T) {
	h := ParseResponse([]byte("HTTP/1.1 200\n"+
		"X-Robots-Tag: noindex\n"+
		"Server: x\n"+
		"x-robots-tag:  otherbot:\n  nofollow\n"+
		"Robots-Tag: noai;a=1\nContent-Usage: train-ai=n\nTDM-Reservation: 1\ntdm-policy: https://a/p\n"+
		"Link: </l>; rel=license\nLink: </s>; rel=stylesheet\n\n"), tag.Keep, nil)
	want := "X-Robots-Tag: noindex\nx-robots-tag:  otherbot: nofollow\nRobots-Tag: noai;a=1\nContent-Usage: train-ai=n\n" +
		"TDM-Reservation: 1\ntdm-policy: https://a/p\nLink: </l>; rel=license"
	if string(h.Policy) != want {
		t.Errorf("policy lines %q", h.Policy)
	}
	if h.PolicyCut {
		t.Error("nothing was cut")
	}
}

func TestPolicyHeaderLinesAreBounded(t *testing.T) {
	long := ParseResponse([]byte("HTTP/1.1 200\nX-Robots-Tag: "+strings.Repeat("noindex, ", 2000)+"\n\n"), tag.Keep, nil)
	if !long.PolicyCut || len(long.Policy) > 9<<10 {
		t.Errorf("a long line: %d bytes, cut %v", len(long.Policy), long.PolicyCut)
	}
	many := ParseResponse([]byte("HTTP/1.1 200\n"+strings.Repeat("X-Robots-Tag: noindex\n", 100_000)+"\n"), tag.Keep, nil)
	if !many.PolicyCut || len(many.Policy) > MaxPolicyHeaders {
		t.Errorf("many lines: %d bytes, cut %v", len(many.Policy), many.PolicyCut)
	}
	codings := ParseResponse([]byte("HTTP/1.1 200\n"+strings.Repeat("Content-Encoding: gzip\n", 40_000)+"\n"), tag.Keep, nil)
	if n := len(codings.contentEncoding); n != maxCodings+1 {
		t.Errorf("%d content codings kept", n)
	}
}

func TestParseRequestHead(t *testing.T) {
	for in, want := range map[string]Head{
		"GET /x HTTP/1.1\r\nUser-Agent: a/1\r\nUser-Agent: b/2\r\n\r\n": {
			Status: -1, Method: "GET", UserAgent: "a/1\nb/2", Repeated: []string{"user-agent"},
		},
		"head / HTTP/1.0\nuser-agent:  b \n\n": {Status: -1, Method: "HEAD", UserAgent: "b"},
		"POST":                                 {Status: -1, Method: "POST"},
		"":                                     {Status: -1},
		strings.Repeat("x", 99) +
			" / HTTP": {Status: -1, Method: strings.Repeat("X", maxMethod)},
		"GET / HTTP/1.1\r\nHost: a:80\r\nhost: b\r\n\r\n": {
			Status: -1, Method: "GET", Host: "a:80 b", Repeated: []string{"host"},
		},
		"GET http://A.example:80/x HTTP/1.1\r\nHost: b\r\n\r\n": {Status: -1, Method: "GET", Host: "a.example"},
		"GET https://a.example:8443 HTTP/1.1\r\n\r\n":           {Status: -1, Method: "GET", Host: "a.example:8443"},
		"OPTIONS * HTTP/1.1\r\nHost: b\r\n\r\n":                 {Status: -1, Method: "OPTIONS", Host: "b"},
		"GET / HTTP/1.1\r\nIf-None-Match: \"x\", W/\"y\"\r\nIf-Modified-Since: Wed, 01 May 2024 10:00:00 GMT\r\n\r\n": {
			Status: -1, Method: "GET", IfNoneMatch: `"x", W/"y"`, IfModifiedSince: "Wed, 01 May 2024 10:00:00 GMT",
		},
	} {
		if diff := cmp.Diff(want, ParseRequest([]byte(in)), cmp.AllowUnexported(Head{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

func TestReadHead(t *testing.T) {
	for _, c := range []struct {
		in, head, body string
		complete       bool
	}{
		{"HTTP/1.1 200\r\nA: b\r\n\r\nbody", "HTTP/1.1 200\r\nA: b\r\n\r\n", "body", true},
		{"HTTP/1.1 200\nA: b\n\nbody\n\nmore", "HTTP/1.1 200\nA: b\n\n", "body\n\nmore", true},
		{"HTTP/1.1 200\nA: b\n\r\nbody", "HTTP/1.1 200\nA: b\n\r\n", "body", true},
		{"HTTP/1.1 200\r\nA: b\r\n\nbody", "HTTP/1.1 200\r\nA: b\r\n\n", "body", true},
		{"HTTP/1.1 200\r\n\r\n", "HTTP/1.1 200\r\n\r\n", "", true},
		{"HTTP/1.1 200\r\nA: b", "HTTP/1.1 200\r\nA: b", "", false},
		{"HTTP/1.1 200\r\nA: b\r\n\r", "HTTP/1.1 200\r\nA: b\r\n\r", "", false},
		{"", "", "", false},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\nA: b\r\n\r\nbody", "HTTP/1.1 200\r\nA: b\r\n\r\n", "body", true},
		{"HTTP/1.1 103 Early Hints\nLink: </l>\n\n\r\nHTTP/1.1 102\n\nhttp/2 404\n\n", "http/2 404\n\n", "", true},
		{"HTTP/1.1 100\r\n\r\nHTTP/1.1 200\r\nA: b", "HTTP/1.1 200\r\nA: b", "", false},
		{"HTTP/1.1 100\r\n\r\nHTTP", "HTTP/1.1 100\r\n\r\n", "HTTP", true},
		{"HTTP/1.1 100\r\n\r\n", "HTTP/1.1 100\r\n\r\n", "", true},
		{
			"HTTP/1.1 101 Switching Protocols\r\n\r\nHTML\n\nHTTP/1.1 200\n\n",
			"HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTML\n\nHTTP/1.1 200\n\n", true,
		},
		{"HTTP/1.1 200\r\n\r\nHTTP/1.1 404\r\n\r\n", "HTTP/1.1 200\r\n\r\n", "HTTP/1.1 404\r\n\r\n", true},
		{"GET / HTTP/1.1\r\n\r\nHTTP/1.1 200\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200\r\n\r\n", true},
	} {
		for name, r := range map[string]io.Reader{
			"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
		} {
			head, body, complete, err := ReadHead(r, nil, 1<<20)
			rest, _ := io.ReadAll(r)
			if string(head) != c.head || string(body)+string(rest) != c.body || complete != c.complete || err != nil {
				t.Errorf("%q %s: %q, %q + %q, %v, %v", c.in, name, head, body, rest, complete, err)
			}
		}
	}
	head, _, complete, err := ReadHead(strings.NewReader(strings.Repeat("x", 1<<20)), nil, 10<<10)
	if len(head) < 10<<10 || len(head) > 40<<10 || complete || err != nil {
		t.Errorf("no end: %d bytes, %v, %v", len(head), complete, err)
	}
	broken := errors.New("broken")
	if _, _, _, err := ReadHead(iotest.ErrReader(broken), nil, 99); err != broken {
		t.Errorf("error %v", err)
	}
}

// Interim heads without end cost no memory, and time in proportion.
func TestReadHeadBehindManyInterimOnes(t *testing.T) {
	const interim, answer = "HTTP/1.1 100\n\n", "HTTP/1.1 200 OK\n\n"
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"at once": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader,
	} {
		in := strings.NewReader(strings.Repeat(interim, 200_000) + answer + "body")
		head, body, complete, err := ReadHead(wrap(in), make([]byte, 0, 1<<20), 1<<20)
		if string(head) != answer || !strings.HasPrefix("body", string(body)) || !complete || err != nil ||
			cap(head) > 4<<20 {
			t.Errorf("%s: %q, %q of %d bytes, %t, %v", name, head, body, cap(head), complete, err)
		}
	}
}

func TestOtherProtocol(t *testing.T) {
	for in, want := range map[string]bool{
		"SPDY/3 503 Service Unavailable\r\nRetry-After: 60\r\n\r\n": true,
		"ICY 503\r\n":                   true,
		":status: 503\r\nserver: x\r\n": true,
		"Status: 404 Not Found\r\n":     true,
		"ICY 200 OK":                    true,
		"HTTQ/1.1 302 Found\n":          true,
		"HTTP1.1 200 OK\n":              true,
		"HTP/1.1\t\t200\tOK\n":          true,
		"\r\n\r\nRTSP/1.0 404 x\n":      true,
		" HTTP/1.1 200 OK\n":            true,
		"\t HTTP/1.1 200 OK\n":          true,
		"\ufeffHTTP/1.1 503 x\n":        true,
		"HTTP /1.1 503 x\n":             true,
		"http\t/1.1 200\n":              true,
		"GET /a HTTP/1.1\r\nHost: a\n":  true,

		"HTTP/1.1 200 OK\n":               false, // is HTTP
		"\ufeffUser-agent: *\n":           false,
		"HTTP /1.1\n":                     false,
		"GET /a\n":                        false,
		"HTTP 502 Bad Gateway\n":          false, // is taken for it
		"User-agent: *\nDisallow: /":      false,
		"Disallow: 404\n":                 false,
		"404 Not Found\n":                 false,
		"200 OK\n":                        false,
		"<html>404 x":                     false,
		"Error: 404 x":                    false,
		"Error 40 x":                      false,
		"Error 4040 x":                    false,
		"Error 099 x":                     false,
		"Error 404: x":                    false,
		"Error code 404":                  false,
		"é 404":                           false,
		" User-agent: *":                  false,
		" ICY 503":                        false, // white space before HTTP alone
		"a\n404 x":                        false, // in another line
		"":                                false,
		"ICY":                             false,
		strings.Repeat("x", 300) + " 404": false,
	} {
		if _, got := OtherProtocol([]byte(in)); got != want {
			t.Errorf("%q: %t", in, got)
		}
		if h := ParseResponse([]byte(in), tag.Keep, nil); want && h.Status != -1 {
			t.Errorf("%q: status %d", in, h.Status)
		}
	}
}
