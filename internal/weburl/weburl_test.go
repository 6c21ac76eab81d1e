package weburl

import (
	"strings"
	"testing"
)

var parseTests = []struct {
	raw       string
	problem   Problem
	origin    string
	pathQuery string
}{
	// ordinary
	{"http://example.com/", NoProblem, "http://example.com", "/"},
	{"http://example.com", NoProblem, "http://example.com", "/"},
	{"https://www.example.com/a/b.html?x=1&y=2", NoProblem, "https://www.example.com", "/a/b.html?x=1&y=2"},
	{"http://example.com?x", NoProblem, "http://example.com", "/?x"},
	{"http://example.com/a?", NoProblem, "http://example.com", "/a?"},
	{"http://example.com/a??b?c", NoProblem, "http://example.com", "/a??b?c"},
	{"http://example.com/?u=http://other.example/", NoProblem, "http://example.com", "/?u=http://other.example/"},
	{"http://r3---sn-x.a_b.example/", NoProblem, "http://r3---sn-x.a_b.example", "/"},
	{"gopher://example.com/1", NoProblem, "gopher://example.com", "/1"},
	{"ftp://example.com/pub/", NoProblem, "ftp://example.com", "/pub/"},

	// semantics: paths are matched as recorded
	{"http://example.com//robots.txt", NoProblem, "http://example.com", "//robots.txt"},
	{"http://example.com/%72obots.txt", NoProblem, "http://example.com", "/%72obots.txt"},
	{"http://example.com/a/../b/./c", NoProblem, "http://example.com", "/a/../b/./c"},
	{`http://example.com/a\b`, NoProblem, "http://example.com", `/a\b`},
	{"http://example.com/é", NoProblem, "http://example.com", "/é"},
	{"http://example.com/\xff", NoProblem, "http://example.com", "/\xff"},

	// dropped parts
	{" \t<http://example.com/a>\r\n", NoProblem, "http://example.com", "/a"},
	{"< http://example.com/a >", NoProblem, "http://example.com", "/a"},
	{"http://example.com/a>", NoProblem, "http://example.com", "/a>"},
	{"http://example.com/a#b?c", NoProblem, "http://example.com", "/a"},
	{"http://example.com#b", NoProblem, "http://example.com", "/"},
	{"http://example.com/a #b", NoProblem, "http://example.com", "/a"},
	{"http://user:pass@example.com/", NoProblem, "http://example.com", "/"},
	{"http://user@evil.example@example.com/", NoProblem, "http://example.com", "/"},
	{"http://example.com/@a", NoProblem, "http://example.com", "/@a"},
	{"http://example.com?@a", NoProblem, "http://example.com", "/?@a"},

	// case
	{"HTTP://EXAMPLE.Com/A?B", NoProblem, "http://example.com", "/A?B"},
	{"HTTP://example.com/", NoProblem, "http://example.com", "/"},
	{"Https://example.com:443/", NoProblem, "https://example.com", "/"},

	// ports
	{"http://example.com:80/", NoProblem, "http://example.com", "/"},
	{"https://example.com:443/", NoProblem, "https://example.com", "/"},
	{"ftp://example.com:21/", NoProblem, "ftp://example.com", "/"},
	{"http://example.com:443/", NoProblem, "http://example.com:443", "/"},
	{"https://example.com:80/", NoProblem, "https://example.com:80", "/"},
	{"gopher://example.com:80/", NoProblem, "gopher://example.com:80", "/"},
	{"http://example.com:/", NoProblem, "http://example.com", "/"},
	{"http://example.com:08080/", NoProblem, "http://example.com:8080", "/"},
	{"http://example.com:65535/", NoProblem, "http://example.com:65535", "/"},
	{"http://Example.com:65536/", BadPort, "http://example.com:65536", "/"},
	{"http://example.com:0/", BadPort, "http://example.com:0", "/"},
	{"http://example.com:99999999999999999999999/", BadPort, "http://example.com:99999999999999999999999", "/"},
	{"http://u@example.com:x/", BadPort, "http://example.com:x", "/"},
	{"http://example.com:80:80/", BadPort, "http://example.com:80:80", "/"},
	{"http://example.com:-1/", BadPort, "http://example.com:-1", "/"},
	{"http://[::1]:x/", BadPort, "http://[::1]:x", "/"},

	// IDNA (UTS 46, non-transitional)
	{"http://Bücher.example/", NoProblem, "http://xn--bcher-kva.example", "/"},
	{"http://B%C3%BCcher.example/", NoProblem, "http://xn--bcher-kva.example", "/"},
	{"http://xn--bcher-kva.example/", NoProblem, "http://xn--bcher-kva.example", "/"},
	{"http://XN--Bcher-KVA.example/", NoProblem, "http://xn--bcher-kva.example", "/"},
	{"http://faß.example/", NoProblem, "http://xn--fa-hia.example", "/"},
	{"http://例え。テスト/", NoProblem, "http://xn--r8jz45g.xn--zckzah", "/"},
	{"http://%65xample.com/", NoProblem, "http://example.com", "/"},
	{"http://%45XAMPLE.com/", NoProblem, "http://example.com", "/"},
	{"http://ｅｘａｍｐｌｅ.com/", NoProblem, "http://example.com", "/"},
	{"http://ab--é.example/", NoProblem, "http://xn--ab---epa.example", "/"},
	{"http://a_é.example/", NoProblem, "http://xn--a_-cja.example", "/"},
	{"http://אa.example/", HostNotConverted, "http://אa.example", "/"},
	{"http://xn--a.example/", HostNotConverted, "http://xn--a.example", "/"},
	{"http://É\xff.example/", HostNotConverted, "http://É\xff.example", "/"},
	{"http://a\u00ad/", NoProblem, "http://a", "/"},
	{"http://\u00ad/", HostNotConverted, "http://\u00ad", "/"},

	// a conversion never moves a URL to another host
	{"http://a%2Fb.example/", HostNotConverted, "http://a%2fb.example", "/"},
	{"http://a%40b.example/", HostNotConverted, "http://a%40b.example", "/"},
	{"http://a%3A80/", HostNotConverted, "http://a%3a80", "/"},
	{"http://a／b.example/", HostNotConverted, "http://a／b.example", "/"},
	{"http://a%2561.example/", HostNotConverted, "http://a%2561.example", "/"},
	{"http://a%zz.example/", HostNotConverted, "http://a%zz.example", "/"},
	{`http://a\b.example/`, HostNotConverted, `http://a\b.example`, "/"},
	{"http://a b.example/", HostNotConverted, "http://a b.example", "/"},
	{"http://a[b.example/", HostNotConverted, "http://a[b.example", "/"},

	// addresses
	{"http://127.0.0.1:8080/", NoProblem, "http://127.0.0.1:8080", "/"},
	{"http://127.1/", NoProblem, "http://127.1", "/"},
	{"http://[2001:DB8:0:0:0:0:0:1]:8080/", NoProblem, "http://[2001:db8::1]:8080", "/"},
	{"http://[::ffff:1.2.3.4]/", NoProblem, "http://[::ffff:1.2.3.4]", "/"},
	{"http://[fe80::1%25eth0]/", NoProblem, "http://[fe80::1]", "/"},
	{"http://[fe80::1%eth0]:80/", NoProblem, "http://[fe80::1]", "/"},
	{"http://[::ZZ]/", HostNotConverted, "http://[::zz]", "/"},
	{"http://[1.2.3.4]/", HostNotConverted, "http://[1.2.3.4]", "/"},
	{"http://[::1/", HostNotConverted, "http://[::1", "/"},
	{"http://[::1]a/", HostNotConverted, "http://[::1]a", "/"},

	// a final dot is another host
	{"http://example.com./", NoProblem, "http://example.com.", "/"},

	// spaces and control bytes are kept
	{"http://example.com/a b", SpaceOrControl, "http://example.com", "/a b"},
	{"http://example.com/a\r\nb", SpaceOrControl, "http://example.com", "/a\r\nb"},
	{"http://example.com/\x00?\x7f", SpaceOrControl, "http://example.com", "/\x00?\x7f"},

	// no authority, no scheme
	{"http:/example.com/a", NoAuthority, "", "/example.com/a"},
	{"http:example.com", NoAuthority, "", "example.com"},
	{"http:///a", NoAuthority, "", "/a"},
	{"http://", NoAuthority, "", ""},
	{"http://:80/a", NoAuthority, "", "/a"},
	{"http://user@/a", NoAuthority, "", "/a"},
	{"dns:www.example.com", NoProblem, "", "www.example.com"},
	{"urn:uuid:0?x", NoProblem, "", "uuid:0?x"},
	{"mailto:a@example.com", NoProblem, "", "a@example.com"},
	{"file:///a", NoProblem, "", "/a"},
	{"", NoScheme, "", ""},
	{"example.com/a?b", NoScheme, "", "example.com/a?b"},
	{"//example.com/a", NoScheme, "", "//example.com/a"},
	{"1http://example.com/", NoScheme, "", "1http://example.com/"},
	{"://example.com/", NoScheme, "", "://example.com/"},
}

