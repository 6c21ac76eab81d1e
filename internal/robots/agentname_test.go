package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestAgentName has user-agent lines that name a token among other words.
func TestAgentName(t *testing.T) {
	const rest = "\nallow: /\nuser-agent: *\ndisallow: /\n"
	const own, open, none = "allowed", "disallowed agent_name", "disallowed"
	for _, c := range []struct {
		value, token    string
		rfc9309, google string
	}{
		{"CCBot (Common Crawl)", "CCBot", open, own},
		{"\"CCBot\"", "CCBot", open, open},
		{"'ccbot'", "CCBot", open, open},
		{"GPTBot, CCBot", "CCBot", open, open},
		{"GPTBot,ccbot;Bot", "CCBot", open, open},
		{"[CCBot]", "CCBot", open, open},
		{"the CCBot", "CCBot", open, open},
		{"GPTBot/CCBot", "CCBot", open, open},
		{"Mozilla/5.0 (compatible; CCBot/2.0)", "CCBot", open, open},
		{"CCBot-News, x", "CCBot", none, none},
		{"x, my_CCBot", "CCBot", none, none},
		{"x, CCBot.de", "CCBot", none, none},
		{"x, 2CCBot", "CCBot", none, none},
		{"CCBot/2.0", "CCBot", own, own},
		{"CCBot*", "CCBot", own, own},
		{"Perplexity\u2011User", "Perplexity-User", open, open},
		{"Perplexity\u2013User/1.0", "Perplexity-User", open, open},
		{"* CCBot", "CCBot", open, own}, // in Google's profile for all
		{"archive.org_bot", "archive.org_bot", own, open},
		{"MJ12bot", "MJ12bot", own, open},
		{"x\xffCCBot\xff", "CCBot", open, open},
		{"CCBot.", "CCBot", open, own},
		{"the CCBot...", "CCBot", open, open},
		{"CCBot\u2014x", "CCBot", open, own},
		{"x\u2013CCBot", "CCBot", open, open},
		{"CCBot\u2014x", "CCBot-x", open, open},
		{"\u201cCCBot\u201d", "CCBot", open, open},
		{"x, CCBot..de", "CCBot", none, none},
		{"KangarooBot", "Kangaroo Bot", none, none},

		{"Sogou web spider", "Sogou web spider", own, open},
		{"sogou web spider/4.0", "Sogou web spider", own, open},
		{"Sogou", "Sogou web spider", open, open},
		{"Sogou spider", "Sogou web spider", open, open},
		{"spider", "Sogou web spider", none, none},
		{"web spider", "Sogou web spider", none, none},
		{"Sogou web spider", "Sogou", open, own},
		{"Yahoo! Slurp", "Slurp", own, open},
		{"Slurp", "Yahoo! Slurp", own, own},
		{"Yahoo! Slurp", "Yahoo! Slurp", own, open},
		{"Yahoo! Slurp China", "Slurp", open, open},
		{"Yahoo!", "Yahoo! Slurp", none, none},
		{"Brightbot 1.0", "Brightbot 1.0", own, open},
		{"Brightbot", "Brightbot 1.0", own, open},
		{"Brightbot 1.0", "Brightbot", open, own},
	} {
		for p, want := range map[Profile]string{RFC9309: c.rfc9309, REP08: c.rfc9309, Google: c.google} {
			if got := against(t, "user-agent: "+c.value+rest, p, c.token, "/a"); got != want {
				t.Errorf("%v: line %q, token %q: %s, want %s", p, c.value, c.token, got, want)
			}
		}
	}
}

