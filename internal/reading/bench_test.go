package reading

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// BenchmarkIngest reads an archive of small records, three a fetch, into nothing.
// It counts the allocations on the path of a record.
func BenchmarkIngest(b *testing.B) {
	const fetches = 1000
	archive := smallRecords(fetches, silentFetch)
	b.SetBytes(int64(len(archive)))
	b.ReportAllocs()
	for b.Loop() {
		result, err := readSource(b.Context(), facts.Input{Size: int64(len(archive))}, bytes.NewReader(archive), 0,
			&facts.Discard{}, Options{})
		if err != nil || result.Fetches != fetches || result.Issues != 0 {
			b.Fatal(result, err)
		}
	}
}

// BenchmarkResponseHead parses the HTTP head of a response.
func BenchmarkResponseHead(b *testing.B) {
	head := []byte("HTTP/1.1 200 OK\r\nDate: Wed, 01 May 2024 10:00:00 GMT\r\nServer: nginx\r\nContent-Type: " +
		"text/html; charset=UTF-8\r\nX-Crawler-Transfer-Encoding: chunked\r\n" +
		"Connection: keep-alive\r\nVary: Accept-Encoding\r\nSet-Cookie: session=0123456789abcdef; path=/; " +
		"HttpOnly\r\nExpires: Thu, 19 Nov 1981 08:52:00 GMT\r\n" +
		"Cache-Control: no-store, no-cache, must-revalidate\r\nPragma: no-cache\r\nLink: " +
		"<https://www.example.org/wp-json/>; rel=\"https://api.w.org/\"\r\n" +
		"Strict-Transport-Security: max-age=31536000\r\nX-Crawler-Content-Encoding: gzip\r\nContent-Length: 47512\r\n\r\n")
	b.ReportAllocs()
	for b.Loop() {
		httpmsg.ParseResponse(head, tag.Keep, nil)
	}
}

// In the steady state the three records of a fetch cost shares of what is made for
// many, and nothing of their own.
func TestFewAllocations(t *testing.T) {
	const fetches = pairingWindow/3 + 100 // so that no fetch waits for later records
	const most = 32                       // allocations a fetch of three records: its strings, and few else
	for name, fetch := range map[string]smallFetch{
		"silent": silentFetch,
		"policy headers": {head: "X-Robots-Tag: noarchive\r\nX-Robots-Tag: otherbot: noindex\r\nLink: </style.css>; " +
			"rel=preload\r\nTDM-Reservation: 1\r\n"},
		"metas": {page: "<html><head><meta charset=utf-8><meta name=robots content='noindex, nofollow'><link " +
			"rel=license href=/terms></head><body>"},
	} {
		archive := smallRecords(fetches, fetch)
		allocations := func(archive []byte) float64 {
			return testing.AllocsPerRun(1, func() {
				if _, err := readSource(t.Context(), facts.Input{Size: int64(len(archive))}, bytes.NewReader(archive),
					0, &facts.Discard{}, Options{}); err != nil {
					t.Fatal(err)
				}
			})
		}
		begun := allocations(archive)
		if n := (allocations(slices.Concat(archive, archive)) - begun) / fetches; n > most {
			t.Errorf("%s: %.3f allocations a fetch, want at most %d", name, n, most)
		}
	}
}

// smallFetch is a fetch of smallRecords: what its head and page state about use.
type smallFetch struct{ head, page string }

var silentFetch smallFetch

func smallRecords(fetches int, fetch smallFetch) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	id := func() string {
		return fmt.Sprintf("<urn:uuid:%08x-0000-4000-8000-%012x>", random.Uint32(), random.Uint64()>>16)
	}
	var archive bytes.Buffer
	member, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	add := func(kind, id, more, contentType, block string) {
		member.Reset(&archive)
		fmt.Fprintf(member, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: %s\r\n%sContent-Type: "+
			"%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, id, more, contentType, len(block), block)
		member.Close()
	}
	info := id()
	add("warcinfo", info, "WARC-Date: 2024-05-01T10:00:00Z\r\n", "application/warc-fields", "robots: classic\r\n")
	for i := range fetches {
		request, response := id(), id()
		common := fmt.Sprintf("WARC-Date: 2024-05-01T10:%02d:%02dZ\r\nWARC-Target-URI: "+
			"https://www%d.example.org/path/%d.html\r\nWARC-Warcinfo-ID: %s\r\n", i/60%60, i%60, i%100, i, info)
		add("request", request, common+"WARC-Concurrent-To: "+response+"\r\n", "application/http; msgtype=request",
			fmt.Sprintf("GET / HTTP/1.1\r\nHost: www%d.example.org\r\nUser-Agent: ExampleBot/1.0\r\nAccept: */*\r\n\r\n", i%100))
		body := make([]byte, 3000)
		for i := range body {
			body[i] = byte('a' + random.IntN(16))
		}
		add("response", response, common+"WARC-Payload-Digest: sha1:PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP\r\n",
			"application/http; msgtype=response",
			"HTTP/1.1 200 OK\r\nDate: Wed, 01 May 2024 10:00:00 GMT\r\nServer: nginx\r\nContent-Type: text/html; "+
				"charset=utf-8\r\n"+
				"Vary: Accept-Encoding\r\nCache-Control: max-age=60\r\n"+fetch.head+"\r\n"+fetch.page+string(body))
		add("metadata", id(), common+"WARC-Concurrent-To: "+response+"\r\n", "application/warc-fields",
			"fetchTimeMs: 12\r\n")
	}
	return archive.Bytes()
}
