package figures

import (
	"github.com/robotsaudit/robotsaudit/internal/words"

	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// method states how the verdicts were reached, and the meaning of the report's words.
func method() document.Section {
	class := func(c words.Certainty) document.Term {
		return document.NewTerm(c.String(), prose.PlainMarkdown(words.Certainties[c].Meaning))
	}
	return document.Section{
		ID: "method", Heading: "Method and words", Intro: []string{
			"Each fetch in the archives is judged by the robots.txt of its origin, as the archives hold it at that " +
				"moment (RFC 9309, section 2.3). The crawler’s own latest capture governs if it is at most 24 " +
				"hours old (section 2.4), otherwise the latest by anyone, otherwise one within 24 hours after the fetch.",
			"In the file, the groups that name the crawler’s product token count, otherwise those for * (section " +
				"2.2.1); of their rules that match, the most specific decides, and between equals the one that " +
				"allows (section 2.2.2).",
			"A robots.txt that answers with 4xx allows everything (section 2.3.1.3); one that fails with 5xx or not " +
				"at all forbids everything (section 2.3.1.4). Redirects are followed up to five times (section 2.3.1.2).",
			"Doubts count for the crawler: whatever another copy or an open reading of the standard allows is " +
				"contested and no violation. What the archives do not show is unknown, never allowed and never a violation.",
			"Each finding names the records that prove it: anyone can read them with the commands given, in the " +
				"folder of the archives; OUT stands for the folder of the result tables. Lines of a robots.txt are " +
				"counted in its body without chunks and compression. The tables hold everything in this report, and more.",
			document.Disclaimer,
		},
		Terms: []document.Term{
			document.NewTerm("origin", "Scheme, host and port of a URL: what one robots.txt speaks for (RFC 9309, section 2.3)."),
			document.NewTerm("fetch", "One exchange with a server that an archive holds, or a request to the site that its access "+
				"log reports. Each hop of a redirect is one."),
			document.NewTerm("capture", "A record of a robots.txt, as fetched at one moment."),
			document.NewTerm("product token", "The name by which robots.txt addresses a crawler; it is part of its "+
				"User-Agent (section 2.2.1)."),
			document.NewTerm("group, rule", "User-agent lines with the allow and disallow lines that follow them (sections "+
				"2.2.1 and 2.2.2)."),
			class(words.Certain), class(words.Probable), class(words.Possible), class(words.Contested),
			document.NewTerm("unknown", "The archives do not show it: neither allowed nor disallowed."),
			document.NewTerm("fresh, stale", "Captured at most 24 hours before the fetch, or longer before (section 2.4)."),
			document.NewTerm("revisit", "A record which says that the server sent the same as before; the body stands in "+
				"an earlier record."),
			document.NewTerm("⟨U+202E⟩", "A character of an archive’s text that cannot be seen, by its number."),
		},
	}
}

func signOff() document.Section {
	return document.Section{
		ID: "sign-off", Heading: "Sign-off", Intro: []string{"To be filled in by hand: name, date, signature."},
		Blanks: []string{"Prepared by", "Checked against the archives by", "Approved by"},
	}
}
