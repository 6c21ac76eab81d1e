package reading

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// told is a record of a WAT, of a form that webarchive-commons writes.
func told(offset int, header, payload string) warctest.Record {
	block := fmt.Sprintf(`{"Container":{"Filename":"a.warc.gz","Compressed":true,"Offset":"%d","Gzip-Metadata":{"Deflate-Length":"%d"}},`+
		`"Envelope":{"Format":"WARC/1.0","WARC-Header-Metadata":{%s},"Payload-Metadata":{%s}}}`, offset, offset+
		1, header, payload)
	return warctest.Record{
		Type: "metadata", ID: fmt.Sprint("urn:wat:", offset), URL: "http://wat/",
		Fields: []string{"Content-Type: application/json"}, Block: block,
	}
}

// header is the header of a record with an id.
func header(kind, id, url string, more ...string) string {
	fields := fmt.Sprintf(`"WARC-Type":%q,"WARC-Date":"2024-05-01T12:00:00Z","WARC-Record-ID":"<%s>"`, kind, id)
	if url != "" {
		fields += fmt.Sprintf(`,"WARC-Target-URI":%q`, url)
	}
	return strings.Join(append([]string{fields}, more...), ",")
}

func toldResponse(status, headers, more string) string {
	return `"HTTP-Response-Metadata":{"Headers":{` + headers + `},` + more +
		`"Entity-Length":"99","Response-Message":{"Status":"` + status + `","Version":"HTTP/1.1","Reason":"x"}}`
}

func toldRequest(method, agent string) string {
	return fmt.Sprintf(`"HTTP-Request-Metadata":{"Headers":{"User-Agent":%q,"Host":"h"},"Request-Message":{"Method":%q,"Path":"/","Version":"HTTP/1.1"}}`, agent, method)
}

// ownInfo is the warcinfo of a WAT, which is about its maker.
var ownInfo = warctest.Warcinfo("urn:own",
	"software: ia-web-commons.3.0.4\r\noperator: of the maker\r\nhttp-header-user-agent: maker/1\r\n")

// A WAT gives the facts that its archive gives, as far as it describes them.
func TestWATAgreesWithArchive(t *testing.T) {
	page := "HTTP/1.1 200 x\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex\r\nX-Robots-Tag: nofollow\r\n\r\n" +
		`<meta name="robots" content="none"><p>`
	archive := []warctest.Record{
		warctest.Warcinfo("urn:i",
			"software: x/1\r\nhttp-header-user-agent: info/1\r\noperator: me\r\nrobots: classic\r\n"),
		warctest.Request("urn:q", "http://h/a", "bot/1"),
		warctest.Response("urn:a", "http://h/a", page, "WARC-Concurrent-To: <urn:q>", "WARC-Payload-Digest: sha1:AAAA"),
		warctest.Metadata("urn:m", "http://h/a", "via: http://h/\r\nhopsFromSeed: L\r\nfetchTimeMs: 7\r\n",
			"WARC-Concurrent-To: <urn:a>"),
		warctest.Response("urn:b", "http://h/b", "HTTP/1.1 301 x\r\nLocation: /c\r\n\r\n", "WARC-Warcinfo-ID: <urn:i>"),
		warctest.Response("urn:d", "dns:h", "none"),
	}
	wat := []warctest.Record{
		ownInfo,
		told(0, header("warcinfo", "urn:i", ""),
			`"WARC-Info-Metadata":{"software":"x/1","http-header-user-agent":"info/1","operator":"me","robots":"classic"}`),
		told(1, header("request", "urn:q", "http://h/a"), toldRequest("GET", "bot/1")),
		told(2, header("response", "urn:a", "http://h/a", `"WARC-Concurrent-To":"<urn:q>"`,
			`"WARC-Payload-Digest":"sha1:AAAA"`),
			toldResponse("200", `"Content-Type":"text/html","X-Robots-Tag":["noindex","nofollow"]`,
				`"HTML-Metadata":{"Head":{"Metas":[{"name":"robots","content":"none"}]}},`)),
		told(3, header("metadata", "urn:m", "http://h/a", `"WARC-Concurrent-To":"<urn:a>"`),
			`"WARC-Metadata-Metadata":{"Metadata-Records":[{"Name":"via","Value":"http://h/"},{"Name":"hopsFromSeed","Value":"L"},{"Name":"fetchTimeMs","Value":"7"}]}`),
		told(4, header("response", "urn:b", "http://h/b", `"WARC-Warcinfo-ID":"<urn:i>"`),
			toldResponse("301", `"Location":"/c"`, "")),
		told(5, header("response", "urn:d", "dns:h"), `"DNS-Metadata":{}`),
	}
	want := read(t, warctest.GzipMembers(archive...))
	for name, got := range map[string]*collected{
		"members": read(t, warctest.GzipMembers(wat...)), "plain": read(t, warctest.Plain(wat...)),
		"pipe": readPipe(t, warctest.Plain(wat...)),
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, "fetches", got.fetches, want.fetches, apartFromPlace,
				cmpopts.IgnoreFields(facts.Fetch{}, "Type", "Trust", "Archive", "Index", "Metas", "PayloadSize", "DecodedSize"))
			equal(t, "crawls", got.result.Crawls, want.result.Crawls)
			equal(t, "issues", got.kinds(), want.kinds())
			for i, f := range got.fetches {
				if place := int64(2 + 2*i); f.Type != facts.TypeIndexed || f.Trust != facts.TrustIndexed ||
					f.Archive != "a.warc.gz" || f.Offset != place || f.Length != place+1 {
					t.Errorf("%s is %v, %v in %q at %d+%d", f.URL, f.Type, f.Trust, f.Archive, f.Offset, f.Length)
				}
			}
			metas, _ := tag.Decode(got.fetches[0].Metas)
			equal(t, "metas", metas,
				tag.Found{Items: []tag.Item{{Name: "robots", Content: "none", Place: tag.PlaceUnknown}}})
			equal(t, "counts", []int64{got.result.Indexed, got.result.IndexedRobots}, []int64{2, 0})
		})
	}
}