func TestParse(t *testing.T) {
	for _, test := range parseTests {
		u, problem := Parse(test.raw)
		if problem != test.problem || u.Origin() != test.origin || u.PathQuery() != test.pathQuery {
			t.Errorf("Parse(%q)\n  is %v %q %q\nwant %v %q %q", test.raw,
				problem, u.Origin(), u.PathQuery(), test.problem, test.origin, test.pathQuery)
		}
		checkProperties(t, test.raw)
	}
}

// TestParser: whatever was parsed before, the result equals Parse's.
func TestParser(t *testing.T) {
	var raws []string
	for _, c := range parseTests {
		raws = append(raws, c.raw, c.raw+"/b?c#d", c.raw+"/long enough\x7f", c.raw+"/<12345678")
	}
	raws = append(raws, "http:///a", "http:///b", "file:///a", "file:///b")
	for _, before := range raws {
		for _, raw := range raws {
			var p Parser
			p.Parse(before)
			got, gotProblem := p.Parse(raw)
			if want, problem := Parse(raw); got != want || gotProblem != problem {
				t.Fatalf("%q behind %q: %+v, %v; want %+v, %v", raw, before, got, gotProblem, want, problem)
			}
		}
	}
}

func TestSpaceOrControl(t *testing.T) {
	for at := range 3 {
		for b := range 256 {
			text := []byte("!\xff~")
			text[at] = byte(b)
			if want := b <= ' ' || b == 0x7f; hasSpaceOrControl(string(text)) != want {
				t.Errorf("%q: %v", text, !want)
			}
		}
	}
}

