package stages_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/stages"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
)

// skewed are archives of 3,600 fetches. Every other one is of one host: revisits of what was got
// minutes before, by three crawlers, under several robots.txt.
func skewed(t *testing.T) string {
	t.Helper()
	const most = 3600
	start := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	archives := make([]bytes.Buffer, 3)
	add := func(second int, agent string, r warctest.Record) {
		out := &archives[second%len(archives)]
		host, _, _ := strings.Cut(strings.TrimPrefix(r.URL, "http://"), "/")
		q := warctest.Request("", r.URL, agent, "WARC-Concurrent-To: <"+r.ID+">")
		q.Block = strings.Replace(q.Block, "Host: h", "Host: "+host, 1)
		for _, r := range []warctest.Record{q, r} {
			date := start.Add(time.Duration(second) * time.Second).Format(time.RFC3339)
			out.WriteString(strings.Replace(r.String(), start.Format(time.RFC3339), date, 1))
		}
	}
	for i := range most {
		agent := []string{"OneBot/1", "OneBot/1", "OtherBot/1", "CCBot/2.0"}[i/2%4]
		host, n := "large", i/2
		if i%2 == 1 {
			host = fmt.Sprintf("h%d", i%60)
		}
		id := fmt.Sprintf("urn:%d", i)
		if i%600 == 0 {
			rules := fmt.Sprintf("User-agent: *\nDisallow: /1\nCrawl-delay: %d\n\nUser-agent: GPTBot\nDisallow: /%d\n",
				3+i%7, i/600)
			add(i, agent, warctest.Response(id, "http://large/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"+rules))
			continue
		}
		url := fmt.Sprintf("http://%s/%d/%0400d", host, n%3, n%300) // long: of few rows is a frame
		digest := "WARC-Payload-Digest: sha1:" + strings.Repeat(string(rune('A'+n%300%26)), 32)
		page := warctest.Response(id, url,
			fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: max-snippet:%d\r\n\r\n%d", n,
				n), digest)
		if n >= 300 && n%2 == 0 {
			page.Type, page.Block = "revisit", ""
			page.Fields = append(page.Fields,
				"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
		}
		add(i, agent, page)
		if i%50 == 0 { // the same record
			add(i+3, agent, page)
		}
	}
	dir := t.TempDir()
	for i := range archives {
		write(t, filepath.Join(dir, fmt.Sprintf("%d.warc", i)), archives[i].Bytes())
	}
	return dir
}

// TestSkew: a host with half of all fetches is divided among ranges, which are about equally large, and
// the tables equal the tables of one process.
func TestSkew(t *testing.T) {
	t.Parallel()
	dir := skewed(t)
	one := audittest.Audit(t, everything(), dir)
	want := tables(t, one)
	ranges := map[int][]int{1: {7}, 3: {2}}
	if longtest.Run() {
		ranges = map[int][]int{1: {1, 7}, 3: {2, 128}}
	}
	for shards, divided := range ranges {
		s := planned(t, filepath.Join(t.TempDir(), "facts"), shards, everything(), dir)
		s.ingested(1)
		var audit *report.Audit
		for _, ranges := range divided {
			s.into(filepath.Join(t.TempDir(), "out"))
			what := fmt.Sprintf("%d shards, %d ranges", shards, ranges)
			fetches, longest := int64(0), int64(0)
			for n := range ranges {
				c := must(stages.Decide(t.Context(), s.facts, s.out, s.plan, n, ranges, nil))(t)
				fetches += c.Fetches
				longest = max(longest, c.Fetches)
			}
			if average := fetches / int64(ranges); ranges < 10 && longest > average*5/4 {
				t.Errorf("%s: of %d fetches the longest range has %d", what, fetches, longest)
			}
			done := must(stages.Finish(t.Context(), s.facts, s.out, s.plan))(t)
			compare(t, what, one, s.folder, want)
			if done.Facts = nil; audit == nil {
				audit = done.Audit
			} else if !reflect.DeepEqual(done.Audit, audit) {
				t.Errorf("%s: audit.json is\n%+v\nwant\n%+v", what, done.Audit, audit)
			}
		}
	}
	for _, name := range []string{"robots_agents", "violations", "page_tags"} {
		if len(want[name]) < 10 {
			t.Errorf("%d rows of %s", len(want[name]), name)
		}
	}
}
