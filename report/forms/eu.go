package forms

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report/document"
)

const (
	maxListed = 50 // rows of a table in a form
	comments  = "Additional comments (optional)"
	modality  = "Type of modality covered: text, image, video, audio, other (if so, please specify)"
	// modalities is the question that follows a "yes".
	modalities = "If yes, specify the modality(ies) of the content covered by the datasets concerned: text, image, video, " +
		"audio, other (if so, please specify)"
)

const notLegal = "This is a draft for whoever must publish the form, and no legal advice. Its figures are of the archives " +
	"that were audited. They do not show which of the content was used to train a model."

// EU fills the public summary of training content, sections 1.3, 2.1 and 2.3.
func (f *Figures) EU(sme bool) *Form {
	b := &Form{
		Title: "Public Summary of Training Content for general-purpose AI models: what the archives show",
		Setup: f.setup,
		Intro: []string{
			"Required by Article 53(1)(d) of Regulation (EU) 2024/1689 (AI Act). Headings, questions and numbers " +
				"follow the Commission's template, C(2025) 5235 and C(2025) 8311, as summaries that providers published have them: " +
				"compare them with the template before you publish. The annex, annex.md, is for the provider and no part of it.", notLegal,
		},
	}
	b.Sections = []document.Section{
		f.scope(b),
		blank("1. General information", "Version of the Summary", "Last update"),
		blank("1.1. Provider identification", "Provider name and contact details",
			"Authorised representative name and contact details"),
		blank("1.2. Model identification", "Versioned model name(s)", "Model dependencies",
			"Date of placement of the model on the Union market"),
		withTables(section("1.3. Modalities, overall training data size and other characteristics",
			field("Modality, training data size, types of content", "The table has the ranges of the template. The sizes in 2.3 "+
				"are of what was received, before any processing.", toState("for each modality its range, or its size in "+
				"another unit, and its types of content")),
			field("Latest date of data acquisition/collection for model training", f.latest(b),
				toState("the latest date of all data; whether the model is continuously trained on new data after this date")),
			field("Description of the linguistic characteristics of the overall training data", "The table of languages in 2.3 has "+
				"what crawlers or indexes found in these archives.", toState("the languages of all data")),
			field("Other relevant characteristics of the overall training data", toState("")),
			field(comments, toState("")),
		), sizeRanges()),
		blank("2. List of data sources"),
		f.publicSets(b),
		blank("2.2. Private non-publicly available datasets obtained from third parties"),
		blank("2.2.1. Datasets commercially licensed by rightsholders or their representatives",
			"Have you concluded transactional commercial licensing agreement(s) with rightsholder(s) or with their representatives?",
			modalities),
		blank("2.2.2. Private datasets obtained from other third parties",
			"Have you obtained private datasets from third parties that are not licensed as described in Section 2.2.1, such as "+
				"data obtained from providers of private databases, or data intermediaries?", modalities,
			"If publicly known, list private datasets obtained from other third parties",
			"General description of non-publicly known private datasets obtained from third parties", comments),
		f.crawled(b, sme),
		blank("2.4. User data",
			"Was data from user interactions with the AI model (e.g. user input and prompts) used to train the model?",
			"Was data collected from user interactions with the provider's other services or products used to train the model?",
			"If yes, provide a general description of the provider's services or products that were used to collect the user data",
			modality, comments),
		blank("2.5. Synthetic data",
			"Was synthetic AI-generated data created by the provider or on their behalf to train the model?",
			"If yes, specify the modality of the synthetic data",
			"If yes, specify the general-purpose AI model(s) used to generate the synthetic data if available on the market",
			"Information about other AI models, including provider's own AI model(s) not available on the market, used to generate "+
				"synthetic data to train the model", comments),
		blank("2.6. Other sources of data",
			"Have data sources other than those described in Sections 2.1 to 2.5 been used to train the model?",
			"If yes, provide a narrative description of these data sources and the data", comments),
		blank("3. Data processing aspects"),
		section("3.1. Respect of reservation of rights from text and data mining exception or limitation",
			field("Are you a Signatory to the Code of Practice for general-purpose AI models that includes commitments to respect "+
				"reservations of rights from the TDM exception or limitation?", toState("yes or no")),
			field("Describe the measures implemented before model training to respect reservations of rights from the TDM exception "+
				"or limitation before and during data collection, including the opt-out protocols and solutions honoured by the "+
				"provider or, as applicable, by third parties from which datasets have been obtained", toState("the measures "+
				"themselves; which protocols are honoured; what was left out of the training data afterwards. The annex has the "+
				"reservations that were found")),
			field(comments, toState(""))),
		blank("3.2. Removal of illegal content", "General description of measures taken"),
		blank("3.3. Other information (optional)", "Other relevant information about data processing (optional)"),
	}
	return b
}

