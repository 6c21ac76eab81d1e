package evaluate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// largeOrigin are archives with most fetches in one origin: the verdict on each depends on the
// earlier ones.
func largeOrigin() []archive {
	const agents = "User-agent: *\nCrawl-delay: 10\nDisallow: /no\n"
	robots := func(at, ua, body string) rec {
		return rec{url: "http://a.example/robots.txt", at: at, ua: ua, body: body}
	}
	refused := robots("+200s", "", "")
	refused.status = "403 no"
	first := archive{
		robots("-2d", "", agents), robots("-10m", "OtherBot/1.0", "User-agent: GPTBot\nDisallow: /\n"+agents), refused,
		robots("+90s", "", "User-agent: *\nRequest-rate: 1/4\nDisallow: /no\nUser-agent: CCBot\nAllow: /\nCrawl-delay: 86400"),
		rec{
			url: "http://a.example/.well-known/tdmrep.json", at: "+0s",
			body: `[{"location": "/1*", "tdm-reservation": 1}]`,
		},
		rec{
			url: "http://a.example/robots.txt", at: "+100s", ua: "CCBot/2.0",
			body: agents + "User-agent: GPTBot\nDisallow: /1\n",
		},
	}
	second := archive{rec{typ: "warcinfo", body: "software: x"}}
	for i := range 120 {
		at := fmt.Sprintf("+%ds", 3*i)
		url := fmt.Sprintf("http://a.example/%d", i%40)
		if i%7 == 0 {
			url = fmt.Sprintf("http://a.example/no/%d", i)
		}
		r := html(url, at, fmt.Sprint(i), fmt.Sprintf("X-Robots-Tag: max-snippet:%d", i))
		r.warc = []string{payloadDigest(fmt.Sprint("page ", i%40))}
		r.ua = []string{"", "OtherBot/1.0", "CCBot/2.0 (x)", ""}[i%4]
		switch before := fmt.Sprintf("+%ds", 3*(i-40)); {
		case i >= 40 && i%3 == 0: // by its digest
			r = revisit(rec{url: url, at: at, ua: r.ua, warc: r.warc}, identical)
		case i >= 40 && i%3 == 1: // by its date
			r = revisit(rec{url: url, at: at, ua: r.ua}, identical, "WARC-Refers-To-Target-URI: "+url,
				"WARC-Refers-To-Date: "+rec{at: before}.date())
		case i >= 80:
			r = rec{url: url, at: at, ua: r.ua, status: "304 x"}
		}
		first = append(first, r)
		if i%5 == 0 {
			second = append(second, r) // the same record
		}
		if i%11 == 0 { // another of its second, and one without an id in both archives
			other, unnamed := r, rec{url: url, at: at, id: "-", ua: "-"}
			other.body += "x"
			first, second = append(first, unnamed), append(second, unnamed, other)
		}
	}
	first = append(first, rec{url: "http://a.example/undated", at: "none"},
		rec{url: "http://a.example/day", at: "2024-05-01"})
	for i := range 12 {
		for _, origin := range []string{"https://a.example", fmt.Sprintf("http://h%d.example", i)} {
			second = append(second, rec{url: origin + "/robots.txt", at: "-1h", body: agents},
				rec{url: origin + "/no", at: fmt.Sprintf("+%ds", i)},
				rec{url: origin + "/x", at: fmt.Sprintf("+%ds", 20+i)})
		}
	}
	return []archive{first, second}
}

