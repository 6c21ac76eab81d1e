// Package documenttest makes compliance reports of invented data, for tests of renderers.
package documenttest

import (
	"fmt"
	"strings"

	"github.com/robotsaudit/robotsaudit/report/document"
)

// Hostile are texts that an archive may put into a report, as a Document holds them: control and
// bidirectional characters are visible already, and what means something to HTML, Markdown,
// JavaScript or a shell is there for the renderer to escape.
var Hostile = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`</script><script>alert(2)</script>`,
	`<!--<script>`,
	`'-alert(3)-'`,
	`javascript:alert(4)`,
	`{{.Title}} ${7*7} {%x%}`,
	"`; | a | **b** [c](javascript:d) \\",
	`=HYPERLINK("http://evil.example","x")`,
	`&lt;b&gt; &amp;`,
	`left⟨U+202E⟩thgir⟨U+0000⟩`,
}

// Sample is a report with all sections filled, hostile texts among them.
func Sample() *document.Document {
	evil := Hostile[0]
	return &document.Document{
		Title:    "Compliance with robots.txt " + evil,
		Operator: "Example Archive " + Hostile[1],
		Date:     "2025-06-01",
		Answer: document.Answer{
			Level: document.LevelViolations,
			Sentence: "32 of the 181 fetches that robots.txt could decide were certainly disallowed by it, and 8 " +
				"more probably.",
			Details: []string{
				"Of 7 fetches (3.9 %) these archives do not show what robots.txt said: they count as neither.",
				"8 more were disallowed, and nothing proves that they are violations: 3 possible, 5 contested.",
				"One archive could not be read to its end: fetches may be missing.",
			},
		},
		Scope:      scope(),
		Certainty:  certainty(),
		Timeline:   timeline(),
		Sites:      sites(),
		Violations: violations(),
		Unproven:   unproven(),
		Unknown: document.Tables{
			Section: document.Section{ID: "unknown", Heading: "What is unknown"},
			Tables: []document.Table{{
				ID: "unknown-reasons", Caption: "Fetches with an unknown verdict, by reason",
				Columns: columns("Reason", "words", "Fetches", "number", "What would settle it", "words"),
				Rows: [][]document.Cell{
					row("No robots.txt was captured before the fetch, nor within 24 hours after it.", 4,
						"Archives that hold the robots.txt of these sites."),
					row("The file changed about then.", 3, "More captures of robots.txt between the two."),
				},
			}},
		},
		Use: document.Tables{Section: document.Section{
			ID: "use", Heading: "Restrictions on publication and use",
			Intro: []string{"None of these is a violation."},
		}, Tables: []document.Table{
			{
				ID: "use-restrictions", Caption: "Restrictions by purpose",
				Columns: columns("Purpose", "words", "Publication", "number", "Use", "number"),
				Rows:    [][]document.Cell{row("Training AI", 0, 20), row("An archive that the public can read", 3, 0)},
			},
			{
				ID: "use-signals", Caption: "Usage signals",
				Columns: columns("Use", "words", "Restricted", "number", "Allowed", "number"),
				Empty:   "No page or site states a usage signal.",
			},
		}},
		WhatIf: document.Tables{
			Section: document.Section{ID: "what-if", Heading: "Other crawlers"},
			Tables: []document.Table{{
				ID: "what-if-agents", Caption: "Sites by the access that each crawler would have had",
				Columns: columns("Crawler", "words", "Full", "number", "Partial", "number", "None", "number",
					"Unknown", "number"),
				Rows: [][]document.Cell{row("GPTBot", 20, 10, 4, 2), row("CCBot", 30, 2, 2, 2), row(evil, 0, 0, 36, 0)},
			}},
		},
		Unread: document.Tables{
			Section: document.Section{ID: "unread", Heading: "What could not be read"},
			Tables: []document.Table{{
				ID: "unread-inputs", Caption: "Archives with problems",
				Columns: columns("File", "code", "Problem", "words", "Times", "number"),
				Rows: [][]document.Cell{row("crawl/"+Hostile[2]+".warc.gz",
					"A compressed record does not match its checksum or length.", 2)},
				More: "and 3 more: table issues",
			}},
		},
		Changes: changes(),
		Method:  method(),
		SignOff: document.SignOff{
			Section: document.Section{ID: "sign-off", Heading: "Sign-off"},
			Lines:   []string{"Prepared by", "Checked by", "Approved by"},
		},
		Excerpts:   excerpts(),
		Disclaimer: "robots.txt is a request, not an authorization (RFC 9309, section 1): disallowed does not mean illegal.",
	}
}

