package reading

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// labelled makes the digest of s as a field.
func labelled(field, algorithm, s string) string {
	h := map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New}[algorithm]()
	h.Write([]byte(s))
	empty, err := digest.Parse(algorithm + ":" + hex.EncodeToString(make([]byte, h.Size())))
	if err != nil {
		panic(err)
	}
	return field + ": " + empty.Text(h)
}

func readVerifying(t *testing.T, archive []byte) *collected {
	t.Helper()
	return readBy(t, archive, Options{Verify: true})
}

// What is compared with what: by the kind of record, by the codings of the
// payload, with and without verification of all records.
func TestVerifyDigests(t *testing.T) {
	const robots, page = "http://h/robots.txt", "http://h/page"
	payload := func(s string) string { return labelled("WARC-Payload-Digest", "sha1", s) }
	block := func(s string) string { return labelled("WARC-Block-Digest", "sha256", s) }
	gz := warctest.Encode(t, "gzip", robotsBody)
	plainHead, chunkedHead := "HTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
	long := strings.Repeat("0123456789", 100_000)
	get := "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
	for name, c := range map[string]struct {
		record warctest.Record
		all    facts.DigestStats // with all records verified
		policy facts.DigestStats // without
		issues []string          // with all records verified
	}{
		"robots.txt": {
			warctest.Response("", robots, plainHead+robotsBody, payload(robotsBody), block(plainHead+robotsBody)),
			facts.DigestStats{Block: 1, Stored: 1},
			facts.DigestStats{Block: 1, Stored: 1},
			nil,
		},
		"robots.txt, wrong": {
			warctest.Response("", robots, plainHead+robotsBody, payload("x"), block("y")),
			facts.DigestStats{Mismatched: 2},
			facts.DigestStats{Mismatched: 2},
			[]string{"digest_mismatch", "digest_mismatch"},
		},
		"robots.txt over the cap": {
			warctest.Response("", robots, plainHead+strings.Repeat("#", httpmsg.MaxBody+9),
				payload(strings.Repeat("#", httpmsg.MaxBody+9))),
			facts.DigestStats{Stored: 1},
			facts.DigestStats{Stored: 1},
			[]string{"body_cut"},
		},
		"a page": {
			warctest.Response("", page, plainHead+long, payload(long), block(plainHead+long)),
			facts.DigestStats{Block: 1, Stored: 1},
			facts.DigestStats{},
			nil,
		},
		"a page, wrong": {
			warctest.Response("", page, plainHead+long, payload(long[1:]), block(plainHead)),
			facts.DigestStats{Mismatched: 2},
			facts.DigestStats{},
			[]string{"digest_mismatch", "digest_mismatch"},
		},
		"as stored": {warctest.Response("", robots, chunkedHead+warctest.Chunked(gz),
			payload(warctest.Chunked(gz))), facts.DigestStats{Stored: 1}, facts.DigestStats{Stored: 1}, nil},
		"dechunked": {
			warctest.Response("", robots, chunkedHead+warctest.Chunked(gz), payload(gz)),
			facts.DigestStats{Dechunked: 1},
			facts.DigestStats{Dechunked: 1},
			nil,
		},
		"decoded": {
			warctest.Response("", robots, chunkedHead+warctest.Chunked(gz), payload(robotsBody)),
			facts.DigestStats{Decoded: 1},
			facts.DigestStats{Decoded: 1},
			nil,
		},
		"a page, decoded": {
			warctest.Response("", page, chunkedHead+warctest.Chunked(gz), payload(robotsBody)),
			facts.DigestStats{Decoded: 1},
			facts.DigestStats{},
			nil,
		},
		"dechunked when stored": {
			warctest.Response("", robots,
				"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n"+robotsBody, payload(robotsBody)),
			facts.DigestStats{Stored: 1},
			facts.DigestStats{Stored: 1},
			[]string{"false_chunked"},
		},
		"HTTP/0.9": {
			warctest.Response("", robots, robotsBody, payload(robotsBody)),
			facts.DigestStats{Stored: 1},
			facts.DigestStats{Stored: 1},
			nil,
		},
		"no end of head": {warctest.Response("", page, "HTTP/1.1 200\r\nX: "+strings.Repeat("x", 2*MaxHTTPHead),
			payload("x")), facts.DigestStats{}, facts.DigestStats{}, []string{"bad_http_head"}},
		"dns": {
			warctest.Response("", "dns:h", "h. 1 IN A 127.0.0.1", payload("h. 1 IN A 127.0.0.1")),
			facts.DigestStats{Stored: 1},
			facts.DigestStats{},
			nil,
		},
		"no URL": {
			warctest.Response("", "", plainHead+"body", payload("body"), block(plainHead+"body")),
			facts.DigestStats{Block: 1, Stored: 1},
			facts.DigestStats{},
			[]string{"no_target_uri"},
		},
		"revisit": {
			warctest.Record{
				Type: "revisit", URL: robots,
				Fields: []string{payload("of the original"), block(plainHead)}, Block: plainHead,
			},
			facts.DigestStats{Block: 1},
			facts.DigestStats{Block: 1},
			nil,
		},
		"revisit by GNU Wget": {warctest.Record{
			Type: "revisit", URL: robots, Fields: []string{block("")},
			Block: plainHead,
		}, facts.DigestStats{}, facts.DigestStats{}, nil},
		"revisit, wrong": {
			warctest.Record{
				Type: "revisit", URL: robots, Fields: []string{block("x")},
				Block: plainHead,
			},
			facts.DigestStats{Mismatched: 1},
			facts.DigestStats{Mismatched: 1},
			[]string{"digest_mismatch"},
		},
		"resource": {
			warctest.Record{
				Type: "resource", URL: robots,
				Fields: []string{payload(robotsBody), block(robotsBody)}, Block: robotsBody,
			},
			facts.DigestStats{Block: 1, Stored: 1},
			facts.DigestStats{Block: 1, Stored: 1},
			nil,
		},
		"resource, wrong": {
			warctest.Record{
				Type: "resource", URL: robots, Fields: []string{payload("x")},
				Block: robotsBody,
			},
			facts.DigestStats{Mismatched: 1},
			facts.DigestStats{Mismatched: 1},
			[]string{"digest_mismatch"},
		},
		"request": {warctest.Record{
			Type: "request", URL: page, Fields: []string{payload(""), block(get)},
			Block: get,
		}, facts.DigestStats{Block: 1, Stored: 1}, facts.DigestStats{}, []string{"request_alone"}},
		"metadata": {warctest.Record{
			Type: "metadata", URL: page, Fields: []string{payload("m"), block("m")},
			Block: "m",
		}, facts.DigestStats{Block: 1, Stored: 1}, facts.DigestStats{}, nil},
		"warcinfo, wrong": {
			warctest.Record{Type: "warcinfo", Fields: []string{block("m")}, Block: "n"},
			facts.DigestStats{Mismatched: 1},
			facts.DigestStats{},
			[]string{"digest_mismatch"},
		},
		"unknown algorithm": {
			warctest.Response("", robots, plainHead, "WARC-Block-Digest: crc32:1",
				"WARC-Payload-Digest: x"),
			facts.DigestStats{Unknown: 2},
			facts.DigestStats{Unknown: 2},
			[]string{"unknown_digest", "unknown_digest"},
		},
		"no digests": {warctest.Response("", robots, plainHead), facts.DigestStats{}, facts.DigestStats{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			archive := warctest.Plain(c.record, warctest.Response("urn:2", "http://h/2", ok200))
			got := readVerifying(t, archive)
			equal(t, "digests", got.result.Digests, c.all)
			equal(t, "issues", got.kinds(), c.issues)
			equal(t, "digests of policy", read(t, archive).result.Digests, c.policy)
			if len(got.fetches) > 1 {
				if mismatch := got.fetches[0].Flags&facts.FlagDigestMismatch != 0; mismatch != (c.all.Mismatched > 0) {
					t.Errorf("flag of a mismatch: %v", mismatch)
				}
			}
			// The same facts, whether verified or not.
			if last := got.urls(); len(last) == 0 || last[len(last)-1] != "http://h/2" {
				t.Errorf("fetches %v", last)
			}
		})
	}
}

