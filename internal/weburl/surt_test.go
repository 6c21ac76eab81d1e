package weburl

import (
	"strings"
	"testing"
)

const (
	session24 = "0123456789abcdefghijklmn"
	session32 = "0123456789ABCDEF0123456789abcdef"
)

// surtTests hold the keys of surt 0.3.1; TestAgainstSURT runs it.
var surtTests = []struct{ raw, key string }{
	{"http://www.example.com/", "com,example)/"},
	{"http://www2.Example.COM:80/A/B/?Q=1#f", "com,example)/a/b?q=1"},
	{"https://example.com:443", "com,example)/"},
	{"https://example.com:80/a/", "com,example:80)/a"},
	{"ftp://www.example.com:21/a", "com,example:21)/a"},
	{"http://wwww.example.com/", "com,example,wwww)/"},
	{"http://www.com/", "com)/"},
	{"http://www12.a.example.com./", "com,example,a)/"},
	{"http://a..b.example.com/", "com,example,b,a)/"},
	{"http://u:p@example.com/", "com,example)/"},
	{"http://example.com/?", "com,example)/"},
	{"http://example.com?a", "com,example)/?a"},
	{"http://example.com/a//b/./c/../d/", "com,example)/a/b/d"},
	{"http://example.com/../a", "com,example)/../a"},
	{"http://example.com/../../a", "com,example)/a"},
	{"http://example.com/a/..", "com,example)/"},
	{"http://example.com/a b/%7Ec%2Fd%252541", "com,example)/a%20b/~c/da"},
	{"http://example.com/%zz%", "com,example)/%25zz%25"},
	{"http://example.com/%%34%31", "com,example)/a"},
	{"http://example.com/é\xff", "com,example)/%c3%a9%ff"},
	{"http://example.com/a%3Fb", "com,example)/a?b"},
	{"http://example.com/a%23b", "com,example)/a%23b"},
	{"http://example.com/a\r\n\tb", "com,example)/ab"},
	{"http://example.com/?b=2&a=1&a&c&b=1&", "com,example)/?&a&a=1&b=1&b=2&c"},
	{"http://example.com/?a=%26b&A=B", "com,example)/?a=&a=b&b"},
	{"http://example.com/?a=1=2&a=1", "com,example)/?a=1&a=1=2"},
	{"http://example.com/?jsessionid=" + session32, "com,example)/"},
	{"http://example.com/?a=1&JSessionID=" + session32 + "&b=2", "com,example)/?a=1&b=2"},
	{"http://example.com/?a=1&xsid=" + session32, "com,example)/?a=1&x"},
	{"http://example.com/?sid=" + session32 + "0", "com,example)/?sid=" + strings.ToLower(session32) + "0"},
	{"http://example.com/?sid=" + session32 + "&sid=" + session32, "com,example)/?&sid=" + strings.ToLower(session32)},
	{"http://example.com/?phpsessid=" + session32 + "&q", "com,example)/?q"},
	{"http://example.com/?q&ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX", "com,example)/?&q"},
	{"http://example.com/?cfid=1&cftoken=2&q=3", "com,example)/?q=3"},
	{"http://example.com/?cfid=1&x&cftoken=2", "com,example)/?cfid=1&cftoken=2&x"},
	{"http://example.com/(S(" + session24 + "))/a.aspx?b", "com,example)/a.aspx?b"},
	{"http://example.com/x/(A(" + session24 + ")F(" + session24 + "))/a.aspx", "com,example)/x/a.aspx"},
	{"http://example.com/(" + session24 + ")/(" + session24 + ")/a.aspx", "com,example)/(" + session24 + ")/a.aspx"},
	{"http://example.com/(" + session24 + ")/a.html", "com,example)/(" + session24 + ")/a.html"},
	{"http://example.com/(" + session24 + ")/.aspx", "com,example)/(" + session24 + ")/.aspx"},
	{"http://127.0.0.1/", "1,0,0,127)/"},
	{"http://127.1/", "1,0,0,127)/"},
	{"http://0177.1/", "1,0,0,127)/"},
	{"http://2130706433/", "1,0,0,127)/"},
	{"http://[2001:db8::1]:8080/", "2001:db8::1:8080)/"},
	{"http://bücher.example/", "example,xn--bcher-kva)/"},
	{"http://https://www.example.com/a", "com,example)/a"},
	{"http://http://https://http://example.com/a", "com,example)/a"},
	{"http:/www.example.com/a", "com,example)/a"},
	{"http:www.example.com", "com,example)/"},
	{"http:////www.example.com/a", "com,example)/a"},
	{"www.example.com/a?b", "com,example)/a?b"},
	{"dns:www.Example.com", "dns:www.example.com"},
	{"mailto:A@example.com?B", "mailto:a@example.com?b"},
	{"urn:uuid:0", "urn:uuid:0"},
	{"whois://whois.example/a", "example,whois)/a"},
	{"filedesc:a", "filedesc:a"},
	{"filedesc://a.arc.gz/", "filedesc://a.arc.gz/"},
	{"", "-"},
}

func TestSURTKey(t *testing.T) {
	var keys SURTKeys
	for _, test := range surtTests {
		checkProperties(t, test.raw)
		u, _ := Parse(test.raw)
		if got := u.SURTKey(); got != test.key {
			t.Errorf("SURT key of %q\n  is %q\nwant %q", test.raw, got, test.key)
		}
		if got := keys.Key(u.Origin(), test.raw); got != test.key {
			t.Errorf("SURT key of %q behind others\n  is %q\nwant %q", test.raw, got, test.key)
		}
	}
}

// TestSURTKeyHostile keeps URLs as long as a header line from costing more
// than a page.
func TestSURTKeyHostile(t *testing.T) {
	const length = 1 << 16
	for _, piece := range []string{
		"25", "/(" + session24 + ")", "/(", "/..", "cfid=a", "sid=" + session32 + "0",
		"http://",
	} {
		for _, prefix := range []string{"http://a/%", "http://a/?%", "http://%", "http://"} {
			u, _ := Parse(prefix + strings.Repeat(piece, length/len(piece)))
			u.SURTKey()
		}
	}
}

func TestSURTHost(t *testing.T) {
	for raw, want := range map[string]string{
		"http://example.com/":                "com,example",
		"https://www2.sub.example.com:8443/": "com,example,sub",
		"http://example.com/a)/b":            "com,example",
		"http://127.0.0.1:8080/?q":           "1,0,0,127",
		"http://[2001:db8::1]/":              "2001:db8::1",
		"dns:example.com":                    "",
		"":                                   "",
	} {
		if u, _ := Parse(raw); SURTHost(u.SURTKey()) != want {
			t.Errorf("host of %q is %q, want %q", u.SURTKey(), SURTHost(u.SURTKey()), want)
		}
	}
}