// What cannot be concluded from a WAT is unknown, and what is wrong with one is an issue.
func TestWATForms(t *testing.T) {
	html := `"HTML-Metadata":{"Head":{}},`
	page := `"Content-Type":"text/html"`
	tagged := `"Content-Type":"image/png","X-Robots-Tag":"all"` // a head of 62 bytes
	for name, c := range map[string]struct {
		record  warctest.Record
		fetches int
		unknown bool // metas may be missing
		status  int16
		issues  string
	}{
		"no metas": {
			told(1, header("response", "urn:1", "http://h/"), toldResponse("200", page, html)),
			1, false, 200, "",
		},
		"no page": {told(1, header("response", "urn:1", "http://h/"),
			toldResponse("200", `"Content-Type":"image/png"`, "")), 1, false, 200, ""},
		"a page not read": {
			told(1, header("response", "urn:1", "http://h/"), toldResponse("200", page, "")), 1,
			true, 200, "",
		},
		"no type": {
			told(1, header("response", "urn:1", "http://h/"), toldResponse("200", "", "")), 1,
			true, 200, "",
		},
		"no body": {told(1, header("response", "urn:1", "http://h/"),
			strings.Replace(toldResponse("301", page, ""), "99", "0", 1)), 1, false, 301, ""},
		"a coding": {told(1, header("response", "urn:1", "http://h/"),
			toldResponse("200", page+`,"Content-Encoding":"gzip"`, html)), 1, true, 200, ""},
		"chunks": {told(1, header("response", "urn:1", "http://h/"),
			toldResponse("200", page+`,"Transfer-Encoding":"chunked"`, html)), 1, true, 200, ""},
		"cut by the crawler": {told(1, header("response", "urn:1", "http://h/", `"WARC-Truncated":"length"`),
			toldResponse("200", page, html)), 1, true, 200, ""},
		"shorter than it says": {told(1, header("response", "urn:1", "http://h/"),
			toldResponse("200", page+`,"Content-Length":"100"`, html)), 1, true, 200, ""},
		"a revisit": {
			told(1, header("revisit", "urn:1", "http://h/"), toldResponse("200", page, html)),
			1, true, 200, "",
		},
		"not modified": {
			told(1, header("response", "urn:1", "http://h/"), toldResponse("304", page, html)),
			1, true, 304, "",
		},
		"a resource": {told(1, header("resource", "urn:1", "http://h/", page), ""), 1, true, -1, ""},
		"a resource, no page": {
			told(1, header("resource", "urn:1", "http://h/", `"Content-Type":"image/png"`), ""),
			1, false, -1, "",
		},
		"fields missing": {
			told(1, header("response", "urn:1", "http://h/"),
				toldResponse("200", page+`,"Location":"/caf"`, html+`"Headers-Corrupt":true,`)), 1, true, 200,
			"bad_http_head",
		},
		"a field of two left": {told(1, header("response", "urn:1", "http://h/"),
			toldResponse("200", tagged, `"Headers-Length":"78",`)), 1, true, 200, ""},
		"a longer head": {told(1, header("response", "urn:1", "http://h/"),
			toldResponse("200", tagged, `"Headers-Length":"77",`)), 1, false, 200, ""},
		"a longer head, no tags": {told(1, header("response", "urn:1", "http://h/"),
			toldResponse("200", `"Content-Type":"image/png"`, `"Headers-Length":"999",`)), 1, false, 200, ""},
		"no status": {
			told(1, header("response", "urn:1", "http://h/"), toldResponse("0", page, html)), 1,
			false, -1, "bad_http_head",
		},
		"no HTTP head": {told(1, header("response", "urn:1", "http://h/"), ""), 1, true, -1, "bad_index_row"},
		"a URL that was cut": {told(1,
			header("response", "urn:1", "http://h/")+`},"WARC-Header-Length":"999","x":{`,
			toldResponse("200", page, html)), 1, false, 200, "bad_url"},
		"no URL": {
			told(1, header("response", "urn:1", ""), toldResponse("200", page, html)), 0, false,
			0, "no_target_uri",
		},
		"no date": {told(1, `"WARC-Type":"response","WARC-Target-URI":"http://h/"`,
			toldResponse("200", page, html)), 1, false, 200, "bad_date"},
		"no type of record": {
			told(1, `"WARC-Target-URI":"http://h/"`, toldResponse("200", page, html)), 0, false,
			0, "bad_index_row",
		},
		"two ids": {told(1, header("response", "urn:1", "http://h/", `"WARC-Record-ID":"<urn:2>"`),
			toldResponse("200", page, html)), 1, false, 200, "repeated_field"},
		"a request without more": {told(1, header("request", "urn:1", "http://h/"), ""), 0, false, 0, "bad_index_row"},
		"no JSON": {
			told(1, header("response", "urn:1", "http://h/")+"]", ""), 0, false, 0,
			"bad_index_row",
		},
		"other JSON": {warctest.Record{
			Type: "metadata", URL: "http://h/",
			Fields: []string{"Content-Type: application/json"}, Block: `{"pages":[1]}`,
		}, 0, false, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, warctest.GzipMembers(ownInfo, c.record))
			if issues := strings.Join(got.kinds(), " "); issues != c.issues {
				t.Errorf("issues %q, want %q: %+v", issues, c.issues, got.issues)
			}
			for _, i := range got.issues {
				if c.issues != "no_target_uri" && i.RecordID.String() != "urn:wat:1" {
					t.Errorf("an issue of the record %q", i.RecordID.String())
				}
			}
			if len(got.fetches) != c.fetches || len(got.captures) > 0 {
				t.Fatalf("fetches %v", got.urls())
			}
			for _, f := range got.fetches {
				found, _ := tag.Decode(f.Metas)
				unknown := found.Open || f.Flags&facts.FlagPolicyHeadersCut != 0
				if f.Status != c.status || unknown != c.unknown || f.Location != "" {
					t.Errorf("status %d, unknown %v, Location %q", f.Status, unknown, f.Location)
				}
			}
		})
	}
}