func TestParseParts(t *testing.T) {
	for raw, want := range map[string]URL{
		"HTTP://u@Example.com:80/a?b?c#d": {
			Scheme: "http", Host: "example.com", Port: 80, Path: "/a", Query: "b?c",
			HasQuery: true,
		},
		"https://example.com":   {Scheme: "https", Host: "example.com", Path: "/"},
		"https://example.com?":  {Scheme: "https", Host: "example.com", Path: "/", HasQuery: true},
		"http://example.com:x/": {Scheme: "http", Host: "example.com:x", Path: "/"},
		"dns:example.com":       {Scheme: "dns", Path: "example.com"},
		"file:///a":             {Scheme: "file", Path: "/a"},
		"a/b?c":                 {Path: "a/b", Query: "c", HasQuery: true},
	} {
		got, _ := Parse(raw)
		got.origin, got.pathQuery, got.key = "", "", ""
		if got != want {
			t.Errorf("Parse(%q)\n  is %#v\nwant %#v", raw, got, want)
		}
	}
}

// checkProperties holds for every input.
func checkProperties(t *testing.T, raw string) {
	t.Helper()
	u, problem := Parse(raw)
	if path := PathQueryOf(u.Origin(), raw); path != u.PathQuery() {
		t.Errorf("Parse(%q): path %q, behind its origin %q", raw, u.PathQuery(), path)
	}
	if key := new(SURTKeys).Key(u.Origin(), raw); key != u.SURTKey() {
		t.Errorf("Parse(%q): SURT key %q, made of its origin's %q", raw, u.SURTKey(), key)
	}
	if origin := u.Origin(); origin != "" {
		again, problemAgain := Parse(origin + u.PathQuery())
		if again.Origin() != origin || again.PathQuery() != u.PathQuery() {
			t.Errorf("Parse(%q) gives %q %q, which parses to %q %q", raw, origin, u.PathQuery(), again.Origin(),
				again.PathQuery())
		}
		if problemAgain != problem && problem != SpaceOrControl {
			t.Errorf("Parse(%q): %v, its own origin and path: %v", raw, problem, problemAgain)
		}
		if again.SURTKey() != u.SURTKey() && u.Scheme != "ftp" { // port 21 is no default in a SURT key
			t.Errorf("Parse(%q): SURT key %q, of its own origin and path %q", raw, u.SURTKey(), again.SURTKey())
		}
	}
	if key := u.Origin() + Escaped(u.PathQuery()); u.Key() != key {
		t.Errorf("Parse(%q): key %q, want %q", raw, u.Key(), key)
	}
	built := u
	built.origin, built.pathQuery, built.key = "", "", ""
	if built.Origin() != u.Origin() || built.PathQuery() != u.PathQuery() {
		t.Errorf("Parse(%q): kept %q %q, built %q %q", raw, u.Origin(), u.PathQuery(), built.Origin(),
			built.PathQuery())
	}
	reversed := URL{Host: u.HostReversed()}
	if reversed.HostReversed() != u.Host {
		t.Errorf("Parse(%q): host %q, reversed %q, twice %q", raw, u.Host, reversed.Host, reversed.HostReversed())
	}
	if domain := u.RegisteredDomain(); !strings.Contains(u.Host, domain) {
		t.Errorf("Parse(%q): registered domain %q of %q", raw, domain, u.Host)
	}
}