// TestAgentNameGroups covers the rules of other groups.
func TestAgentNameGroups(t *testing.T) {
	for _, c := range []struct{ name, body, path, want string }{
		{"such a group forbids", "user-agent: \"CCBot\"\ndisallow: /\n", "/a", "allowed agent_name"},
		{"and robots.txt itself", "user-agent: \"CCBot\"\ndisallow: /\n", "/robots.txt", "allowed"},
		{"it allows, as ours does", "user-agent: \"CCBot\"\ndisallow: /b\n", "/a", "allowed"},
		{
			"it forbids, as ours does", "user-agent: \"CCBot\"\ndisallow: /\nuser-agent: *\ndisallow: /", "/a",
			"disallowed",
		},
		{
			"against the token's own", "user-agent: CCBot\ndisallow: /\nuser-agent: GPTBot, CCBot\ndisallow: /b", "/a",
			"disallowed agent_name",
		},
		{"a line of its own group", "user-agent: CCBot\nuser-agent: GPTBot, CCBot\ndisallow: /\n", "/a", "disallowed"},
		{"one group at a time", "user-agent: \"CCBot\"\ndisallow: /a\nuser-agent: x, CCBot\ndisallow: " +
			"/b\nuser-agent: *\ndisallow: /", "/a", "disallowed agent_name"},
		{
			"with a misspelt key", "useragent: x, CCBot\nallow: /\nuser-agent: *\ndisallow: /", "/a",
			"disallowed lenient agent_name",
		},
		{
			"with an encoded byte", "user-agent: x, CCBot\ndisallow: /\nallow: /a%2F\nuser-agent: *\ndisallow: /", "/a/",
			"disallowed reserved_encoding agent_name",
		},
		{
			"in a group for all, too", "user-agent: *\nuser-agent: x, CCBot\ndisallow: /b\nuser-agent: *\ndisallow: /",
			"/a", "disallowed agent_name",
		},
		{"another token", "user-agent: x, GPTBot\nallow: /\nuser-agent: *\ndisallow: /", "/a", "disallowed"},
	} {
		if got := against(t, c.body, RFC9309, "CCBot", c.path); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	file := Parse([]byte("user-agent: a\nuser-agent: x, CCBot\nallow: /\nuser-agent: b\ndisallow: /\n# "+
		"CCBot\nuser-agent: CCBot 2\ndisallow: /\n"), RFC9309)
	if got := file.OtherLines("ccbot"); !slices.Equal(got, []int{1, 7}) {
		t.Errorf("lines %v", got)
	}
	if got := file.OtherLines("GPTBot"); got != nil {
		t.Errorf("lines of another token %v", got)
	}
}

// A match that would take too long is not tried, and is in doubt. A file that needs it costs no more for it.
func TestAgentNameLimits(t *testing.T) {
	var body strings.Builder
	for i := range maxAside + 1 {
		fmt.Fprintf(&body, "user-agent: x%d, CCBot\ndisallow: /\n", i)
	}
	body.WriteString("user-agent: *\n")
	for rule, want := range map[string]string{
		"disallow: /": "disallowed agent_name",
		"allow: /":    "allowed agent_name",
	} {
		if got := against(t, body.String()+rule, RFC9309, "CCBot", "/a"); got != want {
			t.Errorf("%d groups and %s: %s, want %s", maxAside+1, rule, got, want)
		}
	}
	wild := "user-agent: \"CCBot\"\n" + strings.Repeat("disallow: /*b\n", fewWild+1) + "user-agent: *\nallow: /"
	long := "/" + strings.Repeat("a", maxCost/fewWild) + "b$"
	for path, want := range map[string]string{long: "allowed agent_name", long[:100]: "allowed"} {
		if got := against(t, wild, RFC9309, "CCBot", path); got != want {
			t.Errorf("a path of %d bytes: %s, want %s", len(path), got, want)
		}
	}
	if underRace {
		return
	}
	file := Parse([]byte("user-agent: x, CCBot\ndisallow: /a\n"), RFC9309)
	g := file.For("CCBot")
	d := g.Match("/b")
	if n := testing.AllocsPerRun(100, func() { g.Against("CCBot", "/b", d) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestNamedForbids(t *testing.T) {
	var many, long strings.Builder
	for i := range 1 + maxNamedRules/8 {
		fmt.Fprintf(&many, "user-agent: a%d\n"+strings.Repeat("disallow: /x\n", 8), i)
	}
	long.WriteString("user-agent: a\n" + strings.Repeat("disallow: /*b$\n", fewWild+1))
	path := "/b" + strings.Repeat("a", maxCost/fewWild)
	for _, c := range []struct {
		name, body, path string
		want             bool
	}{
		{"all is forbidden", "user-agent: a\ndisallow: /\n", "/a", true},
		{"but robots.txt", "user-agent: a\ndisallow: /\n", "/robots.txt", false},
		{"another path", "user-agent: a\ndisallow: /b\n", "/a", false},
		{"the second of two", "user-agent: a\ndisallow: /b\nuser-agent: c\ndisallow: /a", "/a", true},
		{"allowed again", "user-agent: a\ndisallow: /\nallow: /a\n", "/a", false},
		{"allowed to one alone", "user-agent: a\ndisallow: /\nallow: /a\nuser-agent: b\ndisallow: /", "/a", true},
		{"allowed by another of its groups", "user-agent: a\ndisallow: /\nuser-agent: A\nallow: /", "/a", false},
		{"a group for every crawler alone", "user-agent: *\ndisallow: /\n", "/a", false},
		{"a group for every crawler and one", "user-agent: *\nuser-agent: a\ndisallow: /a\n", "/a", true},
		{"no rule", "user-agent: a\n", "/a", false},
		{"no path", "user-agent: a\ndisallow: /\n", "", true},
		{"nothing", "", "/a", false},
		{"too many rules", many.String(), "/a", true},
		{"too many wildcards", long.String(), path, true},
		{"fewer", long.String(), path[:1000], false},
	} {
		file := Parse([]byte(c.body), RFC9309)
		for range 2 {
			if by, got, _ := file.NamedForbids(c.path); got != c.want || by != nil && by.Match(c.path).Allowed {
				t.Errorf("%s: %v by %+v", c.name, got, by)
			}
		}
	}
	if _, forbids, _ := Parse([]byte("user-agent: a\ndisallow: /\n"), Google).NamedForbids("/robots.txt"); !forbids {
		t.Error("Google's matcher knows no exception for robots.txt")
	}
}

// TestNamedForbidsAsked compares with asking for each name, on real bodies.
func TestNamedForbidsAsked(t *testing.T) {
	asked, forbidden := 0, 0
	for i, body := range bodies() {
		if i%16 != 0 {
			continue
		}
		for _, p := range Profiles {
			file := Parse(body, p)
			names := file.Names()
			for _, path := range paths {
				want := slices.ContainsFunc(names, func(n string) bool { return !file.For(n).Match(path).Allowed })
				if _, got, _ := file.NamedForbids(path); got != want && !file.named.more {
					t.Errorf("%v: body %d, path %s: %v, want %v", p, i, path, got, want)
				}
				asked++
				if want {
					forbidden++
				}
			}
		}
	}
	t.Logf("%d asked, %d forbidden to some name", asked, forbidden)
}