// The last Content-Usage counts. Nobody knows which it is if a WAT has two spellings in an order
// of its own, or may lack one.
func TestWATContentUsage(t *testing.T) {
	for fields, want := range map[string]string{
		`"Content-Usage":"bots=n","Robots-Tag":"*;a"},"Headers-Length":"79","x":{`: "Robots-Tag: *;a",
		`"Content-Usage":"bots=n","Robots-Tag":"*;a"},"Headers-Length":"59","x":{`: "Content-Usage: bots=n\nRobots-Tag: *;a",
		`"Content-Usage":["bots=n","bots=y"],"X-Robots-Tag":"a","x-robots-tag":"b"`: "Content-Usage: " +
			"bots=n\nContent-Usage: bots=y\nX-Robots-Tag: a\nx-robots-tag: b",
		`"Content-Usage":"bots=n","Robots-Tag":"*;a","content-usage":"bots=y"`: "Robots-Tag: *;a",
	} {
		got := read(t, warctest.GzipMembers(ownInfo,
			told(1, header("response", "urn:1", "http://h/"), toldResponse("200", fields, ""))))
		f := got.fetches[0]
		if unknown := f.Flags&facts.FlagPolicyHeadersCut != 0; f.PolicyHeaders != want ||
			unknown == strings.Contains(want, "Usage") {
			t.Errorf("%s: %q, unknown %v", fields, f.PolicyHeaders, unknown)
		}
	}
}

// A robots.txt in a WAT is a fetch and no capture: nobody knows its content.
func TestWATRobots(t *testing.T) {
	got := read(t, warctest.GzipMembers(ownInfo,
		told(1, header("request", "urn:q", "http://h/robots.txt"), toldRequest("GET", "bot/1")),
		told(2, header("response", "urn:r", "http://h/robots.txt", `"WARC-Concurrent-To":"<urn:q>"`),
			toldResponse("301", `"Location":"/r"`, "")),
		told(3, header("response", "urn:t", "http://h/r"), toldResponse("200", `"Content-Type":"text/plain"`, "")),
	))
	equal(t, "URLs", got.urls(), []string{"http://h/robots.txt", "http://h/r"})
	equal(t, "counts", []int64{
		int64(len(got.captures)), got.result.Robots, got.result.Indexed,
		got.result.IndexedRobots,
	}, []int64{0, 0, 2, 1})
}

// Without the place of the record a fetch has that of the WAT's.
func TestWATWithoutContainer(t *testing.T) {
	r := told(1, header("response", "urn:1", "http://h/"), toldResponse("200", "", ""))
	_, r.Block, _ = strings.Cut(r.Block, `"Envelope"`)
	r.Block = `{"Envelope"` + r.Block
	archive := warctest.GzipMembers(ownInfo, r)
	start := int64(len(warctest.GzipMembers(ownInfo)))
	f := read(t, archive).fetches[0]
	if f.Archive != "" || f.Offset != start || f.Length != int64(len(archive))-start {
		t.Errorf("%q at %d+%d", f.Archive, f.Offset, f.Length)
	}
}
