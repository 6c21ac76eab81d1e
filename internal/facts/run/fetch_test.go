package run

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
)

type kind uint8

// fetch is a row like the ones of facts, with a field of every type.
type fetch struct {
	Host      string
	Origin    string
	URL       string
	Time      int64
	Record    string
	File      int32
	Offset    int64
	Length    int64
	Status    int16
	Mime      string
	Agent     string
	Digest    string
	Truncated uint8
	Kind      kind
	Revisit   bool
	Robots    string
	Port      uint16
	Flags     uint32
	Seq       int64
	Depth     int8
	Language  string
	Header    string
	Pack      uint64
}

var fetches = Spec[fetch]{
	Name:    "fetches",
	Compare: compareFetches,
	Bucket:  func(f *fetch) int { return BucketOf(f.Host) },
	Place: func(a, b *fetch) int {
		if c := strings.Compare(a.Host, b.Host); c != 0 {
			return c
		}
		return strings.Compare(a.Origin, b.Origin)
	},
	Moment: func(f *fetch) int64 { return f.Time },
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
	if c := strings.Compare(a.Record, b.Record); c != 0 {
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
	random := func(size int) string {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return string(b)
	}
	for i := range rows {
		host := fmt.Sprintf("com.site-%d.www", rng.IntN(hosts))
		rows[i] = fetch{
			Host:   host,
			Origin: "https://" + host,
			URL: fmt.Sprintf("https://%s/section/%d/article-%d.html?page=%d", host, rng.IntN(50), rng.IntN(1e6),
				rng.IntN(9)),
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
			Header:    []string{"", "a", "bb"}[rng.IntN(3)],
			Pack:      rng.Uint64(),
		}
	}
	return rows
}
