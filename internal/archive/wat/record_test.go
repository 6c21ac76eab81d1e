package wat

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// request is of a WAT of Common Crawl's (CC-MAIN-2019-35), less fields of no interest here.
const request = `{"Container":{"Filename":"CC-MAIN-20190817203056-20190817225056-00000.warc.gz","Compressed":true,"Offset":"479",` +
	`"Gzip-Metadata":{"Deflate-Length":"470","Header-Length":"10"}},"Envelope":{"Payload-Metadata":{"Actual-Content-Type":"application/http; msgtype=request",` +
	`"HTTP-Request-Metadata":{"Request-Message":{"Method":"GET","Path":"/qpqf/56651/index.html","Version":"HTTP/1.1"},"Headers-Length":"312",` +
	`"Headers":{"User-Agent":"CCBot/2.0 (https://commoncrawl.org/faq/)","Host":"0084xg.com"},"Entity-Length":"0"}},"Format":"WARC","WARC-Header-Length":"358",` +
	`"WARC-Header-Metadata":{"WARC-Type":"request","WARC-Date":"2019-08-17T20:58:30Z","WARC-Record-ID":"<urn:uuid:ecd48def-1234-41e0-b0af-9526f351b5de>",` +
	`"Content-Length":"314","Content-Type":"application/http; msgtype=request","WARC-Warcinfo-ID":"<urn:uuid:47046f65-c301-4c0b-b60f-7a1e6679a355>",` +
	`"WARC-IP-Address":"107.165.103.19","WARC-Target-URI":"http://0084xg.com/qpqf/56651/index.html"}}}`

