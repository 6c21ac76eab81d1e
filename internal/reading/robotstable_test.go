package reading

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// readRobots reads a table of robots.txt.
func readRobots(t testing.TB, table []byte) *collected {
	t.Helper()
	c := new(collected)
	in := facts.Input{Path: "/table", Name: "table", Size: int64(len(table)), RobotsList: true}
	var err error
	if c.result, err = readSource(t.Context(), in, bytes.NewReader(table), 0, c, Options{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRobotsTable: what a row comes to, as a capture.
func TestRobotsTable(t *testing.T) {
	const rules = "User-agent: *\nDisallow: /\n"
	long := strings.Repeat("# 4567890123456\n", httpmsg.MaxBody/16) + "x"
	for name, c := range map[string]struct {
		row    map[string]any
		want   string // origins, status, Location, media type, User-Agent, length of the body
		flags  facts.Flags
		issues string
	}{
		"a host": {
			map[string]any{"host": "A.example:8080", "status": 200, "body": rules},
			"https://a.example:8080 http://a.example:8080, 200, , , , 26", facts.FlagHTTPHead, "",
		},
		"an origin": {
			map[string]any{"url": "https://a.example", "body": rules, "agent": "Bot/1"},
			"https://a.example, -1, , , Bot/1, 26", 0, "",
		},
		"an empty file": {map[string]any{"url": "https://a.example/", "body": ""}, "https://a.example, -1, , , , 0", 0, ""},
		"the head": {
			map[string]any{
				"url": "https://a.example/robots.txt", "status": 301, "headers": map[string]any{"location": "/r", "Content-Type": "text/html; x", "Content-Usage": "train-ai=n"},
			},
			"https://a.example, 301, /r, text/html, , 0", facts.FlagHTTPHead, "",
		},
		"lines, and a column": {
			map[string]any{
				"url": "https://a.example/robots.txt", "status": 302, "location": "/own",
				"headers": "Location: /r\nCF-Mitigated: challenge",
			},
			"https://a.example, 302, /own, , , 0", facts.FlagHTTPHead | facts.FlagChallenge, "",
		},
		"a coding that was undone": {
			map[string]any{
				"url": "https://a.example/robots.txt", "status": 200, "body": rules,
				"headers": [][]string{{"Content-Encoding", "gzip"}, {"Transfer-Encoding", "chunked"}},
			},
			"https://a.example, 200, , , , 26", facts.FlagHTTPHead, "",
		},
		"a challenge": {
			map[string]any{"host": "a.example", "status": 202, "body": "<!doctype html><html><body>x</body></html>"},
			"https://a.example http://a.example, 202, , , , 42", facts.FlagHTTPHead | facts.FlagChallenge, "",
		},
		"binary": {
			map[string]any{"url": "https://a.example/", "status": 200, "body_b64": "H4sIAAAAAAAAAAMAAAAAAAAAAAA="},
			"https://a.example, 200, , , , 20", facts.FlagHTTPHead | facts.FlagUndecodable, "undeclared_binary",
		},
		"no body": {
			map[string]any{"url": "https://a.example/", "status": 206},
			"https://a.example, 206, , , , 0", facts.FlagHTTPHead | facts.FlagBodyCut, "body_cut",
		},
		"the body of no bytes": {
			map[string]any{"url": "https://a.example/", "status": 200, "digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"},
			"https://a.example, 200, , , , 0", facts.FlagHTTPHead, "",
		},
		"another digest": {
			map[string]any{"url": "https://a.example/", "body": rules, "sha1": "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"},
			"https://a.example, -1, , , , 26", facts.FlagDigestMismatch, "digest_mismatch",
		},
		"too long": {
			map[string]any{"url": "https://a.example/", "status": 200, "body": long},
			fmt.Sprintf("https://a.example, 200, , , , %d", httpmsg.MaxBody), facts.FlagHTTPHead | facts.FlagBodyCut, "body_cut",
		},
		"no answer":            {map[string]any{"host": "a.example", "error": "timed out"}, "", 0, ""},
		"no answer, by a text": {map[string]any{"host": "a.example", "error": "timed out", "body": ""}, "", 0, ""},
		"nothing":              {map[string]any{"host": "a.example"}, "", 0, "bad_index_row"},
		"words for nothing": {
			map[string]any{"host": "a.example", "status": "404 Not Found", "error": "None", "agent": "nan", "body": "NA"},
			"https://a.example http://a.example, 404, , , , 2", facts.FlagHTTPHead, "",
		},
		"a status with its words": {
			map[string]any{"host": "a.example", "status": "HTTP/1.1 503 Busy", "body": "busy"},
			"https://a.example http://a.example, 503, , , , 4", facts.FlagHTTPHead, "",
		},
		"no status": {map[string]any{"host": "a.example", "status": "ok", "body": rules}, "", 0, "bad_index_row"},
		"an unreadable time": {
			map[string]any{"url": "https://a.example", "body": rules, "time": "05/01/2024"},
			"https://a.example, -1, , , , 26", 0, "bad_index_row",
		},
		"an early time": {
			map[string]any{"url": "https://a.example", "body": rules, "time": "1970-01-20T12:00:00Z"},
			"https://a.example, -1, , , , 26", 0, "bad_date",
		},
		"two names": {map[string]any{"host": "a.example", "body": rules, "Content": ""}, "", 0, "bad_index_row"},
		"two names, of which one has no value": {
			map[string]any{"url": "https://a.example", "body": rules, "content": nil}, "https://a.example, -1, , , , 26", 0, "",
		},
		"no such status": {map[string]any{"host": "a.example", "status": -3}, "", 0, ""},
		"a page":         {map[string]any{"url": "https://a.example/x", "status": 200}, "", 0, "no_target_uri"},
		"a query":        {map[string]any{"url": "https://a.example/robots.txt?x", "status": 200}, "", 0, "no_target_uri"},
		"another scheme": {map[string]any{"url": "dns:a.example", "status": 200}, "", 0, "no_target_uri"},
		"no host":        {map[string]any{"host": "a b/c", "status": 200}, "", 0, "no_target_uri"},
	} {
		if c.row["time"] == nil {
			c.row["time"] = "2024-05-01T12:00:00Z"
		}
		row, err := json.Marshal(c.row)
		if err != nil {
			t.Fatal(err)
		}
		got := readRobots(t, row)
		var origins, issues []string
		text := ""
		for i, x := range got.captures {
			origins = append(origins, x.Origin)
			text = fmt.Sprintf("%s, %d, %s, %s, %s, %d", strings.Join(origins, " "), x.Status, x.Location, x.MIMEType, x.UserAgent,
				len(got.bodies[i]))
			if x.Flags != c.flags|facts.FlagBodyKept || x.Trust != facts.TrustListed || x.Type != facts.TypeRow {
				t.Errorf("%s: flags %b, want %b; %v, %v", name, x.Flags, c.flags|facts.FlagBodyKept, x.Trust, x.Type)
			}
		}
		for _, i := range got.issues {
			issues = append(issues, i.Kind.String())
		}
		if text != c.want || strings.Join(issues, " ") != c.issues || len(got.fetches) > 0 {
			t.Errorf("%s: %q, want %q; %v, %d fetches", name, text, c.want, got.issues, len(got.fetches))
		}
	}
}

// TestSpoiltBodies: what programs make of a body in a table is an issue, and never a file without rules.
func TestSpoiltBodies(t *testing.T) {
	const rules = "User-agent: *\nDisallow: /\n"
	for body, spoilt := range map[string]bool{
		rules: false, "": false, "ok": false, "Sitemap: https://a.example/s.xml": false, "Disallow": false, "# b'": false,
		"b'User-agent: *\nDisallow: /'": true, `b"User-agent: *\nDisallow: /\n"`: true, `User-agent: *\nDisallow: /`: true,
		`"User-agent: *\r\nDisallow: /"`: true, "User-agent%3A%20*%0ADisallow%3A%20%2F": true,
		base64.StdEncoding.EncodeToString([]byte(rules)):    true,
		base64.RawURLEncoding.EncodeToString([]byte(rules)): true,
		`\x` + hex.EncodeToString([]byte(rules)):            true,
		"H4sIAAAAAAAAAwtOLErO0E1MT80r0lXQUgAAqGhPZg8AAAA=":  true,
		"nan": true, "NULL": true, "None": true, "N/A\n": true, "abcdefghijklmnopqrstuvwxyz012345": false,
	} {
		for _, status := range []int{200, 404} {
			row, err := json.Marshal(map[string]any{"url": "https://a.example/", "time": "2024-05-01", "status": status, "body": body})
			if err != nil {
				t.Fatal(err)
			}
			got := readRobots(t, row)
			is := len(got.captures) == 1 && got.captures[0].Flags&facts.FlagUndecodable != 0
			want := spoilt && status == 200
			if is != want || (got.result.Lossy == 1) != want || len(got.captures) != 1 {
				t.Errorf("%q, %d: %t, want %t; %v", body, status, is, want, got.issues)
			}
		}
	}
}

// FuzzRobotsTable reads any bytes as a table of robots.txt: nothing is made of them but captures of a robots.txt.
func FuzzRobotsTable(f *testing.F) {
	f.Add([]byte("host,time,status,body\na.example,2024-05-01,200,\"User-agent: *\nDisallow: /\"\n"))
	f.Add([]byte(`{"url":"https://h/robots.txt","time":"2024","body_b64":"AA==","headers":{"a":[1,{"b":null}]},"sha1":"x"}`))
	f.Add([]byte("{\"host\":\"[::1]:99999\",\"date\":\"0001-01-01\",\"status\":99999,\"body\":\"\\ud800\"}\n[]\n{\n"))
	f.Add([]byte("PAR1\x00\x00\x00\x00\x04\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, table []byte) {
		got := readRobots(t, table)
		for i, c := range got.captures {
			if c.Origin == "" || !strings.HasSuffix(c.URL, "/robots.txt") || c.Trust != facts.TrustListed || c.Index < 1 ||
				len(got.bodies[i]) > httpmsg.MaxBody {
				t.Errorf("%+v", c)
			}
		}
		if len(got.fetches)+len(got.events) > 0 {
			t.Errorf("%d fetches, %d events", len(got.fetches), len(got.events))
		}
	})
}
