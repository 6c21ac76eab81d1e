package reading

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

func TestCaptureKind(t *testing.T) {
	for url, want := range map[string]facts.CaptureKind{
		"http://h/robots.txt":               facts.CaptureRobots,
		"HTTPS://h:8443/robots.txt#x":       facts.CaptureRobots,
		"ftp://h/robots.txt":                facts.CaptureRobots,
		"http://h/ROBOTS.TXT":               facts.CaptureNone,
		"http://h//robots.txt":              facts.CaptureNone,
		"http://h/%72obots.txt":             facts.CaptureNone,
		"http://h/robots.txt?":              facts.CaptureNone,
		"http://h/robots.txt?a":             facts.CaptureNone,
		"http://h/robots.txt/":              facts.CaptureNone,
		"http://h/a/robots.txt":             facts.CaptureNone,
		"http://h/a/../robots.txt":          facts.CaptureNone,
		"gopher://h/robots.txt":             facts.CaptureNone,
		"http://h/.well-known/tdmrep.json":  facts.CaptureTDMRep,
		"http://h/ai.txt":                   facts.CaptureAITxt,
		"http://h/.well-known/ai.txt":       facts.CaptureAITxt,
		"http://h/trust.txt":                facts.CaptureNone,
		"http://h/llms.txt":                 facts.CaptureNone,
		"http://h/.well-known/TDMREP.json":  facts.CaptureNone,
		"http://h/":                         facts.CaptureNone,
		"http://h":                          facts.CaptureNone,
		"http://h/.well-known/tdmrep.json?": facts.CaptureNone,
	} {
		u, _ := weburl.Parse(url)
		if got := facts.KindOf(u); got != want {
			t.Errorf("facts.KindOf(%s) = %d, want %d", url, got, want)
		}
	}
}

// Which records are fetches, and what their rows contain.
func TestWhatIsAFetch(t *testing.T) {
	got := read(t, warctest.Plain(
		warctest.Warcinfo("urn:i", "software: x\r\n"),
		warctest.Response("urn:1", "dns:h", "20240501120000\nh. 10 IN A 127.0.0.1\n"),
		warctest.Response("urn:2", "whois://whois.example/h", "h"),
		warctest.Record{Type: "resource", ID: "urn:3", URL: "metadata://h/x", Block: "y"},
		warctest.Record{
			Type: "resource", ID: "urn:4", URL: "ftp://h/robots.txt",
			Fields: []string{"Content-Type: Text/Plain; x"}, Block: robotsBody,
		},
		warctest.Record{Type: "conversion", ID: "urn:5", URL: "http://h/", Block: "y"},
		warctest.Record{Type: "metadata", ID: "urn:6", URL: "http://h/", Block: "y"},
		warctest.Response("urn:7", "gopher://h/x", "hello"),
		warctest.Response("urn:8", "http://h/old", "<p>hello</p>"),
		warctest.Record{Type: "revisit", ID: "urn:9", URL: "http://h/", Fields: []string{
			"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
			"WARC-Refers-To-Target-URI: <http://h/orig>", "WARC-Refers-To-Date: 2023-01-02",
			"WARC-Payload-Digest: sha1:ABC", "WARC-Truncated: length",
		}},
		warctest.Response("", "", ok200),
		warctest.Response("urn:11", "http:///x", ok200),
	))
	type row struct {
		URL, Origin, ID, MIME string
		Type                  facts.RecordType
		Status                int16
		Flags                 facts.Flags
	}
	var rows []row
	for _, f := range got.fetches {
		rows = append(rows, row{f.URL, f.Origin, string(f.RecordID), f.MIMEType, f.Type, f.Status, f.Flags})
	}
	equal(t, "fetches", rows, []row{
		{
			"whois://whois.example/h", "whois://whois.example", "urn:2", "", facts.TypeResponse, -1,
			facts.FlagUnsupportedScheme,
		},
		{"ftp://h/robots.txt", "ftp://h", "urn:4", "text/plain", facts.TypeResource, -1, facts.FlagBodyKept},
		{"gopher://h/x", "gopher://h", "urn:7", "", facts.TypeResponse, -1, facts.FlagUnsupportedScheme},
		{"http://h/old", "http://h", "urn:8", "", facts.TypeResponse, -1, 0},
		{"http://h/", "http://h", "urn:9", "", facts.TypeRevisit, -1, 0},
	})
	r := got.fetches[4]
	refers, _, _ := facts.ParseDate("2023-01-02")
	if r.Profile != facts.RevisitIdenticalPayload || r.RefersToURL != "http://h/orig" || r.RefersToDate() != refers ||
		r.PayloadDigest != "sha1:ABC" || r.Truncated != "length" {
		t.Errorf("revisit %+v", r)
	}
	equal(t, "bodies", got.bodies, []string{robotsBody})
	equal(t, "issues", got.kinds(), []string{"no_target_uri", "no_target_uri"})
	equal(t, "records", got.result.Records, map[string]int64{
		"warcinfo": 1, "response": 6, "resource": 2, "conversion": 1, "metadata": 1, "revisit": 1,
	})
}

