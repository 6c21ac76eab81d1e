package cdx

import (
	"errors"
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
		{name: "Caddy before 2.5", bytes: 34, text: `{"ts":"2026-05-01T10:00:00.000Z","request":{"remote_addr":"20.171.207.1:40712","method":"GET",` +
			`"host":"example.org:443","uri":"/a?b=c","headers":{"User-Agent":["` + agent + `"]},"tls":{}},"size":34,"status":200}`},
		{name: "nginx JSON", bytes: 34, text: `{"time_iso8601":"2026-05-01T12:00:00+02:00","remote_addr":"20.171.207.1","host":"example.org","scheme":"https",` +
			`"server_port":"443","request":"GET /a?b=c HTTP/2.0","status":"200","body_bytes_sent":"34","http_user_agent":"` + agent + `"}`},
		{name: "Traefik", bytes: 34, text: `{"ClientAddr":"20.171.207.1:52654","ClientHost":"20.171.207.1","ClientPort":"52654","ClientUsername":"-",` +
			`"DownstreamContentSize":34,"DownstreamStatus":200,"Duration":3454189,"OriginStatus":304,"RequestAddr":"example.org",` +
			`"RequestHost":"example.org","RequestMethod":"GET","RequestPath":"/a?b=c","RequestPort":"-","RequestScheme":"https",` +
			`"StartLocal":"2026-05-01T12:00:00+02:00","StartUTC":"2026-05-01T10:00:00Z","level":"info","msg":"",` +
			`"request_User-Agent":"` + agent + `","time":"2026-05-01T10:00:09Z"}`},
		{name: "Traefik, common", opt: site, bytes: 34, text: `20.171.207.1 - - [01/May/2026:10:00:00 +0000] "GET /a?b=c HTTP/2.0" 200 34 "-" "` + agent +
			`" 5 "sentinel@docker" "http://10.0.1.8:8000" 3ms`},
		{name: "Cloudflare", bytes: 34, text: `{"ClientIP":"20.171.207.1","ClientRequestHost":"example.org","ClientRequestMethod":"GET","ClientRequestPath":"/a",` +
			`"ClientRequestScheme":"https","ClientRequestURI":"/a?b=c","ClientRequestUserAgent":"` + agent + `","EdgeEndTimestamp":1777629609000000000,` +
			`"EdgeResponseBodyBytes":34,"EdgeResponseBytes":434,"EdgeResponseStatus":200,"EdgeStartTimestamp":1777629600000000000,"OriginResponseStatus":0}`},
		{name: "Cloudflare, RFC 3339", bytes: -1, text: `{"ClientIP":"20.171.207.1","ClientRequestHost":"example.org","ClientRequestMethod":"GET",` +
			`"ClientRequestScheme":"https","ClientRequestURI":"/a?b=c","ClientRequestUserAgent":"` + agent + `",` +
			`"EdgeResponseBytes":434,"EdgeResponseStatus":200,"EdgeStartTimestamp":"2026-05-01T10:00:00Z"}`},
		{name: "CloudFront JSON", bytes: -1, text: `{"date":"2026-05-01","time":"10:00:00","x-edge-location":"FRA2","sc-bytes":"434","c-ip":"20.171.207.1",` +
			`"cs-method":"GET","cs(Host)":"d1.cloudfront.net","cs-uri-stem":"/a","sc-status":"200","cs(Referer)":"-","cs(User-Agent)":"` +
			strings.ReplaceAll(agent, " ", "%20") + `","cs-uri-query":"b=c","x-host-header":"example.org","cs-protocol":"https","time-taken":"0.1"}`},
		{name: "CloudFront JSON, real-time fields", bytes: -1, text: `{"timestamp":"1777629600.000","date":"2026-05-01","time":"10:00:00","c-ip":"20.171.207.1",` +
			`"cs-method":"GET","cs-uri-stem":"/a","sc-status":"200","cs-user-agent":"` + strings.ReplaceAll(agent, " ", "%20") +
			`","cs-uri-query":"b=c","cs-host":"example.org","cs-protocol":"https"}`},
		{name: "CloudFront JSON, milliseconds", bytes: -1, text: `{"timestamp(ms)":"1777629600000","x-host-header":"example.org","cs-method":"GET","cs-uri-stem":"/a",` +
			`"cs-uri-query":"b=c","sc-status":"200","cs(User-Agent)":"` + agent + `","c-ip":"20.171.207.1","cs-protocol":"https"}`},
		{name: "IIS", opt: site, bytes: -1, text: "#Software: Microsoft Internet Information Services 10.0\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port " +
			"cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken\n" +
			"2026-05-01 10:00:00 10.0.0.4 GET /a b=c 443 - 20.171.207.1 " + strings.ReplaceAll(agent, " ", "+") + " - 200 0 0 15"},
		{name: "CloudFront", bytes: -1, text: "#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent) x-host-header cs-protocol\n" +
			"2026-05-01\t10:00:00\t20.171.207.1\tGET\t/a\tb=c\t200\t" + strings.ReplaceAll(agent, " ", "%20") + "\texample.org\thttps"},
	} {
		r, err := Open(AccessLog, strings.NewReader(c.text+"\n"), 0, FormatOptions{AccessLog: c.opt})
		if err != nil {
			t.Fatal(c.name, err)
		}
		var row Row
		if err := r.Next(&row); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if row.URL != "https://example.org/a?b=c" || row.Micros != 1777629600e6 || row.Status != 200 || strings.ReplaceAll(row.Agent, "  ", " +") != agent || // IIS writes + for both
			row.Client != "20.171.207.1" || row.Bytes != c.bytes || row.Method != "GET" {
			t.Errorf("%s: %+v", c.name, row)
		}
		if err := r.Next(&row); err != io.EOF {
			t.Errorf("%s: then %v", c.name, err)
		}
	}
}

