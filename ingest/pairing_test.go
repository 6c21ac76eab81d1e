package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
	info := warcinfoRecord("urn:i", "software: crawler/1\r\nhttp-header-user-agent: info/1\r\nrobots: obey\r\n")
	filler := func(n int) (e []entry) {
		for i := range n {
			e = append(e, entry{kind: "metadata", id: fmt.Sprintf("urn:m%d", i)})
		}
		return e
	}
	for name, c := range map[string]struct {
		in   []entry
		want map[string]string
	}{
		"response names request": {
			[]entry{requestRecord("urn:q", "http://h/", "bot/1"), response("urn:r", "http://h/", ok200, "WARC-Concurrent-To: <urn:q>")},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"response names a request behind it": {
			[]entry{response("urn:r", "http://h/", ok200, "WARC-Concurrent-To: <urn:q>"), requestRecord("urn:q", "http://h/", "bot/1")},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"request names response": {
			[]entry{response("urn:r", "http://h/", ok200), requestRecord("urn:q", "http://x/", "bot/1", "WARC-Concurrent-To: <urn:r>")},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"request names a response behind it": {
			[]entry{requestRecord("urn:q", "http://x/", "bot/1", "WARC-Concurrent-To: <urn:r>"), response("urn:r", "http://h/", ok200)},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"repeated field": {
			[]entry{requestRecord("urn:q", "http://h/", "bot/1", "WARC-Concurrent-To: <urn:else>", "WARC-Concurrent-To: <urn:r>"),
				entry{kind: "metadata"}, response("urn:r", "http://h/", ok200)},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"far apart": {
			slices.Concat([]entry{response("urn:r", "http://h/", ok200)}, filler(pairingWindow-2),
				[]entry{requestRecord("urn:q", "http://h/", "bot/1", "WARC-Concurrent-To: <urn:r>")}),
			map[string]string{"http://h/": "bot/1 request"},
		},
		"too far apart": {
			slices.Concat([]entry{response("urn:r", "http://h/", ok200)}, filler(pairingWindow+1),
				[]entry{requestRecord("urn:q", "http://h/", "bot/1", "WARC-Concurrent-To: <urn:r>")}),
			map[string]string{"http://h/": "none"},
		},
		"beside, before": {
			[]entry{requestRecord("urn:q", "http://h/", "bot/1"), response("urn:r", "http://h/", ok200)},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"beside, behind": {
			[]entry{response("urn:r", "http://h/", ok200), requestRecord("urn:q", "http://h/", "bot/1")},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"beside, without ids": {
			[]entry{response("", "http://h/", ok200), requestRecord("", "http://h/", "bot/1")},
			map[string]string{"http://h/": "bot/1 request"},
		},
		"beside, of another URL": {
			[]entry{requestRecord("urn:q", "http://h/x", "bot/1"), response("urn:r", "http://h/", ok200)},
			map[string]string{"http://h/": "none"},
		},
		"not beside": {
			[]entry{requestRecord("urn:q", "http://h/", "bot/1"), {kind: "metadata"}, response("urn:r", "http://h/", ok200)},
			map[string]string{"http://h/": "none"},
		},
		"the request beside belongs to another": {
			[]entry{response("urn:1", "http://h/", ok200, "WARC-Concurrent-To: <urn:q>"), requestRecord("urn:q", "http://h/", "bot/1"),
				response("urn:2", "http://h/", ok200), requestRecord("urn:q2", "http://h/", "bot/2")},
			map[string]string{"http://h/": "bot/2 request"}, // the second of the URL
		},
		"warcinfo where the request says nothing": {
			[]entry{info, {kind: "request", id: "urn:q", url: "http://h/", block: "HEAD / HTTP/1.1\r\n\r\n"}, response("urn:r", "http://h/", ok200)},
			map[string]string{"http://h/": "info/1 warcinfo"},
		},
		"warcinfo, the latest before": {
			[]entry{info, response("urn:r", "http://h/1", ok200), warcinfoRecord("urn:j", "http-header-user-agent: info/2\n"), response("urn:s", "http://h/2", ok200)},
			map[string]string{"http://h/1": "info/1 warcinfo", "http://h/2": "info/2 warcinfo"},
		},
		"warcinfo by id": {
			[]entry{info, warcinfoRecord("urn:j", "http-header-user-agent: info/2\n"), response("urn:s", "http://h/", ok200, "WARC-Warcinfo-ID: <urn:i>")},
			map[string]string{"http://h/": "info/1 warcinfo"},
		},
		"warcinfo by an id that is not there": {
			[]entry{info, response("urn:s", "http://h/", ok200, "WARC-Warcinfo-ID: <urn:gone>")},
			map[string]string{"http://h/": "info/1 warcinfo"},
		},
		"a warcinfo behind says nothing": {
			[]entry{response("urn:s", "http://h/", ok200), info},
			map[string]string{"http://h/": "none"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, plain(c.in...))
			equal(t, "agents", agents(got), c.want)
			equal(t, "issues", got.kinds(), nil)
		})
	}
}

func TestMethodOfTheRequest(t *testing.T) {
	got := read(t, plain(
		entry{kind: "request", url: "http://h/robots.txt", block: "HEAD /robots.txt HTTP/1.1\r\n\r\n"},
		response("urn:1", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"),
		entry{kind: "metadata"},
		response("urn:2", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody),
	))
	if len(got.fetches) != 2 || got.fetches[0].Method != "HEAD" || got.fetches[1].Method != "GET" {
		t.Fatalf("fetches %+v", got.fetches)
	}
	if got.fetches[0].Flags&FlagBodyKept != 0 {
		t.Error("a HEAD of robots.txt is kept as policy")
	}
	equal(t, "bodies", got.bodies, []string{robotsBody})
	if got.result.Robots != 1 {
		t.Errorf("%d robots captures counted", got.result.Robots)
	}
}

func TestWarcinfoOfAFetch(t *testing.T) {
	got := read(t, plain(
		warcinfoRecord("urn:i", "software: a\r\nsoftware: b\r\nRobots: classic\r\nformat: WARC\r\n"),
		response("urn:1", "http://h/", ok200),
	))
	if f := got.fetches[0]; f.Software != "a" || f.Claim != "classic" {
		t.Errorf("software %q, claim %q", f.Software, f.Claim)
	}
}

// What waits for its partner is bounded by octets, not only by records.
func TestPairingMemory(t *testing.T) {
	p := newPairing()
	long := strings.Repeat("x", 60<<10)
	most := 0
	for i := 1; i <= 3000; i++ {
		if i%2 == 0 {
			p.addRequest(&request{index: i, id: fmt.Sprint("urn:", i), target: long, concurrentTo: []string{long[:1000]}})
		} else {
			x := &exchange{index: i}
			x.URL, x.PolicyHeaders = long, long
			p.addExchange(x)
		}
		p.expire(i - pairingWindow)
		most = max(most, p.waiting)
	}
	if most > maxPending || most < maxPending/2 {
		t.Errorf("%d octets waited at most", most)
	}
	p.expire(3001)
	p.expire(3002)
	if p.waiting != 0 || len(p.requests)+len(p.ids)+len(p.naming)+len(p.pending)+len(p.byID)+len(p.named) != 0 {
		t.Errorf("after all: %d octets, %d requests, %d ids, %d names", p.waiting, len(p.requests), len(p.ids), len(p.naming))
	}
}