// The targets that robots.txt redirects to are policy too, with their bodies.
func TestRedirectTargetsAreKept(t *testing.T) {
	redirect := func(to string) string { return "HTTP/1.1 301 Moved\r\nLocation: " + to + "\r\n\r\n" }
	got := read(t, warctest.Plain(
		warctest.Response("urn:0", "http://h/rules", "HTTP/1.1 200 OK\r\n\r\ntoo early"),
		warctest.Response("urn:1", "http://h/robots.txt", redirect("/rules")),
		warctest.Response("urn:2", "http://h/rules", redirect("https://other.example/x?y=1")),
		warctest.Response("urn:3", "https://other.example/x?y=1#frag", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody),
		warctest.Response("urn:4", "https://other.example/x", "HTTP/1.1 200 OK\r\n\r\nnot it"),
		warctest.Response("urn:5", "http://h/page", redirect("/page2")),
		warctest.Response("urn:6", "http://h/page2", "HTTP/1.1 200 OK\r\n\r\na page"),
	))
	var kept []string
	for i, c := range got.captures {
		kept = append(kept, fmt.Sprintf("%s %d %q", c.RecordID, c.Kind, got.bodies[i]))
	}
	equal(t, "captures", kept, []string{
		fmt.Sprintf(`urn:1 %d ""`, facts.CaptureRobots),
		fmt.Sprintf(`urn:2 %d ""`, facts.CaptureTarget),
		fmt.Sprintf(`urn:3 %d %q`, facts.CaptureTarget, robotsBody),
	})
	equal(t, "location", got.fetches[1].Location, "/rules")
}

// What a record that is dropped redirects to is no policy.
func TestTargetsOfDroppedRecords(t *testing.T) {
	damaged := warctest.Gzip(warctest.Record{
		Type: "response", URL: "http://h/robots.txt",
		Block: "HTTP/1.1 301\r\nLocation: /rules\r\n\r\n",
	}.String())
	damaged[len(damaged)-8] ^= 1 // its checksum
	got := read(t, append(damaged, warctest.GzipMembers(warctest.Response("urn:2", "http://h/rules", ok200))...))
	equal(t, "issues", got.kinds(), []string{"damaged_member", "skipped_range"})
	if len(got.fetches) != 1 || len(got.captures) != 0 {
		t.Errorf("%d fetches, %d captures", len(got.fetches), len(got.captures))
	}
}

func TestTargetSetIsBounded(t *testing.T) {
	var s targetSet
	s.add("", 1)
	s.add(strings.Repeat("x", maxTarget+1), 1)
	for i := range maxTargets + 10 {
		s.add(fmt.Sprint(i), i)
		s.add(fmt.Sprint(i), i+1)
	}
	if len(s.keys) != maxTargets || len(s.order) != maxTargets || s.keys["9"] != 0 || s.keys["10"] != 10 {
		t.Errorf("%d keys, %d in order", len(s.keys), len(s.order))
	}
}

