package robots

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// verdicts holds the answer of each profile: 'a' allowed, 'd' disallowed, in the
// order of Profiles.
type verdicts string

func (v verdicts) check(t *testing.T, body, token, path string) {
	t.Helper()
	if len(v) != len(Profiles) {
		t.Fatalf("%q: want a verdict for each of %v", v, Profiles)
	}
	for i, p := range Profiles {
		f := Parse([]byte(body), p)
		d := f.For(token).Match(path)
		if want := v[i] == 'a'; d.Allowed != want {
			t.Errorf("%v: %q asks for %q: allowed %v (%v), want %v, by\n%s", p, token, path, d.Allowed, d.Reason, want,
				excerpt(body))
		}
	}
}

func excerpt(body string) string { return body[:min(len(body), 300)] }

// TestProfileDifferences has one case for each row of the table of
// differences, and its neighbours.
func TestProfileDifferences(t *testing.T) {
	beyond := "user-agent: *\n" + strings.Repeat("#"+strings.Repeat("x", 998)+"\n", 512) + "disallow: /b\n"
	for _, c := range []struct {
		name, body, token, path string
		want                    verdicts
	}{
		{
			"several global groups: a rule of the second", "user-agent: *\ndisallow: /a\n\nuser-agent: *\ndisallow: /b\n",
			"Foo", "/b", "dad",
		},
		{
			"several global groups: a rule of the first", "user-agent: *\ndisallow: /a\n\nuser-agent: *\ndisallow: /b\n",
			"Foo", "/a", "ddd",
		},
		{
			"several groups of a token are merged everywhere",
			"user-agent: Foo\ndisallow: /a\n\nuser-agent: Foo\ndisallow: /b\n", "Foo", "/b", "ddd",
		},
		{"lenient: typo", "user-agent: *\nDisalow: /\n", "Foo", "/x", "add"},
		{"lenient: useragent", "useragent: *\nDisallow: /\n", "Foo", "/x", "add"},
		{"lenient: missing colon", "user-agent *\nDisallow /\n", "Foo", "/x", "add"},
		{"lenient: missing colon, three words", "user-agent: *\nDisallow / x\n", "Foo", "/x", "aaa"},
		{"lenient: key that only begins like a record", "user-agent: *\nDisallowed: /\n", "Foo", "/x", "aad"},
		{"token with a space in the file", "User-agent: Foo Bar\nDisallow: /\n", "Foo", "/x", "aad"},
		{"control byte in a rule", "user-agent: *\ndisallow: /a\x01b\n", "Foo", "/a\x01b", "add"},
		{
			"control byte: the rest of the group stands", "user-agent: *\ndisallow: /a\x01b\ndisallow: /c\n", "Foo", "/c",
			"ddd",
		},
		{"parse limit: a rule beyond it", beyond, "Foo", "/b", "add"},
		{"unreserved escapes are decoded: in the rule", "user-agent: *\ndisallow: /%62\n", "Foo", "/b", "dda"},
		{"unreserved escapes are decoded: in the URI", "user-agent: *\ndisallow: /b\n", "Foo", "/%62", "dda"},
		{"non-ASCII is encoded: in the rule", "user-agent: *\ndisallow: /é\n", "Foo", "/%C3%A9", "ddd"},
		{"non-ASCII is encoded: in the URI", "user-agent: *\ndisallow: /é\n", "Foo", "/é", "dda"},
		{"hex digits are upper-cased: in the rule", "user-agent: *\ndisallow: /%c3%a9\n", "Foo", "/%C3%A9", "ddd"},
		{"hex digits are upper-cased: in the URI", "user-agent: *\ndisallow: /%C3%A9\n", "Foo", "/%c3%a9", "dda"},
		{"/robots.txt itself", "user-agent: *\ndisallow: /\n", "Foo", "/robots.txt", "aad"},
		{"/robots.txt with a query", "user-agent: *\ndisallow: /\n", "Foo", "/robots.txt?", "ddd"},
		{"/robots.txt encoded", "user-agent: *\ndisallow: /\n", "Foo", "/%72obots.txt", "ddd"},
		{"index page: its folder", "user-agent: *\nallow: /x/index.html\ndisallow: /x\n", "Foo", "/x/", "dda"},
		{"index page: another page", "user-agent: *\nallow: /x/index.html\ndisallow: /x\n", "Foo", "/x/y", "ddd"},
		{"index page: itself", "user-agent: *\nallow: /x/index.html\ndisallow: /x\n", "Foo", "/x/index.html", "aaa"},
		{"global with a word", "User-agent: * foo\nDisallow: /\n", "Foo", "/x", "aad"},
		{
			"line longer than Google reads", "user-agent: *\ndisallow: /" + strings.Repeat("a", googleLineLimit) + "\n",
			"Foo", "/" + strings.Repeat("a", googleLineLimit-11), "aad",
		},
		{"NUL ends a line for Google", "user-agent: *\ndisallow: /a\x00b\n", "Foo", "/a", "aad"},
		{"part of a byte order mark", "\xEF\xBBuser-agent: *\ndisallow: /a\n", "Foo", "/a", "aad"},
		{"UTF-16", "\xFF\xFEu\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00d\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00", "Foo", "/a", "dda"},
		{"star in the URI against its escape", "user-agent: *\ndisallow: /a-%2A\n", "Foo", "/a-*", "dda"},
	} {
		t.Run(c.name, func(t *testing.T) { c.want.check(t, c.body, c.token, c.path) })
	}
}

