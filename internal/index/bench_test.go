//go:build unix

package index

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// crawlRows are rows like a month of Common Crawl has: sorted by host, with text that
// compresses as theirs does.
func crawlRows(n int) []indexRow {
	rng := rand.New(rand.NewSource(1))
	begin := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	letters := func(n int, alphabet string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[rng.Intn(len(alphabet))]
		}
		return string(b)
	}
	words := make([]string, 2000)
	for i := range words {
		words[i] = letters(3+rng.Intn(8), "abcdefghijklmnopqrstuvwxyz")
	}
	files := make([]string, 10_000)
	for i := range files {
		files[i] = fmt.Sprintf("crawl-data/CC-MAIN-2026-30/segments/17%011d.%02d/warc/CC-MAIN-202607%09d-202607%09d-%05d.warc.gz", rng.Int63n(1e11), rng.Intn(100), rng.Intn(1e9), rng.Intn(1e9), rng.Intn(1e5))
	}
	rows := make([]indexRow, n)
	host := ""
	for i := range rows {
		if i%30 == 0 {
			host = fmt.Sprintf("https://www.%s%s.com/", words[rng.Intn(len(words))], words[rng.Intn(len(words))])
		}
		path := make([]string, 2+rng.Intn(6))
		for j := range path {
			path[j] = words[rng.Intn(len(words))]
		}
		digest := letters(32, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
		rows[i] = indexRow{
			URL: host + strings.Join(path, "-"), Time: begin.Add(time.Duration(rng.Intn(14*86400)) * time.Second),
			Status: 200, Digest: &digest, MIME: "text/html",
			Filename: files[rng.Intn(len(files))], Offset: int32(rng.Intn(1 << 30)), Length: int32(rng.Intn(1 << 16)),
			RecordID: []byte(letters(16, "0123456789abcdef")),
		}
	}
	return rows
}

// cdxjOf writes rows as Common Crawl's CDXJ.
func cdxjOf(rows []indexRow) []byte {
	var b bytes.Buffer
	for _, r := range rows {
		fmt.Fprintf(&b, `com,example)/%d %s {"url": "%s", "mime": "%s", "mime-detected": "text/html", "status": "%d", "digest": "%s", "length": "%d", "offset": "%d", "filename": "%s", "charset": "UTF-8", "languages": "eng"}`+"\n",
			r.Offset, r.Time.Format("20060102150405"), r.URL, r.MIME, r.Status, *r.Digest, r.Length, r.Offset,
			r.Filename)
	}
	return b.Bytes()
}

// BenchmarkReaders reads rows of Common Crawl's table and of its CDXJ.
func BenchmarkReaders(b *testing.B) {
	const n = 400_000
	rows := crawlRows(n)
	tableOf := func(codec parquet.WriterOption) []byte {
		return table(b, rows, codec, parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.Plain),
			parquet.PageBufferSize(1<<20), parquet.DataPageVersion(1))
	}
	cdxj := cdxjOf(rows[:n/10])
	for _, c := range []struct {
		name    string
		format  Format
		content []byte
	}{
		{"table/gzip", Parquet, tableOf(parquet.Compression(&parquet.Gzip))},
		{"table/zstd", Parquet, tableOf(parquet.Compression(&parquet.Zstd))},
		{"table/plain", Parquet, tableOf(parquet.Compression(&parquet.Uncompressed))},
		{"cdxj/plain", CDXJ, cdxj},
		{"cdxj/gzip", CDXJ, gz(string(cdxj))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			count := 0
			begin := processorTime()
			for b.Loop() {
				r, err := Open(c.format, bytes.NewReader(c.content), int64(len(c.content)),
					Options{Path: "subset=warc/part-0.parquet"})
				if err != nil {
					b.Fatal(err)
				}
				var row Row
				for err = r.Next(&row); err == nil; err = r.Next(&row) {
					count++
				}
				if err != io.EOF {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(count)/(processorTime()-begin).Seconds(), "rows/CPU-s")
			b.ReportMetric(float64(len(c.content)), "bytes")
		})
	}
}

// processorTime is what the process took, whatever else the machine does.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
