package robots

import (
	"strings"
	"testing"
)

// TestCrawlerDifferences has a case for each choice in which parsers of crawlers differ from RFC 9309: without it the
// answer would be another. scripts/check/readings.py compares whole parsers with them.
func TestCrawlerDifferences(t *testing.T) {
	const heritrixAgent = "Mozilla/5.0 (compatible; heritrix/3.4.0 +http://example.org)"
	filled := func(size int, rest string) string {
		all := "user-agent: *\n"
		return all + strings.Repeat("#", size-len(all)-1) + "\n" + rest
	}
	shown := make(map[string]bool)
	for _, c := range []struct {
		reader     Profile
		body, path string
		allowed    bool
		difference string
	}{
		{Wget, "user-agent: *\ndisallow: /*.pdf$\n", "/a.pdf", true, "it knows no wildcards"},
		{Heritrix0, "user-agent: *\ndisallow: /a*b\n", "/a-b", true, "it knows no wildcards"},
		{Wget, "user-agent: *\ndisallow:\ndisallow: /a\n", "/a", true, "an empty rule allows everything"},
		{Wget, "user-agent: *\nallow: /\ndisallow: /a\n", "/a", true, "the first rule that matches decides, not the longest"},
		{
			Heritrix, "user-agent: *\ndisallow: /a\ndisallow: /ab\n", "/ac", true,
			"of rules without a wildcard it tries one alone, the last in the alphabet that is not after the path",
		},
		{
			Heritrix, "user-agent: *\ndisallow: /*.cgi$\n", "/a.cgi.cgi", true,
			"it tries what follows the last wildcard where it comes first alone",
		},
		{Heritrix, "user-agent: *\ndisallow: *\n", "/a", true, "it ignores a rule that is a star alone"},
		{Heritrix, "user-agent: compatible\ndisallow: /\n", "/a", false, "it looks for its group by another name"},
		{Wget, "user-agent: Wget/1.5\ndisallow: /\n", "/a", true, "it looks for its group by another name"},
		{Wget, "user-agent: *\nuser-agent: Wget\ndisallow: /\n\nuser-agent: Wget\ndisallow: /b\n", "/a", true, "it looks for its group by another name"},
		{Browsertrix, "user-agent: Browsertrix*\ndisallow: /\n", "/a", true, "it looks for its group by another name"},
		{
			Browsertrix, "user-agent: Browsertrix\nsitemap: x\nuser-agent: *\ndisallow: /\n", "/a", false,
			"it looks for its group by another name",
		},
		{
			Browsertrix, "user-agent: Browsertrix\ndisallow: /b\nuser-agent: Browsertrix\nx: y\nuser-agent: *\ndisallow: /a\n",
			"/a", true, "other lines than rules end a list of user-agent lines",
		},
		{
			Heritrix, "user-agent: heritrix\ncrawl-delay: 1\nuser-agent: *\ndisallow: /\n", "/a", true,
			"other lines than rules end a list of user-agent lines",
		},
		{Heritrix, "user-agent: *\ndisallow: /%61\n", "/a", true, "it compares rules and paths in another form"},
		{Browsertrix, "user-agent: *\ndisallow: /%61\n", "/a", true, "it compares rules and paths in another form"},
		{Wget, "user-agent: *\ndisallow: /a?b\n", "/a?b", true, "it compares rules and paths in another form"},
		{
			Browsertrix, filled(100_000-len("disallow: /a"), "disallow: /abc\n"), "/ax", false,
			"it reads the line that its limit goes through",
		},
		{Browsertrix, filled(100_000, "disallow: /\n"), "/a", true, "it reads another share of the file"},
		{Wget, filled(ParseLimit, "disallow: /\n"), "/a", false, "it reads another share of the file"},
		{Heritrix0, "\xEF\xBB\xBFuser-agent: *\ndisallow: /\n", "/a", true, "it takes a byte order mark for text"},
		{Heritrix0, "user-agent:\v*\ndisallow: /\n", "/a", false, "it knows other white space"},
		{Wget, "user-agent: *\rdisallow: /\n", "/a", true, "a carriage return ends no line"},
		{Wget, "user-agent: *\ndisallow: /a#b\n", "/a", true, "a # begins a comment only after white space"},
		{Heritrix, "user-agent : *\ndisallow: /\n", "/a", true, "white space before a colon makes a line void"},
		{Heritrix, "user-agent: *\ndisallow: /<b>a\n", "/a", false, "it drops what looks like a tag of HTML"},
		{Nutch, "user-agent: *\ndisallow: /<b>a\n<html>\n", "/a", false, "it drops what looks like a tag of HTML"},
		{Nutch, "user-agent: *\ndisallow: /<b>a\n", "/a", true, ""},
		{Nutch, "user agent *\ndisallow /\n", "/a", false, "it reads misspelt keys, and lines without a colon"},
		{Nutch, "user-agnet : *\ndesallow\t:/\n", "/a", false, "it reads misspelt keys, and lines without a colon"},
		{Nutch, "user-agent: *\ndisallow: /a/index.html\n", "/a/", false, "a rule for an index page is for its folder, too"},
		{Nutch, "user-agent: *\u2028disallow: /\n", "/a", false, "it knows other ends of lines"},
		{Nutch, "user-agent: *\ndisallow: /a b\n", "/a%20b", false, "it compares rules and paths in another form"},
		{Nutch, "user-agent: *\ndisallow: /%61%b\n", "/a%25b", false, "it compares rules and paths in another form"},
		{Nutch, "user-agent: *\ndisallow: /a?\n", "/a?", false, ""},
		{Nutch, "user-agent: nutch 1.0, other\ndisallow: /\n", "/a", false, "it looks for its group by another name"},
		{Nutch0, "user-agent: a, nut\ndisallow: /\n", "/b", false, "it looks for its group by another name"},
		{Nutch0, "user-agent: nutch\ndisallow: /\nuser-agent: nutch-1.19\ndisallow:\n", "/b", false, "it looks for its group by another name"},
		{Nutch0, "user-agent: *\ndisallow: /a\nallow:\n", "/a", true, "an empty rule makes those before it void"},
		{Nutch0, "user-agent: *\ndisallow: /a%2Fb\n", "/a/b", false, "it compares rules and paths in another form"},
		{Nutch0, "user-agent: *\ndisallow: /a%b\n", "/a%b", true, "it compares rules and paths in another form"},
		{Nutch0, "user-agent: *\ndisallow: /a b\n", "/a+b", false, "it compares rules and paths in another form"},
		{Nutch0, "user-agent: other\ntext\nuser-agent: *\ndisallow: /\n", "/a", false, ""},
		{StormCrawler0, "user-agent: *\ntext\nuser-agent: other\ndisallow: /\n", "/a", true, "other lines than rules end a list of user-agent lines"},
		{HTTrack, "user-agent: httrack\ndisallow: /b\nuser-agent: *\ndisallow: /a\n", "/a", true, ""},
		{HTTrack, "user-agent: WinHTTrack 3\ndisallow: /\n", "/a", false, "it looks for its group by another name"},
		{HTTrack, "user-agent: * (all)\ndisallow: /\n", "/a", false, "it looks for its group by another name"},
		{HTTrack, "user-agent: *\n disallow: /\n", "/a", true, "white space before a key makes a line void"},
		{HTTrack, "user-agent: *\ndisallow: /%61\n", "/%61", true, "it compares rules and paths in another form"},
		{HTTrack, "user-agent: *\ndisallow: /%C3%A9\n", "/%C3%A9", true, "it compares rules and paths in another form"},
		{HTTrack, "user-agent: *\ndisallow: /a b\u20ac\n", "/a%20b%E2%82%AC%E9", false, "it compares rules and paths in another form"},
		{HTTrack, "user-agent: *\rdisallow: /\n", "/a", true, "it knows other ends of lines"},
		{HTTrack, "user-agent: *\ndisallow: /" + strings.Repeat("a", 1011) + "\n", "/" + strings.Repeat("a", 1010), true, ""},
		{HTTrack, "user-agent: *\ndisallow: /" + strings.Repeat("a", 1012) + "\n", "/" + strings.Repeat("a", 1011), false, ""},
		{HTTrack, "user-agent: *\ndisallow: /a%E9?%C3%A9\n", "/a%E9?%C3%A9", false, ""},
		{Wget, "user-agent: *\ndisallow: /robots.txt\n", "/robots.txt", false, "/robots.txt can be forbidden"},
		{StormCrawler, "user-agent: *\ndisallow: /*.cgi$\n", "/a.cgi.cgi", true, "it tries what follows the last wildcard where it comes first alone"},
		{Wget, "user-agent: *\ndisallow: /a\x01\n", "/a\x01", false, "control bytes do not make a rule void"},
	} {
		agent, token := c.reader.String(), c.reader.String()
		if c.reader.ReadsUserAgent() {
			agent, token = heritrixAgent, "heritrix"
		}
		f := Parse([]byte(c.body), RFC9309)
		d := f.As(c.reader).For(agent).Match(c.path)
		if got := f.Difference(c.reader, agent, token, c.path); d.Allowed != c.allowed || got != c.difference {
			t.Errorf("%v reads %q for %s: allowed %v, as %q; want %v, %q", c.reader, excerpt(c.body), c.path, d.Allowed, got,
				c.allowed, c.difference)
		}
		shown[c.difference] = true
	}
	for _, d := range crawlerDifferences {
		if !shown[d.text] {
			t.Errorf("no case of %q", d.text)
		}
	}
}