// TestAllProfiles has the cases on which the profiles agree.
func TestAllProfiles(t *testing.T) {
	for _, c := range []struct {
		name, body, token, path string
		want                    byte
	}{
		{"rules before any group", "disallow: /\nuser-agent: Foo\ndisallow: /a\n", "Foo", "/b", 'a'},
		{"an empty pattern matches nothing", "user-agent: *\ndisallow:\n", "Foo", "/", 'a'},
		{"an empty pattern does not widen a rule", "user-agent: *\nallow:\ndisallow: /\n", "Foo", "/", 'd'},
		{"no leading slash", "user-agent: *\ndisallow: a\n", "Foo", "/a", 'a'},
		{"leading star", "user-agent: *\ndisallow: *a\n", "Foo", "/xxa", 'd'},
		{"an anchor alone", "user-agent: *\ndisallow: $\n", "Foo", "/", 'a'},
		{"paths are case-sensitive", "user-agent: *\ndisallow: /A\n", "Foo", "/a", 'a'},
		{"keys are not", "USER-AGENT: *\nDISALLOW: /A\n", "Foo", "/A", 'd'},
		{"tokens are not", "user-agent: FOO\ndisallow: /\n", "foo", "/A", 'd'},
		{"U+017F is no s", "u\u017Fer-agent: *\ndi\u017Fallow: /\n", "Foo", "/", 'a'},
		{"a dollar inside is a dollar", "user-agent: *\ndisallow: /a$b\n", "Foo", "/a$b", 'd'},
		{"a dollar inside is no anchor", "user-agent: *\ndisallow: /a$b\n", "Foo", "/a", 'a'},
		{"two dollars", "user-agent: *\ndisallow: /a$$\n", "Foo", "/a$", 'd'},
		{"dollar and star", "user-agent: *\ndisallow: /a$*\n", "Foo", "/a$b", 'd'},
		{"star before the anchor", "user-agent: *\ndisallow: /a*$\n", "Foo", "/ab", 'd'},
		{"stars in a row", "user-agent: *\ndisallow: /a***b\n", "Foo", "/axb", 'd'},
		{"the anchored piece is sought from the end", "user-agent: *\ndisallow: /*ab$\n", "Foo", "/abab", 'd'},
		{"pieces do not overlap", "user-agent: *\ndisallow: /ab*b$\n", "Foo", "/ab", 'a'},
		{"reserved escapes stay", "user-agent: *\ndisallow: /a%2Fb\n", "Foo", "/a/b", 'a'},
		{"reserved escapes stay, turned round", "user-agent: *\ndisallow: /a/b\n", "Foo", "/a%2Fb", 'a'},
		{"a percent sign alone is one", "user-agent: *\ndisallow: /*%\n", "Foo", "/a%2Fb", 'd'},
		{"an escape may be matched in part", "user-agent: *\ndisallow: /a%2\n", "Foo", "/a%2Fb", 'd'},
		{"the longest wins", "user-agent: *\nallow: /a\ndisallow: /ab\n", "Foo", "/abc", 'd'},
		{"the longest wins, turned round", "user-agent: *\ndisallow: /a\nallow: /ab\n", "Foo", "/abc", 'a'},
		{"stars count", "user-agent: *\nallow: /ab\ndisallow: /a*b\n", "Foo", "/ab", 'd'},
		{"the anchor counts", "user-agent: *\nallow: /ab\ndisallow: /ab$\n", "Foo", "/ab", 'd'},
		{"a tie goes to allow", "user-agent: *\ndisallow: /a\nallow: /a\n", "Foo", "/a", 'a'},
		{"a tie of different patterns too", "user-agent: *\ndisallow: /a*\nallow: /ab\n", "Foo", "/ab", 'a'},
		{
			"other records end no group", "user-agent: Foo\nSitemap: http://x/\nfoo: bar\ndisallow: /\n", "Foo", "/a",
			'd',
		},
		{
			"other records end no list of agents", "user-agent: Foo\nCrawl-delay: 1\nuser-agent: Bar\ndisallow: /\n",
			"Foo", "/a", 'd',
		},
		{"empty lines end no group", "user-agent: Foo\n\n\ndisallow: /\n", "Foo", "/a", 'd'},
		{
			"an empty rule ends the list of agents", "user-agent: Foo\ndisallow:\nuser-agent: Bar\ndisallow: /\n", "Foo",
			"/a", 'a',
		},
		{
			"an invalid rule ends it too", "user-agent: Foo\ndisallow: x\nuser-agent: Bar\ndisallow: /\n", "Foo", "/a",
			'a',
		},
		{
			"an invalid token starts a group", "user-agent: Foo\ndisallow: /a\nuser-agent: ???\ndisallow: /b\n", "Foo",
			"/b", 'a',
		},
		{
			"an empty token starts a group", "user-agent: Foo\ndisallow: /a\nuser-agent:\ndisallow: /b\n", "Foo", "/b",
			'a',
		},
		{"no token: the global groups", "user-agent:\ndisallow: /a\nuser-agent: *\ndisallow: /b\n", "", "/b", 'd'},
		{
			"a group of its own opts out of the global ones", "user-agent: *\ndisallow: /\nuser-agent: Foo\nallow: /a\n",
			"Foo", "/b", 'a',
		},
		{"versions in the file are cut", "user-agent: Foo/1.0\ndisallow: /\n", "Foo", "/a", 'd'},
		{"CR LF", "user-agent: Foo\r\ndisallow: /a\r\n", "Foo", "/a", 'd'},
		{"CR", "user-agent: Foo\rdisallow: /a\r", "Foo", "/a", 'd'},
		{"byte order mark", "\xEF\xBB\xBFuser-agent: Foo\ndisallow: /a", "Foo", "/a", 'd'},
		{"comments", "user-agent: Foo # us\ndisallow: /a# them\n", "Foo", "/a", 'd'},
		{"bytes that are not UTF-8 are encoded", "user-agent: Foo\ndisallow: /\xE9\n", "Foo", "/%E9", 'd'},
		{"white space before the colon", "user-agent\t : Foo\ndisallow : /a\n", "Foo", "/a", 'd'},
		{"an empty path is /", "user-agent: *\ndisallow: /$\n", "Foo", "", 'd'},
	} {
		t.Run(c.name, func(t *testing.T) {
			verdicts(strings.Repeat(string(c.want), len(Profiles))).check(t, c.body, c.token, c.path)
		})
	}
}

