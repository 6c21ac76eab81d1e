package warc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

func TestParseRecordHeader(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want Header
	}{
		"crlf": {
			"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2024\r\nContent-Length: 5\r\n\r\n",
			Header{Version: "WARC/1.1", Type: "response", ID: "urn:x:1", Date: "2024", ContentLength: 5},
		},
		"lf only, any case": {
			"WARC/0.18\nwarc-TYPE:RESPONSE\nCONTENT-length: 7\nWarc-Target-Uri:http://a/\n\nWARC-Type: request\n",
			Header{Version: "WARC/0.18", Type: "response", ContentLength: 7, Target: "http://a/"},
		},
		"folded": {
			"WARC/1.0\r\nWARC-Target-URI: http://a/\r\n  b\r\n\tc\r\nContent-Length:\r\n 12\r\n\r\n",
			Header{Version: "WARC/1.0", Target: "http://a/ b c", ContentLength: 12},
		},
		"repeated: the first counts": {
			"WARC/1.0\r\nWARC-Type: response\r\nWARC-Type: request\r\nContent-Length: x\r\nContent-Length: " +
				"3\r\nContent-Length: 9\r\n\r\n",
			Header{
				Version: "WARC/1.0", Type: "response", ContentLength: 3,
				Repeated: []string{"WARC-Type", "Content-Length"},
			},
		},
		"brackets": {
			"WARC/1.0\r\nWARC-Target-URI: <http://a/>\r\nWARC-Refers-To-Target-URI: <http://b/>\r\nWARC-Profile: " +
				"<p>\r\nWARC-Record-ID: urn:bare\r\n\r\n",
			Header{
				Version: "WARC/1.0", Target: "http://a/", RefersToURI: "http://b/", Profile: "p", ID: "urn:bare",
				ContentLength: -1,
			},
		},
		"concurrent, in order": {
			"WARC/1.0\r\nWARC-Concurrent-To: <urn:1>\r\nWARC-Concurrent-To: <urn:2>\r\nContent-Length: 0\r\n\r\n",
			Header{Version: "WARC/1.0", ConcurrentTo: []recordid.ID{"urn:1", "urn:2"}},
		},
		"segments, in 0.18": {
			"WARC/0.18\r\nWARC-Type: continuation\r\nWARC-Segment-Number: 2\r\nWARC-Segment-Origin-ID: " +
				"<urn:1>\r\nWARC-Segment-Total-Length: 99\r\nContent-Length: 1\r\n\r\n",
			Header{
				Version: "WARC/0.18", Type: "continuation", ContentLength: 1, SegmentNumber: 2,
				SegmentOrigin: "urn:1", SegmentTotal: 99,
			},
		},
		"mixed line ends": {
			"WARC/0.17\nWARC-Type: response\r\nWARC-Date: 2024\nContent-Length: 1\r\n\n",
			Header{Version: "WARC/0.17", Type: "response", Date: "2024", ContentLength: 1},
		},
		"bytes in a URI": {
			"WARC/1.1\r\nWARC-Target-URI: <http://a/b c\rd\x01\xff>\r\nContent-Length: 1\r\n\r\n",
			Header{Version: "WARC/1.1", Target: "http://a/b c\rd\x01\xff", ContentLength: 1},
		},
		"repeated alike": {
			"WARC/1.1\r\nWARC-Date: 2024\r\nWARC-Date: 2024\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
			Header{Version: "WARC/1.1", Date: "2024", ContentLength: 1},
		},
		"rubbish between fields": {
			"WARC/1.0\r\nno colon here\r\n: no name\r\n" + strings.Repeat("long", 99) +
				": v\r\nWARC-Type : metadata\r\nContent-Length: 1\r\n\r\n",
			Header{Version: "WARC/1.0", Type: "metadata", ContentLength: 1, Stray: true},
		},
		"negative length": {"WARC/1.0\r\nContent-Length: -5\r\n\r\n", Header{Version: "WARC/1.0", ContentLength: -1}},
		"length of 2^63": {
			"WARC/1.0\r\nContent-Length: 9223372036854775808\r\n\r\n",
			Header{Version: "WARC/1.0", ContentLength: -1},
		},
		"length 2^63-1": {
			"WARC/1.0\r\nContent-Length: 9223372036854775807\r\n\r\n",
			Header{Version: "WARC/1.0", ContentLength: 1<<63 - 1},
		},
		"signed length": {"WARC/1.0\r\nContent-Length: +5\r\n\r\n", Header{Version: "WARC/1.0", ContentLength: -1}},
		"empty":         {"", Header{ContentLength: -1}},
	} {
		if c.want.SegmentTotal == 0 {
			c.want.SegmentTotal = -1
		}
		if diff := cmp.Diff(c.want, parseRecordHeader([]byte(c.in), nil), cmp.AllowUnexported(Header{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestParseRecordHeaderBounds(t *testing.T) {
	h := parseRecordHeader([]byte("WARC/1.0\r\nWARC-Record-ID: <"+strings.Repeat("i", 1<<20)+">\r\n"+
		strings.Repeat("WARC-Concurrent-To: <urn:x>\r\n", 10_000)+"\r\n"), nil)
	if len(h.ID) != MaxRecordID || len(h.ConcurrentTo) != MaxConcurrent+1 {
		t.Errorf("kept an id of %d bytes and %d ids", len(h.ID), len(h.ConcurrentTo))
	}
}

// A megabyte of folded lines must not cost its square, which no test run would see the end of.
func TestFoldedLinesAreLinear(t *testing.T) {
	block := []byte("WARC/1.0\r\nX: y\r\n" + strings.Repeat(" z\n", 3_000_000) + "WARC-Type: response\r\n\r\n")
	if h := parseRecordHeader(block, nil); h.Type != "response" {
		t.Errorf("kind %q", h.Type)
	}
}

// A line that is no field, but for one that continues another, is what a cut leaves where it joins headers.
func TestStrayLinesMayJoinHeaders(t *testing.T) {
	for line, want := range map[string]joint{
		"WARC-Concurrent-To44bd-99df-5139b29d4172>\r\n": JointPossible,
		" 44bd-99df-5139b29d4172>\r\n":                  jointNone,
		"":                                              jointNone,
	} {
		header := []byte("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Warcinfo-ID: <urn:x>\r\n" + line +
			"Content-Length: 0\r\n\r\n")
		h := parseRecordHeader(header, nil)
		if got := jointOf(header, &h); got != want {
			t.Errorf("jointOf a header with the line %q is %d, want %d", line, got, want)
		}
	}
}

// A block of zeros that reaches from one record's header into another's joins them.
func TestZeroedBlockJoinsHeaders(t *testing.T) {
	header := []byte("WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Type: applicat" + strings.Repeat("\x00", 100) +
		"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\nContent-Length: 0\r\n\r\n")
	h := parseRecordHeader(header, nil)
	if got := jointOf(header, &h); got != JointCertain {
		t.Errorf("jointOf a header with zeros is %d, want jointCertain", got)
	}
}
