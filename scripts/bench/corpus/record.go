package main

import (
	"bytes"
	"compress/flate"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"time"
)

// members collects records, each a gzip member.
type members struct {
	info    string // the id of the warcinfo record
	out     bytes.Buffer
	records int64
	octets  int64 // of the records, inflated
	flate   *flate.Writer
}

func newMembers(info string) *members {
	m := &members{info: info}
	m.flate, _ = flate.NewWriter(nil, flate.DefaultCompression)
	return m
}

// write adds a record of head and body as one member. deflated, unless it is nil,
// is a DEFLATE stream of the body and the record's end made before: only the head
// is deflated now, as a part of its own.
func (m *members) write(head, body, deflated []byte) {
	m.out.WriteString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff") // no name, no time
	m.flate.Reset(&m.out)
	m.flate.Write(head)
	if deflated == nil {
		m.flate.Write(body)
		m.flate.Write(recordEnd)
		m.flate.Close()
	} else {
		m.flate.Flush() // to the edge of a byte
		m.out.Write(deflated)
	}
	sum := crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, body)
	sum = crc32.Update(sum, crc32.IEEETable, recordEnd)
	length := len(head) + len(body) + len(recordEnd)
	trailer := binary.LittleEndian.AppendUint32(nil, sum)
	m.out.Write(binary.LittleEndian.AppendUint32(trailer, uint32(length)))
	m.records++
	m.octets += int64(length)
}

var recordEnd = []byte("\r\n\r\n")

type warcinfo struct{ id, name string }

func newWarcinfo(archive int) warcinfo {
	return warcinfo{recordID(rand.New(rand.NewPCG(uint64(archive), 1<<32))), fmt.Sprintf("%05d.warc.gz", archive)}
}

const (
	userAgent = "BenchBot/1.0 (+https://bench.example/bot)"
	day       = "2026-01-02T"
)

func (m *members) warcinfo(info warcinfo) {
	block := []byte("isPartOf: BENCH-2026-01\r\ndescription: documentation and noise, to measure readers with\r\n" +
		"operator: nobody (bench@bench.example)\r\nsoftware: scripts/bench/archives\r\nrobots: obey\r\n" +
		"http-header-user-agent: " + userAgent + "\r\nformat: WARC File Format 1.1\r\n" +
		"conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n")
	head := fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: %s00:00:00Z\r\nWARC-Record-ID: %s\r\n"+
		"Content-Length: %d\r\nContent-Type: application/warc-fields\r\nWARC-Filename: %s\r\nWARC-Block-Digest: %s\r\n\r\n",
		day, info.id, len(block), info.name, digest(block))
	m.write(head, block, nil)
}

// A fetch is one request and what came back. Its copies differ in host and ids.
type fetch struct {
	path     string
	status   string
	headers  string // of the response, beyond those that all have
	mimeType string
	body     []byte
	digest   string // of the body
	deflated []byte // body and the record's end, where copies share them
	time     time.Time
	delay    int // milliseconds
}

// fetch adds the request, the response and the metadata record of f at host.
func (m *members) fetch(f *fetch, host string, random *rand.Rand) {
	requestID, responseID, metadataID := recordID(random), recordID(random), recordID(random)
	address := fmt.Sprintf("203.0.113.%d", 1+random.IntN(254))
	url := "https://" + host + f.path
	date := f.time.Format(time.RFC3339)

	request := fmt.Appendf(nil,
		"GET %s HTTP/1.1\r\nUser-Agent: %s\r\nAccept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"+
			"Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: br,gzip\r\nHost: %s\r\nConnection: Keep-Alive\r\n\r\n", f.path, userAgent, host)
	m.write(m.head("request", date, requestID, len(request), "application/http; msgtype=request",
		"WARC-IP-Address", address, "WARC-Target-URI", url, "WARC-Payload-Digest", digest(nil), "WARC-Block-Digest",
		digest(request)), request, nil)

	http := fmt.Appendf(nil,
		"HTTP/1.1 %s\r\nDate: %s\r\nServer: nginx/1.24.0\r\nContent-Type: %s\r\nX-Crawler-Content-Encoding: "+
			"gzip\r\nConnection: keep-alive\r\n"+
			"Vary: Accept-Encoding\r\nLast-Modified: Thu, 01 Jan 2026 11:%02d:%02d GMT\r\nETag: "+
			"W/\"%08x-%x\"\r\nCache-Control: public, max-age=3600\r\n"+
			"Strict-Transport-Security: max-age=31536000; includeSubDomains\r\nX-Content-Type-Options: "+
			"nosniff\r\nSet-Cookie: session=%016x; Path=/; Secure; HttpOnly\r\n"+
			"X-Request-ID: %016x\r\n%sContent-Length: %d\r\n\r\n", f.status,
		f.time.Format("Mon, 02 Jan 2006 15:04:05 GMT"), f.mimeType,
		random.IntN(60), random.IntN(60), random.Uint32(), len(f.body), random.Uint64(), random.Uint64(), f.headers,
		len(f.body))
	block := sha1.New()
	block.Write(http)
	block.Write(f.body)
	identified, _, _ := strings.Cut(f.mimeType, ";")
	head := m.head("response", date, responseID, len(http)+len(f.body), "application/http; msgtype=response",
		"WARC-Concurrent-To", requestID, "WARC-IP-Address", address, "WARC-Target-URI", url,
		"WARC-Payload-Digest", f.digest, "WARC-Block-Digest", label(block.Sum(nil)), "WARC-Identified-Payload-Type",
		identified)
	m.write(append(head, http...), f.body, f.deflated)

	metadata := fmt.Appendf(nil, "fetchTimeMs: %d\r\ncharset-detected: UTF-8\r\n"+
		"languages-cld2: "+
		"{\"reliable\":true,\"text-bytes\":%d,\"languages\":[{\"code\":\"en\",\"code-iso-639-3\":\"eng\",\"text-covered\":0.99,\"score\":%d.0,\"name\":\"ENGLISH\"}]}\r\n\r\n",
		f.delay, len(f.body)/5, 900+f.delay)
	m.write(m.head("metadata", date, metadataID, len(metadata), "application/warc-fields",
		"WARC-Concurrent-To", responseID, "WARC-Target-URI", url, "WARC-Block-Digest", digest(metadata)), metadata, nil)
}

// head makes the record's header, with fields (name, value, …) of its own.
func (m *members) head(kind, date, id string, length int, mimeType string, fields ...string) []byte {
	head := fmt.Appendf(nil,
		"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Date: %s\r\nWARC-Record-ID: %s\r\nContent-Length: %d\r\nContent-Type: "+
			"%s\r\nWARC-Warcinfo-ID: %s\r\n",
		kind, date, id, length, mimeType, m.info)
	for i := 0; i < len(fields); i += 2 {
		head = fmt.Appendf(head, "%s: %s\r\n", fields[i], fields[i+1])
	}
	return append(head, "\r\n"...)
}

func recordID(random *rand.Rand) string {
	high, low := random.Uint64(), random.Uint64()
	return fmt.Sprintf("<urn:uuid:%08x-%04x-4%03x-%04x-%012x>", high>>32, high>>16&0xffff, high&0xfff,
		low>>48&0x3fff|0x8000, low&(1<<48-1))
}

func digest(block []byte) string {
	sum := sha1.Sum(block)
	return label(sum[:])
}

func label(sum []byte) string { return "sha1:" + base32.StdEncoding.EncodeToString(sum) }