// TestFigures has the figures of RFC 9309 that show how rules are found and
// matched. The second row of figure 4 is not followed: see unitAt.
func TestFigures(t *testing.T) {
	figure2 := "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n"
	figure3 := "user-agent: *\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: BazBot\ndisallow: /baz\n"
	example := "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n" +
		"User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n" +
		"User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot\n"
	rule := func(pattern string) string { return "user-agent: *\ndisallow: " + pattern + "\n" }
	for _, c := range []struct {
		name, body, token, path string
		allowed                 bool
	}{
		{"figure 1", "user-agent: ExampleBot\ndisallow: /\n", "ExampleBot", "/", false},
		{"figure 2", figure2, "ExampleBot", "/foo", false},
		{"figure 2", figure2, "ExampleBot", "/bar", false},
		{"figure 2", figure2, "ExampleBot", "/baz", false},
		{"figure 2", figure2, "ExampleBot", "/qux", true},
		{"figure 3", figure3, "ExampleBot", "/foo", false},
		{"figure 3", figure3, "ExampleBot", "/baz", true},
		{"figure 4 row 1", rule("/foo/bar?baz=quz"), "Foo", "/foo/bar?baz=quz", false},
		{"figure 4 row 2", rule("/foo/bar?baz=https://foo.bar"), "Foo", "/foo/bar?baz=https://foo.bar", false},
		{"figure 4 row 3", rule("/foo/bar/\u30C4"), "Foo", "/foo/bar/%E3%83%84", false},
		{"figure 4 row 4", rule("/foo/bar/%E3%83%84"), "Foo", "/foo/bar/\u30C4", false},
		{"figure 4 row 5", rule("/foo/bar/%62%61%7A"), "Foo", "/foo/bar/baz", false},
		{"figure 4 row 5", rule("/foo/bar/baz"), "Foo", "/foo/bar/%62%61%7A", false},
		{
			"figure 5 #", "user-agent: *\nallow: / # comment in line\n# comment on its own line\ndisallow: /a", "Foo",
			"/a", false,
		},
		{"figure 5 $", rule("/this/path/exactly$"), "Foo", "/this/path/exactly", false},
		{"figure 5 $", rule("/this/path/exactly$"), "Foo", "/this/path/exactly/not", true},
		{"figure 5 *", rule("/this/*/exactly"), "Foo", "/this/that/exactly", false},
		{"figure 5 *", rule("/this/*/exactly"), "Foo", "/this/exactly", true},
		{"figure 6 row 1", rule("/path/file-with-a-%2A.html"), "Foo", "/path/file-with-a-*.html", false},
		{"figure 6 row 1", rule("/path/file-with-a-%2A.html"), "Foo", "/path/file-with-a-b.html", true},
		{"figure 6 row 2", rule("/path/foo-%24"), "Foo", "/path/foo-$", false},
		{"section 5.1", example, "other", "/a.gif", false},
		{"section 5.1", example, "other", "/example/", false},
		{"section 5.1", example, "other", "/publications/", true},
		{"section 5.1", example, "other", "/publications/a.gif", true},
		{"section 5.1", example, "foobot", "/example/page.html", true},
		{"section 5.1", example, "foobot", "/example/allowed.gif", true},
		{"section 5.1", example, "foobot", "/publications/", false},
		{"section 5.1", example, "bazbot", "/example/page.html", false},
		{"section 5.1", example, "barbot", "/a.gif", true},
		{"section 5.1", example, "quxbot", "/example/", true},
	} {
		f := Parse([]byte(c.body), RFC9309)
		if d := f.For(c.token).Match(c.path); d.Allowed != c.allowed {
			t.Errorf("%s: %q asks for %s: %+v", c.name, c.token, c.path, d)
		}
	}
}