// sizeRanges are the ranges that section 1.3 of the template offers.
func sizeRanges() document.Table {
	t := document.NewTable("ranges", "Ranges of the size of training data, of which the provider states one a modality", "",
		document.Words.Columns("Modality", "Lowest range", "Middle range", "Highest range"))
	for _, row := range [][]any{
		{"Text", "Less than 1 billion tokens", "1 billion to 10 trillion tokens", "More than 10 trillion tokens"},
		{"Image", "Less than 1 million images", "1 million to 1 billion images", "More than 1 billion images"},
		{"Audio", "Less than 10,000 hours", "10,000 to 1 million hours", "More than 1 million hours"},
		{"Video", "Less than 10,000 hours", "10,000 to 1 million hours", "More than 1 million hours"},
		{"Other, to be named", "a size in its own unit", "", ""},
	} {
		t.Add(row...)
	}
	return t
}

// section is a part of a form, with an ID made of the words of its heading.
func section(heading string, terms ...document.Term) document.Section {
	id := strings.Join(strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool { return !unicode.IsLetter(r) }), "-")
	return document.Section{ID: id, Heading: heading, Terms: terms}
}

func withTables(s document.Section, tables ...document.Table) document.Section {
	s.Tables = tables
	return s
}

// blank is a section whose questions archives cannot answer.
func blank(heading string, questions ...string) document.Section {
	s := section(heading)
	for _, q := range questions {
		s.Terms = append(s.Terms, field(q, toState("")))
	}
	return s
}

// scope says what all figures are of.
func (f *Figures) scope(b *Form) document.Section {
	audit := f.res.Audit()
	s := section("What the figures count")
	if part := f.res.Part().String(); part != "" {
		s.Intro = append(s.Intro, "A part of the audit: "+part+". Inputs and collections are of the whole audit.")
	}
	s.Intro = append(s.Intro,
		b.say("Archives and other inputs: %s; of them not wholly read: %s", auditJSON+
			"SELECT len(inputs), (totals->>'inputs_not_wholly_read')::BIGINT FROM audit",
			audit.Inputs.Count(), audit.Totals.InputsNotWhollyRead),
		b.say("Fetches: %s. Of robots.txt itself: %s. Of the others, refused by the server: %s; without "+
			"content, such as a redirect or the answer to HEAD: %s; with content: %s",
			"SELECT count(*), count(*) FILTER (reason = 'robots_txt_itself'), count(*) FILTER (reason <> "+
				"'robots_txt_itself' AND refusal IS NOT NULL), count(*) FILTER (reason <> 'robots_txt_itself' AND "+
				"refusal IS NULL AND NOT is_content), count(*) FILTER (is_content) FROM audited",
			f.fetches, f.robotsFetches, f.refusals.all(), f.fetches-f.robotsFetches-f.refusals.all()-f.content.fetches,
			f.content.fetches),
		"A fetch is one request of a crawler with its answer, as an archive or an index holds it. All figures below leave out "+
			"fetches of robots.txt itself, unless they say otherwise. Content is what a fetch brought with a status of 200 to 299, "+
			"or with none, unless it was a HEAD, or the server refused, as with a captcha.",
	)
	size := "Its size is that of the payload as it was transferred, with its compression (payload_bytes)."
	if f.measure != "payload_bytes" {
		size = "Most fetches of the audit are known by an index alone. The size of content is therefore that of the record as it " +
			"is stored, mostly compressed, with its headers (warc_record_length). It is not the size of the content itself."
	}
	s.Intro = append(s.Intro, size, f.sizes(b))
	return s
}

