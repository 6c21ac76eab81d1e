package evaluate

import (
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

const browserAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"

func TestCrawlerOf(t *testing.T) {
	byMap := CrawlerMap{
		{Pattern: "mozilla/5.0 (X11;*Safari/537.36", Token: "Browsertrix"},
		{Pattern: "", Token: "SilentBot"},
		{Pattern: "Wget/*", Token: ""},
		{Pattern: "Examplebot/*", Token: "examplebot"},
		{Pattern: "ExampleBot/*", Token: "Late"},
	}
	for _, c := range []struct {
		name, ua string
		from     facts.Source
		opt      Options
		want     crawler
	}{
		{
			"request", "CCBot/2.0 (https://commoncrawl.org/faq/)", facts.SourceRequest,
			Options{},
			crawler{token: "CCBot", source: words.AgentFromRequest},
		},
		{
			"warcinfo", "CCBot/2.0", facts.SourceWarcinfo,
			Options{},
			crawler{token: "CCBot", source: words.AgentFromWarcinfo},
		},
		{"browser", browserAgent, facts.SourceRequest, Options{}, crawler{}},
		{"none", "", 0, Options{}, crawler{}},
		{
			"two", "ExampleBot/1.0 (compatible; Googlebot/2.1)", facts.SourceRequest,
			Options{},
			crawler{
				token: "ExampleBot", other: "Googlebot", source: words.AgentFromRequest,
				notes: words.NoteAmbiguousToken,
			},
		},
		{
			"two, warcinfo", "ExampleBot/1.0 (compatible; Googlebot/2.1)", facts.SourceWarcinfo,
			Options{},
			crawler{
				token: "ExampleBot", other: "Googlebot", source: words.AgentFromWarcinfo,
				notes: words.NoteAmbiguousToken,
			},
		},

		{
			"option", "CCBot/2.0", facts.SourceRequest,
			Options{Crawler: "ccbot"},
			crawler{token: "ccbot", source: words.AgentFromOption},
		},
		{
			"option, other name", "CCBot/2.0", facts.SourceRequest,
			Options{Crawler: "GPTBot"},
			crawler{token: "GPTBot", source: words.AgentFromOption, notes: words.NoteTokenByOption},
		},
		{
			"option, no User-Agent", "", 0,
			Options{Crawler: "GPTBot"},
			crawler{token: "GPTBot", source: words.AgentFromOption},
		},
		{
			"option settles two", "ExampleBot/1.0 (compatible; Googlebot/2.1)", facts.SourceRequest,
			Options{Crawler: "Googlebot"},
			crawler{token: "Googlebot", source: words.AgentFromOption},
		},
		{
			"option before map", "", 0,
			Options{Crawler: "GPTBot", CrawlerMap: byMap},
			crawler{token: "GPTBot", source: words.AgentFromOption},
		},

		{
			"map", browserAgent, facts.SourceRequest,
			Options{CrawlerMap: byMap},
			crawler{token: "Browsertrix", source: words.AgentFromOption, notes: words.NoteTokenByOption},
		},
		{
			"map, no User-Agent", "", 0,
			Options{CrawlerMap: byMap},
			crawler{token: "SilentBot", source: words.AgentFromOption},
		},
		{"map, no token", "Wget/1.21", facts.SourceRequest, Options{CrawlerMap: byMap}, crawler{}},
		{
			"map, first rule", "ExampleBot/1.0 (compatible; Googlebot/2.1)", facts.SourceWarcinfo,
			Options{CrawlerMap: byMap},
			crawler{token: "examplebot", source: words.AgentFromOption},
		},
		{
			"map, no rule", "CCBot/2.0", facts.SourceRequest,
			Options{CrawlerMap: byMap},
			crawler{token: "CCBot", source: words.AgentFromRequest},
		},
	} {
		d := &decider{naming: newNaming(&c.opt)}
		f := &facts.Fetch{UserAgent: c.ua, UserAgentSource: c.from}
		d.crawlerOf(&facts.Fetch{UserAgent: "Other/1.0", UserAgentSource: facts.SourceWarcinfo})
		for range 2 {
			got := d.crawlerOf(f)
			if got.software = (robots.Crawler{}); got != c.want { // TestCrawlerOf of package robots has that
				t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
			}
		}
		if token, source := d.agentOf(f); token != c.want.token || source != c.want.source {
			t.Errorf("%s: %s, %v", c.name, token, source)
		}
	}
}

// Rules that give no fetch its token are reported, whether they match nothing or follow
// others that match the same.
func TestIdleRules(t *testing.T) {
	late, never := CrawlerRule{Pattern: "ccbot/2*", Token: "B"}, CrawlerRule{Pattern: "", Token: "C"}
	d := &decider{naming: newNaming(&Options{CrawlerMap: CrawlerMap{{Pattern: "CCBot*", Token: "A"}, late, never}})}
	d.crawlerOf(&facts.Fetch{UserAgent: "CCBot/2.0"})
	if got := d.naming.mapped.without(d.naming.used); !slices.Equal(got, CrawlerMap{late, never}) {
		t.Errorf("idle: %v", got)
	}
	d.crawlerOf(&facts.Fetch{})
	if got := d.naming.mapped.without(d.naming.used); !slices.Equal(got, CrawlerMap{late}) {
		t.Errorf("idle: %v", got)
	}
}

// Telling crawlers apart costs no allocation, as long as they are few.
func TestCrawlerOfAllocations(t *testing.T) {
	d := &decider{naming: newNaming(&Options{CrawlerMap: CrawlerMap{{Pattern: "*bot*", Token: "Bot"}}})}
	fetches := []*facts.Fetch{{UserAgent: browserAgent}, {UserAgent: "CCBot/2.0"}, {UserAgent: ""}}
	ask := func() {
		for _, f := range fetches {
			d.crawlerOf(f)
		}
	}
	if n := testing.AllocsPerRun(100, ask); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestCrawlerRule(t *testing.T) {
	for _, c := range []struct {
		pattern, ua string
		want        bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "anything", true},
		{"abc", "ABC", true},
		{"abc", "abcd", false},
		{"abc*", "abcd", true},
		{"*abc", "xabc", true},
		{"*abc", "abcx", false},
		{"a*a", "a", false},
		{"a*a", "aa", true},
		{"a*b*c", "a b b c", true},
		{"a*b*c", "a c b", false},
		{"*b*b*", "b", false},
		{"**", "x", true},
		{"a?c", "abc", false},
	} {
		if got := (CrawlerRule{Pattern: c.pattern}).matches(c.ua); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.ua, got)
		}
	}
	if got := (CrawlerRule{}).String(); got != "- => -" {
		t.Error(got)
	}
}
