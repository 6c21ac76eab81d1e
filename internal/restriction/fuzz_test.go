package restriction

import (
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// FuzzSemantic holds, for any body, token and path, that Semantic never says otherwise
// than Match, and that the paths that show a group to be Partial do so.
func FuzzSemantic(f *testing.F) {
	for _, body := range []string{
		"user-agent: *\ndisallow: /a*b$\nallow: /a\n",
		"user-agent: *\ndisallow: */a\nallow: /*/a\nallow: /a***\n",
		"User-agent: Foo\nUser-agent: Bar/1\nDisallow: /%7Ea%2f\r\nAllow: *.gif$\r\rUser-agent: *\nDisallow: /",
		"user-agent: *\ndisallow: /%%361\nallow: /x/index.html\nallow: /%",
		"user-agent: *\ndisallow: /\nallow: /robots.txt$\nAllow : ?a\ndisallow: **$$",
		"\xFF\xFEu\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00",
	} {
		f.Add([]byte(body), "foo", "a/b?c")
	}
	f.Fuzz(func(t *testing.T, body []byte, token, rest string) {
		path := "/" + rest
		for _, p := range robots.Profiles {
			file := robots.Parse(body, p)
			r := Of(file)
			for _, token := range []string{token, ""} {
				class := r.Semantic(token)
				r.Longpre(token)
				r.CC(token)
				r.Liu(token)
				g := file.For(token)
				if class == Partial {
					checkExamples(t, p, g)
				}
				d := g.Match(path)
				if p.NormalPath(path) == robotsTxt || d.Reason == words.TooCostly {
					continue
				}
				if class == None && !d.Allowed || class == Full && d.Allowed {
					t.Errorf("%v: %q is %v, but %q: allowed %t\n%q", p, token, class, path, d.Allowed, body)
				}
			}
		}
	})
}