// dividedFacts are the facts of largeOrigin, of an index that lists some of its fetches and others, and
// of a log.
func dividedFacts(t *testing.T) *Facts {
	t.Helper()
	in, out := t.TempDir(), t.TempDir()
	var paths []string
	add := func(name string, content []byte) {
		paths = append(paths, filepath.Join(in, name))
		if err := os.WriteFile(paths[len(paths)-1], content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var rows []byte
	for i, a := range largeOrigin() {
		content := a.bytes()
		add(fmt.Sprintf("%d.warc", i), content)
		for n, url := range []string{"http://a.example/undated", "http://a.example/day"} {
			// rows of records whose dates are coarser
			at := bytes.LastIndex(content, []byte("WARC-Target-URI: "+url+"\r\n"))
			if at < 0 {
				continue
			}
			row := warctest.CDXJLine{
				Key: "a)/", Time: noon.Add(time.Duration(177+n) * time.Second), URL: url,
				Status: "200", Offset: int64(bytes.LastIndex(content[:at], []byte("WARC/1."))), Length: 9,
				Filename: "0.warc",
			}
			rows = row.Append(rows)
		}
	}
	for i := range 60 {
		row := warctest.CDXJLine{
			Key: "a)/", Time: noon.Add(time.Duration(6*i) * time.Second),
			URL: fmt.Sprintf("http://a.example/%d", 2*i%40), Status: "200",
			Digest: strings.TrimPrefix(payloadDigest(fmt.Sprint("page ", 2*i%40)), "WARC-Payload-Digest: sha1:"),
			Offset: int64(i), Length: 9, Filename: "x.warc",
		}
		rows = row.Append(rows)
	}
	add("index.cdxj", rows)
	add("crawl.log", crawlLog(logged{"http://h1.example/x", "+1s", "-9998"},
		logged{"http://a.example/y", "+150s", "-61"}, logged{"http://a.example/y", "+150s", "-61"}))
	ingestFiles(t, out, paths)
	return openFacts(t, out)
}

// allCuts are all cuts of facts at which ranges may begin: before each second of an origin but the first.
func allCuts(t *testing.T, set *Facts, opt DecideOptions) []Cut {
	t.Helper()
	r, err := Resolve(t.Context(), set, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	last := int64(0)
	for f, err := range r.store.Fetches(t.Context(), facts.Buckets{}) {
		if err != nil {
			t.Fatal(err)
		}
		if f.IsIndexed() && f.Archive == "0.warc" {
			t.Errorf("%s, of a coarse date, counts twice", f.URL)
		}
		cut, second := facts.PlaceOf(f).Cut(), f.Micros-f.Micros%1e6
		switch n := len(r.cuts); {
		case n == 0 || r.cuts[n-1].Origin() != cut:
		case second > last:
			cut.Micros = second
		default:
			continue
		}
		last = second
		r.cuts = append(r.cuts, cut)
	}
	if err := r.keepWhole(t.Context()); err != nil {
		t.Fatal(err)
	}
	return slices.Concat([]Cut{r.Cut(0, 1)}, slices.Compact(r.cuts), []Cut{r.Cut(1, 1)})
}

// TestRangesAmidOrigins: the results of ranges between any cuts equal the results of one range.
func TestRangesAmidOrigins(t *testing.T) {
	t.Parallel()
	sets, counts := map[string]*Facts{"made": dividedFacts(t)}, []int{7}
	if longtest.Run() {
		counts = []int{1, 7, 128}
		for _, dir := range corpora(t) {
			sets[dir] = factsOf(t, dir)
		}
	}
	opt := askAll(t)
	asOf := opt
	asOf.AsOf, asOf.Crawler, asOf.CrawlerMap = AsOfMoment(noon.Add(100*time.Second)), "TestBot", nil
	for name, set := range sets {
		all := allCuts(t, set, opt)
		inside := 0
		for _, c := range all {
			if c.IsInside() {
				inside++
			}
		}
		if inside < 40 {
			t.Fatalf("%s: %d of %d cuts are inside of an origin", name, inside, len(all))
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for _, n := range counts {
			for _, opt := range []DecideOptions{opt, asOf} {
				cuts := []Cut{all[0], all[len(all)-1]}
				for range n - 1 {
					cuts = append(cuts, all[rng.IntN(len(all))]) // some ranges are empty
				}
				slices.SortFunc(cuts, Cut.Compare)
				checkCuts(t, name, set, opt, cuts)
			}
		}
	}
	if !longtest.Run() {
		return
	}
	checkCuts(t, "every second apart", sets["made"], opt, allCuts(t, sets["made"], opt))
}

func checkCuts(t *testing.T, name string, set *Facts, opt DecideOptions, cuts []Cut) {
	t.Helper()
	want := plainRecorder{newRecorder()}
	total := runInto(t, set, opt, want)
	got, sum := decideRanges(t, set, opt, cuts)
	if !slices.Equal(got, want.calls) {
		t.Errorf("%s, %d ranges: %s", name, len(cuts)-1, firstDifference(got, want.calls))
	}
	sum.agents, sum.issues, sum.used = total.agents, total.issues, total.used
	if !reflect.DeepEqual(sum, total) {
		t.Errorf("%s, %d ranges: totals\n%+v\nwant\n%+v", name, len(cuts)-1, sum, total)
	}
}

// TestCutsKeepExclusions: an origin with exclusions in a log is not divided.
func TestCutsKeepExclusions(t *testing.T) {
	t.Parallel()
	set := dividedFacts(t)
	_, totals := evaluateFacts(t, set, DecideOptions{})
	if totals.Exclusions != 1 || totals.Joined == 0 || totals.Duplicates == 0 {
		t.Errorf("%+v", totals)
	}
	for _, c := range allCuts(t, set, DecideOptions{}) {
		if c.IsInside() && c.Place.Origin == "http://h1.example" {
			t.Errorf("%+v", c)
		}
	}
}

// TestCutForgetsAlike: where an origin has more records than are remembered, a range that goes on with it knows
// those that one range knows.
func TestCutForgetsAlike(t *testing.T) {
	t.Parallel()
	if !longtest.Run() {
		t.Skip("65,536 records")
	}
	const records = 1<<16 + 2 // as many as are remembered, and two that are not
	var a archive
	a = append(a, rec{url: "http://a.example/robots.txt", at: "+0s", body: "User-agent: *\nCrawl-delay: 10\n"})
	for i := range records {
		r := html(fmt.Sprintf("http://a.example/%05x", i), fmt.Sprintf("+%ds", i), "",
			fmt.Sprintf("X-Robots-Tag: max-snippet:%d", i))
		r.warc, r.ua = []string{payloadDigest(fmt.Sprint(i))}, "-"
		a = append(a, r)
	}
	for i := range 4 { // the first two of these are forgotten
		r := revisit(rec{url: a[1+i].url, at: fmt.Sprintf("+%ds", records), warc: a[1+i].warc, ua: "-"}, identical)
		a = append(a, r)
	}
	set := makeFacts(t, 1, a)
	s := pageRecorder{newRecorder(), make(map[string]string)}
	runInto(t, set, DecideOptions{}, &s)
	known := 0
	for _, r := range a[records+1 : records+5] {
		if strings.Contains(s.pages[r.recordID()], "from=original") {
			known++
		}
	}
	if known != 2 {
		t.Errorf("%d originals known, want 2", known)
	}
	cuts := allCuts(t, set, DecideOptions{})
	cuts = slices.DeleteFunc(cuts, func(c Cut) bool {
		second := (c.Micros - noon.UnixMicro()) / 1e6
		return c.IsInside() && second != records && second != 30000
	})
	checkCuts(t, "many", set, DecideOptions{}, cuts)
}