// response has the forms that Common Crawl writes since CC-MAIN-2024-51: lists of values.
const response = `{"Container":{"Filename":"crawl-data/x/CC.warc.gz","Compressed":true,"Offset":"949","Gzip-Metadata":{"Deflate-Length":"5000"}},` +
	`"Envelope":{"Format":"WARC","WARC-Header-Metadata":{"WARC-Type":"response","WARC-Protocol":["h2","tls/1.3"],"WARC-Target-URI":"https://a.example/"},` +
	`"Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":{"Version":"HTTP/1.1","Status":"200","Reason":"OK"},` +
	`"Headers":{"Set-Cookie":["a=1","b=2"],"X-Robots-Tag":"noindex"},"Entity-Length":"24390","HTML-Metadata":{"Head":{"Title":"t",` +
	`"Metas":[{"http-equiv":"x"},{"name":"Robots","content":"no\u0069ndex &amp; more"},{"name":"viewport","content":"w"}],` +
	`"Link":[{"path":"LINK@/href","url":"/style","rel":"stylesheet"},{"path":"LINK@/href","url":"/l?a&amp;b","rel":"license","type":"text/x"}]},` +
	`"Links":[{"path":"A@/href","url":"/\"}]{","text":"\ud83d\ude00"}]}}}}}`

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		json string
		want Record
	}{
		"request": {request, Record{
			Archive: "CC-MAIN-20190817203056-20190817225056-00000.warc.gz", Offset: 479, Length: 470,
			Payload: PayloadRequest,
			Header: []byte("WARC-Type: request\r\nWARC-Date: 2019-08-17T20:58:30Z\r\nWARC-Record-ID: " +
				"<urn:uuid:ecd48def-1234-41e0-b0af-9526f351b5de>\r\n" +
				"Content-Length: 314\r\nContent-Type: application/http; msgtype=request\r\nWARC-Warcinfo-ID: " +
				"<urn:uuid:47046f65-c301-4c0b-b60f-7a1e6679a355>\r\n" +
				"WARC-IP-Address: 107.165.103.19\r\nWARC-Target-URI: http://0084xg.com/qpqf/56651/index.html\r\n"),
			Head: []byte("GET /qpqf/56651/index.html HTTP/1.1\r\nUser-Agent: CCBot/2.0 " +
				"(https://commoncrawl.org/faq/)\r\nHost: 0084xg.com\r\n\r\n"),
		}},
		"response": {response, Record{
			Archive: "CC.warc.gz", Offset: 949, Length: 5000, Payload: PayloadResponse, EntityLength: 24390, HTML: true,
			Header: []byte("WARC-Type: response\r\nWARC-Protocol: h2\r\nWARC-Protocol: tls/1.3\r\nWARC-Target-URI: " +
				"https://a.example/\r\n"),
			Head: []byte("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Robots-Tag: noindex\r\n\r\n"),
			Found: tag.Found{Items: []tag.Item{
				{Name: "robots", Content: "noindex & more", Place: tag.PlaceUnknown},
				{Link: true, Name: "license", Content: "/l?a&b", Type: "text/x", Place: tag.PlaceUnknown},
			}},
		}},
		"ARC": {`{"Envelope":{"ARC-Header-Metadata":{"Target-URI":"http://a/","IP-Address":"1.2.3.4","Date":"20080430204825","Content-Type":"text/html"},"Format":"ARC",
			"Payload-Metadata":{"HTTP-Response-Metadata":{"Headers":{},"Headers-Corrupt":true,"Response-Message":{"Status":"0","Version":"HTTP/1.0"}}}}}`, Record{
			Offset: -1, Length: -1, ARC: true, Payload: PayloadResponse, Incomplete: true, EntityLength: -1,
			Header: []byte("WARC-Target-URI: http://a/\r\nWARC-Date: 20080430204825\r\nContent-Type: text/html\r\n"),
			Head:   []byte("HTTP/1.0  \r\n\r\n"),
		}},
		"version block": {`{"Envelope":{"ARC-Header-Metadata":{},"Payload-Metadata":{"Filedesc-Metadata":{"Data":[{"Value":"me","Name":"arc:operator"},{"Name":"x"},7]}}}}`, Record{
			Offset: -1, Length: -1, EntityLength: -1, ARC: true, Payload: PayloadFields,
			Head:    []byte("operator: me\r\nx: \r\n"),
			Remarks: []string{"a field is of another type than it should be"},
		}},
		"lines within values": {`{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":{"Version":"HTTP/1.1","Status":"200","Reason":"a\r\nX-Robots-Tag: none"},
			"Headers":{"A":"b\rc\r\n\r\nX-Robots-Tag: none\r","X-Robots-Tag: none\r\nB":"c","":"d"}}}}}`, Record{
			Offset: -1, Length: -1, EntityLength: -1, Payload: PayloadResponse,
			Head:    []byte("HTTP/1.1 200 a  X-Robots-Tag: none\r\nA: b\rc    X-Robots-Tag: none \r\n\r\n"),
			Remarks: []string{"a field whose name is none"},
		}},
		"types": {`{"Container":7,"Envelope":{"WARC-Header-Metadata":["x"],"Payload-Metadata":{"HTTP-Response-Metadata":{"Headers":{"A":{"b":1},"C":null,"D":-1.5e3,"E":[true]},"Entity-Length":"-9"}}},"More":[]} x`, Record{
			Offset: -1, Length: -1, EntityLength: -1, Payload: PayloadResponse,
			Remarks: []string{
				"Container is of another type than it should be",
				"WARC-Header-Metadata is of another type than it should be",
				"a field is of another type than it should be",
				"a field is of another type than it should be", "Entity-Length is no number of bytes",
				"something stands behind the JSON",
			},
		}},
		"twice": {`{"Container":{"Filename":"a"},"Container":{"Filename":"b"},"Envelope":{"Payload-Metadata":{"WARC-Info-Metadata":{"A":"b"},"WARC-Info-Metadata":{"C":"d"}}}}`, Record{
			Archive: "a", Offset: -1, Length: -1, EntityLength: -1, Payload: PayloadFields, Head: []byte("A: b\r\n"),
			Remarks: []string{"Container twice; the first counts", "WARC-Info-Metadata twice; the first counts"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(c.json), iotest.OneByteReader(strings.NewReader(c.json))} {
				got, err := new(Reader).Read(in)
				if err != nil {
					t.Fatal(err)
				}
				same := cmp.Transformer("text", func(b []byte) string { return string(b) })
				empty := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Items" },
					cmp.Transformer("items", func(i []tag.Item) []tag.Item { return append([]tag.Item{{}}, i...) }))
				if diff := cmp.Diff(&c.want, got, same, empty); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

// Makers of WATs stop reading a value at its first byte outside ASCII, and old ones keep the last of
// repeated fields alone.
func TestHeaderCut(t *testing.T) {
	for fields, lengths := range map[string]map[int64]bool{
		`"A":"b"`: {0: false, 1: true, 100: true},
		`"A":"b","WARC-Concurrent-To":"<urn:uuid:ecd48def-1234-41e0-b0af-9526f351b5de>"`: {
			0: false, 2: true,
			69: false, 138: false,
		},
		`"A":"b","WARC-Concurrent-To":["x","y"]`:                        {0: false, 69: true},
		`"WARC-Protocol":"tls/1.3","WARC-Concurrent-To":"<urn:uuid:x>"`: {0: false, 2: true, 19: false},
		`"WARC-Target-URI":"http://a/\uFFFD"`:                           {0: true},
	} {
		for missing, want := range lengths {
			r := new(Reader)
			rec, err := r.Read(strings.NewReader(`{"Envelope":{"WARC-Header-Metadata":{` + fields + `}}}`))
			if err != nil {
				t.Fatal(err)
			}
			r.headerLength = int64(versionAndEnd+len(rec.Header)) + missing
			if got := r.isCut(); got != want {
				t.Errorf("%s and %d bytes more: %v", fields, missing, got)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	deep := strings.Repeat(`[{"a":`, 1<<20)
	for json, want := range map[string]string{
		"":                             "no WAT record",
		`[]`:                           "no WAT record",
		`{}`:                           "no WAT record",
		`{"pages":1}`:                  "no WAT record",
		`{"Envelope":{`:                "it ends early",
		`{"Envelope":{"a":1`:           "it ends early",
		`{"Envelope":{"a" 1}}`:         `'1' in place of ':'`,
		`{"Envelope":{"a":1]}`:         `']' in place of '}'`,
		`{"Envelope":{"Format":"\x"}}`: "", // nobody reads it
		`{"Envelope":{"\x":1}}`:        "the escape 'x'",
		`{"Envelope":{"\u00g0":1}}`:    "'g' in an escape",
		`{"Envelope":` + deep:          "it ends early",
		`{"Envelope":` + deep + "1" + strings.Repeat("}]", 1<<20) + "}": "",
		`{"Envelope":{"Format":"` + strings.Repeat("x", 8<<20) + `"}}`:  "",
	} {
		_, err := new(Reader).Read(strings.NewReader(json))
		switch {
		case err == nil && want == "", err != nil && want != "" && strings.Contains(err.Error(), want):
		default:
			t.Errorf("%.40q: %v, want %q", json, err, want)
		}
	}
	if _, err := new(Reader).Read(iotest.ErrReader(os.ErrPermission)); !errors.Is(err, os.ErrPermission) {
		t.Errorf("a read error became %v", err)
	}
	// The limits hold memory down, whatever comes.
	long := strings.Repeat(`"`+strings.Repeat("v", 1<<16)+`",`, 40)
	rec, err := new(Reader).Read(strings.NewReader(`{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{"Headers":{"A":[` + long + `"z"]}}}}}`))
	if err != nil || len(rec.Head) > MaxFields+1024 || !rec.Incomplete || len(rec.Remarks) != 1 {
		t.Errorf("%v, %+v", err, rec.Remarks)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{request, response, `{"Envelope":{"ARC-Header-Metadata":{"Target-URI":"\ud83dx"}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, json []byte) {
		whole, err := new(Reader).Read(bytes.NewReader(json))
		piecemeal, err2 := new(Reader).Read(iotest.OneByteReader(bytes.NewReader(json)))
		if (err == nil) != (err2 == nil) || !cmp.Equal(whole, piecemeal) {
			t.Fatalf("%v, %v: %s", err, err2, cmp.Diff(whole, piecemeal))
		}
		if err == nil && bytes.Count(whole.Header, []byte("\n")) != bytes.Count(whole.Header, []byte("\r\n")) {
			t.Fatalf("a line end of its own in %q", whole.Header)
		}
	})
}
