package robots

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
	"github.com/robotsaudit/robotsaudit/internal/robots/robotstest"
)

// TestWildReadings counts over real files how many disallowed verdicts each open
// reading would turn round: for URLs such as crawlers meet, and for others drawn
// from the rules themselves. Of real URLs it must be few: less than 3 %.
func TestWildReadings(t *testing.T) {
	wild, err := robotstest.Wild()
	if err != nil {
		t.Skipf("no real files: %v", err)
	}
	history, err := robotstest.History()
	if err != nil {
		t.Skipf("no real files: %v", err)
	}
	all := bodiesOf(append(wild, history...))
	if !longtest.Run() {
		all = all[:500]
	}
	for _, p := range Profiles {
		var tallies [len(urlsOf)]tally
		for i, body := range all {
			f := Parse(body, p)
			g := f.For("ExampleBot")
			r := rand.New(rand.NewPCG(9309, uint64(i)))
			for k := range urlsOf {
				for _, path := range urlsOf[k].of(f, g, r) {
					tallies[k].add(g, path)
				}
			}
		}
		for k := range tallies {
			n := &tallies[k]
			t.Logf("%-7v %-22s %v", p, urlsOf[k].name, n)
			if urlsOf[k].real && 100*n.contested >= 3*n.disallowed {
				t.Errorf("%v: of URLs %s %d of %d disallowed are contested", p, urlsOf[k].name, n.contested,
					n.disallowed)
			}
		}
	}
}

// A tally counts verdicts, and the disallowed ones that each reading turns round.
type tally struct {
	asked, disallowed, contested, allowedNoted int
	by                                         [len(readingNames)]int
}

func (n *tally) add(g *Group, path string) {
	n.asked++
	d := g.Match(path)
	readings, _ := g.Against("ExampleBot", path, d)
	switch {
	case d.Allowed && readings != 0:
		n.allowedNoted++
	case !d.Allowed:
		n.disallowed++
		if readings != 0 {
			n.contested++
		}
		for i := range n.by {
			n.by[i] += int(readings >> i & 1)
		}
	}
}

func (n *tally) String() string {
	s := fmt.Sprintf("%7d asked, %6d disallowed, %5d contested (%.2f %%):", n.asked, n.disallowed, n.contested,
		100*float64(n.contested)/float64(max(n.disallowed, 1)))
	for i, name := range readingNames {
		s += fmt.Sprintf(" %s %d,", name, n.by[i])
	}
	return s + fmt.Sprintf(" %d of the allowed noted unsafe_encoding", n.allowedNoted)
}

// urlsOf are ways to come by URLs.
var urlsOf = [...]struct {
	name string
	real bool
	of   func(f *File, g *Group, r *rand.Rand) []string
}{
	{"of many sites", true, func(*File, *Group, *rand.Rand) []string { return realPaths }},
	{"of the sitemap lines", true, sitemapPaths},
	{"of rules, as crawlers write", true, func(_ *File, g *Group, r *rand.Rand) []string {
		return drawn(g, r, func(b byte) bool {
			return strings.IndexByte(" \"<>`{}|\\^", b) >= 0 || b <= ' ' ||
				b >= 0x7F
		})
	}},
	{"of rules, as they stand", false, func(_ *File, g *Group, r *rand.Rand) []string {
		return drawn(g, r, func(byte) bool { return false })
	}},
	{"of rules, 1 in 20 encoded", false, func(_ *File, g *Group, r *rand.Rand) []string {
		return drawn(g, r, func(byte) bool { return r.IntN(20) == 0 })
	}},
}

var realPaths = append([]string{
	"/a/b/", "/de/suche?q=stra%C3%9Fe%20in%20k%C3%B6ln&sort=up", "/login?return=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc",
	"/wiki/Main_Page", "/wiki/C%2B%2B_(language)",
	"/w/index.php?title=Special:Search&go=Go", "/tag/it's%20here", "/cart/add?id=1,2,3;4", "/~user/index.html",
	"/cgi-bin/a.pl?x=1+2",
	"/share?u=http://example.com/%7Euser", "/images/photo%20(1).jpg", "/feed/", "/admin/", "/user/register",
	"/?s=a%26b", "/tmp/x.pdf", "/api/v1/items/%7B123%7D",
	"/search/label/a|b", "/wp-content/plugins/x/y.js?ver=1.0", "/comments/feed?a[]=1&a%5B%5D=2", "/print/node/1", "/*",
	"/checkout/%23top",
}, paths...)

func sitemapPaths(f *File, _ *Group, _ *rand.Rand) (all []string) {
	for _, record := range f.Records() {
		if record.Key == "sitemap" {
			if _, rest, ok := strings.Cut(record.Value, "://"); ok {
				if i := strings.IndexByte(rest, '/'); i >= 0 {
					all = append(all, rest[i:])
				}
			}
		}
	}
	return all
}

// drawn returns URLs that the rules match, some bytes percent-encoded.
func drawn(g *Group, r *rand.Rand, encode func(byte) bool) (all []string) {
	for i := range min(len(g.rules), 200) {
		m := &g.rules[i]
		var path []byte
		for _, b := range []byte(m.text) {
			switch {
			case b == '*':
				path = append(path, [...]string{"", "x", "/y", "a.html"}[r.IntN(4)]...)
			case b != '%' && encode(b):
				path = normal.AppendEscape(path, b)
			default:
				path = append(path, b)
			}
		}
		if len(path) > 0 && path[0] != '/' {
			path = append([]byte{'/'}, path...)
		}
		all = append(all, string(path), string(path)+"x?y=z")
	}
	return all
}
