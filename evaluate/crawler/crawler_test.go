package crawler

import (
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

const browserAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"

func TestNames(t *testing.T) {
	type options struct {
		own    string
		mapped Map
	}
	byMap := Map{
		{Pattern: "mozilla/5.0 (X11;*Safari/537.36", Token: "Browsertrix"},
		{Pattern: "", Token: "SilentBot"},
		{Pattern: "Wget/*", Token: ""},
		{Pattern: "Examplebot/*", Token: "examplebot"},
		{Pattern: "ExampleBot/*", Token: "Late"},
	}
	for _, c := range []struct {
		name, ua string
		from     facts.Source
		opt      options
		want     Identity
	}{
		{
			"request", "CCBot/2.0 (https://commoncrawl.org/faq/)", facts.SourceRequest,
			options{},
			Identity{Token: "CCBot", Source: words.AgentFromRequest},
		},
		{
			"warcinfo", "CCBot/2.0", facts.SourceWarcinfo,
			options{},
			Identity{Token: "CCBot", Source: words.AgentFromWarcinfo},
		},
		{"browser", browserAgent, facts.SourceRequest, options{}, Identity{}},
		{"none", "", 0, options{}, Identity{}},
		{
			"two", "ExampleBot/1.0 (compatible; Googlebot/2.1)", facts.SourceRequest,
			options{},
			Identity{
				Token: "ExampleBot", Other: "Googlebot", Source: words.AgentFromRequest,
				Notes: words.NoteAmbiguousToken,
			},
		},
		{
			"two, warcinfo", "ExampleBot/1.0 (compatible; Googlebot/2.1)", facts.SourceWarcinfo,
			options{},
			Identity{
				Token: "ExampleBot", Other: "Googlebot", Source: words.AgentFromWarcinfo,
				Notes: words.NoteAmbiguousToken,
			},
		},

		{
			"option", "CCBot/2.0", facts.SourceRequest,
			options{own: "ccbot"},
			Identity{Token: "ccbot", Source: words.AgentFromOption},
		},
		{
			"option, other name", "CCBot/2.0", facts.SourceRequest,
			options{own: "GPTBot"},
			Identity{Token: "GPTBot", Source: words.AgentFromOption, Notes: words.NoteTokenByOption},
		},
		{
			"option, no User-Agent", "", 0,
			options{own: "GPTBot"},
			Identity{Token: "GPTBot", Source: words.AgentFromOption},
		},
		{
			"option settles two", "ExampleBot/1.0 (compatible; Googlebot/2.1)", facts.SourceRequest,
			options{own: "Googlebot"},
			Identity{Token: "Googlebot", Source: words.AgentFromOption},
		},
		{
			"option before map", "", 0,
			options{own: "GPTBot", mapped: byMap},
			Identity{Token: "GPTBot", Source: words.AgentFromOption},
		},

		{
			"map", browserAgent, facts.SourceRequest,
			options{mapped: byMap},
			Identity{Token: "Browsertrix", Source: words.AgentFromOption, Notes: words.NoteTokenByOption},
		},
		{
			"map, no User-Agent", "", 0,
			options{mapped: byMap},
			Identity{Token: "SilentBot", Source: words.AgentFromOption},
		},
		{"map, no token", "Wget/1.21", facts.SourceRequest, options{mapped: byMap}, Identity{}},
		{
			"map, first rule", "ExampleBot/1.0 (compatible; Googlebot/2.1)", facts.SourceWarcinfo,
			options{mapped: byMap},
			Identity{Token: "examplebot", Source: words.AgentFromOption},
		},
		{
			"map, no rule", "CCBot/2.0", facts.SourceRequest,
			options{mapped: byMap},
			Identity{Token: "CCBot", Source: words.AgentFromRequest},
		},
	} {
		n := NewNames(c.opt.own, c.opt.mapped)
		f := &facts.Fetch{UserAgent: c.ua, UserAgentSource: c.from}
		n.CrawlerOf(&facts.Fetch{UserAgent: "Other/1.0", UserAgentSource: facts.SourceWarcinfo})
		for range 2 {
			got := n.CrawlerOf(f)
			if got.software = (robots.Crawler{}); got != c.want { // TestCrawlerOf of package robots has that
				t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
			}
		}
	}
}

// Rules that give no fetch its token are reported, whether they match nothing or follow
// others that match the same.
func TestIdleRules(t *testing.T) {
	late, never := Rule{Pattern: "ccbot/2*", Token: "B"}, Rule{Pattern: "", Token: "C"}
	n := NewNames("", Map{{Pattern: "CCBot*", Token: "A"}, late, never})
	n.CrawlerOf(&facts.Fetch{UserAgent: "CCBot/2.0"})
	if got := n.mapped.Without(n.Used()); !slices.Equal(got, Map{late, never}) {
		t.Errorf("idle: %v", got)
	}
	n.CrawlerOf(&facts.Fetch{})
	if got := n.mapped.Without(n.Used()); !slices.Equal(got, Map{late}) {
		t.Errorf("idle: %v", got)
	}
}

// Telling crawlers apart costs no allocation, as long as they are few.
func TestNamesAllocations(t *testing.T) {
	n := NewNames("", Map{{Pattern: "*bot*", Token: "Bot"}})
	fetches := []*facts.Fetch{{UserAgent: browserAgent}, {UserAgent: "CCBot/2.0"}, {UserAgent: ""}}
	ask := func() {
		for _, f := range fetches {
			n.CrawlerOf(f)
		}
	}
	if n := testing.AllocsPerRun(100, ask); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRule(t *testing.T) {
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
		if got := (Rule{Pattern: c.pattern}).matches(c.ua); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.ua, got)
		}
	}
	if got := (Rule{}).String(); got != "- => -" {
		t.Error(got)
	}
}
