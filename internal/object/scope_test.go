package object

import (
	"slices"
	"strings"
	"testing"
)

// TestScope: names inside inputs lead to places below one that the user has named, and nowhere else.
func TestScope(t *testing.T) {
	folder := Scope{Base: "/data"}
	web := Scope{Base: "https://h.example/crawls/", Own: "https://h.example/lists/list"}
	own := Scope{Base: "https://h.example", Own: "https://u:p@H.example/list?sig"}
	s3 := Scope{Base: "s3://bucket", Own: "s3://bucket/list"}
	for _, c := range []struct {
		scope Scope
		name  string
		want  string // "": refused
	}{
		{folder, "a/b.warc.gz", "/data/a/b.warc.gz"},
		{folder, "./a.warc.gz", "/data/a.warc.gz"},
		{folder, "/data/a.warc.gz", "/data/a.warc.gz"},
		{folder, "/data", ""},
		{folder, "/database/a.warc.gz", ""},
		{folder, "/etc/passwd", ""},
		{folder, "/data/../etc/passwd", ""},
		{folder, "../data2/x", ""},
		{folder, "a/../../x", ""},
		{folder, "a/../b", ""},
		{folder, `..\x`, ""},
		{folder, "", ""},
		{folder, "s3://bucket/x", ""},
		{folder, "https://h.example/x", ""},
		{folder, "file:///etc/passwd", ""},
		{web, "a b/c.warc.gz", "https://h.example/crawls/a%20b/c.warc.gz"},
		{web, "%2e%2e/c.warc.gz", ""},
		{web, "../c.warc.gz", ""},
		{web, "/c.warc.gz", ""},
		{web, "//other.example/c.warc.gz", ""},
		{web, "https://h.example/other/c.warc.gz?sig=x", "https://h.example/other/c.warc.gz?sig=x"},
		{web, "https://h.example/crawls/%2e%2E/c.warc.gz", ""},
		{web, "https://h.example:8443/c.warc.gz", ""},
		{web, "http://h.example/c.warc.gz", ""},
		{web, "https://h.example@other.example/c.warc.gz", ""},
		{web, "https://h.example.other.example/c.warc.gz", ""},
		{web, "https://other.example/c.warc.gz", ""},
		{web, "s3://h.example/c.warc.gz", ""},
		{web, "http://169.254.169.254/latest/meta-data", ""},
		{own, "crawl-data/x.warc.gz", "https://h.example/crawl-data/x.warc.gz"},
		{own, "https://h.example/x.warc.gz", "https://h.example/x.warc.gz"},
		{s3, "a//b c%.warc.gz", "s3://bucket/a//b c%.warc.gz"},
		{s3, "s3://bucket/x", "s3://bucket/x"},
		{s3, "s3://bucket/a/../../other/x", ""},
		{s3, "s3://bucket2/x", ""},
		{s3, "s3://other/x", ""},
	} {
		got, err := c.scope.Resolve(c.name)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: %q leads to %q, not to %q (%v)", c.scope, c.name, got, c.want, err)
		}
	}
}

// FuzzScope: whatever a name is, it leads below the base, or to the list's own host.
func FuzzScope(f *testing.F) {
	for _, name := range []string{
		"a/b", "../x", "/data/x", "https://h.example/x", "https://h.example@o/x",
		"s3://bucket/a/..", `a\..\x`, "%2e%2e/x", "C:x", ".", "//o/x",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, s := range []Scope{
			{Base: "/data"},
			{Base: "https://h.example/d", Own: "https://h.example/l"},
			{Base: "s3://bucket/d", Own: "s3://bucket/l"},
		} {
			at, err := s.Resolve(name)
			if err != nil {
				continue
			}
			below := at == s.Base || strings.HasPrefix(at, s.Base+"/")
			if s.Own != "" && strings.Contains(name, "://") {
				clean, err := Clean(at)
				below = err == nil && Host(clean) == Host(s.Own)
			}
			if !below || slices.Contains(strings.Split(at, "/"), "..") {
				t.Errorf("%+v: %q leads to %q", s, name, at)
			}
		}
	})
}
