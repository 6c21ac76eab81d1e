package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// A maker makes the segments of a corpus, each from nothing but its number.
type maker struct {
	shape
	texts  []text
	copies int
}

// segment crawls segmentHosts hosts: the robots.txt of each, then a page of each
// in turn. The copies follow each other.
func (m *maker) segment(number int, info string) *members {
	random := rand.New(rand.NewPCG(uint64(number), 0))
	start := time.Date(2026, 1, 2, 0, 0, number, 0, time.UTC)
	fetches := make([]*fetch, 0, segmentHosts*(1+m.fetches))
	for host := range segmentHosts {
		fetches = append(fetches, robots(random, number*segmentHosts+host))
	}
	for range m.fetches * segmentHosts {
		fetches = append(fetches, m.page(random))
	}
	for i, f := range fetches {
		f.time = start.Add(time.Duration(i) * 100 * time.Millisecond)
		f.delay = 20 + random.IntN(900)
		f.digest = digest(f.body)
		if m.copies > 1 {
			f.deflated = deflate(append(f.body[:len(f.body):len(f.body)], recordEnd...))
		}
	}
	out := newMembers(info)
	for turn := range m.copies {
		random := rand.New(rand.NewPCG(uint64(number), 1+uint64(turn)))
		for i, f := range fetches {
			host := (number*segmentHosts+i%segmentHosts)*m.copies + turn
			out.fetch(f, fmt.Sprintf("www.site-%06d.example", host), random)
		}
	}
	return out
}

// robots makes the robots.txt of a host: most have rules, some forbid everything
// to somebody, some have none.
func robots(random *rand.Rand, host int) *fetch {
	f := &fetch{path: "/robots.txt", status: "200 OK", mimeType: "text/plain"}
	const rules = "Disallow: /private/\nDisallow: /*?session=\nDisallow: /search\nDisallow: /cart/\nDisallow: /tmp/\nAllow: /private/public/\nDisallow: /*.php$\nCrawl-delay: 5\n"
	switch {
	case host%10 == 3:
		f.status, f.mimeType, f.body = "404 Not Found", "text/html; charset=utf-8",
			[]byte("<html><body><h1>Not Found</h1></body></html>\n")
	case host%50 == 7:
		f.status, f.mimeType, f.body = "503 Service Unavailable", "text/html; charset=utf-8",
			[]byte("<html><body><h1>Later</h1></body></html>\n")
	case host%50 == 21:
		f.body = []byte("User-agent: *\nAllow: /\n\nUser-agent: BenchBot\nDisallow: /\n")
	case host%5 == 4:
		f.body = []byte("User-agent: *\nDisallow:\n")
	default:
		f.body = fmt.Appendf(nil,
			"# %016x\nUser-agent: *\n%s\nUser-agent: GPTBot\nUser-agent: CCBot\nUser-agent: ClaudeBot\nDisallow: "+
				"/\n\nUser-agent: Googlebot\nDisallow: /search\n\nSitemap: https://www.example/sitemap-%d.xml\n",
			random.Uint64(), rules, host)
	}
	return f
}

// page makes a page. Now and then it has wishes, or its place is one that many
// robots.txt forbid.
func (m *maker) page(random *rand.Rand) *fetch {
	folders := [...]string{"docs", "blog", "news/2025/12", "en/library", "products", "archive", "reference/api"}
	folder := folders[random.IntN(len(folders))]
	if random.IntN(50) == 0 {
		folder = "private"
	}
	f := &fetch{status: "200 OK", mimeType: "text/html; charset=UTF-8"}
	f.path = fmt.Sprintf("/%s/page-%08x.html", folder, random.Uint32())
	if random.IntN(8) == 0 {
		f.path += fmt.Sprintf("?id=%d&sort=name", random.IntN(10000))
	}
	if random.IntN(40) == 0 {
		f.headers = "X-Robots-Tag: noindex, nofollow\r\n"
	}
	wishes := ""
	if random.IntN(25) == 0 {
		wishes = "noindex, noarchive"
	}
	f.body = m.pageBody(random, "Page "+f.path, wishes)
	return f
}