// An altered request does not identify its crawler, but still shows its method.
func TestAlteredRequestNamesNoCrawler(t *testing.T) {
	request := warctest.Digested(warctest.Request("urn:q", "http://h/", "Wget/1.21.3"))
	records := request.String() + warctest.Response("urn:1", "http://h/", ok200, "WARC-Concurrent-To: <urn:q>").String()
	altered := strings.Replace(strings.Replace(records, "Wget", "Wggt", 1), "GET", "PUT", 1)
	for name, got := range map[string]*collected{
		"as it is":             readVerifying(t, []byte(records)),
		"altered":              read(t, []byte(altered)),
		"altered, pipe":        readPipe(t, []byte(altered)),
		"altered, a member":    readVerifying(t, warctest.Gzip(altered)),
		"altered, all digests": readVerifying(t, []byte(altered)),
	} {
		agent, method, source, kinds := "Wget/1.21.3", "GET", facts.SourceRequest, []string(nil)
		if name != "as it is" {
			agent, method, source, kinds = "", "PUT", facts.SourceNone, []string{"digest_mismatch"}
		}
		equal(t, name+": issues", got.kinds(), kinds)
		f := got.fetches[0]
		equal(t, name, []string{f.UserAgent, f.Method}, []string{agent, method})
		equal(t, name+": source", f.UserAgentSource, source)
	}
	payload := strings.Replace(records, "WARC-Type: request",
		"WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nWARC-Type: request", 1)
	got := readVerifying(t, []byte(payload))
	equal(t, "its payload: issues", got.kinds(), []string{"digest_mismatch"})
	equal(t, "its payload", got.fetches[0].UserAgent, "Wget/1.21.3")
}

