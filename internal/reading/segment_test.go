package reading

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// segmentsOf cuts a response into segments at the given bytes of its block.
func segmentsOf(url, block string, at ...int) []warctest.Record {
	var list []warctest.Record
	at = append(at, len(block))
	from := 0
	for i, to := range at {
		e := warctest.Record{
			Type: "continuation", ID: fmt.Sprintf("urn:c%d", i+1), URL: url, Block: block[from:to],
			Fields: []string{fmt.Sprintf("WARC-Segment-Number: %d", i+1)},
		}
		if i == 0 {
			e.Type, e.ID = "response", "urn:first"
		} else {
			e.Fields = append(e.Fields, "WARC-Segment-Origin-ID: <urn:first>")
		}
		if to == len(block) {
			e.Fields = append(e.Fields, fmt.Sprintf("WARC-Segment-Total-Length: %d", len(block)))
		}
		list, from = append(list, e), to
	}
	return list
}

// A segment whose member holds less than it declares leaves a gap, and its body is a part.
func TestShortSegment(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\n\r\n"
	list := segmentsOf("http://h/robots.txt", head+robotsBody, len(head)+9, len(head)+20)
	short := warctest.Gzip(list[1].String()[:len(list[1].String())-len("xx\r\n\r\n")])
	got := read(t, append(append(warctest.GzipMembers(list[0]), short...), warctest.GzipMembers(list[2])...))
	if len(got.captures) != 1 || got.captures[0].Flags&facts.FlagBodyCut == 0 {
		t.Errorf("captures %+v, issues %v", got.captures, got.kinds())
	}
}