func (f *Figures) sizes(b *Form) string {
	return b.say("Bytes of all fetches of content: %s; of distinct payloads: %s (a payload, by its digest, counts once for each "+
		"domain name); fetches without a digest, each a payload of its own: %s; fetches of unknown size, which count as nothing: "+
		"%s; payloads of unknown size: %s",
		"SELECT coalesce(sum(size), 0)::BIGINT, (SELECT coalesce(sum(size), 0)::BIGINT FROM payloads), "+
			"count(*) - count(content_digest), count(*) - count(size), (SELECT count(*) - count(size) FROM payloads) FROM content",
		f.content.bytes, f.content.distinct, f.undigested, f.content.unknown, f.content.distinctUnknown)
}

const auditJSON = "WITH audit AS (FROM read_json('audit.json', columns = {inputs: 'JSON[]', totals: 'JSON'}, " +
	"maximum_object_size = 1000000000)) "

func (f *Figures) latest(b *Form) string {
	return b.say("Latest date of data acquisition/collection, of the archives: %s",
		"SELECT strftime(max(fetch_time), '%m/%Y') FROM content", month(f.content.last))
}

func (f *Figures) period(b *Form) string {
	return b.say("From %s to %s; fetches of content without a date: %s",
		"SELECT strftime(min(fetch_time), '%m/%Y'), strftime(max(fetch_time), '%m/%Y'), count(*) - count(fetch_time) FROM content",
		month(f.content.first), month(f.content.last), f.content.undated) +
		" These are the months of the first and the last fetch of content. Collection may have paused between them."
}

// publicSets is section 2.1.
func (f *Figures) publicSets(b *Form) document.Section {
	rows := f.collections.rows(1)
	s := section("2.1. Publicly available datasets",
		field("Have you used publicly available datasets to train the model?",
			toState("whether these archives are, or come from, a dataset that a third party compiled and published, such as "+
				"Common Crawl. If so, they belong here and not into 2.3")),
		field(modalities, "Where the archives are such a dataset, the table of modalities in 2.3 has them."),
		field("List of large publicly available datasets", "The table has the collections that the archives themselves name.",
			toState("name, link and period of each dataset that was used")),
		field("General description of other publicly available datasets not listed above", toState("")),
		field(comments, toState("")),
	)
	s.Tables = []document.Table{b.table("Collections", "No archive names a collection", auditJSON+
		"SELECT collection, count(*) FROM (SELECT DISTINCT position, unnest(list_concat("+
		"input->>'$.crawls[*].is_part_of', input->>'$.common_crawls[*]')) AS collection "+
		"FROM (SELECT unnest(inputs) AS input, generate_subscripts(inputs, 1) AS position FROM audit)) "+
		"WHERE collection <> '' GROUP BY collection ORDER BY collection LIMIT "+fmt.Sprint(maxListed),
		withNumbers("Collection", "Inputs"), rows[:min(len(rows), maxListed)])}
	return s
}

// withNumbers are columns of which the first has words, the others numbers.
func withNumbers(first string, others ...string) []document.Column {
	return append(document.Words.Columns(first), document.Number.Columns(others...)...)
}

