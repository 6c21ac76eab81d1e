package reading

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// agents returns URL → User-Agent and source of the fetches.
func agents(c *collected) map[string]string {
	m := make(map[string]string)
	for _, f := range c.fetches {
		m[f.URL] = strings.TrimSpace(f.UserAgent + " " + f.UserAgentSource.String())
	}
	return m
}

const ok200 = "HTTP/1.1 200 OK\r\n\r\nbody"

func TestPairing(t *testing.T) {
	info := warctest.Warcinfo("urn:i", "software: crawler/1\r\nhttp-header-user-agent: info/1\r\nrobots: obey\r\n")
	filler := func(n int) (e []warctest.Record) {
		for i := range n {
			e = append(e, warctest.Record{Type: "metadata", ID: fmt.Sprintf("urn:m%d", i)})
		}
		return e
	}
	for name, c := range map[string]struct {
		in   []warctest.Record
		want map[string]string
	}{
		"response names request": {
			[]warctest.Record{
				warctest.Request("urn:q", "http://h/", "bot/1"),
				warctest.Response("urn:r", "http://h/", ok200, "WARC-Concurrent-To: <urn:q>"),
			},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"response names a request behind it": {
			[]warctest.Record{
				warctest.Response("urn:r", "http://h/", ok200, "WARC-Concurrent-To: <urn:q>"),
				warctest.Request("urn:q", "http://h/", "bot/1"),
			},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"request names response": {
			[]warctest.Record{
				warctest.Response("urn:r", "http://h/", ok200),
				warctest.Request("urn:q", "http://x/", "bot/1", "WARC-Concurrent-To: <urn:r>"),
			},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"request names a response behind it": {
			[]warctest.Record{
				warctest.Request("urn:q", "http://x/", "bot/1", "WARC-Concurrent-To: <urn:r>"),
				warctest.Response("urn:r", "http://h/", ok200),
			},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"names in another case": {
			[]warctest.Record{
				warctest.Request("urn:uuid:12345678-9ABC-DEF0-1234-56789ABCDEF0", "http://x/1", "bot/1"),
				warctest.Response("urn:uuid:12345678-9ABC-DEF0-1234-56789ABCDEF1", "http://h/1", ok200,
					"WARC-Concurrent-To: <urn:uuid:12345678-9abc-def0-1234-56789abcdef0>"),
				warctest.Response("urn:uuid:12345678-9ABC-DEF0-1234-56789ABCDEF2", "http://h/2", ok200),
				warctest.Request("urn:uuid:12345678-9abc-def0-1234-56789abcdef3", "http://x/2", "bot/2",
					"WARC-Concurrent-To: <urn:uuid:12345678-9abc-def0-1234-56789abcdef2>"),
			},
			map[string]string{"http://h/1": "bot/1 request", "http://h/2": "bot/2 request"},
		},
		"repeated field": {
			[]warctest.Record{
				warctest.Request("urn:q", "http://h/", "bot/1", "WARC-Concurrent-To: <urn:else>",
					"WARC-Concurrent-To: <urn:r>"),
				{Type: "metadata"},
				warctest.Response("urn:r", "http://h/", ok200),
			},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"far apart": {
			slices.Concat([]warctest.Record{warctest.Response("urn:r", "http://h/", ok200)}, filler(pairingWindow-2),
				[]warctest.Record{warctest.Request("urn:q", "http://h/", "bot/1", "WARC-Concurrent-To: <urn:r>")}),
			map[string]string{"http://h/": "bot/1 request"},
		},
		"too far apart": {
			slices.Concat([]warctest.Record{warctest.Response("urn:r", "http://h/", ok200)}, filler(pairingWindow+1),
				[]warctest.Record{warctest.Request("urn:q", "http://h/", "bot/1", "WARC-Concurrent-To: <urn:r>")}),
			map[string]string{"http://h/": "none"},
		},
		"beside, before": {
			[]warctest.Record{
				warctest.Request("urn:q", "http://h/", "bot/1"),
				warctest.Response("urn:r", "http://h/", ok200),
			},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"beside, behind": {
			[]warctest.Record{
				warctest.Response("urn:r", "http://h/", ok200),
				warctest.Request("urn:q", "http://h/", "bot/1"),
			},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"beside, without ids": {
			[]warctest.Record{warctest.Response("", "http://h/", ok200), warctest.Request("", "http://h/", "bot/1")},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"beside, of another URL": {
			[]warctest.Record{
				warctest.Request("urn:q", "http://h/x", "bot/1"),
				warctest.Response("urn:r", "http://h/", ok200),
			},
			map[string]string{"http://h/": "none"},
		},
		"not beside": {
			[]warctest.Record{
				warctest.Request("urn:q", "http://h/", "bot/1"),
				{Type: "metadata"},
				warctest.Response("urn:r", "http://h/", ok200),
			},
			map[string]string{"http://h/": "none"},
		},
		"the request beside belongs to another": {
			[]warctest.Record{
				warctest.Response("urn:1", "http://h/", ok200, "WARC-Concurrent-To: <urn:q>"),
				warctest.Request("urn:q", "http://h/", "bot/1"),
				warctest.Response("urn:2", "http://h/", ok200), warctest.Request("urn:q2", "http://h/", "bot/2"),
			},
			map[string]string{"http://h/": "bot/2 request"}, // the second of the URL
		},
		"no warcinfo where the request says nothing": {
			[]warctest.Record{
				info,
				{Type: "request", ID: "urn:q", URL: "http://h/", Block: "HEAD / HTTP/1.1\r\n\r\n"},
				warctest.Response("urn:r", "http://h/", ok200),
			},
			map[string]string{"http://h/": "none"},
		},
		"warcinfo, the latest before": {
			[]warctest.Record{
				info, warctest.Response("urn:r", "http://h/1", ok200),
				warctest.Warcinfo("urn:j", "http-header-user-agent: info/2\n"),
				warctest.Response("urn:s", "http://h/2", ok200),
			},
			map[string]string{"http://h/1": "info/1 warcinfo", "http://h/2": "info/2 warcinfo"},
		},
		"warcinfo by id": {
			[]warctest.Record{
				info, warctest.Warcinfo("urn:j", "http-header-user-agent: info/2\n"),
				warctest.Response("urn:s", "http://h/", ok200, "WARC-Warcinfo-ID: <urn:i>"),
			},
			map[string]string{"http://h/": "info/1 warcinfo"},
		},
		"warcinfo by id, in another case": {
			[]warctest.Record{
				warctest.Warcinfo("urn:uuid:12345678-9ABC-DEF0-1234-56789ABCDEF0", "http-header-user-agent: info/1\n"),
				warctest.Warcinfo("urn:j", "http-header-user-agent: info/2\n"),
				warctest.Response("urn:s", "http://h/", ok200,
					"WARC-Warcinfo-ID: <urn:uuid:12345678-9abc-def0-1234-56789abcdef0>"),
			},
			map[string]string{"http://h/": "info/1 warcinfo"},
		},
		"warcinfo by an id that is not there": {
			[]warctest.Record{info, warctest.Response("urn:s", "http://h/", ok200, "WARC-Warcinfo-ID: <urn:gone>")},
			map[string]string{"http://h/": "none"},
		},
		"a warcinfo behind says nothing": {
			[]warctest.Record{warctest.Response("urn:s", "http://h/", ok200), info},
			map[string]string{"http://h/": "none"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, warctest.Plain(c.in...))
			equal(t, "agents", agents(got), c.want)
			isAlone := name == "too far apart" || name == "beside, of another URL" || name == "not beside"
			equal(t, "requests alone", slices.Contains(got.kinds(), "request_alone"), isAlone)
			equal(t, "other issues", len(got.issues) > 0, isAlone)
		})
	}
}

func TestMethodOfTheRequest(t *testing.T) {
	got := read(t, warctest.Plain(
		warctest.Record{Type: "request", URL: "http://h/robots.txt", Block: "HEAD /robots.txt HTTP/1.1\r\n\r\n"},
		warctest.Response("urn:1", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"),
		warctest.Record{Type: "metadata"},
		warctest.Response("urn:2", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody),
	))
	if len(got.fetches) != 2 || got.fetches[0].Method != "HEAD" || got.fetches[1].Method != "GET" {
		t.Fatalf("fetches %+v", got.fetches)
	}
	if got.fetches[0].Flags&facts.FlagBodyKept != 0 {
		t.Error("a HEAD of robots.txt is kept as policy")
	}
	equal(t, "bodies", got.bodies, []string{robotsBody})
	if got.result.Robots != 1 {
		t.Errorf("%d robots captures counted", got.result.Robots)
	}
}

func TestWarcinfoOfAFetch(t *testing.T) {
	got := read(t, warctest.Plain(
		warctest.Warcinfo("urn:i", "software: a\r\nsoftware: b\r\nRobots: classic\r\nformat: WARC\r\n"),
		warctest.Response("urn:1", "http://h/", ok200),
	))
	if f := got.fetches[0]; f.Claim != "classic" {
		t.Errorf("claim %q", f.Claim)
	}
}

// The order of records is certain by one software that is known to write them so.
func TestSerialWarcinfo(t *testing.T) {
	for software, want := range map[string]bool{
		"software: Wget/1.25.0\r\n":                          true,
		"software: Wget/1.25.0\r\nsoftware: Wget/1.25.0\r\n": true,
		"software: Wget/1.25.0\r\nsoftware: Heritrix/3\r\n":  false,
		"software: Heritrix/3\r\nsoftware: Wget/1.25.0\r\n":  false,
	} {
		got := read(t, warctest.Plain(warctest.Warcinfo("urn:i", software), warctest.Response("urn:1", "http://h/", ok200)))
		if is := got.fetches[0].Flags&facts.FlagSerial != 0; is != want {
			t.Errorf("%q: serial %t", software, is)
		}
	}
}

// What waits for its partner is bounded by bytes, not only by records.
func TestPairingMemory(t *testing.T) {
	p := newPairing()
	long := strings.Repeat("x", 60<<10)
	most := 0
	for i := 1; i <= 3000; i++ {
		if i%3 == 0 {
			p.addMetadata(&metadata{
				index: i, id: recordid.ID(fmt.Sprint("urn:m", i)), via: long,
				names: []recordid.ID{recordid.ID(fmt.Sprint("urn:r", i-2)), "urn:no"},
			})
		} else if i%2 == 0 {
			p.addRequest(&request{
				index: i, id: recordid.ID(fmt.Sprint("urn:", i)), target: long,
				concurrentTo: []recordid.ID{recordid.ID(long[:1000])},
			})
		} else {
			x := &exchange{index: i}
			x.RecordID, x.URL, x.PolicyHeaders = recordid.ID(fmt.Sprint("urn:r", i)), long, long
			p.addExchange(x)
		}
		p.settle(i - metadataWindow)
		p.expire(i - pairingWindow)
		most = max(most, p.waiting)
	}
	if most > maxPending || most < maxPending/2 {
		t.Errorf("%d bytes waited at most", most)
	}
	p.expire(3001)
	p.expire(3002)
	if p.waiting != 0 || len(p.requests)+len(p.ids)+len(p.naming)+len(p.pending)+len(p.byID)+len(p.named)+
		len(p.metadata) != 0 {
		t.Errorf("after all: %d bytes, %d requests, %d ids, %d names", p.waiting, len(p.requests), len(p.ids),
			len(p.naming))
	}
}

// discoveries returns record id → the metadata of the fetch.
func discoveries(c *collected) map[string]string {
	m := make(map[string]string)
	for _, f := range c.fetches {
		text := fmt.Sprintf("%s via %q hops %q ms %d", f.UserAgent, f.Via, f.HopsFromSeed, f.Millis)
		for flag, name := range map[facts.Flags]string{
			facts.FlagDiscovery: " told", facts.FlagSeed: " seed",
			facts.FlagForceFetch: " forced",
		} {
			if f.Flags&flag != 0 {
				text += name
			}
		}
		m[string(f.RecordID)] = text
	}
	return m
}

func TestMetadata(t *testing.T) {
	const page, via = "http://h/p",
		"via: http://h/\r\nhopsFromSeed: LE\r\nfetchTimeMs: 47\r\noutlink: http://h/x L a/@href\r\n"
	const told, silent = `bot/1 via "http://h/" hops "LE" ms 47 told`, `bot/1 via "" hops "" ms -1`
	q, r := warctest.Request("urn:q", page, "bot/1", "WARC-Concurrent-To: <urn:r>"), warctest.Response("urn:r", page,
		ok200)
	const unasked = `via "http://h/" hops "LE" ms 47 told`
	filler := func(n int) (e []warctest.Record) {
		for i := range n {
			e = append(e, warctest.Response(fmt.Sprint("urn:f", i), "http://f/", ok200))
		}
		return e
	}
	for name, c := range map[string]struct {
		in   []warctest.Record
		want string // of urn:r
	}{
		"names the response": {[]warctest.Record{
			r, q,
			metadataRecord("urn:m", "http://x/", via, "WARC-Concurrent-To: <urn:r>"),
		}, told},
		"refers to the response": {[]warctest.Record{
			r, q,
			metadataRecord("urn:m", "http://x/", via, "WARC-Refers-To: <urn:r>"),
		}, told},
		"names it among others": {[]warctest.Record{
			r, q,
			metadataRecord("urn:m", "", via, "WARC-Concurrent-To: <urn:q>", "WARC-Concurrent-To: <urn:r>"),
		}, told},
		"before the response": {[]warctest.Record{metadataRecord("urn:m", "", via,
			"WARC-Concurrent-To: <urn:r>"), q, r}, told},
		"between them": {[]warctest.Record{
			r,
			metadataRecord("urn:m", "", via, "WARC-Concurrent-To: <urn:r>"), q,
		}, told},
		"named by the response": {[]warctest.Record{
			q,
			warctest.Response("urn:r", page, ok200, "WARC-Concurrent-To: <urn:m>"),
			metadataRecord("urn:m", "", via),
		}, told},
		"named, before the response": {[]warctest.Record{
			q, metadataRecord("urn:m", "", via),
			{Type: "continuation"},
			warctest.Response("urn:r", page, ok200),
		}, silent},
		"beside":                     {[]warctest.Record{q, r, metadataRecord("", page, via)}, told},
		"beside, behind the request": {[]warctest.Record{r, q, metadataRecord("", page, via)}, told},
		"beside, before":             {[]warctest.Record{q, metadataRecord("", page, via), r}, told},
		"beside, of another URL":     {[]warctest.Record{r, q, metadataRecord("", "http://h/other", via)}, silent},
		"beside, and names another": {[]warctest.Record{
			r, q,
			metadataRecord("", page, via, "WARC-Concurrent-To: <urn:else>"),
		}, silent},
		"not beside": {[]warctest.Record{
			r, q,
			{Type: "conversion"},
			metadataRecord("", page, via),
		}, silent},
		"the first counts": {[]warctest.Record{
			r,
			metadataRecord("urn:m", "", via, "WARC-Concurrent-To: <urn:r>"),
			metadataRecord("urn:n", "", "seed:\r\n", "WARC-Concurrent-To: <urn:r>"), q,
		}, told},
		"without a request": {[]warctest.Record{
			r,
			metadataRecord("urn:m", "", via, "WARC-Concurrent-To: <urn:r>"),
		}, unasked},
		"seed": {[]warctest.Record{
			r, q,
			metadataRecord("", page, "seed: \r\nforce-fetch:\r\n"),
		}, silent + " told seed forced"},
		"of another crawler": {[]warctest.Record{
			r, q,
			metadataRecord("", page, "fetchTimeMs: 655\r\nlanguages-cld2: {}\r\n"),
		}, `bot/1 via "" hops "" ms 655`},
		"of no time": {
			[]warctest.Record{r, q, metadataRecord("", page, "fetchTimeMs: -4\r\n")},
			`bot/1 via "" hops "" ms 2147483647`,
		},
		"nothing known": {[]warctest.Record{
			r, q,
			metadataRecord("", page, "usingCharset: x\r\nfetchTimeMs:\r\n"),
		}, silent},
		"no fields": {[]warctest.Record{
			r, q,
			{Type: "metadata", URL: page, Fields: []string{"Content-Type: application/json"}, Block: via},
		}, silent},
		"far apart, not yet asked": {slices.Concat([]warctest.Record{r}, filler(metadataWindow+9),
			[]warctest.Record{metadataRecord("urn:m", "", via, "WARC-Concurrent-To: <urn:r>"), q}), told},
		"near, once asked": {slices.Concat([]warctest.Record{r, q}, filler(metadataWindow-2),
			[]warctest.Record{metadataRecord("urn:m", "", via, "WARC-Concurrent-To: <urn:r>")}), told},
		"too far apart, once asked": {slices.Concat([]warctest.Record{r, q}, filler(metadataWindow),
			[]warctest.Record{metadataRecord("urn:m", "", via, "WARC-Concurrent-To: <urn:r>")}), silent},
		"the cut line says nothing": {
			[]warctest.Record{
				r, q,
				metadataRecord("", page, "seed:\r\nx: "+strings.Repeat("y", maxMetadata-16)+"\r\nvia: http://h/"),
			},
			silent + " told seed",
		},
		"behind much else": {
			[]warctest.Record{
				r, q,
				metadataRecord("", page, strings.Repeat("outlink: http://h/x L a/@href\r\n", (16<<10)/7)+via),
			},
			told,
		},
		"behind an empty line": {[]warctest.Record{
			r, q,
			metadataRecord("", page, "\r\n"+strings.Repeat("x: y\r\n", (16<<10)/3)+via),
		}, silent},
		"a response is no metadata's": {[]warctest.Record{
			r, q,
			metadataRecord("urn:r", "", via, "WARC-Concurrent-To: <urn:q>"),
		}, silent},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, warctest.Plain(c.in...))
			text := discoveries(got)["urn:r"]
			want := c.want
			// The order of the flags' names is that of a map.
			for _, flag := range []string{" told", " seed", " forced"} {
				if strings.Contains(text, flag) != strings.Contains(want, flag) {
					t.Errorf("got %q, want %q", text, want)
				}
				text, want = strings.Replace(text, flag, "", 1), strings.Replace(want, flag, "", 1)
			}
			if strings.TrimSpace(text) != strings.TrimSpace(want) {
				t.Errorf("got %q, want %q", text, want)
			}
			if n := len(got.fetches); n != strings.Count(string(warctest.Plain(c.in...)), "WARC-Type: response") {
				t.Errorf("%d fetches", n)
			}
		})
	}
}

// What the crawler found in the content is in the record's own header, or in its metadata.
func TestFoundInContent(t *testing.T) {
	const page, cld2 = "http://h/", `languages-cld2: {"reliable":true,"languages":[{"code":"de","code-iso-639-3":"deu",` +
		`"name":"German"},{"code":"en","code-iso-639-3":"eng"}]}` + "\r\n"
	response := func(fields ...string) warctest.Record { return warctest.Response("urn:r", page, ok200, fields...) }
	for _, c := range []struct {
		in              []warctest.Record
		media, language string
	}{
		{[]warctest.Record{response()}, "", ""},
		{[]warctest.Record{response("WARC-Identified-Payload-Type: Text/HTML; x"), metadataRecord("", page, cld2)}, "text/html", "deu,eng"},
		{[]warctest.Record{response("WARC-Identified-Content-Language: fra, es-419"), metadataRecord("", page, cld2)}, "", "fra,es-419"},
		{[]warctest.Record{response("WARC-Identified-Content-Language: <b>"), metadataRecord("", page, "languages-cld2: {}\r\n")}, "", ""},
		{[]warctest.Record{response("WARC-Identified-Content-Language: " + strings.Repeat("eng,", 20))}, "", ""},
	} {
		if f := read(t, warctest.Plain(c.in...)).fetches[0]; f.DetectedType != c.media || f.Languages != c.language {
			t.Errorf("%q, %q, want %q, %q", f.DetectedType, f.Languages, c.media, c.language)
		}
	}
}

// Several fetches may name one request, or be named by one, before or after it.
func TestOneRequestOfSeveral(t *testing.T) {
	names := func(id string) warctest.Record {
		return warctest.Response(id, "http://h/"+id, ok200, "WARC-Concurrent-To: <urn:q>")
	}
	q := warctest.Request("urn:q", "http://h/", "bot/1")
	naming := warctest.Request("urn:q", "http://h/", "bot/1", "WARC-Concurrent-To: <urn:a>",
		"WARC-Concurrent-To: <urn:b>", "WARC-Concurrent-To: <urn:a>")
	a, b := warctest.Response("urn:a", "http://h/a", ok200), warctest.Response("urn:b", "http://h/b", ok200)
	second := warctest.Request("urn:q2", "http://h/", "bot/2", "WARC-Concurrent-To: <urn:a>")
	for name, c := range map[string][]warctest.Record{
		"all before":           {names("urn:a"), names("urn:b"), q},
		"all behind":           {q, names("urn:a"), names("urn:b")},
		"on either side":       {names("urn:a"), q, names("urn:b")},
		"named before":         {a, b, naming},
		"named behind":         {naming, a, b},
		"named on either side": {a, naming, b},
		"the first counts":     {naming, second, a, b},
		"the first, behind":    {a, b, naming, second},
		"the first of one id":  {q, warctest.Request("urn:q", "http://h/", "bot/2"), names("urn:a"), names("urn:b")},
		"another beside": {
			warctest.Request("urn:q2", "http://h/urn:a", "bot/2"), names("urn:a"), names("urn:b"),
			q,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, warctest.Plain(c...))
			if len(got.fetches) != 2 {
				t.Fatalf("%d fetches", len(got.fetches))
			}
			for _, f := range got.fetches {
				if f.UserAgent != "bot/1" {
					t.Errorf("%s: %q", f.RecordID, f.UserAgent)
				}
			}
		})
	}
}

// Some writers use an id twice. A request that names it is that of one of the fetches that have it.
func TestOneIDOfSeveral(t *testing.T) {
	ask := func(url, agent string) warctest.Record {
		return warctest.Request("", url, agent, "WARC-Concurrent-To: <urn:r>")
	}
	a, b := warctest.Response("urn:r", "http://h/a", ok200), warctest.Response("urn:r", "http://h/b", ok200)
	again := warctest.Response("urn:r", "http://h/a", ok200, "WARC-Date: 2024-05-01T12:00:09Z")
	for name, c := range map[string]struct {
		in   []warctest.Record
		want []string
	}{
		"before":             {[]warctest.Record{ask("http://h/a", "a"), a, ask("http://h/b", "b"), b}, []string{"a", "b"}},
		"behind":             {[]warctest.Record{a, ask("http://h/a", "a"), b, ask("http://h/b", "b")}, []string{"a", "b"}},
		"together, before":   {[]warctest.Record{ask("http://h/b", "b"), ask("http://h/a", "a"), a, b}, []string{"a", "b"}},
		"together, behind":   {[]warctest.Record{a, b, ask("http://h/b", "b"), ask("http://h/a", "a")}, []string{"a", "b"}},
		"of one URL":         {[]warctest.Record{ask("http://h/a", "a"), a, ask("http://h/a", "b"), again}, []string{"a", "b"}},
		"of one URL, behind": {[]warctest.Record{a, ask("http://h/a", "a"), again, ask("http://h/a", "b")}, []string{"a", "b"}},
		"one is lost":        {[]warctest.Record{ask("http://h/a", "a"), a, b}, []string{"a", ""}},
		"named by the fetches": {
			[]warctest.Record{
				warctest.Request("urn:q", "http://h/a", "a"),
				warctest.Response("urn:1", "http://h/a", ok200, "WARC-Concurrent-To: <urn:q>"),
				warctest.Request("urn:q", "http://h/b", "b"),
				warctest.Response("urn:2", "http://h/b", ok200, "WARC-Concurrent-To: <urn:q>"),
			},
			[]string{"a", "b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, warctest.Plain(c.in...))
			slices.SortFunc(got.fetches, func(a, b facts.Fetch) int { return cmp.Compare(a.Index, b.Index) })
			var agents []string
			for _, f := range got.fetches {
				agents = append(agents, f.UserAgent)
			}
			equal(t, "agents", agents, c.want)
		})
	}
}

// Two requests of its URL may claim a fetch: it has the User-Agents of both.
func TestTwoRequests(t *testing.T) {
	ask := func(id, agent string, fields ...string) warctest.Record {
		return warctest.Request("urn:"+id, "http://h/a", agent, append(fields, "WARC-Concurrent-To: <urn:r>")...)
	}
	r := warctest.Response("urn:r", "http://h/a", ok200)
	asking := warctest.Response("urn:r", "http://h/a", ok200, "WARC-Concurrent-To: <urn:2>")
	about := warctest.Record{
		Type: "metadata", ID: "urn:m", URL: "http://h/a", Fields: []string{"WARC-Concurrent-To: <urn:r>"}, Block: "via: http://h/",
	}
	other := warctest.Response("urn:o", "http://h/a", ok200)
	for name, c := range map[string]struct {
		in   []warctest.Record
		want string
	}{
		"before":           {[]warctest.Record{ask("1", "a"), ask("2", "b"), r}, "a\nb"},
		"behind":           {[]warctest.Record{r, ask("1", "a"), ask("2", "b")}, "a\nb"},
		"on either side":   {[]warctest.Record{ask("1", "a"), r, ask("2", "b")}, "a\nb"},
		"behind metadata":  {[]warctest.Record{ask("1", "a"), r, about, ask("2", "b")}, "a\nb"},
		"by either field":  {[]warctest.Record{ask("1", "a"), warctest.Request("urn:2", "http://h/a", "b"), asking}, "a\nb"},
		"three":            {[]warctest.Record{r, ask("1", "a"), ask("2", "b"), ask("3", "c")}, "a\nb"},
		"of one agent":     {[]warctest.Record{ask("1", "a"), r, ask("2", "a"), ask("3", "b")}, "a\nb"},
		"one has two":      {[]warctest.Record{ask("1", "a"), r, ask("2", "a\r\nUser-Agent: c")}, "a\nc"},
		"without an agent": {[]warctest.Record{ask("1", ""), r, ask("2", "b")}, "b"},
		"an empty one":     {[]warctest.Record{ask("1", "a"), r, ask("2", ""), ask("3", "b")}, "a\nb"},
		"none of them":     {[]warctest.Record{ask("1", "a"), r, ask("2", "")}, "a"},
		"of another URL": {
			[]warctest.Record{ask("1", "a"), r, warctest.Request("urn:2", "http://h/", "b", "WARC-Concurrent-To: <urn:r>")}, "a",
		},
		"of another fetch": {[]warctest.Record{r, ask("1", "a"), ask("2", "b", "WARC-Concurrent-To: <urn:o>"), other}, "a"},
	} {
		got := read(t, warctest.Plain(c.in...))
		i := slices.IndexFunc(got.fetches, func(f facts.Fetch) bool { return f.RecordID == "urn:r" })
		equal(t, name, got.fetches[i].UserAgent, c.want)
	}
}

// A fetch whose request comes late has no metadata to wait for any more.
func TestLateRequest(t *testing.T) {
	for behind, want := range map[int]int{metadataWindow - 1: 0, metadataWindow: 1} {
		p := newPairing()
		x := &exchange{index: 1}
		x.RecordID = "urn:r"
		p.addExchange(x)
		if done := p.addRequest(&request{index: 1 + behind, concurrentTo: []recordid.ID{"urn:r"}}); len(done) != want {
			t.Errorf("%d records behind: %d fetches, want %d", behind, len(done), want)
		}
	}
}

func TestCrawlsOfAnInput(t *testing.T) {
	wget := "software: Wget/1.21\r\nwget-arguments: \"-e\" \"robots=OFF\" \"--http-password=secret\"\r\n"
	in := []warctest.Record{
		warctest.Warcinfo("urn:i",
			"software: Heritrix/3\r\nhttp-header-from: a@b\r\noperator: Admin\r\nisPartOf: coll\r\nrobots: "+
				"obey\r\nhttp-header-user-agent: h/3\r\n"),
		warctest.Response("urn:1", "http://h/1", ok200),
		warctest.Warcinfo("urn:j", wget), warctest.Response("urn:2", "http://h/2", ok200),
		warctest.Warcinfo("urn:k", wget),
	}
	for i := range 2 * maxCrawls {
		in = append(in, warctest.Warcinfo("", fmt.Sprintf("software: s%d\r\n", i)))
	}
	got := read(t, warctest.Plain(in...))
	if len(got.result.Crawls) != maxCrawls {
		t.Fatalf("%d crawls", len(got.result.Crawls))
	}
	equal(t, "crawls", got.result.Crawls[:3], []facts.Crawl{
		{Software: "Heritrix/3", UserAgent: "h/3", From: "a@b", Operator: "Admin", IsPartOf: "coll", Robots: "obey"},
		{Software: "Wget/1.21", Robots: "off"},
		{Software: "s0"},
	})
	equal(t, "claims", []string{got.fetches[0].Claim, got.fetches[1].Claim}, []string{"obey", "off"})
}

func TestNamesHost(t *testing.T) {
	for pair, want := range map[string]bool{
		"a.example http://a.example":                         true,
		"A.Example http://a.example":                         true,
		"a.example. http://a.example":                        true,
		"a.example http://a.example.":                        true,
		"a.example:80 http://a.example":                      true,
		"a.example.:80 http://a.example":                     true,
		"a.example:443 https://a.example":                    true,
		"a.example https://a.example:8443":                   true,
		"a.example:8443 https://a.example:8443":              true,
		"a.example: http://a.example":                        true,
		"b\u00fccher.example http://xn--bcher-kva.example":   true,
		"XN--BCHER-KVA.example http://xn--bcher-kva.example": true,
		"[::1] http://[::1]":                                 true,
		"[0:0::1]:80 http://[::1]":                           true,
		"::1 http://[::1]":                                   true,
		"[::1]:8080 http://[::1]:8080":                       true,
		"b.example http://a.example":                         false,
		"www.a.example http://a.example":                     false,
		"a.example:8080 http://a.example":                    false,
		"a.example:80 http://a.example:8080":                 false,
		"a.example:80 https://a.example":                     false,
		"[::2] http://[::1]":                                 false,
		"a.example,b.example http://a.example":               false,
		": http://a.example":                                 false,
	} {
		host, origin, _ := strings.Cut(pair, " ")
		if got := namesHost(host, origin); got != want {
			t.Errorf("%s: %t", pair, got)
		}
	}
}

// An answer to a request that names another host is no policy of the URL's, whichever of
// the two records comes first.
func TestMisdirectedRequests(t *testing.T) {
	const robots, page = "http://b.example/robots.txt", "http://b.example/page"
	request := func(line, host string) func(url string) warctest.Record {
		return func(url string) warctest.Record {
			return warctest.Record{
				Type: "request", ID: "urn:q", URL: url,
				Block: line + "\r\n" + host + "User-Agent: bot/1\r\n\r\n",
			}
		}
	}
	moved := "HTTP/1.1 301 Moved\r\nLocation: http://b.example/rules\r\n\r\n"
	for name, c := range map[string]struct {
		request func(url string) warctest.Record
		other   bool
	}{
		"its own":             {request("GET /robots.txt HTTP/1.1", "Host: B.example:80\r\n"), false},
		"none":                {request("GET /robots.txt HTTP/1.0", ""), false},
		"an empty one":        {request("GET /robots.txt HTTP/1.0", "Host:\r\n"), false},
		"another":             {request("GET /robots.txt HTTP/1.1", "Host: a.example\r\n"), true},
		"another port":        {request("GET /robots.txt HTTP/1.1", "Host: b.example:8080\r\n"), true},
		"another, to a proxy": {request("GET http://a.example/robots.txt HTTP/1.1", "Host: b.example\r\n"), true},
		"its own, to a proxy": {request("GET http://b.example/robots.txt HTTP/1.1", "Host: proxy.example\r\n"), false},
	} {
		for _, url := range []string{robots, page, "http://b.example/rules"} {
			ask, answer := c.request(url), warctest.Response("urn:r", url, moved, "WARC-Concurrent-To: <urn:q>")
			before := warctest.Response("urn:0", "http://b.example:81/robots.txt", moved) // makes a target of /rules
			for _, list := range [][]warctest.Record{
				{before, ask, answer},
				{before, answer, ask},
				{before, answer, {Type: "metadata", ID: "urn:m"}, ask},
			} {
				got := read(t, warctest.Plain(list...))
				if len(got.fetches) != 2 {
					t.Fatalf("%d fetches", len(got.fetches))
				}
				i := slices.IndexFunc(got.fetches, func(f facts.Fetch) bool { return f.RecordID == "urn:r" })
				f, captured := got.fetches[i], len(got.captures) == 2
				astray := captured && got.captures[1].Kind == facts.CaptureTarget &&
					got.captures[1].Flags&facts.FlagHostMismatch != 0
				var issues []string
				if c.other {
					issues = []string{"host_mismatch"}
				}
				equal(t, name, got.kinds(), issues)
				if captured != (url == robots || url != page && !c.other) || astray != (url == robots && c.other) ||
					(f.Flags&facts.FlagHostMismatch != 0) != c.other ||
					(f.Flags&facts.FlagBodyKept != 0) != (captured && !astray) {
					t.Errorf("%s, %s: captured %t, flags %b", name, url, captured, f.Flags)
				}
				if f.UserAgent != "bot/1" || f.Location != "http://b.example/rules" {
					t.Errorf("%s, %s: row %+v", name, url, f)
				}
			}
		}
	}
	// A request of another URL does not show the host of this one.
	got := read(t, warctest.Plain(warctest.Response("urn:r", robots, ok200), warctest.Record{
		Type: "request", ID: "urn:q", URL: "http://a.example/robots.txt",
		Fields: []string{"WARC-Concurrent-To: <urn:r>"}, Block: "GET /robots.txt HTTP/1.1\r\nHost: a.example\r\n\r\n",
	}))
	equal(t, "issues", len(got.issues), 0)
	equal(t, "bodies", got.bodies, []string{"body"})
}

// The validators of a policy capture come from its response and its request.
func TestValidators(t *testing.T) {
	const head = "HTTP/1.1 304 Not Modified\r\nETag: W/\"a\"\r\nLast-Modified: Tue, 30 Apr 2024 10:00:00 GMT\r\nETag: \"b\"\r\n\r\n"
	ask := func(url string) warctest.Record {
		return warctest.Record{
			Type: "request", ID: "urn:q", URL: url,
			Block: "GET / HTTP/1.1\r\nHost: h\r\nIf-None-Match: \"a\", \"c\"\r\nIf-Modified-Since: Mon, 29 Apr 2024 " +
				"10:00:00 GMT\r\n\r\n",
		}
	}
	revisit := warctest.Record{
		Type: "revisit", ID: "urn:r", URL: "http://h/robots.txt", Block: head,
		Fields: []string{"WARC-Profile: x/server-not-modified"},
	}
	for name, list := range map[string][]warctest.Record{
		"response":       {ask("http://h/robots.txt"), warctest.Response("urn:r", "http://h/robots.txt", head)},
		"revisit":        {ask("http://h/robots.txt"), revisit},
		"request behind": {revisit, ask("http://h/robots.txt")},
		"tdmrep.json": {
			ask("http://h/.well-known/tdmrep.json"),
			warctest.Response("urn:r", "http://h/.well-known/tdmrep.json", head),
		},
	} {
		c := read(t, warctest.Plain(list...)).captures[0]
		equal(t, name, []string{c.ETag, c.LastModified, c.IfNoneMatch, c.IfModifiedSince},
			[]string{`W/"a"`, "Tue, 30 Apr 2024 10:00:00 GMT", `"a", "c"`, "Mon, 29 Apr 2024 10:00:00 GMT"})
	}
	c := read(t, warctest.Plain(warctest.Response("urn:r", "http://h/robots.txt", ok200))).captures[0]
	equal(t, "none", []string{c.ETag, c.LastModified, c.IfNoneMatch, c.IfModifiedSince}, []string{"", "", "", ""})
}

// What waits for its request or its fetch is counted as long as it waits, and no longer.
func TestPairingCountsWhatWaits(t *testing.T) {
	var list []warctest.Record
	for i := range 50 {
		id, url := fmt.Sprintf("urn:%d", i), fmt.Sprintf("http://h%d/robots.txt", i)
		list = append(list,
			warctest.Response(id, url, "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nLast-Modified: y\r\n\r\n"+robotsBody),
			warctest.Record{
				Type: "request", ID: id + "q", URL: url, Fields: []string{"WARC-Concurrent-To: <" + id + ">"},
				Block: "GET / HTTP/1.1\r\nHost: h\r\nIf-None-Match: \"x\"\r\nIf-Modified-Since: y\r\n\r\n",
			})
	}
	archive := warctest.Plain(list...)
	from := input.New(bytes.NewReader(archive), nil)
	form := warc.Sniff(from, nil)
	c := NewCommitter(facts.NewAccount(0, "", facts.Discard{}), Options{})
	r, err := form.Records(from, bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.readAll(r, int64(len(archive))); err != nil {
		t.Fatal(err)
	}
	if c.pairing.waiting != 0 || len(c.pairing.pending)+len(c.pairing.requests) != 0 {
		t.Errorf("%d bytes wait in %d fetches and %d requests", c.pairing.waiting, len(c.pairing.pending),
			len(c.pairing.requests))
	}
}