func FuzzParse(f *testing.F) {
	for _, test := range parseTests {
		f.Add(test.raw)
	}
	for _, test := range surtTests {
		f.Add(test.raw)
	}
	f.Fuzz(checkProperties)
}

func TestPlainURLsAreSubstrings(t *testing.T) {
	const raw = "http://www.example.com/a/b.html?x=1"
	allocs := testing.AllocsPerRun(100, func() {
		u, problem := Parse(raw)
		if problem != NoProblem || u.Origin() != "http://www.example.com" || u.PathQuery() != "/a/b.html?x=1" {
			t.Fatal(u, problem)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}

func TestProblemString(t *testing.T) {
	seen := map[string]bool{}
	for p := NoProblem; p <= SpaceOrControl; p++ {
		if seen[p.String()] {
			t.Errorf("two problems are called %q", p)
		}
		seen[p.String()] = true
	}
	if !seen[""] || Problem(200).String() != "Problem(200)" {
		t.Error("the zero problem has a name, or an unknown one has none")
	}
}

func TestIsFetchScheme(t *testing.T) {
	for scheme, want := range map[string]bool{
		"http": true, "https": true, "ftp": true, "ftps": false, "dns": false,
		"whois": false, "": false,
	} {
		if IsFetchScheme(scheme) != want {
			t.Errorf("IsFetchScheme(%q) is %v", scheme, !want)
		}
	}
}

// TestLongHosts keeps hostile hosts from costing quadratic time.
func TestLongHosts(t *testing.T) {
	var many strings.Builder
	for r := rune(0x4e00); r < 0x9f00; r++ {
		many.WriteRune(r)
	}
	for _, host := range []string{
		many.String(), "xn--" + strings.Repeat("a", 1<<16),
		strings.Repeat("a.", 1<<15) + "é",
	} {
		if _, problem := Parse("http://" + host + "/"); problem != HostNotConverted {
			t.Errorf("a host of %d bytes: %v", len(host), problem)
		}
	}
	label := strings.Repeat("界", 58)
	if _, problem := Parse("http://" + label + "." + label + "." + label + "." + label + "/"); problem != NoProblem {
		t.Errorf("a host as long as DNS allows: %v", problem)
	}
}

var benchURLs = map[string]string{
	"plain": "https://www.example.com/products/category/item-12345.html?ref=newsletter&page=2",
	"upper": "HTTPS://WWW.Example.com/products/category/item-12345.html?ref=newsletter&page=2",
	"idna":  "https://www.bücher.example/products/category/item-12345.html?ref=newsletter&page=2",
	"port":  "https://www.example.com:8443/products/category/item-12345.html?ref=newsletter&page=2",
}

func BenchmarkParse(b *testing.B) {
	for name, raw := range benchURLs {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				u, _ := Parse(raw)
				if u.Origin() == "" || u.PathQuery() == "" {
					b.Fatal(raw)
				}
			}
		})
	}
}

func BenchmarkNames(b *testing.B) {
	u, _ := Parse(benchURLs["plain"])
	for name, f := range map[string]func() string{
		"HostReversed": u.HostReversed, "RegisteredDomain": u.RegisteredDomain, "SURTKey": u.SURTKey,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
