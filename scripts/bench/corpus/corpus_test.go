package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"testing"
)

// few pages are enough here.
var few = shape{least: 3_000, most: 5_000, fetches: 3}

func TestSegmentIsDeterministic(t *testing.T) {
	first, second := testSegment(3, 2), testSegment(3, 2)
	if !bytes.Equal(first.out.Bytes(), second.out.Bytes()) {
		t.Error("the same segment made twice differs")
	}
	if bytes.Equal(first.out.Bytes(), testSegment(4, 2).out.Bytes()) {
		t.Error("two segments are the same")
	}
}

// Copies are the same fetches of other hosts, under other ids; where the page was
// deflated before, too, a member holds its record and nothing else.
func TestSegmentCopies(t *testing.T) {
	for copies := 1; copies <= 3; copies++ {
		m := testSegment(0, copies)
		records := readRecords(t, m.out.Bytes())
		if int64(len(records)) != m.records || len(records) != 3*copies*segmentHosts*(1+few.fetches) {
			t.Errorf("%d copies: %d records, %d told", copies, len(records), m.records)
		}
		ids, hosts, bodies := map[string]bool{}, map[string]bool{}, map[string]int{}
		for _, r := range records {
			ids[r.header.Get("WARC-Record-ID")] = true
			if target, err := url.Parse(r.header.Get("WARC-Target-URI")); err != nil {
				t.Error(err)
			} else {
				hosts[target.Host] = true
			}
			if r.header.Get("WARC-Type") != "response" {
				continue
			}
			response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(r.block)), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			if err != nil || digest(body) != r.header.Get("WARC-Payload-Digest") {
				t.Errorf("%s: payload digest differs: %v", r.header.Get("WARC-Target-URI"), err)
			}
			if len(body) >= few.least {
				bodies[string(body)]++
			}
		}
		if len(ids) != len(records) || len(hosts) != copies*segmentHosts {
			t.Errorf("%d copies: %d ids of %d records, %d hosts", copies, len(ids), len(records), len(hosts))
		}
		if len(bodies) != segmentHosts*few.fetches {
			t.Errorf("%d copies: %d pages", copies, len(bodies))
		}
		for _, n := range bodies {
			if n != copies {
				t.Fatalf("a page is there %d times of %d", n, copies)
			}
		}
	}
}

// Noise brings pages down to the ratio asked for, near enough.
func TestNoise(t *testing.T) {
	shape := shapes["pages"]
	html := documentation()
	m := maker{shape, []text{{html, noiseFor(html, shape.ratio)}}, 1}
	random := rand.New(rand.NewPCG(1, 2))
	var plain, deflated int
	for range 20 {
		page := m.pageBody(random, "Page", "")
		plain, deflated = plain+len(page), deflated+len(deflate(page))
	}
	if ratio := float64(plain) / float64(deflated); ratio < 0.85*shape.ratio || ratio > 1.15*shape.ratio {
		t.Errorf("compression ratio %.2f, want about %.2f", ratio, shape.ratio)
	}
}

func testSegment(number, copies int) *members {
	m := maker{few, []text{{html: documentation()}}, copies}
	return m.segment(number, "<urn:uuid:00000000-0000-4000-8000-000000000000>")
}

// documentation is something to cut pages from.
func documentation() []byte {
	random := rand.New(rand.NewPCG(5, 6))
	var html []byte
	for len(html) < 200_000 {
		html = fmt.Appendf(html,
			"<p>The function <code>f%d</code> returns the number of bytes that it has read.</p>\n", random.IntN(1000))
	}
	return html
}

type record struct {
	header textproto.MIMEHeader
	block  []byte
}

// readRecords reads members with a record each.
func readRecords(t *testing.T, archive []byte) (records []record) {
	t.Helper()
	in := bufio.NewReader(bytes.NewReader(archive))
	for {
		member, err := gzip.NewReader(in)
		if err == io.EOF {
			return records
		}
		if err != nil {
			t.Fatal(err)
		}
		member.Multistream(false)
		octets, err := io.ReadAll(member)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, _ := bytes.Cut(octets, []byte("\r\n\r\n"))
		version, fields, _ := bytes.Cut(append(head, "\r\n\r\n"...), []byte("\r\n"))
		header, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(fields))).ReadMIMEHeader()
		if err != nil || string(version) != "WARC/1.0" {
			t.Fatalf("%q: %v", version, err)
		}
		block, ended := bytes.CutSuffix(rest, recordEnd)
		if !ended || header.Get("Content-Length") != strconv.Itoa(len(block)) ||
			header.Get("WARC-Block-Digest") != digest(block) {
			t.Fatalf("record %d: length or digest of the block differs", len(records))
		}
		records = append(records, record{header, block})
	}
}
