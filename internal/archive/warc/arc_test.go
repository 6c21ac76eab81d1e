package warc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestARCHeader(t *testing.T) {
	for name, c := range map[string]struct {
		line             string
		target, date     string
		mime             string
		length           int64
		kind             string
		ok, knownAnyTime bool
	}{
		"version 1": {
			line: "http://h/ 192.0.2.1 20240501120000 text/html 7", target: "http://h/",
			date: "20240501120000", mime: "text/html", length: 7, ok: true,
		},
		"version 2": {
			line:   "http://h/ 192.0.2.1 20240501120000 text/html 200 abc http://h/2 10 a.arc 7",
			target: "http://h/", date: "20240501120000", mime: "text/html", length: 7, ok: true,
		},
		"version 2, dashes": {
			line:   "http://h/ 192.0.2.1 20240501120000 text/html 200 - - 10 a.arc 7",
			target: "http://h/", date: "20240501120000", mime: "text/html", length: 7, ok: true,
		},
		"CRLF": {
			line: "http://h/ 192.0.2.1 20240501120000 text/html 7\r", target: "http://h/",
			date: "20240501120000", mime: "text/html", length: 7, ok: true,
		},
		"IPv6": {
			line: "http://h/ 2001:db8::1 20240501120000 text/html 7", target: "http://h/",
			date: "20240501120000", mime: "text/html", length: 7, ok: true,
		},
		"no address": {
			line: "http://h/ None 2024050112 text/html 7", target: "http://h/", date: "2024050112",
			mime: "text/html", length: 7, ok: true,
		},
		"a dash for the address": {
			line: "http://h/ - 20240501120000 text/html; charset=x 7", target: "http://h/", date: "20240501120000",
			mime: "text/html; charset=x", length: 7, ok: true,
		},
		"spaces": {
			line: "http://h/a b  c 192.0.2.1 20240501120000 text/html 7", target: "http://h/a b  c",
			date: "20240501120000", mime: "text/html", length: 7, ok: true,
		},
		"CR, FF and tab": {
			line:   "http://h/a\rb\fc\td 192.0.2.1 20240501120000 text/html 7",
			target: "http://h/a\rb\fc\td", date: "20240501120000", mime: "text/html", length: 7, ok: true,
		},
		"no type": {
			line: "http://h/ 192.0.2.1 20240501120000  7", target: "http://h/",
			date: "20240501120000", length: 7, ok: true,
		},
		"no-type": {
			line: "http://h/ 192.0.2.1 20240501120000 no-type 7", target: "http://h/",
			date: "20240501120000", length: 7, ok: true,
		},
		"spaced type": {
			line: "http://h/ 192.0.2.1 20240501120000 text/html; charset=x 7", target: "http://h/",
			date: "20240501120000", mime: "text/html; charset=x", length: 7, ok: true,
		},
		"transposed": {
			line: "http://h/ 20240501120000 192.0.2.1 text/html 7", target: "http://h/",
			date: "20240501120000", mime: "text/html", length: 7, ok: true,
		},
		"hexadecimal date": {
			line: "http://h/ 192.0.2.1 a0d1fd text/html 7", target: "http://h/", date: "a0d1fd",
			mime: "text/html", length: 7, ok: true,
		},
		"negative length": {
			line: "http://h/ 192.0.2.1 20240501120000 text/html -7", target: "http://h/",
			date: "20240501120000", mime: "text/html", length: -1, ok: true,
		},
		"huge length": {
			line:   "http://h/ 192.0.2.1 20240501120000 text/html 99999999999999999999",
			target: "http://h/", date: "20240501120000", mime: "text/html", length: -1, ok: true,
		},
		"version block": {
			line: "filedesc://a.arc 0.0.0.0 20240501120000 text/plain 7", date: "20240501120000",
			mime: "text/plain", length: 7, kind: TypeARCInfo, ok: true,
		},
		"planted fields": {
			line:   "http://h/ 192.0.2.9 19990101000000 192.0.2.1 20240501120000 text/html 7",
			target: "http://h/ 192.0.2.9 19990101000000", date: "20240501120000", mime: "text/html", length: 7,
			ok: true,
		},
		"two readings": {line: "http://h/ 192.0.2.9 19990101000000 x 192.0.2.1 20240501120000 text/html; x 7"},
		"no length":    {line: "http://h/ 192.0.2.1 20240501120000 text/html abc"},
		"no scheme":    {line: "h/ 192.0.2.1 20240501120000 text/html 7"},
		"too few":      {line: "192.0.2.1 20240501120000 text/html 7"},
		"prose":        {line: "http://h/ is a fine place to be 7"},
		"a CDX line":   {line: "com,h)/ 20240501120000 http://h/ text/html 200 ABC - - 100 7 a.arc.gz"},
		"empty":        {},
	} {
		t.Run(name, func(t *testing.T) {
			h, ok := parseARCHeader([]byte(c.line + "\n"))
			want := Header{Type: c.kind, Target: c.target, Date: c.date, ContentType: c.mime, ContentLength: c.length}
			if !c.ok {
				want = Header{}
			} else if c.kind == "" {
				want.Type = TypeARC
			}
			if ok != c.ok {
				t.Errorf("ok is %v", ok)
			}
			if diff := cmp.Diff(want, h, cmp.AllowUnexported(Header{})); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
		})
	}
}
