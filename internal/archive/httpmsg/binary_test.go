package httpmsg

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/robots/robotstest"
)

func TestIsBinary(t *testing.T) {
	tall := strings.Repeat("Disallow: /abc/def?x=*&y=%C3%A9$\n", 40)
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"nothing":          {"", false},
		"text":             {robotsTxt, false},
		"UTF-8":            {"# h\u00e9 \u4f60\u597d\n" + robotsTxt, false},
		"UTF-8 with a BOM": {"\ufeff" + robotsTxt, false},
		"Latin-1":          {"# caf\xe9 d\xe9j\xe0 vu\n" + robotsTxt, false},
		"Windows-1251":     {"# \xe7\xe0\xef\xf0\xe5\xf9\xe5\xed\xee \xe2\xf1\xe5\xec \xf0\xee\xe1\xee\xf2\xe0\xec \xe8\xed\xe4\xe5\xea\xf1\n" + robotsTxt, false},
		"Windows-1251 alone": {
			strings.Repeat("\xe7\xe0\xef\xf0\xe5\xf9\xe5\xed\xee \xe2\xf1\xe5\xec\n", 40),
			false,
		},
		"ISO-2022-JP":            {"# \x1b$B%m%\\%C%H\x1b(B\n" + robotsTxt, false},
		"a stray NUL":            {"User-agent: *\x00\n" + robotsTxt, false},
		"NULs at the ends":       {strings.ReplaceAll(robotsTxt, "\n", "\x00\n"), false},
		"padded with NULs":       {robotsTxt + strings.Repeat("\x00", 4096), false},
		"the end-of-file of DOS": {robotsTxt + "\x1a", false},
		"control characters":     {"Disallow: /\x01\x02\n" + tall, false},
		"HTML":                   {"<html><head><title>x</title></head></html>", false},
		"UTF-16 with a BOM":      {"\xff\xfe" + warctest.UTF16LE(robotsTxt), false},

		"a NUL alone":         {"\x00", true},
		"NULs alone":          {strings.Repeat("\x00", 4096), true},
		"UTF-16LE":            {warctest.UTF16LE(robotsTxt), true},
		"UTF-16BE":            {"\x00" + strings.TrimSuffix(warctest.UTF16LE(robotsTxt), "\x00"), true},
		"UTF-32 with a BOM":   {"\xff\xfe\x00\x00U\x00\x00\x00s\x00\x00\x00", true},
		"gzip":                {warctest.Encode(t, "gzip", robotsTxt), true},
		"the start of a gzip": {"\x1f\x8b", true},
		"zstd":                {warctest.Encode(t, "zstd", robotsTxt), true},
		"zlib":                {warctest.Encode(t, "zlib", tall), true},
		"deflate":             {warctest.Encode(t, "flate", robotsTxt), true},
		"brotli":              {warctest.Encode(t, "br", tall), true},
		"zip":                 {"PK\x03\x04\x14\x00\x00\x00\x08\x00robots.txt", true},
		"PDF":                 {"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\n", true},
		"GIF":                 {"GIF89a\x01\x00\x01\x00", true},
		"PNG":                 {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", true},
	} {
		if got := IsBinary([]byte(c.body)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Of 4,231 robots.txt files one is no text, but an icon. All the others are texts, and
// are still with a NUL more and in Latin-1; in UTF-16 and compressed none is.
func TestWildBodiesAreTexts(t *testing.T) {
	var binary []string
	missed, compressed := 0, 0
	wild, err := robotstest.Wild()
	if err != nil {
		t.Skipf("no real files: %v", err)
	}
	for _, f := range wild {
		host, body := f.Host, f.Body
		if IsBinary(body) {
			binary = append(binary, host)
			continue
		}
		if len(body) < 64 || isUTF16(body) {
			continue
		}
		latin := bytes.ReplaceAll(body, []byte("e"), []byte("\xe9"))
		if IsBinary(latin) || IsBinary(append(bytes.Clone(body), make([]byte, 512)...)) {
			t.Errorf("%s: in Latin-1, or padded, it is no text", host)
		}
		if IsBinary(slices.Insert(bytes.Clone(body), len(body)/2, 0)) {
			t.Errorf("%s: with a NUL it is no text", host)
		}
		start := string(body[:min(len(body), 4<<10)])
		if !IsBinary([]byte(warctest.UTF16LE(start))) {
			t.Errorf("%s: in UTF-16 it is a text", host)
		}
		compressed++
		if !IsBinary([]byte(warctest.Encode(t, "flate", start))) {
			missed++
		}
	}
	if !slices.Equal(binary, []string{"www.pch.com"}) {
		t.Errorf("binary: %q", binary)
	}
	if 100*missed > compressed {
		t.Errorf("%d of %d are texts when they are compressed", missed, compressed)
	}
}
