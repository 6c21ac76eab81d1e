package cdx

import (
	"bytes"
	"encoding/base64"
	"math"
	"strings"
	"testing"
	"time"
)

// TestRobotsTables: a capture of robots.txt is the same row in every form of a table.
func TestRobotsTables(t *testing.T) {
	type row struct {
		URL    string    `parquet:"url"`
		Time   time.Time `parquet:"fetched_at,timestamp(microsecond)"`
		Status float64   `parquet:"status"` // as pandas has it
		Body   *[]byte   `parquet:"body,optional"`
	}
	type named struct {
		Domain string  `parquet:"Domain"`
		Date   string  `parquet:"crawl_date"`
		Body   *string `parquet:"robots_txt_b64,optional"`
	}
	const rules = "User-agent: *\nDisallow: /\n"
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	encoded := base64.StdEncoding.EncodeToString([]byte(rules))
	empty := []byte{}
	for name, c := range map[string]struct {
		table []byte
		want  Row // of these fields
	}{
		"CSV": {
			[]byte("url,observed,http_status,body,user_agent\nhttps://h/robots.txt,2024-05-01,200.0,\"" + rules + "\",bot\n"),
			Row{URL: "https://h/robots.txt", Status: 200, Agent: "bot", Robots: Robots{Body: rules, HasBody: true}},
		},
		"CSV, a dash is a body": {
			[]byte("host;date;text\nh;2024-05-01;-\n"),
			Row{Status: -1, Robots: Robots{Host: "h", Body: "-", HasBody: true}},
		},
		"CSV, an empty field": {
			[]byte("host\tdate\ttext\tstatus\nh\t2024-05-01\t\t404\n"), Row{Status: 404, Robots: Robots{Host: "h"}},
		},
		"JSON": {
			[]byte(`{"host":"h","observed":"2024-05-01","body_b64":"` + encoded + `","headers":{"A":["b"]},"error":"x"}`),
			Row{Status: -1, Robots: Robots{
				Host: "h", Body: rules, HasBody: true, Headers: `{"A":["b"]}`, Error: "x",
			}},
		},
		"JSON, an empty body": {
			[]byte(`{"host":"h","date":"2024-05-01","body":"","digest":"sha1:A"}`),
			Row{Status: -1, Digest: "sha1:A", Robots: Robots{Host: "h", HasBody: true}},
		},
		"JSON, no body": {
			[]byte(`{"host":"h","date":"2024-05-01","body":null,"status":500}`),
			Row{Status: 500, Robots: Robots{Host: "h"}},
		},
		"Parquet": {
			table(t, []row{{"https://h/robots.txt", at, 200, new([]byte(rules))}}),
			Row{URL: "https://h/robots.txt", Status: 200, Robots: Robots{Body: rules, HasBody: true}},
		},
		"Parquet, an empty body": {
			table(t, []row{{"https://h/robots.txt", at, math.NaN(), &empty}}),
			Row{URL: "https://h/robots.txt", Status: -1, Robots: Robots{HasBody: true}},
		},
		"Parquet, no body": {
			table(t, []row{{"https://h/robots.txt", at, 404, nil}}),
			Row{URL: "https://h/robots.txt", Status: 404},
		},
		"Parquet, base64": {
			table(t, []named{{"h", "2024-05-01T12:00:00Z", &encoded}}),
			Row{Status: -1, Robots: Robots{Host: "h", Body: rules, HasBody: true}},
		},
	} {
		rows, err := Open(RobotsList, bytes.NewReader(c.table), int64(len(c.table)), FormatOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got Row
		if err := rows.Next(&got); err != nil || rows.Format() != RobotsList {
			t.Errorf("%s: %v, %v", name, err, rows.Format())
		}
		c.want.Time, c.want.Micros, c.want.Line, c.want.At = got.Time, got.Micros, got.Line, got.At
		c.want.Offset, c.want.Length = -1, -1
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestBadRobotsTables: what is no table of robots.txt is refused, and what is no row is a fault.
func TestBadRobotsTables(t *testing.T) {
	type nested struct {
		Host    string            `parquet:"host"`
		Date    string            `parquet:"date"`
		Status  int32             `parquet:"status"`
		Headers map[string]string `parquet:"headers"`
	}
	type text struct {
		Host   string `parquet:"host"`
		Date   string `parquet:"date"`
		Status string `parquet:"status"`
	}
	long := strings.Repeat("x", maxRobotsRow)
	for name, c := range map[string]struct {
		table []byte
		want  string
	}{
		"no time":      {[]byte("host,status\nh,200\n"), "the column of times"},
		"no host":      {[]byte("date,status\n2024-05-01,200\n"), "the column of URLs or hosts"},
		"no body":      {[]byte("host,date\nh,2024-05-01\n"), "the column of bodies, of their digests or of statuses"},
		"two times":    {[]byte("host,date,time,status\nh,2024,2024,1\n"), "its columns date and time say the same: leave one out"},
		"two bodies":   {[]byte("host,date,body,body_b64\nh,2024,,\n"), "its columns body and body_b64 say the same: leave one out"},
		"no base64":    {[]byte("host,date,body_b64\nh,2024,!\n"), "its body is no base64"},
		"an array":     {[]byte(`{"host":"h","date":"2024","body":[1]}`), "a value is neither text nor a number"},
		"a long body":  {[]byte("host,date,body\nh,2024," + long + "\n"), "it is longer than 16777216 bytes"},
		"an open body": {[]byte("host,date,body\nh,2024,\"x\n\n"), "a quote opens in it and does not close: lines 2 to 3 are lost"},
		"nested":       {table(t, []nested{{"h", "2024", 200, nil}}), "its column headers has a type that is not read: group; the rows count without it"},
		"text":         {table(t, []text{{"h", "2024-05-01", "busy"}}), `its status "busy" is no status of HTTP`},
		"an archive":   {[]byte("WARC/1.0\r\n"), "it has none of the columns url,"},
		"nothing":      {nil, "it is empty, where a line should name its columns"},
	} {
		rows, err := Open(RobotsList, bytes.NewReader(c.table), int64(len(c.table)), FormatOptions{})
		if err == nil {
			err = rows.Next(new(Row))
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