// A mismatch names the digest in the field and the digest of the record.
func TestDigestMismatchNamesBoth(t *testing.T) {
	field := "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt",
		"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n"+warctest.Chunked("abc"), field)))
	want := "WARC-Payload-Digest is sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA, the payload as stored has " +
		strings.TrimPrefix(labelled("", "sha1", warctest.Chunked("abc")), ": ") +
		", dechunked sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"
	if len(got.issues) != 1 || got.issues[0].Detail != want || got.issues[0].RecordID != "urn:1" ||
		got.issues[0].Length == 0 {
		t.Errorf("issues %+v, want %s", got.issues, want)
	}
}

// The chunked coding undone byte by byte is the same as at once.
func TestChunkedReader(t *testing.T) {
	for _, in := range []string{
		"5\r\nhello\r\n6;x\r\n world\r\n0\r\n\r\n", "5\nhello\n0\n", "5\r\nhel", "5\r\nhello",
		"3\r\nhello\r\n", "", "zz",
	} {
		at, errAt := io.ReadAll(httpmsg.NewChunkedReader(strings.NewReader(in)))
		slow := iotest.OneByteReader(strings.NewReader(in))
		by, errBy := io.ReadAll(iotest.OneByteReader(httpmsg.NewChunkedReader(slow)))
		if !bytes.Equal(at, by) || errAt != errBy {
			t.Errorf("%q: %q, %v and %q, %v", in, at, errAt, by, errBy)
		}
	}
	broken := &input.ReadError{Err: io.ErrClosedPipe}
	if _, err := io.ReadAll(httpmsg.NewChunkedReader(io.MultiReader(strings.NewReader("5\r\nhel"),
		iotest.ErrReader(broken)))); err != broken {
		t.Errorf("error %v", err)
	}
}

// Hashing a long block holds none of it.
func TestVerifyingStreams(t *testing.T) {
	const big = 64 << 20
	head := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/page\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n" +
		"WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nWARC-Payload-Digest: md5:AAAAAAAAAAAAAAAAAAAAAAAAAA\r\n"
	block := "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n8000000\r\n"
	src := io.MultiReader(strings.NewReader(head+"Content-Length: "+fmt.Sprint(big+len(block))+"\r\n\r\n"+block),
		io.LimitReader(repeat{'x'}, big), strings.NewReader("\r\n\r\n"))
	var sink countSink
	peak := peakHeap(func() {
		if _, err := readSource(t.Context(), facts.Input{Path: "/archive", Size: 1 << 40}, src, 0, &sink,
			Options{Verify: true}); err != nil {
			t.Error(err)
		}
	})
	if sink.fetches != 1 || sink.issues != 2 || peak > 8<<20 {
		t.Errorf("%d fetches, %d issues, %d MiB of heap", sink.fetches, sink.issues, peak>>20)
	}
}
