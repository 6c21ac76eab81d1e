package ingest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// The digests of "abc" as published with the algorithms (RFC 1321 §A.5, RFC 3174
// §7.3, FIPS 180-2), in the forms that writers use.
func TestParseDigest(t *testing.T) {
	const (
		md5    = "900150983cd24fb0d6963f7d28e17f72"
		sha1   = "a9993e364706816aba3e25717850c26c9cd0d89d"
		sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
		base32 = "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"
	)
	for field, want := range map[string]string{
		"md5:" + md5:                           md5,
		"MD5:" + strings.ToUpper(md5):          md5,
		"md5:SAAVBGB42JH3BVUWH56SRYL7OI":       md5,
		"md5:SAAVBGB42JH3BVUWH56SRYL7OI======": md5, // as long as in hexadecimal
		"sha1:" + base32:                       sha1,
		"sha1:" + strings.ToLower(base32):      sha1,
		"sha1: " + base32 + " ":                sha1,
		"SHA-1:" + base32:                      sha1,
		"sha1:" + sha1:                         sha1,
		"sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=":    sha1,
		"sha1:qZk-NkcGgWq6PiVxeFDCbJzQ2J0":     sha1,
		"sha256:" + sha256:                     sha256,
		"sha-256:" + sha256:                    sha256,
		"SHA256:XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ====": sha256,
		"sha256:XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ":     sha256,
	} {
		d, err := parseDigest(field)
		if err != nil || hex.EncodeToString([]byte(d.sum)) != want {
			t.Errorf("%s: %x, %v", field, d.sum, err)
			continue
		}
		h := d.newHash()
		h.Write([]byte("ab"))
		if d.matches(h) {
			t.Errorf("%s matches ab", field)
		}
		h.Write([]byte("c"))
		if !d.matches(h) {
			t.Errorf("%s does not match abc", field)
		}
		if again, err := parseDigest(d.text(h)); err != nil || again != d {
			t.Errorf("%s comes back from %s as %x, %v", field, d.text(h), again.sum, err)
		}
	}
	if d, err := parseDigest(""); err != nil || d.known() {
		t.Errorf("no digest: %v, %v", d, err)
	}
	for field, want := range map[string]error{
		sha1:                            errDigestAlgorithm,
		"crc32:00000000":                errDigestAlgorithm,
		":" + sha1:                      errDigestAlgorithm,
		"sha1:":                         errDigestValue,
		"sha1:" + md5:                   errDigestValue,
		"sha1:" + base32[1:] + "1":      errDigestValue,
		"sha1:" + sha1[1:] + "x":        errDigestValue,
		"sha1:AB2CD3EF4GH5IJ6KL7MN8OPQ": errDigestValue, // the example of WARC 1.1 §5.8
	} {
		if d, err := parseDigest(field); err != want || d.known() {
			t.Errorf("%q: %v, %v, want %v", field, d, err, want)
		}
	}
}

// labelled makes the digest of s as a field.
func labelled(field, algorithm, s string) string {
	d := digest{algorithm: digestAlgorithms[algorithm]}
	h := d.newHash()
	h.Write([]byte(s))
	return field + ": " + d.text(h)
}

func readVerifying(t *testing.T, archive []byte) *collected {
	t.Helper()
	c := new(collected)
	in := Input{Path: "/archive", Name: "archive", Size: int64(len(archive))}
	var err error
	if c.result, err = readSource(in, bytes.NewReader(archive), 0, c, &readOptions{verify: true}); err != nil {
		t.Fatal(err)
	}
	return c
}

// Digests of the same octets are one key, and those of none are no key.
func TestDigestKey(t *testing.T) {
	const sha1, empty = "a9993e364706816aba3e25717850c26c9cd0d89d", "da39a3ee5e6b4b0d3255bfef95601890afd80709"
	key := DigestKey("sha1:" + sha1)
	for field, want := range map[string]string{
		"SHA-1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5": key, "sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=": key,
		"": "", "sha1:" + empty: "", empty: "", "md5:1B2M2Y8AsgTpgAmY7PhCfg": "",
		"blake3:AbC": "blake3:abc", sha1: sha1,
	} {
		if got := DigestKey(field); got != want {
			t.Errorf("%s: %q", field, got)
		}
	}
	if DigestKey("sha256:"+sha1) == key || DigestKey("sha1:"+strings.Replace(sha1, "a", "b", 1)) == key {
		t.Error("other digests have the same key")
	}
}

