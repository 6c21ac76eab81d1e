package robots

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/robots/robotstest"
)

// bodies returns real robots.txt bodies where there are any, else made ones.
var bodies = sync.OnceValue(func() [][]byte {
	wild, err := robotstest.Wild()
	if err == nil {
		return bodiesOf(wild)
	}
	var all [][]byte
	for n := range 64 {
		all = append(all, []byte("# made\nUser-agent: *\n"+
			strings.Repeat("Disallow: /folder/page.html\nDisallow: /*?sort=\nAllow: /other/\n", 1+n%16)+
			"\nUser-agent: ExampleBot\nCrawl-delay: 10\nDisallow: /\n\nSitemap: https://example.com/sitemap.xml\n"))
	}
	return all
})

func bodiesOf(files []robotstest.File) (all [][]byte) {
	for _, f := range files {
		all = append(all, f.Body)
	}
	return all
}

func size(all [][]byte) (n int64) {
	for _, b := range all {
		n += int64(len(b))
	}
	return n
}

// paths are matched against every body.
var paths = []string{
	"/", "/index.html", "/folder/page.html?id=17&sort=name", "/images/2019/07/photo-large.jpg",
	"/en/products/category/item-12345/reviews", "/search?q=robots%20exclusion", "/wp-admin/admin-ajax.php",
	"/news/2019/07/14/a-long-title-of-an-article-that-somebody-wrote/",
}

func BenchmarkParse(b *testing.B) {
	for _, p := range Profiles {
		b.Run(p.String(), func(b *testing.B) {
			all := bodies()
			b.SetBytes(size(all))
			b.ReportAllocs()
			for b.Loop() {
				for _, body := range all {
					Parse(body, p)
				}
			}
		})
	}
}

func BenchmarkParseAndMatch(b *testing.B) {
	for _, p := range Profiles {
		b.Run(p.String(), func(b *testing.B) {
			all := bodies()
			b.SetBytes(size(all))
			b.ReportAllocs()
			for b.Loop() {
				for i, body := range all {
					f := Parse(body, p)
					f.For("ExampleBot").Match(paths[i%len(paths)])
				}
			}
		})
	}
}

// BenchmarkMatch matches on the compiled group of the median body, by the
// number of its rules, and on a large one.
func BenchmarkMatch(b *testing.B) {
	var files []*File
	for _, body := range bodies() {
		if f := Parse(body, RFC9309); f.Rules > 0 {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b *File) int { return a.Rules - b.Rules })
	for _, c := range []struct {
		name string
		at   int
	}{{"median", len(files) / 2}, {"99th", len(files) * 99 / 100}, {"largest", len(files) - 1}} {
		b.Run(c.name, func(b *testing.B) {
			g := files[c.at].For("ExampleBot")
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				g.Match(paths[i&7])
				i++
			}
			b.ReportMetric(float64(len(g.rules)), "rules")
		})
	}
}
