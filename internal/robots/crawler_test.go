package robots

import (
	"fmt"
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
			"a group without rules is none",
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
		{Scrapy0, "user-agent: *\ndisallow: /a=b?c=d\n", "/a=b?c=d", true, "it compares rules and paths in another form"},
		{Scrapy0, "user-agent: rap\ndisallow: /\n", "/a", false, "it looks for its group by another name"},
		{Scrapy0, "user-agent: *\nDisallow /a\n", "/a", true, ""},
		{Scrapy0, "user-agent: *\ndisallow /a\n", "/a", false, "it reads misspelt keys, and lines without a colon"},
		{Scrapy0, "user-agent: *\ndisallow: /robots.txt\n", "/robots.txt", false, "/robots.txt can be forbidden"},
		{Scrapy, "user-agent: rap\ndisallow: /\n", "/a", true, ""},
		{Scrapy, "user-agent: *\ndisallow: /a$\n", "/a$b", false, "it takes a final $ for a character, too"},
		{Scrapy, "user-agent: bot\ndisallow: /\nuser-agent: mybot\ndisallow: /b\n", "/b", true, ""},
		{Scrapy, "user-agent: scrapy\ncrawl-delay: 1\nuser-agent: *\ndisallow: /\n", "/a", true, "other lines than rules end a list of user-agent lines"},
		{Urllib0, "user-agent: *\ndisallow: /a*\n", "/ab", true, "it knows no wildcards"},
		{Urllib0, "user-agent: *\nallow: /\ndisallow: /a\n", "/a", true, "the first rule that matches decides, not the longest"},
		{Urllib0, "user-agent: *\n\ndisallow: /\n", "/a", true, "an empty line ends a group"},
		{Urllib0, "user-agent: *\n \ndisallow: /\n", "/a", false, ""},
		{Urllib0, "user-agent: *\ndisallow: /b\n\ndisallow: /\n", "/a", true, "an empty line ends a group"},
		{Urllib0, "user-agent: *\ndisallow: /a?\n", "/ab", false, "it compares rules and paths in another form"},
		{Urllib0, "user-agent: *\ndisallow: /a%2Fb\n", "/a/b", false, "it compares rules and paths in another form"},
		{Urllib0, "user-agent: *\ndisallow: /b\nuser-agent: *\ndisallow: /a\n", "/a", true, "of several groups for all crawlers it obeys the first"},
		{Urllib0, "user-agent: *\ndisallow: /robots.txt\n", "/robots.txt", false, "/robots.txt can be forbidden"},
		{
			Urllib, "user-agent: urllib\nrequest-rate: 1/5\nuser-agent: x\ndisallow: /\n", "/a", true,
			"other lines than rules end a list of user-agent lines",
		},
		{Urllib, "user-agent: *\ndisallow: /a*\nallow: /a/b\n", "/a/b/c", false, "the rule decides that matches the most of the path, not the longest"},
		{Urllib, "user-agent: *\ndisallow: /*b\nallow: /a/b\n", "/a/b/b/c", false, "the rule decides that matches the most of the path, not the longest"},
		{Urllib, "user-agent: *\ndisallow: /*b\nallow: /a/b\n", "/a/b/c", true, ""},
		{Urllib, "user-agent: *\ndisallow: /a$\nallow: /a\n", "/a", true, "the rule decides that matches the most of the path, not the longest"},
		{Urllib, "user-agent: lib\ndisallow: /\n", "/a", false, "it looks for its group by another name"},
		{Urllib, "user-agent: *\ndisallow: /a%2Fb?c=%2F\n", "/a/b?c=/", false, "it compares rules and paths in another form"},
		{Nutch0, "user-agent: a, nut\ndisallow: /\n", "/b", false, "it looks for its group by another name"},
		{Nutch0, "user-agent: nutch\ndisallow: /\nuser-agent: nutch-1.19\ndisallow:\n", "/b", false, "it looks for its group by another name"},
		{Nutch0, "user-agent: *\ndisallow: /a\nallow:\n", "/a", true, "an empty rule makes those before it void"},
		{Nutch0, "user-agent: *\ndisallow: /a%2Fb\n", "/a/b", false, "it compares rules and paths in another form"},
		{Nutch0, "user-agent: *\ndisallow: /a%b\n", "/a%b", true, "it compares rules and paths in another form"},
		{Nutch0, "user-agent: *\ndisallow: /a b\n", "/a+b", false, "it compares rules and paths in another form"},
		{Nutch0, "user-agent: other\ntext\nuser-agent: *\ndisallow: /\n", "/a", false, ""},
		{StormCrawler0, "user-agent: *\ntext\nuser-agent: other\ndisallow: /\n", "/a", true, "other lines than rules end a list of user-agent lines"},
		{HTTrack0, "user-agent: *\ndisallow: /*.pdf\n", "/a.pdf", true, "it knows no wildcards"},
		{HTTrack0, "user-agent: *\ndisallow: *.pdf\n", "/a*.PDF", false, "it compares rules and paths in another form"},
		{HTTrack0, "user-agent: *\ndisallow: /A\n", "/a", false, "it compares rules and paths in another form"},
		{HTTrack0, "user-agent: *\ndisallow: cgi\n", "/a/cgi-bin", false, "it compares rules and paths in another form"},
		{HTTrack0, "user-agent: *\ndisallow: /\nallow: /a\n", "/a", false, "it knows no Allow"},
		{HTTrack0, "user-agent: *\n" + strings.Repeat("disallow: /bbb\n", 818) + "disallow: /a\n", "/a", false, ""},
		{HTTrack0, "user-agent: *\n" + strings.Repeat("disallow: /bbb\n", 818) + "disallow: /aa\n", "/aa", true, "it takes many rules for none"},
		{HTTrack0, "user-agent: HTTrack\nuser-agent: x\ndisallow: /\n", "/a", true, "it looks for its group by another name"},
		{HTTrack0, "user-agent: *\ndisallow: /a\nuser-agent: httrack\nuser-agent: x\ndisallow: /\n", "/a", true, "it looks for its group by another name"},
		{HTTrack0, "user-agent: WebHTTrack/3\ndisallow: /b\nuser-agent: *\ndisallow: /a\n", "/b", false, "it looks for its group by another name"},
		{HTTrack0, "user-agent: httrack\ndisallow: /b\nuser-agent: *\ndisallow: /a\n", "/a", false, "it looks for its group by another name"},
		{
			HTTrack0, "user-agent: *\n" + strings.Repeat("disallow: /bbb\n", 1632) + "user-agent: httrack\ndisallow: /\n", "/a", true,
			"it looks for its group by another name",
		},
		{HTTrack0, "user-agent: *\n" + strings.Repeat("disallow: /bbb\n", 1631) + "user-agent: httrack\ndisallow: /\n", "/a", false, ""},
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
		{Brozzler, "disallow: /\n", "/a", false, "rules before all user-agent lines are for all crawlers"},
		{Brozzler, "user-agent: zz\ndisallow: /b\nuseragent: heritrix\ndisallow: /\n", "/a", false, "it reads misspelt keys, and lines without a colon"},
		{Brozzler, "useragent *\ndissallow: /\n", "/a", true, ""},
		{Brozzler, "user-agent: *\ndisallow: /$\ndisallow: /*\n", "/", true, "it fails, and allows, where two rules of one length match"},
		{Brozzler, "user-agent: *\ndisallow: /*b\ndisallow: /ab\n", "/ab", true, "it fails, and allows, where two rules of one length match"},
		{Brozzler, "user-agent: *\ndisallow: /*b\ndisallow: /*b\n", "/ab", false, ""},
		{Brozzler, "user-agent: *\nallow: /%61\ndisallow: /ab\n", "/ab", true, "it fails, and allows, where two rules of one length match"},
		{Brozzler, "user-agent: *\ndisallow: a%2Fb\n", "/a/b", false, "it compares rules and paths in another form"},
		{Brozzler, "user-agent: *\ndisallow: /a%2fb\n", "/a/b", true, ""},
		{Brozzler, "user-agent: *\ndisallow: /a%2A\n", "/ab", false, "it compares rules and paths in another form"},
		{Brozzler, "user-agent: *\ndisallow: /a$b\n", "/a$b", true, "it compares rules and paths in another form"},
		{Brozzler, "user-agent: *\ndisallow: /a\xFFb\n", "/ab", false, "it leaves out bytes that are no UTF-8"},
		{StormCrawler, "user-agent: *\ndisallow: /*.cgi$\n", "/a.cgi.cgi", true, "it tries what follows the last wildcard where it comes first alone"},
		{Wget, "user-agent: *\ndisallow: /a\x01\n", "/a\x01", false, "control bytes do not make a rule void"},
	} {
		agent, token := c.reader.String(), c.reader.String()
		if c.reader.isScrapy() {
			agent, token = "scrapy/2.13", "scrapy"
		} else if c.reader.isHTTrack() {
			agent, token = "HTTrack", "HTTrack"
		} else if c.reader.ReadsUserAgent() {
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

// TestUrllibNames has the names that urllib.robotparser finds, by the groups that it obeys: before 3.13.8, and now.
func TestUrllibNames(t *testing.T) {
	more := ""
	for i := range manyNames {
		more += fmt.Sprintf("user-agent: other%d\ndisallow: /other\n", i)
	}
	for _, c := range []struct{ body, token, before, now string }{
		{"user-agent: bot\ndisallow: /first\nuser-agent: mybot\ndisallow: /own\n", "MyBot", "/first", "/own"},
		{"user-agent: bot\ndisallow: /first\nuser-agent: mybot\ndisallow: /own\n", "MyBot/1.0", "/first", "/first"},
		{"user-agent: bot\ndisallow: /first\nuser-agent: Bot\ndisallow: /own\n", "bot", "/first", "/first /own"},
		{"user-agent: bot\nuser-agent: *\ndisallow: /first\nuser-agent: bot\ndisallow: /own\n", "bot", "/own", "/first /own"},
		{"user-agent:\ndisallow: /first\nuser-agent: bot\ndisallow: /own\n", "bot", "/first", "/own"},
		{"user-agent:\ndisallow: /first\nuser-agent: bot\ndisallow: /own\n", "abot", "/first", "/first"},
		{"user-agent: bot/1.0\ndisallow: /own\n", "bot/1.0", "", "/own"},
	} {
		for p, want := range map[Profile]string{Urllib0: c.before, Urllib: c.now} {
			for _, body := range []string{c.body, c.body + more} {
				g := Parse([]byte(body), p).For(c.token)
				var got []string
				for _, path := range []string{"/first", "/own"} {
					if !g.Match(path).Allowed {
						got = append(got, path)
					}
				}
				if strings.Join(got, " ") != want {
					t.Errorf("%v: by %q, %s may not fetch %v, want %s", p, excerpt(body), c.token, got, want)
				}
			}
		}
	}
}

// TestFollowsRedirects has what crawlers make of redirects of robots.txt.
func TestFollowsRedirects(t *testing.T) {
	for p, want := range map[Profile]bool{
		Heritrix: false, Wget: true, StormCrawler: false, Scrapy: true, HTTrack: false, Brozzler: true,
	} {
		if got := p.FollowsRedirects(); got != want {
			t.Errorf("%v follows redirects: %v", p, got)
		}
	}
}

// TestBrozzlerGroups has what Brozzler makes of several groups.
func TestBrozzlerGroups(t *testing.T) {
	for _, c := range []struct{ body, agent, want string }{
		{"user-agent: b\ndisallow: /b\nuser-agent: a\ndisallow: /a\n", "A B", "/b"},
		{"user-agent: a\nuser-agent: c\ndisallow: /c\nuser-agent: a\ndisallow: /a\n", "c", "/a /c"},
		{"user-agent: a\ndisallow: /a\nuser-agent: c\ndisallow: /c\nuser-agent: a\nuser-agent: c\ndisallow: /b\n", "c", "/a /b"},
		{"user-agent: a\nx: y\nuser-agent: *\ndisallow: /a\n", "a", ""},
		{"disallow: /a\nuser-agent: *\ndisallow: /b\n", "x", "/a /b"},
		{"disallow: /a\nuser-agent: b\nuser-agent: *\ndisallow: /b\n", "x", "/b"},
		{"user-agent:\ndisallow: /a\nuser-agent: x\ndisallow: /b\n", "x", "/a"},
	} {
		g := Parse([]byte(c.body), Brozzler).For(c.agent)
		var got []string
		for _, path := range []string{"/a", "/b", "/c"} {
			if !g.Match(path).Allowed {
				got = append(got, path)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("by %q, %s may not fetch %v, want %s", c.body, c.agent, got, c.want)
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
		{Scrapy, 404, false, false},
		{HTTrack, 503, false, false},
		{Brozzler, 403, true, true},
		{Brozzler, 503, true, true},
		{Urllib0, 404, true, true},
		{Urllib0, 401, false, true},
		{Urllib, 403, false, true},
		{Urllib, 500, false, true},
	} {
		if allowed, known := c.p.OnError(c.status); known != c.known || known && allowed != c.allowed {
			t.Errorf("%v, status %d: allowed %v, known %v", c.p, c.status, allowed, known)
		}
	}
}

// TestHeritrixGroups has what Heritrix makes of several groups, by which its rules come to a name.
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
		"Wget/2.0.1":               {},
		"libwget/1.0":              {},
		"Wget":                     {},
		"Browsertrix-Crawler 1.10": {}, // nothing says whether it was set to obey robots.txt
		"":                         {},
	} {
		if got := CrawlerOf(software); got != want {
			t.Errorf("%q is %v, want %v", software, got, want)
		}
	}
}