// What is compared with what: by the kind of record, by the codings of the
// payload, with and without verification of all records.
func TestVerifyDigests(t *testing.T) {
	const robots, page = "http://h/robots.txt", "http://h/page"
	payload := func(s string) string { return labelled("WARC-Payload-Digest", "sha1", s) }
	block := func(s string) string { return labelled("WARC-Block-Digest", "sha256", s) }
	gz := encode(t, "gzip", robotsBody)
	plainHead, chunkedHead := "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
	long := strings.Repeat("0123456789", 100_000)
	get := "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
	for name, c := range map[string]struct {
		record entry
		all    DigestStats // with all records verified
		policy DigestStats // without
		issues []string    // with all records verified
	}{
		"robots.txt": {response("", robots, plainHead+robotsBody, payload(robotsBody), block(plainHead+robotsBody)),
			DigestStats{Block: 1, Stored: 1}, DigestStats{Block: 1, Stored: 1}, nil},
		"robots.txt, wrong": {response("", robots, plainHead+robotsBody, payload("x"), block("y")),
			DigestStats{Mismatched: 2}, DigestStats{Mismatched: 2}, []string{"digest_mismatch", "digest_mismatch"}},
		"robots.txt over the cap": {response("", robots, plainHead+strings.Repeat("#", maxPolicyBody+9), payload(strings.Repeat("#", maxPolicyBody+9))),
			DigestStats{Stored: 1}, DigestStats{Stored: 1}, []string{"body_cut"}},
		"a page":                {response("", page, plainHead+long, payload(long), block(plainHead+long)), DigestStats{Block: 1, Stored: 1}, DigestStats{}, nil},
		"a page, wrong":         {response("", page, plainHead+long, payload(long[1:]), block(plainHead)), DigestStats{Mismatched: 2}, DigestStats{}, []string{"digest_mismatch", "digest_mismatch"}},
		"as stored":             {response("", robots, chunkedHead+chunkedBody(gz), payload(chunkedBody(gz))), DigestStats{Stored: 1}, DigestStats{Stored: 1}, nil},
		"dechunked":             {response("", robots, chunkedHead+chunkedBody(gz), payload(gz)), DigestStats{Dechunked: 1}, DigestStats{Dechunked: 1}, nil},
		"decoded":               {response("", robots, chunkedHead+chunkedBody(gz), payload(robotsBody)), DigestStats{Decoded: 1}, DigestStats{Decoded: 1}, nil},
		"a page, decoded":       {response("", page, chunkedHead+chunkedBody(gz), payload(robotsBody)), DigestStats{Decoded: 1}, DigestStats{}, nil},
		"dechunked when stored": {response("", robots, "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n"+robotsBody, payload(robotsBody)), DigestStats{Stored: 1}, DigestStats{Stored: 1}, []string{"false_chunked"}},
		"HTTP/0.9":              {response("", robots, robotsBody, payload(robotsBody)), DigestStats{Stored: 1}, DigestStats{Stored: 1}, nil},
		"no end of head":        {response("", page, "HTTP/1.1 200\r\nX: "+strings.Repeat("x", 2*maxHTTPHead), payload("x")), DigestStats{}, DigestStats{}, []string{"bad_http_head"}},
		"dns":                   {response("", "dns:h", "h. 1 IN A 127.0.0.1", payload("h. 1 IN A 127.0.0.1")), DigestStats{Stored: 1}, DigestStats{}, nil},
		"no URL":                {response("", "", plainHead+"body", payload("body"), block(plainHead+"body")), DigestStats{Block: 1, Stored: 1}, DigestStats{}, []string{"no_target_uri"}},
		"revisit":               {entry{kind: "revisit", url: robots, fields: []string{payload("of the original"), block(plainHead)}, block: plainHead}, DigestStats{Block: 1}, DigestStats{Block: 1}, nil},
		"revisit by GNU Wget":   {entry{kind: "revisit", url: robots, fields: []string{block("")}, block: plainHead}, DigestStats{}, DigestStats{}, nil},
		"revisit, wrong":        {entry{kind: "revisit", url: robots, fields: []string{block("x")}, block: plainHead}, DigestStats{Mismatched: 1}, DigestStats{Mismatched: 1}, []string{"digest_mismatch"}},
		"resource":              {entry{kind: "resource", url: robots, fields: []string{payload(robotsBody), block(robotsBody)}, block: robotsBody}, DigestStats{Block: 1, Stored: 1}, DigestStats{Block: 1, Stored: 1}, nil},
		"resource, wrong":       {entry{kind: "resource", url: robots, fields: []string{payload("x")}, block: robotsBody}, DigestStats{Mismatched: 1}, DigestStats{Mismatched: 1}, []string{"digest_mismatch"}},
		"request":               {entry{kind: "request", url: page, fields: []string{payload(""), block(get)}, block: get}, DigestStats{Block: 1, Stored: 1}, DigestStats{}, nil},
		"metadata":              {entry{kind: "metadata", url: page, fields: []string{payload("m"), block("m")}, block: "m"}, DigestStats{Block: 1, Stored: 1}, DigestStats{}, nil},
		"warcinfo, wrong":       {entry{kind: "warcinfo", fields: []string{block("m")}, block: "n"}, DigestStats{Mismatched: 1}, DigestStats{}, []string{"digest_mismatch"}},
		"unknown algorithm":     {response("", robots, plainHead, "WARC-Block-Digest: crc32:1", "WARC-Payload-Digest: x"), DigestStats{Unknown: 2}, DigestStats{Unknown: 2}, []string{"unknown_digest", "unknown_digest"}},
		"no digests":            {response("", robots, plainHead), DigestStats{}, DigestStats{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			archive := plain(c.record, response("urn:2", "http://h/2", ok200))
			got := readVerifying(t, archive)
			equal(t, "digests", got.result.Digests, c.all)
			equal(t, "issues", got.kinds(), c.issues)
			equal(t, "digests of policy", read(t, archive).result.Digests, c.policy)
			if len(got.fetches) > 1 {
				if mismatch := got.fetches[0].Flags&FlagDigestMismatch != 0; mismatch != (c.all.Mismatched > 0) {
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

// A mismatch says what the field claims and what the record holds.
func TestDigestMismatchNamesBoth(t *testing.T) {
	field := "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	got := read(t, plain(response("urn:1", "http://h/robots.txt", "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n"+chunkedBody("abc"), field)))
	want := "WARC-Payload-Digest is sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA, the payload as stored has " +
		strings.TrimPrefix(labelled("", "sha1", chunkedBody("abc")), ": ") + ", dechunked sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"
	if len(got.issues) != 1 || got.issues[0].Detail != want || got.issues[0].RecordID != "urn:1" || got.issues[0].Length == 0 {
		t.Errorf("issues %+v, want %s", got.issues, want)
	}
}

// The chunked coding undone octet by octet is the same as at once.
func TestChunkedReader(t *testing.T) {
	for _, in := range []string{"5\r\nhello\r\n6;x\r\n world\r\n0\r\n\r\n", "5\nhello\n0\n", "5\r\nhel", "5\r\nhello", "3\r\nhello\r\n", "", "zz"} {
		at, errAt := io.ReadAll(newChunkedReader(strings.NewReader(in)))
		by, errBy := io.ReadAll(iotest.OneByteReader(newChunkedReader(iotest.OneByteReader(strings.NewReader(in)))))
		if !bytes.Equal(at, by) || errAt != errBy {
			t.Errorf("%q: %q, %v and %q, %v", in, at, errAt, by, errBy)
		}
	}
	broken := &readError{io.ErrClosedPipe}
	if _, err := io.ReadAll(newChunkedReader(io.MultiReader(strings.NewReader("5\r\nhel"), iotest.ErrReader(broken)))); err != broken {
		t.Errorf("error %v", err)
	}
}

// Hashing a long block holds none of it.
func TestVerifyingStreams(t *testing.T) {
	const big = 64 << 20
	head := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/page\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n" +
		"WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nWARC-Payload-Digest: md5:AAAAAAAAAAAAAAAAAAAAAAAAAA\r\n"
	block := "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n8000000\r\n"
	src := io.MultiReader(strings.NewReader(head+"Content-Length: "+fmt.Sprint(big+len(block))+"\r\n\r\n"+block), io.LimitReader(repeat{'x'}, big), strings.NewReader("\r\n\r\n"))
	var sink countSink
	peak := peakHeap(func() {
		if _, err := readSource(Input{Path: "/archive", Size: 1 << 40}, src, 0, &sink, &readOptions{verify: true}); err != nil {
			t.Error(err)
		}
	})
	if sink.fetches != 1 || sink.issues != 2 || peak > 8<<20 {
		t.Errorf("%d fetches, %d issues, %d MiB of heap", sink.fetches, sink.issues, peak>>20)
	}
}