func TestPolicyHeadersOfAFetch(t *testing.T) {
	got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/",
		"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nServer: s\r\nContent-Type: TEXT/HTML; charset=x\r\n\r\n")))
	f := got.fetches[0]
	if f.PolicyHeaders != "X-Robots-Tag: noindex" || f.MIMEType != "text/html" || f.Flags != facts.FlagHTTPHead {
		t.Errorf("%+v", f)
	}
}

// TestPayloadBytes: the payload is what follows the HTTP head, with its codings; where it is not all there, nothing
// is known of its length. Its decoded length is known where there is no coding, or where it is decoded anyway.
func TestPayloadBytes(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
	const zipped = head + "Content-Encoding: gzip\r\n\r\n"
	with := func(kind, field, block string) warctest.Record {
		r := warctest.Response("urn:1", "http://h/", block)
		r.Type, r.Fields = kind, append(r.Fields, field)
		return r
	}
	response := func(block string) warctest.Record { return warctest.Response("urn:1", "http://h/", block) }
	of := func(url, block string) warctest.Record { return warctest.Response("urn:1", url, block) }
	gzip := func(s string) string { return string(warctest.Gzip(s)) }
	size := int64(len(gzip(strings.Repeat("x", 300_000))))
	for name, c := range map[string]struct {
		record        warctest.Record
		want, decoded int64 // -1: not known
	}{
		"response":      {response(head + "\r\n12345"), 5, 5},
		"empty":         {response(head + "\r\n"), 0, 0},
		"long":          {response(head + "\r\n" + strings.Repeat("x", 300_000)), 300_000, 300_000},
		"page":          {response(ok200), 4, 4},
		"robots.txt":    {of("http://h/robots.txt", ok200), 4, 4},
		"interim heads": {response("HTTP/1.1 103 Early Hints\r\n\r\n" + head + "\r\n12345"), 5, 5},
		"chunks kept":   {response(head + "Transfer-Encoding: chunked\r\n\r\n" + warctest.Chunked("12345")), 15, -1},
		"no chunks":     {response(head + "Transfer-Encoding: chunked\r\n\r\n12345"), 5, -1},
		"gzip":          {response(zipped + gzip(strings.Repeat("x", 300_000))), size, -1},
		"gzip in chunks": {
			response(strings.Replace(zipped, "\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n", 1) +
				warctest.Chunked(gzip(strings.Repeat("x", 300_000)))), size + 12, -1,
		},
		"a page of gzip": {
			response(strings.Replace(zipped, "image/png", "text/html", 1) + gzip("<p>"+strings.Repeat("x", 299_997))), -2, 300_000,
		},
		"robots.txt of gzip": {of("http://h/robots.txt", zipped+gzip("12345")), -2, 5},
		"no gzip":            {response(zipped + "12345"), 5, -1},
		"gzip of nothing":    {response(zipped), 0, 0},
		"gzip that ends":     {response(zipped + gzip("12345")[:12]), 12, -1},
		"an unknown coding":  {response(strings.Replace(zipped, "gzip", "x", 1) + "12345"), 5, -1},
		"no HTTP":            {response("<html>"), 6, 6},
		"no end of a head":   {response("HTTP/1.1 200 OK\r\nA: b"), -1, -1},
		"truncated":          {with("response", "WARC-Truncated: length", head+"\r\n12345"), -1, -1},
		"segment":            {with("response", "WARC-Segment-Number: 1", head+"\r\n12345"), -1, -1},
		"revisit":            {with("revisit", "WARC-Profile: x", head+"\r\n12345"), -1, -1},
		"resource":           {with("resource", "Content-Type: image/png", "12345"), 5, 5},
	} {
		archive := warctest.Plain(warctest.Digested(c.record))
		for _, verify := range []bool{false, true} {
			got := readBy(t, archive, Options{Verify: verify}).fetches[0]
			n, known := got.PayloadBytes()
			if !known {
				n = -1
			}
			m, known := got.DecodedBytes()
			if !known {
				m = -1
			}
			if n != c.want && c.want != -2 || m != c.decoded && !verify { // digests may need a payload decoded
				t.Errorf("%s: %d bytes, decoded %d, want %d and %d", name, n, m, c.want, c.decoded)
			}
		}
	}
}

