package run

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
)

type kind uint8

// fetch is a row much like those that this package is for, with a field of
// every type.
type fetch struct {
	Host      string `parquet:"host,delta"`
	Origin    string `parquet:"origin,delta"`
	URL       string `parquet:"url,delta"`
	Time      int64  `parquet:"time,delta"`
	Record    []byte `parquet:"record"`
	File      int32  `parquet:"file,delta"`
	Offset    int64  `parquet:"offset,delta"`
	Length    int64  `parquet:"length,delta"`
	Status    int16  `parquet:"status,dict"`
	Mime      string `parquet:"mime,dict"`
	Agent     string `parquet:"agent,dict"`
	Digest    []byte `parquet:"digest"`
	Truncated uint8  `parquet:"truncated"`
	Kind      kind   `parquet:"kind,dict"`
	Revisit   bool   `parquet:"revisit"`
	Robots    string `parquet:"robots,dict"`
	Port      uint16 `parquet:"port"`
	Flags     uint32 `parquet:"flags,dict"`
	Seq       int64  `parquet:"seq,dict"`
	Depth     int8   `parquet:"depth"`
	Language  string `parquet:"language,dict"`
	Header    []byte `parquet:"header,dict"`
	Pack      uint64 `parquet:"pack"`
}

var fetches = Spec[fetch]{
	Name:    "fetches",
	Compare: compareFetches,
	Bucket:  func(f *fetch) int { return BucketOf(f.Host) },
	Size: func(f *fetch) int {
		const fixed = 256
		return fixed + len(f.Host) + len(f.Origin) + len(f.URL) + len(f.Record) + len(f.Mime) +
			len(f.Agent) + len(f.Digest) + len(f.Robots) + len(f.Language) + len(f.Header)
	},
}

func compareFetches(a, b *fetch) int {
	if c := strings.Compare(a.Host, b.Host); c != 0 {
		return c
	}
	if c := strings.Compare(a.Origin, b.Origin); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Time, b.Time); c != 0 {
		return c
	}
	if c := strings.Compare(a.URL, b.URL); c != 0 {
		return c
	}
	if c := bytes.Compare(a.Record, b.Record); c != 0 {
		return c
	}
	return cmp.Compare(a.Offset, b.Offset)
}

// byKey is compareFetches with the bucket before it: the order of a merge.
func byKey(a, b *fetch) int {
	if c := cmp.Compare(BucketOf(a.Host), BucketOf(b.Host)); c != 0 {
		return c
	}
	return compareFetches(a, b)
}

// randomFetches makes rows of about as many hosts as n/40.
func randomFetches(rng *rand.Rand, n int) []fetch {
	rows := make([]fetch, n)
	hosts := n/40 + 3
	random := func(size int) []byte {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	for i := range rows {
		host := fmt.Sprintf("com.site-%d.www", rng.IntN(hosts))
		rows[i] = fetch{
			Host:      host,
			Origin:    "https://" + host,
			URL:       fmt.Sprintf("https://%s/section/%d/article-%d.html?page=%d", host, rng.IntN(50), rng.IntN(1e6), rng.IntN(9)),
			Time:      1_700_000_000_000_000 + rng.Int64N(1e12),
			Record:    random(16),
			File:      rng.Int32N(1000) - 1,
			Offset:    int64(i) * 30_000,
			Length:    rng.Int64N(60_000),
			Status:    []int16{200, 200, 200, 301, 404, -61}[rng.IntN(6)],
			Mime:      []string{"text/html", "application/json", "image/png", ""}[rng.IntN(4)],
			Agent:     []string{"", "ExampleBot/1.0 (+https://example.com/bot)"}[rng.IntN(2)],
			Digest:    random(20),
			Truncated: uint8(rng.IntN(256)),
			Kind:      kind(rng.IntN(3)),
			Revisit:   rng.IntN(4) == 0,
			Robots:    []string{"", "noindex", "noai, noimageai"}[rng.IntN(3)],
			Port:      uint16(rng.IntN(1 << 16)),
			Flags:     ^uint32(rng.IntN(3)),
			Seq:       -rng.Int64N(5),
			Depth:     int8(rng.IntN(256) - 128),
			Language:  []string{"de", "en", "fr"}[rng.IntN(3)],
			Header:    []byte([]string{"", "a", "bb"}[rng.IntN(3)]),
			Pack:      rng.Uint64(),
		}
	}
	return rows
}
