package warc

import "testing"

// BenchmarkHeader parses the header of a response.
func BenchmarkHeader(b *testing.B) {
	header := []byte("WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2024-05-01T10:00:00Z\r\nWARC-Record-ID: " +
		"<urn:uuid:12345678-9abc-def0-1234-56789abcdef0>\r\n" +
		"Content-Length: 48213\r\nContent-Type: application/http; msgtype=response\r\nWARC-Warcinfo-ID: " +
		"<urn:uuid:12345678-9abc-def0-1234-56789abcdef1>\r\n" +
		"WARC-Concurrent-To: <urn:uuid:12345678-9abc-def0-1234-56789abcdef2>\r\nWARC-IP-Address: " +
		"192.0.2.1\r\nWARC-Target-URI: https://www.example.org/a/b.html\r\n" +
		"WARC-Payload-Digest: sha1:PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP\r\nWARC-Block-Digest: " +
		"sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB\r\nWARC-Identified-Payload-Type: text/html\r\n\r\n")
	h := Header{}
	b.ReportAllocs()
	for b.Loop() {
		h = parseRecordHeader(header, &h)
	}
}
