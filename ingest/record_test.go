package ingest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRecordHeader(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want recordHeader
	}{
		"crlf": {
			"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2024\r\nContent-Length: 5\r\n\r\n",
			recordHeader{version: "WARC/1.1", kind: "response", id: "urn:x:1", date: "2024", contentLength: 5},
		},
		"lf only, any case": {
			"WARC/0.18\nwarc-TYPE:RESPONSE\nCONTENT-length: 7\nWarc-Target-Uri:http://a/\n\nWARC-Type: request\n",
			recordHeader{version: "WARC/0.18", kind: "response", contentLength: 7, target: "http://a/"},
		},
		"folded": {
			"WARC/1.0\r\nWARC-Target-URI: http://a/\r\n  b\r\n\tc\r\nContent-Length:\r\n 12\r\n\r\n",
			recordHeader{version: "WARC/1.0", target: "http://a/ b c", contentLength: 12},
		},
		"repeated: the first counts": {
			"WARC/1.0\r\nWARC-Type: response\r\nWARC-Type: request\r\nContent-Length: x\r\nContent-Length: 3\r\nContent-Length: 9\r\n\r\n",
			recordHeader{version: "WARC/1.0", kind: "response", contentLength: 3, repeated: []string{"WARC-Type", "Content-Length"}},
		},
		"brackets": {
			"WARC/1.0\r\nWARC-Target-URI: <http://a/>\r\nWARC-Refers-To-Target-URI: <http://b/>\r\nWARC-Profile: <p>\r\nWARC-Record-ID: urn:bare\r\n\r\n",
			recordHeader{version: "WARC/1.0", target: "http://a/", refersToURI: "http://b/", profile: "p", id: "urn:bare", contentLength: -1},
		},
		"concurrent, in order": {
			"WARC/1.0\r\nWARC-Concurrent-To: <urn:1>\r\nWARC-Concurrent-To: <urn:2>\r\nContent-Length: 0\r\n\r\n",
			recordHeader{version: "WARC/1.0", concurrentTo: []string{"urn:1", "urn:2"}},
		},
		"segments, in 0.18": {
			"WARC/0.18\r\nWARC-Type: continuation\r\nWARC-Segment-Number: 2\r\nWARC-Segment-Origin-ID: <urn:1>\r\nWARC-Segment-Total-Length: 99\r\nContent-Length: 1\r\n\r\n",
			recordHeader{version: "WARC/0.18", kind: "continuation", contentLength: 1, segmentNumber: 2, segmentOrigin: "urn:1", segmentTotal: 99},
		},
		"mixed line ends": {
			"WARC/0.17\nWARC-Type: response\r\nWARC-Date: 2024\nContent-Length: 1\r\n\n",
			recordHeader{version: "WARC/0.17", kind: "response", date: "2024", contentLength: 1},
		},
		"octets in a URI": {
			"WARC/1.1\r\nWARC-Target-URI: <http://a/b c\rd\x01\xff>\r\nContent-Length: 1\r\n\r\n",
			recordHeader{version: "WARC/1.1", target: "http://a/b c\rd\x01\xff", contentLength: 1},
		},
		"repeated alike": {
			"WARC/1.1\r\nWARC-Date: 2024\r\nWARC-Date: 2024\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
			recordHeader{version: "WARC/1.1", date: "2024", contentLength: 1},
		},
		"rubbish between fields": {
			"WARC/1.0\r\nno colon here\r\n: no name\r\n" + strings.Repeat("long", 99) + ": v\r\nWARC-Type : metadata\r\nContent-Length: 1\r\n\r\n",
			recordHeader{version: "WARC/1.0", kind: "metadata", contentLength: 1},
		},
		"negative length": {"WARC/1.0\r\nContent-Length: -5\r\n\r\n", recordHeader{version: "WARC/1.0", contentLength: -1}},
		"length of 2^63":  {"WARC/1.0\r\nContent-Length: 9223372036854775808\r\n\r\n", recordHeader{version: "WARC/1.0", contentLength: -1}},
		"length 2^63-1":   {"WARC/1.0\r\nContent-Length: 9223372036854775807\r\n\r\n", recordHeader{version: "WARC/1.0", contentLength: 1<<63 - 1}},
		"signed length":   {"WARC/1.0\r\nContent-Length: +5\r\n\r\n", recordHeader{version: "WARC/1.0", contentLength: -1}},
		"empty":           {"", recordHeader{contentLength: -1}},
	} {
		if c.want.segmentTotal == 0 {
			c.want.segmentTotal = -1
		}
		if diff := cmp.Diff(c.want, parseRecordHeader([]byte(c.in), nil), cmp.AllowUnexported(recordHeader{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestParseRecordHeaderBounds(t *testing.T) {
	h := parseRecordHeader([]byte("WARC/1.0\r\nWARC-Record-ID: <"+strings.Repeat("i", 1<<20)+">\r\n"+
		strings.Repeat("WARC-Concurrent-To: <urn:x>\r\n", 10_000)+"\r\n"), nil)
	if len(h.id) != maxRecordID || len(h.concurrentTo) != maxConcurrent+1 {
		t.Errorf("kept an id of %d octets and %d ids", len(h.id), len(h.concurrentTo))
	}
}

// A megabyte of folded lines must not cost its square, which no test run would see the end of.
func TestFoldedLinesAreLinear(t *testing.T) {
	block := []byte("WARC/1.0\r\nX: y\r\n" + strings.Repeat(" z\n", 3_000_000) + "WARC-Type: response\r\n\r\n")
	if h := parseRecordHeader(block, nil); h.kind != "response" {
		t.Errorf("kind %q", h.kind)
	}
}

// A block of zeros that reaches from one record's header into another's joins them.
func TestZeroedBlockJoinsHeaders(t *testing.T) {
	header := []byte("WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Type: applicat" + strings.Repeat("\x00", 100) +
		"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\nContent-Length: 0\r\n\r\n")
	h := parseRecordHeader(header, nil)
	if got := jointOf(header, &h); got != jointCertain {
		t.Errorf("jointOf a header with zeros is %d, want jointCertain", got)
	}
}
