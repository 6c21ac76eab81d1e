package index

import (
	"io"
	"strings"
	"testing"
)

// What each server writes of one request.
func TestAccessLogFormats(t *testing.T) {
	site := AccessLogOptions{Sites: []string{"https://example.org"}}
	const agent = `Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)`
	for _, c := range []struct {
		name, text string
		opt        AccessLogOptions
		bytes      int64
	}{
		{name: "combined", opt: site, bytes: 34, text: `20.171.207.1 - - [01/May/2026:12:00:00 +0200] "GET /a?b=c HTTP/1.1" 200 34 "-" "` + agent + `"`},
		{name: "with more", opt: site, bytes: 34, text: `20.171.207.1 - - [01/May/2026:10:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 34 "-" "` + agent + `" "-" 0.1`},
		{name: "vhost", bytes: -1, text: `example.org:443 20.171.207.1 - - [01/May/2026:10:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 340 "-" "` + agent + `"`},
		{name: "ALB", bytes: -1, text: `https 2026-05-01T10:00:00.000000Z app/lb/1 20.171.207.1:2817 10.0.0.1:80 0.0 0.0 0.0 200 200 34 366 ` +
			`"GET https://example.org:443/a?b=c HTTP/1.1" "` + agent + `" ECDHE TLSv1.2 arn "Root=1"`},
		{
			name: "nginx", bytes: 34, opt: AccessLogOptions{Format: `$msec|$remote_addr|$scheme://$host|"$request"|$status|$body_bytes_sent|"$http_user_agent"`},
			text: `1777629600.000|20.171.207.1|https://example.org|"GET /a?b=c HTTP/2.0"|200|34|"` + agent + `"`,
		},
		{
			name: "Apache", bytes: 34, opt: AccessLogOptions{Sites: site.Sites, Format: `%a %{usec}t %m %U%q %>s %B "%{User-agent}i" %{Referer}i`},
			text: `20.171.207.1 1777629600000000 GET /a?b=c 200 34 "` + agent + `" -`,
		},
		{name: "Caddy", bytes: 34, text: `{"ts":1777629600.0,"request":{"remote_ip":"20.171.207.1","method":"GET","host":"example.org","uri":"/a?b=c",` +
			`"headers":{"User-Agent":["` + agent + `"]},"tls":{}},"size":34,"status":200}`},
		{name: "CloudFront", bytes: -1, text: "#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent) x-host-header cs-protocol\n" +
			"2026-05-01\t10:00:00\t20.171.207.1\tGET\t/a\tb=c\t200\t" + strings.ReplaceAll(agent, " ", "%20") + "\texample.org\thttps"},
	} {
		r, err := Open(AccessLog, strings.NewReader(c.text+"\n"), 0, Options{AccessLog: c.opt})
		if err != nil {
			t.Fatal(c.name, err)
		}
		var row Row
		if err := r.Next(&row); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if row.URL != "https://example.org/a?b=c" || row.Micros != 1777629600e6 || row.Status != 200 || row.Agent != agent ||
			row.Client != "20.171.207.1" || row.Bytes != c.bytes || row.Method != "GET" {
			t.Errorf("%s: %+v", c.name, row)
		}
		if err := r.Next(&row); err != io.EOF {
			t.Errorf("%s: then %v", c.name, err)
		}
	}
}

// Lines that are no request to the site, and lines that cannot be read.
func TestAccessLogFaults(t *testing.T) {
	const end = ` 200 34 "-" "CCBot/2.0"`
	const begin = `192.0.2.1 - - [01/May/2026:10:00:00 +0000] `
	for _, c := range []struct {
		text   string
		noLoss bool
	}{
		{begin + `"\x16\x03\x01\x02"` + end, true},
		{begin + `"-" 408 0 "-" "-"`, true},
		{begin + `"GET http://other.example/robots.txt HTTP/1.1"` + end, true},
		{begin + `"GET /a HTTP/1.1" 20`, false},
		{`192.0.2.1 - - [32/May/2026:10:00:00 +0000] "GET / HTTP/1.1"` + end, false},
		{`{"status":200`, false},
		{"\x00\x01", false},
	} {
		r, err := Open(AccessLog, strings.NewReader(c.text), 0, Options{AccessLog: AccessLogOptions{Sites: []string{"https://example.org"}}})
		if err != nil {
			t.Fatal(err)
		}
		var row Row
		f, is := r.Next(&row).(*Fault)
		switch {
		case !is:
			t.Errorf("%.60q: %+v", c.text, row)
		case f.NoLoss != c.noLoss:
			t.Errorf("%.60q: %s, no loss: %v", c.text, f.Detail, f.NoLoss)
		case strings.Contains(f.Detail, "192.0.2.1"):
			t.Errorf("the fault has an address: %s", f.Detail)
		}
	}
	for _, format := range []string{"%h %t", "$status$request$msec", "%{x", "$"} {
		if CheckAccessLog(AccessLogOptions{Format: format}) == nil {
			t.Errorf("the format %q is taken", format)
		}
	}
}

func FuzzAccessLog(f *testing.F) {
	f.Add(`192.0.2.1 - - [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 34 "-" "CCBot/2.0"`, "")
	f.Add(`{"request":{"headers":{"User-Agent":[1]}},"ts":1e300}`, "%h %l %u %t \"%r\" %>s %b")
	f.Add("#Fields: date time\n2026-05-01 10:00:00 x", "$remote_addr [$time_local] \"$request\" $status")
	f.Fuzz(func(t *testing.T, text, format string) {
		if CheckAccessLog(AccessLogOptions{Format: format}) != nil {
			format = ""
		}
		r, err := Open(AccessLog, strings.NewReader(text), 0, Options{AccessLog: AccessLogOptions{Format: format, Sites: []string{"https://example.org"}}})
		if err != nil {
			return
		}
		var row Row
		for range strings.Count(text, "\n") + 2 {
			if err := r.Next(&row); err == io.EOF {
				return
			} else if err == nil && row.URL == "" {
				t.Fatal("a row without a URL")
			}
		}
		if r.Next(&row) != io.EOF {
			t.Fatal("more rows than lines")
		}
	})
}