func TestIssuesOfAFetch(t *testing.T) {
	robots := func(head string) string { return head + "\r\n\r\n" + robotsBody }
	date := func(d string, e warctest.Record) []byte {
		return []byte(strings.Replace(e.String(), "2024-05-01T12:00:00Z", d, 1))
	}
	for name, c := range map[string]struct {
		archive []byte
		want    []string
		flags   facts.Flags
	}{
		"no status": {
			warctest.Plain(warctest.Response("urn:1", "http://h/", "HTTP/1.1 OK\r\n\r\n")),
			[]string{"bad_http_head"},
			facts.FlagHTTPHead,
		},
		"bad date": {
			date("2024-02-30", warctest.Response("urn:1", "http://h/", ok200)),
			[]string{"bad_date"},
			facts.FlagHTTPHead,
		},
		"no date": {
			date("", warctest.Response("urn:1", "http://h/", ok200)),
			[]string{"bad_date"},
			facts.FlagHTTPHead,
		},
		"no zone": {
			date("2024-02-28T00:00:00", warctest.Response("urn:1", "http://h/", ok200)),
			[]string{"date_without_zone"},
			facts.FlagHTTPHead,
		},
		"space in URL": {
			warctest.Plain(warctest.Response("urn:1", "http://h/a b", ok200)),
			[]string{"bad_url"},
			facts.FlagHTTPHead,
		},
		"long URL": {warctest.Plain(warctest.Response("urn:1", "http://h/"+strings.Repeat("x", warc.MaxURL),
			ok200)), []string{"url_too_long"}, facts.FlagHTTPHead | facts.FlagURLCut},
		"long tag": {
			warctest.Plain(warctest.Response("urn:1", "http://h/",
				"HTTP/1.1 200\r\nX-Robots-Tag: "+strings.Repeat("x", 9000)+"\r\n\r\n")),
			[]string{"policy_headers_cut"},
			facts.FlagHTTPHead | facts.FlagPolicyHeadersCut,
		},
		"false chunks": {
			warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
				robots("HTTP/1.1 200\r\nTransfer-Encoding: chunked"))),
			[]string{"false_chunked"},
			facts.FlagHTTPHead | facts.FlagBodyKept | facts.FlagFalseChunked,
		},
		"false encoding": {
			warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
				robots("HTTP/1.1 200\r\nContent-Encoding: br"))),
			[]string{"false_encoding"},
			facts.FlagHTTPHead | facts.FlagBodyKept | facts.FlagFalseEncoding,
		},
		"of a page": {warctest.Plain(warctest.Response("urn:1", "http://h/page",
			robots("HTTP/1.1 200\r\nContent-Encoding: br"))), nil, facts.FlagHTTPHead},
		"clock": {
			warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
				robots("HTTP/1.1 200\r\nDate: Wed, 01 May 2024 13:00:00 GMT"))),
			[]string{"clock_skew"},
			facts.FlagHTTPHead | facts.FlagBodyKept,
		},
		"clock agrees": {
			warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
				robots("HTTP/1.1 200\r\nDate: Wed, 01 May 2024 12:04:59 GMT"))), nil,
			facts.FlagHTTPHead | facts.FlagBodyKept,
		},
		"big body": {
			warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
				"HTTP/1.1 200\r\n\r\n"+strings.Repeat("#", httpmsg.MaxBody+1))),
			[]string{"body_cut"},
			facts.FlagHTTPHead | facts.FlagBodyKept | facts.FlagBodyCut,
		},
		"body at its cap": {
			warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
				"HTTP/1.1 200\r\n\r\n"+strings.Repeat("#", httpmsg.MaxBody))), nil,
			facts.FlagHTTPHead | facts.FlagBodyKept,
		},
		"head without end, robots.txt": {
			warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
				"HTTP/1.1 200\r\nX: "+strings.Repeat("x", 3*MaxHTTPHead)+"\r\n\r\n"+robotsBody)),
			[]string{"bad_http_head", "body_cut"},
			facts.FlagHTTPHead | facts.FlagBodyKept | facts.FlagBodyCut | facts.FlagPolicyHeadersCut,
		},
		"short, robots.txt": {
			warctest.Gzip(strings.TrimSuffix(warctest.Response("urn:1", "http://h/robots.txt",
				robots("HTTP/1.1 200")).String(), "\n\r\n\r\n")),
			[]string{"body_cut", "truncated_record"},
			facts.FlagHTTPHead | facts.FlagBodyKept | facts.FlagBodyCut,
		},
		"short in its head": {
			warctest.Gzip(strings.TrimSuffix(warctest.Response("urn:1", "http://h/",
				"HTTP/1.1 200\r\nServer: s\r\n").String(), "\n\r\n\r\n")),
			[]string{"bad_http_head", "truncated_record"},
			facts.FlagHTTPHead | facts.FlagPolicyHeadersCut,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, c.archive)
			equal(t, "issues", got.kinds(), c.want)
			if len(got.fetches) != 1 || got.fetches[0].Flags != c.flags {
				t.Fatalf("fetches %+v", got.fetches)
			}
			if strings.HasPrefix(name, "head without end") && got.bodies[0] != "" {
				t.Errorf("a body of %d bytes was found inside the head", len(got.bodies[0]))
			}
			for _, i := range got.issues {
				if i.Offset != 0 || i.Length != int64(len(c.archive)) || i.RecordID != "urn:1" {
					t.Errorf("place %d+%d of %q", i.Offset, i.Length, i.RecordID)
				}
			}
		})
	}
}

