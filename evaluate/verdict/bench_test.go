package verdict

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/parsed"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/pack"
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
	store, ref := storeOf(b, body)
	d := NewDecider(nil, parsed.NewCache(store, robots.RFC9309), crawler.NewNames("", nil), new(crawler.Software))
	w := &WhatIf{
		Tokens: tokens, Verdict: func(*GroupVerdict) error { return nil },
		Asker: func(int64, int, string) error { return nil },
	}
	const start = 1_700_000_000_000_000
	var states []*State
	for i := range 5 {
		st := &State{
			State: resolve.State{Outcome: words.OutcomeRules, HasBody: true}, ID: int64(i + 1),
			agent: "ExampleBot", key: "examplebot",
		}
		st.BodyDigest, st.BodyOffset, st.BodySize = string(ref.Digest[:]), ref.Offset, ref.Size
		st.Micros, st.Precision = start+int64(i)*facts.Hour, facts.PrecisionSecond
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
	var tl *Timeline
	var r Finding
	for b.Loop() {
		i := n % len(fetches)
		if i == 0 {
			tl = newTimeline(&Found{Captures: capturesOf(d, states)})
			w.NewOrigin(d)
		}
		err := d.DecideFetch(&r, &fetches[i], tl)
		if err == nil && tokens != nil {
			err = w.DecideGroups(&r)
		}
		if err != nil || r.Verdict == words.Unknown {
			b.Fatal(r.Verdict, err)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "fetches/s")
}

// storeOf holds one body.
func storeOf(tb testing.TB, body []byte) (*facts.Reader, pack.Ref) {
	tb.Helper()
	store, err := facts.NewReader(new(facts.Set), tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { store.Close() })
	path := filepath.Join(tb.TempDir(), "bodies.pack")
	bodies, err := pack.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	ref, err := bodies.Put(body)
	if err := errors.Join(err, bodies.Close()); err != nil {
		tb.Fatal(err)
	}
	if _, err := store.AddPack(path); err != nil {
		tb.Fatal(err)
	}
	return store, ref
}

func capturesOf(d *Decider, states []*State) *Captures {
	c := d.NewCaptures()
	for _, st := range states {
		c.Add(st)
	}
	return c
}