// TestCommonsNames has the names that crawler-commons finds for a token, by the groups that it obeys.
func TestCommonsNames(t *testing.T) {
	f := Parse([]byte("user-agent: my.bot\ndisallow: /whole\nuser-agent: bot/2.0\ndisallow: /cut\nuser-agent: my\n"+
		"disallow: /first\nuser-agent: BOT, other\ndisallow: /more\nuser-agent: *\ndisallow: /all\n"), Nutch)
	for token, want := range map[string]string{
		"Bot": "/cut /more", "my.bot": "/whole", "My": "/whole /first", "bot/2.0": "/cut", "other": "/all",
	} {
		var got []string
		for _, path := range []string{"/whole", "/cut", "/first", "/more", "/all"} {
			if !f.For(token).Match(path).Allowed {
				got = append(got, path)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s may not fetch %v, want %s", token, got, want)
		}
	}
}

// TestFollowsRedirects has what crawlers make of redirects of robots.txt.
func TestFollowsRedirects(t *testing.T) {
	for p, want := range map[Profile]bool{
		Heritrix: false, Wget: true, StormCrawler: false, HTTrack: false, Browsertrix: true,
	} {
		if got := p.FollowsRedirects(); got != want {
			t.Errorf("%v follows redirects: %v", p, got)
		}
	}
}

// TestOnError has what crawlers make of statuses.
func TestOnError(t *testing.T) {
	for _, c := range []struct {
		p              Profile
		status         int
		allowed, known bool
	}{
		{Heritrix, 404, true, true},
		{Wget, 503, true, true},
		{Browsertrix, 429, true, true},
		{Nutch, 403, true, true},
		{Nutch, 429, true, false},
		{Nutch, 503, false, false},
		{Nutch0, 503, false, false},
		{StormCrawler, 404, true, true},
		{StormCrawler0, 500, false, false},
		{StormCrawler, 429, true, false},
		{StormCrawler, 500, false, true},
		{HTTrack, 503, false, false},
	} {
		if allowed, known := c.p.OnError(c.status); known != c.known || known && allowed != c.allowed {
			t.Errorf("%v, status %d: allowed %v, known %v", c.p, c.status, allowed, known)
		}
	}
}

// TestHeritrixGroups has what Heritrix makes of several groups, by which its rules get a name.
func TestHeritrixGroups(t *testing.T) {
	for _, c := range []struct{ name, body, agent, disallowed string }{
		{"first in the file", "user-agent: b\ndisallow: /b\nuser-agent: a\ndisallow: /a\n", "a b", "/b"},
		{"groups of a name join", "user-agent: a\ndisallow: /x\nuser-agent: c\ndisallow: /c\nuser-agent: a\ndisallow: /a\n", "a", "/a"},
		{"names share rules", "user-agent: a\nuser-agent: c\ndisallow: /a\n", "a", "/a"},
		{
			"a known name takes the rules alone", "user-agent: a\ndisallow: /x\n\nuser-agent: c\nuser-agent: a\ndisallow: /a\n",
			"c", "",
		},
		{"an empty name is all crawlers'", "user-agent: c\ndisallow: /c\nuser-agent:\ndisallow: /a\nuser-agent: a\ndisallow: /b\n", "a", "/a"},
		{"its own case", "user-agent: CCBot\ndisallow: /\n", "CCBot", ""},
		{"all groups for all", "user-agent: *\ndisallow: /x\n\nuser-agent: c\ndisallow: /c\n\nuser-agent: *\ndisallow: /a\n", "a", "/a"},
	} {
		g := Parse([]byte(c.body), Heritrix).For(c.agent)
		for _, path := range []string{"/a", "/b", "/c"} {
			if got := g.Match(path).Allowed; got != (path != c.disallowed) {
				t.Errorf("%s: %s: allowed %v", c.name, path, got)
			}
		}
	}
}

func TestCrawlerOf(t *testing.T) {
	for software, want := range map[string]Crawler{
		"Heritrix/3.4.0-20220727 http://crawler.archive.org":                     {Heritrix0, "Heritrix 3.4.0"},
		"Heritrix/3.10.0 http://crawler.archive.org":                             {Heritrix, "Heritrix 3.10.0"},
		"Mozilla/5.0 (compatible; heritrix/3.13.0-SNAPSHOT +http://example.org)": {Heritrix, "Heritrix 3.13.0"},
		"Heritrix/1.14.4 http://crawler.archive.org":                             {}, // its parser is not measured
		"Heritrix/3.2.0": {},
		"StormCrawler 3.1.0 https://stormcrawler.apache.org/":                 {StormCrawler, "StormCrawler 3.1.0"},
		"StormCrawler 2.4 http://stormcrawler.net/":                           {StormCrawler0, "StormCrawler 2.4"},
		"StormCrawler 2.11 http://stormcrawler.net/":                          {}, // which parser it has is not known
		"My Spider/Nutch-1.20 (a spider; http://example.org)":                 {Nutch, "Nutch 1.20"},
		"Apache Nutch 1.19 (modified, https://github.com/commoncrawl/nutch/)": {Nutch0, "Nutch 1.19"},
		"Spider/Nutch-1.14": {},
		"checked via crawler-commons 1.3 (https://github.com)":             {Nutch0, "crawler-commons 1.3"},
		"checked via crawler-commons 0.10-SNAPSHOT (https://github.com)":   {},
		"checked via crawler-commons 1.5-SNAPSHOT (https://github.com)":    {Nutch, "crawler-commons 1.5"},
		"checked via crawler-commons 1.4-SNAPSHOT (https://github.com)":    {},
		"Wget/1.21.3 (linux-gnu)":                                          {Wget, "Wget 1.21.3"},
		"HTTrack/3.51-0 (+https://www.httrack.com/)":                       {HTTrack, "HTTrack 3.51"},
		"HTTrack/3.49-14 (+https://www.httrack.com/)":                      {},
		"Mozilla/5.0 (compatible; HTTrack/3.x; +https://www.httrack.com/)": {},
		"Mozilla/4.5 (compatible; HTTrack 3.0x; Windows 98)":               {},
		"Wget/2.0.1":  {},
		"libwget/1.0": {},
		"Wget":        {},
		"Browsertrix-Crawler 1.10.2 (with warcio.js 2.4.7)": {Browsertrix, "Browsertrix 1.10.2"},
		"Browsertrix-Crawler 1.9.0 (with warcio.js 2.4.7)":  {},
		"": {},
	} {
		if got := CrawlerOf(software); got != want {
			t.Errorf("%q is %v, want %v", software, got, want)
		}
	}
}
