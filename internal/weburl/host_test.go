package weburl

import (
	"strings"
	"testing"
)

func TestHostNames(t *testing.T) {
	for _, test := range []struct{ host, reversed, domain string }{
		{"www.example.com", "com.example.www", "example.com"},
		{"example.com", "com.example", "example.com"},
		{"com", "com", ""},
		{"co.uk", "uk.co", ""},
		{"a.b.example.co.uk", "uk.co.example.b.a", "example.co.uk"},
		{"www.example.com.", ".com.example.www", "example.com"},

		// ICANN part only
		{"a.b.blogspot.com", "com.blogspot.b.a", "blogspot.com"},
		{"blogspot.com", "com.blogspot", "blogspot.com"},
		{"someone.github.io", "io.github.someone", "github.io"},
		{"bucket.s3.dualstack.us-east-1.amazonaws.com", "com.amazonaws.us-east-1.dualstack.s3.bucket", "amazonaws.com"},

		// wildcard and exception rules
		{"a.b.c.ck", "ck.c.b.a", "b.c.ck"},
		{"c.ck", "ck.c", ""},
		{"www.ck", "ck.www", "www.ck"},
		{"a.city.kawasaki.jp", "jp.kawasaki.city.a", "city.kawasaki.jp"},
		{"www.xn--85x722f.com.cn", "cn.com.xn--85x722f.www", "xn--85x722f.com.cn"},

		// not on the list, as in Common Crawl's table
		{"localhost", "localhost", ""},
		{"a.example.invalid", "invalid.example.a", ""},

		// no names
		{"", "", ""},
		{"127.0.0.1", "127.0.0.1", ""},
		{"127.1", "127.1", ""},
		{"[2001:db8::1]", "[2001:db8::1]", ""},
		{"[::ffff:1.2.3.4]", "[::ffff:1.2.3.4]", ""},
		{"example.com:x", "example.com:x", ""},

		// odd names
		{".com", "com.", ""},
		{".", ".", ""},
		{"..com", "com..", ""},
		{"a..com", "com..a", ""},
		{"\xff.example.com", "com.example.\xff", "example.com"},
	} {
		u := URL{Host: test.host}
		if got := u.HostReversed(); got != test.reversed {
			t.Errorf("%q reversed is %q, want %q", test.host, got, test.reversed)
		}
		if got := u.RegisteredDomain(); got != test.domain {
			t.Errorf("registered domain of %q is %q, want %q", test.host, got, test.domain)
		}
	}
}

func TestPublicSuffixVersion(t *testing.T) {
	if v := PublicSuffixVersion(); !strings.Contains(v, "git revision") {
		t.Errorf("the list compiled in is called %q: no revision", v)
	}
}
