package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkIngest reads an archive of small records, three a fetch, into nothing.
// Its allocations are those of the path of a record.
func BenchmarkIngest(b *testing.B) {
	const fetches = 1000
	archive := smallRecords(fetches)
	b.SetBytes(int64(len(archive)))
	b.ReportAllocs()
	for b.Loop() {
		result, err := readSource(Input{Size: int64(len(archive))}, bytes.NewReader(archive), 0, &keeper{}, nil)
		if err != nil || result.Fetches != fetches || result.Issues != 0 {
			b.Fatal(result, err)
		}
	}
}

// A fetch of three records costs four allocations at most: its reversed host, its
// policy header lines, what tag.Scan finds, and shares of what is made for many.
func TestFewAllocations(t *testing.T) {
	const fetches = 1000
	archive := smallRecords(fetches)
	n := testing.AllocsPerRun(1, func() {
		if _, err := readSource(Input{Size: int64(len(archive))}, bytes.NewReader(archive), 0, &keeper{}, nil); err != nil {
			t.Fatal(err)
		}
	})
	if n > 4*fetches {
		t.Errorf("%.0f allocations for %d fetches", n, fetches)
	}
}

func smallRecords(fetches int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	id := func() string {
		return fmt.Sprintf("<urn:uuid:%08x-0000-4000-8000-%012x>", random.Uint32(), random.Uint64()>>16)
	}
	var archive []byte
	add := func(kind, id, more, contentType, block string) {
		archive = append(archive, gzipped(fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: %s\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, id, more, contentType, len(block), block))...)
	}
	info := id()
	add("warcinfo", info, "WARC-Date: 2024-05-01T10:00:00Z\r\n", "application/warc-fields", "robots: classic\r\n")
	for i := range fetches {
		request, response := id(), id()
		common := fmt.Sprintf("WARC-Date: 2024-05-01T10:%02d:%02dZ\r\nWARC-Target-URI: https://www%d.example.org/path/%d.html\r\nWARC-Warcinfo-ID: %s\r\n", i/60%60, i%60, i%100, i, info)
		add("request", request, common+"WARC-Concurrent-To: "+response+"\r\n", "application/http; msgtype=request",
			"GET / HTTP/1.1\r\nHost: www.example.org\r\nUser-Agent: ExampleBot/1.0\r\nAccept: */*\r\n\r\n")
		body := make([]byte, 3000)
		for i := range body {
			body[i] = byte('a' + random.IntN(16))
		}
		add("response", response, common+"WARC-Payload-Digest: sha1:PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP\r\n", "application/http; msgtype=response",
			"HTTP/1.1 200 OK\r\nDate: Wed, 01 May 2024 10:00:00 GMT\r\nServer: nginx\r\nContent-Type: text/html; charset=utf-8\r\n"+
				"Vary: Accept-Encoding\r\nX-Robots-Tag: noarchive\r\nCache-Control: max-age=60\r\n\r\n"+string(body))
		add("metadata", id(), common+"WARC-Concurrent-To: "+response+"\r\n", "application/warc-fields", "fetchTimeMs: 12\r\n")
	}
	return archive
}
