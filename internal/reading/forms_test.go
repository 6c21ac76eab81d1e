package reading

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Every form of an HTTP answer that archives hold, byte by byte, as the capture
// of a robots.txt.
func TestHTTPForms(t *testing.T) {
	gz := warctest.Encode(t, "gzip", robotsBody)
	br := warctest.Encode(t, "br", robotsBody)
	head := func(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n\r\n" }
	for name, c := range map[string]struct {
		block    string
		status   int16
		location string
		body     string
		issues   []string
	}{
		"an empty line first":  {"\r\nHTTP/1.1 503 Down\r\nX: y\r\n\r\nsorry", 503, "", "sorry", nil},
		"empty lines first":    {"\n\r\n\nHTTP/1.1 200 OK\n\n" + robotsBody, 200, "", robotsBody, nil},
		"HTTP/0.9, empty line": {"\n\n" + robotsBody, -1, "", "\n\n" + robotsBody, nil},
		"HTTP/0.9":             {robotsBody, -1, "", robotsBody, nil},
		"an interim head": {head("HTTP/1.1 100 Continue", "Location: /early") + head("HTTP/1.1 200 OK") +
			robotsBody, 200, "", robotsBody, nil},
		"an interim head only": {head("HTTP/1.1 100 Continue") + robotsBody, 100, "", robotsBody, nil},
		"SPDY": {
			head("SPDY/3 301 Moved", "Location: /there") + robotsBody, -1, "/there", robotsBody,
			[]string{"bad_http_head"},
		},
		"misspelt":           {head("HTTQ/1.1 200 OK") + robotsBody, -1, "", robotsBody, []string{"bad_http_head"}},
		"blanks first":       {head(" HTTP/1.1 200 OK") + robotsBody, -1, "", robotsBody, []string{"bad_http_head"}},
		"a record, no colon": {"Disallow 404\n\n" + robotsBody, -1, "", "Disallow 404\n\n" + robotsBody, nil},
		"text":               {"Not found: 404\n", -1, "", "Not found: 404\n", nil},
		"HTTP/1.0":           {head("HTTP/1.0 200 OK") + robotsBody, 200, "", robotsBody, nil},
		"HTTP/2":             {head("HTTP/2 200") + robotsBody, 200, "", robotsBody, nil},
		"HTTP/2.0":           {head("HTTP/2.0 200 ") + robotsBody, 200, "", robotsBody, nil},
		"HTTP/3":             {head("HTTP/3 404 Not Found") + "none", 404, "", "none", nil},
		"no version":         {head("HTTP/ 200 OK") + robotsBody, 200, "", robotsBody, nil},
		"line feeds":         {"HTTP/1.1 200 OK\nServer: x\n\n" + robotsBody, 200, "", robotsBody, nil},
		"mixed line ends":    {"HTTP/1.1 200 OK\r\nServer: x\n\r\n" + robotsBody, 200, "", robotsBody, nil},
		"no fields":          {head("HTTP/1.1 200 OK") + robotsBody, 200, "", robotsBody, nil},
		"status 0":           {head("HTTP/1.1 0 ") + robotsBody, 0, "", robotsBody, nil},
		"status 000":         {head("HTTP/1.1 000") + robotsBody, 0, "", robotsBody, nil},
		"status 20":          {head("HTTP/1.1 20 OK") + robotsBody, 20, "", robotsBody, nil},
		"status of 4 digits": {head("HTTP/1.1 2000 OK") + robotsBody, -1, "", robotsBody, []string{"bad_http_head"}},
		"status of letters":  {head("HTTP/1.1 OK") + robotsBody, -1, "", robotsBody, []string{"bad_http_head"}},
		"folded Location":    {head("HTTP/1.1 301 x", "Location:", " /there"), 301, "/there", "", nil},
		"two Locations": {
			head("HTTP/1.1 301 x", "Location: /a", "location: /b"), 301, "/a /b", "",
			[]string{"repeated_field"},
		},
		"one Location twice": {head("HTTP/1.1 301 x", "Location: /a", "location: /a"), 301, "/a", "", nil},
		"two Content-Types": {head("HTTP/1.1 200 OK", "Content-Type: text/plain", "Content-Type: text/html") +
			robotsBody, 200, "", robotsBody, []string{"repeated_field"}},
		"no colon": {
			head("HTTP/1.1 200 OK", "some proxy was here", "Location /x") + robotsBody, 200, "",
			robotsBody, nil,
		},
		"no end of head": {
			"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + robotsBody, 200, "", "",
			[]string{"bad_http_head", "body_cut"},
		},
		"a status line only": {"HTTP/1.1 404 Not Found", 404, "", "", []string{"bad_http_head", "body_cut"}},

		"of its Content-Length": {head("HTTP/1.1 200 OK", fmt.Sprint("Content-Length: ", len(robotsBody))) +
			robotsBody, 200, "", robotsBody, nil},
		"longer than its Content-Length": {
			head("HTTP/1.1 200 OK", "Content-Length: 3") + robotsBody, 200, "",
			robotsBody, nil,
		},
		"shorter than its Content-Length": {
			head("HTTP/1.1 200 OK", "Content-Length: 9999") + robotsBody, 200, "",
			robotsBody,
			[]string{"body_cut"},
		},
		"none of its Content-Length": {
			head("HTTP/1.1 200 OK", "Content-Length: 9999"), 200, "", "",
			[]string{"body_cut"},
		},
		"no Content-Length": {
			head("HTTP/1.1 200 OK", "Content-Length: 9e9") + robotsBody, 200, "",
			robotsBody, nil,
		},
		"a 404 shorter than its": {
			head("HTTP/1.1 404 No", "Content-Length: 9999") + "none", 404, "", "none",
			nil,
		},
		"the Content-Length of a coding": {head("HTTP/1.1 200 OK", "Content-Length: 9999",
			"X-Orig-Content-Encoding: br") + robotsBody, 200, "", robotsBody, nil},
		"chunked, with a Content-Length": {head("HTTP/1.1 200 OK", "Content-Length: 9999",
			"Transfer-Encoding: chunked") + warctest.Chunked(robotsBody), 200, "", robotsBody, nil},

		"chunked": {head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") +
			warctest.Chunked(robotsBody), 200, "", robotsBody, nil},
		"chunked, said twice": {head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked",
			"Transfer-Encoding: chunked") + warctest.Chunked(robotsBody), 200, "", robotsBody, nil},
		"dechunked, header left": {
			head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + robotsBody, 200, "",
			robotsBody,
			[]string{"false_chunked"},
		},
		"chunks that break": {head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") +
			"5\r\nUser-\r\nxyz\r\nagent: *\r\n0\r\n\r\n", 200, "", "User-", []string{"body_cut"}},
		"chunked gzip": {head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Content-Encoding: gzip") +
			warctest.Chunked(gz), 200, "", robotsBody, nil},
		"gzip as transfer coding": {
			head("HTTP/1.1 200 OK", "Transfer-Encoding: gzip, chunked") + warctest.Chunked(gz),
			200, "", robotsBody, nil,
		},
		"gzip": {head("HTTP/1.1 200 OK", "Content-Encoding: GZIP") + gz, 200, "", robotsBody, nil},
		"a list of codings": {head("HTTP/1.1 200 OK", "Content-Encoding: br, gzip") +
			warctest.Encode(t, "gzip", br), 200, "", robotsBody, nil},
		"a list in two fields": {head("HTTP/1.1 200 OK", "Content-Encoding: br", "Content-Encoding: gzip") +
			warctest.Encode(t, "gzip", br), 200, "", robotsBody, nil},
		"identity": {
			head("HTTP/1.1 200 OK", "Content-Encoding: identity") + robotsBody, 200, "",
			robotsBody, nil,
		},
		"decoded, header left": {
			head("HTTP/1.1 200 OK", "Content-Encoding: gzip") + robotsBody, 200, "", robotsBody,
			[]string{"false_encoding"},
		},
		"undeclared gzip": {head("HTTP/1.1 200 OK") + gz, 200, "", gz, []string{"undeclared_gzip"}},
		// Crawlers that store what they have decoded rename the fields.
		"renamed by Common Crawl": {head("HTTP/1.1 200 OK", "X-Crawler-Transfer-Encoding: chunked",
			"X-Crawler-Content-Encoding: gzip", "Content-Length: 34") + robotsBody, 200, "", robotsBody, nil},
		"renamed by Browsertrix": {head("HTTP/1.1 200 OK", "x-orig-transfer-encoding: chunked",
			"x-orig-content-encoding: br") + robotsBody, 200, "", robotsBody, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt", c.block)))
			equal(t, "issues", got.kinds(), c.issues)
			if len(got.captures) != 1 {
				t.Fatalf("%d captures", len(got.captures))
			}
			if f := got.captures[0]; f.Status != c.status || f.Location != c.location || got.bodies[0] != c.body {
				t.Errorf("status %d, location %q, body %q", f.Status, f.Location, got.bodies[0])
			}
		})
	}
	// A revisit's block is its head, often without the empty line.
	got := read(t, warctest.Plain(warctest.Record{
		Type: "revisit", ID: "urn:1", URL: "http://h/robots.txt",
		Block: "HTTP/1.1 200 OK\r\nServer: x\r\n",
	}))
	if len(got.issues) > 0 || got.fetches[0].Status != 200 {
		t.Errorf("revisit: %v, status %d", got.kinds(), got.fetches[0].Status)
	}
}

