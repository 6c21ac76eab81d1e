package forms

import "github.com/robotsaudit/robotsaudit/report/document"

// AB2013 fills the documentation that California's Civil Code, section 3111, asks of developers.
func (f *Figures) AB2013() *Form {
	b := &Form{
		Title: "Training data documentation, California Civil Code section 3111 (AB 2013): what the archives show",
		Setup: f.setup, Intro: []string{notLegal},
	}
	b.Sections = []document.Section{f.scope(b)}
	domains := f.domains()
	points := section("(a) A high-level summary of the datasets",
		field("(1) The sources or owners of the datasets", b.say("Domain names with content: %s; other hosts: %s",
			"SELECT count(*) FILTER (is_domain), count(*) FILTER (NOT is_domain) FROM names", domains, int64(len(f.names))-domains),
			"The table has the largest of them, by bytes of distinct payloads.",
			toState("who owns the dataset, and datasets other than these archives")),
		field("(2) How the datasets further the intended purpose", toState("")),
		field("(3) The number of data points included in the datasets",
			b.say("Fetches of content: %s", "SELECT count(*) FROM content", f.content.fetches), f.sizes(b),
			toState("the number after processing, if it differs")),
		field("(4) The types of data points within the datasets", "The tables of modalities, media types and languages have them. "+
			"The archives hold no labels."),
		field("(5) Whether the datasets include any data protected by copyright, trademark, or patent",
			toState(""), "Archives do not show it."),
		field("(6) Whether the datasets were purchased or licensed", toState("")),
		field("(7) Whether the datasets include personal information", toState(""), "The content was not searched for it."),
		field("(8) Whether the datasets include aggregate consumer information", toState(""), "The content was not searched for it."),
		field("(9) Whether there was any cleaning, processing, or other modification", toState(""), "Archives hold what was received."),
		field("(10) The time period during which the data were collected", f.period(b), toState("whether the collection is ongoing")),
		field("(11) The dates the datasets were first used during development", toState("")),
		field("(12) Whether synthetic data generation was or is used in development", toState(""),
			"Archives do not show which content is synthetic."),
	)
	points.Tables = []document.Table{
		f.nameTable(b, listed(len(f.names), false)), f.modalityTable(b), f.typeTable(b), f.languageTable(b),
	}
	b.Sections = append(b.Sections, points)
	return b
}
