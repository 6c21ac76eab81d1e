package restriction

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// TestSemantic derives each class from the rules by hand. rules are the rules for `*`.
func TestSemantic(t *testing.T) {
	for _, tt := range []struct {
		rules               string
		rfc, rep08, google_ Class // 0: as rfc
	}{
		{rules: "", rfc: None},
		{rules: "Disallow:", rfc: None},
		{rules: "Disallow: /", rfc: Full},
		{rules: "Disallow: *", rfc: Full},
		{rules: "Disallow: /*", rfc: Full},
		{rules: "Disallow: *$", rfc: Full},
		{rules: "Disallow: /$", rfc: Partial},
		{rules: "Disallow: /a", rfc: Partial},
		{rules: "Disallow: a", rfc: None}, // matches nothing
		{rules: "Disallow: /?", rfc: Partial},
		{rules: "Disallow: /\nAllow: /a", rfc: Partial},
		{rules: "Disallow: /\nAllow: /$", rfc: Partial},
		{rules: "Disallow: /\nAllow: /", rfc: None},    // of equal rules Allow decides
		{rules: "Disallow: /*\nAllow: /", rfc: Full},   // the longer decides
		{rules: "Disallow: /\nAllow: /*", rfc: None},   //
		{rules: "Disallow: /a\nAllow: /a*", rfc: None}, //
		{rules: "Disallow: /a*\nAllow: /a", rfc: Partial},
		{rules: "Disallow: /a\nAllow: *a", rfc: None},
		{rules: "Disallow: /a$\nAllow: /a*", rfc: None},
		{rules: "Disallow: /a\nAllow: /a$", rfc: Partial},
		{rules: "Disallow: /a\nAllow: /a$\nAllow: /aa\nAllow: /ab", rfc: Partial},
		{rules: "Disallow: /a*b\nAllow: /a*", rfc: Partial},
		{rules: "Disallow: /a*b\nAllow: /*a*b", rfc: None},
		{rules: "Disallow: /a*b\nAllow: /**a*b", rfc: None},
		{rules: "Disallow: /ab*c\nAllow: /a*b*c", rfc: None},
		{rules: "Disallow: *.gif\nAllow: /*.gif", rfc: None}, // no path has a "*" before its "/"
		{rules: "Disallow: */a\nAllow: /*/a", rfc: Partial},  // /a
		{rules: "Disallow: */a\nAllow: /*/a\nAllow: /a***", rfc: None},
		{rules: "Disallow: **/a\nAllow: /*/a\nAllow: /a***", rfc: None},
		{rules: "Disallow: **/a\nAllow: /**/a", rfc: Partial},
		{rules: "Disallow: /*.gif$\nAllow: /a*.gif$", rfc: Partial},
		{rules: "Disallow: /\nDisallow: /*a\nAllow: /a", rfc: Full},
		{rules: "Disallow: /\nDisallow: /*a\nAllow: /a$", rfc: Partial}, // longer than "/*a" only with the "$"
		{rules: "Disallow: /*\nAllow: *$\nAllow: /?", rfc: None},
		// Percent-encoding: unreserved bytes are equal to their encodings.
		{rules: "Disallow: /%7Ea\nAllow: /~a", rfc: None, google_: Partial},
		{rules: "Disallow: /~a\nAllow: /%7ea*", rfc: None, google_: Partial},
		{rules: "Disallow: /%2fa\nAllow: /%2Fa", rfc: None},
		{rules: "Disallow: /a%2A\nAllow: /a*", rfc: Partial}, // the longer decides
		{rules: "Disallow: /\xC3\xA9\nAllow: /%c3%a9", rfc: None},
		{rules: "Disallow: /%%361\nAllow: /%%36*", rfc: None}, // the pattern is /%61, which is not /a
		{rules: "Disallow: /%%361\nAllow: /aaaa", rfc: Partial},
		{rules: "Disallow: /a$b\nAllow: /a%24b", rfc: None, google_: Partial},
		// Google's second pattern for index pages: /x/ and nothing else.
		{rules: "Disallow: /\nAllow: /index.html", rfc: Partial},
		{rules: "Disallow: /x/$\nAllow: /x/index.html", rfc: Partial, google_: None},
		{rules: "Disallow: /x/\nAllow: /x/index.html", rfc: Partial},
		{rules: "Allow: /index.html\nDisallow: /*index.html\nDisallow: /", rfc: Full, google_: Partial},
		// /robots.txt does not count, however it is spelled.
		{rules: "Disallow: /robots.txt$", rfc: None},
		{rules: "Disallow: /robots.txt", rfc: Partial}, // /robots.txt.bak
		{rules: "Disallow: /%72obots.txt$", rfc: None, google_: Partial},
		{rules: "Disallow: /\nAllow: /robots.txt$", rfc: Full},
		{rules: "Disallow: /\nAllow: /robots.txt", rfc: Partial},
		{rules: "Disallow: /\nAllow: */robots.txt$", rfc: Partial}, // /x/robots.txt
		// What the profiles read otherwise.
		{rules: "Disalow: /", rfc: None, rep08: Full, google_: Full},
		{rules: "Disallow: /\x01", rfc: None, rep08: Partial, google_: Partial},
		{rules: "Disallow: /\n\nUser-agent: *\nAllow: /", rfc: None, rep08: Full, google_: None},
	} {
		want := map[robots.Profile]Class{robots.RFC9309: tt.rfc, robots.REP08: tt.rep08, robots.Google: tt.google_}
		for _, p := range robots.Profiles {
			w := cmp.Or(want[p], tt.rfc)
			got := Of(robots.Parse([]byte("User-agent: *\n"+tt.rules), p)).Semantic("ExampleBot")
			if got != w {
				t.Errorf("%v: %q: %v, want %v", p, tt.rules, got, w)
			}
		}
	}
}

// TestTooMuchWork: of many rules, each outranked by one of the other kind, the class is
// unknown, and found to be so in time.
func TestTooMuchWork(t *testing.T) {
	for _, c := range []struct {
		rules int
		want  Class
	}{{2000, None}, {4000, Unknown}} {
		var body strings.Builder
		body.WriteString("User-agent: *\n")
		for i := range c.rules {
			fmt.Fprintf(&body, "Disallow: /%05d\nAllow: /%05d\n", i, i)
		}
		f := Of(robots.Parse([]byte(body.String()), robots.RFC9309))
		if got := f.Semantic(""); got != c.want {
			t.Errorf("%d rules: %v, want %v", c.rules, got, c.want)
		}
		if got := f.Liu(""); got != c.want {
			t.Errorf("%d rules: Liu: %v, want %v", c.rules, got, c.want)
		}
	}
}
