package evaluate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// pageRecorder remembers what is said of the use of fetches, by record id.
type pageRecorder struct {
	*recorder
	pages map[string]string
}

func (p *pageRecorder) Result(r *Result) error {
	p.pages[r.Fetch.RecordID.String()] = pageText(r)
	return p.recorder.Result(r)
}

// pageText is what is said of the use of a fetch.
func pageText(r *Result) string {
	var parts []string
	if pg := r.Page; pg != nil {
		if s := pg.From.String(); s != "" {
			parts = append(parts, "from="+s)
		}
		for i := range pg.Sets {
			parts = append(parts, fmt.Sprintf("%s[%s]", pg.Sets[i].Agent, pg.Sets[i].Set.String()))
		}
		for _, s := range pg.Signals {
			parts = append(parts, fmt.Sprintf("%s:%s=%s", s.Source, s.Purpose, s.Preference))
		}
		for _, c := range pg.Conflicts {
			parts = append(parts, fmt.Sprintf("conflict %s %s", c.Kind, c.Detail))
		}
	}
	for _, f := range r.Restrictions {
		var said []string
		for _, s := range f.Statements {
			said = append(said, s.String())
		}
		parts = append(parts, fmt.Sprintf("%s %s %s", f.Kind, f.Certainty, strings.Join(said, "; ")))
	}
	return strings.Join(parts, " | ")
}

// saying is a record and what is to be said of it.
type saying struct {
	rec
	said string
}

func checkPages(t *testing.T, opt DecideOptions, list []saying) *Totals {
	t.Helper()
	var a archive
	for _, s := range list {
		a = append(a, s.rec)
	}
	p := &pageRecorder{newRecorder(), make(map[string]string)}
	totals := runInto(t, makeFacts(t, 1, a), opt, p)
	for _, s := range list {
		if diff := cmp.Diff(s.said, p.pages[s.recordID()]); diff != "" {
			t.Errorf("%s at %s (-want +got):\n%s", s.url, s.at, diff)
		}
	}
	return totals
}

func robotsFile(host, at, body string) saying {
	return saying{rec{url: "http://" + host + ".example/robots.txt", at: at, body: body}, ""}
}

func html(url, at, body string, head ...string) rec {
	return rec{url: url, at: at, head: append([]string{"Content-Type: text/html"}, head...), body: body}
}

