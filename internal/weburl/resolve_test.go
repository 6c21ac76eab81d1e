package weburl

import (
	"net/url"
	"strings"
	"testing"
)

// TestResolveRFC3986 holds the examples of RFC 3986 §5.4. Fragments are
// dropped here, and a reference with a scheme is kept as it stands.
func TestResolveRFC3986(t *testing.T) {
	for ref, want := range map[string]string{
		// §5.4.1
		"g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/",
		"/g": "http://a/g", "//g": "http://g", "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y",
		"#s": "http://a/b/c/d;p?q", "g#s": "http://a/b/c/g", "g?y#s": "http://a/b/c/g?y",
		";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x", "g;x?y#s": "http://a/b/c/g;x?y",
		"": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/",
		"..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g",
		"../..": "http://a/", "../../": "http://a/", "../../g": "http://a/g",
		// §5.4.2
		"../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g",
		"g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g",
		"./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h",
		"g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y",
		"g?y/./x": "http://a/b/c/g?y/./x", "g?y/../x": "http://a/b/c/g?y/../x",
		"g#s/./x": "http://a/b/c/g", "http:g": "http:g",
	} {
		if got := Resolve("http://a/b/c/d;p?q", ref); got != want {
			t.Errorf("Resolve(%q) is %q, want %q", ref, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, test := range []struct{ base, ref, want string }{
		// as found in the wild
		{"http://a/b", "  /c d \r\n", "http://a/c d"},
		{"http://a/b", "<http://c/>", "http://c/"},
		{"http://a/b", "HTTP://C/../d/./e#f", "HTTP://C/../d/./e"},
		{"http://a/b", "//c/../d", "http://c/d"},
		{"https://a/b", "//c?d", "https://c?d"},
		{"http://a", "b", "http://a/b"},
		{"http://a?x/y", "b", "http://a/b"},
		{"http://a", "?b", "http://a?b"},
		{"http://a/b?x/y", "c", "http://a/c"},
		{"http://a/b/../c", "?d", "http://a/b/../c?d"},
		{"http://u@a:8080/b/c#d", "../e", "http://u@a:8080/e"},
		{"http://a/b//c", "../d", "http://a/b/d"},
		{"http://a/b", "c?d=../e", "http://a/c?d=../e"},
		{"http://a/b", "%2e%2e/c", "http://a/%2e%2e/c"},
		{"http://a/b", `\c`, `http://a/\c`},
		{"http://a/b", "c d:e", "http://a/c d:e"},
		{"http://a/b", "/é\xff", "http://a/é\xff"},
		{"file:///a/b", "c", "file:///a/c"},
		{"http://a/b", "mailto:c@d", "mailto:c@d"},

		// impossible
		{"dns:a", "b", ""},
		{"urn:a", "", ""},
		{"", "/b", ""},
		{"a/b", "c", ""},
		{"a/b", "//c", ""},
		{"a/b", "http://c/", "http://c/"},
	} {
		if got := Resolve(test.base, test.ref); got != test.want {
			t.Errorf("Resolve(%q, %q) is %q, want %q", test.base, test.ref, got, test.want)
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("http://a/b/c/d;p?q", "../../g?x")
	f.Add("http://a", "//b/./c/../d")
	f.Add("http://a/b", "#c")
	f.Fuzz(func(t *testing.T, base, ref string) {
		got := Resolve(base, ref)
		if got == "" {
			return
		}
		if _, _, ok := cutScheme(got); !ok || strings.Contains(got, "#") {
			t.Errorf("Resolve(%q, %q) is %q: relative, or with a fragment", base, ref, got)
		}
		if again := Resolve("http://other/", got); again != got {
			t.Errorf("Resolve(%q, %q) is %q, resolved again %q", base, ref, got, again)
		}
		if want, ok := resolveNetURL(base, ref); ok && got != want {
			t.Errorf("Resolve(%q, %q) is %q, net/url says %q", base, ref, got, want)
		}
	})
}

// resolveNetURL uses net/url where it neither rejects nor re-encodes, and follows RFC
// 3986: it cleans the base's path also after "?query", has its own idea of "//" in a
// path, and takes "//host" for a whole URL.
func resolveNetURL(base, ref string) (string, bool) {
	const tame = "abcdefghijklmnopqrstuvwxyz0123456789/.?:;=-"
	if strings.Trim(base+ref, tame) != "" || strings.HasPrefix(ref, "//") {
		return "", false
	}
	b, baseErr := url.Parse(base)
	r, refErr := url.Parse(ref)
	if baseErr != nil || refErr != nil || b.Host == "" || r.IsAbs() || r.Path == "" ||
		strings.Contains(b.Path+r.Path, "//") {
		return "", false
	}
	return b.ResolveReference(r).String(), true
}