// columns makes columns of names and kinds, in turn.
func columns(namesAndKinds ...string) (list []document.Column) {
	for i := 0; i < len(namesAndKinds); i += 2 {
		list = append(list, document.Column{Name: namesAndKinds[i], Kind: document.Kind(namesAndKinds[i+1])})
	}
	return list
}

// row makes cells of texts and numbers.
func row(values ...any) (cells []document.Cell) {
	for _, v := range values {
		switch v := v.(type) {
		case int:
			cells = append(cells, document.Cell{Text: fmt.Sprint(v), Number: int64(v)})
		case string:
			cells = append(cells, document.Cell{Text: v})
		}
	}
	return cells
}

func scope() document.Scope {
	return document.Scope{
		Section: document.Section{ID: "scope", Heading: "What was audited"},
		Terms: []document.Term{
			{Name: "Period", Values: []string{"3 March 2025, 09:00:00 UTC, to 6 May 2025, 12:00:03 UTC"}},
			{Name: "Crawlers", Values: []string{"ExampleBot", "OtherBot", Hostile[10]}},
			{Name: "Collections", Values: []string{"crawl-a", "crawl-b"}},
			{Name: "Program", Values: []string{"robotsaudit v1.2.3, tables of schema version 2"}},
			{Name: "Settings", Values: []string{
				"Profile rfc9309: RFC 9309 by the letter.",
				"Public suffix list of 2025-01-01.",
			}},
		},
		Crawlers: document.Table{
			ID: "crawlers", Caption: "Crawlers",
			Columns: columns("Crawler", "words", "Claims about robots.txt", "words", "Fetches", "number", "Violations",
				"number", "Unknown", "number"),
			Rows: [][]document.Cell{
				row("ExampleBot", "obey", 200, 40, 3), row("not known", "nothing", 84, 0, 4),
				row(Hostile[9], Hostile[6], 1, 0, 0),
			},
		},
		Inputs: document.Table{
			ID: "inputs", Caption: "Archives",
			Columns: columns("File", "code", "Bytes", "number", "Form", "words", "Fetches", "number",
				"SHA-256 or fingerprint", "code"),
			Rows: [][]document.Cell{
				row("crawl-a-1.warc.gz", 123456, "warc.gz", 120, "sha256:"+strings.Repeat("0f", 32)),
				row("crawl-b/"+Hostile[1]+".warc", 9876, "warc", 164, "fingerprint 3d6af5f6eb11"),
			},
			Notes: []string{"A fingerprint chains the checksums of an archive's records. With --digest-inputs the " +
				"SHA-256 of each file stands here."},
		},
	}
}