// crawled is section 2.3.
func (f *Figures) crawled(b *Form, sme bool) document.Section {
	crawlers := f.crawlers.sorted()
	named, unknown := int64(0), int64(0)
	operators := make(map[string]bool)
	for _, c := range crawlers {
		if c.key != "" {
			named++
		} else {
			unknown = c.made
		}
		if a, known := agents.Find(c.key); known && a.Kind == agents.Operator {
			operators[a.Operator] = true
		}
	}
	who := []string{
		b.say("Crawlers in the archives, by the names that robots.txt uses for them (product tokens): %s; fetches by crawlers whose "+
			"token is not known, with fetches of robots.txt: %s",
			"SELECT count(DISTINCT lower(agent)), count(*) - count(agent) FROM audited", named, unknown),
		toState("who ran each of them, and on whose behalf; archives show no contract"),
	}
	if len(operators) > 1 {
		who = append(who, "The tokens are of several operators. --operator-of TOKEN limits all figures to the crawlers of one.")
	}
	n := listed(len(f.names), sme)
	share, flag := "the top 10 %", "For small and medium-sized enterprises the list is shorter (--sme)."
	if sme {
		share, flag = "the top 5 %, at most 1,000 (small and medium-sized enterprises, start-ups included)", ""
	}
	s := section("2.3. Data crawled and scraped from online sources",
		field("Were crawlers used by the provider or on behalf of?", who...),
		field("If yes, specify crawler name(s)/identifier(s)", "The table of crawlers has them."),
		field("Purposes of the crawler(s)", toState("the purposes of each; archives do not show them")),
		field("General description of crawler behaviour (robots.txt, captchas, paywalls)",
			toState("what the crawler is built to do about robots.txt, at a captcha and at a paywall, and how often it comes. "+
				"The annex has what the archives show of it")),
		field("Period of data collection", f.period(b)),
		field("Comprehensive description of the type of content and online sources crawled",
			b.say("Domain names with content: %s; other hosts with content (IP addresses, names without a public suffix): %s; "+
				"fetches whose host could not be read: %s",
				"SELECT count(*) FILTER (is_domain), count(*) FILTER (NOT is_domain), "+
					"(SELECT count(*) FROM content WHERE name = '') FROM names", f.domains(), int64(len(f.names))-f.domains(), f.unnamed),
			"The tables of media types and languages have more.",
			toState("what kind of websites they are, such as news or encyclopedias")),
		field(modality, "The table of modalities has them; what it names application or other is the template's other. They "+
			"follow from the media type that the crawler or an index found in the content, or else from the one that the server declared."),
		field("Summary of the most relevant domain names crawled",
			b.say("The list, domains.csv, has %s of %s names ("+strings.ReplaceAll(share, "%", "%%")+"), by the size of the content. "+
				"They have %s of %s bytes of distinct payloads",
				"SELECT count(*) FILTER (listed), count(*), coalesce(sum(bytes_distinct) FILTER (listed), 0)::BIGINT, "+
					"coalesce(sum(bytes_distinct), 0)::BIGINT FROM (SELECT *, rank <= (SELECT "+listedSQL(sme)+
					" FROM names) AS listed FROM names)",
				int64(n), int64(len(f.names)), f.distinctOf(n), f.distinctOf(len(f.names))),
			"domains.csv also has the bytes of each modality, so that the list can be weighed across modalities.",
			"A name is a registered domain, such as example.com: the public suffix and one label, by the ICANN part of the public "+
				"suffix list ("+f.res.Audit().Settings.PublicSuffixList+"). Below a private suffix, such as blogspot.com, all sites "+
				"count as one name. A port makes no difference. Internationalised names are in their ASCII form. "+
				"A host without a registered domain stands for itself.",
			"The order is: bytes of distinct payloads, bytes of all fetches, number of fetches, name.", flag),
		field(comments, toState("")),
	)
	s.Tables = []document.Table{
		f.crawlerTable(b, crawlers), f.modalityTable(b), f.typeTable(b), f.languageTable(b), f.nameTable(b, n),
	}
	return s
}

// orNull is a text; nil where it is empty.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// listedSQL is listed in SQL.
func listedSQL(sme bool) string {
	if sme {
		return "least((count(*) + 19) // 20, 1000)"
	}
	return "(count(*) + 9) // 10"
}

// distinctOf is the size of the distinct payloads of the first names.
func (f *Figures) distinctOf(n int) (bytes int64) {
	for _, x := range f.names[:n] {
		bytes += x.distinct
	}
	return bytes
}

func (f *Figures) domains() (n int64) {
	for _, x := range f.names {
		if x.isDomain {
			n++
		}
	}
	return n
}