// A record that could be a fetch, and cannot be taken for one, is an issue.
func TestRecordsWithoutTypeOrScheme(t *testing.T) {
	untyped := strings.Replace(warctest.Response("urn:1", "http://h/", ok200).String(), "WARC-Type: response\r\n", "",
		1)
	got := read(t, append([]byte(untyped), warctest.Plain(
		warctest.Response("urn:2", "h/robots.txt", ok200), warctest.Response("urn:3", "//h/robots.txt", ok200),
		warctest.Response("urn:4", "dns:h", "h."), warctest.Record{
			Type: "of the future", ID: "urn:5",
			URL: "http://h/",
		})...))
	equal(t, "issues", got.kinds(), []string{"bad_record_header", "no_target_uri", "no_target_uri"})
	equal(t, "urls", got.urls(), nil)
}

// HTTP/0.9: a body without a head, longer than one read.
func TestBodyWithoutHead(t *testing.T) {
	body := robotsBody + strings.Repeat("# comment\n", 10_000) + "\n\nDisallow: /end\n"
	got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt", body)))
	equal(t, "body", got.bodies, []string{body})
}

// Facts hold copies: the buffer of the heads is used again.
func TestRowsSurviveTheNextRecord(t *testing.T) {
	a := warctest.Response("urn:1", "http://a/robots.txt",
		"HTTP/1.1 200 OK\r\nLocation: /aaaa\r\nContent-Type: a/a\r\nX-Robots-Tag: aaaa\r\n\r\naaaa")
	b := warctest.Response("urn:2", "http://b/robots.txt",
		"HTTP/1.1 200 OK\r\nLocation: /bbbb\r\nContent-Type: b/b\r\nX-Robots-Tag: bbbb\r\n\r\nbbbb")
	got := read(t, warctest.GzipMembers(a, b))
	f := got.fetches[0]
	if f.Location != "/aaaa" || f.MIMEType != "a/a" || f.PolicyHeaders != "X-Robots-Tag: aaaa" ||
		got.bodies[0] != "aaaa" {
		t.Errorf("%+v, body %q", f, got.bodies[0])
	}
}