// A policy capture has the body of all its segments, or is known to be cut; a page
// needs its head alone.
func TestSegments(t *testing.T) {
	const robots, page = "http://h/robots.txt", "http://h/page"
	head := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	block := head + warctest.Chunked(robotsBody)
	three := func(url string) []warctest.Record { return segmentsOf(url, block, len(head)+9, len(head)+20) }
	with := func(list []warctest.Record, i int, fields ...string) []warctest.Record {
		list[i].Fields = append(list[i].Fields, fields...)
		return list
	}
	without := func(list []warctest.Record, i int) []warctest.Record { return append(list[:i:i], list[i+1:]...) }
	between := func(list []warctest.Record) []warctest.Record {
		return []warctest.Record{
			list[0],
			warctest.Request("urn:q", robots, "bot/1", "WARC-Concurrent-To: <urn:first>"), warctest.Response("urn:x",
				"http://h/x", ok200), list[1], list[2],
		}
	}
	payload := labelled("WARC-Payload-Digest", "sha1", robotsBody)
	whole, cut := facts.FlagHTTPHead|facts.FlagBodyKept, facts.FlagHTTPHead|facts.FlagBodyKept|facts.FlagBodyCut
	for name, c := range map[string]struct {
		records []warctest.Record
		body    string
		flags   facts.Flags
		issues  []string
	}{
		"whole":               {three(robots), robotsBody, whole, nil},
		"others between":      {between(three(robots)), robotsBody, whole, nil},
		"digest of the whole": {with(three(robots), 0, payload), robotsBody, whole, nil},
		"another digest": {
			with(three(robots), 0, labelled("WARC-Payload-Digest", "sha1", "x")), robotsBody,
			whole | facts.FlagDigestMismatch,
			[]string{"digest_mismatch"},
		},
		"the last is missing": {
			without(three(robots), 2), "User-agent: *\nDi", cut,
			[]string{"missing_segment", "body_cut"},
		},
		"the second is missing": {without(three(robots), 1), "User-", cut, []string{"missing_segment", "body_cut"}},
		"the first alone":       {three(robots)[:1], "User-", cut, []string{"missing_segment", "body_cut"}},
		"a segment twice":       {append(three(robots)[:2], three(robots)[1:]...), robotsBody, whole, nil},
		"a wrong total": {func() []warctest.Record {
			l := three(robots)
			l[2].Fields[2] = "WARC-Segment-Total-Length: 7"
			return l
		}(), robotsBody, cut, []string{"missing_segment", "body_cut"}},
		"one segment":         {segmentsOf(robots, block), robotsBody, whole, nil},
		"a page":              {three(page), "", facts.FlagHTTPHead, nil},
		"a page, one missing": {without(three(page), 1), "", facts.FlagHTTPHead, []string{"missing_segment"}},
		"cut within the head": {segmentsOf(robots, block, 20), "", cut, []string{"bad_http_head", "body_cut"}},
		"without a record id": {
			func() []warctest.Record { l := three(robots)[:1]; l[0].ID = ""; return l }(), "User-",
			cut,
			[]string{"missing_segment", "body_cut"},
		},
		"over the cap": {
			segmentsOf(robots, "HTTP/1.1 200\r\n\r\n"+strings.Repeat("#", 3*httpmsg.MaxBody), httpmsg.MaxBody/2,
				2*httpmsg.MaxBody),
			strings.Repeat("#", httpmsg.MaxBody), cut,
			[]string{"body_cut"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for form, got := range map[string]*collected{
				"plain":   read(t, warctest.Plain(c.records...)),
				"members": read(t, warctest.GzipMembers(c.records...)),
			} {
				equal(t, form+": issues", got.kinds(), c.issues)
				if len(got.fetches) == 0 || got.result.Lossy > 0 {
					t.Fatalf("%s: %d fetches, %v", form, len(got.fetches), got.kinds())
				}
				f := got.fetches[len(got.fetches)-1]
				if len(got.captures) > 0 {
					f = got.captures[0].Fetch
				}
				if f.Flags != c.flags {
					t.Errorf("%s: flags %b, want %b", form, f.Flags, c.flags)
				}
				if len(got.bodies) > 0 && got.bodies[0] != c.body || len(got.bodies) == 0 && c.body != "" {
					t.Errorf("%s: %d bodies, the first %.60q, want %.60q", form, len(got.bodies), got.bodies, c.body)
				}
				for _, i := range got.issues {
					if i.Offset != 0 || i.Length <= 0 {
						t.Errorf("%s: issue at %d+%d", form, i.Offset, i.Length)
					}
				}
			}
		})
	}
	got := read(t, warctest.Plain(between(three(robots))...))
	if f := got.captures[0]; f.UserAgent != "bot/1" || len(got.fetches) != 2 {
		t.Errorf("the request of a segmented capture: %+v", f)
	}
	alone := read(t, warctest.Plain(three(robots)[1:]...))
	equal(t, "continuations alone", alone.kinds(), []string{"missing_segment", "missing_segment"})
}

// Segmented records without end are forgotten, the oldest first.
func TestSegmentsAreBounded(t *testing.T) {
	var list []warctest.Record
	big := "HTTP/1.1 200\r\n\r\n" + strings.Repeat("#", 2<<20)
	for i := range 40 {
		e := segmentsOf("http://h/robots.txt", big, len(big)-1)[0]
		e.ID = fmt.Sprintf("urn:%d", i)
		list = append(list, e)
	}
	archive := warctest.GzipMembers(list...)
	var sink countSink
	peak := peakHeap(func() {
		if _, err := readSource(t.Context(), facts.Input{Path: "/archive"}, strings.NewReader(string(archive)), 0, &sink,
			Options{}); err != nil {
			t.Error(err)
		}
	})
	if sink.fetches != 40 || sink.captures != 40 || peak > 4*maxPending {
		t.Errorf("%d fetches, %d captures, %d MiB of heap", sink.fetches, sink.captures, peak>>20)
	}
	list = nil
	for i := range maxSegmented + 5 {
		list = append(list, warctest.Record{
			Type: "response", ID: fmt.Sprintf("urn:%d", i), URL: "http://h/",
			Block: ok200, Fields: []string{"WARC-Segment-Number: 1"},
		})
	}
	got := read(t, warctest.Plain(list...))
	if len(got.fetches) != len(list) || len(got.issues) != len(list) {
		t.Errorf("%d fetches, %d issues of %d records", len(got.fetches), len(got.issues), len(list))
	}
}
