package forms

import (
	"fmt"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// Annex is what was found on measures 1.2 and 1.3 of the Code of Practice's copyright chapter. It is for the provider,
// and no part of the summary.
func (f *Figures) Annex() *Form {
	b := &Form{
		Title: "What the archives show of crawlers and reservations: an annex for the provider",
		Setup: f.setup,
		Intro: []string{
			"This annex is no part of the public summary. It helps to describe crawlers and the respect of reservations, and to review what the Code of " +
				"Practice's copyright chapter asks.", notLegal,
		},
	}
	b.Sections = []document.Section{
		f.scope(b),
		withTables(section("Measure 1.2: reproduce and extract only lawfully accessible content",
			field("Not to circumvent effective technological measures", append(f.refused(b), toState("how the crawler goes on after "+
				"a refusal"))...),
			field("To exclude websites recognised as persistently infringing copyright", toState("which were excluded. The view names "+
				"(see the last section) has all names that were crawled, for a comparison with the list that the Union publishes")),
		), f.refusalTable(b)),
		withTables(section("Measure 1.3: identify and comply with rights reservations",
			field("Crawlers that read and follow robots.txt (RFC 9309)", f.obeyed(b),
				"They were judged by the profile "+f.res.Audit().Settings.Profile+".", toState("what was done about those disallowed")),
			f.found(b),
			field("Information for rightsholders on crawlers, and a point of contact", toState("")),
		), f.verdictTable(b), f.claimTable(b), f.outcomeTable(b), f.signalTable(b)),
	}
	return b
}

// obeyed is what the tables show of how the crawlers followed robots.txt.
func (f *Figures) obeyed(b *Form) string {
	return b.say("Fetches that are certain or probable violations of robots.txt: %s; disallowed, and not proven to be violations: %s; "+
		"allowed: %s; for which the archives do not show whether robots.txt allowed them: %s",
		"SELECT count(*) FILTER (certainty IN ('certain', 'probable')), count(*) FILTER (certainty IN ('possible', 'contested')), "+
			"count(*) FILTER (verdict = 'allowed'), count(*) FILTER (verdict = 'unknown') FROM audited WHERE reason <> 'robots_txt_itself'",
		f.verdicts[[2]string{"disallowed", "certain"}]+f.verdicts[[2]string{"disallowed", "probable"}],
		f.verdicts[[2]string{"disallowed", "possible"}]+f.verdicts[[2]string{"disallowed", "contested"}],
		f.verdicts.of("allowed"), f.verdicts.of("unknown"))
}

// refused is what the tables show of refusals, and of what followed them.
func (f *Figures) refused(b *Form) []string {
	kinds := func(n counts) []any {
		challenge, auth, payment := n.of("challenge"), n.of("auth"), n.of("payment")
		return []any{challenge, auth, payment, n.all() - challenge - auth - payment}
	}
	const byKind = "SELECT count(*) FILTER (refusal = 'challenge'), count(*) FILTER (refusal = 'auth'), count(*) FILTER (refusal = " +
		"'payment'), count(*) FILTER (refusal NOT IN ('challenge', 'auth', 'payment')) FROM audited AS r WHERE reason <> 'robots_txt_itself'"
	return []string{
		b.say("Fetches that the server refused: with a challenge, such as a captcha: %s; for want of credentials, such as a "+
			"subscription: %s; for want of payment: %s; otherwise: %s", byKind, kinds(f.refusals)...),
		b.say("Refused fetches after which the same crawler received content from the same URL: with a challenge: %s; for want of "+
			"credentials: %s; for want of payment: %s; otherwise: %s", byKind+" AND EXISTS (FROM content AS c WHERE c.url = r.url AND "+
			"c.agent IS NOT DISTINCT FROM r.agent AND c.fetch_time > r.fetch_time)", kinds(f.overcome)...),
		"A cookie, a licence, a human or a changed server may be behind that. The archives cannot show whether a measure was circumvented.",
		"Challenges are recognised by known marks alone, so there may be more. A paywall that answers with a page shows nothing of it.",
	}
}

func (f *Figures) refusalTable(b *Form) document.Table {
	return b.table("Refusals by servers", "No server refused, as far as the tables show",
		"SELECT refusal, count(*) FROM audited WHERE refusal IS NOT NULL AND reason <> 'robots_txt_itself' "+
			"GROUP BY ALL ORDER BY refusal",
		withNumbers("Refusal", "Fetches"), f.refusals.rows(1))
}

func (f *Figures) verdictTable(b *Form) document.Table {
	rows := f.verdicts.rows(2)
	for _, row := range rows {
		if row[1] == "" {
			row[1] = "no finding"
		}
	}
	t := b.table("What robots.txt said of the fetches", "There is none",
		"SELECT verdict, coalesce(certainty, 'no finding') AS certainty, count(*) FROM audited "+
			"WHERE reason <> 'robots_txt_itself' GROUP BY ALL ORDER BY verdict, certainty",
		append(document.Words.Columns("Verdict", "Certainty that the crawler violated it"), document.Number.Columns("Fetches")...), rows)
	var classes []string
	for _, class := range words.Certainties[words.Certain:] {
		classes = append(classes, prose.Capital(class.Name)+": "+class.Meaning)
	}
	t.Notes = []string{strings.Join(classes, " ") + " No finding: robots.txt allowed the fetch, or the verdict is unknown."}
	return t
}

func (f *Figures) claimTable(b *Form) document.Table {
	rows := f.claims.rows(1)
	for _, row := range rows {
		row[0] = orNull(row[0].(string))
	}
	return b.table("What the archives claim of obedience to robots.txt (warcinfo), which proves nothing; with fetches "+
		"of robots.txt itself", "There is no fetch",
		"SELECT claim, count(*) FROM audited GROUP BY ALL ORDER BY claim NULLS FIRST LIMIT "+fmt.Sprint(maxListed),
		withNumbers("Claim", "Fetches"), rows[:min(len(rows), maxListed)])
}

// found is what pages and sites were found to reserve.
func (f *Figures) found(b *Form) document.Term {
	const name = "Reservations found"
	unread := ""
	if f.measure != "payload_bytes" {
		unread = "Most pages were not read, as an index has no content: what they state is not known."
	}
	if !f.isAsked() {
		return field(name, "This audit did not ask which pages and sites state a reservation against training: "+
			"run 'robotsaudit evaluate DIR --purpose train'.", toState("it, meanwhile"), unread)
	}
	return field(name,
		b.say("Fetches whose page or site states a reservation against training: that holds for the fetch without a doubt: %s; that "+
			"may not, or not yet: %s",
			"SELECT count(*) FILTER (certainty = 'certain'), count(*) FILTER (certainty <> 'certain') FROM "+f.limited("restrictions")+
				" WHERE purpose = 'train' AND kind = 'usage'",
			f.objections.of("certain"), f.objections.all()-f.objections.of("certain")),
		"Rules of robots.txt that allow or disallow a fetch are not among them. Neither is a reservation in terms of service, in a "+
			"file that the archives do not hold, or inside an image, a PDF or an EPUB.", unread)
}

// limited is a table with the columns of a key, limited to the part, in SQL.
func (f *Figures) limited(table string) string {
	return "(FROM " + source(f.res, table) + " WHERE " + condition(f.res.Part()) + ")"
}

func (f *Figures) outcomeTable(b *Form) document.Table {
	if !f.has("robots") {
		return document.NewTable("outcomes", "", "The audit left out the table robots.")
	}
	t := b.table("Captures of robots.txt, by what they came to", "The audit has no capture of robots.txt",
		"SELECT outcome, count(*) FROM "+f.limited("robots")+" WHERE record_type <> 'log' GROUP BY ALL ORDER BY outcome",
		withNumbers("Outcome", "Captures"), f.outcomes.rows(1))
	for _, row := range t.Rows {
		name := row[0].Text
		t.Notes = append(t.Notes, name+": "+words.Outcomes[words.Parse[words.Outcome](words.Outcomes, name)].Meaning)
	}
	return t
}

func (f *Figures) signalTable(b *Form) document.Table {
	if !f.has("usage_signals") {
		return document.NewTable("signals", "", "The audit left out the table usage_signals.")
	}
	rows := f.signals.rows(2)
	return b.table("Statements that restrict a use, by protocol: a row for each fetch and statement", "No statement that restricts a use was found",
		"SELECT protocol, purpose, count(*) FROM "+source(f.res, "usage_signals")+" WHERE binds AND preference = 'restrict' AND "+
			"(url, warc_filename, warc_record_offset) IN (SELECT (url, warc_filename, warc_record_offset) FROM audited) "+
			"GROUP BY ALL ORDER BY protocol, purpose LIMIT "+fmt.Sprint(maxListed),
		append(document.Words.Columns("Protocol", "Use"), document.Number.Columns("Statements")...), rows[:min(len(rows), maxListed)])
}
