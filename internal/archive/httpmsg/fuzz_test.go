package httpmsg

import (
	"bytes"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

func FuzzParseResponseHead(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Type: a\r\n b\r\nX-Robots-Tag: noindex\r\n\r\nbody"))
	f.Add([]byte("HTTP/2 404\nLocation: /x\nContent-Encoding: gzip, br\nTransfer-Encoding: chunked\n\n"))
	f.Add([]byte("HTTP/1.1 999\r\n: x\r\nno colon\r\n\tfolded\r\n"))
	f.Add([]byte("HTTP/1.1 200\nRobots-Tag: noindex\r\r\r"))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-Robots-Tag: noai\r\n\r\nbody"))
	f.Add([]byte("SPDY/3 503 Service Unavailable\r\nRetry-After: 60\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		head, body, complete, err := ReadHead(r, nil, len(b)+1)
		rest := b[len(b)-r.Len():] // not yet read
		if err != nil || complete && !bytes.HasSuffix(b, slices.Concat(head, body, rest)) {
			t.Fatalf("head %q, body %q, %v", head, body, err)
		}
		before := bytes.Clone(head)
		h := ParseResponse(head, tag.Keep, nil)
		if !bytes.Equal(before, head) {
			t.Fatal("the head was changed")
		}
		if h.Status < -1 || h.Status > 999 || len(h.Location) > warc.MaxURL || len(h.contentEncoding) > maxCodings+1 ||
			len(h.Policy) > MaxPolicyHeaders {
			t.Fatalf("%+v", h)
		}
		// What is kept of the policy lines is kept again from those lines alone.
		again := ParseResponse(append([]byte("HTTP/1.1 200\n"), h.Policy...), tag.Keep, nil)
		if !h.PolicyCut && !bytes.Equal(again.Policy, h.Policy) {
			t.Fatalf("kept %q, of that %q", h.Policy, again.Policy)
		}
	})
}