// The origin of a request, by its host, port and scheme, and by --site.
func TestAccessLogSites(t *testing.T) {
	for _, c := range []struct {
		line  string // what JSON says of the host
		sites string
		url   string // or the fault
	}{
		{`"host":"example.org","scheme":"https"`, "", "https://example.org/"},
		{`"host":"Example.org.:443","scheme":"https"`, "", "https://example.org/"},
		{`"host":"example.org:8443","scheme":"https"`, "", "https://example.org:8443/"},
		{`"host":"example.org","scheme":"http","server_port":"8080"`, "", "http://example.org:8080/"},
		{`"host":"example.org","scheme":"https","server_port":"80"`, "", "https://example.org/"},
		{`"host":"example.org","type":"nginx"`, "", noScheme},
		{`"host":"[2001:db8::1]:8443","scheme":"wss"`, "", "https://[2001:db8::1]:8443/"},
		{`"host":"example.org:x","scheme":"https"`, "", invalidHost},
		{`"host":":443"`, "https://example.org", invalidHost},
		{`"host":"example.org"`, "https://example.org", "https://example.org/"},
		{`"host":"[2001:db8::1]"`, "https://[2001:db8::1]", "https://[2001:db8::1]/"},
		{`"host":"example.org","scheme":"http","server_port":"8080"`, "https://example.org", "https://example.org/"}, // behind a proxy
		{`"host":"example.org"`, "https://example.org http://example.org", severalSites},
		{`"host":"example.org","scheme":"http"`, "https://example.org http://example.org", "http://example.org/"},
		{`"host":"${HOST}"`, "https://example.org", invalidHost},
		{`"host":"*"`, "https://example.org", invalidHost},
		{`"host":"example.org:8443","scheme":"https"`, "https://example.org", anotherHost},
		{`"host":"example.org:8443"`, "https://example.org https://example.org:8443", "https://example.org:8443/"},
		{`"host":"example.org"`, "https://example.org:8443 https://example.org", "https://example.org/"},
		{`"host":"example.org","server_port":"8443"`, "https://example.org https://example.org:8443", "https://example.org:8443/"},
		{`"host":"example.org","scheme":"http"`, "https://example.org http://example.org:81", "https://example.org/"},
		{`"host":"-"`, "https://example.org", "https://example.org/"},
		{`"host":"-"`, "https://example.org https://example.net", severalSites},
	} {
		opt := AccessLogOptions{Sites: strings.Fields(c.sites)}
		text := `{` + c.line + `,"request":"GET / HTTP/1.1","status":"200","time_iso8601":"2026-05-01T12:00:00+02:00"}`
		r, err := Open(AccessLog, strings.NewReader(text), 0, FormatOptions{AccessLog: opt})
		if err != nil {
			t.Fatal(err)
		}
		var row Row
		got := ""
		if f, is := r.Next(&row).(*Fault); is {
			got = f.Detail
		} else {
			got = row.URL
		}
		if got != c.url {
			t.Errorf("%s, sites %q: %s, not %s", c.line, c.sites, got, c.url)
		}
	}
}

