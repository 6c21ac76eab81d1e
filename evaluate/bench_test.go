package evaluate

import (
	"fmt"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// BenchmarkDecide decides the fetches of one origin after the other, a thousand each,
// by a file that names thirty crawlers: for their own token, and for 166 others.
func BenchmarkDecide(b *testing.B) {
	var body []byte
	var tokens []string
	for i := range 166 {
		tokens = append(tokens, fmt.Sprintf("Crawler%c%cBot", 'A'+i%26, 'A'+i/26))
	}
	for i := range 30 {
		body = fmt.Appendf(body, "User-agent: %s\nDisallow: /p/%d\n\n", tokens[i], i%4)
		if i%3 == 0 {
			body = fmt.Appendf(body, "User-agent: %s\n", tokens[100+i])
		}
	}
	body = append(body, "User-agent: *\nDisallow: /p/5/\nDisallow: /*.pdf$\nAllow: /p/1\nCrawl-delay: 2\n"...)
	for _, what := range []struct {
		name   string
		tokens []string
	}{{"own token", nil}, {"166 tokens", tokens}} {
		b.Run(what.name, func(b *testing.B) { benchmarkDecide(b, body, what.tokens) })
	}
}

func benchmarkDecide(b *testing.B, body []byte, tokens []string) {
	files := newFileCache(nil, robots.RFC9309)
	files.files["digest"] = &parsedFile{File: robots.Parse(body, robots.RFC9309)}
	d := &decider{files: files, naming: newNaming(&Options{})}
	w := &whatIf{decider: d, tokens: DistinctTokens(tokens), sink: NoSink{}}
	const start = 1_700_000_000_000_000
	var states []*State
	for i := range 5 {
		st := &State{
			State: resolve.State{Outcome: words.OutcomeRules, HasBody: true}, ID: int64(i + 1),
			agent: "ExampleBot", key: "examplebot",
		}
		st.BodyDigest, st.Micros, st.Precision = "digest", start+int64(i)*facts.Hour, facts.PrecisionSecond
		st.Index, st.Coarsest = int64(1+i*360), facts.PrecisionSecond
		st.ApplyAt(&st.Fetch)
		states = append(states, st)
	}
	fetches := make([]facts.Fetch, 1000)
	for i := range fetches {
		fetches[i] = facts.Fetch{
			URL: fmt.Sprintf("http://www.example.com/p/%d/%d.html?a=%d", i%7, i*7919, i), Method: "GET",
			Micros:    start + int64(i)*1e7,
			Precision: facts.PrecisionSecond, Index: int64(2 + i),
			UserAgent:       "Mozilla/5.0 (compatible; ExampleBot/1.0; +http://example.com/bot)",
			UserAgentSource: facts.SourceRequest,
		}
	}
	b.ReportAllocs()
	n := 0
	var tl *timeline
	var r Result
	for b.Loop() {
		i := n % len(fetches)
		if i == 0 {
			tl = newTimeline(states, nil)
			w.newOrigin()
		}
		err := d.decide(&r, &fetches[i], tl)
		if err == nil && tokens != nil {
			err = w.decide(&r, tl)
		}
		if err != nil || r.Verdict == Unknown {
			b.Fatal(r.Verdict, err)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "fetches/s")
}