// An answer to HEAD has the Content-Length of the body that it leaves out.
func TestContentLengthOfHead(t *testing.T) {
	answer := warctest.Response("urn:1", "http://h/robots.txt", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
	asked := func(method string) warctest.Record {
		return warctest.Record{
			Type: "request", ID: "urn:q", URL: answer.URL,
			Fields: []string{"WARC-Concurrent-To: <urn:1>"}, Block: method + " /robots.txt HTTP/1.1\r\n\r\n",
		}
	}
	for _, order := range [][]warctest.Record{{asked("HEAD"), answer}, {answer, asked("HEAD")}} {
		got := read(t, warctest.Plain(order...))
		equal(t, "HEAD", got.kinds(), nil)
		if got.fetches[0].Flags&facts.FlagBodyCut != 0 || len(got.captures) != 0 {
			t.Errorf("flags %b, %d captures", got.fetches[0].Flags, len(got.captures))
		}
	}
	got := read(t, warctest.Plain(answer, asked("GET")))
	equal(t, "GET", got.kinds(), []string{"body_cut"})
	if i := got.issues[0]; i.RecordID != "urn:1" || i.Length <= 0 || got.captures[0].Flags&facts.FlagBodyCut == 0 {
		t.Errorf("%+v, flags %b", i, got.captures[0].Flags)
	}
}

// Every form of a record header, byte by byte.
func TestRecordForms(t *testing.T) {
	const block = "HTTP/1.1 200 OK\r\n\r\nbody"
	fields := func(end string, lines ...string) string {
		return strings.Join(lines, end) + end + fmt.Sprintf("Content-Length: %d", len(block)) + end + end + block +
			end + end
	}
	base := []string{
		"WARC-Type: response", "WARC-Date: 2024-05-01T12:00:00Z", "WARC-Record-ID: <urn:1>",
		"WARC-Target-URI: http://h/a",
	}
	with := func(version string, more ...string) []string {
		return append(append([]string{version}, base...), more...)
	}
	for name, c := range map[string]struct {
		record string
		url    string
		date   string // as parsed again
		issues []string
	}{
		"0.17": {fields("\r\n", with("WARC/0.17")...), "http://h/a", "2024-05-01T12:00:00Z", nil},
		"0.18": {fields("\n", with("WARC/0.18")...), "http://h/a", "2024-05-01T12:00:00Z", nil},
		"1.0":  {fields("\r\n", with("WARC/1.0")...), "http://h/a", "2024-05-01T12:00:00Z", nil},
		"1.1":  {fields("\r\n", with("WARC/1.1")...), "http://h/a", "2024-05-01T12:00:00Z", nil},
		"lower case": {fields("\r\n", "warc/1.0", "warc-type: RESPONSE", "warc-date: 2024-05-01T12:00:00Z",
			"warc-target-uri: http://h/a"), "http://h/a", "2024-05-01T12:00:00Z", nil},
		"folded": {fields("\r\n", "WARC/1.0", "WARC-Type:", " response", "WARC-Date: 2024-05-01T12:00:00Z",
			"WARC-Target-URI:", "\thttp://h/a"), "http://h/a", "2024-05-01T12:00:00Z", nil},
		"repeated": {
			fields("\r\n", with("WARC/1.0", "WARC-Target-URI: http://evil/")...), "http://h/a",
			"2024-05-01T12:00:00Z",
			[]string{"repeated_field"},
		},
		"lengths": {
			fields("\r\n", with("WARC/1.0", "Content-Length: 23", "Content-Length: 7")...), "http://h/a",
			"2024-05-01T12:00:00Z",
			[]string{"repeated_field"},
		},
		"brackets": {fields("\r\n", "WARC/1.0", "WARC-Type: response", "WARC-Date: 2024-05-01T12:00:00Z",
			"WARC-Target-URI: <http://h/a>"), "http://h/a", "2024-05-01T12:00:00Z", nil},
		"space": {fields("\r\n", "WARC/1.0", "WARC-Type: response", "WARC-Date: 2024-05-01T12:00:00Z",
			"WARC-Target-URI: http://h/a b"), "http://h/a b", "2024-05-01T12:00:00Z", []string{"bad_url"}},
		"CR in the URI": {fields("\r\n", "WARC/1.0", "WARC-Type: response", "WARC-Date: 2024-05-01T12:00:00Z",
			"WARC-Target-URI: http://h/a\rb"), "http://h/a\rb", "2024-05-01T12:00:00Z", []string{"bad_url"}},
		"control": {fields("\r\n", "WARC/1.0", "WARC-Type: response", "WARC-Date: 2024-05-01T12:00:00Z",
			"WARC-Target-URI: http://h/a\x01\x7f"), "http://h/a\x01\x7f", "2024-05-01T12:00:00Z", []string{"bad_url"}},
		"year": {fields("\r\n", "WARC/1.0", "WARC-Type: response", "WARC-Date: 2024",
			"WARC-Target-URI: http://h/a"), "http://h/a", "2024", nil},
		"nanoseconds": {fields("\r\n", "WARC/1.1", "WARC-Type: response", "WARC-Date: 2024-05-01T12:00:00.123456789Z",
			"WARC-Target-URI: http://h/a"), "http://h/a", "2024-05-01T12:00:00.123456Z", nil},
		"impossible": {fields("\r\n", "WARC/1.1", "WARC-Type: response", "WARC-Date: 2023-02-29T12:00:00Z",
			"WARC-Target-URI: http://h/a"), "http://h/a", "", []string{"bad_date"}},
		"no date": {
			fields("\r\n", "WARC/1.1", "WARC-Type: response", "WARC-Target-URI: http://h/a"), "http://h/a", "",
			[]string{"bad_date"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, _, _ := facts.ParseDate(c.date)
			for form, got := range map[string]*collected{
				"plain":  read(t, []byte(c.record)),
				"member": read(t, warctest.Gzip(c.record)), "pipe": readPipe(t, []byte(c.record)),
			} {
				issues := c.issues
				if form != "member" && slices.Contains(issues, "repeated_field") { // no checksum covers the header
					issues = []string{"bad_record_header"}
				}
				equal(t, form+": issues", got.kinds(), issues)
				if len(got.fetches) != 1 || got.fetches[0].URL != c.url || got.fetches[0].Time() != want ||
					got.fetches[0].Status != 200 {
					t.Errorf("%s: %+v", form, got.fetches)
				}
			}
		})
	}
}

// A value over its cap is cut, or not read, and an issue reports it. The entries are
// named after the caps in limits.go: one for each, or in elsewhere.
func TestCapsHaveIssues(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	waiting := func() (list []warctest.Record) {
		for i := range 70 {
			list = append(list, warctest.Response(fmt.Sprintf("urn:%d", i), fmt.Sprintf("http://h%d/robots.txt", i),
				"HTTP/1.1 200\r\n\r\n"+long(1<<19)))
		}
		return list
	}()
	var infos []warctest.Record
	for i := range warc.MaxWarcinfos + 1 {
		infos = append(infos, warctest.Warcinfo(fmt.Sprintf("urn:%d", i), "software: x\r\n"))
	}
	var runs []warctest.Record
	for i := range maxRuns + 1 {
		runs = append(runs, warctest.Response(fmt.Sprintf("urn:%d", i), "http://h/", ok200,
			fmt.Sprintf("WARC-Warcinfo-ID: <urn:i%d>", i)))
	}
	tiny := func(s string) (b []byte) {
		for i := range len(s) {
			b = append(b, warctest.Gzip(s[i:i+1])...)
		}
		return b
	}
	left := caps(t)
	for name := range capsElsewhere {
		if !left[name] {
			t.Errorf("%s is no cap", name)
		}
		delete(left, name)
	}
	for name, c := range map[string]struct {
		archive []byte
		want    []string
	}{
		"maxMetadata": {warctest.Plain(metadataRecord("urn:m", "http://h/",
			strings.Repeat("x: y\r\n", maxMetadata/6+1))), []string{"value_cut"}},
		"maxHopsFromSeed": {warctest.Plain(metadataRecord("urn:m", "http://h/",
			"hopsFromSeed: "+long(maxHopsFromSeed+1)+"\r\n")), []string{"value_cut"}},
		"MaxRecordHeader": {warctest.Plain(warctest.Response("urn:1", "http://h/", ok200,
			"X: "+long(warc.MaxRecordHeader))), []string{"header_too_long", "skipped_range"}},
		"maxHTTPHead": {warctest.Plain(warctest.Response("urn:1", "http://h/",
			"HTTP/1.1 200\r\nX: "+long(3*MaxHTTPHead))), []string{"bad_http_head"}},
		"maxWarcinfo": {warctest.Plain(warctest.Warcinfo("urn:i",
			"x: y\r\nsoftware: "+long(maxWarcinfo))), []string{"value_cut"}},
		"MaxRecordID": {warctest.Plain(warctest.Response("urn:"+long(warc.MaxRecordID), "http://h/",
			ok200)), []string{"value_cut"}},
		"MaxFieldValue": {warctest.Plain(warctest.Response("urn:1", "http://h/",
			"HTTP/1.1 200\r\nContent-Type: "+long(warc.MaxFieldValue+1)+"\r\n\r\n")), []string{"value_cut"}},
		"MaxFieldValue, digest": {warctest.Plain(warctest.Response("urn:1", "http://h/", ok200,
			"WARC-Payload-Digest: sha1:"+long(warc.MaxFieldValue))), []string{"value_cut"}},
		"maxWord": {warctest.Plain(warctest.Response("urn:1", "http://h/", ok200,
			"WARC-Truncated: "+long(maxWord+1))), []string{"value_cut"}},
		"maxRequestHead": {warctest.Plain(warctest.Request("urn:q", "http://h/",
			"x\r\nX: "+long(4*maxRequestHead))), []string{"value_cut", "request_alone"}},
		"MaxURL": {warctest.Plain(warctest.Response("urn:1", "http://h/"+long(warc.MaxURL),
			ok200)), []string{"url_too_long"}},
		"MaxURL, Location": {warctest.Plain(warctest.Response("urn:1", "http://h/",
			"HTTP/1.1 301\r\nLocation: /"+long(warc.MaxURL)+"\r\n\r\n")), []string{"value_cut"}},
		"MaxUserAgent": {warctest.Plain(warctest.Request("urn:q", "http://h/",
			long(httpmsg.MaxUserAgent+1))), []string{"value_cut", "request_alone"}},
		"MaxUserAgent, warcinfo": {warctest.Plain(warctest.Warcinfo("urn:i",
			"operator: "+long(httpmsg.MaxUserAgent+1)+"\r\n")), []string{"value_cut"}},
		"MaxPolicyHeaders": {
			warctest.Plain(warctest.Response("urn:1", "http://h/",
				"HTTP/1.1 200\r\n"+strings.Repeat("X-Robots-Tag: noindex\r\n", 5000)+"\r\n")),
			[]string{"policy_headers_cut"},
		},
		"maxPolicyLine": {warctest.Plain(warctest.Response("urn:1", "http://h/",
			"HTTP/1.1 200\r\nX-Robots-Tag: "+long(tag.MaxLine+64)+"\r\n\r\n")), []string{"policy_headers_cut"}},
		"maxValidator": {warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
			"HTTP/1.1 200\r\nETag: "+long(1<<10+1)+"\r\n\r\n")), []string{"value_cut"}},
		"maxValidator, of a request": {warctest.Plain(warctest.Record{
			Type: "request", URL: "http://h/",
			Block: "GET / HTTP/1.1\r\nIf-None-Match: " + long(1<<10+1) + "\r\n\r\n",
		}), []string{"value_cut", "request_alone"}},
		"maxHost": {warctest.Plain(warctest.Record{
			Type: "request", URL: "http://h/",
			Block: "GET / HTTP/1.1\r\nHost: " + long(1<<10+1) + "\r\n\r\n",
		}), []string{"value_cut", "request_alone"}},
		"MaxBody": {warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
			"HTTP/1.1 200\r\n\r\n"+long(httpmsg.MaxBody+1))), []string{"body_cut"}},
		"MaxBody, decoded twice": {
			warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
				"HTTP/1.1 200\r\nContent-Encoding: gzip, gzip\r\n\r\n"+nestedZeros())),
			[]string{"body_cut", "undeclared_binary"},
		},
		"maxCodings": {warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
			"HTTP/1.1 200\r\nContent-Encoding: "+strings.Repeat("gzip,", 9)+"\r\n\r\nx")), []string{"false_encoding"}},
		"maxPending":   {warctest.Plain(waiting...), []string{"limit_reached"}},
		"maxRuns":      {warctest.Plain(runs...), []string{"limit_reached"}},
		"MaxWarcinfos": {warctest.Plain(infos...), []string{"limit_reached"}},
		"MaxConcurrent": {
			warctest.Plain(warctest.Response("urn:1", "http://h/", ok200,
				strings.Repeat("WARC-Concurrent-To: <urn:x>\r\n", warc.MaxConcurrent)+"WARC-Concurrent-To: <urn:y>")),
			[]string{"value_cut"},
		},
		"MaxRepeated": {
			warctest.Plain(warctest.Response("urn:1", "http://h/", ok200,
				strings.Repeat("WARC-Date: 2024\r\nWARC-Type: x\r\n", warc.MaxRepeated)+"WARC-Date: 2023")),
			[]string{"bad_record_header"},
		},
		"maxHeaderMembers": {append(warctest.GzipMembers(warctest.Warcinfo("urn:i", "")),
			tiny(warctest.Response("urn:1", "http://h/", ok200).String())...), []string{"bad_record_header"}},
		"maxDictionary": {[]byte("\x5d\x2a\x4d\x18\xff\xff\xff\xff...."), []string{"bad_dictionary"}},
		"maxWindow": {
			[]byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 17 << 3, 1, 0, 0},
			[]string{"window_too_large", "skipped_range"},
		},
		"maxDirectory": {endlessDirectory(), []string{"damaged_stream", "not_an_archive"}},
		"maxEntryName": {
			warctest.Zip(t, warctest.StoredEntry(long(1<<10+1), nil)),
			[]string{"bad_entry", "not_an_archive"},
		},
		"maxListedAgent": {
			[]byte("url,time,agent\nhttp://h/,2024-05-01T12:00:00Z," + long(maxListedAgent+1) + "\n"),
			[]string{"value_cut"},
		},
		"maxListID": {
			[]byte("url,time,id\nhttp://h/,2024-05-01T12:00:00Z," + long(maxListID+1) + "\n"),
			[]string{"value_cut"},
		},
		"rowreading.MaxLogLine": {[]byte(logLine("2024-05-01T12:00:00.000Z", "-9998", "http://h/", "-") + long(rowreading.MaxLogLine+1) +
			"\n"), []string{"bad_log_line"}},
	} {
		equal(t, name, slices.Compact(read(t, c.archive).kinds()), c.want)
		name, _, _ = strings.Cut(name, ",")
		delete(left, name)
	}
	for name := range left {
		t.Errorf("nothing meets %s", name)
	}
}

