package reading

import (
	"fmt"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// TestRunOrder: the order of records shows nothing if they were sorted in another way. Captures of
// robots.txt do not count: it is their order that is asked about.
func TestRunOrder(t *testing.T) {
	page := func(n int, date string) warctest.Record {
		r := warctest.Response(fmt.Sprintf("urn:%d", n), fmt.Sprintf("http://h/%d", n), ok200)
		r.Date = "2024-05-01T" + date + "Z"
		return r
	}
	robots := func(date string) warctest.Record {
		r := page(99, date)
		r.URL = "http://h/robots.txt"
		return r
	}
	for name, c := range map[string]struct {
		records []warctest.Record
		want    bool
	}{
		"in order": {
			[]warctest.Record{page(1, "12:00:00"), page(2, "12:00:01"), page(3, "12:00:01")},
			false,
		},
		"robots.txt late": {[]warctest.Record{
			page(1, "12:00:02"), page(2, "12:00:03"), robots("12:00:00"),
			page(3, "12:00:04"),
		}, false},
		"two back": {
			[]warctest.Record{page(1, "12:00:05"), page(2, "12:00:03"), page(3, "12:00:00")},
			false,
		},
		"three back": {[]warctest.Record{
			page(1, "12:00:05"), page(2, "12:00:03"), page(3, "12:00:02"),
			page(4, "12:00:00"),
		}, true},
		"ten minutes back":      {[]warctest.Record{page(1, "12:10:00"), page(2, "12:00:00")}, false},
		"more than ten minutes": {[]warctest.Record{page(1, "12:10:01"), page(2, "12:00:00")}, true},
	} {
		got := read(t, warctest.Plain(c.records...))
		if runs := got.result.Runs; len(runs) != 1 || runs[0].Unordered != c.want {
			t.Errorf("%s: %+v", name, runs)
		}
	}
}

// TestCrawlRuns: a run is a warcinfo record, or a file without one.
func TestCrawlRuns(t *testing.T) {
	in := func(id string) warctest.Record {
		r := warctest.Response("urn:"+id, "http://h/"+id, ok200)
		if id != "x" {
			r.Fields = []string{"WARC-Warcinfo-ID: <urn:" + id + ">"}
		}
		return r
	}
	info := func(id, text string) warctest.Record { return warctest.Warcinfo("urn:"+id, text) }
	got := read(t, warctest.Plain(
		in("x"), info("a", "software: Wget/1.21\r\noperator: x\r\n"), in("x"), in("a"), info("b",
			"software: Wget/1.21\r\n"), in("x"), in("a"), in("far")))
	var numbers []int32
	for _, f := range got.fetches {
		numbers = append(numbers, f.Run)
	}
	equal(t, "numbers", numbers, []int32{1, 2, 2, 3, 2, 4})
	var ids []string
	for _, r := range got.result.Runs {
		ids = append(ids, r.ID.String())
	}
	equal(t, "IDs", ids, []string{"", "urn:a", "urn:b", "urn:far"})
	if n := len(got.result.Runs[1].Fields); n != 2 || got.result.Runs[2].Fields != nil {
		t.Errorf("%+v", got.result.Runs)
	}
}