// TestRep12IsRFC9309 shows why one profile serves both: their grammars are the
// same, and so is every requirement's strength, but for one sentence in the
// RFC that gives an example of the sentence before it (§2.2.4).
func TestRep12IsRFC9309(t *testing.T) {
	if p, err := ParseProfile("rep-12"); err != nil || p != RFC9309 {
		t.Fatalf("rep-12 is %v, %v", p, err)
	}
	const folder = "../../../shared/spec/"
	read := func(name string) string {
		text, err := os.ReadFile(folder + name)
		if err != nil {
			t.Skipf("no specifications: %v", err)
		}
		_, body, _ := strings.Cut(string(text), "2.  Specification\n\n")
		return body
	}
	rfc, draft := read("rfc9309.txt"), read("draft-koster-rep-12.txt")
	if a, b := grammar(rfc), grammar(draft); a != b || len(a) < 500 {
		t.Errorf("the grammars differ:\n%s\n%s", a, b)
	}
	const example = `For example, a "Sitemaps" record MUST NOT terminate a group.`
	before, after, found := strings.Cut(strings.Join(strings.Fields(rfc), " "), example)
	if !found {
		t.Error("the RFC lacks its example of a Sitemaps record")
	}
	rfc = before + after
	if a, b := requirements(rfc), requirements(draft); !slices.Equal(a, b) || len(a) < 30 {
		t.Errorf("the requirements differ:\n%v\n%v", a, b)
	}
	if a, b := requirements(rfc), requirements(read("draft-koster-rep-08.txt")); slices.Equal(a, b) {
		t.Error("rep-08 has the same requirements: this test shows nothing")
	}
}

var comments = regexp.MustCompile(`(?m)(;.*)?$`)

func grammar(spec string) string {
	_, g, _ := strings.Cut(spec, "robotstxt =")
	g, _, _ = strings.Cut(g, "2.2.1.")
	return strings.Join(strings.Fields(comments.ReplaceAllString(g, "")), " ")
}

var requirement = regexp.MustCompile(`\b(MUST|SHOULD|MAY)( NOT)?\b`)

var pageBreak = regexp.MustCompile(`(?m)^(Koster, et al|Internet-Draft).*$`)

func requirements(spec string) []string {
	spec = pageBreak.ReplaceAllString(spec, "")
	spec = strings.Join(strings.Fields(spec), " ")
	spec, _, _ = strings.Cut(spec, "3. Security Considerations")
	return requirement.FindAllString(spec, -1)
}

func TestProfileNames(t *testing.T) {
	for _, p := range Profiles {
		if got, err := ParseProfile(p.String()); got != p || err != nil {
			t.Errorf("ParseProfile(%q) = %v, %v", p.String(), got, err)
		}
	}
	for _, s := range []string{"", "unknown", "RFC9309"} {
		if p, err := ParseProfile(s); err == nil {
			t.Errorf("ParseProfile(%q) = %v", s, p)
		}
	}
	if s := Profile(99).String(); s != "unknown" {
		t.Errorf("Profile(99) is %q", s)
	}
}