// capsElsewhere are the caps that no value of a small archive meets, or that lose
// nothing.
var capsElsewhere = map[string]string{
	"maxStatusLine": "a line with a longer word is that of no protocol",
	"maxAlike":      "duplicates of records without an id are fetches: files that differ, but not in size and headers",
	"maxPages":      "limit_reached: TestPageListsCut",
	"maxTargets": "a target that is forgotten is found by reading again: TestTargetSetIsBounded; " +
		"body_not_kept where it can't be",
	"maxTarget":        "the same",
	"maxDigestCodings": "a digest of what more codings leave is digest_mismatch: TestVerifyDigests",
	"maxDigestDecoded": "the same",
	"maxPackage":       "unknown_digest: TestPackageDigests",
	"minBacks":         "the order of records shows nothing: TestRunOrder",
	"maxBack":          "the same",
	"minDates":         "the clock of a run: TestClocks",
	"minHosts":         "the same",
	"maxDates":         "the same",
	"maxOff":           "the same",
	"maxCrawls":        "the summary alone is shorter: TestCrawlsOfAnInput",
	"maxRewinds":       "members behind it in a deflated entry are not found: skipped_range; TestInflatedAt",
	"pairingWindow":    "a User-Agent is unknown, as if there were no request: TestPairing",
	"maxSameID":        "a request beyond it that names the id is found beside its fetch",
	"metadataWindow":   "the same: TestMetadata",
	"maxSegmented":     "missing_segment: TestSegmentsAreBounded",
	"maxLanguages":     "a longer text is no list of languages: TestLanguageList",
	"maxMethod":        "it is no method that anybody asks for",
	"maxFieldName":     "it is no field that anybody asks for",
	"maxAddress":       "it is no address, and so no ARC record",
	"toldSegments":     "a bundle of evidence lacks the others, and says that it does not prove the finding",
	"maxKinds":         "the others are counted together",
	"maxDecoderMemory": "false_encoding, as of any coding that is not undone",
	"maxClockSkew":     "clock_skew: TestIssuesOfAFetch",
	"firstLicence":     "an XML document whose root stands further on is no licence document: TestLicenceDocuments",
	"firstPage":        "more is read: TestPagesKeepTheirMetas",
	"morePage":         "the same",
	"keepRecent":       "the entry is inflated again, as maxRewinds allows",
	"maxFault":         "what an issue says is shorter",
	"sniffIndex":       "the form of the input",
	"beginBytes":       "the form of the input",
	"sniffBytes":       "the same",
	"sniffMember":      "the same",
	"fileBuffer":       "the size of a buffer",
	"maxAhead":         "a larger member is decompressed twice",
	"aheadPart":        "the size of a part",
	"aheadKept":        "the rest of a member is inflated again where it is asked for",
	"maxAheadPart":     "the part ends there, and the next begins",
	"maxAheadMember":   "a larger member is inflated where it stands",
	"maxMissedEnd":     "TestFlipAnyByteOfAStream",
	"maxSearch":        "the issue says that the search was given up: TestSearchBudget",
	"candidateCost":    "the same",
	"maxVisited":       "members beyond it are walked again, which maxSearch bounds",
	"maxProof":         "what is not found is skipped_range: TestRepairPlain",
	"maxProofOne":      "the same",
	"maxBlockReads":    "skipped_range says that the search was given up: TestBehindIsLinear",
	"maxChains":        "the same",
	"maxLineEnds":      "the chain ends there, and what follows is skipped_range",
}