func certainty() document.Certainty {
	return document.Certainty{
		Section: document.Section{ID: "certainty", Heading: "How certain it is"},
		Classes: []document.Class{
			{
				ID: "certain", Label: "Certain violations", Count: 32, Words: "32 fetches, 17.7 %",
				Meaning: "The crawler's own copy of robots.txt, at most 24 hours old, disallows the fetch, and no " +
					"copy allows it.",
			},
			{
				ID: "probable", Label: "Probable violations", Count: 8, Words: "8 fetches, 4.4 %",
				Meaning: "A robots.txt captured in time forbids it, but a doubt remains.",
			},
			{
				ID: "possible", Label: "Possible", Count: 3, Words: "3 fetches, 1.7 %",
				Meaning: "Disallowed, but nothing shows that the crawler was informed in time.",
			},
			{
				ID: "contested", Label: "Contested", Count: 5, Words: "5 fetches, 2.8 %",
				Meaning: "Disallowed, but another copy or an open reading allows the fetch.",
			},
			{
				ID: "unknown", Label: "Unknown", Count: 7, Words: "7 fetches, 3.9 %",
				Meaning: "These archives do not show what robots.txt said.",
			},
			{
				ID: "allowed", Label: "Allowed", Count: 126, Words: "126 fetches, 69.6 %",
				Meaning: "robots.txt did not forbid them.",
			},
			{
				ID: "robots", Label: "robots.txt itself", Count: 103, Words: "103 fetches, in no share",
				Meaning: "Fetches of robots.txt are always allowed.",
			},
		},
		Totals: []string{
			"Leaving the unknown out: 48 of 174 fetches were disallowed (27.6 %).",
			"Counting the unknown: between 48 (26.5 %) and 55 (30.4 %) of 181 fetches were disallowed.",
		},
	}
}

func timeline() document.Timeline {
	t := document.Timeline{
		Section: document.Section{
			ID: "timeline", Heading: "Over time",
			Intro: []string{"Fetches by week; robots.txt changed where there is a mark."},
		},
		Unit:    document.Week,
		Claims:  []string{"says that it obeys robots.txt (obey)", "says nothing", Hostile[0]},
		Undated: "2 fetches have no usable date and are not shown.",
		More:    "12 earlier weeks are left out.",
	}
	for i := range 9 {
		start := fmt.Sprintf("2025-03-%02d", 3+3*i)
		p := document.Period{Start: start, Label: "week of " + start, Tally: tally(30+3*i, i, i%2)}
		if i%4 == 1 {
			p.Changes, p.Mark = 1, "robots.txt changed once: http://a.example"
		}
		t.Periods = append(t.Periods, p)
		t.Counts = append(t.Counts,
			document.ClaimCount{Period: i, Claim: 0, Tally: tally(20, i, 0)}, document.ClaimCount{
				Period: i, Claim: 1,
				Tally: tally(10+3*i, 0, i%2),
			})
	}
	return t
}

func tally(fetches, violations, unknown int) document.Tally {
	return document.Tally{Fetches: int64(fetches), Violations: int64(violations), Unknown: int64(unknown)}
}

func sites() document.Tables {
	long := "http://" + strings.Repeat("very-long-label.", 14) + "example"
	return document.Tables{
		Section: document.Section{ID: "sites", Heading: "Sites"},
		Tables: []document.Table{
			{
				ID: "sites-domains", Caption: "By registered domain",
				Columns: columns("Domain", "code", "Fetches", "number", "Certain", "number", "Probable", "number",
					"Unproven", "number", "Unknown", "number", "First fetch", "moment", "Last fetch", "moment"),
				Rows: [][]document.Cell{
					row("a.example", 100, 30, 8, 2, 1, "2025-03-03 09:00:00 UTC", "2025-04-01 10:00:00 UTC"),
					row("b.example", 84, 2, 0, 6, 6, "2025-03-04 09:00:00 UTC", "2025-05-06 12:00:03 UTC"),
				},
				More: "and 212 more: table host_stats",
			},
			{
				ID: "sites-origins", Caption: "By origin",
				Columns: columns("Origin", "code", "Fetches", "number", "Violations", "number",
					"Rule that forbade most", "code"),
				Rows: [][]document.Cell{
					row("http://a.example", 100, 38, "Disallow: /private/ (30 times)"),
					row(long, 84, 2, "Disallow: /"+Hostile[0]+" (2 times)"),
				},
			},
			{
				ID: "sites-collections", Caption: "By collection",
				Columns: columns("Collection", "words", "Fetches", "number", "Violations", "number", "Unknown",
					"number"),
				Rows: [][]document.Cell{row("crawl-a", 120, 40, 3), row(Hostile[7], 164, 0, 4)},
			},
			{
				ID: "sites-kinds", Caption: "Pages, embeds and seeds",
				Columns: columns("Kind", "words", "Fetches", "number", "Violations", "number", "Unknown", "number"),
				Empty:   "The archives do not show which fetches were pages, embeds or seeds.",
			},
		},
	}
}

