// Package warctest writes the archives that tests read: records one after the other, or
// each compressed by itself.
package warctest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Record is a WARC record.
type Record struct {
	Type, ID, URL string   // "": the header has no such field
	Fields        []string // further lines of the header
	Block         string
	Date          string // WARC-Date; "": noon
}

// String is the record as it stands in an archive.
func (r Record) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Date: %s\r\n", r.Type, cmp.Or(r.Date, "2024-05-01T12:00:00Z"))
	if r.ID != "" {
		fmt.Fprintf(&b, "WARC-Record-ID: <%s>\r\n", r.ID)
	}
	if r.URL != "" {
		fmt.Fprintf(&b, "WARC-Target-URI: %s\r\n", r.URL)
	}
	for _, f := range r.Fields {
		fmt.Fprintf(&b, "%s\r\n", f)
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s\r\n\r\n", len(r.Block), r.Block)
	return b.String()
}

// Response is a response record. Its block is an HTTP message.
func Response(id, url, block string, fields ...string) Record {
	return Record{Type: "response", ID: id, URL: url, Fields: fields, Block: block}
}

// Request is the record of a GET request with a User-Agent.
func Request(id, url, agent string, fields ...string) Record {
	return Record{
		Type: "request", ID: id, URL: url, Fields: fields,
		Block: "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: " + agent + "\r\n\r\n",
	}
}

// Warcinfo is a warcinfo record.
func Warcinfo(id, block string) Record { return Record{Type: "warcinfo", ID: id, Block: block} }

// Digested adds the block digest of a record.
func Digested(r Record) Record {
	sum := sha1.Sum([]byte(r.Block))
	r.Fields = append(slices.Clone(r.Fields), "WARC-Block-Digest: sha1:"+base32.StdEncoding.EncodeToString(sum[:]))
	return r
}

// Plain writes records one after the other.
func Plain(records ...Record) []byte {
	var b bytes.Buffer
	for _, r := range records {
		b.WriteString(r.String())
	}
	return b.Bytes()
}

// GzipMembers writes each record as a gzip member.
func GzipMembers(records ...Record) []byte {
	var b bytes.Buffer
	for _, r := range records {
		b.Write(Gzip(r.String()))
	}
	return b.Bytes()
}

// Gzip compresses s as one gzip member.
func Gzip(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.Bytes()
}

// ZstdFrame compresses s as one zstd frame, with a checksum unless an option disables
// it.
func ZstdFrame(t testing.TB, s string, options ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, append([]zstd.EOption{zstd.WithEncoderConcurrency(1)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll([]byte(s), nil)
}

// ZstdFrames writes each record as a zstd frame.
func ZstdFrames(t testing.TB, records []Record, options ...zstd.EOption) []byte {
	var b bytes.Buffer
	for _, r := range records {
		b.Write(ZstdFrame(t, r.String(), options...))
	}
	return b.Bytes()
}

// ARCInfo is a version block.
func ARCInfo(xml string) string {
	block := "1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n" + xml
	return fmt.Sprintf("filedesc://a.arc 0.0.0.0 20240501120000 text/plain %d\n%s\n", len(block), block)
}

// ARCRecord is a URL record of version 1.
func ARCRecord(url, date, block string) string {
	return fmt.Sprintf("%s 192.0.2.1 %s text/html %d\n%s\n", url, date, len(block), block)
}