func (f *Figures) crawlerTable(b *Form, crawlers []*tally) document.Table {
	var rows [][]any
	for _, c := range crawlers[:min(len(crawlers), maxListed)] {
		rows = append(rows, []any{orNull(c.key), c.made, c.fetches, c.bytes, c.unknown, month(c.first), month(c.last)})
	}
	t := b.table("Crawlers, by product token, with fetches of robots.txt itself", "There is no fetch",
		"SELECT lower(agent) AS crawler, count(*), count(*) FILTER (is_content), coalesce(sum(size) FILTER (is_content), 0)::BIGINT, "+
			"count(*) FILTER (is_content AND size IS NULL), strftime(min(fetch_time) FILTER (is_content), '%m/%Y'), "+
			"strftime(max(fetch_time) FILTER (is_content), '%m/%Y') FROM audited GROUP BY crawler "+
			"ORDER BY 3 DESC, crawler NULLS FIRST LIMIT "+fmt.Sprint(maxListed),
		append(withNumbers("Crawler", "Fetches", "Fetches of content", "Bytes of these fetches", "Fetches of unknown size"),
			document.Words.Columns("From", "To")...), rows)
	for i, c := range crawlers[:len(rows)] {
		made := "not in the list"
		if a, known := agents.Find(c.key); known {
			made = strings.Trim(a.Operator+"; "+a.Function, "; ")
			if a.Kind == agents.Software {
				made = "software that anybody runs"
			}
		}
		t.Rows[i] = append(t.Rows[i], document.Cell{Text: made})
	}
	t.Columns = append(t.Columns, document.Column{Name: "Operator and function, by robotsaudit's list", Kind: document.Words})
	t.Notes = []string{"robotsaudit's list of crawlers is of " + agents.Date() + ". It is a hint, and proves nothing about these fetches."}
	return t
}

func (f *Figures) modalityTable(b *Form) document.Table {
	t := tallyTable(b, "Modality", "modality", f.modalities)
	for _, row := range t.Rows {
		if m := words.Parse[evaluate.Modality](evaluate.Modalities, row[0].Text); m != evaluate.ModalityUnknown {
			t.Notes = append(t.Notes, row[0].Text+": "+strings.ReplaceAll(evaluate.Modalities[m].Meaning, "`", ""))
		}
	}
	return t
}

func (f *Figures) typeTable(b *Form) document.Table {
	return tallyTable(b, "Declared media type", "content_mime_type", f.types)
}

func (f *Figures) languageTable(b *Form) document.Table {
	t := tallyTable(b, "Language", "split_part(content_languages, ',', 1)", f.languages)
	t.Notes = []string{"The language is the first that the crawler or an index found in the content, mostly a code of " +
		"ISO 639-3. Nothing else was searched for languages."}
	return t
}

// tallyTable is a table of content by a column of fetches.
func tallyTable(b *Form, what, column string, all tallies) document.Table {
	var rows [][]any
	sorted := all.sorted()
	for _, t := range sorted[:min(len(sorted), maxListed)] {
		rows = append(rows, []any{orNull(t.key), t.fetches, t.bytes, t.unknown})
	}
	return b.table("Content by "+strings.ToLower(what), "There is no content", "SELECT "+column+", count(*), coalesce(sum(size), 0)::BIGINT, count(*) - count(size) "+
		"FROM content GROUP BY ALL ORDER BY 2 DESC, "+column+" NULLS FIRST LIMIT "+fmt.Sprint(maxListed),
		withNumbers(what, "Fetches of content", "Bytes of all fetches", "Fetches of unknown size"), rows)
}

func (f *Figures) nameTable(b *Form, listed int) document.Table {
	var rows [][]any
	for i, n := range f.names[:min(listed, maxListed)] {
		rows = append(rows, []any{int64(i + 1), n.key, n.distinct, n.bytes, n.fetches, n.unknown})
	}
	t := b.table("The list of domain names", "There is no name",
		fmt.Sprintf("SELECT rank, name, bytes_distinct::BIGINT, bytes_all::BIGINT, fetches, unknown FROM names ORDER BY rank LIMIT %d",
			min(listed, maxListed)),
		append(append(document.Number.Columns("Rank"), document.Words.Columns("Name")...),
			document.Number.Columns("Bytes of distinct payloads", "Bytes of all fetches", "Fetches", "Fetches of unknown size")...), rows)
	if listed > maxListed {
		t.More = "All are in domains.csv."
	}
	return t
}