// A row stays as it was while later lines are read.
func TestAccessLogRowsStay(t *testing.T) {
	const (
		plain = `192.0.2.1 - - [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 34 "-" "CCBot/2.0"` + "\n"
		json  = `{"remote_addr":"192.0.2.1","request":"GET /a HTTP/1.1","status":"200",` +
			`"time_iso8601":"2026-05-01T10:00:00Z","body_bytes_sent":34,"http_user_agent":"CCBot/2.0"}` + "\n"
	)
	for _, line := range []string{plain, json} {
		text := line + strings.NewReplacer("192", "203", "GET", "PUT", "/a", "/b", "CCBot", "Other").Replace(line)
		r, err := Open(AccessLog, strings.NewReader(text), 0,
			FormatOptions{AccessLog: AccessLogOptions{Sites: []string{"https://example.org"}}})
		if err != nil {
			t.Fatal(err)
		}
		var first, second Row
		if err := errors.Join(r.Next(&first), r.Next(&second)); err != nil {
			t.Fatal(err)
		}
		got := [...]string{first.Client, first.Method, first.URL, first.Agent}
		if want := [...]string{"192.0.2.1", "GET", "https://example.org/a", "CCBot/2.0"}; got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// Text in JSON is what the client sent: backslashes are no escapes there.
func TestAccessLogEscapes(t *testing.T) {
	for text, path := range map[string]string{
		`{"host":"example.org","request":"GET /\\x70rivate HTTP/1.1","status":"200","time_iso8601":"2026-05-01T12:00:00+02:00"}`: `/\x70rivate`,
		`192.0.2.1 - - [01/May/2026:10:00:00 +0000] "GET /\x70rivate HTTP/1.1" 200 34 "-" "-"`:                                   `/private`,
		`192.0.2.1 - - [01/May/2026:10:00:00 +0000] "GET /\\x70rivate HTTP/1.1" 200 34 "-" "-"`:                                  `/\x70rivate`,
	} {
		r, err := Open(AccessLog, strings.NewReader(text), 0, FormatOptions{AccessLog: AccessLogOptions{Sites: []string{"https://example.org"}}})
		if err != nil {
			t.Fatal(err)
		}
		var row Row
		if err := r.Next(&row); err != nil || row.URL != "https://example.org"+path {
			t.Errorf("%s: %s, %v", text, row.URL, err)
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
		{"example.net " + begin + `"GET /a HTTP/1.1"` + end, true},
		{`{"timestamp":"2026-05-01T10:00:00Z","url":"/a","request_method":"GET","status":200}`, false},
		{begin + `"GET /a HTTP/1.1" 200 34 "-" "${jndi:ldap://x}"`, true},
		{`{"status":200`, false},
		{"\x00\x01", false},
	} {
		r, err := Open(AccessLog, strings.NewReader(c.text), 0, FormatOptions{AccessLog: AccessLogOptions{Sites: []string{"https://example.org"}}})
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
	for _, format := range []string{"%h %t", "$status$request$msec", "$msec $uri $status", "%{x", "$"} {
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
		r, err := Open(AccessLog, strings.NewReader(text), 0, FormatOptions{AccessLog: AccessLogOptions{Format: format, Sites: []string{"https://example.org"}}})
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

// What a log says of its requests in other ways: a host before the client or in the place of ident, times without a
// zone, strings of W3C, formats as they stand in configurations, and templates of JSON.
func TestAccessLogForms(t *testing.T) {
	const json = `{"at":"2026-05-01T10:00:00+0000","http":{"verb":"GET","path":"/a","code":200},"ua":"GPTBot/1.0"}`
	for _, c := range []struct{ format, text, want string }{
		{"", `192.0.2.1 a.test - [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 3`, "https://a.test/a zone"},
		{"", `192.0.2.1 a.test - - [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 3`, "https://a.test/a zone"},
		{"", `a.test 192.0.2.1 - - [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 3`, "https://a.test/a zone"},
		{"", `a.test c.isp.example - - [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 3`, "https://a.test/a zone"},
		{"", `192.0.2.1 john j.doe [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 3`, "https://a.test/a zone"},
		{"", `a.test c.isp.example - [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 3`, "fault"},
		{"", `192.0.2.2 192.0.2.1 - - [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 3`, "fault"},
		{"", `192.0.2.1 - - [01/May/2026:10:00:00] "GET /a HTTP/1.1" 200 3`, "https://a.test/a none"},
		{"", "#Fields: date time cs-method cs-uri-stem sc-status cs(User-Agent)\n" +
			`"2026-05-01" "10:00:00" "GET" "/a" "200" "Say ""hi"" there"`, `https://a.test/a zone Say "hi" there`},
		{`%t\t%h\t\"%r\"\t%>s`, "[01/May/2026:10:00:00 +0000]\t192.0.2.1\t\"GET /a HTTP/1.1\"\t200", "https://a.test/a zone"},
		{`LogFormat "%h %t \"%r\" %>s" mine`, `192.0.2.1 [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200`, "https://a.test/a zone"},
		{
			"log_format main '$remote_addr [$time_local] '\n  '\"$request\" $status';", `192.0.2.1 [01/May/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200`,
			"https://a.test/a zone",
		},
		{
			`{"at": "$time_iso8601", "http": {"verb": "$request_method", "path": "$request_uri", "code": $status}, "ua": "${http_user_agent}"}`, json,
			"https://a.test/a zone GPTBot/1.0",
		},
	} {
		opt := AccessLogOptions{Sites: []string{"https://a.test"}, Format: c.format}
		if c.format == "nowhere" {
			opt = AccessLogOptions{}
		}
		r, err := Open(AccessLog, strings.NewReader(c.text), 0, FormatOptions{AccessLog: opt})
		if err != nil {
			t.Errorf("%s: %v", c.format, err)
			continue
		}
		var row Row
		got := "fault"
		if err := r.Next(&row); err == nil {
			got = row.URL + map[bool]string{true: " none", false: " zone"}[row.NoZone]
			if row.Agent != "" {
				got += " " + row.Agent
			}
		}
		if want := c.want; got != want || row.Micros != 1777629600e6 && got != "fault" {
			t.Errorf("%q %q: %s, want %s; %d", c.format, c.text, got, want, row.Micros)
		}
	}
}

// A log of which no line counted says why, and what to do.
func TestAccessLogNothing(t *testing.T) {
	const fastly = `{"timestamp":"2024-05-01T10:00:00+0000","client_ip":"1.1.1.1","host":"a.test","url":"/x/1",` +
		`"request_method":"GET","request_user_agent":"GPTBot/1.0","response_status":200}`
	for _, c := range []struct{ format, text, want string }{
		{"", "\n", ""},
		{"nowhere", "1.1.1.1 - - [01/May/2024:12:00:00 +0200] \"GET /x HTTP/1.1\" 200 12", "add --site https://…"},
		{"", "www.a.test:443 1.1.1.1 - - [01/May/2024:12:00:00 +0200] \"GET /x HTTP/1.1\" 200 12", "add --site https://www.a.test"},
		{"", fastly, "timestamp, client_ip, host, url,"},
		{"$remote_addr [$time_local] $request_uri $status", "1.1.1.1 [01/May/2024:12:00:00 +0200] /x 200", "$request_method"},
		{"", "x", "none is a request in a known format"},
	} {
		opt := AccessLogOptions{Sites: []string{"https://a.test"}, Format: c.format}
		if c.format == "nowhere" {
			opt = AccessLogOptions{}
		}
		r, err := Open(AccessLog, strings.NewReader(c.text), 0, FormatOptions{AccessLog: opt})
		if err != nil {
			t.Fatal(err)
		}
		var row Row
		for err == nil || errors.As(err, new(*Fault)) {
			err = r.Next(&row)
		}
		if got := Nothing(r); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%q: %q", c.text, got)
		}
	}
	names := []string{"timestamp", "client_ip", "host", "url", "request_method", "request_user_agent", "response_status"}
	opt := AccessLogOptions{Sites: []string{"https://a.test"}, Format: template(names)}
	r, err := Open(AccessLog, strings.NewReader(fastly), 0, FormatOptions{AccessLog: opt})
	var row Row
	if err == nil {
		err = r.Next(&row)
	}
	if err != nil || row.URL != "https://a.test/x/1" || row.Agent != "GPTBot/1.0" || row.Status != 200 || row.Client != "1.1.1.1" {
		t.Errorf("%+v, %v", row, err)
	}
}