func TestPages(t *testing.T) {
	const noindex = `<head><meta name=robots content=noindex></head>`
	revisit := func(url, at string, warc ...string) rec {
		return rec{
			url: url, at: at, typ: "revisit",
			warc: append(warc, "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
		}
	}
	digest := func(r rec, d string) rec {
		r.warc = append(r.warc, "WARC-Payload-Digest: sha1:"+d)
		return r
	}
	withHead := func(r rec, lines ...string) rec { r.head = lines; return r }
	totals := checkPages(t, DecideOptions{}, []saying{
		robotsFile("a", "-1h", "User-agent: *\nDisallow: /no\nContent-Signal: ai-train=yes\nUser-agent: "+
			"testbot\nDisallow: /no\nContent-Usage: search=n\n"),
		{
			html("http://a.example/1", "", noindex, "X-Robots-Tag: otherbot: nosnippet"),
			"[noindex] | otherbot[noindex, nosnippet] | robots.txt:search=restrict",
		},
		{html("http://a.example/no/2", "", noindex), "[noindex] | conflict disallowed_yet_tagged noindex"},
		{
			html("http://a.example/3", "", "<body>"+noindex, "Content-Usage: search=y"),
			"robots.txt:search=restrict | header:search=allow | conflict page_allows search",
		},
		{
			html("http://a.example/4", "", "<head><meta name=robots content='index, noindex, noai'>"),
			"[noindex, noai] | robots.txt:search=restrict | meta:train-ai=restrict | meta:ai-input=restrict | " +
				"conflict tags index",
		},
		// Revisits carry their original's statements.
		{digest(html("http://b.example/1", "", noindex, "X-Robots-Tag: nosnippet"), "AAAA"), "[noindex, nosnippet]"},
		{
			revisit("http://b.example/1", "+1h", "WARC-Refers-To-Target-URI: http://b.example/1",
				"WARC-Refers-To-Date: 2024-05-01T12:00:00Z"),
			"from=original | [noindex, nosnippet]",
		},
		{
			withHead(digest(revisit("http://b.example/1", "+2h"), "aaaa"), "X-Robots-Tag: noarchive"),
			"from=original | [noindex, noarchive]",
		},
		{digest(revisit("http://b.example/1", "+3h"), "BBBB"), "from=unknown"},
		{digest(revisit("http://b.example/never", "+3h"), "AAAA"), "from=unknown"},
		{
			revisit("https://b.example/1", "+3h", "WARC-Refers-To-Target-URI: http://b.example/1",
				"WARC-Refers-To-Date: 2024-05-01T12:00:00Z"),
			"from=original | [noindex, nosnippet]",
		}, // it may lie in another origin
		{rec{url: "http://b.example/1", at: "+4h", status: "304 Not Modified"}, "from=original | [noindex, nosnippet]"},
		{rec{url: "http://b.example/5", at: "+4h", status: "304 Not Modified"}, "from=unknown"},

		// What cannot be read is unknown, not absent.
		{html("http://c.example/1", "", "\x01\x02\x03", "Content-Encoding: rot13"), "from=unknown"},
		{html("http://c.example/2", "", "<p>hello"), ""},
		{
			html("http://c.example/3", "", strings.Repeat("<meta name=robots content=noindex>", tag.MaxItems+1)),
			"from=unknown | [noindex]",
		},

		// tdmrep.json holds from its capture on, for the paths that it names; a page goes before it.
		{html("http://d.example/1", "-2h", ""), ""},
		{rec{
			url: "http://d.example/.well-known/tdmrep.json", at: "-1h",
			body: `[{"location":"/1","tdm-reservation":1}]`,
		}, ""},
		{html("http://d.example/1", "", ""), "tdmrep.json:tdm=restrict"},
		{html("http://d.example/1", "+1h", "", "tdm-reservation: 0"), "header:tdm=allow"},
		{
			html("http://d.example/1", "+1h", "", "tdm-reservation: yes"),
			"header:tdm=hint | tdmrep.json:tdm=restrict",
		},
		{html("http://d.example/2", "+1h", ""), ""},
		{rec{url: "http://d.example/.well-known/tdmrep.json", at: "+2h", status: "404 Not Found"}, ""},
		{html("http://d.example/1", "+3h", ""), ""},

		// It may be the target of redirects, and stays as it was where they lead nowhere or it is cut off.
		{rec{
			url: "http://e.example/.well-known/tdmrep.json", at: "-1h", status: "301 Moved",
			head: []string{"Location: https://www.e.example/tdm?v=1"},
		}, ""},
		{rec{
			url: "https://www.e.example/tdm?v=1", at: "-1h", head: []string{"Content-Type: application/json"},
			body: `[{"location":"/1","tdm-reservation":1}]`,
		}, ""},
		{html("http://e.example/1", "", ""), "tdmrep.json:tdm=restrict"},
		{html("https://www.e.example/1", "", ""), ""},
		{rec{
			url: "http://e.example/.well-known/tdmrep.json", at: "+1h", status: "301 Moved",
			head: []string{"Location: /lost"},
		}, ""},
		{rec{
			url: "http://e.example/.well-known/tdmrep.json", at: "+2h", body: `[`,
			warc: []string{"WARC-Truncated: length"},
		}, ""},
		{rec{url: "http://e.example/.well-known/tdmrep.json", at: "+2h", status: "503 Busy"}, ""},
		{html("http://e.example/1", "+3h", ""), "tdmrep.json:tdm=restrict"},
		{rec{
			url: "http://e.example/.well-known/tdmrep.json", at: "+4h", status: "302 Found",
			head: []string{"Location: /404"},
		}, ""},
		{rec{url: "http://e.example/404", at: "+4h", status: "404 Not Found"}, ""},
		{html("http://e.example/1", "+5h", ""), ""},
		// A revisit of it is what its original was.
		{digest(rec{
			url: "http://f.example/.well-known/tdmrep.json", at: "-3h",
			body: `[{"location":"/1","tdm-reservation":1}]`,
		}, "CCCC"), ""},
		{rec{url: "http://f.example/.well-known/tdmrep.json", at: "-2h", body: `[]`}, ""},
		{digest(revisit("http://f.example/.well-known/tdmrep.json", "-1h"), "CCCC"), "from=original"},
		{html("http://f.example/1", "", ""), "tdmrep.json:tdm=restrict"},
	})
	if got := [...]int64{
		totals.Tagged, totals.TagsUnknown, totals.PublicationRestricted, totals.UsageRestricted,
		totals.Conflicting,
	}; got != [...]int64{9, 5, 9, 8, 3} {
		t.Errorf("counted %v", got)
	}
	if n := totals.RestrictionsPublication + totals.RestrictionsUsage; n != 0 {
		t.Errorf("%d findings without a purpose", n)
	}
}

// Without any revisit, too, a 304 is looked up.
func TestPageNotModified(t *testing.T) {
	checkPages(t, DecideOptions{}, []saying{
		{html("http://a.example/1", "", "<head><meta name=robots content=noindex>"), "[noindex]"},
		{rec{url: "http://a.example/1", at: "+1h", status: "304 Not Modified"}, "from=original | [noindex]"},
		{rec{url: "http://a.example/2", at: "+1h", status: "304 Not Modified"}, "from=unknown"},
		// A header field of its own replaces its original's, one of another name does not.
		{
			html("http://a.example/3", "", "", "X-Robots-Tag: noindex", "Robots-Tag: *;noai"),
			"[noindex, noai] | robots-tag:train-ai=restrict | robots-tag:ai-input=restrict",
		},
		{
			rec{
				url: "http://a.example/3", at: "+1h", status: "304 Not Modified",
				head: []string{"X-Robots-Tag: otherbot: nosnippet"},
			},
			"from=original | [noai] | otherbot[nosnippet, noai] | robots-tag:train-ai=restrict | robots-tag:ai-input=restrict",
		},
	})
}

func TestRestrictions(t *testing.T) {
	checkPages(t, DecideOptions{Uses: []tag.Use{tag.UseArchive, tag.UseIndex, tag.UseTrain}}, []saying{
		robotsFile("a", "-1h", "User-agent: *\nDisallow:\nContent-Signal: ai-train=no\n"),
		{
			html("http://a.example/1", "", "", "X-Robots-Tag: none, noarchive"),
			"[noindex, nofollow, noarchive] | robots.txt:train-ai=restrict | publication certain x-robots-tag 1: noarchive | " +
				"publication certain x-robots-tag 1: none; x-robots-tag 1: noarchive | usage probable robots.txt 3: " +
				"Content-Signal: ai-train=no",
		},
		{
			html("http://a.example/2", "", "", "X-Robots-Tag: googlebot: noindex"),
			"googlebot[noindex] | robots.txt:train-ai=restrict | usage probable robots.txt 3: Content-Signal: ai-train=no",
		},
		// A preference is not retroactive, nor does it hold for ever; what was not served is not used.
		{html("http://a.example/3", "+2d", ""), "robots.txt:train-ai=restrict"},
		{rec{url: "http://a.example/4", status: "404 Not Found"}, "robots.txt:train-ai=restrict"},
		{
			rec{url: "http://a.example/5", method: "HEAD", head: []string{"X-Robots-Tag: noarchive"}},
			"[noarchive] | robots.txt:train-ai=restrict",
		},
		{
			html("http://b.example/1", "", `<head><meta name=robots content="noai, max-snippet:-1">`),
			"[max-snippet:-1, noai] | meta:train-ai=restrict | meta:ai-input=restrict | usage certain meta 1: noai",
		},

		// A tdmrep.json that is fetched again unchanged is as new as that.
		{
			rec{
				url: "http://d.example/.well-known/tdmrep.json", at: "-5d",
				body: `[{"location":"/","tdm-reservation":1}]`,
			},
			`tdmrep.json:tdm=restrict | usage probable tdmrep.json 1: {"location":"/","tdm-reservation":1}`,
		},
		{
			rec{
				url: "http://d.example/.well-known/tdmrep.json", at: "-1h",
				body: `[{"location":"/","tdm-reservation":1}]`,
			},
			`tdmrep.json:tdm=restrict | usage probable tdmrep.json 1: {"location":"/","tdm-reservation":1}`,
		},
		{
			html("http://d.example/1", "", ""),
			`tdmrep.json:tdm=restrict | usage probable tdmrep.json 1: {"location":"/","tdm-reservation":1}`,
		},

		// noimageai is said of images: of the response where it is one.
		{
			html("http://b.example/2", "", "", "X-Robots-Tag: noimageai"),
			"[noimageai] | x-robots-tag:train-ai=restrict | x-robots-tag:ai-input=restrict",
		},
		{
			rec{url: "http://b.example/3.png", head: []string{"Content-Type: Image/PNG", "X-Robots-Tag: noimageai"}},
			"[noimageai] | x-robots-tag:train-ai=restrict | x-robots-tag:ai-input=restrict | usage certain " +
				"x-robots-tag 1: noimageai",
		},
		{
			rec{
				url: "http://b.example/3.png", at: "+1h", typ: "revisit", status: "304 Not Modified",
				warc: []string{"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"},
			},
			"from=original | [noimageai] | x-robots-tag:train-ai=restrict | x-robots-tag:ai-input=restrict | usage " +
				"probable x-robots-tag 1: noimageai",
		},

		// A revisit's own statements are certain, its original's are not.
		{
			html("http://b.example/5", "", "", "X-Robots-Tag: noai", "Content-Usage: bots=n"),
			"[noai] | header:automated=restrict | x-robots-tag:train-ai=restrict | x-robots-tag:ai-input=restrict | " +
				"usage certain header 2: Content-Usage: bots=n | usage certain header 2: Content-Usage: bots=n | " +
				"usage certain x-robots-tag 1: noai; header 2: Content-Usage: bots=n",
		},
		{
			rec{
				url: "http://b.example/5", at: "+1h", typ: "revisit", status: "304 Not Modified",
				head: []string{"Robots-Tag: *;noarchive"},
				warc: []string{"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"},
			},
			"from=original | [noarchive, noai] | header:automated=restrict | x-robots-tag:train-ai=restrict | " +
				"x-robots-tag:ai-input=restrict | " +
				"publication certain robots-tag 1: *;noarchive | usage probable header 3: Content-Usage: bots=n | " +
				"publication certain robots-tag 1: *;noarchive | usage probable header 3: Content-Usage: bots=n | usage probable " +
				"x-robots-tag 2: noai; header 3: Content-Usage: bots=n",
		},
		{
			rec{
				url: "http://b.example/5", at: "+2h", typ: "revisit", status: "304 Not Modified",
				head: []string{"X-Robots-Tag: unavailable_after: 2024-05-01", "Content-Usage: search=n"},
				warc: []string{"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"},
			},
			"from=original | [unavailable_after: 2024-05-01T00:00:00Z] | header:search=restrict | publication " +
				"probable x-robots-tag 1: unavailable_after: 2024-05-01 | publication probable x-robots-tag 1: " +
				"unavailable_after: 2024-05-01 | usage certain header 2: Content-Usage: search=n",
		},

		// A date without a zone has passed everywhere twelve hours later than in UTC. Fetches are at 12:00.
		{
			html("http://c.example/1", "", "", "X-Robots-Tag: unavailable_after: 2024-05-01 11:00 GMT"),
			"[unavailable_after: 2024-05-01T11:00:00Z] | publication certain x-robots-tag 1: unavailable_after: " +
				"2024-05-01 11:00 GMT | publication certain x-robots-tag 1: unavailable_after: 2024-05-01 11:00 GMT",
		},
		{
			html("http://c.example/2", "", "", "X-Robots-Tag: unavailable_after: 2024-05-01 11:00"),
			"[unavailable_after: 2024-05-01T11:00:00Z] | publication probable x-robots-tag 1: unavailable_after: " +
				"2024-05-01 11:00 | publication probable x-robots-tag 1: unavailable_after: 2024-05-01 11:00",
		},
		{
			html("http://c.example/3", "", "", "X-Robots-Tag: unavailable_after: 2024-04-30 23:00"),
			"[unavailable_after: 2024-04-30T23:00:00Z] | publication certain x-robots-tag 1: unavailable_after: " +
				"2024-04-30 23:00 | publication certain x-robots-tag 1: unavailable_after: 2024-04-30 23:00",
		},
		{
			html("http://c.example/4", "", "", "X-Robots-Tag: unavailable_after: 2024-05-01 11:00, noarchive"),
			"[noarchive, unavailable_after: 2024-05-01T11:00:00Z] | " +
				"publication certain x-robots-tag 1: noarchive; x-robots-tag 1: unavailable_after: 2024-05-01 11:00 | " +
				"publication certain x-robots-tag 1: noarchive; x-robots-tag 1: unavailable_after: 2024-05-01 11:00",
		},
		{
			html("http://c.example/5", "", "", "X-Robots-Tag: unavailable_after: 2024-05-01 13:00"),
			"[unavailable_after: 2024-05-01T13:00:00Z]",
		},
	})
}

// What the origin prefers contradicts a page only where it is in force for the fetch.
func TestConflictsInForce(t *testing.T) {
	const tdmrep = `[{"location":"/","tdm-reservation":1}]`
	checkPages(t, DecideOptions{}, []saying{
		robotsFile("a", "-2d", "User-agent: *\nContent-Signal: search=no\n"),
		{
			html("http://a.example/1", "", "", "Content-Usage: search=y"),
			"robots.txt:search=restrict | header:search=allow",
		},
		robotsFile("b", "-1h", "User-agent: *\nContent-Signal: search=no\n"),
		{
			html("http://b.example/1", "", "", "Content-Usage: search=y"),
			"robots.txt:search=restrict | header:search=allow | conflict page_allows search",
		},
		robotsFile("c", "+1h", "User-agent: *\nContent-Signal: search=yes\n"),
		{
			html("http://c.example/1", "", "", "Content-Usage: search=n"),
			"robots.txt:search=allow | header:search=restrict",
		},
		{rec{url: "http://d.example/.well-known/tdmrep.json", at: "-2d", body: tdmrep}, "tdmrep.json:tdm=restrict"},
		{html("http://d.example/1", "", "", "Content-Usage: tdm=y"), "tdmrep.json:tdm=restrict | header:tdm=allow"},
		{rec{url: "http://e.example/.well-known/tdmrep.json", at: "-1h", body: tdmrep}, "tdmrep.json:tdm=restrict"},
		{
			html("http://e.example/1", "", "", "Content-Usage: tdm=y"),
			"tdmrep.json:tdm=restrict | header:tdm=allow | conflict page_allows tdm",
		},
	})
}

// Where captures of one moment differ about use, nobody knows which held: the page's
// statements are not all known.
func TestUseInTwoArchives(t *testing.T) {
	t.Parallel()
	robots := func(signal string) rec {
		return robotsFile("a", "-1h", "User-agent: *\nAllow: /\n"+signal).rec
	}
	const no = "Content-Signal: ai-train=no\n"
	for name, c := range map[string]struct{ first, second, want string }{
		"alike":             {no, "# another\n" + no, "robots.txt:train-ai=restrict"},
		"one says nothing":  {no, "", "from=unknown"},
		"the other does":    {"", no, "from=unknown"},
		"they contradict":   {no, "Content-Signal: ai-train=yes\n", "from=unknown"},
		"neither says much": {"", "# another\n", ""},
		// One line is one statement, in which the nearer purpose comes first; two lines are two.
		"in several lines": {
			"Content-Usage: bots=n, train-ai=y\n",
			"Content-Usage: bots=n\nContent-Usage: train-ai=y\n", "from=unknown",
		},
		"in another order": {
			no + "Content-Signal: search=no\n", "Content-Signal: search=no\n" + no,
			"robots.txt:search=restrict | robots.txt:train-ai=restrict",
		},
		// Content-Usage does not apply to what is disallowed.
		"disallowed": {"Disallow: /1\nContent-Usage: search=n\n", "Disallow: /1\nContent-Usage: search=y\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			page := html("http://a.example/1", "", "")
			p := &pageRecorder{newRecorder(), make(map[string]string)}
			runInto(t, makeFacts(t, 1, archive{robots(c.first)}, archive{robots(c.second), page}), DecideOptions{}, p)
			if got := p.pages[page.recordID()]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The statements of a revisit's original are no more certain where something else is not known.
func TestOriginalInTwoArchives(t *testing.T) {
	robots := func(signal string) rec { return robotsFile("a", "+1h", "User-agent: *\n"+signal).rec }
	again := rec{
		url: "http://a.example/1", at: "+2h", typ: "revisit", status: "304 Not Modified",
		head: []string{"Robots-Tag: *;noai"},
		warc: []string{"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"},
	}
	p := &pageRecorder{newRecorder(), make(map[string]string)}
	runInto(t, makeFacts(t, 1,
		archive{html("http://a.example/1", "", "", "X-Robots-Tag: noarchive"), robots("Content-Signal: search=no\n")},
		archive{robots("Content-Signal: search=yes\n"), again}),
		DecideOptions{Uses: []tag.Use{tag.UseArchive, tag.UseTrain}}, p)
	want := "from=unknown | [noarchive, noai] | robots-tag:train-ai=restrict | robots-tag:ai-input=restrict | " +
		"publication probable x-robots-tag 2: noarchive | usage certain robots-tag 1: *;noai"
	if diff := cmp.Diff(want, p.pages[again.recordID()]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A meta's name is a product token only where it is known as one, or marked as one.
func TestMetaNames(t *testing.T) {
	metas := func(list ...string) string {
		head := "<head>"
		for i := 0; i < len(list); i += 2 {
			head += fmt.Sprintf("<meta name='%s' content='%s'>", list[i], list[i+1])
		}
		return head
	}
	by := func(ua string, r rec) rec { r.ua = ua; return r }
	checkPages(t, DecideOptions{Agents: []string{"AskedFor"}, Uses: []tag.Use{tag.UseIndex}}, []saying{
		{
			html("http://a.example/1", "",
				metas("msapplication-config", "none", "*", "noindex", "x-robots", "noindex", "fb", "all")),
			"x-robots[noindex]",
		},
		{html("http://a.example/2", "", metas("msapplication-config", "none")), ""},
		{
			html("http://a.example/3", "",
				metas("GPTBot", "noai", "Slurp", "noindex", "yandex", "noindex", "askedfor", "none")),
			"askedfor[noindex, nofollow] | gptbot[noai] | slurp[noindex] | yandex[noindex]",
		},
		{
			html("http://a.example/4", "",
				metas("my-CRAWLER", "noindex", "aSpiderX", "noindex", "oneBotTwo", "noindex", "fetcher", "noindex")),
			"aspiderx[noindex] | my-crawler[noindex] | onebottwo[noindex]",
		},
		// The crawler that got the page knows its own name, whoever else is in the archives.
		{
			by("Fetcher/1.0", html("http://a.example/5", "", metas("FETCHER", "noindex", "other", "noindex"))),
			"fetcher[noindex] | publication certain meta 1: noindex",
		},
		{
			by("Other/1.0", html("http://a.example/6", "", metas("FETCHER", "noindex", "other", "noarchive"))),
			"other[noarchive] | publication certain meta 2: noarchive",
		},
		// A list of names is one of tokens and of what is none.
		{html("http://a.example/7", "", metas("googlebot, fetcher", "noindex")), "googlebot[noindex]"},
		// A header's prefix is a token by its place.
		{html("http://a.example/8", "", "", "X-Robots-Tag: fetcher: noindex"), "fetcher[noindex]"},
	})
}

// What dates restrict is judged at the moment of the audit; signals stay as at the fetch.
// Fetches are at 12:00 on 1 May 2024.
func TestAsOf(t *testing.T) {
	at := func(s string) AsOf {
		when, err := ParseAsOf(s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	const (
		dated  = "[unavailable_after: 2024-06-01T00:00:00Z]"
		binds  = " meta 1: unavailable_after: 2024-06-01 00:00"
		signal = "robots.txt:train-ai=restrict"
		usage  = " | usage probable robots.txt 3: Content-Signal: ai-train=no"
	)
	for _, c := range []struct {
		asOf        AsOf
		page, dead  string // of a page with a date, and of a 404 with one
		publication int64
	}{
		{AsOf{}, "", "", 0},
		{at("2024-06-01T00:00:00Z"), "", "", 0},
		{at("2024-06-01T00:00:01Z"), " | publication probable" + binds, "", 2}, // it has no zone
		{at("2024-06-01T12:00:01Z"), " | publication certain" + binds, "", 2},
		{at("2023-01-01T00:00:00Z"), "", "", 0},
		{at("2024-05-31"), "", "", 0},
		{at("2024-06-01"), " | publication probable" + binds, "", 2}, // not all of that day
		{at("2024-06-02"), " | publication certain" + binds, "", 2},
	} {
		const meta = "<head><meta name=robots content='unavailable_after: 2024-06-01 00:00'>"
		gone := html("http://a.example/2", "", meta)
		gone.status = "404 Not Found"
		totals := checkPages(t, DecideOptions{AsOf: c.asOf, Uses: []tag.Use{tag.UseArchive, tag.UseTrain}}, []saying{
			robotsFile("a", "-1h", "User-agent: *\nDisallow:\nContent-Signal: ai-train=no\n"),
			{html("http://a.example/1", "", meta), dated + " | " + signal + c.page + usage},
			{gone, dated + " | " + signal},
			{html("http://a.example/3", "+25h", ""), signal},
		})
		if totals.PublicationRestricted != c.publication {
			t.Errorf("as of %v: %d restricted, want %d", c.asOf, totals.PublicationRestricted, c.publication)
		}
	}
}

// A date without a time of day may mean its end.
func TestDateWithoutClock(t *testing.T) {
	for date, want := range map[string]string{
		"2024-04-29":                    "certain", // 36 hours before
		"2024-04-30 GMT":                "certain",
		"2024-04-30":                    "probable",
		"1 May 2024 GMT":                "probable",
		"Wed, 01 May 2024 11:59:59 GMT": "certain",
	} {
		checkPages(t, DecideOptions{Uses: []tag.Use{tag.UseArchive}}, []saying{
			{
				html("http://a.example/1", "", "", "X-Robots-Tag: unavailable_after: "+date),
				fmt.Sprintf("[unavailable_after: %s] | publication %s x-robots-tag 1: unavailable_after: %s",
					readDate(t, date), want, date),
			},
		})
	}
}

func readDate(t *testing.T, date string) string {
	tags := tag.ReadHeaders("X-Robots-Tag: unavailable_after: " + date).Tags
	from, ok := tags[0].Until()
	if !ok {
		t.Fatal(date)
	}
	return from.Format(time.RFC3339)
}

// A restriction names what is said against the purpose, and nothing else.
func TestStatements(t *testing.T) {
	checkPages(t, DecideOptions{Uses: []tag.Use{tag.UseIndex}}, []saying{
		{
			html("http://a.example/1", "", "",
				"X-Robots-Tag: max-snippet:-1, max-snippet:20, max-snippet:x, max-image-preview:large, "+
					"unavailable_after: 2030-01-01"),
			"[max-snippet:20, max-image-preview:large, unavailable_after: 2030-01-01T00:00:00Z] | conflict tags " +
				"values | publication certain x-robots-tag 1: max-snippet:20",
		},
		{
			html("http://a.example/2", "", "", "Robots-Tag: *;noindex;nosnippet, otherbot;noarchive"),
			"[noindex, nosnippet] | otherbot[noindex, nosnippet, noarchive] | publication certain robots-tag 1: " +
				"*;noindex;nosnippet",
		},
		{html("http://a.example/3", "", "", "Robots-Tag: testbot"), ""},
		{
			html("http://a.example/4", "", "", "X-Robots-Tag: index, noindex, all, follow"),
			"[noindex, follow] | conflict tags index | publication certain x-robots-tag 1: noindex",
		},
	})
	// The page's own statements are certain, whatever its origin states as well.
	checkPages(t, DecideOptions{Uses: []tag.Use{tag.UseTrain}}, []saying{
		robotsFile("a", "-1h", "User-agent: *\nDisallow:\nContent-Signal: ai-train=no\n"),
		{
			html("http://a.example/1", "", "", "Content-Usage: train-ai=n"),
			"robots.txt:train-ai=restrict | header:train-ai=restrict | " +
				"usage certain robots.txt 3: Content-Signal: ai-train=no; header 1: Content-Usage: train-ai=n",
		},
	})
}

// ai.txt is reported where it was got; trust.txt and llms.txt are pages like others.
func TestPolicyFiles(t *testing.T) {
	t.Parallel()
	at := func(path string) rec { return rec{url: "http://d.example" + path, at: "-1h", body: "x"} }
	missing, head := at("/ai.txt"), at("/ai.txt")
	missing.status, head.method = "404 Not Found", "HEAD"
	totals := checkPages(t, DecideOptions{}, []saying{
		{at("/ai.txt"), ""},
		{at("/.well-known/ai.txt"), ""},
		{at("/trust.txt"), ""},
		{at("/llms.txt"), ""},
		{at("/a/ai.txt"), ""},
		{at("/AI.txt"), ""},
		{missing, ""},
		{head, ""},
	})
	if totals.PolicyFiles != 2 {
		t.Errorf("%d policy files, want 2", totals.PolicyFiles)
	}
}