func violations() document.Findings {
	f := document.Findings{
		Section: document.Section{
			ID: "violations", Heading: "Violations",
			Intro: []string{"Each of these fetches was disallowed by robots.txt."},
		},
		Total: 1_000_000,
		Empty: "No fetch is shown to have been disallowed.",
		More:  "999,960 more are in the table violations.",
		Summary: []document.Table{{
			ID: "violations-rules", Caption: "Rules with most violations",
			Columns: columns("Rule", "code", "Origin", "code", "Violations", "number"),
			Rows: [][]document.Cell{
				row("Disallow: /private/", "http://a.example", 30),
				row("Disallow: /"+Hostile[5], "http://b.example", 2),
			},
		}},
	}
	for i := range 40 {
		certainty := "certain"
		if i >= 32 {
			certainty = "probable"
		}
		f.List = append(f.List, finding(i, certainty))
	}
	f.List[1].URL, f.List[1].Shortened = "http://a.example/"+strings.Repeat("x", 140)+"… (65,536 bytes) …"+
		strings.Repeat("y", 40), true
	return f
}

func finding(i int, certainty string) document.Finding {
	url := fmt.Sprintf("http://a.example/private/%d?q=%s", i, Hostile[i%len(Hostile)])
	when := fmt.Sprintf("2025-03-%02d 10:15:%02d UTC", 3+i/8, i)
	return document.Finding{
		Row: int64(i + 1), Certainty: certainty,
		Sentence: fmt.Sprintf("On %d March 2025 at 10:15:%02d UTC ExampleBot fetched %s, which the robots.txt that "+
			"it had fetched 14 minutes earlier disallows to it (line 12, “Disallow: /private/”).", 3+i/8, i, url),
		Time: when, Crawler: "ExampleBot",
		UserAgent: "ExampleBot/1.0 (+http://bot.example/) " + Hostile[i%len(Hostile)],
		URL:       url, Origin: "http://a.example", Rule: "Disallow: /private/", Line: 12, Excerpt: i % 3,
		Proof: []document.Term{
			{
				Name:   "robots.txt captured",
				Values: []string{"2025-03-03 10:01:00 UTC by ExampleBot, 14 minutes before the fetch"},
			},
			{
				Name:   "How it was reached",
				Values: []string{"http://a.example/robots.txt redirected to https://a.example/robots.txt."},
			},
			{
				Name:   "Copies considered",
				Values: []string{"2 captures within 24 hours before the fetch; each disallows it."},
			},
			{
				Name:   "Why it is not contested",
				Values: []string{"No copy that the crawler may have used allows the fetch, and no open reading does."},
			},
		},
		Records: []document.Record{
			{
				What: "The fetch", File: "crawl-a-1.warc.gz", Offset: int64(1000 * i), Length: 999,
				ID:     "urn:uuid:00000000-0000-4000-8000-00000000000" + fmt.Sprint(i%10),
				Digest: "sha1:" + strings.Repeat("A", 32),
			},
			{
				What: "The robots.txt", File: "crawl-a-1.warc.gz", Offset: 512, Length: 488,
				Digest: "sha256:" + strings.Repeat("0f", 32),
			},
		},
		Commands: []document.Term{
			{Name: "Explain it", Values: []string{fmt.Sprintf("robotsaudit explain -o OUT 'crawl-a-1.warc.gz:%d'",
				1000*i)}},
			{Name: "Extract it without this program", Values: []string{
				fmt.Sprintf("dd if='crawl-a-1.warc.gz' bs=1 skip=%d count=999 | gzip -dc", 1000*i),
				"dd if='crawl-a-1.warc.gz' bs=1 skip=512 count=488 | gzip -dc",
			}},
		},
	}
}