// limitFiles have the limits.
var limitFiles = []string{
	"limits.go", "../archive/warc/limits.go", "../archive/wacz/limits.go",
	"../archive/httpmsg/limits.go",
}

// caps are the names of the constants in them.
func caps(t *testing.T) map[string]bool {
	names := make(map[string]bool)
	for _, name := range limitFiles {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range constants(file) {
			for _, name := range block {
				names[name] = true
			}
		}
	}
	return names
}

// constants are the names in each block of constants of a file.
func constants(file *ast.File) (blocks [][]string) {
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
			var names []string
			for _, spec := range d.Specs {
				names = append(names, spec.(*ast.ValueSpec).Names[0].Name)
			}
			blocks = append(blocks, names)
		}
	}
	return blocks
}

// Facts made under other limits are made again: the files of all that shape them are in the fingerprint, with the
// limits of other packages that they name, and none stands elsewhere.
func TestLimitsAreInTheFingerprint(t *testing.T) {
	files := token.NewFileSet()
	named := map[string]bool{"tag.MaxItems": true, "tag.MaxLine": true, "markup.MaxScan": true}
	for name, held := range map[string]string{
		"limits.go": limits, "../archive/warc/limits.go": warc.Limits, "../archive/wacz/limits.go": wacz.Limits,
		"../archive/httpmsg/limits.go": httpmsg.Limits, "../rowreading/limits.go": rowreading.Limits,
	} {
		text, err := os.ReadFile(name)
		if err != nil || held == "" || string(text) != held {
			t.Errorf("%s is not in the fingerprint (error %v)", name, err)
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); !ok || d.Tok != token.CONST {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if of, ok := n.(*ast.SelectorExpr); ok {
					if name := fmt.Sprintf("%s.%s", of.X, of.Sel); !strings.HasPrefix(name, "time.") &&
						!strings.HasPrefix(name, "rowreading.") { // whose file is there
						named[name] = true
					}
				}
				return true
			})
		}
	}
	equal(t, "limits of other packages", slices.Sorted(maps.Keys(borrowed)), slices.Sorted(maps.Keys(named)))
	prints := make(map[string]bool)
	for _, m := range Modes {
		prints[m.Fingerprint()] = true
	}
	if len(prints) != len(Modes) || prints[fingerprintOf("", Plain)] {
		t.Error("the fingerprint is that of other limits or options")
	}

	ofAFormat := []string{"maxFrameStart", "maxFrameHeader"}
	var sources []string
	for _, limits := range limitFiles {
		more, err := filepath.Glob(filepath.Join(filepath.Dir(limits), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, more...)
	}
	for _, source := range sources {
		if filepath.Base(source) == "limits.go" || strings.HasSuffix(source, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, source, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Concat(constants(file)...) {
			if strings.HasPrefix(name, "max") && !slices.Contains(ofAFormat, name) {
				t.Errorf("%s: %s is not in limits.go", source, name)
			}
		}
	}
}

// TestManyWarcinfos: warcinfo records beyond the limit are one issue.
func TestManyWarcinfos(t *testing.T) {
	var infos []warctest.Record
	for i := range warc.MaxWarcinfos + 500 {
		infos = append(infos, warctest.Warcinfo(fmt.Sprint("urn:", i), ""))
	}
	got := read(t, warctest.Plain(infos...))
	if len(got.issues) != 1 || got.issues[0].Kind != words.IssueLimitReached ||
		!strings.Contains(got.issues[0].Detail, "500 warcinfo records") ||
		got.issues[0].RecordID.String() != fmt.Sprint("urn:", warc.MaxWarcinfos) {
		t.Errorf("%d issues: %+v", len(got.issues), got.issues[0])
	}
}

// TestCRCRLF: there are writers and servers whose lines end in CR CR LF.
func TestCRCRLF(t *testing.T) {
	odd := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\r\r\n") }
	next := warctest.Response("urn:2", "http://h/2", ok200).String()
	block := odd("HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nContent-Type: text/plain\r\n\r\n") + robotsBody
	header, _, _ := strings.Cut(warctest.Response("urn:1", "http://h/robots.txt", block).String(), "\r\n\r\n")
	for form, got := range map[string]*collected{
		"plain":  read(t, []byte(odd(header+"\r\n\r\n")+block+"\r\n\r\n"+next)),
		"member": read(t, append(warctest.Gzip(odd(header+"\r\n\r\n")+block+"\r\n\r\n"), warctest.Gzip(next)...)),
		"pipe":   readPipe(t, []byte(odd(header+"\r\n\r\n")+block+"\r\n\r\n"+next)),
	} {
		equal(t, form, got.urls(), []string{"http://h/robots.txt", "http://h/2"})
		equal(t, form+": issues", got.kinds(), nil)
		equal(t, form+": bodies", got.bodies, []string{robotsBody})
		if f := got.fetches[0]; f.Status != 200 || f.MIMEType != "text/plain" ||
			f.PolicyHeaders != "X-Robots-Tag: noindex" {
			t.Errorf("%s: %+v", form, f)
		}
	}
}

// TestCutBehindBlock: a record whose block is whole counts if the file ends right
// after it, and the issue reports that records may be missing.
func TestCutBehindBlock(t *testing.T) {
	first, last := warctest.Response("urn:1", "http://h/1", ok200).String(), warctest.Response("urn:2", "http://h/2",
		"HTTP/1.0 302 ").String()
	for cut, issues := range [][]string{{"bad_http_head"}, 4: {"bad_http_head", "truncated_record"}} {
		if issues == nil {
			issues = []string{"bad_http_head", "truncated_record"}
		}
		got := read(t, []byte(first+last[:len(last)-cut]))
		equal(t, fmt.Sprint("cut by ", cut), got.urls(), []string{"http://h/1", "http://h/2"})
		equal(t, "issues", got.kinds(), issues)
		if got.fetches[1].Status != 302 || got.result.Lossy > 0 != (cut > 0) {
			t.Errorf("cut by %d: %+v, %d lossy", cut, got.fetches[1], got.result.Lossy)
		}
	}
}

// The details of an issue are in words, and name fields as they are.
func TestWordsOfIssues(t *testing.T) {
	for _, c := range []struct{ url, head, want string }{
		{"http://h:x/", "", `a port that is no number from 1 to 65535 in "http://h:x/"`},
		{"http://a[b/", "", `a host that cannot be converted to ASCII in "http://a[b/"`},
		{"http://h/a b", "", `a space or control character in "http://h/a b"`},
		{
			"http://h/", "Location: /a\r\nLocation: /b\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n",
			"location, content-type",
		},
	} {
		got := read(t, warctest.Plain(warctest.Response("urn:1", c.url, "HTTP/1.1 301 x\r\n"+c.head+"\r\n")))
		if len(got.issues) != 1 || got.issues[0].Detail != c.want {
			t.Errorf("%s: %+v; want %s", c.url, got.issues, c.want)
		}
	}
}

// StormCrawler wrote a NUL byte after each record until 2018. It costs nothing where Content-Length and
// the record's end prove the record. Any other byte there, or a second one, is damage.
func TestNULBehindRecords(t *testing.T) {
	records := []warctest.Record{
		warctest.Warcinfo("urn:i", "software: StormCrawler/1.10\r\n"),
		warctest.Response("urn:1", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody),
		warctest.Response("urn:2", "http://h/a", ok200),
	}
	with := func(end string, pack func(string) []byte) []byte {
		var b []byte
		for _, r := range records {
			b = append(b, pack(r.String()+end)...)
		}
		return b
	}
	plain := func(s string) []byte { return []byte(s) }
	frame := func(s string) []byte { return warctest.ZstdFrame(t, s) }
	stream := func(end string) []byte { return warctest.Gzip(string(with(end, plain))) }
	for name, archive := range map[string]func(end string) []byte{
		"plain":   func(end string) []byte { return with(end, plain) },
		"members": func(end string) []byte { return with(end, warctest.Gzip) },
		"frames":  func(end string) []byte { return with(end, frame) }, "one member": stream,
	} {
		got := read(t, archive("\x00"))
		want := read(t, archive(""))
		equal(t, name+": issues", got.kinds(), nil)
		equal(t, name+": urls", got.urls(), want.urls())
		equal(t, name+": bodies", got.bodies, want.bodies)
		equal(t, name+": resynced", got.result.Resynced, 0)
		for _, end := range []string{"\x00\x00", "\x01", "\x00x"} {
			if got := read(t, archive(end)); len(got.kinds()) == 0 {
				t.Errorf("%s, %q: no issue", name, end)
			}
		}
	}
	for name, archive := range map[string][]byte{"plain": with("\x00", plain), "members": with("\x00", warctest.Gzip)} {
		got := readPipe(t, archive)
		equal(t, name+" by a pipe: issues", got.kinds(), nil)
		equal(t, name+" by a pipe: urls", got.urls(), []string{"http://h/robots.txt", "http://h/a"})
	}
}

// A WAT is refused, whatever its container; an archive that holds such a record behind others is read.
func TestWAT(t *testing.T) {
	info := warctest.Warcinfo("urn:i", "software: x/1\r\n")
	told := warctest.Record{
		Type: "metadata", ID: "urn:m", URL: "http://h/", Fields: []string{"Content-Type: application/json"},
		Block: `{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response"}}}`,
	}
	container := told
	container.Block = `{"Container":{"Filename":"a.warc.gz"}}`
	other := told
	other.Block = `{"pages":[]}`
	page := warctest.Response("urn:p", "http://h/", "HTTP/1.1 200 OK\r\n\r\nx")
	for name, c := range map[string]struct {
		got     *collected
		refused bool
	}{
		"members":    {read(t, warctest.GzipMembers(info, told, told)), true},
		"one stream": {read(t, warctest.Gzip(string(warctest.Plain(info, container)))), true},
		"plain":      {read(t, warctest.Plain(told)), true},
		"a pipe":     {readPipe(t, warctest.GzipMembers(info, info, told)), true},
		"other JSON": {read(t, warctest.GzipMembers(info, other, page)), false},
		"an archive": {read(t, warctest.GzipMembers(info, page, told)), false},
	} {
		got := c.got.result.Refusal
		if strings.HasPrefix(got, "it is a WAT") != c.refused || len(c.got.fetches) > 0 == c.refused ||
			slices.Equal(c.got.kinds(), []string{"unsupported_container"}) != c.refused {
			t.Errorf("%s: %q, %d fetches, issues %v", name, got, len(c.got.fetches), c.got.kinds())
		}
	}
	zip := warctest.Zip(t, warctest.StoredEntry("archive/a.warc.wat.gz", warctest.GzipMembers(info, told)),
		warctest.StoredEntry("archive/a.warc.gz", warctest.GzipMembers(info, page)))
	got := read(t, zip)
	if len(got.fetches) != 1 || len(got.issues) != 1 || got.issues[0].Entry != "archive/a.warc.wat.gz" {
		t.Errorf("an entry of a WACZ: %d fetches, %+v", len(got.fetches), got.issues)
	}
}
