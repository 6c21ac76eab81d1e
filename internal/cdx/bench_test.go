//go:build unix

package cdx

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

// logsOf are a log of n lines in the combined format, and the same in JSON lines of nginx. Ten lines have one time, and
// each its own address, path and, mostly, User-Agent.
func logsOf(n int) (combined, lines []byte) {
	rng := rand.New(rand.NewSource(1))
	var a, b bytes.Buffer
	for i := range n {
		client := fmt.Sprintf("%d.%d.%d.%d", 1+rng.Intn(223), rng.Intn(256), rng.Intn(256), rng.Intn(256))
		path := fmt.Sprintf("/part%d/of%d/page%d.html", rng.Intn(50), rng.Intn(50), rng.Intn(1000))
		agent := fmt.Sprintf("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 "+
			"Safari/537.36", 90+rng.Intn(60))
		at := time.Unix(1_777_629_600+int64(i/10), 0).UTC()
		fmt.Fprintf(&a, `%s - - [%s] "GET %s HTTP/1.1" 200 %d "-" "%s"`+"\n",
			client, at.Format("02/Jan/2006:15:04:05 -0700"), path, 1000+i, agent)
		fmt.Fprintf(&b, `{"time_iso8601":"%s","remote_addr":"%s","request":"GET %s HTTP/1.1","status":"200",`+
			`"body_bytes_sent":"%d","http_user_agent":"%s"}`+"\n", at.Format(time.RFC3339), client, path, 1000+i, agent)
	}
	return a.Bytes(), b.Bytes()
}

// BenchmarkReaders reads rows of Common Crawl's table, of its CDXJ, and of access logs. MB/CPU-s counts bytes of the
// file: of a log that is plain text, parsing alone, from bytes to rows.
func BenchmarkReaders(b *testing.B) {
	const n = 400_000
	rows := crawlRows(n)
	tableOf := func(codec parquet.WriterOption) []byte {
		return table(b, rows, codec, parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.Plain),
			parquet.PageBufferSize(1<<20), parquet.DataPageVersion(1))
	}
	cdxj := cdxjOf(rows[:n/10])
	combined, lines := logsOf(n / 10)
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
		{"log/combined", AccessLog, combined},
		{"log/json", AccessLog, lines},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			count, passes := 0, 0
			begin := processorTime()
			for b.Loop() {
				r, err := Open(c.format, bytes.NewReader(c.content), int64(len(c.content)),
					FormatOptions{
						Path:      "subset=warc/part-0.parquet",
						AccessLog: AccessLogOptions{Sites: []string{"https://example.org"}},
					})
				if err != nil {
					b.Fatal(err)
				}
				var row Row
				for err = r.Next(&row); err == nil; err = r.Next(&row) {
					count++
				}
				passes++
				if err != io.EOF {
					b.Fatal(err)
				}
			}
			took := (processorTime() - begin).Seconds()
			b.ReportMetric(float64(count)/took, "rows/CPU-s")
			b.ReportMetric(float64(passes*len(c.content))/1e6/took, "MB/CPU-s")
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