func unproven() document.Findings {
	f := document.Findings{
		Section: document.Section{
			ID: "unproven", Heading: "Disallowed, but not proven",
			Intro: []string{"As far as these archives show, none of these is a violation."},
		},
		Total: 8,
		Summary: []document.Table{{
			ID: "unproven-causes", Caption: "What would settle them",
			Columns: columns("Cause", "words", "Fetches", "number", "What would settle it", "words"),
			Rows: [][]document.Cell{
				row("Another copy allows the fetch.", 5, "The crawler's own log."),
				row("robots.txt was captured only after the fetch.", 3, "An archive with an earlier capture."),
			},
		}},
	}
	for i := range 8 {
		certainty := "possible"
		if i >= 3 {
			certainty = "contested"
		}
		u := finding(i, certainty)
		u.Settle = []string{"An archive that holds an earlier capture of robots.txt."}
		f.List = append(f.List, u)
	}
	return f
}

func changes() *document.Changes {
	return &document.Changes{
		Section: document.Section{ID: "changes", Heading: "Changes since the audit before"},
		Counts: []document.Class{
			{
				ID: "new", Label: "New violations", Count: 3, Words: "3 fetches",
				Meaning: "They are in this audit alone.",
			},
			{ID: "gone", Label: "Gone", Count: 1, Words: "1 fetch", Meaning: "It was in the audit before alone."},
		},
		Tables: []document.Table{{
			ID: "changes-origins", Caption: "Changes by origin",
			Columns: columns("Origin", "code", "New", "number", "Gone", "number"),
			Rows:    [][]document.Cell{row("http://a.example", 3, 1)},
		}},
	}
}

func method() document.Method {
	return document.Method{
		Section: document.Section{ID: "method", Heading: "Method and words", Intro: []string{
			"Each fetch is judged by the robots.txt of its origin as these archives hold it (RFC 9309, section 2.3).",
			"Of the rules that match, the longest decides (section 2.2.2).",
		}},
		Glossary: []document.Term{
			{Name: "origin", Values: []string{"Scheme, host and port: what one robots.txt speaks for."}},
			{Name: "capture", Values: []string{"A record of a robots.txt, as fetched at one moment."}},
		},
	}
}

func excerpts() []document.Excerpt {
	return []document.Excerpt{
		{
			Source: "http://a.example/robots.txt, captured 2025-03-03 10:01:00 UTC",
			Lines: []document.Line{
				{Number: 1, Text: "# hello " + Hostile[0]},
				{Number: 2, Text: "User-agent: ExampleBot", Mark: document.MarkGroup, Label: "group"},
				{Number: 3, Text: "Crawl-delay: 1"},
				{Number: 0, Text: "6 lines left out"},
				{Number: 10, Text: Hostile[10]},
				{Number: 11, Text: ""},
				{Number: 12, Text: "Disallow: /private/", Mark: document.MarkRule, Label: "rule"},
				{Number: 13, Text: "    Allow: /private/" + strings.Repeat("z", 300) + "… (cut)"},
			},
		},
		{
			Source:  "http://b.example/robots.txt, captured 2025-03-03 10:01:00 UTC",
			Missing: "robots.txt answered with status 503, so there is no line to show.",
		},
		{
			Source: "http://c.example/robots.txt, captured 2025-03-03 10:01:00 UTC",
			Lines: []document.Line{
				{Number: 1, Text: "User-agent: *", Mark: document.MarkGroup, Label: "group"},
				{Number: 2, Text: "Disallow: /", Mark: document.MarkRule, Label: "rule"},
			},
		},
	}
}
